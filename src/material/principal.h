/* Mathematics in principal space, shared by the models: isotropic energies are functions of the singular
 * values of F, so derivatives, wave speeds and return mappings are worked out on those
 * (docs/theory/materials.md).
 */
#ifndef CT_MATERIAL_PRINCIPAL_H
#define CT_MATERIAL_PRINCIPAL_H

#include "core/math_lanes.h"
#include "core/matrix.h"
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

/* The coefficients of models that need no more than the elastic constants. */
enum { CT_MU, CT_LAMBDA, CT_FIRST_OWN };

static inline void ct_prepare_elastic(double mu, double lambda, ct_prepared *made)
{
    made->coefficients[CT_MU] = mu;
    made->coefficients[CT_LAMBDA] = lambda;
}

#endif
