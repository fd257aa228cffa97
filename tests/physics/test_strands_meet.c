/* Strands and the other kinds of matter: what they give each other, that nothing else changes, and that held
 * threads carry what falls on them. */
#include "physics/worlds.h"

#include <unistd.h>

static const double SPACING = 0.05;

enum { SNOW, RIGID, JELLY, KINDS };

static int add_kind(ct_world *world, int kind)
{
    const ct_parameter elastic[] = {{"young", 1e5}, {"poisson", 0.25}};
    if (kind == SNOW) return add_matter(world, "fixed_corotated", 400, elastic, 2);
    if (kind == RIGID) return add_matter(world, "rigid", 800, NULL, 0);
    return add_matter(world, "elastic", 800, elastic, 2);
}

static int add_thread(ct_world *world)
{
    return add_matter(world, "strand", 1000, (ct_parameter[]){{"young", 1e7}, {"poisson", 0.25}}, 2);
}

/* Threads in the plane y = 0, along x and, in 3D, side by side. */
static void add_threads(ct_world *world, int material, int count)
{
    for (int k = 0; k < count; k++) {
        double z = 0.04 * (k - 0.5 * (count - 1));
        const double points[2][3] = {{-0.3, 0, z}, {0.3, 0, z}};
        ct_body_def body = ct_default_body_def();
        body.material = material;
        body.shape.type = CT_SHAPE_POLYLINE;
        body.shape.points = points;
        body.shape.point_count = 2;
        body.shape.radius = 0.01;
        add_body(world, &body);
    }
}

static ct_body_def ball_of(int material, double y, double speed)
{
    ct_body_def body = ball(material, 0.011, y, 0.007, 0.12);
    body.pattern = CT_PATTERN_LATTICE;
    body.velocity[1] = speed, body.velocity[0] = 0.3;
    return body;
}

static ct_world *meeting(int dimension, ct_precision precision, int threads, int kind)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, SPACING);
    def.precision = precision;
    def.threads = threads;
    ct_world *world = create(&def);
    int other = add_kind(world, kind), thread = add_thread(world);
    add_threads(world, thread, dimension == 3 ? 6 : 1);
    ct_body_def body = ball_of(other, 0.2, -2);
    add_body(world, &body);
    return world;
}

/* kg m/s: of the particles of bodies [first, last), and the sum of lengths over all. Rigid bodies have as many
 * particles as show them, with their mass. */
static double momentum_of(const ct_world *world, int first, int last, double sum[3])
{
    size_t count = count_of(world);
    triple *v = velocities_of(world);
    double *mass = values_of(world, "mass"), all = 0;
    uint16_t *body = malloc((count + 1) * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count * sizeof *body, error));
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

/* A ball of each kind flies into free threads. The bound is round-off; a law that gave one side 1% more would
 * be off by 1e-3 and more. */
static void momentum_given_is_momentum_taken(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < KINDS; k++) {
            ct_world *world = meeting(dimension, CT_DOUBLE, 2, k);
            int threads = dimension == 3 ? 6 : 1;
            double own[3];
            double size = momentum_of(world, 0, threads, own);
            ct_world_sums before = ct_world_get_sums(world);
            CHECK(ct_world_run_until(world, 0.12, error));
            ct_world_sums after = ct_world_get_sums(world);
            momentum_of(world, 0, threads, own);
            for (int a = 0; a < 3; a++) assert_near(after.momentum[a], before.momentum[a], 1e-11 * size);
            assert_true(own[1] < -0.01 * size); /* the control: contact took the threads along */
            ct_world_destroy(world);
        }
}

