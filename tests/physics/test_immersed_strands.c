/* Threads in water: water drags and lifts them by the laws for cylinders, and what it gives they get. */
#include "physics/accounts.h"
#include "physics/worlds.h"

#include <unistd.h>

static const double g = 9.81; /* m/s^2 */

static ct_world_def pool_def(int dimension, double spacing)
{
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_FLUID;
    def.dimension = dimension;
    def.precision = CT_DOUBLE;
    def.spacing = spacing;
    def.threads = 1;
    return def;
}

static int add_kind(ct_world *world, ct_method method, const char *type, double density,
                    const ct_parameter *parameters, int count)
{
    ct_material_def def = ct_default_material_def();
    int material = -1;
    def.name = type, def.type = type, def.density = density, def.method = method;
    def.parameters = parameters, def.parameter_count = count;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* Nearly rigid, straight, from (x, y, z) along an axis; `hold`: pinned but for the last 60%. */
static void add_thread(ct_world *world, double density, const double from[3], int axis, double length,
                       double radius, bool hold)
{
    const ct_parameter constants[] = {{"young", 1e11}, {"poisson", 0.3}};
    double points[2][3];
    ct_body_def body = ct_default_body_def();
    memcpy(points[0], from, sizeof points[0]), memcpy(points[1], from, sizeof points[1]);
    points[1][axis] += length;
    body.name = "thread", body.method = CT_METHOD_STRANDS;
    body.material = add_kind(world, CT_METHOD_STRANDS, "strand", density, constants, 2);
    body.shape.type = CT_SHAPE_POLYLINE;
    body.shape.points = (const double(*)[3])points, body.shape.point_count = 2;
    body.shape.radius = radius;
    body.has_hold = hold;
    body.hold.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) body.hold.min[a] = -1, body.hold.max[a] = 1;
    body.hold.max[axis] = from[axis] + 0.4 * length;
    add_body(world, &body);
}

static void add_pool(ct_world *world, const ct_body_def *shape, double viscosity)
{
    const ct_parameter parameter = {"viscosity", viscosity};
    ct_body_def pool = *shape;
    pool.name = "pool";
    pool.material = add_kind(world, CT_METHOD_FLUID, "liquid", 1000, &parameter, 1);
    pool.pattern = CT_PATTERN_LATTICE;
    add_body(world, &pool);
}

/* A thread that lies across its way sinks, or rises, so fast that drag is its weight less Archimedes' force,
 * rho d/2 C v^2 = |rho_s - rho| g pi d^2/4; without viscosity C = 1. */
static void sinks_and_rises(void **state)
{
    (void)state;
    const double d = 0.004;
    for (int is_light = 0; is_light < 2; is_light++) {
        ct_world_def def = pool_def(3, 1.0 / 16);
        set_domain(&def, 0.75, 0.75, 0.5, CT_WALL_SLIP, 0);
        def.step.max = 0.005;
        ct_world *world = create(&def);
        const double density = is_light ? 600 : 1500;
        const double speed = sqrt(fabs(density - 1000) * g * M_PI * d / (2 * 1000)), way = is_light ? 1 : -1;
        add_thread(world, density, (double[3]){0.225, is_light ? 0.2 : 0.45, 0.25}, 0, 0.3, d / 2, false);
        const ct_body_def all = block(0, 0, 0, 0, 0.75, 0.625, 0.5);
        add_pool(world, &all, 0);
        CHECK(ct_world_run_until(world, 0.3, error));
        const double from = motion_of(world, 0).position[1];
        CHECK(ct_world_run_until(world, 0.7, error));
        const double found = way * (motion_of(world, 0).position[1] - from) / 0.4;
        print_message("a thread of %g kg/m^3: %.4f m/s, %.4f by the laws\n", density, found, speed);
        assert_near(found, speed, 0.05 * speed); /* it takes some water along */
        ct_world_destroy(world);
    }
}

/* A thread that is held at its ends, across a drop that flies past: rho d/2 C u^2 l. Honey drags more, by Re^(-2/3). */
static void is_dragged(void **state)
{
    (void)state;
    const double d = 0.004, length = 0.25, speed = 1, time = 0.05;
    for (int is_thick = 0; is_thick < 2; is_thick++)
        for (int is_along = 0; is_along < 2; is_along++) {
            ct_world_def def = pool_def(3, 1.0 / 16);
            def.gravity.constant[1] = 0;
            ct_world *world = create(&def);
            const double viscosity = is_thick ? 0.05 : 0, reynolds = 1000 * speed * d / (is_thick ? 0.05 : 1);
            double from[3] = {0, 0.011, 0.007};
            from[is_along ? 0 : 2] -= length / 2;
            add_thread(world, 1000, from, is_along ? 0 : 2, length, d / 2, true);
            ct_body_def drop = ball(0, 0, 0, 0, 0.35);
            drop.velocity[0] = speed;
            add_pool(world, &drop, viscosity);
            CHECK(ct_world_run_until(world, 0.02, error));
            const double before = given_to(world, 0, 1).impulse[0];
            CHECK(ct_world_run_until(world, 0.02 + time, error));
            const double force = (given_to(world, 0, 1).impulse[0] - before) / time;
            const double thick = is_thick ? 10 * pow(reynolds, -2.0 / 3) : 0;
            const double C = is_along ? 0.01 * M_PI + thick / 2 : 1 + thick;
            const double law = 0.5 * 1000 * d * C * speed * speed * 0.6 * length;
            print_message("%s, %s: %.5f N, %.5f by the law\n", is_thick ? "honey" : "water",
                          is_along ? "along" : "across", force, law);
            assert_near(force, law, 0.05 * law); /* the thread slows the water */
            ct_world_destroy(world);
        }
}

