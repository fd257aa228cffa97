/* The coefficients of the particles' schemes, in lanes. */
#ifndef CT_TRANSFER_COEFFICIENTS_H
#define CT_TRANSFER_COEFFICIENTS_H

#include "transfer/transfer.h"

/* See transfer/info.h. */
typedef struct ct_lane_scheme {
    ct_lane flip, shift, beta_min, beta_max, symmetric, skew;
} ct_lane_scheme;

static inline void ct_lane_scheme_set(ct_lane_scheme *s, int lane, const ct_scheme *from)
{
    s->flip[lane] = (ct_real)from->flip, s->shift[lane] = (ct_real)from->shift;
    s->beta_min[lane] = (ct_real)(from->when_compressed ? from->beta_min : from->beta_max);
    s->beta_max[lane] = (ct_real)from->beta_max;
    s->symmetric[lane] = (ct_real)from->symmetric, s->skew[lane] = (ct_real)from->skew;
}

/* Of CT_LANES particles, of which body[0] is the first one's body. */
static inline ct_lane_scheme ct_lane_scheme_of(const ct_transfer *t, const uint16_t *body)
{
    ct_lane_scheme s;
    if (t->world->has_one_scheme) {
        const ct_scheme *one = &t->world->bodies[0].scheme;
        CT_FOR(l, CT_LANES) ct_lane_scheme_set(&s, l, one);
    } else {
        CT_FOR(l, CT_LANES) ct_lane_scheme_set(&s, l, &t->world->bodies[body[l]].scheme);
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
