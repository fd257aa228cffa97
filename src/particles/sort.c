#include "particles/sort.h"

#include "core/range.h"
#include "core/reduce.h"
#include "particles/place.h"

#include <math.h>
#include <string.h>

enum {
    REACH = 2, /* blocks that most particles have moved at the most since the last sort; others are looked up
                  one by one */
    SIDE = 2 * REACH + 1,
    OFFSETS = SIDE * SIDE * SIDE,
    GRAIN = 8,      /* runs or blocks a piece */
    MOST_SLICES = 8 /* of the particles, counted side by side; each needs its own counters */
};

typedef struct sorting {
    ct_cloud *cloud;
    ct_sorter *sorter;
    ct_planes planes;
    size_t runs;              /* what the particles are in now */
    int32_t (*coordinate)[3]; /* [runs] */
    uint32_t *first;          /* [runs + 1] */
    size_t keys;              /* blocks x cells */
    size_t slices;
    ct_error *error;
} sorting;

static int offset_index(const int offset[3])
{
    return ((offset[0] + REACH) * SIDE + offset[1] + REACH) * SIDE + offset[2] + REACH;
}

/* ---- where blocks begin -------------------------------------------------------------------------------
 *
 * Particles may drift a cell or two beyond either side of their block before they must be sorted again (reach
 * of ct_grid). Matter that moves as a whole uses one of the sides only. So blocks take in what lies from
 * `lead` cells after their corner on, such that the fastest towards either side would be out of reach at the
 * same time: what falls is sorted half as often. */
typedef struct drift {
    double most[CT_DIM][2]; /* m/s, towards either side of each axis */
} drift;

static void measure_drift(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    sorting *s = context;
    drift *d = result;
    CT_FOR(a, CT_DIM) {
        ct_range v = ct_range_of(s->planes.velocity[a] + begin, end - begin);
        d->most[a][0] = fmax(d->most[a][0], -(double)v.low);
        d->most[a][1] = fmax(d->most[a][1], (double)v.high);
    }
}

static void fold_drift(void *into, const void *from, size_t size)
{
    (void)size;
    drift *d = into;
    const drift *one = from;
    CT_FOR(a, CT_DIM)
        CT_FOR(k, 2) d->most[a][k] = fmax(d->most[a][k], one->most[a][k]);
}

/* In eighths of a cell, so that adding it to a position rounds seldom; and never all that there is, for
 * velocities change. */
static void choose_lead(sorting *s)
{
    enum { PIECE = 1 << 14, PARTS = 8 };
    ct_cloud *cloud = s->cloud;
    drift all = {0};
    ct_reduce(cloud->common->pool, cloud->particles.count, PIECE, measure_drift, s, fold_drift, &all,
              sizeof all);
    ct_ranks_fold(ct_cloud_ranks(cloud), &all, sizeof all, fold_drift);
    CT_FOR(a, CT_DIM) {
        double low = all.most[a][0], high = all.most[a][1];
        double before = PARTS * cloud->grid.reach[0], after = PARTS * cloud->grid.reach[1];
        double share = low + high > 0 ? low / (low + high) : 0.5; /* of the room that is to lie before */
        double parts = share * (before + after) - before;
        bool has_reach = before + after > 0; /* else blocks have what is in them, and are always sorted */
        s->sorter->lead[a] = has_reach ? round(fmax(1 - before, fmin(after - 1, parts))) / PARTS : 0;
    }
}

/* ---- passes ------------------------------------------------------------------------------------------- */

/* CT_LANES particles, where none is more than a block away: how many blocks each has moved (-1, 0, 1). By
 * comparisons, which are exact. */
CT_INLINE bool find_offsets(const sorting *s, size_t p, ct_mask offset[CT_DIM])
{
    ct_mask is_near = ct_first_slots(CT_LANES);
    CT_UNROLL(a, CT_DIM) {
        ct_lane at = ct_lane_load(s->planes.position[a] + p);
        ct_real begin = (ct_real)s->sorter->lead[a], end = begin + CT_BLOCK;
        is_near &= (at >= begin - CT_BLOCK) & (at < end + CT_BLOCK);
        offset[a] = (at < begin) - (at >= end);
    }
    return !ct_mask_any(~is_near);
}

