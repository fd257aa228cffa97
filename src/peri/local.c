/* The local step: F_i = (sum_j V_j w Y X^T) K_i^-1 of every particle, beside its coefficients. */
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
    return f[0] * f[3] - f[1] * f[2];
#else
    return f[0] * (f[5] * f[10] - f[6] * f[9]) + f[1] * (f[6] * f[8] - f[4] * f[10]) +
           f[2] * (f[4] * f[9] - f[5] * f[8]);
#endif
}

/* sum_j V_j w Y X^T, at the entries of a frame. */
static void add_bonds(const ct_solving *s, size_t p, ct_real *shape)
{
    const uint32_t *index = s->bonds->index + p * s->bonds->stride;
    const ct_real *rest = ct_quad_of(s->rest, p), *place = ct_quad_of(s->place, p);
    ct_lane sum[CT_PERI_FRAME];
    CT_UNROLL(k, CT_PERI_FRAME) sum[k] = ct_lane_all(0);
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
            CT_UNROLL(b, CT_DIM) sum[ct_frame_at(a, b)] += wY * X[b];
        }
    }
    CT_UNROLL(q, CT_FRAME_QUADS) ct_lane_sums(sum + 4 * q, shape + 4 * q);
}

static void localise(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const uint16_t *material = ct_particles_plane(&s->world->particles, CT_FIELD_MATERIAL, 0);
    bool untangles = s->world->def.peri.untangle;
    for (size_t p = begin; p < end; p++) {
        ct_real shape[CT_PERI_FRAME], *frame = s->frame + CT_PERI_FRAME * p;
        const ct_real *inverse = s->inverse + CT_PERI_FRAME * p;
        add_bonds(s, p, shape);
        CT_FOR(a, CT_DIM)
            CT_FOR(b, CT_DIM) {
                ct_real sum = 0;
                CT_FOR(k, CT_DIM) sum += shape[ct_frame_at(a, k)] * inverse[ct_frame_at(k, b)];
                frame[ct_frame_at(a, b)] = sum;
            }
        if (untangles && inverse[CT_INVERSE_RANK] == CT_DIM && determinant(frame) < 0) untangle(frame);
        const double *coefficients = s->world->materials[material[p]].coefficients;
        double factor = s->peri->factors[material[p]];
        frame[CT_FRAME_C] = (ct_real)(2 * factor * coefficients[CT_PERI_MU]) * inverse[CT_INVERSE_STIFF];
        frame[CT_FRAME_D] = (ct_real)(factor * coefficients[CT_PERI_LAMBDA]) * inverse[CT_INVERSE_STIFF];
    }
}

void CT_FN(ct_peri_local)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, localise, s);
}
