/* G2P, and the particles' way:
 *
 *     v_a = sum w u_ai + flip (v_a - sum w u^n_ai),    c_a = sum grad w u_ai
 *     k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3/4 dt k2), x += dt (2 k1 + 3 k2 + 4 k3) / 9      (Ralston)
 *
 * A block copies the velocities that its particles may meet on their way into a tile, 9 faces wide: from two
 * before its first cell to two after its last, and one more for the interpolation. */
#include "core/reduce.h"
#include "fluid/numbers.h"
#include "timestep/measure.h"

#include <math.h>

enum {
    GRAIN = 4,
    BEFORE = 2,
    SIDE = 9,
    TILE = CT_DIM == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE,
    CORNERS = 1 << CT_DIM
};

typedef struct tile {
    ct_real u[CT_DIM][TILE]; /* cells per step */
} tile;

typedef struct gather {
    ct_fluid *fluid;
    ct_planes planes;
    double dt;
    ct_real to_cells[CT_DIM]; /* dt / dx */
    ct_real to_pressure;      /* rho / dt */
    bool needs_before;
} gather;

static void load(const gather *g, size_t b, double *const faces[3], tile *t)
{
    const ct_fluid_grid *grid = &g->fluid->grid;
    const int32_t *neighbour = g->fluid->cloud.grid.blocks.neighbour[b];
    CT_FOR(k, TILE) {
        int offset[3] = {0};
        size_t inside = 0;
        for (int a = CT_DIM - 1, rest = k; a >= 0; a--, rest /= SIDE) {
            int at = rest % SIDE - BEFORE;
            offset[a] = at < 0 ? -1 : at >= CT_BLOCK;
            inside += (size_t)(at & (CT_BLOCK - 1)) * grid->stride[a];
        }
        size_t face =
            (size_t)neighbour[ct_neighbour_index(offset[0], offset[1], offset[2])] * grid->in_block + inside;
        CT_FOR(a, CT_DIM) t->u[a][k] = (ct_real)faces[a][face] * g->to_cells[a];
    }
}

/* The velocity at x, in cells per step, and, unless NULL, its gradient, per cell. */
CT_INLINE void sample(const tile *t, const ct_real x[CT_DIM], ct_real u[CT_DIM], ct_real *gradient)
{
    int base[2][CT_DIM];
    ct_real weight[2][CT_DIM][2];
    CT_UNROLL(b, CT_DIM)
        CT_UNROLL(lattice, 2) {
            ct_real at = x[b] - (lattice ? (ct_real)0.5 : 0);
            int low = ct_floor(at);
            low = low < -BEFORE ? -BEFORE : low > SIDE - BEFORE - 2 ? SIDE - BEFORE - 2 : low;
            base[lattice][b] = low;
            ct_real f = at - (ct_real)low;
            weight[lattice][b][0] = 1 - f, weight[lattice][b][1] = f;
        }
    CT_UNROLL(a, CT_DIM) {
        ct_real value[CORNERS];
        int index = 0;
        CT_UNROLL(b, CT_DIM) index = index * SIDE + base[a != b][b] + BEFORE;
        CT_UNROLL(k, CORNERS) {
            int at = 0;
            CT_UNROLL(b, CT_DIM) at = at * SIDE + (k >> (CT_DIM - 1 - b) & 1);
            value[k] = t->u[a][index + at];
        }
        ct_real sum = 0;
        CT_UNROLL(k, CORNERS) {
            ct_real w = 1;
            CT_UNROLL(b, CT_DIM) w *= weight[a != b][b][k >> (CT_DIM - 1 - b) & 1];
            sum += w * value[k];
        }
        u[a] = sum;
        if (!gradient) continue;
        CT_UNROLL(d, CT_DIM) {
            ct_real slope = 0;
            CT_UNROLL(k, CORNERS) {
                ct_real w = k >> (CT_DIM - 1 - d) & 1 ? (ct_real)1 : (ct_real)-1;
                CT_UNROLL(b, CT_DIM) w *= b == d ? 1 : weight[a != b][b][k >> (CT_DIM - 1 - b) & 1];
                slope += w * value[k];
            }
            gradient[a * CT_DIM + d] = slope;
        }
    }
}

