/* Sand that hardens as it is worked (Mast 2013; Klar et al. 2016), and wet sand that crumbles: Drucker and
 * Prager's cone of drucker_prager.c, whose slope and tip depend on the plastic deformation q so far:
 *
 *     friction angle = h0 + (h1 q - h3) exp(-h2 q)           (degrees in the papers, radians here; h0 is
 *                                                             the parameter friction_angle)
 *     cohesion       = cohesion exp(-crumbling max(0, q - crumbles_at))
 */
#include "material/friction.h"
#include "material/hencky.h"

enum {
    H0 = CT_FIRST_OWN,
    H1,
    H2,
    H3,
    SLOPE, /* of the cone: times the sine over sqrt(A + B sine + C sine^2) */
    A,
    B,
    C,
    COHESIVE,
    CRUMBLING,
    BRITTLE, /* the plastic strain where that begins */
    CORRECTION
};
enum {
    FINAL_ANGLE,
    HARDENING_RATE,
    HARDENING_DECAY,
    INITIAL_DEFICIT,
    CONE,
    COHESION,
    CRUMBLE,
    CRUMBLES_AT,
    VOLUME_CORRECTION,
    PARAMETERS
};
enum { VOLUME_GAIN, PLASTIC };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    double *k = made->coefficients, tension;
    ct_prepare_elastic(mu, lambda, made);
    if (!(mu > 0)) return ct_fail(error, CT_BAD_USAGE, "grains need a shear modulus above 0");
    if (parameters[INITIAL_DEFICIT] > parameters[FINAL_ANGLE])
        return ct_fail(error, CT_BAD_USAGE, "h3 is above friction_angle: the angle would start below 0");
    k[H0] = parameters[FINAL_ANGLE];
    k[H1] = parameters[HARDENING_RATE];
    k[H2] = parameters[HARDENING_DECAY];
    k[H3] = parameters[INITIAL_DEFICIT];
    const ct_cone cone = ct_cone_of(parameters[CONE], CT_DIM);
    k[SLOPE] = cone.factor * CT_DIM * k[CT_BULK] / (2 * mu);
    k[A] = cone.a, k[B] = cone.b, k[C] = cone.c;
    ct_status status = ct_cone_tension(k[H0], parameters[COHESION], &tension, error);
    k[COHESIVE] = tension / k[CT_BULK];
    k[CRUMBLING] = parameters[CRUMBLE];
    k[BRITTLE] = parameters[CRUMBLES_AT];
    k[CORRECTION] = parameters[VOLUME_CORRECTION];
    return status;
}

/* The cone's slope, of n over -tr(eps). The sine is by its series, good to 5e-15 up to 80 degrees. */
static ct_lane slope(const ct_real *k, ct_lane q)
{
    static const ct_real series[] = {(ct_real)1,
                                     (ct_real)(-1.0 / 6),
                                     (ct_real)(1.0 / 120),
                                     (ct_real)(-1.0 / 5040),
                                     (ct_real)(1.0 / 362880),
                                     (ct_real)(-1.0 / 39916800),
                                     (ct_real)(1.0 / 6227020800),
                                     (ct_real)(-1.0 / 1307674368000),
                                     (ct_real)(1.0 / 355687428096000)};
    enum { TERMS = sizeof series / sizeof *series };
    ct_lane angle = k[H0] + (k[H1] * q - k[H3]) * ct_lane_exp(-k[H2] * q);
    ct_lane x = ct_lane_min(ct_lane_max(angle, ct_lane_all(0)), ct_lane_all((ct_real)1.4));
    ct_lane sine = x * ct_lane_polynomial(x * x, TERMS, series);
    return k[SLOPE] * sine / ct_lane_sqrt(k[A] + sine * (k[B] + sine * k[C]));
}

static ct_lane tip_of(const ct_real *k, ct_lane q)
{
    return k[COHESIVE] * ct_lane_exp(-k[CRUMBLING] * ct_lane_max(q - k[BRITTLE], ct_lane_all(0)));
}

