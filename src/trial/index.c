/* The index of a folder of trials: see ct_trial_index. */
#include "trial/read_parts.h"

#include "core/file.h"
#include <stdio.h>
#include <string.h>

static const ct_part group_parts[] = {
    CT_PART(ct_trial_group, title, CT_PART_TEXT),
    CT_PART(ct_trial_group, paper, CT_PART_TEXT),
    CT_PART(ct_trial_group, about, CT_PART_TEXT),
};

static const ct_part figure_parts[] = {
    {"figure", CT_PART_TEXT, offsetof(ct_figure, name)},
    CT_PART(ct_figure, shows, CT_PART_TEXT),
    CT_PART(ct_figure, ours, CT_PART_TEXTS),
    CT_PART(ct_figure, missing, CT_PART_TEXT),
};

static const ct_part advice_parts[] = {
    CT_PART(ct_advice, good_for, CT_PART_TEXT),
    CT_PART(ct_advice, mind, CT_PART_TEXT),
    CT_PART(ct_advice, evidence, CT_PART_TEXTS),
};

static const char *keep(ct_reader *reader, const char *text)
{
    const char *kept = ct_arena_text(reader->arena, text, strlen(text));
    if (!kept) reader->out_of_memory = true;
    return kept;
}

/* The first entry of a section; NULL, perhaps with a mistake, where there is nothing to read. */
static const ct_yaml_entry *entries_of(ct_reader *reader, const ct_yaml *root, const char *key, int most)
{
    const ct_yaml_entry *entry = ct_yaml_find(root, key);
    if (!entry) return NULL;
    if (entry->value->kind == CT_YAML_MAPPING && entry->value->count <= most) return entry->value->first;
    ct_mistake(reader->mistakes, entry->place, "'%s' expects a mapping of at most %d", key, most);
    return NULL;
}

static void read_figures(ct_reader *reader, const ct_yaml *root, ct_trial_group *group)
{
    const ct_yaml_entry *list = root->kind == CT_YAML_MAPPING ? ct_yaml_find(root, "figures") : NULL;
    if (!list) return;
    if (list->value->kind != CT_YAML_LIST || list->value->count > CT_MOST_FIGURES) {
        ct_mistake(reader->mistakes, list->place, "'figures' expects a list of at most %d", CT_MOST_FIGURES);
        return;
    }
    for (const ct_yaml_entry *entry = list->value->first; entry; entry = entry->next) {
        ct_figure *figure = &group->figures[group->figure_count++];
        ct_parts_read(reader, entry->value, figure_parts, CT_COUNT(figure_parts), NULL, figure);
        if (!figure->name || !figure->shows || (!figure->ours.count && !figure->missing))
            ct_mistake(reader->mistakes, entry->value->place,
                       "a figure needs 'figure', 'shows', and 'ours' or why it is 'missing'");
    }
}

static void read_groups(ct_reader *reader, const ct_yaml *root)
{
    ct_trial_index *index = reader->index;
    const ct_yaml_entry *entry = entries_of(reader, root, "groups", CT_MOST_GROUPS);
    for (; entry; entry = entry->next) {
        ct_trial_group *group = &index->groups[index->group_count++];
        group->prefix = keep(reader, entry->key);
        static const char *const others[] = {"figures", NULL};
        ct_parts_read(reader, entry->value, group_parts, CT_COUNT(group_parts), others, group);
        read_figures(reader, entry->value, group);
        if (!group->title) ct_mistake(reader->mistakes, entry->place, "'title' is missing");
    }
}

static void read_advice(ct_reader *reader, const ct_yaml *root)
{
    ct_trial_index *index = reader->index;
    const ct_yaml_entry *entry = entries_of(reader, root, "guide", CT_MOST_ADVICE);
    for (; entry; entry = entry->next) {
        ct_advice *advice = &index->advice[index->advice_count++];
        advice->name = keep(reader, entry->key);
        ct_parts_read(reader, entry->value, advice_parts, CT_COUNT(advice_parts), NULL, advice);
        if (!advice->good_for || !advice->mind)
            ct_mistake(reader->mistakes, entry->place, "advice needs 'good_for' and 'mind'");
    }
}

static void read_not_yet(ct_reader *reader, const ct_yaml *root)
{
    ct_trial_index *index = reader->index;
    const ct_yaml_entry *entry = entries_of(reader, root, "not_yet", CT_MOST_TRIALS);
    for (; entry; entry = entry->next) {
        ct_trial *trial = ct_trial_create(reader->arena->heap, "", entry->key);
        if (!trial) {
            reader->out_of_memory = true;
            return;
        }
        index->not_yet[index->not_yet_count++] = trial;
        ct_reader own = {.trial = trial, .arena = &trial->arena, .mistakes = reader->mistakes};
        if (ct_yaml_find(entry->value, "not_yet")) ct_trial_read(&own, entry->value);
        else ct_mistake(reader->mistakes, entry->place, "'not_yet' is missing: the reason");
        reader->out_of_memory = reader->out_of_memory || own.out_of_memory;
    }
}

static void read_index(ct_reader *reader, const ct_yaml *root)
{
    static const char *const sections[] = {"groups", "guide", "not_yet", NULL};
    ct_parts_read(reader, root, NULL, 0, sections, NULL);
    read_groups(reader, root);
    read_advice(reader, root);
    read_not_yet(reader, root);
}

ct_status ct_trial_index_load(ct_heap *heap, const char *folder, ct_trial_index *index, ct_error *error)
{
    *index = (ct_trial_index){.arena.heap = heap};
    char *path = ct_path_join(heap, folder, "index.yaml");
    if (!path) return ct_fail_memory(error, strlen(folder));
    ct_reader reader = {.index = index, .arena = &index->arena};
    FILE *file = fopen(path, "r"); /* only to see whether it is there */
    ct_status status = file ? ct_parts_load(&reader, path, read_index, error) : CT_OK;
    if (file) fclose(file);
    ct_release(heap, path);
    return status;
}

void ct_trial_index_release(ct_trial_index *index)
{
    for (int k = 0; k < index->not_yet_count; k++) ct_trial_destroy(index->not_yet[k]);
    ct_arena_release(&index->arena);
    *index = (ct_trial_index){0};
}

const ct_trial_group *ct_trial_group_of(const ct_trial_index *index, const char *id)
{
    for (int k = 0; k < index->group_count; k++)
        if (!strncmp(id, index->groups[k].prefix, strlen(index->groups[k].prefix))) return &index->groups[k];
    return NULL;
}
