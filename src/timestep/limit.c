#include "timestep/limit.h"

#include "core/rows.h"
#include "timestep/criteria.h"
#include "timestep/ledger.h"
#include "timestep/limiter.h"
#include "transfer/extremes.h"

#include <math.h>

enum { GRAIN = 16 };

/* A step is not shortened for less than this above a limit: rounding, and what walls change after a patch. */
static const double TOLERANCE = 0.01;

typedef struct limiting {
    ct_world *world;
    ct_transfer transfer;
    double dt;
    double cells[CT_DIM];             /* m/s across a cell in dt, by axis */
    double displacement, deformation; /* limits; INFINITY where the criterion is off */
    double own; /* m/s that particles may move on their own beside the grid's velocity */
    bool has_before;
} limiting;

static limiting make_limit(ct_world *world, double dt)
{
    const ct_step_def *def = &world->def.step;
    limiting l = {.world = world, .dt = dt, .displacement = INFINITY, .deformation = INFINITY};
    if (def->criteria & CT_CRITERION_DISPLACEMENT) l.displacement = def->displacement_limit;
    if (def->criteria & CT_CRITERION_DEFORMATION) l.deformation = def->deformation_limit;
    CT_FOR(a, CT_DIM) l.cells[a] = world->grid.spacing[a] / dt;
    l.has_before = world->grid.before != NULL;
    for (size_t b = 0; b < world->body_count; b++) {
        const ct_scheme *scheme = &world->bodies[b].scheme;
        double shift = scheme->shift * fmax(scheme->beta_min, scheme->beta_max);
        l.own = fmax(l.own, 2 * shift * world->limits[CT_MEASURE_SPEED].value);
    }
    return l;
}

/* ---- the screen --------------------------------------------------------------------------------------- */

/* The most that the velocity of a node may be, and the difference to the next one along each axis, m/s. */
typedef struct sieve {
    ct_real speed[CT_DIM], difference[CT_DIM][CT_DIM];
} sieve;

static sieve make_sieve(const limiting *l)
{
    const double most = CT_IS_DOUBLE ? DBL_MAX : (double)FLT_MAX;
    sieve s;
    CT_FOR(a, CT_DIM) {
        s.speed[a] = (ct_real)fmin(l->displacement * l->cells[a] - l->own, most);
        CT_FOR(k, CT_DIM) s.difference[a][k] = (ct_real)fmin(l->deformation * l->cells[a], most);
    }
    return s;
}

static bool exceeds(const ct_real *a, const ct_real *b, const ct_real *most)
{
    bool found = false;
    CT_FOR(k, CT_DIM) {
        ct_real difference = a[k] - b[k];
        found |= difference > most[k] || -difference > most[k];
    }
    return found;
}

/* The least and the largest of each component over nodes of a block, empty ones included. */
typedef struct span {
    ct_lane low[CT_ROW], high[CT_ROW];
} span;

static void widen(span *s, const ct_real *nodes)
{
    CT_FOR(n, CT_BLOCK_NODES * CT_NODE / CT_ROW_NUMBERS)
        CT_UNROLL(l, CT_ROW) {
            ct_lane at = ct_lane_load(nodes + n * CT_ROW_NUMBERS + l * CT_LANES);
            s->low[l] = ct_lane_min(s->low[l], at);
            s->high[l] = ct_lane_max(s->high[l], at);
        }
}

/* Whether no node of these blocks can fail, as all of them move alike. Most blocks need no closer look. */
static bool all_pass(const ct_real *nodes, const ct_real *const next[CT_DIM], const sieve *s)
{
    span all;
    bool pass = true;
    CT_UNROLL(l, CT_ROW) all.low[l] = all.high[l] = ct_lane_load(nodes + l * CT_LANES);
    widen(&all, nodes);
    CT_FOR(a, CT_DIM)
        if (next[a]) widen(&all, next[a]);
    const ct_real *low = (const ct_real *)all.low, *high = (const ct_real *)all.high;
    CT_FOR(k, CT_DIM) {
        ct_real least = low[k], most = high[k], allowed = s->difference[0][k];
        for (int n = k; n < CT_ROW_NUMBERS; n += CT_NODE) {
            least = low[n] < least ? low[n] : least;
            most = high[n] > most ? high[n] : most;
        }
        CT_FOR(a, CT_DIM) allowed = s->difference[a][k] < allowed ? s->difference[a][k] : allowed;
        pass &= most - least <= allowed && most <= s->speed[k] && -least <= s->speed[k];
    }
    return pass;
}

