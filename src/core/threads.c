#include "core/threads.h"

#include "core/flush.h"
#include "core/limits.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#define OPEN  1ull
#define IN    2ull
#define ROUND 32

enum {
    SPINS = 4000 /* looks at the flag before a worker goes to sleep: a step has many short loops */
};

/* Each worker has a slice of the loop, the same in every loop of that length: what it wrote in one is in its
 * own cache in the next. Who is done with its own helps with the slices that follow. */
typedef struct worker {
    struct ct_pool *pool;
    pthread_t thread;
    int number;
    size_t end;         /* of its slice, pieces */
    atomic_size_t next; /* the piece of its slice that nobody has taken */
    char apart[64];     /* from the next worker's: they are counted up at the same time */
    _Alignas(CT_ALIGNMENT) char result[CT_RESULT_BYTES]; /* of a loop that ends in one (core/reduce.h) */
} worker;

struct ct_pool {
    ct_heap *heap;
    int size; /* workers, the caller included */
    worker *workers;
    pthread_mutex_t mutex;
    pthread_cond_t wake;

    /* The loop under way. Whoever finds the gate open may join; the caller shuts it when no piece is left,
     * and waits only for those who are in. A worker that sleeps, or to whom a busy machine gives no core, is
     * not waited for. */
    ct_loop_body body;
    void *context;
    size_t count, grain;
    atomic_ullong gate; /* round << ROUND | workers that are in * IN | OPEN */
    atomic_bool stop;
    int spins; /* 0 where threads share cores: spinning would take the core from who has work */
};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* Workers from number `slices` on have empty ones. */
static void cut_slices(ct_pool *pool, size_t slices)
{
    size_t pieces = (pool->count - 1) / pool->grain + 1;
    for (size_t k = 0; k < (size_t)pool->size; k++) {
        size_t begin = pieces / slices * k + pieces % slices * k / slices,
               end = pieces / slices * (k + 1) + pieces % slices * (k + 1) / slices;
        atomic_store_explicit(&pool->workers[k].next, begin, memory_order_relaxed);
        pool->workers[k].end = k < slices ? end : 0;
    }
}

static void take_pieces(ct_pool *pool, int number)
{
    for (int k = 0; k < pool->size; k++) {
        worker *whose = &pool->workers[(number + k) % pool->size];
        while (whose->end) {
            size_t piece = atomic_fetch_add_explicit(&whose->next, 1, memory_order_relaxed);
            if (piece >= whose->end) break;
            size_t begin = piece * pool->grain,
                   end = pool->count - begin < pool->grain ? pool->count : begin + pool->grain;
            pool->body(pool->context, begin, end, number);
        }
    }
}

static unsigned long long gate_of(ct_pool *pool)
{
    return atomic_load_explicit(&pool->gate, memory_order_acquire);
}

