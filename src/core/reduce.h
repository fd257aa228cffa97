/* Loops that end in one result: the only place where results of workers meet.
 *
 * Which worker takes which piece is left to chance, so there are two ways that give the same bits for any
 * number of threads:
 *
 *     ct_reduce         a result per worker, folded worker after worker; for folds that do not care who
 * brought what:
 *                       largest, smallest, or, sums of integers
 *     ct_reduce_pieces  a result per piece, folded piece after piece; for sums of real numbers
 */
#ifndef CT_CORE_REDUCE_H
#define CT_CORE_REDUCE_H

#include "core/threads.h"

enum { CT_PIECES = 128 };

/* begin <= index < end is the piece; `result` is the worker's own, or the piece's. */
typedef void (*ct_reduce_body)(void *context, size_t begin, size_t end, int worker, void *result);
typedef void (*ct_fold)(void *into, const void *from, size_t size);

/* *result is where every worker begins, and holds what came of it; `size` bytes, at most CT_RESULT_BYTES. */
void ct_reduce(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context, ct_fold fold,
               void *result, size_t size);

/* The same, and each worker takes its pieces in ascending order. */
void ct_reduce_in_order(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                        ct_fold fold, void *result, size_t size);

/* The same for results that are longer: `own` has room for one per worker. */
void ct_reduce_large(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                     ct_fold fold, void *own, void *result, size_t size);

/* [0, count) in at most CT_PIECES pieces of at least `grain`, a number that depends on count alone.
 * `partial` has room for CT_PIECES results; each begins as *result is, which the caller makes neutral. */
void ct_reduce_pieces(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                      ct_fold fold, void *partial, void *result, size_t size);

/* Folds of as many numbers as `size` has room for. */
void ct_fold_or(void *into, const void *from, size_t size);  /* bool */
void ct_fold_max(void *into, const void *from, size_t size); /* double */

#endif
