/* Grid to particles in lanes and rows (docs/hot-loop.md). Particle after particle, the rows it reaches are
 * summed three or four times with different weights, into quads:
 *
 *     sum w v        the velocity
 *     sum w v n_a    n_a = -1, 0, 1, 2 the node's number along axis a, from the middle
 *
 * and CT_LANES particles at a time these become C = (sum w v (n - g)) dx^-1 D^-1, and F, x and v follow. */
#include "core/math_lanes.h"
#include "transfer/lanes_stencil.h"

/* For CT_LANES particles: where they are, and their sums, folded (core/rows.h). */
typedef struct scratch {
    _Alignas(CT_ALIGNMENT) ct_real g[CT_LANES], index[CT_LANES], weight[CT_OUTER][4][CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real velocity[CT_LANES * CT_FOLD];
    _Alignas(CT_ALIGNMENT) ct_real moment[CT_DIM][CT_LANES * CT_FOLD];
} scratch;

/* Sum of w v over the nodes along one axis, and of w v n with n = -1, 0, 1, 2. */
CT_INLINE void sum_axis(int width, const ct_lane w[4], const ct_lane v[4], ct_lane *total, ct_lane *moment)
{
    *total = w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
    *moment = w[2] * v[2] - w[0] * v[0];
    if (width == 4) {
        *total += w[3] * v[3];
        *moment += 2 * w[3] * v[3];
    }
}

CT_INLINE void read_particle(int width, int l, const ct_real *tile, scratch *s)
{
    const ct_real *rows = tile + (int)s->index[l];
    ct_lane w[CT_ROW], total[CT_ROW], moment[CT_DIM][CT_ROW], outer[CT_OUTER][4];
    ct_row_weights(width, s->g[l], w);
    CT_UNROLL(a, CT_OUTER)
        CT_UNROLL(n, width) outer[a][n] = ct_lane_all(s->weight[a][n][l]);
    CT_UNROLL(r, CT_ROW) {
        ct_lane plane[4], across[4];
        CT_UNROLL(i, width) {
#if CT_DIM == 2
            plane[i] = ct_lane_load(rows + i * CT_ROW_STRIDE + r * CT_LANES);
#else
            ct_lane v[4];
            CT_UNROLL(j, width) v[j] = ct_lane_load(rows + (i * CT_TILE + j) * CT_ROW_STRIDE + r * CT_LANES);
            sum_axis(width, outer[1], v, &plane[i], &across[i]);
#endif
        }
        sum_axis(width, outer[0], plane, &total[r], &moment[0][r]);
        total[r] *= w[r];
        moment[0][r] *= w[r];
        moment[CT_OUTER][r] = total[r] * ct_row_offsets(r);
#if CT_DIM == 3
        ct_lane sum, unused;
        sum_axis(width, outer[0], across, &sum, &unused);
        moment[1][r] = w[r] * sum;
#else
        (void)across;
#endif
    }
    ct_row_fold(total, s->velocity + l * CT_FOLD);
    CT_UNROLL(a, CT_DIM) ct_row_fold(moment[a], s->moment[a] + l * CT_FOLD);
}

/* What CT_LANES particles are after the step. */
typedef struct moved {
    ct_lane x[CT_DIM], v[CT_DIM], C[CT_MATRIX];
} moved;

/* F <- (I + dt C) F and J <- J exp(dt tr C), where they are kept. */
CT_INLINE void deform_lanes(const ct_transfer *t, const ct_planes *planes, const ct_lane C[CT_MATRIX],
                            size_t first)
{
    if (planes->J) {
        ct_lane trace = C[0];
        CT_UNROLL(a, CT_DIM - 1) trace += C[(a + 1) * (CT_DIM + 1)];
        ct_lane_store(planes->J + first, ct_lane_load(planes->J + first) * ct_lane_exp(t->dt * trace));
    }
    if (!planes->deformation[0]) return;
    ct_lane F[CT_MATRIX];
    CT_UNROLL(k, CT_MATRIX) F[k] = ct_lane_load(planes->deformation[k] + first);
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_lane change = C[a * CT_DIM] * F[b];
            CT_UNROLL(k, CT_DIM - 1) change += C[a * CT_DIM + k + 1] * F[(k + 1) * CT_DIM + b];
            ct_lane_store(planes->deformation[a * CT_DIM + b] + first, F[a * CT_DIM + b] + t->dt * change);
        }
}

/* v, C and x; F and J in place. */
CT_INLINE void move_lanes(const ct_transfer *t, const ct_planes *planes, int width,
                          const ct_lanes_stencil *stencil, const scratch *s, size_t first, moved *to)
{
    ct_lane v[4], moment[4], C[CT_MATRIX];
    ct_lanes_from_folds(s->velocity, v);
    CT_UNROLL(b, CT_DIM) {
        ct_real scale = (ct_real)(width == 3 ? 4 : 3) * t->inverse_spacing[b];
        ct_lanes_from_folds(s->moment[b], moment);
        CT_UNROLL(a, CT_DIM) C[a * CT_DIM + b] = scale * (moment[a] - stencil->g[b] * v[a]);
    }
    deform_lanes(t, planes, C, first);
    CT_UNROLL(a, CT_DIM) {
        to->v[a] = v[a];
        to->x[a] = ct_lane_load(planes->position[a] + first) + t->dt * t->inverse_spacing[a] * v[a];
        CT_UNROLL(b, CT_DIM) {
            ct_lane kept = C[a * CT_DIM + b];
            if (!t->keeps_affine) {
                ct_lane turning = t->turn[a][b] * kept - t->turn[b][a] * C[b * CT_DIM + a];
                kept = t->skew * turning + t->symmetric * (kept - turning);
            }
            to->C[a * CT_DIM + b] = kept;
        }
    }
}

