/* Particles to grid in lanes and rows (docs/hot-loop.md). CT_LANES particles at a time: weights, stress and
 * the combined matrix
 *
 *     Q = (m C - dt V0 tau D^-1) dx         momentum a cell of offset
 *
 * in lanes; then particle after particle, row after row: a node at offset r gets w (m v + Q r), where Q r is
 * linear along each axis, so that the next row is an addition away. The schemes of the FLIP family also need
 * the momentum before forces, without tau: nodes of two quads, one by one. */
#include "transfer/coefficients.h"
#include "transfer/lanes_stencil.h"

enum {
    MOST_ROWS = CT_DIM == 2 ? 4 : 16, /* that a particle reaches */
    PART = CT_ROW < 2 ? CT_ROW : 2 /* lanes of a row that are worked on at once: more run out of registers */
};

/* CT_LANES particles: where they are, and what they bring, as quads or pairs of quads: the columns of Q, and
 * mass with the momentum that their affine motion has at the first node along the outer axes and the middle
 * one along the last. Rows of the quadratic kernel may begin a node earlier (early_rows), and so does their
 * middle. */
typedef struct burden {
    _Alignas(CT_ALIGNMENT) ct_real weight[MOST_ROWS][CT_LANES]; /* of each row: product over the outer axes */
    _Alignas(CT_ALIGNMENT) ct_real last[4][CT_LANES];   /* weights along a row, for nodes one by one, ... */
    _Alignas(CT_ALIGNMENT) ct_real along[4 * CT_LANES]; /* ... and for rows: a quad a particle */
    _Alignas(CT_ALIGNMENT) ct_int index[CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real column[CT_DIM][CT_TWIN * CT_LANES], corner[CT_TWIN * CT_LANES];
} burden;

/* Which particles' rows begin a node before the first one that they reach: those of the quadratic kernel
 * begin at even nodes. */
CT_INLINE ct_mask early_rows(int width, int is_twin, const ct_lanes_stencil *s)
{
    if (!CT_HAS_ROWS || is_twin || width == 4) return (ct_mask){0};
    return -(ct_lane_integers(s->first[CT_OUTER]) & 1);
}

/* ct_copy_offset in lanes, of the copies that rows from node z on are aligned in. */
CT_INLINE ct_mask copy_offsets(int width, ct_mask z)
{
    const int step = width == 3 ? 2 : 1;
    ct_mask copy = z & (CT_TILE_COPIES - 1), offset = {0};
    for (int k = step; k < CT_TILE_COPIES; k += step) offset |= (copy == k) & ct_copy_offset(k);
    return offset;
}

/* Weights along a row, a quad a particle, from which ct_row_each makes a row's. */
CT_INLINE void row_weights(int width, const ct_lane w[4], ct_mask is_early, ct_real quads[4 * CT_LANES])
{
    ct_lane none = ct_lane_all(0), weight[4] = {w[0], w[1], w[2], width == 4 ? w[3] : none};
    if (width == 3)
        CT_UNROLL(k, 4) weight[k] = ct_lane_select(is_early, k ? w[k - 1] : none, k < 3 ? w[k] : none);
    ct_quads_from_lanes(weight, quads);
}

CT_INLINE void place_lanes(int width, int is_twin, const ct_lanes_stencil *s, ct_mask is_early, burden *load)
{
    if (CT_HAS_ROWS && !is_twin) {
        ct_mask copy = copy_offsets(width, ct_lane_integers(s->first[CT_OUTER]) + is_early);
        ct_mask_store(load->index, ct_lane_integers(s->index) + is_early * CT_NODE + copy);
        row_weights(width, s->w[CT_OUTER], is_early, load->along);
    } else {
        ct_mask_store(load->index, ct_lane_integers(is_twin ? 2 * s->index : s->index));
        CT_UNROLL(k, width) ct_lane_store(load->last[k], s->w[CT_OUTER][k]);
    }
#if CT_DIM == 2
    CT_UNROLL(i, width) ct_lane_store(load->weight[i], s->w[0][i]);
#else
    CT_UNROLL(i, width)
        CT_UNROLL(j, width) ct_lane_store(load->weight[i * width + j], s->w[0][i] * s->w[1][j]);
#endif
}

/* The affine matrix, as far as the schemes take it to the grid. */
CT_INLINE void load_affine(const ct_transfer *t, size_t first, ct_lane kept[CT_MATRIX])
{
    CT_UNROLL(k, CT_MATRIX)
        kept[k] = t->share == CT_AFFINE_NONE ? ct_lane_all(0) : ct_lane_load(t->planes.affine[k] + first);
    if (t->share != CT_AFFINE_SOME) return;
    ct_lane C[CT_MATRIX];
    ct_lane_scheme scheme = ct_lane_scheme_of(t, t->planes.body + first);
    CT_UNROLL(k, CT_MATRIX) C[k] = kept[k];
    ct_keep_affine(t, &scheme, C, kept);
}

/* Numbers of CT_LANES particles to one quad a particle, or two: with stress, and without. */
CT_INLINE void put_quads(int is_twin, const ct_lane with[4], const ct_lane without[4], ct_real *to)
{
    if (is_twin) ct_twins_from_lanes(with, without, to);
    else ct_quads_from_lanes(with, to);
}

CT_INLINE void load_lanes(const ct_transfer *t, int width, int is_twin, size_t first,
                          const ct_lanes_stencil *s, ct_mask is_early, ct_real (*tau)[CT_BATCH], int offset,
                          burden *load)
{
    ct_lane mass = ct_lane_load(t->planes.mass + first), affine[CT_MATRIX];
    ct_lane corner[2][4], quad[2][4]; /* with stress, and without */
    ct_lane strength = -t->dt * (ct_real)(width == 3 ? 4 : 3) * ct_lane_load(t->planes.volume + first);
    load_affine(t, first, affine);
    CT_UNROLL(k, 4) corner[0][k] = corner[1][k] = quad[0][k] = quad[1][k] = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) corner[0][a] = corner[1][a] = mass * ct_lane_load(t->planes.velocity[a] + first);
    corner[0][CT_DIM] = corner[1][CT_DIM] = mass;
    CT_UNROLL(b, CT_DIM) {
        ct_lane per_cell = mass * t->spacing[b], impulse = strength * t->inverse_spacing[b];
        ct_lane away = s->g[b]; /* cells from the corner to the particle */
        away += b < CT_OUTER ? ct_lane_all(1) : ct_lane_select(is_early, ct_lane_all(1), ct_lane_all(0));
        CT_UNROLL(a, CT_DIM) {
            quad[1][a] = CT_ROUNDED(per_cell * affine[a * CT_DIM + b]);
            quad[0][a] = quad[1][a] + impulse * ct_lane_load(tau[ct_symmetric_index(a, b)] + offset);
            corner[0][a] -= away * quad[0][a];
            corner[1][a] -= away * quad[1][a];
        }
        put_quads(is_twin, quad[0], quad[1], load->column[b]);
    }
    put_quads(is_twin, corner[0], corner[1], load->corner);
}

