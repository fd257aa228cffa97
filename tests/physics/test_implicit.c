/* Implicit steps of the material point method: what they keep, where they come to rest, and that nothing
 * depends on threads or restarts. */
#include "worlds.h"

#include <unistd.h>

static ct_world *swinging(int dimension, const char *scheme, int threads)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.threads = threads;
    def.scheme.type = scheme;
    def.step.fixed = 5e-3;
    def.energy_budget = true;
    ct_world *world = create(&def);
    ct_body_def left = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), -0.3, 0.04, 0.02, 0.25),
                right = ball(add_elastic(world, "neo_hookean", 700, 5e5, 0.2), 0.27, -0.05, -0.01, 0.22);
    left.velocity[0] = 1, right.velocity[0] = -1.5, right.velocity[1] = 0.3;
    left.spin_rate = 4, right.spin_rate = -3;
    right.elements.integration = CT_INTEGRATION_IMPLICIT; /* they share a grid: both are */
    left.gradient[0] = 2;
    add_body(world, &left);
    add_body(world, &right);
    return world;
}

/* Two balls that swing, spin and collide in free space, in steps of 13 times what sound allows. */
static void momentum_stays_and_energy_falls(void **state)
{
    (void)state;
    static const char *const schemes[] = {"pic", "apic", "rpic", "flip", "aflip", "asflip", "polypic"};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t k = 0; k < (dimension == 2 ? 7 : 2); k++) {
            ct_world *world = swinging(dimension, schemes[k], 1);
            ct_world_sums first = ct_world_get_sums(world), last = first;
            double scale = sqrt(2 * first.kinetic * first.mass);
            for (int step = 0; step < 30; step++) {
                CHECK(ct_world_step(world, error));
                ct_world_sums now = ct_world_get_sums(world);
                assert_true(now.lost_on_grid >= last.lost_on_grid - 1e-9 * first.kinetic);
                assert_true(now.iterations > 0);
                last = now;
            }
            assert_true(last.elastic > 1e-3 * first.kinetic);
            assert_true(last.lost_on_grid > 0.01 * first.kinetic);
            for (int a = 0; a < 3; a++) assert_near(last.momentum[a], first.momentum[a], 1e-12 * scale);
            ct_world_destroy(world);
        }
}

/* A stiff block on a floor of nodes that a collider holds, and before a wall: it rests, and the collider feels
 * its weight. Without friction, since what that holds depends on how the block came to rest. */
static ct_world *resting(bool is_implicit, ct_integration what)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.gravity.constant[1] = -10;
    def.scheme.type = "pic";
    set_domain(&def, 2, 2, 2, CT_WALL_SLIP, 0);
    if (is_implicit) def.step.fixed = 0.02;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 2e6, 0.3), 0.5, 0.5, 0, 0.6, 0.4, 0);
    body.elements.integration = what;
    add_body(world, &body);
    ct_collider_def collider = ct_default_collider_def();
    collider.name = "floor";
    collider.shape.type = CT_SHAPE_BOX;
    collider.shape.min[0] = -1, collider.shape.min[1] = -1, collider.shape.min[2] = -1;
    collider.shape.max[0] = 3, collider.shape.max[1] = 0.5, collider.shape.max[2] = 1;
    collider.contact = CT_CONTACT_SEPARATE;
    CHECK(ct_world_add_collider(world, &collider, NULL, error));
    return world;
}

static void a_block_rests_where_the_explicit_one_does(void **state)
{
    (void)state;
    double height[2], elastic[2], force[2];
    uint64_t count[2];
    for (int k = 0; k < 2; k++) {
        ct_world *world = resting(k, k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT);
        CHECK(ct_world_run_until(world, 1, error));
        height[k] = center_of(world, 1);
        elastic[k] = ct_world_get_sums(world).elastic;
        count[k] = ct_world_get_info(world).step;
        ct_collider_info info;
        assert_true(ct_world_collider(world, 0, &info));
        force[k] = info.force[1];
        ct_world_destroy(world);
    }
    const double weight = 1000 * 10 * 0.6 * 0.4, sag = 1000 * 10 * 0.4 * 0.4 / 2e6;
    assert_near(height[1], height[0], 0.02 * sag);
    assert_near(elastic[1], elastic[0], 0.02 * elastic[0]);
    assert_near(force[1], -weight, 1e-3 * weight);
    assert_near(force[0], -weight, 1e-2 * weight);
    assert_true(count[0] > 10 * count[1]);
}

