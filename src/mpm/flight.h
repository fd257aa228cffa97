/* Flight. Matter that nothing fixed is near moves in a frame of its own: a common translation is no reason
 * for a short step, and where nothing but the grid is there to tell, the grid may as well come along.
 *
 *     plan    whether the step is flown, and how fast the frame moves: midway between the least and the
 *             largest velocity along each axis. The velocity criterion then counts what particles do in it
 *     enter   nodes (before the step's share is asked) and particles (before G2P) lose the frame's velocity
 *     land    particles get it back, and the grid's origin has moved
 *
 * Between steps velocities are those of the world; the origin is kept with the cloud, in checkpoints and
 * hashes. A step is flown only where the velocity criterion would limit it: all others stay as they were, to
 * the bit. Walls, sources, sinks, moving colliders and other kinds of matter are fixed to the world: where
 * there are any, or a collider at rest is in reach of the step, nothing flies (docs/theory/time-step.md).
 */
#ifndef CT_MPM_FLIGHT_H
#define CT_MPM_FLIGHT_H

#include "mpm/mpm.h"

/* Sets mpm->flight for the step to come. Where it is flown, the measured speed becomes that in the frame. */
void CT_FN(ct_flight_plan)(ct_mpm *mpm);
void CT_FN(ct_flight_enter)(ct_mpm *mpm);
void CT_FN(ct_flight_land)(ct_mpm *mpm, double dt);

/* The origin of the grid, as the restored state has it. */
void CT_FN(ct_flight_restored)(ct_mpm *mpm);

#endif
