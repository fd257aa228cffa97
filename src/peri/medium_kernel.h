/* A pair of the medium for CT_LANES neighbours of one particle at once. */
#ifndef CT_PERI_MEDIUM_KERNEL_H
#define CT_PERI_MEDIUM_KERNEL_H

#include "peri/numbers.h"

typedef struct ct_pair {
    ct_lane Y[CT_DIM], q; /* from the particle to its neighbour, m; its length, never 0 */
    ct_lane more;         /* the fourth number of the neighbour's quad */
    ct_mask is_pair;      /* not the particle itself, nor a neighbour that is in the same place */
} ct_pair;

CT_INLINE ct_pair ct_pair_read(const ct_solving *s, const ct_real *quads, const ct_real *own,
                               const uint32_t *index)
{
    ct_pair pair;
    ct_lane other[4], square = ct_lane_all(0);
    ct_quads_gather(quads, CT_QUAD, index, other);
    CT_UNROLL(a, CT_DIM) {
        pair.Y[a] = other[a] - own[a];
        square += pair.Y[a] * pair.Y[a];
    }
    pair.more = other[3];
    pair.is_pair = square > s->least * s->least;
    pair.q = ct_lane_sqrt(ct_lane_select(pair.is_pair, square, ct_lane_all(1)));
    return pair;
}

/* 1 - q/r, 0 beyond the horizon and where there is no pair. */
CT_INLINE ct_lane ct_pair_nearness(const ct_solving *s, const ct_pair *pair)
{
    ct_lane near = ct_lane_max(1 - pair->q * s->inverse_range, ct_lane_all(0));
    return ct_lane_select(pair->is_pair, near, ct_lane_all(0));
}

/* What walls add to the sum of a density, and its derivative by the distance along each axis, inwards. */
static inline ct_real ct_medium_walls(const ct_solving *s, const ct_real *place, ct_real slope[CT_DIM])
{
    ct_real gap = 1; /* share of the lattice that is behind no wall: in a corner walls cover each other */
    CT_FOR(a, CT_DIM) slope[a] = 0;
    bool is_near = false; /* to most particles no wall is */
    CT_UNROLL(a, CT_DIM) is_near |= (place[a] < s->inner[2 * a]) | (place[a] > s->inner[2 * a + 1]);
    if (!s->has_walls || !is_near) return 0;
    const double *table = s->peri->medium.sums.wall;
    CT_FOR(side, 2 * CT_DIM) {
        int a = side / 2;
        ct_real off = side % 2 ? s->wall[side] - place[a] : place[a] - s->wall[side];
        ct_real at = off * s->inverse_range * CT_WALL_TABLE;
        if (!(at < CT_WALL_TABLE)) continue; /* far, or no wall: infinity */
        int k = at > 0 ? (int)at : 0;
        ct_real rise = (ct_real)(table[k + 1] - table[k]);
        ct_real rest = 1 - s->kernel * ((ct_real)table[k] + rise * (at - (ct_real)k));
        CT_FOR(b, CT_DIM) slope[b] *= rest;
        slope[a] += gap * (side % 2 ? -rise : rise) * s->inverse_range * CT_WALL_TABLE;
        gap *= rest;
    }
    return (1 - gap) / s->kernel;
}

/* rho of a particle among `quads`. */
CT_INLINE ct_real ct_medium_density(const ct_solving *s, const ct_real *quads, size_t p)
{
    const ct_bonds *rows = &s->peri->medium.rows;
    const uint32_t *index = rows->index + p * rows->stride;
    const ct_real *own = quads + CT_QUAD * p;
    ct_real slope[CT_DIM];
    ct_lane sum = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, quads, own, index + n);
        ct_lane near = ct_pair_nearness(s, &pair);
        sum += near * near;
    }
    ct_real all = 1 + ct_lane_sum(sum) + ct_medium_walls(s, own, slope);
    return 1 + (s->place[CT_QUAD * p + 3] * s->inverse_volume * s->kernel * all - 1) / s->follow;
}

#endif
