/* The speed of sound in deformed matter, as the time step's criterion has it: Figure 10 of time-step-2020,
 * for which four paths are drawn here. CT_UPDATE=1 draws docs/theory/figures/sound-speed.svg. That the
 * fastest wave of all directions is meant is tested in unit/numerics/test_materials.c. */
#include "look/plot.h"
#include "physics/worlds.h"

enum { MODELS = 5, PATHS = 4, PLACES = 55 };

static const char *const models[MODELS] = {"fixed_corotated", "corotated", "neo_hookean", "simo", "hencky"};

/* Stretches of the three axes: s to the power of each. */
static const struct {
    double power[3];
    const char *title;
} paths[PATHS] = {{{1, 0, 0}, "one axis: (s, 1, 1)"},
                  {{1, -0.5, -0.5}, "at constant volume: (s, 1/√s, 1/√s)"},
                  {{1, 1, 1}, "all axes: (s, s, s)"},
                  {{1, 1, 0}, "two axes: (s, s, 1)"}};

static void stretches(int path, double s, double sigma[3])
{
    for (int a = 0; a < 3; a++) sigma[a] = pow(s, paths[path].power[a]);
}

/* m/s, for E = 1 Pa, nu = 0.3 and 1 kg/m^3: from the first step that nothing but sound limits. */
static double speed_of_sound(const char *model, const double sigma[3])
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 1);
    def.step.criteria = CT_CRITERION_SOUND;
    def.step.sound_cfl = 0.01;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, model, 1, 1, 0.3), 0, 0, 0, 1, 1, 1);
    for (int a = 0; a < 3; a++) body.deformation[4 * a] = sigma[a];
    add_body(world, &body);
    steps(world, 1);
    assert_string_equal(ct_world_get_info(world).limited_by, "sound");
    double speed = 0.01 / ct_world_get_info(world).dt;
    ct_world_destroy(world);
    return speed;
}

/* The estimate that the paper compares with (Fu et al. 2018): it knows the volume alone. */
static double estimate(const double sigma[3])
{
    double mu = 1 / 2.6, kappa = 1 / 1.2, J = sigma[0] * sigma[1] * sigma[2];
    return sqrt(fmax(4.0 / 3 * mu * J + kappa * (1 - log(J)), 0));
}

/* What the figure shows: all agree at rest; the estimate is blind along the path of constant volume, where
 * the true speed rises by more than a tenth; elsewhere it is far too high or too low. */
static void the_estimate_holds_at_rest_only(void **state)
{
    (void)state;
    const double rest[3] = {1, 1, 1}, drawn[3] = {2, sqrt(0.5), sqrt(0.5)}, pressed[3] = {0.5, 0.5, 0.5};
    double c = sqrt(0.3 / (1.3 * 0.4) + 1 / 1.3);
    assert_near(estimate(rest), c, 1e-12);
    assert_near(estimate(drawn), c, 1e-12);
    for (int m = 0; m < MODELS; m++) {
        /* the criterion may take a bound, up to 2.5% above the speed */
        assert_near(speed_of_sound(models[m], rest), c, 0.025 * c);
        assert_true(speed_of_sound(models[m], drawn) > 1.09 * c);
    }
    assert_true(speed_of_sound("fixed_corotated", pressed) < 0.5 * estimate(pressed));
}

static void the_figure(void **state)
{
    (void)state;
    static double s[PLACES], speed[PATHS][MODELS + 1][PLACES];
    static ct_plot_series series[PATHS][MODELS + 1];
    ct_plot plots[PATHS];
    for (int p = 0; p < PATHS; p++) {
        for (int k = 0; k < PLACES; k++) {
            double sigma[3];
            s[k] = 0.3 + 0.05 * k;
            stretches(p, s[k], sigma);
            for (int m = 0; m < MODELS; m++) speed[p][m][k] = speed_of_sound(models[m], sigma);
            speed[p][MODELS][k] = estimate(sigma);
        }
        for (int m = 0; m <= MODELS; m++)
            series[p][m] = (ct_plot_series){.name = m < MODELS ? models[m] : "estimate by volume",
                                            .x = s,
                                            .y = speed[p][m],
                                            .count = PLACES,
                                            .color = m < MODELS ? 0 : CT_PLOT_GREY,
                                            .is_dashed = m == MODELS};
        plots[p] = (ct_plot){.title = paths[p].title,
                             .x = {.label = "s"},
                             .y = {.label = "speed of sound, E = ρ = 1", .range = {0, 4}},
                             .series = series[p],
                             .series_count = MODELS + 1};
        /* each curve is smooth: no step of it exceeds a tenth of the speed and more */
        for (int m = 0; m < MODELS; m++)
            for (int k = 1; k < PLACES; k++)
                assert_near(speed[p][m][k], speed[p][m][k - 1], 0.05 + 0.25 * speed[p][m][k]);
    }
    if (!getenv("CT_UPDATE")) return;
    ct_plot_page page = {.plots = plots, .count = PATHS};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    CHECK(ct_plot_save(&heap, &page, CT_SOURCE_DIR "/docs/theory/figures/sound-speed.svg", error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_holds_at_rest_only),
        cmocka_unit_test(the_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
