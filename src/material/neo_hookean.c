/* Neo-Hookean elasticity with the logarithm of J (Bonet and Wood):
 *
 *     psi = mu/2 (tr(F^T F) - d) - mu ln J + lambda/2 ln^2 J
 *     tau = mu (F F^T - I) + lambda ln J I
 *
 * It resists being flattened without bound and has no meaning for J <= 0: J is taken as at least LEAST_J
 * there.
 */
#include "material/principal.h"

static const ct_real LEAST_J = (ct_real)1e-3;

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)parameters, (void)error;
    ct_prepare_elastic(mu, lambda, made);
    return CT_OK;
}

static ct_lane log_volume(const ct_lane F[CT_MATRIX])
{
    return ct_lane_log(ct_lane_max(ct_determinant(F), ct_lane_all(LEAST_J)));
}

static void stress(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        ct_lane diagonal = k[CT_LAMBDA] * log_volume(F) - k[CT_MU];
        for (int a = 0, entry = 0; a < CT_DIM; a++)
            for (int b = a; b < CT_DIM; b++, entry++) {
                ct_lane sum = F[a * CT_DIM] * F[b * CT_DIM];
                for (int c = 1; c < CT_DIM; c++) sum += F[a * CT_DIM + c] * F[b * CT_DIM + c];
                sum *= k[CT_MU];
                ct_lane_store(tau[entry] + i, a == b ? sum + diagonal : sum);
            }
    }
}

static void energy(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], square = ct_lane_all(-CT_DIM);
        ct_load_F(matter, i, F);
        CT_FOR(c, CT_MATRIX) square += F[c] * F[c];
        ct_lane t = log_volume(F);
        ct_lane_store(psi + i,
                      (ct_real)0.5 * k[CT_MU] * square + ((ct_real)0.5 * k[CT_LAMBDA] * t - k[CT_MU]) * t);
    }
}

/* sigma_a^2 psi_aa = mu (sigma_a^2 + 1) + lambda (1 - ln J), and shear waves mu sigma_b^2 below it as long as
 * the rest is not negative. */
static ct_real sound(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        ct_lane rest = ct_lane_max(k[CT_MU] + k[CT_LAMBDA] * (1 - log_volume(F)), ct_lane_all(0));
        if (!ct_mask_any(~(k[CT_MU] * ct_stretch_bound(F) + rest < enough))) continue;
        largest = ct_lane_highest_of(k[CT_MU] * ct_largest_stretch_squared(F) + rest, count - i, largest);
    }
    return largest;
}

static void principal(const ct_real *k, const ct_lane sigma[CT_DIM], const ct_lane state[CT_MOST_STATES],
                      ct_principal *made)
{
    (void)state;
    ct_real mu = k[CT_MU], lambda = k[CT_LAMBDA];
    ct_lane t = ct_lane_log(ct_lane_max(ct_product(sigma), ct_lane_all(LEAST_J)));
    made->psi = ((ct_real)0.5 * lambda * t - mu) * t;
    CT_FOR(a, CT_DIM) {
        ct_lane inverse = 1 / sigma[a];
        made->psi += (ct_real)0.5 * mu * (sigma[a] * sigma[a] - 1);
        made->first[a] = mu * (sigma[a] - inverse) + lambda * t * inverse;
        made->second[ct_symmetric_index(a, a)] = mu + (mu + lambda * (1 - t)) * inverse * inverse;
        for (int b = a + 1; b < CT_DIM; b++) {
            made->second[ct_symmetric_index(a, b)] = lambda * inverse / sigma[b];
            made->shear[ct_pair_index(a, b)] = ct_lane_all(mu);
        }
    }
}

const ct_material_model CT_FN(ct_neo_hookean) = {
    .info = {.name = "neo_hookean",
             .title = "Neo-Hookean elasticity",
             .doc =
                 "Rubber-like solids that must not collapse: the energy is unbounded as the volume vanishes.",
             .paper = "Bonet and Wood 2008; time-step-2020",
             .is_elastic = true,
             .keeps_F = true},
    .prepare = prepare,
    .stress = stress,
    .energy = energy,
    .sound = sound,
    .principal = principal,
};
