/* Drucker and Prager's cone, from the parameters that people measure. */
#ifndef CT_MATERIAL_FRICTION_H
#define CT_MATERIAL_FRICTION_H

#include "core/error.h"
#include "core/quantity.h"

#include <math.h>

/* |dev tau| <= alpha d (p + tension): the cone through the corners of Mohr and Coulomb's pyramid under
 * compression, alpha = sqrt(2/3) 2 sin(phi) / (3 - sin(phi)), in 2D as well. */
static inline double ct_cone_slope(double friction_angle)
{
    return sqrt(2.0 / 3) * 2 * sin(friction_angle) / (3 - sin(friction_angle));
}

/* The tension (Pa) that cohesion bears at the tip of the cone: c cot(phi). */
static inline ct_status ct_cone_tension(double friction_angle, double cohesion, double *tension,
                                        ct_error *error)
{
    *tension = 0;
    if (cohesion > 0 && !(sin(friction_angle) > 0.01))
        return ct_fail(error, CT_BAD_USAGE,
                       "cohesion needs a friction_angle of at least 1 degree; for none, take von_mises");
    if (cohesion > 0) *tension = cohesion / tan(friction_angle);
    return CT_OK;
}

#define CT_PARAMETER_FRICTION_ANGLE                             \
    {                                                           \
        "friction_angle", CT_ANGLE, 0.5235987755982988, 0, 1.4, \
            "angle of internal friction; 30 deg by default"     \
    }
#define CT_PARAMETER_COHESION                                            \
    {                                                                    \
        "cohesion", CT_PRESSURE, 0, 0, INFINITY,                         \
            "shear strength without pressure, of wet or cemented grains" \
    }
#define CT_PARAMETER_VOLUME_CORRECTION(by_default)                                                          \
    {                                                                                                       \
        "volume_correction", CT_NUMBER, by_default, 0, 1,                                                   \
            "share of the volume gained in free fall that is given back before grains press on each other " \
            "again"                                                                                         \
    }

#endif
