/* Pressures and forces of the medium in an iteration. */
#include "peri/medium_kernel.h"

/* ---- Pressure ----------------------------------------------------------------------------------------- */

/* P = V p d(rho)/d(sum) 2/r: the force of a pair is P_i + P_j times 1 - q/r. */
static void press_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, p);
        ct_lane own[4];
        ct_quads_gather(s->place, CT_QUAD, pack.own, own);
        ct_lane beyond = ct_lane_max(ct_medium_density(s, s->place, own, own[3], &pack) - 1, ct_lane_all(0));
        own[3] *= ct_pack_coefficient(s, &pack, CT_PERI_BULK) * beyond * own[3] * s->pressing;
        ct_quads_put(ct_quad_of(s->press, p), CT_QUAD, pack.count, own);
    }
}

void CT_FN(ct_medium_press)(ct_solving *s)
{
    ct_pool_for(s->peri->common->pool, s->peri->cloud.particles.count, CT_PERI_GRAIN, press_particles, s);
}

/* ---- Force -------------------------------------------------------------------------------------------- */

CT_INLINE void pull(const ct_solving *s, size_t first, bool slips, ct_quad force[CT_LANES])
{
    const ct_medium *m = &s->peri->medium;
    const ct_pack pack = ct_pack_at(s, &m->rows, first);
    const ct_real *length = (const ct_real *)m->length + first * m->rows.stride,
                  *stiffness = (const ct_real *)m->stiffness + first * m->rows.stride,
                  *slip = (const ct_real *)m->slip + first * m->rows.stride;
    const ct_lane none = ct_lane_all(0);
    ct_lane own[4], sum[4], slope[CT_DIM];
    ct_quads_gather(s->press, CT_QUAD, pack.own, own);
    CT_UNROLL(a, 4) sum[a] = none;
    for (uint32_t n = 0; n < pack.end; n++, length += CT_LANES, stiffness += CT_LANES, slip += CT_LANES) {
        ct_read_ahead(length + pack.ahead);
        ct_read_ahead(stiffness + pack.ahead);
        ct_pair pair = ct_pair_read(s, s->press, own, &pack, n);
        ct_lane stretch = pair.q - ct_lane_load(length), stiff = ct_lane_load(stiffness);
        ct_lane both = pair.more + own[3];
        if (slips) {
            const ct_lane most = ct_lane_load(slip);
            ct_read_ahead(slip + pack.ahead);
            stretch = ct_lane_max(ct_lane_min(stretch, most), -most);
        }
        /* too near: as in contact, only apart */
        ct_lane squeezed = ct_lane_min(pair.q - s->contact_length, none);
        ct_lane pull = (stiff * stretch + s->contact * squeezed - both * ct_pair_nearness(s, &pair)) / pair.q;
        CT_UNROLL(a, CT_DIM) sum[a] += pull * pair.Y[a];
        sum[3] += stiff + both - squeezed;
    }
    ct_medium_walls(s, own, slope);
    CT_UNROLL(a, CT_DIM) sum[a] -= own[3] * slope[a] * (ct_real)(0.5 * s->peri->horizon);
    /* what touches nothing is free to move as it likes: its bound is its own */
    sum[3] = 1 + ct_lane_select((sum[3] > 0) | (own[3] > 0), ct_lane_all((ct_real)(s->dt * s->dt * m->bound)),
                                none);
    ct_quads_of_lanes(sum, force);
}

void CT_FN(ct_medium_force)(const ct_solving *s, size_t first, ct_quad force[CT_LANES])
{
    if (s->has_grains) pull(s, first, true, force);
    else pull(s, first, false, force);
}
