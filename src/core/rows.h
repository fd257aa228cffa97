/* Rows: the nodes that a particle reaches along the last axis, 4 nodes of 4 numbers each (three velocities or momenta and
 * the mass; the quadratic kernel gives the fourth node no weight). In memory they are 16 consecutive numbers; in registers
 * ROW lanes:
 *
 *        node 0          node 1          node 2          node 3
 *     [ x  y  z  m ]  [ x  y  z  m ]  [ x  y  z  m ]  [ x  y  z  m ]       AVX-512: one register
 *     |------- lane 0 -------------|  |------- lane 1 -------------|       AVX2: two
 *
 * A particle's own numbers come as quads (x y z m); spread over a row, every node gets them.
 */
#ifndef CT_CORE_ROWS_H
#define CT_CORE_ROWS_H

#include "core/lanes.h"

enum { CT_ROW_NUMBERS = 16, CT_ROW = CT_ROW_NUMBERS / CT_LANES };

/* Lane `l` of the row in which every node has the quad. */
static inline ct_lane ct_row_spread(const ct_real *quad, int l)
{
#if CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    (void)l;
    return (ct_lane)_mm512_broadcast_f32x4(_mm_loadu_ps(quad));
#elif CT_LANE_BYTES == 64
    (void)l;
    return (ct_lane)_mm512_broadcast_f64x4(_mm256_loadu_pd(quad));
#elif CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    (void)l;
    return (ct_lane)_mm256_broadcast_ps((const __m128 *)quad);
#else
    return ct_lane_load(quad + l * CT_LANES % 4);
#endif
}

/* Sums a row over its nodes into a quad. */
static inline void ct_row_sum(const ct_lane row[CT_ROW], ct_real *quad)
{
    ct_lane sum[CT_LANES >= 4 ? 1 : 2];
#if CT_LANE_BYTES == 16 && CT_IS_DOUBLE
    sum[0] = (row[0] + row[4]) + (row[2] + row[6]);
    sum[1] = (row[1] + row[5]) + (row[3] + row[7]);
    ct_lane_store(quad, sum[0]);
    ct_lane_store(quad + 2, sum[1]);
#else
    sum[0] = row[0];
    for (int l = 1; l < CT_ROW; l++) sum[0] += row[l];
#if CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256((__m512)sum[0]), _mm512_extractf32x8_ps((__m512)sum[0], 1));
    _mm_storeu_ps(quad, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
#elif CT_LANE_BYTES == 64
    _mm256_storeu_pd(quad, _mm256_add_pd(_mm512_castpd512_pd256((__m512d)sum[0]),
                                         _mm512_extractf64x4_pd((__m512d)sum[0], 1)));
#elif CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    _mm_storeu_ps(quad, _mm_add_ps(_mm256_castps256_ps128((__m256)sum[0]), _mm256_extractf128_ps((__m256)sum[0], 1)));
#else
    ct_lane_store(quad, sum[0]);
#endif
#endif
}

/* Where the quad of particle `l` is in an array made by ct_quads_from_lanes. */
static inline int ct_quad_at(int l)
{
#if CT_LANE_BYTES > 16 && !CT_IS_DOUBLE
    return (l % 4) * CT_LANES + l / 4 * 4;
#else
    return l * 4;
#endif
}

/* Four numbers of CT_LANES particles, as lanes, to one quad a particle, and back. */
static inline void ct_quads_from_lanes(const ct_lane in[4], ct_real quads[4 * CT_LANES])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 a = _mm256_unpacklo_ps((__m256)in[0], (__m256)in[1]), b = _mm256_unpackhi_ps((__m256)in[0], (__m256)in[1]);
    __m256 c = _mm256_unpacklo_ps((__m256)in[2], (__m256)in[3]), d = _mm256_unpackhi_ps((__m256)in[2], (__m256)in[3]);
    _mm256_storeu_ps(quads, (__m256)_mm256_unpacklo_pd((__m256d)a, (__m256d)c));
    _mm256_storeu_ps(quads + 8, (__m256)_mm256_unpackhi_pd((__m256d)a, (__m256d)c));
    _mm256_storeu_ps(quads + 16, (__m256)_mm256_unpacklo_pd((__m256d)b, (__m256d)d));
    _mm256_storeu_ps(quads + 24, (__m256)_mm256_unpackhi_pd((__m256d)b, (__m256d)d));
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 a = _mm512_unpacklo_ps((__m512)in[0], (__m512)in[1]), b = _mm512_unpackhi_ps((__m512)in[0], (__m512)in[1]);
    __m512 c = _mm512_unpacklo_ps((__m512)in[2], (__m512)in[3]), d = _mm512_unpackhi_ps((__m512)in[2], (__m512)in[3]);
    _mm512_storeu_ps(quads, (__m512)_mm512_unpacklo_pd((__m512d)a, (__m512d)c));
    _mm512_storeu_ps(quads + 16, (__m512)_mm512_unpackhi_pd((__m512d)a, (__m512d)c));
    _mm512_storeu_ps(quads + 32, (__m512)_mm512_unpacklo_pd((__m512d)b, (__m512d)d));
    _mm512_storeu_ps(quads + 48, (__m512)_mm512_unpackhi_pd((__m512d)b, (__m512d)d));
#else
    CT_FOR(l, CT_LANES)
    CT_FOR(k, 4) quads[l * 4 + k] = in[k][l];
#endif
}

static inline void ct_lanes_from_quads(const ct_real quads[4 * CT_LANES], ct_lane out[4])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 a = _mm256_loadu_ps(quads), b = _mm256_loadu_ps(quads + 8);
    __m256 c = _mm256_loadu_ps(quads + 16), d = _mm256_loadu_ps(quads + 24);
    __m256 p = _mm256_unpacklo_ps(a, b), q = _mm256_unpackhi_ps(a, b); /* x0 x1 y0 y1 | ..., z0 z1 m0 m1 | ... */
    __m256 r = _mm256_unpacklo_ps(c, d), s = _mm256_unpackhi_ps(c, d);
    out[0] = (ct_lane)_mm256_unpacklo_pd((__m256d)p, (__m256d)r);
    out[1] = (ct_lane)_mm256_unpackhi_pd((__m256d)p, (__m256d)r);
    out[2] = (ct_lane)_mm256_unpacklo_pd((__m256d)q, (__m256d)s);
    out[3] = (ct_lane)_mm256_unpackhi_pd((__m256d)q, (__m256d)s);
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 a = _mm512_loadu_ps(quads), b = _mm512_loadu_ps(quads + 16);
    __m512 c = _mm512_loadu_ps(quads + 32), d = _mm512_loadu_ps(quads + 48);
    __m512 p = _mm512_unpacklo_ps(a, b), q = _mm512_unpackhi_ps(a, b);
    __m512 r = _mm512_unpacklo_ps(c, d), s = _mm512_unpackhi_ps(c, d);
    out[0] = (ct_lane)_mm512_unpacklo_pd((__m512d)p, (__m512d)r);
    out[1] = (ct_lane)_mm512_unpackhi_pd((__m512d)p, (__m512d)r);
    out[2] = (ct_lane)_mm512_unpacklo_pd((__m512d)q, (__m512d)s);
    out[3] = (ct_lane)_mm512_unpackhi_pd((__m512d)q, (__m512d)s);
#else
    CT_FOR(k, 4)
    {
        ct_real numbers[CT_LANES];
        CT_FOR(l, CT_LANES) numbers[l] = quads[l * 4 + k];
        out[k] = ct_lane_load(numbers);
    }
#endif
}

#endif
