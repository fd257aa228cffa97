/* The rotation R of the polar decomposition F = R S, on lanes. */
#ifndef CT_CORE_POLAR_H
#define CT_CORE_POLAR_H

#include "core/matrix.h"
#include "core/svd.h"

/* For the few lanes Newton cannot serve: R = U V^T of the signed SVD, a rotation for any F. */
static inline void ct_polar_slow(const ct_lane F[CT_MATRIX], ct_mask where, ct_lane R[CT_MATRIX])
{
    CT_FOR(l, CT_LANES) {
        if (!where[l]) continue;
        ct_real A[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
        CT_FOR(k, CT_MATRIX) A[k] = F[k][l];
        CT_FN(ct_svd)(A, U, sigma, V);
        CT_FOR(i, CT_DIM)
            CT_FOR(j, CT_DIM) {
                ct_real sum = 0;
                CT_FOR(k, CT_DIM) sum += U[i * CT_DIM + k] * V[j * CT_DIM + k];
                R[i * CT_DIM + j][l] = sum;
            }
    }
}

#if CT_DIM == 2

/* Closed form: the rotation nearest to F has cosine and sine along (F00 + F11, F10 - F01). */
static inline void ct_polar(const ct_lane F[4], ct_lane J, ct_lane R[4])
{
    (void)J;
    ct_lane c = F[0] + F[3], s = F[2] - F[1];
    ct_lane size =
        ct_lane_max(ct_lane_abs(c), ct_lane_abs(s)); /* scaled by it, squares neither vanish nor overflow */
    ct_mask flat = ~(size > (CT_IS_DOUBLE ? (ct_real)DBL_MIN : (ct_real)FLT_MIN));
    size = ct_lane_select(flat, ct_lane_all(1), size);
    c = ct_lane_select(flat, ct_lane_all(1), c / size);
    s = ct_lane_select(flat, ct_lane_all(0), s / size);
    ct_lane length = ct_lane_sqrt(c * c + s * s);
    R[0] = R[3] = c / length;
    R[2] = s / length;
    R[1] = -R[2];
}

#else

/* Newton's iteration R <- (R + R^-T) / 2, which squares the distance to the rotation at every turn; lanes
 * that are flat or inverted, or not there yet after the last turn, take the SVD. */
static inline void ct_polar(const ct_lane F[9], ct_lane J, ct_lane R[9])
{
    enum { TURNS = 10 };
    const ct_real close =
        CT_IS_DOUBLE ? (ct_real)1e-16 : (ct_real)1e-8f; /* of the change squared: next turn is exact */
    ct_lane square = F[0] * F[0];
    for (int k = 1; k < 9; k++) square += F[k] * F[k];
    ct_lane c[9], change = ct_lane_all(0);
    CT_FOR(k, 9) R[k] = F[k];
    /* |F|^3 / J measures how flat F is: 3^1.5 for a rotation. */
    ct_mask hard = ~((ct_real)200 * J > square * ct_lane_sqrt(square));
    if (ct_mask_any(hard))
        CT_FOR(k, 9) R[k] = ct_lane_select(hard, ct_lane_all(k % 4 == 0), R[k]);
    CT_FOR(turn, TURNS) {
        ct_lane half = (ct_real)0.5 / ct_cofactors(R, c);
        change = ct_lane_all(0);
        CT_FOR(k, 9) {
            ct_lane next = (ct_real)0.5 * R[k] + half * c[k], step = next - R[k];
            change += step * step;
            R[k] = next;
        }
        if (!ct_mask_any(~(change < close))) break;
    }
    hard |= ~(change < close);
    if (ct_mask_any(hard)) ct_polar_slow(F, hard, R);
}

#endif
#endif
