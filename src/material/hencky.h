/* The energy of St. Venant and Kirchhoff in Hencky's (logarithmic) strain, and return mappings on it, shared
 * by hencky, drucker_prager and von_mises:
 *
 *     eps = ln(F F^T) / 2 = U diag(ln sigma) U^T
 *     psi = mu eps:eps + lambda/2 tr(eps)^2          tau = 2 mu eps + lambda tr(eps) I
 *
 * A yield condition that asks for the trace of eps and the length n of its deviator only moves eps radially:
 * eps' = s dev(eps) + tr'/d I. Both strains have the same axes, so F' = exp(eps' - eps) F, and neither
 * logarithm nor exponential needs an SVD (core/isotropic.h) but in the slots whose shape is very far from
 * that at rest, and in inverted ones.
 */
#ifndef CT_MATERIAL_HENCKY_H
#define CT_MATERIAL_HENCKY_H

#include "core/isotropic.h"
#include "material/principal.h"

typedef struct ct_hencky {
    ct_lane trace;            /* of eps */
    ct_lane square;           /* n^2 = |dev(eps)|^2 */
    ct_split split;           /* of F F^T */
    ct_lane deviator[CT_DIM]; /* dev(eps) as a series in split.Y */
    ct_mask near;             /* elsewhere nothing here has a meaning: see ct_hencky_far */
} ct_hencky;

/* The same by the SVD, for any F: principal values of dev(eps) are in `along`, the largest first. */
typedef struct ct_hencky_far {
    ct_lane trace, square, along[CT_DIM];
    ct_decomposed parts;
} ct_hencky_far;

/* |dev(eps)|^2 from the series: tr Y^2 = 2 p, tr Y^3 = 3 q, tr Y^4 = 2 p^2. */
CT_INLINE ct_lane ct_hencky_square(const ct_split *s, const ct_lane d[CT_DIM])
{
    ct_lane p = s->p, square = 2 * p * d[1] * d[1];
    if (CT_DIM == 2) return square;
    ct_lane d2 = d[CT_DIM - 1];
    return square + d2 * (6 * s->q * d[1] + (ct_real)(2.0 / 3) * p * p * d2);
}

/* F F^T, and where the series hold. */
CT_INLINE void ct_hencky_split(const ct_lane F[CT_MATRIX], ct_hencky *h)
{
    const ct_real least = (ct_real)0.5, most = 2; /* of m: what ct_lane_log1p can do */
    ct_lane X[CT_SYMMETRIC];
    ct_symmetric_left(F, X);
    ct_split_make(X, least, most, &h->split);
    h->near = h->split.near & (ct_determinant(F) > 0);
}

/* From ln(I + Y) / 2: its deviator, and with ln m / 2 the trace. */
CT_INLINE void ct_hencky_parts(ct_hencky *h)
{
    ct_lane *d = h->deviator;
    ct_lane even = CT_DIM == 3 ? (ct_real)(2.0 / 3) * h->split.p * d[CT_DIM - 1] : ct_lane_all(0);
    h->trace = CT_DIM * ((d[0] + even) + (ct_real)0.5 * ct_lane_log1p(h->split.beyond));
    d[0] = -even;
    h->square = ct_hencky_square(&h->split, d);
}

/* The strains of a batch, in three loops (CT_GROUPS). */
CT_INLINE void ct_hencky_strains(const ct_matter *matter, int count, ct_hencky strain[CT_GROUPS])
{
    int groups = (count + CT_LANES - 1) / CT_LANES;
    CT_FOR(g, groups) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, g * CT_LANES, F);
        ct_hencky_split(F, &strain[g]);
    }
    CT_FOR(g, groups) ct_series_half_log(&strain[g].split, strain[g].deviator);
    CT_FOR(g, groups) ct_hencky_parts(&strain[g]);
}

static inline void ct_hencky_strain_far(const ct_lane F[CT_MATRIX], ct_hencky_far *h)
{
    h->trace = h->square = ct_lane_all(0);
    ct_decompose(F, &h->parts);
    CT_FOR(a, CT_DIM) h->trace += h->along[a] = ct_lane_log(h->parts.sigma[a]);
    CT_FOR(a, CT_DIM) {
        h->along[a] -= h->trace * (ct_real)(1.0 / CT_DIM);
        h->square += h->along[a] * h->along[a];
    }
}

/* det dev(eps) from the series, as the product of d_1 y + d_2 (y^2 - 2 p/3) over the eigenvalues y of Y. */
CT_INLINE ct_lane ct_hencky_determinant(const ct_hencky *h)
{
    if (CT_DIM == 2) return ct_lane_all(0);
    ct_lane p = h->split.p, q = h->split.q, d1 = h->deviator[1], d2 = h->deviator[CT_DIM - 1];
    ct_lane last = (q * q - (ct_real)(2.0 / 27) * p * p * p) * d2;
    return ((q * d1 + (ct_real)(2.0 / 3) * p * p * d2) * d1 + p * q * d2 * d2) * d1 + last * d2 * d2;
}

