/* Pieces, and meshes as such: smooth where their triangles meet at a small angle, sharp where not. */
#include "look/trace_mesh.h"

#include <string.h>

static const float CREASE = 0.75f; /* cosine of the angle between triangles that is still smooth: 41 deg */

/* ---- pieces ---- */

void ct_traced_place(const ct_traced *traced, const double position[3], float point[4])
{
    for (int a = 0; a < 3; a++) point[a] = (float)((position[a] - traced->middle[a]) / traced->size);
}

ct_piece *ct_traced_add(ct_traced *traced, ct_piece_shape shape, size_t points, size_t parts, ct_error *error)
{
    if (traced->count == CT_MOST_PIECES || points > UINT32_MAX) {
        ct_fail(error, CT_NO_MEMORY, "there is more in the picture than can be traced");
        return NULL;
    }
    ct_piece *piece = &traced->pieces[traced->count++];
    *piece = (ct_piece){.shape = shape, .point_count = points, .part_count = parts};
    piece->points[0] = ct_allocate_zero(traced->heap, (points + 1) * sizeof *piece->points[0]);
    piece->triangles = ct_allocate_zero(traced->heap, (parts + 1) * sizeof *piece->triangles);
    if (piece->points[0] && piece->triangles) return piece;
    ct_fail_memory(error, points * sizeof *piece->points[0]);
    return NULL;
}

void ct_traced_release(ct_traced *traced)
{
    for (int k = 0; k < traced->count; k++) {
        ct_piece *piece = &traced->pieces[k];
        void *const owned[] = {piece->points[0], piece->points[1], piece->normals,
                               piece->colors,    piece->glow,      piece->triangles};
        for (size_t j = 0; j < sizeof owned / sizeof *owned; j++) ct_release(traced->heap, owned[j]);
    }
    ct_release(traced->heap, traced->pieces);
    *traced = (ct_traced){.heap = traced->heap};
}

/* ---- meshes ---- */

static ct_vec corner_place(const ct_piece *piece, uint32_t point)
{
    const float *x = piece->points[0][point];
    return (ct_vec){x[0], x[1], x[2]};
}

/* Twice the area times the normal. */
static ct_vec area_of(const ct_piece *piece, const uint32_t corner[3])
{
    ct_vec a = corner_place(piece, corner[0]), b = corner_place(piece, corner[1]),
           c = corner_place(piece, corner[2]);
    return ct_vec_cross(ct_vec_sub(b, a), ct_vec_sub(c, a));
}

void ct_piece_smooth(const ct_piece *piece, int rounds, ct_vec *values, ct_vec *sums, float *weights)
{
    for (int round = 0; round < rounds; round++) {
        memset(sums, 0, piece->point_count * sizeof *sums);
        memset(weights, 0, piece->point_count * sizeof *weights);
        for (size_t t = 0; t < piece->part_count; t++)
            for (int c = 0; c < 3; c++) {
                uint32_t to = piece->triangles[t][c];
                for (int d = 0; d < 3; d++) sums[to] = ct_vec_add(sums[to], values[piece->triangles[t][d]]);
                weights[to] += 3;
            }
        for (size_t v = 0; v < piece->point_count; v++)
            if (weights[v] > 0) values[v] = ct_vec_scale(sums[v], 1 / weights[v]);
    }
}

/* Six times the volume inside; negative: the triangles face inwards. */
static double volume_of(const ct_piece *piece)
{
    double sum = 0;
    for (size_t t = 0; t < piece->part_count; t++)
        sum += (double)ct_vec_dot(area_of(piece, piece->triangles[t]),
                                  corner_place(piece, piece->triangles[t][0]));
    return sum;
}

/* Corners by vertex: those of vertex v are corners[begin[v]] to corners[begin[v + 1] - 1]. */
static void list_corners(const ct_look_mesh *mesh, uint32_t *begin, uint32_t *corners)
{
    size_t count = 3 * mesh->triangle_count;
    const uint32_t *vertex = &mesh->triangles[0][0];
    memset(begin, 0, (mesh->vertex_count + 1) * sizeof *begin);
    for (size_t k = 0; k < count; k++) begin[vertex[k] + 1]++;
    for (size_t v = 0; v < mesh->vertex_count; v++) begin[v + 1] += begin[v];
    for (size_t k = count; k-- > 0;) corners[--begin[vertex[k] + 1]] = (uint32_t)k;
    memmove(begin, begin + 1, mesh->vertex_count * sizeof *begin);
    begin[mesh->vertex_count] = (uint32_t)count;
}

/* The normal of each corner: the mean of the triangles around its vertex that are nearly as its own. */
static void find_normals(const ct_look_mesh *mesh, const uint32_t *begin, const uint32_t *corners,
                         ct_piece *piece)
{
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) {
        ct_vec own = ct_vec_unit(area_of(piece, piece->triangles[k / 3])), sum = {0, 0, 0};
        uint32_t vertex = mesh->triangles[k / 3][k % 3];
        for (uint32_t at = begin[vertex]; at < begin[vertex + 1]; at++) {
            ct_vec area = area_of(piece, piece->triangles[corners[at] / 3]);
            if (ct_vec_dot(ct_vec_unit(area), own) > CREASE) sum = ct_vec_add(sum, area);
        }
        sum = ct_vec_unit(sum);
        memcpy(piece->normals[k], &sum, sizeof piece->normals[k]);
    }
}

ct_status ct_traced_add_mesh(ct_traced *traced, const ct_look_mesh *mesh, ct_piece **result, ct_error *error)
{
    ct_heap *heap = traced->heap;
    size_t triangles = mesh->triangle_count, points = 3 * triangles;
    *result = NULL;
    for (size_t t = 0; t < triangles; t++)
        for (int c = 0; c < 3; c++)
            if (mesh->triangles[t][c] >= mesh->vertex_count || points > UINT32_MAX)
                return ct_fail(error, CT_BAD_USAGE, "triangle %zu of a mesh has a corner that is no vertex",
                               t);
    ct_piece *piece = ct_traced_add(traced, CT_PIECE_TRIANGLES, points, triangles, error);
    if (!piece) return CT_NO_MEMORY;
    piece->normals = ct_allocate(heap, (points + 1) * sizeof *piece->normals);
    uint32_t *begin = ct_allocate(heap, (mesh->vertex_count + 2) * sizeof *begin);
    uint32_t *corners = ct_allocate(heap, (points + 1) * sizeof *corners);
    ct_status status = piece->normals && begin && corners ? CT_OK : ct_fail_memory(error, 20 * points);
    for (size_t k = 0; k < points && !status; k++) {
        ct_traced_place(traced, mesh->vertices[mesh->triangles[k / 3][k % 3]], piece->points[0][k]);
        piece->triangles[k / 3][k % 3] = (uint32_t)k;
    }
    if (!status) {
        bool is_inward = volume_of(piece) < 0;
        for (size_t t = 0; t < triangles && is_inward; t++) {
            uint32_t swapped = piece->triangles[t][1];
            piece->triangles[t][1] = piece->triangles[t][2];
            piece->triangles[t][2] = swapped;
        }
        list_corners(mesh, begin, corners);
        find_normals(mesh, begin, corners, piece);
        *result = piece;
    }
    ct_release(heap, begin);
    ct_release(heap, corners);
    return status;
}
