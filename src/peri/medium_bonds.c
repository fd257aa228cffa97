/* Bonds of the medium where a step begins: how dense it is, what it can bear, how long bonds are at rest. */
#include "peri/medium_kernel.h"

#include "core/symmetric.h"
#include "particles/place.h"

#include <math.h>

/* ---- Density, modulus and yield of a particle --------------------------------------------------------- */

/* Eq. 25 and 26: friction needs contact, water holds on below it. The exponent of Eq. 26 has the sign of a
 * fall; growth ends at e. */
static double modulus_of(const double *k, double density)
{
    double modulus = 0, beyond = density - 1;
    if (beyond >= 0) modulus = k[CT_PERI_FRICTION] * exp(fmin(k[CT_PERI_HARDENING] * beyond, 1));
    if (beyond >= 0) modulus += k[CT_PERI_WATER];
    else if (density >= k[CT_PERI_LETS_GO]) modulus += k[CT_PERI_WATER] * exp(k[CT_PERI_FALLOFF] * beyond);
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
    for (size_t p = begin; p < end; p++)
        if (s->peri->medium.flows[p])
            s->matter[CT_TRIPLE * p + CT_MATTER_DENSITY] = ct_medium_density(s, s->start, p);
}

/* By how much the density around a grain is beyond that at rest, in the mean. A grain at a surface misses
 * neighbours and is not dense itself; it lies on those that are, and rubs on them. (Wet grains there hold on
 * by their water, as long as they do.) */
static double excess_around(const ct_solving *s, size_t p)
{
    const ct_bonds *rows = &s->peri->medium.rows;
    const uint32_t *index = rows->index + p * rows->stride;
    const ct_real *own = s->matter + CT_TRIPLE * p, *start = ct_quad_of(s->start, p);
    const ct_lane none = ct_lane_all(0);
    ct_lane sum = none, weights = none;
    for (uint32_t n = 0, end = ct_row_end(rows, p); n < end; n += CT_LANES) {
        ct_pair pair = ct_pair_read(s, s->start, start, index + n);
        ct_lane other[CT_TRIPLE];
        ct_quads_gather(s->matter + 8, CT_TRIPLE, index + n, other + 8);
        ct_mask counts = pair.is_pair & (other[CT_MATTER_KIND] == own[CT_MATTER_KIND]);
        ct_lane weight = ct_lane_select(counts, ct_lane_max(ct_weight(s, pair.q * pair.q), none), none);
        sum += weight * ct_lane_max(other[CT_MATTER_DENSITY] - 1, none);
        weights += weight;
    }
    double all = (double)ct_lane_sum(weights);
    return all > 0 ? (double)ct_lane_sum(sum) / all : 0;
}

