/* The local step: F_i = (sum_j V_j w Y X^T) K_i^-1 of every particle, and what its frame pulls at the ends of
 * its bonds.
 *
 * The force in a bond is a part that i's frame makes and one that j's does (peri.h). A particle makes its own
 * part only, takes it and gives the opposite to the other end, so it needs no frame but its own, while it has
 * it: every bond is read once from each end, and F is written nowhere. Particles that give to the same ones
 * must not do so at the same time: pieces take turns (turns.c).
 */
#include "peri/numbers.h"

#include "core/svd.h"

#include <math.h>

/* What the first loop over a row reads, kept for the second: CT_LANES bonds at once. */
typedef struct bonds_read {
    ct_real X[CT_DIM][CT_LANES], Y[CT_DIM][CT_LANES];
    ct_real square[CT_LANES]; /* (L/r)^2 */
    ct_real w[CT_LANES];      /* V_j w; 0: no bond */
} bonds_read;

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
CT_INLINE void add_bonds(const ct_solving *s, size_t p, bonds_read *kept, ct_real shape[CT_DIM][4])
{
    /* all in variables of its own: what is kept might else have changed it */
    const uint32_t *index = s->bonds->index + p * s->bonds->stride;
    const ct_real *rests = s->rest, *places = s->place;
    const ct_real inverse_square = s->inverse_square, least = s->least * s->least * inverse_square;
    ct_lane sum[CT_DIM][4], rest[CT_DIM], place[CT_DIM];
    CT_UNROLL(a, CT_DIM) {
        rest[a] = ct_lane_all(rests[CT_QUAD * p + (size_t)a]);
        place[a] = ct_lane_all(places[CT_QUAD * p + (size_t)a]);
        CT_UNROLL(b, 4) sum[a][b] = ct_lane_all(0);
    }
    for (uint32_t n = 0, end = ct_row_end(s->bonds, p); n < end; n += CT_LANES, kept++) {
        ct_lane X[4], Y[4], square = ct_lane_all(0);
        ct_quads_gather(rests, CT_QUAD, index + n, X);
        ct_quads_gather(places, CT_QUAD, index + n, Y);
        CT_UNROLL(a, CT_DIM) {
            X[a] -= rest[a];
            Y[a] -= place[a];
            square += X[a] * X[a];
            ct_lane_store(kept->X[a], X[a]);
            ct_lane_store(kept->Y[a], Y[a]);
        }
        square *= inverse_square;
        /* a short bond has no weight; neither has the particle itself, whose X is 0 */
        ct_lane w = ct_lane_select(square > least, (1 - square) * Y[3], ct_lane_all(0));
        ct_lane_store(kept->square, ct_lane_max(square, ct_lane_all(least)));
        ct_lane_store(kept->w, w);
        CT_UNROLL(a, CT_DIM) {
            ct_lane wY = w * Y[a];
            CT_UNROLL(b, CT_DIM) sum[a][b] += wY * X[b];
        }
    }
    CT_UNROLL(a, CT_DIM) ct_lane_sums(sum[a], shape[a]);
}

/* The frame's F of a particle, and what its row holds. */
CT_INLINE void deform(const ct_solving *s, size_t p, bool untangles, bonds_read *kept, ct_real *frame)
{
    ct_real shape[CT_DIM][4];
    const ct_real *inverse = s->inverse + CT_TRIPLE * p;
    add_bonds(s, p, kept, shape);
    CT_UNROLL(a, CT_DIM) {
        ct_quad row = shape[a][0] * ct_quad_load(inverse);
        for (int k = 1; k < CT_DIM; k++) row += shape[a][k] * ct_quad_load(inverse + ct_frame_at(k, 0));
        ct_quad_store(frame + ct_frame_at(a, 0), row);
    }
    if (untangles && inverse[CT_INVERSE_RANK] == CT_DIM && determinant(frame) < 0) untangle(frame);
}

static bonds_read *kept_of(const ct_solving *s, int worker)
{
    return (bonds_read *)s->peri->kept + (size_t)worker * (s->bonds->stride / CT_LANES);
}

/* ---- Frames ------------------------------------------------------------------------------------------- */

static void localise(void *context, size_t begin, size_t end, int worker)
{
    const ct_solving *s = context;
    bool untangles = s->world->def.peri.untangle;
    for (size_t p = begin; p < end; p++) {
        ct_real *frame = s->frame + CT_FRAME_NUMBERS * p;
        deform(s, p, untangles, kept_of(s, worker), frame);
        CT_FOR(a, CT_DIM) {
            frame[ct_frame_rest(a)] = s->rest[CT_QUAD * p + (size_t)a];
            frame[ct_frame_place(a)] = s->place[CT_QUAD * p + (size_t)a];
        }
        frame[CT_FRAME_STIFF] = s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF];
    }
}

