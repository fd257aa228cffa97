/* Sand on Simo's neo-Hookean energy (Yue et al. 2018; asflip-2021): pressure from the volume alone,
 *
 *     p = kappa/2 (1 - J^2),      |dev tau| = mu n <= alpha d (p + tension)
 *
 * Shear beyond the cone flows at constant J; tension beyond its tip separates the grains. The volume gained
 * apart may be remembered as in drucker_prager.c.
 */
#include "material/friction.h"
#include "material/simo.h"

enum { SLOPE = CT_FIRST_OWN, TIP_SQUARE, TIP, CORRECTION };
enum { FRICTION_ANGLE, CONE, COHESION, VOLUME_CORRECTION, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients, tension, angle = parameters[FRICTION_ANGLE];
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "grains need a shear modulus above 0");
    ct_status status = ct_cone_tension(angle, parameters[COHESION], &tension, error);
    const ct_cone cone = ct_cone_of(parameters[CONE], CT_DIM);
    k[SLOPE] = ct_cone_slope_of(&cone, angle) * CT_DIM * k[CT_BULK] / (2 * mu);
    k[TIP_SQUARE] = 1 + 2 * tension / k[CT_BULK]; /* J^2 there */
    k[TIP] = sqrt(k[TIP_SQUARE]);
    k[CORRECTION] = parameters[VOLUME_CORRECTION];
    made->initial[0] = 1;
    return status;
}

static void map(const ct_real *k, const ct_matter *matter, int i, const ct_simo *e, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    (void)matter, (void)i;
    ct_lane J = e->J;
    const ct_real most = 20; /* times the volume that is remembered */
    ct_lane volume = J * state[0], allowed = k[SLOPE] * (k[TIP_SQUARE] - volume * volume);
    ct_mask tip = ~(volume < k[TIP]), shear = ~tip & (n > allowed);
    *s = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, allowed / n, ct_lane_all(1)));
    *after = ct_lane_select(tip, ct_lane_all(k[TIP]), ct_lane_select(shear, volume, J));
    ct_lane gained = 1 + k[CORRECTION] * (volume / k[TIP] - 1);
    gained = ct_lane_min(gained, ct_lane_all(most));
    state[0] = ct_lane_select(tip, gained, ct_lane_select(shear, ct_lane_all(1), state[0]));
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_simo_update(k, count, matter, enough, 1, map);
}

static void critical_J(const ct_real *k, int count, const ct_matter *matter, ct_real *J)
{
    (void)matter;
    for (int i = 0; i < count; i += CT_LANES) ct_lane_store(J + i, ct_lane_all(k[TIP]));
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [FRICTION_ANGLE] = CT_PARAMETER_FRICTION_ANGLE,
    [CONE] = CT_PARAMETER_CONE,
    [COHESION] = CT_PARAMETER_COHESION,
    [VOLUME_CORRECTION] = CT_PARAMETER_VOLUME_CORRECTION(0),
};

const ct_material_model CT_FN(ct_drucker_prager_simo) = {
    .info = {.name = "drucker_prager_simo",
             .title = "Sand on a neo-Hookean energy",
             .doc = "Sand as in the papers on separating particles: pressure depends on the volume alone, "
                    "and the tip of the cone is at J = 1 exactly.",
             .paper = "Yue et al. 2018; asflip-2021",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .option = CT_OPTION_CONE,
             .keeps_F = true,
             .state_count = 1,
             .states = {{"volume_factor", "1", CT_TYPE_FLOAT32, 1,
                         "volume factor gained by separation of grains"}}},
    .prepare = prepare,
    .stress = CT_FN(ct_simo_stress),
    .energy = CT_FN(ct_simo_energy),
    .sound = CT_FN(ct_simo_sound),
    .principal = CT_FN(ct_simo_principal),
    .update = update,
    .critical_J = critical_J,
};
