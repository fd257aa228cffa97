/* After the iterations: grains that friction holds stay where they are, and strains go with the material. */
#include "peri/medium_kernel.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

/* ---- Static friction ---------------------------------------------------------------------------------- */

/* The density below which a grain lies in no heap: on a plane of others it has 0.4 alone, within the plane
 * 0.7 and more; between one below it and one above it has 0.4, and would stand there for ever. */
static const double LOOSE = 0.5;

/* Eq. 28: of its free motion u* a grain keeps at most the share 1 - eta: it stays. One that has nowhere to
 * go, u* = 0, is left alone, or it would be frozen for ever. */
static void hold_grain(const ct_solving *s, size_t p, double eta)
{
    ct_real *move = ct_quad_of(s->move, p), *place = ct_quad_of(s->place, p);
    const ct_real *goal = ct_quad_of(s->goal, p), *start = ct_quad_of(s->start, p);
    double along = 0, square = 0, least = 1e-9 * s->peri->spacing;
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
        double eta = s->peri->common->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]]
                         .coefficients[CT_PERI_STAYS];
        double density = (double)s->matter[CT_TRIPLE * p + CT_MATTER_DENSITY];
        if (eta > 0 && density > LOOSE) hold_grain(s, p, eta);
    }
}

/* ---- Strain ------------------------------------------------------------------------------------------- */

/* Inverses of matrices; false where one has none worth the name, with `floor` of the mean diagonal to the
 * power of the dimension for the least determinant. */
CT_INLINE ct_mask invert(const ct_lane A[CT_MATRIX], ct_real floor, ct_lane inverse[CT_MATRIX])
{
    ct_lane mean = ct_lane_all(0), determinant = mean, power = ct_lane_all(1);
    CT_UNROLL(a, CT_DIM) mean += A[a * CT_DIM + a] / CT_DIM;
    CT_UNROLL(a, CT_DIM) power *= mean;
#if CT_DIM == 2
    const ct_lane adjugate[CT_MATRIX] = {A[3], -A[1], -A[2], A[0]};
#else
    ct_lane adjugate[CT_MATRIX];
    CT_UNROLL(i, 3)
        CT_UNROLL(j, 3) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            adjugate[3 * i + j] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
#endif
    CT_UNROLL(a, CT_DIM) determinant += A[a] * adjugate[a * CT_DIM];
    ct_mask has_one = (determinant > floor * power) & (determinant > 0);
    const ct_lane share = 1 / ct_lane_select(has_one, determinant, ct_lane_all(1));
    CT_UNROLL(k, CT_MATRIX) inverse[k] = share * adjugate[k];
    return has_one;
}

CT_INLINE void multiply(const ct_lane A[CT_MATRIX], const ct_lane B[CT_MATRIX], ct_lane product[CT_MATRIX])
{
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_lane sum = A[a * CT_DIM] * B[b];
            for (int k = 1; k < CT_DIM; k++) sum += A[a * CT_DIM + k] * B[k * CT_DIM + b];
            product[a * CT_DIM + b] = sum;
        }
}

/* g = f - I, the gradient of the displacement of this step by least squares; 0 where there is none. */
static void gradient_of(const ct_solving *s, const ct_pack *pack, ct_lane g[CT_MATRIX])
{
    const ct_lane none = ct_lane_all(0);
    ct_lane start[4], move[4], shape[CT_SYMMETRIC], change[CT_MATRIX], K[CT_MATRIX], inverse[CT_MATRIX];
    ct_quads_gather(s->start, CT_QUAD, pack->own, start);
    ct_quads_gather(s->move, CT_QUAD, pack->own, move);
    CT_UNROLL(k, CT_SYMMETRIC) shape[k] = none;
    CT_UNROLL(k, CT_MATRIX) change[k] = none;
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_lane other[4], Y[4], square = none;
        ct_quads_gather(s->start, CT_QUAD, pack->index + CT_LANES * n, Y);
        ct_quads_gather(s->move, CT_QUAD, pack->index + CT_LANES * n, other);
        CT_UNROLL(a, CT_DIM) {
            Y[a] -= start[a];
            square += Y[a] * Y[a];
        }
        ct_lane w = ct_lane_max(ct_weight(s, square), none); /* of the particle itself Y is 0 */
        CT_UNROLL(b, CT_DIM) {
            ct_lane wY = w * Y[b];
            for (int a = 0; a <= b; a++) shape[ct_symmetric_index(a, b)] += wY * Y[a];
            CT_UNROLL(a, CT_DIM) change[a * CT_DIM + b] += wY * (other[a] - move[a]);
        }
    }
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) K[a * CT_DIM + b] = shape[ct_symmetric_index(a, b)];
    ct_mask is_known = invert(K, (ct_real)0.01, inverse);
    multiply(change, inverse, g);
    CT_UNROLL(k, CT_MATRIX) g[k] = ct_lane_select(is_known, g[k], none);
}

/* E + (l^T c + c l - l^T c l) / 2 with c = I - 2E and l = g f^-1 = I - f^-1; 0 where it is torn. */
static void carry(const ct_lane g[CT_MATRIX], ct_lane E[CT_SYMMETRIC])
{
    ct_lane f[CT_MATRIX], inverse[CT_MATRIX], l[CT_MATRIX], turned[CT_MATRIX], c[CT_MATRIX], cl[CT_MATRIX],
        lcl[CT_MATRIX];
    CT_UNROLL(k, CT_MATRIX) f[k] = g[k] + (ct_real)(k % (CT_DIM + 1) == 0);
    ct_mask is_whole = invert(f, (ct_real)0.1, inverse);
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            l[a * CT_DIM + b] = turned[b * CT_DIM + a] = (ct_real)(a == b) - inverse[a * CT_DIM + b];
            c[a * CT_DIM + b] = (ct_real)(a == b) - 2 * E[ct_symmetric_index(a, b)];
        }
    multiply(c, l, cl);
    multiply(turned, cl, lcl);
    CT_UNROLL(a, CT_DIM)
        for (int b = a; b < CT_DIM; b++) {
            ct_lane *e = &E[ct_symmetric_index(a, b)];
            *e += (ct_real)0.5 * (cl[a * CT_DIM + b] + cl[b * CT_DIM + a] - lcl[a * CT_DIM + b]);
            *e = ct_lane_select(is_whole, *e, ct_lane_all(0));
        }
}

static void carry_strains(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    ct_real *strain[CT_SYMMETRIC];
    CT_FOR(k, CT_SYMMETRIC) strain[k] = ct_particles_plane(&s->peri->cloud.particles, CT_FIELD_STRAIN, k);
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, p);
        ct_lane matter[8], g[CT_MATRIX];
        CT_UNROLL(q, 2) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, pack.own, matter + 4 * q);
        ct_mask bears = matter[CT_MATTER_MODULUS] > 0; /* what does not has no strain */
        if (ct_mask_any(bears)) {
            gradient_of(s, &pack, g);
            carry(g, matter);
        }
        CT_FOR(k, CT_SYMMETRIC) {
            ct_lane E = ct_lane_select(bears, matter[k], ct_lane_all(0));
            CT_FOR(l, pack.count)
                if (s->peri->medium.flows[p + (size_t)l]) strain[k][p + (size_t)l] = E[l];
        }
    }
}

void CT_FN(ct_medium_finish)(ct_solving *s)
{
    size_t count = s->peri->cloud.particles.count;
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, hold_grains, s);
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, carry_strains, s);
    CT_FN(ct_medium_redistribute)(s);
}
