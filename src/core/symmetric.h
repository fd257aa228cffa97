/* Symmetric matrices on lanes: upper entries, row by row: 00 01 11, or 00 01 02 11 12 22.
 *
 * Functions of a symmetric matrix do not need its eigenvectors where it is near the identity: with
 *
 *     Z = X (2 I + X)^-1,     I + X = (I + Z) (I - Z)^-1
 *
 * logarithm and square root of I + X are short series in Z^2, good for |X| <= CT_NEAR_IDENTITY in either
 * precision. Strains of a stiff material are a thousandth, so this is the case that counts; who comes with
 * more takes the SVD.
 */
#ifndef CT_CORE_SYMMETRIC_H
#define CT_CORE_SYMMETRIC_H

#include "core/matrix.h"

enum {
    CT_SYMMETRIC = CT_DIM == 2 ? 3 : 6, /* entries */
    CT_LOG_TERMS = CT_IS_DOUBLE ? 10 : 4,
    CT_SQRT_TERMS = CT_IS_DOUBLE ? 11 : 5,
    CT_EXP_TERMS = CT_IS_DOUBLE ? 13 : 7
};

static const ct_real CT_NEAR_IDENTITY = (ct_real)0.25; /* |X|, Frobenius: |Z| <= 1/7 for every eigenvalue */

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
    ct_lane sum = A[0] * A[0];
    for (int a = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++) {
            ct_lane entry = A[ct_symmetric_index(a, b)];
            if (b > a) sum += 2 * entry * entry;
            else if (a) sum += entry * entry;
        }
    return sum;
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

/* F F^T - I. The diagonal is summed from F_aa - 1, which keeps the digits of small strains. */
static inline void ct_symmetric_left(const ct_lane F[CT_MATRIX], ct_lane X[CT_SYMMETRIC])
{
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            ct_lane sum = ct_lane_all(0);
            CT_FOR(c, CT_DIM)
                if (!(a == b && c == a)) sum += F[a * CT_DIM + c] * F[b * CT_DIM + c];
            ct_lane beyond = F[a * CT_DIM + a] - 1;
            X[entry] = a == b ? sum + beyond * (beyond + 2) : sum;
        }
}

/* Adjugate of A; returns the determinant. */
static inline ct_lane ct_symmetric_adjugate(const ct_lane A[CT_SYMMETRIC], ct_lane c[CT_SYMMETRIC])
{
#if CT_DIM == 2
    ct_lane a = A[0];
    ct_lane determinant = A[0] * A[2] - A[1] * A[1];
    c[0] = A[2], c[1] = -A[1], c[2] = a;
    return determinant;
#else
    ct_lane made[6] = {A[3] * A[5] - A[4] * A[4], A[2] * A[4] - A[1] * A[5], A[1] * A[4] - A[2] * A[3],
                       A[0] * A[5] - A[2] * A[2], A[1] * A[2] - A[0] * A[4], A[0] * A[3] - A[1] * A[1]};
    ct_lane determinant = A[0] * made[0] + A[1] * made[1] + A[2] * made[2];
    CT_FOR(k, 6) c[k] = made[k];
    return determinant;
#endif
}

static inline void ct_symmetric_inverse(const ct_lane A[CT_SYMMETRIC], ct_lane inverse[CT_SYMMETRIC])
{
    ct_lane over = 1 / ct_symmetric_adjugate(A, inverse);
    CT_FOR(k, CT_SYMMETRIC) inverse[k] *= over;
}

/* Z = X (2 I + X)^-1. */
static inline void ct_symmetric_cayley(const ct_lane X[CT_SYMMETRIC], ct_lane Z[CT_SYMMETRIC])
{
    ct_lane sum[CT_SYMMETRIC];
    CT_FOR(k, CT_SYMMETRIC) sum[k] = X[k];
    ct_symmetric_shift(sum, ct_lane_all(2));
    ct_symmetric_inverse(sum, sum);
    ct_symmetric_product(X, sum, Z);
}

/* sum_k coefficient[k] S^k. */
static inline void ct_symmetric_series(const ct_lane S[CT_SYMMETRIC], int terms, const ct_real *coefficient,
                                       ct_lane sum[CT_SYMMETRIC])
{
    ct_lane made[CT_SYMMETRIC];
    CT_FOR(e, CT_SYMMETRIC) made[e] = coefficient[terms - 1] * S[e];
    ct_symmetric_shift(made, ct_lane_all(coefficient[terms - 2]));
    for (int k = terms - 3; k >= 0; k--) {
        ct_symmetric_product(made, S, made);
        ct_symmetric_shift(made, ct_lane_all(coefficient[k]));
    }
    CT_FOR(e, CT_SYMMETRIC) sum[e] = made[e];
}

