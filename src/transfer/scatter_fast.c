/* Particles to grid in lanes and rows (docs/hot-loop.md). CT_LANES particles at a time: stress and the combined matrix
 *
 *     Q = (m C - dt V0 tau D^-1) dx         momentum a cell of offset
 *
 * in lanes; then particle after particle, row after row: a node at offset r gets w (m v + Q r), where Q r is linear along
 * each axis, so that the next row is an addition away. */
#include "transfer/lanes_stencil.h"

/* What a particle brings, by particle: the columns of Q, and momentum with mass. */
typedef struct burden {
    _Alignas(CT_ALIGNMENT) ct_real column[CT_DIM][4 * CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real momentum[4 * CT_LANES];
} burden;

static inline int symmetric_index(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return low * CT_DIM - low * (low - 1) / 2 + high - low;
}

/* `tau` NULL: without stress. */
static inline __attribute__((always_inline)) void make_burden(const ct_transfer *t, int width, size_t first,
                                                              ct_real (*tau)[CT_BATCH], int offset, burden *load)
{
    ct_lane mass = ct_lane_load(t->planes.mass + first), quad[4];
    ct_lane strength = -t->dt * (ct_real)(width == 3 ? 4 : 3) * ct_lane_load(t->planes.volume + first);
    CT_FOR(k, 4) quad[k] = ct_lane_all(0);
    CT_FOR(b, CT_DIM)
    {
        CT_FOR(a, CT_DIM)
        {
            quad[a] = mass * t->spacing[b] * ct_lane_load(t->planes.affine[a * CT_DIM + b] + first);
            if (tau) quad[a] += strength * t->inverse_spacing[b] * ct_lane_load(tau[symmetric_index(a, b)] + offset);
        }
        ct_quads_from_lanes(quad, load->column[b]);
    }
    CT_FOR(a, CT_DIM) quad[a] = mass * ct_lane_load(t->planes.velocity[a] + first);
    quad[CT_DIM] = mass;
    ct_quads_from_lanes(quad, load->momentum);
}

static inline __attribute__((always_inline)) void add_particle(const ct_lanes_stencil *s, int width, int l,
                                                               const burden *load, ct_real *tile)
{
    ct_real *rows = tile + (int)s->index[l];
    ct_real g = s->last[l];
    int q = ct_quad_at(l);
    ct_lane w[CT_ROW], u[CT_ROW], step[CT_OUTER][CT_ROW];
    ct_row_weights(width, g, w);
    CT_FOR(r, CT_ROW)
    {
        ct_lane along = ct_row_spread(load->column[CT_OUTER] + q, r) * (ct_row_offsets(r) - g);
        u[r] = w[r] * (along + ct_row_spread(load->momentum + q, r));
        CT_FOR(a, CT_OUTER)
        {
            step[a][r] = w[r] * ct_row_spread(load->column[a] + q, r);
            u[r] -= (1 + s->outer[a][l]) * step[a][r]; /* from the middle node to the first row */
        }
    }
    CT_FOR(i, width)
    {
        CT_FOR(r, CT_ROW)
        {
#if CT_DIM == 2
            ct_real *nodes = rows + i * CT_ROW_STRIDE + r * CT_LANES;
            ct_lane_store(nodes, ct_lane_load(nodes) + s->weight[i][l] * u[r]);
#else
            ct_lane row = u[r];
            CT_FOR(j, width)
            {
                ct_real *nodes = rows + (i * CT_TILE + j) * CT_ROW_STRIDE + r * CT_LANES;
                ct_lane_store(nodes, ct_lane_load(nodes) + s->weight[i * width + j][l] * row);
                row += step[1][r];
            }
#endif
            u[r] += step[0][r];
        }
    }
}

static inline __attribute__((always_inline)) void scatter(const ct_transfer *t, int width, size_t first, size_t last,
                                                          ct_real *tile, ct_real *before)
{
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        CT_FN(ct_batch_stress)(t->world, &t->planes, first, count, tau);
        for (int i = 0; i < count; i += CT_LANES) {
            ct_lanes_stencil s;
            burden load;
            int some = count - i < CT_LANES ? count - i : CT_LANES;
            ct_lanes_stencil_make(&s, width, &t->planes, first + (size_t)i);
            make_burden(t, width, first + (size_t)i, tau, i, &load);
            CT_FOR(l, some) add_particle(&s, width, l, &load, tile);
            if (!before) continue;
            make_burden(t, width, first + (size_t)i, NULL, i, &load);
            CT_FOR(l, some) add_particle(&s, width, l, &load, before);
        }
    }
}

void CT_FN(ct_scatter_fast)(const ct_transfer *t, size_t first, size_t last, ct_real *tile, ct_real *before)
{
    if (t->is_cubic) scatter(t, 4, first, last, tile, before);
    else scatter(t, 3, first, last, tile, before);
}
