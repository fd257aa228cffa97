/* The criteria of the step itself: displacement and deformation, which shorten a step that has begun; and the
 * ledger. */
#include "worlds.h"

/* Two soft balls meet at a speed above that of their sound, and a wall besides: within a step forces and
 * walls turn velocities round. Only velocity gives the first dt, so that the grid has something to object. */
static ct_world *crash(ct_world_def def, bool has_wall)
{
    if (has_wall) set_domain(&def, 2, 2, 2, CT_WALL_SEPARATE, 0.2);
    ct_world *world = create(&def);
    ct_material_def material = ct_default_material_def();
    ct_parameter soft[] = {{"young", 1e4}, {"poisson", 0.3}};
    material.parameters = soft, material.parameter_count = 2;
    material.name = "soft";
    CHECK(ct_world_add_material(world, &material, NULL, error));
    material.name = "heavy", material.density = 3000;
    CHECK(ct_world_add_material(world, &material, NULL, error));
    ct_body_def left = ball(0, 0.55, 0.4, 1, 0.3), right = ball(1, 1.2, 0.47, 1.03, 0.3);
    left.velocity[0] = 6, left.velocity[1] = -2, right.velocity[0] = -5;
    add_body(world, &left);
    add_body(world, &right);
    return world;
}

static ct_world_def crash_def(int dimension, ct_kernel kernel, ct_force_form form, bool has_before)
{
    ct_world_def def = quiet_def(dimension, kernel, 0.1);
    def.force_form = form;
    def.energy_budget = has_before;
    def.step.criteria = CT_CRITERION_VELOCITY | CT_CRITERION_DISPLACEMENT | CT_CRITERION_DEFORMATION;
    return def;
}

/* The most that a particle moved, in cells along an axis, and the largest entry of dt C, over some steps.
 * APIC keeps all of C, so in the MLS form that is the change of F. */
typedef struct extremes {
    double cells, change;
} extremes;

static extremes step_and_watch(ct_world *world, int count)
{
    extremes most = {0};
    for (int i = 0; i < count; i++) {
        triple *before = positions_of(world);
        steps(world, 1);
        triple *after = positions_of(world);
        double *C = values_of(world, "C"), dt = ct_world_get_info(world).dt;
        for (size_t p = 0; p < count_of(world); p++) {
            for (int a = 0; a < 3; a++) most.cells = fmax(most.cells, fabs(after[p][a] - before[p][a]) / 0.1);
            for (int k = 0; k < 9; k++) most.change = fmax(most.change, dt * fabs(C[9 * p + (size_t)k]));
        }
        free(before), free(after), free(C);
    }
    return most;
}

/* Whatever the kernel, and whether the velocity before forces is kept (the patch) or not (the transfer is
 * repeated): no particle passes the limit by more than the tolerance of a tenth, and one comes close to it.
 * Without the criterion particles pass it: the control. */
static void no_particle_passes_the_limits(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int kept = 0; kept < 2; kept++)
                for (int k = 0; k < 3; k++) {
                    const unsigned criteria[] = {CT_CRITERION_DISPLACEMENT, CT_CRITERION_DEFORMATION, 0};
                    ct_world_def def = crash_def(dimension, kernel, CT_FORCE_MLS, kept);
                    def.step.criteria = CT_CRITERION_VELOCITY | criteria[k];
                    def.step.displacement_limit = 0.4, def.step.deformation_limit = 0.15;
                    ct_world *world = crash(def, true);
                    extremes most = step_and_watch(world, k == 2 ? 12 : dimension == 2 ? 60 : 25);
                    ct_world_destroy(world);
                    double reached[] = {most.cells / 0.4, most.change / 0.15,
                                        fmin(most.cells / 0.4, most.change / 0.15)};
                    if (k == 2) assert_true(reached[k] > 1.5);
                    else if (reached[k] > 1.1001 || reached[k] < 0.98)
                        fail_msg("%dD kernel %d kept %d: %g of limit %d", dimension, (int)kernel, kept,
                                 reached[k], k);
                }
}

