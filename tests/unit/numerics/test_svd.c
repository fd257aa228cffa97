/* The decomposition on lanes, over random and adversarial matrices: what it promises (svd_lanes.h), within
 * eight roundings. CT_SVD_MATRICES says how many; the campaign takes 10^8. With LAPACK, the singular values
 * are compared with its own. */
#include "core/svd.h"
#include "core/svd_lanes.h"
#include "unit/numerics/machine.h"
#include "unit/numerics/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double ALLOWED = 8; /* epsilons */
/* LAPACK's own values in double precision were up to 9 epsilon off those in long double, at nearly equal
 * ones; ours 3.5. */
static const double ALLOWED_TO_LAPACK = CT_IS_DOUBLE ? 8 + 16 : 8;

/* Errors in epsilons: entries of F - U diag(sigma) V^T relative to sigma_0, entries of U^T U - I and V^T V -
 * I. Numbers below the normal ones have a rounding of their own. */
typedef struct errors {
    double product, rotation, values;
    int is_ordered;
} errors;

static double rotation_error(const ct_real A[CT_MATRIX])
{
    double worst = 0;
    CT_FOR(p, CT_DIM)
        CT_FOR(q, CT_DIM) {
            double dot = -(p == q);
            CT_FOR(i, CT_DIM) dot += (double)A[i * CT_DIM + p] * (double)A[i * CT_DIM + q];
            worst = fmax(worst, isfinite(dot) ? fabs(dot) : INFINITY);
        }
    double determinant = (double)A[0] * (double)A[CT_DIM + 1] - (double)A[1] * (double)A[CT_DIM];
#if CT_DIM == 3
    determinant = determinant * (double)A[8] -
                  (double)A[5] * ((double)A[0] * (double)A[7] - (double)A[1] * (double)A[6]) +
                  (double)A[2] * ((double)A[3] * (double)A[7] - (double)A[4] * (double)A[6]);
#endif
    return determinant > 0 ? worst / (double)CT_EPSILON : INFINITY;
}

static errors measure(const ct_real F[CT_MATRIX], const ct_real U[CT_MATRIX], const ct_real sigma[CT_DIM],
                      const ct_real V[CT_MATRIX])
{
    const double grain = CT_IS_DOUBLE ? 2 * 4.9406564584124654e-324 : 2 * 1.401298464324817e-45;
    errors e = {.is_ordered = 1};
    CT_FOR(i, CT_DIM - 1) e.is_ordered &= sigma[i] >= (ct_real)fabs((double)sigma[i + 1]);
    e.rotation = fmax(rotation_error(U), rotation_error(V));
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM) {
            double sum = -(double)F[i * CT_DIM + j];
            CT_FOR(c, CT_DIM) sum += (double)U[i * CT_DIM + c] * (double)sigma[c] * (double)V[j * CT_DIM + c];
            double allowed = (double)CT_EPSILON * (double)sigma[0], off = fmax(fabs(sum) - grain, 0);
            if (isnan(sum)) off = INFINITY;
            e.product = fmax(e.product, off > 0 ? off / allowed : 0);
        }
    return e;
}

static errors worse(errors a, errors b)
{
    return (errors){fmax(a.product, b.product), fmax(a.rotation, b.rotation), fmax(a.values, b.values),
                    a.is_ordered & b.is_ordered};
}

#ifdef CT_LAPACK
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *);

/* |sigma| against LAPACK's in double precision, in epsilons of the largest. */
static double against_lapack(const ct_real F[CT_MATRIX], const ct_real sigma[CT_DIM])
{
    double A[CT_MATRIX], theirs[CT_DIM], U[CT_MATRIX], V[CT_MATRIX], work[64], worst = 0;
    int n = CT_DIM, size = 64, info = 0;
    CT_FOR(i, CT_MATRIX) A[i] = (double)F[i];
    dgesvd_("A", "A", &n, &n, A, &n, theirs, U, &n, V, &n, work, &size, &info);
    assert_int_equal(info, 0);
    if (theirs[0] < (CT_IS_DOUBLE ? DBL_MIN : (double)FLT_MIN)) return 0; /* digits are lost anyhow */
    CT_FOR(i, CT_DIM) worst = fmax(worst, fabs(fabs((double)sigma[i]) - theirs[i]));
    return worst / (theirs[0] * (double)CT_EPSILON);
}
#endif

