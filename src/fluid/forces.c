/* What the water does to colliders: all that its particles lost, once.
 *
 * In a step the particles get the momentum sum over faces m (u - u^n - g dt) beyond gravity, with the transferred masses
 * m: G2P is the transpose of P2G. Of a pressure q the equation (project.c) believes that a face gets
 *
 *     N = -rho V w (q_+ - q_-) / dx,    q = 0 in air
 *
 * whose sum over all faces is the opposite of what those that are covered hand on, rho q (1 - w) A of either side. But a face
 * at the surface, in a film or beside a collider has other particles than the whole face that N is for: the level set has
 * more water than they are. With what is missing
 *
 *     L = m (u - u^n - g dt) - N
 *
 * all that the particles got is -(what covered faces hand on) + sum L. Who feels L is a matter of the flow, too: the pressure
 * q' whose N is next to L is what the water that is not there would have added. So colliders get the pressure q + q'; of
 * the rest, L - N', a face that a collider covers gives all to it, and an open one to what covers the face that is
 * next through the water. However well q' is solved for, the sum is that of the particles.
 *
 * Faces that the water shares with other matter (immersed.c) have no L: they move as one, with masses that are known. */
#include "core/track.h"
#include "fluid/fluid.h"

enum {
    GRAIN = 16,
    CELLS = 1024,
    ITERATIONS = 8, /* for q', to a hundredth: it decides who feels what is missing, not how much that is */
    AIR_LAYERS = 2  /* of cells beside the water, of air or in walls, that have faces with particles */
};

static const double TOLERANCE = 0.01;

typedef struct pressing {
    const ct_fluid *fluid;
    double fall[3];     /* m/s, by gravity */
    double cell_volume; /* m^d */
} pressing;

static ct_touch *touch_of(const ct_fluid *fluid, size_t b, uint32_t collider)
{
    const ct_touches *touches = &fluid->border.touches;
    for (size_t k = touches->first[b]; k < touches->first[b + 1]; k++)
        if (touches->list[k].collider == collider) return &touches->list[k];
    return NULL;
}

/* The collider that covers a face, or -1. */
static int collider_at(const ct_fluid *fluid, int a, size_t face)
{
    const int number = fluid->grid.owner[a][face] - CT_OWNER_COLLIDER;
    return number >= 0 && (size_t)number < fluid->border.all->collider_count ? number : -1;
}

/* ---- What is missing ---------------------------------------------------------------------------------- */

static bool is_fluid(const ct_fluid_grid *g, size_t cell)
{
    return cell != CT_NO_CELL && g->kind[cell] == CT_CELL_FLUID;
}

/* q' of a cell. */
static double extra_of(const ct_fluid *fluid, size_t cell)
{
    return is_fluid(&fluid->grid, cell) ? fluid->poisson.solution[fluid->grid.number[cell]] : 0;
}

/* What the equation believes that a face gets, N s. */
static double believed(const pressing *s, int a, size_t face, double q_above, double q_below)
{
    const double *dx = s->fluid->cloud.grid.spacing;
    return -s->fluid->density * s->cell_volume * s->fluid->grid.open[a][face] * (q_above - q_below) / dx[a];
}

static bool is_shared(const ct_fluid *fluid, int a, size_t face)
{
    return fluid->border.all->immersed_count &&
           (fluid->grid.burden[a][face] > 0 || (fluid->wet.has_slender && fluid->grid.lift[a][face] > 0));
}

static double missing_of(const pressing *s, int a, size_t face)
{
    const ct_fluid_grid *g = &s->fluid->grid;
    if (is_shared(s->fluid, a, face)) return 0;
    const size_t below = ct_cell_next(g, face, a, 0);
    const double q = below == CT_NO_CELL ? 0 : g->pressure[below];
    const double got = g->weight[a][face] > 0
                           ? g->weight[a][face] * (g->velocity[a][face] - g->before[a][face] - s->fall[a])
                           : 0;
    return got - believed(s, a, face, g->pressure[face], q);
}

static void find_missing(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pressing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++)
            g->waiting[a][f] = missing_of(s, a, f);
}

static bool is_open(const ct_fluid_grid *g, int a, size_t face)
{
    return face != CT_NO_CELL && g->open[a][face] > 0;
}

/* The part of a closed face that each of the open ones beside it takes. */
static double part_of(const ct_fluid_grid *g, int a, size_t closed)
{
    int count = 0;
    for (int k = 0; k < 2 * g->dimension; k++) count += is_open(g, a, ct_cell_next(g, closed, k / 2, k % 2));
    return g->waiting[a][closed] / count;
}

