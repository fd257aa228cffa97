/* The neo-Hookean energy with volume and shape split (Simo 1988), and return mappings on it, shared by
 * simo, drucker_prager_simo and nacc:
 *
 *     b = F F^T,  bb = J^(-2/d) b,  det bb = 1
 *     psi = kappa/2 ((J^2 - 1)/2 - ln J) + mu/2 (tr bb - d)
 *     tau = kappa/2 (J^2 - 1) I + mu dev bb
 *
 * A yield condition in pressure and |dev tau| asks for J and n = |dev bb|, and moves b to
 * b' = J'^(2/d) (l I + s dev bb), where l makes the determinant of the bracket 1. b' has the axes of b, so
 * F' = (b' b^-1)^(1/2) F: two series (core/isotropic.h) but for very large strains, which go through the SVD.
 */
#ifndef CT_MATERIAL_SIMO_H
#define CT_MATERIAL_SIMO_H

#include "core/isotropic.h"
#include "material/principal.h"

static const ct_real CT_SIMO_LEAST_J = (ct_real)1e-3; /* the energy has no meaning at J <= 0 */

/* J^(2/d). */
static inline ct_lane ct_simo_scale(ct_lane J)
{
    return CT_DIM == 2 ? J : ct_lane_exp((ct_real)(2.0 / 3) * ct_lane_log(J));
}

typedef struct ct_simo {
    ct_lane J, scale;               /* J^(2/d) */
    ct_lane mean;                   /* of bb: tr bb / d */
    ct_lane deviator[CT_SYMMETRIC]; /* dev bb; in hard slots without meaning */
    ct_lane square;                 /* n^2 = |dev bb|^2 */
    ct_lane determinant;            /* of dev bb; 3D */
    ct_mask hard;                   /* J at or below the least, or numbers that overflow */
} ct_simo;

CT_INLINE void ct_simo_strain(const ct_lane F[CT_MATRIX], ct_simo *e)
{
    ct_lane *D = e->deviator, J = ct_determinant(F);
    ct_symmetric_left(F, D);
    ct_lane beyond = ct_symmetric_trace(D) * (ct_real)(1.0 / CT_DIM);
    e->hard = ~((J > CT_SIMO_LEAST_J) & (beyond < (ct_real)3e3));
    e->J = ct_lane_max(J, ct_lane_all(CT_SIMO_LEAST_J));
    e->scale = ct_simo_scale(e->J);
    ct_lane inverse = 1 / e->scale;
    e->mean = (1 + beyond) * inverse;
    ct_symmetric_shift(D, -beyond);
    CT_FOR(k, CT_SYMMETRIC) D[k] *= inverse;
    e->square = ct_symmetric_square(D);
    e->determinant = CT_DIM == 3 ? ct_symmetric_determinant(D) : ct_lane_all(0);
}

/* The same from singular values, but for the deviator: its principal values are in `along`. */
static inline void ct_simo_strain_of(const ct_lane sigma[CT_DIM], ct_simo *e, ct_lane along[CT_DIM])
{
    e->J = ct_product(sigma);
    e->scale = ct_simo_scale(e->J);
    e->mean = e->square = ct_lane_all(0);
    CT_FOR(a, CT_DIM) e->mean += along[a] = sigma[a] * sigma[a] / e->scale;
    e->mean *= (ct_real)(1.0 / CT_DIM);
    CT_FOR(a, CT_DIM) along[a] -= e->mean, e->square += along[a] * along[a];
    e->determinant = ct_product(along);
}

/* l with det(l I + s D) = 1: l^2 = 1 + s^2 n^2 / 2 in 2D; l^3 - s^2 n^2 / 2 l + s^3 det D = 1 in 3D, by
 * Newton's iteration. From above, as from the mean of bb, which is the root for s = 1, it falls towards the
 * root; 1 + s^2 (mean - 1) is much nearer to it, but only good for small strains. */
static inline ct_lane ct_simo_mean(const ct_simo *e, ct_lane s, ct_mask near)
{
    ct_lane half = (ct_real)0.5 * s * s * e->square;
#if CT_DIM == 2
    (void)near;
    return ct_lane_sqrt(1 + half);
#else
    enum { TURNS = 40 };
    ct_lane rest = s * s * s * e->determinant - 1, above = ct_lane_max(e->mean, ct_lane_all(1));
    ct_lane l = ct_lane_select(near, 1 + s * s * (above - 1), above);
    CT_FOR(turn, TURNS) {
        ct_lane step =
            ((l * l - half) * l + rest) / ct_lane_max(3 * l * l - half, ct_lane_all((ct_real)1e-3));
        l -= step;
        if (!ct_mask_any(ct_lane_abs(step) > 2 * CT_EPSILON * l)) break;
    }
    return l;
#endif
}

