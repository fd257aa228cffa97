/* What is done to the finished mesh of a skin. */
#include "look/skin_parts.h"

#include <math.h>
#include <string.h>

static const double SHRINK = 0.5, GROW = -0.53; /* Taubin's pair: smooths, and does not shrink on the whole */

static const double ON_WALL = 0.5; /* cells: vertices nearer to a wall are on it */
enum { LARGEST_DROP = 600 };       /* vertices of a drop */

/* ---- cavities ---- */

/* The least vertex that a vertex hangs together with, by way of those noted so far. */
static uint32_t root_of(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex) vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

static void join_vertices(const ct_skin *skin, uint32_t *parents)
{
    for (uint32_t v = 0; v < skin->vertex_count; v++) parents[v] = v;
    for (size_t t = 0; t < skin->triangle_count; t++)
        for (int c = 1; c < 3; c++) {
            uint32_t a = root_of(parents, skin->triangles[t][0]), b = root_of(parents, skin->triangles[t][c]);
            if (a < b) parents[b] = a;
            else parents[a] = b;
        }
}

/* Six times the volume between a triangle and a point. */
static double volume_to(const ct_skin *skin, const uint32_t corner[3], const double point[3])
{
    double m[3][3];
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) m[k][a] = skin->vertices[corner[k]][a] - point[a];
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
           m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Keeps the triangles of pieces that are wanted, and the vertices that they use. `places` is room to work. */
static void keep_pieces(ct_skin *skin, uint32_t *parents, const double *volumes, double least,
                        uint32_t *places)
{
    size_t triangles = 0, vertices = 0;
    for (size_t t = 0; t < skin->triangle_count; t++) {
        double volume = volumes[root_of(parents, skin->triangles[t][0])] / 6;
        bool is_cavity = volume < 0 && -volume < least;
        if (!is_cavity) memmove(skin->triangles[triangles++], skin->triangles[t], sizeof *skin->triangles);
    }
    for (uint32_t v = 0; v < skin->vertex_count; v++) {
        double volume = volumes[root_of(parents, v)] / 6;
        places[v] = (uint32_t)vertices;
        if (volume < 0 && -volume < least) continue;
        memmove(skin->vertices[vertices++], skin->vertices[v], sizeof *skin->vertices);
    }
    skin->triangle_count = triangles;
    skin->vertex_count = vertices;
    for (size_t t = 0; t < triangles; t++)
        for (int c = 0; c < 3; c++) skin->triangles[t][c] = places[skin->triangles[t][c]];
}

ct_status ct_skin_fill_cavities(ct_skin *skin, double least, ct_error *error)
{
    size_t count = skin->vertex_count;
    uint32_t *parents = ct_allocate(skin->heap, count * sizeof *parents);
    uint32_t *places = ct_allocate(skin->heap, count * sizeof *places);
    double *volumes = ct_allocate_zero(skin->heap, count * sizeof *volumes);
    bool is_well = parents && places && volumes;
    if (is_well) {
        join_vertices(skin, parents);
        for (size_t t = 0; t < skin->triangle_count; t++) {
            uint32_t root = root_of(parents, skin->triangles[t][0]);
            volumes[root] += volume_to(skin, skin->triangles[t], skin->vertices[root]);
        }
        keep_pieces(skin, parents, volumes, least, places);
    }
    ct_release(skin->heap, parents);
    ct_release(skin->heap, places);
    ct_release(skin->heap, volumes);
    return is_well ? CT_OK : ct_fail_memory(error, count * sizeof *volumes);
}

/* ---- smoothing and normals ---- */

/* Moves every vertex by `share` towards the mean of its neighbours. Each neighbour is found twice, from both
 * triangles of an edge, as the mesh is closed. */
static void relax(ct_skin *skin, double (*sums)[3], uint32_t *counts, double share)
{
    memset(sums, 0, skin->vertex_count * sizeof *sums);
    memset(counts, 0, skin->vertex_count * sizeof *counts);
    for (size_t t = 0; t < skin->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            uint32_t v = skin->triangles[t][c], other = skin->triangles[t][(c + 1) % 3];
            for (int a = 0; a < 3; a++)
                sums[v][a] += skin->vertices[other][a], sums[other][a] += skin->vertices[v][a];
            counts[v]++, counts[other]++;
        }
    for (size_t v = 0; v < skin->vertex_count; v++)
        for (int a = 0; a < 3 && counts[v]; a++)
            skin->vertices[v][a] += share * (sums[v][a] / counts[v] - skin->vertices[v][a]);
}

