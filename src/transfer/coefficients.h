/* The coefficients of the particles' schemes, in lanes. */
#ifndef CT_TRANSFER_COEFFICIENTS_H
#define CT_TRANSFER_COEFFICIENTS_H

#include "transfer/transfer.h"

/* See transfer/info.h. */
typedef struct ct_lane_scheme {
    ct_lane flip, shift, beta_min, beta_max, symmetric, skew;
} ct_lane_scheme;

static inline ct_lane_scheme ct_lane_scheme_all(const ct_scheme *from)
{
    double beta_min = from->when_compressed ? from->beta_min : from->beta_max;
    return (ct_lane_scheme){.flip = ct_lane_all((ct_real)from->flip),
                            .shift = ct_lane_all((ct_real)from->shift),
                            .beta_min = ct_lane_all((ct_real)beta_min),
                            .beta_max = ct_lane_all((ct_real)from->beta_max),
                            .symmetric = ct_lane_all((ct_real)from->symmetric),
                            .skew = ct_lane_all((ct_real)from->skew)};
}

/* Of CT_LANES particles, of which body[0] is the first one's body. */
static inline ct_lane_scheme ct_lane_scheme_of(const ct_transfer *t, const uint16_t *body)
{
    if (t->of->only) return ct_lane_scheme_all(t->of->only);
    ct_lane_scheme s;
    CT_FOR(l, CT_LANES) {
        ct_lane_scheme one = ct_lane_scheme_all(&t->of->schemes[body[l]]);
        s.flip[l] = one.flip[0], s.shift[l] = one.shift[0];
        s.beta_min[l] = one.beta_min[0], s.beta_max[l] = one.beta_max[0];
        s.symmetric[l] = one.symmetric[0], s.skew[l] = one.skew[0];
    }
    return s;
}

/* The part of the affine matrix that goes to the grid: skew share of the part that carries angular momentum,
 * symmetric share of the rest. */
CT_INLINE void ct_keep_affine(const ct_transfer *t, const ct_lane_scheme *s, const ct_lane C[CT_MATRIX],
                              ct_lane kept[CT_MATRIX])
{
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_lane all = C[a * CT_DIM + b];
            ct_lane turning = t->turn[a][b] * all - t->turn[b][a] * C[b * CT_DIM + a];
            kept[a * CT_DIM + b] = s->skew * turning + s->symmetric * (all - turning);
        }
}

#endif
