/* What must hold between two steps, looked at after every one in checking builds (CONTINUA_CHECKS): mass does
 * not change, all numbers are finite, particles are in their blocks' reach and sorted when nothing says that
 * they must be.
 */
#ifndef CT_PARTICLES_INVARIANTS_H
#define CT_PARTICLES_INVARIANTS_H

#include "core/real.h"
#include "particles/cloud.h"

ct_status CT_FN(ct_check_invariants)(const ct_cloud *cloud, ct_error *error);

#endif
