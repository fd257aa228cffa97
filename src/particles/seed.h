/* From a body's definition to particles: positions, velocities and volumes in world coordinates. Shapes are
 * sampled in the frame of the grid, and random numbers are drawn by the cell's place in the body, so that a
 * scene moved by whole cells is sampled alike.
 */
#ifndef CT_PARTICLES_SEED_H
#define CT_PARTICLES_SEED_H

#include "core/memory.h"

/* The lattice of cells: cell k of axis a spans origin[a] + [k, k+1) * spacing[a]. */
typedef struct ct_lattice {
    int dimension;
    double origin[3], spacing[3];
} ct_lattice;

typedef struct ct_seeds {
    ct_heap *heap;
    size_t count, capacity;
    double (*position)[3];    /* m */
    double (*velocity)[3];    /* m/s */
    double (*deformation)[9]; /* NULL where the source has none */
    double *volume;           /* m^3 (m^2 in 2D), undeformed */
} ct_seeds;

/* Samples the body's shape; then gives the seeds the body's velocity, gradient, spin and deformation. A
 * sampled position is a multiple of 2^-20 of the spacing away from its cell's corner, so that it is the same
 * number in float and double, near the origin and far from it. `gradient` (row-major) is the resulting
 * velocity gradient of the body, for the particles' affine state. */
ct_status ct_seed_body(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def, uint64_t seed,
                       ct_seeds *seeds, double gradient[9], ct_error *error);
void ct_seeds_release(ct_seeds *seeds);

#endif
