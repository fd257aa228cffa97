/* Forces act on the particles of a cloud: velocities become what ct_drag_solve says, and where particles carry
 * affine and higher modes of motion, linear drag slows these as well. What is held feels nothing.
 */
#ifndef CT_BOUNDARY_EXERT_H
#define CT_BOUNDARY_EXERT_H

#include "boundary/exertion.h"
#include "core/real.h"

/* Returns the kinetic energy that the particles have gained, J. */
double CT_FN(ct_exert)(ct_exertion *exertion, ct_cloud *cloud);

#endif
