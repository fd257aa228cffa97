#include "look/skin_parts.h"

#include <math.h>
#include <string.h>

static void cell_of(const ct_neighbors *self, const double x[3], int64_t cell[3])
{
    for (int a = 0; a < 3; a++) cell[a] = (int64_t)floor((x[a] - self->low[a]) * self->scale);
}

static uint32_t bucket_of(const ct_neighbors *self, const int64_t cell[3])
{
    uint64_t h = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29)) + (uint64_t)cell[1] * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) + (uint64_t)cell[2] * 0x94d049bb133111ebu;
    h *= 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32) & self->mask;
}

ct_status ct_neighbors_create(ct_heap *heap, const double (*points)[3], size_t count, double reach,
                              ct_neighbors *self, ct_error *error)
{
    uint32_t buckets = 64;
    while (buckets < count && buckets < 1u << 30) buckets *= 2;
    *self = (ct_neighbors){.heap = heap, .count = count, .scale = 1 / reach, .mask = buckets - 1};
    for (size_t p = 0; p < count; p++)
        for (int a = 0; a < 3; a++) self->low[a] = p ? fmin(self->low[a], points[p][a]) : points[p][a];
    self->begin = ct_allocate_zero(heap, ((size_t)buckets + 1) * sizeof *self->begin);
    self->order = ct_allocate(heap, count * sizeof *self->order);
    self->sorted = ct_allocate(heap, count * sizeof *self->sorted);
    uint32_t *bucket = ct_allocate(heap, count * sizeof *bucket);
    if (!self->begin || !self->order || !self->sorted || !bucket) {
        ct_release(heap, bucket);
        ct_neighbors_release(self);
        return ct_fail_memory(error, count * sizeof *self->sorted);
    }
    for (size_t p = 0; p < count; p++) { /* counts, then ends, then begins */
        int64_t cell[3];
        cell_of(self, points[p], cell);
        self->begin[bucket[p] = bucket_of(self, cell)]++;
    }
    for (uint32_t b = 1; b <= buckets; b++) self->begin[b] += self->begin[b - 1];
    for (size_t p = count; p-- > 0;) self->order[--self->begin[bucket[p]]] = (uint32_t)p;
    for (size_t k = 0; k < count; k++)
        memcpy(self->sorted[k], points[self->order[k]], sizeof self->sorted[k]);
    ct_release(heap, bucket);
    return CT_OK;
}

void ct_neighbors_release(ct_neighbors *self)
{
    if (!self->heap) return;
    ct_release(self->heap, self->begin);
    ct_release(self->heap, self->order);
    ct_release(self->heap, self->sorted);
    *self = (ct_neighbors){.heap = NULL};
}

/* Two cells may share a bucket: a bucket that was looked through is not looked through again. A reach beyond
 * the cells' size takes more cells, of which some may then come twice: fine for a search of the nearest. */
void ct_neighbors_visit(const ct_neighbors *self, const double x[3], double reach, ct_neighbor_taker take,
                        void *context)
{
    uint32_t seen[27];
    int seen_count = 0;
    int64_t low[3], high[3];
    const double from[3] = {x[0] - reach, x[1] - reach, x[2] - reach},
                 to[3] = {x[0] + reach, x[1] + reach, x[2] + reach};
    cell_of(self, from, low);
    cell_of(self, to, high);
    for (int64_t i = low[0]; i <= high[0]; i++)
        for (int64_t j = low[1]; j <= high[1]; j++)
            for (int64_t k = low[2]; k <= high[2]; k++) {
                uint32_t bucket = bucket_of(self, (const int64_t[3]){i, j, k});
                bool is_seen = false;
                for (int s = 0; s < seen_count; s++) is_seen = is_seen || seen[s] == bucket;
                if (is_seen) continue;
                if (seen_count < 27) seen[seen_count++] = bucket;
                for (uint32_t at = self->begin[bucket]; at < self->begin[bucket + 1]; at++) {
                    const double *y = self->sorted[at];
                    double offset[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
                    double square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
                    if (square < reach * reach) take(context, self->order[at], offset, square);
                }
            }
}
