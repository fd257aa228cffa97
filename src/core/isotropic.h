/* Functions of b = F F^T on lanes, without its eigenvectors: logarithm, roots, exponential. With the mean m
 * of its eigenvalues
 *
 *     b = m (I + Y),     tr Y = 0,     p = tr(Y^2) / 2,     q = det Y
 *     Y^3 = p Y + q I    (Cayley and Hamilton; in 2D Y^2 = p I)
 *
 * so that a power series in Y is CT_DIM numbers a lane, c_0 I + c_1 Y + c_2 Y^2, and one term more costs two
 * multiplications, not a product of matrices. The eigenvalues of Y are at most 2 (p/3)^(1/2) (in 2D p^(1/2))
 * from 0; up to CT_FAR the series here are good to rounding: stretches from 0.56 to 1.5 along one axis, and
 * any that is the same along all. Who comes with more takes the SVD.
 */
#ifndef CT_CORE_ISOTROPIC_H
#define CT_CORE_ISOTROPIC_H

#include "core/isotropic_terms.h"
#include "core/svd_lanes.h"
#include "core/symmetric.h"

#define CT_FAR 0.6

typedef struct ct_split {
    ct_lane beyond, mean;           /* m - 1 and m */
    ct_lane inverse;                /* 1 / m */
    ct_lane deviator[CT_SYMMETRIC]; /* m Y */
    ct_lane p, q;
    ct_mask near; /* where the series hold; elsewhere nothing here has a meaning */
} ct_split;

/* From mean and deviator. The division goes on beside the squares. */
CT_INLINE void ct_split_measure(ct_split *s)
{
    const ct_real most = (ct_real)(CT_FAR * CT_FAR * (CT_DIM == 2 ? 1 : 0.75)); /* of p */
    ct_lane inverse = s->inverse = 1 / s->mean, squared = inverse * inverse;
    s->p = ((ct_real)0.5 * squared) * ct_symmetric_square(s->deviator);
    s->q = CT_DIM == 3 ? (squared * inverse) * ct_symmetric_determinant(s->deviator) : ct_lane_all(0);
    s->near = s->p < most;
}

#define CT_LEAST_MEAN ((ct_real)0.25) /* of m: up to here X + I has the digits of X */
#define CT_MOST_MEAN  ((ct_real)16)

/* Of I + X, where m is between `least` and `most`. */
CT_INLINE void ct_split_make(const ct_lane X[CT_SYMMETRIC], ct_real least, ct_real most, ct_split *s)
{
    s->beyond = ct_symmetric_trace(X) * (ct_real)(1.0 / CT_DIM);
    s->mean = 1 + s->beyond;
    CT_FOR(k, CT_SYMMETRIC) s->deviator[k] = X[k];
    ct_symmetric_shift(s->deviator, -s->beyond);
    ct_split_measure(s);
    s->near &= (s->mean > least) & (s->mean < most);
}

/* c <- Y c + constant I. */
CT_INLINE void ct_series_next(ct_lane p, ct_lane q, ct_real constant, ct_lane c[CT_DIM])
{
    ct_lane last = c[CT_DIM - 1];
#if CT_DIM == 3
    c[2] = c[1];
    c[1] = c[0] + last * p;
    c[0] = constant + last * q;
#else
    (void)q;
    c[1] = c[0];
    c[0] = constant + last * p;
#endif
}

/* sum_k terms[k] Y^k for a Y with these p and q. */
CT_INLINE void ct_series(ct_lane p, ct_lane q, int count, const ct_real *terms, ct_lane c[CT_DIM])
{
    CT_FOR(k, CT_DIM) c[k] = ct_lane_all(k ? 0 : terms[count - 1]);
    for (int k = count - 2; k >= 0; k--) ct_series_next(p, q, terms[k], c);
}

