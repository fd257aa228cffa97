/* Fluids spread evenly (Eq. 21 to 24): the gradient of the density, g_i = sum_j grad W, is driven towards 0
 * by Newton's step on C = |g|^2, in units of the horizon. Positions move, velocities do not.
 *
 *     dy_i = -delta [ tau_i H_i g_i - sum_j H_ij tau_j g_j ],   H_ij = W'' n n + W'/q (I - n n)
 *     tau_i = C_i / (|2 H_i g_i|^2 + sum_j |2 H_ij g_i|^2 + eps),  H_i = sum_j H_ij
 *
 * which is half of Newton's step, for all neighbours move at once: with all of it delta = 1 goes too far.
 * (The paper's Eq. 24 as printed moves along grad W, against the gradient of C and without its dimension.) At
 * a surface g is no mistake of the spacing: there particles move along it only, and pull at no others; else
 * a free drop would swell.
 */
#include "peri/medium_kernel.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

typedef struct spreading {
    const ct_solving *s;
    const ct_real *from;
    ct_real *to, *pull; /* places; tau g, 0 where a particle is no fluid; its fourth number: delta */
    int turn;
} spreading;

/* W = (1 - q)^3, q in horizons, as in the paper: W'/q, which is bounded, from 1 - q; W'' is 6 (1 - q). */
CT_INLINE ct_lane sideways(ct_lane near)
{
    return -3 * near * near / ct_lane_max(1 - near, ct_lane_all((ct_real)0.1));
}

static const ct_real SURFACE = (ct_real)0.92; /* density below which it is near; a plane one has 0.8 */

static const double *constants_of(const ct_solving *s, size_t p)
{
    return s->world->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]].coefficients;
}

static bool spreads(const spreading *m, size_t p)
{
    return m->s->peri->medium.flows[p] && constants_of(m->s, p)[CT_PERI_DELTA] > 0 &&
           m->turn < constants_of(m->s, p)[CT_PERI_TURNS];
}

/* tau g of a particle, and its own part of the motion, tau H g. */
static void find_pull(const spreading *m, size_t p, ct_real pull[CT_QUAD], ct_real own_part[CT_DIM])
{
    const ct_solving *s = m->s;
    const ct_bonds *rows = &s->peri->medium.rows;
    const uint32_t *index = rows->index + p * rows->stride;
    const ct_real *own = m->from + CT_QUAD * p;
    enum {
        G,
        PLAIN = CT_DIM,
        PLAIN2,
        H,
        SQUARES = H + CT_SYMMETRIC,
        QUADS = (SQUARES + CT_SYMMETRIC + 3) / 4
    };
    ct_lane part[4 * QUADS];
    CT_UNROLL(k, 4 * QUADS) part[k] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, m->from, own, index + n);
        ct_lane near = ct_pair_nearness(s, &pair), inverse = 1 / pair.q;
        ct_lane across = sideways(near), along = 6 * near;
        ct_lane d = along - across, d2 = along * along - across * across;
        part[PLAIN] += across;
        part[PLAIN2] += across * across;
        CT_UNROLL(a, CT_DIM) {
            ct_lane na = pair.Y[a] * inverse;
            part[G + a] += 3 * near * near * na; /* -W' towards the neighbour */
            for (int b = a; b < CT_DIM; b++) {
                part[H + ct_symmetric_index(a, b)] += d * na * (pair.Y[b] * inverse);
                part[SQUARES + ct_symmetric_index(a, b)] += d2 * na * (pair.Y[b] * inverse);
            }
        }
    }
    ct_real sum[4 * QUADS], g[CT_DIM], slope[CT_DIM], C = 0, below = 0;
    CT_UNROLL(q, QUADS) ct_lane_sums(part + 4 * q, sum + 4 * q);
    ct_medium_walls(s, own, slope);
    CT_FOR(a, CT_DIM) {
        g[a] = sum[G + a] + slope[a] / s->inverse_range; /* a wall by its own kernel: about */
        C += g[a] * g[a];
    }
    CT_FOR(a, CT_DIM) {
        ct_real Hg = sum[PLAIN] * g[a], Qg = sum[PLAIN2] * g[a];
        CT_FOR(b, CT_DIM) {
            Hg += sum[H + ct_symmetric_index(a, b)] * g[b];
            Qg += sum[SQUARES + ct_symmetric_index(a, b)] * g[b];
        }
        own_part[a] = Hg;
        below += 4 * (Hg * Hg + g[a] * Qg);
    }
    ct_real tau = C / (below + (ct_real)1e-3), outwards = 0;
    bool is_surface = s->matter[CT_TRIPLE * p + CT_MATTER_DENSITY] < SURFACE;
    CT_FOR(a, CT_DIM) outwards += own_part[a] * g[a];
    CT_FOR(a, CT_DIM) {
        pull[a] = is_surface ? 0 : tau * g[a];
        own_part[a] = tau * (own_part[a] - (is_surface && C > 0 ? outwards * g[a] / C : 0));
    }
}

