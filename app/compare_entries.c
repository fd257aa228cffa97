/* From --schemes and --set-each to entries: every combination of their alternatives is one.
 *
 *     --schemes apic,asflip:alpha=0.97:beta_max=0.5   scheme={type: apic}  scheme={type: asflip, alpha: ...}
 *     --set-each grid.spacing=1cm,2cm                 grid.spacing=1cm     grid.spacing=2cm
 */
#include "compare.h"
#include "transfer/info.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LISTS = 8 };

/* One alternative of a list. */
struct choice {
    const char *name, *setting;
};

struct list {
    struct choice choices[CT_MOST_ENTRIES];
    int count;
};

/* ---- schemes ---- */

/* "asflip" or a mistake with the nearest name. */
static int refuse_scheme(const ct_comparison *self, const char *name)
{
    const char *names[64];
    int count = 0;
    for (const ct_scheme_info *info; count < 64 && (info = ct_scheme_info_at(count));)
        names[count++] = info->name;
    const char *near = ct_nearest_word(name, names, count);
    if (near)
        return ct_usage_error(&self->arguments, "there is no scheme '%s'; did you mean '%s'?", name, near);
    char all[512] = "";
    for (int k = 0; k < count; k++) {
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", k ? ", " : "", names[k]);
    }
    return ct_usage_error(&self->arguments, "there is no scheme '%s'; there are %s", name, all);
}

