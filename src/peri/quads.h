/* Reading neighbours: quads of CT_LANES particles from anywhere, turned into lanes, and sums over lanes. */
#ifndef CT_PERI_QUADS_H
#define CT_PERI_QUADS_H

#include "core/lanes.h"

/* A quad by itself. Where it is wider than a register, functions that are not inlined pass it by a convention
 * of the compiler's own: all of them are static. */
#pragma GCC diagnostic ignored "-Wpsabi"
typedef ct_real ct_quad __attribute__((vector_size(4 * sizeof(ct_real))));

CT_INLINE ct_quad ct_quad_load(const ct_real *from)
{
    ct_quad a;
    memcpy(&a, from, sizeof a);
    return a;
}

CT_INLINE void ct_quad_store(ct_real *to, ct_quad a)
{
    memcpy(to, &a, sizeof a);
}

/* out[k] = number k of the quads at base + place * stride, where index[l] is twice the place, l = 0 to
 * CT_LANES - 1: a processor can add eight times a number to an address, and twice a quad is that. */
CT_INLINE void ct_quads_gather(const ct_real *base, size_t stride, const uint32_t *index, ct_lane out[4])
{
    const ct_real *from[CT_LANES];
    CT_UNROLL(l, CT_LANES) from[l] = base + index[l] * (stride / 2);
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 pair[4]; /* quads l and l + 4 */
    CT_UNROLL(l, 4)
        pair[l] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(from[l])), _mm_load_ps(from[l + 4]), 1);
    __m256 a = _mm256_unpacklo_ps(pair[0], pair[1]), b = _mm256_unpackhi_ps(pair[0], pair[1]);
    __m256 c = _mm256_unpacklo_ps(pair[2], pair[3]), d = _mm256_unpackhi_ps(pair[2], pair[3]);
    out[0] = (ct_lane)_mm256_unpacklo_pd((__m256d)a, (__m256d)c);
    out[1] = (ct_lane)_mm256_unpackhi_pd((__m256d)a, (__m256d)c);
    out[2] = (ct_lane)_mm256_unpacklo_pd((__m256d)b, (__m256d)d);
    out[3] = (ct_lane)_mm256_unpackhi_pd((__m256d)b, (__m256d)d);
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 four[4]; /* quads l, l + 4, l + 8 and l + 12 */
    CT_UNROLL(l, 4) {
        four[l] = _mm512_castps128_ps512(_mm_load_ps(from[l]));
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(from[l + 4]), 1);
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(from[l + 8]), 2);
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(from[l + 12]), 3);
    }
    __m512 a = _mm512_unpacklo_ps(four[0], four[1]), b = _mm512_unpackhi_ps(four[0], four[1]);
    __m512 c = _mm512_unpacklo_ps(four[2], four[3]), d = _mm512_unpackhi_ps(four[2], four[3]);
    out[0] = (ct_lane)_mm512_unpacklo_pd((__m512d)a, (__m512d)c);
    out[1] = (ct_lane)_mm512_unpackhi_pd((__m512d)a, (__m512d)c);
    out[2] = (ct_lane)_mm512_unpacklo_pd((__m512d)b, (__m512d)d);
    out[3] = (ct_lane)_mm512_unpackhi_pd((__m512d)b, (__m512d)d);
#elif CT_LANE_BYTES == 32
    __m256d q[4];
    CT_UNROLL(l, 4) q[l] = _mm256_load_pd(from[l]);
    __m256d a = _mm256_unpacklo_pd(q[0], q[1]), b = _mm256_unpackhi_pd(q[0], q[1]);
    __m256d c = _mm256_unpacklo_pd(q[2], q[3]), d = _mm256_unpackhi_pd(q[2], q[3]);
    out[0] = (ct_lane)_mm256_permute2f128_pd(a, c, 0x20);
    out[1] = (ct_lane)_mm256_permute2f128_pd(b, d, 0x20);
    out[2] = (ct_lane)_mm256_permute2f128_pd(a, c, 0x31);
    out[3] = (ct_lane)_mm256_permute2f128_pd(b, d, 0x31);
