/* The local step: F_i = (sum_j V_j w Y X^T) K_i^-1 of every particle, and what its frame pulls at the ends of
 * its bonds.
 *
 * The force in a bond is a part that i's frame makes and one that j's does (peri.h). A particle makes its own
 * part only, takes it and gives the opposite to the other end, so it needs no frame but its own, while it has
 * it: every bond is read once from each end, and F is written nowhere. Particles that give to the same ones
 * must not do so at the same time: pieces take turns (turns.c). A pack of particles is worked on at once.
 */
#include "peri/numbers.h"

#include "core/matrix.h"
#include "core/svd.h"

#include <math.h>

/* What the first loop over the bonds of a pack reads, kept for the second: one bond of each. */
typedef struct bonds_read {
    ct_real X[CT_DIM][CT_LANES], Y[CT_DIM][CT_LANES];
    ct_real w[CT_LANES]; /* V_j w; 0: no bond */
} bonds_read;

/* The mirror image of an inverted neighbourhood: the thinnest direction turned round. */
static void untangle(ct_lane *frame, int slot)
{
    ct_real F[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(k, CT_MATRIX) F[k] = frame[k][slot];
    CT_FN(ct_svd)(F, U, sigma, V);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            frame[a * CT_DIM + b][slot] -=
                2 * U[a * CT_DIM + CT_DIM - 1] * sigma[CT_DIM - 1] * V[b * CT_DIM + CT_DIM - 1];
}

/* F of a pack, sum_j V_j w Y X^T K^-1, and its bonds. */
CT_INLINE void deform(const ct_solving *s, const ct_pack *pack, bonds_read *kept, ct_lane F[CT_MATRIX])
{
    /* all in variables of its own: what is kept might else have changed it */
    const uint32_t *index = pack->index;
    const ct_real *rests = s->rest, *places = s->place;
    const ct_real inverse_square = s->inverse_square, least = s->least * s->least * inverse_square;
    ct_lane shape[CT_MATRIX], rest[4], place[4], inverse[CT_TRIPLE];
    ct_quads_gather(rests, CT_QUAD, pack->own, rest);
    ct_quads_gather(places, CT_QUAD, pack->own, place);
    CT_UNROLL(k, CT_MATRIX) shape[k] = ct_lane_all(0);
    for (uint32_t n = 0; n < pack->end; n++, kept++, index += CT_LANES) {
        ct_lane X[4], Y[4], square = ct_lane_all(0);
        ct_read_ahead(index + pack->ahead);
        ct_quads_gather(rests, CT_QUAD, index, X);
        ct_quads_gather(places, CT_QUAD, index, Y);
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
        ct_lane_store(kept->w, w);
        CT_UNROLL(a, CT_DIM) {
            ct_lane wY = w * Y[a];
            CT_UNROLL(b, CT_DIM) shape[a * CT_DIM + b] += wY * X[b];
        }
    }
    CT_UNROLL(q, 3) ct_quads_gather(s->inverse + 4 * q, CT_TRIPLE, pack->own, inverse + 4 * q);
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) {
            ct_lane sum = shape[a * CT_DIM] * inverse[ct_frame_at(0, b)];
            for (int k = 1; k < CT_DIM; k++) sum += shape[a * CT_DIM + k] * inverse[ct_frame_at(k, b)];
            F[a * CT_DIM + b] = sum;
        }
    if (!s->peri->common->def.peri.untangle) return;
    ct_mask is_inverted = (inverse[CT_INVERSE_RANK] == CT_DIM) & (ct_determinant(F) < 0);
    for (unsigned bits = ct_mask_bits(is_inverted); bits; bits &= bits - 1) untangle(F, __builtin_ctz(bits));
}

/* As much room lies between two workers' again: what a core fetches ahead of its own it would take from the
 * other (a quarter of the time was waiting for that). */
static bonds_read *kept_of(const ct_solving *s, int worker)
{
    return (bonds_read *)s->peri->kept + 2 * (size_t)worker * s->bonds->stride;
}

/* ---- Frames ------------------------------------------------------------------------------------------- */

static void localise(void *context, size_t begin, size_t end, int worker)
{
    const ct_solving *s = context;
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, s->bonds, first);
        ct_lane F[CT_MATRIX];
        deform(s, &pack, kept_of(s, worker), F);
        CT_FOR(l, pack.count) {
            size_t p = first + (size_t)l;
            ct_real *frame = s->frame + CT_FRAME_NUMBERS * p;
            memset(frame, 0, CT_FRAME_NUMBERS * sizeof *frame);
            CT_FOR(a, CT_DIM) {
                CT_FOR(b, CT_DIM) frame[ct_frame_at(a, b)] = F[a * CT_DIM + b][l];
                frame[ct_frame_rest(a)] = s->rest[CT_QUAD * p + (size_t)a];
                frame[ct_frame_place(a)] = s->place[CT_QUAD * p + (size_t)a];
            }
            frame[CT_FRAME_STIFF] = s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF];
        }
    }
}

