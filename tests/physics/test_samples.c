/* Contact samples of peridynamic bodies: where surfaces are, what impulses do, and a rigid ball of the test's
 * own that meets a cloth and a block through them. */
#include "physics/worlds.h"

static const double SPACING = 0.02;

static ct_world_def samples_def(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, SPACING);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.step.fixed = 1.0 / 500;
    return def;
}

static ct_samples samples_of(ct_world *world)
{
    ct_samples samples;
    CHECK(ct_world_samples(world, &samples, error));
    return samples;
}

/* Honey, or sand without static friction, which holds single grains and takes their momentum. */
static int add_material(ct_world *world, const char *type)
{
    bool is_fluid = !strcmp(type, "viscous");
    ct_parameter parameter = {is_fluid ? "viscosity" : "static_friction", is_fluid ? 5 : 0};
    ct_material_def def = ct_default_material_def();
    def.type = type;
    def.density = 1500;
    def.parameters = &parameter;
    def.parameter_count = 1;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static int add_rubber(ct_world *world)
{
    return add_elastic(world, "elastic", 400, 3e5, 0.25);
}

/* A square cloth (in 2D a line) of 0.6 m across y. */
static ct_body_def cloth(int material, int dimension)
{
    static const double edges[2][3] = {{0.6, 0, 0}, {0, 0, 0.6}}, ends[2][3] = {{-0.3, 0, 0}, {0.3, 0, 0}};
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.pattern = CT_PATTERN_LATTICE;
    def.shape.type = dimension == 3 ? CT_SHAPE_SHEET : CT_SHAPE_POLYLINE;
    def.shape.corner[0] = -0.3, def.shape.corner[2] = -0.3;
    def.shape.edges = edges, def.shape.edge_count = 2;
    def.shape.points = ends, def.shape.point_count = 2;
    return def;
}

/* ---- Surfaces ----------------------------------------------------------------------------------------- */

/* A block of 10 particles along each side: the outermost layer, and no other, whether solid or not. Inside
 * one of its faces the normal is the axis. An L, which has a concave edge, too. */
static void surfaces_are_the_outermost_layer(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < 3; kind++) {
            ct_world_def def = samples_def(dimension);
            ct_world *world = create(&def);
            int material = kind == 0   ? add_rubber(world)
                           : kind == 1 ? add_material(world, "granular")
                                       : add_material(world, "viscous");
            ct_body_def body = block(material, 0, 0, 0, 0.2, 0.2, 0.2);
            add_body(world, &body);
            ct_samples samples = samples_of(world);
            assert_int_equal(samples.count, dimension == 3 ? 1000 - 512 : 100 - 64);
            assert_near(samples.radius, 0.5 * SPACING, 1e-15);
            triple *x = positions_of(world), *v = velocities_of(world);
            double *m = values_of(world, "mass");
            for (size_t k = 0; k < samples.count; k++) {
                size_t p = samples.row[k];
                int outside = 0, along = -1;
                for (int a = 0; a < dimension; a++) {
                    bool is_out = fabs(samples.position[k][a] - 0.1) > 0.08;
                    outside += is_out;
                    if (is_out) along = a;
                }
                assert_true(outside > 0);
                double sign = samples.position[k][along] > 0.1 ? 1 : -1;
                if (outside == 1) assert_true(samples.normal[k][along] * sign > 0.9);
                assert_memory_equal(samples.position[k], x[p], sizeof x[p]);
                assert_memory_equal(samples.velocity[k], v[p], sizeof v[p]);
                assert_true(samples.mass[k] == m[p] && samples.body[k] == 0);
                assert_true(k == 0 || p > samples.row[k - 1]);
            }
            free(x), free(v), free(m);
            ct_world_destroy(world);
        }
    ct_world_def def = samples_def(2);
    ct_world *world = create(&def);
    ct_shape_def parts[2] = {ct_default_shape_def(), ct_default_shape_def()};
    for (int a = 0; a < 2; a++) parts[0].max[a] = 0.2, parts[1].min[a] = 0.1, parts[1].max[a] = 0.3;
    for (int a = 0; a < 3; a++) parts[0].min[a] = 0;
    ct_body_def body = ct_default_body_def();
    body.material = add_rubber(world);
    body.pattern = CT_PATTERN_LATTICE;
    body.shape.type = CT_SHAPE_DIFFERENCE, body.shape.children = parts, body.shape.child_count = 2;
    add_body(world, &body);
    assert_int_equal(count_of(world), 75);
    assert_int_equal(samples_of(world).count, 75 - 39); /* 8 x 8 less 5 x 5 are inside */
    ct_world_destroy(world);
}

