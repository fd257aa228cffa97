/* The sparse grid: blocks of 4 x 4 (x 4) nodes, only where particles are.
 *
 *     occupied blocks hold particles (sorted: block b owns particles first[b] to first[b+1] - 1)
 *     halo blocks     are their neighbours that hold none, but whose nodes particles reach
 *
 * A particle of a block writes nodes of the block itself, two layers of those before and up to four layers of
 * those after, so every occupied block has all its 3^d - 1 neighbours at hand:
 *
 *       +---------+---------+---------+
 *       |  halo   |  halo   |  halo   |
 *       +---------+---------+---------+
 *       |  halo   | occupied|  halo   |
 *       +---------+---------+---------+
 *       |  halo   |  halo   |  halo   |
 *       +---------+---------+---------+
 *
 * Blocks are stored along a Z-order curve drawn from the corner of the occupied region, so that a scene that
 * is moved by whole blocks is stored alike. Groups of neighbouring blocks, consecutive along the curve, are
 * worked on by one thread in that order: their particles are consecutive in memory. Groups of one colour
 * (the group's coordinates modulo 2, or 3 where groups are single blocks) never write one node, so
 * threads need no locks, and a node's contributions arrive in a fixed order, whatever the number of threads.
 *
 * An axis may be a ring, of `period` blocks: coordinates are taken modulo the period wherever blocks are added or
 * looked up, so neighbours are found across the seam and nobody else has to know. The corner of the occupied
 * region is then what follows its widest gap: what lies across the seam is stored, and added up, like what does
 * not. Where the region closes the ring its last groups meet its first, and have colours of their own:
 *
 *       7 blocks in a ring   0 1 2 0 1 2 3 | 0 1 2 ...
 *
 * Nothing here knows the precision: layers of nodes belong to grid/layer.h.
 */
#ifndef CT_PARTICLES_BLOCKS_H
#define CT_PARTICLES_BLOCKS_H

#include "core/threads.h"

enum {
    CT_NEIGHBOURS = 27, /* index (x+1)*9 + (y+1)*3 + (z+1) of offset (x, y, z); in 2D z is 0 */
    CT_APART = 3,       /* blocks whose particles never reach one node: a tile has 10 nodes, a block 4 */
    CT_LEAST_RING = 3,  /* blocks, so that all neighbours of one are different */
    CT_MOST_RING = 1 << 20,
    CT_COLOURS = 125 /* at the most: 3 along an axis, 5 around a ring */
};

/* The occupied region: where it begins along each axis, whether its end meets its beginning, and its blocks. The
 * order of blocks, groups and colours follow from it. */
typedef struct ct_region {
    int32_t low[3];
    bool is_closed[3];
    size_t occupied;
} ct_region;

typedef struct ct_blocks {
    ct_heap *heap;
    int dimension;
    const ct_region *whole; /* these are a part of more (particles/segment.h); NULL: all there are */
    int32_t period[3];      /* blocks, of axes that are rings; 0: the axis has no end */
    size_t count;           /* all blocks: occupied ones first, then the halo */
    size_t occupied;
    size_t capacity;                     /* room in the arrays below */
    int32_t (*coordinate)[3];            /* [count], in blocks */
    int32_t (*neighbour)[CT_NEIGHBOURS]; /* [occupied] */
    uint32_t *first;                     /* [occupied + 1] first particle */
    uint32_t *group_first;               /* [groups + 1] first block of a group; at most `occupied` groups */
    size_t groups;
    uint32_t *by_colour; /* [groups] groups, colour after colour */
    int colours;
    size_t colour_first[CT_COLOURS + 1]; /* into by_colour */
    uint32_t *slots;                     /* hash table of block numbers + 1; 0 is empty */
    size_t slot_count;                   /* a power of two */
    struct ct_block_place *places;       /* [place_count] for putting blocks in order */
    size_t place_count;
    uint8_t *ring; /* [ring_room] whether anything is at a coordinate of a ring */
    size_t ring_room;
} ct_blocks;

void ct_blocks_init(ct_blocks *blocks, ct_heap *heap, int dimension);
void ct_blocks_release(ct_blocks *blocks);

/* Room for `count` blocks in every array. */
ct_status ct_blocks_reserve(ct_blocks *blocks, size_t count, ct_error *error);

/* Forgets all blocks, keeps the memory. */
void ct_blocks_clear(ct_blocks *blocks);

/* The block at a coordinate: its number, or -1. */
int32_t ct_blocks_find(const ct_blocks *blocks, const int32_t coordinate[3]);

/* The same, added as an occupied block where it is new (only before ct_blocks_finish). */
ct_status ct_blocks_add(ct_blocks *blocks, const int32_t coordinate[3], int32_t *block, ct_error *error);

/* Appends a run of particles as an entry of its own, without a look at the table: several entries may have
 * one coordinate. The caller sets first[]. Only a sort may follow. */
ct_status ct_blocks_append_run(ct_blocks *blocks, const int32_t coordinate[3], ct_error *error);

/* Enters the runs into the table, as blocks. Refused unless they have different coordinates and the order of
 * ct_blocks_order: threads rely on it. */
ct_status ct_blocks_index(ct_blocks *blocks, ct_error *error);

/* Puts the added blocks in Z-order; new_number[old] (of at least `occupied` entries) tells where each went.
 */
ct_status ct_blocks_order(ct_blocks *blocks, uint32_t *new_number, ct_error *error);

/* Adds the halo, finds neighbours, groups and colours. */
ct_status ct_blocks_finish(ct_blocks *blocks, ct_error *error);

/* The region of these blocks, or of the whole that they are a part of. */
ct_status ct_blocks_region(ct_blocks *blocks, ct_region *region, ct_error *error);

/* Groups and colours alone, of blocks in order. */
ct_status ct_blocks_group(ct_blocks *blocks, ct_error *error);

/* One more block without particles, beyond the halo that there is. */
ct_status ct_blocks_add_halo(ct_blocks *blocks, const int32_t coordinate[3], ct_error *error);

static inline int ct_neighbour_index(int x, int y, int z)
{
    return (x + 1) * 9 + (y + 1) * 3 + (z + 1);
}

#endif
