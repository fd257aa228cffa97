#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(ct_text *text, size_t more)
{
    if (text->failed || ct_array_grow(text->heap, &text->data, text->length, &text->capacity,
                                      text->length + more + 1, 1, NULL) != CT_OK)
        text->failed = true;
    return !text->failed;
}

void ct_text_append(ct_text *text, const void *bytes, size_t count)
{
    if (!reserve(text, count)) return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void ct_text_print(ct_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void ct_text_release(ct_text *text)
{
    ct_release(text->heap, text->data);
    *text = (ct_text){.heap = text->heap};
}

enum { LONGEST_WORD = 40 };

/* Levenshtein distance; a word longer than LONGEST_WORD is near nothing. */
static int distance(const char *a, const char *b)
{
    size_t length = strlen(b);
    if (strlen(a) > LONGEST_WORD || length > LONGEST_WORD) return LONGEST_WORD;
    int row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= length; j++) row[j] = (int)j;
    for (size_t i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t j = 0; j < length; j++) {
            int best = diagonal + (a[i] != b[j]);
            if (row[j] + 1 < best) best = row[j] + 1;
            diagonal = row[j + 1];
            if (diagonal + 1 < best) best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[length];
}

const char *ct_nearest_word(const char *word, const char *const *words, int count)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    int least = length > LONGEST_WORD ? 0 : (int)length / 3 + 2;
    for (int i = 0; i < count; i++) {
        int far = distance(word, words[i]);
        if (far < least) least = far, nearest = words[i];
    }
    return nearest;
}
