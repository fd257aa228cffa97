#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHES_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHES_ADDRESSES 1
#endif
#endif
#ifdef WATCHES_ADDRESSES
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)   ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { HEAP_BYTES = 256 << 20, LARGE_BYTES = 128 << 10, KEPT_BLOCKS = 24 };

void ct_fuzz_require(bool holds, const char *promise)
{
    if (holds) return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

void ct_fuzz_require_error(ct_status status, const ct_error *error, ct_status expected, const char *name)
{
    ct_fuzz_require(status == expected || status == CT_NO_MEMORY, "the status fits the failure");
    ct_fuzz_require(error->status == status, "the error holds the status that was returned");
    ct_fuzz_require(memchr(error->message, '\0', sizeof error->message), "the message ends");
    ct_fuzz_require(error->message[0], "the message says something");
    ct_fuzz_require(status == CT_NO_MEMORY || strstr(error->message, name), "the message names the file");
}

/* Large blocks are kept for the next input: fetching them from the system each time costs far more than
 * reading the input does. What of them is not in use nobody may touch. */
typedef struct kept_block {
    void *memory;
    size_t capacity; /* bytes, a power of two */
    bool is_used;
} kept_block;

static kept_block kept[KEPT_BLOCKS];

static kept_block *find_kept(size_t capacity)
{
    for (int i = 0; i < KEPT_BLOCKS; i++) {
        if (!kept[i].memory) kept[i] = (kept_block){aligned_alloc(CT_ALIGNMENT, capacity), capacity, false};
        if (kept[i].memory && !kept[i].is_used && kept[i].capacity == capacity) return &kept[i];
    }
    return NULL;
}

static void *allocate_large(size_t bytes)
{
    size_t capacity = LARGE_BYTES;
    while (capacity < bytes) capacity *= 2;
    kept_block *block = find_kept(capacity);
    if (!block) return aligned_alloc(CT_ALIGNMENT, bytes);
    block->is_used = true;
    ASAN_POISON_MEMORY_REGION(block->memory, capacity);
    ASAN_UNPOISON_MEMORY_REGION(block->memory, bytes);
    return block->memory;
}

static void *allocate(size_t bytes, void *user)
{
    ct_fuzz_heap *heap = user;
    heap->made++;
    if (heap->made == heap->failing || bytes > HEAP_BYTES - heap->heap.bytes) return NULL;
    return bytes < LARGE_BYTES ? aligned_alloc(CT_ALIGNMENT, bytes) : allocate_large(bytes);
}

static void release(void *memory, void *user)
{
    (void)user;
    for (int i = 0; i < KEPT_BLOCKS; i++) {
        if (kept[i].memory != memory) continue;
        kept[i].is_used = false;
        ASAN_POISON_MEMORY_REGION(memory, kept[i].capacity);
        return;
    }
    free(memory);
}

void ct_fuzz_heap_init(ct_fuzz_heap *heap, unsigned failing)
{
    *heap = (ct_fuzz_heap){.failing = failing};
    ct_heap_init(&heap->heap, (ct_allocator){allocate, release, heap});
}

void ct_fuzz_heap_finish(const ct_fuzz_heap *heap)
{
    ct_fuzz_require(heap->heap.bytes == 0, "all memory is given back");
}

/* FNV-1a, 64 bits. */
uint64_t ct_fuzz_hash(const uint8_t *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* Returns how many allocations were made. */
static unsigned read_once(ct_fuzz_reader *reader, const char *name, const uint8_t *bytes, size_t count,
                          unsigned failing)
{
    ct_fuzz_heap heap;
    ct_fuzz_heap_init(&heap, failing);
    reader(&heap.heap, name, bytes, count);
    ct_fuzz_heap_finish(&heap);
    return heap.made;
}

void ct_fuzz_read(ct_fuzz_reader *reader, const char *name, const uint8_t *bytes, size_t count)
{
    unsigned made = read_once(reader, name, bytes, count, 0);
    if (made) read_once(reader, name, bytes, count, 1 + (unsigned)(ct_fuzz_hash(bytes, count) % made));
}
