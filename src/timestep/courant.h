/* How many cells sound may cross in a step, by scheme, kernel and force form: measured (courant.c). */
#ifndef CT_TIMESTEP_COURANT_H
#define CT_TIMESTEP_COURANT_H

#include "continua/continua.h"

/* Where energy begins to grow, cells per step; of the most delicate scheme where the scheme is not in the
 * table. */
double ct_courant_limit(const char *scheme, ct_kernel kernel, ct_force_form form);

/* What a world uses when its definition says 0: a share of the limit, at most 1. */
double ct_courant_default(const char *scheme, ct_kernel kernel, ct_force_form form);

#endif