/* a b, where a and b are series. */
CT_INLINE void ct_series_product(ct_lane p, ct_lane q, const ct_lane a[CT_DIM], const ct_lane b[CT_DIM],
                                 ct_lane c[CT_DIM])
{
#if CT_DIM == 3
    ct_lane third = a[1] * b[2] + a[2] * b[1], fourth = a[2] * b[2]; /* of Y^3 and Y^4 = p Y^2 + q Y */
    ct_lane made[3] = {a[0] * b[0] + third * q, a[0] * b[1] + a[1] * b[0] + third * p + fourth * q,
                       a[0] * b[2] + a[1] * b[1] + a[2] * b[0] + fourth * p};
#else
    ct_lane made[2] = {a[0] * b[0] + a[1] * b[1] * p, a[0] * b[1] + a[1] * b[0]};
#endif
    CT_FOR(k, CT_DIM) c[k] = made[k];
    (void)q;
}

/* a a. */
CT_INLINE void ct_series_square(ct_lane p, ct_lane q, const ct_lane a[CT_DIM], ct_lane c[CT_DIM])
{
    ct_lane twice = 2 * a[1];
#if CT_DIM == 3
    ct_lane third = twice * a[2], fourth = a[2] * a[2];
    c[2] = 2 * a[0] * a[2] + (a[1] * a[1] + fourth * p);
    c[1] = twice * a[0] + (third * p + fourth * q);
    c[0] = a[0] * a[0] + third * q;
#else
    (void)q;
    c[1] = twice * a[0];
    c[0] = a[0] * a[0] + a[1] * a[1] * p;
#endif
}

CT_INLINE ct_lane ct_series_trace(ct_lane p, const ct_lane c[CT_DIM])
{
    return CT_DIM == 3 ? 3 * c[0] + 2 * p * c[CT_DIM - 1] : 2 * c[0];
}

/* c_0 I + Y (c_1 I + c_2 Y). */
CT_INLINE void ct_series_matrix(const ct_split *s, const ct_lane c[CT_DIM], ct_lane A[CT_SYMMETRIC])
{
    const ct_lane *D = s->deviator;
    ct_lane first = c[1] * s->inverse;
#if CT_DIM == 2
    CT_FOR(k, CT_SYMMETRIC) A[k] = first * D[k];
    ct_symmetric_shift(A, c[0]);
#else
    ct_lane second = c[2] * (s->inverse * s->inverse), B[CT_SYMMETRIC];
    CT_FOR(k, CT_SYMMETRIC) B[k] = second * D[k];
    ct_symmetric_shift(B, first);
    for (int a = 0, entry = 0; a < 3; a++)
        for (int b = a; b < 3; b++, entry++) {
            A[entry] = D[a] * B[b];
            if (a == b) A[entry] += c[0];
            for (int k = 1; k < 3; k++) A[entry] += D[ct_symmetric_index(a, k)] * B[ct_symmetric_index(k, b)];
        }
#endif
}

/* Y g(Y) for the series g with these terms. */
CT_INLINE void ct_series_from_1(ct_lane p, ct_lane q, size_t bytes, const ct_real *terms, ct_lane c[CT_DIM])
{
    ct_series(p, q, (int)(bytes / sizeof *terms), terms, c);
    ct_series_next(p, q, 0, c);
}

/* ln(I + Y) / 2. */
CT_INLINE void ct_series_half_log(const ct_split *s, ct_lane c[CT_DIM])
{
    ct_series_from_1(s->p, s->q, sizeof ct_half_log_terms, ct_half_log_terms, c);
}

/* (I + Y)^(1/2) - I for a Y with these p and q. */
CT_INLINE void ct_series_root(ct_lane p, ct_lane q, ct_lane c[CT_DIM])
{
    ct_series_from_1(p, q, sizeof ct_root_terms, ct_root_terms, c);
}

/* b^(1/2) - I = m^(1/2) - 1 + m^(1/2) ((I + Y)^(1/2) - I). */
CT_INLINE void ct_series_left_root(const ct_split *s, ct_lane c[CT_DIM])
{
    ct_lane root = ct_lane_sqrt(s->mean);
    ct_series_root(s->p, s->q, c);
    CT_FOR(k, CT_DIM) c[k] *= root;
    c[0] += s->beyond / (1 + root);
}

/* (I + Y)^(-1/2) - I. */
CT_INLINE void ct_series_inverse_root(const ct_split *s, ct_lane c[CT_DIM])
{
    ct_series_from_1(s->p, s->q, sizeof ct_inverse_root_terms, ct_inverse_root_terms, c);
}

