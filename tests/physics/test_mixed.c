/* Several kinds of matter in one world: what they give each other, and that nothing else changes. */
#include "physics/worlds.h"

#include <unistd.h>

static const double spacing = 0.05;

static ct_world_def mixed_def(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.precision = precision;
    def.threads = threads;
    return def;
}

static int add_kind(ct_world *world, const char *type, double density, const ct_parameter *parameters,
                    int count)
{
    int index;
    ct_material_def material = ct_default_material_def();
    material.name = type;
    material.type = type;
    material.density = density;
    material.parameters = parameters;
    material.parameter_count = count;
    CHECK(ct_world_add_material(world, &material, &index, error));
    return index;
}

static int add_jelly(ct_world *world)
{
    return add_kind(world, "elastic", 1000, (ct_parameter[]){{"young", 2e4}, {"poisson", 0.25}}, 2);
}

static int add_sand(ct_world *world)
{
    return add_kind(world, "drucker_prager", 1600,
                    (ct_parameter[]){{"young", 1e5}, {"poisson", 0.3}, {"friction_angle", 0.6}}, 3);
}

static int add_water(ct_world *world)
{
    return add_kind(world, "fluid", 1000, (ct_parameter[]){{"bulk", 2e4}}, 1);
}

static ct_body_def moving(ct_body_def body, ct_pattern pattern, double vx, double vy)
{
    body.pattern = pattern;
    body.velocity[0] = vx, body.velocity[1] = vy;
    return body;
}

/* A sheet of peridynamics in the plane y = 0.5, in 2D a line. */
static ct_body_def cloth(int dimension, int material)
{
    static double line[2][3] = {{0.2, 0.5, 0}, {0.8, 0.5, 0}};
    ct_body_def body = ct_default_body_def();
    body.name = "cloth";
    body.material = material;
    if (dimension == 2) {
        body.shape.type = CT_SHAPE_POLYLINE;
        body.shape.points = (const double(*)[3])line;
        body.shape.point_count = 2;
        return body;
    }
    static const double edges[2][3] = {{0.6, 0, 0}, {0, 0, 0.6}};
    body.shape.type = CT_SHAPE_SHEET;
    body.shape.corner[0] = 0.2, body.shape.corner[1] = 0.5, body.shape.corner[2] = 0.2;
    body.shape.edges = edges;
    body.shape.edge_count = 2;
    return body;
}

/* Sand and water of MPM fall on a peridynamic cloth side by side, and a peridynamic jelly comes from below.
 * */
static ct_world *meeting(const ct_world_def *def)
{
    ct_world *world = create(def);
    int sand = add_sand(world), water = add_water(world), jelly = add_jelly(world),
        dimension = def->dimension;
    ct_body_def bodies[] = {
        moving(block(sand, 0.25, 0.56, 0.3, 0.2, 0.15, 0.25), CT_PATTERN_JITTERED, 0, -2),
        moving(block(water, 0.52, 0.56, 0.3, 0.2, 0.15, 0.25), CT_PATTERN_JITTERED, 0, -2),
        moving(block(jelly, 0.4, 0.23, 0.3, 0.2, 0.2, 0.2), CT_PATTERN_LATTICE, 0, 3),
        cloth(dimension, jelly)};
    for (int b = 0; b < 4; b++) add_body(world, &bodies[b]);
    return world;
}

/* The body of every particle, in the order of ids; to be freed. */
static uint16_t *bodies_of(const ct_world *world)
{
    uint16_t *body = malloc((count_of(world) + 1) * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count_of(world) * sizeof *body, error));
    return body;
}

