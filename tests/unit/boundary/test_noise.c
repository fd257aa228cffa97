/* Curl noise: its rms is what is asked for, its divergence nothing, and it depends on place, time and seed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "boundary/force.h"

#include <math.h>
#include <string.h>

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* 100,000 points in 4,000 eddies along each axis are as good as independent: the mean square is known to 1 %, the means to
 * half a per cent of the rms. */
static void it_is_as_strong_as_asked(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int octaves = 1; octaves <= 3; octaves += 2)
            for (int lives = 0; lives < 2; lives++) {
                const ct_noise noise = {2, 0.5, lives ? 0.3 : 0, octaves, 11, dimension};
                double square = 0, mean[3] = {0};
                uint64_t random = 5;
                for (int i = 0; i < COUNT; i++) {
                    double x[3], v[3], time = 30 * uniform(&random);
                    for (int a = 0; a < 3; a++) x[a] = 2000 * (uniform(&random) - 0.5);
                    ct_noise_at(&noise, x, time, v);
                    for (int a = 0; a < 3; a++) square += v[a] * v[a], mean[a] += v[a] / COUNT;
                    assert_true(dimension == 3 || v[2] == 0);
                }
                if (!(fabs(square / COUNT / 4 - 1) < 0.01)) fail_msg("mean square %g of 4", square / COUNT);
                for (int a = 0; a < 3; a++) assert_true(fabs(mean[a]) < 0.005 * 2 * 2);
            }
}

/* Central differences of 1e-4 eddies: the error of the third derivatives is 1e-6 of what the derivatives are. */
static void it_has_no_divergence(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const ct_noise noise = {1, 1, 0.5, 2, 3, dimension};
        const double h = 1e-4;
        double worst = 0, most = 0;
        uint64_t random = 9;
        for (int i = 0; i < 2000; i++) {
            double x[3], divergence = 0;
            for (int a = 0; a < 3; a++) x[a] = 10 * uniform(&random);
            for (int a = 0; a < dimension; a++) {
                double side[2][3], v[2][3];
                for (int s = 0; s < 2; s++) {
                    memcpy(side[s], x, sizeof x);
                    side[s][a] += (s ? h : -h);
                    ct_noise_at(&noise, side[s], 0.2, v[s]);
                }
                divergence += (v[1][a] - v[0][a]) / (2 * h);
                most = fmax(most, fabs(v[1][a] - v[0][a]) / (2 * h));
            }
            worst = fmax(worst, fabs(divergence));
        }
        assert_true(most > 3);
        assert_true(worst < 1e-5 * most);
    }
}

/* It does not jump at corners of the lattice, nor from one epoch to the next; another seed is another field. */
static void it_is_continuous(void **state)
{
    (void)state;
    const ct_noise noise = {1, 1, 0.5, 1, 3, 3}, other = {1, 1, 0.5, 1, 4, 3};
    const double before[3] = {1 - 1e-9, 2 - 1e-9, -1 - 1e-9}, after[3] = {1 + 1e-9, 2 + 1e-9, -1 + 1e-9};
    const double x[3] = {0.3, 0.4, 0.6};
    double a[3], b[3];
    ct_noise_at(&noise, before, 0.2, a), ct_noise_at(&noise, after, 0.2, b);
    for (int c = 0; c < 3; c++) assert_true(fabs(a[c] - b[c]) < 1e-7);
    ct_noise_at(&noise, x, 1 - 1e-9, a), ct_noise_at(&noise, x, 1 + 1e-9, b);
    for (int c = 0; c < 3; c++) assert_true(fabs(a[c] - b[c]) < 1e-7);
    ct_noise_at(&noise, x, 0.2, a), ct_noise_at(&other, x, 0.2, b);
    for (int c = 0; c < 3; c++) assert_true(fabs(a[c] - b[c]) > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_strong_as_asked),
        cmocka_unit_test(it_has_no_divergence),
        cmocka_unit_test(it_is_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
