#include "scene/settings.h"

#include <string.h>

/* One setting on its way down the tree. */
typedef struct setter {
    ct_arena *arena;
    ct_mistakes *mistakes;
    ct_place place;
    ct_yaml *value;
    bool out_of_memory;
} setter;

static ct_yaml *make_node(setter *s, ct_yaml node)
{
    ct_yaml *made = ct_arena_allocate(s->arena, sizeof *made);
    if (made) *made = node;
    else s->out_of_memory = true;
    return made;
}

static void append(setter *s, ct_yaml *parent, const char *key, ct_place place, ct_yaml *value)
{
    if (!ct_yaml_append(s->arena, parent, key, place, value)) s->out_of_memory = true;
}

/* A copy that can be changed: its own entries, the same values. */
static ct_yaml *copy_node(setter *s, const ct_yaml *from)
{
    ct_yaml *copy = make_node(s, *from);
    if (!copy) return NULL;
    copy->first = copy->last = NULL;
    copy->count = 0;
    for (const ct_yaml_entry *entry = from->first; entry && !s->out_of_memory; entry = entry->next)
        append(s, copy, entry->key, entry->place, entry->value);
    return copy;
}

/* The node at a part of the address, made fit to hold more: a bare name becomes {type: name}, nothing a
 * mapping. */
static ct_yaml *holder(setter *s, ct_yaml *old)
{
    if (old && old->kind != CT_YAML_SCALAR) return copy_node(s, old);
    ct_place place = old ? old->place : s->place;
    ct_yaml *mapping =
        make_node(s, (ct_yaml){.kind = CT_YAML_MAPPING, .place = place, .height = 1, .weight = 1});
    if (mapping && old && !ct_yaml_is_nothing(old)) append(s, mapping, "type", place, old);
    return mapping;
}

/* The entry that a part of an address means; a new one where it may be added; NULL with a mistake where not.
 */
static ct_yaml_entry *find_entry(setter *s, ct_yaml *parent, const char *part)
{
    ct_yaml_entry *entry = ct_yaml_find(parent, part);
    if (entry) return entry;
    if (parent->kind == CT_YAML_MAPPING) {
        append(s, parent, part, s->place, NULL);
        return parent->last;
    }
    size_t digits = strspn(part, "0123456789");
    int index = 0;
    for (size_t i = 0; i < digits && index <= CT_YAML_NODES; i++) index = 10 * index + (part[i] - '0');
    if (part[digits] || index > parent->count) {
        ct_mistake(s->mistakes, s->place, "'%s' is no item of a list of %d; items are numbered from 0",
                   ct_show(part).text, parent->count);
        return NULL;
    }
    if (index == parent->count) append(s, parent, NULL, s->place, NULL);
    for (entry = parent->first; index > 0 && entry; index--) entry = entry->next;
    return entry;
}

/* The tree `old` with the value at the address parts[0..count). */
static ct_yaml *put(setter *s, ct_yaml *old, char **parts, int count)
{
    if (!count) return s->value;
    ct_yaml *node = holder(s, old);
    if (!node || s->out_of_memory) return NULL;
    ct_yaml_entry *entry = find_entry(s, node, parts[0]);
    if (!entry || s->out_of_memory) return NULL;
    entry->value = put(s, entry->value, parts + 1, count - 1);
    if (count == 1) entry->place = s->place;
    return entry->value ? node : NULL;
}

/* Cuts "a.b.c" in place. Returns the number of parts; 0 when one is empty or there are too many. */
static int split_address(char *address, char *parts[CT_YAML_DEPTH])
{
    int count = 0;
    for (char *at = address;;) {
        char *dot = strchr(at, '.');
        if (dot) *dot = '\0';
        if (!*at || count == CT_YAML_DEPTH) return 0;
        parts[count++] = at;
        if (!dot) return count;
        at = dot + 1;
    }
}

/* A value is YAML, except that a '#' in front begins a colour and no comment. */
static ct_status read_value(setter *s, const char *setting, const char *text)
{
    if (*text != '#') return ct_yaml_parse(s->arena, s->mistakes, setting, text, strlen(text), &s->value);
    s->value = make_node(s, (ct_yaml){.kind = CT_YAML_SCALAR,
                                      .is_quoted = true,
                                      .place = s->place,
                                      .text = text,
                                      .height = 1,
                                      .weight = 1});
    return s->value ? CT_OK : CT_NO_MEMORY;
}

static ct_status apply(setter *s, const char *setting, ct_yaml **root)
{
    char *copy = ct_arena_text(s->arena, setting, strlen(setting));
    if (!copy) return CT_NO_MEMORY;
    char *equals = strchr(copy, '='), *parts[CT_YAML_DEPTH];
    if (equals) *equals = '\0';
    int count = equals ? split_address(copy, parts) : 0;
    if (!count || !equals[1 + strspn(equals + 1, " ")]) {
        ct_mistake(s->mistakes, s->place,
                   "a setting is written address=value; for example 'grid.spacing=5 mm'");
        return CT_OK;
    }
    ct_status status = read_value(s, setting, equals + 1);
    if (status) return status == CT_BAD_SCENE ? CT_OK : status;
    if (count + s->value->height > CT_YAML_DEPTH) {
        ct_mistake(s->mistakes, s->place, "more than %d levels of nesting; a scene needs fewer than ten",
                   CT_YAML_DEPTH);
        return CT_OK;
    }
    ct_yaml *changed = put(s, *root, parts, count);
    if (s->out_of_memory) return CT_NO_MEMORY;
    if (changed) *root = changed;
    return CT_OK;
}

ct_status ct_settings_apply(ct_arena *arena, ct_mistakes *mistakes, const char *const *settings, int count,
                            ct_yaml **root)
{
    for (int i = 0; i < count; i++) {
        setter s = {.arena = arena, .mistakes = mistakes, .place = {settings[i], 1, 1}};
        ct_status status = apply(&s, settings[i], root);
        if (status) return status;
    }
    return CT_OK;
}
