/* What comes and goes in peridynamics: sources, sinks, free walls. */
#include "physics/worlds.h"

static ct_world_def flow_def(int dimension, double spacing)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = 1.0 / 500;
    return def;
}

static int add_fluid(ct_world *world, double viscosity, double delta)
{
    ct_parameter parameters[] = {{"viscosity", viscosity}, {"redistribution", delta}};
    ct_material_def def = ct_default_material_def();
    def.type = "viscous";
    def.density = 1400;
    def.parameters = parameters;
    def.parameter_count = 2;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static int add_honey(ct_world *world, double delta)
{
    return add_fluid(world, 20, delta);
}

/* A nozzle 0.1 m wide and 0.05 m long, from which honey comes down at 0.4 m/s. */
static ct_source_def nozzle(int material, double start)
{
    ct_source_def def = ct_default_source_def();
    def.name = "nozzle";
    def.material = material;
    def.pattern = CT_PATTERN_LATTICE;
    def.shape.min[0] = -0.05, def.shape.max[0] = 0.05;
    def.shape.min[1] = 0.5, def.shape.max[1] = 0.55;
    def.shape.min[2] = -0.05, def.shape.max[2] = 0.05;
    def.velocity.constant[1] = -0.4;
    def.start = start;
    return def;
}

/* Width times speed, to a layer of particles; what is in the nozzle has its speed exactly, and without
 * gravity so has what has left it, unless it is spread: the belt is even. It may begin later, in a world that
 * is empty till then. */
static void sources_flow_at_their_rate(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const double s = 0.01, width = dimension == 3 ? 100 : 10, start = 0.1;
        ct_world_def def = flow_def(dimension, s);
        ct_world *world = create(&def);
        ct_source_def source = nozzle(add_honey(world, 0), start);
        CHECK(ct_world_add_source(world, &source, NULL, error));
        CHECK(ct_world_run_until(world, 0.05, error));
        assert_int_equal(count_of(world), 0);
        CHECK(ct_world_run_until(world, start + 0.5, error));
        double layers = (0.05 + 0.4 * 0.5) / s, count = (double)count_of(world);
        assert_near(count, layers * width, 1.01 * width);
        assert_int_equal(ct_world_get_info(world).emitted, count_of(world));
        assert_near(ct_world_get_sums(world).mass, count * 1400 * (dimension == 3 ? s * s * s : s * s), 1e-3);
        triple *v = velocities_of(world);
        double worst = 0;
        for (size_t p = 0; p < count_of(world); p++)
            for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(v[p][a] + (a == 1 ? 0.4 : 0)));
        free(v);
        print_message("%dD: %.0f particles, largest deviation of a velocity %.2g m/s\n", dimension, count,
                      worst);
        assert_true(worst < 1e-6);
        ct_world_destroy(world);
    }
}

/* A thread that hits a plate stays on it: nothing is lost, nothing goes through, and the nozzle is not moved
 * by what it meets. */
static void what_flows_piles_up(void **state)
{
    (void)state;
    const double s = 0.01;
    ct_world_def def = flow_def(2, s);
    def.gravity.constant[1] = -9.81;
    def.has_domain = true;
    def.domain_min[0] = -0.4, def.domain_max[0] = 0.4, def.domain_max[1] = 0.6;
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    ct_source_def source = nozzle(add_honey(world, 0.3), 0);
    source.shape.min[1] = 0.1, source.shape.max[1] = 0.15; /* so low that the pile reaches it */
    source.stop_after = 1;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    CHECK(ct_world_run_until(world, 1.2, error));
    assert_int_equal(ct_world_get_info(world).emitted, count_of(world));
    triple *x = positions_of(world);
    for (size_t p = 0; p < count_of(world); p++)
        assert_true(x[p][1] >= 0.49 * s && fabs(x[p][0]) <= 0.4 && x[p][1] <= 0.15);
    free(x);
    ct_world_destroy(world);
}

/* A cloth falls through a sink that is half as wide: what is left has the triangles that have all their
 * corners, and those fit its particles. Nothing else vanishes. */
