#include "timestep/screen.h"

#include "core/reduce.h"

#include <string.h>

enum { GRAIN = 16, ROWS = CT_BLOCK_NODES / CT_BLOCK, OUTER = CT_DIM - 1 };

typedef struct screening {
    const ct_blocks *blocks;
    const ct_nodes *nodes;
    const ct_sieve *sieve;
} screening;

/* ---- blocks ------------------------------------------------------------------------------------------- */

/* The next block along each axis, or SIZE_MAX. */
static void find_next(const ct_blocks *blocks, size_t b, size_t next[CT_DIM])
{
    CT_FOR(a, CT_DIM) {
        int32_t found, at[3];
        if (b < blocks->occupied) {
            found = blocks->neighbour[b][ct_neighbour_index(a == 0, a == 1, a == 2)];
        } else {
            memcpy(at, blocks->coordinate[b], sizeof at);
            at[a]++;
            found = ct_blocks_find(blocks, at);
        }
        next[a] = found < 0 ? SIZE_MAX : (size_t)found;
    }
}

/* The least and the largest of a block and the next ones, as all of them move alike; whether they are slow
 * enough, and whether no two of them differ too much. */
static bool all_pass(const ct_real (*spans)[2][CT_NODE], size_t b, const size_t next[CT_DIM],
                     const ct_sieve *sieve, bool *is_slow)
{
    bool is_alike = true;
    *is_slow = true;
    CT_FOR(k, CT_DIM) {
        ct_real low = spans[b][0][k], high = spans[b][1][k], allowed = sieve->difference[0][k];
        *is_slow &= high <= sieve->speed[k] && -low <= sieve->speed[k];
        CT_FOR(a, CT_DIM) {
            allowed = sieve->difference[a][k] < allowed ? sieve->difference[a][k] : allowed;
            if (next[a] == SIZE_MAX) continue;
            const ct_real(*other)[CT_NODE] = spans[next[a]];
            low = other[0][k] < low ? other[0][k] : low;
            high = other[1][k] > high ? other[1][k] : high;
        }
        is_alike &= high - low <= allowed;
    }
    return is_alike && *is_slow;
}

/* ---- nodes -------------------------------------------------------------------------------------------- */

/* A bit for each number of a row that differs by more than it may. */
static unsigned row_exceeds(const ct_real *a, const ct_real *b, const ct_real most[CT_ROW_NUMBERS])
{
    unsigned bits = 0;
    CT_UNROLL(l, CT_ROW) {
        int k = l * CT_LANES;
        ct_mask found = ct_lane_abs(ct_lane_load(a + k) - ct_lane_load(b + k)) > ct_lane_load(most + k);
        bits |= ct_mask_bits(found) << k;
    }
    return bits;
}

/* From bits of numbers to bits of nodes: those of which any is set. */
static unsigned nodes_of(unsigned numbers)
{
    numbers |= numbers >> 1;
    numbers |= numbers >> 2;
    return (numbers & 0x1111) * 0x1248 >> 12 & 0xf; /* every fourth bit, side by side */
}

/* The nodes of a row that are not empty. */
static unsigned nodes_with_mass(const ct_real *row)
{
    unsigned bits = 0;
    CT_UNROLL(l, CT_ROW) bits |= ct_mask_bits(ct_lane_load(row + l * CT_LANES) > 0) << l * CT_LANES;
    return nodes_of(bits & 0x1111u << CT_DIM);
}

/* A row of nodes and, along each axis, the row of the nodes that are next; the row itself where there is
 * none, from which it does not differ. */
typedef struct neighbourhood {
    const ct_real *row, *next[CT_DIM];
    ct_real line[CT_ROW_NUMBERS + CT_NODE]; /* the row and the node after it */
} neighbourhood;

static void look_around(const ct_real *layer, size_t b, const size_t next[CT_DIM], int r, neighbourhood *n)
{
    const size_t block = CT_BLOCK_NODES * CT_NODE;
    static const int strides[2] = {CT_DIM == 3 ? CT_BLOCK : 1, 1}; /* rows */
    n->row = layer + b * block + r * CT_ROW_NUMBERS;
    CT_FOR(a, OUTER) {
        bool is_last = r / strides[a] % CT_BLOCK == CT_BLOCK - 1;
        size_t other = is_last ? next[a] : b;
        int there = r + (is_last ? 1 - CT_BLOCK : 1) * strides[a];
        n->next[a] = other == SIZE_MAX ? n->row : layer + other * block + there * CT_ROW_NUMBERS;
    }
    const ct_real *after = next[OUTER] == SIZE_MAX ? n->row + CT_ROW_NUMBERS - CT_NODE
                                                   : layer + next[OUTER] * block + r * CT_ROW_NUMBERS;
    memcpy(n->line, n->row, CT_ROW_NUMBERS * sizeof *n->line);
    memcpy(n->line + CT_ROW_NUMBERS, after, CT_NODE * sizeof *n->line);
    n->next[OUTER] = n->line + CT_NODE;
}