/* The nodes of a block that, alone or with the next along an axis, could carry a particle too far or deform
 * it too much: a bit each. */
static uint64_t failing_nodes(const ct_grid *grid, size_t b, const sieve *s)
{
    uint64_t failing = 0;
    static const ct_real rest[CT_DIM] = {0};
    static const int stride[3] = {CT_DIM == 2 ? CT_BLOCK : CT_BLOCK * CT_BLOCK, CT_DIM == 2 ? 1 : CT_BLOCK,
                                  1};
    const ct_real *layer = grid->velocity, *nodes = layer + b * CT_BLOCK_NODES * CT_NODE, *next[CT_DIM];
    CT_FOR(a, CT_DIM) {
        int32_t at[3], found;
        memcpy(at, grid->blocks.coordinate[b], sizeof at);
        at[a]++;
        found = ct_blocks_find(&grid->blocks, at);
        next[a] = found < 0 ? NULL : layer + (size_t)found * CT_BLOCK_NODES * CT_NODE;
    }
    if (all_pass(nodes, next, s)) return 0;
    CT_FOR(n, CT_BLOCK_NODES) {
        const ct_real *node = nodes + n * CT_NODE;
        if (!(node[CT_DIM] > 0)) continue;
        bool is_failing = exceeds(node, rest, s->speed);
        CT_FOR(a, CT_DIM) {
            bool is_last = n / stride[a] % CT_BLOCK == CT_BLOCK - 1;
            const ct_real *other = is_last ? next[a] : nodes;
            if (!other) continue;
            other += (n + (is_last ? 1 - CT_BLOCK : 1) * stride[a]) * CT_NODE;
            is_failing |= other[CT_DIM] > 0 && exceeds(node, other, s->difference[a]);
        }
        failing |= (uint64_t)is_failing << n;
    }
    return failing;
}

static void screen_blocks(void *context, size_t begin, size_t end, int worker)
{
    const limiting *l = context;
    ct_grid *grid = &l->world->grid;
    sieve s = make_sieve(l);
    for (size_t b = begin; b < end; b++) {
        grid->suspect[b] = failing_nodes(grid, b, &s);
        if (grid->suspect[b]) l->world->workers[worker].has_suspects = true;
    }
}

/* ---- the particles ------------------------------------------------------------------------------------ */

/* The largest share for one quantity with the value `before` for the velocity before forces and `after` for
 * that after them. Without `before` the share is that of a quantity that grows with dt alone; the repeated
 * transfer is looked at again. */
static double share_of(const limiting *l, double before, double after, double bound)
{
    if (!(fabs(after) > bound * (1 + TOLERANCE)) && !(fabs(before) > bound * (1 + TOLERANCE))) return 1;
    if (l->has_before) return ct_limiter(before, after - before, bound);
    return bound / fabs(after);
}

/* The shares that particle p allows, and into *criterion who asks for the smaller. Schemes that move
 * particles on their own add beta shift (v_p - v_before) to the velocity, before forces and after
 * (transfer/info.h). */
static double particle_share(const limiting *l, size_t p, const ct_reading *before, const ct_reading *after,
                             int *criterion)
{
    const ct_planes *planes = &l->transfer.planes;
    const ct_scheme *scheme = &l->world->bodies[planes->body[p]].scheme;
    double shift = scheme->shift * fmax(scheme->beta_min, scheme->beta_max);
    double move = 1, deform = 1, traces[2] = {0};
    bool keeps_F = l->world->materials[planes->material[p]].info->keeps_F;
    CT_FOR(a, CT_DIM) {
        double own = shift * ((double)planes->velocity[a][p] - (double)before->velocity[a]);
        move = fmin(move, share_of(l, ((double)before->velocity[a] + own) / l->cells[a],
                                   ((double)after->velocity[a] + own) / l->cells[a], l->displacement));
        traces[0] += l->dt * (double)before->gradient[a][a];
        traces[1] += l->dt * (double)after->gradient[a][a];
        for (int b = 0; b < CT_DIM && keeps_F; b++)
            deform = fmin(deform, share_of(l, l->dt * (double)before->gradient[a][b],
                                           l->dt * (double)after->gradient[a][b], l->deformation));
    }
    if (!keeps_F) deform = share_of(l, traces[0], traces[1], l->deformation);
    *criterion = deform < move ? CT_LIMITED_BY_DEFORMATION : CT_LIMITED_BY_DISPLACEMENT;
    return fmin(move, deform);
}

