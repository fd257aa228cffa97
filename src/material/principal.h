/* Mathematics in principal space, shared by the models: isotropic energies are functions of the singular
 * values of F, so derivatives, wave speeds and return mappings are worked out on those
 * (docs/theory/materials.md).
 */
#ifndef CT_MATERIAL_PRINCIPAL_H
#define CT_MATERIAL_PRINCIPAL_H

#include "core/math_lanes.h"
#include "core/svd_lanes.h"
#include "material/material.h"

static inline void ct_load_F(const ct_matter *matter, int i, ct_lane F[CT_MATRIX])
{
    CT_FOR(c, CT_MATRIX) F[c] = ct_lane_load(matter->F[c] + i);
}

static inline ct_lane ct_product(const ct_lane sigma[CT_DIM])
{
    ct_lane product = sigma[0];
    for (int a = 1; a < CT_DIM; a++) product *= sigma[a];
    return product;
}

/* J / sigma_a: the product of the others, without a division. */
static inline ct_lane ct_product_without(const ct_lane sigma[CT_DIM], int a)
{
    ct_lane product = sigma[(a + 1) % CT_DIM];
    for (int b = 2; b < CT_DIM; b++) product *= sigma[(a + b) % CT_DIM];
    return product;
}

/* J / (sigma_a sigma_b), a != b. */
static inline ct_lane ct_product_without_two(const ct_lane sigma[CT_DIM], int a, int b)
{
    return CT_DIM == 2 ? ct_lane_all(1) : sigma[(CT_DIM - a - b) % CT_DIM];
}

/* sigma_a + sigma_b, which vanishes in some inverted states, kept away from 0. */
static inline ct_lane ct_pair_sum(const ct_lane sigma[CT_DIM], int a, int b)
{
    ct_lane sum = sigma[a] + sigma[b], size = ct_lane_max(ct_lane_abs(sum), ct_lane_all((ct_real)1e-6));
    return ct_lane_select(sum < 0, -size, size);
}

/* The largest modulus of waves along the principal axes (time-step-2020 Eq. 3): longitudinal sigma_a^2
 * psi_aa, transversal sigma_b^2 A_ab in both orders. A wave whose modulus is negative does not exist. */
static inline ct_lane ct_wave_modulus(const ct_lane sigma[CT_DIM], const ct_principal *p)
{
    ct_lane most = ct_lane_all(0);
    CT_FOR(a, CT_DIM) {
        most = ct_lane_max(sigma[a] * sigma[a] * p->second[ct_symmetric_index(a, a)], most);
        CT_FOR(b, CT_DIM)
            if (a != b) most = ct_lane_max(sigma[b] * sigma[b] * p->shear[ct_pair_index(a, b)], most);
    }
    return most;
}

/* Principal strains this near to their mean need not be known one by one for a wave speed: the bound from
 * their length is at most a quarter percent too high. */
static const ct_real CT_ALMOST_EVEN = (ct_real)0.0025;

/* Singular values that logarithms and roots can bear. A return mapping that starts from an F that is inverted
 * or beyond all measure ends with one that is not. */
static const ct_real CT_LEAST_STRETCH = (ct_real)1e-4, CT_MOST_STRETCH = (ct_real)1e4;

typedef struct ct_decomposed {
    ct_lane U[CT_MATRIX], sigma[CT_DIM], V[CT_MATRIX];
    ct_mask mended; /* where a sigma was out of bounds */
} ct_decomposed;

static inline void ct_decompose(const ct_lane F[CT_MATRIX], ct_decomposed *parts)
{
    ct_svd_lanes(F, parts->U, parts->sigma, parts->V);
    parts->mended = ~((parts->sigma[CT_DIM - 1] >= CT_LEAST_STRETCH) & (parts->sigma[0] <= CT_MOST_STRETCH));
    CT_FOR(a, CT_DIM) {
        ct_lane size = ct_lane_max(ct_lane_abs(parts->sigma[a]), ct_lane_all(CT_LEAST_STRETCH));
        parts->sigma[a] = ct_lane_min(size, ct_lane_all(CT_MOST_STRETCH));
    }
}

/* U diag(sigma) V^T. */
static inline void ct_compose(const ct_decomposed *parts, const ct_lane sigma[CT_DIM], ct_lane F[CT_MATRIX])
{
    CT_FOR(i, CT_DIM)
        CT_FOR(j, CT_DIM) {
            ct_lane sum = parts->U[i * CT_DIM] * sigma[0] * parts->V[j * CT_DIM];
            for (int a = 1; a < CT_DIM; a++)
                sum += parts->U[i * CT_DIM + a] * sigma[a] * parts->V[j * CT_DIM + a];
            F[i * CT_DIM + j] = sum;
        }
}

/* U diag(value) U^T, in the slots `where`. */
static inline void ct_turn_back(const ct_decomposed *parts, const ct_lane value[CT_DIM], ct_mask where,
                                ct_lane A[CT_SYMMETRIC])
{
    for (int i = 0, entry = 0; i < CT_DIM; i++)
        for (int j = i; j < CT_DIM; j++, entry++) {
            ct_lane sum = parts->U[i * CT_DIM] * value[0] * parts->U[j * CT_DIM];
            for (int a = 1; a < CT_DIM; a++)
                sum += parts->U[i * CT_DIM + a] * value[a] * parts->U[j * CT_DIM + a];
            A[entry] = ct_lane_select(where, sum, A[entry]);
        }
}

static inline void ct_load_state(const ct_matter *matter, int states, int i, ct_lane state[CT_MOST_STATES])
{
    CT_FOR(s, CT_MOST_STATES) state[s] = s < states ? ct_lane_load(matter->state[s] + i) : ct_lane_all(0);
}

static inline void ct_store_state(const ct_matter *matter, int states, int i, ct_mask where,
                                  const ct_lane state[CT_MOST_STATES])
{
    CT_FOR(s, states) {
        ct_real *at = matter->state[s] + i;
        ct_lane_store(at, ct_lane_select(where, state[s], ct_lane_load(at)));
    }
}

static inline void ct_store_F(const ct_matter *matter, int i, ct_mask where, const ct_lane after[CT_MATRIX],
                              const ct_lane F[CT_MATRIX])
{
    CT_FOR(c, CT_MATRIX) ct_lane_store(matter->F[c] + i, ct_lane_select(where, after[c], F[c]));
}

/* The first coefficients of every elastic model, Pa. The bulk modulus is that of a split into volume and
 * shape in d dimensions, lambda + 2 mu / d. */
enum { CT_MU, CT_LAMBDA, CT_BULK, CT_FIRST_OWN };

static inline void ct_prepare_elastic(double mu, double lambda, ct_prepared *made)
{
    made->coefficients[CT_MU] = mu;
    made->coefficients[CT_LAMBDA] = lambda;
    made->coefficients[CT_BULK] = lambda + 2 * mu / CT_DIM;
}

#endif
