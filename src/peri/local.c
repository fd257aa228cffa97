/* The local step: F_i = (sum_j V_j w Y X^T) K_i^-1 of every particle, and beside it what else the sweep reads
 * of a neighbour. */
#include "peri/numbers.h"

#include "core/svd.h"

/* The mirror image of an inverted neighbourhood: the thinnest direction turned round. */
static void untangle(ct_real *frame)
{
    ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) F[a * CT_DIM + b] = frame[ct_frame_at(a, b)];
    CT_FN(ct_svd)(F, U, sigma, V);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            frame[ct_frame_at(a, b)] -=
                2 * U[a * CT_DIM + CT_DIM - 1] * sigma[CT_DIM - 1] * V[b * CT_DIM + CT_DIM - 1];
}

static ct_real determinant(const ct_real *f)
{
#if CT_DIM == 2
    return f[0] * f[5] - f[1] * f[4];
#else
    return f[0] * (f[5] * f[10] - f[6] * f[9]) + f[1] * (f[6] * f[8] - f[4] * f[10]) +
           f[2] * (f[4] * f[9] - f[5] * f[8]);
#endif
}

/* sum_j V_j w Y X^T, row by row. */
static void add_bonds(const ct_solving *s, size_t p, ct_real shape[CT_DIM][4])
{
    const uint32_t *index = s->bonds->index + p * s->bonds->stride;
    const ct_real *rest = ct_quad_of(s->rest, p), *place = ct_quad_of(s->place, p);
    ct_lane sum[CT_DIM][4];
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, 4) sum[a][b] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(s->bonds, p); n < end; n += CT_LANES) {
        ct_lane X[4], Y[4], square = ct_lane_all(0);
        ct_quads_gather(s->rest, CT_QUAD, index + n, X);
        ct_quads_gather(s->place, CT_QUAD, index + n, Y);
        CT_UNROLL(a, CT_DIM) {
            X[a] -= rest[a];
            Y[a] -= place[a];
            square += X[a] * X[a];
        }
        ct_lane w = ct_weight(s, square) * Y[3];
        /* a short bond has no weight; neither has the particle itself, whose X is 0 */
        w = ct_lane_select(square > s->least * s->least, w, ct_lane_all(0));
        CT_UNROLL(a, CT_DIM) {
            ct_lane wY = w * Y[a];
            CT_UNROLL(b, CT_DIM) sum[a][b] += wY * X[b];
        }
    }
    CT_UNROLL(a, CT_DIM) ct_lane_sums(sum[a], shape[a]);
}

static void localise(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    bool untangles = s->world->def.peri.untangle;
    for (size_t p = begin; p < end; p++) {
        ct_real shape[CT_DIM][4], *frame = s->frame + CT_FRAME_NUMBERS * p;
        const ct_real *inverse = s->inverse + CT_TRIPLE * p, *rest = ct_quad_of(s->rest, p);
        add_bonds(s, p, shape);
        CT_UNROLL(a, CT_DIM) {
            ct_quad row = shape[a][0] * ct_quad_load(inverse);
            for (int k = 1; k < CT_DIM; k++) row += shape[a][k] * ct_quad_load(inverse + ct_frame_at(k, 0));
            row[CT_DIM] = rest[a];
            ct_quad_store(frame + ct_frame_at(a, 0), row);
        }
        ct_quad place = ct_quad_load(ct_quad_of(s->place, p));
        place[3] = inverse[CT_INVERSE_STIFF];
        ct_quad_store(frame + ct_frame_place(0), place);
        if (untangles && inverse[CT_INVERSE_RANK] == CT_DIM && determinant(frame) < 0) untangle(frame);
    }
}

void CT_FN(ct_peri_local)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, localise, s);
}
