/* Strands in a world: a cantilever and a curl in 2D and 3D, the same bits for any number of threads and after
 * a restart, grips, and what is refused. */
#include "physics/worlds.h"

#include <unistd.h>

static const double SPACING = 0.05, RADIUS = 0.01, YOUNG = 1e8, DENSITY = 1000;
static const double PI = 3.14159265358979323846;

static ct_world *make(int dimension, ct_precision precision, int threads, double gravity, double fixed)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, SPACING);
    def.method = CT_METHOD_STRANDS;
    def.precision = precision;
    def.threads = threads;
    def.gravity.constant[1] = gravity;
    def.step.fixed = fixed;
    ct_world *world = create(&def);
    ct_parameter parameters[] = {{"young", YOUNG}, {"poisson", 0.25}};
    add_matter(world, "strand", DENSITY, parameters, 2);
    return world;
}

static ct_body_def line(const double (*points)[3], int count)
{
    ct_body_def def = ct_default_body_def();
    def.material = 0;
    def.shape.type = CT_SHAPE_POLYLINE;
    def.shape.points = points;
    def.shape.point_count = count;
    def.shape.radius = RADIUS;
    return def;
}

/* Held from -1 spacing to 0, 1 m long from there: it sags by w L^4 / (8 E I), all of it within half a per
 * cent of the exact slope of a small deflection. */
static void cantilever_sags(void **state)
{
    (void)state;
    static const double points[2][3] = {{-0.05}, {1}};
    for (int k = 0; k < 4; k++) {
        int dimension = 2 + k / 2;
        ct_precision precision = k % 2 ? CT_DOUBLE : CT_FLOAT;
        double area = dimension == 3 ? PI * RADIUS * RADIUS : 2 * RADIUS;
        double bend = YOUNG * (dimension == 3 ? area * area / (4 * PI) : area * area * area / 12);
        double gravity = 0.01 * 8 * bend / (DENSITY * area); /* 1 cm */
        ct_world *world = make(dimension, precision, 1, -gravity, 0.05);
        ct_body_def body = line(points, 2);
        body.has_hold = true;
        body.hold.type = CT_SHAPE_BOX;
        for (int a = 0; a < 3; a++) body.hold.min[a] = -0.1, body.hold.max[a] = 0.01;
        CHECK(ct_world_add_body(world, &body, NULL, error));
        CHECK(ct_world_run_until(world, 20, error)); /* long steps: swings die out */
        size_t count = 22;
        double x[64][3];

        CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
        assert_near(x[21][1] / -0.01, 1, precision == CT_DOUBLE ? 0.005 : 0.01);
        ct_world_destroy(world);
    }
}

/* A curl without gravity is at rest; a straight rod that is bent as much would not be. */
static void curl_is_its_own_rest(void **state)
{
    (void)state;
    double points[40][3];
    for (int i = 0; i < 40; i++)
        points[i][0] = 0.2 * cos(0.3 * i), points[i][1] = 0.03 * i, points[i][2] = 0.2 * sin(0.3 * i);
    ct_world *world = make(3, CT_DOUBLE, 1, 0, 0);
    ct_body_def body = line((const double(*)[3])points, 40);
    CHECK(ct_world_add_body(world, &body, NULL, error));
    CHECK(ct_world_run_until(world, 0.5, error));
    ct_world_sums sums = ct_world_get_sums(world);
    assert_true(sums.kinetic < 1e-16 && sums.elastic < 1e-16);
    ct_world_destroy(world);
}

static void add_tangle(ct_world *world)
{
    static double points[12][4][3];
    for (int s = 0; s < 12; s++) {
        for (int i = 0; i < 4; i++) {
            points[s][i][0] = 0.25 * i + 0.01 * s;
            points[s][i][1] = 0.1 * ((i + s) % 3);
            points[s][i][2] = 0.1 * s;
        }
        ct_body_def body = line((const double(*)[3])points[s], 4);
        CHECK(ct_world_add_body(world, &body, NULL, error));
    }
}

static uint64_t hash_after(ct_world *world, int steps)
{
    ct_hash hash;
    for (int k = 0; k < steps; k++) CHECK(ct_world_step(world, error));
    CHECK(ct_world_hash(world, &hash, error));
    uint64_t first;
    memcpy(&first, &hash, sizeof first);
    return first;
}

static void same_bits(void **state)
{
    (void)state;
    char path[] = "/tmp/strands_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ct_world *one = make(3, CT_FLOAT, 1, -9.81, 0), *two = make(3, CT_FLOAT, 2, -9.81, 0);
    add_tangle(one), add_tangle(two);
    assert_true(hash_after(one, 60) == hash_after(two, 60));
    CHECK(ct_world_save(one, path, error));
    ct_world *again = make(3, CT_FLOAT, 2, -9.81, 0);
    add_tangle(again);
    CHECK(ct_world_restore(again, path, error));
    assert_true(hash_after(one, 40) == hash_after(again, 40));
    ct_world_destroy(one), ct_world_destroy(two), ct_world_destroy(again);
    unlink(path);
}

static void others_are_refused(void **state)
{
    (void)state;
    static const double points[3][3] = {{0}, {1}, {1, 1}};
    ct_world *world = make(3, CT_DOUBLE, 1, 0, 0);
    ct_error error = {0};
    ct_body_def ball = ct_default_body_def(), ring = line(points, 3);
    ball.shape.type = CT_SHAPE_SPHERE;
    ball.shape.radius = 0.3;
    ring.shape.is_closed = true;
    assert_int_equal(ct_world_add_body(world, &ball, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "polyline"));
    assert_int_equal(ct_world_add_body(world, &ring, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "closed"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_sags),
        cmocka_unit_test(curl_is_its_own_rest),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
