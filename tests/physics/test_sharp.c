/* Sharp colliders: what the material loses they get, and where no-slip holds. */
#include "worlds.h"

/* Oil between a plate at y = 0.53 that moves and one at y = 0.07, neither on nodes (0.05 and 0.15, ... stand
 * half a cell off). */
static ct_world *plates(bool are_sharp, int count)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.step.fixed = 1e-3;
    ct_world *world = create(&def);
    ct_parameter oil[] = {{"bulk", 1e4}, {"viscosity", 100}};
    ct_body_def body = block(add_matter(world, "fluid", 1000, oil, 2), -2, 0.07, 0, 4, 0.46, 0);
    body.pattern = CT_PATTERN_JITTERED;
    add_body(world, &body);
    for (int side = 0; side < 2; side++) {
        ct_collider_def plate = ct_default_collider_def();
        plate.name = side ? "upper" : "lower";
        plate.shape.type = CT_SHAPE_BOX;
        plate.shape.min[0] = -4, plate.shape.max[0] = 4;
        plate.shape.min[1] = side ? 0.53 : -1, plate.shape.max[1] = side ? 2 : 0.07;
        plate.contact = CT_CONTACT_STICKY;
        plate.is_sharp = are_sharp;
        plate.keeps_sides = false; /* moving particles back moves angular momentum */
        if (side) plate.motion.velocity[0] = 0.1;
        CHECK(ct_world_add_collider(world, &plate, NULL, error));
    }
    for (int k = 0; k < count; k++) CHECK(ct_world_step(world, error));
    return world;
}

static void colliders_receive_what_matter_loses(void **state)
{
    (void)state;
    ct_world *world = plates(true, 100);
    ct_world_sums sums = ct_world_get_sums(world);
    double lost[2] = {-sums.momentum[0], -sums.momentum[1]}, felt[2] = {0}, most = 0;
    for (int c = 0; c < 2; c++) {
        ct_collider_info info;
        assert_true(ct_world_collider(world, c, &info));
        for (int a = 0; a < 2; a++) felt[a] += info.impulse[a];
        most = fmax(most, fabs(info.impulse[0]));
    }
    assert_true(most > 1); /* they did feel something: 100 Pa s * 0.2/s * 4 m * 0.1 s = 8 N s */
    for (int a = 0; a < 2; a++) assert_near(felt[a], lost[a], 1e-9 * most);
    ct_world_destroy(world);
}

/* Where the middle of the layer moves at half the plate's speed, shear is V / (distance of the surfaces). */
static double shear(bool are_sharp)
{
    enum { MOST = 8192 };
    static double x[MOST][3], v[MOST][3];
    ct_world *world = plates(are_sharp, 1000);
    uint64_t count = ct_world_get_info(world).particles;
    assert_true(count <= MOST);
    CHECK(ct_world_read(world, "position", x, sizeof x, error));
    CHECK(ct_world_read(world, "velocity", v, sizeof v, error));
    double sum = 0, at = 0, squares = 0, products = 0, speed = 0;
    for (uint64_t p = 0; p < count; p++) {
        if (fabs(x[p][0]) > 0.5 || fabs(x[p][1] - 0.3) > 0.1) continue;
        sum++, at += x[p][1], speed += v[p][0];
        squares += x[p][1] * x[p][1], products += x[p][1] * v[p][0];
    }
    ct_world_destroy(world);
    return (products - at * speed / sum) / (squares - at * at / sum);
}

static void no_slip_holds_at_the_surface(void **state)
{
    (void)state;
    const double exact = 0.1 / 0.46;
    assert_near(shear(true), exact, 0.03 * exact);
    if (fabs(shear(false) - exact) < 0.06 * exact)
        fail_msg("nodes inside do as well: the check proves nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliders_receive_what_matter_loses),
        cmocka_unit_test(no_slip_holds_at_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
