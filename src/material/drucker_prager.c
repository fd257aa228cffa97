/* Dry sand (Klar et al. 2016): Hencky elasticity and Coulomb's friction between grains, as Drucker and
 * Prager's cone in Kirchhoff stress:
 *
 *     |dev tau| + alpha (tr tau - d tension) <= 0,         tension = cohesion cot(friction angle)
 *
 * Shear beyond the cone flows without change of volume; tension beyond its tip separates the grains. The
 * volume that they gain apart, v_c, is remembered and taken up before they press again, so that sand does not
 * swell.
 */
#include "material/friction.h"
#include "material/hencky.h"

enum { RATIO = CT_FIRST_OWN, TIP, CORRECTION };
enum { FRICTION_ANGLE, CONE, COHESION, VOLUME_CORRECTION, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients, tension, angle = parameters[FRICTION_ANGLE];
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "grains need a shear modulus above 0");
    ct_status status = ct_cone_tension(angle, parameters[COHESION], &tension, error);
    const ct_cone cone = ct_cone_of(parameters[CONE], CT_DIM);
    k[RATIO] = ct_cone_slope_of(&cone, angle) * CT_DIM * k[CT_BULK] / (2 * mu);
    k[TIP] = tension / k[CT_BULK]; /* tr(eps) there: tr(tau) = d kappa tr(eps) */
    k[CORRECTION] = parameters[VOLUME_CORRECTION];
    return status;
}

static void map(const ct_real *k, const ct_matter *matter, ct_lane trace, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    (void)matter;
    const ct_real most = 3; /* of v_c: twenty times the volume */
    ct_lane beyond = trace + state[0] - k[TIP], allowed = -k[RATIO] * beyond;
    ct_mask tip = beyond >= 0, shear = ~tip & (n > allowed);
    *s = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, allowed / n, ct_lane_all(1)));
    *after = ct_lane_select(tip, ct_lane_all(k[TIP]), ct_lane_select(shear, trace + state[0], trace));
    ct_lane gained = ct_lane_min(k[CORRECTION] * beyond, ct_lane_all(most));
    state[0] = ct_lane_select(tip, gained, ct_lane_select(shear, ct_lane_all(0), state[0]));
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_hencky_update(k, count, matter, enough, 1, map);
}

static void critical_J(const ct_real *k, int count, const ct_matter *matter, ct_real *J)
{
    (void)matter;
    for (int i = 0; i < count; i += CT_LANES) ct_lane_store(J + i, ct_lane_exp(ct_lane_all(k[TIP])));
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [FRICTION_ANGLE] = CT_PARAMETER_FRICTION_ANGLE,
    [CONE] = CT_PARAMETER_CONE,
    [COHESION] = CT_PARAMETER_COHESION,
    [VOLUME_CORRECTION] = CT_PARAMETER_VOLUME_CORRECTION(1),
};

const ct_material_model CT_FN(ct_drucker_prager) = {
    .info = {.name = "drucker_prager",
             .title = "Sand: Drucker-Prager plasticity",
             .doc = "Granular matter with friction that separates freely: sand, gravel, grain; with "
                    "cohesion, damp sand that clumps.",
             .paper = "Klar et al. 2016",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .option = CT_OPTION_CONE,
             .keeps_F = true,
             .state_count = 1,
             .states = {{"volume_gain", "1", CT_TYPE_FLOAT32, 1,
                         "logarithm of the volume gained by separation of grains"}}},
    .prepare = prepare,
    .stress = CT_FN(ct_hencky_stress),
    .energy = CT_FN(ct_hencky_energy),
    .sound = CT_FN(ct_hencky_sound),
    .principal = CT_FN(ct_hencky_principal),
    .update = update,
    .critical_J = critical_J,
};
