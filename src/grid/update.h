/* The grid's part of a step: momentum becomes velocity, gravity acts, and nothing that is not finite goes
 * back to the particles.
 */
#ifndef CT_GRID_UPDATE_H
#define CT_GRID_UPDATE_H

#include "core/real.h"
#include "grid/layer.h"
#include "particles/cloud.h"

/* Velocity = momentum / mass + dt gravity. */
void CT_FN(ct_grid_update)(ct_cloud *cloud, ct_nodes *nodes, double dt);

/* CT_DIVERGED when a node's velocity is not finite or would carry a particle farther than a block in dt
 * (where displacements are not limited); the
 * message names the place and the particle behind it. A node lighter than the lightest particle counts by its
 * share: no weight that a particle gives it is larger. Also finds the fastest node. */
ct_status CT_FN(ct_grid_check)(ct_cloud *cloud, ct_nodes *nodes, double dt, ct_error *error);

/* After the check: velocities as they are in a frame, and what the check found of them. */
void CT_FN(ct_grid_enter_frame)(ct_cloud *cloud, ct_nodes *nodes, const double frame[3]);

/* Enters the kinetic energy before forces and after, summed block after block, into the budget. */
void CT_FN(ct_grid_close_budget)(ct_cloud *cloud, const ct_nodes *nodes);

#endif
