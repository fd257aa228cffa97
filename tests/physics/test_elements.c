/* Bodies of elements: what must be kept, and what must come back. */
#include "worlds.h"

#include <unistd.h>

static ct_world_def quiet(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
    def.method = CT_METHOD_ELEMENTS;
    return def;
}

static ct_body_def with(ct_body_def def, ct_integration integration)
{
    def.elements.integration = integration;
    return def;
}

/* A free body spins and swings: linear and angular momentum over 10,000 steps, energy within its ripple. */
static void test_a_free_body_keeps_momenta(void **state)
{
    (void)state;
    ct_world_def def = quiet(2);
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "neo_hookean", 1000, 1e5, 0.3);
    ct_body_def body = block(rubber, 0, 0, 0, 0.6, 0.3, 0);
    body.spin_rate = 8;
    body.velocity[0] = 0.3;
    body.gradient[0] = 0.5;
    add_body(world, &body);
    ct_world_sums before = ct_world_get_sums(world);
    steps(world, 10000);
    ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < 2; a++)
        assert_near(after.momentum[a], before.momentum[a], 1e-11 * fabs(before.momentum[0]));
    assert_near(after.angular_momentum[2], before.angular_momentum[2],
                1e-10 * fabs(before.angular_momentum[2]));
    double energy = before.kinetic + before.elastic;
    assert_near(after.kinetic + after.elastic, energy, 0.01 * energy);
    ct_world_destroy(world);
}

/* 1/30 s, 50 times the limit of explicit steps: the body lands, and rests. */
static void test_backward_euler_stands_long_steps(void **state)
{
    (void)state;
    ct_world_def def = quiet(2);
    set_domain(&def, 2, 2, 0, CT_WALL_SEPARATE, 0.5);
    def.gravity.constant[1] = -10;
    def.step.fixed = 1.0 / 30;
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "fixed_corotated", 1000, 2e5, 0.3);
    ct_body_def body = with(block(rubber, 0.5, 0.2, 0, 0.8, 0.6, 0), CT_INTEGRATION_IMPLICIT);
    body.spin_rate = 1;
    add_body(world, &body);
    double highest = 0;
    for (int k = 0; k < 90; k++) {
        steps(world, 1);
        ct_world_sums sums = ct_world_get_sums(world);
        highest = fmax(highest, sums.kinetic + sums.elastic + sums.gravitational);
    }
    ct_world_sums sums = ct_world_get_sums(world);
    double weight = 10 * sums.mass;
    assert_true(highest < 1.02 * (weight * 0.5 + 0.5 * sums.mass * 0.1));
    assert_true(sums.kinetic < 1e-4 * weight);
    /* It is lower by about half of what a column's own weight takes, rho g h^2 / (2 E). */
    assert_near(sums.center[1], 0.3, 0.01);
    ct_world_destroy(world);
}

static void mirror(ct_world *world)
{
    uint64_t count = ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x);
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    for (uint64_t k = 0; k < count; k++) x[k][0] = 0.3 - 0.3 * (x[k][0] - 0.3) + 0.02 * sin(7 * (double)k);
    CHECK(ct_world_write(world, "position", x, count * sizeof *x, error));
    free(x);
}

/* Every element is turned inside out; damped, the body finds a state of rest with J = 1 everywhere. */
static void recover(const char *model, ct_integration integration)
{
    ct_world_def def = quiet(2);
    if (integration == CT_INTEGRATION_IMPLICIT) def.step.fixed = 0.01;
    ct_world *world = create(&def);
    int rubber = add_elastic(world, model, 1000, 1e5, 0.3);
    ct_body_def body = with(block(rubber, 0, 0, 0, 0.6, 0.3, 0), integration);
    body.elements.stiffness_damping = integration == CT_INTEGRATION_IMPLICIT ? 0 : 2e-3;
    body.elements.mass_damping = 2;
    add_body(world, &body);
    mirror(world);
    CHECK(ct_world_run_until(world, 4, error));
    uint64_t count = ct_world_get_info(world).particles;
    double *J = malloc(count * sizeof *J);
    CHECK(ct_world_read(world, "J", J, count * sizeof *J, error));
    for (uint64_t k = 0; k < count; k++) assert_near(J[k], 1, 0.02);
    free(J);
    ct_world_destroy(world);
}

