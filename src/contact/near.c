#include "contact/near.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64 };

typedef struct ct_near_entry {
    int32_t at[3];
    uint32_t box;
} near_entry;

void ct_near_release(ct_heap *heap, ct_near *near)
{
    void *const owned[] = {near->box, near->pair, near->bucket, near->entry, near->found};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) ct_release(heap, owned[k]);
}

ct_status ct_near_reserve(ct_heap *heap, ct_near *near, size_t count, ct_error *error)
{
    near->count = near->pairs = 0;
    ct_status status = ct_array_grow(heap, &near->box, 0, &near->box_room, count, sizeof *near->box, error);
    if (!status)
        status =
            ct_array_grow(heap, &near->found, 0, &near->found_room, count + 1, sizeof *near->found, error);
    if (!status) near->count = count;
    return status;
}

/* ---- Cells -------------------------------------------------------------------------------------------- */

/* Cells are half again as large as a box is in the mean, but so large that no box is in more than 5 per axis. */
static void choose_cell(ct_near *near)
{
    double sum = 0, most = 0;
    for (size_t k = 0; k < near->count; k++) {
        double size = 0;
        for (int a = 0; a < 3; a++) size = fmax(size, near->box[k][3 + a] - near->box[k][a]);
        sum += size;
        most = fmax(most, size);
    }
    near->cell = fmax(fmax(1.5 * sum / (double)near->count, most / 4), 1e-300);
}

static void cells_of(const ct_near *near, const double box[6], int32_t low[3], int32_t high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = (int32_t)fmax(fmin(floor(box[a] / near->cell), 1e9), -1e9);
        high[a] = (int32_t)fmax(fmin(floor(box[3 + a] / near->cell), 1e9), -1e9);
    }
}

static size_t bucket_of(const ct_near *near, const int32_t at[3])
{
    uint64_t h = (uint64_t)(uint32_t)at[0] * 0x9E3779B97F4A7C15u;
    h = (h ^ (uint64_t)(uint32_t)at[1]) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ (uint64_t)(uint32_t)at[2]) * 0x165667B19E3779F9u;
    return (size_t)(h >> 32) & (near->buckets - 1);
}

#define EACH_CELL(at, low, high)                                    \
    for (int32_t at[3] = {low[0], 0, 0}; at[0] <= high[0]; at[0]++) \
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)             \
            for (at[2] = low[2]; at[2] <= high[2]; at[2]++)

/* Entries of a bucket are in the order of boxes. */
static ct_status fill_buckets(ct_heap *heap, ct_near *near, ct_error *error)
{
    size_t total = 0;
    int32_t low[3], high[3];
    for (near->buckets = 16; near->buckets < 2 * near->count;) near->buckets *= 2;
    ct_status status = ct_array_grow(heap, &near->bucket, 0, &near->bucket_room, near->buckets + 1,
                                     sizeof *near->bucket, error);
    if (status) return status;
    memset(near->bucket, 0, (near->buckets + 1) * sizeof *near->bucket);
    for (size_t k = 0; k < near->count; k++) {
        cells_of(near, near->box[k], low, high);
        EACH_CELL(at, low, high) near->bucket[bucket_of(near, at)]++, total++;
    }
    if (total > UINT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "contact: %zu cells of boxes are too many", total);
    status = ct_array_grow(heap, &near->entry, 0, &near->entry_room, total, sizeof *near->entry, error);
    if (status) return status;
    for (size_t b = 1; b <= near->buckets; b++) near->bucket[b] += near->bucket[b - 1];
    for (size_t k = near->count; k-- > 0;) { /* backwards: each bucket fills from its end */
        cells_of(near, near->box[k], low, high);
        EACH_CELL(at, low, high)
        near->entry[--near->bucket[bucket_of(near, at)]] = (near_entry){{at[0], at[1], at[2]}, (uint32_t)k};
    }
    return CT_OK;
}

/* ---- Pairs -------------------------------------------------------------------------------------------- */

static bool overlap(const double a[6], const double b[6])
{
    for (int k = 0; k < 3; k++)
        if (a[k] > b[3 + k] || b[k] > a[3 + k]) return false;
    return true;
}

/* Boxes after k that overlap it, ascending; returns how many. */
static uint32_t pairs_of(const ct_near *near, size_t k, ct_near_pair *into)
{
    int32_t low[3], high[3], first[3], last[3];
    uint32_t count = 0;
    cells_of(near, near->box[k], low, high);
    EACH_CELL(at, low, high)
    {
        size_t bucket = bucket_of(near, at);
        for (uint32_t e = near->bucket[bucket]; e < near->bucket[bucket + 1]; e++) {
            const near_entry *entry = &near->entry[e];
            double common[6];
            if (entry->box <= k || memcmp(entry->at, at, sizeof entry->at)) continue;
            if (!overlap(near->box[k], near->box[entry->box])) continue;
            for (int a = 0; a < 3; a++)
                common[a] = common[3 + a] = fmax(near->box[k][a], near->box[entry->box][a]);
            cells_of(near, common, first, last);
            if (memcmp(first, at, sizeof first)) continue;
            uint32_t to = count++;
            if (!into) continue;
            for (; to > 0 && into[to - 1].b > entry->box; to--) into[to] = into[to - 1];
            into[to] = (ct_near_pair){(uint32_t)k, entry->box};
        }
    }
    return count;
}

typedef struct search {
    ct_near *near;
    bool is_counting;
} search;

static void find_pairs(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const search *s = context;
    ct_near *near = s->near;
    for (size_t k = begin; k < end; k++)
        if (s->is_counting) near->found[k] = pairs_of(near, k, NULL);
        else if (near->found[k + 1] > near->found[k]) pairs_of(near, k, near->pair + near->found[k]);
}

ct_status ct_near_find(ct_heap *heap, ct_pool *pool, ct_near *near, ct_error *error)
{
    search s = {.near = near, .is_counting = true};
    size_t total = 0;
    near->pairs = 0;
    if (near->count < 2) return CT_OK;
    choose_cell(near);
    ct_status status = fill_buckets(heap, near, error);
    if (status) return status;
    ct_pool_for(pool, near->count, GRAIN, find_pairs, &s);
    for (size_t k = 0; k < near->count; k++) {
        uint32_t own = near->found[k];
        near->found[k] = (uint32_t)total;
        total += own;
    }
    if (total > UINT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "contact: %zu pairs of boxes are too many", total);
    near->found[near->count] = (uint32_t)total;
    status = ct_array_grow(heap, &near->pair, 0, &near->pair_room, total, sizeof *near->pair, error);
    if (status) return status;
    s.is_counting = false;
    ct_pool_for(pool, near->count, GRAIN, find_pairs, &s);
    near->pairs = total;
    return CT_OK;
}