void CT_FN(ct_peri_local)(ct_solving *s)
{
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, localise, s);
}

/* ---- Forces ------------------------------------------------------------------------------------------- */

/* 2 mu and lambda of the bodies of a pack, times V_i s_i. */
CT_INLINE void stiffness_of(const ct_solving *s, const ct_pack *pack, ct_lane *two_mu, ct_lane *lambda)
{
    ct_real numbers[2][CT_LANES];
    CT_FOR(l, CT_LANES) {
        size_t p = pack->own[l] / 2;
        const ct_peri_body *body = ct_body_of(s, p);
        ct_real share = s->place[CT_QUAD * p + 3] * s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF];
        numbers[0][l] = share * (ct_real)body->two_mu;
        numbers[1][l] = share * (ct_real)body->lambda;
    }
    *two_mu = ct_lane_load(numbers[0]);
    *lambda = ct_lane_load(numbers[1]);
}

/* What the frames of a pack make of their bonds,
 *
 *     V_i V_j w s_i/L [(2 mu + lambda) Y/L - 2 mu dir(F X) - lambda dir(Y)]
 *
 * to them, and the opposite to their neighbours. Two roots and two divisions: 1/L^2 is that of 1/(L |Y|) by
 * |Y|^2. A direction shorter than 10^-6 of the horizon is none. */
CT_INLINE void pull(const ct_solving *s, const ct_pack *pack, const ct_lane F[CT_MATRIX],
                    const bonds_read *kept)
{
    const uint32_t *index = pack->index;
    const ct_lane none = ct_lane_all((ct_real)1e-8 * s->least * s->least);
    ct_real *force = s->force;
    ct_lane sum[4], two_mu, lambda;
    stiffness_of(s, pack, &two_mu, &lambda);
    const ct_lane both = two_mu + lambda;
    CT_UNROLL(a, 4) sum[a] = ct_lane_all(0);
    for (uint32_t n = 0; n < pack->end; n++, kept++, index += CT_LANES) {
        ct_lane X[CT_DIM], Y[CT_DIM], mapped[CT_DIM], given[4] = {0};
        ct_lane image = none, now = none, square = none, w = ct_lane_load(kept->w);
        CT_UNROLL(a, CT_DIM) {
            X[a] = ct_lane_load(kept->X[a]);
            Y[a] = ct_lane_load(kept->Y[a]);
            square += X[a] * X[a];
            now += Y[a] * Y[a];
        }
        CT_UNROLL(a, CT_DIM) {
            mapped[a] = F[a * CT_DIM] * X[0];
            for (int b = 1; b < CT_DIM; b++) mapped[a] += F[a * CT_DIM + b] * X[b];
            image += mapped[a] * mapped[a];
        }
        ct_lane turned = w * two_mu / ct_lane_sqrt(square * image), inverse = 1 / ct_lane_sqrt(square * now);
        ct_lane stretch = w * inverse * (both * now * inverse - lambda);
        CT_UNROLL(a, CT_DIM) {
            given[a] = turned * mapped[a] - stretch * Y[a];
            sum[a] -= given[a];
        }
        ct_quads_add(force, index, given);
    }
    ct_quad all[CT_LANES];
    ct_quads_of_lanes(sum, all);
    CT_FOR(l, pack->count) {
        ct_real *to = force + 2 * (size_t)pack->own[l];
        ct_quad_store(to, ct_quad_load(to) + all[l]);
    }
}

static void pull_particles(const ct_solving *s, size_t begin, size_t end, bonds_read *kept)
{
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, s->bonds, first);
        ct_lane F[CT_MATRIX];
        if (!pack.end) continue;
        deform(s, &pack, kept, F);
        pull(s, &pack, F, kept);
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
    const size_t grain = s->peri->turns.grain, all = s->peri->cloud.particles.count;
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
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, clear_forces, s);
    CT_FOR(t, CT_TURNS) {
        size_t count = turns->first[t + 1] - turns->first[t];
        pulling turn = {s, turns->piece + turns->first[t]};
        ct_pool_for(s->peri->common->pool, count, t == CT_TURNS - 1 ? count : 1, pull_pieces, &turn);
    }
}
