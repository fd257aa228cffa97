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

/* Eight numbers per particle, side by side, to eight lanes. */
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
/* Of the rows of particles l, l + 4, l + 8 and l + 12 the quads of each node. */
CT_INLINE void ct_nodes_of_four(int width, const ct_real *rows, ct_lane node[4])
{
    ct_lane even[2], odd[2]; /* nodes 0 and 2, or 1 and 3, of two rows */
    CT_UNROLL(h, 2) {
        ct_lane a = ct_lane_load(rows + 8 * h * CT_LANES), b = ct_lane_load(rows + (8 * h + 4) * CT_LANES);
        even[h] = CT_PICK_FOURS(a, b, 0, 2, 4, 6);
        odd[h] = CT_PICK_FOURS(a, b, 1, 3, 5, 7);
    }
    node[0] = CT_PICK_FOURS(even[0], even[1], 0, 2, 4, 6);
    node[1] = CT_PICK_FOURS(odd[0], odd[1], 0, 2, 4, 6);
    node[2] = CT_PICK_FOURS(even[0], even[1], 1, 3, 5, 7);
    if (width == 4) node[3] = CT_PICK_FOURS(odd[0], odd[1], 1, 3, 5, 7);
}

/* A weight of the same particles: each four times. */
CT_INLINE ct_lane ct_weight_of_four(ct_lane w, int l)
{
    return l == 0 ? CT_PICK_EACH(w, w, 0, 0, 0, 0)
           : l == 1 ? CT_PICK_EACH(w, w, 1, 1, 1, 1)
           : l == 2 ? CT_PICK_EACH(w, w, 2, 2, 2, 2)
                    : CT_PICK_EACH(w, w, 3, 3, 3, 3);
}

/* The rows of CT_LANES particles to their sums with weights along the row, as lanes; and, unless NULL, to
 * their moments, with nodes' numbers -1, 0, 1 and, if the kernel is that wide, 2. */
CT_INLINE void ct_lanes_from_rows(int width, const ct_lane w[4],
                                  const ct_real rows[CT_ROW_NUMBERS * CT_LANES], ct_lane sum[4],
                                  ct_lane moment[4])
{
    ct_lane total[4], weighted[4];
    CT_UNROLL(l, 4) {
        ct_lane node[4];
        ct_nodes_of_four(width, rows + l * CT_LANES, node);
        ct_lane low = ct_weight_of_four(w[0], l) * node[0], high = ct_weight_of_four(w[2], l);
        if (moment) low = CT_ROUNDED(low);
        total[l] = ct_weight_of_four(w[1], l) * node[1] + low + high * node[2];
        weighted[l] = high * node[2] - low;
        if (width == 4) {
            ct_lane last = CT_ROUNDED(ct_weight_of_four(w[3], l) * node[3]);
            total[l] += last, weighted[l] += 2 * last;
        }
    }
    ct_transpose(total, sum);
    if (moment) ct_transpose(weighted, moment);
}
#endif

#endif

#endif
