/* Metal and modelling clay: Hencky elasticity up to von Mises' yield stress, which grows with the plastic
 * strain e (linear isotropic hardening):
 *
 *     |dev tau| = 2 mu n <= sqrt(2/3) (yield + hardening e)
 *
 * Flow keeps the volume. The deviator is that of the d dimensions.
 */
#include "material/hencky.h"

enum { LIMIT = CT_FIRST_OWN, GROWTH, COMPLIANCE, RATE };
enum { YIELD_STRESS, HARDENING, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients;
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "a yield stress needs a shear modulus above 0");
    k[LIMIT] = sqrt(2.0 / 3) * parameters[YIELD_STRESS] / (2 * mu); /* of n */
    k[GROWTH] = sqrt(2.0 / 3) * parameters[HARDENING] / (2 * mu);   /* of the limit, by e */
    k[COMPLIANCE] = 2 * mu / (2 * mu + 2.0 / 3 * parameters[HARDENING]);
    k[RATE] = sqrt(2.0 / 3); /* of e, by the flow */
    return CT_OK;
}

/* The flow dg lowers n and raises the limit by GROWTH sqrt(2/3) dg until they meet. */
static void map(const ct_real *k, const ct_matter *matter, ct_lane trace, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    (void)matter;
    ct_lane excess = n - (k[LIMIT] + k[GROWTH] * state[0]), flow = k[COMPLIANCE] * excess;
    ct_mask flows = excess > 0;
    *s = ct_lane_select(flows, 1 - flow / n, ct_lane_all(1));
    *after = trace;
    state[0] = ct_lane_select(flows, state[0] + k[RATE] * flow, state[0]);
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_hencky_update(k, count, matter, enough, 1, map);
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [YIELD_STRESS] = {"yield_stress", CT_PRESSURE, NAN, 0, INFINITY, "von Mises stress at which it yields"},
    [HARDENING] = {"hardening", CT_PRESSURE, 0, 0, INFINITY,
                   "increase of the yield stress per plastic strain"},
};

const ct_material_model CT_FN(ct_von_mises) = {
    .info = {.name = "von_mises",
             .title = "Metal: von Mises plasticity",
             .doc = "Elastic up to a yield stress, then plastic: metal, plasticine, dough.",
             .paper = "Simo 1988; hybrid-mpm-2019",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .keeps_F = true,
             .state_count = 1,
             .states = {{"plastic_strain", "1", CT_TYPE_FLOAT32, 1, "accumulated plastic strain"}}},
    .prepare = prepare,
    .stress = CT_FN(ct_hencky_stress),
    .energy = CT_FN(ct_hencky_energy),
    .sound = CT_FN(ct_hencky_sound),
    .principal = CT_FN(ct_hencky_principal),
    .update = update,
};
