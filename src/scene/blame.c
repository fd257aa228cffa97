/* Mistakes that show only when a world is built: a mesh that is open, a body without a particle. Their
 * messages name what they are about, "body 'ball': ..."; the scene file says where that is. */
#include "scene/blame.h"

#include "core/file.h"
#include "scene/decode.h"

#include <stdio.h>
#include <string.h>

/* What messages call the named things of a scene, and the key they are below. */
static const struct {
    const char *word, *key;
} owners[] = {{"body", "bodies"}, {"material", "materials"}, {"source", "sources"},
              {"sink", "sinks"},  {"collider", "colliders"}, {"change", "changes"},
              {"wall", "walls"},  {"joint", "joints"},       {"force", "forces"}};

/* The text between the quotes that follow the word, or the word itself; false: there is none. */
static bool take_name(const char *rest, char name[160])
{
    bool is_quoted = rest[1] == '\'';
    const char *begin = rest + 1 + is_quoted, *end = strchr(begin, is_quoted ? '\'' : ':');
    if (*rest != ' ' || !end || end - begin >= 160) return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    return true;
}

/* The place of what the message is about: as near to it as it is written in the file. */
static ct_place find_place(const ct_yaml *root, const char *message)
{
    char name[160];
    size_t word = strcspn(message, " :");
    for (size_t k = 0; k < sizeof owners / sizeof *owners; k++) {
        if (strlen(owners[k].word) != word || strncmp(message, owners[k].word, word) != 0) continue;
        const ct_yaml_entry *list = ct_yaml_find(root, owners[k].key), *entry = NULL;
        if (list && list->value->kind == CT_YAML_MAPPING && take_name(message + word, name))
            entry = ct_yaml_find(list->value, name);
        return entry ? entry->place : list ? list->place : root->place;
    }
    for (const ct_yaml_entry *entry = root->first; entry; entry = entry->next)
        if (strlen(entry->key) == word && strncmp(message, entry->key, word) == 0) return entry->place;
    return root->place;
}

ct_status ct_scene_blame(const ct_scene *scene, ct_status status, ct_error *error)
{
    if ((status != CT_BAD_USAGE && status != CT_BAD_SCENE) || !error) return status;
    static const char environment[] = "CONTINUA_"; /* variables are no part of a scene */
    if (strncmp(error->message, environment, sizeof environment - 1) == 0) return status;
    if (strncmp(error->message, scene->path, strlen(scene->path)) == 0) return status; /* it says where */
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_arena tree = {.heap = &heap};
    ct_mistakes *mistakes = ct_arena_allocate(&tree, sizeof *mistakes);
    ct_yaml *root;
    ct_place place = {NULL, 1, 1};
    char *bytes = NULL, reason[CT_MESSAGE_SIZE - 512];
    size_t count;
    if (mistakes && !ct_file_load(&heap, scene->path, CT_YAML_BYTES, &bytes, &count, NULL)) {
        mistakes->path = scene->path, mistakes->count = 0;
        if (!ct_yaml_parse(&tree, mistakes, NULL, bytes, count, &root) && root->kind == CT_YAML_MAPPING)
            place = find_place(root, error->message);
    }
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, error->message);
    ct_release(&heap, bytes);
    ct_arena_release(&tree);
    return ct_fail(error, CT_BAD_SCENE, "%.400s:%d:%d: error: %s", scene->path, place.line, place.column,
                   reason);
}
