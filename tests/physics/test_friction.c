/* Coulomb friction of separating walls: a block that slides to rest. */
#include "worlds.h"

/* A block [0.25, 1.25] x [0, 0.5] m of stiff jelly slides with v on a floor with friction mu under g = 9.8
 * m/s^2. Its weight is m g, so friction is mu m g until it rests:
 *
 *     x(t) = v t - mu g t^2 / 2     for t < v / (mu g),     x(end) = v^2 / (2 mu g)
 *
 * Errors: the floor carries the block by springs of its own stiffness, so pressure swings about the mean from
 * the start, and so does friction: within 1% (measured: 0.2 to 0.5%). A particle that is not above the floor
 * would have fallen through. */
static void slide(double mu, ct_kernel kernel, double mirrored)
{
    const double g = 9.8, v = 2, end = v / (mu * g);
    ct_world_def def = quiet_def(2, kernel, 1.0 / 16);
    set_domain(&def, 6, 1, 1, CT_WALL_SEPARATE, mu);
    def.gravity.constant[1] = -g;
    def.step.sound_cfl = 0.8;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 2, 5e3, 0.3), mirrored > 0 ? 0.25 : 4.75,
                             0, 0, 1, 0.5, 0);
    body.velocity[0] = v * mirrored;
    add_body(world, &body);
    double start = center_of(world, 0);
    for (double share = 0.25; share < 1; share += 0.25) {
        double t = share * end, expected = v * t - mu * g * t * t / 2;
        CHECK(ct_world_run_until(world, t, error));
        assert_near(mirrored * (center_of(world, 0) - start), expected, 0.01 * expected);
    }
    CHECK(ct_world_run_until(world, 1.15 * end, error));
    double distance = v * v / (2 * mu * g);
    assert_near(mirrored * (center_of(world, 0) - start), distance, 0.01 * distance);
    assert_near(drift_of(world, 0), 0, 0.01 * v);
    assert_held(world, &def);
    ct_world_destroy(world);
}

static void a_block_slides_to_rest(void **state)
{
    (void)state;
    slide(0.05, CT_KERNEL_QUADRATIC, 1);
    slide(0.1, CT_KERNEL_QUADRATIC, 1);
    slide(0.3, CT_KERNEL_QUADRATIC, 1);
    slide(0.2, CT_KERNEL_CUBIC, 1);
    slide(0.2, CT_KERNEL_QUADRATIC, -1);
}

/* Without friction nothing stops it: the control, and the limit mu = 0. */
static void without_friction_it_slides_on(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    set_domain(&def, 6, 1, 1, CT_WALL_SEPARATE, 0);
    def.gravity.constant[1] = -9.8;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 2, 1e3, 0.3), 0.25, 0, 0, 1, 0.5, 0);
    body.velocity[0] = 2;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 1, error));
    assert_near(drift_of(world, 0), 2, 1e-12);
    ct_world_destroy(world);
}

/* On a floor in 3D friction points against the motion, whatever its direction: both components fall alike,
 * and the path is straight. */
static void friction_points_against_the_motion(void **state)
{
    (void)state;
    const double mu = 0.3, g = 9.8;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 1.0 / 8);
    set_domain(&def, 3, 1, 3, CT_WALL_SEPARATE, mu);
    def.gravity.constant[1] = -g;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 2, 1e3, 0.3), 0.5, 0, 0.5, 0.5, 0.25, 0.5);
    body.velocity[0] = 1.2, body.velocity[2] = 0.9;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.3, error));
    double vx = drift_of(world, 0), vz = drift_of(world, 2);
    assert_near(vz / vx, 0.75, 0.005);
    assert_near(hypot(vx, vz), 1.5 - mu * g * 0.3, 0.03);
    assert_held(world, &def);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_to_rest),
        cmocka_unit_test(without_friction_it_slides_on),
        cmocka_unit_test(friction_points_against_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
