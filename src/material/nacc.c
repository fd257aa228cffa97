/* Clay, soil and brittle snow (Wolper et al. 2019): the non-associated Cam Clay model on Simo's neo-Hookean
 * energy. In pressure p and q = sqrt((6 - d)/2) |dev tau| the elastic states fill an ellipse,
 *
 *     (1 + 2 beta) q^2 + M^2 (p + beta p0) (p - p0) <= 0,     p = kappa/2 (1 - J^2)
 *     p0 = kappa (1e-5 + sinh(xi max(-a, 0)))
 *
 * whose size p0 the hardening variable a decides: compaction makes a fall and the ellipse grow; dilation
 * makes it shrink until the material falls apart. beta p0 is the tension that it bears.
 *
 * Beyond a tip (p > p0, p < -beta p0) the stress goes to the tip; elsewhere the deviator shrinks at constant
 * volume, and a follows the volume between p and where the line from the ellipse's centre crosses it.
 */
#include "material/friction.h"
#include "material/simo.h"

enum { M_SQUARE = CT_FIRST_OWN, BETA, XI, Q_SQUARE };
enum { FRICTION_ANGLE, CONE, TENSION_RATIO, HARDENING, INITIAL, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients;
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "clay needs a shear modulus above 0");
    const ct_cone cone = ct_cone_of(parameters[CONE], CT_DIM);
    double m = ct_cone_slope_of(&cone, parameters[FRICTION_ANGLE]) * CT_DIM * sqrt((6 - CT_DIM) / 2.0);
    k[M_SQUARE] = m * m;
    k[BETA] = parameters[TENSION_RATIO];
    k[XI] = parameters[HARDENING];
    k[Q_SQUARE] = (6 - CT_DIM) / 2.0 * (1 + 2 * k[BETA]) * (mu / k[CT_BULK]) * (mu / k[CT_BULK]);
    made->initial[0] = parameters[INITIAL];
    return CT_OK;
}

/* p0 / kappa. */
static ct_lane ellipse(const ct_real *k, ct_lane a)
{
    const ct_real most = 10; /* e^10: no finite state gets there */
    ct_lane x = ct_lane_min(k[XI] * ct_lane_max(-a, ct_lane_all(0)), ct_lane_all(most)), e = ct_lane_exp(x);
    return (ct_real)1e-5 + (ct_real)0.5 * (e - 1 / e);
}

/* J at the pressure p (in units of kappa). */
static ct_lane volume_at(ct_lane p)
{
    return ct_lane_sqrt(ct_lane_max(1 - 2 * p, ct_lane_all((ct_real)1e-6)));
}

/* All in units of kappa; q^2 (1 + 2 beta) = Q_SQUARE n^2. */
static void map(const ct_real *k, const ct_matter *matter, int i, const ct_simo *e, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    (void)matter, (void)i;
    ct_lane J = e->J;
    const ct_real most = 5; /* of |a| */
    ct_lane p0 = ellipse(k, state[0]), p = (ct_real)0.5 * (1 - J) * (1 + J), tension = k[BETA] * p0;
    ct_mask crushed = p > p0, torn = p < -tension, tip = crushed | torn;
    ct_lane q = k[Q_SQUARE] * n * n, inside = k[M_SQUARE] * (p + tension) * (p0 - p); /* q <= inside */
    ct_mask shear = ~tip & (q > inside * (1 + 4 * CT_EPSILON));
    *s = ct_lane_all(1);
    *after = J;
    if (!ct_mask_any(tip | shear)) return;
    ct_lane tip_J = volume_at(ct_lane_select(crushed, p0, -tension));
    *s = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, ct_lane_sqrt(inside / q), ct_lane_all(1)));
    *after = ct_lane_select(tip, tip_J, J);
    ct_lane center = (ct_real)0.5 * (p0 - tension), half = (ct_real)0.5 * (p0 + tension), arm = p - center;
    ct_lane share = half * ct_lane_sqrt(k[M_SQUARE] / (k[M_SQUARE] * arm * arm + q));
    ct_lane reached = ct_lane_select(tip, tip_J, volume_at(center + share * arm));
    ct_lane change = ct_lane_select(tip | shear, ct_lane_log(J / reached), ct_lane_all(0));
    state[0] = ct_lane_min(ct_lane_max(state[0] + change, ct_lane_all(-most)), ct_lane_all(most));
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_simo_update(k, count, matter, enough, 1, map);
}

/* Where the return mapping's tip is: asflip-2021 takes J from Cauchy's pressure, which lies beyond it. */
static void critical_J(const ct_real *k, int count, const ct_matter *matter, ct_real *J)
{
    for (int i = 0; i < count; i += CT_LANES)
        ct_lane_store(J + i, volume_at(-k[BETA] * ellipse(k, ct_lane_load(matter->state[0] + i))));
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [FRICTION_ANGLE] = {"friction_angle", CT_ANGLE, 0.7853981633974483, 0.01, 1.4,
                        "angle of internal friction at the critical state; 45 deg by default"},
    [CONE] = CT_PARAMETER_CONE,
    [TENSION_RATIO] = {"beta", CT_NUMBER, 0.5, 0, 10, "ratio of maximum tension to maximum pressure"},
    [HARDENING] = {"xi", CT_NUMBER, 3, 0, 100, "rate of hardening by compaction and softening by dilation"},
    [INITIAL] = {"consolidation", CT_NUMBER, -0.02, -3, 0,
                 "initial hardening variable a: logarithm of the volume to which it has been compacted"},
};

const ct_material_model CT_FN(ct_nacc) = {
    .info = {.name = "nacc",
             .title = "Clay: non-associated Cam Clay",
             .doc = "Material that compacts, hardens, cracks and disintegrates: clay, soil, bread, porous "
                    "rock, hard snow.",
             .paper = "Wolper et al. 2019; asflip-2021",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .option = CT_OPTION_CONE,
             .keeps_F = true,
             .state_count = 1,
             .states =
                 {{"hardening", "1", CT_TYPE_FLOAT32, 1,
                   "hardening variable: negative where compacted, 0 and above where it has disintegrated"}}},
    .prepare = prepare,
    .stress = CT_FN(ct_simo_stress),
    .energy = CT_FN(ct_simo_energy),
    .sound = CT_FN(ct_simo_sound),
    .principal = CT_FN(ct_simo_principal),
    .update = update,
    .critical_J = critical_J,
};
