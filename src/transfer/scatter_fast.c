/* Particles to grid in lanes and rows (docs/hot-loop.md). CT_LANES particles at a time: weights, stress and
 * the combined matrix
 *
 *     Q = (m C - dt V0 tau D^-1) dx         momentum a cell of offset
 *
 * in lanes; then particle after particle, row after row: a node at offset r gets w (m v + Q r), where Q r is
 * linear along each axis, so that the next row is an addition away. */
#include "transfer/coefficients.h"
#include "transfer/lanes_stencil.h"

enum {
    MOST_ROWS = CT_DIM == 2 ? 4 : 16, /* that a particle reaches */
    PART = CT_ROW < 2 ? CT_ROW : 2 /* lanes of a row that are worked on at once: more run out of registers */
};

/* CT_LANES particles: where they are, and what they bring, as quads: the columns of Q, and mass with the
 * momentum that their affine motion has at the first node along the outer axes and the middle one along the
 * last. */
typedef struct burden {
    _Alignas(CT_ALIGNMENT) ct_real weight[MOST_ROWS][CT_LANES]; /* of each row: product over the outer axes */
    _Alignas(CT_ALIGNMENT) ct_real g[CT_LANES], index[CT_LANES];
    struct bundle {
        _Alignas(CT_ALIGNMENT) ct_real column[CT_DIM][4 * CT_LANES];
        _Alignas(CT_ALIGNMENT) ct_real corner[4 * CT_LANES];
    } bundle[2]; /* with stress, and without */
} burden;

/* ct_copy_offset in lanes, of the copies that rows from the particles' first nodes on are aligned in. */
CT_INLINE ct_lane copy_offsets(const ct_planes *planes, size_t first)
{
    ct_lane z = ct_lane_floor(ct_lane_load(planes->position[CT_OUTER] + first)) + 1;
    ct_lane copy = z - CT_TILE_COPIES * ct_lane_floor(z * ((ct_real)1 / CT_TILE_COPIES));
    ct_lane offset = copy * (CT_COPY_NUMBERS - CT_NODE) + CT_TILE_COPIES * CT_NODE;
    return ct_lane_select(copy > 0, offset, ct_lane_all(0));
}

CT_INLINE void place_lanes(const ct_transfer *t, int width, size_t first, const ct_lanes_stencil *s,
                           burden *load)
{
    ct_lane_store(load->index, s->index + copy_offsets(&t->planes, first));
    ct_lane_store(load->g, s->g[CT_OUTER]);
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

/* `tau` NULL: without stress. */
CT_INLINE void load_lanes(const ct_transfer *t, int width, size_t first, const ct_lanes_stencil *s,
                          const ct_lane affine[CT_MATRIX], ct_real (*tau)[CT_BATCH], int offset,
                          struct bundle *load)
{
    ct_lane mass = ct_lane_load(t->planes.mass + first), corner[4], quad[4];
    ct_lane strength = -t->dt * (ct_real)(width == 3 ? 4 : 3) * ct_lane_load(t->planes.volume + first);
    CT_UNROLL(k, 4) corner[k] = quad[k] = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) corner[a] = mass * ct_lane_load(t->planes.velocity[a] + first);
    corner[CT_DIM] = mass;
    CT_UNROLL(b, CT_DIM) {
        ct_lane per_cell = mass * t->spacing[b], impulse = strength * t->inverse_spacing[b];
        ct_lane away = b < CT_OUTER ? s->g[b] + 1 : s->g[b]; /* cells from the corner to the particle */
        CT_UNROLL(a, CT_DIM) {
            quad[a] = per_cell * affine[a * CT_DIM + b];
            if (tau) quad[a] += impulse * ct_lane_load(tau[ct_symmetric_index(a, b)] + offset);
            corner[a] -= away * quad[a];
        }
        ct_quads_from_lanes(quad, load->column[b]);
    }
    ct_quads_from_lanes(corner, load->corner);
}

CT_INLINE void add_bundle(int width, int l, const burden *load, const struct bundle *bundle,
                          const ct_lane w[CT_ROW], ct_real *copies)
{
    ct_real *rows = __builtin_assume_aligned(copies + (int)load->index[l], CT_LANE_BYTES);
    int q = ct_quad_at(l);
    CT_UNROLL(part, CT_ROW / PART) {
        ct_lane row[PART], step[CT_OUTER][PART];
        CT_UNROLL(k, PART) {
            int r = part * PART + k;
            row[k] = w[r] * (ct_row_spread(bundle->column[CT_OUTER] + q, r) * ct_row_offsets(r) +
                             ct_row_spread(bundle->corner + q, r));
            CT_UNROLL(a, CT_OUTER) step[a][k] = w[r] * ct_row_spread(bundle->column[a] + q, r);
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

/* Functions of their own: compiled together with what fills the burden, it would be kept in registers, which
 * run out. */
#define ADD(name, width, has_before)                                                                         \
    static __attribute__((noinline)) void name(int some, const burden *load, ct_real *tile, ct_real *before) \
    {                                                                                                        \
        CT_FOR(l, some) {                                                                                    \
            ct_lane w[CT_ROW];                                                                               \
            ct_row_weights(width, load->g[l], w);                                                            \
            add_bundle(width, l, load, &load->bundle[0], w, tile);                                           \
            if (has_before) add_bundle(width, l, load, &load->bundle[1], w, before);                         \
        }                                                                                                    \
    }
ADD(add_quadratic, 3, 0)
ADD(add_quadratic_both, 3, 1)
ADD(add_cubic, 4, 0)
ADD(add_cubic_both, 4, 1)
#undef ADD

CT_INLINE void scatter(const ct_transfer *t, int width, size_t first, size_t last, ct_real *tile,
                       ct_real *before)
{
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    void (*add)(int, const burden *, ct_real *, ct_real *) =
        width == 3 ? (before ? add_quadratic_both : add_quadratic) : (before ? add_cubic_both : add_cubic);
    for (; first < last; first += CT_BATCH) {
        int count = last - first < CT_BATCH ? (int)(last - first) : CT_BATCH;
        CT_FN(ct_batch_stress)(t->world, &t->planes, first, count, tau);
        for (int i = 0; i < count; i += CT_LANES) {
            burden load;
            ct_lanes_stencil stencil;
            size_t p = first + (size_t)i;
            int some = count - i < CT_LANES ? count - i : CT_LANES;
            ct_lanes_stencil_make(&stencil, width, &t->planes, p);
            ct_lane affine[CT_MATRIX];
            load_affine(t, p, affine);
            place_lanes(t, width, p, &stencil, &load);
            load_lanes(t, width, p, &stencil, affine, tau, i, &load.bundle[0]);
            if (before) load_lanes(t, width, p, &stencil, affine, NULL, i, &load.bundle[1]);
            add(some, &load, tile, before);
        }
    }
}

void CT_FN(ct_scatter_fast)(const ct_transfer *t, size_t block, ct_real *tile, ct_real *before)
{
    size_t first = t->world->grid.blocks.first[block], last = t->world->grid.blocks.first[block + 1];
    if (t->is_cubic) scatter(t, 4, first, last, tile, before);
    else scatter(t, 3, first, last, tile, before);
}
