/* Strands that touch each other: momentum, threads that carry each other, friction, bundles, bits. */
#include "physics/worlds.h"

#include <unistd.h>

static const double RADIUS = 0.005;

static ct_world *make(ct_precision precision, int threads, double gravity, double friction, double collide)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.02);
    def.method = CT_METHOD_STRANDS;
    def.precision = precision;
    def.threads = threads;
    def.gravity.constant[1] = gravity;
    def.contact.friction = friction;
    ct_world *world = create(&def);
    add_matter(world, "strand", 1000,
               (ct_parameter[]){{"young", 1e5}, {"poisson", 0.25}, {"collide", collide}}, 3);
    return world;
}

static void add_line(ct_world *world, double x0, double y0, double z0, double x1, double y1, double z1,
                     double vx, double vy, double vz)
{
    const double points[2][3] = {{x0, y0, z0}, {x1, y1, z1}};
    ct_body_def body = ct_default_body_def();
    body.material = 0;
    body.shape.type = CT_SHAPE_POLYLINE;
    body.shape.points = points;
    body.shape.point_count = 2;
    body.shape.radius = RADIUS;
    body.velocity[0] = vx, body.velocity[1] = vy, body.velocity[2] = vz;
    add_body(world, &body);
}

static void add_grip(ct_world *world, double x, double y, double z)
{
    ct_collider_def grip = ct_default_collider_def();
    grip.grip = true;
    grip.shape.type = CT_SHAPE_SPHERE;
    grip.shape.radius = 0.025;
    grip.shape.center[0] = x, grip.shape.center[1] = y, grip.shape.center[2] = z;
    CHECK(ct_world_add_collider(world, &grip, NULL, error));
}

/* Two crossed threads fly into each other and part the way they came or stop, or, the control, pass. */
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        ct_world *world = make(CT_DOUBLE, 2, 0, 0.3, collide);
        add_line(world, -0.1, 0, 0, 0.1, 0, 0, 0, 0, 0);
        add_line(world, 0.02, 0.04, -0.12, 0, 0.04, 0.1, 0.5, -2, 0);
        ct_world_sums before = ct_world_get_sums(world);
        CHECK(ct_world_run_until(world, 0.04, error));
        ct_world_sums after = ct_world_get_sums(world);
        double size = sqrt(before.momentum[0] * before.momentum[0] + before.momentum[1] * before.momentum[1]);
        for (int a = 0; a < 3; a++) assert_near(after.momentum[a], before.momentum[a], 1e-11 * size);
        triple *x = positions_of(world), *v = velocities_of(world);
        double fastest = 0;
        for (int i = 0; i < 11; i++) fastest = fmin(fastest, v[i][1]);
        if (collide) assert_true(fastest < -0.5);
        else assert_true(fastest == 0);
        assert_true(collide ? after.kinetic < 0.99 * before.kinetic
                            : fabs(after.kinetic - before.kinetic) < 1e-9 * before.kinetic);
        free(x), free(v);
        ct_world_destroy(world);
    }
}

/* A thread over a taut one, `offset` off its middle, after a second: how deep its highest vertex is. */
static double drape(double offset, double friction, double collide)
{
    ct_world *world = make(CT_DOUBLE, 1, -9.81, friction, collide);
    add_line(world, -0.2, 0, 0, 0.2, 0, 0, 0, 0, 0);
    add_line(world, 0, 0.0101, offset - 0.2, 0, 0.0101, offset + 0.2, 0, 0, 0);
    add_grip(world, -0.2, 0, 0), add_grip(world, 0.2, 0, 0);
    CHECK(ct_world_run_until(world, 1, error));
    triple *x = positions_of(world);
    double highest = -INFINITY;
    for (int i = 21; i < 42; i++) highest = fmax(highest, x[i][1]);
    free(x);
    ct_world_destroy(world);
    return highest;
}

static void a_thread_carries_another(void **state)
{
    (void)state;
    assert_true(drape(0, 0.5, 1) > -0.1 && drape(0, 0.5, 0) < -4.8);
    assert_true(drape(0.06, 1, 1) > -0.1 && drape(0.06, 0, 1) < -1); /* 26 cm to one side, 14 to the other */
}

static ct_world *bundle(ct_precision precision, int threads, double collide)
{
    ct_world *world = make(precision, threads, 0, 0.3, collide);
    for (int k = 0; k < 12; k++) {
        double angle = 0.5236 * k, c = cos(angle), s = sin(angle), r = k % 2 ? 0.07 : 0.04,
               lean = 0.008 * (k % 3 - 1);
        add_line(world, r * c + lean, r * s, -0.1, r * c - lean, r * s + lean, 0.1, -0.5 * c, -0.5 * s, 0);
    }
    return world;
}

static double distance_between(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double least = INFINITY;
    for (int i = 0; i <= 20; i++)
        for (int j = 0; j <= 20; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) {
                double off = a[k] + (b[k] - a[k]) * i / 20 - c[k] - (d[k] - c[k]) * j / 20;
                square += off * off;
            }
            least = fmin(least, sqrt(square));
        }
    return least;
}

/* Twelve threads fly towards one line. They come as near as they touch, and no nearer than by a tenth. */
static void a_bundle_stays_apart(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        ct_world *world = bundle(CT_DOUBLE, 2, collide);
        double least = INFINITY;
        for (int k = 1; k <= 12; k++) {
            CHECK(ct_world_run_until(world, 0.02 * k, error));
            triple *x = positions_of(world);
            for (int a = 0; a < 12; a++)
                for (int b = a + 1; b < 12; b++)
                    for (int i = 0; i < 10; i++)
                        for (int j = 0; j < 10; j++)
                            least = fmin(least, distance_between(x[11 * a + i], x[11 * a + i + 1],
                                                                 x[11 * b + j], x[11 * b + j + 1]));
            free(x);
        }
        assert_true(collide ? least > 0.9 * 2 * RADIUS : least < 1e-3 * RADIUS);
        ct_world_destroy(world);
    }
}

static void threads_and_restores_change_no_bit(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "strands_cross_%d.ct", (int)getpid());
    for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
        ct_world *one = bundle((ct_precision)precision, 1, 1), *many = bundle((ct_precision)precision, 5, 1);
        steps(one, 45), steps(many, 45);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_thread_carries_another),
        cmocka_unit_test(a_bundle_stays_apart),
        cmocka_unit_test(threads_and_restores_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
