/* Taking particles out of their blocks. Those that stay keep their order, so a sorted world stays sorted. */
#ifndef CT_PARTICLES_REMOVE_H
#define CT_PARTICLES_REMOVE_H

#include "particles/blocks.h"
#include "particles/fields.h"

/* Removes the particles whose mark is not 0 and closes the gaps. Blocks that become empty are dropped; the
 * others then are runs that must be sorted, and the result is true. Nothing here can fail. */
bool ct_particles_remove(ct_particles *particles, ct_blocks *blocks, const uint16_t *mark, ct_pool *pool);

#endif