CT_INLINE void store_moved(const ct_planes *planes, size_t first, const moved *from)
{
    CT_UNROLL(a, CT_DIM) {
        ct_lane_store(planes->position[a] + first, from->x[a]);
        ct_lane_store(planes->velocity[a] + first, from->v[a]);
    }
    CT_UNROLL(k, CT_MATRIX) ct_lane_store(planes->affine[k] + first, from->C[k]);
}

CT_INLINE ct_lane speed_of(const ct_transfer *t, const moved *m)
{
    ct_lane v = ct_lane_all(0), C = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) v += m->v[a] * m->v[a];
    CT_UNROLL(k, CT_MATRIX) C += m->C[k] * m->C[k];
    return ct_lane_sqrt(v) + t->affine_reach * ct_lane_sqrt(C);
}

/* Who is still within the reach of the block's tile. */
CT_INLINE ct_mask in_reach(int width, const moved *m)
{
    const ct_real reach = width == 3 ? 1 : 0;
    ct_mask inside = (m->x[0] >= -reach) & (m->x[0] < CT_BLOCK + reach);
    CT_UNROLL(a, CT_DIM - 1) inside &= (m->x[a + 1] >= -reach) & (m->x[a + 1] < CT_BLOCK + reach);
    return inside;
}

/* What goes into the result. */
typedef struct block_tally {
    ct_lane fastest;
    ct_mask all_inside;
} block_tally;

/* CT_LANES particles from `first` on, of which [from, to) count. */
CT_INLINE void gather_lanes(const ct_transfer *t, const ct_planes *planes, int width, size_t first, int from,
                            int to, const ct_real *tile, block_tally *tally)
{
    ct_lanes_stencil stencil;
    scratch s;
    moved after;
    ct_lanes_stencil_make(&stencil, width, planes, first);
    ct_lane_store(s.g, stencil.g[CT_OUTER]);
    ct_lane_store(s.index, stencil.index);
    CT_UNROLL(a, CT_OUTER)
        CT_UNROLL(n, width) ct_lane_store(s.weight[a][n], stencil.w[a][n]);
    for (int l = from; l < to; l++) read_particle(width, l, tile, &s);
    move_lanes(t, planes, width, &stencil, &s, first, &after);
    store_moved(planes, first, &after);
    ct_lane speed = speed_of(t, &after);
    ct_mask inside = in_reach(width, &after);
    CT_UNROLL(l, CT_LANES)
        if (l < from || l >= to) speed[l] = 0, inside[l] = -1;
    tally->fastest = ct_lane_max(tally->fastest, speed);
    tally->all_inside &= inside;
}

/* The planes that a gather reads and writes, one after the other: x, v, C, J, F; the last two NULL where the
 * world keeps none. */
enum { MOVING_PLANES = 2 * CT_DIM + 2 * CT_MATRIX + 1 };

static void list_planes(ct_planes *planes, ct_real **list[MOVING_PLANES])
{
    int count = 0;
    CT_FOR(a, CT_DIM) list[count++] = &planes->position[a], list[count++] = &planes->velocity[a];
    CT_FOR(k, CT_MATRIX) list[count++] = &planes->affine[k], list[count++] = &planes->deformation[k];
    list[count] = &planes->J;
}

/* The ends of a block do not fill their lanes; the other lanes are another block's, and perhaps another
 * thread's. They are worked on in a copy. */
static void gather_end(const ct_transfer *t, size_t first, int from, int to, const ct_real *tile,
                       block_tally *tally)
{
    _Alignas(CT_ALIGNMENT) ct_real copy[MOVING_PLANES][CT_LANES] = {0};
    size_t bytes = (size_t)(to - from) * sizeof(ct_real);
    ct_real **there[MOVING_PLANES], **here[MOVING_PLANES];
    ct_planes whole = t->planes, planes = t->planes;
    list_planes(&whole, there);
    list_planes(&planes, here);
    CT_FOR(k, MOVING_PLANES) {
        if (!*there[k]) continue;
        *here[k] = copy[k];
        memcpy(copy[k] + from, *there[k] + first + from, bytes);
    }
    if (t->is_cubic) gather_lanes(t, &planes, 4, 0, from, to, tile, tally);
    else gather_lanes(t, &planes, 3, 0, from, to, tile, tally);
    CT_FOR(k, MOVING_PLANES)
        if (*there[k]) memcpy(*there[k] + first + from, copy[k] + from, bytes);
}

/* Lanes begin at multiples of CT_LANES, where stores are aligned. */
CT_INLINE void gather(const ct_transfer *t, int width, size_t first, size_t last, const ct_real *tile,
                      ct_worker_result *result)
{
    block_tally tally = {.fastest = ct_lane_all(0)};
    tally.all_inside = (ct_mask)tally.fastest == 0;
    for (size_t at = first / CT_LANES * CT_LANES; at < last; at += CT_LANES) {
        int from = at < first ? (int)(first - at) : 0,
            to = last - at < CT_LANES ? (int)(last - at) : CT_LANES;
        if (from || to < CT_LANES) gather_end(t, at, from, to, tile, &tally);
        else gather_lanes(t, &t->planes, width, at, 0, CT_LANES, tile, &tally);
    }
    double speed = (double)ct_lane_highest(tally.fastest);
    if (speed > result->speed) result->speed = speed;
    if (ct_mask_any(~tally.all_inside)) result->must_sort = true;
}

void CT_FN(ct_gather_fast)(const ct_transfer *t, size_t first, size_t last, const ct_real *tile,
                           ct_worker_result *result)
{
    if (t->is_cubic) gather(t, 4, first, last, tile, result);
    else gather(t, 3, first, last, tile, result);
}