/* kappa/2 (J^2 + 1) + mu ((1 - 4/d) bb_a + (1 + 2/d) mean), largest for the smallest bb_a; transversal
 * mu bb_b. */
static inline ct_lane ct_simo_modulus(ct_real mu, ct_real kappa, ct_lane J, ct_lane mean, ct_lane low,
                                      ct_lane high)
{
    ct_lane along = (ct_real)0.5 * kappa * (J * J + 1) +
                    mu * ((ct_real)(1 - 4.0 / CT_DIM) * low + (ct_real)(1 + 2.0 / CT_DIM) * mean);
    return ct_lane_max(along, mu * high);
}

/* The largest modulus of the first `count` slots and of `largest`, of b' = J'^(2/d) (mean I + s dev bb); or
 * anything less where none reaches `enough`. */
CT_INLINE ct_real ct_simo_loudest(const ct_real *k, const ct_simo *e, ct_mask where, ct_lane J, ct_lane mean,
                                  ct_lane s, int count, ct_real enough, ct_real largest)
{
    const ct_lane none = ct_lane_all(0);
    ct_lane reach = s * ct_symmetric_reach(e->square);
    ct_lane modulus =
        ct_simo_modulus(k[CT_MU], k[CT_BULK], J, mean, ct_lane_max(mean - reach, none), mean + reach);
    ct_mask loud = ~(modulus < enough) & where, is_uneven = ~(reach < 2 * CT_ALMOST_EVEN);
    if (!ct_mask_any(loud)) return largest;
    if (ct_mask_any(loud & is_uneven)) {
        ct_lane low, high;
        ct_symmetric_extremes(e->square, e->determinant, &low, &high);
        ct_lane exact = ct_simo_modulus(k[CT_MU], k[CT_BULK], J, mean, ct_lane_max(mean + s * low, none),
                                        mean + s * high);
        modulus = ct_lane_select(is_uneven, exact, modulus);
    }
    return ct_lane_highest_of(ct_lane_select(where, modulus, none), count, largest);
}

static inline ct_real ct_simo_loudest_far(const ct_real *k, const ct_lane along[CT_DIM], ct_mask where,
                                          ct_lane J, ct_lane mean, ct_lane s, int count, ct_real largest)
{
    const ct_lane none = ct_lane_all(0);
    ct_lane modulus = ct_simo_modulus(k[CT_MU], k[CT_BULK], J, mean,
                                      ct_lane_max(mean + s * along[CT_DIM - 1], none), mean + s * along[0]);
    return ct_lane_highest_of(ct_lane_select(where, modulus, none), count, largest);
}

/* F' = (b' b^-1)^(1/2) F, b' = scale (l I + s dev bb). With b = m (I + Y), b' = m' (I + r Y), r = s mean / l,
 * which is at most 1, it is (m'/m)^(1/2) (I + r Y)^(1/2) (I + Y)^(-1/2) F: a series in Y. */
CT_INLINE void ct_simo_flow(const ct_simo *e, const ct_split *split, ct_lane s, ct_lane l, ct_lane scale,
                            ct_lane c[CT_DIM])
{
    ct_lane after[CT_DIM], before[CT_DIM], r = s * e->mean / l;
    ct_series_root(r * r * split->p, r * r * r * split->q, after);
    ct_series_inverse_root(split, before);
    after[1] *= r;
    if (CT_DIM == 3) after[CT_DIM - 1] *= r * r;
    after[0] += 1;
    before[0] += 1;
    ct_series_product(split->p, split->q, after, before, c);
    ct_lane grow = ct_lane_sqrt(scale * l * split->inverse / e->scale);
    CT_FOR(k, CT_DIM) c[k] *= grow;
}

/* A return mapping of the slots from `i` on: from the strain, n = |dev bb| and the state (and dt or the
 * temperature in `matter`) to the factor `s` of the deviator, the volume ratio `after` and the new state. It
 * leaves s = 1 and after = J, exactly, where nothing flows. */
typedef void ct_simo_map(const ct_real *k, const ct_matter *matter, int i, const ct_simo *e, ct_lane n,
                         ct_lane state[CT_MOST_STATES], ct_lane *s, ct_lane *after);

/* By the SVD, for any F: the slots `far` from `i` on. Not inlined: it is rare, and would take the registers
 * of the rest. */
