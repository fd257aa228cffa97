/* Transposition: four numbers of CT_LANES particles are four lanes, or a quad a particle. In registers both
 * are the same but for an exchange within every four slots, so quads come in this order:
 *
 *     lanes                             quads
 *     x0 x1 x2 x3  x4 x5 x6 x7          x0 y0 z0 m0  x4 y4 z4 m4
 *     y0 y1 y2 y3  y4 ...               x1 y1 z1 m1  x5 ...
 *     z0 z1 ...                         x2 y2 ...
 *     m0 m1 ...                         x3 ...
 */
#ifndef CT_CORE_TRANSPOSE_H
#define CT_CORE_TRANSPOSE_H

#include "core/lanes.h"

/* One node, or the numbers of one particle. */
typedef ct_real ct_quad __attribute__((vector_size(4 * sizeof(ct_real))));

/* A quad by itself. Where it is wider than a register, functions that are not inlined pass it by a convention
 * of the compiler's own: all of them are static. */
#pragma GCC diagnostic ignored "-Wpsabi"

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

/* Where the quad of particle `l` is among those of CT_LANES particles. */
static inline unsigned ct_quad_at(unsigned l)
{
    return CT_LANES < 4 ? l * 4 : l % 4 * CT_LANES + l / 4 * 4;
}

/* Slots of two registers, by number: those of the second one follow on those of the first. */
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
#define CT_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CT_PICK(a, b, ...) __builtin_shuffle(a, b, (ct_mask){__VA_ARGS__})
#endif

/* The same slots of every four, i to l; and whole fours, by number. */
#define CT_FOUR_(i) (i) * 4, (i)*4 + 1, (i)*4 + 2, (i)*4 + 3
#if CT_LANE_COUNT == 16
#define CT_PICK_EACH(a, b, i, j, k, l)                                                                \
    CT_PICK(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4, (i) + 8, (j) + 8, (k) + 8, (l) + 8, \
            (i) + 12, (j) + 12, (k) + 12, (l) + 12)
#define CT_PICK_FOURS(a, b, i, j, k, l) CT_PICK(a, b, CT_FOUR_(i), CT_FOUR_(j), CT_FOUR_(k), CT_FOUR_(l))
#elif CT_LANE_COUNT == 8
#define CT_PICK_EACH(a, b, i, j, k, l) CT_PICK(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4)
#define CT_PICK_FOURS(a, b, i, j)      CT_PICK(a, b, CT_FOUR_(i), CT_FOUR_(j))
#elif CT_LANE_COUNT == 4
#define CT_PICK_EACH(a, b, i, j, k, l) CT_PICK(a, b, i, j, k, l)
#endif

#if CT_LANE_COUNT >= 4
/* Lanes to quads, and quads to lanes. */
CT_INLINE void ct_transpose(const ct_lane in[4], ct_lane out[4])
{
    enum { B = CT_LANES };
#if CT_IS_DOUBLE
    ct_lane p = CT_PICK_EACH(in[0], in[1], 0, B, 2, B + 2),
            q = CT_PICK_EACH(in[0], in[1], 1, B + 1, 3, B + 3);
    ct_lane r = CT_PICK_EACH(in[2], in[3], 0, B, 2, B + 2),
            s = CT_PICK_EACH(in[2], in[3], 1, B + 1, 3, B + 3);
    out[0] = CT_PICK_EACH(p, r, 0, 1, B, B + 1); /* x0 y0 x2 y2, z0 m0 z2 m2 -> x0 y0 z0 m0 */
    out[1] = CT_PICK_EACH(q, s, 0, 1, B, B + 1);
    out[2] = CT_PICK_EACH(p, r, 2, 3, B + 2, B + 3);
    out[3] = CT_PICK_EACH(q, s, 2, 3, B + 2, B + 3);
#else
    ct_lane p = CT_PICK_EACH(in[0], in[1], 0, B, 1, B + 1),
            q = CT_PICK_EACH(in[0], in[1], 2, B + 2, 3, B + 3);
    ct_lane r = CT_PICK_EACH(in[2], in[3], 0, B, 1, B + 1),
            s = CT_PICK_EACH(in[2], in[3], 2, B + 2, 3, B + 3);
    out[0] = CT_PICK_EACH(p, r, 0, 1, B, B + 1); /* x0 y0 x1 y1, z0 m0 z1 m1 -> x0 y0 z0 m0 */
    out[1] = CT_PICK_EACH(p, r, 2, 3, B + 2, B + 3);
    out[2] = CT_PICK_EACH(q, s, 0, 1, B, B + 1);
    out[3] = CT_PICK_EACH(q, s, 2, 3, B + 2, B + 3);
#endif
}

