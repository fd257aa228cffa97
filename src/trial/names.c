/* Names in formulas: CASE.MEASURE@VALUE, of which the case and the value may be left out. */
#include "trial/trial.h"

#include <string.h>

static int find_text(const ct_texts *texts, const char *text)
{
    for (int k = 0; k < texts->count; k++)
        if (!strcmp(texts->texts[k], text)) return k;
    return -1;
}

int ct_case_find(const ct_trial *trial, const char *name)
{
    for (int c = 0; c < trial->case_count; c++)
        if (!strcmp(trial->cases[c].name, name)) return c;
    return -1;
}

bool ct_name_read(const ct_trial *trial, const char *text, int own, ct_name *name)
{
    *name = (ct_name){.index = own, .point = -1};
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    if (length >= sizeof name->word) return false;
    memcpy(name->word, text, length);
    char *point = strchr(name->word, '.');
    if (point) {
        *point = '\0';
        name->index = ct_case_find(trial, name->word);
        memmove(name->word, point + 1, strlen(point + 1) + 1);
    }
    if (name->index < 0) return false;
    if (at) name->point = find_text(&trial->cases[name->index].at, at + 1);
    return !at || name->point >= 0;
}
