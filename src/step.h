/* THE step. */
#ifndef CT_STEP_H
#define CT_STEP_H

#include "core/real.h"
#include "world.h"

ct_status CT_FN(ct_step)(ct_world *world, double until, ct_error *error);

#endif