/* Particles keep a hundredth of a cell to walls. */
static void stay_inside(const gather *g, size_t b, ct_real x[CT_DIM])
{
    const ct_cloud *cloud = &g->fluid->cloud;
    static const double gap = 0.01;
    CT_FOR(a, CT_DIM) {
        const double corner = (double)cloud->grid.blocks.coordinate[b][a] * CT_BLOCK;
        const ct_real low = (ct_real)(gap - corner),
                      high = (ct_real)((double)cloud->grid.cells[a] - gap - corner);
        const ct_wall *walls = &g->fluid->border.all->walls[2 * a];
        if (walls[0].type != CT_WALL_FREE && x[a] < low) x[a] = low;
        if (walls[1].type != CT_WALL_FREE && x[a] > high) x[a] = high;
    }
}

/* Of the cell that it is in, Pa. */
static ct_real pressure_of(const gather *g, size_t b, const ct_real x[CT_DIM])
{
    size_t cell = b * g->fluid->grid.in_block;
    CT_UNROLL(a, CT_DIM) cell += (size_t)((int)x[a] & (CT_BLOCK - 1)) * g->fluid->grid.stride[a];
    return g->to_pressure * (ct_real)g->fluid->grid.pressure[cell];
}

static void move_particle(const gather *g, size_t b, size_t p, const tile *now, const tile *before)
{
    const ct_planes *planes = &g->planes;
    const ct_scheme *scheme = &g->fluid->schemes[planes->body[p]];
    ct_real x[CT_DIM], at[CT_DIM], k1[CT_DIM], k2[CT_DIM], k3[CT_DIM], old[CT_DIM] = {0}, gradient[CT_MATRIX];
    CT_UNROLL(a, CT_DIM) x[a] = planes->position[a][p];
    sample(now, x, k1, gradient);
    planes->state[0][p] = pressure_of(g, b, x);
    if (g->needs_before && scheme->flip != 0) {
        sample(before, x, old, NULL);
        CT_UNROLL(a, CT_DIM)
            old[a] = (ct_real)scheme->flip * (planes->velocity[a][p] - old[a] / g->to_cells[a]);
    }
    CT_UNROLL(a, CT_DIM) {
        planes->velocity[a][p] = k1[a] / g->to_cells[a] + old[a];
        CT_UNROLL(d, CT_DIM)
            planes->affine[a * CT_DIM + d][p] =
                gradient[a * CT_DIM + d] * g->to_cells[d] / g->to_cells[a] * (ct_real)(1 / g->dt);
    }
    CT_UNROLL(a, CT_DIM) at[a] = x[a] + (ct_real)0.5 * k1[a];
    sample(now, at, k2, NULL);
    CT_UNROLL(a, CT_DIM) at[a] = x[a] + (ct_real)0.75 * k2[a];
    sample(now, at, k3, NULL);
    CT_UNROLL(a, CT_DIM) x[a] += (2 * k1[a] + 3 * k2[a] + 4 * k3[a]) / 9;
    if (g->fluid->cloud.common->def.has_domain) stay_inside(g, b, x);
    CT_UNROLL(a, CT_DIM) planes->position[a][p] = x[a];
}

static void move_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gather *g = context;
    const ct_blocks *blocks = &g->fluid->cloud.grid.blocks;
    tile now, before;
    for (size_t b = begin; b < end; b++) {
        load(g, b, g->fluid->grid.velocity, &now);
        if (g->needs_before) load(g, b, g->fluid->grid.before, &before);
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
            move_particle(g, b, p, &now, &before);
    }
}

