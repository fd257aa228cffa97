/* What limits the time step: one list. Each criterion turns what was measured on the particles into the
 * largest dt it allows; the smallest wins and is named in the progress line and in stats.csv.
 *
 *     velocity   dt <= cfl dx / max_p (|v_p| + reach |C_p|)     no particle, affine part included, crosses
 * cfl cells sound      dt <= cfl dx / max_p c_p                        no pressure wave does (time-step-2020
 * Eq. 3)
 */
#ifndef CT_TIMESTEP_CRITERIA_H
#define CT_TIMESTEP_CRITERIA_H

#include "world.h"

typedef struct ct_criterion {
    const char *name;
    unsigned bit; /* of ct_step_def.criteria */
    const char *doc;
    double (*limit)(const ct_world *world); /* s; INFINITY where it does not limit */
} ct_criterion;

const ct_criterion *ct_criterion_at(int index); /* NULL past the end */

/* The next dt: criteria, bounds, and the instant `until` hit exactly. Sets world->limited_by; *is_last tells
 * that the step ends at `until`. CT_DIVERGED when the criteria ask for less than step.min. */
ct_status ct_choose_dt(ct_world *world, double until, double *dt, bool *is_last, ct_error *error);

#endif
