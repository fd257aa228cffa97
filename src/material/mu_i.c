/* Dense granular flow by its inertial number (Jop, Forterre and Pouliquen 2006): Hencky elasticity, and
 * friction that grows with the shear rate g,
 *
 *     tau = mu(I) p,      mu(I) = mu_s + (mu_2 - mu_s) I / (I_0 + I),      I = g d / sqrt(p / rho_s)
 *
 * with tau = |dev tau| / sqrt(2), g = sqrt(2) |dev D|, the mean pressure p, the diameter d of the grains and
 * the density rho_s of what they are made of. mu is the tangent of the slope on which a layer flows steadily
 * (the sine of the angle that a plane-strain test measures): none flows below mu_s, none steadily above mu_2.
 * Flow keeps the volume; tension separates the grains, as in drucker_prager.c.
 *
 * The return mapping takes rate and stress at the end of the step. With n = |dev eps|, x = n - n', all of it
 * flow, g = sqrt(2) x / dt; with s and m the lengths n' at mu_s and mu_2 and b = I_0 sqrt(p / rho_s) dt /
 * (sqrt(2) d), the x at which mu is half way,
 *
 *     n - x = s + (m - s) x / (b + x)      so      x^2 + (m + b - n) x - (n - s) b = 0,
 *
 * of which the root above 0 is between 0 and n - s: the deviator only shrinks, and energy never grows.
 */
#include "material/friction.h"
#include "material/hencky.h"

enum { SLOW = CT_FIRST_OWN, FAST, RATE, CORRECTION };
enum { MU_S, MU_2, I_0, DIAMETER, GRAIN_DENSITY, VOLUME_CORRECTION, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients;
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "grains need a shear modulus above 0");
    if (parameters[MU_2] < parameters[MU_S])
        return ct_fail(error, CT_BAD_USAGE, "mu_2 is below mu_s: friction would fall as grains flow faster");
    k[SLOW] = parameters[MU_S] * k[CT_BULK] / (sqrt(2) * mu); /* of n, by -tr(eps) */
    k[FAST] = parameters[MU_2] * k[CT_BULK] / (sqrt(2) * mu);
    /* of b, by dt and sqrt(-tr(eps)) */
    k[RATE] =
        parameters[I_0] / (sqrt(2) * parameters[DIAMETER]) * sqrt(k[CT_BULK] / parameters[GRAIN_DENSITY]);
    k[CORRECTION] = parameters[VOLUME_CORRECTION];
    return CT_OK;
}

/* How much shorter n becomes; c = (n - s) b and h are those of x^2 + h x = c. */
static ct_lane flow(ct_lane h, ct_lane c)
{
    ct_lane root = ct_lane_sqrt(h * h + 4 * c);
    return ct_lane_select(h > 0, 2 * c / (h + root), (ct_real)0.5 * (root - h));
}

static void map(const ct_real *k, const ct_matter *matter, ct_lane trace, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    const ct_real most = 3, forever = CT_IS_DOUBLE ? (ct_real)1e100 : (ct_real)1e15f; /* of v_c; of b */
    ct_lane beyond = trace + state[0], pressed = ct_lane_max(-beyond, ct_lane_all(0));
    ct_lane slow = k[SLOW] * pressed, fast = k[FAST] * pressed;
    ct_lane b = ct_lane_min(k[RATE] * matter->dt * ct_lane_sqrt(pressed), ct_lane_all(forever));
    ct_mask tip = beyond >= 0, shear = ~tip & (n > slow);
    ct_lane excess = ct_lane_select(shear, n - slow, ct_lane_all(0));
    ct_lane shorter = flow(fast + b - n, excess * b);
    *s = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, 1 - shorter / n, ct_lane_all(1)));
    *after = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, beyond, trace));
    ct_lane gained = ct_lane_min(k[CORRECTION] * beyond, ct_lane_all(most));
    state[0] = ct_lane_select(tip, gained, ct_lane_select(shear, ct_lane_all(0), state[0]));
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_hencky_update(k, count, matter, enough, 1, map);
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [MU_S] = {"mu_s", CT_NUMBER, 0.38, 0, 10,
              "friction of the slowest flow: tangent of the minimum slope on which a layer keeps flowing"},
    [MU_2] = {"mu_2", CT_NUMBER, 0.64, 0, 10,
              "friction of the fastest flow: tangent of the slope above which a layer accelerates for ever"},
    [I_0] = {"I_0", CT_NUMBER, 0.279, DBL_MIN, 1e6,
             "inertial number at which friction is halfway between mu_s and mu_2"},
    [DIAMETER] = {"grain_diameter", CT_LENGTH, 0.53e-3, DBL_MIN, INFINITY, "diameter of the grains"},
    [GRAIN_DENSITY] = {"grain_density", CT_DENSITY, 2450, DBL_MIN, INFINITY,
                       "density of the grains; `density` is that of the heap, about 0.6 of it"},
    [VOLUME_CORRECTION] = CT_PARAMETER_VOLUME_CORRECTION(1),
};

const ct_material_model CT_FN(ct_mu_i) = {
    .info = {.name = "mu_i",
             .title = "Dense granular flow: mu(I)",
             .doc =
                 "Grains whose friction grows with the shear rate: avalanches, chutes, collapsing columns. "
                 "The defaults are those of glass beads of 0.53 mm.",
             .paper = "Jop et al. 2006; Dunatunga and Kamrin 2015",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
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
};
