#include "trial/neighbors.h"

#include "trial/trial.h"
#include <math.h>
#include <string.h>

typedef struct bins {
    const double (*position)[3];
    double width;
    size_t mask;
    uint32_t *first, *next; /* [mask + 1], [count]: the last point hung into a bin, and the one before it */
} bins;

enum { NOBODY = UINT32_MAX };

static void cell_of(const bins *b, size_t point, int64_t cell[3])
{
    for (int a = 0; a < 3; a++) cell[a] = (int64_t)floor(b->position[point][a] / b->width);
}

static size_t bin_of(const bins *b, const int64_t cell[3])
{
    uint64_t key = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)cell[2] * 0x165667b19e3779f9u;
    return (size_t)(key ^ key >> 29) & b->mask;
}

/* The points of one cell that were hung in before, with point `b`. */
static void visit_cell(const bins *self, size_t b, const int64_t cell[3], double reach, ct_pair_taker take,
                       void *user)
{
    for (uint32_t a = self->first[bin_of(self, cell)]; a != NOBODY; a = self->next[a]) {
        int64_t own[3];
        cell_of(self, a, own);
        if (memcmp(own, cell, sizeof own) != 0) continue; /* another cell with the same bin */
        double squared = 0;
        for (int k = 0; k < 3; k++) {
            double gap = self->position[a][k] - self->position[b][k];
            squared += gap * gap;
        }
        if (squared < reach * reach) take(user, a, b, sqrt(squared));
    }
}

static bool is_usable(const double position[3])
{
    return fabs(position[0]) < 1e9 && fabs(position[1]) < 1e9 && fabs(position[2]) < 1e9;
}

ct_status ct_pairs_visit(ct_heap *heap, const double (*position)[3], const bool *chosen, size_t count,
                         double distance, ct_pair_taker take, void *user, ct_error *error)
{
    bins self = {.position = position, .width = distance, .mask = 1};
    while (self.mask < count) self.mask = 2 * self.mask + 1;
    self.first = ct_allocate(heap, (self.mask + 1) * sizeof *self.first);
    self.next = ct_allocate(heap, (count + 1) * sizeof *self.next);
    ct_status status = self.first && self.next ? CT_OK : ct_fail_memory(error, count * 2 * sizeof *self.next);
    if (!status) memset(self.first, 0xff, (self.mask + 1) * sizeof *self.first);
    for (size_t b = 0; b < count && !status; b++) {
        if ((chosen && !chosen[b]) || !is_usable(position[b])) continue;
        int64_t own[3];
        cell_of(&self, b, own);
        for (int k = 0; k < 27; k++)
            visit_cell(&self, b, (int64_t[3]){own[0] + k % 3 - 1, own[1] + k / 3 % 3 - 1, own[2] + k / 9 - 1},
                       distance, take, user);
        size_t bin = bin_of(&self, own);
        self.next[b] = self.first[bin];
        self.first[bin] = (uint32_t)b;
    }
    ct_release(heap, self.next);
    ct_release(heap, self.first);
    return status;
}

/* ---- fragments: sets of points that are joined by near pairs ---- */

static uint32_t root_of(uint32_t *parent, uint32_t point)
{
    while (parent[point] != point) point = parent[point] = parent[parent[point]];
    return point;
}

static void join(void *user, size_t a, size_t b, double distance)
{
    (void)distance;
    uint32_t *parent = user, one = root_of(parent, (uint32_t)a), other = root_of(parent, (uint32_t)b);
    if (one < other) parent[other] = one;
    else parent[one] = other;
}

/* size[p]: how many particles the piece has whose first one is p; 0 of all others. */
static ct_status size_pieces(ct_sampling *sampling, double distance, uint32_t *size, ct_error *error)
{
    uint32_t *parent = ct_allocate(sampling->heap, (sampling->count + 1) * sizeof *parent);
    if (!parent) return ct_fail_memory(error, sampling->count * sizeof *parent);
    for (size_t p = 0; p < sampling->count; p++) parent[p] = (uint32_t)p, size[p] = 0;
    ct_status status = ct_pairs_visit(sampling->heap, (const double(*)[3])sampling->position,
                                      sampling->chosen, sampling->count, distance, join, parent, error);
    for (size_t p = 0; p < sampling->count; p++)
        if (sampling->chosen[p]) size[root_of(parent, (uint32_t)p)]++;
    ct_release(sampling->heap, parent);
    return status;
}

ct_status ct_count_fragments(ct_sampling *sampling, double distance, double above, ct_fragments *found,
                             ct_error *error)
{
    uint32_t *size = ct_allocate(sampling->heap, (sampling->count + 1) * sizeof *size);
    if (!size) return ct_fail_memory(error, sampling->count * sizeof *size);
    ct_status status = size_pieces(sampling, distance, size, error);
    double all = 0, squares = 0;
    *found = (ct_fragments){0};
    for (size_t p = 0; p < sampling->count && !status; p++) {
        double own = (double)size[p];
        found->count += own > 0 && own > above;
        all += own;
        squares += own * own;
    }
    found->even = squares > 0 ? all * all / squares : 0;
    ct_release(sampling->heap, size);
    return status;
}

/* ---- the distance of each to its nearest ---- */

static void shorten(void *user, size_t a, size_t b, double distance)
{
    double *nearest = user;
    if (distance < nearest[a]) nearest[a] = distance;
    if (distance < nearest[b]) nearest[b] = distance;
}

ct_status ct_nearest_distances(ct_sampling *sampling, double distance, double *nearest, ct_error *error)
{
    for (size_t p = 0; p < sampling->count; p++) nearest[p] = distance;
    return ct_pairs_visit(sampling->heap, (const double(*)[3])sampling->position, sampling->chosen,
                          sampling->count, distance, shorten, nearest, error);
}