/* Everything of a cloth and of a strand, and no ghosts. A cloth's normal is across it. */
static void sheets_and_strands_are_all_surface(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = samples_def(dimension);
        ct_world *world = create(&def);
        ct_body_def sheet = cloth(add_rubber(world), dimension);
        add_body(world, &sheet);
        ct_samples samples = samples_of(world);
        assert_int_equal(samples.count, count_of(world));
        for (size_t k = 0; k < samples.count; k++) assert_near(fabs(samples.normal[k][1]), 1, 1e-12);
        ct_world_destroy(world);
    }
    ct_world_def def = samples_def(3);
    ct_world *world = create(&def);
    ct_body_def rod = cloth(add_rubber(world), 2);
    rod.shape.has_twist = true;
    add_body(world, &rod);
    ct_samples samples = samples_of(world);
    assert_int_equal(4 * samples.count, count_of(world)); /* three ghosts each */
    for (size_t k = 0; k < samples.count; k++)
        for (int a = 0; a < 3; a++) assert_true(samples.normal[k][a] == 0);
    ct_world_destroy(world);
}

/* ---- Impulses ----------------------------------------------------------------------------------------- */

/* Whatever is given at random, to rounding: at once, and after the steps that spread it. A body that is held
 * takes less (the control): what its held samples are given is lost. */
static void what_is_given_is_received(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < 4; kind++)
            for (int is_held = 0; is_held <= (kind == 0); is_held++) {
                ct_world_def def = samples_def(dimension);
                ct_world *world = create(&def);
                const char *types[] = {"elastic", "elastic", "granular", "viscous"};
                int material = kind < 2 ? add_rubber(world) : add_material(world, types[kind]);
                ct_body_def body = block(material, 0, 0, 0, 0.2, 0.1, 0.1),
                            sheet = cloth(material, dimension);
                body.has_hold = is_held;
                for (int a = 0; a < 3; a++) body.hold.min[a] = -1, body.hold.max[a] = a == 0 ? 0.05 : 1;
                add_body(world, kind == 1 ? &sheet : &body);
                double given[3] = {0}, scale = 0, worst = 0;
                uint64_t seed = 7;
                for (int round = 0; round < 3; round++) {
                    ct_samples samples = samples_of(world);
                    triple *impulse = malloc(samples.count * sizeof *impulse);
                    for (size_t k = 0; k < samples.count; k++)
                        for (int a = 0; a < 3; a++) {
                            impulse[k][a] = 1e-4 * uniform(&seed);
                            if (a < dimension) given[a] += impulse[k][a], scale += fabs(impulse[k][a]);
                        }
                    ct_push_def push = ct_default_push_def();
                    push.samples = &samples, push.impulse = (const double(*)[3])impulse;
                    CHECK(ct_world_push(world, &push, error));
                    free(impulse);
                    for (int k = 0; k < 3; k++) {
                        ct_world_sums sums = ct_world_get_sums(world);
                        for (int a = 0; a < dimension; a++)
                            worst = fmax(worst, fabs(sums.momentum[a] - given[a]));
                        CHECK(ct_world_step(world, error));
                    }
                }
                print_message("%dD, %s%s: %.2g of what was given is missing\n", dimension,
                              kind == 1 ? "cloth" : types[kind], is_held ? ", held" : "", worst / scale);
                if (is_held) assert_true(worst > 1e-3 * scale);
                else assert_true(worst < 1e-13 * scale);
                ct_world_destroy(world);
            }
}

