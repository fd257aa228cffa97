/* Small matrices on lanes and their decompositions. Matrices are row-major: entry (i, j) is M[i * CT_DIM +
 * j]. */
#ifndef CT_CORE_MATRIX_H
#define CT_CORE_MATRIX_H

#include "core/lanes.h"

/* Cofactors, so that inverse(A) = transpose(cofactors) / determinant; valid for singular A. Returns the
 * determinant. */
static inline ct_lane ct_cofactors(const ct_lane A[CT_MATRIX], ct_lane c[CT_MATRIX])
{
#if CT_DIM == 2
    c[0] = A[3], c[1] = -A[2];
    c[2] = -A[1], c[3] = A[0];
    return A[0] * c[0] + A[1] * c[1];
#else
    c[0] = A[4] * A[8] - A[5] * A[7], c[1] = A[5] * A[6] - A[3] * A[8], c[2] = A[3] * A[7] - A[4] * A[6];
    c[3] = A[2] * A[7] - A[1] * A[8], c[4] = A[0] * A[8] - A[2] * A[6], c[5] = A[1] * A[6] - A[0] * A[7];
    c[6] = A[1] * A[5] - A[2] * A[4], c[7] = A[2] * A[3] - A[0] * A[5], c[8] = A[0] * A[4] - A[1] * A[3];
    return A[0] * c[0] + A[1] * c[1] + A[2] * c[2];
#endif
}

static inline ct_lane ct_determinant(const ct_lane A[CT_MATRIX])
{
#if CT_DIM == 2
    return A[0] * A[3] - A[1] * A[2];
#else
    return A[0] * (A[4] * A[8] - A[5] * A[7]) + A[1] * (A[5] * A[6] - A[3] * A[8]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
#endif
}

/* The largest eigenvalue of F^T F, the square of the largest singular value; never below it. In 2D exactly.
 * In 3D it is q + beta p, with the largest root beta of beta^3 - 3 beta = r (the characteristic polynomial of
 * the scaled deviator), which is at most 2: `ct_stretch_bound` says so, and ct_largest_stretch_squared goes
 * on from there by Newton's iteration, which falls monotonically towards the root; four steps reach it to 3%
 * at the worst (two equal large stretches). Where F is almost a rotation times a number the bound will do. */
#if CT_DIM == 2

static inline ct_lane ct_largest_stretch_squared(const ct_lane F[4])
{
    ct_lane a = F[0] * F[0] + F[2] * F[2], b = F[1] * F[1] + F[3] * F[3], c = F[0] * F[1] + F[2] * F[3];
    ct_lane half = (ct_real)0.5 * (a - b);
    return (ct_real)0.5 * (a + b) + ct_lane_sqrt(half * half + c * c);
}

static inline ct_lane ct_stretch_bound(const ct_lane F[4])
{
    return ct_largest_stretch_squared(F);
}

#else

/* F^T F without its mean q: entries 00 11 22 01 02 12; p is its length over sqrt(6). */
typedef struct ct_stretch {
    ct_lane q, p, entry[6];
} ct_stretch;

static inline ct_stretch ct_stretch_of(const ct_lane F[9])
{
    ct_stretch s;
    ct_lane *e = s.entry;
    CT_FOR(k, 3) e[k] = F[k] * F[k] + F[3 + k] * F[3 + k] + F[6 + k] * F[6 + k];
    e[3] = F[0] * F[1] + F[3] * F[4] + F[6] * F[7];
    e[4] = F[0] * F[2] + F[3] * F[5] + F[6] * F[8];
    e[5] = F[1] * F[2] + F[4] * F[5] + F[7] * F[8];
    s.q = (e[0] + e[1] + e[2]) * (ct_real)(1.0 / 3.0);
    e[0] -= s.q, e[1] -= s.q;
    e[2] = -(e[0] + e[1]); /* no trace, even where the rest is all rounding */
    s.p = ct_lane_sqrt(
        (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5])) *
        (ct_real)(1.0 / 6.0));
    return s;
}

static inline ct_lane ct_stretch_bound(const ct_lane F[9])
{
    ct_stretch s = ct_stretch_of(F);
    return s.q + 2 * s.p;
}

/* The largest root of beta^3 - 3 beta = r, |r| <= 2, or a little more. */
static inline ct_lane ct_largest_root(ct_lane r)
{
    ct_lane beta = ct_lane_all(2);
    CT_FOR(i, 4) {
        ct_lane square = beta * beta, slope = ct_lane_max(3 * square - 3, ct_lane_all((ct_real)1e-3));
        beta -= ct_lane_max((square - 3) * beta - r, ct_lane_all(0)) / slope;
    }
    return beta;
}

static inline ct_lane ct_largest_stretch_squared(const ct_lane F[9])
{
    const ct_real almost_even = (ct_real)0.005; /* p / q: the bound is no more than half a percent too high */
    ct_stretch s = ct_stretch_of(F);
    const ct_lane *e = s.entry;
    ct_mask is_even = s.p < almost_even * s.q;
    if (!ct_mask_any(~is_even)) return s.q + 2 * s.p;
    ct_lane safe = ct_lane_max(s.p, s.q * CT_EPSILON + (CT_IS_DOUBLE ? (ct_real)1e-150 : (ct_real)1e-18f));
    ct_lane determinant = e[0] * (e[1] * e[2] - e[5] * e[5]) - e[3] * (e[3] * e[2] - e[4] * e[5]) +
                          e[4] * (e[3] * e[5] - e[1] * e[4]);
    ct_lane beta = ct_largest_root(determinant / (safe * safe * safe));
    return s.q + s.p * ct_lane_select(is_even, ct_lane_all(2), beta);
}

#endif
#endif
