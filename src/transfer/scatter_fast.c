/* Particles to grid in lanes and rows (docs/hot-loop.md). CT_LANES particles at a time: weights, stress and
 * the combined matrix
 *
 *     Q = (m C - dt V0 tau D^-1) dx         momentum a cell of offset
 *
 * in lanes; then particle after particle, row after row: a node at offset r gets w (m v + Q r), where Q r is
 * linear along each axis, so that the next row is an addition away.
 *
 * Rows of a tile begin at any node, and stores that are not aligned to a lane take twice as long, or four
 * times where they straddle cache lines. So there are as many copies of the tile as a lane has nodes, each
 * moved by one node more: a row that begins at node z goes to copy z mod COPIES, where it is aligned. At the
 * end the copies are added up. */
#include "transfer/lanes_stencil.h"

#include <string.h>

enum {
    MOST_ROWS = CT_DIM == 2 ? 4 : 16, /* that a particle reaches */
    COPIES = CT_LANES > 4 ? CT_LANES / 4 : 1,
    COPY_NUMBERS =
        CT_TILE_NODES * CT_NODE + 2 * CT_ROW_NUMBERS /* with room for rows that begin at the last nodes */
};

/* CT_LANES particles: where they are, and what they bring: the columns of Q, and momentum with mass, as
 * quads. */
