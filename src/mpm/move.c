#include "boundary/mirror.h"
#include "core/reduce.h"
#include "mpm/mpm.h"
#include "timestep/extremes.h"
#include "timestep/measure.h"

#include <math.h>
#include <string.h>

typedef struct moving {
    ct_transfer transfer;
    ct_mpm *mpm;
} moving;

typedef struct outcome {
    ct_measured measured;
    ct_moved moved;
    ct_returned returned;
} outcome;

static void fold_outcomes(void *into, const void *from, size_t size)
{
    (void)size;
    outcome *all = into;
    const outcome *one = from;
    ct_measured_fold(&all->measured, &one->measured);
    all->moved.must_sort |= one->moved.must_sort | one->returned.must_sort;
    all->returned.returns += one->returned.returns;
    all->returned.bounces += one->returned.bounces;
}

/* Blocks by their numbers among those of all ranks, and back: a block of another rank has none here. */
static void number_blocks(const ct_cloud *cloud, size_t *block)
{
    if (*block != SIZE_MAX) *block += cloud->part->first_block;
}

static void find_block(const ct_cloud *cloud, size_t *block)
{
    const size_t first = cloud->part->first_block;
    const bool is_here =
        *block != SIZE_MAX && *block >= first && *block - first < cloud->grid.blocks.occupied;
    *block = is_here ? *block - first : SIZE_MAX;
}

static bool moves_alone(const void *owner, int body)
{
    const ct_mpm *mpm = owner;
    return mpm->transfers.schemes[body].shift > 0;
}

/* Batch by batch, so that the materials' return mappings, which also find the largest speed of sound,
 * squared, find the particles in L1. */
static void move_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    const moving *m = context;
    const ct_transfer *t = &m->transfer;
    const ct_grid *grid = &t->cloud->grid;
    outcome *o = result;
    double *sound = &o->measured.value[CT_MEASURE_SOUND];
    ct_block_nodes nodes;
    for (size_t b = begin; b < end; b++) {
        size_t first = grid->blocks.first[b], last = grid->blocks.first[b + 1];
        double before[CT_MEASURES];
        memcpy(before, o->measured.value, sizeof before);
        CT_FN(ct_gather_begin)(t, b, &nodes);
        for (size_t p = first, next; p < last; p = next) {
            next = ct_batch_end(p, last);
            CT_FN(ct_gather_batch)(t, b, p, next, &nodes, &o->moved);
            *sound = (double)CT_FN(ct_batch_update)(t->materials, &t->planes, p, (int)(next - p), t->dt,
                                                    (ct_real)*sound);
        }
        o->measured.value[CT_MEASURE_SPEED] = o->moved.speed;
        CT_FN(ct_extremes_add)(&m->mpm->limits, t, b, worker);
        ct_measured_note(&o->measured, before, b);
        if (t->cloud->common->def.has_domain && CT_FN(ct_is_near_wall)(grid, b))
            CT_FN(ct_mirror_block)(&m->mpm->border, &t->planes, b, first, last, moves_alone, &o->returned);
    }
}

/* The largest speed of sound, squared, of particles. */
static double sound_of(const ct_transfer *t, size_t first, size_t last, double sound)
{
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        sound = (double)CT_FN(ct_batch_sound_squared)(t->materials, &t->planes, first, count, (ct_real)sound);
    }
    return sound;
}

static void measure_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    const moving *m = context;
    const ct_transfer *t = &m->transfer;
    const uint32_t *first = t->cloud->grid.blocks.first;
    ct_measured *measured = &((outcome *)result)->measured;
    for (size_t b = begin; b < end; b++) {
        double before[CT_MEASURES], *speed = &measured->value[CT_MEASURE_SPEED];
        memcpy(before, measured->value, sizeof before);
        for (size_t p = first[b]; p < first[b + 1]; p++)
            *speed = fmax(*speed, CT_FN(ct_particle_speed)(t, p, (const double[3]){0}));
        measured->value[CT_MEASURE_SOUND] =
            sound_of(t, first[b], first[b + 1], measured->value[CT_MEASURE_SOUND]);
        CT_FN(ct_extremes_add)(&m->mpm->limits, t, b, worker);
        ct_measured_note(measured, before, b);
    }
}

static void run(ct_mpm *mpm, double dt, ct_reduce_body body)
{
    /* A worker fetches what is ahead of it to be written: at the end of its piece that is another's, so
     * pieces are long where there are many blocks. */
    enum { LEAST = 2, MOST = 32, PIECES = 8 };
    ct_cloud *cloud = &mpm->cloud;
    ct_limits *limits = &mpm->limits;
    moving m = {CT_FN(ct_transfer_make)(&mpm->transfers, dt), mpm};
    size_t grain = cloud->grid.blocks.occupied / (size_t)(PIECES * ct_pool_size(cloud->common->pool));
    grain = grain < LEAST ? LEAST : grain > MOST ? MOST : grain;
    outcome all = {.measured.block = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    CT_FN(ct_extremes_begin)(limits);
    ct_reduce_in_order(cloud->common->pool, cloud->grid.blocks.occupied, grain, body, &m, fold_outcomes, &all,
                       sizeof all);
    CT_FOR(k, cloud->part ? CT_MEASURES : 0) number_blocks(cloud, &all.measured.block[k]);
    ct_ranks_fold(ct_cloud_ranks(cloud), &all, sizeof all, fold_outcomes);
    CT_FOR(k, CT_MEASURES)
        limits->of[k] = (ct_limit){.value = all.measured.value[k], .block = all.measured.block[k]};
    limits->of[CT_MEASURE_SOUND].value = sqrt(limits->of[CT_MEASURE_SOUND].value);
    CT_FN(ct_extremes_end)(limits);
    CT_FOR(k, cloud->part ? CT_MEASURES : 0) find_block(cloud, &limits->of[k].block);
    cloud->must_sort |= all.moved.must_sort;
    cloud->must_measure = false;
    mpm->border.all->wall_returns += all.returned.returns;
    mpm->border.all->wall_bounces += all.returned.bounces;
}

void CT_FN(ct_mpm_move)(ct_mpm *mpm, double dt)
{
    run(mpm, dt, move_blocks);
}

void CT_FN(ct_mpm_measure)(ct_mpm *mpm)
{
    run(mpm, 0, measure_blocks);
}
