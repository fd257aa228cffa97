/* Reading neighbours: quads of CT_LANES particles from anywhere, turned into lanes, and sums over lanes. */
#ifndef CT_PERI_QUADS_H
#define CT_PERI_QUADS_H

#include "core/transpose.h"

/* out[k] = number k of the quads at base + place * stride, where index[l] is twice the place, l = 0 to
 * CT_LANES - 1: a processor can add eight times a number to an address, and twice a quad is that. */
CT_INLINE void ct_quads_gather(const ct_real *base, size_t stride, const uint32_t *index, ct_lane out[4])
{
    const ct_real *from[CT_LANES];
    CT_UNROLL(l, CT_LANES) from[l] = base + index[l] * (stride / 2);
#if CT_LANE_COUNT < 4
    CT_FOR(k, 4) {
        ct_real numbers[CT_LANES];
        CT_FOR(l, CT_LANES) numbers[l] = from[l][k];
        out[k] = ct_lane_load(numbers);
    }
#else
    ct_lane quads[4];
    CT_UNROLL(r, 4) {
        const ct_real *place[CT_LANES / 4];
        CT_UNROLL(g, CT_LANES / 4) place[g] = from[r + 4 * g];
        quads[r] = ct_lane_of_quads(place);
    }
    ct_transpose(quads, out);
#endif
}

/* Back: out[l][k] = in[k][l]. */
CT_INLINE void ct_quads_of_lanes(const ct_lane in[4], ct_quad out[CT_LANES])
{
    ct_real quads[4 * CT_LANES];
    ct_quads_from_lanes(in, quads);
    CT_UNROLL(l, CT_LANES) out[l] = ct_quad_load(quads + ct_quad_at((unsigned)l));
}

/* Adds in[k] to number k of these quads, one after the other. */
CT_INLINE void ct_quads_add(ct_real *base, const uint32_t *index, const ct_lane in[4])
{
    ct_quad quad[CT_LANES];
    ct_quads_of_lanes(in, quad);
    CT_UNROLL(l, CT_LANES) {
        ct_real *to = base + 2 * (size_t)index[l];
        ct_quad_store(to, ct_quad_load(to) + quad[l]);
    }
}

/* Writes them to the first `count` quads from `to` on, `stride` numbers apart. */
CT_INLINE void ct_quads_put(ct_real *to, size_t stride, int count, const ct_lane in[4])
{
    ct_quad quad[CT_LANES];
    ct_quads_of_lanes(in, quad);
    CT_FOR(l, count) ct_quad_store(to + stride * (size_t)l, quad[l]);
}

/* The sum over the lane, always in the same order: halves onto each other. */
CT_INLINE ct_real ct_lane_sum(ct_lane a)
{
#if CT_LANE_COUNT == 16
    a += CT_PICK_FOURS(a, a, 2, 3, 2, 3);
    a += CT_PICK_FOURS(a, a, 1, 1, 1, 1);
#elif CT_LANE_COUNT == 8
    a += CT_PICK_FOURS(a, a, 1, 1);
#endif
#if CT_LANE_COUNT >= 4
    a += CT_PICK_EACH(a, a, 2, 3, 2, 3);
#endif
    return a[0] + a[1];
}

#endif
