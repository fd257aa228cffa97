/* Viscosity, implicit, in variational form (Batty and Bridson 2008): the velocity after it is the minimum of
 *
 *     sum over faces  V_f (u - u*)^2 / 2  +  dt nu ( sum over cells V_c (du_a/da)^2
 *                                                  + sum over edges V_e (du_a/db + du_b/da)^2 / 2 )
 *
 * where the V are how much of the volume around a face, cell or edge is water: 0 in air, so that the free surface
 * bears no stress, and rigid motion costs nothing. The gradient of this is a symmetric and positive matrix, solved by
 * conjugate gradients with its diagonal: dt nu/dx^2 is of the order of one even for honey.
 *
 *          +---u_a---+        shear stress stands on edges: between the two faces of axis a beside it along b, and
 *          |    :    |        the two of axis b along a. On a wall that holds water one of them lies behind it:
 *     u_b .|...edge..|. u_b   then the wall's velocity counts, at the edge, half a spacing from the other, and half
 *          |    :    |        of the volume is water. Walls that let water slide bear no shear.
 *          +---u_a---+
 */
#include "core/reduce.h"
#include "fluid/fluid.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8 };

/* Of a face. */
enum { IN_AIR, UNKNOWN, FIXED, SLIDES };

/* Of an edge: water in how many of its four cells, and which difference is taken over half a spacing. */
enum { QUARTERS = 7, HALF_LOWER = 8, HALF_UPPER = 16 };

typedef struct flow {
    const ct_fluid *fluid;
    double factor;    /* m^2, dt nu */
    double *const *x; /* the field that the matrix is applied to */
    double number;    /* of a vector operation */
} flow;

/* Edges of a cell by the two axes that they are across, a < b: the one at its low corner. */
static int edge_of(int a, int b)
{
    return a + b - 1;
}

/* ---- What faces and edges are ------------------------------------------------------------------------- */

static uint8_t face_state(const ct_fluid *fluid, int a, size_t c)
{
    const ct_fluid_grid *g = &fluid->grid;
    const ct_boundary *all = fluid->border.all;
    const int owner = g->owner[a][c];
    const size_t below = ct_cell_next(g, c, a, 0);
    if (g->open[a][c] > 0)
        return g->kind[c] == CT_CELL_FLUID || (below != CT_NO_CELL && g->kind[below] == CT_CELL_FLUID)
                   ? UNKNOWN
                   : IN_AIR;
    if (owner >= CT_OWNER_COLLIDER) {
        const size_t solid = (size_t)owner - CT_OWNER_COLLIDER;
        return solid < all->collider_count && all->colliders[solid].contact == CT_CONTACT_STICKY ? FIXED
                                                                                                 : SLIDES;
    }
    return owner == CT_OWNER_SLIP ? SLIDES : FIXED;
}

static void find_faces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++) {
            g->drag.face[a][f] = face_state(fluid, a, f);
            if (g->drag.face[a][f] == FIXED) g->velocity[a][f] = g->solid[a][f];
        }
}

/* Whether one of two faces moves and the other is held by a wall or a collider; the flow within sources goes on. */
static bool is_at_wall(const ct_fluid_grid *g, int a, size_t one, size_t other)
{
    const size_t held = g->drag.face[a][one] == FIXED ? one : other;
    return (g->drag.face[a][one] == FIXED) != (g->drag.face[a][other] == FIXED) &&
           g->owner[a][held] != CT_OWNER_SOURCE;
}

static uint8_t edge_state(const ct_fluid_grid *g, int a, int b, size_t c)
{
    const size_t left = ct_cell_next(g, c, a, 0), below = ct_cell_next(g, c, b, 0);
    const size_t corner = left == CT_NO_CELL ? CT_NO_CELL : ct_cell_next(g, left, b, 0);
    if (below == CT_NO_CELL || corner == CT_NO_CELL) return 0;
    const uint8_t faces[4] = {g->drag.face[a][c], g->drag.face[a][below], g->drag.face[b][c],
                              g->drag.face[b][left]};
    const size_t cells[4] = {c, left, below, corner};
    int wet = 0;
    for (int k = 0; k < 4; k++) {
        if (faces[k] == IN_AIR || faces[k] == SLIDES) return 0;
        wet += g->kind[cells[k]] == CT_CELL_FLUID;
    }
    return (uint8_t)(wet | (is_at_wall(g, a, c, below) ? HALF_LOWER : 0) |
                     (is_at_wall(g, b, c, left) ? HALF_UPPER : 0));
}

