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
                            ct_quad *wish, ct_real *bound_of)
{
    ct_quad start = ct_quad_load(ct_quad_of(s->start, p)), goal = ct_quad_load(ct_quad_of(s->goal, p));
    ct_real mass = start[3], relax = s->relax, bound;
    *wish = (ct_quad){0};
    *bound_of = 0;
    if (!(mass > 0)) return goal; /* held */
    if (s->matter && s->peri->medium.flows[p]) bound = force[3];
    else {
        bound = ct_bound_of(s, p);
        if (ct_body_of(s, p)->is_stiff) return move; /* newton.h */
        relax *= (ct_real)ct_body_of(s, p)->caution;
        if (!(bound > 0)) return move; /* the position-based way of a particle without bonds */
        force = ct_quad_load(ct_quad_of(s->force, p));
    }
    *bound_of = bound;
    ct_quad pull = s->dt2 / (mass * bound) * force;
    *wish = s->is_position_based ? pull : pull + (goal - move) / bound;
    return s->omega * (relax * *wish + move - old) + old;
}

/* Sums over particles: the displacements that they would like to make; and of what moves them, in kg^2 m^2,
 * what their equations lack, the change of motion, and their weight. */
typedef struct sums {
    double wishes, left, inertia, weight;
} sums;

/* Forces of float are good to this part of D m and the distance from the anchor. */
static const double ROUNDING = sizeof(ct_real) == 4 ? 6e-8 : 1e-16;

CT_INLINE void add_particle(const ct_solving *s, size_t p, ct_quad wish, ct_real bound, ct_quad move,
                            sums *sum)
{
    double wished = 0, changed = 0, far = 0, mass = (double)s->start[CT_QUAD * p + 3];
    ct_quad goal = ct_quad_load(ct_quad_of(s->goal, p)), place = ct_quad_load(ct_quad_of(s->place, p));
    CT_UNROLL(a, CT_DIM) {
        double change = (double)(move[a] - goal[a]) + s->fall[a];
        wished += (double)wish[a] * (double)wish[a];
        changed += change * change;
        far += (double)place[a] * (double)place[a];
    }
    sum->wishes += wished;
    if (!(mass > 0)) return;
    double rounding = 100 * ROUNDING * fmin((double)bound, CT_STIFF_AT);
    sum->left += mass * mass * (double)bound * (double)bound * wished;
    sum->inertia += mass * mass * changed;
    sum->weight += mass * mass * (s->fall_square + rounding * rounding * far);
}

/* One piece. */
static sums sweep_particles(const ct_solving *s, size_t begin, size_t end)
{
    sums sum = {0};
    ct_quad medium[CT_LANES] = {0};
    for (size_t p = begin; p < end; p++) {
        size_t slot = (p - begin) % CT_LANES;
        if (s->matter && !slot) CT_FN(ct_medium_force)(s, p, medium);
        ct_real *next = ct_quad_of(s->move_next, p), *place = ct_quad_of(s->place_next, p), bound = 0;
        ct_quad wish, before = ct_quad_load(ct_quad_of(s->move, p));
        ct_quad move = next_move(s, p, medium[slot], before, ct_quad_load(next), &wish, &bound);
        if (s->peri->is_put_back[p]) ct_free_wish(s, p, &wish);
        add_particle(s, p, wish, bound, before, &sum);
        ct_quad_store(next, move);
        ct_quad_store(place, ct_quad_load(ct_quad_of(s->start, p)) + move);
        place[3] = s->place[CT_QUAD * p + 3];
    }
    return sum;
}

static void sweep_pieces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t k = begin; k < end; k++)
        ((sums *)s->peri->partial)[k] = sweep_particles(s, ct_piece_begin(s, k), ct_piece_begin(s, k + 1));
}

double CT_FN(ct_peri_sweep)(ct_solving *s)
{
    ct_peri *peri = s->peri;
    sums all = {0};
    ct_pool_for(peri->common->pool, ct_pieces(s), 1, sweep_pieces, s);
    for (size_t k = 0; k < ct_pieces(s); k++) {
        const sums *one = (const sums *)peri->partial + k;
        all.wishes += one->wishes;
        all.left += one->left;
        all.inertia += one->inertia;
        all.weight += one->weight;
    }
    peri->left = all.left, peri->inertia = all.inertia, peri->weight = all.weight;
    return sqrt(all.wishes / (double)peri->cloud.particles.count);
}
