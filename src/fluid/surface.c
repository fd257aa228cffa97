/* The level set: phi = min |x - x_p| - r in the middle of a cell, with r a little more than half
 * the diagonal of a cell, so that a cell with a particle is in the water. Only cells at the surface need the
 * number: deep in the water phi is -dx/2, far from it 3 dx.
 *
 * The nearest particle is looked for in the cells around, ring after ring: what is not in the first ring is
 * at least 1.5 spacings away. */
#include "fluid/numbers.h"

#include <math.h>
#include <stdlib.h>

enum { GRAIN = 8, RINGS = 2 };

typedef struct search {
    const ct_fluid *fluid;
    ct_planes planes;
} search;

/* A cell at an offset from another, |offset| <= 3 along each axis; CT_NO_CELL: the grid has none. */
static size_t cell_towards(const ct_fluid_grid *g, size_t cell, const int offset[3])
{
    CT_FOR(a, CT_DIM)
        for (int k = 0; k != offset[a] && cell != CT_NO_CELL; k += offset[a] > 0 ? 1 : -1)
            cell = ct_cell_next(g, cell, a, offset[a] > 0);
    return cell;
}

/* The square of the distance from the middle of a cell to the nearest particle of one at an offset, m^2. */
static double nearest_of(const search *s, size_t cell, const int offset[3], double least)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t p = g->first[cell], end = p + g->count[cell]; p < end; p++) {
        double square = 0;
        CT_FOR(a, CT_DIM) {
            const double there = (double)((cell >> g->shift[a]) & 3);
            double away = (double)s->planes.position[a][p] - there + offset[a] - 0.5;
            square += away * away * s->fluid->cloud.grid.spacing[a] * s->fluid->cloud.grid.spacing[a];
        }
        if (square < least) least = square;
    }
    return least;
}

/* m^2, from the middle of a cell to one at an offset: no particle of that is nearer, but for round-off. */
static double gap_of(const search *s, const int offset[3])
{
    double square = 0;
    CT_FOR(a, CT_DIM) {
        const double gap = (offset[a] ? abs(offset[a]) - 0.5 : 0) * s->fluid->cloud.grid.spacing[a];
        square += gap * gap;
    }
    return 0.999 * square;
}

/* Over the cells of a ring: those whose largest offset is `ring`. */
static double nearest_in_ring(const search *s, size_t cell, int ring, double least)
{
    const int depth = CT_DIM == 3 ? ring : 0;
    int offset[3];
    for (offset[0] = -ring; offset[0] <= ring; offset[0]++)
        for (offset[1] = -ring; offset[1] <= ring; offset[1]++)
            for (offset[2] = -depth; offset[2] <= depth; offset[2]++) {
                if (abs(offset[0]) != ring && abs(offset[1]) != ring && abs(offset[2]) != ring) continue;
                if (gap_of(s, offset) >= least) continue;
                size_t other = cell_towards(&s->fluid->grid, cell, offset);
                if (other != CT_NO_CELL && s->fluid->grid.count[other])
                    least = nearest_of(s, other, offset, least);
            }
    return least;
}

/* Whether a cell and all its face neighbours have particles. */
static bool is_deep(const ct_fluid_grid *g, size_t cell)
{
    bool is_full = g->count[cell] > 0;
    CT_FOR(k, 2 * CT_DIM) {
        if (!is_full) break;
        size_t other = ct_cell_next(g, cell, k / 2, k % 2);
        is_full = other != CT_NO_CELL && (g->count[other] || g->kind[other] == CT_CELL_SOLID);
    }
    return is_full;
}

/* ---- Where particles are near ------------------------------------------------------------------------- */

enum { FAR, SECOND_RING, FIRST_RING, WET };

typedef struct widening {
    const ct_fluid *fluid;
    int axis, value;
    const uint8_t *from;
    uint8_t *to;
} widening;

/* Cells next to one that is marked, along an axis, are marked, too. */
static void widen_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const widening *w = context;
    const ct_fluid_grid *g = &w->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        uint8_t mark = w->from[c];
        CT_FOR(up, 2) {
            const size_t other = mark ? CT_NO_CELL : ct_cell_next(g, c, w->axis, up);
            if (other != CT_NO_CELL && w->from[other]) mark = (uint8_t)w->value;
        }
        w->to[c] = mark;
    }
}

static void mark_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = context;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++)
        g->near[c] = g->count[c] ? FIRST_RING : FAR;
}

/* near: FIRST_RING where the cell or one around it has particles, SECOND_RING where one around those has. */
static void find_near(ct_fluid *fluid)
{
    ct_fluid_grid *g = &fluid->grid;
    ct_pool_for(fluid->cloud.common->pool, g->blocks, GRAIN, mark_blocks, g);
    for (int value = FIRST_RING; value >= SECOND_RING; value--)
        CT_FOR(a, CT_DIM) {
            widening w = {fluid, a, value, g->near, g->near_next};
            ct_pool_for(fluid->cloud.common->pool, g->blocks, GRAIN, widen_blocks, &w);
            g->near = w.to, g->near_next = (uint8_t *)w.from;
        }
}

/* ---- The level set ------------------------------------------------------------------------------------ */

static double distance_up_to(const search *s, size_t cell, int rings)
{
    const double dx = s->fluid->cloud.grid.least_spacing, far = 3 * dx + s->fluid->radius;
    double least = far * far;
    CT_FOR(ring, rings + 1) {
        least = nearest_in_ring(s, cell, ring, least);
        if (sqrt(least) <= (ring + 0.5) * dx) break; /* the next ring is farther away */
    }
    return sqrt(least);
}

/* Water is within the first ring: the radius is less than 1.5 spacings. */
static void find_wet(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    const double dx = s->fluid->cloud.grid.least_spacing;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        g->phi[c] = 3 * dx;
        if (g->near[c] != FIRST_RING) continue;
        g->phi[c] = is_deep(g, c) ? -0.5 * dx : distance_up_to(s, c, 1) - s->fluid->radius;
        if (g->phi[c] < 0) g->near[c] = WET;
    }
}

/* Cells of air beside water need their distance, too, for the place of the surface between them. */
static void find_dry(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        bool is_beside = false;
        CT_FOR(k, 2 * CT_DIM) {
            if (g->near[c] == WET || g->near[c] == FAR || is_beside) break;
            size_t other = ct_cell_next(g, c, k / 2, k % 2);
            is_beside = other != CT_NO_CELL && g->near[other] == WET;
        }
        if (is_beside) g->phi[c] = distance_up_to(s, c, RINGS) - s->fluid->radius;
    }
}

void CT_FN(ct_fluid_find_surface)(ct_fluid *fluid)
{
    search s = {fluid, ct_planes_of(&fluid->cloud.particles)};
    find_near(fluid);
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, find_wet, &s);
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, find_dry, &s);
}