static void find_target(const sorting *s, int32_t *target, size_t p, bool *has_far)
{
    int offset[3] = {0}, is_far = 0;
    CT_FOR(a, CT_DIM) {
        double blocks = ct_block_offset(s->planes.position[a][p], s->sorter->lead[a]);
        is_far |= !(fabs(blocks) <= REACH);
        offset[a] = is_far ? 0 : (int)blocks;
    }
    int index = is_far ? OFFSETS : offset_index(offset);
    if (is_far) *has_far = true;
    else target[index] = 1;
    s->sorter->key[p] = (uint32_t)index;
}

CT_INLINE void find_targets_of_lane(const sorting *s, int32_t *target, size_t p, const ct_mask offset[CT_DIM])
{
    ct_int index[CT_LANES];
    ct_mask sum = {0};
    CT_UNROLL(a, 3) {
        sum = sum * SIDE + REACH;
        if (a < CT_DIM) sum += offset[a];
    }
    ct_mask_store(index, sum); /* as offset_index */
    CT_FOR(l, CT_LANES) {
        target[index[l]] = 1;
        s->sorter->key[p + (size_t)l] = (uint32_t)index[l];
    }
}

/* First pass over a run: notes which blocks its particles are in now. The number of the offset goes into the
 * key, OFFSETS for a particle that is farther away. Nothing is changed yet, so that a failure leaves the
 * particles as they were. */
static void find_targets(void *context, size_t begin, size_t end, int worker, void *has_far)
{
    (void)worker;
    sorting *s = context;
    for (size_t run = begin; run < end; run++) {
        int32_t *target = s->sorter->target[run];
        CT_FOR(k, OFFSETS) target[k] = -1;
        for (size_t p = s->first[run], last = s->first[run + 1], next; p < last; p = next) {
            ct_mask offset[CT_DIM];
            next = last - p < CT_LANES ? last : p + CT_LANES;
            if (next == p + CT_LANES && find_offsets(s, p, offset))
                find_targets_of_lane(s, target, p, offset);
            else
                for (; p < next; p++) find_target(s, target, p, has_far);
        }
    }
}

static ct_status collect_blocks(sorting *s, ct_blocks *blocks)
{
    for (size_t run = 0; run < s->runs; run++)
        CT_FOR(k, OFFSETS) {
            int32_t *target = &s->sorter->target[run][k];
            if (*target < 0) continue;
            int32_t at[3] = {s->coordinate[run][0] + k / (SIDE * SIDE) - REACH,
                             s->coordinate[run][1] + k / SIDE % SIDE - REACH,
                             s->coordinate[run][2] + k % SIDE - REACH};
            ct_status status = ct_blocks_add(blocks, at, target, s->error);
            if (status) return status;
        }
    return CT_OK;
}

/* Particles that went far at once: their key is OFFSETS plus the number of their block. */
static ct_status collect_far(sorting *s, ct_blocks *blocks)
{
    const double farthest = 1 << 28; /* blocks: leaves room for neighbours in 32 bits */
    for (size_t run = 0; run < s->runs; run++)
        for (uint32_t p = s->first[run]; p < s->first[run + 1]; p++) {
            if (s->sorter->key[p] != OFFSETS) continue;
            int32_t at[3] = {0}, block;
            CT_FOR(a, CT_DIM) {
                double b =
                    s->coordinate[run][a] + ct_block_offset(s->planes.position[a][p], s->sorter->lead[a]);
                if (!(fabs(b) < farthest))
                    return ct_fail(s->error, CT_DIVERGED,
                                   "diverged: at step %llu particle %u left for infinity",
                                   (unsigned long long)s->cloud->common->step, s->planes.id[p]);
                at[a] = (int32_t)b;
            }
            ct_status status = ct_blocks_add(blocks, at, &block, s->error);
            if (status) return status;
            s->sorter->key[p] = OFFSETS + (uint32_t)block;
        }
    return CT_OK;
}

