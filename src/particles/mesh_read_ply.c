/* PLY meshes: x y z of the element "vertex" and the list "vertex_indices" (or "vertex_index") of "face". Texture
 * coordinates are the list "texcoord" of a face, behind its corners, as MeshLab writes them, or numbers of the
 * vertices: s t, u v or texture_u texture_v.
 */
#include "particles/mesh_read.h"
#include "particles/ply.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    ct_mesh_builder *builder;
    ct_ply *ply;
    ct_heap *heap;
    ct_uv_list of_vertices; /* of all, or empty */
    ct_uv_list own;         /* of the face under way */
} reader;

static int find_number(const ct_ply *ply, const ct_ply_element *element, const char *name)
{
    int column = ct_ply_find(ply, element, name);
    return column >= 0 && ply->properties[column].is_list ? -1 : column;
}

/* Whether vertices have both coordinates, and where. */
static bool find_uv(const ct_ply *ply, const ct_ply_element *element, int columns[2])
{
    static const char *const names[][2] = {{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (int i = 0; i < 2; i++) columns[i] = find_number(ply, element, names[n][i]);
        if (columns[0] >= 0 && columns[1] >= 0) return true;
    }
    return false;
}

static ct_status read_vertices(reader *r, const ct_ply_element *element, ct_error *error)
{
    static const char *const names[3] = {"x", "y", "z"};
    ct_ply *ply = r->ply;
    int columns[5] = {-1, -1, -1, -1, -1};
    for (int a = 0; a < 3; a++) {
        columns[a] = find_number(ply, element, names[a]);
        if (columns[a] < 0)
            return ct_scan_fail(&ply->scan, error, "the vertices have no number '%s'", names[a]);
    }
    bool has_uv = find_uv(ply, element, columns + 3);
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        double numbers[5] = {0};
        for (int p = element->first_property;
             p < element->first_property + element->property_count && !status; p++) {
            const ct_ply_property *property = &ply->properties[p];
            double number = 0;
            status = property->is_list ? ct_ply_skip(ply, property, error)
                                       : ct_ply_number(ply, property->type, &number, error);
            for (int a = 0; a < 5; a++)
                if (columns[a] == p) numbers[a] = number;
        }
        if (!status) status = ct_mesh_add_vertex(r->builder, &ply->scan, numbers, error);
        if (!status && has_uv) status = ct_uv_list_add(r->heap, &r->of_vertices, numbers + 3, error);
    }
    return status;
}

static ct_status read_polygon(reader *r, const ct_ply_property *list, ct_error *error)
{
    uint64_t length;
    ct_ply *ply = r->ply;
    ct_status status = ct_ply_length(ply, list->count_type, &length, error);
    r->builder->corners = r->own.count = 0;
    for (uint64_t i = 0; !status && i < length; i++) {
        double index;
        status = ct_ply_number(ply, list->type, &index, error);
        if (status) return status;
        if (!(fabs(index) <= 0x1p53) || index != floor(index))
            return ct_scan_fail(&ply->scan, error, "%g is no number of a vertex", index);
        status = ct_mesh_add_corner(r->builder, &ply->scan, (int64_t)index, error);
        if (!status && r->of_vertices.count)
            status = ct_uv_list_add(r->heap, &r->own, r->of_vertices.uv[(size_t)index], error);
    }
    if (!status && length < 3) return ct_scan_fail(&ply->scan, error, "a face needs at least three corners");
    if (!status && r->own.count) status = ct_mesh_add_uv(r->builder, &ply->scan, r->own.uv[0], error);
    return status;
}

/* A face may have an empty list: no coordinates. */
static ct_status read_texcoord(reader *r, const ct_ply_property *list, ct_error *error)
{
    uint64_t length;
    ct_ply *ply = r->ply;
    ct_status status = ct_ply_length(ply, list->count_type, &length, error);
    r->own.count = 0;
    if (!status && length && length != 2 * (uint64_t)r->builder->corners)
        return ct_scan_fail(&ply->scan, error,
                            "a face of %zu corners has %zu texture coordinates, not two of each",
                            r->builder->corners, (size_t)length);
    for (uint64_t i = 0; !status && i < length / 2; i++) {
        double uv[2] = {0};
        status = ct_ply_number(ply, list->type, &uv[0], error);
        if (!status) status = ct_ply_number(ply, list->type, &uv[1], error);
        if (!status) status = ct_uv_list_add(r->heap, &r->own, uv, error);
    }
    return status || !length ? status : ct_mesh_add_uv(r->builder, &ply->scan, r->own.uv[0], error);
}

static ct_status read_faces(reader *r, const ct_ply_element *element, ct_error *error)
{
    ct_ply *ply = r->ply;
    int column = ct_ply_find(ply, element, "vertex_indices"), texture = ct_ply_find(ply, element, "texcoord");
    if (column < 0) column = ct_ply_find(ply, element, "vertex_index");
    if (column < 0 || !ply->properties[column].is_list)
        return ct_scan_fail(&ply->scan, error, "the faces have no list 'vertex_indices'");
    if (texture < column || !ply->properties[texture].is_list) texture = -1;
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++)
        for (int p = element->first_property;
             p < element->first_property + element->property_count && !status; p++)
            status = p == column    ? read_polygon(r, &ply->properties[p], error)
                     : p == texture ? read_texcoord(r, &ply->properties[p], error)
                                    : ct_ply_skip(ply, &ply->properties[p], error);
    return status;
}

ct_status ct_mesh_read_ply(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    ct_ply ply;
    reader r = {.builder = builder, .ply = &ply, .heap = builder->mesh->heap};
    ct_status status = ct_ply_open(&ply, scan->name, scan->begin, (size_t)(scan->end - scan->begin), error);
    for (int e = 0; e < ply.element_count && !status; e++) {
        const ct_ply_element *element = &ply.elements[e];
        if (strcmp(element->name, "vertex") == 0) status = read_vertices(&r, element, error);
        else if (strcmp(element->name, "face") == 0) status = read_faces(&r, element, error);
        else status = ct_ply_skip_element(&ply, element, error);
    }
    ct_release(r.heap, r.of_vertices.uv);
    ct_release(r.heap, r.own.uv);
    return status;
}
