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

#include "core/transpose.h"

enum { CT_ROW_NUMBERS = 16, CT_ROW = CT_ROW_NUMBERS / CT_LANES };

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

#define CT_HAS_ROWS (CT_LANE_COUNT >= 8)
#if CT_HAS_ROWS

/* A lane of the row in which every node has the quad. */
CT_INLINE ct_lane ct_row_spread(const ct_real *quad)
{
#if CT_LANE_BYTES == 64 && !CT_IS_DOUBLE
    return (ct_lane)_mm512_broadcast_f32x4(_mm_loadu_ps(quad));
#elif CT_LANE_BYTES == 64
    return (ct_lane)_mm512_broadcast_f64x4(_mm256_loadu_pd(quad));
#else
    return (ct_lane)_mm256_broadcast_ps((const __m128 *)quad);
#endif
}

/* Lane `l` of the row in which node n has the quad's number n, four times. */
CT_INLINE ct_lane ct_row_each(const ct_real *quad, int l)
{
    ct_lane a = ct_row_spread(quad);
#if CT_LANE_COUNT == 16
    (void)l;
    return CT_PICK(a, a, 0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10, 15, 15, 15, 15);
#else
    return l ? CT_PICK(a, a, 2, 2, 2, 2, 7, 7, 7, 7) : CT_PICK(a, a, 0, 0, 0, 0, 5, 5, 5, 5);
#endif
}

/* A row summed over its nodes as far as adding registers goes: CT_FOLD numbers, of which every fourth belongs
 * to one component. */
enum { CT_FOLD = CT_LANES };

CT_INLINE void ct_row_fold(const ct_lane row[CT_ROW], ct_real fold[CT_FOLD])
{
    ct_lane sum = row[0];
    CT_UNROLL(l, CT_ROW - 1) sum += row[l + 1];
    ct_lane_store(fold, sum);
}

#if CT_LANE_COUNT == 8
/* The folded rows of CT_LANES particles to their four sums, as lanes. */
CT_INLINE void ct_lanes_from_folds(const ct_real folds[CT_LANES * CT_FOLD], ct_lane out[4])
{
    ct_lane quad[4]; /* of particles l and l + 4 */
    CT_UNROLL(l, 4) {
        ct_lane a = ct_lane_load(folds + l * CT_FOLD), b = ct_lane_load(folds + (l + 4) * CT_FOLD);
        quad[l] = CT_PICK_FOURS(a, b, 0, 2) + CT_PICK_FOURS(a, b, 1, 3);
    }
    ct_transpose(quad, out);
}

/* Eight numbers a particle, side by side, to eight lanes. */
CT_INLINE void ct_lanes_from_eights(const ct_real eights[8 * CT_LANES], ct_lane out[8])
{
    CT_UNROLL(half, 2) {
        ct_lane quad[4]; /* of particles l and l + 4 */
        CT_UNROLL(l, 4)
            quad[l] = ct_lane_of_quads(
                (const ct_real *[2]){eights + 8 * l + 4 * half, eights + 8 * (l + 4) + 4 * half});
        ct_transpose(quad, out + 4 * half);
    }
}
#elif CT_LANE_COUNT == 16
/* The rows of particles l, l + 4, l + 8 and l + 12: of two each nodes 0 and 2, or 1 and 3, side by side. */
CT_INLINE void ct_rows_of_four(const ct_real *rows, ct_lane even[2], ct_lane odd[2])
{
    CT_UNROLL(h, 2) {
        ct_lane a = ct_lane_load(rows + 8 * h * CT_LANES), b = ct_lane_load(rows + (8 * h + 4) * CT_LANES);
        even[h] = CT_PICK_FOURS(a, b, 0, 2, 4, 6);
        odd[h] = CT_PICK_FOURS(a, b, 1, 3, 5, 7);
    }
}

/* The rows of CT_LANES particles to their four sums, as lanes. */
CT_INLINE void ct_lanes_from_folds(const ct_real folds[CT_LANES * CT_FOLD], ct_lane out[4])
{
    ct_lane quad[4]; /* of particles l, l + 4, l + 8 and l + 12 */
    CT_UNROLL(l, 4) {
        ct_lane even[2], odd[2];
        ct_rows_of_four(folds + l * CT_LANES, even, odd);
        CT_UNROLL(h, 2) even[h] += odd[h];
        quad[l] = CT_PICK_FOURS(even[0], even[1], 0, 2, 4, 6) + CT_PICK_FOURS(even[0], even[1], 1, 3, 5, 7);
    }
    ct_transpose(quad, out);
}

/* And to their moments, with nodes' numbers -1, 0, 1 and, if the kernel is that wide, 2. */
CT_INLINE void ct_lanes_from_rows(int width, const ct_real rows[CT_LANES * CT_FOLD], ct_lane sum[4],
                                  ct_lane moment[4])
{
    ct_lane total[4], weighted[4];
    CT_UNROLL(l, 4) {
        ct_lane even[2], odd[2];
        ct_rows_of_four(rows + l * CT_LANES, even, odd);
        ct_lane low = CT_PICK_FOURS(even[0], even[1], 0, 2, 4, 6),
                high = CT_PICK_FOURS(even[0], even[1], 1, 3, 5, 7);
        total[l] = low + high + CT_PICK_FOURS(odd[0], odd[1], 0, 2, 4, 6);
        weighted[l] = high - low;
        if (width == 4) {
            ct_lane last = CT_PICK_FOURS(odd[0], odd[1], 1, 3, 5, 7);
            total[l] += last, weighted[l] += 2 * last;
        }
    }
    ct_transpose(total, sum);
    ct_transpose(weighted, moment);
}
#endif

#endif

#endif
