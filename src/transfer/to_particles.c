#include "transfer/transfer.h"

#include <math.h>

typedef struct gather {
    ct_transfer transfer;
    ct_gather_function *gather_block;
} gather;

/* A particle that came out at a wall is mirrored back in: walls hold, this catches round-off, and the count
 * tells. */
static void return_to_domain(const ct_transfer *t, size_t b, size_t p, ct_worker_result *result)
{
    const ct_grid *grid = &t->world->grid;
    CT_FOR(a, CT_DIM) {
        int64_t corner = (int64_t)grid->blocks.coordinate[b][a] * CT_BLOCK;
        ct_real low = (ct_real)((double)-corner - grid->shift);
        ct_real high = (ct_real)((double)(grid->cells[a] - corner) - grid->shift);
        ct_real *position = &t->planes.position[a][p], wall = *position < low ? low : high;
        if (*position >= low && *position <= high) continue;
        *position = 2 * wall - *position;
        t->planes.velocity[a][p] = -t->planes.velocity[a][p];
        result->wall_returns++;
    }
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

/* The materials' return mappings on a block, and its largest speed of sound, squared. */
static void update_matter(const ct_transfer *t, size_t first, size_t last, ct_worker_result *result)
{
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        result->sound =
            (double)CT_FN(ct_batch_update)(t->world, &t->planes, first, count, t->dt, (ct_real)result->sound);
    }
}

static void gather_blocks(void *context, size_t begin, size_t end, int worker)
{
    const gather *g = context;
    const ct_transfer *t = &g->transfer;
    const ct_grid *grid = &t->world->grid;
    ct_worker_result *result = &t->world->workers[worker];
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        _Alignas(CT_ALIGNMENT) ct_tile tile, before;
        ct_tile_range range = CT_FN(ct_tile_range_of)(&t->planes, first, last, t->width);
        CT_FN(ct_tile_load)(&grid->blocks, b, grid->velocity, range, tile);
        if (t->world->needs_before) CT_FN(ct_tile_load)(&grid->blocks, b, grid->before, range, before);
        g->gather_block(t, b, tile, t->world->needs_before ? before : NULL, result);
        update_matter(t, first, last, result);
        if (t->world->def.has_domain && CT_FN(ct_is_near_wall)(grid, b))
            for (size_t p = first; p < last; p++) return_to_domain(t, b, p, result);
    }
}

static void measure_blocks(void *context, size_t begin, size_t end, int worker)
{
    const gather *g = context;
    const ct_transfer *t = &g->transfer;
    const ct_blocks *blocks = &t->world->grid.blocks;
    ct_worker_result *result = &t->world->workers[worker];
    for (size_t p = blocks->first[begin]; p < blocks->first[end]; p++)
        result->speed = fmax(result->speed, CT_FN(ct_particle_speed)(t, p));
    measure_sound(t, blocks->first[begin], blocks->first[end], result);
}

static void run_and_reduce(ct_world *world, gather *g, ct_loop_body body)
{
    enum { GRAIN = 2 };
    int workers = ct_pool_size(world->pool);
    CT_FOR(w, workers) world->workers[w] = (ct_worker_result){.bad_block = SIZE_MAX};
    ct_pool_for(world->pool, world->grid.blocks.occupied, GRAIN, body, g);
    ct_limits limits = {0};
    CT_FOR(w, workers) {
        limits.speed = fmax(limits.speed, world->workers[w].speed);
        limits.sound = fmax(limits.sound, world->workers[w].sound);
        world->must_sort |= world->workers[w].must_sort;
        world->wall_returns += world->workers[w].wall_returns;
    }
    limits.sound = sqrt(limits.sound);
    world->limits = limits;
    world->must_measure = false;
}

void CT_FN(ct_grid_to_particles)(ct_world *world, double dt)
{
    gather g = {.transfer = CT_FN(ct_transfer_make)(world, dt)};
    g.gather_block = CT_FN(ct_needs_plain)(&g.transfer) ? CT_FN(ct_gather_plain) : CT_FN(ct_gather_fast);
    run_and_reduce(world, &g, gather_blocks);
}

void CT_FN(ct_measure_limits)(ct_world *world)
{
    gather g = {.transfer = CT_FN(ct_transfer_make)(world, 0)};
    run_and_reduce(world, &g, measure_blocks);
}
