/* Wavefront OBJ: lines "v x y z" and "f 1 2 3", where a corner may be 7, 7/1, 7/1/4 or 7//4 and a negative
 * number counts back from the last vertex. All other lines (normals, groups, materials) do not matter here.
 */
#include "particles/mesh_read.h"
#include "particles/obj.h"

static ct_status read_vertex(ct_mesh_builder *builder, ct_obj_line *line, ct_error *error)
{
    double position[3];
    for (int a = 0; a < 3; a++) {
        ct_slice word;
        if (!ct_obj_word(line, &word))
            return ct_scan_fail(line->scan, error, "a vertex needs three coordinates");
        if (!ct_slice_number(word, &position[a]))
            return ct_scan_fail(line->scan, error, "'%.*s' is not a number", ct_slice_width(word), word.at);
    }
    return ct_mesh_add_vertex(builder, line->scan, position, error);
}

static ct_status read_face(ct_mesh_builder *builder, ct_obj_line *line, ct_error *error)
{
    builder->corners = 0;
    ct_slice word;
    while (ct_obj_word(line, &word)) {
        int64_t index;
        ct_status status = ct_obj_vertex(line, word, builder->mesh->vertex_count, &index, error);
        if (!status) status = ct_mesh_add_corner(builder, line->scan, index, error);
        if (status) return status;
    }
    if (builder->corners < 3) return ct_scan_fail(line->scan, error, "a face needs at least three corners");
    return CT_OK;
}

ct_status ct_mesh_read_obj(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    ct_obj_line line = {.scan = scan};
    ct_status status = CT_OK;
    while (!status && ct_scan_line(scan, &line.rest)) {
        ct_slice word;
        if (!ct_obj_word(&line, &word)) continue;
        if (ct_slice_is(word, "v")) status = read_vertex(builder, &line, error);
        if (ct_slice_is(word, "f")) status = read_face(builder, &line, error);
    }
    return status;
}
