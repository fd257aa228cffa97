/* SVD, polar decomposition, the largest stretch and functions of F F^T, on random and on awkward matrices. */
#include "core/isotropic.h"
#include "core/polar.h"
#include "unit/numerics/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t random_state = 1;

static double uniform(void) /* -1 to 1 */
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)random_state / 9223372036854775808.0;
}

/* The k-th matrix: random, scaled to extremes, singular, equal stretches, reflections, denormal. */
static void make_matrix(int k, ct_real F[CT_MATRIX])
{
    static const double scales[] = {1, 1e-3, 1e3, CT_IS_DOUBLE ? 1e-140 : 1e-16, CT_IS_DOUBLE ? 1e140 : 1e16};
    CT_FOR(i, CT_MATRIX) F[i] = (ct_real)(uniform() * scales[k / 8 % 5]);
    if (k % 8 == 1) /* rank deficient: last row repeats the first */
        CT_FOR(j, CT_DIM) F[(CT_DIM - 1) * CT_DIM + j] = F[j];
    if (k % 8 == 2)
        CT_FOR(i, CT_MATRIX) F[i] = (i % (CT_DIM + 1) == 0) * F[0]; /* c I */
    if (k % 8 == 3)
        CT_FOR(i, CT_MATRIX) F[i] = i % (CT_DIM + 1) == 0 ? (i ? -F[0] : F[0]) : 0;
    if (k % 8 == 4)
        CT_FOR(i, CT_MATRIX) F[i] = F[i / CT_DIM * CT_DIM] * (ct_real)(1 + i % CT_DIM); /* rank 1 */
    if (k % 8 == 5)
        CT_FOR(i, CT_MATRIX)
            F[i] = (i % (CT_DIM + 1) == 0) + (ct_real)1e-4 * F[i] / (ct_real)scales[k / 8 % 5];
    if (k == 8 * 7)
        CT_FOR(i, CT_MATRIX) F[i] = 0;
}

static double determinant(const ct_real A[CT_MATRIX])
{
    double d = (double)A[0] * (double)A[CT_DIM + 1] - (double)A[1] * (double)A[CT_DIM];
#if CT_DIM == 3
    d = (double)A[0] * ((double)A[4] * (double)A[8] - (double)A[5] * (double)A[7]) -
        (double)A[1] * ((double)A[3] * (double)A[8] - (double)A[5] * (double)A[6]) +
        (double)A[2] * ((double)A[3] * (double)A[7] - (double)A[4] * (double)A[6]);
#endif
    return d;
}

static void assert_rotation(const ct_real A[CT_MATRIX])
{
    CT_FOR(p, CT_DIM)
        CT_FOR(q, CT_DIM) {
            double dot = 0;
            CT_FOR(i, CT_DIM) dot += (double)A[i * CT_DIM + p] * (double)A[i * CT_DIM + q];
            assert_true(fabs(dot - (p == q)) < 16 * (double)CT_EPSILON);
        }
    assert_true(determinant(A) > 0);
}

static void svd_reconstructs(void **state)
{
    (void)state;
    CT_FOR(k, 20000) {
        ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM], largest = 0;
        make_matrix(k, F);
        CT_FN(ct_svd)(F, U, sigma, V);
        assert_rotation(U);
        assert_rotation(V);
        CT_FOR(i, CT_DIM - 1) assert_true(sigma[i] >= (ct_real)fabs((double)sigma[i + 1]));
        CT_FOR(i, CT_MATRIX) largest = (ct_real)fmax((double)largest, fabs((double)F[i]));
        CT_FOR(i, CT_DIM)
            CT_FOR(j, CT_DIM) {
                double sum = 0;
                CT_FOR(c, CT_DIM)
                    sum += (double)U[i * CT_DIM + c] * (double)sigma[c] * (double)V[j * CT_DIM + c];
                assert_true(fabs(sum - (double)F[i * CT_DIM + j]) <=
                            24 * (double)CT_EPSILON * (double)largest);
            }
    }
}

