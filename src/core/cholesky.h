/* Sparse Cholesky factors, by CHOLMOD where the build found it. */
#ifndef CT_CORE_CHOLESKY_H
#define CT_CORE_CHOLESKY_H

#include "core/memory.h"

typedef struct ct_factor ct_factor;

/* A symmetric matrix by the entries on and below its diagonal: those of column c are [first[c], first[c +
 * 1]). */
typedef struct ct_sparse {
    int count; /* of columns */
    int *first, *row;
    double *value;
} ct_sparse;

bool ct_factor_is_built_in(void);
ct_status ct_factor_create(ct_heap *heap, const ct_sparse *matrix, ct_factor **factor, ct_error *error);

/* Without the supernodal module, whose licence and bits are not ours. */
bool ct_factor_is_simplicial(const ct_factor *factor);

/* Solves for `sides` right sides at once, [sides x count], in place. */
ct_status ct_factor_solve(ct_factor *factor, double *values, int sides, ct_error *error);
void ct_factor_destroy(ct_factor *factor); /* NULL is fine */

#endif
