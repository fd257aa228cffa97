/* Tiles between ranks. A rank gets the tiles of its ghosts (particles/segment.h) as their owners have added them up, block by
 * block, and adds them to its nodes at their turn: colour after colour, groups and blocks as one process would. Sums of
 * tiles would be a few bytes instead of many, but they add up in another order, and round differently.
 *
 *     rank 0   tiles of its border ----------> fold: its own and the ghosts', in the order of colours
 *     rank 1   tiles of its border ----------> the same sums on the nodes that both have
 *
 * A message has the ranges of its tiles (tile.h), 8 bytes each, and then the rows in range of one tile after the other, as
 * they lie in their copies.
 */
#ifndef CT_TRANSFER_GHOSTS_H
#define CT_TRANSFER_GHOSTS_H

#include "transfer/tile.h"

/* How a kind of tile lies in memory: `sheets` of nodes of `numbers`, each from an offset on. */
typedef struct ct_tile_form {
    int sheets, numbers;
    int offset[CT_TILE_COPIES > 2 ? CT_TILE_COPIES : 2];
} ct_tile_form;

typedef struct ct_ghosts {
    const ct_cloud *cloud;
    ct_tile_form form;
    ct_real *tiles; /* of the border's blocks, one after the other */
    size_t room;
    size_t *first; /* [border_count + 1] where each begins */
    size_t first_room;
    ct_tile_range *range; /* [border_count] */
    size_t range_room;
    char *messages;
    size_t message_room;
    ct_parcel *parcels; /* [2 x ranks] sent, got */
    size_t parcel_room;
    const ct_real **ghost; /* [ghost_count] where its tile begins in what has come */
    size_t ghost_room;
    ct_tile_range *ghost_range; /* [ghost_count] */
    size_t ghost_range_room;
} ct_ghosts;

/* Blocks of room after those of the grid, where each worker adds what no node of this rank is for. */
static inline size_t ct_spare_blocks(const ct_cloud *cloud)
{
    return cloud->part ? (size_t)ct_pool_size(cloud->common->pool) : 0;
}

/* Room for the tiles of the border, whose ranges are as ct_tile_range_of says. */
void CT_FN(ct_ghosts_begin)(ct_ghosts *ghosts, const ct_cloud *cloud, const ct_tile_form *form, int width);

/* Takes the tile of border block k, which leaves zeros; and puts it back. */
void CT_FN(ct_ghosts_keep)(const ct_ghosts *ghosts, size_t k, ct_tile_range range, ct_real *tile);
void CT_FN(ct_ghosts_restore)(const ct_ghosts *ghosts, size_t k, ct_real *tile);

/* Sends the border's tiles, and takes those of ghosts in. */
void CT_FN(ct_ghosts_exchange)(ct_ghosts *ghosts);

/* The tile of a ghost, into one that is zero. */
ct_tile_range CT_FN(ct_ghosts_load)(const ct_ghosts *ghosts, size_t ghost, ct_real *tile);

/* Blocks that stand in for those of a cloud, so that block 0 is that ghost. */
typedef struct ct_ghost_place {
    ct_blocks blocks;
    int32_t neighbour[1][CT_NEIGHBOURS];
} ct_ghost_place;
void CT_FN(ct_ghosts_place)(const ct_ghosts *ghosts, size_t ghost, int worker, ct_ghost_place *place);

void CT_FN(ct_ghosts_release)(ct_ghosts *ghosts);

#endif
