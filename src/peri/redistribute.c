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
    ct_real *to, *pull; /* places; tau g, 0 where a particle is no fluid */
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
    return s->peri->common->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]].coefficients;
}

static bool spreads(const spreading *m, size_t p)
{
    return m->s->peri->medium.flows[p] && constants_of(m->s, p)[CT_PERI_DELTA] > 0 &&
           m->turn < constants_of(m->s, p)[CT_PERI_TURNS];
}

/* tau g of a pack, and its own part of the motion, tau H g. */
static void find_pull(const spreading *m, const ct_pack *pack, ct_lane pull[CT_DIM], ct_lane part[CT_DIM])
{
    const ct_solving *s = m->s;
    const ct_lane none = ct_lane_all(0);
    ct_lane own[4], matter[4], slope[CT_DIM], g[CT_DIM], H[CT_SYMMETRIC], squares[CT_SYMMETRIC];
    ct_lane plain = none, plain2 = none, C = none, below = none, outwards = none;
    ct_quads_gather(m->from, CT_QUAD, pack->own, own);
    ct_quads_gather(s->matter + 8, CT_TRIPLE, pack->own, matter);
    CT_UNROLL(a, CT_DIM) g[a] = none;
    CT_UNROLL(k, CT_SYMMETRIC) H[k] = squares[k] = none;
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_pair pair = ct_pair_read(s, m->from, own, pack, n);
        ct_lane near = ct_pair_nearness(s, &pair), inverse = 1 / pair.q;
        ct_lane across = sideways(near), along = 6 * near;
        ct_lane d = along - across, d2 = along * along - across * across, steep = 3 * near * near;
        plain += across;
        plain2 += across * across;
        CT_UNROLL(a, CT_DIM) pair.Y[a] *= inverse;
        CT_UNROLL(a, CT_DIM) {
            g[a] += steep * pair.Y[a]; /* -W' towards the neighbour */
            for (int b = a; b < CT_DIM; b++) {
                ct_lane both = pair.Y[a] * pair.Y[b];
                H[ct_symmetric_index(a, b)] += d * both;
                squares[ct_symmetric_index(a, b)] += d2 * both;
            }
        }
    }
    ct_medium_walls(s, own, slope);
    CT_UNROLL(a, CT_DIM) {
        g[a] += slope[a] / s->inverse_range; /* a wall by its own kernel: about */
        C += g[a] * g[a];
    }
    CT_UNROLL(a, CT_DIM) {
        ct_lane Hg = plain * g[a], Qg = plain2 * g[a];
        CT_UNROLL(b, CT_DIM) {
            Hg += H[ct_symmetric_index(a, b)] * g[b];
            Qg += squares[ct_symmetric_index(a, b)] * g[b];
        }
        part[a] = Hg;
        below += 4 * (Hg * Hg + g[a] * Qg);
        outwards += Hg * g[a];
    }
    ct_lane tau = C / (below + (ct_real)1e-3);
    ct_mask is_surface = matter[CT_MATTER_DENSITY - 8] < SURFACE;
    outwards = ct_lane_select(is_surface, outwards / ct_lane_select(C > 0, C, ct_lane_all(1)), none);
    CT_UNROLL(a, CT_DIM) {
        pull[a] = ct_lane_select(is_surface, none, tau * g[a]);
        part[a] = tau * (part[a] - outwards * g[a]);
    }
}

/* Which of a pack are spread in this turn. */
static ct_mask spreading_of(const spreading *m, const ct_pack *pack)
{
    ct_mask all;
    CT_FOR(l, CT_LANES) all[l] = spreads(m, pack->own[l] / 2) ? -1 : 0;
    return all;
}

static void find_pulls(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(m->s, &m->s->peri->medium.rows, p);
        const ct_mask is_spread = spreading_of(m, &pack);
        ct_lane pull[4] = {0}, part[4] = {0};
        if (ct_mask_any(is_spread)) find_pull(m, &pack, pull, part);
        CT_UNROLL(a, CT_DIM) {
            pull[a] = ct_lane_select(is_spread, pull[a], ct_lane_all(0));
            part[a] = ct_lane_select(is_spread, part[a], ct_lane_all(0));
        }
        ct_quads_put(m->pull + CT_QUAD * p, CT_QUAD, pack.count, pull);
        ct_quads_put(m->to + CT_QUAD * p, CT_QUAD, pack.count, part); /* until the other parts come */
    }
}