/* kg m/s: the vector sum over the particles of bodies [first, last), and the sum of its lengths over all. */
static double momentum_of(const ct_world *world, int first, int last, double sum[3])
{
    size_t count = count_of(world);
    triple *v = velocities_of(world);
    double *mass = values_of(world, "mass"), all = 0;
    uint16_t *body = bodies_of(world);
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t p = 0; p < count; p++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            square += v[p][a] * v[p][a];
            if (body[p] >= first && body[p] < last) sum[a] += mass[p] * v[p][a];
        }
        all += mass[p] * sqrt(square);
    }
    free(v), free(mass), free(body);
    return all;
}

/* The bound is round-off of sums over some thousand particles and a hundred steps; a law that gave one side
 * 1 % more would be beyond it by eight orders. Steps are repeated: the criteria that are known on the grid
 * only are the only ones. */
static void momentum_given_is_momentum_taken(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int repeats = 0; repeats < 2; repeats++) {
            ct_world_def def = mixed_def(dimension, CT_DOUBLE, 2);
            if (repeats)
                def.step.criteria = CT_CRITERION_DISPLACEMENT | CT_CRITERION_DEFORMATION, def.step.max = 3e-2;
            ct_world *world = meeting(&def);
            double before[3], after[3], then[3], now[3], size = momentum_of(world, 0, 4, before), moved = 0;
            momentum_of(world, 0, 2, then);
            CHECK(ct_world_run_until(world, repeats ? 0.12 : 0.06, error));
            momentum_of(world, 0, 4, after);
            momentum_of(world, 0, 2, now);
            for (int a = 0; a < 3; a++) {
                assert_near(after[a], before[a], 1e-11 * size);
                moved += fabs(now[a] - then[a]);
            }
            assert_true(moved > 0.1 * size); /* the control: contact did it */
            ct_criterion_info limited[2];
            assert_true(ct_world_criterion(world, 2, &limited[0]) &&
                        ct_world_criterion(world, 3, &limited[1]));
            if (repeats) assert_true(limited[0].steps + limited[1].steps > 0);
            ct_world_destroy(world);
        }
}

static void threads_and_restores_change_no_bit(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "mixed_%d.ct", (int)getpid());
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world_def def = mixed_def(dimension, (ct_precision)precision, 1);
            ct_world *one = meeting(&def);
            steps(one, 20);
            ct_hash half = hash_of(one);
            CHECK(ct_world_save(one, path, error));
            steps(one, 20);
            def.threads = 5;
            ct_world *many = meeting(&def);
            steps(many, 20);
            assert_same(hash_of(many), half);
            steps(many, 20);
            assert_same(hash_of(many), hash_of(one));
            CHECK(ct_world_restore(many, path, error));
            assert_same(hash_of(many), half);
            steps(many, 20);
            assert_same(hash_of(many), hash_of(one));
            ct_world_destroy(one), ct_world_destroy(many);
        }
    remove(path);
}

/* A kind alone does what it does in a world of its own: the same bits with another kind out of reach. */
static void a_kind_is_as_if_it_were_alone(void **state)
{
    (void)state;
    for (int method = CT_METHOD_MPM; method <= CT_METHOD_PERIDYNAMICS; method++) {
        ct_world_def def = mixed_def(3, CT_FLOAT, 2);
        def.method = (ct_method)method;
        def.peri.spacing = 0.03;
        def.gravity.constant[1] = -9.81;
        def.step.fixed = 1e-3 / (method == CT_METHOD_MPM ? 5 : 1);
        ct_world *alone = create(&def), *both = create(&def);
        ct_world *worlds[] = {alone, both};
        for (int w = 0; w < 2; w++) {
            int own = method == CT_METHOD_MPM ? add_sand(worlds[w]) : add_jelly(worlds[w]);
            ct_body_def body = moving(ball(own, 0, 0, 0, 0.2), CT_PATTERN_LATTICE, 1, 0);
            add_body(worlds[w], &body);
        }
        ct_body_def other = ball(method == CT_METHOD_MPM ? add_jelly(both) : add_sand(both), 40, 0, 0, 0.2);
        add_body(both, &other);
        steps(alone, 50), steps(both, 50);
        triple *x = positions_of(alone), *y = positions_of(both);
        assert_memory_equal(x, y, count_of(alone) * sizeof *x);
        free(x), free(y);
        ct_world_destroy(alone), ct_world_destroy(both);
    }
}

