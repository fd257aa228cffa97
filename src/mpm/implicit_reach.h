/* Which nodes a particle reaches, and by what weights, for the files of implicit steps. */
#ifndef CT_MPM_IMPLICIT_REACH_H
#define CT_MPM_IMPLICIT_REACH_H

#include "mpm/implicit.h"
#include "transfer/stencil.h"

#define EACH_AXIS(a) CT_FOR(a, CT_DIM)
/* The quad of a particle's tangent that belongs to (c, d) and b: see implicit_particles.c. */
#define COLUMN(tangent, c, d, b) ((tangent) + ((((c)*CT_DIM + (d)) * CT_DIM) + (b)) * CT_NODE)

typedef struct reach {
    int first, base[CT_DIM];                               /* node of the tile; from the block's corner */
    double w[CT_DIM][CT_WIDEST], slope[CT_DIM][CT_WIDEST]; /* and what gradients and forces take, 1/m */
} reach;

CT_INLINE void find_reach(const ct_transfer *t, int width, size_t p, reach *r)
{
    ct_stencil s;
    ct_real position[CT_DIM];
    const double inertia = (double)ct_kernel_inverse_inertia(t->kernel);
    EACH_AXIS(a) position[a] = t->planes.position[a][p];
    ct_stencil_make_wide(&s, width, position);
    r->first = 0;
    EACH_AXIS(a)
    {
        r->base[a] = s.base[a];
        r->first = r->first * CT_TILE + s.base[a] + CT_TILE_BEFORE;
        CT_UNROLL(n, width) {
            r->w[a][n] = (double)s.w[a][n];
            r->slope[a][n] = (double)t->inverse_spacing[a] *
                             (t->is_gradient ? (double)s.dw[a][n]
                                             : inertia * (double)s.w[a][n] * ((double)n - (double)s.f[a]));
        }
    }
}

/* Where the row (x, y) of the tile lies in block `side` along the last axis, and which nodes of it. */
static inline size_t node_of(const int32_t *neighbour, const int at[CT_DIM])
{
    int side[3] = {0}, inside = 0;
    EACH_AXIS(a)
    {
        int from = at[a] - CT_TILE_BEFORE;
        side[a] = from < 0 ? -1 : from >= CT_BLOCK;
        inside = inside * CT_BLOCK + from - side[a] * CT_BLOCK;
    }
    return (size_t)neighbour[ct_neighbour_index(side[0], side[1], side[2])] * CT_BLOCK_NODES + (size_t)inside;
}

#define FOR_TILE(range, at, place)                                                                   \
    for (int x_ = CT_DIM == 3 ? (range).low[0] : 0; x_ <= (CT_DIM == 3 ? (range).high[0] : 0); x_++) \
        for (int y_ = (range).low[CT_DIM - 2]; y_ <= (range).high[CT_DIM - 2]; y_++)                 \
            for (int z_ = (range).low[CT_DIM - 1],                                                   \
                     place = (x_ * CT_TILE + y_) * CT_TILE + (range).low[CT_DIM - 1];                \
                 z_ <= (range).high[CT_DIM - 1]; z_++, place++)

#if CT_DIM == 3
#define TILE_NODE ((const int[CT_DIM]){x_, y_, z_})
#else
#define TILE_NODE ((const int[CT_DIM]){y_, z_})
#endif

#endif
