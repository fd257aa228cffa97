#include "particles/xml.h"

#include <string.h>

static void go_to(ct_scan *scan, const char *at)
{
    for (; scan->at < at; scan->at++) scan->line += *scan->at == '\n';
}

/* Behind the next occurrence of `text`, or NULL. */
static const char *behind(const ct_scan *scan, const char *text)
{
    size_t length = strlen(text);
    const char *found = memmem(scan->at, (size_t)(scan->end - scan->at), text, length);
    return found ? found + length : NULL;
}

/* The end of the tag that begins at `at`: its '>', which may also stand in a quoted value. */
static const char *tag_end(const char *at, const char *end)
{
    char quote = 0;
    for (; at < end; at++) {
        if (quote) quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'') quote = *at;
        else if (*at == '>') return at;
    }
    return NULL;
}

static void split_tag(ct_slice inside, ct_xml_tag *tag)
{
    tag->is_closing = inside.length && inside.at[0] == '/';
    if (tag->is_closing) inside.at++, inside.length--;
    tag->is_empty = inside.length && inside.at[inside.length - 1] == '/';
    if (tag->is_empty) inside.length--;
    ct_slice_word(&inside, &tag->name);
    tag->attributes = inside;
}

bool ct_xml_next(ct_scan *scan, ct_xml_tag *tag)
{
    for (;;) {
        const char *open = memchr(scan->at, '<', (size_t)(scan->end - scan->at));
        if (!open) return false;
        go_to(scan, open);
        ct_slice rest = {open, (size_t)(scan->end - open)};
        const char *close;
        if (ct_slice_starts(rest, "<!--")) close = behind(scan, "-->");
        else if (ct_slice_starts(rest, "<?")) close = behind(scan, "?>");
        else if (ct_slice_starts(rest, "<!")) close = behind(scan, ">");
        else break;
        if (!close) return false;
        go_to(scan, close);
    }
    const char *inside = scan->at + 1, *close = tag_end(inside, scan->end);
    if (!close) return false;
    split_tag((ct_slice){inside, (size_t)(close - inside)}, tag);
    go_to(scan, close + 1);
    const char *next = memchr(scan->at, '<', (size_t)(scan->end - scan->at));
    tag->text = (ct_slice){scan->at, (size_t)((next ? next : scan->end) - scan->at)};
    return true;
}

bool ct_xml_attribute(const ct_xml_tag *tag, const char *name, ct_slice *value)
{
    const char *at = tag->attributes.at, *end = at + tag->attributes.length;
    while (at < end) {
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals) return false;
        ct_slice before = {at, (size_t)(equals - at)}, key;
        ct_slice_word(&before, &key);
        const char *quote = equals + 1;
        while (quote < end && *quote != '"' && *quote != '\'') quote++;
        if (quote >= end) return false;
        const char *close = memchr(quote + 1, *quote, (size_t)(end - quote - 1));
        if (!close) return false;
        *value = (ct_slice){quote + 1, (size_t)(close - quote - 1)};
        if (ct_slice_is(key, name)) return true;
        at = close + 1;
    }
    return false;
}
