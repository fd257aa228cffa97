#include "look/replay.h"
#include "core/file.h"
#include "particles/quantities.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PVD_BYTES = 256 << 20 };

/* ---- the list ---- */

static ct_status append(ct_replay *replay, size_t *capacity, const char *folder, const char *name,
                        size_t length, double time, ct_error *error)
{
    ct_heap *heap = replay->arena.heap;
    size_t times_capacity = *capacity;
    ct_status status = ct_array_grow(heap, &replay->paths, replay->count, capacity, replay->count + 1,
                                     sizeof *replay->paths, error);
    if (!status)
        status = ct_array_grow(heap, &replay->times, replay->count, &times_capacity, *capacity,
                               sizeof *replay->times, error);
    if (status) return status;
    size_t lead = name[0] == '/' || !folder[0] ? 0 : strlen(folder) + 1;
    char *path = ct_arena_allocate(&replay->arena, lead + length + 1);
    if (!path) return ct_fail_memory(error, lead + length + 1);
    if (lead) memcpy(path, folder, lead - 1), path[lead - 1] = '/';
    memcpy(path + lead, name, length);
    replay->paths[replay->count] = path;
    replay->times[replay->count++] = time;
    return CT_OK;
}

/* The value of an attribute within an element's text [begin, end): NULL when it is not there. */
static const char *attribute(const char *begin, const char *end, const char *name, size_t *length)
{
    size_t size = strlen(name);
    for (const char *c = begin + 1; c + size + 2 < end; c++) {
        bool is_start = c[-1] == ' ' || c[-1] == '\t' || c[-1] == '\n' || c[-1] == '\r';
        char quote = c[size + 1];
        if (!is_start || memcmp(c, name, size) || c[size] != '=' || (quote != '"' && quote != '\'')) continue;
        const char *value = c + size + 2, *close = memchr(value, quote, (size_t)(end - value));
        if (!close) return NULL;
        *length = (size_t)(close - value);
        return value;
    }
    return NULL;
}