/* A register of the quads at CT_LANES / 4 places. */
CT_INLINE ct_lane ct_lane_of_quads(const ct_real *const place[])
{
#if CT_LANE_BYTES == 64 && CT_IS_DOUBLE
    return (ct_lane)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(place[0])),
                                       _mm256_loadu_pd(place[1]), 1);
#elif CT_LANE_BYTES == 64
    __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(place[0]));
    all = _mm512_insertf32x4(all, _mm_loadu_ps(place[1]), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(place[2]), 2);
    return (ct_lane)_mm512_insertf32x4(all, _mm_loadu_ps(place[3]), 3);
#elif CT_LANE_BYTES == 32 && !CT_IS_DOUBLE
    return (ct_lane)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(place[0])),
                                         _mm_loadu_ps(place[1]), 1);
#else
    return ct_lane_load(place[0]);
#endif
}
#endif

/* Four numbers of CT_LANES particles, as lanes, to their quads, and back. */
CT_INLINE void ct_quads_from_lanes(const ct_lane in[4], ct_real quads[4 * CT_LANES])
{
#if CT_LANE_COUNT < 4
    CT_FOR(l, CT_LANES)
        CT_FOR(k, 4) quads[ct_quad_at((unsigned)l) + (unsigned)k] = in[k][l];
#else
    ct_lane out[4];
    ct_transpose(in, out);
    CT_UNROLL(r, 4) ct_lane_store(quads + r * CT_LANES, out[r]);
#endif
}

CT_INLINE void ct_lanes_from_quads(const ct_real quads[4 * CT_LANES], ct_lane out[4])
{
#if CT_LANE_COUNT < 4
    CT_FOR(k, 4) {
        ct_real numbers[CT_LANES];
        CT_FOR(l, CT_LANES) numbers[l] = quads[ct_quad_at((unsigned)l) + (unsigned)k];
        out[k] = ct_lane_load(numbers);
    }
#else
    ct_lane in[4];
    CT_UNROLL(r, 4) in[r] = ct_lane_load(quads + r * CT_LANES);
    ct_transpose(in, out);
#endif
}

/* Where the two quads of particle `l` are, if it has two, side by side. */
static inline unsigned ct_twin_at(unsigned l)
{
    return 2 * ct_quad_at(l);
}

CT_INLINE void ct_twins_from_lanes(const ct_lane first[4], const ct_lane second[4],
                                   ct_real twins[8 * CT_LANES])
{
#if CT_LANE_COUNT <= 4
    ct_real quads[2][4 * CT_LANES];
    ct_quads_from_lanes(first, quads[0]);
    ct_quads_from_lanes(second, quads[1]);
    CT_UNROLL(l, CT_LANES)
        CT_UNROLL(k, 2)
            memcpy(twins + ct_twin_at((unsigned)l) + 4 * k, quads[k] + ct_quad_at((unsigned)l),
                   4 * sizeof *twins);
#else
    ct_lane a[4], b[4];
    ct_transpose(first, a);
    ct_transpose(second, b);
    CT_UNROLL(r, 4) {
        ct_real *to = twins + 2 * r * CT_LANES;
#if CT_LANE_COUNT == 8
        ct_lane_store(to, CT_PICK_FOURS(a[r], b[r], 0, 2));
        ct_lane_store(to + CT_LANES, CT_PICK_FOURS(a[r], b[r], 1, 3));
#else
        ct_lane_store(to, CT_PICK_FOURS(a[r], b[r], 0, 4, 1, 5));
        ct_lane_store(to + CT_LANES, CT_PICK_FOURS(a[r], b[r], 2, 6, 3, 7));
#endif
    }
#endif
}

#endif
