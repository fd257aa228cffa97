/* All memory of the library comes from a ct_heap: the user's allocator hook with a count of what is held. A
 * heap belongs to a world (or to a scene being read); nothing is shared between two of them.
 *
 * There is no realloc: ct_array_grow makes a new block, copies and releases the old one, so a structure of
 * many arrays never holds more than one array twice.
 */
#ifndef CT_CORE_MEMORY_H
#define CT_CORE_MEMORY_H

#include "core/error.h"

enum { CT_ALIGNMENT = 64 }; /* bytes: a cache line and the widest vector */

typedef struct ct_heap {
    ct_allocator allocator;
    size_t bytes, peak; /* held now, at the most; changed atomically */
} ct_heap;

/* NULL functions in `allocator` mean the C library's. */
void ct_heap_init(ct_heap *heap, ct_allocator allocator);

/* Memory aligned to CT_ALIGNMENT, or NULL. ct_allocate_zero clears it. Zero bytes give a valid pointer. */
void *ct_allocate(ct_heap *heap, size_t bytes);
void *ct_allocate_zero(ct_heap *heap, size_t bytes);
void ct_release(ct_heap *heap, void *memory); /* NULL is fine */

/* Makes room for `needed` elements of `size` bytes in *array, which holds `count` of `*capacity`, growing by
 * a half. On failure nothing changes. */
ct_status ct_array_grow(ct_heap *heap, void *array, size_t count, size_t *capacity, size_t needed,
                        size_t size, ct_error *error);

/* An arena gives out many small pieces that are all released together: syntax trees, names, definitions. */
typedef struct ct_arena {
    ct_heap *heap;
    struct ct_arena_chunk *chunks;
} ct_arena;

void *ct_arena_allocate(ct_arena *arena, size_t bytes); /* zeroed, aligned to 16; NULL when out of memory */
char *ct_arena_text(ct_arena *arena, const char *text, size_t length);
void ct_arena_release(ct_arena *arena);

#endif
