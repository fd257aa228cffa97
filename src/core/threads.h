/* A pool of worker threads that belongs to one world. Work is a loop over [0, count) cut into pieces of
 * `grain` that workers take as they come free; the caller works, too, and returns when all is done. Which
 * worker takes which piece is left to chance, so a loop body must write only what its own index owns: that is
 * what keeps results independent of the number of threads.
 *
 * While a loop runs, numbers below the normal range count as zero on every thread that takes part
 * (core/flush.h).
 *
 * Own threads instead of OpenMP: the pool is part of the world and not of the process, it can be watched by
 * the thread sanitizer, and a failure to start a thread is an error instead of an abort.
 */
#ifndef CT_CORE_THREADS_H
#define CT_CORE_THREADS_H

#include "core/memory.h"

typedef struct ct_pool ct_pool;

/* begin <= index < end is the piece; `worker` < ct_pool_size, for scratch memory. */
typedef void (*ct_loop_body)(void *context, size_t begin, size_t end, int worker);

/* threads 0: one for each core this process may use. */
ct_status ct_pool_create(ct_heap *heap, int threads, ct_pool **pool, ct_error *error);
void ct_pool_destroy(ct_pool *pool);
int ct_pool_size(const ct_pool *pool);

/* Memory of a worker for the result of a loop. */
enum { CT_RESULT_BYTES = 256 };
void *ct_pool_result(ct_pool *pool, int worker);

void ct_pool_for(ct_pool *pool, size_t count, size_t grain, ct_loop_body body, void *context);

/* The same, and each worker takes its pieces in ascending order: of equal values the first that a worker
 * meets is then the first of all that it meets. */
void ct_pool_for_in_order(ct_pool *pool, size_t count, size_t grain, ct_loop_body body, void *context);

#endif
