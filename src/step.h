/* THE step. */
#ifndef CT_STEP_H
#define CT_STEP_H

#include "world.h"

ct_status ct_step(ct_world *world, double until, ct_error *error);

#endif