/* The failing nodes that particles of a block may reach: of each row of its tile, a bit a node. */
typedef struct suspects {
    unsigned char row[CT_DIM == 3 ? CT_TILE * CT_TILE : CT_TILE];
} suspects;

/* Enters those of a neighbour; false where none is in reach. */
static bool add_suspects(suspects *s, uint64_t failing, const int offset[CT_DIM])
{
    bool found = false;
    for (int n = 0; n < CT_BLOCK_NODES && failing >> n; n++) {
        int at[CT_DIM], rest = n, row = 0;
        bool is_inside = failing >> n & 1;
        for (int a = CT_DIM - 1; a >= 0; a--, rest /= CT_BLOCK) {
            at[a] = offset[a] * CT_BLOCK + rest % CT_BLOCK + 1;
            is_inside &= at[a] >= 0 && at[a] < CT_TILE;
        }
        if (!is_inside) continue;
        CT_FOR(a, CT_DIM - 1) row = row * CT_TILE + at[a];
        s->row[row] |= (unsigned char)(1u << at[CT_DIM - 1]);
        found = true;
    }
    return found;
}

static bool find_suspects(const ct_grid *grid, size_t b, suspects *s)
{
    bool found = false;
    memset(s, 0, sizeof *s);
    const int step = CT_DIM == 2 ? 3 : 1; /* in 2D only the middle ones of three */
    for (int k = CT_DIM == 2; k < CT_NEIGHBOURS; k += step) {
        int32_t other = grid->blocks.neighbour[b][k];
        const int offset[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
        if (other >= 0 && grid->suspect[other]) found |= add_suspects(s, grid->suspect[other], offset);
    }
    return found;
}

/* Whether particle p sees one of them. */
static bool meets(const suspects *s, const ct_transfer *t, size_t p)
{
    int first[CT_DIM];
    unsigned found = 0;
    CT_FOR(a, CT_DIM) first[a] = ct_floor(t->planes.position[a][p]) + 1;
    CT_FOR(i, t->width) {
#if CT_DIM == 3
        CT_FOR(j, t->width) found |= s->row[(first[0] + i) * CT_TILE + first[1] + j];
#else
        found |= s->row[first[0] + i];
#endif
    }
    return found >> first[CT_DIM - 1] & ((1u << t->width) - 1);
}

static void ask_blocks(void *context, size_t begin, size_t end, int worker)
{
    const limiting *l = context;
    const ct_transfer *t = &l->transfer;
    const ct_grid *grid = &l->world->grid;
    ct_worker_result *result = &l->world->workers[worker];
    for (size_t b = begin; b < end; b++) {
        suspects near;
        if (!find_suspects(grid, b, &near)) continue;
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        ct_tile_range range = CT_FN(ct_tile_range_of)(&t->planes, first, last, t->width);
        _Alignas(CT_ALIGNMENT) ct_tile tiles[2] = {0};
        CT_FN(ct_tile_load)(&grid->blocks, b, grid->velocity, range, tiles[1]);
        if (l->has_before) CT_FN(ct_tile_load)(&grid->blocks, b, grid->before, range, tiles[0]);
        for (size_t p = first; p < last; p++) {
            if (!meets(&near, t, p)) continue;
            ct_reading before = {0}, after;
            CT_FN(ct_read_grid)(t, p, tiles[1], NULL, &after);
            if (l->has_before) CT_FN(ct_read_grid)(t, p, tiles[0], NULL, &before);
            int criterion;
            double share = particle_share(l, p, &before, &after, &criterion);
            if (share < result->share)
                result->share = share, result->tightest = p, result->criterion = criterion;
        }
    }
}

/* The least share of all workers; of several particles that ask for it the first. */
static double least_share(ct_world *world, double dt)
{
    ct_worker_result least = {.share = 1, .tightest = SIZE_MAX};
    CT_FOR(w, ct_pool_size(world->pool)) {
        const ct_worker_result *other = &world->workers[w];
        if (other->share < least.share || (other->share == least.share && other->tightest < least.tightest))
            least = *other;
    }
    if (!(least.share < 1)) return 1;
    ct_planes planes = ct_planes_of(&world->particles);
    ct_limit asker = {.particle = planes.id[least.tightest], .material = planes.material[least.tightest]};
    ct_set_limited(world, ct_criterion_at(least.criterion)->name, least.criterion, asker.material,
                   asker.particle);
    ct_ledger_note(world, least.criterion, least.share * dt, &asker);
    return least.share;
}

double CT_FN(ct_share_of_dt)(ct_world *world, double dt)
{
    limiting l = make_limit(world, dt);
    if (world->def.step.fixed > 0) return 1;
    double across = world->grid.least_spacing / dt, speed = world->grid.fastest;
    if (speed + l.own <= l.displacement * across && 2 * speed <= l.deformation * across) return 1;
    CT_FOR(w, ct_pool_size(world->pool))
        world->workers[w] = (ct_worker_result){.share = 1, .tightest = SIZE_MAX};
    ct_pool_for(world->pool, world->grid.blocks.count, GRAIN, screen_blocks, &l);
    bool has_suspects = false;
    CT_FOR(w, ct_pool_size(world->pool)) has_suspects |= world->workers[w].has_suspects;
    if (!has_suspects) return 1;
    l.transfer = CT_FN(ct_transfer_make)(world, dt);
    ct_pool_for(world->pool, world->grid.blocks.occupied, GRAIN, ask_blocks, &l);
    return least_share(world, dt);
}

/* ---- the patch ---------------------------------------------------------------------------------------- */

typedef struct patch {
    ct_grid *grid;
    ct_real share;
} patch;

static void patch_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const patch *p = context;
    const size_t numbers = CT_BLOCK_NODES * CT_NODE;
    ct_real *v = p->grid->velocity;
    const ct_real *before = p->grid->before;
    for (size_t n = begin * numbers; n < end * numbers; n += CT_NODE)
        CT_FOR(a, CT_DIM)
            v[n + (size_t)a] = before[n + (size_t)a] + p->share * (v[n + (size_t)a] - before[n + (size_t)a]);
}

