/* After the iterations: grains that friction holds stay where they are, and strains go with the material. */
#include "peri/medium_kernel.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

/* ---- Static friction ---------------------------------------------------------------------------------- */

/* Eq. 28: of its free motion u* a grain keeps at most the share 1 - eta: it stays. One that has nowhere to
 * go, u* = 0, is left alone, or it would be frozen for ever. */
static void hold_grain(const ct_solving *s, size_t p, double eta)
{
    ct_real *move = ct_quad_of(s->move, p), *place = ct_quad_of(s->place, p);
    const ct_real *goal = ct_quad_of(s->goal, p), *start = ct_quad_of(s->start, p);
    double along = 0, square = 0, least = 1e-9 * s->world->def.spacing;
    CT_FOR(a, CT_DIM) {
        along += (double)(move[a] * goal[a]);
        square += (double)(goal[a] * goal[a]);
    }
    if (!(square > least * least) || along > (1 - eta) * square) return;
    CT_FOR(a, CT_DIM) move[a] = 0, place[a] = start[a];
}

static void hold_grains(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        if (!s->peri->medium.flows[p] || !(s->start[CT_QUAD * p + 3] > 0)) continue;
        double eta = s->world->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]]
                         .coefficients[CT_PERI_STAYS];
        if (eta > 0) hold_grain(s, p, eta);
    }
}

/* ---- Strain ------------------------------------------------------------------------------------------- */

/* A matrix's inverse; returns false where it has none worth the name, with `floor` of the mean diagonal to
 * the power of the dimension for the least determinant. */
static bool invert(const ct_real A[CT_MATRIX], ct_real floor, ct_real inverse[CT_MATRIX])
{
    ct_real mean = 0, determinant = 0, power = 1;
    CT_FOR(a, CT_DIM) mean += A[a * CT_DIM + a] / CT_DIM;
    CT_FOR(a, CT_DIM) power *= mean;
#if CT_DIM == 2
    const ct_real adjugate[CT_MATRIX] = {A[3], -A[1], -A[2], A[0]};
#else
    ct_real adjugate[CT_MATRIX];
    CT_FOR(i, 3)
        CT_FOR(j, 3) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            adjugate[3 * i + j] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
#endif
    CT_FOR(a, CT_DIM) determinant += A[a] * adjugate[a * CT_DIM];
    if (!(determinant > floor * power) || !(determinant > 0)) return false;
    const ct_real share = 1 / determinant;
    CT_FOR(k, CT_MATRIX) inverse[k] = share * adjugate[k];
    return true;
}

/* g = f - I, the gradient of the displacement of this step by least squares. */
static bool gradient_of(const ct_solving *s, size_t p, ct_real g[CT_MATRIX])
{
    const ct_bonds *rows = &s->peri->medium.rows;
    const uint32_t *index = rows->index + p * rows->stride;
    const ct_real *start = ct_quad_of(s->start, p), *move = ct_quad_of(s->move, p);
    enum { SUMS = CT_SYMMETRIC + CT_MATRIX, QUADS = (SUMS + 3) / 4 };
    ct_lane shape[4 * QUADS], *change = shape + CT_SYMMETRIC;
    ct_real K[CT_MATRIX], inverse[CT_MATRIX], sums[4 * QUADS], *sum = sums + CT_SYMMETRIC;
    CT_UNROLL(k, 4 * QUADS) shape[k] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, s->start, start, index + n);
        ct_lane other[4], w = ct_lane_max(ct_weight(s, pair.q * pair.q), ct_lane_all(0));
        w = ct_lane_select(pair.is_pair, w, ct_lane_all(0));
        ct_quads_gather(s->move, CT_QUAD, index + n, other);
        CT_UNROLL(b, CT_DIM) {
            ct_lane wY = w * pair.Y[b];
            for (int a = 0; a <= b; a++) shape[ct_symmetric_index(a, b)] += wY * pair.Y[a];
            CT_UNROLL(a, CT_DIM) change[a * CT_DIM + b] += wY * (other[a] - move[a]);
        }
    }
    CT_UNROLL(q, QUADS) ct_lane_sums(shape + 4 * q, sums + 4 * q);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) K[a * CT_DIM + b] = sums[ct_symmetric_index(a, b)];
    if (!invert(K, (ct_real)0.01, inverse)) return false;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            g[a * CT_DIM + b] = 0;
            CT_FOR(c, CT_DIM) g[a * CT_DIM + b] += sum[a * CT_DIM + c] * inverse[c * CT_DIM + b];
        }
    return true;
}

/* E + (l^T c + c l - l^T c l) / 2 with c = I - 2E and l = g f^-1 = I - f^-1. False: torn. */
static bool carry(const ct_real g[CT_MATRIX], ct_real E[CT_SYMMETRIC])
{
    ct_real f[CT_MATRIX], inverse[CT_MATRIX], l[CT_MATRIX], c[CT_MATRIX], cl[CT_MATRIX], lcl[CT_MATRIX];
    CT_FOR(k, CT_MATRIX) f[k] = g[k] + (ct_real)(k % (CT_DIM + 1) == 0);
    if (!invert(f, (ct_real)0.1, inverse)) return false;
    CT_FOR(k, CT_MATRIX) l[k] = (ct_real)(k % (CT_DIM + 1) == 0) - inverse[k];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) c[a * CT_DIM + b] = (ct_real)(a == b) - 2 * E[ct_symmetric_index(a, b)];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            cl[a * CT_DIM + b] = 0;
            CT_FOR(k, CT_DIM) cl[a * CT_DIM + b] += c[a * CT_DIM + k] * l[k * CT_DIM + b];
        }
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            lcl[a * CT_DIM + b] = 0;
            CT_FOR(k, CT_DIM) lcl[a * CT_DIM + b] += l[k * CT_DIM + a] * cl[k * CT_DIM + b];
        }
    CT_FOR(a, CT_DIM)
        for (int b = a; b < CT_DIM; b++)
            E[ct_symmetric_index(a, b)] +=
                (ct_real)0.5 * (cl[a * CT_DIM + b] + cl[b * CT_DIM + a] - lcl[a * CT_DIM + b]);
    return true;
}

static void carry_strains(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    ct_real *strain[CT_SYMMETRIC];
    CT_FOR(k, CT_SYMMETRIC) strain[k] = ct_particles_plane(&s->world->particles, CT_FIELD_STRAIN, k);
    for (size_t p = begin; p < end; p++) {
        if (!s->peri->medium.flows[p]) continue;
        ct_real *matter = s->matter + CT_TRIPLE * p, g[CT_MATRIX];
        bool is_whole = matter[CT_MATTER_MODULUS] > 0;
        if (is_whole && gradient_of(s, p, g)) is_whole = carry(g, matter);
        CT_FOR(k, CT_SYMMETRIC) strain[k][p] = is_whole ? matter[k] : 0;
    }
}

void CT_FN(ct_medium_finish)(ct_solving *s)
{
    size_t count = s->world->particles.count;
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, hold_grains, s);
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, carry_strains, s);
    CT_FN(ct_medium_redistribute)(s);
}