static void find_edges(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = &((const ct_fluid *)context)->grid;
    for (int b = 1; b < g->dimension; b++)
        for (int a = 0; a < b; a++)
            for (size_t c = begin * g->in_block; c < end * g->in_block; c++)
                g->drag.edge[edge_of(a, b)][c] = edge_state(g, a, b, c);
}

/* 1/m: by which a difference of the faces of axis a along b is a slope. */
static double slope_of(const flow *s, uint8_t edge, int a, int b)
{
    const bool is_half = edge & (a < b ? HALF_LOWER : HALF_UPPER);
    return (is_half ? 2 : 1) / s->fluid->cloud.grid.spacing[b];
}

static double wet(const ct_fluid_grid *g, size_t cell)
{
    return cell != CT_NO_CELL && g->kind[cell] == CT_CELL_FLUID;
}

/* ---- The matrix --------------------------------------------------------------------------------------- */

static void find_stress(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++) {
        for (int a = 0; a < g->dimension; a++) {
            g->drag.normal[a][c] = 0;
            if (g->kind[c] != CT_CELL_FLUID) continue;
            const size_t above = ct_cell_next(g, c, a, 1);
            if (above != CT_NO_CELL)
                g->drag.normal[a][c] =
                    2 * s->factor * (s->x[a][above] - s->x[a][c]) / s->fluid->cloud.grid.spacing[a];
        }
        for (int b = 1; b < g->dimension; b++)
            for (int a = 0; a < b; a++) {
                const uint8_t edge = g->drag.edge[edge_of(a, b)][c];
                g->drag.shear[edge_of(a, b)][c] = 0;
                if (!(edge & QUARTERS)) continue;
                const size_t left = ct_cell_next(g, c, a, 0), below = ct_cell_next(g, c, b, 0);
                const double slope = slope_of(s, edge, a, b) * (s->x[a][c] - s->x[a][below]) +
                                     slope_of(s, edge, b, a) * (s->x[b][c] - s->x[b][left]);
                g->drag.shear[edge_of(a, b)][c] = 0.25 * (edge & QUARTERS) * s->factor * slope;
            }
    }
}

/* Minus the divergence of the stress, times the volume: what the matrix does beside V_f. */
static double pull_of(const flow *s, int a, size_t c)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    const size_t left = ct_cell_next(g, c, a, 0);
    double sum = ((left == CT_NO_CELL ? 0 : g->drag.normal[a][left]) - g->drag.normal[a][c]) /
                 s->fluid->cloud.grid.spacing[a];
    for (int b = 0; b < g->dimension; b++) {
        if (b == a) continue;
        const int edge = edge_of(a, b);
        const size_t above = ct_cell_next(g, c, b, 1);
        sum += slope_of(s, g->drag.edge[edge][c], a, b) * g->drag.shear[edge][c];
        if (above != CT_NO_CELL)
            sum -= slope_of(s, g->drag.edge[edge][above], a, b) * g->drag.shear[edge][above];
    }
    return sum;
}

static double volume_of(const ct_fluid_grid *g, int a, size_t c)
{
    return 0.5 * (wet(g, c) + wet(g, ct_cell_next(g, c, a, 0)));
}

static double diagonal_of(const flow *s, int a, size_t c)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    const double dx = s->fluid->cloud.grid.spacing[a];
    double sum = volume_of(g, a, c) * (1 + 4 * s->factor / (dx * dx));
    for (int b = 0; b < g->dimension; b++) {
        if (b == a) continue;
        const size_t cells[2] = {c, ct_cell_next(g, c, b, 1)};
        for (int k = 0; k < 2; k++) {
            if (cells[k] == CT_NO_CELL) continue;
            const uint8_t edge = g->drag.edge[edge_of(a, b)][cells[k]];
            const double slope = slope_of(s, edge, a, b);
            sum += 0.25 * (edge & QUARTERS) * s->factor * slope * slope;
        }
    }
    return sum;
}

