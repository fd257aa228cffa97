/* The pool: every index exactly once, by workers that exist, for many counts, grains and sizes; pools side by
 * side. */
#include "core/threads.h"
#include "harness.h"

#include <pthread.h>

enum { MOST = 5000 };

typedef struct visits {
    unsigned char
        times[MOST]; /* written by the owner of the index only: no two writers unless the pool is wrong */
    int size;
    size_t grain, count;
    int wrong; /* pieces that are empty, too long, past the end, or of a worker that does not exist */
} visits;

static void visit(void *context, size_t begin, size_t end, int worker)
{
    visits *v = context;
    /* A loop that one worker does alone comes as one piece. */
    bool is_whole = begin == 0 && end == v->count;
    if (begin >= end || end > v->count || worker < 0 || worker >= v->size ||
        (end - begin > v->grain && !is_whole))
        __atomic_add_fetch(&v->wrong, 1, __ATOMIC_RELAXED);
    for (size_t i = begin; i < end && i < MOST; i++) __atomic_add_fetch(&v->times[i], 1, __ATOMIC_RELAXED);
}

static int count_mistakes(ct_pool *pool, size_t count, size_t grain)
{
    visits *v = calloc(1, sizeof *v);
    v->size = ct_pool_size(pool), v->count = count, v->grain = grain ? grain : 1;
    ct_pool_for(pool, count, grain, visit, v);
    int mistakes = v->wrong;
    for (size_t i = 0; i < MOST; i++) mistakes += v->times[i] != (i < count);
    free(v);
    return mistakes;
}

static void every_index_exactly_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 4999, MOST};
    static const size_t grains[] = {0, 1, 2, 5, 64, 999, 1u << 20};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int threads = 1; threads <= 9; threads++) {
        ct_pool *pool;
        assert_int_equal(ct_pool_create(&heap, threads, &pool, NULL), CT_OK);
        assert_int_equal(ct_pool_size(pool), threads);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
                assert_int_equal(count_mistakes(pool, counts[c], grains[g]), 0);
        ct_pool_destroy(pool);
    }
    assert_int_equal(heap.bytes, 0);
}

enum { WORKERS = 4 };

typedef struct climb {
    size_t next[WORKERS], pieces[MOST]; /* where each worker's next piece may begin; how often each came */
    int wrong;
} climb;

static void go_up(void *context, size_t begin, size_t end, int worker)
{
    climb *c = context;
    if (begin < c->next[worker]) __atomic_add_fetch(&c->wrong, 1, __ATOMIC_RELAXED);
    c->next[worker] = end;
    for (size_t i = begin; i < end; i++) __atomic_add_fetch(&c->pieces[i], 1, __ATOMIC_RELAXED);
}

/* Of equal limits the first is named: that leans on this. */
static void pieces_in_order_ascend_for_each_worker(void **state)
{
    (void)state;
    ct_heap heap;
    ct_pool *pool;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&heap, WORKERS, &pool, NULL), CT_OK);
    for (int repeat = 0; repeat < 50; repeat++) {
        climb c = {0};
        ct_pool_for_in_order(pool, MOST, 3, go_up, &c);
        assert_int_equal(c.wrong, 0);
        for (int i = 0; i < MOST; i++) assert_int_equal(c.pieces[i], 1);
    }
    ct_pool_destroy(pool);
    assert_int_equal(heap.bytes, 0);
}

static void add_one(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    int *numbers = context;
    for (size_t i = begin; i < end; i++) numbers[i]++;
}

/* Many short loops one after the other, each reading what the last one wrote: a late worker would be seen. */
static void loops_follow_each_other(void **state)
{
    (void)state;
    enum { COUNT = 64, LOOPS = 3000 };
    int numbers[COUNT] = {0};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_pool *pool;
    assert_int_equal(ct_pool_create(&heap, 3, &pool, NULL), CT_OK);
    for (int loop = 0; loop < LOOPS; loop++) {
        ct_pool_for(pool, COUNT, 1 + (size_t)loop % 9, add_one, numbers);
        for (int i = 0; i < COUNT; i++) assert_int_equal(numbers[i], loop + 1);
    }
    ct_pool_destroy(pool);
}

typedef struct nest {
    ct_heap heap; /* one for each: pools share nothing */
    ct_pool *pool, *inner;
    int mistakes;
} nest;

