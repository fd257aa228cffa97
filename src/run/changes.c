/* What has changed in a scene since its checkpoint was written. Both are texts of used.yaml: the same keys in
 * the same order, one per line, nested by indentation. Walking them side by side finds the first line that
 * differs, and the lines above it with less indentation name its key. */
#include "run/parts.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 16, NAME_SIZE = 64 };

/* A place in the text: the line, and the keys that lead to it. */
struct walk {
    const char *next;  /* the line after this one */
    const char *value; /* [value_length], behind the key */
    size_t value_length;
    int depth;
    int indents[DEPTH];
    char names[DEPTH][NAME_SIZE];
    char path[CT_CHANGE_SIZE / 4]; /* "bodies.ball.velocity"; "" past the end */
};

/* Keys, with all below them, that a run may go on with: they say when it ends, what is written and how it
 * looks. The sums of energy would be wrong from a later start on. */
static const char *const free_keys[] = {"name", "title", "time.end", "output"};
static const char *const free_leaves[] = {"color", "look", "show"};
static const char *const bound_keys[] = {"output.energy_budget"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_at_or_below(const char *path, const char *key)
{
    size_t length = strlen(key);
    return strncmp(path, key, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

static bool is_free(const char *path, bool step_is_free)
{
    if (step_is_free && is_at_or_below(path, "step")) return true;
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; k < COUNT(bound_keys); k++)
        if (is_at_or_below(path, bound_keys[k])) return false;
    for (size_t k = 0; k < COUNT(free_leaves); k++)
        if (dot && strcmp(dot + 1, free_leaves[k]) == 0) return true;
    for (size_t k = 0; k < COUNT(free_keys); k++)
        if (is_at_or_below(path, free_keys[k])) return true;
    return false;
}

static void join_path(struct walk *walk)
{
    size_t used = 0;
    for (int d = 0; d < walk->depth && used < sizeof walk->path - 1; d++) {
        int length =
            snprintf(walk->path + used, sizeof walk->path - used, "%s%s", d ? "." : "", walk->names[d]);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* Takes a line apart: indentation, "- " of a list, the key, the value. */
static void take_line(struct walk *walk, const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && (line[at] == ' ' || line[at] == '-')) at++;
    size_t end = at;
    while (end < length && line[end] != ':') end++;
    bool has_key = end < length && line[at] != '[';
    while (walk->depth && walk->indents[walk->depth - 1] >= (int)at) walk->depth--;
    if (has_key && walk->depth < DEPTH) {
        walk->indents[walk->depth] = (int)at;
        snprintf(walk->names[walk->depth++], NAME_SIZE, "%.*s", (int)(end - at), line + at);
    }
    walk->value = has_key ? line + end + 1 : line + at;
    walk->value_length = length - (size_t)(walk->value - line);
    while (walk->value_length && *walk->value == ' ') walk->value++, walk->value_length--;
    join_path(walk);
}

/* Goes to the next line that is physics; at the end the path is empty. */
static void advance(struct walk *walk, bool step_is_free)
{
    do {
        walk->path[0] = '\0', walk->value = "", walk->value_length = 0;
        if (!*walk->next) return;
        const char *line = walk->next;
        size_t length = strcspn(line, "\n");
        walk->next = line + length + (line[length] == '\n');
        if (line[0] != '#') take_line(walk, line, length);
    } while (!walk->path[0] || is_free(walk->path, step_is_free));
}

static void describe(const struct walk *before, const struct walk *now, char change[CT_CHANGE_SIZE])
{
    enum { SHOWN = 100 };
    int a = before->value_length < SHOWN ? (int)before->value_length : SHOWN;
    int b = now->value_length < SHOWN ? (int)now->value_length : SHOWN;
    if (strcmp(before->path, now->path) == 0)
        snprintf(change, CT_CHANGE_SIZE, "'%s' was %.*s and is %.*s", now->path, a, before->value, b,
                 now->value);
    else if (!*now->path) snprintf(change, CT_CHANGE_SIZE, "'%s' is gone", before->path);
    else if (!*before->path) snprintf(change, CT_CHANGE_SIZE, "'%s' is new", now->path);
    else snprintf(change, CT_CHANGE_SIZE, "there is '%s' where '%s' was", now->path, before->path);
}

bool ct_scene_has_changed(const char *before, const char *now, bool step_is_free, char change[CT_CHANGE_SIZE])
{
    struct walk a = {.next = before}, b = {.next = now};
    do {
        advance(&a, step_is_free);
        advance(&b, step_is_free);
        if (strcmp(a.path, b.path) || a.value_length != b.value_length ||
            memcmp(a.value, b.value, a.value_length)) {
            describe(&a, &b, change);
            return true;
        }
    } while (*a.path);
    return false;
}