void CT_FN(ct_peri_local)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, localise, s);
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* What the frame of p makes of its bonds,
 *
 *     V_i V_j w s_i/L [(2 mu + lambda) Y/L - 2 mu dir(F X) - lambda dir(Y)]
 *
 * to p, and the opposite to its neighbours. Two roots and two divisions: 1/L^2 is that of 1/(L |Y|) by |Y|^2.
 * A direction shorter than 10^-6 of the horizon is none. */
CT_INLINE void pull(const ct_solving *s, size_t p, ct_real inverse_range, const ct_real *F,
                    const bonds_read *kept)
{
    const uint32_t *index = s->bonds->index + p * s->bonds->stride;
    const ct_peri_body *body = ct_body_of(s, p);
    const ct_real none = (ct_real)1e-8 * s->least * s->least;
    const ct_real share =
        s->place[CT_QUAD * p + 3] * s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF] * inverse_range;
    const ct_real two_mu = share * (ct_real)body->two_mu, lambda = share * (ct_real)body->lambda;
    const ct_real both = (two_mu + lambda) * inverse_range;
    ct_real *force = s->force, all[4];
    ct_lane sum[4];
    CT_UNROLL(a, 4) sum[a] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(s->bonds, p); n < end; n += CT_LANES, kept++) {
        ct_lane X[CT_DIM], Y[CT_DIM], mapped[CT_DIM], given[4] = {0};
        ct_lane square = ct_lane_load(kept->square), w = ct_lane_load(kept->w);
        ct_lane image = ct_lane_all(none), now = image;
        CT_UNROLL(a, CT_DIM) {
            X[a] = ct_lane_load(kept->X[a]);
            Y[a] = ct_lane_load(kept->Y[a]);
            now += Y[a] * Y[a];
        }
        CT_UNROLL(a, CT_DIM) {
            mapped[a] = F[ct_frame_at(a, 0)] * X[0];
            for (int b = 1; b < CT_DIM; b++) mapped[a] += F[ct_frame_at(a, b)] * X[b];
            image += mapped[a] * mapped[a];
        }
        ct_lane turned = w * two_mu / ct_lane_sqrt(square * image), inverse = 1 / ct_lane_sqrt(square * now);
        ct_lane stretch = w * inverse * (both * now * inverse - lambda);
        CT_UNROLL(a, CT_DIM) {
            given[a] = turned * mapped[a] - stretch * Y[a];
            sum[a] -= given[a];
        }
        ct_quads_add(force, index + n, given);
    }
    ct_lane_sums(sum, all);
    ct_quad_store(force + CT_QUAD * p, ct_quad_load(force + CT_QUAD * p) + ct_quad_load(all));
}

static void pull_particles(const ct_solving *s, size_t begin, size_t end, bonds_read *kept)
{
    const bool untangles = s->world->def.peri.untangle;
    const ct_real inverse_range = (ct_real)sqrt((double)s->inverse_square);
    for (size_t p = begin; p < end; p++) {
        ct_real F[CT_TRIPLE];
        if (!s->bonds->count[p]) continue;
        deform(s, p, untangles, kept, F);
        pull(s, p, inverse_range, F, kept);
    }
}

typedef struct pulling {
    const ct_solving *s;
    const uint32_t *piece; /* of this turn */
} pulling;

static void pull_pieces(void *context, size_t begin, size_t end, int worker)
{
    const pulling *turn = context;
    const ct_solving *s = turn->s;
    const size_t grain = s->peri->turns.grain, all = s->world->particles.count;
    for (size_t k = begin; k < end; k++) {
        size_t first = turn->piece[k] * grain;
        pull_particles(s, first, all - first < grain ? all : first + grain, kept_of(s, worker));
    }
}

static void clear_forces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    memset(s->force + CT_QUAD * begin, 0, (end - begin) * CT_QUAD * sizeof *s->force);
}

void CT_FN(ct_peri_pull)(ct_solving *s)
{
    const ct_turns *turns = &s->peri->turns;
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, clear_forces, s);
    CT_FOR(t, CT_TURNS) {
        size_t count = turns->first[t + 1] - turns->first[t];
        pulling turn = {s, turns->piece + turns->first[t]};
        ct_pool_for(s->world->pool, count, t == CT_TURNS - 1 ? count : 1, pull_pieces, &turn);
    }
}
