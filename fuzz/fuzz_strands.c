/* ct_strands_parse: lines of OBJ files. Strands that are accepted have two points each and more, all of them
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

/* Returns how many allocations were made. */
static unsigned read_strands(const uint8_t *bytes, size_t count, unsigned failing)
{
    static const char name[] = "input.obj";
    ct_fuzz_heap heap;
    ct_fuzz_heap_init(&heap, failing);
    ct_strands strands = {0};
    ct_error error = {0};
    ct_status status = ct_strands_parse(&heap.heap, name, (const char *)bytes, count, &strands, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else {
        check_strands(&strands);
        ct_strands_release(&strands);
    }
    ct_fuzz_heap_finish(&heap);
    return heap.made;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    unsigned made = read_strands(bytes, count, 0);
    if (made) read_strands(bytes, count, 1 + (unsigned)(ct_fuzz_hash(bytes, count) % made));
    return 0;
}