static void sinks_take_particles_and_their_triangles(void **state)
{
    (void)state;
    static const double edges[2][3] = {{0.4, 0, 0}, {0, 0, 0.4}};
    ct_world_def def = flow_def(3, 0.02);
    ct_world *world = create(&def);
    int rubber = add_elastic(world, "elastic", 1000, 1e5, 0.25);
    ct_body_def sheet = ct_default_body_def();
    sheet.material = rubber;
    sheet.pattern = CT_PATTERN_LATTICE;
    sheet.shape.type = CT_SHAPE_SHEET;
    sheet.shape.edges = edges, sheet.shape.edge_count = 2;
    sheet.velocity[1] = -2;
    add_body(world, &sheet);
    ct_sink_def sink = ct_default_sink_def();
    sink.name = "sink";
    sink.shape.min[0] = -0.05, sink.shape.max[0] = 0.2;
    sink.shape.min[1] = -0.3, sink.shape.max[1] = -0.1;
    sink.shape.min[2] = -0.1, sink.shape.max[2] = 0.5;
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    size_t before = count_of(world);
    uint64_t triangles = ct_world_links(world).triangle_count;
    CHECK(ct_world_run_until(world, 0.02, error));
    assert_int_equal(count_of(world), before); /* the control: it has not come so far */
    CHECK(ct_world_run_until(world, 0.1, error));
    size_t after = count_of(world);
    ct_links_info links = ct_world_links(world);
    print_message("%zu of %zu particles, %llu of %llu triangles\n", after, before,
                  (unsigned long long)links.triangle_count, (unsigned long long)triangles);
    assert_int_equal(ct_world_get_info(world).sunk, before - after);
    assert_near((double)after / (double)before, 0.5, 0.06);
    assert_near((double)links.triangle_count / (double)triangles, 0.48, 0.06);
    triple *x = positions_of(world);
    for (uint64_t t = 0; t < links.triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            size_t p = links.triangles[t][c], q = links.triangles[t][(c + 1) % 3];
            assert_true(p < after && q < after);
            assert_true(fabs(x[p][0] - x[q][0]) < 0.04 && fabs(x[p][2] - x[q][2]) < 0.04); /* neighbours */
        }
    free(x);
    ct_world_destroy(world);
}

/* Out at a free wall, and counted; a wall that is none of those keeps them. */
static void free_walls_let_out(void **state)
{
    (void)state;
    for (int is_free = 0; is_free <= 1; is_free++) {
        ct_world_def def = flow_def(2, 0.02);
        set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
        if (is_free) def.walls[CT_X_MAX].type = CT_WALL_FREE;
        ct_world *world = create(&def);
        ct_body_def body = block(add_honey(world, 0.3), 0.6, 0.4, 0, 0.2, 0.2, 0);
        body.velocity[0] = 2;
        add_body(world, &body);
        size_t before = count_of(world);
        CHECK(ct_world_run_until(world, 0.3, error));
        assert_int_equal(count_of(world), is_free ? 0 : before);
        assert_int_equal(ct_world_get_info(world).strays, is_free ? before : 0);
        CHECK(ct_world_run_until(world, 0.31, error)); /* an empty world goes on */
        ct_world_destroy(world);
    }
}

/* A cloth (in 2D a line) 0.5 m above the ground, held at two sides or not at all; returns its particles. */
static size_t add_taut_cloth(ct_world *world, int dimension, bool is_held)
{
    static const double edges[2][3] = {{0.6, 0, 0}, {0, 0, 0.6}}, ends[2][3] = {{0.2, 0.5, 0}, {0.8, 0.5, 0}};
    ct_body_def cloth = ct_default_body_def(), held = ct_default_body_def();
    cloth.material = add_elastic(world, "elastic", 400, 3e6, 0.25);
    cloth.pattern = CT_PATTERN_LATTICE;
    cloth.shape.type = dimension == 3 ? CT_SHAPE_SHEET : CT_SHAPE_POLYLINE;
    cloth.shape.edges = edges, cloth.shape.edge_count = 2;
    cloth.shape.points = ends, cloth.shape.point_count = 2;
    cloth.shape.corner[0] = 0.2, cloth.shape.corner[1] = 0.5, cloth.shape.corner[2] = 0.2;
    ct_shape_def parts[2] = {held.shape, held.shape};
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++)
            parts[k].min[a] = k && a == 0 ? 0.22 : 0, parts[k].max[a] = k && a == 0 ? 0.78 : 1;
    cloth.has_hold = is_held;
    cloth.hold.type = CT_SHAPE_DIFFERENCE;
    cloth.hold.children = parts, cloth.hold.child_count = 2;
    add_body(world, &cloth);
    return count_of(world);
}

