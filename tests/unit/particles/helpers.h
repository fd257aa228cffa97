/* What the tests of this folder share: definitions with defaults, random numbers, and an allocator that fails
 * on request. */
#ifndef CT_TESTS_PARTICLES_HELPERS_H
#define CT_TESTS_PARTICLES_HELPERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static inline ct_shape_def shape_def(ct_shape_type type)
{
    return (ct_shape_def){.type = type, .scale = {1, 1, 1}};
}

static inline ct_body_def body_def(ct_shape_def shape)
{
    return (ct_body_def){.name = "thing", .shape = shape, .deformation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/* Number `index` of a stream, in [low, high). */
static inline double draw(uint64_t stream, uint64_t index, double low, double high)
{
    return low + (high - low) * ct_random_unit(ct_random_key(stream, index));
}

static inline void draw_point(uint64_t stream, uint64_t index, double low, double high, double point[3])
{
    for (uint64_t a = 0; a < 3; a++) point[a] = draw(stream, 3 * index + a, low, high);
}

static inline double distance_between(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static inline void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g is not within %g of %.17g\n", value, tolerance, expected);
        fail();
    }
}

/* The call failed with this status, and its message holds this text. */
static inline void expect_failure(ct_status status, const ct_error *error, ct_status expected,
                                  const char *text)
{
    if (status != expected || error->status != expected || !strstr(error->message, text)) {
        print_error("status %d, message '%s'; expected %d and '%s'\n", (int)status,
                    status ? error->message : "", (int)expected, text);
        fail();
    }
}

/* Gives memory until `left` allocations were made. */
typedef struct failing_allocator {
    size_t left;
} failing_allocator;

static inline void *allocate_or_fail(size_t bytes, void *user)
{
    failing_allocator *allocator = user;
    if (!allocator->left) return NULL;
    allocator->left--;
    return aligned_alloc(64, bytes);
}

static inline void release_allocated(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Runs `work` with memory running out at the first, second, ... allocation until it succeeds: each failure
 * must say so and leave nothing behind. `work` releases what it made. */
static inline void expect_survives_no_memory(ct_status (*work)(ct_heap *heap, ct_error *error))
{
    for (size_t allowed = 0; allowed < 10000; allowed++) {
        failing_allocator allocator = {allowed};
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){allocate_or_fail, release_allocated, &allocator});
        ct_error error = {0};
        ct_status status = work(&heap, &error);
        assert_int_equal(heap.bytes, 0);
        if (!status) {
            assert_true(allowed > 0);
            return;
        }
        assert_int_equal(status, CT_NO_MEMORY);
    }
    fail();
}

#endif
