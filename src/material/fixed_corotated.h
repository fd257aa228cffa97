/* The fixed corotated energy, shared by the models that are built on it; see fixed_corotated.c. mu and lambda
 * are lanes: snow has its own for every particle. */
#ifndef CT_MATERIAL_FIXED_COROTATED_H
#define CT_MATERIAL_FIXED_COROTATED_H

#include "core/isotropic.h"
#include "core/polar.h"
#include "material/principal.h"

/* 2 mu (F - R) F^T + stretch tr(R^T F - I) R F^T + pressure I for any F, in the slots that `near` leaves out:
 * the stress of fixed and of plain corotated elasticity. Not inlined: it is rare, and would take the
 * registers of the rest. */
typedef struct ct_corotated_far {
    ct_lane twice, stretch, pressure; /* 2 mu, ... */
    ct_mask near;
} ct_corotated_far;

static __attribute__((noinline)) void ct_corotated_stress_far(const ct_corotated_far *with,
                                                              const ct_matter *matter, int i,
                                                              ct_real (*tau)[CT_BATCH])
{
    ct_lane F[CT_MATRIX], R[CT_MATRIX], T = ct_lane_all(-CT_DIM);
    ct_load_F(matter, i, F);
    ct_polar(F, ct_determinant(F), R);
    CT_FOR(c, CT_MATRIX) T += R[c] * F[c];
    ct_lane turned = with->stretch * T;
    CT_FOR(c, CT_MATRIX) R[c] = with->twice * (F[c] - R[c]) + turned * R[c]; /* P */
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            ct_lane sum = R[a * CT_DIM] * F[b * CT_DIM];
            for (int c = 1; c < CT_DIM; c++) sum += R[a * CT_DIM + c] * F[b * CT_DIM + c];
            if (a == b) sum += with->pressure;
            ct_lane_store(tau[entry] + i, ct_lane_select(with->near, ct_lane_load(tau[entry] + i), sum));
        }
}

/* b^(1/2) - I as a series in Y. */
typedef struct ct_corotated {
    ct_split split;
    ct_lane J, root[CT_DIM];
    ct_mask near; /* where it holds; elsewhere see ct_corotated_stress_far */
} ct_corotated;

/* Not inlined: it is rare, and would take the registers of the rest. */
static __attribute__((noinline)) void ct_corotated_root_far(ct_corotated *at)
{
    ct_lane root[CT_DIM];
    ct_mask holds = ct_series_far_root(&at->split, at->J, root);
    CT_FOR(k, CT_DIM) at->root[k] = ct_lane_select(at->near, at->root[k], root[k]);
    at->near |= holds;
}

/* Those of a batch, in loops one after the other (CT_GROUPS). */
CT_INLINE void ct_corotated_roots(const ct_matter *matter, int count, ct_corotated all[CT_GROUPS])
{
    int groups = (count + CT_LANES - 1) / CT_LANES;
    CT_FOR(g, groups) {
        ct_lane F[CT_MATRIX], X[CT_SYMMETRIC];
        ct_load_F(matter, g * CT_LANES, F);
        ct_symmetric_left(F, X);
        ct_split_make(X, CT_LEAST_MEAN, CT_MOST_MEAN, &all[g].split);
        all[g].J = ct_determinant(F);
        all[g].near = all[g].split.near & (all[g].J > 0);
    }
    CT_FOR(g, groups) {
        ct_series_left_root(&all[g].split, all[g].root);
        if (ct_mask_any(~all[g].near)) ct_corotated_root_far(&all[g]);
    }
}

/* Where F is not flat R F^T = b^(1/2), so that with b = m (I + Y) tau = 2 mu (b - b^(1/2)) + ... is a series
 * in Y. b and its root are taken without their part of order 0, which keeps the digits of small strains.
 * `factor`, of both constants: one a group, or NULL. */
CT_INLINE void ct_fixed_corotated_stress(const ct_real *k, const ct_lane factor[CT_GROUPS], int count,
                                         const ct_matter *matter, ct_real (*tau)[CT_BATCH])
{
    ct_corotated all[CT_GROUPS];
    ct_corotated_roots(matter, count, all);
    for (int i = 0, g = 0; i < count; i += CT_LANES, g++) {
        const ct_corotated *at = &all[g];
        ct_lane twice = ct_lane_all(2 * k[CT_MU]), lambda = ct_lane_all(k[CT_LAMBDA]);
        if (factor) twice *= factor[g], lambda *= factor[g];
        ct_lane c[CT_DIM], T[CT_SYMMETRIC], pressure = lambda * (at->J - 1) * at->J;
        CT_FOR(e, CT_DIM) c[e] = -twice * at->root[e];
        c[0] += twice * at->split.beyond + pressure;
        c[1] += twice * at->split.mean;
        ct_series_matrix(&at->split, c, T);
        CT_FOR(e, CT_SYMMETRIC) ct_lane_store(tau[e] + i, T[e]);
        if (ct_mask_any(~at->near))
            ct_corotated_stress_far(&(ct_corotated_far){twice, ct_lane_all(0), pressure, at->near}, matter, i,
                                    tau);
    }
}

static inline ct_lane ct_fixed_corotated_energy(ct_lane mu, ct_lane lambda, const ct_lane F[CT_MATRIX])
{
    ct_lane R[CT_MATRIX], square = ct_lane_all(0), J = ct_determinant(F);
    ct_polar(F, J, R);
    CT_FOR(c, CT_MATRIX) square += (F[c] - R[c]) * (F[c] - R[c]);
    return mu * square + (ct_real)0.5 * lambda * (J - 1) * (J - 1);
}

static inline void ct_fixed_corotated_principal(ct_lane mu, ct_lane lambda, const ct_lane sigma[CT_DIM],
                                                ct_principal *made)
{
    ct_lane J = ct_product(sigma);
    made->psi = (ct_real)0.5 * lambda * (J - 1) * (J - 1);
    CT_FOR(a, CT_DIM) {
        ct_lane others = ct_product_without(sigma, a);
        made->psi += mu * (sigma[a] - 1) * (sigma[a] - 1);
        made->first[a] = 2 * mu * (sigma[a] - 1) + lambda * (J - 1) * others;
        made->second[ct_symmetric_index(a, a)] = 2 * mu + lambda * others * others;
        for (int b = a + 1; b < CT_DIM; b++) {
            made->second[ct_symmetric_index(a, b)] =
                lambda * (2 * J - 1) * ct_product_without_two(sigma, a, b);
            made->shear[ct_pair_index(a, b)] = 2 * mu * (1 - 1 / ct_pair_sum(sigma, a, b));
        }
    }
}

#endif
