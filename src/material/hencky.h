/* The energy of St. Venant and Kirchhoff in Hencky's (logarithmic) strain, and return mappings on it, shared
 * by hencky, drucker_prager and von_mises:
 *
 *     eps = ln(F F^T) / 2 = U diag(ln sigma) U^T
 *     psi = mu eps:eps + lambda/2 tr(eps)^2          tau = 2 mu eps + lambda tr(eps) I
 *
 * A yield condition that asks for the trace of eps and the length n of its deviator only moves eps radially:
 * eps' = s dev(eps) + tr'/d I. Both strains have the same axes, so F' = exp(eps' - eps) F, and for small
 * strains neither logarithm nor exponential needs an SVD (core/symmetric.h). Slots with larger ones, and
 * inverted ones, go through the SVD.
 */
#ifndef CT_MATERIAL_HENCKY_H
#define CT_MATERIAL_HENCKY_H

#include "material/principal.h"

typedef struct ct_hencky {
    ct_lane trace;                  /* of eps */
    ct_lane deviator[CT_SYMMETRIC]; /* dev(eps); in hard slots without meaning */
    ct_lane n;                      /* |dev(eps)| */
    ct_lane along[CT_DIM];          /* principal values of dev(eps), in hard slots only */
    ct_mask hard;                   /* slots that went through the SVD */
    ct_decomposed parts;            /* theirs */
} ct_hencky;

CT_INLINE void ct_hencky_strain(const ct_lane F[CT_MATRIX], ct_hencky *h)
{
    ct_lane X[CT_SYMMETRIC], *D = h->deviator;
    ct_symmetric_left(F, X);
    h->hard = ~((ct_symmetric_square(X) < CT_NEAR_IDENTITY * CT_NEAR_IDENTITY) & (ct_determinant(F) > 0));
    ct_symmetric_log(X, D);
    CT_FOR(k, CT_SYMMETRIC) D[k] *= (ct_real)0.5;
    h->trace = ct_symmetric_trace(D);
    ct_symmetric_shift(D, h->trace * (ct_real)(-1.0 / CT_DIM));
    ct_lane square = ct_symmetric_square(D);
    if (ct_mask_any(h->hard)) {
        ct_lane trace = ct_lane_all(0), sum = ct_lane_all(0);
        ct_decompose(F, &h->parts);
        CT_FOR(a, CT_DIM) trace += h->along[a] = ct_lane_log(h->parts.sigma[a]);
        CT_FOR(a, CT_DIM) {
            h->along[a] -= trace * (ct_real)(1.0 / CT_DIM);
            sum += h->along[a] * h->along[a];
        }
        h->trace = ct_lane_select(h->hard, trace, h->trace);
        square = ct_lane_select(h->hard, sum, square);
    }
    h->n = ct_lane_sqrt(square);
}

/* F' = exp(eps' - eps) F where eps' = s dev(eps) + after/d I. */
CT_INLINE void ct_hencky_flow(const ct_lane F[CT_MATRIX], const ct_hencky *h, ct_lane s, ct_lane after,
                              ct_lane flowed[CT_MATRIX])
{
    const ct_real each = (ct_real)(1.0 / CT_DIM);
    ct_lane X[CT_SYMMETRIC], grow = ct_lane_exp((after - h->trace) * each);
    CT_FOR(k, CT_SYMMETRIC) X[k] = (s - 1) * h->deviator[k];
    ct_symmetric_exp(X, X);
    CT_FOR(k, CT_SYMMETRIC) X[k] *= grow;
    ct_symmetric_times(X, F, flowed);
    if (!ct_mask_any(h->hard)) return;
    ct_lane sigma[CT_DIM], G[CT_MATRIX];
    CT_FOR(a, CT_DIM) sigma[a] = ct_lane_exp(s * h->along[a] + after * each);
    ct_compose(&h->parts, sigma, G);
    CT_FOR(c, CT_MATRIX) flowed[c] = ct_lane_select(h->hard, G[c], flowed[c]);
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
CT_INLINE ct_real ct_hencky_loudest(ct_real mu, ct_real lambda, const ct_hencky *h, ct_lane s, ct_lane after,
                                    int count, ct_real enough, ct_real largest)
{
    const ct_real each = (ct_real)(1.0 / CT_DIM);
    ct_lane reach = s * h->n * (ct_real)(CT_DIM == 2 ? 0.70710678118654752 : 0.81649658092772603);
    ct_lane bound = ct_hencky_modulus(mu, lambda, after, after * each - reach, after * each + reach);
    if (!ct_mask_any(~(bound < enough))) return largest;
    ct_lane low, high;
    ct_symmetric_extremes(h->deviator, &low, &high);
    if (ct_mask_any(h->hard)) {
        low = ct_lane_select(h->hard, h->along[CT_DIM - 1], low);
        high = ct_lane_select(h->hard, h->along[0], high);
    }
    ct_lane modulus = ct_hencky_modulus(mu, lambda, after, after * each + s * low, after * each + s * high);
    return ct_lane_highest_of(modulus, count, largest);
}

/* A return mapping: from tr(eps), n = |dev eps| and the state to the factor `s` of the deviator, the trace
 * `after` and the new state. It leaves s = 1 and after = trace, exactly, where nothing flows. */
typedef void ct_hencky_map(const ct_real *k, ct_lane trace, ct_lane n, ct_lane state[CT_MOST_STATES],
                           ct_lane *s, ct_lane *after);

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
        map(k, h.trace, h.n, state, &s, &after);
        ct_mask flows = (s != 1) | (after != h.trace);
        if (ct_mask_any(h.hard)) flows |= h.hard & h.parts.mended;
        if (ct_mask_any(flows)) {
            ct_hencky_flow(F, &h, s, after, flowed);
            ct_store_F(matter, i, flows, flowed, F);
        }
        ct_store_state(matter, states, i, state);
        largest = ct_hencky_loudest(k[CT_MU], k[CT_LAMBDA], &h, s, after, count - i, enough, largest);
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
