/* A pressure equation as splashes make it, for the tests of its solver. */
#ifndef CT_TESTS_BASIN_H
#define CT_TESTS_BASIN_H

#include "core/threads.h"
#include "fluid/poisson.h"
#include "physics/worlds.h"

/* From 0 to 1. */
static inline double chance(uint64_t *seed)
{
    return 0.5 + 0.5 * uniform(seed);
}

/* A basin of side^d cells: a bumpy surface, drops above it, faces that are partly covered. `closed`: full to a lid
 * without air, and a wall in the middle that makes two chambers of it. */
typedef struct basin {
    int side, dimension;
    int32_t *number; /* [side^3] -1: no water */
    bool is_closed;
} basin;

static inline bool is_wet(const basin *b, const int at[3])
{
    const double n = b->side, x = at[0] / n, y = at[1] / n, z = at[2] / n;
    if (b->is_closed) return at[0] != b->side / 2;
    if (y < 0.55 + 0.15 * sin(7 * x) + 0.05 * sin(31 * x + 1) * cos(9 * z)) return true;
    uint64_t seed = 5;
    for (int k = 0; k < 25; k++) {
        double dx = x - chance(&seed), dy = y - 0.6 - 0.4 * chance(&seed);
        double dz = b->dimension == 3 ? z - chance(&seed) : 0, r = 0.01 + 0.03 * chance(&seed);
        if (dx * dx + dy * dy + dz * dz < r * r) return true;
    }
    return false;
}

static inline size_t place(const basin *b, const int at[3])
{
    const size_t side = (size_t)b->side, depth = b->dimension == 3 ? side : 1;
    return ((size_t)at[0] * side + (size_t)at[1]) * depth + (size_t)at[2];
}

static inline bool is_inside(const basin *b, const int at[3])
{
    bool is_in = true;
    for (int a = 0; a < b->dimension; a++) is_in &= at[a] >= 0 && at[a] < b->side;
    return is_in;
}

static inline size_t number_cells(basin *b, size_t *red)
{
    const int depth = b->dimension == 3 ? b->side : 1;
    size_t count = 0;
    for (int colour = 0; colour < 2; colour++) {
        for (int x = 0; x < b->side; x++)
            for (int y = 0; y < b->side; y++)
                for (int z = 0; z < depth; z++) {
                    const int at[3] = {x, y, z};
                    if (((x + y + z) & 1) != colour) continue;
                    b->number[place(b, at)] = is_wet(b, at) ? (int32_t)count++ : -1;
                }
        if (!colour) *red = count;
    }
    return count;
}

/* The same for both sides of a face: between 0.3 and 1 for some, 1 for most. */
static inline double open_of(const int at[3], int axis)
{
    const uint32_t mixed = (uint32_t)at[0] * 73856093u ^ (uint32_t)at[1] * 19349663u ^
                           (uint32_t)at[2] * 83492791u ^ (uint32_t)axis * 7919u;
    uint64_t seed = (uint64_t)(int32_t)mixed;
    chance(&seed);
    double u = chance(&seed);
    return u < 0.1 ? 0.3 + 7 * u : 1;
}

static inline void fill(ct_poisson *p, basin *b)
{
    size_t red = 0, count = number_cells(b, &red), faces = 2 * (size_t)b->dimension;
    uint64_t seed = 11;
    CHECK(ct_poisson_reserve(p, count, error));
    ct_poisson_level *l = &p->level[0];
    l->count = count, l->red = red;
    for (size_t k = 0; k < (size_t)b->side * (size_t)b->side * (size_t)(b->dimension == 3 ? b->side : 1);
         k++) {
        int at[3] = {0}, rest = (int)k;
        for (int a = b->dimension - 1; a >= 0; a--, rest /= b->side) at[a] = rest % b->side;
        const int32_t i = b->number[place(b, at)];
        if (i < 0) continue;
        l->air[i] = 0;
        for (int a = 0; a < 3; a++) l->at[i][a] = at[a] - 3; /* coordinates may be negative */
        for (size_t f = 0; f < faces; f++) {
            int next[3] = {at[0], at[1], at[2]}, low[3] = {at[0], at[1], at[2]};
            next[f / 2] += f % 2 ? 1 : -1;
            low[f / 2] += f % 2;
            const bool is_there = is_inside(b, next);
            const int32_t j = is_there ? b->number[place(b, next)] : -1;
            const double open = open_of(low, (int)f / 2);
            l->next[(size_t)i * faces + f] = (uint32_t)(j >= 0 ? j : i);
            l->link[(size_t)i * faces + f] = j >= 0 ? open : 0;
            if (is_there && j < 0 && !b->is_closed) l->air[i] += open / (0.01 + 0.99 * chance(&seed));
        }
        l->b[i] = chance(&seed) - 0.5;
    }
    CHECK(ct_poisson_coarsen(p, error));
}

typedef struct rig {
    ct_heap heap;
    ct_pool *pool;
    ct_poisson poisson;
    basin basin;
} rig;

static inline void begin(rig *r, int dimension, int side, bool is_closed, int threads)
{
    ct_heap_init(&r->heap, (ct_allocator){0});
    CHECK(ct_pool_create(&r->heap, threads, &r->pool, error));
    ct_poisson_init(&r->poisson, &r->heap, r->pool, dimension);
    r->basin = (basin){.side = side, .dimension = dimension, .is_closed = is_closed};
    r->basin.number =
        malloc((size_t)side * (size_t)side * (size_t)(dimension == 3 ? side : 1) * sizeof *r->basin.number);
    assert_non_null(r->basin.number);
    fill(&r->poisson, &r->basin);
}

static inline void end(rig *r)
{
    ct_poisson_release(&r->poisson);
    ct_pool_destroy(r->pool);
    free(r->basin.number);
    assert_int_equal(r->heap.bytes, 0);
}

#endif
