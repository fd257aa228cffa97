/* Bonds of the medium where a step begins: how dense it is, what it can bear, how long bonds are at rest. */
#include "core/reduce.h"
#include "peri/medium_kernel.h"

#include "core/math_lanes.h"
#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

/* ---- Density, modulus and yield of a particle --------------------------------------------------------- */

static void find_densities(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, p);
        ct_lane own[4], place[4];
        ct_quads_gather(s->start, CT_QUAD, pack.own, own);
        ct_quads_gather(s->place, CT_QUAD, pack.own, place);
        ct_lane density = ct_medium_density(s, s->start, own, place[3], &pack);
        CT_FOR(l, pack.count) s->matter[CT_TRIPLE * (p + (size_t)l) + CT_MATTER_DENSITY] = density[l];
        own[3] = ct_lane_max(density - 1, ct_lane_all(0));
        ct_quads_put(ct_quad_of(s->press, p), CT_QUAD, pack.count, own); /* both until the iterations */
        own[3] = place[3];
        ct_quads_put(ct_quad_of(s->place_next, p), CT_QUAD, pack.count, own);
    }
}

/* Of which materials neighbours are. No more is read of them: the rest is written at this time. */
static ct_lane kinds_at(const ct_solving *s, const uint32_t index[CT_LANES])
{
    ct_real kind[CT_LANES];
    CT_FOR(l, CT_LANES) kind[l] = s->matter[CT_TRIPLE * (size_t)(index[l] / 2) + CT_MATTER_KIND];
    return ct_lane_load(kind);
}

/* By how much the density around particles is beyond that at rest, in the mean, themselves included: what the
 * friction of grains goes by. A grain by itself knows its pressure badly. Where the lattice is gone a third
 * of them have none at a time, others have more, and strain that is cut back wherever pressure is gone for a
 * step keeps half of its strength; at a surface grains miss neighbours, and lie on those that are pressed.
 * (How stiff wet grains are goes by their own density: where it falls, water lets go of them.) */
static ct_lane excess_around(const ct_solving *s, const ct_pack *pack)
{
    const ct_lane none = ct_lane_all(0);
    const ct_lane kind = kinds_at(s, pack->own);
    ct_lane own[4], weights = ct_lane_all(1);
    ct_quads_gather(s->press, CT_QUAD, pack->own, own); /* y, excess */
    ct_lane sum = own[3];
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_pair pair = ct_pair_read(s, s->press, own, pack, n);
        ct_lane weight = ct_pair_weight(s, pair.square);
        if (s->has_kinds)
            weight = ct_lane_select(kinds_at(s, pack->index + CT_LANES * n) == kind, weight, none);
        sum += weight * pair.more;
        weights += weight;
    }
    return sum / weights;
}

/* Eq. 25 and 26: friction needs contact, a density beyond that at rest: of dry grains the one around them;
 * water holds on below it. The exponent of Eq. 26 has the sign of a fall; growth ends at e. */
static ct_lane modulus_of(const ct_solving *s, const ct_pack *pack, ct_lane density, ct_lane around)
{
    const ct_lane none = ct_lane_all(0), beyond = density - 1;
    ct_lane water = ct_pack_coefficient(s, pack, CT_PERI_WATER);
    const ct_lane excess = ct_lane_select(ct_pack_has(s, pack, CT_PERI_WATER), beyond, around);
    ct_lane growth = ct_lane_min(ct_pack_coefficient(s, pack, CT_PERI_HARDENING) * excess, ct_lane_all(1));
    ct_lane friction = ct_pack_coefficient(s, pack, CT_PERI_FRICTION) * ct_lane_exp(growth);
    water *= ct_lane_exp(ct_pack_coefficient(s, pack, CT_PERI_FALLOFF) * ct_lane_min(beyond, none));
    return ct_lane_select(excess > 0, friction, none) +
           ct_lane_select(density >= ct_pack_coefficient(s, pack, CT_PERI_LETS_GO), water, none);
}

/* Brings the strain back to what the material bears: Drucker and Prager's cone, with the pressure of the
 * density and of the bonds. Bonds of grains slip, so they are not pressed by more than the density says. What
 * has no modulus has no strain. */
