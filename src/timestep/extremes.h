/* The least and the greatest volume ratio J of each material, for the criteria of single particles and of
 * viscosity: what they ask for depends on J alone, and most at one of its ends, so two numbers per material are
 * enough (docs/theory/time-step.md).
 *
 *     single      sqrt(Q(J) / rho0), m/s        a particle that is alone: J <- J exp(-r J psi'), r = 1/Q
 *     diffusion   eta J / rho0, m^2/s           kinematic viscosity at the current density
 *
 * Q with ' = d/dJ, for psi of a material that is stretched evenly:
 *
 *     strict      J psi' / ln J                 J does not overshoot 1
 *     exact       J psi' / (2 ln J)             J does not get beyond 1/J
 *     relaxed     lambda (2 - J)^2 / 2  J < 1,  lambda J^3 / (J + 1)  J > 1,  lambda = psi''(1): the paper's
 *                 bound where the material keeps to its growth conditions, otherwise exact
 */
#ifndef CT_TIMESTEP_EXTREMES_H
#define CT_TIMESTEP_EXTREMES_H

#include "timestep/limits.h"
#include "transfer/transfer.h"

/* Room for what is measured: two numbers per material and worker. */
ct_status CT_FN(ct_extremes_reserve)(ct_limits *limits, ct_error *error);

/* Forgets what was measured. */
void CT_FN(ct_extremes_begin)(ct_limits *limits);

/* Measures the particles of a block. */
void CT_FN(ct_extremes_add)(const ct_limits *limits, const ct_transfer *t, size_t b, int worker);

/* From the extremes of all workers to the limits. */
void CT_FN(ct_extremes_end)(ct_limits *limits);

/* The two measures of one particle. */
double CT_FN(ct_single_of)(const ct_transfer *t, size_t p);
double CT_FN(ct_diffusion_of)(const ct_transfer *t, size_t p);

/* Q of a material at a volume ratio, Pa. */
double CT_FN(ct_single_modulus)(const ct_material *material, ct_single_form form, double J);

#endif