#if CT_HAS_ROWS
/* Row by row: all nodes of a row at once. The particle's quads are at `q`. */
CT_INLINE void add_rows(int width, int l, unsigned q, const burden *load, ct_real *copies)
{
    ct_real *rows = __builtin_assume_aligned(copies + load->index[l], CT_LANE_BYTES);
    ct_lane w[CT_ROW];
    CT_UNROLL(r, CT_ROW) w[r] = ct_row_each(load->along + q, r);
    CT_UNROLL(part, CT_ROW / PART) {
        ct_lane row[PART], step[CT_OUTER][PART];
        CT_UNROLL(k, PART) {
            int r = part * PART + k;
            row[k] = w[r] * (ct_row_spread(load->column[CT_OUTER] + q) * ct_row_offsets(r) +
                             ct_row_spread(load->corner + q));
            CT_UNROLL(a, CT_OUTER) step[a][k] = CT_ROUNDED(w[r] * ct_row_spread(load->column[a] + q));
        }
        CT_UNROLL(i, CT_DIM == 3 ? width : 1) {
            ct_lane next[PART];
            CT_UNROLL(k, PART) next[k] = row[k], row[k] += step[0][k];
            CT_UNROLL(j, width) {
                ct_real *to = rows + (i * CT_TILE + j) * CT_ROW_STRIDE + part * PART * CT_LANES;
                ct_lane weight = ct_lane_all(load->weight[i * width + j][l]);
                CT_UNROLL(k, PART) {
                    ct_lane_store(to + k * CT_LANES, ct_lane_load(to + k * CT_LANES) + weight * next[k]);
                    next[k] += step[CT_OUTER - 1][k];
                }
            }
        }
    }
}

#endif

/* Node by node, of `numbers` numbers each: the same sums, a node's part at a time. */
CT_INLINE void add_nodes(int width, int numbers, int l, const burden *load, ct_real *tile)
{
    ct_real *rows = tile + load->index[l];
    unsigned q = numbers == CT_TWIN ? ct_twin_at((unsigned)l) : ct_quad_at((unsigned)l);
    CT_UNROLL(part, numbers / CT_PART) {
        unsigned at = q + (unsigned)(part * CT_PART);
        ct_part row[4], step[CT_OUTER][4];
        CT_UNROLL(k, width) {
            ct_part w = ct_part_all(load->last[k][l]);
            row[k] = w * (ct_part_load(load->corner + at) +
                          (ct_real)(k - 1) * ct_part_load(load->column[CT_OUTER] + at));
            CT_UNROLL(a, CT_OUTER) step[a][k] = w * ct_part_load(load->column[a] + at);
        }
        CT_UNROLL(i, CT_DIM == 3 ? width : 1) {
            ct_part next[4];
            CT_UNROLL(k, width) next[k] = row[k], row[k] += step[0][k];
            CT_UNROLL(j, width) {
                ct_real *to = rows + (i * CT_TILE + j) * CT_TILE_ROW * numbers + part * CT_PART;
                ct_part weight = ct_part_all(load->weight[i * width + j][l]);
                CT_UNROLL(k, width) {
                    ct_part_store(to + k * numbers, ct_part_load(to + k * numbers) + weight * next[k]);
                    next[k] += step[CT_OUTER - 1][k];
                }
            }
        }
    }
}