/* Algorithm 1: in free flight a patched velocity is that of the shorter step, exactly. A step that begins 1.9
 * times too long and is patched ends as one that begins right. The first world is shortened by its criterion
 * of deformation; the second is given the dt that came out. */
static void a_patch_is_a_shorter_step(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_force_form form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
            ct_world_def def = crash_def(dimension, CT_KERNEL_QUADRATIC, form, true);
            ct_world *patched = crash(def, false);
            double time = 0;
            int shortened = 0;
            for (int i = 0; i < 30; i++) {
                CHECK(ct_world_save(patched, "patch.ctc", error));
                steps(patched, 1);
                double dt = ct_world_get_info(patched).dt;
                shortened += !strcmp(ct_world_get_info(patched).limited_by, "deformation");
                ct_world_def same = def;
                same.step.fixed = dt;
                ct_world *exact = crash(same, false);
                CHECK(ct_world_restore(exact, "patch.ctc", error));
                steps(exact, 1);
                double *a = values_of(patched, "F"), *b = values_of(exact, "F");
                triple *x = positions_of(patched), *y = positions_of(exact);
                for (size_t k = 0; k < 9 * count_of(exact); k++) assert_near(a[k], b[k], 1e-12);
                for (size_t p = 0; p < count_of(exact); p++)
                    for (int c = 0; c < 3; c++) assert_near(x[p][c], y[p][c], 1e-12);
                free(a), free(b), free(x), free(y);
                ct_world_destroy(exact);
                time += dt;
            }
            assert_true(shortened > 3);
            assert_near(ct_world_get_info(patched).time, time, 1e-12);
            ct_world_destroy(patched);
        }
    remove("patch.ctc");
}

/* Shortened steps hit frames, and none is tiny: each is at least 0.4 of what the criteria gave the last. */
static void shortened_steps_hit_frames(void **state)
{
    (void)state;
    ct_world *world = crash(crash_def(2, CT_KERNEL_QUADRATIC, CT_FORCE_MLS, true), true);
    for (int frame = 1; frame <= 20; frame++) {
        CHECK(ct_world_run_until(world, frame * 0.007, error));
        assert_true(ct_world_get_info(world).time == frame * 0.007);
    }
    assert_held(world, &(ct_world_def){.dimension = 2, .domain_max = {2, 2, 2}});
    ct_world_destroy(world);
}

/* A step that the grid shortens below step.min is refused, and who asked is told: criterion, particle,
 * material. Nothing has changed. */
static void too_short_is_told(void **state)
{
    (void)state;
    ct_world_def def = crash_def(2, CT_KERNEL_QUADRATIC, CT_FORCE_MLS, true);
    def.step.min = 9e-3;
    ct_world *world = crash(def, false);
    ct_error error = {0};
    ct_status status = CT_OK;
    ct_hash before = {0};
    for (int i = 0; i < 30 && !status; i++) {
        before = hash_of(world);
        status = ct_world_step(world, &error);
    }
    assert_int_equal(status, CT_DIVERGED);
    assert_same(hash_of(world), before);
    assert_non_null(strstr(error.message, "'deformation'"));
    assert_non_null(strstr(error.message, "particle"));
    assert_non_null(strstr(error.message, "step.min"));
    ct_world_destroy(world);
}

/* ---- the ledger ---------------------------------------------------------------------------------------- */

/* Steps by criterion and by material add up to the steps made, and the tightest is the least of all dt that
 * the criterion gave. */
