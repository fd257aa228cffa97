#include "transfer/tile.h"

#include <string.h>

ct_tile_range CT_FN(ct_tile_range_of)(const ct_planes *planes, size_t first, size_t last, int width)
{
    ct_tile_range range;
    CT_FOR(a, CT_DIM) {
        ct_real low = planes->position[a][first], high = low;
        size_t p = first;
        if (last - first >= CT_LANES) {
            ct_lane lows = ct_lane_all(low), highs = lows;
            for (; p + CT_LANES <= last; p += CT_LANES) {
                ct_lane at = ct_lane_load(planes->position[a] + p);
                lows = ct_lane_min(lows, at);
                highs = ct_lane_max(highs, at);
            }
            low = -ct_lane_highest(-lows);
            high = ct_lane_highest(highs);
        }
        for (; p < last; p++) {
            ct_real at = planes->position[a][p];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        range.low[a] = ct_floor(low) + 1;
        range.high[a] = ct_floor(high) + width;
    }
    return range;
}

/* A row of the tile lies in three blocks along the last axis: one node in the block before, four in the one
 * in the middle, three in the one after. */
enum { BEFORE = 1, AFTER = CT_TILE - CT_BLOCK - BEFORE, OUTER = CT_DIM - 1, DEPTH = CT_DIM == 3 };

/* A node of the tile along an outer axis: which block it is in (-1, 0, 1), and which node of it. */
static inline int side_of(int tile)
{
    return tile < BEFORE ? -1 : tile >= BEFORE + CT_BLOCK;
}

static inline int node_of(int tile)
{
    return (tile + CT_BLOCK - BEFORE) % CT_BLOCK;
}

/* Where the first node of a row is in a layer, for the block on that side along the last axis. */
static inline size_t row_in_layer(const int32_t neighbour[CT_NEIGHBOURS], int x, int y, int side)
{
    int n =
        DEPTH ? ct_neighbour_index(side_of(x), side_of(y), side) : ct_neighbour_index(side_of(y), side, 0);
    int row = DEPTH ? node_of(x) * CT_BLOCK + node_of(y) : node_of(y);
    return ((size_t)neighbour[n] * CT_BLOCK_NODES + (size_t)(row * CT_BLOCK)) * CT_NODE;
}

/* Rows of the range: `row` is the index of their first number in the tile; x is the first axis of three. */
#define FOR_ROWS(range, x, y, row)                                                    \
    for (int x = DEPTH ? (range).low[0] : 0; x <= (DEPTH ? (range).high[0] : 0); x++) \
        for (int y = (range).low[OUTER - 1], row = (x * CT_TILE + y) * CT_ROW_STRIDE; \
             y <= (range).high[OUTER - 1]; y++, row += CT_ROW_STRIDE)

void CT_FN(ct_tile_clear)(ct_tile_range range, ct_real *tile)
{
    FOR_ROWS(range, x, y, row)
    CT_UNROLL(copy, CT_TILE_COPIES)
        memset(tile + row + ct_copy_offset(copy), 0, CT_ROW_STRIDE * sizeof *tile);
}

void CT_FN(ct_tile_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_real *tile)
{
    const int32_t *neighbour = blocks->neighbour[b];
    FOR_ROWS(range, x, y, row)
    {
        const ct_real *before = layer + row_in_layer(neighbour, x, y, -1) + (CT_BLOCK - BEFORE) * CT_NODE;
        const ct_real *middle = layer + row_in_layer(neighbour, x, y, 0);
        const ct_real *after = layer + row_in_layer(neighbour, x, y, 1);
        memcpy(tile + row, before, BEFORE * CT_NODE * sizeof *tile);
        memcpy(tile + row + BEFORE * CT_NODE, middle, CT_BLOCK * CT_NODE * sizeof *tile);
        memcpy(tile + row + (BEFORE + CT_BLOCK) * CT_NODE, after, AFTER * CT_NODE * sizeof *tile);
        /* A row of four nodes that begins at the last but two ends in the next row, without weight there:
         * what it finds must be a number. The next row comes later. */
        memset(tile + row + CT_ROW_STRIDE, 0, CT_NODE * sizeof *tile);
    }
}

CT_INLINE void add_nodes(int nodes, const ct_real *tile, ct_real *to)
{
    CT_UNROLL(n, nodes)
        CT_UNROLL(copy, CT_TILE_COPIES)
            ct_quad_add(to + n * CT_NODE, tile + n * CT_NODE + ct_copy_offset(copy));
}

void CT_FN(ct_tile_add)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_tile_range range,
                        const ct_real *tile)
{
    const int32_t *neighbour = blocks->neighbour[b];
    FOR_ROWS(range, x, y, row)
    {
        ct_real *before = layer + row_in_layer(neighbour, x, y, -1) + (CT_BLOCK - BEFORE) * CT_NODE;
        add_nodes(BEFORE, tile + row, before);
        add_nodes(CT_BLOCK, tile + row + BEFORE * CT_NODE, layer + row_in_layer(neighbour, x, y, 0));
        add_nodes(AFTER, tile + row + (BEFORE + CT_BLOCK) * CT_NODE,
                  layer + row_in_layer(neighbour, x, y, 1));
    }
}
