/* Strands as a continuum (strand/bulk.h): what it gives and takes, that a heap of strands keeps its height, bits.
 * Strands do not touch each other otherwise here, so that worlds without it are the controls. Grips, too: what
 * holds a strand feels it. */
#include "physics/worlds.h"

#include <unistd.h>

static const double SPACING = 0.02;

static void add_strands(ct_world *world, int rows, double gap, double low, double drift)
{
    for (int k = 0; k < rows * 4; k++) {
        double x = 0.01 + gap * (k % 4), y = low + gap * (double)(k / 4);
        const double points[2][3] = {{x, y, 0.005}, {x, y, 0.075}};
        ct_body_def body = ct_default_body_def();
        body.material = 0;
        body.shape.type = CT_SHAPE_POLYLINE;
        body.shape.points = points;
        body.shape.point_count = 2;
        body.shape.radius = 0.001;
        body.velocity[1] = drift, body.velocity[0] = 0.1 * drift;
        add_body(world, &body);
    }
}

static ct_world *make(ct_world_def def, double grid)
{
    def.method = CT_METHOD_STRANDS;
    ct_world *world = create(&def);
    add_matter(world, "strand", 1000,
               (ct_parameter[]){{"young", 1e6}, {"poisson", 0.25}, {"collide", 0}, {"grid_contact", grid}},
               4);
    return world;
}

/* Two bundles, one above the other, fly into each other. */
static ct_world *bundles(int dimension, ct_precision precision, int threads, double grid)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, SPACING);
    def.precision = precision;
    def.threads = threads;
    ct_world *world = make(def, grid);
    add_strands(world, 3, 0.02, 0, 0.5);
    add_strands(world, 3, 0.02, 0.1, -0.5);
    return world;
}

static void momentum_is_kept(void **state)
{
    (void)state;
    for (int grid = 0; grid < 2; grid++) {
        ct_world *world = bundles(3, CT_DOUBLE, 2, grid);
        ct_world_sums before = ct_world_get_sums(world);
        CHECK(ct_world_run_until(world, 0.1, error));
        ct_world_sums after = ct_world_get_sums(world);
        double size = sqrt(2 * before.mass * before.kinetic);
        for (int a = 0; a < 3; a++) assert_near(after.momentum[a], before.momentum[a], 1e-11 * size);
        assert_true(grid ? after.kinetic < 0.7 * before.kinetic
                         : fabs(after.kinetic - before.kinetic) < 1e-9 * before.kinetic);
        ct_world_destroy(world);
    }
}

/* Sixteen strands on each other between walls: they stay, or all fall to the floor. */
static void a_heap_keeps_its_height(void **state)
{
    (void)state;
    for (int grid = 0; grid < 2; grid++) {
        ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
        def.gravity.constant[1] = -9.81;
        def.has_domain = true;
        for (int a = 0; a < 3; a++) def.domain_max[a] = a == 1 ? 0.2 : 0.08;
        ct_world *world = make(def, grid);
        add_strands(world, 4, 0.02, 0.01, 0);
        double before = ct_world_get_sums(world).center[1];
        CHECK(ct_world_run_until(world, 0.6, error));
        ct_world_sums after = ct_world_get_sums(world);
        if (grid) assert_true(after.center[1] > 0.9 * before && after.center[1] < 1.02 * before);
        else assert_true(after.center[1] < 0.1 * before);
        ct_world_destroy(world);
    }
}

static void threads_and_restores_change_no_bit(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "strands_bulk_%d.ct", (int)getpid());
    for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
        ct_world *one = bundles(3, (ct_precision)precision, 1, 1),
                 *many = bundles(3, (ct_precision)precision, 5, 1);
        steps(one, 30), steps(many, 30);
        ct_hash half = hash_of(one);
        assert_same(hash_of(many), half);
        CHECK(ct_world_save(one, path, error));
        steps(one, 15), steps(many, 15);
        assert_same(hash_of(many), hash_of(one));
        CHECK(ct_world_restore(many, path, error));
        assert_same(hash_of(many), half);
        steps(many, 15);
        assert_same(hash_of(many), hash_of(one));
        ct_world_destroy(one), ct_world_destroy(many);
    }
    remove(path);
}

/* A grip that carries a strand bears its weight: the impulse over a second is m g, whatever swings. */
static void a_grip_feels_the_weight(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
    def.gravity.constant[1] = -9.81;
    ct_world *world = make(def, 0);
    add_strands(world, 1, 0.02, 0, 0);
    ct_collider_def grip = ct_default_collider_def();
    grip.grip = true;
    grip.shape.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) grip.shape.min[a] = -0.1, grip.shape.max[a] = a == 2 ? 0.03 : 0.1;
    CHECK(ct_world_add_collider(world, &grip, NULL, error));
    double mass = ct_world_get_sums(world).mass;
    CHECK(ct_world_run_until(world, 1, error));
    ct_world_sums sums = ct_world_get_sums(world);
    ct_collider_info info;
    assert_true(ct_world_collider(world, 0, &info));
    assert_near(-info.impulse[1], mass * 9.81 * 1 + sums.momentum[1], 1e-6 * mass * 9.81);
    assert_true(fabs(info.impulse[0]) < 1e-6 * mass * 9.81);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_heap_keeps_its_height),
        cmocka_unit_test(threads_and_restores_change_no_bit),
        cmocka_unit_test(a_grip_feels_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
