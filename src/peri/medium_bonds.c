/* Bonds of the medium where a step begins: how dense it is, what it can bear, how long bonds are at rest. */
#include "peri/medium_kernel.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

/* ---- Density, modulus and yield of a particle --------------------------------------------------------- */

/* Eq. 25 and 26: friction needs contact, `excess` is the density around beyond that at rest; water holds on
 * below it. The exponent of Eq. 26 has the sign of a fall; growth ends at e. */
static double modulus_of(const double *k, double density, double excess)
{
    double modulus = 0;
    if (excess > 0) modulus = k[CT_PERI_FRICTION] * exp(fmin(k[CT_PERI_HARDENING] * excess, 1));
    if (density >= k[CT_PERI_LETS_GO])
        modulus += k[CT_PERI_WATER] * exp(k[CT_PERI_FALLOFF] * fmin(density - 1, 0));
    return modulus;
}

/* Brings the strain back to what the material bears: Drucker and Prager's cone, with the pressure of the
 * density and of the bonds. Bonds of grains slip, so they are not pressed by more than the density says. */
static void yield(const double *k, double pressure, double modulus, ct_real *strain)
{
    double mean = 0, square = 0, two_shear = 2 * k[CT_PERI_SHEAR] * modulus;
    CT_FOR(a, CT_DIM) mean += (double)strain[ct_symmetric_index(a, a)] / CT_DIM;
    CT_FOR(a, CT_DIM) strain[ct_symmetric_index(a, a)] -= (ct_real)mean;
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM) {
            double e = (double)strain[ct_symmetric_index(a, b)];
            square += e * e;
        }
    double tip = modulus > 0 ? CT_DIM * k[CT_PERI_TENSION] / modulus : 0;
    if (k[CT_PERI_FRICTION] > 0) mean = fmax(mean, -pressure / (CT_DIM * k[CT_PERI_BULK]));
    mean = fmin(mean, tip);
    double tension = modulus * mean / CT_DIM - pressure;
    double borne = k[CT_PERI_SLOPE] * (k[CT_PERI_TENSION] - tension) + k[CT_PERI_YIELD];
    double size = two_shear * sqrt(square), share = size > borne ? borne / size : 1;
    if (!(modulus > 0)) share = 0;
    CT_FOR(i, CT_SYMMETRIC) strain[i] *= (ct_real)share;
    CT_FOR(a, CT_DIM) strain[ct_symmetric_index(a, a)] += (ct_real)(modulus > 0 ? mean : 0);
}

static void count_neighbours(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, p);
        ct_lane own[4], place[4];
        ct_quads_gather(s->start, CT_QUAD, pack.own, own);
        ct_quads_gather(s->place, CT_QUAD, pack.own, place);
        own[3] = ct_medium_density(s, s->start, own, place[3], &pack);
        ct_quads_put(ct_quad_of(s->press, p), pack.count, own); /* until the iterations */
        CT_FOR(l, pack.count) s->matter[CT_TRIPLE * (p + (size_t)l) + CT_MATTER_DENSITY] = own[3][l];
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
    ct_quads_gather(s->press, CT_QUAD, pack->own, own); /* y, rho */
    ct_lane sum = ct_lane_max(own[3] - 1, none);
    for (uint32_t n = 0; n < pack->end; n++) {
        ct_pair pair = ct_pair_read(s, s->press, own, pack, n);
        ct_lane weight = ct_pair_weight(s, pair.q * pair.q);
        if (s->has_kinds)
            weight = ct_lane_select(kinds_at(s, pack->index + CT_LANES * n) == kind, weight, none);
        sum += weight * ct_lane_max(pair.more - 1, none);
        weights += weight;
    }
    return sum / weights;
}

static const double *constants_of(const ct_solving *s, size_t p)
{
    return s->world->materials[(size_t)s->matter[CT_TRIPLE * p + CT_MATTER_KIND]].coefficients;
}

/* The strain at which bonds of grains slip within a step, so that an iteration never sees a force that
 * friction cannot bear. Others do not. */
static double slip_of(const double *k, double pressure)
{
    const double never = 1e9;
    return k[CT_PERI_FRICTION] > 0 ? k[CT_PERI_SLIP] + k[CT_PERI_SLIP_RISE] * pressure : never;
}

static void weigh_particle(const ct_solving *s, size_t p, double around)
{
    ct_real *matter = s->matter + CT_TRIPLE * p;
    const double *k = constants_of(s, p);
    double density = (double)matter[CT_MATTER_DENSITY];
    bool is_dry = k[CT_PERI_FRICTION] > 0 && !(k[CT_PERI_WATER] > 0);
    double own = fmax(density - 1, 0), pressure = k[CT_PERI_BULK] * (k[CT_PERI_FRICTION] > 0 ? around : own);
    double modulus = modulus_of(k, density, is_dry ? around : own);
    yield(k, pressure, modulus, matter);
    matter[CT_MATTER_MODULUS] = (ct_real)modulus;
    matter[CT_MATTER_SLIP] = (ct_real)(0.5 * slip_of(k, pressure));
}

static void weigh_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &s->peri->medium.rows, first);
        ct_lane around = s->has_grains ? excess_around(s, &pack) : ct_lane_all(0);
        CT_FOR(l, pack.count)
            if (s->peri->medium.flows[first + (size_t)l])
                weigh_particle(s, first + (size_t)l, (double)around[l]);
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

