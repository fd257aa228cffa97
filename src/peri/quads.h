/* Reading neighbours: quads of CT_LANES particles from anywhere, turned into lanes, and sums over lanes. */
#ifndef CT_PERI_QUADS_H
#define CT_PERI_QUADS_H

#include "core/lanes.h"

/* out[k] = number k of the quads at base + index[l] * stride, l = 0 to CT_LANES - 1. */
CT_INLINE void ct_quads_gather(const ct_real *base, size_t stride, const uint32_t *index, ct_lane out[4])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 pair[4]; /* quads l and l + 4 */
    CT_UNROLL(l, 4)
        pair[l] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(base + index[l] * stride)),
                                       _mm_load_ps(base + index[l + 4] * stride), 1);
    __m256 a = _mm256_unpacklo_ps(pair[0], pair[1]), b = _mm256_unpackhi_ps(pair[0], pair[1]);
    __m256 c = _mm256_unpacklo_ps(pair[2], pair[3]), d = _mm256_unpackhi_ps(pair[2], pair[3]);
    out[0] = (ct_lane)_mm256_unpacklo_pd((__m256d)a, (__m256d)c);
    out[1] = (ct_lane)_mm256_unpackhi_pd((__m256d)a, (__m256d)c);
    out[2] = (ct_lane)_mm256_unpacklo_pd((__m256d)b, (__m256d)d);
    out[3] = (ct_lane)_mm256_unpackhi_pd((__m256d)b, (__m256d)d);
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 four[4]; /* quads l, l + 4, l + 8 and l + 12 */
    CT_UNROLL(l, 4) {
        four[l] = _mm512_castps128_ps512(_mm_load_ps(base + index[l] * stride));
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(base + index[l + 4] * stride), 1);
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(base + index[l + 8] * stride), 2);
        four[l] = _mm512_insertf32x4(four[l], _mm_load_ps(base + index[l + 12] * stride), 3);
    }
    __m512 a = _mm512_unpacklo_ps(four[0], four[1]), b = _mm512_unpackhi_ps(four[0], four[1]);
    __m512 c = _mm512_unpacklo_ps(four[2], four[3]), d = _mm512_unpackhi_ps(four[2], four[3]);
    out[0] = (ct_lane)_mm512_unpacklo_pd((__m512d)a, (__m512d)c);
    out[1] = (ct_lane)_mm512_unpackhi_pd((__m512d)a, (__m512d)c);
    out[2] = (ct_lane)_mm512_unpacklo_pd((__m512d)b, (__m512d)d);
    out[3] = (ct_lane)_mm512_unpackhi_pd((__m512d)b, (__m512d)d);
#elif CT_LANE_BYTES == 32
    __m256d q[4];
    CT_UNROLL(l, 4) q[l] = _mm256_load_pd(base + index[l] * stride);
    __m256d a = _mm256_unpacklo_pd(q[0], q[1]), b = _mm256_unpackhi_pd(q[0], q[1]);
    __m256d c = _mm256_unpacklo_pd(q[2], q[3]), d = _mm256_unpackhi_pd(q[2], q[3]);
    out[0] = (ct_lane)_mm256_permute2f128_pd(a, c, 0x20);
    out[1] = (ct_lane)_mm256_permute2f128_pd(b, d, 0x20);
    out[2] = (ct_lane)_mm256_permute2f128_pd(a, c, 0x31);
    out[3] = (ct_lane)_mm256_permute2f128_pd(b, d, 0x31);
#else
    ct_real numbers[4][CT_LANES];
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 4) numbers[k][l] = base[index[l] * stride + (size_t)k];
    CT_FOR(k, 4) out[k] = ct_lane_load(numbers[k]);
#endif
}

/* Adds in[k] to number k of the quads at base + 4 index[l], one after the other. */
CT_INLINE void ct_quads_add(ct_real *base, const uint32_t *index, const ct_lane in[4])
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
        float *to = base + 4 * (size_t)index[l];
        _mm_store_ps(to, _mm_add_ps(_mm_load_ps(to), _mm256_castps256_ps128(pair[l])));
    }
    CT_UNROLL(l, 4) {
        float *to = base + 4 * (size_t)index[l + 4];
        _mm_store_ps(to, _mm_add_ps(_mm_load_ps(to), _mm256_extractf128_ps(pair[l], 1)));
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
        const __m128 quad[4] = {_mm512_castps512_ps128(four[l]), _mm512_extractf32x4_ps(four[l], 1),
                                _mm512_extractf32x4_ps(four[l], 2), _mm512_extractf32x4_ps(four[l], 3)};
        CT_UNROLL(k, 4) {
            float *to = base + 4 * (size_t)index[l + 4 * k];
            _mm_store_ps(to, _mm_add_ps(_mm_load_ps(to), quad[k]));
        }
    }
#elif CT_LANE_BYTES == 32
    __m256d a = _mm256_unpacklo_pd((__m256d)in[0], (__m256d)in[1]),
            b = _mm256_unpackhi_pd((__m256d)in[0], (__m256d)in[1]),
            c = _mm256_unpacklo_pd((__m256d)in[2], (__m256d)in[3]),
            d = _mm256_unpackhi_pd((__m256d)in[2], (__m256d)in[3]);
    const __m256d quad[4] = {_mm256_permute2f128_pd(a, c, 0x20), _mm256_permute2f128_pd(b, d, 0x20),
                             _mm256_permute2f128_pd(a, c, 0x31), _mm256_permute2f128_pd(b, d, 0x31)};
    CT_UNROLL(l, 4) {
        double *to = base + 4 * (size_t)index[l];
        _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), quad[l]));
    }
#else
    ct_real numbers[4][CT_LANES];
    CT_FOR(k, 4) ct_lane_store(numbers[k], in[k]);
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 4) base[4 * (size_t)index[l] + (size_t)k] += numbers[k][l];
#endif
}

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

/* Four sums at once. */
CT_INLINE void ct_lane_sums(const ct_lane a[4], ct_real sum[4])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 ab = _mm256_hadd_ps((__m256)a[0], (__m256)a[1]), cd = _mm256_hadd_ps((__m256)a[2], (__m256)a[3]);
    __m256 all = _mm256_hadd_ps(ab, cd);
    _mm_storeu_ps(sum, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
#else
    CT_FOR(k, 4) sum[k] = ct_lane_sum(a[k]);
#endif
}

#endif
