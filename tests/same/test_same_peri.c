/* Peridynamics, bit for bit: any number of threads, save and restore at any moment, far from the origin. */
#include "physics/worlds.h"

#include "core/cholesky.h"

#include <unistd.h>

/* A box of 1 m with walls, moved by `shift` metres. */
static ct_world_def room(int dimension, ct_precision precision, int threads, double shift)
{
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_PERIDYNAMICS;
    def.dimension = dimension;
    def.precision = precision;
    def.threads = threads;
    def.spacing = 1.0 / 32;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_min[a] = shift, def.domain_max[a] = shift + 1;
    return def;
}

/* Two elastic bodies, one of them held, that swing, fall and meet walls of all kinds; moved by `shift`
 * metres. */
static ct_world *busy_world_by(ct_peri_solver solver, int dimension, ct_precision precision, int threads,
                               double shift)
{
    ct_world_def def = room(dimension, precision, threads, shift);
    def.peri.solver = solver;
    def.peri.line_search = solver == CT_PERI_JACOBI;
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_Y_MIN] = (ct_wall_def){.type = CT_WALL_SEPARATE, .friction = 0.3};
    ct_world *world = create(&def);
    ct_parameter constants[] = {{"young", 1e5}, {"poisson", 0.25}};
    ct_material_def rubber = ct_default_material_def();
    rubber.type = "elastic";
    rubber.parameters = constants;
    rubber.parameter_count = 2;
    CHECK(ct_world_add_material(world, &rubber, NULL, error));
    ct_body_def upper = ball(0, shift + 0.7, shift + 0.35, shift + 0.5, 0.15), lower = ct_default_body_def();
    upper.velocity[1] = -20;
    upper.spin_rate = 9;
    for (int a = 0; a < 3; a++) lower.shape.min[a] = shift + 0.0625, lower.shape.max[a] = shift + 0.375;
    lower.pattern = CT_PATTERN_LATTICE;
    lower.has_hold = true;
    lower.hold.min[0] = shift, lower.hold.max[0] = shift + 0.1;
    for (int a = 1; a < 3; a++) lower.hold.min[a] = shift - 1, lower.hold.max[a] = shift + 1;
    add_body(world, &upper);
    add_body(world, &lower);
    return world;
}

static ct_world *busy_world(int dimension, ct_precision precision, int threads, double shift)
{
    return busy_world_by(CT_PERI_CHEBYSHEV, dimension, precision, threads, shift);
}

