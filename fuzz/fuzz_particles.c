/* ct_particle_file_parse: every input is read as CSV, as PLY and as VTU. */
#include "fuzz.h"
#include "particles/particle_file.h"

#include <math.h>
#include <string.h>

/* Touches every value, so that an array shorter than its count shows. */
static void check_file(const ct_particle_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        for (int axis = 0; axis < 3; axis++)
            ct_fuzz_require(isfinite(file->position[i][axis]), "positions are finite");
    for (int i = 0; i < file->attribute_count; i++) {
        const ct_attribute *attribute = &file->attributes[i];
        ct_fuzz_require(memchr(attribute->name, '\0', sizeof attribute->name), "an attribute's name ends");
        ct_fuzz_require(attribute->components > 0, "an attribute has components");
        ct_fuzz_require(ct_particle_file_find(file, attribute->name), "an attribute is found by its name");
        ct_fuzz_hash((const uint8_t *)attribute->values,
                     file->count * (size_t)attribute->components * sizeof *attribute->values);
    }
}

static void read_as(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    ct_particle_file file = {0};
    ct_error error = {0};
    ct_status status = ct_particle_file_parse(heap, name, (const char *)bytes, count, &file, &error);
    if (status != CT_OK) ct_fuzz_require_error(status, &error, CT_BAD_SCENE, name);
    else {
        check_file(&file);
        ct_particle_file_release(&file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const names[] = {"input.csv", "input.ply", "input.vtu"};
    for (int i = 0; i < 3; i++) ct_fuzz_read(read_as, names[i], bytes, count);
    return 0;
}
