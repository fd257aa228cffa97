/* Symmetric matrices on lanes: upper entries, row by row: 00 01 11, or 00 01 02 11 12 22. */
#ifndef CT_CORE_SYMMETRIC_H
#define CT_CORE_SYMMETRIC_H

#include "core/matrix.h"

enum { CT_SYMMETRIC = CT_DIM == 2 ? 3 : 6 }; /* entries */

/* Where entry (a, b) is stored. */
static inline int ct_symmetric_index(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return low * CT_DIM - low * (low - 1) / 2 + high - low;
}

static inline ct_lane ct_symmetric_trace(const ct_lane A[CT_SYMMETRIC])
{
    ct_lane sum = A[0];
    for (int a = 1; a < CT_DIM; a++) sum += A[ct_symmetric_index(a, a)];
    return sum;
}

static inline void ct_symmetric_shift(ct_lane A[CT_SYMMETRIC], ct_lane by)
{
    CT_FOR(a, CT_DIM) A[ct_symmetric_index(a, a)] += by;
}

/* |A|^2 = A : A. */
static inline ct_lane ct_symmetric_square(const ct_lane A[CT_SYMMETRIC])
{
#if CT_DIM == 2
    return A[0] * A[0] + A[2] * A[2] + 2 * (A[1] * A[1]);
#else
    return (A[0] * A[0] + A[3] * A[3] + A[5] * A[5]) + 2 * (A[1] * A[1] + A[2] * A[2] + A[4] * A[4]);
#endif
}

/* A B for matrices that have the same eigenvectors, so that the product is symmetric, too. */
static inline void ct_symmetric_product(const ct_lane A[CT_SYMMETRIC], const ct_lane B[CT_SYMMETRIC],
                                        ct_lane product[CT_SYMMETRIC])
{
    ct_lane made[CT_SYMMETRIC];
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            made[entry] = A[ct_symmetric_index(a, 0)] * B[ct_symmetric_index(0, b)];
            for (int c = 1; c < CT_DIM; c++)
                made[entry] += A[ct_symmetric_index(a, c)] * B[ct_symmetric_index(c, b)];
        }
    CT_FOR(k, CT_SYMMETRIC) product[k] = made[k];
}

/* A F, with any matrix F. */
static inline void ct_symmetric_times(const ct_lane A[CT_SYMMETRIC], const ct_lane F[CT_MATRIX],
                                      ct_lane product[CT_MATRIX])
{
    ct_lane made[CT_MATRIX];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            made[a * CT_DIM + b] = A[ct_symmetric_index(a, 0)] * F[b];
            for (int c = 1; c < CT_DIM; c++)
                made[a * CT_DIM + b] += A[ct_symmetric_index(a, c)] * F[c * CT_DIM + b];
        }
    CT_FOR(k, CT_MATRIX) product[k] = made[k];
}

/* a^2 - 1 with the digits of an a near 1. */
static inline ct_lane ct_square_beyond_1(ct_lane a)
{
#if defined(CT_VECTOR) && defined(__FMA__)
    return CT_VECTOR(fmsub)(a, a, ct_lane_all(1));
#else
    return (a - 1) * (a + 1);
#endif
}

/* F F^T - I. */
static inline void ct_symmetric_left(const ct_lane F[CT_MATRIX], ct_lane X[CT_SYMMETRIC])
{
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            const ct_lane *u = F + a * CT_DIM, *v = F + b * CT_DIM;
            X[entry] = a == b ? ct_square_beyond_1(u[a]) : u[a] * v[a];
            for (int c = 1; c < CT_DIM; c++) X[entry] += u[(a + c) % CT_DIM] * v[(a + c) % CT_DIM];
        }
}

static inline ct_lane ct_symmetric_determinant(const ct_lane A[CT_SYMMETRIC])
{
#if CT_DIM == 2
    return A[0] * A[2] - A[1] * A[1];
#else
    return A[0] * (A[3] * A[5] - A[4] * A[4]) + A[1] * (A[2] * A[4] - A[1] * A[5]) +
           A[2] * (A[1] * A[4] - A[2] * A[3]);
#endif
}

/* How far the extreme eigenvalues of a matrix without trace are from 0 at the most: |D| sqrt((d - 1) / d). */
static inline ct_lane ct_symmetric_reach(ct_lane square)
{
    return ct_lane_sqrt(square * (ct_real)((CT_DIM - 1.0) / CT_DIM));
}

#endif