ct_status ct_replay_parse_pvd(ct_heap *heap, const char *folder, const char *text, ct_replay *replay,
                              ct_error *error)
{
    *replay = (ct_replay){.arena = {.heap = heap}};
    size_t capacity = 0;
    ct_status status = CT_OK;
    for (const char *element = strstr(text, "<DataSet"); element && !status;
         element = strstr(element + 1, "<DataSet")) {
        const char *end = strchr(element, '>');
        if (!end) break;
        size_t name_length, time_length;
        const char *name = attribute(element, end, "file", &name_length);
        const char *time = attribute(element, end, "timestep", &time_length);
        if (name && name_length)
            status =
                append(replay, &capacity, folder, name, name_length, time ? strtod(time, NULL) : NAN, error);
    }
    if (status) ct_replay_close(replay);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_numbered(const char *name)
{
    return strncmp(name, "frame_", 6) == 0 && name[6] >= '0' && name[6] <= '9' &&
           ct_particle_file_rank(name) >= 0;
}

/* Of files that differ in their endings alone, those that keep most. */
static void keep_best(ct_replay *replay)
{
    size_t kept = 0;
    for (size_t k = 0; k < replay->count; k++) {
        const char *path = replay->paths[k], *last = kept ? replay->paths[kept - 1] : "";
        size_t stem = (size_t)(strrchr(path, '.') - path) + 1;
        bool is_same = strncmp(path, last, stem) == 0;
        if (is_same && ct_particle_file_rank(path) <= ct_particle_file_rank(last)) continue;
        replay->paths[is_same ? kept - 1 : kept++] = replay->paths[k];
    }
    replay->count = kept;
}

/* Without a run.pvd: the frames in frames/, by name. */
static ct_status list_folder(ct_heap *heap, const char *folder, ct_replay *replay, ct_error *error)
{
    *replay = (ct_replay){.arena = {.heap = heap}};
    char *frames = ct_path_join(heap, folder, "frames");
    if (!frames) return ct_fail_memory(error, strlen(folder) + 8);
    DIR *stream = opendir(frames);
    if (!stream) {
        ct_release(heap, frames);
        return ct_fail(error, CT_BAD_IO,
                       "'%s' is not the folder of a run: it has neither run.pvd nor frames/", folder);
    }
    size_t capacity = 0;
    ct_status status = CT_OK;
    for (struct dirent *entry = readdir(stream); entry && !status; entry = readdir(stream)) {
        size_t length = strlen(entry->d_name);
        if (!is_numbered(entry->d_name)) continue;
        status = append(replay, &capacity, frames, entry->d_name, length, NAN, error);
    }
    closedir(stream);
    ct_release(heap, frames);
    if (status) ct_replay_close(replay);
    else if (replay->count) qsort(replay->paths, replay->count, sizeof *replay->paths, by_name);
    if (!status) keep_best(replay);
    return status;
}

static ct_status open_run(ct_heap *heap, const char *folder, ct_replay *replay, ct_error *error)
{
    char *path = ct_path_join(heap, folder, "run.pvd"), *text = NULL;
    if (!path) return ct_fail_memory(error, strlen(folder) + 9);
    size_t length;
    struct stat facts;
    ct_status status;
    if (stat(path, &facts)) {
        status = list_folder(heap, folder, replay, error);
    } else {
        status = ct_file_load(heap, path, MOST_PVD_BYTES, &text, &length, error);
        if (!status) status = ct_replay_parse_pvd(heap, folder, text, replay, error);
    }
    ct_release(heap, text);
    ct_release(heap, path);
    if (!status && !replay->count) {
        ct_replay_close(replay);
        status = ct_fail(error, CT_BAD_IO, "the run '%s' has no frames yet", folder);
    }
    return status;
}

ct_status ct_replay_open(ct_heap *heap, const char *path, ct_replay *replay, ct_error *error)
{
    *replay = (ct_replay){.arena = {.heap = heap}};
    struct stat facts;
    if (stat(path, &facts)) return ct_fail(error, CT_BAD_IO, "cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(facts.st_mode)) return open_run(heap, path, replay, error);
    size_t capacity = 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[4096] = "";
    if (slash && (size_t)(slash - path) >= sizeof folder)
        return ct_fail(error, CT_BAD_IO, "the path '%.60s...' is too long", path);
    if (slash) memcpy(folder, path, (size_t)(slash - path)); /* "" for both NAME and /NAME */
    if (slash == path) name = path;
    ct_status status = append(replay, &capacity, folder, name, strlen(name), NAN, error);
    if (status) ct_replay_close(replay);
    return status;
}

void ct_replay_close(ct_replay *replay)
{
    ct_release(replay->arena.heap, replay->paths);
    ct_release(replay->arena.heap, replay->times);
    ct_arena_release(&replay->arena);
    *replay = (ct_replay){.arena = {.heap = replay->arena.heap}};
}

/* ---- one frame ---- */

static int dimension_of(const ct_particle_file *file)
{
    for (size_t p = 0; p < file->count; p++)
        if (file->position[p][2] != 0) return 3;
    return file->count ? 2 : 3;
}

static void describe(const ct_attribute *from, ct_frame_field *field)
{
    const ct_quantity_info *known = ct_quantity_find(from->name);
    field->info =
        (ct_quantity_info){.name = from->name, .type = CT_TYPE_FLOAT64, .components = from->components};
    field->info.unit = known ? known->unit : "";
    field->info.doc = known ? known->doc : "";
    field->values = from->values;
}

ct_status ct_replay_load(ct_heap *heap, const ct_replay *replay, size_t index, int dimension,
                         ct_replay_frame *result, ct_error *error)
{
    *result = (ct_replay_frame){.file = {.heap = heap}};
    ct_particle_file *file = &result->file;
    ct_status status = ct_particle_file_load(heap, replay->paths[index], file, error);
    if (status) return status;
    size_t bytes = (size_t)file->attribute_count * sizeof *result->fields;
    result->fields = ct_allocate(heap, bytes);
    if (!result->fields) {
        ct_replay_release(result);
        return ct_fail_memory(error, bytes);
    }
    for (int k = 0; k < file->attribute_count; k++) describe(&file->attributes[k], &result->fields[k]);
    result->frame =
        (ct_frame){.time = replay->times[index], .count = file->count, .position = file->position};
    if (isnan(result->frame.time)) result->frame.time = file->time;
    result->frame.dimension = dimension ? dimension : dimension_of(file);
    result->frame.step = file->step;
    result->frame.fields = result->fields;
    result->frame.field_count = file->attribute_count;
    result->frame.triangles = (const uint32_t(*)[3])file->links.triangles;
    result->frame.triangle_count = file->links.triangle_count;
    result->frame.lines = (const uint32_t(*)[2])file->links.lines;
    result->frame.line_count = file->links.line_count;
    result->frame.uv = (const float(*)[6])file->links.uv;
    return CT_OK;
}

void ct_replay_release(ct_replay_frame *frame)
{
    ct_heap *heap = frame->file.heap;
    ct_release(heap, frame->fields);
    ct_particle_file_release(&frame->file);
    *frame = (ct_replay_frame){.file = {.heap = heap}};
}

ct_status ct_replay_fit(ct_heap *heap, const ct_replay *replay, size_t first, size_t last, int *dimension,
                        ct_look *look, ct_error *error)
{
    enum { FRAMES_TO_FIT = 8 };
    size_t steps = last - first, count = steps + 1 < FRAMES_TO_FIT ? steps + 1 : FRAMES_TO_FIT;
    ct_status status = CT_OK;
    int found = *dimension;
    for (size_t k = 0; k < count && !status; k++) {
        size_t index = first + (count > 1 ? steps * k / (count - 1) : 0);
        ct_replay_frame loaded;
        status = ct_replay_load(heap, replay, index, *dimension, &loaded, error);
        if (status) return status;
        status = ct_look_include(heap, look, &loaded.frame, error);
        found = loaded.frame.dimension;
        ct_replay_release(&loaded);
    }
    *dimension = found;
    return status;
}

double ct_replay_rate(const ct_scene *scene)
{
    double rate = scene && scene->frame > 0 ? 1 / scene->frame : 0;
    return rate >= 12 && rate <= 60 ? rate : 24;
}
