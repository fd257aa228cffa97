/* The choice of the time step: the criteria by hand, frames that are hit exactly, fixed steps, bounds; and
 * steps that cannot be made. */
#include "world.h" /* to make one step of a frame at a time */
#include "worlds.h"

static double dt_of(const ct_world *world)
{
    return ct_world_get_info(world).dt;
}

/* ---- criteria ------------------------------------------------------------------------------------------ */

/* Walls far away: what nothing fixed is near would fly, and its speed not count. */
static void put_in_hall(ct_world_def *def)
{
    set_domain(def, 20, 20, 20, CT_WALL_SLIP, 0);
    for (int a = 0; a < 3; a++) def->domain_min[a] = -20;
}

/* dt = cfl dx / max (|v| + reach sqrt(d) dx |C|), with the reach of the kernel: 1.5 or 2 cells. The largest
 * speed is found here by going over the particles. */
static void the_velocity_criterion(void **state)
{
    (void)state;
    const double slopes[][9] = {{0}, {1, 2, 3, -4, 5, 6, -7, 8, 9}};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int k = 0; k < 2; k++) {
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                def.step.criteria = CT_CRITERION_VELOCITY;
                def.step.velocity_cfl = 0.3;
                put_in_hall(&def);
                ct_world *world = create(&def);
                ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.3);
                body.velocity[0] = 3, body.velocity[1] = -4;
                memcpy(body.gradient, slopes[k], sizeof slopes[k]);
                add_body(world, &body);
                triple *v = velocities_of(world);
                double speed = 0, slope = 0, reach = kernel == CT_KERNEL_CUBIC ? 2 : 1.5;
                for (size_t p = 0; p < count_of(world); p++)
                    speed = fmax(speed, sqrt(v[p][0] * v[p][0] + v[p][1] * v[p][1] + v[p][2] * v[p][2]));
                for (int a = 0; a < dimension; a++)
                    for (int b = 0; b < dimension; b++) slope += slopes[k][3 * a + b] * slopes[k][3 * a + b];
                double expected = 0.3 * 0.1 / (speed + reach * sqrt(dimension) * 0.1 * sqrt(slope));
                steps(world, 1);
                assert_near(dt_of(world), expected, 1e-6 * expected);
                assert_string_equal(ct_world_get_info(world).limited_by, "velocity");
                free(v);
                ct_world_destroy(world);
            }
}

/* What falls for ever and touches nothing keeps its step: a common translation is no reason for a short one.
 * The control: in a hall, whose walls it might meet, the velocity criterion takes over. */
static void free_flight_keeps_its_step(void **state)
{
    (void)state;
    double first[2], last[2];
    for (int hall = 0; hall < 2; hall++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.gravity.constant[1] = -10;
        if (hall) {
            put_in_hall(&def);
            def.domain_min[1] = -100;
        }
        ct_world *world = create(&def);
        ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.3);
        add_body(world, &body);
        steps(world, 1);
        first[hall] = dt_of(world);
        CHECK(ct_world_run_until(world, 4, error)); /* 40 m/s */
        CHECK(ct_world_step(world, error));
        last[hall] = dt_of(world);
        ct_world_destroy(world);
    }
    assert_near(last[0], first[0], 1e-3 * first[0]);
    assert_true(last[1] < 0.9 * first[1]);
}

/* dt = cfl dx / c. At rest c^2 = (lambda + 2 mu) / rho; stretched by s along x, with J = s, fixed corotated
 * jelly has c^2 = (2 mu s^2 + lambda J^2) / rho (time-step-2020, Eq. 3). */
static void the_sound_criterion(void **state)
{
    (void)state;
    const double stretches[] = {1, 1.3};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int k = 0; k < (dimension == 2 ? 2 : 1); k++) {
                double s = stretches[k], mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                def.step.sound_cfl = 0.5;
                ct_world *world = create(&def);
                ct_body_def body = ball(add_elastic(world, "fixed_corotated", 800, 1e5, 0.3), 0, 0, 0, 0.3);
                body.deformation[0] = s;
                add_body(world, &body);
                double expected = 0.5 * 0.1 / sqrt((2 * mu * s * s + lambda * s * s) / 800);
                steps(world, 1);
                assert_near(dt_of(world), expected, 1e-6 * expected);
                assert_string_equal(ct_world_get_info(world).limited_by, "sound");
                ct_world_destroy(world);
            }
}

