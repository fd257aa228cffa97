/* The projection. With q = p dt / rho the density drops out:
 *
 *     sum over faces  w / dx^2 (q_i - q_j)  =  - sum s / dx (w u + (1 - w) u_solid)
 *     u -= (q_+ - q_-) / dx
 *
 * Beyond a face to air q is 0 at the surface, theta of a spacing away (ghost fluid): the face counts as
 * w / theta. The particles' density enters as a source, so that clumps and gaps even out: both ways, or the
 * volume would only grow; and by the time that a particle takes to cross a cell, not by the step, or short steps
 * would stir the water. */
#include "core/reduce.h"
#include "core/track.h"
#include "fluid/fluid.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16, CELLS = 1024 };

static const double MIN_THETA = 0.01;

/* ---- Which cells -------------------------------------------------------------------------------------- */

static void classify_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    const double half = 0.5 * fluid->cloud.grid.least_spacing;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        bool is_solid = g->kind[c] == CT_CELL_SOLID;
        /* water reaches into what it wets, or there would be gaps along walls */
        if ((is_solid || g->cut[c] == 2) && g->phi[c] < half) g->phi[c] = -half;
        if (is_solid) continue;
        double open = 0;
        for (int a = 0; a < g->dimension; a++) {
            size_t above = ct_cell_next(g, c, a, 1);
            open += g->open[a][c] + (above == CT_NO_CELL ? 1 : g->open[a][above]);
        }
        g->kind[c] = open > 0 ? g->phi[c] < 0 ? CT_CELL_FLUID : CT_CELL_AIR : CT_CELL_SOLID;
    }
}

/* Beyond free walls there is air. */
static void open_free_walls(ct_fluid *fluid)
{
    const ct_fluid_grid *g = &fluid->grid;
    bool has_free = false;
    for (int s = 0; s < 2 * g->dimension; s++) has_free |= fluid->border.all->walls[s].type == CT_WALL_FREE;
    if (!fluid->cloud.common->def.has_domain || !has_free) return;
    for (size_t c = 0; c < g->blocks * g->in_block; c++) {
        int32_t at[3];
        bool is_out = false;
        ct_cell_at(fluid, c, at);
        for (int a = 0; a < g->dimension; a++) is_out |= at[a] < 0 || at[a] >= fluid->cloud.grid.cells[a];
        if (is_out && g->kind[c] != CT_CELL_SOLID) g->phi[c] = 0.5 * fluid->cloud.grid.least_spacing;
    }
}

void ct_fluid_classify(ct_fluid *fluid)
{
    open_free_walls(fluid);
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, GRAIN, classify_blocks, fluid);
}

/* ---- The system --------------------------------------------------------------------------------------- */

typedef struct system {
    const ct_fluid *fluid;
    double correction;  /* 1/s per excess of density */
    double cell_volume; /* m^d */
} system;

double ct_fluid_theta(const ct_fluid_grid *g, size_t c, size_t air)
{
    double difference = g->phi[c] - g->phi[air];
    double theta = difference < 0 ? g->phi[c] / difference : 1;
    return fmin(fmax(theta, MIN_THETA), 1);
}

/* q at the surface between the fluid cell c and the air cell: tension times the curvature there. */
static double surface_q(const ct_fluid *fluid, size_t c, size_t air, double theta)
{
    const ct_fluid_grid *g = &fluid->grid;
    if (!(fluid->tension > 0)) return 0;
    return fluid->pull * ((1 - theta) * g->curvature[c] + theta * g->curvature[air]);
}

/* Blocks have even sides: the place within one tells the colour. */
static bool is_red_cell(const ct_fluid_grid *g, size_t c)
{
    size_t sum = 0;
    for (int a = 0; a < g->dimension; a++) sum += c >> g->shift[a];
    return !(sum & 1);
}