/* "alpha=0.97": whether the scheme has such a parameter. */
static int check_parameter(const ct_comparison *self, const ct_scheme_info *info, const char *text)
{
    char name[64];
    size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    if (!text[length] || !text[length + 1])
        return ct_usage_error(&self->arguments, "--schemes: '%s' needs a value, as in %s:%s=0.5", text,
                              info->name, name);
    const char *names[16];
    int count = info->parameter_count < 16 ? info->parameter_count : 16;
    for (int k = 0; k < count; k++) {
        names[k] = info->parameters[k].name;
        if (!strcmp(names[k], name)) return -1;
    }
    const char *near = ct_nearest_word(name, names, count);
    return ct_usage_error(&self->arguments, "the scheme '%s' has no parameter '%s'%s%s%s", info->name, name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* "asflip:alpha=0.97:beta_max=0.5", cut in place, becomes a name and a setting. */
static int read_scheme(ct_comparison *self, char *text, struct choice *choice)
{
    ct_text name = {.heap = &self->heap}, setting = {.heap = &self->heap};
    char *next = strchr(text, ':');
    if (next) *next++ = '\0';
    const ct_scheme_info *info = ct_scheme_info_find(text);
    if (!info) return refuse_scheme(self, text);
    ct_text_print(&name, "%s", text);
    ct_text_print(&setting, "scheme={type: %s", text);
    int code = -1;
    while (next && code < 0) {
        char *parameter = next;
        next = strchr(parameter, ':');
        if (next) *next++ = '\0';
        code = check_parameter(self, info, parameter);
        if (code >= 0) break;
        char *equals = strchr(parameter, '=');
        ct_text_print(&name, " %s", parameter);
        *equals = '\0';
        ct_text_print(&setting, ", %s: %s", parameter, equals + 1);
    }
    ct_text_print(&setting, "}");
    if (code < 0) {
        bool is_good = !name.failed && !setting.failed;
        choice->name = is_good ? ct_arena_text(&self->arena, name.data, name.length) : NULL;
        choice->setting = is_good ? ct_arena_text(&self->arena, setting.data, setting.length) : NULL;
        if (!choice->name || !choice->setting) code = CT_NO_MEMORY;
    }
    ct_text_release(&name);
    ct_text_release(&setting);
    return code;
}

/* ---- lists ---- */

/* Cuts off the text up to the next comma that is in no brackets; NULL where nothing is left. */
static char *next_item(char **rest)
{
    char *item = *rest;
    int depth = 0;
    if (!item) return NULL;
    for (char *c = item; *c; c++) {
        depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
        if (*c != ',' || depth > 0) continue;
        *c = '\0';
        *rest = c + 1;
        return item;
    }
    *rest = NULL;
    return item;
}

static int read_schemes(ct_comparison *self, const char *text, struct list *list)
{
    char *rest = ct_arena_text(&self->arena, text, strlen(text)), *item;
    if (!rest) return CT_NO_MEMORY;
    while ((item = next_item(&rest))) {
        if (list->count == CT_MOST_ENTRIES)
            return ct_usage_error(&self->arguments, "--schemes: more than %d", CT_MOST_ENTRIES);
        int code = read_scheme(self, item, &list->choices[list->count]);
        if (code >= 0) return code;
        list->count++;
    }
    return -1;
}

/* The name of a value is the last part of its address: "spacing=1cm". */
static int read_values(ct_comparison *self, const char *text, struct list *list)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return ct_usage_error(&self->arguments,
                              "--set-each is KEY=VALUE,VALUE as in grid.spacing=1cm,2cm; not '%s'", text);
    char *rest = ct_arena_text(&self->arena, equals + 1, strlen(equals + 1)), *item;
    if (!rest) return CT_NO_MEMORY;
    while ((item = next_item(&rest))) {
        if (list->count == CT_MOST_ENTRIES)
            return ct_usage_error(&self->arguments, "--set-each %s: more than %d values", text,
                                  CT_MOST_ENTRIES);
        size_t address = (size_t)(equals - text), length = address + strlen(item) + 2;
        char *setting = ct_arena_allocate(&self->arena, length);
        if (!setting) return CT_NO_MEMORY;
        snprintf(setting, length, "%.*s=%s", (int)address, text, item);
        const char *begin = setting + address;
        while (begin > setting && begin[-1] != '.') begin--;
        list->choices[list->count++] = (struct choice){begin, setting};
    }
    return -1;
}

/* ---- entries ---- */

static const char *join_names(ct_comparison *self, const struct list *lists, int count, const int *picks)
{
    ct_text name = {.heap = &self->heap};
    for (int k = 0; k < count; k++)
        ct_text_print(&name, "%s%s", k ? " " : "", lists[k].choices[picks[k]].name);
    const char *kept = name.failed ? NULL : ct_arena_text(&self->arena, name.data, name.length);
    ct_text_release(&name);
    return kept;
}

/* What all entries share comes first: --set and --seed. */
static const char *const *join_settings(ct_comparison *self, const struct list *lists, int count,
                                        const int *picks, int *total)
{
    size_t most = (size_t)self->arguments.argc + MOST_LISTS + 1;
    const char **settings = ct_arena_allocate(&self->arena, most * sizeof *settings);
    if (!settings) return NULL;
    *total = ct_given_settings(&self->arguments, settings, self->seed);
    for (int k = 0; k < count; k++) settings[(*total)++] = lists[k].choices[picks[k]].setting;
    return settings;
}

static int add_entry(ct_comparison *self, const struct list *lists, int count, const int *picks)
{
    if (self->count == CT_MOST_ENTRIES)
        return ct_usage_error(&self->arguments, "more than %d runs to compare", CT_MOST_ENTRIES);
    ct_entry *entry = &self->entries[self->count];
    entry->name = join_names(self, lists, count, picks);
    entry->settings = join_settings(self, lists, count, picks, &entry->setting_count);
    if (!entry->name || !entry->settings) return CT_NO_MEMORY;
    for (int k = 0; k < self->count; k++)
        if (!strcmp(self->entries[k].name, entry->name))
            return ct_usage_error(&self->arguments, "'%s' is there twice", entry->name);
    entry->table.arena.heap = &self->heap;
    self->count++;
    return -1;
}

/* Counts through all combinations, the last list fastest. */
static int combine(ct_comparison *self, const struct list *lists, int count)
{
    int picks[MOST_LISTS] = {0}, code = -1;
    for (int k = 0; code < 0 && k >= 0;) {
        code = add_entry(self, lists, count, picks);
        for (k = count - 1; k >= 0 && ++picks[k] == lists[k].count; k--) picks[k] = 0;
    }
    return code;
}

int ct_compare_read_entries(ct_comparison *self)
{
    struct list lists[MOST_LISTS] = {0};
    const char *schemes = ct_option_value(&self->arguments, "schemes"), *values;
    int count = 0, code = -1;
    if (!schemes && !ct_option_given(&self->arguments, "set-each")) schemes = "pic,flip,apic,aflip,asflip";
    if (schemes) code = read_schemes(self, schemes, &lists[count++]);
    for (int k = 0; code < 0 && (values = ct_option_value_at(&self->arguments, "set-each", k)); k++) {
        if (count == MOST_LISTS) return ct_usage_error(&self->arguments, "more than %d lists", MOST_LISTS);
        code = read_values(self, values, &lists[count++]);
    }
    return code < 0 ? combine(self, lists, count) : code;
}