/* With another kind 40 m away strands are as if they were alone, to the bit; near it they are not. */
static void out_of_reach_changes_no_bit(void **state)
{
    (void)state;
    for (int is_near = 0; is_near < 2; is_near++) {
        ct_world *worlds[2];
        for (int w = 0; w < 2; w++) {
            ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
            def.precision = CT_FLOAT;
            def.strands.spacing = 0.025;
            def.method = CT_METHOD_STRANDS;
            def.gravity.constant[1] = -9.81;
            def.step.fixed = 1e-3;
            worlds[w] = create(&def);
            add_threads(worlds[w], add_thread(worlds[w]), 6);
        }
        ct_body_def snow = ball_of(add_kind(worlds[1], SNOW), is_near ? -0.15 : 40, 0);
        add_body(worlds[1], &snow);
        for (int w = 0; w < 2; w++) steps(worlds[w], 60);
        triple *alone = positions_of(worlds[0]), *both = positions_of(worlds[1]);
        size_t bytes = count_of(worlds[0]) * sizeof *alone;
        assert_int_equal(memcmp(alone, both, bytes) == 0, !is_near);
        free(alone), free(both);
        ct_world_destroy(worlds[0]), ct_world_destroy(worlds[1]);
    }
}

static void threads_and_restores_change_no_bit(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "strands_meet_%d.ct", (int)getpid());
    for (int kind = 0; kind < KINDS; kind++) {
        ct_world *one = meeting(3, CT_FLOAT, 1, kind), *many = meeting(3, CT_FLOAT, 5, kind);
        CHECK(ct_world_run_until(one, 0.06, error));
        CHECK(ct_world_run_until(many, 0.06, error));
        ct_hash half = hash_of(one);
        assert_same(hash_of(many), half);
        CHECK(ct_world_save(one, path, error));
        steps(one, 20), steps(many, 20);
        assert_same(hash_of(many), hash_of(one));
        CHECK(ct_world_restore(many, path, error));
        assert_same(hash_of(many), half);
        steps(many, 20);
        assert_same(hash_of(many), hash_of(one));
        ct_world_destroy(one), ct_world_destroy(many);
    }
    remove(path);
}

/* Threads between two grips, 60 cm long, and a ball of several times their mass that falls on them from 2 cm: it
 * stays above. Without grips it takes them along and down: the control. */
static void held_threads_carry(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int is_held = 0; is_held < 2; is_held++) {
            ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
            def.gravity.constant[1] = -9.81;
            ct_world *world = create(&def);
            int other = add_kind(world, kind), thread = add_thread(world);
            add_threads(world, thread, 6);
            for (int side = -1; side <= 1 && is_held; side += 2) {
                ct_collider_def grip = ct_default_collider_def();
                grip.grip = true;
                grip.shape.type = CT_SHAPE_SPHERE;
                grip.shape.center[0] = 0.6 * side, grip.shape.radius = 0.34;
                CHECK(ct_world_add_collider(world, &grip, NULL, error));
            }
            ct_body_def body = ball_of(other, 0.16, 0);
            body.velocity[0] = 0;
            add_body(world, &body);
            CHECK(ct_world_run_until(world, 0.5, error));
            triple *x = positions_of(world);
            double *mass = values_of(world, "mass"), sum[2] = {0}, weight[2] = {0};
            uint16_t *number = malloc(count_of(world) * sizeof *number);
            CHECK(ct_world_read(world, "body", number, count_of(world) * sizeof *number, error));
            for (size_t p = 0; p < count_of(world); p++) {
                weight[number[p] == 6] += mass[p];
                sum[number[p] == 6] += mass[p] * x[p][1];
            }
            assert_true(weight[1] > 2.5 * weight[0]);
            assert_true(is_held ? sum[1] / weight[1] > 0.04 : sum[1] / weight[1] < -1);
            assert_true(is_held ? sum[0] / weight[0] > -0.03 : sum[0] / weight[0] < -1);
            free(x), free(mass), free(number);
            ct_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_given_is_momentum_taken),
        cmocka_unit_test(out_of_reach_changes_no_bit),
        cmocka_unit_test(threads_and_restores_change_no_bit),
        cmocka_unit_test(held_threads_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
