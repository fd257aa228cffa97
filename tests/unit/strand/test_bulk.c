/* The return of the continuum of strands to Drucker and Prager's cone. */
#include "strand/bulk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double MU = 2, LAMBDA = 3, SLOPE = 0.3;

static double trace_of(const double a[9])
{
    return a[0] + a[4] + a[8];
}

/* |dev tau| + slope tr tau. */
static double yield_of(const double tau[9])
{
    double square = 0;
    for (int k = 0; k < 9; k++) {
        double dev = tau[k] - (k % 4 == 0 ? trace_of(tau) / 3 : 0);
        square += dev * dev;
    }
    return sqrt(square) + SLOPE * trace_of(tau);
}

static double determinant(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static void compression_is_elastic(void **state)
{
    (void)state;
    double F[9] = {0.9, 0, 0, 0, 0.9, 0, 0, 0, 0.9}, tau[9], gained = 0;
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, tau);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(F[k] - (k % 4 ? 0 : 0.9)) < 1e-15);
        assert_true(fabs(tau[k] - (k % 4 ? 0 : (2 * MU + 3 * LAMBDA) * log(0.9))) < 1e-14);
    }
    assert_true(gained == 0);
}

static void shear_stays_on_the_cone(void **state)
{
    (void)state;
    double F[9] = {0.8, 0.3, -0.1, 0.05, 0.9, 0.4, 0.2, -0.1, 1.0}, before[9], tau[9], again[9], gained = 0;
    memcpy(before, F, sizeof before);
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, tau);
    assert_true(determinant(before) < 1 && fabs(determinant(F) - determinant(before)) < 1e-14);
    assert_true(fabs(yield_of(tau)) < 1e-13 && trace_of(tau) < 0);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) assert_true(fabs(tau[3 * a + b] - tau[3 * b + a]) < 1e-14);
    memcpy(before, F, sizeof before);
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, again);
    for (int k = 0; k < 9; k++)
        assert_true(fabs(F[k] - before[k]) < 1e-13 && fabs(again[k] - tau[k]) < 1e-12);
}

/* A tenth apart and a tenth back: nothing presses; what is nearer than before does. */
static void what_parts_and_comes_back_does_not_press(void **state)
{
    (void)state;
    double F[9] = {1.1, 0, 0, 0, 1.1, 0, 0, 0, 1.1}, tau[9], gained = 0;
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, tau);
    assert_true(fabs(gained - 3 * log(1.1)) < 1e-14 && fabs(F[0] - 1) < 1e-14 && tau[0] == 0);
    for (int k = 0; k < 9; k++) F[k] /= 1.05;
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, tau);
    assert_true(fabs(gained - 3 * log(1.1 / 1.05)) < 1e-14 && tau[0] == 0);
    for (int k = 0; k < 9; k++) F[k] *= 1.05 * 0.95 / 1.1;
    ct_bulk_return(MU, LAMBDA, SLOPE, F, &gained, tau);
    assert_true(tau[0] < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compression_is_elastic),
        cmocka_unit_test(shear_stays_on_the_cone),
        cmocka_unit_test(what_parts_and_comes_back_does_not_press),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