void CT_FN(ct_patch_velocity)(ct_world *world, double share)
{
    patch p = {&world->grid, (ct_real)share};
    ct_pool_for(world->pool, world->grid.blocks.count, GRAIN, patch_blocks, &p);
}

/* ---- who asks ----------------------------------------------------------------------------------------- */

/* A measure of one particle, in units that only serve to compare. */
static double measure_of(const ct_transfer *t, int measure, size_t p)
{
    if (measure == CT_MEASURE_SPEED) return CT_FN(ct_particle_speed)(t, p);
    if (measure == CT_MEASURE_SINGLE) return CT_FN(ct_single_of)(t, p);
    if (measure == CT_MEASURE_DIFFUSION) return CT_FN(ct_diffusion_of)(t, p);
    return (double)CT_FN(ct_batch_sound_squared)(t->world, &t->planes, p, 1, 0);
}

/* The first of the particles of a block whose measure is largest. */
static size_t find_asker(const ct_transfer *t, int measure, size_t b)
{
    const uint32_t *first = t->world->grid.blocks.first;
    size_t found = first[b];
    double most = -1;
    for (size_t p = first[b]; p < first[b + 1]; p++) {
        double value = measure_of(t, measure, p);
        if (value > most) most = value, found = p;
    }
    return found;
}

static bool is_of_one_material(const ct_transfer *t, size_t b)
{
    const uint32_t *first = t->world->grid.blocks.first;
    const uint16_t *material = t->planes.material;
    unsigned differences = 0;
    for (size_t p = first[b]; p < first[b + 1]; p++) differences |= material[p] ^ material[first[b]];
    return !differences;
}

void CT_FN(ct_note_limits)(ct_world *world)
{
    ct_transfer t = CT_FN(ct_transfer_make)(world, 0);
    CT_FOR(i, CT_CRITERIA) {
        const ct_criterion *criterion = ct_criterion_at(i);
        if (criterion->measure < 0) continue;
        ct_limit *limit = &world->limits[criterion->measure];
        limit->material = limit->particle = CT_NOBODY;
        if (!(limit->value > 0) || limit->block >= world->grid.blocks.occupied) continue;
        double dt = criterion->limit(world), tightest = world->ledger.rows[i].tightest;
        bool is_tightest = dt < tightest || !(tightest > 0);
        size_t p = world->grid.blocks.first[limit->block];
        if (is_tightest || !is_of_one_material(&t, limit->block)) {
            p = find_asker(&t, criterion->measure, limit->block);
            limit->particle = t.planes.id[p];
        }
        limit->material = t.planes.material[p];
        if (is_tightest) ct_ledger_note(world, i, dt, limit);
    }
}
