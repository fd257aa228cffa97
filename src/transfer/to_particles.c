#include "transfer/extremes.h"

#include <math.h>
#include <string.h>

typedef struct gather {
    ct_transfer transfer;
    bool is_plain;
} gather;

/* The walls as the positions of a block see them, and how near to one a particle may be: as close as its
 * place in metres can be told from that of the wall, so that nobody who reads it finds it beyond. */
typedef struct room {
    ct_real wall[CT_DIM][2], nearest[CT_DIM][2];
} room;

static room room_of(const ct_world *world, size_t b)
{
    const ct_grid *grid = &world->grid;
    room r;
    CT_FOR(a, CT_DIM) {
        int64_t corner = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK;
        double size = fmax(fabs(world->def.domain_min[a]), fabs(world->def.domain_max[a]));
        double rounding = 4 * DBL_EPSILON * size / grid->spacing[a]; /* cells */
        if (!CT_IS_DOUBLE) rounding += CT_BLOCK * (double)FLT_EPSILON;
        double low = (double)-corner - grid->shift, high = (double)(grid->cells[a] - corner) - grid->shift;
        r.wall[a][0] = (ct_real)low, r.wall[a][1] = (ct_real)high;
        r.nearest[a][0] = (ct_real)(low + rounding), r.nearest[a][1] = (ct_real)(high - rounding);
    }
    return r;
}

/* A particle that came out at a wall is mirrored back in: walls hold, this catches round-off, and the count
 * tells. */
static void return_to_domain(const ct_transfer *t, const room *r, size_t p, ct_worker_result *result)
{
    CT_FOR(a, CT_DIM) {
        ct_real *position = &t->planes.position[a][p];
        if (*position >= r->nearest[a][0] && *position <= r->nearest[a][1]) continue;
        int upper = *position > r->nearest[a][1];
        if (t->world->walls[2 * a + upper].type == CT_WALL_FREE) continue; /* it leaves: boundary/flow.c */
        if (*position < r->wall[a][0] || *position > r->wall[a][1]) {
            *position = 2 * r->wall[a][upper] - *position;
            t->planes.velocity[a][p] = -t->planes.velocity[a][p];
            bool is_own = t->world->bodies[t->planes.body[p]].scheme.shift > 0;
            *(is_own ? &result->wall_bounces : &result->wall_returns) += 1;
        }
        if (*position < r->nearest[a][0]) *position = r->nearest[a][0];
        if (*position > r->nearest[a][1]) *position = r->nearest[a][1];
        if (!ct_is_in_reach(&t->world->grid, &t->planes, p)) result->must_sort = true;
    }
}

/* The same for the particles of a block. Few are out, so lanes are asked first. */
static void return_block(const ct_transfer *t, const room *r, size_t first, size_t last,
                         ct_worker_result *result)
{
    size_t p = first;
    for (; p + CT_LANES <= last; p += CT_LANES) {
        ct_mask is_out = {0};
        CT_UNROLL(a, CT_DIM) {
            ct_lane at = ct_lane_load(t->planes.position[a] + p);
            is_out |= ~((at >= r->nearest[a][0]) & (at <= r->nearest[a][1]));
        }
        if (!ct_mask_any(is_out)) continue;
        CT_FOR(l, CT_LANES) return_to_domain(t, r, p + (size_t)l, result);
    }
    for (; p < last; p++) return_to_domain(t, r, p, result);
}

int CT_FN(ct_is_near_wall)(const ct_grid *grid, size_t b)
{
    int is_near = 0;
    CT_FOR(a, CT_DIM) {
        int64_t corner = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK;
        is_near |= corner <= 2 * CT_BLOCK || corner >= grid->cells[a] - 3 * CT_BLOCK;
    }
    return is_near;
}

/* The largest speed of sound, squared, of a block. */
static void measure_sound(const ct_transfer *t, size_t first, size_t last, ct_worker_result *result)
{
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        result->sound =
            (double)CT_FN(ct_batch_sound_squared)(t->world, &t->planes, first, count, (ct_real)result->sound);
    }
}

/* Which block brought the largest of each measure. A worker takes its blocks in ascending order, so this is
 * the first that did. */
static void note_block(const double so_far[CT_MEASURES], size_t b, ct_worker_result *result)
{
    CT_FOR(m, CT_MEASURES)
        if (result->measure[m] > so_far[m]) result->block[m] = b;
}

/* A block's nodes, by the way that serves its particles. */
typedef union nodes {
    _Alignas(CT_ALIGNMENT) ct_tile tile[2];
    ct_twin_tile twin;
    ct_slim_tile slim;
} nodes;

static void load_nodes(const gather *g, size_t b, nodes *n)
{
    const ct_transfer *t = &g->transfer;
    const ct_grid *grid = &t->world->grid;
    bool has_before = t->world->needs_before;
    ct_tile_range range = ct_tile_range_noted(grid, b);
    if (has_before && !g->is_plain) {
        CT_FN(ct_twin_load)(&grid->blocks, b, grid->velocity, grid->before, range, n->twin);
    } else if (!g->is_plain && ct_reads_slim(t)) {
        CT_FN(ct_slim_load)(&grid->blocks, b, grid->velocity, range, n->slim);
    } else {
        CT_FN(ct_tile_load)(&grid->blocks, b, grid->velocity, range, n->tile[0]);
        if (has_before) CT_FN(ct_tile_load)(&grid->blocks, b, grid->before, range, n->tile[1]);
    }
}