static void decomposes_everything(void **state)
{
    (void)state;
    const char *asked = getenv("CT_SVD_MATRICES");
    uint64_t count = asked ? strtoull(asked, NULL, 10) : 200000;
    ct_samples samples = {1};
    errors worst[CT_SAMPLE_KINDS];
    CT_FOR(i, CT_SAMPLE_KINDS) worst[i] = (errors){.is_ordered = 1};
    for (uint64_t k = 0; k < count; k += CT_LANES) {
        ct_lane F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM], values[CT_DIM];
        ct_real A[CT_LANES][CT_MATRIX];
        CT_FOR(l, CT_LANES) {
            ct_sample_matrix(&samples, k + (uint64_t)l, A[l]);
            CT_FOR(i, CT_MATRIX) F[i][l] = A[l][i];
        }
        ct_svd_lanes(F, U, sigma, V);
        ct_singular_values_lanes(F, values);
        CT_FOR(l, CT_LANES) {
            ct_real u[CT_MATRIX], v[CT_MATRIX], s[CT_DIM];
            CT_FOR(i, CT_MATRIX) u[i] = U[i][l], v[i] = V[i][l];
            CT_FOR(i, CT_DIM) {
                s[i] = sigma[i][l];
                if (memcmp(&s[i], &(ct_real){values[i][l]}, sizeof *s))
                    fail_msg("only the values are others");
            }
            errors e = measure(A[l], u, s, v);
#ifdef CT_LAPACK
            if ((k + (uint64_t)l) % 17 == 0) e.values = against_lapack(A[l], s);
#endif
            errors *kind = &worst[(k + (uint64_t)l) % CT_SAMPLE_KINDS];
            *kind = worse(*kind, e);
        }
    }
    errors all = worst[0];
    CT_FOR(i, CT_SAMPLE_KINDS) {
        if (asked)
            printf("kind %2d: product %.2f, rotations %.2f, values %.2f epsilon\n", i, worst[i].product,
                   worst[i].rotation, worst[i].values);
        all = worse(all, worst[i]);
    }
    if (asked)
        printf("%llu matrices: product %.2f, rotations %.2f, values %.2f epsilon\n",
               (unsigned long long)count, all.product, all.rotation, all.values);
    assert_true(all.product <= ALLOWED);
    assert_true(all.rotation <= ALLOWED);
    assert_true(all.values <= ALLOWED_TO_LAPACK);
    assert_true(all.is_ordered);
}

/* What must be seen: a wrong value, a reflection, the wrong order, an axis that is slightly off. */
static void mistakes_are_seen(void **state)
{
    (void)state;
    ct_samples samples = {7};
    ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM], other[CT_MATRIX];
    ct_sample_matrix(&samples, 12, F);
    CT_FN(ct_svd)(F, U, sigma, V);
    assert_true(measure(F, U, sigma, V).product < ALLOWED);
    ct_real wrong[CT_DIM];
    memcpy(wrong, sigma, sizeof wrong);
    wrong[0] *= 1 + 32 * CT_EPSILON;
    assert_true(measure(F, U, wrong, V).product > ALLOWED);
    memcpy(wrong, sigma, sizeof wrong);
    wrong[0] = sigma[CT_DIM - 1], wrong[CT_DIM - 1] = sigma[0];
    assert_false(measure(F, U, wrong, V).is_ordered);
    CT_FOR(i, CT_MATRIX) other[i] = i % CT_DIM == 0 ? -U[i] : U[i];
    assert_true(measure(F, other, sigma, V).rotation > ALLOWED);
    memcpy(other, U, sizeof other);
    other[0] *= 1 + 64 * CT_EPSILON / (other[0] * other[0]);
    assert_true(measure(F, other, sigma, V).rotation > ALLOWED);
}

/* Numbers that are none show in sigma. */
static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    const ct_real bad[] = {(ct_real)NAN, (ct_real)INFINITY, -(ct_real)INFINITY};
    CT_FOR(b, 3)
        CT_FOR(k, CT_MATRIX) {
            ct_lane F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
            CT_FOR(i, CT_MATRIX) F[i] = ct_lane_all((ct_real)(i % (CT_DIM + 1) == 0));
            F[k][0] = bad[b];
            ct_svd_lanes(F, U, sigma, V);
            assert_false(isfinite((double)sigma[0][0]) && isfinite((double)sigma[CT_DIM - 1][0]));
            double other = (double)sigma[0][CT_LANES - 1]; /* the others are none the worse */
            assert_true(fabs(other - 1) < ALLOWED * (double)CT_EPSILON);
        }
}

int main(void)
{
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decomposes_everything),
        cmocka_unit_test(mistakes_are_seen),
        cmocka_unit_test(what_is_not_finite_stays_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
