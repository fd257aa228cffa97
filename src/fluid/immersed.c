/* Other kinds of matter in the water: elastic bodies, cloth, sand. Their points carry mass to the faces, as the
 * particles of the water do, and where both meet they are a mixture of one velocity and the mass of both:
 *
 *     u_f = (m_w u_w + m_s u_s)/(m_w + m_s),     u_f -= rho V/(m_w + m_s) (q_+ - q_-)/dx     after the pressure
 *     impulse on a point = m_q sum_f w_qf (u_f - u_s)
 *
 * The water's particles take u_f as any. So what one gains the other loses, to round-off: in the mixing exactly, and
 * the push of the pressure is shared by mass. The system stays symmetric, and nothing that is light or heavy makes
 * it unstable, for the mixing and the projection both take energy only.
 *
 * Where the points fill more than half of a cell it keeps its volume as water does, so a body floats, sinks and is
 * carried by the pressure around it: all of a body that the water reaches, which is held together. What is loose, as
 * sand, has such an inside where it has water within two cells, or no air within two: no pressure is to pull dry grains
 * together.
 */
#include "contact/book.h"
#include "fluid/finder.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1024 };

static const double least_density = 0.1; /* of a face, in parts of the water's: keeps the system solvable */
static const double pinned = 1e6;        /* times what fits into a cell: the mass of what does not give way */

static int body_of(const ct_immersed *points, size_t q)
{
    return points->has_bodies ? points->body[q] : 0;
}

static bool is_wet(const ct_fluid *fluid, size_t entry, const ct_immersed *points, size_t q)
{
    return fluid->wet.is_wet[entry * fluid->wet.bodies + (size_t)body_of(points, q)];
}

/* ---- Room --------------------------------------------------------------------------------------------- */

static void block_of(const ct_fluid *fluid, const double x[3], int32_t block[3])
{
    const ct_grid *grid = &fluid->cloud.grid;
    block[0] = block[1] = block[2] = 0;
    for (int a = 0; a < fluid->grid.dimension; a++)
        block[a] = (int32_t)floor((x[a] - grid->origin[a]) / grid->spacing[a]) >> 2;
}

/* A body near the water is in the grid with all of its inside. */
static ct_status add_blocks(ct_fluid *fluid, size_t entry, ct_error *error)
{
    const ct_immersed *points = fluid->border.all->immersed[entry];
    uint8_t *near = fluid->wet.is_wet + entry * fluid->wet.bodies;
    ct_status status = CT_OK;
    int32_t at[3], added;
    for (size_t q = 0; q < points->count; q++) {
        block_of(fluid, points->position[q], at);
        if (!near[body_of(points, q)] && ct_blocks_find(&fluid->cloud.grid.blocks, at) >= 0)
            near[body_of(points, q)] = 1;
    }
    for (size_t q = 0; q < points->count && !points->is_loose && !status; q++) {
        if (!near[body_of(points, q)]) continue;
        block_of(fluid, points->position[q], at);
        if (ct_blocks_find(&fluid->cloud.grid.blocks, at) < 0)
            status = ct_blocks_add(&fluid->wet.blocks, at, &added, error);
    }
    return status;
}

ct_status ct_fluid_find_immersed(ct_fluid *fluid, ct_error *error)
{
    const ct_boundary *all = fluid->border.all;
    ct_fluid_wet *wet = &fluid->wet;
    const bool had = wet->blocks.count > 0;
    ct_status status = CT_OK;
    ct_blocks_clear(&wet->blocks);
    wet->has_slender = false;
    for (size_t k = 0; k < all->immersed_count; k++) wet->has_slender |= all->immersed[k]->is_slender;
    wet->bodies = fluid->cloud.common->body_count + 1;
    if (all->immersed_count)
        status = ct_array_grow(&fluid->cloud.common->heap, &wet->is_wet, 0, &wet->wet_room,
                               wet->bodies * all->immersed_count, 1, error);
    if (!status && all->immersed_count) memset(wet->is_wet, 0, wet->bodies * all->immersed_count);
    for (size_t k = 0; k < all->immersed_count && !status; k++) status = add_blocks(fluid, k, error);
    if (status || (!had && !all->immersed_count)) return status;
    return ct_fluid_grid_reserve(fluid, error);
}

/* ---- What is there ------------------------------------------------------------------------------------ */

/* Bodies of which no point is in water or beside it do not feel it. */
static void find_wet(ct_fluid *fluid, size_t entry)
{
    const ct_immersed *points = fluid->border.all->immersed[entry];
    uint8_t *is_wet = fluid->wet.is_wet + entry * fluid->wet.bodies;
    ct_finder f = ct_finder_of(fluid);
    memset(is_wet, 0, fluid->wet.bodies);
    for (size_t q = 0; q < points->count; q++) {
        size_t cell[CT_CORNERS];
        double weight[CT_CORNERS];
        if (is_wet[body_of(points, q)]) continue;
        ct_find_corners(&f, points->position[q], -1, cell, weight);
        for (int k = 0; k < 1 << fluid->grid.dimension; k++)
            if (cell[k] != CT_NO_CELL && fluid->grid.phi[cell[k]] < 0) is_wet[body_of(points, q)] = 1;
    }
}