static void gather_batch(const gather *g, size_t b, size_t first, size_t last, const nodes *n,
                         ct_worker_result *result)
{
    const ct_transfer *t = &g->transfer;
    bool has_before = t->world->needs_before;
    if (g->is_plain)
        CT_FN(ct_gather_plain)(t, b, first, last, n->tile[0], has_before ? n->tile[1] : NULL, result);
    else if (has_before) CT_FN(ct_gather_twin)(t, b, first, last, n->twin, result);
    else CT_FN(ct_gather_fast)(t, b, first, last, ct_reads_slim(t) ? n->slim : n->tile[0], result);
}

/* Batch by batch, so that the materials' return mappings, which also find the largest speed of sound,
 * squared, find the particles in the first cache. */
static void gather_blocks(void *context, size_t begin, size_t end, int worker)
{
    const gather *g = context;
    const ct_transfer *t = &g->transfer;
    const ct_grid *grid = &t->world->grid;
    ct_worker_result *result = &t->world->workers[worker];
    nodes n;
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        double so_far[CT_MEASURES];
        memcpy(so_far, result->measure, sizeof so_far);
        load_nodes(g, b, &n);
        for (size_t p = first, next; p < last; p = next) {
            next = ct_batch_end(p, last);
            gather_batch(g, b, p, next, &n, result);
            result->sound = (double)CT_FN(ct_batch_update)(t->world, &t->planes, p, (int)(next - p), t->dt,
                                                           (ct_real)result->sound);
        }
        CT_FN(ct_extremes_add)(t, b, worker);
        note_block(so_far, b, result);
        if (t->world->def.has_domain && CT_FN(ct_is_near_wall)(grid, b)) {
            room r = room_of(t->world, b);
            return_block(t, &r, first, last, result);
        }
    }
}

static void measure_blocks(void *context, size_t begin, size_t end, int worker)
{
    const gather *g = context;
    const ct_transfer *t = &g->transfer;
    const uint32_t *first = t->world->grid.blocks.first;
    ct_worker_result *result = &t->world->workers[worker];
    for (size_t b = begin; b < end; b++) {
        double so_far[CT_MEASURES];
        memcpy(so_far, result->measure, sizeof so_far);
        for (size_t p = first[b]; p < first[b + 1]; p++)
            result->speed = fmax(result->speed, CT_FN(ct_particle_speed)(t, p));
        measure_sound(t, first[b], first[b + 1], result);
        CT_FN(ct_extremes_add)(t, b, worker);
        note_block(so_far, b, result);
    }
}

static void run_and_reduce(ct_world *world, gather *g, ct_loop_body body)
{
    /* A worker fetches what is ahead of it to be written: at the end of its piece that is another's, so
     * pieces are long where there are many blocks. */
    enum { LEAST = 2, MOST = 32, PIECES = 8 };
    int workers = ct_pool_size(world->pool);
    size_t grain = world->grid.blocks.occupied / (size_t)(PIECES * workers);
    grain = grain < LEAST ? LEAST : grain > MOST ? MOST : grain;
    CT_FOR(w, workers) world->workers[w] = (ct_worker_result){.bad_block = SIZE_MAX};
    CT_FN(ct_extremes_begin)(world);
    ct_pool_for_in_order(world->pool, world->grid.blocks.occupied, grain, body, g);
    CT_FOR(m, CT_MEASURES) world->limits[m] = (ct_limit){.block = SIZE_MAX};
    CT_FOR(w, workers) {
        const ct_worker_result *result = &world->workers[w];
        CT_FOR(m, CT_MEASURES) {
            ct_limit *limit = &world->limits[m];
            bool is_first = result->measure[m] == limit->value && result->block[m] < limit->block;
            if (result->measure[m] > limit->value || is_first)
                limit->value = result->measure[m], limit->block = result->block[m];
        }
        world->must_sort |= result->must_sort;
        world->wall_returns += result->wall_returns;
        world->wall_bounces += result->wall_bounces;
    }
    world->limits[CT_MEASURE_SOUND].value = sqrt(world->limits[CT_MEASURE_SOUND].value);
    CT_FN(ct_extremes_end)(world);
    world->must_measure = false;
}

void CT_FN(ct_grid_to_particles)(ct_world *world, double dt)
{
    gather g = {.transfer = CT_FN(ct_transfer_make)(world, dt)};
    g.is_plain = CT_FN(ct_needs_plain)(&g.transfer);
    run_and_reduce(world, &g, gather_blocks);
}

void CT_FN(ct_measure_limits)(ct_world *world)
{
    gather g = {.transfer = CT_FN(ct_transfer_make)(world, 0)};
    run_and_reduce(world, &g, measure_blocks);
}
