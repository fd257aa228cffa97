/* Grid to particles in lanes and rows (docs/hot-loop.md). Particle after particle, the rows it reaches are summed three or
 * four times with different weights, into quads:
 *
 *     sum w v        the velocity
 *     sum w v n_a    n_a = -1, 0, 1, 2 the node's number along axis a, from the middle
 *
 * and CT_LANES particles at a time these become C = (sum w v (n - g)) dx^-1 D^-1, and F, x and v follow. */
#include "transfer/lanes_stencil.h"

/* Sums by particle. */
typedef struct sums {
    _Alignas(CT_ALIGNMENT) ct_real velocity[4 * CT_LANES];
    _Alignas(CT_ALIGNMENT) ct_real moment[CT_DIM][4 * CT_LANES];
} sums;

static inline __attribute__((always_inline)) void read_particle(const ct_lanes_stencil *s, int width, int l,
                                                                const ct_real *tile, sums *out)
{
    const ct_real *rows = tile + (int)s->index[l];
    int q = ct_quad_at(l);
    ct_lane w[CT_ROW], total[CT_ROW], moment[CT_DIM][CT_ROW];
    ct_row_weights(width, s->last[l], w);
    CT_FOR(r, CT_ROW)
    {
        ct_lane plane[4], column[4];
        CT_FOR(i, width)
        {
#if CT_DIM == 2
            plane[i] = s->weight[i][l] * ct_lane_load(rows + i * CT_ROW_STRIDE + r * CT_LANES);
#else
            CT_FOR(j, width)
            {
                ct_lane part = s->weight[i * width + j][l] *
                               ct_lane_load(rows + (i * CT_TILE + j) * CT_ROW_STRIDE + r * CT_LANES);
                plane[i] = j ? plane[i] + part : part;
                column[j] = i ? column[j] + part : part;
            }
#endif
        }
        total[r] = plane[0] + plane[1] + plane[2];
        moment[0][r] = plane[2] - plane[0];
        if (width == 4) total[r] += plane[3], moment[0][r] += 2 * plane[3];
#if CT_DIM == 3
        moment[1][r] = column[2] - column[0];
        if (width == 4) moment[1][r] += 2 * column[3];
        moment[1][r] *= w[r];
#else
        (void)column;
#endif
        moment[0][r] *= w[r];
        total[r] *= w[r];
        moment[CT_OUTER][r] = total[r] * ct_row_offsets(r);
    }
    ct_row_sum(total, out->velocity + q);
    CT_FOR(a, CT_DIM) ct_row_sum(moment[a], out->moment[a] + q);
}

static inline void clear_sums(sums *out, int l)
{
    int q = ct_quad_at(l);
    CT_FOR(k, 4)
    {
        out->velocity[q + k] = 0;
        CT_FOR(a, CT_DIM) out->moment[a][q + k] = 0;
    }
}

/* Lanes past `some` belong to the next block, or to nobody. */
static inline void store_some(ct_real *to, ct_lane value, int some)
{
    if (some == CT_LANES) ct_lane_store(to, value);
    else CT_FOR(l, some) to[l] = value[l];
}

/* v, C, x and F <- (I + dt C) F. Returns the largest speed with its affine part; *inside says who is in reach. */
static inline __attribute__((always_inline)) ct_lane move_lanes(const ct_transfer *t, const ct_lanes_stencil *s,
                                                                int width, const sums *in, size_t first, int some,
                                                                ct_mask *inside)
{
    const ct_planes *planes = &t->planes;
    ct_lane v[4], moment[4], C[CT_MATRIX], F[CT_MATRIX], v_square = ct_lane_all(0), C_square = ct_lane_all(0);
    const ct_real reach = width == 3 ? 1 : 0;
    ct_lanes_from_quads(in->velocity, v);
    CT_FOR(b, CT_DIM)
    {
        ct_real scale = (ct_real)(width == 3 ? 4 : 3) * t->inverse_spacing[b];
        ct_lanes_from_quads(in->moment[b], moment);
        CT_FOR(a, CT_DIM) C[a * CT_DIM + b] = scale * (moment[a] - s->g[b] * v[a]);
    }
    CT_FOR(k, CT_MATRIX) F[k] = ct_lane_load(planes->deformation[k] + first);
    CT_FOR(a, CT_DIM)
    CT_FOR(b, CT_DIM)
    {
        ct_lane change = C[a * CT_DIM] * F[b];
        for (int k = 1; k < CT_DIM; k++) change += C[a * CT_DIM + k] * F[k * CT_DIM + b];
        store_some(planes->deformation[a * CT_DIM + b] + first, F[a * CT_DIM + b] + t->dt * change, some);
    }
    *inside = (ct_mask)ct_lane_all(0) == 0;
    CT_FOR(a, CT_DIM)
    {
        ct_lane x = ct_lane_load(planes->position[a] + first) + t->dt * t->inverse_spacing[a] * v[a];
        *inside &= (x >= -reach) & (x < CT_BLOCK + reach);
        store_some(planes->position[a] + first, x, some);
        store_some(planes->velocity[a] + first, v[a], some);
        v_square += v[a] * v[a];
        CT_FOR(b, CT_DIM)
        {
            ct_lane even = (ct_real)0.5 * (C[a * CT_DIM + b] + C[b * CT_DIM + a]);
            ct_lane kept = t->symmetric * even + t->skew * (C[a * CT_DIM + b] - even);
            store_some(planes->affine[a * CT_DIM + b] + first, kept, some);
            C_square += kept * kept;
        }
    }
    return ct_lane_sqrt(v_square) + t->affine_reach * ct_lane_sqrt(C_square);
}

static inline __attribute__((always_inline)) void gather(const ct_transfer *t, int width, size_t first, size_t last,
                                                         const ct_real *tile, ct_worker_result *result)
{
    ct_lane fastest = ct_lane_all(0);
    ct_mask all_inside = (ct_mask)fastest == 0;
    for (; first < last; first += CT_LANES) {
        int some = last - first < CT_LANES ? (int)(last - first) : CT_LANES;
        ct_lanes_stencil s;
        sums in;
        ct_mask inside;
        ct_lanes_stencil_make(&s, width, &t->planes, first);
        CT_FOR(l, some) read_particle(&s, width, l, tile, &in);
        for (int l = some; l < CT_LANES; l++) clear_sums(&in, l);
        ct_lane speed = move_lanes(t, &s, width, &in, first, some, &inside);
        for (int l = some; l < CT_LANES; l++) speed[l] = 0, inside[l] = -1;
        fastest = ct_lane_max(fastest, speed);
        all_inside &= inside;
    }
    double speed = (double)ct_lane_highest(fastest);
    if (speed > result->speed) result->speed = speed;
    if (ct_mask_any(~all_inside)) result->must_sort = true;
}

void CT_FN(ct_gather_fast)(const ct_transfer *t, size_t first, size_t last, const ct_real *tile,
                           ct_worker_result *result)
{
    if (t->is_cubic) gather(t, 4, first, last, tile, result);
    else gather(t, 3, first, last, tile, result);
}
