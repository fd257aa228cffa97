#include "transfer/tile.h"

#include "core/range.h"

#include <string.h>

ct_tile_range CT_FN(ct_tile_range_of)(const ct_planes *planes, size_t first, size_t last, int width)
{
    ct_tile_range range;
    CT_FOR(a, CT_DIM) {
        ct_range at = ct_range_of(planes->position[a] + first, last - first);
        range.low[a] = ct_floor(at.low) + CT_TILE_BEFORE;
        range.high[a] = ct_floor(at.high) + CT_TILE_BEFORE + width - 1;
    }
    return range;
}

/* A row of the tile lies in three blocks along the last axis: two nodes in the block before, four in the one
 * in the middle, four in the one after. Those outside of the middle come and go in pairs, as far as they are
 * in use: rows that are added to begin at even nodes, so what they touch beyond their range is in such a
 * pair. */
enum {
    BEFORE = CT_TILE_BEFORE,
    AFTER = BEFORE + CT_BLOCK,
    PAIR = 2,
    OUTER = CT_DIM - 1,
    DEPTH = CT_DIM == 3
};

/* The parts of a row that the range reaches, by their first node. */
#define IS_BEFORE(range)        ((range).low[OUTER] < BEFORE)
#define IS_AFTER(range, number) ((range).high[OUTER] >= AFTER + PAIR * (number))

/* A node of the tile along an outer axis: which block it is in (-1, 0, 1), and which node of it. */
static inline int side_of(int tile)
{
    return tile < BEFORE ? -1 : tile >= BEFORE + CT_BLOCK;
}

static inline int node_of(int tile)
{
    return (tile + CT_BLOCK - BEFORE) % CT_BLOCK;
}

/* Where the blocks around block `b` begin in a layer: [outer sides][-1, 0, 1 along the last axis]. */
typedef struct surroundings {
    size_t first[CT_DIM == 3 ? 9 : 3][3];
} surroundings;

static surroundings look_around(const ct_blocks *blocks, size_t b)
{
    surroundings around;
    const int32_t *neighbour = blocks->neighbour[b];
    CT_FOR(n, CT_DIM == 3 ? 27 : 9) {
        /* in 2D neighbours differ in the first two of three coordinates */
        int index = DEPTH ? n : ct_neighbour_index(n / 3 - 1, n % 3 - 1, 0);
        around.first[n / 3][n % 3] = (size_t)neighbour[index] * (CT_BLOCK_NODES * CT_NODE);
    }
    return around;
}

/* Of a row of the tile: where the blocks that it passes begin, and the row's place in them. */
static inline const size_t *blocks_of_row(const surroundings *around, int x, int y)
{
    return around->first[DEPTH ? (side_of(x) + 1) * 3 + side_of(y) + 1 : side_of(y) + 1];
}

static inline int place_of_row(int x, int y)
{
    return (DEPTH ? node_of(x) * CT_BLOCK + node_of(y) : node_of(y)) * CT_BLOCK * CT_NODE;
}

/* Rows of the range: `row` is the index of their first number in the tile; x is the first axis of three. */
#define FOR_ROWS(range, x, y, row)                                                    \
    for (int x = DEPTH ? (range).low[0] : 0; x <= (DEPTH ? (range).high[0] : 0); x++) \
        for (int y = (range).low[OUTER - 1], row = (x * CT_TILE + y) * CT_ROW_STRIDE; \
             y <= (range).high[OUTER - 1]; y++, row += CT_ROW_STRIDE)

/* By registers: for a memset of such a length compilers take instructions that are slow to begin. */
CT_INLINE void clear_numbers(int count, ct_real *to)
{
    CT_UNROLL(n, count / CT_PART) ct_part_store(to + n * CT_PART, ct_part_all(0));
}

void CT_FN(ct_tile_clear)(ct_tile_range range, ct_real *tile)
{
    FOR_ROWS(range, x, y, row) clear_numbers(CT_ROW_STRIDE, tile + row);
}

/* Nodes side by side in the grid to nodes that are `stride` numbers apart. */
CT_INLINE void copy_nodes(int nodes, int stride, const ct_real *from, ct_real *tile)
{
    if (stride == CT_NODE) memcpy(tile, from, (size_t)nodes * CT_NODE * sizeof *tile);
    else
        CT_UNROLL(n, nodes) memcpy(tile + n * stride, from + n * CT_NODE, CT_NODE * sizeof *tile);
}

