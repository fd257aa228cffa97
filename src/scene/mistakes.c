#include "scene/mistakes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Control characters could rewrite the terminal; a character cut in half by a limit would be no UTF-8. */
static void make_printable(char *text)
{
    size_t length = strlen(text), last = length;
    while (last > 0 && ((unsigned char)text[last - 1] & 0xC0) == 0x80) last--;
    if (last > 0 && (unsigned char)text[last - 1] >= 0xC0) {
        unsigned char lead = (unsigned char)text[last - 1];
        size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        if (length - (last - 1) < bytes) text[last - 1] = '\0';
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = ' ';
}

ct_shown ct_show(const char *text)
{
    ct_shown shown;
    bool fits = (size_t)snprintf(shown.text, sizeof shown.text - 3, "%s", text) < sizeof shown.text - 3;
    make_printable(shown.text);
    if (!fits) memcpy(shown.text + strlen(shown.text), "...", 4);
    return shown;
}

void ct_mistake(ct_mistakes *mistakes, ct_place place, const char *format, ...)
{
    if (mistakes->count++ >= CT_MOST_MISTAKES) return;
    char *text = mistakes->kept[mistakes->count - 1].text;
    mistakes->kept[mistakes->count - 1].place = place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, CT_MISTAKE_SIZE, format, arguments);
    va_end(arguments);
    make_printable(text);
}

/* File order; settings come after the file. */
static bool comes_before(const ct_place *a, const ct_place *b)
{
    if (!a->setting != !b->setting) return !a->setting;
    if (a->line != b->line) return a->line < b->line;
    return a->column < b->column;
}

/* The numbers of the kept mistakes in file order (by insertion, which keeps equals as they came). */
static int sort(const ct_mistakes *mistakes, int order[CT_MOST_MISTAKES])
{
    int count = mistakes->count < CT_MOST_MISTAKES ? mistakes->count : CT_MOST_MISTAKES;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && comes_before(&mistakes->kept[i].place, &mistakes->kept[order[at - 1]].place); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return count;
}

ct_status ct_mistakes_report(ct_mistakes *mistakes, ct_error *error)
{
    if (!mistakes->count) return CT_OK;
    char message[CT_MESSAGE_SIZE] = "";
    int order[CT_MOST_MISTAKES], kept = sort(mistakes, order), shown = 0;
    size_t used = 0;
    for (; shown < kept; shown++) {
        const ct_place *place = &mistakes->kept[order[shown]].place;
        const char *text = mistakes->kept[order[shown]].text;
        char line[CT_MISTAKE_SIZE + 600];
        if (place->setting) {
            snprintf(line, sizeof line, "--set %s: error: %s", ct_show(place->setting).text, text);
        } else {
            snprintf(line, sizeof line, "%.512s:%d:%d: error: %s", mistakes->path, place->line, place->column,
                     text);
        }
        size_t length = strlen(line);
        if (used + length + 40 > sizeof message) break; /* leaves room for the last line */
        used += (size_t)snprintf(message + used, sizeof message - used, "%s%s", used ? "\n" : "", line);
    }
    if (shown < mistakes->count)
        snprintf(message + used, sizeof message - used, "\n... and %d more", mistakes->count - shown);
    return ct_fail(error, CT_BAD_SCENE, "%s", message);
}