/* The narrowest axis counts: a domain of 1 m x 0.96 m in cells of 0.1 m has cells of 0.096 m along y. */
static void the_narrowest_axis_counts(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    set_domain(&def, 1, 0.96, 1, CT_WALL_SLIP, 0);
    def.step.criteria = CT_CRITERION_VELOCITY;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0.5, 0.5, 0, 0.2);
    body.velocity[0] = 2;
    add_body(world, &body);
    steps(world, 1);
    assert_near(dt_of(world), 0.096 / 2, 1e-9);
    ct_world_destroy(world);
}

/* The smaller limit wins and gives its name; a criterion that is switched off does not count; max cuts them
 * all. */
static void the_least_limit_wins(void **state)
{
    (void)state;
    const double c = sqrt(1e5 * 0.7 / (1.3 * 0.4) / 1000); /* 11.6 m/s */
    const struct {
        double speed, max;
        unsigned criteria;
        double dt;
        const char *by;
    } rows[] = {{1, 0, 3, 0.5 * 0.1 / c, "sound"},
                {50, 0, 3, 0.1 / 50, "velocity"},
                {50, 0, CT_CRITERION_SOUND, 0.5 * 0.1 / c, "sound"},
                {1, 0, CT_CRITERION_VELOCITY, 0.1, "velocity"},
                {1, 1e-3, 3, 1e-3, "max"},
                {1, 1, 3, 0.5 * 0.1 / c, "sound"},
                {1, 0.02, 0, 0.02, "max"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.step.criteria = rows[r].criteria;
        def.step.sound_cfl = 0.5;
        def.step.max = rows[r].max;
        put_in_hall(&def);
        ct_world *world = create(&def);
        ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.3);
        body.velocity[1] = rows[r].speed;
        add_body(world, &body);
        steps(world, 1);
        assert_near(dt_of(world), rows[r].dt, 1e-6 * rows[r].dt);
        assert_string_equal(ct_world_get_info(world).limited_by, rows[r].by);
        ct_world_destroy(world);
    }
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static ct_world *ringing_ball(ct_world_def def)
{
    def.step.sound_cfl = 0.5;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.2);
    body.deformation[0] = 1.1;
    add_body(world, &body);
    return world;
}

/* Frames of all lengths: time is exactly the frame's at its end, and the cut costs no step more than half its
 * length. Steps within a frame change slowly by themselves, so a step is compared with the one before. */
static void frames_are_hit_exactly(void **state)
{
    (void)state;
    const double lengths[] = {1.0 / 24, 0.1, 0.0123456, 1e-3, 5e-4, 0.333};
    for (int k = 0; k < 6; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        ct_world *world = ringing_ball(def);
        double largest = 0.5 * 0.1 / sqrt(1e5 * 0.7 / (1.3 * 0.4) / 1000);
        for (int frame = 1; frame <= 8; frame++) {
            double until = frame * lengths[k], last = 0;
            while (ct_world_get_info(world).time < until) {
                CHECK(ct_world_step_towards(world, until, error));
                double dt = dt_of(world);
                if (last > 0) assert_true(dt > 0.49 * last);
                assert_true(dt <= 1.3 * largest); /* sound is slower where it is squeezed */
                assert_true(dt > 0.4 * fmin(largest / 1.2, lengths[k]));
                last = dt;
            }
            assert_true(ct_world_get_info(world).time == until);
        }
        ct_world_destroy(world);
    }
}

/* Ten fixed steps of 0.1 ms are a frame of 1 ms: rounding of the time must not cut one of them in two. */
static void fixed_steps_fit_frames_they_divide(void **state)
{
    (void)state;
    const double sizes[] = {1e-4, 1.0 / 240, 1e-3 / 3, 0x1p-10};
    for (int k = 0; k < 4; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.step.fixed = sizes[k];
        ct_world *world = ringing_ball(def);
        for (int frame = 1; frame <= 50; frame++) {
            CHECK(ct_world_run_until(world, frame * 10 * sizes[k], error));
            assert_true(ct_world_get_info(world).time == frame * 10 * sizes[k]);
        }
        if (ct_world_get_info(world).step != 500)
            fail_msg("dt = %g: %d steps instead of 500", sizes[k], (int)ct_world_get_info(world).step);
        ct_world_destroy(world);
    }
}

