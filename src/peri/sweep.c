/* One iteration of the global step, from the forces of the bonds (local.c) and of the medium.
 *
 * The residual R_i = m_i (u* - u_i) + h^2 sum_j f_ij is divided by the same number, D m_i, for all particles
 * of a body, where D bounds A_ii / m_i. So the masses times the displacements of an iteration add up to the
 * masses times R / D, that is to nothing: linear momentum is kept by every iteration, not only by a converged
 * one. (Dividing by each particle's own A_ii, as the Jacobi iteration of the paper does, is no faster where
 * weights are normalised, and lets momentum drift until it has converged.)
 */
#include "peri/numbers.h"

#include <math.h>

/* The next displacement from the last two; *wish is what the particle would like to add to the last one. */
CT_INLINE ct_quad next_move(const ct_solving *s, size_t p, ct_quad force, ct_quad move, ct_quad old,
                            ct_quad *wish)
{
    ct_quad start = ct_quad_load(ct_quad_of(s->start, p)), goal = ct_quad_load(ct_quad_of(s->goal, p));
    ct_real mass = start[3], relax = s->relax, bound;
    *wish = (ct_quad){0};
    if (!(mass > 0)) return goal; /* held */
    if (s->matter && s->peri->medium.flows[p]) bound = force[3];
    else {
        bound = ct_bound_of(s, p);
        relax *= (ct_real)ct_body_of(s, p)->caution;
        if (!(bound > 0)) return move; /* the position-based way of a particle without bonds */
        force = ct_quad_load(ct_quad_of(s->force, p));
    }
    ct_quad pull = s->dt2 / (mass * bound) * force;
    *wish = s->is_position_based ? pull : pull + (goal - move) / bound;
    return s->omega * (relax * *wish + move - old) + old;
}

/* One piece; returns the sum of squares of the displacements that its particles would like to make. */
static double sweep_particles(const ct_solving *s, size_t begin, size_t end)
{
    double squares = 0;
    ct_quad medium[CT_LANES] = {0};
    for (size_t p = begin; p < end; p++) {
        size_t slot = (p - begin) % CT_LANES;
        if (s->matter && !slot) CT_FN(ct_medium_force)(s, p, medium);
        ct_real *next = ct_quad_of(s->move_next, p), *place = ct_quad_of(s->place_next, p);
        ct_quad wish, move = next_move(s, p, medium[slot], ct_quad_load(ct_quad_of(s->move, p)),
                                       ct_quad_load(next), &wish);
        if (s->peri->is_put_back[p]) ct_free_wish(s, p, &wish);
        CT_UNROLL(a, CT_DIM) squares += (double)wish[a] * (double)wish[a];
        ct_quad_store(next, move);
        ct_quad_store(place, ct_quad_load(ct_quad_of(s->start, p)) + move);
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
    ct_pool_for(s->peri->common->pool, ct_pieces(s), 1, sweep_pieces, s);
    for (size_t k = 0; k < ct_pieces(s); k++) squares += s->peri->partial[k];
    return sqrt(squares / (double)s->peri->cloud.particles.count);
}