/* An elastic ball falls into wet sand beside honey; everything flows, yields and meets. */
static ct_world *flowing_world(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = room(dimension, precision, threads, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_world *world = create(&def);
    static const ct_parameter rubber[] = {{"young", 1e5}, {"poisson", 0.25}},
                              sand[] = {{"saturation", 0.3}, {"cohesion", 500}},
                              honey[] = {{"viscosity", 5}, {"shear", 1e3}, {"yield_stress", 50}},
                              clay[] = {{"bulk", 3e5}, {"shear", 1e5}, {"cohesion", 2e3}};
    static const struct {
        const char *type;
        const ct_parameter *parameters;
        int count;
    } kinds[] = {{"elastic", rubber, 2}, {"granular", sand, 2}, {"viscous", honey, 3}, {"plastic", clay, 3}};
    for (int k = 0; k < 4; k++) {
        ct_material_def material = ct_default_material_def();
        material.type = kinds[k].type;
        material.parameters = kinds[k].parameters;
        material.parameter_count = kinds[k].count;
        CHECK(ct_world_add_material(world, &material, NULL, error));
    }
    ct_body_def bodies[] = {ball(0, 0.4, 0.6, 0.5, 0.1), block(1, 0.25, 0, 0.25, 0.25, 0.4, 0.3),
                            block(2, 0.5, 0, 0.25, 0.2, 0.3, 0.3), ball(3, 0.8, 0.3, 0.4, 0.1)};
    for (int k = 0; k < 4; k++) {
        bodies[k].velocity[1] = k % 3 ? 0 : -8;
        bodies[k].pattern = CT_PATTERN_LATTICE;
        bodies[k].name = kinds[k].type;
        add_body(world, &bodies[k]);
    }
    return world;
}

/* The same, with honey that comes from a nozzle and what a sink and a free wall take. */
static ct_world *passing_world(int dimension, ct_precision precision, int threads)
{
    ct_world *world = flowing_world(dimension, precision, threads);
    ct_source_def source = ct_default_source_def();
    source.name = "nozzle";
    source.material = 2;
    source.type = dimension == 3 ? CT_SOURCE_FLUXED : CT_SOURCE_SPOUT;
    for (int a = 0; a < 3; a++) source.shape.min[a] = 0.6, source.shape.max[a] = 0.8;
    source.velocity.constant[0] = -1, source.velocity.constant[1] = -3;
    CHECK(ct_world_add_source(world, &source, NULL, error));
    ct_sink_def sink = ct_default_sink_def();
    sink.name = "sink";
    for (int a = 0; a < 3; a++) sink.shape.min[a] = 0.3, sink.shape.max[a] = 0.45;
    CHECK(ct_world_add_sink(world, &sink, NULL, error));
    return world;
}

/* The same, with rubber that melts, half of it soon and the rest later, and clay that sets. */
static ct_world *changing_world(int dimension, ct_precision precision, int threads)
{
    static const struct {
        const char *name, *from;
        int material;
        double time;
    } changes[] = {{"soon", "elastic", 2, 0.01}, {"later", "elastic", 2, 0.04}, {"sets", "plastic", 0, 0.02}};
    ct_world *world = flowing_world(dimension, precision, threads);
    for (int k = 0; k < 3; k++) {
        ct_change_def change = ct_default_change_def();
        change.name = changes[k].name;
        change.from = changes[k].from;
        change.material = changes[k].material;
        change.time = changes[k].time;
        change.has_shape = k == 0;
        for (int a = 0; a < 3; a++) change.shape.min[a] = 0, change.shape.max[a] = a ? 1 : 0.4;
        CHECK(ct_world_add_change(world, &change, NULL, error));
    }
    return world;
}

typedef ct_world *make_world(int dimension, ct_precision precision, int threads);

static void assert_same_bits(make_world *make)
{
    static const int threads[] = {1, 2, 3};
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_hash first = {0};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            ct_world *world = make(dimension, CT_FLOAT, threads[t]);
            char path[] = "flow-XXXXXX";
            close(mkstemp(path));
            steps(world, 7);
            if (!t) ct_world_get_sums(world); /* looking changes nothing */
            CHECK(ct_world_save(world, path, error));
            steps(world, 8);
            if (!t) first = hash_of(world);
            assert_same(hash_of(world), first);
            ct_world *restored = make(dimension, CT_FLOAT, 2);
            CHECK(ct_world_restore(restored, path, error));
            steps(restored, 8);
            assert_same(hash_of(restored), first);
            ct_world_destroy(world);
            ct_world_destroy(restored);
            unlink(path);
        }
        ct_world *longer = make(dimension, CT_FLOAT, 1);
        steps(longer, 16);
        ct_hash other = hash_of(longer);
        assert_true(other.low != first.low); /* the control: a step more is another state */
        ct_world_destroy(longer);
    }
}

static void what_flows_is_the_same(void **state)
{
    (void)state;
    assert_same_bits(flowing_world);
}

static void what_comes_and_goes_is_the_same(void **state)
{
    (void)state;
    assert_same_bits(passing_world);
    ct_world *world = passing_world(3, CT_FLOAT, 2);
    steps(world, 15);
    ct_world_info info = ct_world_get_info(world);
    assert_true(info.emitted > 100 && info.sunk > 10);
    ct_world_destroy(world);
}

