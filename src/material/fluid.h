/* Fluids have no shape to return to: their energy is one of the volume ratio J alone, and J is all that a
 * particle keeps. What they share is here; the file of a model includes this and defines
 *
 *     volumetric      J -> psi, J psi', J^2 psi''
 *
 * from which stress, energy, sound, update and principal follow:
 *
 *     tau = J psi' I + J (2 eta dev sym C + zeta tr C I),      C the velocity gradient, 1/s
 *     modulus of pressure waves J^2 psi'', of shear waves 0
 *
 * The pressure is -psi'. The viscous stress is Newton's: eta is the shear viscosity, zeta the bulk viscosity,
 * Pa s. Pulled apart beyond `largest_J` the fluid forgets how far: with 1 it bears no tension, as the liquid
 * of asflip-2021.
 */
#ifndef CT_MATERIAL_FLUID_H
#define CT_MATERIAL_FLUID_H

#include "material/principal.h"

/* coefficients, the model's own last */
enum { BULK, SHEAR, TRACE, LARGEST_J, FLUID_COEFFICIENTS };

/* parameters, the model's own last */
enum { BULK_MODULUS, VISCOSITY, BULK_VISCOSITY, MOST_J, FLUID_PARAMETERS };

#define CT_FLUID_PARAMETERS                                                                                \
    [BULK_MODULUS] = {"bulk",                                                                              \
                      CT_PRESSURE,                                                                         \
                      NAN,                                                                                 \
                      DBL_MIN,                                                                             \
                      INFINITY,                                                                            \
                      "bulk modulus at rest; 100 density speed^2 and more keep the density within 1%"},    \
    [VISCOSITY] = {"viscosity", CT_VISCOSITY, 0, 0, INFINITY, "shear viscosity"},                          \
    [BULK_VISCOSITY] =                                                                                     \
        {"bulk_viscosity", CT_VISCOSITY, 0, 0, INFINITY, "resistance to a change of volume: damps waves"}, \
    [MOST_J] = {                                                                                           \
        "largest_J", CT_NUMBER,                                                                            \
        1,           1,                                                                                    \
        1000,        "volume ratio beyond which it comes apart; 1: it bears no tension, 1000: all of it"}

/* A tenth of its volume is beyond all models: what is compressed further is taken as this. */
static const ct_real LEAST_J = (ct_real)0.1;

/* psi, J psi' and J^2 psi'' */
typedef struct ct_volumetric {
    ct_lane psi, first, second;
} ct_volumetric;

static inline ct_volumetric volumetric(const ct_real *k, ct_lane J);

static inline void ct_prepare_fluid(const double *parameters, ct_prepared *made)
{
    double *k = made->coefficients, eta = parameters[VISCOSITY], zeta = parameters[BULK_VISCOSITY];
    k[BULK] = parameters[BULK_MODULUS];
    k[SHEAR] = eta;                     /* times C + C^T */
    k[TRACE] = zeta - 2 * eta / CT_DIM; /* times tr C */
    k[LARGEST_J] = parameters[MOST_J];
    made->bears_no_tension = parameters[MOST_J] <= 1;
    double along = (1 - 1.0 / CT_DIM) * eta + zeta / 2; /* half of what damps pressure waves */
    made->viscosity = eta > along ? eta : along;
}

CT_INLINE ct_lane bounded(ct_lane J)
{
    return ct_lane_max(J, ct_lane_all(LEAST_J));
}

CT_INLINE void stress_loop(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH],
                           int is_viscous)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane J = bounded(ct_lane_load(matter->J + i)), spherical = volumetric(k, J).first, twice = J;
        if (is_viscous) {
            ct_lane trace = ct_lane_load(matter->C[0] + i);
            for (int a = 1; a < CT_DIM; a++) trace += ct_lane_load(matter->C[a * (CT_DIM + 1)] + i);
            spherical += J * k[TRACE] * trace;
            twice = J * k[SHEAR];
        }
        for (int a = 0, entry = 0; a < CT_DIM; a++)
            for (int b = a; b < CT_DIM; b++, entry++) {
                ct_lane sum = ct_lane_all(0);
                if (is_viscous)
                    sum = twice * (ct_lane_load(matter->C[a * CT_DIM + b] + i) +
                                   ct_lane_load(matter->C[b * CT_DIM + a] + i));
                ct_lane_store(tau[entry] + i, a == b ? sum + spherical : sum);
            }
    }
}

static void stress(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    if (k[SHEAR] > 0 || k[TRACE] > 0) stress_loop(k, count, matter, tau, 1);
    else stress_loop(k, count, matter, tau, 0);
}

static void energy(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES)
        ct_lane_store(psi + i, volumetric(k, bounded(ct_lane_load(matter->J + i))).psi);
}

/* The modulus is monotone in J for each of the models, so the largest is that of the least or largest J. */
static ct_real modulus_between(const ct_real *k, ct_lane low, ct_lane high)
{
    ct_lane ends = ct_lane_all(-ct_lane_highest(-low));
    ends[1] = ct_lane_highest(high);
    return ct_lane_highest(ct_lane_max(volumetric(k, bounded(ends)).second, ct_lane_all(0)));
}

static ct_real sound(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    (void)enough;
    ct_lane low = ct_lane_load(matter->J), high = low;
    for (int i = CT_LANES; i < count; i += CT_LANES) {
        ct_lane J = ct_lane_load(matter->J + i);
        low = ct_lane_min(J, low);
        high = ct_lane_max(J, high);
    }
    return modulus_between(k, low, high);
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane J = ct_lane_load(matter->J + i);
        ct_lane_store(matter->J + i, ct_lane_min(bounded(J), ct_lane_all(k[LARGEST_J])));
    }
    return sound(k, count, matter, enough);
}

static void principal(const ct_real *k, const ct_lane sigma[CT_DIM], const ct_lane state[CT_MOST_STATES],
                      ct_principal *made)
{
    (void)state;
    ct_volumetric v = volumetric(k, bounded(ct_product(sigma)));
    made->psi = v.psi;
    CT_FOR(a, CT_DIM) {
        ct_lane inverse = 1 / sigma[a];
        made->first[a] = v.first * inverse;
        made->second[ct_symmetric_index(a, a)] = v.second * inverse * inverse;
        for (int b = a + 1; b < CT_DIM; b++) {
            made->second[ct_symmetric_index(a, b)] = (v.second + v.first) * inverse / sigma[b];
            made->shear[ct_pair_index(a, b)] = ct_lane_all(0);
        }
    }
}

#define CT_FLUID_NEEDS .keeps_J = true, .needs_gradient = true
#define CT_FLUID_FUNCTIONS \
    .stress = stress, .energy = energy, .sound = sound, .update = update, .principal = principal

#endif
