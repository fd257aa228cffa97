/* What the tests of core share: cmocka with its headers, and an allocator that counts and can be told to
 * fail. */
#ifndef CT_TESTS_CORE_HARNESS_H
#define CT_TESTS_CORE_HARNESS_H

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Counts what is held; the call with number `fail_at` (from 0) gives NULL. Start from {.fail_at = -1}. */
typedef struct counting {
    long calls, held, fail_at;
} counting;

static inline void *counting_allocate(size_t bytes, void *user)
{
    counting *count = user;
    if (count->calls++ == count->fail_at) return NULL;
    count->held++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void counting_release(void *memory, void *user)
{
    counting *count = user;
    count->held--;
    free(memory);
}

static inline ct_heap counting_heap(counting *count)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){counting_allocate, counting_release, count});
    return heap;
}

#endif
