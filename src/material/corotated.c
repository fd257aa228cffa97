/* Corotated elasticity (Mueller et al. 2002): linear elasticity in the frame that turns with the material.
 *
 *     psi = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2
 *     tau = P F^T = 2 mu (F - R) F^T + lambda tr(R^T F - I) R F^T
 *
 * R is the rotation of the signed polar decomposition: flat and inverted F are fine.
 */
#include "material/fixed_corotated.h"

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)parameters, (void)error;
    ct_prepare_elastic(mu, lambda, made);
    return CT_OK;
}

/* As that of fixed corotated elasticity: with b^(1/2) = I + G, T = tr G. */
static void stress(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    ct_lane twice = ct_lane_all(2 * k[CT_MU]), lambda = ct_lane_all(k[CT_LAMBDA]), none = ct_lane_all(0);
    ct_corotated all[CT_GROUPS];
    ct_corotated_roots(matter, count, all);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        const ct_corotated *at = &all[g];
        ct_lane c[CT_DIM], T[CT_SYMMETRIC], volume = lambda * ct_series_trace(at->split.p, at->root);
        CT_FOR(a, CT_DIM) c[a] = (volume - twice) * at->root[a];
        c[0] += twice * at->split.beyond + volume;
        c[1] += twice * at->split.mean;
        ct_series_matrix(&at->split, c, T);
        CT_FOR(e, CT_SYMMETRIC) ct_lane_store(tau[e] + i, T[e]);
        if (ct_mask_any(~at->near))
            ct_corotated_stress_far(&(ct_corotated_far){twice, lambda, none, at->near}, matter, i, tau);
    }
}

static void energy(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], R[CT_MATRIX], square = ct_lane_all(0), T = ct_lane_all(-CT_DIM);
        ct_load_F(matter, i, F);
        ct_polar(F, ct_determinant(F), R);
        CT_FOR(c, CT_MATRIX) {
            square += (F[c] - R[c]) * (F[c] - R[c]);
            T += R[c] * F[c];
        }
        ct_lane_store(psi + i, k[CT_MU] * square + (ct_real)0.5 * k[CT_LAMBDA] * T * T);
    }
}

/* (2 mu + lambda) sigma_a^2 is largest for the largest sigma, and no shear wave exceeds it; a negative lambda
 * is left out, which is safe. */
static ct_real sound(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real modulus = 2 * k[CT_MU] + (k[CT_LAMBDA] > 0 ? k[CT_LAMBDA] : 0), largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        if (!ct_mask_any(~(modulus * ct_stretch_bound(F) < enough))) continue;
        largest = ct_lane_highest_of(modulus * ct_largest_stretch_squared(F), count - i, largest);
    }
    return largest;
}

static void principal(const ct_real *k, const ct_lane sigma[CT_DIM], const ct_lane state[CT_MOST_STATES],
                      ct_principal *made)
{
    (void)state;
    ct_real mu = k[CT_MU], lambda = k[CT_LAMBDA];
    ct_lane T = ct_lane_all(-CT_DIM);
    CT_FOR(a, CT_DIM) T += sigma[a];
    made->psi = (ct_real)0.5 * lambda * T * T;
    CT_FOR(a, CT_DIM) {
        made->psi += mu * (sigma[a] - 1) * (sigma[a] - 1);
        made->first[a] = 2 * mu * (sigma[a] - 1) + lambda * T;
        made->second[ct_symmetric_index(a, a)] = ct_lane_all(2 * mu + lambda);
        for (int b = a + 1; b < CT_DIM; b++) {
            made->second[ct_symmetric_index(a, b)] = ct_lane_all(lambda);
            made->shear[ct_pair_index(a, b)] = 2 * mu + (lambda * T - 2 * mu) / ct_pair_sum(sigma, a, b);
        }
    }
}

const ct_material_model CT_FN(ct_corotated) = {
    .info = {.name = "corotated",
             .title = "Corotated elasticity",
             .doc = "Linear elasticity in a frame that rotates with the material: soft bodies under moderate "
                    "strain, comparisons with linear theory. Resists compression less than fixed_corotated.",
             .paper = "Mueller et al. 2002; hybrid-mpm-2019",
             .is_elastic = true,
             .keeps_F = true},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
    .principal = principal,
};