/* exp(W) - I for a W without trace with these p and q, whose eigenvalues are at most 0.4 from 0: the deviator
 * of ln(I + Y) / 2 has no larger ones. */
CT_INLINE void ct_series_exp(ct_lane p, ct_lane q, ct_lane c[CT_DIM])
{
    ct_series_from_1(p, q, sizeof ct_exp_terms, ct_exp_terms, c);
}

/* The smallest and the largest eigenvalue of a matrix D without trace, from |D|^2 and det D. In 3D they are p
 * times the roots of x^3 - 3 x = r, p^2 = |D|^2 / 6: one of the extremes is alone (svd_lanes.h), and the
 * other is a root of x^2 + beta x + beta^2 - 3, what is left of the cubic. */
CT_INLINE void ct_symmetric_extremes(ct_lane square, ct_lane determinant, ct_lane *low, ct_lane *high)
{
#if CT_DIM == 2
    (void)determinant;
    *high = ct_symmetric_reach(square);
    *low = -*high;
#else
    const ct_real tiny = CT_IS_DOUBLE ? (ct_real)1e-100 : (ct_real)1e-12f;
    ct_lane p = ct_lane_sqrt(square * (ct_real)(1.0 / 6)), safe = ct_lane_max(p, ct_lane_all(tiny));
    ct_lane r = determinant / (safe * safe * safe);
    ct_lane beta = ct_isolated_root(ct_lane_min(ct_lane_abs(r), ct_lane_all(2))); /* above by rounding only */
    ct_lane apart = ct_lane_sqrt(ct_lane_max(12 - 3 * beta * beta, ct_lane_all(0)));
    ct_lane other = (ct_real)0.5 * (beta + apart); /* from 0, on the other side */
    ct_mask top = ~(r < 0);
    *high = p * ct_lane_select(top, beta, other);
    *low = -p * ct_lane_select(top, other, beta);
#endif
}

/* b^(1/2) - I from the stretches, for shapes beyond the reach of the series, inverted ones (J < 0, the last
 * stretch is negative) included: with the invariants i of U, U^3 - i_1 U^2 + i_2 U - i_3 I = 0 and U^2 = b
 * give
 *
 *     U = (-b^2 + (i_1^2 - i_2) b + i_1 i_3 I) / (i_1 i_2 - i_3)         in 2D U = (b + i_2 I) / i_1
 *
 * Of two stretches that are almost equal only half the digits are known, but of their sum and product all.
 * Says where it holds: not where F is flat in two directions, or inverted by about what the next stretch is.
 */
CT_INLINE ct_mask ct_series_far_root(const ct_split *s, ct_lane J, ct_lane c[CT_DIM])
{
    const ct_real thin = (ct_real)0.1, least = (ct_real)0.1,
                  most = (ct_real)1e6; /* of m: as in ct_split_make */
    ct_mask holds = (s->mean > least) & (s->mean < most);
#if CT_DIM == 2
    ct_lane sum = ct_lane_sqrt(2 * (s->mean + J)); /* of the stretches */
    c[1] = s->mean / sum;
    c[0] = (s->mean + J) / sum - 1;
    return holds & (s->mean + J > thin * s->mean);
#else
    ct_lane low, high;
    ct_symmetric_extremes(2 * s->p, s->q, &low, &high);
    ct_lane middle = 1 - (low + high);
    ct_lane u0 = ct_lane_sqrt(s->mean * (1 + high)), u1 = ct_lane_sqrt(s->mean * middle), u2 = J / (u0 * u1);
    ct_lane i1 = u0 + u1 + u2, i2 = u0 * u1 + (u0 + u1) * u2, sums = (u0 + u1) * (u1 + u2) * (u0 + u2);
    ct_lane inverse = 1 / sums, square = i1 * i1 - i2, first = s->mean * inverse;
    c[2] = -s->mean * first;
    c[1] = first * (square - 2 * s->mean);
    c[0] = first * (square - s->mean) + i1 * J * inverse - 1;
    return holds & (middle > thin) & (u1 + u2 > (ct_real)0.3 * u0);
#endif
}

#endif
