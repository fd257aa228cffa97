/* Materials that become others: what melts, what sets. */
#include "physics/worlds.h"

enum { RUBBER, HONEY };

static ct_world *make_world(int dimension, double gravity)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.02);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = 1.0 / 500;
    def.gravity.constant[1] = -gravity;
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    static const ct_parameter honey[] = {{"viscosity", 300}};
    assert_int_equal(add_elastic(world, "elastic", 1000, 1e5, 0.25), RUBBER);
    ct_material_def fluid = ct_default_material_def();
    fluid.type = "viscous";
    fluid.parameters = honey, fluid.parameter_count = 1;
    CHECK(ct_world_add_material(world, &fluid, NULL, error));
    return world;
}

static void add_lattice(ct_world *world, ct_body_def body, const char *name)
{
    body.name = name;
    body.pattern = CT_PATTERN_LATTICE;
    add_body(world, &body);
}

static ct_change_def change_of(const char *name, const char *from, int material, double time)
{
    ct_change_def def = ct_default_change_def();
    def.name = name;
    def.from = from;
    def.material = material;
    def.time = time;
    return def;
}

/* A block of rubber stands; melted it runs out. Set again, it stays as it is. Nothing is lost. */
static void what_melts_runs_and_what_sets_stays(void **state)
{
    (void)state;
    double stands = 0, melted = 0;
    for (int changes = 0; changes <= 2; changes++) {
        ct_world *world = make_world(2, 9.81);
        add_lattice(world, block(RUBBER, 0.4, 0, 0, 0.2, 0.3, 0), "block");
        ct_change_def melt = change_of("melt", "block", HONEY, 0.05),
                      set = change_of("set", "melt", RUBBER, 0.3);
        if (changes > 0) CHECK(ct_world_add_change(world, &melt, NULL, error));
        if (changes > 1) CHECK(ct_world_add_change(world, &set, NULL, error));
        double mass = ct_world_get_sums(world).mass;
        size_t count = count_of(world);
        CHECK(ct_world_run_until(world, 0.3, error));
        double then = ct_world_get_sums(world).center[1];
        CHECK(ct_world_run_until(world, 0.7, error));
        double now = ct_world_get_sums(world).center[1];
        print_message("%d changes: centre %.3f m high, later %.3f m\n", changes, then, now);
        assert_int_equal(count_of(world), count);
        assert_near(ct_world_get_sums(world).mass, mass, 1e-12 * mass);
        if (changes == 0) stands = now;
        if (changes == 1) melted = now;
        if (changes == 1) assert_true(now < 0.95 * then && then < 0.8 * stands); /* it runs on */
        if (changes == 2)
            assert_true(now > 0.97 * then && now > 1.03 * melted); /* sags a little by its weight */
        ct_world_destroy(world);
    }
}

/* Bonds that are new are at rest: what sets while nothing moves stays to the last digit. In the control its
 * places at rest are those of long ago, another shape: it springs back. */
static void what_sets_bears_no_stress(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = make_world(dimension, 0);
        add_lattice(world, ball(HONEY, 0.5, 0.5, 0.5, 0.12), "drop");
        ct_change_def set = change_of("set", "drop", RUBBER, 0.003);
        CHECK(ct_world_add_change(world, &set, NULL, error));
        triple *x = positions_of(world);
        for (size_t p = 0; p < count_of(world); p++) x[p][0] += 0.3 * (x[p][1] - 0.5); /* sheared */
        CHECK(ct_world_write(world, "position", x, count_of(world) * sizeof *x, error));
        free(x);
        steps(world, 3); /* two of honey, one of rubber */
        triple *v = velocities_of(world);
        for (size_t p = 0; p < count_of(world); p++)
            for (int a = 0; a < 3; a++) v[p][a] = 0;
        CHECK(ct_world_write(world, "velocity", v, count_of(world) * sizeof *v, error));
        free(v);
        steps(world, 5);
        v = velocities_of(world);
        double worst = 0;
        for (size_t p = 0; p < count_of(world); p++)
            for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(v[p][a]));
        free(v);
        print_message("%dD: fastest %.2g m/s\n", dimension, worst);
        assert_true(worst < 1e-3);
        ct_world_destroy(world);
    }
}

/* The left half of a drop has set; it is then turned by `angle` and stretched, and one more particle flows
 * into the place where it sets. Returns the energy of the bonds before and after that, J. */
static void set_more(int dimension, double angle, double stretch, double energy[2])
{
    ct_world *world = make_world(dimension, 0);
    add_lattice(world, ball(HONEY, 0.5, 0.5, 0.5, 0.12), "drop");
    ct_change_def set = change_of("set", "drop", RUBBER, 0.003);
    set.has_shape = true;
    for (int a = 0; a < 3; a++) set.shape.min[a] = 0, set.shape.max[a] = a ? 1 : 0.5;
    CHECK(ct_world_add_change(world, &set, NULL, error));
    steps(world, 3);
    size_t count = count_of(world), last = 0;
    uint16_t *material = malloc(count * sizeof *material);
    CHECK(ct_world_read(world, "material", material, count * sizeof *material, error));
    triple *x = positions_of(world), *none = calloc(count, sizeof *none);
    for (size_t p = 0; p < count; p++) {
        double dx = x[p][0] - 0.45, dy = (x[p][1] - 0.5) * stretch;
        if (material[p] == HONEY) {
            x[p][0] += 0.2; /* out of the way */
            last = p;
            continue;
        }
        x[p][0] = 0.25 + cos(angle) * dx - sin(angle) * dy;
        x[p][1] = 0.5 + sin(angle) * dx + cos(angle) * dy;
    }
    CHECK(ct_world_write(world, "position", x, count * sizeof *x, error));
    CHECK(ct_world_write(world, "velocity", none, count * sizeof *none, error));
    energy[0] = ct_world_get_sums(world).elastic;
    x[last][0] = 0.45, x[last][1] = 0.9;
    CHECK(ct_world_write(world, "position", x, count * sizeof *x, error));
    steps(world, 1);
    energy[1] = ct_world_get_sums(world).elastic;
    CHECK(ct_world_read(world, "material", material, count * sizeof *material, error));
    assert_int_equal(material[last], RUBBER);
    free(x), free(none), free(material);
    ct_world_destroy(world);
}

