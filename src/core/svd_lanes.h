/* The singular value decomposition F = U diag(sigma) V^T on lanes, in the convention of svd.h: U and V are
 * rotations, sigma_0 >= sigma_1 >= |sigma_2|, and only the last may be negative, exactly when det F is.
 *
 * No iteration and no branch on a lane's data. In 3D one eigenvector of S = F^T F is always far from the
 * other two: with S = q I + p D, where D has no trace and |D|^2 = 6, the eigenvalues of D are the roots of
 * beta^3 - 3 beta = r, r = det D in [-2, 2]. If r >= 0 the largest is alone: it is at least sqrt(3), the
 * others are at most 0. If r < 0 the same holds for -D, and the smallest of S is alone. So
 *
 *     beta     by a polynomial and Newton, on [sqrt(3), 2], where the slope is between 6 and 9
 *     v        the isolated axis: a column of adj(D - beta I) = (3 beta^2 - 3) v v^T, the largest
 *     a, b     any two at right angles to v, then turned about v until F a and F b are orthogonal (one-sided
 *              Jacobi: from F itself, since squares have lost the small singular values)
 *     U        F v, F a, F b, the longest first, made orthonormal; sigma is what F V has along U
 *
 * What F V has beside U is dropped: a few roundings of sigma_0, the error of the whole (docs/campaigns.md).
 * Division and square root are used in place of their fast approximations, which differ between makers of
 * processors. An F that is not finite gives sigma that are not.
 */
#ifndef CT_CORE_SVD_LANES_H
#define CT_CORE_SVD_LANES_H

#include "core/matrix.h"

/* The largest power of two that is not above `size`, where it and its inverse are normal numbers. */
static inline ct_lane ct_power_of_two_below(ct_lane size)
{
    const ct_real least = CT_IS_DOUBLE ? (ct_real)DBL_MIN : (ct_real)FLT_MIN;
    size = ct_lane_min(ct_lane_max(size, ct_lane_all(least)), ct_lane_all(1 / least));
    return (ct_lane)((ct_mask)size & (ct_mask)ct_lane_all((ct_real)INFINITY)); /* without its fraction */
}

/* c and s of the turn that takes the first axis to the direction of the larger eigenvalue of [[A, D], [D,
 * B]].
 */
static inline void ct_larger_first(ct_lane A, ct_lane B, ct_lane D, ct_lane *c, ct_lane *s)
{
    const ct_real tiny = CT_IS_DOUBLE ? (ct_real)1e-150 : (ct_real)1e-18f; /* A = B = D = 0: no turn */
    ct_lane h = (ct_real)0.5 * (A - B);
    ct_lane x = ct_lane_abs(h) + ct_lane_sqrt(h * h + D * D) + tiny;
    ct_lane inverse = 1 / ct_lane_sqrt(x * x + D * D);
    x *= inverse, D *= inverse;
    *c = ct_lane_select(h < 0, D, x);
    *s = ct_lane_select(h < 0, x, D);
}

#if CT_DIM == 2

/* F as a sum of a turn and a mirror: z = (F00 + F11, F10 - F01)/2 and w = (F00 - F11, F10 + F01)/2 as complex
 * numbers. sigma = |z| +- |w|; with the angles of z and w, V turns by half of (w - z), U by that and z. */
static inline void ct_svd_scaled(const ct_lane F[4], ct_lane U[4], ct_lane sigma[2], ct_lane V[4])
{
    ct_lane zx = (ct_real)0.5 * (F[0] + F[3]), zy = (ct_real)0.5 * (F[2] - F[1]);
    ct_lane wx = (ct_real)0.5 * (F[0] - F[3]), wy = (ct_real)0.5 * (F[2] + F[1]);
    ct_lane z = ct_lane_sqrt(zx * zx + zy * zy), w = ct_lane_sqrt(wx * wx + wy * wy);
    ct_mask flat = z == 0;
    ct_lane divisor = ct_lane_select(flat, ct_lane_all(1), z);
    zx = ct_lane_select(flat, ct_lane_all(1), zx / divisor);
    zy /= divisor;
    /* w / z without its length: A - B = 2 cosine, D = sine of the angle that V turns by half of. */
    ct_lane c, s;
    ct_larger_first(2 * (wx * zx + wy * zy), ct_lane_all(0), wy * zx - wx * zy, &c, &s);
    V[0] = V[3] = c, V[2] = s, V[1] = -s;
    U[0] = U[3] = zx * c - zy * s;
    U[2] = zy * c + zx * s;
    U[1] = -U[2];
    sigma[0] = z + w;
    sigma[1] = z - w;
}

#else

