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

CT_INLINE void ct_hencky_strain(const ct_lane F[CT_MATRIX], ct_hencky *h)
{
    ct_lane X[CT_SYMMETRIC], *d = h->deviator;
    ct_symmetric_left(F, X);
    ct_split_make(X, &h->split);
    h->near = h->split.near & (ct_determinant(F) > 0);
    ct_series_half_log(&h->split, d);
    ct_lane mean = ct_series_trace(h->split.p, d) * (ct_real)(1.0 / CT_DIM);
    d[0] -= mean;
    h->trace = CT_DIM * (mean + (ct_real)0.5 * ct_lane_log1p(h->split.beyond));
    h->square = ct_hencky_square(&h->split, d);
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

/* F' = exp(eps' - eps) F where eps' = s dev(eps) + after/d I: the exponential of W = (s - 1) dev(eps) as a
 * series in W, and that as one in Y. */
CT_INLINE void ct_hencky_flow(const ct_lane F[CT_MATRIX], const ct_hencky *h, ct_lane s, ct_lane after,
                              ct_lane flowed[CT_MATRIX])
{
    ct_lane squared[CT_DIM], c[CT_DIM], e[CT_DIM], A[CT_SYMMETRIC], less = s - 1;
    ct_series_product(h->split.p, h->split.q, h->deviator, h->deviator, squared);
    ct_lane grow = ct_lane_exp((after - h->trace) * (ct_real)(1.0 / CT_DIM));
    ct_series_exp((ct_real)0.5 * less * less * h->square, less * less * less * ct_hencky_determinant(h), e);
    e[1] *= less;
    if (CT_DIM == 3) e[CT_DIM - 1] *= less * less;
    CT_FOR(k, CT_DIM) {
        c[k] = e[1] * h->deviator[k];
        if (CT_DIM == 3) c[k] += e[CT_DIM - 1] * squared[k];
    }
    c[0] += e[0];
    CT_FOR(k, CT_DIM) c[k] *= grow;
    ct_series_matrix(&h->split, c, A);
    ct_symmetric_times(A, F, flowed);
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
CT_INLINE ct_real ct_hencky_loudest(const ct_real *k, const ct_hencky *h, ct_lane s, ct_lane after, int count,
                                    ct_real enough, ct_real largest)
{
    ct_lane third = after * (ct_real)(1.0 / CT_DIM), reach = s * ct_symmetric_reach(h->square);
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

/* A return mapping: from tr(eps), n = |dev eps| and the state to the factor `s` of the deviator, the trace
 * `after` and the new state. It leaves s = 1 and after = trace, exactly, where nothing flows. */
typedef void ct_hencky_map(const ct_real *k, ct_lane trace, ct_lane n, ct_lane state[CT_MOST_STATES],
                           ct_lane *s, ct_lane *after);

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
    map(k, h.trace, ct_lane_sqrt(h.square), state, &s, &after);
    ct_mask flows = ~*near & ((s != 1) | (after != h.trace) | h.parts.mended);
    CT_FOR(a, CT_DIM) sigma[a] = ct_lane_exp(s * h.along[a] + after * (ct_real)(1.0 / CT_DIM));
    ct_lane flowed[CT_MATRIX];
    ct_compose(&h.parts, sigma, flowed);
    ct_store_F(matter, i, flows, flowed, F);
    ct_store_state(matter, states, i, ~*near, state);
    return ct_hencky_loudest_far(k, &h, *near, s, after, count - i, largest);
}

CT_INLINE ct_real ct_hencky_update(const ct_real *k, int count, const ct_matter *matter, ct_real enough,
                                   int states, ct_hencky_map *map)
{
    ct_real largest = 0;
    for (int i = 0; i < count; i += CT_LANES) {
        ct_lane F[CT_MATRIX], flowed[CT_MATRIX], state[CT_MOST_STATES], s, after;
        ct_hencky h;
        ct_load_F(matter, i, F);
        ct_load_state(matter, states, i, state);
        ct_hencky_strain(F, &h);
        map(k, h.trace, ct_lane_sqrt(h.square), state, &s, &after);
        ct_mask flows = h.near & ((s != 1) | (after != h.trace));
        if (ct_mask_any(flows)) {
            ct_hencky_flow(F, &h, s, after, flowed);
            ct_store_F(matter, i, flows, flowed, F);
        }
        ct_store_state(matter, states, i, h.near, state);
        largest = ct_hencky_loudest(k, &h, s, after, count - i, enough, largest);
        ct_mask near = h.near;
        if (ct_mask_any(~near))
            largest = ct_hencky_update_far(k, count, matter, i, &near, states, map, largest);
    }
    return largest;
}

/* What the models on this energy have in common. */
void CT_FN(ct_hencky_stress)(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH]);
void CT_FN(ct_hencky_energy)(const ct_real *k, int count, const ct_matter *matter, ct_real *psi);
ct_real CT_FN(ct_hencky_sound)(const ct_real *k, int count, const ct_matter *matter, ct_real enough);
void CT_FN(ct_hencky_principal)(const ct_real *k, const ct_lane sigma[CT_DIM],
                                const ct_lane state[CT_MOST_STATES], ct_principal *made);

#endif