/* Bodies that part are not touched: without contact each flies on at its own velocity, to round-off of a
 * step. */
static void who_parts_is_left_alone(void **state)
{
    (void)state;
    ct_world_def def = mixed_def(3, CT_DOUBLE, 1);
    def.step.fixed = 1e-4;
    ct_world *world = create(&def);
    int jelly = add_jelly(world), rubber = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3);
    ct_body_def bodies[] = {moving(block(jelly, 0, 0, 0, 0.3, 0.3, 0.3), CT_PATTERN_LATTICE, -1, 0),
                            moving(block(rubber, 0.42, 0, 0, 0.3, 0.3, 0.3), CT_PATTERN_LATTICE, 1, 0)};
    for (int b = 0; b < 2; b++) add_body(world, &bodies[b]);
    steps(world, 50);
    double p[3], q[3];
    momentum_of(world, 0, 1, p);
    momentum_of(world, 1, 2, q);
    assert_near(p[0], -27, 1e-9);
    assert_near(q[0], 27, 1e-9);
    ct_world_destroy(world);
}

/* How far the lowest particle of body 1 is above the highest of body 0 below it, m. */
static double gap_of(const ct_world *world)
{
    triple *x = positions_of(world);
    uint16_t *body = bodies_of(world);
    double lowest = 1, highest = 0;
    for (size_t k = 0; k < count_of(world); k++) {
        if (body[k] == 1) lowest = fmin(lowest, x[k][1]);
        else if (x[k][0] > 0.4 && x[k][0] < 0.6) highest = fmax(highest, x[k][1]);
    }
    free(x), free(body);
    return lowest - highest;
}

/* A block of one kind falls on a block of the other that stands on the floor: it bounces less and less, is
 * never in it by more than half a cell, and stays in touch. Both are elastic, so they rest late. */
static void a_block_comes_to_rest_on_another_kind(void **state)
{
    (void)state;
    for (int upper_is_peri = 0; upper_is_peri < 2; upper_is_peri++) {
        ct_world_def def = mixed_def(2, CT_DOUBLE, 2);
        set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.5);
        def.gravity.constant[1] = -9.81;
        ct_world *world = create(&def);
        int jelly = add_jelly(world), rubber = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
        ct_body_def lower = block(upper_is_peri ? rubber : jelly, 0.2, 0, 0, 0.6, 0.25, 0),
                    upper = block(upper_is_peri ? jelly : rubber, 0.35, 0.32, 0, 0.3, 0.2, 0);
        add_body(world, &lower), add_body(world, &upper);
        double first = 0, last = 0;
        for (int k = 1; k <= 100; k++) {
            double p[3];
            CHECK(ct_world_run_until(world, 0.03 * k, error));
            assert_true(gap_of(world) > -0.5 * spacing);
            momentum_of(world, 1, 2, p);
            if (k < 15) first = fmax(first, fabs(p[1]));
            if (k > 85) last = fmax(last, fabs(p[1]));
        }
        assert_true(first > 50); /* kg m/s: the control, 60 kg that fell 7 cm */
        assert_true(last < 0.25 * first);
        assert_true(gap_of(world) < spacing);
        ct_world_destroy(world);
    }
}

