/* Frames of an item: which there are, and one of them in memory, from a file or from a scene's first instant.
 */
#include "core/file.h"
#include "look/replay.h"
#include "run/run.h"
#include "scene/blame.h"
#include "view/items.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ct_still {
    ct_heap *heap;
    ct_replay_frame replayed; /* from a file */
    ct_scene *scene;          /* or of a scene: it, its world, and a frame that points into both; NULL: not */
    ct_world *world;
    ct_frame read;
};

/* What we write and can read back, the best first. */
static const char *const endings[] = {"vtu", "ply", "csv"};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

/* Bytes of a frame's file. A frame in memory is about as large again, and then some. */
static const off_t largest_frame = (off_t)1 << 32;

/* frame_000012.vtu */
static bool frame_number(const char *name, uint64_t *number)
{
    int length = 0;
    if (sscanf(name, "frame_%15[0-9].%n", (char[16]){0}, &length) != 1 || !length) return false;
    *number = strtoull(name + 6, NULL, 10);
    for (int e = 0; e < ENDINGS; e++)
        if (strcmp(name + length, endings[e]) == 0) return true;
    return false;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static ct_status list_folder(ct_heap *heap, const char *folder, uint64_t **numbers, size_t *count,
                             ct_error *error)
{
    char *path = ct_path_join(heap, folder, "frames");
    DIR *stream = path ? opendir(path) : NULL;
    ct_release(heap, path);
    if (!stream) return CT_OK; /* a run that is about to begin */
    size_t capacity = 0;
    ct_status status = CT_OK;
    for (struct dirent *entry; !status && (entry = readdir(stream));) {
        uint64_t number;
        if (!frame_number(entry->d_name, &number)) continue;
        status = ct_array_grow(heap, numbers, *count, &capacity, *count + 1, sizeof **numbers, error);
        if (!status) (*numbers)[(*count)++] = number;
    }
    closedir(stream);
    if (status || !*count) return status;
    qsort(*numbers, *count, sizeof **numbers, ascending);
    size_t kept = 1; /* the same frame in several formats counts once */
    for (size_t i = 1; i < *count; i++)
        if ((*numbers)[i] != (*numbers)[kept - 1]) (*numbers)[kept++] = (*numbers)[i];
    *count = kept;
    return CT_OK;
}

ct_status ct_item_frames(ct_heap *heap, const ct_item *item, uint64_t **numbers, size_t *count,
                         ct_error *error)
{
    *numbers = NULL;
    *count = 0;
    if (item->kind == CT_ITEM_RUN) {
        ct_status status = list_folder(heap, item->path, numbers, count, error);
        if (status) ct_release(heap, *numbers);
        return status;
    }
    *numbers = ct_allocate_zero(heap, sizeof **numbers);
    if (!*numbers) return ct_fail_memory(error, sizeof **numbers);
    *count = 1;
    return CT_OK;
}

/* ---- one frame ---- */

/* The file of a frame of a run. */
static ct_status find_file(const ct_item *item, uint64_t number, char path[4096], ct_error *error)
{
    if (item->kind == CT_ITEM_FRAME) {
        snprintf(path, 4096, "%s", item->path);
        return CT_OK;
    }
    for (int e = 0; e < ENDINGS; e++) {
        int length = snprintf(path, 4096, "%s/frames/frame_%06" PRIu64 ".%s", item->path, number, endings[e]);
        if (length < 4096 && access(path, R_OK) == 0) return CT_OK;
    }
    return ct_fail(error, CT_BAD_IO, "there is no frame %" PRIu64 " in '%s'", number, item->path);
}

static ct_status load_file(ct_still *still, const ct_item *item, uint64_t number, ct_error *error)
{
    char path[4096];
    ct_scene *scene = NULL;
    ct_replay replay = {.arena = {.heap = still->heap}};
    struct stat facts;
    ct_status status = find_file(item, number, path, error);
    if (!status && stat(path, &facts) == 0 && facts.st_size > largest_frame)
        status = ct_fail(error, CT_BAD_IO, "'%s' is too large to be looked at here: more than 4 GB", path);
    if (!status) status = ct_item_scene(item, &scene, error);
    int dimension = scene ? scene->world.dimension : 0;
    ct_scene_destroy(scene);
    if (!status) status = ct_replay_open(still->heap, path, &replay, error);
    if (!status) status = ct_replay_load(still->heap, &replay, 0, dimension, &still->replayed, error);
    ct_replay_close(&replay);
    return status;
}

static ct_status build_scene(ct_still *still, const ct_item *item, ct_error *error)
{
    ct_status status = ct_item_scene(item, &still->scene, error);
    if (!status)
        status =
            ct_scene_blame(still->scene, ct_world_from_scene(still->scene, 1, &still->world, error), error);
    if (!status) status = ct_frame_read(still->heap, still->world, still->scene, &still->read, error);
    return status;
}

ct_status ct_still_load(ct_heap *heap, const ct_item *item, uint64_t number, ct_still **result,
                        ct_error *error)
{
    *result = NULL;
    ct_still *still = ct_allocate_zero(heap, sizeof *still);
    if (!still) return ct_fail_memory(error, sizeof *still);
    still->heap = heap;
    still->replayed.file.heap = heap;
    ct_status status =
        item->kind == CT_ITEM_SCENE ? build_scene(still, item, error) : load_file(still, item, number, error);
    if (status) ct_still_release(still);
    else *result = still;
    return status;
}

const ct_frame *ct_still_frame(const ct_still *still)
{
    return still->world ? &still->read : &still->replayed.frame;
}

void ct_still_release(ct_still *still)
{
    if (!still) return;
    if (still->world) ct_frame_release(still->heap, &still->read);
    ct_world_destroy(still->world);
    ct_scene_destroy(still->scene);
    ct_replay_release(&still->replayed);
    ct_release(still->heap, still);
}