/* From the offset's number, which the first pass has left there. */
CT_INLINE void write_key(const sorting *s, size_t run, size_t p, uint32_t cell)
{
    uint32_t *key = &s->sorter->key[p];
    uint32_t block = *key < OFFSETS ? (uint32_t)s->sorter->target[run][*key] : *key - OFFSETS;
    *key = s->sorter->new_number[block] * CT_BLOCK_NODES + cell;
}

/* Cells of a block are in Z-order, so that particles side by side in memory are close to each other, whatever
 * their number: by how much a cell's number grows from its k-th to its next place along an axis. */
CT_INLINE uint32_t curve_step(int axis, int k)
{
    return (k == 1 ? (1u << CT_DIM) - 1 : 1u) << (CT_DIM - 1 - axis);
}

static void place_particle(const sorting *s, size_t run, size_t p)
{
    uint32_t cell = 0;
    CT_FOR(a, CT_DIM) {
        ct_real *position = &s->planes.position[a][p], lead = (ct_real)s->sorter->lead[a];
        *position = ct_within_block(*position, s->sorter->lead[a]);
        CT_UNROLL(k, CT_BLOCK - 1) cell += *position >= lead + (ct_real)(k + 1) ? curve_step(a, k) : 0;
    }
    write_key(s, run, p, cell);
}

CT_INLINE void place_lane(const sorting *s, size_t run, size_t p, const ct_mask offset[CT_DIM])
{
    ct_int cell[CT_LANES];
    ct_mask number = {0};
    CT_UNROLL(a, CT_DIM) {
        ct_real *position = s->planes.position[a] + p, lead = (ct_real)s->sorter->lead[a];
        ct_lane block = ct_lane_all(CT_BLOCK), none = ct_lane_all(0);
        ct_lane moved = ct_lane_select(offset[a] < 0, -block, ct_lane_select(offset[a] > 0, block, none));
        ct_lane at = ct_lane_min(ct_lane_load(position) - moved, ct_lane_all(ct_block_end(lead)));
        ct_lane_store(position, at);
        CT_UNROLL(k, CT_BLOCK - 1) number += (at >= lead + (ct_real)(k + 1)) & (ct_int)curve_step(a, k);
    }
    ct_mask_store(cell, number);
    CT_FOR(l, CT_LANES) write_key(s, run, p + (size_t)l, (uint32_t)cell[l]);
}

/* Second pass: every particle gets its position in the new block, and its key, block and cell. */
static void write_keys(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    sorting *s = context;
    for (size_t run = begin; run < end; run++)
        for (size_t p = s->first[run], last = s->first[run + 1], next; p < last; p = next) {
            ct_mask offset[CT_DIM];
            next = last - p < CT_LANES ? last : p + CT_LANES;
            if (next == p + CT_LANES && find_offsets(s, p, offset)) place_lane(s, run, p, offset);
            else
                for (; p < next; p++) place_particle(s, run, p);
        }
}

/* Counting sort of the places by key. Every slice of the particles has counters of its own, so slices are
 * counted and placed side by side, and the order within a cell stays the order before. */
static size_t slice_begin(const sorting *s, size_t slice)
{
    return s->cloud->particles.count * slice / s->slices;
}

static void count_slices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sorting *s = context;
    for (size_t slice = begin; slice < end; slice++) {
        uint32_t *count = s->sorter->count + slice * s->keys;
        memset(count, 0, s->keys * sizeof *count);
        for (size_t p = slice_begin(s, slice); p < slice_begin(s, slice + 1); p++) count[s->sorter->key[p]]++;
    }
}