/* What sets later takes no stress from what has set before, wherever that lies by then; a step of it relaxes
 * little. The control is what is too far from its shape at rest: all of it sets anew and has no stress. */
static void what_has_set_keeps_its_stress(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double little[2], turned[2], much[2];
        set_more(dimension, 0, 1.04, little);
        set_more(dimension, 1.2, 1.04, turned);
        set_more(dimension, 0, 1.4, much);
        print_message("%dD: energy %.2e J, then %.2e; turned %.2e, then %.2e; far %.2e, then %.2e\n",
                      dimension, little[0], little[1], turned[0], turned[1], much[0], much[1]);
        assert_true(little[1] > 0.5 * little[0] && turned[1] > 0.5 * turned[0]);
        assert_near(turned[0], little[0], 0.01 * little[0]);
        assert_true(much[1] < 0.01 * much[0]);
    }
}

/* Only what is in the shape, and only in the time that is given. */
static void changes_have_a_place_and_a_time(void **state)
{
    (void)state;
    for (int is_late = 0; is_late <= 1; is_late++) {
        ct_world *world = make_world(3, 0);
        add_lattice(world, block(RUBBER, 0.3, 0.3, 0.3, 0.4, 0.2, 0.2), "block");
        ct_change_def melt = change_of("melt", "block", HONEY, is_late ? 1 : 0.003);
        melt.has_shape = true;
        for (int a = 0; a < 3; a++) melt.shape.min[a] = 0, melt.shape.max[a] = a ? 1 : 0.4;
        int body = -1;
        CHECK(ct_world_add_change(world, &melt, &body, error));
        assert_int_equal(body, 1);
        steps(world, 5);
        size_t count = count_of(world), melted = 0;
        uint16_t *material = malloc(count * sizeof *material);
        CHECK(ct_world_read(world, "material", material, count * sizeof *material, error));
        for (size_t p = 0; p < count; p++) melted += material[p] == HONEY;
        assert_int_equal(melted, is_late ? 0 : count / 4);
        free(material);
        ct_world_destroy(world);
    }
}

/* A cloth that has melted is drawn as particles. */
static void triangles_melt(void **state)
{
    (void)state;
    static const double edges[2][3] = {{0.4, 0, 0}, {0, 0, 0.4}};
    ct_world *world = make_world(3, 0);
    ct_body_def sheet = ct_default_body_def();
    sheet.material = RUBBER;
    sheet.shape.type = CT_SHAPE_SHEET;
    sheet.shape.edges = edges, sheet.shape.edge_count = 2;
    for (int a = 0; a < 3; a++) sheet.shape.corner[a] = 0.3;
    add_lattice(world, sheet, "cloth");
    ct_change_def melt = change_of("melt", "cloth", HONEY, 0.003);
    melt.has_shape = true;
    for (int a = 0; a < 3; a++) melt.shape.min[a] = 0, melt.shape.max[a] = a ? 1 : 0.5;
    CHECK(ct_world_add_change(world, &melt, NULL, error));
    double before = (double)ct_world_links(world).triangle_count;
    steps(world, 1);
    assert_near((double)ct_world_links(world).triangle_count, before, 0);
    steps(world, 4);
    assert_near((double)ct_world_links(world).triangle_count / before, 0.5, 0.06);
    ct_world_destroy(world);
}

static void bad_changes_are_refused(void **state)
{
    (void)state;
    ct_error error;
    ct_world *world = make_world(2, 0);
    add_lattice(world, block(RUBBER, 0.4, 0.4, 0, 0.2, 0.2, 0), "block");
    ct_change_def bad[] = {change_of("melt", "brick", HONEY, 0),
                           change_of("melt", "block", 7, 0),
                           change_of("melt", "block", HONEY, NAN),
                           change_of("melt", "block", HONEY, 2),
                           {0}};
    bad[3].until = 1;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(ct_world_add_change(world, &bad[k], NULL, &error), CT_BAD_USAGE);
    assert_int_equal(ct_world_add_change(world, NULL, NULL, &error), CT_BAD_USAGE);
    ct_world_destroy(world);
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.02);
    world = create(&def);
    add_lattice(world, block(add_dust(world), 0.4, 0.4, 0, 0.2, 0.2, 0), "block");
    ct_change_def melt = change_of("melt", "block", 0, 0);
    assert_int_equal(ct_world_add_change(world, &melt, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "peridynamics"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_melts_runs_and_what_sets_stays),
        cmocka_unit_test(what_sets_bears_no_stress),
        cmocka_unit_test(what_has_set_keeps_its_stress),
        cmocka_unit_test(changes_have_a_place_and_a_time),
        cmocka_unit_test(triangles_melt),
        cmocka_unit_test(bad_changes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
