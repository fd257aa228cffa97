/* One iteration of the global step in gather form: every particle adds up the forces of its own bonds.
 *
 * The residual R_i = m_i (u* - u_i) + h^2 sum_j f_ij is divided by the same number, D m_i, for all particles
 * of a body, where D bounds A_ii / m_i. So the masses times the displacements of an iteration add up to the
 * masses times R / D, that is to nothing: linear momentum is kept by every iteration, not only by a converged
 * one. (Dividing by each particle's own A_ii, as the Jacobi iteration of the paper does, is no faster where
 * weights are normalised, and lets momentum drift until it has converged.)
 */
#include "peri/bond.h"

#include <math.h>

void CT_FN(ct_peri_force)(const ct_solving *s, size_t p, ct_real force[4])
{
    const uint32_t *index = s->bonds->index + p * s->bonds->stride;
    ct_bond_end own = ct_bond_end_of(s, p);
    ct_lane sum[4];
    CT_UNROLL(a, 4) sum[a] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(s->bonds, p); n < end; n += CT_LANES) {
        ct_bond bond;
        ct_bond_read(s, &own, index + n, &bond);
        CT_UNROLL(a, CT_DIM) sum[a] += bond.force[a];
    }
    ct_lane_sums(sum, force);
}

/* One piece; returns the sum of squares of the displacements that its particles would like to make. */
static double sweep_particles(const ct_solving *s, size_t begin, size_t end)
{
    double squares = 0;
    for (size_t p = begin; p < end; p++) {
        ct_real *start = ct_quad_of(s->start, p), *goal = ct_quad_of(s->goal, p),
                *move = ct_quad_of(s->move, p);
        ct_real *next = ct_quad_of(s->move_next, p), *place = ct_quad_of(s->place_next, p), force[4];
        ct_real mass = start[3], bound = 1;
        bool is_free = mass > 0, flows = s->matter && s->peri->medium.flows[p];
        ct_real relax = flows ? s->relax : s->relax * (ct_real)s->peri->caution[(size_t)goal[3]];
        if (flows && is_free) bound = CT_FN(ct_medium_force)(s, p, force);
        else if (is_free) bound = ct_bound_of(s, p);
        if (is_free && !flows && bound > 0) CT_FN(ct_peri_force)(s, p, force);
        CT_FOR(a, CT_DIM) {
            if (is_free && bound > 0) {
                ct_real inertia = s->is_position_based ? 0 : goal[a] - move[a];
                ct_real step = (inertia + s->dt2 / mass * force[a]) / bound;
                squares += (double)step * (double)step;
                ct_real old = next[a]; /* the iterate before */
                next[a] = s->omega * (relax * step + move[a] - old) + old;
            } else next[a] = is_free ? move[a] : goal[a];
            place[a] = start[a] + next[a];
        }
        place[3] = s->place[CT_QUAD * p + 3];
    }
    return squares;
}

static void sweep_pieces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t k = begin; k < end; k++)
        s->peri->partial[k] = sweep_particles(s, ct_piece_begin(s, k), ct_piece_begin(s, k + 1));
}

double CT_FN(ct_peri_sweep)(ct_solving *s)
{
    double squares = 0;
    ct_pool_for(s->world->pool, ct_pieces(s), 1, sweep_pieces, s);
    for (size_t k = 0; k < ct_pieces(s); k++) squares += s->peri->partial[k];
    return sqrt(squares / (double)s->world->particles.count);
}