/* exp(eps' - eps) where eps' = s dev(eps) + after/d I, as a series in Y: the exponential of W = (s - 1)
 * dev(eps) as a series in W, and that as one in Y. */
CT_INLINE void ct_hencky_flow(const ct_hencky *h, ct_lane s, ct_lane after, ct_lane c[CT_DIM])
{
    ct_lane squared[CT_DIM], e[CT_DIM], less = s - 1, less2 = less * less;
    ct_series_square(h->split.p, h->split.q, h->deviator, squared);
    ct_series_exp((ct_real)0.5 * less2 * h->square, less2 * less * ct_hencky_determinant(h), e);
    e[1] *= less;
    if (CT_DIM == 3) e[CT_DIM - 1] *= less2;
    CT_FOR(k, CT_DIM) {
        c[k] = e[1] * h->deviator[k];
        if (CT_DIM == 3) c[k] += e[CT_DIM - 1] * squared[k];
    }
    c[0] += 1 + e[0];
    if (ct_mask_any(h->near & (after != h->trace))) {
        ct_lane grow = ct_lane_exp((after - h->trace) * (ct_real)(1.0 / CT_DIM)); /* 1 where they are equal */
        CT_FOR(k, CT_DIM) c[k] *= grow;
    }
}

/* The largest wave modulus for principal strains between `low` and `high` with the sum t: longitudinal
 * 2 mu (1 - eps_a) + lambda (1 - t), transversal mu z / (1 - e^-z) with z = 2 (eps_b - eps_a), of which the
 * first terms of the series are never below. */
static inline ct_lane ct_hencky_modulus(ct_real mu, ct_real lambda, ct_lane t, ct_lane low, ct_lane high)
{
    ct_lane z = 2 * (high - low), along = 2 * mu * (1 - low) + lambda * (1 - t);
    ct_lane across = mu * (1 + z * ((ct_real)0.5 + z * (ct_real)(1.0 / 12)));
    return ct_lane_max(ct_lane_max(along, across), ct_lane_all(0));
}

/* The largest modulus of the first `count` slots after the flow, and of `largest`, or anything less where
 * none reaches `enough`: first from |dev eps|, then, if that may exceed, from the principal strains. */
CT_INLINE ct_real ct_hencky_loudest(const ct_real *k, const ct_hencky *h, ct_lane n, ct_lane s, ct_lane after,
                                    int count, ct_real enough, ct_real largest)
{
    const ct_real most = CT_DIM == 2 ? (ct_real)0.70710678118654752 : (ct_real)0.81649658092772603;
    ct_lane third = after * (ct_real)(1.0 / CT_DIM), reach = s * n * most; /* of a principal strain */
    ct_lane modulus = ct_hencky_modulus(k[CT_MU], k[CT_LAMBDA], after, third - reach, third + reach);
    ct_mask loud = ~(modulus < enough) & h->near;
    if (!ct_mask_any(loud)) return largest;
    ct_mask is_uneven = ~(reach < CT_ALMOST_EVEN);
    if (ct_mask_any(loud & is_uneven)) {
        ct_lane low, high;
        ct_symmetric_extremes(h->square, ct_hencky_determinant(h), &low, &high);
        ct_lane exact = ct_hencky_modulus(k[CT_MU], k[CT_LAMBDA], after, third + s * low, third + s * high);
        modulus = ct_lane_select(is_uneven, exact, modulus);
    }
    return ct_lane_highest_of(ct_lane_select(h->near, modulus, ct_lane_all(0)), count, largest);
}

static inline ct_real ct_hencky_loudest_far(const ct_real *k, const ct_hencky_far *h, ct_mask near, ct_lane s,
                                            ct_lane after, int count, ct_real largest)
{
    ct_lane third = after * (ct_real)(1.0 / CT_DIM);
    ct_lane modulus = ct_hencky_modulus(k[CT_MU], k[CT_LAMBDA], after, third + s * h->along[CT_DIM - 1],
                                        third + s * h->along[0]);
    return ct_lane_highest_of(ct_lane_select(near, ct_lane_all(0), modulus), count, largest);
}

/* A return mapping: from tr(eps), n = |dev eps| and the state (and dt in `matter`) to the factor `s` of the deviator, the trace
 * `after` and the new state. It leaves s = 1 and after = trace, exactly, where nothing flows. */
typedef void ct_hencky_map(const ct_real *k, const ct_matter *matter, ct_lane trace, ct_lane n,
                           ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after);