static void polar_is_the_rotation_of_the_svd(void **state)
{
    (void)state;
    for (int k = 0; k < 20000; k += CT_LANES) {
        ct_lane F[CT_MATRIX], R[CT_MATRIX];
        ct_real A[CT_LANES][CT_MATRIX];
        CT_FOR(l, CT_LANES) {
            make_matrix(k + l, A[l]);
            CT_FOR(i, CT_MATRIX) F[i][l] = A[l][i];
        }
        ct_polar(F, ct_determinant(F), R);
        CT_FOR(l, CT_LANES) {
            ct_real B[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            CT_FOR(i, CT_MATRIX) B[i] = R[i][l];
            assert_rotation(B);
            CT_FN(ct_svd)(A[l], U, sigma, V);
            /* The rotation is defined as well as sigma_last + sigma_last-but-one is large. */
            double gap = (double)(sigma[CT_DIM - 1] + sigma[CT_DIM - 2]) / (double)sigma[0];
            CT_FOR(i, CT_DIM)
                CT_FOR(j, CT_DIM) {
                    double sum = 0;
                    CT_FOR(c, CT_DIM) sum += (double)U[i * CT_DIM + c] * (double)V[j * CT_DIM + c];
                    if (gap > 1e-2)
                        assert_true(fabs(sum - (double)B[i * CT_DIM + j]) < 100 * (double)CT_EPSILON / gap);
                }
        }
    }
}

static void largest_stretch_is_never_below(void **state)
{
    (void)state;
    double worst = 1;
    for (int k = 0; k < 20000; k += CT_LANES) {
        ct_lane F[CT_MATRIX];
        ct_real A[CT_LANES][CT_MATRIX];
        CT_FOR(l, CT_LANES) {
            make_matrix((k + l) % 24, A[l]);
            CT_FOR(i, CT_MATRIX) F[i][l] = A[l][i];
        }
        ct_lane squared = ct_largest_stretch_squared(F);
        CT_FOR(l, CT_LANES) {
            ct_real U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            CT_FN(ct_svd)(A[l], U, sigma, V);
            double exact = (double)sigma[0] * (double)sigma[0], ratio = (double)squared[l] / exact;
            if (exact == 0) continue;
            assert_true(ratio > 1 - 32 * (double)CT_EPSILON);
            worst = fmax(worst, ratio);
        }
    }
    assert_true(worst < 1.03); /* and never much above */
}

/* The series of core/isotropic.h against U f(sigma) U^T: of b / m the half logarithm, and without their 1
 * the root, its inverse and the exponential of the half logarithm's deviator. */
enum { HALF_LOG, ROOT, INVERSE_ROOT, EXP, FUNCTIONS };

static double value_of(int function, double x, double middle)
{
    switch (function) {
    case HALF_LOG:
        return 0.5 * log(x);
    case ROOT:
        return sqrt(x) - 1;
    case INVERSE_ROOT:
        return 1 / sqrt(x) - 1;
    default:
        return exp(0.5 * log(x) - middle) - 1;
    }
}

static void series_of(int function, const ct_split *s, ct_lane A[CT_SYMMETRIC])
{
    ct_lane c[CT_DIM];
    if (function == ROOT) ct_series_root(s->p, s->q, c);
    else if (function == INVERSE_ROOT) ct_series_inverse_root(s, c);
    else ct_series_half_log(s, c);
    if (function == EXP) { /* of a matrix W, split by itself: I + W, whose mean is 1 */
        ct_split w = *s;
        c[0] -= ct_series_trace(s->p, c) * (ct_real)(1.0 / CT_DIM);
        ct_series_matrix(s, c, w.deviator);
        w.mean = ct_lane_all(1);
        ct_split_measure(&w);
        ct_series_exp(w.p, w.q, c);
        ct_series_matrix(&w, c, A);
    } else ct_series_matrix(s, c, A);
}

/* The largest error of a function of slot l, in epsilons. */
static double error_of(int function, const ct_lane A[CT_SYMMETRIC], const ct_real F[CT_MATRIX], int l)
{
    ct_real U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    double mean = 0, middle = 0, worst = 0;
    CT_FN(ct_svd)(F, U, sigma, V);
    CT_FOR(a, CT_DIM) mean += (double)sigma[a] * (double)sigma[a] / CT_DIM;
    CT_FOR(a, CT_DIM) middle += 0.5 * log((double)sigma[a] * (double)sigma[a] / mean) / CT_DIM;
    CT_FOR(i, CT_DIM)
        for (int j = i; j < CT_DIM; j++) {
            double sum = 0;
            CT_FOR(a, CT_DIM)
                sum += (double)U[i * CT_DIM + a] * (double)U[j * CT_DIM + a] *
                       value_of(function, (double)sigma[a] * (double)sigma[a] / mean, middle);
            worst = fmax(worst, fabs(sum - (double)A[ct_symmetric_index(i, j)][l]));
        }
    return worst / (double)CT_EPSILON;
}

static void series_are_functions_of_the_singular_values(void **state)
{
    (void)state;
    /* Some epsilon of the SVD (8, docs/campaigns.md) and of F F^T, times the slope of the functions, 2.5 at
     * the most. What is beyond the reach of the series is worse than that, and said to be. */
    const double allowed = 32;
    double worst_far = 0;
    int near = 0;
    for (int k = 0; k < 20000; k += CT_LANES) {
        ct_lane F[CT_MATRIX], X[CT_SYMMETRIC], A[CT_SYMMETRIC];
        ct_real B[CT_LANES][CT_MATRIX];
        ct_split s;
        double size = k % 3 == 0 ? 1e-3 : k % 3 == 1 ? 0.1 : 0.5, scale = exp(0.5 * uniform());
        CT_FOR(l, CT_LANES)
            CT_FOR(i, CT_MATRIX) {
                B[l][i] = (ct_real)(scale * ((i % (CT_DIM + 1) == 0) + size * uniform()));
                F[i][l] = B[l][i];
            }
        ct_symmetric_left(F, X);
        ct_split_make(X, CT_LEAST_MEAN, CT_MOST_MEAN, &s);
        CT_FOR(function, FUNCTIONS) {
            series_of(function, &s, A);
            CT_FOR(l, CT_LANES) {
                double error = error_of(function, A, B[l], l);
                if (s.near[l]) assert_true(error < allowed);
                else worst_far = fmax(worst_far, error);
                near += s.near[l] != 0;
            }
        }
    }
    assert_true(near > 20000 && near < 4 * 20000);
    assert_true(worst_far > 100 * allowed);
}

/* b^(1/2) - I of any shape, by stretches, against U sigma U^T with signed sigma: an epsilon is one of the
 * largest stretch, since b knows no more. Flat and hardly inverted ones are refused, and some of those are
 * wrong. */
static void roots_from_stretches(void **state)
{
    (void)state;
    const double allowed = 64;
    double worst_refused = 0;
    int held = 0, inverted = 0, refused = 0;
    for (int k = 0; k < 20000; k += CT_LANES) {
        ct_lane F[CT_MATRIX], X[CT_SYMMETRIC], A[CT_SYMMETRIC], c[CT_DIM];
        ct_real B[CT_LANES][CT_MATRIX];
        ct_split s;
        double scale = exp(3 * uniform()), size = k % 3 == 0 ? 0.3 : k % 3 == 1 ? 1 : 3;
        int is_even = k / CT_LANES % 2; /* two stretches almost the same, all but one direction */
        CT_FOR(l, CT_LANES)
            CT_FOR(i, CT_MATRIX) {
                double entry =
                    is_even ? 1e-4 * uniform() + (i == 0 ? size * uniform() : 0) : size * uniform();
                B[l][i] = (ct_real)(scale * ((i % (CT_DIM + 1) == 0) + entry));
                F[i][l] = B[l][i];
            }
        ct_symmetric_left(F, X);
        ct_split_make(X, CT_LEAST_MEAN, CT_MOST_MEAN, &s);
        ct_mask holds = ct_series_far_root(&s, ct_determinant(F), c);
        ct_series_matrix(&s, c, A);
        CT_FOR(l, CT_LANES) {
            ct_real U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            double worst = 0;
            CT_FN(ct_svd)(B[l], U, sigma, V);
            CT_FOR(i, CT_DIM)
                for (int j = i; j < CT_DIM; j++) {
                    double sum = 0;
                    CT_FOR(a, CT_DIM)
                        sum += (double)U[i * CT_DIM + a] * (double)U[j * CT_DIM + a] * (double)sigma[a];
                    worst = fmax(worst, fabs(sum - (i == j) - (double)A[ct_symmetric_index(i, j)][l]));
                }
            worst /= (double)CT_EPSILON * fmax((double)sigma[0], 1);
            if (holds[l]) {
                assert_true(worst < allowed);
                held++, inverted += sigma[CT_DIM - 1] < 0;
            } else {
                worst_refused = isfinite(worst) ? fmax(worst_refused, worst) : INFINITY;
                refused++;
            }
        }
    }
    assert_true(held > 10000 && inverted > 1000 && refused > 10);
    assert_true(worst_refused > 4 * allowed);
}

int main(void)
{
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svd_reconstructs),
        cmocka_unit_test(polar_is_the_rotation_of_the_svd),
        cmocka_unit_test(largest_stretch_is_never_below),
        cmocka_unit_test(series_are_functions_of_the_singular_values),
        cmocka_unit_test(roots_from_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
