/* ct_strands_parse: lines of OBJ files, hair models and curves of stages. Strands that are accepted have two points each and more, all of them
 * finite, and follow each other without gaps. */
#include "fuzz.h"
#include "particles/strands.h"

#include <math.h>

static void check_strands(const ct_strands *strands)
{
    ct_fuzz_require(strands->count > 0 && strands->first[0] == 0, "there is a strand, and it begins at 0");
    ct_fuzz_require(strands->first[strands->count] == strands->point_count, "the last ends where points do");
    for (size_t i = 0; i < strands->count; i++)
        ct_fuzz_require(strands->first[i + 1] >= strands->first[i] + 2, "a strand has two points");
    for (size_t i = 0; i < strands->point_count; i++)
        for (int axis = 0; axis < 3; axis++)
            ct_fuzz_require(isfinite(strands->points[i][axis]), "points are finite");
}

static void read_strands(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    ct_strands strands = {0};
    ct_error error = {0};
    ct_status status = ct_strands_parse(heap, name, (const char *)bytes, count, &strands, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else {
        check_strands(&strands);
        ct_strands_release(&strands);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ct_fuzz_read(read_strands, "input.obj", bytes, count);
    return 0;
}