/* sum_j H_ij tau_j g_j */
static void add_others(const spreading *m, const ct_pack *pack, const ct_lane own[CT_DIM],
                       ct_lane sum[CT_DIM])
{
    CT_UNROLL(a, CT_DIM) sum[a] = ct_lane_all(0);
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_pair pair = ct_pair_read(m->s, m->from, own, pack, n);
        ct_lane pull[4], near = ct_pair_nearness(m->s, &pair), inverse = 1 / pair.q;
        ct_lane across = sideways(near), along = 6 * near, projected = ct_lane_all(0);
        ct_quads_gather(m->pull, CT_QUAD, pack->index + CT_LANES * n, pull);
        CT_UNROLL(a, CT_DIM) {
            pair.Y[a] *= inverse;
            projected += pull[a] * pair.Y[a];
        }
        projected *= along - across;
        CT_UNROLL(a, CT_DIM) sum[a] += across * pull[a] + projected * pair.Y[a];
    }
}

/* No turn moves a particle farther than a twentieth of the horizon, nor out of the domain. */
static void move_pack(const spreading *m, const ct_pack *pack, ct_mask is_spread, ct_lane from[4],
                      ct_lane to[4])
{
    const ct_solving *s = m->s;
    const ct_lane none = ct_lane_all(0);
    const ct_real range = (ct_real)s->peri->horizon, most = (ct_real)0.05,
                  gap = (ct_real)(0.5 * s->peri->spacing);
    ct_lane others[CT_DIM], square = none, delta = ct_pack_coefficient(s, pack, CT_PERI_DELTA);
    add_others(m, pack, from, others);
    CT_UNROLL(a, CT_DIM) {
        to[a] = delta * (others[a] - to[a]);
        square += to[a] * to[a];
    }
    ct_lane share =
        ct_lane_min(most / ct_lane_sqrt(ct_lane_max(square, ct_lane_all(most * most))), ct_lane_all(1));
    CT_UNROLL(a, CT_DIM) {
        ct_lane by = share * range * to[a], at = from[a] + by;
        if (s->has_walls) {
            ct_mask leaves = (by < 0) & (at < s->wall[2 * a] + gap);
            leaves |= (by > 0) & (at > s->wall[2 * a + 1] - gap);
            by = ct_lane_select(leaves, none, by);
        }
        to[a] = from[a] + ct_lane_select(is_spread, by, none);
    }
}

static void move_fluids(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(m->s, &m->s->peri->medium.rows, p);
        ct_mask is_spread = spreading_of(m, &pack);
        ct_lane from[4], to[4], start[4];
        ct_quads_gather(m->from, CT_QUAD, pack.own, from);
        ct_quads_gather(m->to, CT_QUAD, pack.own, to);
        ct_quads_gather(m->s->start, CT_QUAD, pack.own, start);
        is_spread &= start[3] > 0; /* not held */
        if (ct_mask_any(is_spread)) move_pack(m, &pack, is_spread, from, to);
        else
            CT_UNROLL(a, CT_DIM) to[a] = from[a];
        ct_quads_put(m->to + CT_QUAD * p, CT_QUAD, pack.count, to);
    }
}

static void write_shift(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const spreading *m = context;
    for (size_t i = CT_QUAD * begin; i < CT_QUAD * end; i++)
        m->s->shift[i] = i % CT_QUAD < CT_DIM ? m->from[i] - (m->s->start[i] + m->s->move[i]) : 0;
}

static int most_turns(const ct_peri *peri)
{
    double most = 0;
    for (size_t b = 0; b < peri->common->body_count; b++) {
        const ct_material *material = &peri->common->materials[peri->common->bodies[b].material];
        const double *k = material->coefficients;
        if (material->info->flows && material->model == CT_PERI_VISCOUS && k[CT_PERI_DELTA] > 0)
            most = fmax(most, k[CT_PERI_TURNS]);
    }
    return (int)most;
}

void CT_FN(ct_medium_redistribute)(ct_solving *s)
{
    int turns = most_turns(s->peri);
    size_t count = s->peri->cloud.particles.count;
    if (!turns) return;
    spreading m = {.s = s, .from = s->place, .to = s->place_next, .pull = s->move_next};
    for (; m.turn < turns; m.turn++) {
        ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, find_pulls, &m);
        ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, move_fluids, &m);
        ct_real *next = m.to;
        m.to = (ct_real *)(uintptr_t)m.from;
        m.from = next;
    }
    s->shift = s->press;
    ct_pool_for(s->peri->common->pool, count, CT_PERI_GRAIN, write_shift, &m);
}
