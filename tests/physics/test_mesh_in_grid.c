/* Meshes whose forces go through the grid: what the grid must take over from them. */
#include "worlds.h"

#include <unistd.h>

static ct_world_def through_grid(int dimension, const char *scheme)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
    def.scheme.type = scheme;
    return def;
}

static int add_rubber(ct_world *world)
{
    ct_parameter parameters[] = {{"young", 1e5}, {"poisson", 0.3}};
    ct_material_def def = ct_default_material_def();
    def.name = "rubber";
    def.type = "fixed_corotated";
    def.method = CT_METHOD_ELEMENTS;
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 2;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static ct_body_def mesh(int material, double x, double y, double size, ct_coupling coupling)
{
    ct_body_def body = block(material, x, y, 0, size, size, size);
    body.method = CT_METHOD_ELEMENTS;
    body.elements.coupling = coupling;
    body.elements.edge = 0.05;
    return body;
}

/* Spun and stretched: returns how much of the angular momentum is left, and checks the linear one. */
static double spin(int dimension, const char *scheme, ct_coupling coupling, ct_integration integration)
{
    ct_world_def def = through_grid(dimension, scheme);
    if (integration == CT_INTEGRATION_IMPLICIT) def.step.fixed = 5e-3;
    ct_world *world = create(&def);
    ct_body_def body = mesh(add_rubber(world), 0, 0, 0.3, coupling);
    body.elements.integration = integration;
    body.deformation[0] = 1.1;
    body.move_by_deformation = true;
    body.spin_rate = 8;
    body.velocity[0] = -0.5;
    add_body(world, &body);
    const ct_world_sums before = ct_world_get_sums(world);
    assert_true(before.elastic > 1);
    steps(world, 300);
    const ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < dimension; a++)
        assert_near(after.momentum[a], before.momentum[a], 1e-11 * fabs(before.momentum[0]));
    ct_world_destroy(world);
    return after.angular_momentum[2] / before.angular_momentum[2];
}

/* APIC keeps both momenta with any forces that have no net torque; PIC does not. Backward Euler has one, with and
 * without a grid: its forces have no torque where the step ends, not where it begins. */
static void test_the_grid_keeps_momenta(void **state)
{
    (void)state;
    const ct_coupling grid = CT_COUPLING_GRID;
    assert_near(spin(2, "apic", grid, CT_INTEGRATION_EXPLICIT), 1, 1e-11);
    assert_near(spin(3, "apic", grid, CT_INTEGRATION_EXPLICIT), 1, 1e-11);
    assert_true(spin(2, "pic", grid, CT_INTEGRATION_EXPLICIT) < 0.5);
    const double alone = spin(2, "apic", CT_COUPLING_CONTACT, CT_INTEGRATION_IMPLICIT);
    assert_true(alone < 0.9);
    assert_near(spin(2, "apic", grid, CT_INTEGRATION_IMPLICIT), alone, 0.15 * (1 - alone)); /* as much */
}

/* The mesh stores what it stores on its own; and the vertices show its stress, not that of a point. */
static void test_energy_is_that_of_the_mesh(void **state)
{
    (void)state;
    double energy[2], stress[2];
    for (int k = 0; k < 2; k++) {
        ct_world_def def = through_grid(2, "apic");
        ct_world *world = create(&def);
        ct_body_def body = mesh(add_rubber(world), 0, 0, 0.3, k ? CT_COUPLING_GRID : CT_COUPLING_CONTACT);
        body.deformation[0] = 1.2, body.deformation[1] = 0.1;
        body.move_by_deformation = true;
        add_body(world, &body);
        energy[k] = ct_world_get_sums(world).elastic;
        uint64_t count = ct_world_get_info(world).particles;
        double(*sigma)[9] = malloc(count * sizeof *sigma);
        CHECK(ct_world_read(world, "stress", sigma, count * sizeof *sigma, error));
        stress[k] = sigma[0][0];
        free(sigma);
        ct_world_destroy(world);
    }
    assert_true(energy[0] > 10 && stress[0] > 1e4);
    assert_near(energy[1], energy[0], 1e-9 * energy[0]);
    assert_near(stress[1], stress[0], 1e-9 * stress[0]);
}

/* Released, it swings as it does on its own: the grid is finer than the wave. Twice as stiff it would swing 1.4
 * times as fast. */
static double highest_at(ct_coupling coupling, double time)
{
    ct_world_def def = through_grid(2, "apic");
    def.spacing = 0.05;
    ct_world *world = create(&def);
    ct_body_def body = mesh(add_rubber(world), 0, 0, 0.6, coupling);
    body.deformation[0] = 1.01;
    body.move_by_deformation = true;
    add_body(world, &body);
    CHECK(ct_world_run_until(world, time, error));
    uint64_t count = ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x), low = 1, high = 0;
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    for (uint64_t k = 0; k < count; k++) low = fmin(low, x[k][0]), high = fmax(high, x[k][0]);
    free(x);
    ct_world_destroy(world);
    return high - low;
}

static void test_it_swings_as_on_its_own(void **state)
{
    (void)state;
    /* Half a period of the first longitudinal wave: 0.6 m / c, c^2 = E / (rho (1 - nu^2)) in plane strain with
     * free sides. */
    const double half = 0.6 / sqrt(1e5 / 1000 / (1 - 0.09));
    const double alone = highest_at(CT_COUPLING_CONTACT, half);
    assert_true(alone < 0.598);
    assert_near(highest_at(CT_COUPLING_GRID, half), alone, 0.001);
}

