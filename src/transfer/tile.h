/* A tile: the nodes that a block's particles reach, side by side in a small array that stays in the first
 * cache. Nodes -2 to 7 of the block along each axis, so a particle may have drifted two cells out of it
 * before the particles must be sorted again (after the block one cell with the cubic kernel, whose rows are
 * longer).
 *
 *       tile   0   1   2   3   4   5   6   7   8   9
 *       node  -2  -1   0   1   2   3   4   5   6   7
 *              |   |   |    block    | |    next    |
 *           block before                  block
 *
 * A tile that is added to has as many copies as a lane has nodes, each moved by one node more: a row of nodes
 * that begins at node z goes to copy z mod CT_TILE_COPIES, where it is aligned. Adding the tile to the grid
 * adds the copies up (docs/hot-loop.md says why). A row of the quadratic kernel has a node to spare, which is
 * its last or its first, so that it begins at an even node: every second copy does, the only one with AVX2.
 * Who writes node by node needs one copy.
 *
 * A twin tile has two quads a node, of two layers of the grid: with forces, and before them.
 *
 * A slim tile has velocities only, without masses, for the quadratic kernel where a register has eight
 * numbers. Three nodes side by side, which a particle reads, are
 *
 *     3D   x y z  x y z  x y [z]    one register, but for the last
 *     2D   x y  x y  x y            one register
 *
 * so in 3D the last components are there once more, with nodes along y side by side: the three that a
 * particle misses in the three rows of a plane are one register, too.
 */
#ifndef CT_TRANSFER_TILE_H
#define CT_TRANSFER_TILE_H

#include "core/rows.h"
#include "grid/layer.h"
#include "particles/place.h"

enum {
    CT_TILE_COPIES = CT_LANES > 4 ? CT_LANES / 4 : 1,
    CT_TILE_ROW = (CT_TILE + CT_TILE_COPIES - 1) / CT_TILE_COPIES * CT_TILE_COPIES, /* nodes, with padding */
    CT_TILE_NODES = (CT_DIM == 3 ? CT_TILE : 1) * CT_TILE * CT_TILE_ROW,
    CT_ROW_STRIDE = CT_TILE_ROW * CT_NODE, /* numbers from one row of the tile to the next */
    CT_TILE_NUMBERS = CT_TILE_NODES * CT_NODE,
    CT_TWIN = 2 * CT_NODE,                                 /* numbers of a node of a twin tile */
    CT_COPY_NUMBERS = CT_TILE_NUMBERS + 2 * CT_ROW_NUMBERS /* room for rows that begin at the last nodes */
};

typedef ct_real ct_tile[CT_TILE_NUMBERS + CT_ROW_NUMBERS]; /* to read */
typedef ct_real ct_sum_tile[CT_TILE_COPIES * CT_COPY_NUMBERS];
typedef ct_real ct_twin_tile[CT_TILE_NODES * CT_TWIN]; /* to read and to add to */

#define CT_HAS_SLIM (CT_LANE_COUNT == 8)

enum {
    CT_SLIM = CT_TILE, /* nodes along an axis */
    CT_SLIM_STRIDE = CT_SLIM * CT_DIM,
    CT_SLIM_THIRD = (CT_DIM == 3 ? CT_SLIM : 1) * CT_SLIM * CT_SLIM_STRIDE + CT_LANES /* components again */
};
typedef ct_real ct_slim_tile[CT_SLIM_THIRD + (CT_DIM == 3 ? CT_SLIM * CT_SLIM * CT_SLIM + CT_NODE : 0)];

/* Index of the number 0 of the node at offset `node` from the block's corner. */
static inline int ct_tile_index(const int node[CT_DIM])
{
    int index = 0;
    CT_FOR(a, CT_DIM) index = index * (a < CT_DIM - 1 ? CT_TILE : CT_TILE_ROW) + node[a] + CT_TILE_BEFORE;
    return index * CT_NODE;
}

/* Copies in use: every one, every second, or the first. */
typedef enum ct_copies {
    CT_EACH_COPY = 1,
    CT_EVEN_COPIES = CT_TILE_COPIES > 1 ? 2 : 1,
    CT_ONE_COPY = CT_TILE_COPIES
} ct_copies;

/* How far a number in a copy is from the same number in the first copy. */
CT_INLINE int ct_copy_offset(int copy)
{
    return copy * CT_COPY_NUMBERS + (CT_TILE_COPIES - copy) % CT_TILE_COPIES * CT_NODE;
}

/* The part of a tile that is in use, along each axis: nodes low to high, counted in the tile. */
typedef struct ct_tile_range {
    int low[CT_DIM], high[CT_DIM];
} ct_tile_range;

/* What particles [first, last) of a block reach, with a kernel of that width. */
ct_tile_range CT_FN(ct_tile_range_of)(const ct_planes *planes, size_t first, size_t last, int width);

/* The same of a block, found on the step's way to the grid and known until the way back: nobody moves. */
static inline void ct_tile_range_note(const ct_nodes *nodes, size_t b, ct_tile_range range)
{
    int8_t(*noted)[3] = (int8_t(*)[3])nodes->range.data + 2 * b;
    CT_FOR(a, CT_DIM) {
        noted[0][a] = (int8_t)range.low[a];
        noted[1][a] = (int8_t)range.high[a];
    }
}

static inline ct_tile_range ct_tile_range_noted(const ct_nodes *nodes, size_t b)
{
    const int8_t(*noted)[3] = (const int8_t(*)[3])nodes->range.data + 2 * b;
    ct_tile_range range;
    CT_FOR(a, CT_DIM) range.low[a] = noted[0][a], range.high[a] = noted[1][a];
    return range;
}

/* Sets the rows in the range to zero, in one copy. */
void CT_FN(ct_tile_clear)(ct_tile_range range, ct_real *tile);

/* Copies the nodes of a layer around block `b` into the tile. */
void CT_FN(ct_tile_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_real *tile);
void CT_FN(ct_twin_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, const ct_real *second,
                         ct_tile_range range, ct_real *tile);

void CT_FN(ct_slim_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_real *tile);

/* Nodes from number `first` on of a slim tile's row, from quads. */
CT_INLINE void ct_slim_put(int x, int y, int first, int nodes, const ct_real *quads, ct_real *tile)
{
    /* A whole quad is stored, and the next node over its last number. */
    CT_UNROLL(n, nodes)
        memcpy(tile + (x * CT_SLIM + y) * CT_SLIM_STRIDE + (first + n) * CT_DIM, quads + n * CT_NODE,
               CT_NODE * sizeof *tile);
#if CT_DIM == 3
    CT_UNROLL(n, nodes)
        tile[CT_SLIM_THIRD + (x * CT_SLIM + first + n) * CT_SLIM + y] = quads[n * CT_NODE + 2];
#endif
}

/* Adds the tile to the layer, and leaves zeros behind. */
void CT_FN(ct_tile_unload)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_tile_range range,
                           ct_copies copies, ct_real *tile);
void CT_FN(ct_twin_unload)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_real *second,
                           ct_tile_range range, ct_real *tile);

#endif