static void map(const ct_real *k, const ct_matter *matter, ct_lane trace, ct_lane n,
                ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after)
{
    (void)matter;
    const ct_real most = 3, enough = 1000; /* of v_c, and of q, which need not grow for ever */
    ct_lane tip_trace = tip_of(k, state[PLASTIC]);
    ct_lane beyond = trace + state[VOLUME_GAIN] - tip_trace;
    ct_lane allowed = -slope(k, state[PLASTIC]) * beyond;
    ct_mask tip = beyond >= 0, shear = ~tip & (n > allowed);
    *s = ct_lane_select(tip, ct_lane_all(0), ct_lane_select(shear, allowed / n, ct_lane_all(1)));
    *after = ct_lane_select(tip, tip_trace, ct_lane_select(shear, trace + state[VOLUME_GAIN], trace));
    ct_lane change = trace - tip_trace,
            apart = ct_lane_sqrt(n * n + change * change * (ct_real)(1.0 / CT_DIM));
    ct_lane flow = ct_lane_select(tip, apart, ct_lane_select(shear, n - allowed, ct_lane_all(0)));
    ct_lane gained = ct_lane_min(k[CORRECTION] * beyond, ct_lane_all(most));
    state[VOLUME_GAIN] =
        ct_lane_select(tip, gained, ct_lane_select(shear, ct_lane_all(0), state[VOLUME_GAIN]));
    state[PLASTIC] = ct_lane_min(state[PLASTIC] + flow, ct_lane_all(enough));
}

static ct_real update(const ct_real *k, int count, const ct_matter *matter, ct_real enough)
{
    return ct_hencky_update(k, count, matter, enough, 2, map);
}

static void critical_J(const ct_real *k, int count, const ct_matter *matter, ct_real *J)
{
    for (int i = 0; i < count; i += CT_LANES)
        ct_lane_store(J + i, ct_lane_exp(tip_of(k, ct_lane_load(matter->state[PLASTIC] + i))));
}

static const ct_parameter_info parameters[PARAMETERS] = {
    [FINAL_ANGLE] = {"friction_angle", CT_ANGLE, 0.6108652381980153, 0, 1.4,
                     "final friction angle, h0 of the papers; 35 deg by default"},
    [HARDENING_RATE] = {"h1", CT_ANGLE, 0.1570796326794897, 0, 10,
                        "friction angle gained per plastic strain; 9 deg by default"},
    [HARDENING_DECAY] = {"h2", CT_NUMBER, 0.3, 0, 1000,
                         "decay rate of the initial deficit per plastic strain"},
    [INITIAL_DEFICIT] = {"h3", CT_ANGLE, 0.17453292519943295, 0, 1.4,
                         "initial deficit of the friction angle; 10 deg by default"},
    [CONE] = CT_PARAMETER_CONE,
    [COHESION] = CT_PARAMETER_COHESION,
    [CRUMBLE] = {"crumbling", CT_NUMBER, 0, 0, 1e6, "cohesion decays as exp(-crumbling plastic strain)"},
    [CRUMBLES_AT] = {"crumbles_at", CT_NUMBER, 0, 0, 1e3, "plastic strain at which cohesion begins to decay"},
    [VOLUME_CORRECTION] = CT_PARAMETER_VOLUME_CORRECTION(1),
};

const ct_material_model CT_FN(ct_drucker_prager_hardening) = {
    .info = {.name = "drucker_prager_hardening",
             .title = "Sand that hardens or crumbles",
             .doc = "Sand whose friction angle grows with plastic strain; with cohesion and crumbling, wet "
                    "sand that holds its shape until it breaks.",
             .paper = "Mast 2013; Klar et al. 2016; time-step-2020",
             .is_elastic = true,
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             .option = CT_OPTION_CONE,
             .keeps_F = true,
             .state_count = 2,
             .states = {[VOLUME_GAIN] = {"volume_gain", "1", CT_TYPE_FLOAT32, 1,
                                         "logarithm of the volume gained by separation of grains"},
                        [PLASTIC] = {"plastic_strain", "1", CT_TYPE_FLOAT32, 1,
                                     "accumulated plastic strain"}}},
    .prepare = prepare,
    .stress = CT_FN(ct_hencky_stress),
    .energy = CT_FN(ct_hencky_energy),
    .sound = CT_FN(ct_hencky_sound),
    .principal = CT_FN(ct_hencky_principal),
    .update = update,
    .critical_J = critical_J,
};
