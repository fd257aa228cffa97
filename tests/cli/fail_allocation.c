/* Loaded with LD_PRELOAD: the CT_FAIL_AT-th allocation of the process fails, all others succeed. It counts
 * malloc, calloc, realloc and aligned_alloc, of the program and of the libraries it uses, from the moment
 * when these have been set up: some allocate a lot while they are loaded, and do not expect to fail. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long allocations;
static atomic_bool is_counting;

/* Libraries that are loaded first are set up last. */
__attribute__((constructor)) static void begin(void)
{
    is_counting = true;
}

static int must_fail(void)
{
    static long fail_at = -1;
    if (fail_at < 0) {
        const char *text = getenv("CT_FAIL_AT");
        fail_at = text ? strtol(text, NULL, 10) : 0;
    }
    if (!is_counting) return 0;
    if (atomic_fetch_add(&allocations, 1) + 1 != fail_at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return must_fail() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return must_fail() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return must_fail() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return must_fail() ? NULL : __libc_memalign(alignment, bytes);
}
