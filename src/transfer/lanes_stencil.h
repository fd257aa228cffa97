/* What the two fast transfers share: where CT_LANES particles are in their tile, and their weights. Offsets
 * count from the middle node (number 1) of a particle's stencil, which keeps them small and so exact:
 *
 *     node n along an axis stands at n - 1 - g cells from the particle, g = f - 1
 */
#ifndef CT_TRANSFER_LANES_STENCIL_H
#define CT_TRANSFER_LANES_STENCIL_H

#include "core/rows.h"
#include "transfer/transfer.h"

enum {
    CT_OUTER = CT_DIM - 1,                   /* axes across the rows */
    CT_AT_ONCE = CT_LANES < 4 ? CT_LANES : 4 /* particles whose rows are written out side by side */
};

/* Where particles are, in lanes. */
typedef struct ct_lanes_stencil {
    ct_lane g[CT_DIM];
    ct_lane w[CT_DIM][4];  /* weights along the axes */
    ct_lane first[CT_DIM]; /* node of the tile that each reaches */
    ct_lane index;         /* of its first number, in a tile of quads */
} ct_lanes_stencil;

/* Weights along one axis, as in stencil.h. */
CT_INLINE void ct_lanes_weights(int width, ct_lane g, ct_lane w[4])
{
    if (width == 3) {
        ct_lane a = (ct_real)0.5 - g, c = (ct_real)0.5 + g;
        w[0] = (ct_real)0.5 * a * a, w[1] = (ct_real)0.75 - g * g, w[2] = (ct_real)0.5 * c * c;
    } else {
        const ct_real sixth = (ct_real)(1.0 / 6.0), two_thirds = (ct_real)(2.0 / 3.0);
        ct_lane u = 1 - g;
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
        s->first[a] = base + CT_TILE_BEFORE;
        s->index = s->index * (ct_real)(a < CT_OUTER ? CT_TILE : CT_TILE_ROW) + s->first[a];
        ct_lanes_weights(width, s->g[a], s->w[a]);
    }
    s->index *= CT_NODE;
}

/* The weights along the last axis as a quad a particle (core/rows.h), from which ct_row_each makes a row's.
 */
CT_INLINE void ct_lanes_row_weights(const ct_lanes_stencil *s, int width, ct_real quads[4 * CT_LANES])
{
    const ct_lane *w = s->w[CT_OUTER];
    ct_quads_from_lanes((ct_lane[4]){w[0], w[1], w[2], width == 4 ? w[3] : ct_lane_all(0)}, quads);
}

/* -1 0 1 2, each four times: a row's nodes from its middle node. */
CT_INLINE ct_lane ct_row_offsets(int l)
{
    static const _Alignas(64)
        ct_real offsets[CT_ROW_NUMBERS] = {-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    return ct_lane_load(offsets + l * CT_LANES);
}

#endif
