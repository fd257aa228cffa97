/* Forces at work in a step: room is made before it changes anything, and velocities change when it is over. */
#ifndef CT_WORLD_FORCES_H
#define CT_WORLD_FORCES_H

#include "world.h"

bool ct_world_has_forces(const ct_world *world);
ct_status ct_world_reserve_forces(ct_world *world, ct_error *error);
void ct_world_exert(ct_world *world, double before); /* s, when the step began; it is over */
void ct_world_release_forces(ct_world *world);

#endif
