/* Structured meshes of boxes, and which way a shape is meshed. A square is cut along a diagonal, a cube into
 * one regular tetrahedron between four of its corners and four that fill the others; the next cell is its
 * mirror image, so that neighbours fit and no direction is preferred:
 *
 *     +---+---+
 *     | / | \ |
 *     +---+---+
 *     | \ | / |
 *     +---+---+
 */
#include "body/solid_mesh.h"
#include "core/stop.h"
#include "particles/shape_kind.h"

#include <math.h>
#include <string.h>

static const double most_vertices = 2e9;

/* Corner c of a cube is at ((c & 1), (c >> 1) & 1, c >> 2). Odd cells use the mirror image along x. */
static const int tetrahedra[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 3, 0, 6}, {4, 5, 6, 0}, {7, 6, 5, 3}};
static const int triangles[2][3] = {{0, 1, 3}, {0, 3, 2}};

static void place_vertices(ct_solid_mesh *mesh, const double min[3], const double max[3],
                           const size_t cells[3])
{
    size_t v = 0;
    for (size_t k = 0; k <= (mesh->dimension == 3 ? cells[2] : 0); k++)
        for (size_t j = 0; j <= cells[1]; j++)
            for (size_t i = 0; i <= cells[0]; i++, v++) {
                const size_t at[3] = {i, j, k};
                for (int a = 0; a < mesh->dimension; a++) {
                    double fraction = (double)at[a] / (double)cells[a];
                    mesh->position[v][a] = (1 - fraction) * min[a] + fraction * max[a];
                }
            }
}

static void fill_cell(ct_solid_mesh *mesh, const size_t at[3], const size_t cells[3])
{
    int d = mesh->dimension;
    size_t width = cells[0] + 1, layer = width * (cells[1] + 1);
    bool is_mirrored = (at[0] + at[1] + at[2]) % 2;
    uint32_t corners[8];
    for (size_t c = 0; c < 8; c++) {
        size_t x = is_mirrored ? 1 - (c & 1) : c & 1;
        corners[c] = (uint32_t)((at[2] + (c >> 2)) * layer + (at[1] + (c >> 1 & 1)) * width + at[0] + x);
    }
    for (int e = 0; e < (d == 3 ? 5 : 2); e++) {
        uint32_t *element = mesh->element[mesh->element_count++];
        for (int c = 0; c <= d; c++) element[c] = corners[d == 3 ? tetrahedra[e][c] : triangles[e][c]];
        if (ct_solid_element_volume(d, mesh->position, element) > 0) continue;
        uint32_t swap = element[0]; /* a mirror image */
        element[0] = element[1], element[1] = swap;
    }
}

static ct_status fill_cells(ct_solid_mesh *mesh, const size_t cells[3], ct_error *error)
{
    for (size_t k = 0; k < (mesh->dimension == 3 ? cells[2] : 1); k++) {
        for (size_t j = 0; j < cells[1]; j++)
            for (size_t i = 0; i < cells[0]; i++) fill_cell(mesh, (const size_t[3]){i, j, k}, cells);
        ct_status status = ct_stop_check(error);
        if (status) return status;
    }
    return CT_OK;
}

ct_status ct_solid_mesh_box(ct_heap *heap, int dimension, const double min[3], const double max[3],
                            const size_t cells[3], ct_solid_mesh *mesh, ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    double vertices = 1, elements = dimension == 3 ? 5 : 2;
    for (int a = 0; a < dimension; a++) {
        vertices *= (double)cells[a] + 1;
        elements *= (double)cells[a];
        if (!cells[a] || !(min[a] < max[a]))
            return ct_fail(error, CT_BAD_USAGE, "a box to be meshed must have cells along every axis");
    }
    if (vertices > most_vertices)
        return ct_fail(error, CT_BAD_USAGE, "a mesh of %g vertices is too large", vertices);
    mesh->vertex_count = (size_t)vertices;
    mesh->position = ct_allocate_zero(heap, mesh->vertex_count * sizeof *mesh->position);
    mesh->element = ct_allocate_zero(heap, (size_t)elements * sizeof *mesh->element);
    ct_status status = mesh->position && mesh->element
                           ? CT_OK
                           : ct_fail_memory(error, (size_t)elements * sizeof *mesh->element);
    if (!status) {
        place_vertices(mesh, min, max, cells);
        status = fill_cells(mesh, cells, error);
    }
    if (!status) status = ct_solid_mesh_find_surface(mesh, "box", error);
    if (status) ct_solid_mesh_release(mesh);
    return status;
}

/* ---- Shapes ------------------------------------------------------------------------------------------- */

/* A mirroring scale turns elements inside out. */
static void place_box(ct_solid_mesh *mesh, const ct_placement *placement)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double local[3];
        memcpy(local, mesh->position[v], sizeof local);
        ct_placement_apply(placement, local, mesh->position[v]);
        if (mesh->dimension == 2) mesh->position[v][2] = 0;
    }
    if (!(ct_solid_element_volume(mesh->dimension, mesh->position, mesh->element[0]) < 0)) return;
    for (size_t e = 0; e < mesh->element_count; e++) {
        uint32_t swap = mesh->element[e][0];
        mesh->element[e][0] = mesh->element[e][1], mesh->element[e][1] = swap;
    }
}

static ct_status mesh_box(const ct_shape *shape, ct_heap *heap, int dimension, const char *name, double edge,
                          ct_solid_mesh *mesh, ct_error *error)
{
    double min[3], max[3];
    size_t cells[3] = {0};
    for (int a = 0; a < 3; a++) {
        min[a] = shape->center[a] - shape->half[a], max[a] = shape->center[a] + shape->half[a];
        if (a >= dimension) continue;
        double count = round(fabs(shape->placement.scale[a]) * (max[a] - min[a]) / edge);
        if (count > most_vertices)
            return ct_fail(error, CT_BAD_USAGE, "%s: edges of %g m are too short for it", name, edge);
        cells[a] = count < 1 ? 1 : (size_t)count;
    }
    ct_status status = ct_solid_mesh_box(heap, dimension, min, max, cells, mesh, error);
    if (status) return status;
    place_box(mesh, &shape->placement);
    status = ct_solid_mesh_find_surface(mesh, name, error);
    if (!status) status = ct_solid_mesh_check(mesh, name, error);
    if (status) ct_solid_mesh_release(mesh);
    return status;
}

ct_status ct_solid_mesh_of_shape(ct_heap *heap, int dimension, const ct_shape_def *def, const char *name,
                                 double edge, ct_solid_mesh *mesh, ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    if (!(edge > 0 && isfinite(edge)))
        return ct_fail(error, CT_BAD_USAGE, "%s: the length of edges is %g m; it must be positive", name,
                       edge);
    ct_shape *shape;
    ct_status status = ct_shape_create(heap, dimension, def, name, &shape, error);
    if (status) return status;
    if (shape->kind == &ct_shape_box) status = mesh_box(shape, heap, dimension, name, edge, mesh, error);
    else status = ct_solid_mesh_stuff(shape, heap, dimension, name, edge, mesh, error);
    ct_shape_destroy(shape);
    return status;
}
