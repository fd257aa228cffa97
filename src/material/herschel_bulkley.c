/* Paste: a solid up to its yield stress, beyond it a fluid (Herschel and Bulkley 1926). In simple shear at
 * the rate g it answers with
 *
 *     tau_y + K g^h          h < 1 thins as it is sheared, h = 1 is Bingham's, tau_y = 0 and h = 1 Newton's
 *
 * Elasticity is Simo's (simo.h). With s = |dev tau| = mu n and the rate |d| of plastic flow, in simple shear
 * s = sqrt(2) tau and |d| = g / sqrt(2), so
 *
 *     s = s_y + eta |d|^h,      s_y = sqrt(2) tau_y,  eta = K 2^((1 + h)/2)
 *
 * The return mapping takes the flow of the step at its end, which is stable for any dt and any viscosity:
 *
 *     s + 2 mu' dt ((s - s_y) / eta)^(1/h) = s_trial,      mu' = mu tr(bb) / d
 *
 * With temperature T it softens and sets: tau_y falls as exp(-softening (T - T0)), K as
 * exp(-thinning (T - T0)), which is how measured lavas and waxes go over some hundred degrees; below the
 * solidus nothing flows.
 */
#include "material/simo.h"

enum { YIELD = CT_FIRST_OWN, CONSISTENCY, INVERSE_POWER, STEEPNESS, BASE, SOFTENING, THINNING, SOLIDUS };
enum { YIELD_STRESS, VISCOSITY, POWER, REFERENCE, SOFTENS, THINS, SETS, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients, h = parameters[POWER];
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "a paste needs a shear modulus above 0");
    k[YIELD] = sqrt(2) * parameters[YIELD_STRESS];
    k[CONSISTENCY] = parameters[VISCOSITY] * pow(2, (1 + h) / 2);
    k[INVERSE_POWER] = 1 / h;
    k[STEEPNESS] = h < 1 ? 1 / h : h;
    k[BASE] = parameters[REFERENCE];
    k[SOFTENING] = parameters[SOFTENS];
    k[THINNING] = parameters[THINS];
    k[SOLIDUS] = parameters[SETS];
    made->feels_temperature = k[SOFTENING] > 0 || k[THINNING] > 0 || k[SOLIDUS] > 0;
    return CT_OK;
}

/* y in (0, 1] with y + c y^(1/h) = 1, as a w + b w^e = 1 with e >= 1: w = y for h <= 1, w = y^(1/h) above.
 * The left side is convex, so Newton's iteration from above falls towards the root; it starts at most twice
 * as high. */
CT_INLINE ct_lane relaxed(const ct_real *k, ct_lane c)
{
    enum { TURNS = 12 };
    if (k[INVERSE_POWER] == 1) return 1 / (1 + c); /* Bingham's */
    const int thins = k[INVERSE_POWER] >= 1;
    ct_real e = k[STEEPNESS];
    ct_lane one = ct_lane_all(1), a = thins ? one : c, b = thins ? c : one;
    ct_lane w = ct_lane_min(1 / a, ct_lane_exp(-ct_lane_log(b) / e));
    CT_FOR(turn, TURNS) {
        ct_lane power = b * ct_lane_exp((e - 1) * ct_lane_log(w));
        ct_lane step = ((a + power) * w - 1) / (a + e * power);
        w -= step;
        if (!ct_mask_any(step > 4 * CT_EPSILON * w)) break;
    }
    return thins ? w : 1 - c * w;
}

/* How stiff it is: s_y, eta, and where it is solid. */
typedef struct stiffness {
    ct_lane yield, consistency;
    ct_mask solid;
} stiffness;

/* A factor that falls by the share `rate` a kelvin; bounded, so that numbers stay in range in float. */
CT_INLINE ct_lane fall(ct_real rate, ct_lane warmer)
{
    const ct_lane most = ct_lane_all(30);
    return ct_lane_exp(ct_lane_max(ct_lane_min(-rate * warmer, most), -most));
}