static void count_fluid(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = context;
    for (size_t b = begin; b < end; b++) {
        uint32_t *tally = g->tally[b];
        tally[0] = tally[1] = 0;
        for (size_t c = b * g->in_block; c < (b + 1) * g->in_block; c++)
            if (g->kind[c] == CT_CELL_FLUID) tally[is_red_cell(g, c)]++;
    }
}

static void number_fluid(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = context;
    for (size_t b = begin; b < end; b++) {
        uint32_t next[2] = {g->tally[b][0], g->tally[b][1]};
        for (size_t c = b * g->in_block; c < (b + 1) * g->in_block; c++) {
            if (g->kind[c] != CT_CELL_FLUID) continue;
            g->number[c] = next[is_red_cell(g, c)]++;
            g->cell[g->number[c]] = (uint32_t)c;
        }
    }
}

/* Numbers the fluid cells, red ones first, as ct_poisson wants them: counts those of each block, then the blocks. */
static size_t number_cells(ct_fluid *fluid, size_t *red)
{
    ct_fluid_grid *g = &fluid->grid;
    ct_pool *pool = fluid->cloud.common->pool;
    uint32_t next[2] = {0}; /* of black and red */
    ct_pool_for(pool, g->blocks, GRAIN, count_fluid, g);
    for (size_t b = 0; b < g->blocks; b++) next[0] += g->tally[b][1];
    *red = next[0];
    for (size_t b = 0; b < g->blocks; b++)
        for (int colour = 0; colour < 2; colour++) {
            const uint32_t count = g->tally[b][colour];
            g->tally[b][colour] = next[colour];
            next[colour] += count;
        }
    ct_pool_for(pool, g->blocks, GRAIN, number_fluid, g);
    return next[0];
}

/* Density of a face over the water's, where other matter shares it. */
static double ratio_of(const ct_fluid *fluid, int a, size_t face)
{
    return fluid->border.all->immersed_count ? fluid->grid.ratio[a][face] : 1;
}

/* The part of a cell that bodies fill. */
static double filled_of(const ct_fluid *fluid, size_t c)
{
    return fluid->border.all->immersed_count ? fluid->grid.filled[c] : 0;
}

/* The excess of particles in a cell, relative, beyond the one particle that comes and goes; 0 where the surface or a
 * collider makes it meaningless. Beside other kinds of matter there is no lack, only too much. */
static double excess(const system *s, size_t c)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    const double filled = filled_of(s->fluid, c);
    if (g->cut[c] || filled > 0.5) return 0;
    for (int k = 0; k < 2 * g->dimension; k++) {
        size_t other = ct_cell_next(g, c, k / 2, k % 2);
        if (other == CT_NO_CELL || g->kind[other] == CT_CELL_AIR) return 0;
    }
    const double all = fmin(g->volume[c] / s->cell_volume - 1, 1), one = 1.0 / (1 << g->dimension);
    const double beyond = all - fmin(fmax(all, -one), one);
    return filled > 0 ? fmax(beyond, 0) : beyond;
}

static void fill_row(const system *s, ct_poisson_level *l, size_t i)
{
    const ct_fluid *fluid = s->fluid;
    const ct_fluid_grid *g = &fluid->grid;
    const size_t c = g->cell[i], faces = 2 * (size_t)g->dimension;
    double air = 0, b = 0, open_least = 1;
    ct_cell_at(fluid, c, l->at[i]);
    for (size_t k = 0; k < faces; k++) {
        const int a = (int)k / 2, up = (int)k % 2;
        const double dx = fluid->cloud.grid.spacing[a];
        const size_t other = ct_cell_next(g, c, a, up), face = up ? other : c;
        const bool has_face = face != CT_NO_CELL;
        const double open = has_face ? g->open[a][face] : 1;
        const double flow = has_face ? open * g->velocity[a][face] + (1 - open) * g->solid[a][face] : 0;
        const double link = open / (dx * dx) / (has_face ? ratio_of(fluid, a, face) : 1);
        const bool is_linked = open > 0 && other != CT_NO_CELL && g->kind[other] == CT_CELL_FLUID;
        b -= (up ? 1 : -1) * flow / dx;
        open_least = fmin(open_least, open);
        l->next[i * faces + k] = is_linked ? g->number[other] : (uint32_t)i;
        l->link[i * faces + k] = is_linked ? link : 0;
        if (!(open > 0) || is_linked) continue;
        const double theta = other == CT_NO_CELL ? 1 : ct_fluid_theta(g, c, other);
        air += link / theta;
        if (other != CT_NO_CELL) b += link / theta * surface_q(fluid, c, other, theta);
    }
    l->air[i] = air;
    l->b[i] = b;
    fluid->poisson.mark[i] = open_least < 1 || filled_of(fluid, c) > 0; /* it touches a solid */
}

