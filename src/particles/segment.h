/* The part of a cloud that a rank works on (core/ranks.h), and what it knows of the rest.
 *
 * Blocks stay along their curve; it is cut between groups by numbers of particles, anew whenever particles are sorted,
 * so that no rank has more than a group above the mean. Every rank knows the directory: coordinate and number of
 * particles of all blocks, 16 bytes each, which is what it needs to cut alike.
 *
 *        rank 0          rank 1            rank 2
 *     +----+----+----+----+----+----+----+----+----+----+     blocks along the curve
 *     |         |         |         |         |         |     groups: none is cut
 *
 * What a rank has of the grid: its own blocks, which hold its particles; their halo; and a second layer of blocks
 * where other ranks' particles are near. All nodes of these are complete (up to the far side of the second layer,
 * which nobody reads): a rank gets the *tiles* of all blocks of others that reach them, the ghosts, which are up to
 * three blocks away, and adds them up in the order in which one process would (transfer/ghosts.h). The second layer is
 * there because what walls, colliders and the screen of the time step do to a node depends on its neighbours.
 *
 *     own | halo | second layer |      ghosts: | 1 | 2 | 3 |
 */
#ifndef CT_PARTICLES_SEGMENT_H
#define CT_PARTICLES_SEGMENT_H

#include "core/ranks.h"
#include "particles/blocks.h"
#include "particles/fields.h"

struct ct_cloud;

/* Another rank whose blocks are near, and what goes to it and comes from it: both sides list the same blocks, in the
 * order of the curve. */
typedef struct ct_peer {
    int rank;
    size_t first_ghost, ghosts; /* of the part's ghosts */
    size_t first_sent, sent;    /* of the part's `sent` */
} ct_peer;

typedef struct ct_segment {
    ct_ranks *ranks;
    uint64_t particles;  /* of all ranks */
    uint64_t before;     /* of the ranks before this one */
    size_t first_block;  /* number of the first own block among those of all ranks */
    ct_region region;    /* of all ranks */
    ct_blocks directory; /* all occupied blocks in order, with their groups */
    uint32_t *count;     /* [count_room] particles of each */
    size_t count_room;
    uint32_t *group; /* [group_room] of each block */
    size_t group_room;
    struct ct_group_place *groups; /* [groups_room] owner and colour of each group */
    size_t groups_room;
    int32_t (
        *ghost_neighbour)[CT_NEIGHBOURS]; /* [ghost_count] blocks around a ghost; -1: this rank has none */
    size_t ghost_count, ghost_room;
    uint32_t *ghost; /* [ghost_count] numbers in the directory, ascending */
    size_t ghost_number_room;
    uint32_t *ghost_group; /* [ghost_groups + 1] first ghost of each group that has any */
    size_t ghost_groups, ghost_group_room;
    uint32_t *ghost_by_colour; /* [ghost_groups] groups, colour after colour */
    size_t ghost_colour_room;
    size_t ghost_colour_first[CT_COLOURS + 1];
    ct_peer *peers;
    size_t peer_count, peer_room;
    uint32_t *sent; /* own blocks, peer after peer */
    size_t sent_count, sent_room;
    uint32_t *border; /* [border_count] own blocks that are sent to anybody, ascending */
    size_t border_count, border_room;
    uint32_t *border_place; /* [own blocks] place in `border`, or UINT32_MAX */
    size_t border_place_room;
    uint32_t *own_halo; /* halo blocks that one process would count to these own blocks, ascending */
    size_t own_halo_count, own_halo_room;
    bool is_finished;       /* ghosts are known: blocks have been in order since the cut */
    ct_blocks own_blocks;   /* of rank 0, while it has all, */
    uint64_t own_particles; /* and how many of them are its own */
} ct_segment;

typedef struct ct_group_place {
    int rank, colour;
} ct_group_place;

/* An empty part; cuts and lists follow. The cloud is the same on all ranks. */
ct_status ct_segment_create(struct ct_cloud *cloud, ct_ranks *ranks, ct_segment **part, ct_error *error);
void ct_segment_destroy(struct ct_cloud *cloud);

/* Of particles that all ranks have alike: keeps this rank's. Sorted ones stay so; others wait for their sort. */
ct_status ct_segment_take(struct ct_cloud *cloud, ct_error *error);

/* In a sort: `blocks` are those that particles are in now, block_of[p] which of them, each particle still stored by
 * its run. Cuts the curve, sends away what is another's and takes in what has become this one's, as runs. */
ct_status ct_segment_move(struct ct_cloud *cloud, const ct_blocks *blocks, const uint32_t *block_of,
                          ct_error *error);

/* After that, when own blocks are in order, with their halo: the second layer, ghosts and peers. */
ct_status ct_segment_finish(struct ct_cloud *cloud, ct_error *error);

/* Particles came or went: how many there are, and which are this rank's. */
void ct_segment_count(struct ct_cloud *cloud);

/* All particles and blocks on rank 0, as one process would have them, after its own; and back. Between the two only
 * reading and writing files may happen. */
ct_status ct_segment_gather(struct ct_cloud *cloud, ct_error *error);
void ct_segment_give_back(struct ct_cloud *cloud);

/* A list with a row for every own block, and then for own_halo blocks, becomes that of all ranks, in the order of one
 * process. The caller releases it. */
ct_status ct_segment_list(const struct ct_cloud *cloud, const void *occupied, size_t occupied_count,
                          const void *halo, size_t halo_count, size_t size, void *list, size_t *count);

#endif
