#include "transfer/tile.h"

#include "core/rows.h"

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

/* A node of the tile along one axis is in the block before (one node), in the block itself (four) or in the
 * one after. */
static inline int side_of(int tile)
{
    return tile < 1 ? -1 : tile > CT_BLOCK ? 1 : 0;
}

static inline int node_of(int tile)
{
    return (tile + CT_BLOCK - 1) % CT_BLOCK;
}

typedef void quad_action(ct_real *nodes, ct_real *tile, int quads);

/* Calls `action` for every run of nodes along the last axis that the tile's range and one block share. */
static inline __attribute__((always_inline)) void for_runs(const ct_blocks *blocks, size_t b, ct_real *layer,
                                                           ct_tile_range range, ct_real *tile,
                                                           quad_action *action)
{
    enum { LAST = CT_DIM - 1, DEPTH = CT_DIM == 3 };
    const int32_t *neighbour = blocks->neighbour[b];
    for (int x = DEPTH ? range.low[0] : 1; x <= (DEPTH ? range.high[0] : 1); x++)
        for (int y = range.low[LAST - 1]; y <= range.high[LAST - 1]; y++)
            for (int z = range.low[LAST]; z <= range.high[LAST];) {
                int side = side_of(z), end = side < 0 ? 0 : side > 0 ? CT_TILE - 1 : CT_BLOCK;
                if (end > range.high[LAST]) end = range.high[LAST];
                int n = DEPTH ? ct_neighbour_index(side_of(x), side_of(y), side)
                              : ct_neighbour_index(side_of(y), side, 0);
                int in_block = (DEPTH * node_of(x) * CT_BLOCK + node_of(y)) * CT_BLOCK + node_of(z);
                int in_tile = (DEPTH * x * CT_TILE + y) * CT_TILE + z;
                action(layer + ((size_t)neighbour[n] * CT_BLOCK_NODES + (size_t)in_block) * CT_NODE,
                       tile + in_tile * CT_NODE, end - z + 1);
                z = end + 1;
            }
}

static inline void copy_quads(ct_real *nodes, ct_real *tile, int quads)
{
    CT_FOR(k, quads) memcpy(tile + k * CT_NODE, nodes + k * CT_NODE, CT_NODE * sizeof *tile);
}

static inline void add_quads(ct_real *nodes, ct_real *tile, int quads)
{
    CT_FOR(k, quads) ct_quad_add(nodes + k * CT_NODE, tile + k * CT_NODE);
}

void CT_FN(ct_tile_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_tile tile)
{
    for_runs(blocks, b, (ct_real *)(uintptr_t)layer, range, tile, copy_quads);
}

void CT_FN(ct_tile_add)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_tile_range range,
                        const ct_tile tile)
{
    for_runs(blocks, b, layer, range, (ct_real *)(uintptr_t)tile, add_quads);
}