static void fill_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const system *s = context;
    ct_poisson_level *l = (ct_poisson_level *)&s->fluid->poisson.level[0];
    for (size_t i = begin; i < end; i++) fill_row(s, l, i);
}

/* The density's source, in water that touches something: a drop in flight falls as a point does, which no pressure
 * may change. */
static void correct_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const system *s = context;
    const ct_poisson *p = &s->fluid->poisson;
    for (size_t i = begin; i < end; i++)
        if (p->mark[i]) p->level[0].b[i] += s->correction * excess(s, s->fluid->grid.cell[i]);
}

/* ---- Velocities --------------------------------------------------------------------------------------- */

typedef struct kick {
    const ct_fluid *fluid;
    double change[3]; /* m/s */
} kick;

static void add_gravity(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kick *k = context;
    const ct_fluid_grid *g = &k->fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++) g->velocity[a][f] += k->change[a];
}

/* The gradient of q over a face between c and the cell below it. */
static void push_face(const ct_fluid *fluid, int a, size_t c)
{
    const ct_fluid_grid *g = &fluid->grid;
    const size_t below = ct_cell_next(g, c, a, 0);
    const bool high = g->kind[c] == CT_CELL_FLUID,
               low = below != CT_NO_CELL && g->kind[below] == CT_CELL_FLUID;
    g->known[a][c] = g->open[a][c] > 0 && (high || low);
    if (fluid->wet.has_slender) g->drop[a][c] = 0;
    if (!g->known[a][c]) return;
    double q = 0;
    if (high && low) q = g->pressure[c] - g->pressure[below];
    else if (high && below == CT_NO_CELL) q = g->pressure[c];
    else if (high) {
        const double theta = ct_fluid_theta(g, c, below);
        q = (g->pressure[c] - surface_q(fluid, c, below, theta)) / theta;
    } else {
        const double theta = ct_fluid_theta(g, below, c);
        q = (surface_q(fluid, below, c, theta) - g->pressure[below]) / theta;
    }
    q /= fluid->cloud.grid.spacing[a];
    if (fluid->wet.has_slender) g->drop[a][c] = q;
    g->velocity[a][c] -= q / ratio_of(fluid, a, c);
}

static void push_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    double *fastest = result;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++) {
            push_face(fluid, a, f);
            double speed = g->known[a][f] ? fabs(g->velocity[a][f]) / fluid->cloud.grid.spacing[a] : 0;
            if (!(speed <= *fastest)) *fastest = isfinite(speed) ? speed : INFINITY;
        }
}