/* ln(I + X) = 2 Z (I + Z^2/3 + Z^4/5 + ...), |X| <= CT_NEAR_IDENTITY. */
static inline void ct_symmetric_log(const ct_lane X[CT_SYMMETRIC], ct_lane logarithm[CT_SYMMETRIC])
{
    static const ct_real coefficient[] = {(ct_real)2,          (ct_real)(2.0 / 3),  (ct_real)(2.0 / 5),
                                          (ct_real)(2.0 / 7),  (ct_real)(2.0 / 9),  (ct_real)(2.0 / 11),
                                          (ct_real)(2.0 / 13), (ct_real)(2.0 / 15), (ct_real)(2.0 / 17),
                                          (ct_real)(2.0 / 19)};
    ct_lane Z[CT_SYMMETRIC], S[CT_SYMMETRIC];
    ct_symmetric_cayley(X, Z);
    ct_symmetric_product(Z, Z, S);
    ct_symmetric_series(S, CT_LOG_TERMS, coefficient, S);
    ct_symmetric_product(Z, S, logarithm);
}

/* (I + X)^(1/2) = (I + Z) (I - Z^2)^(-1/2), |X| <= CT_NEAR_IDENTITY. */
static inline void ct_symmetric_sqrt(const ct_lane X[CT_SYMMETRIC], ct_lane root[CT_SYMMETRIC])
{
    static const ct_real coefficient[] = {(ct_real)1,
                                          (ct_real)(1.0 / 2),
                                          (ct_real)(3.0 / 8),
                                          (ct_real)(5.0 / 16),
                                          (ct_real)(35.0 / 128),
                                          (ct_real)(63.0 / 256),
                                          (ct_real)(231.0 / 1024),
                                          (ct_real)(429.0 / 2048),
                                          (ct_real)(6435.0 / 32768),
                                          (ct_real)(12155.0 / 65536),
                                          (ct_real)(46189.0 / 262144)};
    ct_lane Z[CT_SYMMETRIC], S[CT_SYMMETRIC];
    ct_symmetric_cayley(X, Z);
    ct_symmetric_product(Z, Z, S);
    ct_symmetric_series(S, CT_SQRT_TERMS, coefficient, S);
    ct_symmetric_shift(Z, ct_lane_all(1));
    ct_symmetric_product(Z, S, root);
}

/* exp(X), |X| <= CT_NEAR_IDENTITY. */
static inline void ct_symmetric_exp(const ct_lane X[CT_SYMMETRIC], ct_lane exponential[CT_SYMMETRIC])
{
    static const ct_real coefficient[] = {(ct_real)1,
                                          (ct_real)1,
                                          (ct_real)(1.0 / 2),
                                          (ct_real)(1.0 / 6),
                                          (ct_real)(1.0 / 24),
                                          (ct_real)(1.0 / 120),
                                          (ct_real)(1.0 / 720),
                                          (ct_real)(1.0 / 5040),
                                          (ct_real)(1.0 / 40320),
                                          (ct_real)(1.0 / 362880),
                                          (ct_real)(1.0 / 3628800),
                                          (ct_real)(1.0 / 39916800),
                                          (ct_real)(1.0 / 479001600)};
    ct_symmetric_series(X, CT_EXP_TERMS, coefficient, exponential);
}

/* How far the extreme eigenvalues of a matrix without trace are from 0 at the most: |D| sqrt((d - 1) / d). */
static inline ct_lane ct_symmetric_reach(ct_lane square)
{
    return ct_lane_sqrt(square * (ct_real)((CT_DIM - 1.0) / CT_DIM));
}

/* The smallest (never above it) and the largest eigenvalue (never below it) of a matrix D without trace: in
 * 2D exactly, in 3D from beta^3 - 3 beta = r by Newton's iteration from above (core/matrix.h). */
static inline void ct_symmetric_extremes(const ct_lane D[CT_SYMMETRIC], ct_lane *low, ct_lane *high)
{
    ct_lane square = ct_symmetric_square(D);
#if CT_DIM == 2
    *high = ct_symmetric_reach(square);
    *low = -*high;
#else
    const ct_real tiny = CT_IS_DOUBLE ? (ct_real)1e-100 : (ct_real)1e-12f;
    ct_lane p = ct_lane_sqrt(square * (ct_real)(1.0 / 6)), safe = ct_lane_max(p, ct_lane_all(tiny)), c[6];
    ct_lane r = ct_symmetric_adjugate(D, c) / (safe * safe * safe);
    ct_lane r_low = ct_lane_max(ct_lane_min(r, ct_lane_all(2)), ct_lane_all(-2));
    *high = p * ct_largest_root(r_low);
    *low = -p * ct_largest_root(-r_low);
#endif
}

#endif
