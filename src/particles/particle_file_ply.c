/* PLY: the numbers of the element "vertex" are the columns; triangles of the element "face" (larger faces are
 * cut into some) and the pairs of "edge" connect the particles; lists and elements of other names are passed
 * over. */
#include "particles/particle_file_read.h"
#include "particles/ply.h"

#include <string.h>

static ct_status read_vertices(ct_table *table, ct_ply *ply, const ct_ply_element *element, ct_error *error)
{
    const ct_ply_property *properties = ply->properties + element->first_property;
    for (int p = 0; p < element->property_count; p++) {
        if (properties[p].is_list) continue;
        table->types[table->columns] = ct_binary_attribute_type(properties[p].type);
        table->lines[table->columns] = properties[p].line, table->places[table->columns] = 1;
        memcpy(table->names[table->columns++], properties[p].name, CT_COLUMN_NAME);
    }
    if (!table->columns) return ct_ply_skip_element(ply, element, error);
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        double *numbers;
        status = ct_table_add_row(table, &numbers, error);
        for (int p = 0; p < element->property_count && !status; p++)
            status = properties[p].is_list ? ct_ply_skip(ply, &properties[p], error)
                                           : ct_ply_number(ply, properties[p].type, numbers++, error);
    }
    return status;
}

/* ---- what connects them ---- */

/* The next number of the body, as the place of a particle; the reader of the file checks that it is one. */
static ct_status read_corner(ct_ply *ply, ct_binary_type type, size_t *corner, ct_error *error)
{
    double number;
    ct_status status = ct_ply_number(ply, type, &number, error);
    *corner = !status && number >= 0 && number < UINT32_MAX ? (size_t)number : UINT32_MAX;
    return status;
}

static ct_status read_face(ct_ply *ply, const ct_ply_property *property, ct_particle_file *file,
                           ct_error *error)
{
    uint64_t length;
    size_t first = 0, last = 0, corner;
    ct_status status = ct_ply_length(ply, property->count_type, &length, error);
    for (uint64_t c = 0; c < length && !status; c++) {
        status = read_corner(ply, property->type, &corner, error);
        if (!status && c > 1) status = ct_links_reserve(file->heap, &file->links, 1, 0, error);
        if (!status && c > 1) ct_links_add_triangle(&file->links, first, last, corner, NULL);
        if (c == 0) first = corner;
        last = corner;
    }
    return status;
}

/* Texture coordinates of the corners of a face that gave some `triangles`. */
static ct_status read_texcoord(ct_ply *ply, const ct_ply_property *property, size_t triangles,
                               ct_particle_file *file, ct_error *error)
{
    uint64_t length;
    ct_status status = ct_ply_length(ply, property->count_type, &length, error);
    bool is_whole = triangles && length == 2 * (uint64_t)(triangles + 2);
    if (!status && is_whole) status = ct_links_reserve_uv(file->heap, &file->links, 0, error);
    float(*to)[6] = !status && is_whole ? file->links.uv + (file->links.triangle_count - triangles) : NULL;
    for (uint64_t k = 0; k < length && !status; k++) {
        double number;
        status = ct_ply_number(ply, property->type, &number, error);
        size_t corner = (size_t)k / 2, i = (size_t)k % 2;
        for (size_t t = 0; t < triangles && to; t++)
            for (size_t c = 0; c < 3; c++)
                if (corner == (c ? t + c : 0)) to[t][2 * c + i] = (float)number;
    }
    return status;
}

/* Rows of "face": its list of corners is the first of these names. */
static ct_status read_faces(ct_ply *ply, const ct_ply_element *element, ct_particle_file *file,
                            ct_error *error)
{
    int list = ct_ply_find(ply, element, "vertex_indices"), texture = ct_ply_find(ply, element, "texcoord");
    if (list < 0) list = ct_ply_find(ply, element, "vertex_index");
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        size_t before = file->links.triangle_count;
        for (int p = 0; p < element->property_count && !status; p++) {
            int index = element->first_property + p;
            const ct_ply_property *property = &ply->properties[index];
            if (index == list && property->is_list) status = read_face(ply, property, file, error);
            else if (index == texture && property->is_list)
                status = read_texcoord(ply, property, file->links.triangle_count - before, file, error);
            else status = ct_ply_skip(ply, property, error);
        }
    }
    return status;
}

static ct_status read_edges(ct_ply *ply, const ct_ply_element *element, ct_particle_file *file,
                            ct_error *error)
{
    const int ends[2] = {ct_ply_find(ply, element, "vertex1"), ct_ply_find(ply, element, "vertex2")};
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++) {
        size_t corner[2] = {UINT32_MAX, UINT32_MAX};
        for (int p = 0; p < element->property_count && !status; p++) {
            int index = element->first_property + p;
            const ct_ply_property *property = &ply->properties[index];
            int end = property->is_list ? -1 : index == ends[0] ? 0 : index == ends[1] ? 1 : -1;
            status = end < 0 ? ct_ply_skip(ply, property, error)
                             : read_corner(ply, property->type, &corner[end], error);
        }
        if (!status && ends[0] >= 0 && ends[1] >= 0) {
            status = ct_links_reserve(file->heap, &file->links, 0, 1, error);
            if (!status) ct_links_add_line(&file->links, corner[0], corner[1]);
        }
    }
    return status;
}

static ct_status read_table(ct_table *table, ct_ply *ply, ct_particle_file *file, ct_error *error)
{
    bool has_vertices = false;
    ct_status status = CT_OK;
    for (int e = 0; e < ply->element_count && !status; e++) {
        const ct_ply_element *element = &ply->elements[e];
        bool is_vertex = strcmp(element->name, "vertex") == 0 && !has_vertices;
        has_vertices = has_vertices || is_vertex;
        if (is_vertex) status = read_vertices(table, ply, element, error);
        else if (strcmp(element->name, "face") == 0) status = read_faces(ply, element, file, error);
        else if (strcmp(element->name, "edge") == 0) status = read_edges(ply, element, file, error);
        else status = ct_ply_skip_element(ply, element, error);
    }
    if (status || has_vertices) return status;
    return ct_scan_fail(&ply->scan, error, "there is no element 'vertex'");
}

ct_status ct_particle_file_read_ply(ct_particle_file *file, ct_scan *scan, ct_error *error)
{
    _Static_assert((int)CT_PLY_NAME == (int)CT_COLUMN_NAME && (int)CT_PLY_PROPERTIES <= (int)CT_TABLE_COLUMNS,
                   "every PLY property fits a column");
    ct_ply ply;
    ct_status status = ct_ply_open(&ply, scan->name, scan->begin, (size_t)(scan->end - scan->begin), error);
    if (status) return status;
    ct_table *table = ct_allocate_zero(file->heap, sizeof *table);
    if (!table) return ct_fail_memory(error, sizeof *table);
    table->heap = file->heap;
    status = read_table(table, &ply, file, error);
    if (!status) status = ct_table_finish(table, scan->name, file, error);
    if (!status && !ct_links_fit(&file->links, file->count))
        status =
            ct_fail(error, CT_BAD_SCENE, "%s: a face or an edge has a corner that is no vertex", scan->name);
    file->time = ply.time;
    file->step = ct_step_of_number(ply.step);
    ct_release(file->heap, table->values);
    ct_release(file->heap, table);
    return status;
}