/* The nodes of a row that fail, a bit each. Empty ones do not count. */
static uint64_t failing_in_row(const neighbourhood *n, const ct_sieve *sieve, bool is_slow)
{
    static const ct_real rest[CT_ROW_NUMBERS] = {0};
    unsigned filled = nodes_with_mass(n->row);
    if (!filled) return 0;
    unsigned failing = is_slow ? 0 : nodes_of(row_exceeds(n->row, rest, sieve->speed));
    CT_FOR(a, CT_DIM) {
        unsigned numbers = row_exceeds(n->row, n->next[a], sieve->difference[a]);
        if (numbers) failing |= nodes_of(numbers) & nodes_with_mass(n->next[a]);
    }
    return failing & filled;
}

static void screen_blocks(void *context, size_t begin, size_t end, int worker, void *has_suspects)
{
    (void)worker;
    const screening *s = context;
    const ct_real(*spans)[2][CT_NODE] = s->nodes->span.data;
    uint64_t *suspect = s->nodes->suspect.data;
    for (size_t b = begin; b < end; b++) {
        size_t next[CT_DIM];
        bool is_slow;
        uint64_t failing = 0;
        suspect[b] = 0;
        if (!(spans[b][1][CT_DIM] > 0)) continue; /* no node has mass */
        find_next(s->blocks, b, next);
        if (!all_pass(spans, b, next, s->sieve, &is_slow))
            CT_FOR(r, ROWS) {
                neighbourhood n;
                look_around(s->nodes->velocity.data, b, next, r, &n);
                failing |= failing_in_row(&n, s->sieve, is_slow) << r * CT_BLOCK;
            }
        suspect[b] = failing;
        if (failing) *(bool *)has_suspects = true;
    }
}

bool CT_FN(ct_screen)(const ct_cloud *cloud, const ct_nodes *nodes, const ct_sieve *sieve)
{
    bool has_suspects = false;
    screening s = {&cloud->grid.blocks, nodes, sieve};
    ct_reduce(cloud->common->pool, s.blocks->count, GRAIN, screen_blocks, &s, ct_fold_or, &has_suspects,
              sizeof has_suspects);
    return has_suspects;
}

/* ---- tiles -------------------------------------------------------------------------------------------- */

/* Node `at` of a block that is `offset` blocks away, along one axis of the tile. */
static int in_tile(int offset, int at)
{
    return offset * CT_BLOCK + at + CT_TILE_BEFORE;
}

/* Whoever begins up to width - 1 nodes before a node reaches it. */
static void add_block(ct_suspects *s, int width, uint64_t failing, const int offset[3])
{
    CT_FOR(r, ROWS) {
        unsigned nodes = failing >> r * CT_BLOCK & ((1u << CT_BLOCK) - 1), along = 0;
        int x = in_tile(offset[0], CT_DIM == 3 ? r / CT_BLOCK : r), shift = in_tile(offset[OUTER], 0);
        int row = CT_DIM == 3 ? in_tile(offset[1], r % CT_BLOCK) : x, plane = CT_DIM == 3 ? x : 0;
        if (!nodes) continue;
        nodes = shift < 0 ? nodes >> -shift : nodes << shift;
        CT_FOR(n, width) along |= nodes >> n;
        along &= (1u << CT_FIRSTS) - 1;
        CT_FOR(i, CT_DIM == 3 ? width : 1)
            CT_FOR(j, width)
                if (plane - i >= 0 && plane - i < CT_SUSPECT_PLANES && row - j >= 0 && row - j < CT_FIRSTS)
                    s->plane[plane - i] |= (uint64_t)along << (row - j) * CT_FIRSTS;
    }
}

bool CT_FN(ct_suspects_find)(const ct_blocks *blocks, const ct_nodes *nodes, size_t b, int width,
                             ct_suspects *suspects)
{
    const int32_t *neighbour = blocks->neighbour[b];
    const uint64_t *suspect = nodes->suspect.data;
    const int step = CT_DIM == 2 ? 3 : 1; /* in 2D only the middle ones of three */
    uint64_t found = 0;
    memset(suspects, 0, sizeof *suspects);
    for (int k = CT_DIM == 2; k < CT_NEIGHBOURS; k += step)
        if (neighbour[k] >= 0 && suspect[neighbour[k]])
            add_block(suspects, width, suspect[neighbour[k]], (int[3]){k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1});
    CT_FOR(x, CT_SUSPECT_PLANES) found |= suspects->plane[x];
    return found != 0;
}
