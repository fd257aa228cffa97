#include "core/ranks.h"

#include <stdint.h>
#include <string.h>

enum { PIECE = 1 << 14 }; /* bytes gathered on the stack */

void ct_ranks_fold(ct_ranks *ranks, void *result, size_t size, ct_fold fold)
{
    if (!ranks) return;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    _Alignas(CT_ALIGNMENT) char here[PIECE];
    size_t bytes = size * (size_t)ranks->count;
    char *all = bytes <= sizeof here ? here : ct_allocate(&heap, bytes);
    if (!all) {
        ct_error error;
        ct_fail_memory(&error, bytes);
        ranks->end_all(ranks, &error);
        return;
    }
    ranks->gather(ranks, result, size, all);
    memcpy(result, all, size);
    for (int r = 1; r < ranks->count; r++) fold(result, all + (size_t)r * size, size);
    if (all != here) ct_release(&heap, all);
}

bool ct_ranks_any(ct_ranks *ranks, bool own)
{
    ct_ranks_fold(ranks, &own, sizeof own, ct_fold_or);
    return own;
}

static void keep_first(void *into, const void *from, size_t size)
{
    (void)into, (void)from, (void)size;
}

void ct_ranks_share(ct_ranks *ranks, void *value, size_t size)
{
    ct_ranks_fold(ranks, value, size, keep_first);
}

ct_status ct_ranks_list(ct_ranks *ranks, ct_heap *heap, const void *own, size_t size, size_t *count,
                        void *list, ct_error *error)
{
    size_t bytes = *count * size, total = 0;
    void *place = NULL;
    size_t *sizes = ct_allocate(heap, (size_t)ranks->count * sizeof *sizes);
    if (sizes) {
        ranks->gather(ranks, &bytes, sizeof bytes, sizes);
        for (int r = 0; r < ranks->count; r++) total += sizes[r];
        place = ct_allocate(heap, total + 1);
    }
    if (place) ranks->gather_varied(ranks, own, place, sizes);
    ct_release(heap, sizes);
    if (!place) {
        ct_error why;
        ct_fail_memory(&why, total);
        ranks->end_all(ranks, &why);
        return ct_fail_memory(error, total);
    }
    memcpy(list, &place, sizeof place);
    *count = total / size;
    return CT_OK;
}

/* What a rank says of how it went. */
typedef struct verdict {
    int32_t status, has_message;
} verdict;

static void fold_verdicts(void *into, const void *from, size_t size)
{
    (void)size;
    verdict *all = into;
    const verdict *one = from;
    if (one->status && (!all->status || (one->has_message && !all->has_message))) *all = *one;
}

typedef struct message {
    char text[CT_MESSAGE_SIZE];
} message;

static void fold_messages(void *into, const void *from, size_t size)
{
    if (!*(const char *)into) memcpy(into, from, size);
}

ct_status ct_ranks_agree(ct_ranks *ranks, ct_status status, ct_error *error)
{
    if (!ranks) return status;
    message text = {""};
    if (status && error) memcpy(text.text, error->message, sizeof text.text);
    verdict all = {(int32_t)status, *text.text != 0};
    ct_ranks_fold(ranks, &all, sizeof all, fold_verdicts);
    if (!all.status) return CT_OK;
    if (status != (ct_status)all.status) *text.text = 0; /* another failure is told */
    ct_ranks_fold(ranks, &text, sizeof text, fold_messages);
    return ct_fail(error, (ct_status)all.status, "%s", text.text);
}