/* ---- Conjugate gradients ------------------------------------------------------------------------------ */

typedef struct measured {
    double sum, most;
} measured;

static void fold(void *into, const void *from, size_t size)
{
    (void)size;
    measured *all = into;
    const measured *one = from;
    all->sum += one->sum;
    all->most = fmax(all->most, one->most);
}

static measured reduce(flow *s, ct_reduce_body body, double number)
{
    measured partial[CT_PIECES], all = {0};
    s->number = number;
    ct_reduce_pieces(s->fluid->cloud.common->pool, s->fluid->grid.blocks, GRAIN, body, s, fold, partial, &all,
                     sizeof all);
    return all;
}

#define EACH_FACE(g, a, f)                   \
    for (int a = 0; a < (g)->dimension; a++) \
        for (size_t f = begin * (g)->in_block; f < end * (g)->in_block; f++)

/* r = V u* - A u*, and d = 0; the largest |V u*|. */
static void begin_faces(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    measured *m = result;
    EACH_FACE(g, a, f)
    {
        const bool is_unknown = g->drag.face[a][f] == UNKNOWN;
        g->drag.residual[a][f] = is_unknown ? -pull_of(s, a, f) : 0;
        g->drag.inverse[a][f] = is_unknown ? 1 / diagonal_of(s, a, f) : 0;
        g->drag.direction[a][f] = 0;
        if (is_unknown) m->most = fmax(m->most, volume_of(g, a, f) * fabs(s->x[a][f]));
    }
}

static void product(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    measured *m = result;
    EACH_FACE(g, a, f)
    {
        const double r = g->drag.residual[a][f];
        m->sum += r * r * g->drag.inverse[a][f];
        m->most = fmax(m->most, fabs(r));
    }
}

static void turn(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    EACH_FACE(g, a, f)
    g->drag.direction[a][f] =
        g->drag.inverse[a][f] * g->drag.residual[a][f] + s->number * g->drag.direction[a][f];
}

static void apply(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    measured *m = result;
    EACH_FACE(g, a, f)
    {
        if (g->drag.face[a][f] != UNKNOWN) continue;
        const double image = volume_of(g, a, f) * s->x[a][f] + pull_of(s, a, f);
        g->drag.image[a][f] = image;
        m->sum += image * s->x[a][f];
    }
}

static void advance(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const flow *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    EACH_FACE(g, a, f)
    {
        if (g->drag.face[a][f] != UNKNOWN) continue;
        g->velocity[a][f] += s->number * g->drag.direction[a][f];
        g->drag.residual[a][f] -= s->number * g->drag.image[a][f];
    }
}

void ct_fluid_diffuse(ct_fluid *fluid, double dt)
{
    ct_fluid_grid *g = &fluid->grid;
    ct_pool *pool = fluid->cloud.common->pool;
    const ct_fluid_def *def = &fluid->cloud.common->def.fluid;
    flow s = {.fluid = fluid, .factor = dt * fluid->viscosity / fluid->density, .x = g->velocity};
    fluid->report.viscous_iterations = 0;
    if (!(fluid->viscosity > 0)) return;
    ct_pool_for(pool, g->blocks, GRAIN, find_faces, fluid);
    ct_pool_for(pool, g->blocks, GRAIN, find_edges, fluid);
    ct_pool_for(pool, g->blocks, GRAIN, find_stress, &s);
    const double enough = def->tolerance * reduce(&s, begin_faces, 0).most;
    s.x = g->drag.direction;
    measured now = reduce(&s, product, 0);
    double last = 0;
    while (now.most > enough && fluid->report.viscous_iterations < def->iterations) {
        s.number = last > 0 ? now.sum / last : 0;
        ct_pool_for(pool, g->blocks, GRAIN, turn, &s);
        ct_pool_for(pool, g->blocks, GRAIN, find_stress, &s);
        const double curvature = reduce(&s, apply, 0).sum;
        if (!(curvature > 0)) break;
        s.number = now.sum / curvature;
        ct_pool_for(pool, g->blocks, GRAIN, advance, &s);
        last = now.sum;
        now = reduce(&s, product, 0);
        fluid->report.viscous_iterations++;
    }
    fluid->report.is_smooth = now.most <= enough;
}
