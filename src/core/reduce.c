#include "core/reduce.h"

#include <assert.h>
#include <string.h>

typedef struct reducing {
    ct_reduce_body body;
    void *context;
    ct_pool *pool;
    char *own; /* [workers x size], or [pieces x size]; NULL: the pool's */
    size_t count, grain, size;
} reducing;

static void *result_of(const reducing *r, int worker)
{
    return r->own ? r->own + (size_t)worker * r->size : ct_pool_result(r->pool, worker);
}

static void run_worker(void *context, size_t begin, size_t end, int worker)
{
    const reducing *r = context;
    r->body(r->context, begin, end, worker, result_of(r, worker));
}

typedef void (*loop)(ct_pool *pool, size_t count, size_t grain, ct_loop_body body, void *context);

static void reduce(loop run, reducing *r, ct_fold fold, void *result)
{
    int workers = ct_pool_size(r->pool);
    assert(r->own || r->size <= CT_RESULT_BYTES);
    for (int w = 0; w < workers; w++) memcpy(result_of(r, w), result, r->size);
    run(r->pool, r->count, r->grain, run_worker, r);
    for (int w = 0; w < workers; w++) fold(result, result_of(r, w), r->size);
}

void ct_reduce(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context, ct_fold fold,
               void *result, size_t size)
{
    reduce(ct_pool_for, &(reducing){body, context, pool, NULL, count, grain, size}, fold, result);
}

void ct_reduce_in_order(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                        ct_fold fold, void *result, size_t size)
{
    reduce(ct_pool_for_in_order, &(reducing){body, context, pool, NULL, count, grain, size}, fold, result);
}

void ct_reduce_large(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                     ct_fold fold, void *own, void *result, size_t size)
{
    reduce(ct_pool_for, &(reducing){body, context, pool, own, count, grain, size}, fold, result);
}

static void run_pieces(void *context, size_t begin, size_t end, int worker)
{
    const reducing *r = context;
    for (size_t k = begin; k < end; k++) {
        size_t first = k * r->grain, last = r->count - first < r->grain ? r->count : first + r->grain;
        r->body(r->context, first, last, worker, r->own + k * r->size);
    }
}

void ct_reduce_pieces(ct_pool *pool, size_t count, size_t grain, ct_reduce_body body, void *context,
                      ct_fold fold, void *partial, void *result, size_t size)
{
    size_t piece = (count + CT_PIECES - 1) / CT_PIECES;
    if (piece < grain) piece = grain;
    size_t pieces = (count + piece - 1) / piece;
    reducing r = {body, context, pool, partial, count, piece, size};
    for (size_t k = 0; k < pieces; k++) memcpy(r.own + k * size, result, size);
    ct_pool_for(pool, pieces, 1, run_pieces, &r);
    for (size_t k = 0; k < pieces; k++) fold(result, r.own + k * size, size);
}

void ct_fold_or(void *into, const void *from, size_t size)
{
    bool *any = into;
    const bool *one = from;
    for (size_t k = 0; k < size / sizeof *any; k++) any[k] |= one[k];
}

void ct_fold_max(void *into, const void *from, size_t size)
{
    double *most = into;
    const double *one = from;
    for (size_t k = 0; k < size / sizeof *most; k++)
        if (one[k] > most[k]) most[k] = one[k];
}
