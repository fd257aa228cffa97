#include "transfer/tile.h"

#include <string.h>

/* The part of a tile that lies in a neighbour, along one axis, for the neighbour before, the block itself and the one
 * after. */
static const int node_first[3] = {3, 0, 0};
static const int tile_first[3] = {0, 1, 5};
static const int part_length[3] = {1, 4, 3};

typedef void row_action(ct_real *nodes, ct_real *tile, size_t numbers);

/* Calls `action` for every row of nodes along the last axis that the tile and a block share. */
static inline void for_rows(const ct_blocks *blocks, size_t b, ct_real *layer, ct_real *tile, row_action *action)
{
    enum { DEPTH = CT_DIM == 3 };
    for (int x = -DEPTH; x <= DEPTH; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -1; z <= 1; z++) {
                int n = DEPTH ? ct_neighbour_index(x, y, z) : ct_neighbour_index(y, z, 0);
                ct_real *nodes = layer + (size_t)blocks->neighbour[b][n] * CT_BLOCK_NODES * CT_NODE;
                CT_FOR(i, DEPTH ? part_length[x + 1] : 1)
                CT_FOR(j, part_length[y + 1])
                {
                    int in_block = (node_first[x + 1] + i) * DEPTH * CT_BLOCK + node_first[y + 1] + j;
                    int in_tile = (tile_first[x + 1] + i) * DEPTH * CT_TILE + tile_first[y + 1] + j;
                    action(nodes + (in_block * CT_BLOCK + node_first[z + 1]) * CT_NODE,
                           tile + (in_tile * CT_TILE + tile_first[z + 1]) * CT_NODE,
                           (size_t)part_length[z + 1] * CT_NODE);
                }
            }
}

static inline void copy_row(ct_real *nodes, ct_real *tile, size_t numbers)
{
    memcpy(tile, nodes, numbers * sizeof *tile);
}

static inline void add_row(ct_real *nodes, ct_real *tile, size_t numbers)
{
    for (size_t k = 0; k < numbers; k++) nodes[k] += tile[k];
}

void CT_FN(ct_tile_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile tile)
{
    for_rows(blocks, b, (ct_real *)(uintptr_t)layer, tile, copy_row);
}

void CT_FN(ct_tile_add)(const ct_blocks *blocks, size_t b, ct_real *layer, const ct_tile tile)
{
    for_rows(blocks, b, layer, (ct_real *)(uintptr_t)tile, add_row);
}