/* L of an open face, with what lies on closed ones beside it. */
static double gathered(const ct_fluid_grid *g, int a, size_t face)
{
    double sum = g->waiting[a][face];
    for (int k = 0; k < 2 * g->dimension; k++) {
        const size_t other = ct_cell_next(g, face, k / 2, k % 2);
        if (other != CT_NO_CELL && !(g->open[a][other] > 0)) sum += part_of(g, a, other);
    }
    return sum;
}

/* The right hand side of q': L of open faces as a velocity of what they are in the equation. Beside solids some particles
 * lie on closed faces and are missing on open ones, so that the two go together. */
static void fill_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pressing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t i = begin; i < end; i++) {
        const size_t c = g->cell[i];
        double sum = 0;
        for (int k = 0; k < 2 * g->dimension; k++) {
            const int a = k / 2, up = k % 2;
            const size_t other = ct_cell_next(g, c, a, up), face = up ? other : c;
            if (!is_open(g, a, face)) continue;
            const bool is_surface = other != CT_NO_CELL && g->kind[other] == CT_CELL_AIR;
            const double theta = is_surface ? ct_fluid_theta(g, c, other) : 1;
            sum += (up ? 1 : -1) * gathered(g, a, face) / (theta * s->fluid->cloud.grid.spacing[a]);
        }
        s->fluid->poisson.level[0].b[i] = sum / (s->fluid->density * s->cell_volume);
    }
}

static void take_extra(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pressing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++)
            g->waiting[a][f] -=
                believed(s, a, f, extra_of(s->fluid, f), extra_of(s->fluid, ct_cell_next(g, f, a, 0)));
}

/* ---- On covered faces --------------------------------------------------------------------------------- */

/* The collider gets an impulse along axis a that acts at x; there it moves with `own` along the axis. */
static void book(ct_touch *touch, const ct_collider *collider, int a, const double x[3], double impulse,
                 double own)
{
    const int n = (a + 1) % 3, m = (a + 2) % 3;
    touch->impulse[a] += impulse;
    touch->angular_impulse[n] += (x[m] - collider->after.position[m]) * impulse; /* r x e_a */
    touch->angular_impulse[m] -= (x[n] - collider->after.position[n]) * impulse;
    touch->work -= impulse * own;
}

/* The impulse that a face gives what covers it, along its axis, N s. */
static double impulse_of(const pressing *s, int a, size_t face)
{
    const ct_fluid *fluid = s->fluid;
    const ct_fluid_grid *g = &fluid->grid;
    const size_t below = ct_cell_next(g, face, a, 0);
    const double area = s->cell_volume / fluid->cloud.grid.spacing[a];
    double q = -g->pressure[face] - extra_of(fluid, face);
    if (below != CT_NO_CELL) q += g->pressure[below] + extra_of(fluid, below);
    return fluid->density * q * (1 - g->open[a][face]) * area - g->waiting[a][face];
}

static void press(const pressing *s, size_t b, int a, size_t face)
{
    const ct_fluid *fluid = s->fluid;
    const int number = collider_at(fluid, a, face);
    if (number < 0) return;
    ct_touch *touch = touch_of(fluid, b, (uint32_t)number);
    const double impulse = impulse_of(s, a, face);
    if (!touch || impulse == 0) return;
    double x[3];
    ct_fluid_place(fluid, face, a, x);
    book(touch, &fluid->border.all->colliders[number], a, x, impulse, fluid->grid.solid[a][face]);
}

static void press_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const pressing *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    for (size_t b = begin; b < end; b++) {
        if (s->fluid->border.touches.first[b] == s->fluid->border.touches.first[b + 1]) continue;
        for (int a = 0; a < g->dimension; a++)
            for (size_t f = b * g->in_block; f < (b + 1) * g->in_block; f++) press(s, b, a, f);
    }
}

/* ---- On open faces ------------------------------------------------------------------------------------ */

/* Whether what covers a side of a cell can feel an impulse along an axis: walls that let water slide do not feel what goes
 * along them. */
static bool feels(const ct_fluid *fluid, size_t face, int side, int axis)
{
    const uint16_t owner = fluid->grid.owner[side / 2][face];
    if (owner == CT_OWNER_NONE || owner == CT_OWNER_SLIP) return false;
    if (owner != CT_OWNER_ACROSS || side / 2 == axis) return true;
    return fluid->viscosity > 0 && fluid->border.all->walls[side].type == CT_WALL_NO_SLIP;
}

