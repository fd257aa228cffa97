/* Pairs of the medium: of each of a pack of particles and one of its neighbours. */
#ifndef CT_PERI_MEDIUM_KERNEL_H
#define CT_PERI_MEDIUM_KERNEL_H

#include "particles/place.h"
#include "peri/numbers.h"

typedef struct ct_pair {
    ct_lane Y[CT_DIM], q, square; /* from the particle to its neighbour, m; its length, never 0; its square */
    ct_lane more;                 /* the fourth number of the neighbour's quad */
} ct_pair;

/* m, squared: the particle itself, and a neighbour that is in the same place, are as good as infinitely far:
 * no weight reaches them, and no sum leaves the range of a float. */
static const ct_real CT_FAR_SQUARE = (ct_real)1e30;

/* The n-th neighbours of a pack whose own quads are `own`. */
CT_INLINE ct_pair ct_pair_read(const ct_solving *s, const ct_real *quads, const ct_lane own[CT_DIM],
                               const ct_pack *pack, uint32_t n)
{
    ct_pair pair;
    ct_lane other[4], square = ct_lane_all(0);
    ct_read_ahead(pack->index + CT_LANES * n + pack->ahead);
    ct_quads_gather(quads, CT_QUAD, pack->index + CT_LANES * n, other);
    CT_UNROLL(a, CT_DIM) {
        pair.Y[a] = other[a] - own[a];
        square += pair.Y[a] * pair.Y[a];
    }
    pair.more = other[3];
    ct_mask is_pair = square > s->least * s->least;
    pair.square = ct_lane_select(is_pair, square, ct_lane_all(CT_FAR_SQUARE));
    pair.q = ct_lane_sqrt(pair.square);
    return pair;
}

/* 1 - q/r, 0 beyond the horizon. */
CT_INLINE ct_lane ct_pair_nearness(const ct_solving *s, const ct_pair *pair)
{
    return ct_lane_max(1 - pair->q * s->inverse_range, ct_lane_all(0));
}

/* w, the same. */
CT_INLINE ct_lane ct_pair_weight(const ct_solving *s, ct_lane square)
{
    return ct_lane_max(ct_weight(s, square), ct_lane_all(0));
}

/* What walls add to the sum of a density, and its derivative by the distance along each axis, inwards. */
static inline ct_real ct_medium_wall(const ct_solving *s, const ct_real place[CT_DIM], ct_real slope[CT_DIM])
{
    ct_real gap = 1; /* share of the lattice that is behind no wall: in a corner walls cover each other */
    CT_FOR(a, CT_DIM) slope[a] = 0;
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

/* The same of a pack: to most particles no wall is near. */
CT_INLINE ct_lane ct_medium_walls(const ct_solving *s, const ct_lane place[CT_DIM], ct_lane slope[CT_DIM])
{
    ct_lane sum = ct_lane_all(0);
    ct_mask is_near = sum < sum;
    CT_UNROLL(a, CT_DIM) {
        slope[a] = sum;
        is_near |= (place[a] < s->inner[2 * a]) | (place[a] > s->inner[2 * a + 1]);
    }
    if (!s->has_walls) return sum;
    for (unsigned bits = ct_mask_bits(is_near); bits; bits &= bits - 1) {
        int l = __builtin_ctz(bits);
        ct_real at[CT_DIM], rise[CT_DIM];
        CT_FOR(a, CT_DIM) at[a] = place[a][l];
        sum[l] = ct_medium_wall(s, at, rise);
        CT_FOR(a, CT_DIM) slope[a][l] = rise[a];
    }
    return sum;
}

/* rho of a pack among `quads`, which are `own` there. */
CT_INLINE ct_lane ct_medium_density(const ct_solving *s, const ct_real *quads, const ct_lane own[CT_DIM],
                                    ct_lane volume, const ct_pack *pack)
{
    ct_lane slope[CT_DIM], sum = ct_lane_all(1);
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_pair pair = ct_pair_read(s, quads, own, pack, n);
        ct_lane near = ct_pair_nearness(s, &pair);
        sum += near * near;
    }
    sum += ct_medium_walls(s, own, slope);
    return 1 + (volume * s->inverse_volume * s->kernel * sum - 1) / s->follow;
}

/* A coefficient of the materials of a pack; where a particle is none of the medium it is of no use. */
CT_INLINE ct_lane ct_pack_coefficient(const ct_solving *s, const ct_pack *pack, int which)
{
    ct_real all[CT_LANES] = {0};
    if (!s->has_kinds) return ct_lane_all(ct_coefficients(s->kind)[which]);
    CT_FOR(l, CT_LANES) {
        size_t p = pack->own[l] / 2;
        if (s->peri->medium.flows[p])
            all[l] = ct_coefficients(
                &s->peri->common->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]])[which];
    }
    return ct_lane_load(all);
}

/* Where it is positive. */
CT_INLINE ct_mask ct_pack_has(const ct_solving *s, const ct_pack *pack, int which)
{
    const ct_lane coefficient = ct_pack_coefficient(s, pack, which);
    ct_mask has;
    CT_FOR(l, CT_LANES) has[l] = -(ct_int)(coefficient[l] > 0);
    return has;
}

#endif
