/* A material model: one file with one ct_material_model, and one line in list.h. The model says what its
 * parameters are (info), turns them into coefficients once (prepare), and works on batches of particles, in
 * lanes (core/lanes.h):
 *
 *     stress   F -> tau = P F^T, the Kirchhoff stress (symmetric)
 *     energy   F -> psi, energy per undeformed volume
 *     sound    F -> the largest principal wave modulus of the batch (time-step-2020 Eq. 3: c^2 = modulus /
 * rho0), or less than `enough` where a cheap bound shows that it is
 *
 * A batch is given as planes: component k of particle i is F[k][i]. Planes may be read up to the next
 * multiple of CT_LANES past `count`. Names and signs are those of docs/theory.
 */
#ifndef CT_MATERIAL_MATERIAL_H
#define CT_MATERIAL_MATERIAL_H

#include "core/error.h"
#include "core/lanes.h"
#include "material/info.h"

enum {
    CT_COEFFICIENTS = 16,
    CT_BATCH = 64,                     /* particles a batch at the most; a multiple of every CT_LANES */
    CT_SYMMETRIC = CT_DIM == 2 ? 3 : 6 /* entries of a symmetric matrix: 00 01 11, or 00 01 02 11 12 22 */
};

/* Where entry (a, b) of a symmetric matrix is stored. */
static inline int ct_symmetric_index(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return low * CT_DIM - low * (low - 1) / 2 + high - low;
}

typedef struct ct_material_model {
    ct_material_info info;
    /* From the elastic constants (mu, lambda; where info.is_elastic) and the model's own parameters, in the
     * order of info.parameters, to coefficients. */
    ct_status (*prepare)(double mu, double lambda, const double *parameters,
                         double coefficients[CT_COEFFICIENTS], ct_error *error);
    void (*stress)(const ct_real *coefficients, int count, const ct_real *const F[CT_MATRIX],
                   ct_real (*tau)[CT_BATCH]);
    void (*energy)(const ct_real *coefficients, int count, const ct_real *const F[CT_MATRIX], ct_real *psi);
    ct_real (*sound)(const ct_real *coefficients, int count, const ct_real *const F[CT_MATRIX],
                     ct_real enough);
} ct_material_model;

/* The variant's list, in the order of list.h; NULL past its end. */
const ct_material_model *CT_FN(ct_material_model_at)(int index);

#endif
