/* Rows: the nodes that a particle reaches along the last axis, 4 nodes of 4 numbers each (three velocities or
 * momenta and the mass; the quadratic kernel gives the fourth node no weight). In memory they are 16
 * consecutive numbers; in registers ROW lanes:
 *
 *        node 0          node 1          node 2          node 3
 *     [ x  y  z  m ]  [ x  y  z  m ]  [ x  y  z  m ]  [ x  y  z  m ]       AVX-512: one register
 *     |------- lane 0 -------------|  |------- lane 1 -------------|       AVX2: two
 *
 * A particle's own numbers come as quads (x y z m); spread over a row, every node gets them.
 *
 * Where a lane holds less than half a row, and where a node has two quads, rows do not pay: nodes are worked
 * on one by one, in parts of at most eight numbers.
 */
#ifndef CT_CORE_ROWS_H
#define CT_CORE_ROWS_H

#include "core/lanes.h"

enum { CT_ROW_NUMBERS = 16, CT_ROW = CT_ROW_NUMBERS / CT_LANES };

/* One node, or the numbers of one particle. */
typedef ct_real ct_quad __attribute__((vector_size(4 * sizeof(ct_real))));

/* A register for one node, or half of it or a quarter where lanes are short: of 4 or 8 numbers. */
enum { CT_PART = CT_LANES < 8 ? CT_LANES : 8 };
typedef ct_real ct_part __attribute__((vector_size(CT_PART * sizeof(ct_real))));

static inline ct_part ct_part_load(const ct_real *from)
{
    ct_part a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void ct_part_store(ct_real *to, ct_part a)
{
    memcpy(to, &a, sizeof a);
}

static inline ct_part ct_part_all(ct_real x)
{
    return x - (ct_part){0};
}

/* to += from */
CT_INLINE void ct_quad_add(ct_real *to, const ct_real *from)
{
    ct_quad a, b;
    memcpy(&a, to, sizeof a);
    memcpy(&b, from, sizeof b);
    a += b;
    memcpy(to, &a, sizeof a);
}

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

/* Lane `l` of the row in which node n has the quad's number n, four times. */
static inline ct_lane ct_row_each(const ct_real *quad, int l)
{
#if CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    const __m512i pick = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return (ct_lane)_mm512_permutexvar_ps(pick, (__m512)ct_row_spread(quad, l));
#elif CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    const __m256i pick =
        l ? _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3) : _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    return (ct_lane)_mm256_permutevar_ps((__m256)ct_row_spread(quad, l), pick);
#else
    ct_real numbers[CT_LANES];
    CT_FOR(k, CT_LANES) numbers[k] = quad[(l * CT_LANES + k) / 4];
    return ct_lane_load(numbers);
#endif
}

/* A row summed over its nodes as far as adding registers goes: CT_FOLD numbers, of which every fourth belongs
 * to one component. */
enum { CT_FOLD = CT_LANES > 4 ? CT_LANES : 4 };

CT_INLINE void ct_row_fold(const ct_lane row[CT_ROW], ct_real fold[CT_FOLD])
{
    enum { PARTS = CT_FOLD / CT_LANES };
    CT_UNROLL(part, PARTS) {
        ct_lane sum = row[part];
        CT_UNROLL(l, CT_ROW / PARTS - 1) sum += row[part + (l + 1) * PARTS];
        ct_lane_store(fold + part * CT_LANES, sum);
    }
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

/* Four numbers of CT_LANES particles, as lanes, to one quad a particle. */
static inline void ct_quads_from_lanes(const ct_lane in[4], ct_real quads[4 * CT_LANES])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 a = _mm256_unpacklo_ps((__m256)in[0], (__m256)in[1]),
           b = _mm256_unpackhi_ps((__m256)in[0], (__m256)in[1]);
    __m256 c = _mm256_unpacklo_ps((__m256)in[2], (__m256)in[3]),
           d = _mm256_unpackhi_ps((__m256)in[2], (__m256)in[3]);
    _mm256_storeu_ps(quads, (__m256)_mm256_unpacklo_pd((__m256d)a, (__m256d)c));
    _mm256_storeu_ps(quads + 8, (__m256)_mm256_unpackhi_pd((__m256d)a, (__m256d)c));
    _mm256_storeu_ps(quads + 16, (__m256)_mm256_unpacklo_pd((__m256d)b, (__m256d)d));
    _mm256_storeu_ps(quads + 24, (__m256)_mm256_unpackhi_pd((__m256d)b, (__m256d)d));
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    __m512 a = _mm512_unpacklo_ps((__m512)in[0], (__m512)in[1]),
           b = _mm512_unpackhi_ps((__m512)in[0], (__m512)in[1]);
    __m512 c = _mm512_unpacklo_ps((__m512)in[2], (__m512)in[3]),
           d = _mm512_unpackhi_ps((__m512)in[2], (__m512)in[3]);
    _mm512_storeu_ps(quads, (__m512)_mm512_unpacklo_pd((__m512d)a, (__m512d)c));
    _mm512_storeu_ps(quads + 16, (__m512)_mm512_unpackhi_pd((__m512d)a, (__m512d)c));
    _mm512_storeu_ps(quads + 32, (__m512)_mm512_unpacklo_pd((__m512d)b, (__m512d)d));
    _mm512_storeu_ps(quads + 48, (__m512)_mm512_unpackhi_pd((__m512d)b, (__m512d)d));
#else
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 4) quads[l * 4 + k] = in[k][l];
#endif
}

