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
        ct_quads_put(ct_quad_of(s->press, p), pack.count, own);
    }
}

void CT_FN(ct_medium_press)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, press_particles, s);
}

/* ---- Force -------------------------------------------------------------------------------------------- */

/* Which bonds slip. */
typedef enum slipping { NO_BONDS, ALL_BONDS, SOME_BONDS } slipping;

CT_INLINE void pull(const ct_solving *s, size_t first, slipping slips, ct_quad force[CT_LANES])
{
    const ct_medium *m = &s->peri->medium;
    const ct_pack pack = ct_pack_at(s, &m->rows, first);
    const ct_real *length = (const ct_real *)m->length + first * m->rows.stride,
                  *stiffness = (const ct_real *)m->stiffness + first * m->rows.stride;
    const ct_lane none = ct_lane_all(0);
    /* a bond slips where it is strained more than this: pressure is the mean of the ends */
    const ct_lane slip = ct_pack_coefficient(s, &pack, CT_PERI_SLIP),
                  rise = ct_pack_coefficient(s, &pack, CT_PERI_SLIP_RISE) * (s->to_pressure / 2);
    ct_lane own[4], sum[4], slope[CT_DIM];
    ct_quads_gather(s->press, CT_QUAD, pack.own, own);
    CT_UNROLL(a, 4) sum[a] = none;
    for (uint32_t n = 0; n < pack.end; n++, length += CT_LANES, stiffness += CT_LANES) {
        ct_read_ahead(length + pack.apart);
        ct_read_ahead(stiffness + pack.apart);
        ct_pair pair = ct_pair_read(s, s->press, own, &pack, n);
        ct_lane rest = ct_lane_load(length), stiff = ct_lane_load(stiffness);
        ct_lane L = slips == ALL_BONDS ? rest : slips == NO_BONDS ? -rest : ct_lane_abs(rest);
        ct_lane both = pair.more + own[3], stretch = pair.q - L;
        if (slips != NO_BONDS) {
            ct_lane most = (slip + rise * both) * L, slipped = ct_lane_max(ct_lane_min(stretch, most), -most);
            stretch = slips == ALL_BONDS ? slipped : ct_lane_select(rest > 0, slipped, stretch);
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
    if (s->has_kinds) pull(s, first, SOME_BONDS, force);
    else if (s->kind->model == CT_PERI_GRANULAR) pull(s, first, ALL_BONDS, force);
    else pull(s, first, NO_BONDS, force);
}