void CT_FN(ct_fluid_gather)(ct_fluid *fluid, double dt)
{
    gather g = {.fluid = fluid,
                .planes = ct_planes_of(&fluid->cloud.particles),
                .dt = dt,
                .needs_before = fluid->needs_before,
                .to_pressure = (ct_real)(fluid->density / dt)};
    CT_FOR(a, CT_DIM) g.to_cells[a] = (ct_real)(dt / fluid->cloud.grid.spacing[a]);
    ct_pool_for(fluid->cloud.common->pool, fluid->cloud.grid.blocks.occupied, GRAIN, move_blocks, &g);
    fluid->cloud.must_sort = true; /* a block has what is in it, in every step */
}

/* ---- Rigid bodies ------------------------------------------------------------------------------------- */

/* A hundredth of a cell off the surface. What is deeper than a step leads was there from the beginning, and stays. */
static void leave_hull(const gather *g, const ct_hull *hull, size_t b, size_t p)
{
    const ct_grid *grid = &g->fluid->cloud.grid;
    double x[3] = {0}, n[3];
    CT_FOR(a, CT_DIM)
        x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, g->planes.position[a][p]);
    const double distance = hull->distance(hull->owner, x, NULL), gap = 0.01 * grid->least_spacing;
    if (distance >= gap || distance < -CT_FLUID_REACH * grid->least_spacing) return;
    hull->distance(hull->owner, x, n);
    CT_FOR(a, CT_DIM) g->planes.position[a][p] += (ct_real)((gap - distance) * n[a] / grid->spacing[a]);
}

static void leave_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const gather *g = context;
    const ct_boundary *all = g->fluid->border.all;
    const ct_blocks *blocks = &g->fluid->cloud.grid.blocks;
    const double way =
        2 * CT_FLUID_REACH * g->fluid->cloud.grid.least_spacing; /* of particles and bodies since */
    for (size_t b = begin; b < end; b++)
        for (size_t h = 0; h < all->hull_count; h++) {
            if (!ct_fluid_is_near_hull(g->fluid, b, &all->hulls[h], way)) continue;
            for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
                leave_hull(g, &all->hulls[h], b, p);
        }
}

void CT_FN(ct_fluid_leave_hulls)(ct_fluid *fluid)
{
    gather g = {.fluid = fluid, .planes = ct_planes_of(&fluid->cloud.particles)};
    if (fluid->border.all->hull_count)
        ct_pool_for(fluid->cloud.common->pool, fluid->cloud.grid.blocks.occupied, GRAIN, leave_blocks, &g);
}

/* ---- The speed ---------------------------------------------------------------------------------------- */

static void measure_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const gather *g = context;
    const uint32_t *first = g->fluid->cloud.grid.blocks.first;
    ct_measured *m = result;
    for (size_t b = begin; b < end; b++)
        for (size_t p = first[b]; p < first[b + 1]; p++) {
            double square = 0;
            CT_FOR(a, CT_DIM) square += (double)g->planes.velocity[a][p] * (double)g->planes.velocity[a][p];
            if (square > m->value[CT_MEASURE_SPEED])
                m->value[CT_MEASURE_SPEED] = square, m->block[CT_MEASURE_SPEED] = b;
        }
}

static void fold_measured(void *into, const void *from, size_t size)
{
    (void)size;
    ct_measured_fold(into, from);
}

void CT_FN(ct_fluid_measure)(ct_fluid *fluid)
{
    gather g = {.fluid = fluid, .planes = ct_planes_of(&fluid->cloud.particles)};
    ct_measured m = {.block = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    ct_reduce_in_order(fluid->cloud.common->pool, fluid->cloud.grid.blocks.occupied, 32, measure_blocks, &g,
                       fold_measured, &m, sizeof m);
    fluid->limits.of[CT_MEASURE_SPEED] = (ct_limit){.value = sqrt(m.value[CT_MEASURE_SPEED]),
                                                    .material = CT_NOBODY,
                                                    .particle = CT_NOBODY,
                                                    .block = m.block[CT_MEASURE_SPEED]};
    fluid->cloud.must_measure = false;
}
