/* Strands whose forces go through the grid: what the grid must take over from them. */
#include "physics/worlds.h"

#include <unistd.h>

static const double RADIUS = 0.01;

static ct_world_def through_grid(int dimension, const char *scheme)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05);
    def.scheme.type = scheme;
    def.step.max = 1e-3;
    return def;
}

static int add_thread(ct_world *world, double young, double grid_young)
{
    const ct_parameter parameters[] = {{"young", young},
                                       {"poisson", 0.3},
                                       {"grid_contact", grid_young > 0},
                                       {"grid_young", grid_young},
                                       {"grid_friction", 0}};
    ct_material_def def = ct_default_material_def();
    def.name = "thread";
    def.type = "strand";
    def.method = CT_METHOD_STRANDS;
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 5;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static ct_body_def line(int material, ct_coupling coupling, const double (*points)[3], int count)
{
    ct_body_def body = ct_default_body_def();
    body.method = CT_METHOD_STRANDS;
    body.material = material;
    body.shape.type = CT_SHAPE_POLYLINE;
    body.shape.points = points;
    body.shape.point_count = count;
    body.shape.radius = RADIUS;
    body.elements.coupling = coupling;
    return body;
}

/* A bent rod that was stretched, flies and spins: how much of the angular momentum is left; the linear one is
 * checked. */
static double spin(int dimension, const char *scheme, double grid_young)
{
    ct_world_def def = through_grid(dimension, scheme);
    ct_world *world = create(&def);
    const double z = dimension == 3 ? 0.2 : 0, points[][3] = {{0, 0, 0}, {0.4, 0.1, 0}, {0.6, -0.2, z}};
    ct_body_def body = line(add_thread(world, 1e5, grid_young), CT_COUPLING_GRID, points, 3);
    body.deformation[0] = 1.1;
    body.move_by_deformation = true;
    body.spin_rate = 3;
    body.velocity[0] = -0.5;
    add_body(world, &body);
    const ct_world_sums before = ct_world_get_sums(world);
    assert_true(before.elastic > 1e-3);
    steps(world, 300);
    const ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < dimension; a++)
        assert_near(after.momentum[a], before.momentum[a], 1e-11 * fabs(before.momentum[0]));
    ct_world_destroy(world);
    return after.angular_momentum[2] / before.angular_momentum[2];
}

/* All schemes keep momentum. Backward Euler turns with a torque of its own, as it does without a grid, but PIC
 * loses nearly all the rest of it, too. */
static void the_grid_keeps_momentum(void **state)
{
    (void)state;
    static const char *const schemes[] = {"apic", "flip", "aflip", "sflip", "asflip", "nflip"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int dimension = 2; dimension <= 3; dimension++) spin(dimension, schemes[k], 0);
    spin(3, "asflip", 1e3);
    assert_true(spin(3, "apic", 0) > 0.9);
    assert_true(spin(3, "pic", 0) < 0.7);
}

/* It stores what it stores on its own, and shows the stress of its edges. */
static void energy_is_that_of_the_strand(void **state)
{
    (void)state;
    double energy[2], stress[2];
    for (int k = 0; k < 2; k++) {
        ct_world_def def = through_grid(3, "apic");
        def.strands.spacing = 0.025;
        ct_world *world = create(&def);
        const double points[][3] = {{0, 0, 0}, {0.4, 0.1, 0}, {0.6, -0.2, 0.2}};
        ct_body_def body =
            line(add_thread(world, 1e6, 0), k ? CT_COUPLING_GRID : CT_COUPLING_CONTACT, points, 3);
        body.deformation[0] = 1.2, body.deformation[1] = 0.1;
        body.move_by_deformation = true;
        add_body(world, &body);
        ct_body_info info;
        assert_true(ct_world_body(world, 0, &info));
        assert_int_equal(info.method, CT_METHOD_STRANDS);
        energy[k] = ct_world_get_sums(world).elastic;
        double(*sigma)[9] = (double(*)[9])values_of(world, "stress");
        stress[k] = sigma[0][0];
        free(sigma);
        ct_world_destroy(world);
    }
    assert_true(energy[0] > 0.1 && stress[0] > 1e4);
    assert_near(energy[1], energy[0], 1e-9 * energy[0]);
    assert_near(stress[1], stress[0], 1e-9 * stress[0]);
}