static void assert_refused(ct_world *world, const ct_push_def *push, const char *why)
{
    ct_error error;
    assert_int_equal(ct_world_push(world, push, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, why));
}

/* Samples of another moment, numbers that are none, definitions that are none. */
static void wrong_impulses_are_refused(void **state)
{
    (void)state;
    ct_world_def def = samples_def(2);
    ct_world *world = create(&def);
    ct_body_def body = block(add_rubber(world), 0, 0, 0, 0.04, 0.04, 0);
    add_body(world, &body);
    double impulse[4][3] = {{0}};
    ct_samples samples = samples_of(world);
    assert_int_equal(samples.count, 4);
    ct_push_def push = ct_default_push_def();
    assert_refused(world, &push, "no samples");
    push.samples = &samples, push.impulse = (const double(*)[3])impulse;
    ct_hash before = hash_of(world);
    impulse[3][1] = NAN;
    assert_refused(world, &push, "sample 3");
    assert_same(hash_of(world), before);
    impulse[3][1] = 1e-3;
    CHECK(ct_world_push(world, &push, error));
    CHECK(ct_world_step(world, error));
    assert_refused(world, &push, "after every step");
    samples = samples_of(world);
    add_body(world, &body);
    assert_refused(world, &push, "as it is");
    samples = samples_of(world);
    assert_int_equal(samples.count, 8);
    push.cookie = 0;
    assert_refused(world, &push, "ct_default_push_def");
    ct_world_destroy(world);

    def = quiet_def(2, CT_KERNEL_QUADRATIC, SPACING); /* MPM has bodies of particles, but no samples */
    world = create(&def);
    body.material = add_dust(world);
    add_body(world, &body);
    samples = samples_of(world);
    assert_int_equal(samples.count, 0);
    push = ct_default_push_def();
    push.samples = &samples;
    CHECK(ct_world_push(world, &push, error));
    ct_world_destroy(world);
}

/* ---- A body of another kind ---------------------------------------------------------------------------- */

/* A rigid ball that slides on what it meets. */
typedef struct rigid_ball {
    double x[3], v[3], mass, radius;
} rigid_ball;

/* What brings a sample and the ball apart: each pair alone would stop the approach, and part what overlaps
 * within ten steps; all pairs share the ball's mass. */
static void meet(rigid_ball *b, const ct_samples *samples, double dt, triple *impulse)
{
    double reach = b->radius + samples->radius, got[3] = {0};
    size_t pairs = 0;
    for (size_t k = 0; k < samples->count; k++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += pow(samples->position[k][a] - b->x[a], 2);
        pairs += square < reach * reach;
    }
    for (size_t k = 0; k < samples->count; k++) {
        double n[3], square = 0, closing = 0;
        for (int a = 0; a < 3; a++) {
            impulse[k][a] = 0;
            n[a] = samples->position[k][a] - b->x[a];
            square += n[a] * n[a];
        }
        double distance = sqrt(square), missing = reach - distance;
        if (!(missing > 0)) continue;
        for (int a = 0; a < 3; a++) closing += (b->v[a] - samples->velocity[k][a]) * n[a] / distance;
        double size = (closing + 0.1 * missing / dt) / (1 / samples->mass[k] + (double)pairs / b->mass);
        for (int a = 0; a < 3 && size > 0; a++) {
            impulse[k][a] = size * n[a] / distance;
            got[a] -= impulse[k][a];
        }
    }
    for (int a = 0; a < 3; a++) b->v[a] += got[a] / b->mass;
}

/* A ball flies at 2 m/s at something that is free and without gravity. Returns by how much it has passed the
 * particle that is nearest to its axis; momentum of both together must be as it was. */
