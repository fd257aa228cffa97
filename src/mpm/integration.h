/* Explicit or implicit steps of what shares a grid: what bodies ask for, and what `auto` takes
 * (docs/theory/implicit.md). */
#ifndef CT_MPM_INTEGRATION_H
#define CT_MPM_INTEGRATION_H

#include "mpm/mpm.h"

/* Bodies have come or gone. */
void CT_FN(ct_mpm_look_at_integration)(ct_mpm *mpm);
/* For the step under way, whose measures are there: what explicit steps would ask for; and the choice of `auto`. */
void CT_FN(ct_mpm_choose_integration)(ct_mpm *mpm);
/* To solve is dear, and done again where the step turns out too long. */
void CT_FN(ct_mpm_bound_by_fall)(const ct_mpm *mpm);

#endif