/* The end of a rod that is clamped and hangs out under its weight, after it has come to rest. */
static double sag(ct_coupling coupling, double young)
{
    ct_world_def def = through_grid(3, "apic");
    def.spacing = 0.02;
    def.step.max = 1e-2;
    def.strands.spacing = 0.02;
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    const double points[][3] = {{0, 0, 0}, {0.4, 0, 0}};
    ct_body_def body = line(add_thread(world, young, 0), coupling, points, 2);
    body.has_hold = true;
    body.hold = block(0, -0.01, -0.01, -0.01, 0.035, 0.02, 0.02).shape;
    add_body(world, &body);
    double low = 0;
    for (int k = 0; k < 30; k++) { /* the mean over the last third: PIC and backward Euler damp the rest */
        CHECK(ct_world_run_until(world, 0.1 * (k + 1), error));
        triple *x = positions_of(world);
        if (k >= 20) low += 0.1 * x[count_of(world) - 1][1];
        free(x);
    }
    ct_world_destroy(world);
    return low;
}

static void it_sags_as_on_its_own(void **state)
{
    (void)state;
    const double alone = sag(CT_COUPLING_CONTACT, 2e7);
    assert_true(alone < -0.03 && alone > -0.1);
    assert_near(sag(CT_COUPLING_GRID, 2e7), alone, 0.02 * fabs(alone));
    assert_true(sag(CT_COUPLING_GRID, 4e7) > 0.7 * alone); /* the control: twice as stiff */
}

/* A net of threads a cell apart catches sand that falls; without it the sand is through after 0.3 s. */
static void a_net_catches_sand(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_world_def def = through_grid(3, "apic");
        def.gravity.constant[1] = -9.81;
        ct_world *world = create(&def);
        int sand = add_elastic(world, "drucker_prager", 1500, 1e5, 0.3);
        ct_body_def heap = block(sand, -0.05, 0.1, -0.05, 0.1, 0.1, 0.1);
        add_body(world, &heap);
        int thread = k ? add_thread(world, 1e7, 0) : -1;
        for (int i = 0; i < 9 && k; i++) { /* held at both ends */
            const double at = 0.05 * (i - 4), points[][3] = {{-0.4, 0, at}, {0.4, 0, at}};
            ct_body_def body = line(thread, CT_COUPLING_GRID, points, 2);
            char name[20];
            snprintf(name, sizeof name, "thread %d", i);
            body.name = name;
            add_body(world, &body);
        }
        for (int side = -1; side <= 1; side += 2) {
            ct_collider_def grip = ct_default_collider_def();
            grip.grip = true;
            grip.shape = block(0, side > 0 ? 0.37 : -0.43, -0.1, -0.3, 0.06, 0.2, 0.6).shape;
            CHECK(ct_world_add_collider(world, &grip, NULL, error));
        }
        CHECK(ct_world_run_until(world, 0.3, error));
        triple *x = positions_of(world);
        size_t below = 0, count = 0;
        ct_body_info info;
        assert_true(ct_world_body(world, 0, &info));
        for (count = 0; count < info.particles; count++) below += x[count][1] < -0.15;
        assert_true(k ? below < count / 10 : below > count * 9 / 10);
        free(x);
        ct_world_destroy(world);
    }
}

/* Sand falls on it, more comes from a source, a sink takes some. */
static ct_world *mixed(ct_precision precision, int threads)
{
    ct_world_def def = through_grid(3, "asflip");
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.3);
    def.precision = precision;
    def.gravity.constant[1] = -10;
    def.threads = threads;
    ct_world *world = create(&def);
    int sand = add_elastic(world, "drucker_prager", 1500, 1e5, 0.3), thread = add_thread(world, 1e6, 1e3);
    ct_body_def heap = block(sand, 0.35, 0.6, 0.35, 0.2, 0.1, 0.2);
    heap.name = "heap";
    add_body(world, &heap);
    for (int i = 0; i < 8; i++) {
        const double at = 0.3 + 0.05 * i, points[][3] = {{0.2, 0.5, at}, {0.5, 0.52, at}, {0.8, 0.5, 0.5}};
        ct_body_def body = line(thread, CT_COUPLING_GRID, points, 3);
        char name[20];
        snprintf(name, sizeof name, "thread %d", i);
        body.name = name;
        add_body(world, &body);
    }
    ct_collider_def grip = ct_default_collider_def();
    grip.grip = true;
    grip.shape.type = CT_SHAPE_SPHERE;
    grip.shape.radius = 0.06;
    grip.shape.center[0] = 0.2, grip.shape.center[1] = 0.5, grip.shape.center[2] = 0.45;
    CHECK(ct_world_add_collider(world, &grip, NULL, error));
    ct_source_def source = ct_default_source_def();
    source.name = "spout";
    source.material = sand;
    source.shape = block(sand, 0.4, 0.8, 0.4, 0.1, 0.1, 0.1).shape;
    source.velocity.constant[1] = -1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    ct_sink_def sink = ct_default_sink_def();
    sink.name = "sink";
    sink.shape = block(sand, 0.35, 0.3, 0.35, 0.3, 0.1, 0.3).shape; /* threads fall through it, and stay */
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    return world;
}

