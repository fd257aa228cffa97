/* Particles of VTU and VTP files: points, their arrays, and cells that are lines or triangles. */
#include "particles/particle_file_read.h"
#include "particles/vtu.h"

#include <math.h>
#include <string.h>

/* ---- Particles ---------------------------------------------------------------------------------------- */

/* The time and the step; other facts are not for us. */
static ct_status read_fact(const ct_vtu *vtu, const ct_vtu_array *array, ct_particle_file *file,
                           ct_error *error)
{
    double step = 0;
    if (strcmp(array->name, "TimeValue") == 0) return ct_vtu_decode(vtu, array, 1, &file->time, error);
    if (strcmp(array->name, "step") != 0) return CT_OK;
    ct_status status = ct_vtu_decode(vtu, array, 1, &step, error);
    file->step = ct_step_of_number(step);
    return status;
}

static ct_status read_array(const ct_vtu *vtu, const ct_vtu_array *array, ct_particle_file *file,
                            ct_error *error)
{
    if (array->section == CT_VTU_FIELD_DATA) return read_fact(vtu, array, file, error);
    if (array->section == CT_VTU_CELLS) return CT_OK; /* later, together */
    uint64_t count = vtu->points * (uint64_t)array->components;
    if (count > (uint64_t)(vtu->scan->end - vtu->scan->begin)) /* a number takes at least a byte */
        return ct_vtu_fail(vtu, array, "does not fit into a file of this size", error);
    if (array->section == CT_VTU_POINTS && array->components != 3)
        return ct_vtu_fail(vtu, array, "must have three components", error);
    ct_attribute *attribute;
    ct_status status = ct_particle_file_add(file, array->name, ct_binary_attribute_type(array->type),
                                            array->components, &attribute, error);
    if (!status) status = ct_vtu_decode(vtu, array, count, attribute->values, error);
    if (status || array->section != CT_VTU_POINTS) return status;
    status = ct_particle_file_place(file, vtu->scan->name, attribute->values, 3, error);
    ct_release(file->heap, attribute->values);
    file->attribute_count--;
    return status;
}

static ct_status read_arrays(const ct_vtu *vtu, ct_particle_file *file, ct_error *error)
{
    /* every point takes some bytes, so a file can hold no more points than bytes */
    if (vtu->points > (uint64_t)(vtu->scan->end - vtu->scan->begin))
        return ct_fail(error, CT_BAD_SCENE, "%s: %llu points do not fit into a file of this size",
                       vtu->scan->name, (unsigned long long)vtu->points);
    file->count = (size_t)vtu->points;
    ct_status status = CT_OK;
    for (int a = 0; a < vtu->array_count && !status; a++)
        status = read_array(vtu, &vtu->arrays[a], file, error);
    if (!status && !file->position)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there is no array of points", vtu->scan->name);
    return status;
}

/* ---- Triangles and lines ------------------------------------------------------------------------------ */

enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };

/* Keeps the cells that are lines or triangles between points that are there. */
static void keep_links(const ct_vtu *vtu, const double *kinds, const double *ends, const double *corners,
                       const double *uv, ct_links *links)
{
    uint64_t begin = 0;
    for (uint64_t k = 0; k < vtu->cells; k++) {
        uint64_t end = (uint64_t)ends[k], size = end - begin;
        const double *c = corners + begin;
        bool is_there = true;
        for (uint64_t i = 0; i < size; i++) is_there &= c[i] >= 0 && c[i] < (double)vtu->points;
        if (is_there && kinds[k] == VTK_LINE && size == 2)
            ct_links_add_line(links, (size_t)c[0], (size_t)c[1]);
        begin = end;
        if (kinds[k] != VTK_TRIANGLE) continue;
        float own[6] = {0};
        for (int i = 0; i < 6 && uv; i++) own[i] = (float)*uv++;
        if (is_there && size == 3)
            ct_links_add_triangle(links, (size_t)c[0], (size_t)c[1], (size_t)c[2], own);
    }
}

/* As our writer has them (output/vtu.c). */
static bool has_uv(const ct_vtu *vtu)
{
    for (int a = 0; a < vtu->array_count; a++)
        if (vtu->arrays[a].section == CT_VTU_FIELD_DATA && !strcmp(vtu->arrays[a].name, "uv"))
            return vtu->arrays[a].components == 6;
    return false;
}

static ct_status read_links(const ct_vtu *vtu, ct_particle_file *file, ct_error *error)
{
    double *kinds = NULL, *ends = NULL, *corners = NULL, *uv = NULL;
    size_t lines = 0, triangles = 0;
    ct_status status = ct_vtu_read(vtu, CT_VTU_CELLS, "types", vtu->cells, &kinds, error);
    for (uint64_t k = 0; k < vtu->cells && kinds && !status; k++)
        lines += kinds[k] == VTK_LINE, triangles += kinds[k] == VTK_TRIANGLE;
    if (!status && lines + triangles)
        status = ct_vtu_read(vtu, CT_VTU_CELLS, "offsets", vtu->cells, &ends, error);
    if (!status && ends)
        status =
            ct_vtu_read(vtu, CT_VTU_CELLS, "connectivity", ct_vtu_count_corners(vtu, ends), &corners, error);
    if (!status && corners && has_uv(vtu))
        status = ct_vtu_read(vtu, CT_VTU_FIELD_DATA, "uv", 6 * (uint64_t)triangles, &uv, error);
    if (!status) status = ct_links_reserve(file->heap, &file->links, triangles, lines, error);
    if (!status && uv) status = ct_links_reserve_uv(file->heap, &file->links, triangles, error);
    if (!status && corners) keep_links(vtu, kinds, ends, corners, uv, &file->links);
    ct_release(vtu->heap, kinds);
    ct_release(vtu->heap, ends);
    ct_release(vtu->heap, corners);
    ct_release(vtu->heap, uv);
    return status;
}

ct_status ct_particle_file_read_vtu(ct_particle_file *file, ct_scan *scan, ct_error *error)
{
    ct_vtu *vtu = ct_allocate_zero(file->heap, sizeof *vtu);
    if (!vtu) return ct_fail_memory(error, sizeof *vtu);
    vtu->scan = scan;
    vtu->heap = file->heap;
    ct_status status = ct_vtu_list(vtu, error);
    if (!status) status = read_arrays(vtu, file, error);
    if (!status) status = read_links(vtu, file, error);
    ct_release(file->heap, vtu);
    return status;
}
