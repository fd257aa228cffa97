/* PLY meshes: x y z of the element "vertex" and the list "vertex_indices" (or "vertex_index") of "face". */
#include "particles/mesh_read.h"
#include "particles/ply.h"

#include <math.h>
#include <string.h>

static ct_status read_vertices(ct_mesh_builder *builder, ct_ply *ply, const ct_ply_element *element,
                               ct_error *error)
{
    static const char *const names[3] = {"x", "y", "z"};
    int columns[3];
    for (int a = 0; a < 3; a++) {
        columns[a] = ct_ply_find(ply, element, names[a]);
        if (columns[a] < 0 || ply->properties[columns[a]].is_list)
            return ct_scan_fail(&ply->scan, error, "the vertices have no number '%s'", names[a]);
    }
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        double position[3] = {0};
        for (int p = element->first_property;
             p < element->first_property + element->property_count && !status; p++) {
            const ct_ply_property *property = &ply->properties[p];
            double number = 0;
            status = property->is_list ? ct_ply_skip(ply, property, error)
                                       : ct_ply_number(ply, property->type, &number, error);
            for (int a = 0; a < 3; a++)
                if (columns[a] == p) position[a] = number;
        }
        if (!status) status = ct_mesh_add_vertex(builder, &ply->scan, position, error);
    }
    return status;
}

static ct_status read_polygon(ct_mesh_builder *builder, ct_ply *ply, const ct_ply_property *list,
                              ct_error *error)
{
    uint64_t length;
    ct_status status = ct_ply_length(ply, list->count_type, &length, error);
    builder->corners = 0;
    for (uint64_t i = 0; !status && i < length; i++) {
        double index;
        status = ct_ply_number(ply, list->type, &index, error);
        if (status) return status;
        if (!(fabs(index) <= 0x1p53) || index != floor(index))
            return ct_scan_fail(&ply->scan, error, "%g is no number of a vertex", index);
        status = ct_mesh_add_corner(builder, &ply->scan, (int64_t)index, error);
    }
    if (!status && length < 3) return ct_scan_fail(&ply->scan, error, "a face needs at least three corners");
    return status;
}

static ct_status read_faces(ct_mesh_builder *builder, ct_ply *ply, const ct_ply_element *element,
                            ct_error *error)
{
    int column = ct_ply_find(ply, element, "vertex_indices");
    if (column < 0) column = ct_ply_find(ply, element, "vertex_index");
    if (column < 0 || !ply->properties[column].is_list)
        return ct_scan_fail(&ply->scan, error, "the faces have no list 'vertex_indices'");
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++)
        for (int p = element->first_property;
             p < element->first_property + element->property_count && !status; p++)
            status = p == column ? read_polygon(builder, ply, &ply->properties[p], error)
                                 : ct_ply_skip(ply, &ply->properties[p], error);
    return status;
}

ct_status ct_mesh_read_ply(ct_mesh_builder *builder, ct_scan *scan, ct_error *error)
{
    ct_ply ply;
    ct_status status = ct_ply_open(&ply, scan->name, scan->begin, (size_t)(scan->end - scan->begin), error);
    for (int e = 0; e < ply.element_count && !status; e++) {
        const ct_ply_element *element = &ply.elements[e];
        if (strcmp(element->name, "vertex") == 0) status = read_vertices(builder, &ply, element, error);
        else if (strcmp(element->name, "face") == 0) status = read_faces(builder, &ply, element, error);
        else status = ct_ply_skip_element(&ply, element, error);
    }
    return status;
}