static void threads_and_checkpoints_change_no_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/continua-strands-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
        ct_world *one = mixed((ct_precision)precision, 1), *three = mixed((ct_precision)precision, 3),
                 *again = mixed((ct_precision)precision, 2);
        CHECK(ct_world_run_until(one, 0.1, error));
        CHECK(ct_world_run_until(one, 0.25, error));
        CHECK(ct_world_run_until(three, 0.1, error));
        CHECK(ct_world_save(three, path, error));
        CHECK(ct_world_restore(again, path, error));
        CHECK(ct_world_run_until(three, 0.25, error));
        CHECK(ct_world_run_until(again, 0.25, error));
        assert_true(ct_world_get_info(one).emitted > 10 && ct_world_get_info(one).sunk > 0);
        ct_hash a = hash_of(one), b = hash_of(three), c = hash_of(again);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&a, &c, sizeof a);
        ct_world_destroy(one), ct_world_destroy(three), ct_world_destroy(again);
    }
    unlink(path);
}

/* Of two strands, twenty jellies and a mesh in one grid the first strand is taken away: the other one goes on, and all
 * of it keeps its momentum. */
static void bodies_come_and_go(void **state)
{
    (void)state;
    ct_world_def def = through_grid(2, "apic");
    ct_world *world = create(&def);
    int thread = add_thread(world, 1e5, 0), jelly = add_elastic(world, "neo_hookean", 1000, 1e4, 0.3);
    for (int i = 0; i < 2; i++) {
        const double points[][3] = {{0, 0.2 * i, 0}, {0.4, 0.2 * i, 0}};
        ct_body_def body = line(thread, CT_COUPLING_GRID, points, 2);
        body.name = i ? "second" : "first";
        body.velocity[0] = 0.1;
        add_body(world, &body);
    }
    for (int b = 0; b < 20; b++) {
        ct_body_def other = block(jelly, 1 + b, 0, 0, 0.1, 0.1, 0);
        add_body(world, &other);
    }
    const ct_parameter parameters[] = {{"young", 1e5}, {"poisson", 0.3}};
    ct_material_def rubber = ct_default_material_def();
    rubber.name = "rubber", rubber.type = "fixed_corotated", rubber.method = CT_METHOD_ELEMENTS;
    rubber.density = 1000, rubber.parameters = parameters, rubber.parameter_count = 2;
    int material = -1;
    CHECK(ct_world_add_material(world, &rubber, &material, error));
    ct_body_def mesh = block(material, -1, 0, 0, 0.2, 0.2, 0);
    mesh.method = CT_METHOD_ELEMENTS;
    mesh.elements.coupling = CT_COUPLING_GRID;
    add_body(world, &mesh);
    steps(world, 3);
    CHECK(ct_world_remove_body(world, 0, error));
    const ct_world_sums before = ct_world_get_sums(world);
    steps(world, 20);
    const ct_world_sums after = ct_world_get_sums(world);
    assert_true(before.momentum[0] > 0.1);
    assert_near(after.momentum[0], before.momentum[0], 1e-11 * before.momentum[0]);
    ct_world_destroy(world);
}

/* What cannot be is said by name. */
static void what_cannot_be_is_said(void **state)
{
    (void)state;
    ct_world_def def = through_grid(3, "apic");
    ct_world *world = create(&def);
    const double points[][3] = {{0, 0, 0}, {0.4, 0, 0}};
    const ct_parameter parameters[] = {{"young", 1e6}, {"poisson", 0.3}, {"grid_contact", 1}};
    ct_body_def body = line(add_thread(world, 1e6, 0), CT_COUPLING_GRID, points, 2);
    ct_error why = {0};
    body.roots = "head";
    assert_int_equal(ct_world_add_body(world, &body, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "roots"));
    body.roots = NULL;
    ct_material_def other = ct_default_material_def();
    other.name = "other", other.type = "strand", other.method = CT_METHOD_STRANDS, other.density = 1000;
    other.parameters = parameters, other.parameter_count = 3;
    CHECK(ct_world_add_material(world, &other, &body.material, error));
    assert_int_equal(ct_world_add_body(world, &body, NULL, &why), CT_BAD_USAGE);
    assert_non_null(strstr(why.message, "grid_young"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_keeps_momentum),
        cmocka_unit_test(energy_is_that_of_the_strand),
        cmocka_unit_test(it_sags_as_on_its_own),
        cmocka_unit_test(a_net_catches_sand),
        cmocka_unit_test(threads_and_checkpoints_change_no_bit),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