static void use_inner(void *context, size_t begin, size_t end, int worker)
{
    nest *n = context;
    (void)end;
    if (begin == 0 && worker >= 0) n->mistakes += count_mistakes(n->inner, 500, 3);
}

static void *use_both(void *argument)
{
    nest *n = argument;
    for (int round = 0; round < 100; round++) {
        n->mistakes += count_mistakes(n->pool, 1000, 7);
        ct_pool_for(n->pool, 4, 1, use_inner, n); /* a loop inside a loop, on another pool */
    }
    return NULL;
}

static void pools_do_not_disturb_each_other(void **state)
{
    (void)state;
    nest nests[2] = {0};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        ct_heap_init(&nests[i].heap, (ct_allocator){0});
        assert_int_equal(ct_pool_create(&nests[i].heap, 2 + i, &nests[i].pool, NULL), CT_OK);
        assert_int_equal(ct_pool_create(&nests[i].heap, 2, &nests[i].inner, NULL), CT_OK);
    }
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, use_both, &nests[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(nests[i].mistakes, 0);
        ct_pool_destroy(nests[i].inner);
        ct_pool_destroy(nests[i].pool);
        assert_int_equal(nests[i].heap.bytes, 0);
    }
}

static void bad_sizes_and_no_memory(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_pool *pool = (ct_pool *)&heap;
    ct_error error;
    assert_int_equal(ct_pool_create(&heap, -1, &pool, &error), CT_BAD_USAGE);
    assert_null(pool);
    assert_non_null(strstr(error.message, "threads"));
    assert_int_equal(ct_pool_create(&heap, 257, &pool, &error), CT_BAD_USAGE);
    for (count.fail_at = 0; count.fail_at < 10; count.fail_at++) {
        count.calls = 0;
        ct_status status = ct_pool_create(&heap, 3, &pool, &error);
        if (status == CT_OK) break;
        assert_int_equal(status, CT_NO_MEMORY);
        assert_null(pool);
        assert_int_equal(count.held, 0);
    }
    assert_in_range(count.fail_at, 1, 9); /* it failed at least once, and then did not */
    ct_pool_destroy(pool);
    ct_pool_destroy(NULL);
    assert_int_equal(count.held, 0);
    count.fail_at = -1;
    assert_int_equal(ct_pool_create(&heap, 0, &pool, NULL), CT_OK);
    assert_true(ct_pool_size(pool) >= 1);
    ct_pool_destroy(pool);
}

#if defined(__x86_64__) || defined(__aarch64__)
static float half_of(volatile const float *x)
{
    return *x * 0.5f;
}

/* Counts the indices at which the smallest normal number, halved, is not zero. */
static void count_tiny(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    unsigned char *is_tiny = context;
    volatile float smallest = 1.17549435e-38f;
    for (size_t i = begin; i < end; i++) is_tiny[i] = half_of(&smallest) != 0;
}

/* Numbers below the normal range are zero while a loop runs, on every thread; and as they were for the caller
 * after it. */
static void tiny_numbers_vanish_inside_only(void **state)
{
    (void)state;
    static unsigned char is_tiny[MOST];
    for (int size = 1; size <= 4; size++) {
        ct_heap heap;
        ct_pool *pool;
        ct_heap_init(&heap, (ct_allocator){0});
        assert_int_equal(ct_pool_create(&heap, size, &pool, NULL), CT_OK);
        volatile float smallest = 1.17549435e-38f;
        assert_true(half_of(&smallest) != 0);
        memset(is_tiny, 1, sizeof is_tiny);
        ct_pool_for(pool, MOST, 3, count_tiny, is_tiny);
        for (int i = 0; i < MOST; i++) assert_int_equal(is_tiny[i], 0);
        assert_true(half_of(&smallest) != 0);
        ct_pool_destroy(pool);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_exactly_once),
        cmocka_unit_test(pieces_in_order_ascend_for_each_worker),
        cmocka_unit_test(loops_follow_each_other),
        cmocka_unit_test(pools_do_not_disturb_each_other),
        cmocka_unit_test(bad_sizes_and_no_memory),
#if defined(__x86_64__) || defined(__aarch64__)
        cmocka_unit_test(tiny_numbers_vanish_inside_only),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
