/* Which nodes could carry a particle too far or deform it too much (limit.h): those whose velocity, or its
 * difference to the next node along an axis, is more than a sieve lets through. Blocks whose nodes all move
 * alike pass at once, by the least and the largest velocity in them and in the next blocks, which fell out of
 * the check of the grid; of the others whole rows pass, in lanes.
 */
#ifndef CT_TIMESTEP_SCREEN_H
#define CT_TIMESTEP_SCREEN_H

#include "core/rows.h"
#include "grid/layer.h"
#include "particles/cloud.h"

/* The most that is let through, m/s; rows of four equal nodes, so that they compare in lanes. The mass always
 * passes. */
typedef struct ct_sieve {
    _Alignas(CT_ALIGNMENT) ct_real speed[CT_ROW_NUMBERS], difference[CT_DIM][CT_ROW_NUMBERS];
} ct_sieve;

/* Enters the nodes that fail into the layer `suspect`, a bit each; false where there is none. */
bool CT_FN(ct_screen)(const ct_cloud *cloud, const ct_nodes *nodes, const ct_sieve *sieve);

/* Whether particles of a block reach a failing node: bit (x, y, z) is for those whose first node this is in
 * the block's tile. Plane by plane of 8 x 8 bits (in 2D there is one); nobody's first node lies beyond. */
enum { CT_FIRSTS = 8, CT_SUSPECT_PLANES = CT_DIM == 3 ? CT_FIRSTS : 1 };
typedef struct ct_suspects {
    uint64_t plane[CT_SUSPECT_PLANES];
} ct_suspects;

/* False where there are none near block b. */
bool CT_FN(ct_suspects_find)(const ct_blocks *blocks, const ct_nodes *nodes, size_t b, int width,
                             ct_suspects *suspects);

#endif
