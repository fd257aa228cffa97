#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Every block is preceded by one alignment unit that holds its size. */
enum { LARGE_PAGE = 1 << 21 };

/* Large blocks ask for large pages, as far as they fill them: a step goes through many arrays at once, and
 * with small pages half of the time would go into looking up addresses. */
static void *system_allocate(size_t bytes, void *user)
{
    (void)user;
    if (bytes < LARGE_PAGE) return aligned_alloc(CT_ALIGNMENT, bytes);
    void *block = aligned_alloc(LARGE_PAGE, (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#if defined(MADV_HUGEPAGE)
    if (block) madvise(block, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return block;
}

static void system_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

void ct_heap_init(ct_heap *heap, ct_allocator allocator)
{
    if (!allocator.allocate || !allocator.release)
        allocator = (ct_allocator){system_allocate, system_release, NULL};
    *heap = (ct_heap){.allocator = allocator};
}

void *ct_allocate(ct_heap *heap, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t total = (bytes + 2 * CT_ALIGNMENT - 1) / CT_ALIGNMENT * CT_ALIGNMENT;
    char *block = heap->allocator.allocate(total, heap->allocator.user);
    if (!block) return NULL;
    memcpy(block, &total, sizeof total);
    size_t now = __atomic_add_fetch(&heap->bytes, total, __ATOMIC_RELAXED);
    size_t peak = __atomic_load_n(&heap->peak, __ATOMIC_RELAXED);
    while (now > peak &&
           !__atomic_compare_exchange_n(&heap->peak, &peak, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return block + CT_ALIGNMENT;
}

void *ct_allocate_zero(ct_heap *heap, size_t bytes)
{
    void *memory = ct_allocate(heap, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void ct_release(ct_heap *heap, void *memory)
{
    if (!memory) return;
    char *block = (char *)memory - CT_ALIGNMENT;
    size_t total;
    memcpy(&total, block, sizeof total);
    __atomic_sub_fetch(&heap->bytes, total, __ATOMIC_RELAXED);
    heap->allocator.release(block, heap->allocator.user);
}

ct_status ct_array_grow(ct_heap *heap, void *array, size_t count, size_t *capacity, size_t needed,
                        size_t size, ct_error *error)
{
    if (needed <= *capacity) return CT_OK;
    size_t room = *capacity + *capacity / 2;
    if (room < needed) room = needed;
    if (room < 16) room = 16;
    if (room > SIZE_MAX / 2 / size) return ct_fail_memory(error, SIZE_MAX);
    void *larger = ct_allocate(heap, room * size);
    if (!larger) return ct_fail_memory(error, room * size);
    void *old;
    memcpy(&old, array, sizeof old);
    if (count) memcpy(larger, old, count * size);
    ct_release(heap, old);
    memcpy(array, &larger, sizeof larger);
    *capacity = room;
    return CT_OK;
}

struct ct_arena_chunk {
    struct ct_arena_chunk *next;
    size_t used, size;
    _Alignas(16) char data[];
};

enum { CHUNK_BYTES = 1 << 16 };

void *ct_arena_allocate(ct_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + 15) / 16 * 16;
    struct ct_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = ct_allocate_zero(arena->heap, sizeof *chunk + size);
        if (!chunk) return NULL;
        chunk->size = size;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *memory = chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

char *ct_arena_text(ct_arena *arena, const char *text, size_t length)
{
    char *copy = ct_arena_allocate(arena, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void ct_arena_release(ct_arena *arena)
{
    while (arena->chunks) {
        struct ct_arena_chunk *next = arena->chunks->next;
        ct_release(arena->heap, arena->chunks);
        arena->chunks = next;
    }
}