/* A viscous fluid between walls comes to rest where its weight has pressed it together: an implicit J. Its
 * centre has then sunk by density g H^2 / (3 K), to first order in the strain, which is 5% at the ground. */
static void a_fluid_bears_its_weight(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k *= 4) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.05);
        def.gravity.constant[1] = -10;
        def.scheme.type = "pic";
        def.step.fixed = 0.01; /* sound asks for 3 ms and less */
        set_domain(&def, 0.4, 1, 1, CT_WALL_SLIP, 0);
        ct_world *world = create(&def);
        ct_parameter parameters[] = {{"bulk", 1e5 * k}, {"viscosity", 20}, {"largest_J", 1000}};
        ct_body_def body =
            block(add_matter(world, "fluid_linear", 1000, parameters, 3), 0, 0, 0, 0.4, 0.5, 0);
        body.elements.integration = CT_INTEGRATION_IMPLICIT;
        add_body(world, &body);
        CHECK(ct_world_run_until(world, 1.5, error));
        const double sag = 1000 * 10 * 0.5 * 0.5 / (3 * 1e5 * k);
        assert_near(0.25 - center_of(world, 1), sag, 0.02 * sag);
        ct_world_destroy(world);
    }
}

/* A ball of steel falls on a floor that lets go, in steps longer than the impact: it stays down. What the solve
 * leaves of its residual is a force of nodes with little mass; taken for what the floor gives, it threw the ball
 * up with 150 times the energy that it had. */
static void a_ball_of_steel_stays_down(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.025);
        def.precision = k ? CT_DOUBLE : CT_FLOAT;
        def.gravity.constant[1] = -9.81;
        set_domain(&def, 0.5, 0.5, 0.5, CT_WALL_SEPARATE, 0);
        ct_world *world = create(&def);
        ct_body_def body =
            ball(add_elastic(world, "fixed_corotated", 1000, 2e11, 0.3), 0.25, 0.15, 0.25, 0.1);
        body.elements.integration = CT_INTEGRATION_IMPLICIT;
        add_body(world, &body);
        const double before = ct_world_get_sums(world).gravitational;
        double most = 0;
        while (ct_world_get_info(world).time < 0.2) {
            CHECK(ct_world_step(world, error));
            ct_world_sums now = ct_world_get_sums(world);
            most = fmax(most, now.kinetic + now.elastic + now.gravitational);
        }
        ct_world_sums after = ct_world_get_sums(world);
        assert_true(most <= before + 1e-3 * fabs(before));
        assert_true(after.kinetic < 1e-6 * before && after.elastic < 1e-3 * before);
        assert_near(center_of(world, 1), 0.1, 0.0125);   /* its radius, to half a cell */
        assert_true(ct_world_get_info(world).step < 30); /* waves ask for 100,000 */
        ct_world_destroy(world);
    }
}

static void threads_and_restarts_change_no_bit(void **state)
{
    (void)state;
    char path[] = "implicit-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ct_world *one = swinging(2, "apic", 1), *three = swinging(2, "apic", 3), *other = swinging(2, "apic", 2);
    steps(one, 6);
    steps(three, 6);
    assert_same(hash_of(one), hash_of(three));
    CHECK(ct_world_save(one, path, error));
    CHECK(ct_world_restore(other, path, error));
    steps(one, 6);
    steps(other, 6);
    assert_same(hash_of(one), hash_of(other));
    ct_world_destroy(one);
    ct_world_destroy(three);
    ct_world_destroy(other);
    unlink(path);
}

/* A body of a group of its own is stepped explicitly beside an implicit one, and impulses at the surface of that
 * are for all of it: in one solve they would bend nodes of steel, and energy would grow. */
