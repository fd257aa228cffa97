/* Particles that came out at a wall are mirrored back in: walls hold, this catches round-off, and the counts
 * tell. */
#ifndef CT_BOUNDARY_MIRROR_H
#define CT_BOUNDARY_MIRROR_H

#include "boundary/border.h"
#include "particles/place.h"

typedef struct ct_returned {
    uint64_t returns; /* of particles that move with the grid, */
    uint64_t bounces; /* and of those that move on their own */
    bool must_sort;   /* one has left the reach of its block */
} ct_returned;

/* Whether a particle of a block can reach a wall in a step. */
int CT_FN(ct_is_near_wall)(const ct_grid *grid, size_t block);

/* Particles [first, last) of a block. `moves_alone` tells of a body whether its particles move on their own.
 * */
typedef bool (*ct_moves_alone)(const void *owner, int body);
void CT_FN(ct_mirror_block)(const ct_border *border, const ct_planes *planes, size_t block, size_t first,
                            size_t last, ct_moves_alone moves_alone, ct_returned *result);

#endif
