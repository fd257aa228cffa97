/* What the bonds store, Psi_i = sum_j V_j w_ij (mu (|F_i X|/L - 1)^2 + lambda/2 (|Y|/L - 1)^2), and what
 * follows from their forces. */
#include "peri/bond.h"
#include "peri/step.h"

#include "core/svd.h"
#include "particles/place.h"

#include <math.h>

/* Per undeformed volume. */
static double density_of(const ct_solving *s, size_t p)
{
    ct_bond_end own = ct_bond_end_of(s, p);
    ct_lane sum = ct_lane_all(0);
    for (uint32_t n = 0; n < s->bonds->count[p]; n += CT_LANES) {
        const ct_row_part part = ct_row_read(s->bonds, p, n);
        ct_lane X[4], Y[4], mapped[CT_DIM], square = ct_lane_all(0);
        ct_quads_gather(s->rest, CT_QUAD, part.index, X);
        ct_quads_gather(s->place, CT_QUAD, part.index, Y);
        CT_UNROLL(a, CT_DIM) {
            X[a] -= own.rest[a];
            Y[a] -= own.place[a];
            square += X[a] * X[a];
        }
        CT_UNROLL(a, CT_DIM) {
            mapped[a] = own.F[a][0] * X[0];
            for (int b = 1; b < CT_DIM; b++) mapped[a] += own.F[a][b] * X[b];
        }
        ct_mask is_bond = square > s->least * s->least;
        ct_lane length = ct_lane_sqrt(ct_lane_select(is_bond, square, ct_lane_all(1)));
        ct_lane w = ct_lane_select(is_bond, ct_weight(s, square) * Y[3], ct_lane_all(0));
        ct_lane smooth = ct_lane_sqrt(ct_bond_square(mapped)) / length - 1,
                own_strain = ct_lane_sqrt(ct_bond_square(Y)) / length - 1;
        sum += w * (own.two_mu * smooth * smooth + own.lambda * own_strain * own_strain);
    }
    return 0.5 * (double)(own.stiff * ct_lane_sum(sum));
}

static void add_piece(const ct_solving *s, size_t k)
{
    double *partial = s->peri->partial + 2 * k;
    partial[0] = partial[1] = 0;
    for (size_t p = ct_piece_begin(s, k); p < ct_piece_begin(s, k + 1); p++) {
        const ct_real *start = ct_quad_of(s->start, p), *goal = ct_quad_of(s->goal, p);
        partial[0] += (double)s->place[CT_QUAD * p + 3] * density_of(s, p);
        CT_FOR(a, CT_DIM) {
            double lag = (double)(s->move[CT_QUAD * p + (size_t)a] - goal[a]);
            if (start[3] > 0) partial[1] += 0.5 * (double)start[3] * lag * lag;
        }
    }
}

static void add_pieces(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    for (size_t k = begin; k < end; k++) add_piece(context, k);
}

double CT_FN(ct_peri_objective)(ct_solving *s)
{
    ct_pool_for(s->peri->common->pool, ct_pieces(s), 1, add_pieces, s);
    double stored = 0, lag = 0;
    for (size_t k = 0; k < ct_pieces(s); k++) {
        stored += s->peri->partial[2 * k];
        lag += s->peri->partial[2 * k + 1];
    }
    return stored + lag / (s->dt * s->dt);
}

/* ---- What a step may not gain ------------------------------------------------------------------------- */

/* With the residual r = m (u - u*)/h^2 - f of what iterations have left over, energy grows in a step by at
 * most
 *
 *     sum r.u - m/2 |u/h - v|^2
 *
 * where that of the bonds is convex. Beginning a step with the share of gravity that bore a body in the last
 * one, r points along the motion where iterations are few; of a body that is held (others begin with what
 * their momentum says) the rest is taken from its motion. */
static void find_gains(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    ct_planes planes = ct_planes_of(&s->peri->cloud.particles);
    for (size_t p = begin; p < end; p++) {
        const ct_real *start = ct_quad_of(s->start, p), *goal = ct_quad_of(s->goal, p),
                      *move = ct_quad_of(s->move, p);
        double *gain = s->peri->partial + 2 * p, mass = (double)start[3], inverse = 1 / s->dt;
        const ct_real *force = ct_quad_of(s->force, p);
        gain[0] = gain[1] = 0;
        bool is_touched = s->peri->border.all->collider_count && s->peri->touched[p];
        if (!(mass > 0) || !ct_body_of(s, p)->is_held || ct_is_medium(s->peri, p) || is_touched) continue;
        CT_FOR(a, CT_DIM) {
            double u = (double)move[a], v = u * inverse, change = v - (double)planes.velocity[a][p];
            double residual = mass * (u - (double)goal[a]) * inverse * inverse - (double)force[a];
            gain[0] += residual * u - 0.5 * mass * change * change;
            gain[1] += 0.5 * mass * v * v;
        }
    }
}