static double cell_volume(const ct_fluid *fluid)
{
    double volume = 1;
    for (int a = 0; a < fluid->grid.dimension; a++) volume *= fluid->cloud.grid.spacing[a];
    return volume;
}

/* What is slender leaves room in a cell, unless it is as wide as that. */
static bool is_thin(const ct_fluid *fluid, const ct_immersed *points, size_t q)
{
    const double dx = fluid->cloud.grid.least_spacing;
    return points->is_slender &&
           !(points->volume[q] >= 0.25 * 3.14159265358979323846 * dx * dx * points->length[q]);
}

/* Volumes to cells. */
static void fill_by(ct_fluid *fluid, size_t entry)
{
    const ct_immersed *points = fluid->border.all->immersed[entry];
    const double volume = cell_volume(fluid);
    ct_finder f = ct_finder_of(fluid);
    for (size_t q = 0; q < points->count; q++) {
        size_t cell[CT_CORNERS];
        double weight[CT_CORNERS];
        if (!is_wet(fluid, entry, points, q) || is_thin(fluid, points, q)) continue;
        ct_find_corners(&f, points->position[q], -1, cell, weight);
        for (int k = 0; k < 1 << fluid->grid.dimension; k++)
            if (cell[k] != CT_NO_CELL) fluid->grid.filled[cell[k]] += weight[k] * points->volume[q] / volume;
    }
}

/* Marks cells of air, and those within two cells of one. `near_next` has no other use until the next step. */
enum { DRY = 1, BESIDE = 2 };

static void find_air(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = context;
    for (size_t c = begin * g->in_block; c < end * g->in_block; c++)
        g->near_next[c] = g->kind[c] != CT_CELL_SOLID && !(g->phi[c] < 0) && g->filled[c] < 0.5;
}

/* By one cell along an axis. */
static void spread_air(const ct_fluid_grid *g, int axis)
{
    for (size_t c = 0; c < g->blocks * g->in_block; c++)
        for (int up = 0; up < 2 && !g->near_next[c]; up++) {
            const size_t other = ct_cell_next(g, c, axis, up);
            if (other != CT_NO_CELL && g->near_next[other] == DRY) g->near_next[c] = BESIDE;
        }
    for (size_t c = 0; c < g->blocks * g->in_block; c++)
        if (g->near_next[c] == BESIDE) g->near_next[c] = DRY;
}

/* Where more than half of a cell is filled, the inside of the matter is; its surface is where it is half. What is loose
 * counts if it is beside water, or deep in the matter: not where air is as near as water could be. */
static void fill_cells(ct_fluid *fluid, bool is_loose)
{
    const ct_fluid_grid *g = &fluid->grid;
    const double dx = fluid->cloud.grid.least_spacing;
    if (is_loose) ct_pool_for(fluid->cloud.common->pool, g->blocks, 16, find_air, &fluid->grid);
    for (int k = 0; k < 2 * g->dimension && is_loose; k++) spread_air(g, k % g->dimension);
    for (size_t c = 0; c < g->blocks * g->in_block; c++)
        if (g->filled[c] > 0 && !(is_loose && !g->near[c] && g->near_next[c]))
            g->phi[c] = fmin(g->phi[c], dx * fmax(0.5 - g->filled[c], -0.5));
}

static bool has_any(const ct_boundary *all, bool is_loose)
{
    for (size_t k = 0; k < all->immersed_count; k++)
        if (all->immersed[k]->is_loose == is_loose) return true;
    return false;
}

void ct_fluid_load_immersed(ct_fluid *fluid, double dt)
{
    const ct_boundary *all = fluid->border.all;
    if (!all->immersed_count) return;
    ct_fluid_find_drag(fluid, dt);
    memset(fluid->grid.filled, 0, fluid->grid.blocks * fluid->grid.in_block * sizeof *fluid->grid.filled);
    for (size_t k = 0; k < all->immersed_count; k++) find_wet(fluid, k);
    for (int is_loose = 0; is_loose < 2; is_loose++) {
        for (size_t k = 0; k < all->immersed_count; k++)
            if (all->immersed[k]->is_loose == is_loose) fill_by(fluid, k);
        if (has_any(all, is_loose)) fill_cells(fluid, is_loose);
    }
}

/* ---- One velocity ------------------------------------------------------------------------------------- */

