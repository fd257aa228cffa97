#include "view/items.h"
#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Whether FOLDER/NAME exists; its path is in `path`. */
static bool has(const char *folder, const char *name, char path[PATH_SIZE])
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    return length > 0 && length < PATH_SIZE && access(path, F_OK) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* ---- the list ---- */

static ct_status add(ct_items *items, ct_item_kind kind, const char *name, const char *path, ct_error *error)
{
    if (items->count == CT_MOST_ITEMS) return CT_OK;
    ct_status status = ct_array_grow(items->arena.heap, &items->items, items->count, &items->capacity,
                                     items->count + 1, sizeof *items->items, error);
    if (status) return status;
    const char *own_name = ct_arena_text(&items->arena, name, strlen(name));
    const char *own_path = ct_arena_text(&items->arena, path, strlen(path));
    if (!own_name || !own_path) return ct_fail_memory(error, strlen(path) + 1);
    items->items[items->count++] = (ct_item){kind, own_name, own_path};
    return CT_OK;
}

/* A folder that is one item: a run, or an example with its scene. */
static ct_status add_folder(ct_items *items, const char *folder, bool *found, ct_error *error)
{
    char path[PATH_SIZE];
    *found = true;
    if (has(folder, "used.yaml", path) || (has(folder, "frames", path) && is_folder(path)))
        return add(items, CT_ITEM_RUN, folder, folder, error);
    if (has(folder, "scene.yaml", path)) return add(items, CT_ITEM_SCENE, folder, path, error);
    *found = false;
    return CT_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ct_item *)a)->name, ((const ct_item *)b)->name);
}

static ct_status add_folders_inside(ct_items *items, const char *folder, ct_error *error)
{
    DIR *stream = opendir(folder);
    if (!stream) return ct_fail(error, CT_BAD_IO, "cannot open the folder '%s': %s", folder, strerror(errno));
    size_t first = items->count;
    ct_status status = CT_OK;
    char path[PATH_SIZE];
    for (struct dirent *entry; !status && (entry = readdir(stream));) {
        bool found;
        if (entry->d_name[0] == '.' || !has(folder, entry->d_name, path) || !is_folder(path)) continue;
        status = add_folder(items, path, &found, error);
    }
    closedir(stream);
    if (!status && items->count > first)
        qsort(items->items + first, items->count - first, sizeof *items->items, by_name);
    return status;
}

static ct_status add_path(ct_items *items, const char *given, ct_error *error)
{
    char path[PATH_SIZE];
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/') length--;
    if (length >= PATH_SIZE) return ct_fail(error, CT_BAD_IO, "the path '%.60s...' is too long", given);
    memcpy(path, given, length);
    path[length] = '\0';
    if (access(path, R_OK)) return ct_fail(error, CT_BAD_IO, "cannot open '%s': %s", given, strerror(errno));
    if (!is_folder(path)) {
        bool is_scene = ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json");
        return add(items, is_scene ? CT_ITEM_SCENE : CT_ITEM_FRAME, path, path, error);
    }
    size_t before = items->count;
    bool found;
    ct_status status = add_folder(items, path, &found, error);
    if (!status && !found) status = add_folders_inside(items, path, error);
    if (!status && items->count == before)
        status = ct_fail(error, CT_BAD_IO,
                         "there is neither a run nor a scene in '%s'; a run is a folder with used.yaml and "
                         "frames/, an example one with scene.yaml",
                         given);
    return status;
}

ct_status ct_items_list(ct_heap *heap, const char *const *paths, int path_count, ct_items *items,
                        ct_error *error)
{
    *items = (ct_items){.arena = {.heap = heap}};
    ct_status status = CT_OK;
    for (int p = 0; p < path_count && !status; p++) status = add_path(items, paths[p], error);
    if (status) ct_items_release(items);
    return status;
}

const ct_item *ct_items_find(const ct_items *items, const char *name)
{
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(items->items[i].name, name) == 0) return &items->items[i];
    return NULL;
}

void ct_items_release(ct_items *items)
{
    ct_heap *heap = items->arena.heap;
    ct_release(heap, items->items);
    ct_arena_release(&items->arena);
    *items = (ct_items){.arena = {.heap = heap}};
}

/* ---- what changes ---- */

/* Runs lock their folder (flock). Asking for the lock oneself would make a run that starts at that moment
 * fail, so the kernel's list is read instead: "1: FLOCK  ADVISORY  WRITE 4711 00:2b:1234 0 EOF". The device
 * in it is not always the one that stat gives, the inode is. */
bool ct_item_is_being_written(const ct_item *item)
{
    struct stat facts;
    FILE *locks =
        item->kind == CT_ITEM_RUN && stat(item->path, &facts) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (!locks) return false;
    char line[256];
    bool is_locked = false;
    while (!is_locked && fgets(line, sizeof line, locks)) {
        unsigned long long inode;
        is_locked = strstr(line, "FLOCK") && sscanf(line, "%*s %*s %*s %*s %*s %*x:%*x:%llu", &inode) == 1 &&
                    inode == (unsigned long long)facts.st_ino;
    }
    fclose(locks);
    return is_locked;
}

static void add_facts(uint64_t *mix, const char *path)
{
    struct stat facts;
    uint64_t numbers[] = {0, 0, 0};
    if (stat(path, &facts) == 0) {
        numbers[0] = (uint64_t)facts.st_ino;
        numbers[1] = (uint64_t)facts.st_size;
        numbers[2] = (uint64_t)facts.st_mtim.tv_sec * 1000000000u + (uint64_t)facts.st_mtim.tv_nsec;
    }
    for (int k = 0; k < 3; k++) *mix = (*mix ^ numbers[k]) * 0x9e3779b97f4a7c15u + (*mix >> 29);
}

void ct_item_signature(const ct_item *item, char signature[CT_SIGNATURE_SIZE])
{
    char path[PATH_SIZE];
    uint64_t identity = 1, content = 1;
    if (item->kind == CT_ITEM_RUN) {
        snprintf(path, sizeof path, "%s/used.yaml", item->path);
        add_facts(&identity, path);
        snprintf(path, sizeof path, "%s/frames", item->path);
        add_facts(&content, path);
        snprintf(path, sizeof path, "%s/stats.csv", item->path);
        add_facts(&content, path);
        if (ct_item_is_being_written(item)) content++;
    } else {
        add_facts(&identity, item->path);
    }
    /* Frames that were seen are those of another run once the part before the dash has changed. */
    snprintf(signature, CT_SIGNATURE_SIZE, "%016" PRIx64 "-%016" PRIx64, identity, content);
}

ct_status ct_item_scene(const ct_item *item, ct_scene **scene, ct_error *error)
{
    *scene = NULL;
    char path[PATH_SIZE];
    if (item->kind == CT_ITEM_FRAME) return CT_OK;
    if (item->kind == CT_ITEM_SCENE) return ct_scene_load(item->path, NULL, 0, scene, error);
    return has(item->path, "used.yaml", path) ? ct_scene_load(path, NULL, 0, scene, error) : CT_OK;
}
