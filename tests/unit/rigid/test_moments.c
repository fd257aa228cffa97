/* Volumes, centres and moments of shapes against their closed forms. */
#include "unit/rigid/bodies.h"

static const double pi = 3.14159265358979323846;

static ct_moments measure(int dimension, const ct_shape_def *def)
{
    ct_heap heap;
    ct_error error = {0};
    ct_shape *shape;
    ct_heap_init(&heap, (ct_allocator){0});
    if (ct_shape_create(&heap, dimension, def, "it", &shape, &error)) fail_msg("%s", error.message);
    ct_moments m = ct_shape_moments(shape);
    ct_shape_destroy(shape);
    return m;
}

static void check(const ct_moments *m, double volume, double xx, double yy, double zz, double tolerance)
{
    assert_near(m->volume, volume, tolerance * volume);
    const double wanted[3] = {xx, yy, zz};
    for (int a = 0; a < 3; a++) assert_near(m->second[4 * a], wanted[a], tolerance * (xx + yy + zz));
}

static void test_primitives(void **state)
{
    (void)state;
    ct_shape_def s = a_box(1, 2, 3, 0.5, 1, 1.5).shape;
    ct_moments m = measure(3, &s);
    check(&m, 6, 6 * 0.25 / 3, 6 * 1.0 / 3, 6 * 2.25 / 3, 1e-14);
    assert_near(m.center[2], 3, 1e-14);
    s = a_ball(1, 2, 3, 0.5).shape;
    m = measure(3, &s);
    check(&m, pi / 6, pi / 6 / 20, pi / 6 / 20, pi / 6 / 20, 1e-14);
    m = measure(2, &s);
    check(&m, pi / 4, pi / 64, pi / 64, 0, 1e-14);
    s = ct_default_shape_def();
    s.type = CT_SHAPE_CYLINDER, s.radius = 0.5, s.from[1] = -1, s.to[1] = 2;
    m = measure(3, &s);
    check(&m, 0.75 * pi, 0.75 * pi / 16, 0.75 * pi * 9 / 12, 0.75 * pi / 16, 1e-14);
}

/* Turned and stretched: a ball becomes an ellipsoid, whose moments are V a^2/5. */
static void test_placement(void **state)
{
    (void)state;
    ct_shape_def s = a_ball(1, 0, 0, 1).shape;
    s.scale[0] = 2, s.scale[1] = 3;
    s.rotate_axis[2] = 1, s.rotate_angle = pi / 2;
    ct_moments m = measure(3, &s);
    double volume = 8 * pi;
    check(&m, volume, volume * 9 / 5, volume * 4 / 5, volume / 5, 1e-14);
}

/* Subdivision against the closed forms: a union of two boxes that share a face, and a ball out of a box. */
static void test_combinations(void **state)
{
    (void)state;
    ct_shape_def parts[2] = {a_box(-0.5, 0, 0, 0.5, 0.5, 0.5).shape, a_box(0.5, 0, 0, 0.5, 0.5, 0.5).shape};
    ct_shape_def s = ct_default_shape_def();
    s.type = CT_SHAPE_UNION, s.children = parts, s.child_count = 2;
    ct_moments m = measure(3, &s);
    check(&m, 2, 2.0 / 3, 2.0 / 12, 2.0 / 12, 2e-3);
    parts[0] = a_box(0, 0, 0, 1, 1, 1).shape, parts[1] = a_ball(0, 0, 0, 0.8).shape;
    s.type = CT_SHAPE_DIFFERENCE;
    m = measure(3, &s);
    double hole = 4 * pi / 3 * 0.512, second = 8.0 / 3 - hole * 0.64 / 5;
    check(&m, 8 - hole, second, second, second, 2e-3);
    m = measure(2, &s);
    hole = pi * 0.64, second = 4.0 / 3 - hole * 0.64 / 4;
    check(&m, 4 - hole, second, second, 0, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_primitives), cmocka_unit_test(test_placement),
                                       cmocka_unit_test(test_combinations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