static void yield(const ct_solving *s, const ct_pack *pack, ct_lane pressure, ct_lane modulus,
                  ct_lane E[CT_SYMMETRIC])
{
    const ct_lane none = ct_lane_all(0), one = ct_lane_all(1);
    const ct_lane bulk = ct_pack_coefficient(s, pack, CT_PERI_BULK),
                  strength = ct_pack_coefficient(s, pack, CT_PERI_TENSION);
    const ct_mask bears = modulus > 0, rubs = ct_pack_has(s, pack, CT_PERI_FRICTION);
    ct_lane mean = none, square = none;
    CT_UNROLL(a, CT_DIM) mean += E[ct_symmetric_index(a, a)] / CT_DIM;
    CT_UNROLL(a, CT_DIM) E[ct_symmetric_index(a, a)] -= mean;
    CT_UNROLL(a, CT_DIM)
        CT_UNROLL(b, CT_DIM) square += E[ct_symmetric_index(a, b)] * E[ct_symmetric_index(a, b)];
    ct_lane least = -pressure / (CT_DIM * ct_lane_select(rubs, bulk, one));
    mean = ct_lane_select(rubs, ct_lane_max(mean, least), mean);
    mean = ct_lane_min(mean, CT_DIM * strength / ct_lane_select(bears, modulus, one));
    ct_lane tension = modulus * mean / CT_DIM - pressure;
    ct_lane borne = ct_pack_coefficient(s, pack, CT_PERI_SLOPE) * ct_lane_max(strength - tension, none) +
                    ct_pack_coefficient(s, pack, CT_PERI_YIELD);
    ct_lane size = 2 * ct_pack_coefficient(s, pack, CT_PERI_SHEAR) * modulus * ct_lane_sqrt(square);
    ct_lane share = ct_lane_select(size > borne, borne, one) / ct_lane_select(size > borne, size, one);
    CT_UNROLL(k, CT_SYMMETRIC) E[k] *= share;
    CT_UNROLL(a, CT_DIM) E[ct_symmetric_index(a, a)] += mean;
    CT_UNROLL(k, CT_SYMMETRIC) E[k] = ct_lane_select(bears, E[k], none);
}

/* The strain at which bonds of grains slip within a step, so that an iteration never sees a force that
 * friction cannot bear. Others do not. */
static ct_lane slip_of(const ct_solving *s, const ct_pack *pack, ct_mask rubs, ct_lane pressure)
{
    const ct_lane never = ct_lane_all((ct_real)1e9);
    return ct_lane_select(rubs,
                          ct_pack_coefficient(s, pack, CT_PERI_SLIP) +
                              ct_pack_coefficient(s, pack, CT_PERI_SLIP_RISE) * pressure,
                          never);
}

static void weigh_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    const ct_lane none = ct_lane_all(0);
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, first);
        ct_lane around = s->has_grains ? excess_around(s, &pack) : none, matter[CT_TRIPLE];
        CT_UNROLL(q, 3) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, pack.own, matter + 4 * q);
        const ct_lane density = matter[CT_MATTER_DENSITY], own = ct_lane_max(density - 1, none);
        const ct_mask flows = matter[CT_MATTER_VOLUME] > 0, rubs = ct_pack_has(s, &pack, CT_PERI_FRICTION);
        ct_lane pressure = ct_pack_coefficient(s, &pack, CT_PERI_BULK) * ct_lane_select(rubs, around, own);
        ct_lane modulus = modulus_of(s, &pack, density, around);
        modulus = ct_lane_select(flows, modulus, none);
        yield(s, &pack, pressure, modulus, matter);
        matter[CT_MATTER_MODULUS] = modulus;
        matter[CT_MATTER_SLIP] = (ct_real)0.5 * slip_of(s, &pack, rubs, pressure);
        CT_UNROLL(q, 2)
            ct_quads_put(s->matter + CT_TRIPLE * first + 4 * q, CT_TRIPLE, pack.count, matter + 4 * q);
    }
}

/* ---- Bonds -------------------------------------------------------------------------------------------- */

/* Y E Y */
CT_INLINE ct_lane stretch_of(const ct_lane E[CT_SYMMETRIC], const ct_lane Y[CT_DIM])
{
    ct_lane sum = ct_lane_all(0);
    CT_UNROLL(a, CT_DIM) {
        ct_lane row = E[ct_symmetric_index(a, 0)] * Y[0];
        for (int b = 1; b < CT_DIM; b++) row += E[ct_symmetric_index(a, b)] * Y[b];
        sum += row * Y[a];
    }
    return sum;
}

/* What touches, or may in this step, counts for the bound by 1.5: pairs in contact may alternate. */
#define CT_CONTACT_SHARE ((ct_real)1.5)

/* Lengths and stiffness of the bonds of a pack; returns the sums of the stiffness, contacts included, N/m.
 * `differs`: their materials may differ, or have dashpots. */