static __attribute__((noinline)) ct_real ct_simo_update_far(const ct_real *k, int count,
                                                            const ct_matter *matter, int i,
                                                            const ct_mask *far, int states, ct_simo_map *map,
                                                            ct_real largest)
{
    ct_lane F[CT_MATRIX], flowed[CT_MATRIX], state[CT_MOST_STATES], sigma[CT_DIM], along[CT_DIM], s, after;
    ct_decomposed parts;
    ct_simo e;
    ct_load_F(matter, i, F);
    ct_load_state(matter, states, i, state);
    ct_decompose(F, &parts);
    ct_simo_strain_of(parts.sigma, &e, along);
    map(k, matter, i, &e, ct_lane_sqrt(e.square), state, &s, &after);
    ct_lane l = ct_simo_mean(&e, s, *far & 0), scale = ct_simo_scale(after);
    CT_FOR(a, CT_DIM) sigma[a] = ct_lane_sqrt(scale * ct_lane_max(l + s * along[a], ct_lane_all(CT_EPSILON)));
    ct_compose(&parts, sigma, flowed);
    ct_store_F(matter, i, *far, flowed, F);
    ct_store_state(matter, states, i, *far, state);
    return ct_simo_loudest_far(k, along, *far, after, l, s, count - i, largest);
}

/* A batch on its way through a mapping, in loops one after the other (CT_GROUPS). */
typedef struct ct_simo_batch {
    ct_simo strain[CT_GROUPS];
    ct_split split[CT_GROUPS]; /* of those that flow */
    ct_lane s[CT_GROUPS], after[CT_GROUPS], mean[CT_GROUPS], change[CT_GROUPS][CT_DIM];
    ct_mask flows[CT_GROUPS], far[CT_GROUPS];
    int flowing[CT_GROUPS], count; /* the groups where something flows */
} ct_simo_batch;

/* F' in the slots that flow, and the mean of bb'. */
CT_INLINE void ct_simo_move(const ct_matter *matter, ct_simo_batch *batch)
{
    CT_FOR(f, batch->count) {
        int g = batch->flowing[f];
        const ct_simo *e = &batch->strain[g];
        ct_split *split = &batch->split[g];
        split->mean = e->mean;
        CT_FOR(c, CT_SYMMETRIC) split->deviator[c] = e->deviator[c];
        ct_split_measure(split);
        batch->mean[g] = ct_simo_mean(e, batch->s[g], split->near);
    }
    CT_FOR(f, batch->count) {
        int g = batch->flowing[f];
        ct_simo_flow(&batch->strain[g], &batch->split[g], batch->s[g], batch->mean[g],
                     ct_simo_scale(batch->after[g]), batch->change[g]);
    }
    CT_FOR(f, batch->count) {
        int g = batch->flowing[f];
        ct_lane F[CT_MATRIX], A[CT_SYMMETRIC], flowed[CT_MATRIX];
        ct_series_matrix(&batch->split[g], batch->change[g], A);
        ct_load_F(matter, g * CT_LANES, F);
        ct_symmetric_times(A, F, flowed);
        ct_store_F(matter, g * CT_LANES, batch->flows[g] & batch->split[g].near, flowed, F);
        batch->far[g] |= batch->flows[g] & ~batch->split[g].near;
    }
}

CT_INLINE ct_real ct_simo_update(const ct_real *k, int count, const ct_matter *matter, ct_real enough,
                                 int states, ct_simo_map *map)
{
    ct_simo_batch batch;
    ct_lane state[CT_GROUPS][CT_MOST_STATES];
    ct_real largest = 0;
    batch.count = 0;
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        ct_lane F[CT_MATRIX];
        ct_load_F(matter, i, F);
        ct_simo_strain(F, &batch.strain[g]);
    }
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        const ct_simo *e = &batch.strain[g];
        ct_load_state(matter, states, i, state[g]);
        map(k, matter, i, e, ct_lane_sqrt(e->square), state[g], &batch.s[g], &batch.after[g]);
        batch.flows[g] = ~e->hard & ((batch.s[g] != 1) | (batch.after[g] != e->J));
        batch.far[g] = e->hard;
        batch.mean[g] = e->mean;
        batch.flowing[batch.count] = g;
        batch.count += ct_mask_any(batch.flows[g]);
    }
    ct_simo_move(matter, &batch);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        ct_mask far = batch.far[g];
        ct_store_state(matter, states, i, ~far, state[g]);
        largest = ct_simo_loudest(k, &batch.strain[g], ~far, batch.after[g], batch.mean[g], batch.s[g],
                                  count - i, enough, largest);
        if (ct_mask_any(far)) largest = ct_simo_update_far(k, count, matter, i, &far, states, map, largest);
    }
    return largest;
}

/* What the models on this energy have in common. */
void CT_FN(ct_simo_stress)(const ct_real *k, int count, const ct_matter *matter, ct_real (*tau)[CT_BATCH]);
void CT_FN(ct_simo_energy)(const ct_real *k, int count, const ct_matter *matter, ct_real *psi);
ct_real CT_FN(ct_simo_sound)(const ct_real *k, int count, const ct_matter *matter, ct_real enough);
void CT_FN(ct_simo_principal)(const ct_real *k, const ct_lane sigma[CT_DIM],
                              const ct_lane state[CT_MOST_STATES], ct_principal *made);

#endif
