#include "core/cholesky.h"

#ifdef CT_HAS_CHOLMOD

#include <cholmod.h>
#include <string.h>

struct ct_factor {
    ct_heap *heap;
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *solution, *one, *two; /* of one solve, kept for the next: no iteration allocates */
};

bool ct_factor_is_built_in(void)
{
    return true;
}

static ct_status fail(ct_error *error, const cholmod_common *common)
{
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE)
        return ct_fail(error, CT_NO_MEMORY, "no memory for the Cholesky factor of the direct solver");
    return ct_fail(error, CT_FAILED, "CHOLMOD could not factor the matrix (status %d)", common->status);
}

ct_status ct_factor_create(ct_heap *heap, const ct_sparse *matrix, ct_factor **result, ct_error *error)
{
    ct_factor *factor = ct_allocate_zero(heap, sizeof *factor);
    if (!factor) return ct_fail_memory(error, sizeof *factor);
    factor->heap = heap;
    cholmod_start(&factor->common);
    factor->common.print = 0; /* the library never prints */
    /* The supernodal module is GPL, and calls BLAS, whose threads change bits. */
    factor->common.supernodal = CHOLMOD_SIMPLICIAL;
    factor->common.try_catch = 1;
    size_t n = (size_t)matrix->count;
    cholmod_sparse view = {.nrow = n,
                           .ncol = n,
                           .nzmax = (size_t)matrix->first[n],
                           .p = matrix->first,
                           .i = matrix->row,
                           .x = matrix->value,
                           .stype = -1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE,
                           .packed = 1};
    factor->factor = cholmod_analyze(&view, &factor->common);
    if (factor->factor) cholmod_factorize(&view, factor->factor, &factor->common);
    *result = factor;
    if (factor->factor && factor->common.status == CHOLMOD_OK) return CT_OK;
    ct_status status = fail(error, &factor->common);
    ct_factor_destroy(factor);
    *result = NULL;
    return status;
}

bool ct_factor_is_simplicial(const ct_factor *factor)
{
    return !factor->factor->is_super;
}

ct_status ct_factor_solve(ct_factor *factor, double *values, int sides, ct_error *error)
{
    size_t n = factor->factor->n, count = n * (size_t)sides;
    cholmod_dense right = {.nrow = n,
                           .ncol = (size_t)sides,
                           .nzmax = count,
                           .d = n,
                           .x = values,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, factor->factor, &right, NULL, &factor->solution, NULL, &factor->one,
                        &factor->two, &factor->common))
        return fail(error, &factor->common);
    memcpy(values, factor->solution->x, count * sizeof *values);
    return CT_OK;
}

void ct_factor_destroy(ct_factor *factor)
{
    if (!factor) return;
    cholmod_free_dense(&factor->solution, &factor->common);
    cholmod_free_dense(&factor->one, &factor->common);
    cholmod_free_dense(&factor->two, &factor->common);
    cholmod_free_factor(&factor->factor, &factor->common);
    cholmod_finish(&factor->common);
    ct_release(factor->heap, factor);
}

#else

bool ct_factor_is_built_in(void)
{
    return false;
}

/* Worlds without it are refused: nobody gets here. */
static ct_status missing(ct_error *error)
{
    return ct_fail(error, CT_BAD_USAGE, "this build has no CHOLMOD");
}

ct_status ct_factor_create(ct_heap *heap, const ct_sparse *matrix, ct_factor **factor, ct_error *error)
{
    (void)heap, (void)matrix, (void)factor;
    return missing(error);
}

bool ct_factor_is_simplicial(const ct_factor *factor)
{
    (void)factor;
    return true;
}

ct_status ct_factor_solve(ct_factor *factor, double *values, int sides, ct_error *error)
{
    (void)factor, (void)values, (void)sides;
    return missing(error);
}

void ct_factor_destroy(ct_factor *factor)
{
    (void)factor;
}

#endif