typedef struct burden {
    _Alignas(CT_ALIGNMENT) ct_real weight[MOST_ROWS][CT_LANES]; /* of each row: product over the outer axes */
    _Alignas(CT_ALIGNMENT) ct_real g[CT_DIM][CT_LANES], index[CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real column[CT_DIM][4 * CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real momentum[4 * CT_LANES];
} burden;

/* How far the copy of node z along the last axis is from z in the first copy: the copy's place, and its
 * nodes' move. */
CT_INLINE int offset_of_copy(int copy)
{
    return copy * COPY_NUMBERS + (COPIES - copy) % COPIES * CT_NODE;
}

/* The same in lanes, for the first nodes of particles. */
CT_INLINE ct_lane copy_offset(const ct_planes *planes, size_t first)
{
    ct_lane z = ct_lane_floor(ct_lane_load(planes->position[CT_OUTER] + first)) + 1;
    ct_lane copy = z - COPIES * ct_lane_floor(z * ((ct_real)1 / COPIES));
    ct_lane offset = copy * (COPY_NUMBERS - CT_NODE) + COPIES * CT_NODE;
    return ct_lane_select(copy > 0, offset, ct_lane_all(0));
}

CT_INLINE void place_lanes(const ct_transfer *t, int width, size_t first, burden *load)
{
    ct_lanes_stencil s;
    ct_lanes_stencil_make(&s, width, &t->planes, first);
    ct_lane_store(load->index, s.index + copy_offset(&t->planes, first));
    CT_UNROLL(a, CT_DIM) ct_lane_store(load->g[a], s.g[a]);
#if CT_DIM == 2
    CT_UNROLL(i, width) ct_lane_store(load->weight[i], s.w[0][i]);
#else
    CT_UNROLL(i, width)
        CT_UNROLL(j, width) ct_lane_store(load->weight[i * width + j], s.w[0][i] * s.w[1][j]);
#endif
}

/* `tau` NULL: without stress. */
CT_INLINE void load_lanes(const ct_transfer *t, int width, size_t first, ct_real (*tau)[CT_BATCH], int offset,
                          burden *load)
{
    ct_lane mass = ct_lane_load(t->planes.mass + first), quad[4];
    ct_lane strength = -t->dt * (ct_real)(width == 3 ? 4 : 3) * ct_lane_load(t->planes.volume + first);
    CT_UNROLL(k, 4) quad[k] = ct_lane_all(0);
    CT_UNROLL(b, CT_DIM) {
        ct_lane per_cell = mass * t->spacing[b], impulse = strength * t->inverse_spacing[b];
        CT_UNROLL(a, CT_DIM) {
            quad[a] = per_cell * ct_lane_load(t->planes.affine[a * CT_DIM + b] + first);
            if (tau) quad[a] += impulse * ct_lane_load(tau[ct_symmetric_index(a, b)] + offset);
        }
        ct_quads_from_lanes(quad, load->column[b]);
    }
    CT_UNROLL(a, CT_DIM) quad[a] = mass * ct_lane_load(t->planes.velocity[a] + first);
    quad[CT_DIM] = mass;
    ct_quads_from_lanes(quad, load->momentum);
}

CT_INLINE void add_particle(int width, int l, const burden *load, ct_real *copies)
{
    ct_real g = load->g[CT_OUTER][l],
            *rows = __builtin_assume_aligned(copies + (int)load->index[l], CT_LANE_BYTES);
    int q = ct_quad_at(l);
    ct_lane w[CT_ROW];
    ct_row_weights(width, g, w);
    CT_UNROLL(r, CT_ROW) {
        ct_lane step[CT_OUTER];
        ct_lane row = w[r] * (ct_row_spread(load->column[CT_OUTER] + q, r) * (ct_row_offsets(r) - g) +
                              ct_row_spread(load->momentum + q, r));
        CT_UNROLL(a, CT_OUTER) {
            step[a] = w[r] * ct_row_spread(load->column[a] + q, r);
            row -= (1 + load->g[a][l]) * step[a]; /* from the middle node to the first */
        }
        CT_UNROLL(i, CT_DIM == 3 ? width : 1) {
            ct_lane next = row;
            CT_UNROLL(j, width) {
                ct_real *to = rows + (i * CT_TILE + j) * CT_ROW_STRIDE + r * CT_LANES;
                ct_lane_store(to, ct_lane_load(to) + load->weight[i * width + j][l] * next);
                next += step[CT_OUTER - 1];
            }
            row += step[0];
        }
    }
}

/* Functions of their own: compiled together with what fills the burden, it would be kept in registers, which
 * run out. */
static __attribute__((noinline)) void add_quadratic(int some, const burden *load, ct_real *copies)
{
    CT_FOR(l, some) add_particle(3, l, load, copies);
}

static __attribute__((noinline)) void add_cubic(int some, const burden *load, ct_real *copies)
{
    CT_FOR(l, some) add_particle(4, l, load, copies);
}

/* tile += all copies, within the range. */
static void add_copies(const ct_real *copies, ct_tile_range range, ct_real *tile)
{
    enum { LAST = CT_DIM - 1, DEPTH = CT_DIM == 3 };
    for (int x = DEPTH ? range.low[0] : 0; x <= (DEPTH ? range.high[0] : 0); x++)
        for (int y = range.low[LAST - 1]; y <= range.high[LAST - 1]; y++) {
            int row = (x * CT_TILE + y) * CT_ROW_STRIDE;
            for (int z = range.low[LAST]; z <= range.high[LAST]; z++)
                CT_UNROLL(copy, COPIES)
                    ct_quad_add(tile + row + z * CT_NODE, copies + row + z * CT_NODE + offset_of_copy(copy));
        }
}

CT_INLINE void scatter(const ct_transfer *t, int width, size_t first, size_t last, ct_real *tile,
                       ct_real *before)
{
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        CT_FN(ct_batch_stress)(t->world, &t->planes, first, count, tau);
        for (int i = 0; i < count; i += CT_LANES) {
            burden load;
            int some = count - i < CT_LANES ? count - i : CT_LANES;
            place_lanes(t, width, first + (size_t)i, &load);
            load_lanes(t, width, first + (size_t)i, tau, i, &load);
            (width == 3 ? add_quadratic : add_cubic)(some, &load, tile);
            if (!before) continue;
            load_lanes(t, width, first + (size_t)i, NULL, i, &load);
            (width == 3 ? add_quadratic : add_cubic)(some, &load, before);
        }
    }
}

void CT_FN(ct_scatter_fast)(const ct_transfer *t, size_t first, size_t last, ct_tile_range range,
                            ct_real *tile, ct_real *before)
{
    _Alignas(CT_ALIGNMENT) ct_real copies[COPIES * COPY_NUMBERS], copies_before[COPIES * COPY_NUMBERS];
    memset(copies, 0, sizeof copies);
    if (before) memset(copies_before, 0, sizeof copies_before);
    if (t->is_cubic) scatter(t, 4, first, last, copies, before ? copies_before : NULL);
    else scatter(t, 3, first, last, copies, before ? copies_before : NULL);
    add_copies(copies, range, tile);
    if (before) add_copies(copies_before, range, before);
}