/* What is left of the divergence, beside the source that was asked for. */
static void measure_rows(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const system *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    double *most = result;
    for (size_t i = begin; i < end; i++) {
        const size_t c = g->cell[i];
        double sum = s->fluid->poisson.mark[i] && s->correction > 0 ? -s->correction * excess(s, c) : 0;
        for (int k = 0; k < 2 * g->dimension; k++) {
            const size_t face = k % 2 ? ct_cell_next(g, c, k / 2, 1) : c;
            if (face == CT_NO_CELL) continue;
            const double open = g->open[k / 2][face];
            const double flow = open * g->velocity[k / 2][face] + (1 - open) * g->solid[k / 2][face];
            sum += (k % 2 ? 1 : -1) * flow / s->fluid->cloud.grid.spacing[k / 2];
        }
        if (fabs(sum) > *most) *most = fabs(sum);
    }
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

static void spread(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    for (size_t i = begin; i < end; i++)
        fluid->grid.pressure[fluid->grid.cell[i]] = fluid->poisson.solution[i];
}

static ct_status solve(ct_fluid *fluid, const system *s, ct_error *error)
{
    ct_poisson *p = &fluid->poisson;
    ct_pool *pool = fluid->cloud.common->pool;
    const ct_fluid_def *def = &fluid->cloud.common->def.fluid;
    size_t red, count = number_cells(fluid, &red);
    memset(fluid->grid.pressure, 0, fluid->grid.blocks * fluid->grid.in_block * sizeof *fluid->grid.pressure);
    ct_status status = ct_poisson_reserve(p, count, error);
    if (status) return status;
    p->level[0].count = count, p->level[0].red = red;
    ct_pool_for(pool, count, CELLS, fill_rows, (void *)s);
    status = ct_poisson_coarsen(p, error);
    if (!status) status = ct_fluid_list_hulls(fluid, error);
    if (status) return status;
    ct_poisson_spread_marks(p);
    if (s->correction > 0) ct_pool_for(pool, count, CELLS, correct_rows, (void *)s);
    ct_poisson_result result = ct_poisson_solve(p, def->tolerance, def->iterations);
    fluid->report.iterations = result.iterations;
    fluid->report.is_converged = result.residual <= def->tolerance;
    fluid->report.volume = ((double)count - ct_fluid_filled(fluid)) * s->cell_volume;
    ct_pool_for(pool, count, CELLS, spread, fluid);
    ct_fluid_push_hulls(fluid);
    return CT_OK;
}

ct_status ct_fluid_project(ct_fluid *fluid, double dt, ct_error *error)
{
    ct_common *common = fluid->cloud.common;
    const double *dx = fluid->cloud.grid.spacing;
    kick k = {.fluid = fluid};
    ct_track_at(&common->def.gravity, common->time, k.change);
    for (int a = 0; a < 3; a++) k.change[a] *= dt;
    const double crossing =
        fluid->limits.of[CT_MEASURE_SPEED].value / fluid->cloud.grid.least_spacing; /* 1/s */
    system s = {.fluid = fluid, .cell_volume = 1};
    s.correction = common->def.fluid.correction * fmin(crossing, 1 / dt);
    for (int a = 0; a < fluid->grid.dimension; a++) s.cell_volume *= dx[a];
    ct_pool_for(common->pool, fluid->grid.blocks, GRAIN, add_gravity, &k);
    ct_fluid_mix_immersed(fluid);
    ct_fluid_diffuse(fluid, dt);
    fluid->pull = fluid->tension * dt / fluid->density;
    ct_fluid_find_curvature(fluid);
    ct_status status = solve(fluid, &s, error);
    if (status) return status;
    fluid->fastest = 0;
    ct_reduce(common->pool, fluid->grid.blocks, GRAIN, push_blocks, fluid, ct_fold_max, &fluid->fastest,
              sizeof fluid->fastest);
    double most = 0;
    ct_reduce(common->pool, fluid->poisson.level[0].count, CELLS, measure_rows, &s, ct_fold_max, &most,
              sizeof most);
    ct_fluid_push_immersed(fluid);
    fluid->report.residual = most * dt;
    if (!isfinite(fluid->fastest) || !isfinite(most))
        return ct_fail(error, CT_DIVERGED,
                       "diverged at step %llu, time %.9g s: the water's velocity is not finite",
                       (unsigned long long)common->step + 1, common->time);
    return CT_OK;
}
