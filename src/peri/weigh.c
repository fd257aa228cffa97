/* What bonds weigh: W_i = sum_j V_j w, the shape K_i = sum_j V_j w X X^T with its inverse, and for each body
 * a bound of the matrix. */
#include "core/reduce.h"
#include "peri/numbers.h"

#include "core/svd.h"

#include <math.h>
#include <string.h>

/* K^-1 where K has full rank; else the inverse on the span of the bonds (sheets, lines). Returns the rank. */
static int invert(const ct_real K[CT_MATRIX], ct_real *inverse)
{
    const ct_real flat = (ct_real)1e-4; /* of the largest singular value: thinner directions do not count */
    ct_real U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    int rank = 0;
    CT_FN(ct_svd)(K, U, sigma, V);
    while (rank < CT_DIM && sigma[rank] > flat * sigma[0]) rank++;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            ct_real sum = 0;
            CT_FOR(k, rank) sum += V[a * CT_DIM + k] * U[b * CT_DIM + k] / sigma[k];
            inverse[ct_frame_at(a, b)] = sum;
        }
    return rank;
}

/* The particle's W, and its K. */
static ct_real weigh_particle(const ct_solving *s, size_t p, ct_real K[CT_MATRIX])
{
    const ct_real *own = ct_quad_of(s->rest, p);
    ct_lane shape[CT_MATRIX], weight = ct_lane_all(0);
    CT_FOR(k, CT_MATRIX) shape[k] = weight;
    for (uint32_t n = 0; n < s->bonds->count[p]; n += CT_LANES) {
        const ct_row_part part = ct_row_read(s->bonds, p, n);
        ct_lane X[4], place[4], square = ct_lane_all(0);
        ct_quads_gather(s->rest, CT_QUAD, part.index, X);
        ct_quads_gather(s->place, CT_QUAD, part.index, place);
        CT_FOR(a, CT_DIM) {
            X[a] -= own[a];
            square += X[a] * X[a];
        }
        ct_mask is_bond = square > s->least * s->least;
        ct_lane w = ct_weight(s, square) * place[3];
        w = ct_lane_select(is_bond, w, ct_lane_all(0));
        weight += w;
        CT_FOR(a, CT_DIM)
            CT_FOR(b, CT_DIM) shape[a * CT_DIM + b] += w * X[a] * X[b];
    }
    CT_FOR(k, CT_MATRIX) K[k] = ct_lane_sum(shape[k]);
    return ct_lane_sum(weight);
}

/* Whether it is part of a rod with ghosts: one itself, or with bonds to some. */
static bool has_ghosts(const ct_solving *s, size_t p)
{
    const uint16_t *hold = ct_particles_plane(&s->peri->cloud.particles, CT_FIELD_HOLD, 0);
    uint16_t any = hold[p];
    for (uint32_t n = 0; n < s->bonds->count[p]; n++) any |= hold[ct_neighbour(s->bonds, p, n)];
    return any & CT_HOLD_GHOST;
}

static void weigh_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        ct_real K[CT_MATRIX], *inverse = s->inverse + CT_TRIPLE * p;
        ct_real W = weigh_particle(s, p, K);
        memset(inverse, 0, CT_TRIPLE * sizeof *inverse);
        if (!(W > 0)) continue; /* alone: no bonds, no forces, F = 0 stands for none */
        int rank = invert(K, inverse), most = s->peri->common->bodies[(size_t)s->goal[CT_QUAD * p + 3]].rank;
        if (rank > most) rank = most; /* a curved sheet is no solid: nothing is inside out there */
        inverse[CT_INVERSE_RANK] = (ct_real)rank;
        inverse[CT_INVERSE_WEIGHT] = 1 / W;
        bool is_rod = most == 1 && CT_DIM == 3 && has_ghosts(s, p);
        inverse[CT_INVERSE_STIFF] = (ct_real)s->peri->stiffening[is_rod ? 0 : rank] / W;
    }
}

/* (V_i / m_i) sum_j V_j w/L^2 (1/W_i + 1/W_j), stiffened: times 2 mu + lambda and h^2 it is A_ii / m_i - 1.
 * `nearest` becomes the square of its shortest bond. */
