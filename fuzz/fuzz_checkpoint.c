/* ct_container_parse, and then every section read, whole and in part. */
#include "core/container.h"
#include "fuzz.h"

#include <string.h>

enum { ELEMENTS = 4096 }; /* read at once: sections are walked piece by piece, as large ones must be */

static void read_section(const ct_container *container, const char *name, ct_section_type type,
                         uint64_t count)
{
    static uint64_t elements[ELEMENTS]; /* room for that many of the largest type */
    ct_error error = {0};
    for (uint64_t first = 0; first < count; first += ELEMENTS) {
        uint64_t part = count - first < ELEMENTS ? count - first : ELEMENTS;
        ct_status status = ct_container_read(container, name, type, elements, first, part, &error);
        if (status == CT_OK) continue;
        ct_fuzz_require_error(status, &error, CT_NO_MEMORY, name); /* all the rest was checked on opening */
        break;
    }
    ct_fuzz_require(ct_container_read(container, name, type, elements, count, 1, &error) != CT_OK,
                    "nothing is read past the end of a section");
    ct_fuzz_require(ct_container_read(container, name, type, elements, UINT64_MAX, 2, &error) != CT_OK,
                    "nothing is read where first + count overflows");
}

static void read_sections(const ct_container *container)
{
    const char *name;
    ct_section_type type, found_type;
    uint64_t count, found_count;
    for (int i = 0; ct_container_section(container, i, &name, &type, &count); i++) {
        ct_fuzz_require(ct_section_type_size(type) > 0, "a section has a known type");
        ct_fuzz_require(ct_container_find(container, name, &found_type, &found_count), "a section is found");
        ct_fuzz_require(found_type == type && found_count == count, "a name means one section");
        read_section(container, name, type, count);
    }
}

static void read_container(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count)
{
    ct_container *container = NULL;
    ct_error error = {0};
    ct_status status = ct_container_parse(heap, name, bytes, count, &container, &error);
    if (status == CT_OK) read_sections(container);
    else ct_fuzz_require_error(status, &error, CT_BAD_IO, name);
    ct_container_close(container);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ct_fuzz_read(read_container, "input.ctc", bytes, count);
    return 0;
}