/* Sand of 30 times its mass falls on a cloth (in 2D a line) that is held at both ends, and stays on it. */
static void a_cloth_holds_sand(void **state)
{
    (void)state;
    static const double ends[2][3] = {{-0.45, 0.5, 0}, {0.45, 0.5, 0}};
    for (int friction = 0; friction < 2; friction++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.02);
        def.contact.friction = 0.5 * friction;
        def.gravity.constant[1] = -9.81;
        def.peri.iterations = 20;
        ct_world *world = create(&def);
        int sand = add_sand(world);
        int cotton = add_kind(world, "elastic", 300, (ct_parameter[]){{"young", 4e5}, {"poisson", 0.25}}, 2);
        ct_body_def line = ct_default_body_def(), heap = block(sand, -0.2, 0.53, 0, 0.4, 0.17, 0);
        line.material = cotton;
        line.shape.type = CT_SHAPE_POLYLINE;
        line.shape.points = ends;
        line.shape.point_count = 2;
        line.has_hold = true; /* all but its middle */
        line.hold.type = CT_SHAPE_DIFFERENCE;
        ct_shape_def parts[2] = {line.hold, line.hold};
        parts[0].type = parts[1].type = CT_SHAPE_BOX;
        for (int a = 0; a < 2; a++)
            parts[0].min[a] = -9, parts[0].max[a] = 9, parts[1].min[a] = -0.4, parts[1].max[a] = 0.9;
        parts[1].max[0] = 0.4;
        line.hold.children = parts;
        line.hold.child_count = 2;
        add_body(world, &line), add_body(world, &heap);
        CHECK(ct_world_run_until(world, 0.6, error));
        triple *x = positions_of(world);
        uint16_t *body = bodies_of(world);
        size_t below = 0;
        for (size_t k = 0; k < count_of(world); k++) {
            double nearest = INFINITY, height = 0;
            for (size_t j = 0; j < count_of(world) && body[k] == 1; j++)
                if (body[j] == 0 && fabs(x[j][0] - x[k][0]) < nearest)
                    nearest = fabs(x[j][0] - x[k][0]), height = x[j][1];
            below += body[k] == 1 && nearest < 0.02 && x[k][1] < height;
        }
        assert_int_equal(below, 0);
        free(x), free(body);
        ct_world_destroy(world);
    }
}

/* Quantities and links go over all kinds by id; fields that a kind lacks have a default. */
static void reads_go_over_all_kinds(void **state)
{
    (void)state;
    ct_world_def def = mixed_def(3, CT_DOUBLE, 1);
    ct_world *world = meeting(&def);
    steps(world, 3);
    size_t count = count_of(world);
    double *J = values_of(world, "J");
    uint16_t *body = bodies_of(world);
    uint32_t *id = malloc(count * sizeof *id);
    CHECK(ct_world_read(world, "id", id, count * sizeof *id, error));
    triple *x = positions_of(world);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(id[k], k);
        assert_true(J[k] > 0.5 && J[k] < 2);
        if (k) assert_true(body[k] >= body[k - 1]); /* bodies were added in this order */
    }
    ct_links_info links = ct_world_links(world);
    assert_true(links.triangle_count > 100);
    for (uint64_t k = 0; k < links.triangle_count; k++)
        for (int c = 0; c < 3; c++) {
            assert_true(body[links.triangles[k][c]] == 3);
            assert_near(x[links.triangles[k][c]][1], 0.5, 0.1);
        }
    ct_view view;
    CHECK(ct_world_view(world, "velocity", &view, error));
    size_t first = (size_t)view.count;
    CHECK(ct_world_view(world, "peridynamics.velocity", &view, error));
    assert_int_equal(first + (size_t)view.count, count);
    ct_error refusal;
    assert_int_equal(ct_world_view(world, "elements.velocity", &view, &refusal), CT_BAD_USAGE);
    free(id), free(body), free(J), free(x);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_given_is_momentum_taken),
        cmocka_unit_test(threads_and_restores_change_no_bit),
        cmocka_unit_test(a_kind_is_as_if_it_were_alone),
        cmocka_unit_test(who_parts_is_left_alone),
        cmocka_unit_test(a_block_comes_to_rest_on_another_kind),
        cmocka_unit_test(a_cloth_holds_sand),
        cmocka_unit_test(reads_go_over_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
