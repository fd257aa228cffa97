/* Fixed corotated elasticity (Stomakhin et al. 2012): the distance of F from the nearest rotation, and a
 * volume term.
 *
 *     psi = mu |F - R|^2 + lambda/2 (J - 1)^2
 *     tau = P F^T = 2 mu (F - R) F^T + lambda (J - 1) J I
 *
 * R is the rotation of the signed polar decomposition, so the energy is finite and the force points the right
 * way for flat and inverted F, too.
 */
#include "core/polar.h"
#include "material/material.h"

enum { MU, LAMBDA };

static ct_status prepare(double mu, double lambda, const double *parameters,
                         double coefficients[CT_COEFFICIENTS], ct_error *error)
{
    (void)parameters, (void)error;
    coefficients[MU] = mu;
    coefficients[LAMBDA] = lambda;
    return CT_OK;
}

static void stress(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX],
                   ct_real (*tau)[CT_BATCH])
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], R[CT_MATRIX];
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        ct_lane J = ct_determinant(F);
        ct_polar(F, J, R);
        ct_lane pressure = k[LAMBDA] * (J - 1) * J;
        for (int a = 0, entry = 0; a < CT_DIM; a++)
            for (int b = a; b < CT_DIM; b++, entry++) {
                ct_lane sum = (F[a * CT_DIM] - R[a * CT_DIM]) * F[b * CT_DIM];
                for (int c = 1; c < CT_DIM; c++)
                    sum += (F[a * CT_DIM + c] - R[a * CT_DIM + c]) * F[b * CT_DIM + c];
                sum *= 2 * k[MU];
                ct_lane_store(tau[entry] + i, a == b ? sum + pressure : sum);
            }
    }
}

static void energy(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX], ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], R[CT_MATRIX], square = ct_lane_all(0);
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        ct_lane J = ct_determinant(F);
        ct_polar(F, J, R);
        CT_FOR(c, CT_MATRIX) square += (F[c] - R[c]) * (F[c] - R[c]);
        ct_lane_store(psi + i, k[MU] * square + (ct_real)0.5 * k[LAMBDA] * (J - 1) * (J - 1));
    }
}

/* sigma_a^2 psi_aa = 2 mu sigma_a^2 + lambda J^2 is largest for the largest sigma; the shear waves, sigma_b^2
 * A_ab with A_ab = 2 mu (1 - 1/(sigma_a + sigma_b)), never exceed its first part. A negative lambda is left
 * out, which is safe. */
static ct_real sound(const ct_real *k, int count, const ct_real *const F_planes[CT_MATRIX], ct_real enough)
{
    ct_real lambda = k[LAMBDA] > 0 ? k[LAMBDA] : 0, largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(F_planes[c] + i);
        ct_lane J = ct_determinant(F), volumetric = lambda * J * J;
        ct_lane bound = 2 * k[MU] * ct_stretch_bound(F) + volumetric;
        if (!ct_mask_any(~(bound < enough))) continue;
        ct_lane modulus = 2 * k[MU] * ct_largest_stretch_squared(F) + volumetric;
        largest = ct_lane_highest_of(modulus, count - i, largest);
    }
    return largest;
}

const ct_material_model CT_FN(ct_fixed_corotated) = {
    .info = {.name = "fixed_corotated",
             .title = "Fixed corotated elasticity",
             .doc = "Elastic solids under any deformation, flat and inverted included: jelly, rubber, soft "
                    "bodies. The "
                    "default choice.",
             .paper = "Stomakhin et al. 2012; apic-2015",
             .is_elastic = true},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
};