ct_status ct_skin_smooth(ct_skin *skin, int rounds, ct_error *error)
{
    if (rounds <= 0) return CT_OK;
    size_t bytes = skin->vertex_count * sizeof(double[3]);
    double(*sums)[3] = ct_allocate(skin->heap, bytes);
    uint32_t *counts = ct_allocate(skin->heap, skin->vertex_count * sizeof *counts);
    bool is_well = sums && counts;
    for (int k = 0; k < rounds && is_well; k++) {
        relax(skin, sums, counts, SHRINK);
        relax(skin, sums, counts, GROW);
    }
    ct_release(skin->heap, sums);
    ct_release(skin->heap, counts);
    return is_well ? CT_OK : ct_fail_memory(error, bytes);
}

/* Those of drops are marked. */
static void find_drops(const ct_skin *skin, uint32_t *parents, uint32_t *counts, bool *is_drop)
{
    join_vertices(skin, parents);
    memset(counts, 0, skin->vertex_count * sizeof *counts);
    for (uint32_t v = 0; v < skin->vertex_count; v++) counts[root_of(parents, v)]++;
    for (uint32_t v = 0; v < skin->vertex_count; v++) is_drop[v] = counts[root_of(parents, v)] < LARGEST_DROP;
}

/* Puts vertices near a wall or an obstacle on it; they get its normal, others 0. */
static void snap(ct_skin *skin, const ct_skin_def *def, double cell, float (*normals)[3])
{
    memset(normals, 0, skin->vertex_count * sizeof *normals);
    for (size_t v = 0; v < skin->vertex_count && (def->walls || def->obstacle); v++) {
        double inward[3] = {0}, room = ct_skin_room(def, skin->vertices[v], inward);
        if (!(fabs(room) < ON_WALL * cell)) continue;
        for (int a = 0; a < 3; a++) {
            skin->vertices[v][a] -= room * inward[a];
            normals[v][a] = (float)inward[a];
        }
    }
}

/* Undoes the part of a vertex's way that leads off its wall, and all of a drop's. */
static void stay(double vertex[3], const double before[3], const float normal[3], bool is_drop)
{
    double off = 0;
    for (int a = 0; a < 3; a++) off += (vertex[a] - before[a]) * (double)normal[a];
    for (int a = 0; a < 3; a++) vertex[a] = is_drop ? before[a] : vertex[a] - off * (double)normal[a];
}

ct_status ct_skin_relax(ct_skin *skin, const ct_skin_def *def, double cell, ct_error *error)
{
    if (def->relax <= 0 && !def->walls && !def->obstacle) return CT_OK;
    ct_heap *heap = skin->heap;
    size_t count = skin->vertex_count + 1, bytes = count * sizeof(double[3]);
    double(*sums)[3] = ct_allocate(heap, bytes), (*before)[3] = ct_allocate(heap, bytes);
    uint32_t *counts = ct_allocate(heap, count * sizeof *counts);
    uint32_t *parents = ct_allocate(heap, count * sizeof *parents);
    float(*normals)[3] = ct_allocate(heap, count * sizeof *normals);
    bool *is_drop = ct_allocate(heap, count * sizeof *is_drop);
    bool is_well = sums && before && counts && parents && normals && is_drop;
    if (is_well) find_drops(skin, parents, counts, is_drop);
    if (is_well) snap(skin, def, cell, normals);
    for (int k = 0; k < def->relax && is_well && skin->vertex_count; k++) {
        memcpy(before, skin->vertices, skin->vertex_count * sizeof *before);
        relax(skin, sums, counts, SHRINK);
        for (size_t v = 0; v < skin->vertex_count; v++)
            stay(skin->vertices[v], before[v], normals[v], is_drop[v]);
    }
    void *const owned[] = {sums, before, counts, parents, normals, is_drop};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
    return is_well ? CT_OK : ct_fail_memory(error, bytes);
}

/* The mean of the triangles' normals, each by its area. */
ct_status ct_skin_find_normals(ct_skin *skin, ct_error *error)
{
    size_t bytes = skin->vertex_count * sizeof *skin->normals;
    skin->normals = ct_allocate_zero(skin->heap, bytes);
    if (!skin->normals) return ct_fail_memory(error, bytes);
    for (size_t t = 0; t < skin->triangle_count; t++) {
        const uint32_t *corner = skin->triangles[t];
        const double *p = skin->vertices[corner[0]], *q = skin->vertices[corner[1]],
                     *r = skin->vertices[corner[2]];
        double u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            float area = (float)(u[b] * v[c] - u[c] * v[b]);
            for (int k = 0; k < 3; k++) skin->normals[corner[k]][a] += area;
        }
    }
    for (size_t v = 0; v < skin->vertex_count; v++) {
        float *n = skin->normals[v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int a = 0; a < 3; a++) n[a] = length > 0 ? n[a] / length : a == 1;
    }
    return CT_OK;
}