static void fixed_steps_are_fixed(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_CUBIC, 0.1);
    def.step.fixed = 7e-4;
    ct_world *world = ringing_ball(def);
    for (int i = 1; i <= 20; i++) {
        steps(world, 1);
        assert_true(dt_of(world) == 7e-4);
        assert_string_equal(ct_world_get_info(world).limited_by, "fixed");
    }
    assert_near(ct_world_get_info(world).time, 0.014, 1e-15);
    ct_world_destroy(world);
}

/* ---- steps that cannot be made ------------------------------------------------------------------------- */

/* A criterion that asks for less than step.min ends the run and is named. */
static void too_small_a_step_is_told(void **state)
{
    (void)state;
    const struct {
        unsigned criteria;
        const char *name;
    } rows[] = {{CT_CRITERION_VELOCITY, "'velocity'"}, {CT_CRITERION_SOUND, "'sound'"}};
    for (int k = 0; k < 2; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.step.criteria = rows[k].criteria;
        def.step.min = 1;
        put_in_hall(&def);
        ct_world *world = create(&def);
        ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.2);
        body.velocity[0] = 5;
        add_body(world, &body);
        ct_hash before = hash_of(world);
        ct_error error;
        assert_int_equal(ct_world_step(world, &error), CT_DIVERGED);
        assert_non_null(strstr(error.message, rows[k].name));
        assert_non_null(strstr(error.message, "step.min"));
        assert_same(hash_of(world), before);
        ct_world_destroy(world);
    }
}

/* A body at rest with nothing but the velocity criterion has no limit: a frame is one step, and a step on its
 * own cannot be chosen, which is a mistake of the definition and no divergence. */
static void without_a_limit_the_frame_is_one(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.step.criteria = CT_CRITERION_VELOCITY;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.2);
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.5, error));
    assert_true(ct_world_get_info(world).step == 1);
    assert_string_equal(ct_world_get_info(world).limited_by, "frame");
    ct_error error;
    assert_int_equal(ct_world_step(world, &error), CT_BAD_USAGE);
    assert_true(ct_world_get_info(world).time == 0.5);
    ct_world_destroy(world);
}

/* ---- how close to the limit --------------------------------------------------------------------------- */

/* A ball of jelly that was squeezed a little and let go (time-step-2020, Figure 1). Stable: kinetic and
 * elastic energy together never exceed ten times what it began with. fixed 0: the step is chosen. */
static bool swings_on(double fixed, double *dt)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.step.criteria = CT_CRITERION_SOUND;
    def.step.sound_cfl = 0.99;
    def.step.fixed = fixed;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 2, 1000, 0.3), 0, 0, 0, 0.25);
    body.pattern = CT_PATTERN_LATTICE;
    body.deformation[0] = 1.001, body.deformation[4] = body.deformation[8] = 1 / 1.001;
    body.move_by_deformation = true;
    add_body(world, &body);
    double most = 10 * ct_world_get_sums(world).elastic;
    bool is_stable = true;
    for (int k = 0; k < 1000 && is_stable; k++) {
        ct_error error;
        is_stable = ct_world_step(world, &error) == CT_OK;
        if (k % 20) continue;
        ct_world_sums sums = ct_world_get_sums(world);
        is_stable = is_stable && sums.kinetic + sums.elastic < most;
    }
    *dt = dt_of(world);
    ct_world_destroy(world);
    return is_stable;
}

/* The chosen step is stable and within 15% of the largest constant one that is, found by bisection. */
static void the_chosen_step_is_close_to_the_limit(void **state)
{
    (void)state;
    double chosen, dt;
    assert_true(swings_on(0, &chosen));
    double stable = chosen, unstable = 1.5 * chosen;
    assert_false(swings_on(unstable, &dt));
    for (int k = 0; k < 7; k++) {
        double middle = 0.5 * (stable + unstable);
        if (swings_on(middle, &dt)) stable = middle;
        else unstable = middle;
    }
    assert_true(chosen > 0.85 * unstable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_velocity_criterion),
        cmocka_unit_test(the_sound_criterion),
        cmocka_unit_test(free_flight_keeps_its_step),
        cmocka_unit_test(the_narrowest_axis_counts),
        cmocka_unit_test(the_least_limit_wins),
        cmocka_unit_test(frames_are_hit_exactly),
        cmocka_unit_test(fixed_steps_fit_frames_they_divide),
        cmocka_unit_test(fixed_steps_are_fixed),
        cmocka_unit_test(too_small_a_step_is_told),
        cmocka_unit_test(without_a_limit_the_frame_is_one),
        cmocka_unit_test(the_chosen_step_is_close_to_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
