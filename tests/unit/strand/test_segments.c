/* Closest points of segments and their passing, against what is known. */
#include "strand/cross.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void closest(double x0, double x1, double y1, double z, double y0, double want_s, double want_t,
                    double want)
{
    const double a[3] = {-1}, b[3] = {1}, c[3] = {x0, y0, z}, d[3] = {x1, y1, z};
    double s, t, distance = ct_closest_points(a, b, c, d, &s, &t);
    assert_true(fabs(s - want_s) < 1e-14 && fabs(t - want_t) < 1e-14 && fabs(distance - want) < 1e-14);
}

static void closest_points(void **state)
{
    (void)state;
    closest(0.5, 0.5, 1, 0.25, -1, 0.75, 0.5, 0.25); /* crossed, inside both */
    closest(0, 0, 3, 0.75, 1, 0.5, 0, 1.25);         /* beyond an end of the second */
    closest(2, 4, 0, 0, 0, 1, 0, 1);                 /* one after the other */
    closest(3, 3, 1, 0, -1, 1, 0.5, 2);              /* beyond an end of the first */
    closest(-1, 1, 0.5, 0, 0.5, 0.5, 0.5, 0.5);      /* parallel */
}

/* One segment falls through another that is at rest along x; where it does is at (at, 0, 0). */
static bool falls(double at, double from, double to, double tilt)
{
    const double x[4][3] = {{-1}, {1}, {at, from, -1}, {at, from + tilt, 1}};
    const double y[4][3] = {{-1}, {1}, {at, to, -1}, {at, to - tilt, 1}};
    return ct_segments_pass(x, y);
}

static void passing(void **state)
{
    (void)state;
    assert_true(falls(0.3, 1, -1, 0) && falls(0.3, 1, -1, 0.2) && falls(0.3, -1, 0.5, 0));
    assert_false(falls(0.3, 1, 0.1, 0));   /* comes near */
    assert_false(falls(1.1, 1, -1, 0));    /* beside it */
    assert_false(falls(0.3, -0.1, -1, 0)); /* away */
    /* One end goes under, the other stays above: the middle, where they would cross, ends 5 cm above. */
    const double x[4][3] = {{-1}, {1}, {0, 0.1, -1}, {0, 0.1, 1}},
                 y[4][3] = {{-1}, {1}, {0, -0.8, -1}, {0, 0.9, 1}};
    assert_false(ct_segments_pass(x, x));
    assert_false(ct_segments_pass(x, y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closest_points), cmocka_unit_test(passing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