static void what_changes_is_the_same(void **state)
{
    (void)state;
    assert_same_bits(changing_world);
    ct_world *world = changing_world(3, CT_FLOAT, 2);
    steps(world, 15);
    uint64_t materials[4] = {0};
    size_t count = count_of(world);
    uint16_t *material = malloc(count * sizeof *material);
    CHECK(ct_world_read(world, "material", material, count * sizeof *material, error));
    for (size_t p = 0; p < count; p++) materials[material[p]]++;
    free(material);
    assert_true(materials[0] > 0 && materials[3] == 0);
    ct_world_destroy(world);
}

static void threads_and_repeats(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7, 2};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_hash first = {0};
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                ct_world *world = busy_world(dimension, precision, threads[t], 0);
                steps(world, 12);
                assert_true(ct_world_get_sums(world).elastic > 1e-3);
                if (!t) first = hash_of(world);
                assert_same(hash_of(world), first);
                ct_world_destroy(world);
            }
        }
}

static void save_and_restore(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int after = 0; after < 12; after += 3) {
            char path[] = "peri-XXXXXX";
            close(mkstemp(path));
            ct_world *whole = busy_world(dimension, CT_FLOAT, 2, 0),
                     *restored = busy_world(dimension, CT_FLOAT, 1, 0);
            steps(whole, after);
            CHECK(ct_world_save(whole, path, error));
            steps(restored, 2);
            CHECK(ct_world_restore(restored, path, error));
            assert_same(hash_of(restored), hash_of(whole));
            if (after % 2) ct_world_get_sums(restored); /* looking changes nothing */
            steps(whole, 10);
            steps(restored, 10);
            assert_same(hash_of(restored), hash_of(whole));
            ct_world_destroy(whole);
            ct_world_destroy(restored);
            unlink(path);
        }
}

/* The other solvers, Jacobi's with a line search: threads, and a restored world, whose matrix is not factored
 * yet. The control: no two of them come to the same bits. */
static void every_solver_is_the_same(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_hash first[CT_PERI_POSITIONS + 1] = {0};
        for (int solver = CT_PERI_CHEBYSHEV; solver <= CT_PERI_POSITIONS; solver++) {
            if (solver == CT_PERI_DIRECT && !ct_factor_is_built_in()) continue;
            char path[] = "peri-XXXXXX";
            close(mkstemp(path));
            for (int threads = 1; threads <= 3; threads++) {
                ct_world *whole = busy_world_by(solver, dimension, CT_FLOAT, threads, 0),
                         *restored = busy_world_by(solver, dimension, CT_FLOAT, 2, 0);
                steps(whole, 5);
                CHECK(ct_world_save(whole, path, error));
                CHECK(ct_world_restore(restored, path, error));
                steps(whole, 7);
                steps(restored, 7);
                if (threads == 1) first[solver] = hash_of(whole);
                assert_same(hash_of(whole), first[solver]);
                assert_same(hash_of(restored), first[solver]);
                ct_world_destroy(whole);
                ct_world_destroy(restored);
            }
            for (int other = CT_PERI_CHEBYSHEV; other < solver; other++)
                assert_true(first[other].low != first[solver].low);
            unlink(path);
        }
    }
}

/* 1 km is a whole number of blocks: velocities keep every bit. */
static void far_from_the_origin(void **state)
{
    (void)state;
    ct_world *near = busy_world(3, CT_FLOAT, 1, 0), *far = busy_world(3, CT_FLOAT, 1, 1000);
    steps(near, 10);
    steps(far, 10);
    size_t bytes = ct_world_get_info(near).particles * 3 * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes);
    CHECK(ct_world_read(near, "velocity", a, bytes, error));
    CHECK(ct_world_read(far, "velocity", b, bytes, error));
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    ct_world_destroy(near);
    ct_world_destroy(far);
}

/* A cloth on a ball that moves, a rod that a grip twists, a material that softens; all of it may touch
 * itself.
 */