/* Length and stiffness of the n-th bonds of a pack; returns the stiffness, contacts included. */
CT_INLINE ct_lane bind(const ct_solving *s, const ct_pack *pack, const ct_lane start[CT_DIM],
                       const ct_lane own[CT_TRIPLE], ct_real inverse_dt, uint32_t n, ct_real *length,
                       ct_real *stiffness, ct_real *slip)
{
    const bool reads_all = s->has_kinds || s->has_dashpots || s->has_grains;
    const uint32_t *index = pack->index + CT_LANES * n;
    ct_pair pair = ct_pair_read(s, s->start, start, pack, n);
    ct_lane other[CT_TRIPLE] = {0}, E[CT_SYMMETRIC];
    CT_UNROLL(q, 2) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, index, other + 4 * q);
    if (reads_all) ct_quads_gather(s->matter + 8, CT_TRIPLE, index, other + 8);
    CT_UNROLL(k, CT_SYMMETRIC) E[k] = other[k] + own[k];
    ct_lane square = pair.q * pair.q, w = ct_pair_weight(s, square);
    w *= other[CT_MATTER_VOLUME] * (own[CT_MATTER_VOLUME] * s->spring);
    ct_lane rest2 = ct_lane_max(square - stretch_of(E, pair.Y), (ct_real)0.25 * square);
    rest2 = ct_lane_max(rest2, ct_lane_all(s->least_length * s->least_length));
    ct_lane modulus = other[CT_MATTER_MODULUS] + own[CT_MATTER_MODULUS];
    if (reads_all) {
        ct_mask is_same = other[CT_MATTER_KIND] == own[CT_MATTER_KIND];
        modulus = ct_lane_select(is_same, modulus, ct_lane_all(0));
    }
    ct_lane rest = ct_lane_sqrt(rest2), both = w * modulus / rest2;
    if (s->has_dashpots) {
        ct_lane dashpot = w * inverse_dt * (other[CT_MATTER_DASHPOT] + own[CT_MATTER_DASHPOT]) / square;
        rest = both * rest + dashpot * pair.q;
        both += dashpot;
        rest /= ct_lane_select(both > 0, both, ct_lane_all(1));
    }
    rest = ct_lane_select(both > 0, rest, pair.q);
    ct_lane_store(length, rest);
    if (s->has_grains) ct_lane_store(slip, rest * (other[CT_MATTER_SLIP] + own[CT_MATTER_SLIP]));
    ct_lane_store(stiffness, both);
    ct_mask touches = pair.q < s->contact_length + s->contact_length / 8;
    return both + ct_lane_select(touches, ct_lane_all(CT_CONTACT_SHARE * s->contact), ct_lane_all(0));
}

/* The sums of the stiffness of the bonds of a pack, N/m. */
static ct_lane bind_pack(const ct_solving *s, const ct_pack *pack, size_t first)
{
    const ct_medium *m = &s->peri->medium;
    ct_real *length = (ct_real *)m->length + first * m->rows.stride,
            *stiffness = (ct_real *)m->stiffness + first * m->rows.stride,
            *slip = (ct_real *)m->slip + first * m->rows.stride;
    ct_real inverse_dt = s->dt > 0 ? (ct_real)(1 / s->dt) : 0;
    ct_lane start[4], own[CT_TRIPLE], sum = ct_lane_all(0);
    ct_quads_gather(s->start, CT_QUAD, pack->own, start);
    CT_UNROLL(q, 3) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, pack->own, own + 4 * q);
    for (uint32_t n = 0; n < pack->end; n++, length += CT_LANES, stiffness += CT_LANES, slip += CT_LANES)
        sum += bind(s, pack, start, own, inverse_dt, n, length, stiffness, slip);
    return sum;
}

/* The largest bound of each worker's particles: a maximum knows no order. */
static void bind_particles(void *context, size_t begin, size_t end, int worker)
{
    const ct_solving *s = context;
    const ct_medium *m = &s->peri->medium;
    double most = s->peri->workers[worker];
    for (size_t first = begin; first < end; first += CT_LANES) {
        const ct_pack pack = ct_pack_at(s, &m->rows, first);
        ct_lane bonds = bind_pack(s, &pack, first);
        CT_FOR(l, pack.count) {
            size_t p = first + (size_t)l;
            if (!m->flows[p]) continue;
            const ct_real *own = s->matter + CT_TRIPLE * p;
            double mass = fabs((double)s->start[CT_QUAD * p + 3]),
                   density = fmax((double)own[CT_MATTER_DENSITY], 1) + 0.1;
            double pressure = constants_of(s, p)[CT_PERI_BULK] * (double)own[CT_MATTER_VOLUME] *
                              m->sums.softest * density * density;
            double all = (double)bonds[l] + pressure + 4 * (double)s->contact;
            if (all / mass > most) most = all / mass;
        }
    }
    s->peri->workers[worker] = most; /* once: workers' numbers lie side by side */
}

void CT_FN(ct_medium_bind)(ct_solving *s)
{
    ct_world *world = s->world;
    ct_medium *m = &s->peri->medium;
    int threads = ct_pool_size(world->pool);
    ct_pool_for(world->pool, world->particles.count, CT_PERI_GRAIN, count_neighbours, s);
    ct_pool_for(world->pool, world->particles.count, CT_PERI_GRAIN, weigh_particles, s);
    CT_FOR(t, threads) s->peri->workers[t] = 0;
    ct_pool_for(world->pool, world->particles.count, CT_PERI_GRAIN, bind_particles, s);
    m->bound = 0;
    CT_FOR(t, threads) m->bound = fmax(m->bound, s->peri->workers[t]);
}
