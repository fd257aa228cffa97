/* Drucker and Prager's cone, from the parameters that people measure. */
#ifndef CT_MATERIAL_FRICTION_H
#define CT_MATERIAL_FRICTION_H

#include "core/error.h"
#include "core/quantity.h"

#include <math.h>

/* A cone |dev tau| <= alpha d (p + tension) cannot be Mohr and Coulomb's pyramid, |s1 - s3| <= sin(phi)
 * (s1 + s3 + 2 tension), in all directions. It is fitted to it where a test measures phi:
 *
 *     compression    the outer corners: triaxial compression, and what the papers on sand in graphics take
 *     extension      the inner corners: triaxial extension
 *     inscribed      the largest cone inside; with associated flow also the match in plane strain
 *     plane_strain   the match in plane strain of flow without change of volume, as it is here: the stress
 *                    across the plane becomes the mean of the two in it, so |dev tau| = sqrt(2) sin(phi) p.
 *                    In 2D it is the pyramid itself.
 *
 * `auto` is plane_strain in 2D and compression in 3D. In 2D the other three are cones of 3D whose trace is
 * taken over two axes, as the papers do. All of them are of one form:
 *
 *     alpha = factor sin(phi) / sqrt(a + b sin(phi) + c sin(phi)^2)
 */
typedef enum ct_cone_fit {
    CT_CONE_AUTO,
    CT_CONE_PLANE_STRAIN,
    CT_CONE_COMPRESSION,
    CT_CONE_EXTENSION,
    CT_CONE_INSCRIBED
} ct_cone_fit;

typedef struct ct_cone {
    double factor, a, b, c;
} ct_cone;

/* `fit` is a parameter as it is given. */
static inline ct_cone ct_cone_of(double fit, int dimension)
{
    const double corner = 2 * sqrt(2.0 / 3);
    int named = (int)(fit + 0.5);
    if (named == CT_CONE_AUTO) named = dimension == 2 ? CT_CONE_PLANE_STRAIN : CT_CONE_COMPRESSION;
    if (named == CT_CONE_PLANE_STRAIN) return (ct_cone){sqrt(2) / dimension, 1, 0, 0};
    if (named == CT_CONE_INSCRIBED) return (ct_cone){sqrt(2), 9, 0, 3};
    return (ct_cone){corner, 9, named == CT_CONE_COMPRESSION ? -6 : 6, 1}; /* corner sin / (3 -+ sin) */
}

static inline double ct_cone_slope_of(const ct_cone *cone, double friction_angle)
{
    double sine = sin(friction_angle);
    return cone->factor * sine / sqrt(cone->a + sine * (cone->b + sine * cone->c));
}

/* alpha of the papers, in 2D as well. */
static inline double ct_cone_slope(double friction_angle)
{
    const ct_cone papers = ct_cone_of(CT_CONE_COMPRESSION, 3);
    return ct_cone_slope_of(&papers, friction_angle);
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
#define CT_PARAMETER_CONE                                                                                   \
    {                                                                                                       \
        "cone", CT_NUMBER, CT_CONE_AUTO, CT_CONE_AUTO, CT_CONE_INSCRIBED,                                   \
            "the test that measured friction_angle, at which the cone meets it; auto: plane_strain in 2D, " \
            "compression in 3D"                                                                             \
    }
#define CT_OPTION_CONE                                                            \
    {                                                                             \
        "cone", (const char *const[])                                             \
        {                                                                         \
            "auto", "plane_strain", "compression", "extension", "inscribed", NULL \
        }                                                                         \
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