CT_INLINE void load_tile(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         int stride, ct_real *tile)
{
    surroundings around = look_around(blocks, b);
    FOR_ROWS(range, x, y, row)
    {
        const size_t *first = blocks_of_row(&around, x, y);
        const ct_real *from = layer + place_of_row(x, y);
        ct_real *to = tile + row / CT_NODE * stride;
        if (IS_BEFORE(range)) copy_nodes(BEFORE, stride, from + first[0] + (CT_BLOCK - BEFORE) * CT_NODE, to);
        copy_nodes(CT_BLOCK, stride, from + first[1], to + BEFORE * stride);
        CT_UNROLL(k, 2)
            if (IS_AFTER(range, k))
                copy_nodes(PAIR, stride, from + first[2] + PAIR * k * CT_NODE,
                           to + (AFTER + PAIR * k) * stride);
    }
}

void CT_FN(ct_tile_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_real *tile)
{
    load_tile(blocks, b, layer, range, CT_NODE, tile);
}

void CT_FN(ct_twin_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, const ct_real *second,
                         ct_tile_range range, ct_real *tile)
{
    load_tile(blocks, b, layer, range, CT_TWIN, tile);
    load_tile(blocks, b, second, range, CT_TWIN, tile + CT_NODE);
}

void CT_FN(ct_slim_load)(const ct_blocks *blocks, size_t b, const ct_real *layer, ct_tile_range range,
                         ct_real *tile)
{
    surroundings around = look_around(blocks, b);
    FOR_ROWS(range, x, y, row)
    {
        const size_t *first = blocks_of_row(&around, x, y);
        const ct_real *from = layer + place_of_row(x, y);
        (void)row;
        if (IS_BEFORE(range))
            ct_slim_put(x, y, 0, BEFORE, from + first[0] + (CT_BLOCK - BEFORE) * CT_NODE, tile);
        ct_slim_put(x, y, BEFORE, CT_BLOCK, from + first[1], tile);
        CT_UNROLL(k, 2)
            if (IS_AFTER(range, k))
                ct_slim_put(x, y, AFTER + PAIR * k, PAIR, from + first[2] + PAIR * k * CT_NODE, tile);
    }
}

/* Adds nodes of all copies, and leaves zeros: by registers as far as they are full, the rest node by node. */
CT_INLINE void move_nodes(int nodes, int stride, int copies, ct_real *tile, ct_real *to)
{
    const int used = CT_TILE_COPIES / copies;
    const int parts = stride == CT_NODE ? nodes * CT_NODE / CT_PART : 0;
    const int whole = parts * CT_PART / CT_NODE;
    CT_UNROLL(n, parts) {
        ct_part sum = ct_part_load(to + n * CT_PART);
        CT_UNROLL(k, used) {
            ct_real *from = tile + n * CT_PART + ct_copy_offset(k * copies);
            sum += ct_part_load(from);
            clear_numbers(CT_PART, from);
        }
        ct_part_store(to + n * CT_PART, sum);
    }
    CT_UNROLL(n, nodes - whole)
        CT_UNROLL(k, used) {
            ct_real *from = tile + (whole + n) * stride + ct_copy_offset(k * copies);
            ct_quad_add(to + (whole + n) * CT_NODE, from);
            memset(from, 0, CT_NODE * sizeof *from);
        }
}

CT_INLINE void unload_tile(const ct_blocks *blocks, size_t b, ct_real *layer, ct_tile_range range, int stride,
                           int copies, ct_real *tile)
{
    surroundings around = look_around(blocks, b);
    FOR_ROWS(range, x, y, row)
    {
        const size_t *first = blocks_of_row(&around, x, y);
        ct_real *from = tile + row / CT_NODE * stride, *to = layer + place_of_row(x, y);
        if (IS_BEFORE(range))
            move_nodes(BEFORE, stride, copies, from, to + first[0] + (CT_BLOCK - BEFORE) * CT_NODE);
        move_nodes(CT_BLOCK, stride, copies, from + BEFORE * stride, to + first[1]);
        CT_UNROLL(k, 2)
            if (IS_AFTER(range, k))
                move_nodes(PAIR, stride, copies, from + (AFTER + PAIR * k) * stride,
                           to + first[2] + PAIR * k * CT_NODE);
    }
}

void CT_FN(ct_tile_unload)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_tile_range range,
                           ct_copies copies, ct_real *tile)
{
    if (copies == CT_ONE_COPY) unload_tile(blocks, b, layer, range, CT_NODE, CT_ONE_COPY, tile);
    else if (copies == CT_EVEN_COPIES) unload_tile(blocks, b, layer, range, CT_NODE, CT_EVEN_COPIES, tile);
    else unload_tile(blocks, b, layer, range, CT_NODE, CT_EACH_COPY, tile);
}

void CT_FN(ct_twin_unload)(const ct_blocks *blocks, size_t b, ct_real *layer, ct_real *second,
                           ct_tile_range range, ct_real *tile)
{
    unload_tile(blocks, b, layer, range, CT_TWIN, CT_ONE_COPY, tile);
    unload_tile(blocks, b, second, range, CT_TWIN, CT_ONE_COPY, tile + CT_NODE);
}