static void find_pulls(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t p = begin; p < end; p++) {
        ct_real *pull = m->pull + CT_QUAD * p, *to = m->to + CT_QUAD * p, own_part[CT_DIM] = {0};
        CT_FOR(k, CT_QUAD) pull[k] = 0;
        if (spreads(m, p)) find_pull(m, p, pull, own_part);
        CT_FOR(a, CT_DIM) to[a] = own_part[a]; /* until the other parts come */
    }
}

/* sum_j H_ij tau_j g_j */
static void add_others(const spreading *m, size_t p, ct_real sum[CT_DIM])
{
    const ct_solving *s = m->s;
    const ct_bonds *rows = &s->peri->medium.rows;
    const uint32_t *index = rows->index + p * rows->stride;
    const ct_real *own = m->from + CT_QUAD * p;
    ct_lane parts[4];
    CT_UNROLL(a, 4) parts[a] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, m->from, own, index + n);
        ct_lane pull[4], near = ct_pair_nearness(s, &pair), inverse = 1 / pair.q, projected = ct_lane_all(0);
        ct_lane across = sideways(near), along = 6 * near;
        ct_quads_gather(m->pull, CT_QUAD, index + n, pull);
        CT_UNROLL(a, CT_DIM) projected += pull[a] * pair.Y[a] * inverse;
        CT_UNROLL(a, CT_DIM)
            parts[a] += across * pull[a] + (along - across) * projected * pair.Y[a] * inverse;
    }
    ct_real sums[4];
    ct_lane_sums(parts, sums);
    CT_FOR(a, CT_DIM) sum[a] = sums[a];
}

/* No turn moves a particle farther than a twentieth of the horizon, nor out of the domain. */
static void move_fluid(const spreading *m, size_t p)
{
    const ct_solving *s = m->s;
    const ct_real *from = m->from + CT_QUAD * p;
    ct_real *to = m->to + CT_QUAD * p, others[CT_DIM], step[CT_DIM], square = 0;
    ct_real range = (ct_real)s->peri->horizon, most = (ct_real)0.05,
            gap = (ct_real)(0.5 * s->world->def.spacing);
    add_others(m, p, others);
    CT_FOR(a, CT_DIM) {
        step[a] = -(ct_real)constants_of(s, p)[CT_PERI_DELTA] * (to[a] - others[a]);
        square += step[a] * step[a];
    }
    ct_real share = square > most * most ? most / (ct_real)sqrt((double)square) : 1;
    CT_FOR(a, CT_DIM) {
        ct_real by = share * range * step[a];
        if (s->has_walls && by < 0 && from[a] + by < s->wall[2 * a] + gap) by = 0;
        if (s->has_walls && by > 0 && from[a] + by > s->wall[2 * a + 1] - gap) by = 0;
        to[a] = from[a] + by;
    }
}

static void move_fluids(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t p = begin; p < end; p++) {
        if (spreads(m, p) && m->s->start[CT_QUAD * p + 3] > 0) move_fluid(m, p);
        else
            CT_FOR(a, CT_DIM) m->to[CT_QUAD * p + (size_t)a] = m->from[CT_QUAD * p + (size_t)a];
    }
}

static void write_shift(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t i = CT_QUAD * begin; i < CT_QUAD * end; i++)
        m->s->shift[i] = i % CT_QUAD < CT_DIM ? m->from[i] - (m->s->start[i] + m->s->move[i]) : 0;
}

static int most_turns(const ct_world *world)
{
    double most = 0;
    for (size_t b = 0; b < world->body_count; b++) {
        const ct_material *material = &world->materials[world->bodies[b].material];
        const double *k = material->coefficients;
        if (material->model == CT_PERI_VISCOUS && k[CT_PERI_DELTA] > 0) most = fmax(most, k[CT_PERI_TURNS]);
    }
    return (int)most;
}

void CT_FN(ct_medium_redistribute)(ct_solving *s)
{
    int turns = most_turns(s->world);
    size_t count = s->world->particles.count;
    if (!turns) return;
    spreading m = {.s = s, .from = s->place, .to = s->place_next, .pull = s->move_next};
    for (; m.turn < turns; m.turn++) {
        ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, find_pulls, &m);
        ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, move_fluids, &m);
        ct_real *next = m.to;
        m.to = (ct_real *)(uintptr_t)m.from;
        m.from = next;
    }
    s->shift = s->press;
    ct_pool_for(s->world->pool, count, CT_PERI_GRAIN, write_shift, &m);
}
