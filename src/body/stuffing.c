#include "body/stuffing.h"

#include "core/stop.h"
#include "core/vectors.h"

#include <string.h>

static const double most_points = 5e8; /* of the lattice */
/* A lattice point is snapped to a cut point nearer than this fraction of the edge. Those of 3D are the
 * paper's, for angles of at least 10.7 degrees (Table 1). */
static const double snap_long = 0.24999, snap_short = 0.41189, snap_flat = 0.4;
static const double edge_per_spacing = 0.9234; /* 3D: mean of 6 long and 8 short edges around a point */

/* ---- Lattice ------------------------------------------------------------------------------------------ */

static bool is_flat(const ct_stuffing *stuffing)
{
    return stuffing->mesh->dimension == 2;
}

/* Place of a point in its grid, and which grid. */
static size_t split_point(const ct_stuffing *stuffing, size_t point, size_t at[3])
{
    size_t grid = is_flat(stuffing) ? 0 : point % 2, place = is_flat(stuffing) ? point : point / 2;
    at[0] = place % stuffing->size[0];
    at[1] = place / stuffing->size[0] % stuffing->size[1];
    at[2] = place / stuffing->size[0] / stuffing->size[1];
    return grid;
}

static size_t point_at(const ct_stuffing *stuffing, size_t i, size_t j, size_t k, size_t grid)
{
    size_t place = (k * stuffing->size[1] + j) * stuffing->size[0] + i;
    return is_flat(stuffing) ? place : 2 * place + grid;
}

static void lattice_position(const ct_stuffing *stuffing, size_t point, double x[3])
{
    size_t at[3], grid = split_point(stuffing, point, at);
    double h = stuffing->spacing;
    if (is_flat(stuffing)) {
        x[0] = stuffing->origin[0] + h * ((double)at[0] + 0.5 * (double)(at[1] % 2));
        x[1] = stuffing->origin[1] + h * sqrt(0.75) * (double)at[1];
        x[2] = 0;
        return;
    }
    for (int a = 0; a < 3; a++) x[a] = stuffing->origin[a] + h * ((double)at[a] + 0.5 * (double)grid);
}

enum { MOST_NEIGHBOURS = 14 };

/* Points joined to this one: those of long edges first. Returns their number. */
static int list_neighbours(const ct_stuffing *stuffing, size_t point, size_t neighbours[MOST_NEIGHBOURS],
                           int *long_count)
{
    size_t at[3], grid = split_point(stuffing, point, at);
    const size_t *n = stuffing->size;
    int count = 0;
    if (is_flat(stuffing)) {
        size_t odd = at[1] % 2;
        const int64_t offsets[6][2] = {
            {-1, 0},          {1, 0}, {(int64_t)odd - 1, -1}, {(int64_t)odd, -1}, {(int64_t)odd - 1, 1},
            {(int64_t)odd, 1}};
        for (int o = 0; o < 6; o++) {
            size_t i = at[0] + (size_t)offsets[o][0], j = at[1] + (size_t)offsets[o][1];
            if (i < n[0] && j < n[1]) neighbours[count++] = point_at(stuffing, i, j, 0, 0);
        }
        *long_count = count;
        return count;
    }
    for (int a = 0; a < 3; a++)
        for (size_t step = 0; step < 2; step++) {
            size_t to[3] = {at[0], at[1], at[2]};
            to[a] += 2 * step - 1; /* -1 wraps around and is beyond n */
            if (to[a] < n[a]) neighbours[count++] = point_at(stuffing, to[0], to[1], to[2], grid);
        }
    *long_count = count;
    for (size_t c = 0; c < 8; c++) {
        size_t i = at[0] + (c & 1) + grid - 1, j = at[1] + (c >> 1 & 1) + grid - 1,
               k = at[2] + (c >> 2) + grid - 1;
        if (i < n[0] && j < n[1] && k < n[2]) neighbours[count++] = point_at(stuffing, i, j, k, 1 - grid);
    }
    return count;
}

