/* Fixed corotated elasticity (Stomakhin et al. 2012): the distance of F from the nearest rotation, and a
 * volume term.
 *
 *     psi = mu |F - R|^2 + lambda/2 (J - 1)^2
 *     tau = P F^T = 2 mu (F - R) F^T + lambda (J - 1) J I
 *
 * R is the rotation of the signed polar decomposition, so the energy is finite and the force points the right
 * way for flat and inverted F, too.
 */
#include "material/fixed_corotated.h"

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)parameters, (void)error;
    ct_prepare_elastic(mu, lambda, made);
    return CT_OK;
}

static void stress(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    ct_fixed_corotated_stress(k, NULL, count, matter, tau);
}

static void energy(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        ct_lane_store(psi + i,
                      ct_fixed_corotated_energy(ct_lane_all(k[CT_MU]), ct_lane_all(k[CT_LAMBDA]), F));
    }
}

/* sigma_a^2 psi_aa = 2 mu sigma_a^2 + lambda J^2 is largest for the largest sigma; the shear waves, sigma_b^2
 * A_ab with A_ab = 2 mu (1 - 1/(sigma_a + sigma_b)), never exceed its first part. A negative lambda is left
 * out, which is safe. */
static ct_real sound(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real mu = k[CT_MU], lambda = k[CT_LAMBDA] > 0 ? k[CT_LAMBDA] : 0, largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        ct_lane J = ct_determinant(F), volumetric = lambda * J * J;
        ct_lane bound = 2 * mu * ct_stretch_bound(F) + volumetric;
        if (!ct_mask_any(~(bound < enough))) continue;
        ct_lane modulus = 2 * mu * ct_largest_stretch_squared(F) + volumetric;
        largest = ct_lane_highest_of(modulus, count - i, largest);
    }
    return largest;
}

static void principal(const ct_real *k, const ct_lane sigma[CT_DIM], const ct_lane state[CT_MOST_STATES],
                      ct_principal *made)
{
    (void)state;
    ct_fixed_corotated_principal(ct_lane_all(k[CT_MU]), ct_lane_all(k[CT_LAMBDA]), sigma, made);
}

const ct_material_model CT_FN(ct_fixed_corotated) = {
    .info = {.name = "fixed_corotated",
             .title = "Fixed corotated elasticity",
             .doc = "Elastic solids under any deformation, flat and inverted included: jelly, rubber, soft "
                    "bodies. The "
                    "default choice.",
             .paper = "Stomakhin et al. 2012; apic-2015",
             .is_elastic = true,
             .keeps_F = true},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
    .principal = principal,
};
