/* What the tests of pictures share: a heap that can be told to fail, frames made of a few numbers. */
#ifndef CT_TEST_LOOK_SUPPORT_H
#define CT_TEST_LOOK_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "look/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts down and then fails for good; -1: never fails. */
typedef struct failing {
    long left;
} failing;

static inline void *failing_allocate(size_t bytes, void *user)
{
    failing *self = user;
    if (self->left == 0) return NULL;
    if (self->left > 0) self->left--;
    return aligned_alloc(64, (bytes + 64) / 64 * 64);
}

static inline void failing_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static inline ct_allocator failing_allocator(failing *self)
{
    return (ct_allocator){failing_allocate, failing_release, self};
}

/* A repeatable number in 0..1. */
static inline double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* A heap and a pool for as long as a test runs. */
typedef struct studio {
    ct_heap heap;
    ct_pool *pool;
} studio;

static inline void studio_open(studio *self, int threads)
{
    ct_heap_init(&self->heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&self->heap, threads, &self->pool, NULL), CT_OK);
}

/* Fails when anything was leaked. */
static inline void studio_close(studio *self)
{
    ct_pool_destroy(self->pool);
    assert_int_equal(self->heap.bytes, 0);
}

static inline void assert_message_has(const ct_error *error, const char *part)
{
    if (!strstr(error->message, part)) fail_msg("'%s' is not in '%s'", part, error->message);
}

#endif
