/* The fixed corotated energy, shared by the models that are built on it; see fixed_corotated.c. mu and lambda
 * are lanes: snow has its own for every particle. */
#ifndef CT_MATERIAL_FIXED_COROTATED_H
#define CT_MATERIAL_FIXED_COROTATED_H

#include "core/polar.h"
#include "material/principal.h"

static inline void ct_fixed_corotated_stress(ct_lane mu, ct_lane lambda, const ct_lane F[CT_MATRIX],
                                             ct_lane tau[CT_SYMMETRIC])
{
    ct_lane R[CT_MATRIX], J = ct_determinant(F);
    ct_polar(F, J, R);
    ct_lane pressure = lambda * (J - 1) * J, twice = 2 * mu;
    for (int a = 0, entry = 0; a < CT_DIM; a++)
        for (int b = a; b < CT_DIM; b++, entry++) {
            ct_lane sum = (F[a * CT_DIM] - R[a * CT_DIM]) * F[b * CT_DIM];
            for (int c = 1; c < CT_DIM; c++)
                sum += (F[a * CT_DIM + c] - R[a * CT_DIM + c]) * F[b * CT_DIM + c];
            sum *= twice;
            tau[entry] = a == b ? sum + pressure : sum;
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