static void the_ledger_adds_up(void **state)
{
    (void)state;
    ct_world_def def = crash_def(2, CT_KERNEL_QUADRATIC, CT_FORCE_MLS, true);
    def.step.criteria = CT_CRITERIA_ALL;
    def.step.sound_cfl = 0.3;
    ct_world *world = crash(def, true);
    double least[16];
    uint64_t counted[16] = {0};
    for (int k = 0; k < 16; k++) least[k] = INFINITY;
    for (int i = 0; i < 150; i++) {
        steps(world, 1);
        ct_world_info info = ct_world_get_info(world);
        ct_criterion_info criterion;
        for (int k = 0; ct_world_criterion(world, k, &criterion); k++) {
            if (strcmp(criterion.name, info.limited_by)) continue;
            least[k] = fmin(least[k], info.dt);
            counted[k]++;
            assert_true(info.limited_material == 0 || info.limited_material == 1);
        }
    }
    ct_criterion_info criterion;
    uint64_t steps_in_all = 0;
    int limiting = 0, k;
    for (k = 0; ct_world_criterion(world, k, &criterion); k++) {
        assert_int_equal(criterion.steps, counted[k]);
        assert_int_equal(ct_world_limited_steps(world, k, 0) + ct_world_limited_steps(world, k, 1),
                         counted[k]);
        steps_in_all += criterion.steps;
        limiting += criterion.steps > 0;
        if (criterion.steps) {
            assert_true(criterion.tightest <= least[k] * (1 + 1e-12));
            assert_true(criterion.particle >= 0 && (size_t)criterion.particle < count_of(world));
            assert_true(criterion.tightest_step >= 1 && criterion.tightest_step <= 151);
        }
    }
    assert_int_equal(CT_CRITERIA_ALL, (1 << k) - 1); /* all of them are in the list */
    assert_int_equal(steps_in_all, 150);
    assert_true(limiting >= 2);
    ct_world_destroy(world);
}

/* The particle that the ledger names is the one: a ball in which one particle is stretched, another fast. */
static void the_ledger_names_the_particle(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = create(&def);
    add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3);
    ct_body_def body = ball(0, 0, 0, 0, 0.4);
    add_body(world, &body);
    double *F = values_of(world, "F");
    triple *v = velocities_of(world);
    F[9 * 123] = 1.5, v[77][2] = 30;
    CHECK(ct_world_write(world, "F", F, count_of(world) * 9 * sizeof *F, error));
    CHECK(ct_world_write(world, "velocity", v, count_of(world) * sizeof *v, error));
    steps(world, 1);
    ct_criterion_info info;
    for (int k = 0; ct_world_criterion(world, k, &info); k++) {
        if (!strcmp(info.name, "velocity")) assert_int_equal(info.particle, 77);
        if (!strcmp(info.name, "sound")) assert_int_equal(info.particle, 123);
    }
    free(F), free(v);
    ct_world_destroy(world);
}

/* The ledger is part of the state: the same for any number of threads, and after a save and a restore. */
static void the_ledger_is_part_of_the_state(void **state)
{
    (void)state;
    ct_criterion_info expected[16], info;
    for (int threads = 1; threads <= 4; threads++) {
        ct_world_def def = crash_def(2, CT_KERNEL_QUADRATIC, CT_FORCE_MLS, threads % 2);
        def.step.criteria = CT_CRITERIA_ALL;
        def.energy_budget = true;
        def.threads = threads;
        ct_world *world = crash(def, true);
        steps(world, 20);
        if (threads == 3) {
            CHECK(ct_world_save(world, "ledger.ctc", error));
            ct_world_destroy(world);
            world = crash(def, true);
            steps(world, 3);
            CHECK(ct_world_restore(world, "ledger.ctc", error));
            remove("ledger.ctc");
        }
        steps(world, 20);
        for (int k = 0; ct_world_criterion(world, k, &info); k++) {
            if (threads == 1) expected[k] = info;
            assert_true(info.steps == expected[k].steps && info.tightest == expected[k].tightest &&
                        info.tightest_step == expected[k].tightest_step &&
                        info.particle == expected[k].particle && info.material == expected[k].material);
        }
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_passes_the_limits),
        cmocka_unit_test(a_patch_is_a_shorter_step),
        cmocka_unit_test(shortened_steps_hit_frames),
        cmocka_unit_test(too_short_is_told),
        cmocka_unit_test(the_ledger_adds_up),
        cmocka_unit_test(the_ledger_names_the_particle),
        cmocka_unit_test(the_ledger_is_part_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
