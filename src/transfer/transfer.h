/* The two transfers. To the grid: mass, momentum with its affine part, and the impulse of the stress, in one
 * scatter. Back: velocity, affine matrix, position, deformation (docs/theory/transfers.md).
 *
 * Both go block by block through tiles. Scattering takes groups of blocks colour after colour, so the sums on
 * a node have a fixed order; gathering only reads the grid. For the particles of one block there are two
 * implementations that give the same but for round-off: plain, one particle after the other as the formulas
 * are written, the reference of the tests; and fast, in lanes and rows of nodes, for the MLS form
 * (docs/hot-loop.md).
 */
#ifndef CT_TRANSFER_TRANSFER_H
#define CT_TRANSFER_TRANSFER_H

#include "material/batch.h"
#include "transfer/tile.h"

/* Fills grid.velocity with momentum and mass, stress of a step dt included; and grid.before, where it exists,
 * with momentum before forces. */
void CT_FN(ct_particles_to_grid)(ct_world *world, double dt);

/* Moves the particles by a step dt in the grid's velocity and measures the limits of the next step. */
void CT_FN(ct_grid_to_particles)(ct_world *world, double dt);

/* Measures the limits on the particles as they are: for the first step, and after particles were added or
 * changed. */
void CT_FN(ct_measure_limits)(ct_world *world);

/* ---- one block
 * ------------------------------------------------------------------------------------------------ */

/* What both transfers need to know, in the variant's precision. */
typedef struct ct_transfer {
    ct_world *world;
    ct_planes planes;
    ct_real dt;
    ct_real spacing[CT_DIM], inverse_spacing[CT_DIM];
    ct_real affine_reach; /* m: how far the affine part of a particle's velocity acts, for the velocity
                             criterion */
    /* Shares of the affine matrix that particles keep: of the part W that carries angular momentum, and of
     * the rest. W_ab = turn_ab C_ab - turn_ba C_ba with turn_ab = D_b / (D_a + D_b): the skew part where
     * spacings are equal. */
    ct_real symmetric, skew, turn[CT_DIM][CT_DIM];
    int keeps_affine; /* all of it */
    int is_cubic, is_gradient;
    int width; /* nodes that a particle reaches along an axis */
} ct_transfer;

ct_transfer CT_FN(ct_transfer_make)(ct_world *world, double dt);

/* Adds particles [first, last) of a block to its tile; `before`, unless NULL, gets the momentum without
 * stress. Both are ct_sum_tiles. */
typedef void ct_scatter_function(const ct_transfer *t, size_t first, size_t last, ct_real *tile,
                                 ct_real *before);
ct_scatter_function CT_FN(ct_scatter_plain), CT_FN(ct_scatter_fast);

/* Moves particles [first, last) of a block by its tile of velocities. Into `result` go the largest speed and
 * whether one has left the reach of the tile. */
typedef void ct_gather_function(const ct_transfer *t, size_t first, size_t last, const ct_real *tile,
                                ct_worker_result *result);
ct_gather_function CT_FN(ct_gather_plain), CT_FN(ct_gather_fast);

/* |v| of a particle plus what its affine part adds at the edge of the kernel: time-step-2020, section 4.2. */
double CT_FN(ct_particle_speed)(const ct_transfer *t, size_t p);

#endif