/* The covered face of a cell that has the least open, as 1 + 3 face + axis; 0: it has none. */
static size_t cover_of(const ct_fluid *fluid, size_t c, int axis)
{
    const ct_fluid_grid *g = &fluid->grid;
    size_t cover = 0;
    double least = 1;
    for (int k = 0; k < 2 * g->dimension; k++) {
        const size_t face = k % 2 ? ct_cell_next(g, c, k / 2, 1) : c;
        if (face == CT_NO_CELL || !(g->open[k / 2][face] < least) || !feels(fluid, face, k, axis)) continue;
        least = g->open[k / 2][face];
        cover = 1 + 3 * face + (size_t)k / 2;
    }
    return cover;
}

/* Hands the cover of a cell to its neighbours that are water, or only to those that are not; returns the end of the list. */
static size_t hand_on(const ct_fluid_grid *g, size_t c, bool in_water, size_t *list, size_t count)
{
    size_t *cover = g->front[1];
    for (int k = 0; k < 2 * g->dimension; k++) {
        const size_t other = ct_cell_next(g, c, k / 2, k % 2);
        if (other == CT_NO_CELL || cover[other] || is_fluid(g, other) != in_water) continue;
        if (in_water && !(g->open[k / 2][k % 2 ? other : c] > 0)) continue;
        cover[other] = cover[c];
        list[count++] = other;
    }
    return count;
}

/* Which covered face that feels an axis is next to every cell: breadth first through the water from the cells that have one, and a little
 * into the air and walls. Working memory of the extrapolation, whose use is over, has the list and the answer. */
static void find_covers(const ct_fluid *fluid, int axis)
{
    const ct_fluid_grid *g = &fluid->grid;
    size_t *list = g->front[0], *cover = g->front[1], count = 0, done = 0;
    for (size_t c = 0; c < g->blocks * g->in_block; c++) {
        cover[c] = is_fluid(g, c) ? cover_of(fluid, c, axis) : 0;
        if (cover[c]) list[count++] = c;
    }
    for (; done < count; done++) count = hand_on(g, list[done], true, list, count);
    done = 0;
    for (int layer = 0; layer < AIR_LAYERS; layer++)
        for (const size_t end = count; done < end; done++) count = hand_on(g, list[done], false, list, count);
}

static void give_face(const pressing *s, int a, size_t face)
{
    const ct_fluid *fluid = s->fluid;
    const ct_fluid_grid *g = &fluid->grid;
    const size_t below = ct_cell_next(g, face, a, 0);
    size_t cover = g->front[1][face];
    if (!cover && below != CT_NO_CELL) cover = g->front[1][below];
    const bool is_free = g->owner[a][face] == CT_OWNER_NONE || g->owner[a][face] == CT_OWNER_SLIP;
    if (!cover || !is_free || g->waiting[a][face] == 0) return;
    const size_t by = (cover - 1) / 3, b = by >> g->block_shift;
    const int axis = (int)((cover - 1) % 3), number = collider_at(fluid, axis, by);
    if (number < 0 || b >= fluid->cloud.grid.blocks.count) return;
    const ct_collider *collider = &fluid->border.all->colliders[number];
    ct_touch *touch = touch_of(fluid, b, (uint32_t)number);
    double x[3], own[3];
    if (!touch) return;
    ct_fluid_place(fluid, by, axis, x);
    ct_collider_velocity(collider, x, own);
    ct_fluid_place(fluid, face, a, x);
    book(touch, collider, a, x, -g->waiting[a][face], own[a]);
}

void ct_fluid_press(ct_fluid *fluid, double dt)
{
    const ct_common *common = fluid->cloud.common;
    ct_fluid_grid *g = &fluid->grid;
    if (!fluid->border.all->collider_count) return;
    pressing s = {.fluid = fluid, .cell_volume = 1};
    ct_track_at(&common->def.gravity, common->time, s.fall);
    for (int a = 0; a < 3; a++) s.fall[a] *= dt;
    for (int a = 0; a < g->dimension; a++) s.cell_volume *= fluid->cloud.grid.spacing[a];
    ct_pool_for(common->pool, g->blocks, GRAIN, find_missing, &s);
    ct_pool_for(common->pool, fluid->poisson.level[0].count, CELLS, fill_rows, &s);
    ct_poisson_solve(&fluid->poisson, TOLERANCE, ITERATIONS);
    ct_pool_for(common->pool, g->blocks, GRAIN, take_extra, &s);
    ct_pool_for(common->pool, fluid->cloud.grid.blocks.count, GRAIN, press_blocks, &s);
    for (int a = 0; a < g->dimension; a++) {
        find_covers(fluid, a);
        for (size_t f = 0; f < g->blocks * g->in_block; f++) give_face(&s, a, f);
    }
}
