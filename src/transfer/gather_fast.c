/* Grid to particles in lanes and rows (docs/hot-loop.md). Particle after particle, the rows it reaches are
 * summed three or four times with different weights, into quads:
 *
 *     sum w v        the velocity
 *     sum w v n_a    n_a = -1, 0, 1, 2 the node's number along axis a, from the middle
 *
 * and CT_LANES particles at a time these become C = (sum w v (n - g)) dx^-1 D^-1, and F, x and v follow. The
 * schemes of the FLIP family also need the velocity before forces, one sum more: from nodes of two quads, one
 * by one. */
#include "core/math_lanes.h"
#include "core/matrix.h"
#include "core/pack.h"
#include "transfer/coefficients.h"
#include "transfer/lanes_stencil.h"

/* The tiles that are read (tile.h). Of twins' two quads the second is the velocity before forces. */
typedef enum kind { QUADS, TWINS, SLIM } kind;

enum { SUM = CT_HAS_ROWS ? CT_LANES : CT_NODE }; /* numbers of a sum, before it comes into lanes */

/* For CT_LANES particles: where they are, and their sums: folded rows (core/rows.h), or quads. */
typedef struct scratch {
    _Alignas(CT_ALIGNMENT) ct_int index[CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real weight[CT_DIM][4][CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_int third[CT_LANES];      /* index among a slim tile's last components */
    _Alignas(CT_ALIGNMENT) ct_real along[4 * CT_LANES]; /* weights along a row of several registers */
    _Alignas(CT_ALIGNMENT) ct_real velocity[CT_LANES * SUM], moment[CT_DIM][CT_LANES * SUM];
    _Alignas(CT_ALIGNMENT) ct_real before[CT_LANES * CT_NODE];
} scratch;

/* sum_TYPE: the sum of w v over the nodes along one axis; with_moment_TYPE: and of w v n with n = -1, 0,
 * 1, 2. Registers of 64 bytes are added and multiplied by the same units, so there fewer operations are
 * better; others are added by units of their own, too. */
#define SUMS(type)                                                                                 \
    CT_INLINE __attribute__((unused)) type sum_##type(int width, const type w[4], const type v[4]) \
    {                                                                                              \
        type total = w[0] * v[0] + w[1] * v[1] + w[2] * v[2];                                      \
        return width == 4 ? total + w[3] * v[3] : total;                                           \
    }                                                                                              \
    CT_INLINE __attribute__((unused))                                                              \
    type with_moment_##type(int width, const type w[4], const type v[4], type *moment)             \
    {                                                                                              \
        type low = CT_ROUNDED(w[0] * v[0]), total;                                                 \
        if (CT_LANE_BYTES == 64) {                                                                 \
            total = w[1] * v[1] + low + w[2] * v[2];                                               \
            *moment = w[2] * v[2] - low;                                                           \
        } else {                                                                                   \
            type high = CT_ROUNDED(w[2] * v[2]);                                                   \
            total = w[1] * v[1] + (low + high);                                                    \
            *moment = high - low;                                                                  \
        }                                                                                          \
        if (width == 4) *moment += 2 * w[3] * v[3], total += w[3] * v[3];                          \
        return total;                                                                              \
    }
SUMS(ct_lane)
SUMS(ct_part)
#if CT_HAS_SLIM
SUMS(ct_quad)
#endif
#undef SUMS

#if CT_HAS_ROWS
/* Row by row: all nodes of a row at once. Where a row is one register, weights along it and moments follow in
 * lanes. */
CT_INLINE void read_rows(int width, int l, const ct_real *tile, scratch *s)
{
    const ct_real *rows = tile + s->index[l];
    ct_lane w[CT_ROW], total[CT_ROW], moment[CT_DIM][CT_ROW], outer[CT_OUTER][4];
    CT_UNROLL(r, CT_ROW > 1 ? CT_ROW : 0) w[r] = ct_row_each(s->along + ct_quad_at((unsigned)l), r);
    CT_UNROLL(a, CT_OUTER)
        CT_UNROLL(n, width) outer[a][n] = ct_lane_all(s->weight[a][n][l]);
    CT_UNROLL(r, CT_ROW) {
        ct_lane plane[4];
#if CT_DIM == 2
        CT_UNROLL(i, width) plane[i] = ct_lane_load(rows + i * CT_ROW_STRIDE + r * CT_LANES);
#else
        ct_lane across[4], v[4];
        CT_UNROLL(i, width) {
            CT_UNROLL(j, width) v[j] = ct_lane_load(rows + (i * CT_TILE + j) * CT_ROW_STRIDE + r * CT_LANES);
            plane[i] = with_moment_ct_lane(width, outer[1], v, &across[i]);
        }
        moment[1][r] = sum_ct_lane(width, outer[0], across);
#endif
        total[r] = with_moment_ct_lane(width, outer[0], plane, &moment[0][r]);
        if (CT_ROW == 1) continue;
        total[r] *= w[r];
        CT_UNROLL(a, CT_OUTER) moment[a][r] *= w[r];
        moment[CT_OUTER][r] = total[r] * ct_row_offsets(r);
    }
    ct_row_fold(total, s->velocity + l * CT_FOLD);
    CT_UNROLL(a, CT_ROW > 1 ? CT_DIM : CT_OUTER) ct_row_fold(moment[a], s->moment[a] + l * CT_FOLD);
}

CT_INLINE void sums_from_rows(int width, const ct_lanes_stencil *stencil, const scratch *s, ct_lane v[4],
                              ct_lane moment[CT_DIM][4])
{
#if CT_LANE_COUNT == 16
    const ct_lane *w = stencil->w[CT_OUTER];
    ct_lanes_from_rows(width, w, s->velocity, v, moment[CT_OUTER]);
    CT_UNROLL(a, CT_OUTER) ct_lanes_from_rows(width, w, s->moment[a], moment[a], NULL);
#else
    (void)width, (void)stencil;
    ct_lanes_from_folds(s->velocity, v);
    CT_UNROLL(a, CT_DIM) ct_lanes_from_folds(s->moment[a], moment[a]);
#endif
}
#endif

#if CT_HAS_SLIM
/* From a slim tile: the sums over the outer axes; the last one follows in lanes. What the third node's last
 * components sum up to over the first axis goes where moments along the last axis need no place. */
CT_INLINE void read_slim(int l, const ct_real *tile, scratch *s)
{
    const ct_real *rows = tile + s->index[l];
    ct_lane outer[CT_OUTER][4], plane[4], moment;
    CT_UNROLL(a, CT_OUTER)
        CT_UNROLL(n, 3) outer[a][n] = ct_lane_all(s->weight[a][n][l]);
#if CT_DIM == 2
    CT_UNROLL(i, 3) plane[i] = ct_lane_load(rows + i * CT_SLIM_STRIDE);
#else
    ct_lane across[4], v[4];
    CT_UNROLL(i, 3) {
        CT_UNROLL(j, 3) v[j] = ct_lane_load(rows + (i * CT_SLIM + j) * CT_SLIM_STRIDE);
        plane[i] = with_moment_ct_lane(3, outer[1], v, &across[i]);
    }
    ct_lane_store(s->moment[1] + l * CT_LANES, sum_ct_lane(3, outer[0], across));
    const ct_real *missing = tile + CT_SLIM_THIRD + s->third[l];
    ct_quad third[4], w[4], third_moment;
    CT_UNROLL(i, 3) {
        memcpy(&third[i], missing + i * CT_SLIM * CT_SLIM, sizeof third[i]);
        memcpy(&w[i], &outer[0][i], sizeof w[i]);
    }
    ct_quad sum = with_moment_ct_quad(3, w, third, &third_moment);
    unsigned q = ct_quad_at((unsigned)l);
    memcpy(s->moment[2] + q, &sum, sizeof sum);
    memcpy(s->moment[2] + CT_LANES * CT_NODE + q, &third_moment, sizeof third_moment);
#endif
    ct_lane_store(s->velocity + l * CT_LANES, with_moment_ct_lane(3, outer[0], plane, &moment));
    ct_lane_store(s->moment[0] + l * CT_LANES, moment);
}

/* Sums over the last axis, of numbers of three nodes. */
CT_INLINE void sum_last(const ct_lane w[4], const ct_lane *numbers, ct_lane sum[4])
{
    CT_UNROLL(a, CT_DIM)
        sum[a] = w[0] * numbers[a] + w[1] * numbers[CT_DIM + a] + w[2] * numbers[2 * CT_DIM + a];
}

/* What read_slim found of CT_LANES particles: velocities and their moments. */
CT_INLINE void sums_from_slim(const ct_lanes_stencil *stencil, const scratch *s, ct_lane v[4],
                              ct_lane moment[CT_DIM][4])
{
    const ct_lane *w = stencil->w[CT_OUTER];
    ct_lane numbers[CT_DIM][9]; /* of three nodes: sums, and moments along the outer axes */
    ct_lanes_from_eights(s->velocity, numbers[CT_OUTER]);
    CT_UNROLL(a, CT_OUTER) ct_lanes_from_eights(s->moment[a], numbers[a]);
#if CT_DIM == 3
    ct_lane third[4];
    ct_lanes_from_quads(s->moment[2], third);
    numbers[2][8] = with_moment_ct_lane(3, stencil->w[1], third, &numbers[1][8]);
    ct_lanes_from_quads(s->moment[2] + CT_LANES * CT_NODE, third);
    numbers[0][8] = sum_ct_lane(3, stencil->w[1], third);
#endif
    sum_last(w, numbers[CT_OUTER], v);
    CT_UNROLL(a, CT_OUTER) sum_last(w, numbers[a], moment[a]);
    CT_UNROLL(a, CT_DIM)
        moment[CT_OUTER][a] = w[2] * numbers[CT_OUTER][2 * CT_DIM + a] - w[0] * numbers[CT_OUTER][a];
}
#endif

/* Quad number `k` of a node's numbers that are in registers, of which this one begins with number `first`. */
CT_INLINE void put_part(ct_part part, int first, int k, ct_real *quad)
{
    ct_real numbers[CT_PART];
    ct_part_store(numbers, part);
    CT_UNROLL(n, CT_PART)
        if ((first + n) / CT_NODE == k) quad[(first + n) % CT_NODE] = numbers[n];
}

/* Node by node, of `numbers` numbers each: the same sums, a node's part at a time. */
CT_INLINE void read_nodes(int width, int numbers, int l, const ct_real *tile, scratch *s)
{
    const ct_real *rows = tile + s->index[l];
    ct_part w[CT_DIM][4];
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(n, width) w[a][n] = ct_part_all(s->weight[a][n][l]);
    CT_UNROLL(part, numbers / CT_PART) {
        int first = part * CT_PART;
        ct_part plane[4], moment[CT_DIM], moments[CT_DIM][4];
        CT_UNROLL(i, width) {
            ct_part row[4], along[4], v[4];
            CT_UNROLL(j, CT_DIM == 3 ? width : 1) {
                const ct_real *from =
                    rows + ((CT_DIM == 3 ? i * CT_TILE : i) + j) * CT_TILE_ROW * numbers + first;
                CT_UNROLL(k, width) v[k] = ct_part_load(from + k * numbers);
                row[j] = with_moment_ct_part(width, w[CT_OUTER], v, &along[j]);
            }
#if CT_DIM == 2
            plane[i] = row[0], moments[1][i] = along[0];
#else
            plane[i] = with_moment_ct_part(width, w[1], row, &moments[1][i]);
            moments[2][i] = sum_ct_part(width, w[1], along);
#endif
        }
        ct_part total = with_moment_ct_part(width, w[0], plane, &moment[0]);
        unsigned q = ct_quad_at((unsigned)l);
        put_part(total, first, 0, s->velocity + q);
        put_part(total, first, 1, s->before + q);
        if (first >= CT_NODE) continue;
        CT_UNROLL(a, CT_OUTER) moment[a + 1] = sum_ct_part(width, w[0], moments[a + 1]);
        CT_UNROLL(a, CT_DIM) put_part(moment[a], first, 0, s->moment[a] + q);
    }
}

/* Particles [from, to) of each of a few times CT_LANES, where they lie, and what they read. */
enum { MOST_GROUPS = CT_LANES > 8 ? 2 : 4 };
typedef struct group {
    const ct_planes *planes;
    size_t first;
    int count;
    int from, to;
    const ct_real *tile;
    const ct_real *critical_J; /* [count x CT_LANES], or NULL where no scheme asks */
    const ct_real *is_free;    /* [count x CT_LANES] 0: beta is 0 at a boundary; or NULL */
} group;

/* They while they are moved: what they are afterwards. */
typedef struct moving {
    const ct_planes *planes;
    size_t first;
    const ct_real *critical_J, *is_free;
    ct_lane trial_J; /* before the return mapping */
    ct_lane x[CT_DIM], v[CT_DIM], C[CT_MATRIX];
} moving;

/* Which particles keep J, not F. */
static ct_mask keeps_J(const ct_transfer *t, const uint16_t *material)
{
    ct_mask keeps;
    CT_FOR(l, CT_LANES) keeps[l] = -(ct_int)t->materials[material[l]].info->keeps_J;
    return keeps;
}

/* F <- (I + dt C) F and J <- J exp(dt tr C), where they are kept. */
CT_INLINE void deform_lanes(const ct_transfer *t, moving *m)
{
    const ct_planes *planes = m->planes;
    const ct_lane *C = m->C;
    if (planes->J) {
        ct_lane trace = C[0];
        CT_UNROLL(a, CT_DIM - 1) trace += C[(a + 1) * (CT_DIM + 1)];
        m->trial_J = ct_lane_load(planes->J + m->first) * ct_lane_exp(t->dt * trace);
        ct_lane_store(planes->J + m->first, m->trial_J);
    }
    if (!planes->deformation[0]) return;
    ct_lane F[CT_MATRIX], next[CT_MATRIX];
    CT_UNROLL(k, CT_MATRIX) F[k] = ct_lane_load(planes->deformation[k] + m->first);
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_lane change = C[a * CT_DIM] * F[b];
            CT_UNROLL(k, CT_DIM - 1) change += C[a * CT_DIM + k + 1] * F[(k + 1) * CT_DIM + b];
            next[a * CT_DIM + b] = F[a * CT_DIM + b] + t->dt * change;
            ct_lane_store(planes->deformation[a * CT_DIM + b] + m->first, next[a * CT_DIM + b]);
        }
    if (!m->critical_J) return;
    ct_lane J = ct_determinant(next);
    m->trial_J = planes->J ? ct_lane_select(keeps_J(t, planes->material + m->first), m->trial_J, J) : J;
}

/* The velocity that is particles' own joins in: asflip-2021 Eq. 4 and 5. Returns what moves them beside the
 * grid's velocity. */
CT_INLINE void keep_own_velocity(const ct_transfer *t, const scratch *s, moving *m, ct_lane drift[CT_DIM])
{
    ct_lane before[4];
    ct_lane_scheme scheme = ct_lane_scheme_of(t, m->planes->body + m->first);
    ct_lanes_from_quads(s->before, before);
    ct_lane beta = scheme.beta_max;
    if (m->critical_J) {
        ct_mask is_compressed = m->trial_J < (ct_real)CT_JUST_COMPRESSED * ct_lane_load(m->critical_J);
        beta = ct_lane_select(is_compressed, scheme.beta_min, beta);
    }
    if (m->is_free) beta *= ct_lane_load(m->is_free);
    CT_UNROLL(a, CT_DIM) {
        ct_lane own = ct_lane_load(m->planes->velocity[a] + m->first) - before[a];
        m->v[a] += scheme.flip * own;
        drift[a] = beta * scheme.shift * own;
    }
}

CT_INLINE void sums_from_nodes(const scratch *s, ct_lane v[4], ct_lane moment[CT_DIM][4])
{
    ct_lanes_from_quads(s->velocity, v);
    CT_UNROLL(a, CT_DIM) ct_lanes_from_quads(s->moment[a], moment[a]);
}

CT_INLINE void find_sums(int width, kind of, const ct_lanes_stencil *stencil, const scratch *s, ct_lane v[4],
                         ct_lane moment[CT_DIM][4])
{
    (void)width, (void)stencil;
#if CT_HAS_SLIM
    if (of == SLIM) sums_from_slim(stencil, s, v, moment);
#endif
#if CT_HAS_ROWS
    if (of == QUADS) sums_from_rows(width, stencil, s, v, moment);
#endif
    if (of == TWINS || (of == QUADS && !CT_HAS_ROWS)) sums_from_nodes(s, v, moment);
}

/* v, C and x; F and J in place. */
CT_INLINE void move_lanes(const ct_transfer *t, int width, kind of, const ct_lanes_stencil *stencil,
                          const scratch *s, moving *m)
{
    ct_lane v[4], moment[CT_DIM][4];
    find_sums(width, of, stencil, s, v, moment);
    CT_UNROLL(b, CT_DIM) {
        ct_real scale = (ct_real)(width == 3 ? 4 : 3) * t->inverse_spacing[b];
        CT_UNROLL(a, CT_DIM) m->C[a * CT_DIM + b] = scale * (moment[b][a] - stencil->g[b] * v[a]);
    }
    deform_lanes(t, m);
    CT_UNROLL(a, CT_DIM) m->v[a] = v[a];
    if (of == TWINS) {
        ct_lane drift[CT_DIM];
        keep_own_velocity(t, s, m, drift);
        CT_UNROLL(a, CT_DIM) v[a] += drift[a];
    }
    CT_UNROLL(a, CT_DIM)
        m->x[a] = ct_lane_load(m->planes->position[a] + m->first) + t->dt * t->inverse_spacing[a] * v[a];
}

CT_INLINE void store_moved(const moving *m)
{
    CT_UNROLL(a, CT_DIM) {
        ct_lane_store(m->planes->position[a] + m->first, m->x[a]);
        ct_lane_store(m->planes->velocity[a] + m->first, m->v[a]);
    }
    CT_UNROLL(k, CT_MATRIX) ct_lane_store(m->planes->affine[k] + m->first, m->C[k]);
}

CT_INLINE ct_lane size_of(const ct_lane matrix[CT_MATRIX])
{
    ct_lane squares = matrix[0] * matrix[0];
    CT_UNROLL(k, CT_MATRIX - 1) squares += matrix[k + 1] * matrix[k + 1];
    return ct_lane_sqrt(squares);
}

/* |v| and what the affine part adds, or less where that is no more than the fastest so far. */
CT_INLINE ct_lane speed_of(const ct_transfer *t, const moving *m, ct_lane fastest)
{
    ct_lane v = m->v[0] * m->v[0];
    CT_UNROLL(a, CT_DIM - 1) v += m->v[a + 1] * m->v[a + 1];
    v = ct_lane_sqrt(v);
    if (t->share == CT_AFFINE_NONE) return v;
    ct_lane size = size_of(m->C);
    if (t->share == CT_AFFINE_ALL) return v + t->affine_reach * size;
    if (!ct_mask_any(v + t->kept_most * size > fastest)) return v;
    ct_lane kept[CT_MATRIX];
    ct_lane_scheme scheme = ct_lane_scheme_of(t, m->planes->body + m->first);
    ct_keep_affine(t, &scheme, m->C, kept);
    return v + t->affine_reach * size_of(kept);
}

/* Who is still within the reach of the block's tile. */
CT_INLINE ct_mask in_reach(const ct_transfer *t, const moving *m)
{
    ct_mask inside = (m->x[0] >= t->reach[0]) & (m->x[0] < t->reach[1]);
    CT_UNROLL(a, CT_DIM - 1) inside &= (m->x[a + 1] >= t->reach[0]) & (m->x[a + 1] < t->reach[1]);
    return inside;
}

/* What goes into the result. */
typedef struct block_tally {
    ct_lane fastest;
    ct_mask all_inside;
} block_tally;

/* Where a slim tile has what CT_LANES particles read. */
CT_INLINE void place_slim(const ct_lane first[CT_DIM], scratch *s)
{
    ct_lane index = first[0], third = first[0] * CT_SLIM + first[CT_OUTER] + 2;
    CT_UNROLL(a, CT_OUTER) index = index * CT_SLIM + first[a + 1];
    ct_mask_store(s->index, ct_lane_integers(index * CT_DIM));
    ct_mask_store(s->third, ct_lane_integers(third * CT_SLIM + first[1]));
}

CT_INLINE void prepare_lanes(int width, kind of, const ct_planes *planes, size_t first, scratch *s)
{
    ct_lanes_stencil stencil;
    ct_lanes_stencil_make(&stencil, width, planes, first);
    if (CT_HAS_ROWS && CT_ROW > 1 && of == QUADS) ct_lanes_row_weights(&stencil, width, s->along);
    if (of == SLIM) place_slim(stencil.first, s);
    else ct_mask_store(s->index, ct_lane_integers(of == TWINS ? 2 * stencil.index : stencil.index));
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(n, width) ct_lane_store(s->weight[a][n], stencil.w[a][n]);
}

CT_INLINE void finish_lanes(const ct_transfer *t, int width, kind of, const group *g, int k, const scratch *s,
                            block_tally *tally)
{
    ct_lanes_stencil stencil;
    moving moved, *m = &moved; /* not initialised as a whole: its lanes are many */
    int at = k * CT_LANES;
    m->planes = g->planes, m->first = g->first + (size_t)at;
    m->critical_J = g->critical_J ? g->critical_J + at : NULL;
    m->is_free = g->is_free ? g->is_free + at : NULL;
    m->trial_J = ct_lane_all(1);
    ct_lanes_stencil_make(&stencil, width, m->planes, m->first);
    move_lanes(t, width, of, &stencil, s, m);
    store_moved(m);
    ct_lane speed = speed_of(t, m, tally->fastest);
    ct_mask inside = in_reach(t, m);
    if (g->to - g->from < CT_LANES) {
        ct_mask ours = ct_first_slots(g->to) & ~ct_first_slots(g->from);
        speed = ct_lane_select(ours, speed, ct_lane_all(0));
        inside |= ~ours;
    }
    tally->fastest = ct_lane_max(tally->fastest, speed);
    tally->all_inside &= inside;
}

CT_INLINE void read_tile(int width, kind of, int l, const ct_real *tile, scratch *s)
{
#if CT_HAS_SLIM
    if (of == SLIM) read_slim(l, tile, s);
#endif
#if CT_HAS_ROWS
    if (of == QUADS) read_rows(width, l, tile, s);
#endif
    if (of == TWINS) read_nodes(width, CT_TWIN, l, tile, s);
    if (of == QUADS && !CT_HAS_ROWS) read_nodes(width, CT_NODE, l, tile, s);
}

/* In three loops: the sums of one group of lanes go on while those of the next begin. */
CT_INLINE void gather_lanes(const ct_transfer *t, int width, kind of, const group *g, block_tally *tally)
{
    scratch s[MOST_GROUPS];
    CT_FOR(k, g->count) prepare_lanes(width, of, g->planes, g->first + (size_t)(k * CT_LANES), &s[k]);
    CT_FOR(k, g->count) {
        for (int l = g->from; l < g->to; l += CT_AT_ONCE)
            CT_UNROLL(n, CT_AT_ONCE) {
                if (n && l + n >= g->to) break;
                read_tile(width, of, l + n, g->tile, &s[k]);
            }
    }
    CT_FOR(k, g->count) finish_lanes(t, width, of, g, k, &s[k], tally);
}

/* One function each for whole groups and for ends of blocks: compiled twice, products would be fused with
 * sums in two ways, and a particle's bits depend on its place in the group. */
typedef void work(const ct_transfer *t, const group *g, block_tally *tally);
#define WORK(name, width, of)                                                                            \
    static __attribute__((noinline)) void name(const ct_transfer *t, const group *g, block_tally *tally) \
    {                                                                                                    \
        gather_lanes(t, width, of, g, tally);                                                            \
    }
WORK(work_quadratic, 3, CT_HAS_SLIM ? SLIM : QUADS)
WORK(work_quadratic_flip, 3, TWINS)
WORK(work_cubic, 4, QUADS)
WORK(work_cubic_flip, 4, TWINS)
#undef WORK

/* The planes that a gather reads and writes, one after the other: x, v, C, F, J; the last two only where the
 * world keeps them. */
enum { MOVING_PLANES = 2 * CT_DIM + 2 * CT_MATRIX + 1 };

static int list_planes(const ct_planes *planes, ct_real *list[MOVING_PLANES])
{
    int count = 0;
    CT_FOR(a, CT_DIM) list[count++] = planes->position[a], list[count++] = planes->velocity[a];
    CT_FOR(k, CT_MATRIX) list[count++] = planes->affine[k];
    CT_FOR(k, planes->deformation[0] ? CT_MATRIX : 0) list[count++] = planes->deformation[k];
    if (planes->J) list[count++] = planes->J;
    return count;
}

/* Lets `here` have copies of them, in the same order. */
static void use_copies(const ct_planes *there, ct_real (*copy)[CT_LANES], ct_planes *here)
{
    int count = 0;
    CT_FOR(a, CT_DIM) here->position[a] = copy[count++], here->velocity[a] = copy[count++];
    CT_FOR(k, CT_MATRIX) here->affine[k] = copy[count++];
    CT_FOR(k, CT_MATRIX) here->deformation[k] = there->deformation[0] ? copy[count++] : NULL;
    here->J = there->J ? copy[count++] : NULL;
}

/* The ends of a block do not fill their lanes; the other lanes are another block's, and perhaps another
 * thread's. They are worked on in a copy, from its first slot on. What is only read, body and material, stays
 * where it is. */
static void gather_end(const ct_transfer *t, work *work_on, group *g, block_tally *tally)
{
    _Alignas(CT_ALIGNMENT) ct_real copy[MOVING_PLANES][CT_LANES];
    ct_real *there[MOVING_PLANES];
    ct_planes planes; /* of which only what a gather touches is filled in */
    size_t first = g->first + (size_t)g->from;
    int some = g->to - g->from, count = list_planes(&t->planes, there);
    use_copies(&t->planes, copy, &planes);
    planes.body = t->planes.body + first;
    planes.material = t->planes.material + first;
    CT_FOR(k, count) {
        ct_lane_store(copy[k], ct_lane_all(there[k][first]));
        ct_copy_some(some, there[k] + first, copy[k]);
    }
    g->planes = &planes;
    if (g->critical_J) g->critical_J += g->from;
    if (g->is_free) g->is_free += g->from;
    g->first = 0, g->from = 0, g->to = some;
    work_on(t, g, tally);
    CT_FOR(k, count) ct_copy_some(some, copy[k], there[k] + first);
}

/* What the separation rule asks of CT_BATCH particles before they move. */
typedef struct rule {
    _Alignas(CT_ALIGNMENT) ct_real critical_J[CT_BATCH], is_free[CT_BATCH];
} rule;

/* Of the particles of a block from place `at` on up to `last`, the first `skipped` of which belong to another
 * block. */
static void ask_rule(const ct_transfer *t, size_t block, size_t at, size_t last, int skipped, int is_near,
                     rule *answer)
{
    size_t first = at + (size_t)skipped;
    int count = last - at < CT_BATCH ? (int)(last - first) : CT_BATCH - skipped;
    if (t->has_volume_rule)
        CT_FN(ct_batch_critical_J)(t->materials, &t->planes, first, count, answer->critical_J + skipped);
    if (is_near) CT_FN(ct_find_free)(t, block, first, count, answer->is_free + skipped);
}

/* Lanes begin at multiples of CT_LANES, where stores are aligned. */
static void gather(const ct_transfer *t, work *work_on, int is_flip, size_t block, size_t first, size_t last,
                   const ct_real *tile, ct_moved *result)
{
    block_tally tally = {.fastest = ct_lane_all((ct_real)result->speed)};
    tally.all_inside = tally.fastest == tally.fastest;
    rule answer;
    int is_near = is_flip && CT_FN(ct_is_near_boundary)(t, block);
    size_t base = first / CT_LANES * CT_LANES;
    for (size_t at = base, next; at < last; at = next) {
        group g = {.planes = &t->planes,
                   .first = at,
                   .count = 1,
                   .from = at < first ? (int)(first - at) : 0,
                   .to = last - at < CT_LANES ? (int)(last - at) : CT_LANES,
                   .tile = tile};
        int place = (int)((at - base) % CT_BATCH), is_whole = !g.from && g.to == CT_LANES;
        while (is_whole && g.count < MOST_GROUPS && place + g.count * CT_LANES < CT_BATCH &&
               last - at >= (size_t)(g.count + 1) * CT_LANES)
            g.count++;
        next = at + (size_t)g.count * CT_LANES;
        for (size_t p = at; p < next; p += CT_LINE) ct_fetch_to_write(&t->planes, p);
        if (is_flip && place == 0) ask_rule(t, block, at, last, g.from, is_near, &answer);
        if (is_flip && t->has_volume_rule) g.critical_J = answer.critical_J + place;
        if (is_near) g.is_free = answer.is_free + place;
        if (is_whole) work_on(t, &g, &tally);
        else gather_end(t, work_on, &g, &tally);
    }
    result->speed = (double)ct_lane_highest_of(tally.fastest, CT_LANES, (ct_real)result->speed);
    if (ct_mask_any(~tally.all_inside)) result->must_sort = true;
}

void CT_FN(ct_gather_fast)(const ct_transfer *t, size_t block, size_t first, size_t last, const ct_real *tile,
                           ct_moved *result)
{
    gather(t, t->is_cubic ? work_cubic : work_quadratic, 0, block, first, last, tile, result);
}

void CT_FN(ct_gather_twin)(const ct_transfer *t, size_t block, size_t first, size_t last, const ct_real *tile,
                           ct_moved *result)
{
    gather(t, t->is_cubic ? work_cubic_flip : work_quadratic_flip, 1, block, first, last, tile, result);
}
