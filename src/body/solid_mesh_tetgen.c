/* TetGen's .node and .ele, and Triangle's, which are the same in 2D. Lines of numbers; '#' begins a comment.
 *
 *     .node   count dimension attributes markers        .ele   count corners attributes
 *             number x y [z] attributes [marker]               number corners [region]
 *
 * A marker other than 0 makes its vertices the group of that number; a region those of its elements the group
 * "region" and its number.
 */
#include "body/solid_mesh_file.h"

#include <math.h>
#include <stdio.h>

enum { MOST_NUMBERS = 64 }; /* of a line */

/* The numbers of the next line that has some. */
static ct_status read_line(ct_solid_builder *builder, double numbers[MOST_NUMBERS], int wanted, int *count,
                           ct_error *error)
{
    ct_slice line, word;
    *count = 0;
    while (!*count) {
        if (!ct_scan_line(builder->scan, &line))
            return ct_scan_fail(builder->scan, error, "the file ends early");
        while (ct_slice_word(&line, &word) && word.at[0] != '#') {
            if (*count == MOST_NUMBERS)
                return ct_scan_fail(builder->scan, error, "a line of more than %d numbers", MOST_NUMBERS);
            if (!ct_slice_number(word, &numbers[*count]))
                return ct_scan_fail(builder->scan, error, "'%.*s' is not a number", ct_slice_width(word),
                                    word.at);
            ++*count;
        }
    }
    if (*count < wanted)
        return ct_scan_fail(builder->scan, error, "a line needs %d numbers here and has %d", wanted, *count);
    return CT_OK;
}

static ct_status read_whole(const ct_solid_builder *builder, double number, uint64_t *whole, ct_error *error)
{
    if (!(number >= 0 && number < 9e15 && number == floor(number)))
        return ct_scan_fail(builder->scan, error, "%g is no whole number", number);
    *whole = (uint64_t)number;
    return CT_OK;
}

static ct_status add_marker(ct_solid_builder *builder, const char *kind, double marker, uint32_t *group,
                            ct_error *error)
{
    char name[CT_GROUP_NAME];
    *group = CT_NO_GROUP;
    if (marker == 0 || !isfinite(marker)) return CT_OK;
    snprintf(name, sizeof name, "%s%.10g", kind, marker);
    return ct_solid_builder_group(builder, name, group, error);
}

ct_status ct_solid_mesh_read_nodes(ct_solid_builder *builder, ct_error *error)
{
    double numbers[MOST_NUMBERS];
    int count, d = builder->mesh->dimension;
    uint64_t vertices = 0, tag = 0;
    ct_status status = read_line(builder, numbers, 2, &count, error);
    if (!status && numbers[1] != d)
        status = ct_scan_fail(builder->scan, error, "the vertices have %g coordinates, and the world has %d",
                              numbers[1], d);
    if (!status) status = read_whole(builder, numbers[0], &vertices, error);
    if (!status) status = ct_solid_builder_begin(builder, vertices, error);
    bool has_marker = count >= 4 && numbers[3] == 1;
    for (uint64_t v = 0; v < vertices && !status; v++) {
        status = read_line(builder, numbers, d + 1 + has_marker, &count, error);
        if (!status) status = read_whole(builder, numbers[0], &tag, error);
        const double position[3] = {numbers[1], numbers[2], d == 3 ? numbers[3] : 0};
        if (!status) status = ct_solid_builder_vertex(builder, tag, position, error);
        uint32_t group = CT_NO_GROUP;
        if (!status && has_marker) status = add_marker(builder, "", numbers[count - 1], &group, error);
        if (!status && group != CT_NO_GROUP)
            status = ct_solid_builder_member(builder, group, (uint32_t)v, error);
    }
    return status;
}

ct_status ct_solid_mesh_read_ele(ct_solid_builder *builder, ct_error *error)
{
    double numbers[MOST_NUMBERS];
    int count, d = builder->mesh->dimension;
    uint64_t elements = 0, corners[4];
    ct_status status = read_line(builder, numbers, 2, &count, error);
    if (!status && numbers[1] != d + 1)
        status = ct_scan_fail(builder->scan, error, "elements have %g corners; only those of %d are read",
                              numbers[1], d + 1);
    if (!status) status = read_whole(builder, numbers[0], &elements, error);
    for (uint64_t e = 0; e < elements && !status; e++) {
        status = read_line(builder, numbers, d + 2, &count, error);
        for (int c = 0; c <= d && !status; c++)
            status = read_whole(builder, numbers[1 + c], &corners[c], error);
        uint32_t group = CT_NO_GROUP;
        if (!status && count > d + 2) status = add_marker(builder, "region ", numbers[d + 2], &group, error);
        if (!status) status = ct_solid_builder_element(builder, corners, d + 1, group, error);
    }
    return status;
}