#else
    ct_real numbers[4][CT_LANES];
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 4) numbers[k][l] = from[l][k];
    CT_FOR(k, 4) out[k] = ct_lane_load(numbers[k]);
#endif
}

/* Back: out[l][k] = in[k][l]. */
CT_INLINE void ct_quads_of_lanes(const ct_lane in[4], ct_quad out[CT_LANES])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 a = _mm256_unpacklo_ps((__m256)in[0], (__m256)in[1]),
           b = _mm256_unpackhi_ps((__m256)in[0], (__m256)in[1]),
           c = _mm256_unpacklo_ps((__m256)in[2], (__m256)in[3]),
           d = _mm256_unpackhi_ps((__m256)in[2], (__m256)in[3]);
    const __m256 pair[4] = {/* quads l and l + 4 */
                            (__m256)_mm256_unpacklo_pd((__m256d)a, (__m256d)c),
                            (__m256)_mm256_unpackhi_pd((__m256d)a, (__m256d)c),
                            (__m256)_mm256_unpacklo_pd((__m256d)b, (__m256d)d),
                            (__m256)_mm256_unpackhi_pd((__m256d)b, (__m256d)d)};
    CT_UNROLL(l, 4) {
        out[l] = (ct_quad)_mm256_castps256_ps128(pair[l]);
        out[l + 4] = (ct_quad)_mm256_extractf128_ps(pair[l], 1);
    }
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 a = _mm512_unpacklo_ps((__m512)in[0], (__m512)in[1]),
           b = _mm512_unpackhi_ps((__m512)in[0], (__m512)in[1]),
           c = _mm512_unpacklo_ps((__m512)in[2], (__m512)in[3]),
           d = _mm512_unpackhi_ps((__m512)in[2], (__m512)in[3]);
    const __m512 four[4] = {/* quads l, l + 4, l + 8 and l + 12 */
                            (__m512)_mm512_unpacklo_pd((__m512d)a, (__m512d)c),
                            (__m512)_mm512_unpackhi_pd((__m512d)a, (__m512d)c),
                            (__m512)_mm512_unpacklo_pd((__m512d)b, (__m512d)d),
                            (__m512)_mm512_unpackhi_pd((__m512d)b, (__m512d)d)};
    CT_UNROLL(l, 4) {
        out[l] = (ct_quad)_mm512_castps512_ps128(four[l]);
        out[l + 4] = (ct_quad)_mm512_extractf32x4_ps(four[l], 1);
        out[l + 8] = (ct_quad)_mm512_extractf32x4_ps(four[l], 2);
        out[l + 12] = (ct_quad)_mm512_extractf32x4_ps(four[l], 3);
    }
#elif CT_LANE_BYTES == 32
    __m256d a = _mm256_unpacklo_pd((__m256d)in[0], (__m256d)in[1]),
            b = _mm256_unpackhi_pd((__m256d)in[0], (__m256d)in[1]),
            c = _mm256_unpacklo_pd((__m256d)in[2], (__m256d)in[3]),
            d = _mm256_unpackhi_pd((__m256d)in[2], (__m256d)in[3]);
    out[0] = (ct_quad)_mm256_permute2f128_pd(a, c, 0x20);
    out[1] = (ct_quad)_mm256_permute2f128_pd(b, d, 0x20);
    out[2] = (ct_quad)_mm256_permute2f128_pd(a, c, 0x31);
    out[3] = (ct_quad)_mm256_permute2f128_pd(b, d, 0x31);
#else
    CT_FOR(l, CT_LANES) out[l] = (ct_quad){in[0][l], in[1][l], in[2][l], in[3][l]};
#endif
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
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m128 four = _mm_add_ps(_mm256_castps256_ps128((__m256)a), _mm256_extractf128_ps((__m256)a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    ct_real part[CT_LANES];
    ct_lane_store(part, a);
    for (int half = CT_LANES / 2; half > 0; half /= 2)
        CT_UNROLL(l, half) part[l] += part[l + half];
    return part[0];
#endif
}

#endif
