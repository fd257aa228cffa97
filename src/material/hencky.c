/* Hencky elasticity: see hencky.h. */
#include "material/hencky.h"

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)parameters, (void)error;
    ct_prepare_elastic(mu, lambda, made);
    return CT_OK;
}

static __attribute__((noinline)) void stress_far(const ct_real *k, const ct_matter *matter, int i,
                                                 const ct_mask *near, ct_real (*tau)[CT_BATCH])
{
    ct_lane F[CT_MATRIX], value[CT_DIM], T[CT_SYMMETRIC];
    ct_hencky_far h;
    ct_load_F(matter, i, F);
    ct_hencky_strain_far(F, &h);
    CT_FOR(a, CT_DIM) value[a] = 2 * k[CT_MU] * h.along[a] + k[CT_BULK] * h.trace;
    CT_FOR(e, CT_SYMMETRIC) T[e] = ct_lane_load(tau[e] + i);
    ct_turn_back(&h.parts, value, ~*near, T);
    CT_FOR(e, CT_SYMMETRIC) ct_lane_store(tau[e] + i, T[e]);
}

void CT_FN(ct_hencky_stress)(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    ct_hencky strain[CT_GROUPS];
    ct_hencky_strains(matter, count, strain);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        const ct_hencky *h = &strain[g];
        ct_lane c[CT_DIM], T[CT_SYMMETRIC];
        CT_FOR(a, CT_DIM) c[a] = 2 * k[CT_MU] * h->deviator[a];
        c[0] += k[CT_BULK] * h->trace;
        ct_series_matrix(&h->split, c, T);
        CT_FOR(e, CT_SYMMETRIC) ct_lane_store(tau[e] + i, T[e]);
        ct_mask near = h->near;
        if (ct_mask_any(~near)) stress_far(k, matter, i, &near, tau);
    }
}

void CT_FN(ct_hencky_energy)(const ct_real *k, int count, const ct_matter *matter, ct_real *psi)
{
    ct_real half_bulk = (ct_real)0.5 * k[CT_BULK];
    ct_hencky strain[CT_GROUPS];
    ct_hencky_strains(matter, count, strain);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        ct_hencky *h = &strain[g];
        if (ct_mask_any(~h->near)) {
            ct_lane F[CT_MATRIX];
            ct_hencky_far far;
            ct_load_F(matter, i, F);
            ct_hencky_strain_far(F, &far);
            h->trace = ct_lane_select(h->near, h->trace, far.trace);
            h->square = ct_lane_select(h->near, h->square, far.square);
        }
        ct_lane_store(psi + i, k[CT_MU] * h->square + half_bulk * h->trace * h->trace);
    }
}

ct_real CT_FN(ct_hencky_sound)(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    ct_real largest = 0;
    ct_lane one = ct_lane_all(1);
    ct_hencky strain[CT_GROUPS];
    ct_hencky_strains(matter, count, strain);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        const ct_hencky *h = &strain[g];
        largest = ct_hencky_loudest(k, h, ct_lane_sqrt(h->square), one, h->trace, count - i, enough, largest);
        if (!ct_mask_any(~h->near)) continue;
        ct_lane F[CT_MATRIX];
        ct_hencky_far far;
        ct_load_F(matter, i, F);
        ct_hencky_strain_far(F, &far);
        largest = ct_hencky_loudest_far(k, &far, h->near, one, far.trace, count - i, largest);
    }
    return largest;
}

/* A_ab = 2 mu (x_a - x_b) / (sigma_a^2 - sigma_b^2) = mu / (sigma_a sigma_b) y / sinh y, y = x_a - x_b. */
void CT_FN(ct_hencky_principal)(const ct_real *k, const ct_lane sigma[CT_DIM],
                                const ct_lane state[CT_MOST_STATES], ct_principal *made)
{
    (void)state;
    ct_real mu = k[CT_MU], lambda = k[CT_LAMBDA];
    ct_lane x[CT_DIM], t = ct_lane_all(0);
    CT_FOR(a, CT_DIM) t += x[a] = ct_lane_log(sigma[a]);
    made->psi = (ct_real)0.5 * lambda * t * t;
    CT_FOR(a, CT_DIM) {
        ct_lane inverse = 1 / sigma[a];
        made->psi += mu * x[a] * x[a];
        made->first[a] = (2 * mu * x[a] + lambda * t) * inverse;
        made->second[ct_symmetric_index(a, a)] = (2 * mu * (1 - x[a]) + lambda * (1 - t)) * inverse * inverse;
        for (int b = a + 1; b < CT_DIM; b++) {
            ct_lane y = x[a] - x[b], y2 = y * y, e = ct_lane_exp(y);
            ct_lane series =
                1 - y2 * ((ct_real)(1.0 / 6) - y2 * ((ct_real)(7.0 / 360) - y2 * (ct_real)(31.0 / 15120)));
            ct_lane ratio = ct_lane_select(y2 < (ct_real)1e-3, series, 2 * y / (e - 1 / e));
            made->second[ct_symmetric_index(a, b)] = lambda * inverse / sigma[b];
            made->shear[ct_pair_index(a, b)] = mu * ratio * inverse / sigma[b];
        }
    }
}

const ct_material_model CT_FN(ct_hencky) = {
    .info = {.name = "hencky",
             .title = "St. Venant-Kirchhoff elasticity in Hencky strain",
             .doc = "Elastic solids with stress linear in the logarithmic strain: metals and grains, with "
                    "small elastic strains. Softens under large stretch.",
             .paper = "Klar et al. 2016; time-step-2020",
             .is_elastic = true,
             .keeps_F = true},
    .prepare = prepare,
    .stress = CT_FN(ct_hencky_stress),
    .energy = CT_FN(ct_hencky_energy),
    .sound = CT_FN(ct_hencky_sound),
    .principal = CT_FN(ct_hencky_principal),
};