static ct_status fit_lattice(ct_stuffing *stuffing, double edge, ct_error *error)
{
    double min[3], max[3], points = is_flat(stuffing) ? 1 : 2;
    if (!ct_shape_bounds(stuffing->shape, min, max))
        return ct_fail(error, CT_BAD_USAGE, "%s: a shape without bounds cannot be meshed", stuffing->name);
    stuffing->spacing = is_flat(stuffing) ? edge : edge / edge_per_spacing;
    stuffing->size[2] = 1;
    for (int a = 0; a < stuffing->mesh->dimension; a++) {
        double step = stuffing->spacing * (is_flat(stuffing) && a == 1 ? sqrt(0.75) : 1);
        if (!(min[a] <= max[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the shape is empty", stuffing->name);
        /* a lattice point in the middle, and one beyond the bounds on either side; an even number of rows
         * before the middle, as rows of triangles alternate */
        double half = ceil((max[a] - min[a]) / 2 / step) + 1;
        half += fmod(half, 2);
        stuffing->origin[a] = (min[a] + max[a]) / 2 - half * step;
        points *= 2 * half + 1;
        if (!(points <= most_points))
            return ct_fail(error, CT_BAD_USAGE, "%s: edges of %g m are too short for a body of this size",
                           stuffing->name, edge);
        stuffing->size[a] = (size_t)(2 * half) + 1;
    }
    stuffing->points = (size_t)points;
    return CT_OK;
}

static ct_status reserve(ct_stuffing *stuffing, ct_error *error)
{
    ct_heap *heap = stuffing->mesh->heap;
    size_t n = stuffing->points;
    stuffing->distance = ct_allocate(heap, n * sizeof *stuffing->distance);
    stuffing->snapped = ct_allocate(heap, n * sizeof *stuffing->snapped);
    stuffing->vertex = ct_allocate(heap, n * sizeof *stuffing->vertex);
    if (!stuffing->distance || !stuffing->snapped || !stuffing->vertex)
        return ct_fail_memory(error, n * sizeof *stuffing->snapped);
    memset(stuffing->vertex, 0xff, n * sizeof *stuffing->vertex); /* CT_NO_VERTEX */
    return CT_OK;
}

/* ---- Distances and cuts ------------------------------------------------------------------------------- */

/* No surface is nearer than the distance says, so points well within it need only their sign. */
static ct_status measure_distances(ct_stuffing *stuffing, ct_error *error)
{
    double last[3] = {0}, clear = 0, sign = 0;
    for (size_t p = 0; p < stuffing->points; p++) {
        double *x = stuffing->snapped[p];
        lattice_position(stuffing, p, x);
        double left = clear - ct_vector_distance(last, x);
        if (left > 2 * stuffing->spacing) {
            stuffing->distance[p] = sign * left;
            continue;
        }
        double distance = ct_shape_distance(stuffing->shape, x);
        stuffing->distance[p] = distance;
        memcpy(last, x, sizeof last);
        clear = fabs(distance), sign = distance < 0 ? -1 : 1;
        if (p % 1024 == 0 && ct_stop_is_asked()) return ct_stop_check(error);
    }
    return CT_OK;
}

/* Where the edge between two lattice points meets the surface: the root of the distance by false position
 * (Illinois). The ends are taken in the order of their numbers, so that both sides find the same bits. */
static double cut_fraction(const ct_stuffing *stuffing, size_t from, size_t to, double x[3])
{
    size_t low = from < to ? from : to, high = from < to ? to : from;
    double a[3], b[3], begin = 0, end = 1, fraction = 0.5;
    double at_begin = stuffing->distance[low], at_end = stuffing->distance[high];
    lattice_position(stuffing, low, a);
    lattice_position(stuffing, high, b);
    for (int round = 0; round < 24; round++) {
        fraction = (begin * at_end - end * at_begin) / (at_end - at_begin);
        for (int i = 0; i < 3; i++) x[i] = (1 - fraction) * a[i] + fraction * b[i];
        double here = ct_shape_distance(stuffing->shape, x);
        if (fabs(here) < 1e-10 * stuffing->spacing || end - begin < 1e-10) break;
        if ((here < 0) == (at_end < 0)) {
            end = fraction, at_end = here;
            at_begin *= 0.5;
        } else {
            begin = fraction, at_begin = here;
            at_end *= 0.5;
        }
    }
    return from < to ? fraction : 1 - fraction;
}

/* One point: moved onto the nearest of the cut points that are too near. */
static void snap_point(ct_stuffing *stuffing, size_t point)
{
    size_t neighbours[MOST_NEIGHBOURS];
    int long_count, count = list_neighbours(stuffing, point, neighbours, &long_count);
    double nearest = INFINITY, here[3], at[3];
    for (int n = 0; n < count; n++) {
        if (!(stuffing->distance[point] * stuffing->distance[neighbours[n]] < 0)) continue;
        double fraction = cut_fraction(stuffing, point, neighbours[n], here);
        double limit = is_flat(stuffing) ? snap_flat : n < long_count ? snap_long : snap_short;
        double length = fraction * (n < long_count ? 1 : sqrt(0.75));
        if (fraction >= limit || length >= nearest) continue;
        nearest = length;
        memcpy(at, here, sizeof at);
    }
    if (nearest == INFINITY) return;
    stuffing->distance[point] = 0;
    memcpy(stuffing->snapped[point], at, sizeof at);
}

static ct_status snap_points(ct_stuffing *stuffing, ct_error *error)
{
    for (size_t p = 0; p < stuffing->points; p++) {
        if (fabs(stuffing->distance[p]) < 1.01 * stuffing->spacing) snap_point(stuffing, p);
        if (p % 1024 == 0 && ct_stop_is_asked()) return ct_stop_check(error);
    }
    return CT_OK;
}

/* ---- Vertices ----------------------------------------------------------------------------------------- */

static ct_status add_vertex(ct_stuffing *stuffing, const double x[3], uint32_t *vertex, ct_error *error)
{
    ct_solid_mesh *mesh = stuffing->mesh;
    ct_status status =
        ct_array_grow(mesh->heap, &mesh->position, mesh->vertex_count, &stuffing->vertex_capacity,
                      mesh->vertex_count + 1, sizeof *mesh->position, error);
    if (status) return status;
    memcpy(mesh->position[mesh->vertex_count], x, sizeof *mesh->position);
    *vertex = (uint32_t)mesh->vertex_count++;
    return CT_OK;
}

ct_status ct_stuffing_vertex(ct_stuffing *stuffing, size_t point, uint32_t *vertex, ct_error *error)
{
    ct_status status = CT_OK;
    if (stuffing->vertex[point] == CT_NO_VERTEX)
        status = add_vertex(stuffing, stuffing->snapped[point], &stuffing->vertex[point], error);
    *vertex = stuffing->vertex[point];
    return status;
}

ct_status ct_stuffing_cut(ct_stuffing *stuffing, size_t from, size_t to, uint32_t *vertex, ct_error *error)
{
    const uint32_t ends[2] = {(uint32_t)from, (uint32_t)to};
    uint32_t *stored = ct_mesh_table_at(&stuffing->cuts, ends, 2);
    ct_status status = CT_OK;
    if (!*stored) {
        double x[3];
        cut_fraction(stuffing, from, to, x);
        status = add_vertex(stuffing, x, vertex, error);
        if (!status) *stored = *vertex + 1;
    }
    *vertex = *stored - 1;
    return status;
}

static ct_status reserve_cuts(ct_stuffing *stuffing, ct_error *error)
{
    size_t cuts = 0, neighbours[MOST_NEIGHBOURS];
    for (size_t p = 0; p < stuffing->points; p++) {
        if (!(fabs(stuffing->distance[p]) < 1.01 * stuffing->spacing)) continue;
        int long_count, count = list_neighbours(stuffing, p, neighbours, &long_count);
        for (int n = 0; n < count; n++)
            cuts += neighbours[n] > p && stuffing->distance[p] * stuffing->distance[neighbours[n]] < 0;
    }
    return ct_mesh_table_create(stuffing->mesh->heap, cuts, &stuffing->cuts, error);
}

/* ---- Elements ----------------------------------------------------------------------------------------- */

static ct_status clip_row_2d(ct_stuffing *stuffing, size_t j, ct_error *error)
{
    ct_status status = CT_OK;
    size_t odd = j % 2;
    for (size_t i = 0; i + 1 < stuffing->size[0] && !status; i++) {
        size_t a = point_at(stuffing, i, j, 0, 0), b = point_at(stuffing, i, j + 1, 0, 0);
        const size_t lower[4] = {a, a + 1, b + odd}, upper[4] = {b, a + 1 - odd, b + 1};
        status = ct_stuffing_clip(stuffing, lower, error);
        if (!status) status = ct_stuffing_clip(stuffing, upper, error);
    }
    return status;
}

/* Four tetrahedra around each long edge of the second grid, one for each side of the square of the first
 * grid that it goes through. */
static ct_status clip_edges_3d(ct_stuffing *stuffing, const size_t at[3], ct_error *error)
{
    ct_status status = CT_OK;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        if (at[a] + 2 >= stuffing->size[a] || at[b] + 1 >= stuffing->size[b] ||
            at[c] + 1 >= stuffing->size[c])
            continue;
        size_t square[4], next[3] = {at[0], at[1], at[2]};
        next[a]++;
        size_t center = point_at(stuffing, at[0], at[1], at[2], 1),
               other = point_at(stuffing, next[0], next[1], next[2], 1);
        for (int s = 0; s < 4; s++) {
            size_t corner[3] = {next[0], next[1], next[2]};
            corner[b] += s == 1 || s == 2;
            corner[c] += s >= 2;
            square[s] = point_at(stuffing, corner[0], corner[1], corner[2], 0);
        }
        for (int s = 0; s < 4 && !status; s++) {
            const size_t corners[4] = {center, other, square[s], square[(s + 1) % 4]};
            status = ct_stuffing_clip(stuffing, corners, error);
        }
    }
    return status;
}

static ct_status clip_elements(ct_stuffing *stuffing, ct_error *error)
{
    ct_status status = CT_OK;
    const size_t *n = stuffing->size;
    for (size_t k = 0; k < n[2] && !status; k++)
        for (size_t j = 0; j + 1 < n[1] && !status; j++) {
            if (is_flat(stuffing)) status = clip_row_2d(stuffing, j, error);
            for (size_t i = 0; i < n[0] && !status && !is_flat(stuffing); i++)
                status = clip_edges_3d(stuffing, (const size_t[3]){i, j, k}, error);
            if (!status) status = ct_stop_check(error);
        }
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static ct_status stuff(ct_stuffing *stuffing, double edge, ct_error *error)
{
    ct_status status = fit_lattice(stuffing, edge, error);
    if (!status) status = reserve(stuffing, error);
    if (!status) status = measure_distances(stuffing, error);
    if (!status) status = snap_points(stuffing, error);
    if (!status) status = reserve_cuts(stuffing, error);
    if (!status) status = clip_elements(stuffing, error);
    if (!status) status = ct_stuffing_repair(stuffing->mesh, stuffing->name, error);
    if (!status && !stuffing->mesh->element_count)
        status = ct_fail(error, CT_BAD_USAGE,
                         "%s: nothing of the shape is left in a mesh with edges of %g m; make them shorter",
                         stuffing->name, edge);
    if (!status) status = ct_solid_mesh_check(stuffing->mesh, stuffing->name, error);
    return status;
}

ct_status ct_solid_mesh_stuff(const ct_shape *shape, ct_heap *heap, int dimension, const char *name,
                              double edge, ct_solid_mesh *mesh, ct_error *error)
{
    *mesh = (ct_solid_mesh){.heap = heap, .dimension = dimension};
    ct_stuffing stuffing = {.shape = shape, .mesh = mesh, .name = name};
    ct_status status = stuff(&stuffing, edge, error);
    ct_release(heap, stuffing.distance);
    ct_release(heap, stuffing.snapped);
    ct_release(heap, stuffing.vertex);
    ct_mesh_table_release(heap, &stuffing.cuts);
    if (status) ct_solid_mesh_release(mesh);
    return status;
}