static void add_drop(ct_world *world, double viscosity, double speed)
{
    ct_body_def drop = block(add_fluid(world, viscosity, 0.3), 0.4, 0.55, 0.4, 0.2, 0.15, 0.2);
    drop.pattern = CT_PATTERN_LATTICE;
    drop.velocity[1] = -speed;
    add_body(world, &drop);
}

/* How many particles of a fluid that falls on a taut cloth were ever below all of it. The heavy drop
 * stretches the cloth by half: between its particles there is room. */
static size_t passed_through(int dimension, double contact, double viscosity, double speed)
{
    ct_world_def def = flow_def(dimension, dimension == 3 ? 0.03 : 0.02);
    def.gravity.constant[1] = -9.81;
    def.peri.contact = contact;
    def.peri.iterations = 20;
    ct_world *world = create(&def);
    size_t of_cloth = add_taut_cloth(world, dimension, true), most = 0;
    add_drop(world, viscosity, speed);
    double deepest = INFINITY;
    for (int k = 1; k <= 30; k++) {
        CHECK(ct_world_run_until(world, 0.01 * k, error));
        triple *x = positions_of(world);
        double lowest = INFINITY;
        size_t below = 0;
        for (size_t p = 0; p < of_cloth; p++) lowest = fmin(lowest, x[p][1]);
        for (size_t p = of_cloth; p < count_of(world); p++)
            below += x[p][1] < lowest && x[p][0] > 0.2 && x[p][0] < 0.8 &&
                     (dimension == 2 || (x[p][2] > 0.2 && x[p][2] < 0.8)); /* not what ran over the rim */
        free(x);
        deepest = fmin(deepest, lowest);
        most = below > most ? below : most;
    }
    print_message("%dD, %g Pa s at %g m/s: cloth down to %.3f m, %zu of %zu particles below\n", dimension,
                  viscosity, speed, deepest, most, count_of(world) - of_cloth);
    ct_world_destroy(world);
    return most;
}

/* Thick and thin, slow and fast. The control: bodies that do not meet. */
static void cloth_stops_fluid(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        assert_int_equal(passed_through(dimension, 1, 20, 2), 0);
        assert_int_equal(passed_through(dimension, 1, 1, 3), 0);
        assert_int_equal(passed_through(dimension, 1, 0.1, 5), 0);
        assert_true(passed_through(dimension, 0, 20, 2) > 40);
    }
}

/* A drop that falls on a free cloth: what it loses the cloth gets. */
static void cloth_takes_what_it_stops(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = flow_def(dimension, dimension == 3 ? 0.03 : 0.02);
        def.peri.iterations = 20;
        ct_world *world = create(&def);
        add_taut_cloth(world, dimension, false);
        add_drop(world, 20, 2);
        double before = ct_world_get_sums(world).momentum[1];
        CHECK(ct_world_run_until(world, 0.1, error));
        double after = ct_world_get_sums(world).momentum[1];
        print_message("%dD: momentum %.9g, then %.12f of it\n", dimension, before, after / before);
        assert_near(after, before, 1e-10 * fabs(before));
        ct_world_destroy(world);
    }
}

static void solids_do_not_flow(void **state)
{
    (void)state;
    ct_world_def def = flow_def(2, 0.02);
    ct_world *world = create(&def);
    ct_source_def source = nozzle(add_elastic(world, "elastic", 1000, 1e5, 0.25), 0);
    ct_error error;
    assert_int_equal(ct_world_add_source(world, &source, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "materials that flow"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_flow_at_their_rate),
        cmocka_unit_test(what_flows_piles_up),
        cmocka_unit_test(sinks_take_particles_and_their_triangles),
        cmocka_unit_test(free_walls_let_out),
        cmocka_unit_test(solids_do_not_flow),
        cmocka_unit_test(cloth_stops_fluid),
        cmocka_unit_test(cloth_takes_what_it_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