static double passed_by(int dimension, bool is_cloth, bool meets)
{
    ct_world_def def = samples_def(dimension);
    ct_world *world = create(&def);
    int rubber = add_rubber(world);
    ct_body_def sheet = cloth(rubber, dimension), body = block(rubber, -0.1, -0.06, -0.1, 0.2, 0.06, 0.2);
    add_body(world, is_cloth ? &sheet : &body);
    rigid_ball b = {.x = {0.01, 0.12, 0}, .v = {0.1, -2, 0}, .mass = 0.3, .radius = 0.1};
    double start[3] = {b.mass * b.v[0], b.mass * b.v[1], 0}, worst = 0;
    for (int k = 0; k < 200; k++) {
        ct_samples samples = samples_of(world);
        triple *impulse = malloc(samples.count * sizeof *impulse);
        ct_push_def push = ct_default_push_def();
        push.samples = &samples, push.impulse = (const double(*)[3])impulse;
        if (meets) meet(&b, &samples, def.step.fixed, impulse);
        if (meets) CHECK(ct_world_push(world, &push, error));
        free(impulse);
        CHECK(ct_world_step(world, error));
        for (int a = 0; a < 3; a++) b.x[a] += def.step.fixed * b.v[a];
        ct_world_sums sums = ct_world_get_sums(world);
        for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(sums.momentum[a] + b.mass * b.v[a] - start[a]));
    }
    triple *x = positions_of(world);
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t p = 0; p < count_of(world); p++) {
        double off = hypot(x[p][0] - b.x[0], x[p][2] - b.x[2]);
        if (off < least) least = off, nearest = p;
    }
    double passed = x[nearest][1] - b.x[1];
    free(x);
    ct_world_destroy(world);
    print_message("%dD, %s%s: ball at %.3f m with %.3f m/s, %.3f m beyond; momentum off by %.2g of it\n",
                  dimension, is_cloth ? "cloth" : "block", meets ? "" : " without impulses", b.x[1], b.v[1],
                  passed, worst / -start[1]);
    assert_true(worst < 1e-12 * -start[1]);
    return passed;
}

/* It is stopped, or thrown back: its middle stays its radius off, less an overlap of a tenth. The control
 * goes on. */
static void rigid_ball_meets_bodies(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int is_cloth = 0; is_cloth <= 1; is_cloth++) {
            assert_true(passed_by(dimension, is_cloth, true) < -0.09);
            assert_true(passed_by(dimension, is_cloth, false) > 0.5);
        }
}

/* ---- The same bits ------------------------------------------------------------------------------------- */

/* A drop of honey and a rubber block, pushed about at their surfaces. */
static ct_hash pushed_about(int threads, ct_precision precision)
{
    ct_world_def def = samples_def(3);
    def.threads = threads;
    def.precision = precision;
    ct_world *world = create(&def);
    ct_body_def one = block(add_rubber(world), 0, 0, 0, 0.2, 0.2, 0.2),
                other = ball(add_material(world, "viscous"), 0.1, 0.32, 0.1, 0.1);
    other.velocity[1] = -1;
    add_body(world, &one);
    add_body(world, &other);
    for (int k = 0; k < 12; k++) {
        ct_samples samples = samples_of(world);
        triple *impulse = malloc(samples.count * sizeof *impulse);
        for (size_t i = 0; i < samples.count; i++)
            for (int a = 0; a < 3; a++)
                impulse[i][a] =
                    -samples.mass[i] * (0.1 * samples.normal[i][a] + 0.01 * samples.velocity[i][a]);
        ct_push_def push = ct_default_push_def();
        push.samples = &samples, push.impulse = (const double(*)[3])impulse;
        CHECK(ct_world_push(world, &push, error));
        free(impulse);
        CHECK(ct_world_step(world, error));
    }
    ct_hash hash = hash_of(world);
    ct_world_destroy(world);
    return hash;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
        ct_hash one = pushed_about(1, (ct_precision)precision);
        for (int threads = 2; threads <= 5; threads += 3)
            assert_same(pushed_about(threads, (ct_precision)precision), one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_the_outermost_layer),
        cmocka_unit_test(sheets_and_strands_are_all_surface),
        cmocka_unit_test(what_is_given_is_received),
        cmocka_unit_test(wrong_impulses_are_refused),
        cmocka_unit_test(rigid_ball_meets_bodies),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