static void test_inverted_elements_recover(void **state)
{
    (void)state;
    recover("fixed_corotated", CT_INTEGRATION_EXPLICIT);
    recover("neo_hookean", CT_INTEGRATION_EXPLICIT);
    recover("fixed_corotated", CT_INTEGRATION_IMPLICIT);
}

/* A block on a slope of friction: gravity is turned instead. It stays below the angle and slides above, with
 * a = g (sin - mu cos). */
static double slide(double friction, ct_integration integration)
{
    const double turn = 0.3, g = 10;
    ct_world_def def = quiet(2);
    set_domain(&def, 4, 2, 0, CT_WALL_SEPARATE, friction);
    def.gravity.constant[0] = g * sin(turn), def.gravity.constant[1] = -g * cos(turn);
    if (integration == CT_INTEGRATION_IMPLICIT) def.step.fixed = 2e-3;
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3);
    ct_body_def body = with(block(rubber, 0.5, 0, 0, 0.4, 0.2, 0), integration);
    body.elements.stiffness_damping = 1e-3;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, 0.5, error));
    ct_world_sums sums = ct_world_get_sums(world);
    ct_world_destroy(world);
    return sums.momentum[0] / sums.mass;
}

static void test_friction_holds_and_slides(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_integration integration = k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
        assert_near(slide(0.5, integration), 0, 0.01);
        assert_near(slide(0.1, integration), 0.5 * 10 * (sin(0.3) - 0.1 * cos(0.3)), 0.04);
    }
}

/* Two bodies of elements collide: what one loses, the other gains. */
static void test_bodies_meet(void **state)
{
    (void)state;
    ct_world_def def = quiet(2);
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def left = block(rubber, 0, 0, 0, 0.4, 0.4, 0), right = block(rubber, 0.6, 0.05, 0, 0.4, 0.4, 0);
    left.velocity[0] = 1, right.velocity[0] = -1;
    add_body(world, &left);
    add_body(world, &right);
    CHECK(ct_world_run_until(world, 0.6, error));
    ct_world_sums sums = ct_world_get_sums(world);
    assert_near(sums.momentum[0], 0, 1e-10);
    assert_near(sums.momentum[1], 0, 1e-10);
    double v[1024][3];
    uint64_t count = ct_world_get_info(world).particles;
    assert_true(count <= 1024);
    CHECK(ct_world_read(world, "velocity", v, count * sizeof *v, error));
    assert_true(v[0][0] < -0.3); /* it came back */
    ct_world_destroy(world);
}

/* Any number of threads, and a restore in the middle: the same bits. */
static ct_world *busy(int dimension, ct_precision precision, int threads, ct_integration integration)
{
    ct_world_def def = quiet(dimension);
    def.precision = precision;
    def.threads = threads;
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.3);
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_parameter constants[] = {{"young", 1e5}, {"poisson", 0.3}, {"yield_stress", 2e3}};
    add_matter(world, "von_mises", 1000, constants, 3);
    add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def one = with(ball(0, 0.5, 0.2, 0.5, 0.18), integration), two = ball(1, 0.4, 0.62, 0.5, 0.2);
    two.velocity[1] = -2;
    add_body(world, &one);
    add_body(world, &two);
    return world;
}

static void check_bits(int dimension, ct_precision precision, ct_integration integration)
{
    char path[] = "elements_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ct_world *one = busy(dimension, precision, 1, integration),
             *two = busy(dimension, precision, 2, integration),
             *later = busy(dimension, precision, 1, integration);
    steps(one, 60), steps(two, 30);
    CHECK(ct_world_save(two, path, error));
    CHECK(ct_world_restore(later, path, error));
    steps(two, 30), steps(later, 30);
    ct_hash a = hash_of(one), b = hash_of(two), c = hash_of(later);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    unlink(path);
    ct_world_destroy(one);
    ct_world_destroy(two);
    ct_world_destroy(later);
}

static void test_same_bits(void **state)
{
    (void)state;
    check_bits(2, CT_FLOAT, CT_INTEGRATION_EXPLICIT);
    check_bits(3, CT_FLOAT, CT_INTEGRATION_EXPLICIT);
    check_bits(2, CT_DOUBLE, CT_INTEGRATION_IMPLICIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_body_keeps_momenta),
        cmocka_unit_test(test_backward_euler_stands_long_steps),
        cmocka_unit_test(test_inverted_elements_recover),
        cmocka_unit_test(test_friction_holds_and_slides),
        cmocka_unit_test(test_bodies_meet),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests_name("elements", tests, NULL, NULL);
}