/* How much of a point is in the water, or in the inside of the matter: what hangs above the surface, as far as faces
 * reach, does not feel it yet. */
static double share_of(ct_finder *f, const double x[3])
{
    const double dx = f->fluid->cloud.grid.least_spacing;
    size_t cell[CT_CORNERS];
    double weight[CT_CORNERS], phi = 0;
    ct_find_corners(f, x, -1, cell, weight);
    for (int k = 0; k < 1 << f->fluid->grid.dimension; k++)
        phi += weight[k] * (cell[k] != CT_NO_CELL ? f->fluid->grid.phi[cell[k]] : dx);
    return fmin(fmax(0.5 - 2 * phi / dx, 0), 1);
}

/* kg of a point that share the velocity of the water along an axis. */
static double grip_of(const ct_fluid *fluid, const ct_immersed *points, size_t q, int a)
{
    const double heaviest = pinned * fluid->density * cell_volume(fluid);
    return fmin(points->is_slender ? points->grip[q][a] : points->mass[q], heaviest);
}

/* kg of water that a point stands in for where the pressure pushes (drag.c). */
static double lift_of(const ct_fluid *fluid, const ct_immersed *points, size_t q, int a)
{
    if (!points->is_slender) return 0;
    const double gripped = points->mass[q] < INFINITY ? points->grip[q][a] / points->mass[q] : 0;
    return (1 - gripped) * fluid->density * points->volume[q];
}

/* Mass and momentum to faces; that of what is not slender is kept apart until the mixing. */
static void load_point(ct_finder *f, const ct_immersed *points, size_t q)
{
    const ct_fluid_grid *g = &f->fluid->grid;
    const double share = share_of(f, points->position[q]);
    for (int a = 0; a < g->dimension && share > 0; a++) {
        size_t cell[CT_CORNERS];
        double weight[CT_CORNERS];
        const double mass = share * grip_of(f->fluid, points, q, a),
                     lift = share * lift_of(f->fluid, points, q, a);
        ct_find_corners(f, points->position[q], a, cell, weight);
        for (int k = 0; k < 1 << g->dimension; k++) {
            if (cell[k] == CT_NO_CELL) continue;
            g->burden[a][cell[k]] += weight[k] * mass;
            g->borne[a][cell[k]] += weight[k] * mass * points->velocity[q][a];
            if (points->is_slender) g->lift[a][cell[k]] += weight[k] * lift;
            else g->ratio[a][cell[k]] += weight[k] * mass;
        }
    }
}

static void load(ct_fluid *fluid)
{
    const ct_boundary *all = fluid->border.all;
    const ct_fluid_grid *g = &fluid->grid;
    ct_finder f = ct_finder_of(fluid);
    for (int a = 0; a < g->dimension; a++) {
        double *const sums[] = {g->burden[a], g->borne[a], g->ratio[a], g->lift[a]};
        for (int k = 0; k < (fluid->wet.has_slender ? 4 : 3); k++)
            memset(sums[k], 0, g->blocks * g->in_block * sizeof(double));
    }
    for (size_t k = 0; k < all->immersed_count; k++)
        for (size_t q = 0; q < all->immersed[k]->count; q++)
            if (is_wet(fluid, k, all->immersed[k], q)) load_point(&f, all->immersed[k], q);
}

static bool is_fluid(const ct_fluid_grid *g, size_t cell)
{
    return cell != CT_NO_CELL && g->kind[cell] == CT_CELL_FLUID;
}

/* Where all that shares the face is slender, water fills it: its mass there is that of the pressure equation without
 * other matter. */
static void mix_face(const ct_fluid *fluid, int a, size_t f)
{
    const ct_fluid_grid *g = &fluid->grid;
    const double whole = fluid->density * cell_volume(fluid), water = g->weight[a][f];
    const double lift = fluid->wet.has_slender ? g->lift[a][f] : 0;
    double *burden = &g->burden[a][f], *ratio = &g->ratio[a][f];
    const bool is_shared = *ratio > 0;
    *ratio = 1;
    if (!(*burden > 0 || lift > 0)) return;
    if (*burden > 0) g->borne[a][f] /= *burden;
    if (!(g->open[a][f] > 0) || !(is_fluid(g, f) || is_fluid(g, ct_cell_next(g, f, a, 0)))) {
        *burden = 0;
        return;
    }
    const double before = water > 0 ? g->velocity[a][f] : g->borne[a][f];
    const double mass = (is_shared ? water : whole) + *burden,
                 pushed = fmax(whole - lift, least_density * whole);
    if (*burden > 0) g->velocity[a][f] = (water * before + *burden * g->borne[a][f]) / (water + *burden);
    *ratio = fmax(mass / pushed, least_density);
}

static void mix_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid *fluid = context;
    const ct_fluid_grid *g = &fluid->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++) mix_face(fluid, a, f);
}