static void groups_are_stepped_each_in_its_way(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.05);
    def.step.max = 1e-3;
    ct_world *world = create(&def);
    ct_parameter soft[] = {{"bulk", 1e4}};
    ct_body_def water = block(add_matter(world, "fluid", 1000, soft, 1), 0, 0, 0, 0.4, 0.4, 0);
    ct_body_def steel =
        block(add_elastic(world, "fixed_corotated", 8000, 2e11, 0.3), 0.1, 0.42, 0, 0.2, 0.2, 0);
    steel.contact_group = "separate";
    steel.velocity[1] = -1;
    steel.elements.integration = CT_INTEGRATION_IMPLICIT;
    add_body(world, &water);
    add_body(world, &steel);
    ct_world_sums before = ct_world_get_sums(world);
    CHECK(ct_world_run_until(world, 0.1, error));
    ct_world_sums after = ct_world_get_sums(world);
    assert_near(after.momentum[1], before.momentum[1], 1e-10 * fabs(before.momentum[1]));
    assert_true(ct_world_get_info(world).step < 1000); /* sound in steel would ask for 10000 */
    assert_true(center_of(world, 1) < 0.5);
    assert_true(after.kinetic + after.elastic <= (1 + 1e-9) * (before.kinetic + before.elastic));
    assert_true(after.kinetic + after.elastic > 0.3 * (before.kinetic + before.elastic));
    ct_world_destroy(world);
}

/* A block of the world's integration, where that asks for 1 in `ratio` of what accuracy does. */
static ct_world *left_open(double young, int threads)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.threads = threads;
    def.gravity.constant[1] = -10;
    def.integration = CT_INTEGRATION_AUTO;
    ct_world *world = create(&def);
    ct_body_def body =
        block(add_elastic(world, "fixed_corotated", 1000, young, 0.3), 0.5, 0.5, 0, 0.6, 0.4, 0);
    add_body(world, &body);
    return world;
}

/* `auto`: waves that are 3000 times too fast for explicit steps are solved for, those that are not are not; also
 * in a world that goes on from a file. */
static void the_choice_follows_stiffness(void **state)
{
    (void)state;
    char path[] = "implicit-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ct_world *soft = left_open(1e4, 1), *stiff = left_open(2e11, 1), *other = left_open(2e11, 2);
    steps(soft, 3);
    steps(stiff, 3);
    assert_true(ct_world_get_sums(soft).explicit_dt == 0);
    const double asked = ct_world_get_sums(stiff).explicit_dt;
    assert_true(asked > 0 && ct_world_get_info(stiff).dt > 1000 * asked);
    assert_true(ct_world_get_info(soft).dt < 0.1 / 3);
    CHECK(ct_world_save(stiff, path, error));
    CHECK(ct_world_restore(other, path, error));
    steps(stiff, 2);
    steps(other, 2);
    assert_same(hash_of(stiff), hash_of(other));
    ct_world_destroy(soft);
    ct_world_destroy(stiff);
    ct_world_destroy(other);
    unlink(path);
}

/* A body's word goes before the world's; elements cannot leave it open. */
static void bodies_choose_for_themselves(void **state)
{
    (void)state;
    ct_error error;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.integration = CT_INTEGRATION_IMPLICIT;
    def.step.max = 1e-3;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3), 0.5, 0.5, 0, 0.6, 0.4, 0);
    body.elements.integration = CT_INTEGRATION_EXPLICIT;
    add_body(world, &body);
    steps(world, 1);
    assert_true(ct_world_get_sums(world).explicit_dt == 0);
    body.name = "other";
    body.elements.integration = CT_INTEGRATION_OF_WORLD;
    body.shape.min[0] += 1, body.shape.max[0] += 1;
    add_body(world, &body);
    steps(world, 1);
    assert_true(ct_world_get_sums(world).explicit_dt > 0);
    ct_world_destroy(world);

    def.integration = (ct_integration)7;
    assert_int_equal(ct_world_create(&def, &world, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "there is no integration 7"));
    def.integration = CT_INTEGRATION_AUTO; /* which elements take for explicit */
    def.method = CT_METHOD_ELEMENTS;
    world = create(&def);
    body.material = add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3);
    add_body(world, &body);
    body.name = "third";
    body.elements.integration = CT_INTEGRATION_AUTO;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "is for bodies of 'method: mpm'"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_stays_and_energy_falls),
        cmocka_unit_test(a_block_rests_where_the_explicit_one_does),
        cmocka_unit_test(a_fluid_bears_its_weight),
        cmocka_unit_test(a_ball_of_steel_stays_down),
        cmocka_unit_test(threads_and_restarts_change_no_bit),
        cmocka_unit_test(groups_are_stepped_each_in_its_way),
        cmocka_unit_test(the_choice_follows_stiffness),
        cmocka_unit_test(bodies_choose_for_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
