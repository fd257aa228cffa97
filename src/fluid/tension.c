/* Surface tension: at the surface the pressure is sigma kappa above that of the air (ghost fluid, project.c). The
 * curvature kappa = div n comes from the volume c of the particles in the cells, smoothed until single particles do
 * not show: by G, 16 turns of [1 2 1]/4 along each axis, a width of 2.8 spacings. That alone would flatten what bends, a
 * swing of a drop with n waves to exp(-n^2 (2.8 dx)^2/(2 R^2)) of its height; of 2 G c - G G c, what is missing is the
 * square of what was. More reach beyond the blocks of the grid. Behind walls the smoothed volume goes on as it is
 * before them, so that water meets them at a right angle.
 *
 * A level of c beside the surface is bent as a surface at that distance d from the volume of the particles is:
 * kappa_0 = kappa/(1 - kappa d/(D - 1)), and d is phi and what the level set lies outside of that volume. */
#include "fluid/fluid.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8, TURNS = 16 };

typedef struct smoothing {
    const ct_fluid *fluid;
    int axis;
    double cell; /* m^d */
    const double *from;
    double *to;
    double outside; /* m, of the level set beyond the volume of the particles */
} smoothing;

static void fill(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const smoothing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) s->to[c] = g->volume[c] / s->cell;
}

/* Where the grid ends there is air. */
static double beside(const ct_fluid_grid *g, const double *values, size_t c, int a, int up)
{
    const size_t other = ct_cell_next(g, c, a, up);
    if (other == CT_NO_CELL) return 0;
    return g->kind[other] == CT_CELL_SOLID ? values[c] : values[other];
}

static void smooth(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const smoothing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++)
        s->to[c] =
            0.25 * (2 * s->from[c] + beside(g, s->from, c, s->axis, 0) + beside(g, s->from, c, s->axis, 1));
}

/* The value two steps away, along a and then along b. */
static double across(const ct_fluid_grid *g, const double *values, size_t c, int a, int up, int b, int over)
{
    const size_t other = ct_cell_next(g, c, a, up);
    if (other == CT_NO_CELL) return 0;
    return beside(g, values, g->kind[other] == CT_CELL_SOLID ? c : other, b, over);
}

/* div(-grad v / |grad v|) = (grad v . H grad v - |grad v|^2 tr H) / |grad v|^3 */
static double curvature_at(const ct_fluid *fluid, const double *v, size_t c)
{
    const ct_fluid_grid *g = &fluid->grid;
    const double *dx = fluid->cloud.grid.spacing;
    double slope[3] = {0}, square = 0, trace = 0, along = 0;
    for (int a = 0; a < g->dimension; a++) {
        slope[a] = (beside(g, v, c, a, 1) - beside(g, v, c, a, 0)) / (2 * dx[a]);
        square += slope[a] * slope[a];
    }
    for (int a = 0; a < g->dimension; a++) {
        const double bend = (beside(g, v, c, a, 1) - 2 * v[c] + beside(g, v, c, a, 0)) / (dx[a] * dx[a]);
        trace += bend;
        along += slope[a] * slope[a] * bend;
        for (int b = 0; b < a; b++)
            along += 2 * slope[a] * slope[b] *
                     (across(g, v, c, a, 1, b, 1) - across(g, v, c, a, 1, b, 0) -
                      across(g, v, c, a, 0, b, 1) + across(g, v, c, a, 0, b, 0)) /
                     (4 * dx[a] * dx[b]);
    }
    const double most = (g->dimension - 1) / fluid->cloud.grid.least_spacing;
    if (!(square > 0)) return 0;
    return fmin(fmax((along - square * trace) / (square * sqrt(square)), -most), most);
}

/* Of the surface that is as far from the volume of the particles as the cell is, to that of the volume. */
static double at_surface(const smoothing *s, double curvature, size_t c)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    const double dx = s->fluid->cloud.grid.least_spacing;
    const double away = fmin(fmax(g->phi[c] + s->outside, -dx), 2 * dx);
    return curvature / fmax(1 - curvature * away / (g->dimension - 1), 0.5);
}

static void find_curvature(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const smoothing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        bool is_at_surface = false;
        for (int k = 0; k < 2 * g->dimension && g->kind[c] != CT_CELL_SOLID && !is_at_surface; k++) {
            const size_t other = ct_cell_next(g, c, k / 2, k % 2);
            is_at_surface = other != CT_NO_CELL && g->kind[other] + g->kind[c] == CT_CELL_AIR + CT_CELL_FLUID;
        }
        s->to[c] = is_at_surface ? at_surface(s, curvature_at(s->fluid, s->from, c), c) : 0;
    }
}

/* 2 v - G v, with v in `from` and G v in `to`. */
static void sharpen(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const smoothing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) s->to[c] = 2 * s->from[c] - s->to[c];
}

/* G, from smooth[0] to smooth[0]. */
static void smooth_all(smoothing *s)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    for (int k = 0; k < TURNS * g->dimension; k++) {
        s->axis = k % g->dimension;
        s->from = g->smooth[k % 2], s->to = g->smooth[1 - k % 2];
        ct_pool_for(s->fluid->cloud.common->pool, g->blocks, GRAIN, smooth, s);
    }
}

void ct_fluid_find_curvature(ct_fluid *fluid)
{
    ct_fluid_grid *g = &fluid->grid;
    ct_pool *pool = fluid->cloud.common->pool;
    const double dx = fluid->cloud.grid.least_spacing;
    smoothing s = {.fluid = fluid, .cell = 1, .to = g->smooth[0]};
    if (!(fluid->tension > 0)) return;
    for (int a = 0; a < g->dimension; a++) s.cell *= fluid->cloud.grid.spacing[a];
    s.outside = sqrt(fluid->radius * fluid->radius - (g->dimension - 1) * dx * dx / 16) - dx / 4;
    ct_pool_for(pool, g->blocks, GRAIN, fill, &s);
    smooth_all(&s);
    memcpy(g->curvature, g->smooth[0], g->blocks * g->in_block * sizeof *g->curvature);
    smooth_all(&s);
    s.from = g->curvature, s.to = g->smooth[0];
    ct_pool_for(pool, g->blocks, GRAIN, sharpen, &s);
    s.from = g->smooth[0], s.to = g->curvature;
    ct_pool_for(pool, g->blocks, GRAIN, find_curvature, &s);
}