/* Without gravity a thread flies in a drop. What it gets is what its momentum has changed by, and the opposite of what
 * the water got, to round-off. */
static void momentum_goes_over(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = pool_def(dimension, 1.0 / 16);
        def.gravity.constant[1] = 0;
        ct_world *world = create(&def);
        const double points[2][3] = {{-0.1, -0.05, 0}, {0.12, 0.06, 0}};
        const ct_parameter constants[] = {{"young", 1e7}, {"poisson", 0.3}};
        ct_body_def thread = ct_default_body_def();
        thread.name = "thread", thread.method = CT_METHOD_STRANDS;
        thread.material = add_kind(world, CT_METHOD_STRANDS, "strand", 2000, constants, 2);
        thread.shape.type = CT_SHAPE_POLYLINE;
        thread.shape.points = points, thread.shape.point_count = 2;
        thread.shape.radius = 0.005;
        thread.velocity[0] = 1, thread.velocity[1] = -2;
        add_body(world, &thread);
        const ct_body_def drop = ball(0, 0, 0, 0, 0.3);
        add_pool(world, &drop, 0);
        const ct_body_motion before = motion_of(world, 0);
        CHECK(ct_world_run_until(world, 0.1, error));
        const ct_body_motion after = motion_of(world, 0), water = motion_of(world, 1);
        const ct_body_contact got = given_to(world, 0, 1), gave = given_to(world, 1, 0);
        const double whole = 2 * before.mass, gone = before.momentum[1] - after.momentum[1];
        const double total = after.momentum[1] + water.momentum[1];
        print_message("%dD: the thread gave %.0f%% of its momentum; of that %.2f%% is gone\n", dimension,
                      100 * gone / before.momentum[1], 100 * (before.momentum[1] - total) / gone);
        assert_true(gone < -0.2 * whole); /* control: it was slowed */
        for (int a = 0; a < dimension; a++) {
            assert_near(after.momentum[a] - before.momentum[a], got.impulse[a], 1e-11 * whole);
            assert_true(gave.impulse[a] == -got.impulse[a]);
        }
        ct_world_destroy(world);
    }
}

static ct_world *reeds(int threads)
{
    ct_world_def def = pool_def(3, 1.0 / 12);
    def.precision = CT_FLOAT;
    def.threads = threads;
    set_domain(&def, 1, 0.75, 0.5, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    const ct_parameter constants[] = {{"young", 1e8}, {"poisson", 0.3}};
    const int material = add_kind(world, CT_METHOD_STRANDS, "strand", 1100, constants, 2);
    for (int k = 0; k < 3; k++) {
        const double points[2][3] = {{0.4 + 0.1 * k, 0.001, 0.2 + 0.05 * k}, {0.4 + 0.1 * k, 0.5, 0.22}};
        ct_body_def reed = ct_default_body_def();
        char name[8] = "reed 0";
        name[5] = (char)('0' + k);
        reed.name = name, reed.method = CT_METHOD_STRANDS, reed.material = material;
        reed.shape.type = CT_SHAPE_POLYLINE;
        reed.shape.points = points, reed.shape.point_count = 2;
        reed.shape.radius = 0.004;
        add_body(world, &reed);
    }
    ct_body_def dam = block(0, 0, 0, 0, 0.35, 0.6, 0.5);
    add_pool(world, &dam, 0);
    return world;
}

/* For any number of threads, and across a checkpoint, reeds that a flood carries off move by the same bits. */
static void same_bits(void **state)
{
    (void)state;
    ct_world *worlds[3] = {reeds(1), reeds(4), reeds(2)};
    char path[] = "reeds_XXXXXX";
    close(mkstemp(path));
    CHECK(ct_world_run_until(worlds[0], 0.2, error));
    CHECK(ct_world_run_until(worlds[1], 0.2, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[2], path, error));
    unlink(path);
    for (int k = 0; k < 3; k++) CHECK(ct_world_run_until(worlds[k], 0.3, error));
    assert_same(hash_of(worlds[0]), hash_of(worlds[1]));
    assert_same(hash_of(worlds[0]), hash_of(worlds[2]));
    ct_body_motion motions[4];
    CHECK(ct_world_body_motions(worlds[0], motions, 4, error));
    assert_true(motions[0].momentum[0] > 0.2 * motions[0].mass); /* control: it is carried off */
    for (int k = 0; k < 3; k++) ct_world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sinks_and_rises),
        cmocka_unit_test(is_dragged),
        cmocka_unit_test(momentum_goes_over),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