/* Counts to places: where the first particle of each slice with each key goes. */
static void sum_counts(const sorting *s)
{
    uint32_t total = 0;
    for (size_t key = 0; key < s->keys; key++)
        for (size_t slice = 0; slice < s->slices; slice++) {
            uint32_t *count = &s->sorter->count[slice * s->keys + key], before = total;
            total += *count;
            *count = before;
        }
}

static void place_slices(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sorting *s = context;
    for (size_t slice = begin; slice < end; slice++) {
        uint32_t *next = s->sorter->count + slice * s->keys;
        for (size_t p = slice_begin(s, slice); p < slice_begin(s, slice + 1); p++)
            s->sorter->order[next[s->sorter->key[p]]++] = (uint32_t)p;
    }
}

/* After placing, the last slice's counter of a key is where the key ends. */
static uint32_t end_of_key(const sorting *s, size_t key)
{
    return s->sorter->count[(s->slices - 1) * s->keys + key];
}

/* Within a cell, by id: almost in order already. */
static void order_cells(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const sorting *s = context;
    uint32_t *order = s->sorter->order;
    const uint32_t *id = s->planes.id;
    for (size_t key = begin * CT_BLOCK_NODES; key < end * CT_BLOCK_NODES; key++) {
        uint32_t first = key ? end_of_key(s, key - 1) : 0, last = end_of_key(s, key);
        for (uint32_t i = first + 1; i < last; i++) {
            uint32_t moving = order[i], j = i;
            for (; j > first && id[order[j - 1]] > id[moving]; j--) order[j] = order[j - 1];
            order[j] = moving;
        }
    }
}

/* ---- memory ------------------------------------------------------------------------------------------- */

/* Room for `needed` elements in an array whose contents need not be kept. */
static ct_status make_room(ct_heap *heap, void *array, size_t *room, size_t needed, size_t size,
                           ct_error *error)
{
    return ct_array_grow(heap, array, 0, room, needed, size, error);
}

static ct_status reserve_particles(ct_cloud *cloud, ct_error *error)
{
    ct_sorter *sorter = &cloud->sorter;
    size_t count =
        cloud->particles.capacity; /* which grows now and then, where the count grows in every step */
    if (cloud->particles.count + CT_PLANE_PADDING <= sorter->particles) return CT_OK;
    ct_release(&cloud->common->heap, sorter->key);
    ct_release(&cloud->common->heap, sorter->order);
    ct_release(&cloud->common->heap, sorter->scratch);
    size_t widest = sizeof(ct_real) > sizeof(uint32_t) ? sizeof(ct_real) : sizeof(uint32_t);
    sorter->key = ct_allocate(&cloud->common->heap, count * sizeof *sorter->key);
    sorter->order = ct_allocate(&cloud->common->heap, count * sizeof *sorter->order);
    sorter->scratch = ct_allocate(&cloud->common->heap, count * widest);
    bool is_there = sorter->key && sorter->order && sorter->scratch;
    sorter->particles = is_there ? count : 0;
    return is_there ? CT_OK : ct_fail_memory(error, count * 3 * sizeof(uint32_t));
}

static sorting begin_sort(ct_cloud *cloud, ct_error *error)
{
    return (sorting){.cloud = cloud,
                     .sorter = &cloud->sorter,
                     .planes = ct_planes_of(&cloud->particles),
                     .runs = cloud->grid.blocks.occupied,
                     .coordinate = cloud->grid.blocks.coordinate,
                     .first = cloud->grid.blocks.first,
                     .error = error};
}

/* Finds the new blocks, in any order. */
static ct_status find_blocks(sorting *s, ct_blocks *sorted)
{
    ct_cloud *cloud = s->cloud;
    ct_common *common = cloud->common;
    ct_sorter *sorter = s->sorter;
    ct_status status = reserve_particles(cloud, s->error);
    ct_blocks_clear(sorted);
    if (!status) status = ct_blocks_reserve(sorted, 1, s->error);
    if (!status)
        status = make_room(&cloud->common->heap, &sorter->target, &sorter->runs, s->runs,
                           sizeof *sorter->target, s->error);
    if (status) return status;
    bool has_far = false;
    ct_reduce(common->pool, s->runs, GRAIN, find_targets, s, ct_fold_or, &has_far, sizeof has_far);
    status = collect_blocks(s, sorted);
    return !status && has_far ? collect_far(s, sorted) : status;
}