static double stiffness_of(const ct_solving *s, size_t p, double *nearest)
{
    const ct_real *own = ct_quad_of(s->rest, p), stiff = s->inverse[CT_TRIPLE * p + CT_INVERSE_STIFF];
    ct_lane sum = ct_lane_all(0), shortest = ct_lane_all(1 / s->inverse_square);
    for (uint32_t n = 0; n < s->bonds->count[p]; n += CT_LANES) {
        const ct_row_part part = ct_row_read(s->bonds, p, n);
        ct_lane X[4], place[4], inverse[4], square = ct_lane_all(0);
        ct_quads_gather(s->rest, CT_QUAD, part.index, X);
        ct_quads_gather(s->place, CT_QUAD, part.index, place);
        ct_quads_gather(s->inverse + CT_INVERSE_STIFF / 4 * 4, CT_TRIPLE, part.index, inverse);
        CT_FOR(a, CT_DIM) {
            X[a] -= own[a];
            square += X[a] * X[a];
        }
        ct_lane w = ct_weight(s, square) * place[3] * (stiff + inverse[CT_INVERSE_STIFF % 4]) / square;
        const ct_mask is_bond = square > s->least * s->least;
        sum += ct_lane_select(is_bond, w, ct_lane_all(0));
        shortest = ct_lane_select(is_bond & (square < shortest), square, shortest);
    }
    *nearest = (double)(1 / s->inverse_square);
    ct_real squares[CT_LANES];
    ct_lane_store(squares, shortest);
    CT_FOR(l, CT_LANES) *nearest = fmin(*nearest, (double)squares[l]);
    return (double)(s->place[CT_QUAD * p + 3] * ct_lane_sum(sum)) / fabs((double)s->start[CT_QUAD * p + 3]);
}

/* How much closer the nearest neighbour is than in a lattice of such volumes, squared and to the power of
 * the dimension: 1 in a lattice. Thin bodies have cautions of their own. */
static double crowding_of(const ct_solving *s, size_t p, double nearest)
{
    double volume = (double)s->place[CT_QUAD * p + 3], crowding = volume * volume;
    if ((int)s->inverse[CT_TRIPLE * p + CT_INVERSE_RANK] < CT_DIM) return 0;
    CT_FOR(a, CT_DIM) crowding /= nearest;
    return crowding;
}

/* The largest stiffness of each body's particles, and behind all of these the largest crowding, for each
 * worker: a maximum knows no order. */
static void bound_particles(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_solving *s = context;
    double *most = result;
    for (size_t p = begin; p < end; p++) {
        size_t body = (size_t)s->goal[CT_QUAD * p + 3];
        double nearest;
        most[body] = fmax(most[body], stiffness_of(s, p, &nearest));
        most += s->peri->common->body_count;
        most[body] = fmax(most[body], crowding_of(s, p, nearest));
        most -= s->peri->common->body_count;
    }
}

/* The largest eigenvalue of A over its bound is below 1.3 in a lattice, but 1.45 in a lattice in a plane, and
 * up to 2 on a line, where neighbours can alternate, and where particles lie at random: a pair much closer
 * than others has nearly all of the diagonal in its one bond. A body takes part of the step by the thickest of
 * its neighbourhoods, and by its closest pair: 1.4 times the eigenvalue stays below 1.91. */
static void set_caution(const ct_solving *s, const double *crowding)
{
    const double close = 0.85; /* of the distance in a lattice */
    for (size_t b = 0; b < s->peri->common->body_count; b++) s->peri->body[b].caution = 0.68;
    for (size_t p = 0; p < s->peri->cloud.particles.count; p++) {
        int rank = (int)s->inverse[CT_TRIPLE * p + CT_INVERSE_RANK];
        double *most = &s->peri->body[(size_t)s->goal[CT_QUAD * p + 3]].caution;
        *most = fmax(*most, rank == CT_DIM ? 1 : rank == 2 ? 0.92 : 0.68);
    }
    for (size_t b = 0; b < s->peri->common->body_count; b++)
        if (crowding[b] * pow(close, 2 * CT_DIM) > 1) s->peri->body[b].caution = 0.68;
}

void CT_FN(ct_peri_weigh)(ct_solving *s)
{
    ct_peri *peri = s->peri;
    size_t bodies = peri->common->body_count;
    double *most = peri->workers; /* what all found; behind it what each did */
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, weigh_particles, s);
    memset(most, 0, 2 * bodies * sizeof *most);
    ct_reduce_large(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, bound_particles, s,
                    ct_fold_max, most + 2 * bodies, most, 2 * bodies * sizeof *most);
    set_caution(s, most + bodies);
    for (size_t b = 0; b < bodies; b++) {
        const double *c = s->peri->common->materials[s->peri->common->bodies[b].material].coefficients;
        peri->body[b].stiffness = most[b] * (2 * c[CT_PERI_MU] + c[CT_PERI_LAMBDA]);
    }
}
