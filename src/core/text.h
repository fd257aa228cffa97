/* A text that grows: what writers and messages are built in. After a failed allocation it stays as it is and
 * `failed` is set, so that a long series of appends needs one check at the end.
 */
#ifndef CT_CORE_TEXT_H
#define CT_CORE_TEXT_H

#include "core/memory.h"

typedef struct ct_text {
    ct_heap *heap;
    char *data; /* ends with '\0' once anything was appended */
    size_t length, capacity;
    bool failed;
} ct_text;

void ct_text_append(ct_text *text, const void *bytes, size_t count);
void ct_text_print(ct_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ct_text_release(ct_text *text);

/* The word of `words` [count] nearest to `word`, for "did you mean"; NULL when none is near. */
const char *ct_nearest_word(const char *word, const char *const *words, int count);

#endif