static ct_world *cloth_world(int threads)
{
    static const double edges[2][3] = {{0.5, 0, 0}, {0, 0, 0.4}},
                        ends[2][3] = {{0.1, 0.6, 0.1}, {0.6, 0.6, 0.1}};
    static const double times[2] = {0, 0.05}, softer[2][3] = {{1, 0, 0}, {0.2, 0, 0}};
    static const double turned[2][3] = {{0, 0, 0}, {1, 0, 0}};
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_PERIDYNAMICS;
    def.threads = threads;
    def.spacing = 1.0 / 32;
    def.peri.self_contact = true;
    ct_world *world = create(&def);
    ct_parameter constants[] = {{"young", 1e5}, {"poisson", 0.25}, {"bending", 0.1}};
    ct_material_def cloth = ct_default_material_def();
    cloth.type = "elastic";
    cloth.parameters = constants, cloth.parameter_count = 3;
    cloth.stiffness_factor = (ct_track){.count = 2, .times = times, .values = softer};
    CHECK(ct_world_add_material(world, &cloth, NULL, error));
    ct_body_def sheet = ct_default_body_def(), rod = ct_default_body_def();
    sheet.shape.type = CT_SHAPE_SHEET;
    sheet.shape.edges = edges, sheet.shape.edge_count = 2;
    sheet.shape.corner[1] = 0.33;
    sheet.velocity[1] = -4;
    rod.shape.type = CT_SHAPE_POLYLINE;
    rod.shape.points = ends, rod.shape.point_count = 2;
    rod.shape.has_twist = true;
    add_body(world, &sheet);
    add_body(world, &rod);
    ct_collider_def ball_def = ct_default_collider_def(), grip = ct_default_collider_def();
    ball_def.shape.type = CT_SHAPE_SPHERE;
    ball_def.shape.center[0] = 0.25, ball_def.shape.center[2] = 0.2, ball_def.shape.radius = 0.3;
    ball_def.friction = 0.4;
    ball_def.motion.velocity[0] = 0.5;
    for (int a = 0; a < 3; a++) grip.shape.min[a] = ends[0][a] - 0.05, grip.shape.max[a] = ends[0][a] + 0.05;
    grip.grip = true;
    grip.motion.rotation = (ct_track){.count = 2, .times = times, .values = turned};
    CHECK(ct_world_add_collider(world, &ball_def, NULL, error));
    CHECK(ct_world_add_collider(world, &grip, NULL, error));
    return world;
}

static void cloth_and_rods(void **state)
{
    (void)state;
    char path[] = "cloth-XXXXXX";
    close(mkstemp(path));
    ct_world *whole = cloth_world(3), *restored = cloth_world(1);
    steps(whole, 9);
    CHECK(ct_world_save(whole, path, error));
    CHECK(ct_world_restore(restored, path, error));
    steps(whole, 9);
    steps(restored, 9);
    assert_same(hash_of(restored), hash_of(whole));
    ct_collider_info a, b;
    assert_true(ct_world_collider(whole, 0, &a) && ct_world_collider(restored, 0, &b));
    assert_true(a.impulse[1] < 0);
    assert_memory_equal(a.impulse, b.impulse, sizeof a.impulse);
    ct_links_info links = ct_world_links(whole), same = ct_world_links(restored);
    assert_int_equal(links.triangle_count, same.triangle_count);
    assert_int_equal(links.line_count, same.line_count);
    assert_memory_equal(links.triangles, same.triangles, links.triangle_count * sizeof *links.triangles);
    assert_memory_equal(links.lines, same.lines, links.line_count * sizeof *links.lines);
    ct_world_destroy(whole);
    ct_world_destroy(restored);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_repeats),      cmocka_unit_test(what_flows_is_the_same),
        cmocka_unit_test(save_and_restore),         cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(cloth_and_rods),           cmocka_unit_test(what_comes_and_goes_is_the_same),
        cmocka_unit_test(what_changes_is_the_same), cmocka_unit_test(every_solver_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