CT_INLINE stiffness stiffness_of(const ct_real *k, const ct_matter *matter, int i)
{
    stiffness at = {ct_lane_all(k[YIELD]), ct_lane_all(k[CONSISTENCY]), {0}};
    if (!matter->temperature) return at;
    ct_lane T = ct_lane_load(matter->temperature + i), warmer = T - k[BASE];
    at.yield *= fall(k[SOFTENING], warmer);
    at.consistency *= fall(k[THINNING], warmer);
    at.solid = T < k[SOLIDUS];
    return at;
}

CT_INLINE void map(const ct_real *k, const ct_matter *matter, int i, const ct_simo *e, ct_lane n,
                   ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    const ct_real tiny = CT_IS_DOUBLE ? (ct_real)1e-200 : (ct_real)1e-30f,
                  most = CT_IS_DOUBLE ? (ct_real)1e100 : (ct_real)1e20f;
    (void)state;
    stiffness at = stiffness_of(k, matter, i);
    ct_lane trial = k[CT_MU] * n, excess = trial - at.yield;
    ct_mask flows = (excess > 0) & ~at.solid;
    excess = ct_lane_select(flows, excess, ct_lane_all(1));
    /* c = 2 mu' dt / excess (excess / eta)^(1/h), bounded: what relaxes so fast is at s_y. */
    ct_lane rate = 1 / at.consistency;
    if (k[INVERSE_POWER] != 1) rate = ct_lane_exp(k[INVERSE_POWER] * ct_lane_log(excess * rate)) / excess;
    ct_lane c = 2 * k[CT_MU] * matter->dt * e->mean * rate;
    c = ct_lane_max(ct_lane_min(c, ct_lane_all(most)), ct_lane_all(tiny));
    *s = ct_lane_select(flows, (at.yield + excess * relaxed(k, c)) / trial, ct_lane_all(1));
    *after = e->J;
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_simo_update(k, count, matter, enough, 0, map);
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [YIELD_STRESS] = {"yield_stress", CT_PRESSURE, NAN, 0, INFINITY,
                      "shear stress below which it does not flow"},
    [VISCOSITY] = {"viscosity", CT_VISCOSITY, NAN, DBL_MIN, INFINITY,
                   "consistency: increase of the shear stress at a shear rate of 1/s"},
    [POWER] = {"power", CT_NUMBER, 1, 0.1, 4,
               "exponent of the shear rate: below 1 shear thinning, 1 a Bingham fluid"},
    [REFERENCE] = {"reference_temperature", CT_TEMPERATURE, 293.15, 0, 1e6,
                   "temperature at which yield_stress and viscosity are given"},
    [SOFTENS] = {"softening", CT_PER_KELVIN, 0, 0, 10,
                 "relative decrease of the yield stress per kelvin: exp(-softening T)"},
    [THINS] = {"thinning", CT_PER_KELVIN, 0, 0, 10,
               "relative decrease of the viscosity per kelvin: exp(-thinning T)"},
    [SETS] = {"solidus", CT_TEMPERATURE, 0, 0, 1e6, "temperature below which it is solid; 0: never"},
};

const ct_material_model CT_FN(ct_herschel_bulkley) = {
    .info = {.name = "herschel_bulkley",
             .title = "Paste by Herschel and Bulkley",
             .doc = "Toothpaste, cream, mud and lava: solid up to a yield stress, then a fluid that may be "
                    "shear thinning. Viscosity does not limit the time step. With heat it softens and sets.",
             .paper = "Herschel and Bulkley 1926; Yue et al. 2015; apic-2015",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .keeps_F = true,
             .reads_temperature = true},
    .prepare = prepare,
    .stress = CT_FN(ct_simo_stress),
    .energy = CT_FN(ct_simo_energy),
    .sound = CT_FN(ct_simo_sound),
    .principal = CT_FN(ct_simo_principal),
    .update = update,
};
