/* Small matrices on lanes and their decompositions. Matrices are row-major: entry (i, j) is M[i * CT_DIM + j]. */
#ifndef CT_CORE_MATRIX_H
#define CT_CORE_MATRIX_H

#include "core/lanes.h"

/* Cofactors, so that inverse(A) = transpose(cofactors) / determinant; valid for singular A. Returns the determinant. */
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

/* The largest eigenvalue of F^T F, the square of the largest singular value. Never below it: in 3D the largest root of
 * beta^3 - 3 beta = r (the characteristic polynomial of the scaled deviator) by Newton's iteration from beta = 2, which
 * falls monotonically towards it; four steps reach it to 1% at the worst (two equal large stretches). */
static inline ct_lane ct_largest_stretch_squared(const ct_lane F[CT_MATRIX])
{
#if CT_DIM == 2
    ct_lane a = F[0] * F[0] + F[2] * F[2], b = F[1] * F[1] + F[3] * F[3], c = F[0] * F[1] + F[2] * F[3];
    ct_lane half = (ct_real)0.5 * (a - b);
    return (ct_real)0.5 * (a + b) + ct_lane_sqrt(half * half + c * c);
#else
    ct_lane a = F[0] * F[0] + F[3] * F[3] + F[6] * F[6], b = F[1] * F[1] + F[4] * F[4] + F[7] * F[7];
    ct_lane c = F[2] * F[2] + F[5] * F[5] + F[8] * F[8], d = F[0] * F[1] + F[3] * F[4] + F[6] * F[7];
    ct_lane e = F[0] * F[2] + F[3] * F[5] + F[6] * F[8], f = F[1] * F[2] + F[4] * F[5] + F[7] * F[8];
    ct_lane q = (a + b + c) * (ct_real)(1.0 / 3.0);
    a -= q, b -= q, c -= q;
    ct_lane p = ct_lane_sqrt((a * a + b * b + c * c + 2 * (d * d + e * e + f * f)) * (ct_real)(1.0 / 6.0));
    ct_lane safe = ct_lane_max(p, q * CT_EPSILON + (CT_IS_DOUBLE ? (ct_real)1e-150 : (ct_real)1e-18f));
    ct_lane r = (a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - b * e)) / (safe * safe * safe);
    ct_lane beta = ct_lane_all(2);
    CT_FOR(i, 4)
    {
        ct_lane square = beta * beta;
        ct_lane slope = ct_lane_max(3 * square - 3, ct_lane_all((ct_real)1e-3));
        beta -= ct_lane_max((square - 3) * beta - r, ct_lane_all(0)) / slope;
    }
    return q + p * beta;
#endif
}

#endif
