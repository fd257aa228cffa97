/* Pressures and forces of the medium in an iteration. */
#include "peri/medium_kernel.h"

#include "particles/place.h"

#include <math.h>

/* ---- Pressure ----------------------------------------------------------------------------------------- */

/* P = V p d(rho)/d(sum) 2/r: the force of a pair is P_i + P_j times 1 - q/r. */
static void press_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        const ct_real *place = ct_quad_of(s->place, p);
        ct_real *press = ct_quad_of(s->press, p);
        CT_FOR(a, CT_DIM) press[a] = place[a];
        if (!s->peri->medium.flows[p]) continue;
        const ct_material *material = &s->world->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]];
        ct_real beyond = ct_medium_density(s, s->place, p) - 1;
        ct_real pressure = beyond > 0 ? ct_coefficients(material)[CT_PERI_BULK] * beyond : 0;
        press[3] = pressure * place[3] * place[3] * s->pressing;
    }
}

void CT_FN(ct_medium_press)(ct_solving *s)
{
    ct_pool_for(s->world->pool, s->world->particles.count, CT_PERI_GRAIN, press_particles, s);
}

/* ---- Force -------------------------------------------------------------------------------------------- */

ct_real CT_FN(ct_medium_force)(const ct_solving *s, size_t p, ct_real force[4])
{
    const ct_medium *m = &s->peri->medium;
    size_t row = p * m->rows.stride;
    const uint32_t *index = m->rows.index + row;
    const ct_real *length = (const ct_real *)m->length + row,
                  *stiffness = (const ct_real *)m->stiffness + row;
    const ct_real *own = ct_quad_of(s->press, p);
    const ct_real *k =
        ct_coefficients(&s->world->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]]);
    /* a bond slips where it is strained more than this: pressure is the mean of the ends */
    const ct_real slip = k[CT_PERI_SLIP], rise = k[CT_PERI_SLIP_RISE] * s->to_pressure / 2;
    ct_lane sum[4];
    CT_UNROLL(a, 4) sum[a] = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(&m->rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, s->press, own, index + n);
        ct_lane rest = ct_lane_load(length + n), stiff = ct_lane_load(stiffness + n);
        ct_lane L = ct_lane_abs(rest),
                both = ct_lane_select(pair.is_pair, pair.more + own[3], ct_lane_all(0));
        ct_lane most = (slip + rise * both) * L, stretch = pair.q - L;
        ct_lane slipped = ct_lane_max(ct_lane_min(stretch, most), -most);
        stretch = ct_lane_select(rest > 0, slipped, stretch);
        /* too near: as in contact, only apart */
        ct_lane squeezed = ct_lane_min(pair.q - s->contact_length, ct_lane_all(0));
        squeezed = ct_lane_select(pair.is_pair, squeezed, ct_lane_all(0));
        ct_lane pull = (stiff * stretch + s->contact * squeezed - both * ct_pair_nearness(s, &pair)) / pair.q;
        CT_UNROLL(a, CT_DIM) sum[a] += pull * pair.Y[a];
        sum[3] += stiff + both - squeezed;
    }
    ct_real all[4], slope[CT_DIM];
    ct_lane_sums(sum, all);
    ct_medium_walls(s, own, slope);
    const ct_real half_range = (ct_real)(0.5 * s->peri->horizon);
    CT_FOR(a, CT_DIM) force[a] = all[a] - own[3] * slope[a] * half_range;
    /* what touches nothing is free to move as it likes: its bound is its own */
    return all[3] > 0 || own[3] > 0 ? (ct_real)(1 + s->dt * s->dt * m->bound) : 1;
}