void CT_FN(ct_peri_keep_energy)(ct_solving *s)
{
    ct_peri_body *bodies = s->peri->body;
    size_t count = s->peri->cloud.particles.count;
    bool is_any = false;
    for (size_t b = 0; b < s->peri->common->body_count; b++) bodies[b].is_held = false, bodies[b].slowing = 1;
    for (size_t p = 0; p < count; p++)
        if (s->start[CT_QUAD * p + 3] < 0) is_any = bodies[(size_t)s->goal[CT_QUAD * p + 3]].is_held = true;
    bool has_converged = s->peri->residual < s->peri->common->def.peri.tolerance;
    for (size_t b = 0; b < s->peri->common->body_count; b++) bodies[b].is_held &= !bodies[b].is_stiff;
    if (!is_any || !s->peri->has_soft || has_converged || s->is_position_based) return;
    CT_FN(ct_peri_pull)(s);
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, find_gains, s);
    for (size_t b = 0; b < s->peri->common->body_count; b++) bodies[b].gain = bodies[b].kinetic = 0;
    for (size_t p = 0; p < count; p++) {
        ct_peri_body *body = &bodies[(size_t)s->goal[CT_QUAD * p + 3]];
        body->gain += s->peri->partial[2 * p];
        body->kinetic += s->peri->partial[2 * p + 1];
    }
    for (size_t b = 0; b < s->peri->common->body_count; b++)
        if (bodies[b].gain > 0 && bodies[b].kinetic > 0)
            bodies[b].slowing = sqrt(fmax(1 - bodies[b].gain / bodies[b].kinetic, 0));
}

/* ---- Questions ---------------------------------------------------------------------------------------- */

static ct_solving settled(const ct_peri *peri)
{
    return CT_FN(ct_peri_solving)((ct_peri *)(uintptr_t)peri, 0); /* only read */
}

double CT_FN(ct_peri_read_energy)(const ct_peri *peri, size_t p)
{
    ct_solving s = settled(peri);
    if (!peri->is_settled) return NAN;
    return ct_is_medium(peri, p) ? CT_FN(ct_medium_read_energy)(peri, p) : density_of(&s, p);
}

/* The normal of a sheet, and what is across a line, is only turned. */
static void complete(double F[9], int rank)
{
    ct_real small[CT_MATRIX], U[CT_MATRIX], V[CT_MATRIX], sigma[CT_DIM];
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) small[a * CT_DIM + b] = (ct_real)F[3 * a + b];
    CT_FN(ct_svd)(small, U, sigma, V);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            F[3 * a + b] = 0;
            CT_FOR(k, CT_DIM)
                F[3 * a + b] += (double)(U[a * CT_DIM + k] * V[b * CT_DIM + k] * (k < rank ? sigma[k] : 1));
        }
}

/* A particle without bonds is as it was. */
void CT_FN(ct_peri_read_F)(const ct_peri *peri, size_t p, double F[9])
{
    ct_solving s = settled(peri);
    if (peri->is_settled && ct_is_medium(peri, p)) {
        CT_FN(ct_medium_read_F)(peri, p, F);
        return;
    }
    bool is_alone = !peri->is_settled || !(s.inverse[CT_TRIPLE * p + CT_INVERSE_WEIGHT] > 0);
    for (int i = 0; i < 9; i++) F[i] = i % 4 == 0;
    CT_FOR(a, is_alone ? 0 : CT_DIM)
        CT_FOR(b, CT_DIM) F[3 * a + b] = (double)s.frame[CT_FRAME_NUMBERS * p + (size_t)ct_frame_at(a, b)];
    int rank = is_alone ? CT_DIM : (int)s.inverse[CT_TRIPLE * p + CT_INVERSE_RANK];
    if (rank < CT_DIM) complete(F, rank);
}

/* Half of what each bond carries belongs to the particle: sigma = sum_j f_ij Y_ij^T / (2 V J). */
void CT_FN(ct_peri_read_stress)(const ct_peri *peri, size_t p, double stress[9])
{
    ct_solving s = settled(peri);
    if (!peri->is_settled) return;
    if (ct_is_medium(peri, p)) {
        CT_FN(ct_medium_read_stress)(peri, p, stress);
        return;
    }
    ct_bond_end own = ct_bond_end_of(&s, p);
    double F[9], sum[9] = {0};
    for (uint32_t n = 0; n < s.bonds->count[p]; n += CT_LANES) {
        const ct_row_part part = ct_row_read(s.bonds, p, n);
        ct_bond bond;
        ct_bond_read(&s, &own, part.index, &bond);
        CT_FOR(a, CT_DIM)
            CT_FOR(b, CT_DIM) sum[3 * a + b] += (double)ct_lane_sum(bond.force[a] * bond.Y[b]);
    }
    CT_FN(ct_peri_read_F)(peri, p, F);
    double J = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    CT_FOR(a, 3)
        CT_FOR(b, 3)
            stress[3 * a + b] = J > 0 ? (sum[3 * a + b] + sum[3 * b + a]) / (4 * (double)own.volume * J) : 0;
}
