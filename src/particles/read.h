/* Reading quantities off the particles: the functions behind the list in quantities.h, and the sums over a
 * cloud. */
#ifndef CT_PARTICLES_READ_H
#define CT_PARTICLES_READ_H

#include "core/real.h"
#include "particles/cloud.h"

/* Mass, momenta and energies of the particles in the blocks from `first_block` on, added to `sums`. */
void CT_FN(ct_add_sums)(const ct_cloud *cloud, size_t first_block, ct_world_sums *sums);

/* The same body by body: `sums` has one for each of the world's. */
void CT_FN(ct_add_body_sums)(const ct_cloud *cloud, ct_world_sums *sums);

/* Adds the sums of one part to those of another. */
void CT_FN(ct_fold_sums)(void *into, const void *from, size_t size);

/* The same of one particle. */
void CT_FN(ct_add_particle_sums)(const ct_cloud *cloud, size_t block, size_t p, ct_world_sums *sums);

/* Values of a quantity (its index in the list) for all particles: that of place p goes to row rank[p] of
 * `values`. */
void CT_FN(ct_read_quantity)(const ct_cloud *cloud, int quantity, const uint32_t *rank, void *values);

/* Writes the values back, for the quantities that are stored: velocity, C and F. */
void CT_FN(ct_write_quantity)(ct_cloud *cloud, ct_field field, const uint32_t *rank, const void *values);

#endif