/* Vertices in `hold` stay to the bit; those of a body that falls on a floor stop at it. */
static void test_pins_and_walls(void **state)
{
    (void)state;
    ct_world_def def = through_grid(2, "apic");
    set_domain(&def, 2, 2, 0, CT_WALL_SEPARATE, 0.5);
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_body_def body = mesh(add_rubber(world), 0.4, 0.6, 0.4, CT_COUPLING_GRID);
    body.name = "hangs";
    body.has_hold = true;
    body.hold = block(0, 0.39, 0.99, 0, 0.42, 0.02, 0).shape;
    add_body(world, &body);
    ct_body_def falls = mesh(body.material, 1.2, 0.1, 0.4, CT_COUPLING_GRID);
    falls.name = "falls";
    add_body(world, &falls);
    uint64_t count = ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x), (*y)[3] = malloc(count * sizeof *y), least = 1;
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    CHECK(ct_world_run_until(world, 1, error));
    CHECK(ct_world_read(world, "position", y, count * sizeof *y, error));
    int held = 0;
    for (uint64_t k = 0; k < count; k++) {
        bool is_held = x[k][1] > 0.995 && x[k][0] < 0.81;
        held += is_held;
        for (int a = 0; a < 2 && is_held; a++) assert_near(y[k][a], x[k][a], 1e-12);
        least = fmin(least, y[k][1]);
    }
    assert_int_equal(held, 9);
    assert_true(least > -1e-9 && least < 0.06);
    free(x);
    free(y);
    ct_world_destroy(world);
}

/* Sand falls on it, more comes from a source, a sink takes some: what a world of another number of threads
 * computes, and one that goes on from a checkpoint. */
static ct_world *mixed(int threads)
{
    ct_world_def def = through_grid(2, "apic");
    set_domain(&def, 3, 2, 0, CT_WALL_SEPARATE, 0.3);
    def.gravity.constant[1] = -10;
    def.threads = threads;
    ct_world *world = create(&def);
    ct_parameter parameters[] = {{"young", 1e5}, {"poisson", 0.3}, {"friction_angle", 0.5}};
    int sand = add_matter(world, "drucker_prager", 1500, parameters, 3), rubber = add_rubber(world);
    ct_body_def heap = block(sand, 1, 0.9, 0, 0.4, 0.3, 0);
    heap.name = "heap";
    add_body(world, &heap);
    ct_body_def body = mesh(rubber, 0.8, 0.2, 0.6, CT_COUPLING_GRID);
    body.name = "block";
    add_body(world, &body);
    ct_source_def source = ct_default_source_def();
    source.name = "spout";
    source.material = sand;
    source.shape = block(sand, 1.1, 1.6, 0, 0.2, 0.2, 0).shape;
    source.velocity.constant[1] = -1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    ct_sink_def sink = ct_default_sink_def();
    sink.name = "sink";
    sink.shape = block(sand, 0.7, 0.6, 0, 0.4, 0.4, 0).shape; /* a corner of the block is in it, and stays */
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    return world;
}

static void test_threads_and_checkpoints_change_no_bit(void **state)
{
    (void)state;
    ct_world *one = mixed(1), *three = mixed(3), *again = mixed(2);
    CHECK(ct_world_run_until(one, 0.2, error));
    CHECK(ct_world_run_until(one, 0.4, error));
    CHECK(ct_world_run_until(three, 0.2, error));
    char path[] = "/tmp/continua-mesh-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    CHECK(ct_world_save(three, path, error));
    CHECK(ct_world_restore(again, path, error));
    unlink(path);
    CHECK(ct_world_run_until(three, 0.4, error));
    CHECK(ct_world_run_until(again, 0.4, error));
    ct_body_info body;
    assert_true(ct_world_body(one, 1, &body));
    assert_int_equal(body.method, CT_METHOD_ELEMENTS);
    assert_int_equal(body.particles, 169);
    assert_true(ct_world_get_info(one).emitted > 10 && ct_world_get_info(one).sunk > 10);
    ct_hash a = hash_of(one), b = hash_of(three), c = hash_of(again);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    ct_world_destroy(one);
    ct_world_destroy(three);
    ct_world_destroy(again);
}

/* Twenty bodies of another method after one of elements: those are not in its tables. */
static void test_many_others_come_later(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_world_def def = through_grid(2, "apic");
        ct_world *world = create(&def);
        ct_body_def body = mesh(add_rubber(world), 0, 0, 0.2, k ? CT_COUPLING_GRID : CT_COUPLING_CONTACT);
        add_body(world, &body);
        int jelly = add_elastic(world, "neo_hookean", 1000, 1e4, 0.3);
        for (int b = 0; b < 20; b++) {
            ct_body_def other = block(jelly, 1 + b, 0, 0, 0.1, 0.1, 0);
            add_body(world, &other);
        }
        steps(world, 3);
        assert_true(ct_world_remove_body(world, 0, NULL) == CT_OK);
        steps(world, 3);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_grid_keeps_momenta),
        cmocka_unit_test(test_energy_is_that_of_the_mesh),
        cmocka_unit_test(test_it_swings_as_on_its_own),
        cmocka_unit_test(test_pins_and_walls),
        cmocka_unit_test(test_threads_and_checkpoints_change_no_bit),
        cmocka_unit_test(test_many_others_come_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