void ct_fluid_mix_immersed(ct_fluid *fluid)
{
    if (!fluid->border.all->immersed_count) return;
    load(fluid);
    ct_pool_for(fluid->cloud.common->pool, fluid->grid.blocks, 16, mix_blocks, fluid);
}

/* ---- What the points get ------------------------------------------------------------------------------ */

typedef struct giving {
    const ct_fluid *fluid;
    const ct_immersed *points;
    size_t entry;
} giving;

/* By how much the faces are faster than what the points brought to them. */
static void find_gains(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_fluid_grid *g = &((const ct_fluid *)context)->grid;
    for (int a = 0; a < g->dimension; a++)
        for (size_t f = begin * g->in_block; f < end * g->in_block; f++)
            g->borne[a][f] = g->burden[a][f] > 0 ? g->velocity[a][f] - g->borne[a][f] : 0;
}

static void give_points(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const giving *s = context;
    const ct_fluid_grid *g = &s->fluid->grid;
    const ct_immersed *points = s->points;
    ct_finder f = ct_finder_of(s->fluid);
    for (size_t q = begin; q < end; q++) {
        double *impulse = points->impulse[q];
        impulse[0] = impulse[1] = impulse[2] = 0;
        if (!(points->mass[q] < INFINITY) || !is_wet(s->fluid, s->entry, points, q)) continue;
        const double share = share_of(&f, points->position[q]);
        for (int a = 0; a < g->dimension && share > 0; a++) {
            size_t cell[CT_CORNERS];
            double weight[CT_CORNERS], gain = 0, drop = 0;
            ct_find_corners(&f, points->position[q], a, cell, weight);
            for (int k = 0; k < 1 << g->dimension; k++) {
                if (cell[k] == CT_NO_CELL) continue;
                gain += weight[k] * g->borne[a][cell[k]];
                if (points->is_slender) drop += weight[k] * g->drop[a][cell[k]];
            }
            impulse[a] = share * grip_of(s->fluid, points, q, a) * gain -
                         share * lift_of(s->fluid, points, q, a) * drop;
        }
    }
}

void ct_fluid_push_immersed(ct_fluid *fluid)
{
    const ct_boundary *all = fluid->border.all;
    ct_pool *pool = fluid->cloud.common->pool;
    if (all->immersed_count) ct_pool_for(pool, fluid->grid.blocks, 16, find_gains, fluid);
    for (size_t k = 0; k < all->immersed_count; k++) {
        giving s = {fluid, all->immersed[k], k};
        ct_pool_for(pool, s.points->count, GRAIN, give_points, &s);
        s.points->take(s.points->owner);
    }
}

double ct_fluid_filled(const ct_fluid *fluid)
{
    const ct_fluid_grid *g = &fluid->grid;
    double sum = 0;
    for (size_t i = 0; i < fluid->poisson.level[0].count && fluid->border.all->immersed_count; i++)
        sum += fmin(g->filled[g->cell[i]], 1);
    return sum;
}

/* ---- The book ----------------------------------------------------------------------------------------- */

static void add_point(const ct_immersed *points, size_t q, double sum[7])
{
    const double *x = points->position[q], *j = points->impulse[q], *v = points->velocity[q];
    for (int a = 0; a < 3; a++) {
        const int n = (a + 1) % 3, m = (a + 2) % 3;
        sum[a] += j[a];
        sum[3 + a] += x[n] * j[m] - x[m] * j[n];
        sum[6] += j[a] * (v[a] + (points->mass[q] > 0 ? 0.5 * j[a] / points->mass[q] : 0));
    }
}

/* Both sides of what passed; the work on the water is what it lost at the points. */
ct_status ct_fluid_book_immersed(ct_fluid *fluid, int party, ct_book *book, ct_error *error)
{
    const ct_boundary *all = fluid->border.all;
    ct_heap *heap = &fluid->cloud.common->heap;
    ct_status status = CT_OK;
    for (size_t k = 0; k < all->immersed_count; k++) {
        const ct_immersed *points = all->immersed[k];
        for (size_t q = 0, next; q < points->count && !status; q = next) {
            double sum[7] = {0}, opposite[7];
            const int owner = points->has_bodies ? CT_PARTY_BODY + points->body[q] : points->party;
            for (next = q; next < points->count && body_of(points, next) == body_of(points, q); next++)
                if (points->mass[next] < INFINITY) add_point(points, next, sum);
            bool is_any = false;
            for (int c = 0; c < 7; c++) is_any |= sum[c] != 0, opposite[c] = -sum[c];
            if (is_any) status = ct_book_enter(book, heap, owner, party, sum, sum + 3, sum[6], error);
            if (is_any && !status)
                status = ct_book_enter(book, heap, party, owner, opposite, opposite + 3, opposite[6], error);
        }
    }
    return status;
}