/* Two times four numbers of CT_LANES particles to two quads a particle, side by side. */
static inline void ct_twins_from_lanes(const ct_lane first[4], const ct_lane second[4],
                                       ct_real twins[8 * CT_LANES])
{
    ct_real quads[2][4 * CT_LANES];
    ct_quads_from_lanes(first, quads[0]);
    ct_quads_from_lanes(second, quads[1]);
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    CT_UNROLL(l, 4) { /* quads of particles l and l + 4 */
        __m256 a = _mm256_loadu_ps(quads[0] + 8 * l), b = _mm256_loadu_ps(quads[1] + 8 * l);
        _mm256_storeu_ps(twins + 8 * l, _mm256_permute2f128_ps(a, b, 0x20));
        _mm256_storeu_ps(twins + 8 * (l + 4), _mm256_permute2f128_ps(a, b, 0x31));
    }
#else
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 2) memcpy(twins + 8 * l + 4 * k, quads[k] + ct_quad_at(l), 4 * sizeof *twins);
#endif
}

#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
/* The quads of particles l and l + 4, l = 0 to 3, to four lanes. */
static inline void ct_transpose_quads(const __m256 quad[4], ct_lane out[4])
{
    __m256 p = _mm256_unpacklo_ps(quad[0], quad[1]), q = _mm256_unpackhi_ps(quad[0], quad[1]);
    __m256 r = _mm256_unpacklo_ps(quad[2], quad[3]), s = _mm256_unpackhi_ps(quad[2], quad[3]);
    out[0] =
        (ct_lane)_mm256_unpacklo_pd((__m256d)p, (__m256d)r); /* x0 x1 y0 y1, x2 x3 y2 y3 -> x0 x1 x2 x3 */
    out[1] = (ct_lane)_mm256_unpackhi_pd((__m256d)p, (__m256d)r);
    out[2] = (ct_lane)_mm256_unpacklo_pd((__m256d)q, (__m256d)s);
    out[3] = (ct_lane)_mm256_unpackhi_pd((__m256d)q, (__m256d)s);
}
#endif

/* Back: one quad a particle, side by side, to four numbers as lanes. */
static inline void ct_lanes_from_quads(const ct_real quads[4 * CT_LANES], ct_lane out[4])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 quad[4]; /* of particles l and l + 4 */
    CT_FOR(l, 4)
        quad[l] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(quads + 4 * l)),
                                       _mm_loadu_ps(quads + 4 * (l + 4)), 1);
    ct_transpose_quads(quad, out);
#else
    CT_FOR(k, 4) {
        ct_real numbers[CT_LANES];
        CT_FOR(l, CT_LANES) numbers[l] = quads[4 * l + k];
        out[k] = ct_lane_load(numbers);
    }
#endif
}

#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
/* Eight numbers a particle, side by side, to eight lanes. */
static inline void ct_lanes_from_eights(const ct_real eights[8 * CT_LANES], ct_lane out[8])
{
    CT_UNROLL(half, 2) {
        __m256 quad[4]; /* of particles l and l + 4 */
        CT_UNROLL(l, 4)
            quad[l] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(eights + 8 * l + 4 * half)),
                                           _mm_loadu_ps(eights + 8 * (l + 4) + 4 * half), 1);
        ct_transpose_quads(quad, out + 4 * half);
    }
}
#endif

/* The folded rows of CT_LANES particles to their four sums, as lanes. */
static inline void ct_lanes_from_folds(const ct_real folds[CT_LANES * CT_FOLD], ct_lane out[4])
{
#if CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    __m256 quad[4]; /* of particles l and l + 4 */
    CT_FOR(l, 4) {
        __m256 a = _mm256_loadu_ps(folds + l * 8), b = _mm256_loadu_ps(folds + (l + 4) * 8);
        quad[l] = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
    }
    ct_transpose_quads(quad, out);
#elif CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    /* Quads 0 and 2 of both, and quads 1 and 3. */
    const __m512i even = _mm512_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
                  odd = _mm512_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    __m512 quad[4]; /* of particles l, l + 4, l + 8 and l + 12 */
    CT_FOR(l, 4) {
        __m512 half[2]; /* of two particles: nodes 0 + 1, nodes 2 + 3 */
        CT_FOR(h, 2) {
            const ct_real *fold = folds + (l + 8 * h) * CT_FOLD;
            __m512 a = _mm512_loadu_ps(fold), b = _mm512_loadu_ps(fold + 4 * CT_FOLD);
            half[h] = _mm512_add_ps(_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b));
        }
        quad[l] = _mm512_add_ps(_mm512_permutex2var_ps(half[0], even, half[1]),
                                _mm512_permutex2var_ps(half[0], odd, half[1]));
    }
    __m512 p = _mm512_unpacklo_ps(quad[0], quad[1]), q = _mm512_unpackhi_ps(quad[0], quad[1]);
    __m512 r = _mm512_unpacklo_ps(quad[2], quad[3]), s = _mm512_unpackhi_ps(quad[2], quad[3]);
    out[0] = (ct_lane)_mm512_unpacklo_pd((__m512d)p, (__m512d)r);
    out[1] = (ct_lane)_mm512_unpackhi_pd((__m512d)p, (__m512d)r);
    out[2] = (ct_lane)_mm512_unpacklo_pd((__m512d)q, (__m512d)s);
    out[3] = (ct_lane)_mm512_unpackhi_pd((__m512d)q, (__m512d)s);
#else
    CT_FOR(k, 4) {
        ct_real numbers[CT_LANES];
        CT_FOR(l, CT_LANES) {
            numbers[l] = folds[l * CT_FOLD + k];
            for (int n = 4; n < CT_FOLD; n += 4) numbers[l] += folds[l * CT_FOLD + n + k];
        }
        out[k] = ct_lane_load(numbers);
    }
#endif
}

#endif
