/* .vtu: cells that are tetrahedra, or triangles in 2D; lines and vertices do not matter. An array of the
 * points with two components named uv, UV, TextureCoordinates or TCoords is kept.
 */
#include "body/solid_mesh_file.h"
#include "body/vtk_cells.h"
#include "particles/vtu.h"

#include <string.h>

static ct_status read_points(const ct_vtu *vtu, ct_solid_builder *builder, ct_error *error)
{
    double *places = NULL;
    ct_status status = ct_solid_builder_begin(builder, vtu->points, error);
    for (int a = 0; a < vtu->array_count && !status; a++) {
        const ct_vtu_array *array = &vtu->arrays[a];
        if (array->section != CT_VTU_POINTS) continue;
        if (array->components != 3) return ct_vtu_fail(vtu, array, "must have three components", error);
        status = ct_vtu_read(vtu, CT_VTU_POINTS, array->name, 3 * vtu->points, &places, error);
        break;
    }
    if (!status && !places)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there is no array of points", vtu->scan->name);
    for (uint64_t v = 0; v < vtu->points && !status; v++)
        status = ct_solid_builder_vertex(builder, v, places + 3 * v, error);
    ct_release(vtu->heap, places);
    return status;
}

static ct_status read_uv(const ct_vtu *vtu, ct_solid_mesh *mesh, ct_error *error)
{
    static const char *const names[] = {"uv", "UV", "TextureCoordinates", "TCoords"};
    ct_status status = CT_OK;
    for (size_t n = 0; n < sizeof names / sizeof names[0] && !mesh->uv && !status; n++)
        for (int a = 0; a < vtu->array_count && !mesh->uv && !status; a++) {
            const ct_vtu_array *array = &vtu->arrays[a];
            if (array->section != CT_VTU_POINT_DATA || array->components != 2 ||
                !ct_slice_is((ct_slice){array->name, strlen(array->name)}, names[n]))
                continue;
            double *values = NULL;
            status = ct_vtu_read(vtu, CT_VTU_POINT_DATA, names[n], 2 * vtu->points, &values, error);
            mesh->uv = (double(*)[2])values;
        }
    return status;
}

static ct_status read_cells(const ct_vtu *vtu, ct_solid_builder *builder, ct_error *error)
{
    double *types = NULL, *ends = NULL, *corners = NULL;
    uint64_t corner_count = 0;
    ct_status status = ct_vtu_read(vtu, CT_VTU_CELLS, "types", vtu->cells, &types, error);
    if (!status) status = ct_vtu_read(vtu, CT_VTU_CELLS, "offsets", vtu->cells, &ends, error);
    if (!status) corner_count = ct_vtu_count_corners(vtu, ends);
    if (!status) status = ct_vtu_read(vtu, CT_VTU_CELLS, "connectivity", corner_count, &corners, error);
    if (!status && (!types || !corners))
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no cells, or no sense in them", vtu->scan->name);
    for (uint64_t c = 0, begin = 0; c < vtu->cells && !status; c++) {
        uint64_t end = (uint64_t)ends[c];
        status = ct_vtk_cell(builder, types[c], corners + begin, end - begin, error);
        begin = end;
    }
    ct_release(vtu->heap, types);
    ct_release(vtu->heap, ends);
    ct_release(vtu->heap, corners);
    return status;
}

ct_status ct_solid_mesh_read_vtu(ct_solid_builder *builder, ct_error *error)
{
    ct_heap *heap = builder->mesh->heap;
    ct_vtu *vtu = ct_allocate_zero(heap, sizeof *vtu);
    if (!vtu) return ct_fail_memory(error, sizeof *vtu);
    vtu->scan = builder->scan;
    vtu->heap = heap;
    ct_status status = ct_vtu_list(vtu, error);
    builder->scan->is_binary = true; /* lines mean nothing from here on */
    if (!status) status = read_points(vtu, builder, error);
    if (!status) status = read_uv(vtu, builder->mesh, error);
    if (!status) status = read_cells(vtu, builder, error);
    ct_release(heap, vtu);
    return status;
}
