/* Marching cubes without a table of cases: what a cube's corners say is worked out from its faces.
 *
 * A crossing is an edge with one corner inside and one outside. Go around a face, its corners
 * counter-clockwise as seen from outside the cube. Where the walk leaves the inside through an edge, it
 * entered it through another one before: the face's line joins these two. So an inside corner is always cut
 * off from the one across the face, by a rule that looks at nothing but the face: the cube on its other side
 * draws the same line, and the surface is closed. Each crossing is left on one of its faces and entered on
 * the other; following the lines gives loops of 3 to 7 crossings, which become fans of triangles.
 *
 *        6-------7          y       The fourth corner is at z: corner k is at
 *       /|      /|          |       (k & 1, k >> 1 & 1, k >> 2 & 1).
 *      2-------3 |          |
 *      | 4-----|-5          +-- x
 *      |/      |/          /
 *      0-------1          z (behind)
 */
#include "look/skin_parts.h"

#include <math.h>
#include <string.h>

enum { BATCH = 16 /* planes whose values are found together */, MOST_LOOP = 12 };

static const double MOST_NODES = 4e10;

/* ---- what a cube does ---- */

enum { EDGES = 12 };

/* Edge e joins corners EDGE[e][0] and EDGE[e][1]: four along x, four along y, four along z. */
static const int EDGE[EDGES][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                   {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int FACE[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

typedef struct cube_case {
    signed char next[EDGES]; /* the crossing that follows in the loop; -1: this is none */
} cube_case;

static int edge_between(int a, int b)
{
    for (int e = 0; e < EDGES; e++)
        if ((EDGE[e][0] == a && EDGE[e][1] == b) || (EDGE[e][0] == b && EDGE[e][1] == a)) return e;
    return -1;
}

static void join_face(const int corners[4], int inside, cube_case *cube)
{
    for (int k = 0; k < 4; k++) {
        int here = corners[k], there = corners[(k + 1) % 4];
        bool leaves = (inside >> here & 1) && !(inside >> there & 1);
        if (!leaves) continue;
        int back = k;
        while (inside >> corners[back] & 1) back = (back + 3) % 4; /* to where it was entered */
        cube->next[edge_between(here, there)] =
            (signed char)edge_between(corners[back], corners[(back + 1) % 4]);
    }
}

static void make_cases(cube_case cases[256])
{
    for (int inside = 0; inside < 256; inside++) {
        memset(cases[inside].next, -1, sizeof cases[inside].next);
        for (int face = 0; face < 6; face++) join_face(FACE[face], inside, &cases[inside]);
    }
}

/* ---- the grid ---- */

typedef struct march {
    const ct_skin_def *def;
    bool is_bounded; /* by walls or obstacles */
    const ct_skin_kernel *kernels;
    const uint32_t *order;     /* kernels by their first plane */
    const size_t *plane_begin; /* [planes + 1] into `order` */
    int reach;                 /* planes that a kernel can cover */
    double low[3], cell;       /* m */
    size_t nodes[3];
    size_t first; /* plane of the batch */
    float level;
    float *values;         /* [BATCH + 1][y][z] phi */
    uint32_t *edges[2][3]; /* [2 planes][axis][y][z] vertices on edges that begin there; x: to the next */
    cube_case cases[256];
    ct_skin *skin;
    size_t vertex_capacity, triangle_capacity;
} march;

static int first_plane(const march *self, const ct_skin_kernel *kernel)
{
    return (int)ceil((kernel->center[0] - (double)kernel->extent[0] - self->low[0]) / self->cell);
}

/* Nodes [first, last] of an axis that lie in a stretch about `middle`, m. */
static void nodes_within(const march *self, int axis, double middle, double half, int *first, int *last)
{
    double at = (middle - self->low[axis]) / self->cell, reach = half / self->cell;
    double most = (double)self->nodes[axis] - 1;
    *first = at - reach > 0 ? (int)ceil(at - reach) : 0;
    *last = (int)floor(at + reach < most ? at + reach : most);
}

/* Adds a kernel to the nodes of one plane. Along a row, |G (x - c)|^2 = A z^2 + 2 B z + C, so that the row's
 * nodes within the ellipsoid are known beforehand. */
static void add_kernel(const march *self, const ct_skin_kernel *kernel, double plane, float *values)
{
    const float *g = kernel->shape;
    float x = (float)(plane - kernel->center[0]), cell = (float)self->cell;
    if (fabsf(x) > kernel->extent[0]) return;
    int top, bottom, first, last;
    nodes_within(self, 1, kernel->center[1], (double)kernel->extent[1], &top, &bottom);
    float A = g[2] * g[2] + g[4] * g[4] + g[5] * g[5];
    for (int j = top; j <= bottom; j++) {
        float y = (float)(self->low[1] + j * self->cell - kernel->center[1]);
        float p = g[0] * x + g[1] * y, q = g[1] * x + g[3] * y, r = g[2] * x + g[4] * y;
        float B = g[2] * p + g[4] * q + g[5] * r, C = p * p + q * q + r * r, root = B * B - A * (C - 1);
        if (root <= 0) continue;
        nodes_within(self, 2, kernel->center[2] - (double)(B / A), (double)(sqrtf(root) / A), &first, &last);
        float z = (float)(self->low[2] + first * self->cell - kernel->center[2]);
        float *row = values + (size_t)j * self->nodes[2] + first;
        for (int k = 0; k <= last - first; k++) {
            float at = z + (float)k * cell, rest = 1 - (C + at * (2 * B + at * A));
            rest = rest > 0 ? rest : 0;
            row[k] += kernel->strength * rest * rest * rest;
        }
    }
}

/* Lowers phi so that the surface ends at walls and obstacles: it crosses the level there, and rises evenly
 * inwards, so that the place of the crossing is that of the wall. */
static void bound_plane(const march *self, size_t plane, float *values)
{
    double x[3] = {self->low[0] + (double)plane * self->cell, 0, 0}, inward[3];
    for (size_t j = 0; j < self->nodes[1]; j++) {
        x[1] = self->low[1] + (double)j * self->cell;
        float *row = values + j * self->nodes[2];
        for (size_t k = 0; k < self->nodes[2]; k++) {
            if (row[k] <= self->level) continue;
            x[2] = self->low[2] + (double)k * self->cell;
            float room = (float)(ct_skin_room(self->def, x, inward) / self->cell);
            row[k] = fminf(row[k], self->level * (1 + room));
        }
    }
}

/* One thread fills a plane, kernel after kernel in a fixed order. */
static void fill_planes(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const march *self = context;
    size_t area = self->nodes[1] * self->nodes[2];
    for (size_t k = begin; k < end; k++) {
        size_t plane = self->first + k;
        float *values = self->values + (k + 1) * area;
        memset(values, 0, area * sizeof *values);
        if (plane >= self->nodes[0]) continue;
        size_t from = plane > (size_t)self->reach ? plane - (size_t)self->reach : 0;
        for (size_t at = self->plane_begin[from]; at < self->plane_begin[plane + 1]; at++)
            add_kernel(self, &self->kernels[self->order[at]], self->low[0] + (double)plane * self->cell,
                       values);
        if (self->is_bounded) bound_plane(self, plane, values);
    }
}

/* ---- vertices and triangles ---- */

static ct_status make_room(march *self, ct_error *error)
{
    ct_skin *skin = self->skin;
    size_t wanted = skin->vertex_count + 3 * self->nodes[1] * self->nodes[2];
    if (wanted > UINT32_MAX / 2)
        return ct_fail(error, CT_BAD_USAGE, "the surface has more than %u vertices; use larger cells",
                       UINT32_MAX / 2);
    return ct_array_grow(skin->heap, &skin->vertices, skin->vertex_count, &self->vertex_capacity, wanted,
                         sizeof *skin->vertices, error);
}

/* The vertex where the edge from node a to node b crosses the level. It keeps off the ends, so that no
 * triangle is a line. */
static uint32_t add_vertex(march *self, size_t plane, size_t j, size_t k, int axis, size_t a, size_t b)
{
    ct_skin *skin = self->skin;
    float t = (self->level - self->values[a]) / (self->values[b] - self->values[a]);
    t = fminf(0.98f, fmaxf(0.02f, t));
    const size_t node[3] = {plane, j, k};
    double *vertex = skin->vertices[skin->vertex_count];
    for (int d = 0; d < 3; d++)
        vertex[d] = self->low[d] + self->cell * ((double)node[d] + (d == axis ? (double)t : 0));
    return (uint32_t)skin->vertex_count++;
}

/* Vertices on the edges that begin in plane k of the batch; those along x go to the next plane. */
static void cross_edges(march *self, size_t k, bool is_along_x, uint32_t *edges[3])
{
    size_t width = self->nodes[2], area = self->nodes[1] * width, plane = self->first + k - 1;
    const float *here = self->values + k * area;
    const size_t step[3] = {area, width, 1};
    for (size_t j = 0; j < self->nodes[1]; j++)
        for (size_t i = 0; i < width; i++) {
            size_t place = j * width + i, node = k * area + place;
            bool is_inside = here[place] > self->level;
            const bool has_next[3] = {is_along_x, j + 1 < self->nodes[1], i + 1 < width};
            for (int axis = is_along_x ? 0 : 1; axis < (is_along_x ? 1 : 3); axis++)
                if (has_next[axis] && (self->values[node + step[axis]] > self->level) != is_inside)
                    edges[axis][place] = add_vertex(self, plane, j, i, axis, node, node + step[axis]);
        }
}

/* The vertex on edge e of the cube at (j, i). */
static uint32_t vertex_on(const march *self, int e, size_t j, size_t i)
{
    int corner = EDGE[e][0], axis = e / 4;
    size_t place = (j + (size_t)(corner >> 1 & 1)) * self->nodes[2] + i + (size_t)(corner >> 2 & 1);
    return self->edges[corner & 1][axis][place];
}

static bool is_on(int edge, const int face[4])
{
    int found = 0;
    for (int k = 0; k < 4; k++) found += face[k] == EDGE[edge][0] || face[k] == EDGE[edge][1];
    return found == 2;
}

static bool share_face(int e, int f)
{
    for (int face = 0; face < 6; face++)
        if (is_on(e, FACE[face]) && is_on(f, FACE[face])) return true;
    return false;
}

/* Where a fan begins: none of its diagonals should lie in a face, where the next cube may have one, too, and
 * the edge would have four triangles. */
static int apex_of(const int *loop, int count)
{
    for (int apex = 0; apex < count; apex++) {
        bool is_good = true;
        for (int k = 2; k < count - 1; k++)
            is_good = is_good && !share_face(loop[apex], loop[(apex + k) % count]);
        if (is_good) return apex;
    }
    return 0;
}

static ct_status fill_cube(march *self, int inside, size_t j, size_t i, ct_error *error)
{
    ct_skin *skin = self->skin;
    ct_status status =
        ct_array_grow(skin->heap, &skin->triangles, skin->triangle_count, &self->triangle_capacity,
                      skin->triangle_count + EDGES, sizeof *skin->triangles, error);
    if (status) return status;
    cube_case cube = self->cases[inside];
    for (int e = 0; e < EDGES; e++) {
        int loop[MOST_LOOP], count = 0;
        for (int at = e; cube.next[at] >= 0 && count < MOST_LOOP;) {
            int next = cube.next[at];
            cube.next[at] = -1;
            loop[count++] = at;
            at = next;
        }
        int apex = count > 3 ? apex_of(loop, count) : 0;
        for (int k = 2; k < count; k++) {
            uint32_t *triangle = skin->triangles[skin->triangle_count++];
            triangle[0] = vertex_on(self, loop[apex], j, i);
            triangle[1] = vertex_on(self, loop[(apex + k) % count], j, i);
            triangle[2] = vertex_on(self, loop[(apex + k - 1) % count], j, i);
        }
    }
    return CT_OK;
}

/* Cubes between plane k and the next. */
static ct_status fill_layer(march *self, size_t k, ct_error *error)
{
    size_t width = self->nodes[2], area = self->nodes[1] * width;
    const float *near = self->values + k * area, *far = near + area;
    for (size_t j = 0; j + 1 < self->nodes[1]; j++)
        for (size_t i = 0; i + 1 < width; i++) {
            size_t p = j * width + i;
            const float value[8] = {near[p],     far[p],     near[p + width],     far[p + width],
                                    near[p + 1], far[p + 1], near[p + width + 1], far[p + width + 1]};
            int inside = 0;
            for (int c = 0; c < 8; c++) inside |= (value[c] > self->level) << c;
            if (inside == 0 || inside == 255) continue;
            ct_status status = fill_cube(self, inside, j, i, error);
            if (status) return status;
        }
    return CT_OK;
}

/* A batch of planes: the last of the batch before is plane 0 of this one. */
static ct_status march_batch(march *self, ct_pool *pool, ct_error *error)
{
    size_t area = self->nodes[1] * self->nodes[2];
    memcpy(self->values, self->values + BATCH * area, area * sizeof *self->values);
    ct_pool_for(pool, BATCH, 1, fill_planes, self);
    for (size_t k = 0; k < BATCH; k++) {
        ct_status status = make_room(self, error);
        if (status) return status;
        if (self->first + k == 0) { /* there is nothing before the first plane, and nothing in it */
            cross_edges(self, k + 1, false, self->edges[0]);
            continue;
        }
        cross_edges(self, k, true, self->edges[0]);
        cross_edges(self, k + 1, false, self->edges[1]);
        status = fill_layer(self, k, error);
        if (status) return status;
        for (int axis = 0; axis < 3; axis++) {
            uint32_t *swapped = self->edges[0][axis];
            self->edges[0][axis] = self->edges[1][axis];
            self->edges[1][axis] = swapped;
        }
    }
    return CT_OK;
}

/* ---- setting up ---- */

/* A grid around all kernels with a node to spare on every side. */
static ct_status lay_grid(march *self, size_t count, double cell, ct_error *error)
{
    double high[3], nodes = 1, reach = 0;
    for (int a = 0; a < 3; a++) self->low[a] = INFINITY, high[a] = -INFINITY;
    for (size_t p = 0; p < count; p++)
        for (int a = 0; a < 3; a++) {
            double extent = (double)self->kernels[p].extent[a];
            self->low[a] = fmin(self->low[a], self->kernels[p].center[a] - extent);
            high[a] = fmax(high[a], self->kernels[p].center[a] + extent);
            if (a == 0) reach = fmax(reach, 2 * extent);
        }
    self->cell = cell;
    for (int a = 0; a < 3; a++) {
        self->low[a] -= 1.5 * cell;
        double size = ceil((high[a] - self->low[a]) / cell) + 2;
        nodes *= size;
        if (!(nodes < MOST_NODES))
            return ct_fail(
                error, CT_BAD_USAGE,
                "a grid with cells of %g m around all particles has more than %g nodes; use larger "
                "cells, or leave stray particles out",
                cell, MOST_NODES);
        self->nodes[a] = (size_t)size;
    }
    self->reach = (int)ceil(reach / cell) + 1;
    return CT_OK;
}

/* Kernels by the first plane that they may touch, in the order of their numbers. */
static void sort_kernels(const march *self, size_t count, uint32_t *order, size_t *begin)
{
    for (size_t p = 0; p < count; p++) begin[first_plane(self, &self->kernels[p])]++;
    for (size_t k = 1; k <= self->nodes[0]; k++) begin[k] += begin[k - 1];
    for (size_t p = count; p-- > 0;) order[--begin[first_plane(self, &self->kernels[p])]] = (uint32_t)p;
}

static ct_status march_all(march *self, ct_pool *pool, ct_error *error)
{
    ct_status status = CT_OK;
    for (self->first = 0; self->first < self->nodes[0] && !status; self->first += BATCH)
        status = march_batch(self, pool, error);
    return status;
}

ct_status ct_skin_march(ct_pool *pool, const ct_skin_def *def, const ct_skin_kernel *kernels, size_t count,
                        double cell, float level, ct_skin *skin, ct_error *error)
{
    ct_heap *heap = skin->heap;
    march self = {.def = def, .kernels = kernels, .level = level, .skin = skin};
    self.is_bounded = def->walls || def->obstacle;
    make_cases(self.cases);
    ct_status status = lay_grid(&self, count, cell, error);
    if (status) return status;
    size_t area = self.nodes[1] * self.nodes[2], planes = (BATCH + 1) * area;
    uint32_t *order = ct_allocate(heap, count * sizeof *order);
    size_t *begin = ct_allocate_zero(heap, (self.nodes[0] + 1) * sizeof *begin);
    self.values = ct_allocate_zero(heap, planes * sizeof *self.values);
    uint32_t *edges = ct_allocate(heap, 6 * area * sizeof *edges);
    if (order && begin && self.values && edges) {
        for (int k = 0; k < 6; k++) self.edges[k / 3][k % 3] = edges + (size_t)k * area;
        sort_kernels(&self, count, order, begin);
        self.order = order;
        self.plane_begin = begin;
        status = march_all(&self, pool, error);
    } else {
        status = ct_fail_memory(error, planes * 4 + 24 * area);
    }
    ct_release(heap, edges);
    ct_release(heap, self.values);
    ct_release(heap, begin);
    ct_release(heap, order);
    return status;
}