CT_INLINE void add_particle(int width, int is_twin, int l, unsigned q, const burden *load, ct_real *tile)
{
    (void)q;
#if CT_HAS_ROWS
    if (!is_twin) {
        add_rows(width, l, q, load, tile);
        return;
    }
#endif
    add_nodes(width, is_twin ? CT_TWIN : CT_NODE, l, load, tile);
}

/* Functions of their own: compiled together with what fills the burden, it would be kept in registers, which
 * run out. Four at a time, so that places need no arithmetic: those of quads are as in ct_quad_at. The last
 * ones go through the same code: in a loop of their own products would be fused with sums in another way. */
#define ADD(name, width, is_twin)                                                              \
    static __attribute__((noinline)) void name(int some, const burden *load, ct_real *tile)    \
    {                                                                                          \
        for (int l = 0; l < some; l += CT_AT_ONCE)                                             \
            CT_UNROLL(k, CT_AT_ONCE) {                                                         \
                if (k && l + k >= some) break;                                                 \
                add_particle(width, is_twin, l + k, (unsigned)(k * CT_LANES + l), load, tile); \
            }                                                                                  \
    }
ADD(add_quadratic, 3, 0)
ADD(add_quadratic_twin, 3, 1)
ADD(add_cubic, 4, 0)
ADD(add_cubic_twin, 4, 1)
#undef ADD

/* The first nodes that particles reach, lowest and highest. */
typedef struct reach {
    ct_lane low[CT_DIM], high[CT_DIM];
} reach;

/* Of `some` particles of a lane. */
CT_INLINE void add_reach(reach *r, const ct_lane first[CT_DIM], int some)
{
    CT_UNROLL(a, CT_DIM) {
        ct_lane node = first[a];
        if (some < CT_LANES) node = ct_lane_select(ct_first_slots(some), node, ct_lane_all(node[0]));
        r->low[a] = ct_lane_min(r->low[a], node);
        r->high[a] = ct_lane_max(r->high[a], node);
    }
}

CT_INLINE ct_tile_range scatter(const ct_transfer *t, int width, int is_twin, size_t block, ct_real *tile)
{
    reach reached;
    CT_UNROLL(a, CT_DIM) reached.low[a] = ct_lane_all(CT_TILE), reached.high[a] = ct_lane_all(0);
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    void (*add)(int, const burden *, ct_real *) =
        width == 3 ? (is_twin ? add_quadratic_twin : add_quadratic) : (is_twin ? add_cubic_twin : add_cubic);
    size_t first = t->cloud->grid.blocks.first[block], last = t->cloud->grid.blocks.first[block + 1];
    for (size_t next; first < last; first = next) {
        next = ct_batch_end(first, last);
        int count = (int)(next - first);
        CT_FN(ct_batch_stress)(t->materials, &t->planes, first, count, tau);
        for (int i = 0; i < count; i += CT_LANES) {
            burden load;
            ct_lanes_stencil stencil;
            size_t p = first + (size_t)i;
            int some = count - i < CT_LANES ? count - i : CT_LANES;
            if (i % CT_LINE == 0) ct_fetch_to_read(&t->planes, p);
            ct_lanes_stencil_make(&stencil, width, &t->planes, p);
            add_reach(&reached, stencil.first, some);
            ct_mask is_early = early_rows(width, is_twin, &stencil);
            place_lanes(width, is_twin, &stencil, is_early, &load);
            load_lanes(t, width, is_twin, p, &stencil, is_early, tau, i, &load);
            add(some, &load, tile);
        }
    }
    ct_tile_range range;
    CT_FOR(a, CT_DIM) {
        range.low[a] = -(int)ct_lane_highest(-reached.low[a]);
        range.high[a] = (int)ct_lane_highest(reached.high[a]) + width - 1;
    }
    return range;
}

ct_tile_range CT_FN(ct_scatter_fast)(const ct_transfer *t, size_t block, ct_real *tile)
{
    return t->is_cubic ? scatter(t, 4, 0, block, tile) : scatter(t, 3, 0, block, tile);
}

ct_tile_range CT_FN(ct_scatter_twin)(const ct_transfer *t, size_t block, ct_real *tile)
{
    return t->is_cubic ? scatter(t, 4, 1, block, tile) : scatter(t, 3, 1, block, tile);
}