static inline ct_lane ct_dot(const ct_lane a[3], const ct_lane b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void ct_cross(const ct_lane a[3], const ct_lane b[3], ct_lane c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void ct_choose(ct_mask where, const ct_lane yes[3], const ct_lane no[3], ct_lane a[3])
{
    CT_FOR(i, 3) a[i] = ct_lane_select(where, yes[i], no[i]);
}

/* a <- c a + s b and b <- c b - s a. */
static inline void ct_turn(ct_lane c, ct_lane s, ct_lane a[3], ct_lane b[3])
{
    CT_FOR(i, 3) {
        ct_lane x = a[i];
        a[i] = c * x + s * b[i];
        b[i] = c * b[i] - s * x;
    }
}

/* At right angles to v; its length is that of v at the most and not below sqrt(1/2) of it. */
static inline void ct_perpendicular(const ct_lane v[3], ct_lane a[3])
{
    ct_mask flat = ct_lane_abs(v[0]) > ct_lane_abs(v[2]);
    a[0] = ct_lane_select(flat, -v[1], ct_lane_all(0));
    a[1] = ct_lane_select(flat, v[0], -v[2]);
    a[2] = ct_lane_select(flat, ct_lane_all(0), v[1]);
}

/* The largest root of beta^3 - 3 beta = r for 0 <= r <= 2: Chebyshev's polynomial in r - 1, to 4e-9. */
static inline ct_lane ct_isolated_root(ct_lane r)
{
    static const ct_real c[9] = {
        (ct_real)1.87938524157,     (ct_real)0.131643591247,     (ct_real)-0.0128628213286,
        (ct_real)0.00221361863075,  (ct_real)-0.000467378617816, (ct_real)0.000108736014195,
        (ct_real)-2.72709852086e-5, (ct_real)8.64750105177e-6,   (ct_real)-2.36604844883e-6};
    ct_lane y = r - 1, y2 = y * y, y4 = y2 * y2;
    ct_lane low = (c[0] + c[1] * y) + (c[2] + c[3] * y) * y2;
    ct_lane high = (c[4] + c[5] * y) + (c[6] + c[7] * y) * y2;
    ct_lane beta = low + (high + c[8] * y4) * y4;
    if (CT_IS_DOUBLE) beta = (2 * beta * beta * beta + r) / (3 * beta * beta - 3); /* Newton: to 2e-17 */
    return beta;
}

/* A multiple of the eigenvector of S = q I + p D that is far from the others; says where its eigenvalue is
 * the largest, not the smallest. */
static inline ct_mask ct_isolated_axis(const ct_stretch *S, ct_lane v[3])
{
    const ct_real tiny = CT_IS_DOUBLE ? (ct_real)1e-40 : (ct_real)1e-9f; /* F = 0 */
    /* A smaller deviator is all rounding: any axis will do, and x is what comes out. */
    ct_lane inverse = 1 / ct_lane_max(S->p, S->q * ((ct_real)0.0625 * CT_EPSILON) + tiny), D[6];
    CT_FOR(k, 6) D[k] = S->entry[k] * inverse;
    ct_lane r = D[0] * (D[1] * D[2] - D[5] * D[5]) + D[3] * (D[4] * D[5] - D[3] * D[2]) +
                D[4] * (D[3] * D[5] - D[1] * D[4]);
    ct_mask top = ~(r < 0);
    ct_lane sign = ct_lane_select(top, ct_lane_all(1), ct_lane_all(-1));
    ct_lane beta = ct_isolated_root(ct_lane_min(ct_lane_abs(r), ct_lane_all(2))); /* above by rounding only */
    CT_FOR(k, 3) D[k] = sign * D[k] - beta;
    ct_lane x[3], y[3], z[3];
    x[0] = D[1] * D[2] - D[5] * D[5], y[1] = D[0] * D[2] - D[4] * D[4], z[2] = D[0] * D[1] - D[3] * D[3];
    x[1] = y[0] = D[4] * D[5] - sign * D[3] * D[2];
    x[2] = z[0] = D[3] * D[5] - sign * D[4] * D[1];
    y[2] = z[1] = D[3] * D[4] - sign * D[5] * D[0];
    ct_choose(y[1] > x[0], y, x, v);
    ct_choose((z[2] > x[0]) & (z[2] > y[1]), z, v, v);
    return top;
}

/* Where F has rank 1 or 0: w, which is to be at right angles to B_0, is all rounding or nothing. */
static inline void ct_svd_flat(ct_mask flat, ct_lane B[3], ct_lane w[3])
{
    const ct_real negligible = CT_EPSILON * CT_EPSILON;
    ct_lane square = ct_dot(B, B), clean[3], any[3];
    B[0] = ct_lane_select(square == 0, ct_lane_all(1), B[0]); /* F = 0: its scale is 0, too */
    square = ct_dot(B, B);
    ct_lane along = ct_dot(B, w) / square;
    CT_FOR(i, 3) clean[i] = w[i] - along * B[i];
    ct_mask lost = ~(ct_dot(clean, clean) > negligible * negligible * square * square);
    ct_perpendicular(B, any);
    CT_FOR(i, 3) any[i] *= negligible;
    ct_choose(lost, any, clean, clean);
    ct_choose(flat, clean, w, w);
}

/* U and sigma from B = F V, whose columns are orthogonal up to rounding, the longest first: u_0 along B_0,
 * u_2 along B_0 x B_1. */
static inline void ct_svd_complete(ct_lane B[3][3], ct_lane u[3][3], ct_lane sigma[3])
{
    const ct_real few = 64 * CT_EPSILON;
    ct_lane square = ct_dot(B[0], B[0]), w[3];
    ct_cross(B[0], B[1], w);
    ct_lane length = ct_dot(w, w);
    ct_mask flat = ~(length > few * few * (square * square));
    if (ct_mask_any(flat)) {
        ct_svd_flat(flat, B[0], w);
        square = ct_dot(B[0], B[0]);
        length = ct_dot(w, w);
    }
    sigma[0] = ct_lane_sqrt(square);
    length = ct_lane_sqrt(length);
    ct_lane inverse = 1 / sigma[0], inverse_w = 1 / length;
    CT_FOR(i, 3) u[0][i] = B[0][i] * inverse, u[2][i] = w[i] * inverse_w;
    ct_cross(u[2], u[0], u[1]);
    /* Equal ones may be rounded past each other. */
    sigma[1] = ct_lane_min(length * inverse, sigma[0]);
    sigma[2] = ct_lane_max(ct_lane_min(ct_dot(u[2], B[2]), sigma[1]), -sigma[1]);
}

static inline void ct_svd_scaled(const ct_lane F[9], ct_lane U[9], ct_lane sigma[3], ct_lane V[9])
{
    ct_stretch S = ct_stretch_of(F);
    ct_lane axis[3][3], image[3][3], c, s;
    ct_lane *v = axis[0], *a = axis[1], *b = axis[2];
    ct_mask top = ct_isolated_axis(&S, v);
    ct_perpendicular(v, a);
    ct_cross(v, a, b);
    CT_FOR(k, 3)
        CT_FOR(i, 3) image[k][i] = ct_dot(&F[3 * i], axis[k]);
    /* To unit length; late, since much can be done meanwhile. */
    ct_lane inverse_v = 1 / ct_lane_sqrt(ct_dot(v, v)), inverse_a = 1 / ct_lane_sqrt(ct_dot(a, a));
    CT_FOR(i, 3) {
        v[i] *= inverse_v, image[0][i] *= inverse_v;
        a[i] *= inverse_a, image[1][i] *= inverse_a;
        b[i] *= inverse_v * inverse_a, image[2][i] *= inverse_v * inverse_a;
    }
    ct_larger_first(ct_dot(image[1], image[1]), ct_dot(image[2], image[2]), ct_dot(image[1], image[2]), &c,
                    &s);
    ct_turn(c, s, a, b);
    ct_turn(c, s, image[1], image[2]);

    ct_lane B[3][3], u[3][3], W[3][3];
    CT_FOR(k, 3) {
        ct_choose(top, image[k], image[(k + 1) % 3], B[k]);
        ct_choose(top, axis[k], axis[(k + 1) % 3], W[k]);
    }
    ct_svd_complete(B, u, sigma);
    CT_FOR(i, 3)
        CT_FOR(k, 3) {
            U[3 * i + k] = u[k][i];
            V[3 * i + k] = W[k][i];
        }
}

#endif

static inline void ct_svd_lanes(const ct_lane F[CT_MATRIX], ct_lane U[CT_MATRIX], ct_lane sigma[CT_DIM],
                                ct_lane V[CT_MATRIX])
{
    /* |F|^2 between these neither overflows nor loses its small parts when it is squared again. */
    const ct_real least = CT_IS_DOUBLE ? (ct_real)0x1p-60 : (ct_real)0x1p-8;
    ct_lane G[CT_MATRIX], scale = ct_lane_all(1), square = ct_lane_all(0);
    CT_FOR(k, CT_MATRIX) {
        square += F[k] * F[k];
        G[k] = F[k];
    }
    if (ct_mask_any(~((square > least) & (square < 1 / least)))) {
        CT_FOR(turn, 2) { /* denormal numbers take two */
            ct_lane largest = ct_lane_all(0);
            CT_FOR(k, CT_MATRIX) largest = ct_lane_max(ct_lane_abs(G[k]), largest);
            largest = ct_power_of_two_below(largest);
            scale *= largest;
            CT_FOR(k, CT_MATRIX) G[k] *= 1 / largest;
        }
    }
    ct_svd_scaled(G, U, sigma, V);
    CT_FOR(k, CT_DIM) sigma[k] *= scale;
}

/* Only the singular values: what only U and V need is not computed. */
static inline void ct_singular_values_lanes(const ct_lane F[CT_MATRIX], ct_lane sigma[CT_DIM])
{
    ct_lane U[CT_MATRIX], V[CT_MATRIX];
    ct_svd_lanes(F, U, sigma, V);
}

#endif
