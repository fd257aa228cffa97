/* What the two fast transfers share: where CT_LANES particles are in their tile, and their weights. Offsets
 * count from the middle node (number 1) of a particle's stencil, which keeps them small and so exact:
 *
 *     node n along an axis stands at n - 1 - g cells from the particle, g = f - 1
 *
 * Along the last axis the weights of a row's four nodes are one polynomial with a coefficient a node.
 */
#ifndef CT_TRANSFER_LANES_STENCIL_H
#define CT_TRANSFER_LANES_STENCIL_H

#include "core/rows.h"
#include "transfer/transfer.h"

enum {
    CT_OUTER = CT_DIM - 1,      /* axes across the rows */
    CT_HAS_ROWS = CT_LANES >= 8 /* where lanes are shorter, nodes one by one are faster */
};

/* Where particles are, in lanes. */
typedef struct ct_lanes_stencil {
    ct_lane g[CT_DIM];
    ct_lane w[CT_DIM][4]; /* weights along the axes */
    ct_lane index;        /* of the first number of the first node, in the tile */
} ct_lanes_stencil;

/* Weights along one axis, as in stencil.h. */
CT_INLINE void ct_lanes_weights(int width, ct_lane g, ct_lane w[4])
{
    if (width == 3) {
        ct_lane a = (ct_real)0.5 - g, c = (ct_real)0.5 + g;
        w[0] = (ct_real)0.5 * a * a, w[1] = (ct_real)0.75 - g * g, w[2] = (ct_real)0.5 * c * c;
    } else {
        const ct_real sixth = (ct_real)(1.0 / 6.0), two_thirds = (ct_real)(2.0 / 3.0);
        ct_lane u = 1 - g; /* products as in ct_row_weights, so that both give the same bits */
        w[0] = sixth * u * (u * u), w[3] = sixth * g * (g * g);
        w[1] = ((ct_real)0.5 * g - 1) * (g * g) + two_thirds,
        w[2] = ((ct_real)0.5 * u - 1) * (u * u) + two_thirds;
    }
}

CT_INLINE void ct_lanes_stencil_make(ct_lanes_stencil *s, int width, const ct_planes *planes, size_t first)
{
    s->index = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) {
        ct_lane at = ct_lane_load(planes->position[a] + first), base = ct_lane_floor(at);
        s->g[a] = at - base - (width == 3 ? (ct_real)0.5 : 0);
        s->index = s->index * (ct_real)(a < CT_OUTER ? CT_TILE : CT_TILE_ROW) + (base + 1);
        ct_lanes_weights(width, s->g[a], s->w[a]);
    }
    s->index *= CT_NODE;
}

/* The weights of a row's nodes for one particle, each four times: (A x + B) x^2 + D with x = g - c. */
CT_INLINE void ct_row_weights(int width, ct_real g, ct_lane w[CT_ROW])
{
#define NODES(a, b, c, d)                              \
    {                                                  \
        a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d \
    }
    static const _Alignas(64) ct_real quadratic[3][CT_ROW_NUMBERS] = {
        NODES((ct_real)0.5, -1, (ct_real)0.5, 0), NODES((ct_real)0.5, 0, (ct_real)-0.5, 0),
        NODES(0, (ct_real)0.75, 0, 0)};
    static const _Alignas(64) ct_real cubic[4][CT_ROW_NUMBERS] = {
        NODES((ct_real)(-1.0 / 6), (ct_real)0.5, (ct_real)-0.5, (ct_real)(1.0 / 6)), NODES(0, -1, -1, 0),
        NODES(1, 0, 1, 0), NODES(0, (ct_real)(2.0 / 3), (ct_real)(2.0 / 3), 0)};
#undef NODES
    CT_UNROLL(l, CT_ROW) {
        int k = l * CT_LANES;
        if (width == 3) {
            ct_lane x = g - ct_lane_load(quadratic[1] + k);
            w[l] = ct_lane_load(quadratic[0] + k) * x * x + ct_lane_load(quadratic[2] + k);
        } else {
            ct_lane x = g - ct_lane_load(cubic[2] + k);
            w[l] = (ct_lane_load(cubic[0] + k) * x + ct_lane_load(cubic[1] + k)) * (x * x) +
                   ct_lane_load(cubic[3] + k);
        }
    }
}

/* -1 0 1 2, each four times: a row's nodes from its middle node. */
CT_INLINE ct_lane ct_row_offsets(int l)
{
    static const _Alignas(64)
        ct_real offsets[CT_ROW_NUMBERS] = {-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    return ct_lane_load(offsets + l * CT_LANES);
}

#endif