CT_INLINE ct_lane bind(const ct_solving *s, const ct_pack *pack, size_t first, const ct_lane own[CT_TRIPLE],
                       bool differs)
{
    /* all in variables of its own: what is stored might else have changed it */
    const ct_medium *m = &s->peri->medium;
    const ct_real *places = s->place_next, *matters = s->matter; /* y, V */
    const bool slips = s->has_grains, has_dashpots = s->has_dashpots;
    const ct_real inverse_dt = s->dt > 0 ? (ct_real)(1 / s->dt) : 0,
                  reach = s->contact_length + s->contact_length / 8;
    const ct_lane none = ct_lane_all(0), shortest = ct_lane_all(s->least_length * s->least_length),
                  contact = ct_lane_all(CT_CONTACT_SHARE * s->contact),
                  volume = own[CT_MATTER_VOLUME] * s->spring;
    const uint32_t *index = pack->index;
    ct_real *length = (ct_real *)m->length + first * m->rows.stride,
            *stiffness = (ct_real *)m->stiffness + first * m->rows.stride,
            *slip = (ct_real *)m->slip + first * m->rows.stride;
    ct_lane start[4], sum = none;
    ct_quads_gather(places, CT_QUAD, pack->own, start);
    for (uint32_t n = 0; n < pack->end; n++, index += CT_LANES) {
        ct_pair pair = ct_pair_read(s, places, start, pack, n);
        ct_lane other[CT_TRIPLE], E[CT_SYMMETRIC], square = pair.square;
        CT_UNROLL(q, 2) ct_quads_gather(matters + 4 * q, CT_TRIPLE, index, other + 4 * q);
        if (differs) ct_quads_gather(matters + 8, CT_TRIPLE, index, other + 8);
        CT_UNROLL(k, CT_SYMMETRIC) E[k] = other[k] + own[k];
        ct_lane w = ct_pair_weight(s, square) * pair.more * volume;
        ct_lane rest2 = ct_lane_max(square - stretch_of(E, pair.Y), (ct_real)0.25 * square);
        rest2 = ct_lane_max(rest2, shortest);
        ct_lane modulus = other[CT_MATTER_MODULUS] + own[CT_MATTER_MODULUS];
        if (differs) modulus = ct_lane_select(other[CT_MATTER_KIND] == own[CT_MATTER_KIND], modulus, none);
        ct_lane rest = ct_lane_sqrt(rest2), both = w * modulus / rest2;
        if (differs && has_dashpots) {
            ct_lane dashpot = w * inverse_dt * (other[CT_MATTER_DASHPOT] + own[CT_MATTER_DASHPOT]) / square;
            rest = both * rest + dashpot * pair.q;
            both += dashpot;
            rest /= ct_lane_select(both > 0, both, ct_lane_all(1));
        }
        ct_lane_store(length + CT_LANES * n, rest);
        if (slips) ct_lane_store(slip + CT_LANES * n, rest * (other[CT_MATTER_SLIP] + own[CT_MATTER_SLIP]));
        ct_lane_store(stiffness + CT_LANES * n, both);
        sum += both + ct_lane_select(square < reach * reach, contact, none);
    }
    return sum;
}

/* The largest bound of each worker's particles: a maximum knows no order. */
static void bind_particles(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    double *bound = result;
    const ct_solving *s = context;
    const ct_medium *m = &s->peri->medium;
    const ct_lane none = ct_lane_all(0), one = ct_lane_all(1);
    ct_real most = (ct_real)*bound;
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &m->rows, first);
        ct_lane own[CT_TRIPLE], start[4];
        CT_UNROLL(q, 3) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, pack.own, own + 4 * q);
        ct_quads_gather(s->start, CT_QUAD, pack.own, start);
        ct_lane all = s->has_kinds || s->has_dashpots ? bind(s, &pack, first, own, true)
                                                      : bind(s, &pack, first, own, false);
        ct_lane density = ct_lane_max(own[CT_MATTER_DENSITY], one) + (ct_real)0.1;
        all += ct_pack_coefficient(s, &pack, CT_PERI_BULK) * own[CT_MATTER_VOLUME] *
               (ct_real)m->sums.softest * density * density;
        all = (all + 4 * s->contact) / ct_lane_abs(start[3]);
        most = ct_lane_highest_of(ct_lane_select(own[CT_MATTER_VOLUME] > 0, all, none), pack.count, most);
    }
    *bound = (double)most;
}

void CT_FN(ct_medium_bind)(ct_solving *s)
{
    ct_peri *peri = s->peri;
    ct_medium *m = &s->peri->medium;
    ct_pool_for(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, find_densities, s);
    ct_pool_for(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, weigh_particles, s);
    m->bound = 0;
    ct_reduce(peri->common->pool, peri->cloud.particles.count, CT_PERI_GRAIN, bind_particles, s, ct_fold_max,
              &m->bound, sizeof m->bound);
}