static void weigh_particles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const ct_solving *s = context;
    for (size_t p = begin; p < end; p++) {
        if (!s->peri->medium.flows[p]) continue;
        ct_real *matter = s->matter + CT_TRIPLE * p;
        const double *k = s->world->materials[(size_t)matter[CT_MATTER_KIND]].coefficients;
        double density = (double)matter[CT_MATTER_DENSITY], excess = fmax(density - 1, 0);
        if (density < 1 && k[CT_PERI_FRICTION] > 0 && !(k[CT_PERI_WATER] > 0)) excess = excess_around(s, p);
        double modulus = modulus_of(k, excess > 0 ? 1 + excess : density);
        yield(k, k[CT_PERI_BULK] * excess, modulus, matter);
        matter[CT_MATTER_MODULUS] = (ct_real)modulus;
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

/* Length and stiffness of the bonds of a lane; returns the stiffness, contacts included. */
CT_INLINE ct_lane bind(const ct_solving *s, const ct_real *start, const ct_real *own, bool slips,
                       ct_real inverse_dt, const uint32_t *index, ct_real *length, ct_real *stiffness)
{
    ct_pair pair = ct_pair_read(s, s->start, start, index);
    ct_lane other[CT_TRIPLE] = {0}, E[CT_SYMMETRIC];
    CT_UNROLL(q, 2) ct_quads_gather(s->matter + 4 * q, CT_TRIPLE, index, other + 4 * q);
    other[CT_MATTER_KIND] = ct_lane_all(own[CT_MATTER_KIND]);
    if (s->has_kinds || s->has_dashpots) ct_quads_gather(s->matter + 8, CT_TRIPLE, index, other + 8);
    CT_UNROLL(k, CT_SYMMETRIC) E[k] = other[k] + own[k];
    ct_lane square = pair.q * pair.q, w = ct_lane_max(ct_weight(s, square), ct_lane_all(0));
    w *= other[CT_MATTER_VOLUME] * (own[CT_MATTER_VOLUME] * s->spring);
    w = ct_lane_select(pair.is_pair, w, ct_lane_all(0));
    ct_lane rest2 = ct_lane_max(square - stretch_of(E, pair.Y), (ct_real)0.25 * square);
    rest2 = ct_lane_max(rest2, ct_lane_all(s->least_length * s->least_length));
    ct_mask is_same = other[CT_MATTER_KIND] == own[CT_MATTER_KIND];
    ct_lane modulus = other[CT_MATTER_MODULUS] + own[CT_MATTER_MODULUS];
    modulus = ct_lane_select(is_same, modulus, ct_lane_all(0));
    ct_lane rest = ct_lane_sqrt(rest2), both = w * modulus / rest2;
    if (s->has_dashpots) {
        ct_lane dashpot = w * inverse_dt * (other[CT_MATTER_DASHPOT] + own[CT_MATTER_DASHPOT]) / square;
        rest = both * rest + dashpot * pair.q;
        both += dashpot;
        rest /= ct_lane_select(both > 0, both, ct_lane_all(1));
    }
    rest = ct_lane_select(both > 0, rest, pair.q);
    if (!slips) is_same = ~(is_same | ~is_same);
    ct_lane_store(length, ct_lane_select(is_same, rest, -rest));
    ct_lane_store(stiffness, both);
    ct_mask touches = pair.is_pair & (pair.q < s->contact_length + s->contact_length / 8);
    return both + ct_lane_select(touches, ct_lane_all(CT_CONTACT_SHARE * s->contact), ct_lane_all(0));
}

/* The sum of the stiffness of a particle's bonds, N/m. */
static double bind_particle(const ct_solving *s, size_t p)
{
    const ct_medium *m = &s->peri->medium;
    size_t row = p * m->rows.stride;
    const ct_real *own = s->matter + CT_TRIPLE * p;
    const ct_material *material = &s->world->materials[(size_t)own[CT_MATTER_KIND]];
    ct_real inverse_dt = s->dt > 0 ? (ct_real)(1 / s->dt) : 0;
    ct_lane sum = ct_lane_all(0);
    for (uint32_t n = 0, end = ct_row_end(&m->rows, p); n < end; n += CT_LANES)
        sum +=
            bind(s, ct_quad_of(s->start, p), own, material->model == CT_PERI_GRANULAR, inverse_dt,
                 m->rows.index + row + n, (ct_real *)m->length + row + n, (ct_real *)m->stiffness + row + n);
    return (double)ct_lane_sum(sum);
}

/* The largest bound of each worker's particles: a maximum knows no order. */
static void bind_particles(void *context, size_t begin, size_t end, int worker)
{
    const ct_solving *s = context;
    const ct_medium *m = &s->peri->medium;
    double most = s->peri->workers[worker];
    for (size_t p = begin; p < end; p++) {
        if (!m->flows[p]) continue;
        const ct_real *own = s->matter + CT_TRIPLE * p;
        const double *k = s->world->materials[(size_t)own[CT_MATTER_KIND]].coefficients;
        double mass = fabs((double)s->start[CT_QUAD * p + 3]),
               density = fmax((double)own[CT_MATTER_DENSITY], 1) + 0.1;
        double pressure =
            k[CT_PERI_BULK] * (double)own[CT_MATTER_VOLUME] * m->sums.softest * density * density;
        double all = bind_particle(s, p) + pressure + 4 * (double)s->contact;
        if (all / mass > most) most = all / mass;
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
