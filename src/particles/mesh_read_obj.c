/* Wavefront OBJ: lines "v x y z", "vt u v" and "f 1 2 3", where a corner may be 7, 7/1, 7/1/4 or 7//4 and a
 * negative number counts back from the last one. All other lines (normals, groups, materials) do not matter
 * here.
 */
#include "particles/mesh_read.h"
#include "particles/obj.h"

/* The first `needed` of the line's numbers must be there, all `most` are read. */
static ct_status read_numbers(ct_obj_line *line, const char *reason, int needed, int most, double *numbers,
                              ct_error *error)
{
    for (int a = 0; a < most; a++) {
        ct_slice word;
        if (!ct_obj_word(line, &word))
            return a < needed ? ct_scan_fail(line->scan, error, "%s", reason) : CT_OK;
        if (!ct_slice_number(word, &numbers[a]))
            return ct_scan_fail(line->scan, error, "'%.*s' is not a number", ct_slice_width(word), word.at);
    }
    return CT_OK;
}

static ct_status read_vertex(ct_mesh_builder *builder, ct_obj_line *line, ct_error *error)
{
    double position[3];
    ct_status status = read_numbers(line, "a vertex needs three coordinates", 3, 3, position, error);
    return status ? status : ct_mesh_add_vertex(builder, line->scan, position, error);
}

static ct_status read_texture(ct_heap *heap, ct_obj_line *line, ct_uv_list *all, ct_error *error)
{
    double uv[2] = {0};
    ct_status status = read_numbers(line, "a texture coordinate needs a number", 1, 2, uv, error);
    return status ? status : ct_uv_list_add(heap, all, uv, error);
}

static ct_status read_face(ct_mesh_builder *builder, ct_obj_line *line, const ct_uv_list *all,
                           ct_uv_list *own, ct_error *error)
{
    static const double none[2] = {0};
    ct_heap *heap = builder->mesh->heap;
    bool has_any = false;
    builder->corners = own->count = 0;
    ct_slice word;
    while (ct_obj_word(line, &word)) {
        int64_t index, texture = -1;
        ct_status status = ct_obj_vertex(line, word, builder->mesh->vertex_count, &index, error);
        if (!status) status = ct_mesh_add_corner(builder, line->scan, index, error);
        if (!status) status = ct_obj_texture(line, word, all->count, &texture, error);
        if (!status) status = ct_uv_list_add(heap, own, texture < 0 ? none : all->uv[texture], error);
        if (status) return status;
        has_any |= texture >= 0;
    }
    if (builder->corners < 3) return ct_scan_fail(line->scan, error, "a face needs at least three corners");
    return has_any ? ct_mesh_add_uv(builder, line->scan, own->uv[0], error) : CT_OK;
}

ct_status ct_mesh_read_obj(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    ct_heap *heap = builder->mesh->heap;
    ct_obj_line line = {.scan = scan};
    ct_uv_list all = {0}, own = {0};
    ct_status status = CT_OK;
    while (!status && ct_scan_line(scan, &line.rest)) {
        ct_slice word;
        if (!ct_obj_word(&line, &word)) continue;
        if (ct_slice_is(word, "v")) status = read_vertex(builder, &line, error);
        if (ct_slice_is(word, "vt")) status = read_texture(heap, &line, &all, error);
        if (ct_slice_is(word, "f")) status = read_face(builder, &line, &all, &own, error);
    }
    ct_release(heap, all.uv);
    ct_release(heap, own.uv);
    return status;
}