/* Where a mapping moves the strain by more than F can tell: it is known to its last digit. What is at the tip
 * of a cone but for rounding, as all that falls freely, is left alone, state and all. */
static inline ct_mask ct_hencky_flows(ct_lane trace, ct_lane n, ct_lane s, ct_lane after)
{
    return ct_lane_max(n - s * n, ct_lane_abs(after - trace)) > 4 * CT_EPSILON;
}

/* The slots from `i` on that `near` leaves out. Not inlined: it is rare, and would take the registers of the
 * rest. */
static __attribute__((noinline)) ct_real ct_hencky_update_far(const ct_real *k, int count,
                                                              const ct_matter *matter, int i,
                                                              const ct_mask *near, int states,
                                                              ct_hencky_map *map, ct_real largest)
{
    ct_lane F[CT_MATRIX], state[CT_MOST_STATES], sigma[CT_DIM], s, after;
    ct_hencky_far h;
    ct_load_F(matter, i, F);
    ct_load_state(matter, states, i, state);
    ct_hencky_strain_far(F, &h);
    ct_lane n = ct_lane_sqrt(h.square);
    map(k, matter, h.trace, n, state, &s, &after);
    ct_mask flows = ~*near & (ct_hencky_flows(h.trace, n, s, after) | h.parts.mended);
    CT_FOR(a, CT_DIM) sigma[a] = ct_lane_exp(s * h.along[a] + after * (ct_real)(1.0 / CT_DIM));
    ct_lane flowed[CT_MATRIX];
    ct_compose(&h.parts, sigma, flowed);
    ct_store_F(matter, i, flows, flowed, F);
    ct_store_state(matter, states, i, flows, state);
    return ct_hencky_loudest_far(k, &h, *near, s, after, count - i, largest);
}

/* A batch on its way through a mapping. */
typedef struct ct_hencky_batch {
    ct_hencky strain[CT_GROUPS];
    ct_lane s[CT_GROUPS], after[CT_GROUPS], change[CT_GROUPS][CT_DIM];
    ct_mask flows[CT_GROUPS];
    int flowing[CT_GROUPS], count; /* the groups where something flows */
} ct_hencky_batch;

/* F' = exp(eps' - eps) F in the slots that flow. */
CT_INLINE void ct_hencky_move(const ct_matter *matter, ct_hencky_batch *batch)
{
    CT_FOR(f, batch->count) {
        int g = batch->flowing[f];
        ct_hencky_flow(&batch->strain[g], batch->s[g], batch->after[g], batch->change[g]);
    }
    CT_FOR(f, batch->count) {
        int g = batch->flowing[f];
        ct_lane F[CT_MATRIX], A[CT_SYMMETRIC], flowed[CT_MATRIX];
        ct_series_matrix(&batch->strain[g].split, batch->change[g], A);
        ct_load_F(matter, g * CT_LANES, F);
        ct_symmetric_times(A, F, flowed);
        ct_store_F(matter, g * CT_LANES, batch->flows[g], flowed, F);
    }
}

CT_INLINE ct_real ct_hencky_update(const ct_real *k, int count, const ct_matter *matter, ct_real enough,
                                   int states, ct_hencky_map *map)
{
    ct_hencky_batch batch;
    ct_real largest = 0;
    batch.count = 0;
    ct_hencky_strains(matter, count, batch.strain);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        ct_lane state[CT_MOST_STATES], *s = &batch.s[g], *after = &batch.after[g];
        const ct_hencky *h = &batch.strain[g];
        ct_lane n = ct_lane_sqrt(h->square);
        ct_mask near = h->near;
        ct_load_state(matter, states, i, state);
        map(k, matter, h->trace, n, state, s, after);
        batch.flows[g] = near & ct_hencky_flows(h->trace, n, *s, *after);
        ct_store_state(matter, states, i, batch.flows[g], state);
        batch.flowing[batch.count] = g;
        batch.count += ct_mask_any(batch.flows[g]);
        largest = ct_hencky_loudest(k, h, n, *s, *after, count - i, enough, largest);
        if (ct_mask_any(~near))
            largest = ct_hencky_update_far(k, count, matter, i, &near, states, map, largest);
    }
    ct_hencky_move(matter, &batch);
    return largest;
}

/* What the models on this energy have in common. */
void CT_FN(ct_hencky_stress)(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH]);
void CT_FN(ct_hencky_energy)(const ct_real *k, int count, const ct_matter *matter, ct_real *psi);
ct_real CT_FN(ct_hencky_sound)(const ct_real *k, int count, const ct_matter *matter, ct_real enough);
void CT_FN(ct_hencky_principal)(const ct_real *k, const ct_lane sigma[CT_DIM],
                                const ct_lane state[CT_MOST_STATES], ct_principal *made);

#endif