/* Joins the round, if its gate is still open. */
static bool enter(ct_pool *pool, unsigned long long round)
{
    unsigned long long gate = gate_of(pool);
    while (gate & OPEN && gate >> ROUND == round)
        if (atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + IN, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    return false;
}

static void *work(void *argument)
{
    worker *self = argument;
    ct_pool *pool = self->pool;
    unsigned long long seen = 0;
    ct_flush_begin(); /* for as long as the thread lives: it is the pool's own */
    for (;;) {
        for (int spin = 0; spin < pool->spins && gate_of(pool) >> ROUND == seen; spin++) relax();
        if (gate_of(pool) >> ROUND == seen) {
            pthread_mutex_lock(&pool->mutex);
            while (gate_of(pool) >> ROUND == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
            pthread_mutex_unlock(&pool->mutex);
        }
        seen = gate_of(pool) >> ROUND;
        if (atomic_load_explicit(&pool->stop, memory_order_acquire)) return NULL;
        if (!enter(pool, seen)) continue;
        take_pieces(pool, self->number);
        atomic_fetch_sub_explicit(&pool->gate, IN, memory_order_release);
    }
}

/* Nobody is in: the last round has ended. */
static void start_round(ct_pool *pool)
{
    unsigned long long round = (gate_of(pool) >> ROUND) + 1;
    pthread_mutex_lock(&pool->mutex);
    atomic_store_explicit(&pool->gate, (round << ROUND) | OPEN, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static int usable_cores(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set)) return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* A small limit of the stack is a limit of the shell, not of what workers need. */
static void set_stack(pthread_attr_t *attributes)
{
    static const size_t least = 1 << 20; /* bytes */
    size_t usual;
    if (pthread_attr_getstacksize(attributes, &usual) == 0 && usual < least)
        pthread_attr_setstacksize(attributes, least);
}

static int start_worker(worker *self)
{
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure) return failure;
    set_stack(&attributes);
    failure = pthread_create(&self->thread, &attributes, work, self);
    pthread_attr_destroy(&attributes);
    return failure;
}

ct_status ct_pool_create(ct_heap *heap, int threads, ct_pool **result, ct_error *error)
{
    *result = NULL;
    if (threads < 0 || threads > CT_MAX_THREADS)
        return ct_fail(error, CT_BAD_USAGE, "threads: %d; it must be 0 (one per core) to %d", threads,
                       CT_MAX_THREADS);
    if (!threads) threads = usable_cores();
    if (threads > CT_MAX_THREADS) threads = CT_MAX_THREADS;
    ct_pool *pool = ct_allocate_zero(heap, sizeof *pool);
    worker *workers = ct_allocate_zero(heap, (size_t)threads * sizeof *workers);
    if (!pool || !workers) {
        ct_release(heap, pool);
        ct_release(heap, workers);
        return ct_fail_memory(error, (size_t)threads * sizeof *workers);
    }
    *pool = (ct_pool){
        .heap = heap, .size = 1, .workers = workers, .spins = threads <= usable_cores() ? SPINS : 0};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (; pool->size < threads; pool->size++) {
        worker *next = &workers[pool->size];
        *next = (worker){.pool = pool, .number = pool->size};
        if (start_worker(next)) {
            ct_pool_destroy(pool);
            return ct_fail(error, CT_FAILED, "cannot start %d threads; try --threads with a smaller number",
                           threads);
        }
    }
    *result = pool;
    return CT_OK;
}

void ct_pool_destroy(ct_pool *pool)
{
    if (!pool) return;
    atomic_store(&pool->stop, true);
    start_round(pool);
    for (int i = 1; i < pool->size; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    ct_heap *heap = pool->heap;
    ct_release(heap, pool->workers);
    ct_release(heap, pool);
}

int ct_pool_size(const ct_pool *pool)
{
    return pool->size;
}

void *ct_pool_result(ct_pool *pool, int number)
{
    return pool->workers[number].result;
}

static void run_loop(ct_pool *pool, int slices, size_t count, size_t grain, ct_loop_body body, void *context)
{
    if (!count) return;
    if (!grain) grain = 1;
    uint64_t mode = ct_flush_begin();
    if (pool->size == 1 || count <= grain) {
        body(context, 0, count, 0);
        ct_flush_end(mode);
        return;
    }
    pool->body = body;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    cut_slices(pool, (size_t)slices);
    start_round(pool);
    take_pieces(pool, 0);
    atomic_fetch_and_explicit(&pool->gate, ~OPEN, memory_order_acq_rel);
    for (int spin = 0; gate_of(pool) & ((1ull << ROUND) - IN);)
        if (++spin < pool->spins) relax();
        else sched_yield();
    ct_flush_end(mode);
}

void ct_pool_for(ct_pool *pool, size_t count, size_t grain, ct_loop_body body, void *context)
{
    run_loop(pool, pool->size, count, grain, body, context);
}

void ct_pool_for_in_order(ct_pool *pool, size_t count, size_t grain, ct_loop_body body, void *context)
{
    run_loop(pool, 1, count, grain, body, context);
}
