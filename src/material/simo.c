/* Neo-Hookean elasticity with volume and shape split: see simo.h. */
#include "material/simo.h"

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)parameters, (void)error;
    ct_prepare_elastic(mu, lambda, made);
    return CT_OK;
}

void CT_FN(ct_simo_stress)(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_simo e;
        ct_load_F(matter, i, F);
        ct_simo_strain(F, &e);
        CT_FOR(c, CT_SYMMETRIC) e.deviator[c] *= k[CT_MU];
        ct_symmetric_shift(e.deviator, (ct_real)0.5 * k[CT_BULK] * (e.J - 1) * (e.J + 1));
        CT_FOR(c, CT_SYMMETRIC) ct_lane_store(tau[c] + i, e.deviator[c]);
    }
}

void CT_FN(ct_simo_energy)(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_simo e;
        ct_load_F(matter, i, F);
        ct_simo_strain(F, &e);
        ct_lane volume = (ct_real)0.5 * (e.J - 1) * (e.J + 1) - ct_lane_log(e.J);
        ct_lane_store(psi + i, (ct_real)0.5 * (k[CT_BULK] * volume + k[CT_MU] * CT_DIM * (e.mean - 1)));
    }
}

ct_real CT_FN(ct_simo_sound)(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_simo e;
        ct_load_F(matter, i, F);
        ct_simo_strain(F, &e);
        ct_mask all = ~(e.hard & 0); /* stress is taken at the least J, too */
        largest = ct_simo_loudest(k, &e, all, e.J, e.mean, ct_lane_all(1), count - i, enough, largest);
    }
    return largest;
}

void CT_FN(ct_simo_principal)(const ct_real *k, const ct_lane sigma[CT_DIM],
                              const ct_lane state[CT_MOST_STATES], ct_principal *made)
{
    (void)state;
    const ct_real d = CT_DIM;
    ct_real kappa = k[CT_BULK];
    ct_lane J = ct_product(sigma), m = k[CT_MU] / ct_simo_scale(J), I1 = ct_lane_all(0);
    ct_lane slope = (ct_real)0.5 * kappa * (J * J - 1),
            bend = (ct_real)0.5 * kappa * (J * J + 1); /* U'J, U''J^2 */
    CT_FOR(a, CT_DIM) I1 += sigma[a] * sigma[a];
    made->psi = (ct_real)0.5 * (slope - kappa * ct_lane_log(J) + m * I1 - k[CT_MU] * d);
    CT_FOR(a, CT_DIM) {
        ct_lane inverse = 1 / sigma[a], square = sigma[a] * sigma[a];
        made->first[a] = slope * inverse + m * (sigma[a] - I1 * inverse / d);
        made->second[ct_symmetric_index(a, a)] =
            (bend + m * ((1 - 4 / d) * square + I1 / d * (1 + 2 / d))) * inverse * inverse;
        for (int b = a + 1; b < CT_DIM; b++) {
            made->second[ct_symmetric_index(a, b)] =
                (bend + slope - 2 / d * m * (square + sigma[b] * sigma[b] - I1 / d)) * inverse / sigma[b];
            made->shear[ct_pair_index(a, b)] = m;
        }
    }
}

const ct_material_model CT_FN(ct_simo) = {
    .info = {.name = "simo",
             .title = "Neo-Hookean elasticity, volume and shape split",
             .doc = "Nearly incompressible rubber and flesh: pressure depends on the volume only.",
             .paper = "Simo 1988; asflip-2021",
             .is_elastic = true,
             .keeps_F = true},
    .prepare = prepare,
    .stress = CT_FN(ct_simo_stress),
    .energy = CT_FN(ct_simo_energy),
    .sound = CT_FN(ct_simo_sound),
    .principal = CT_FN(ct_simo_principal),
};
