/* Neo-Hookean elasticity with the logarithm of J (Bonet and Wood):
 *
 *     psi = mu/2 (tr(F^T F) - d) - mu ln J + lambda/2 ln^2 J
 *     tau = mu (F F^T - I) + lambda ln J I
 *
 * It resists being flattened without bound and has no meaning for J <= 0: J is taken as at least LEAST_J
 * there.
 */
#include "core/matrix.h"
#include "material/material.h"

enum { MU, LAMBDA };

static const ct_real LEAST_J = (ct_real)1e-3;

static ct_status prepare(double mu, double lambda, const double *parameters,
                         double coefficients[CT_COEFFICIENTS], ct_error *error)
{
    (void)parameters, (void)error;
    coefficients[MU] = mu;
    coefficients[LAMBDA] = lambda;
    return CT_OK;
}

static ct_lane log_volume(const ct_lane F[CT_MATRIX])
{
    return ct_lane_log(ct_lane_max(ct_determinant(F), ct_lane_all(LEAST_J)));
}

static void stress(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX],
                   ct_real (*tau)[CT_BATCH])
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        ct_lane diagonal = k[LAMBDA] * log_volume(F) - k[MU];
        for (int a = 0, entry = 0; a < CT_DIM; a++)
            for (int b = a; b < CT_DIM; b++, entry++) {
                ct_lane sum = F[a * CT_DIM] * F[b * CT_DIM];
                for (int c = 1; c < CT_DIM; c++) sum += F[a * CT_DIM + c] * F[b * CT_DIM + c];
                sum *= k[MU];
                ct_lane_store(tau[entry] + i, a == b ? sum + diagonal : sum);
            }
    }
}

static void energy(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX], ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], square = ct_lane_all(-CT_DIM);
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        CT_FOR(c, CT_MATRIX) square += F[c] * F[c];
        ct_lane t = log_volume(F);
        ct_lane_store(psi + i, (ct_real)0.5 * k[MU] * square + ((ct_real)0.5 * k[LAMBDA] * t - k[MU]) * t);
    }
}

/* sigma_a^2 psi_aa = mu (sigma_a^2 + 1) + lambda (1 - ln J), and shear waves mu sigma_b^2 below it as long as
 * the rest is not negative. */
static ct_real sound(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX], ct_real enough)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        ct_lane rest = ct_lane_max(k[MU] + k[LAMBDA] * (1 - log_volume(F)), ct_lane_all(0));
        if (!ct_mask_any(~(k[MU] * ct_stretch_bound(F) + rest < enough))) continue;
        largest = ct_lane_highest_of(k[MU] * ct_largest_stretch_squared(F) + rest, count - i, largest);
    }
    return largest;
}

const ct_material_model CT_FN(ct_neo_hookean) = {
    .info = {.name = "neo_hookean",
             .title = "Neo-Hookean elasticity",
             .doc = "Rubber-like solids that must not collapse: the energy grows without bound as the volume "
                    "vanishes.",
             .paper = "Bonet and Wood 2008; time-step-2020",
             .is_elastic = true},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
};