/* Particles go to the ranks whose blocks they are in, as they are stored, so that what follows rounds as it would
 * have where they come from. */
static ct_status move_between_ranks(sorting *s, ct_blocks *sorted)
{
    ct_cloud *cloud = s->cloud;
    for (size_t run = 0; run < s->runs; run++)
        for (size_t p = s->first[run]; p < s->first[run + 1]; p++) {
            const uint32_t key = s->sorter->key[p];
            s->sorter->order[p] = key < OFFSETS ? (uint32_t)s->sorter->target[run][key] : key - OFFSETS;
        }
    ct_status status = ct_segment_move(cloud, sorted, s->sorter->order, s->error);
    *s = begin_sort(cloud, s->error);
    return status ? status : find_blocks(s, sorted);
}

/* Puts them in order, and finds all memory that is needed: what may fail. */
static ct_status prepare_sort(sorting *s, ct_blocks *sorted)
{
    ct_cloud *cloud = s->cloud;
    ct_sorter *sorter = s->sorter;
    ct_status status;
    int workers = ct_pool_size(cloud->common->pool);
    s->keys = sorted->occupied * CT_BLOCK_NODES;
    s->slices = (size_t)(workers < MOST_SLICES ? workers : MOST_SLICES);
    if (s->keys > UINT32_MAX) return ct_fail_memory(s->error, SIZE_MAX);
    status = make_room(&cloud->common->heap, &sorter->count, &sorter->counts, s->keys * s->slices,
                       sizeof *sorter->count, s->error);
    if (!status)
        status = make_room(&cloud->common->heap, &sorter->new_number, &sorter->blocks, sorted->occupied,
                           sizeof *sorter->new_number, s->error);
    return status ? status : ct_blocks_order(sorted, sorter->new_number, s->error);
}

/* Puts the particles in order: what cannot fail. */
static void carry_out_sort(sorting *s, ct_blocks *sorted)
{
    ct_cloud *cloud = s->cloud;
    ct_pool_for(cloud->common->pool, s->runs, GRAIN, write_keys, s);
    ct_pool_for(cloud->common->pool, s->slices, 1, count_slices, s);
    sum_counts(s);
    ct_pool_for(cloud->common->pool, s->slices, 1, place_slices, s);
    ct_pool_for(cloud->common->pool, sorted->occupied, GRAIN, order_cells, s);
    ct_particles_permute(&cloud->particles, s->sorter->order, s->sorter->scratch, cloud->common->pool);
    for (size_t b = 0; b < sorted->occupied; b++)
        sorted->first[b] = b ? end_of_key(s, b * CT_BLOCK_NODES - 1) : 0;
    sorted->first[sorted->occupied] = (uint32_t)cloud->particles.count;
}

ct_status CT_FN(ct_sort)(ct_cloud *cloud, ct_error *error)
{
    ct_blocks *blocks = &cloud->grid.blocks, *spare = &cloud->sorter.spare;
    sorting s = begin_sort(cloud, error);
    choose_lead(&s);
    ct_status status = ct_ranks_agree(ct_cloud_ranks(cloud), find_blocks(&s, spare), error);
    if (!status && cloud->part) status = move_between_ranks(&s, spare);
    if (!status) status = prepare_sort(&s, spare);
    if (status) return status;
    carry_out_sort(&s, spare);
    ct_blocks old = *blocks;
    *blocks = *spare;
    *spare = old;
    status = ct_blocks_finish(blocks, error); /* on failure the blocks stand as runs, to be sorted again */
    if (!status && cloud->part) status = ct_segment_finish(cloud, error);
    cloud->must_sort = status != CT_OK;
    return status;
}
