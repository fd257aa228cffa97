#include "frames.h"
#include "folders.h"
#include "particles/particle_file.h"
#include "particles/quantities.h"
#include "scene/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

static int complain_format(const ct_arguments *arguments, const char *format)
{
    char names[256] = "";
    size_t used = 0;
    for (int k = 0; ct_writer_at(k) && used < sizeof names; k++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", ct_writer_at(k)->name);
    if (!format) return ct_usage_error(arguments, "--to is necessary: %s, pc2", names);
    return ct_usage_error(arguments, "there is no format '%s'; there are %s, pc2", format, names);
}

int ct_frames_read_options(const ct_arguments *arguments, const char *format, ct_frames *frames)
{
    *frames = (ct_frames){.last = LLONG_MAX};
    ct_heap_init(&frames->heap, (ct_allocator){0});
    int code = ct_option_range(arguments, "frames", &frames->first, &frames->last);
    if (code >= 0) return code;
    const char *given = ct_option_value(arguments, "to");
    format = given ? given : format;
    frames->is_cache = format && !strcmp(format, "pc2");
    frames->writer = format ? ct_writer_find(frames->is_cache ? "obj" : format) : NULL;
    if (!frames->writer) return complain_format(arguments, format);
    frames->fields = ct_option_value(arguments, "fields");
    frames->folder = ct_option_value(arguments, "output");
    return -1;
}

/* ---- one frame ---- */

/* Whether `name` is one of the comma-separated `list`. */
static bool is_listed(const char *list, const char *name, int *index)
{
    size_t length = strlen(name);
    *index = 0;
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL, ++*index)
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
    return false;
}

#define NARROW(type) \
    for (size_t i = 0; i < count; i++) ((type *)to)[i] = (type)from[i]

/* Values are read as double and written in the type the file had. */
static void narrow(ct_type type, const double *from, void *to, size_t count)
{
    switch (type) {
    case CT_TYPE_FLOAT32:
        NARROW(float);
        break;
    case CT_TYPE_FLOAT64:
        NARROW(double);
        break;
    case CT_TYPE_UINT16:
        NARROW(uint16_t);
        break;
    case CT_TYPE_UINT32:
        NARROW(uint32_t);
        break;
    }
}

/* The chosen attributes as fields of a frame; their values belong to the arena. */
static ct_status make_fields(ct_frames *frames, ct_arena *arena, const ct_particle_file *file,
                             ct_frame *frame, ct_error *error)
{
    ct_frame_field *fields = ct_arena_allocate(arena, ((size_t)file->attribute_count + 1) * sizeof *fields);
    if (!fields) return ct_fail_memory(error, sizeof *fields);
    for (int a = 0; a < file->attribute_count; a++) {
        const ct_attribute *attribute = &file->attributes[a];
        int index = 0;
        if (frames->fields && !is_listed(frames->fields, attribute->name, &index)) continue;
        if (index < CT_MOST_FIELDS) frames->found[index] = true;
        size_t count = file->count * (size_t)attribute->components;
        void *values = ct_arena_allocate(arena, count * sizeof(double) + 1);
        if (!values) return ct_fail_memory(error, count * sizeof(double));
        narrow(attribute->type, attribute->values, values, count);
        const ct_quantity_info *known = ct_quantity_find(attribute->name);
        ct_quantity_info info = {.name = attribute->name,
                                 .unit = known ? known->unit : "",
                                 .type = attribute->type,
                                 .components = attribute->components,
                                 .doc = ""};
        fields[frame->field_count++] = (ct_frame_field){info, values};
    }
    frame->fields = fields;
    return CT_OK;
}

static int dimension_of(const ct_particle_file *file)
{
    for (size_t p = 0; p < file->count; p++)
        if (file->position[p][2] != 0) return 3;
    return file->count ? 2 : 3;
}

/* Copies the names of a scene's bodies to the arena. */
static ct_status copy_names(ct_arena *arena, const ct_scene *scene, ct_frame *frame, ct_error *error)
{
    int count = ct_scene_body_count(scene);
    size_t bytes = (size_t)(count + 1) * sizeof *frame->body_names;
    const char **names = ct_arena_allocate(arena, bytes);
    if (!names) return ct_fail_memory(error, bytes);
    for (int b = 0; b < count; b++) {
        const double *color;
        const char *name = ct_scene_body(scene, b, &color);
        names[b] = ct_arena_text(arena, name, strlen(name));
        if (!names[b]) return ct_fail_memory(error, strlen(name));
    }
    frame->body_names = names;
    frame->body_count = count;
    return CT_OK;
}

/* The names that the numbers in `body` stand for are those of the run's scene, where the frame lies in a run
 * whose scene can be read. */
static ct_status name_bodies(ct_arena *arena, const char *from, ct_frame *frame, ct_error *error)
{
    const char *slash = strrchr(from, '/');
    ct_text path = {.heap = arena->heap};
    ct_scene *scene = NULL;
    ct_text_append(&path, from, slash ? (size_t)(slash - from) : 0);
    ct_text_print(&path, "%s../used.yaml", slash ? "/" : "");
    ct_status status = path.failed ? ct_fail_memory(error, path.length) : CT_OK;
    if (!status && ct_scene_load(path.data, NULL, 0, &scene, error) == CT_NO_MEMORY) status = CT_NO_MEMORY;
    if (!status && scene) status = copy_names(arena, scene, frame, error);
    ct_scene_destroy(scene);
    ct_text_release(&path);
    return status;
}

static ct_status take_file(ct_frames *frames, const char *from, const char *to, ct_frame_taker take,
                           void *context, ct_error *error)
{
    ct_particle_file file;
    ct_status status = ct_particle_file_load(&frames->heap, from, &file, error);
    if (status) return status;
    ct_arena arena = {.heap = &frames->heap};
    ct_frame frame = {
        .time = file.time, .step = file.step, .count = file.count, .dimension = dimension_of(&file)};
    frame.position = (const double(*)[3])file.position;
    frame.triangles = (const uint32_t(*)[3])file.links.triangles;
    frame.triangle_count = file.links.triangle_count;
    frame.lines = (const uint32_t(*)[2])file.links.lines;
    frame.line_count = file.links.line_count;
    frame.uv = (const float(*)[6])file.links.uv;
    status = name_bodies(&arena, from, &frame, error);
    if (!status) status = make_fields(frames, &arena, &file, &frame, error);
    if (!status) status = take(context, to, &frame, error);
    ct_arena_release(&arena);
    ct_particle_file_release(&file);
    return status;
}

/* The name of `path` with the writer's ending, in `folder`; NULL: beside it. */
static void name_result(const ct_frames *frames, const char *path, const char *folder, ct_text *to)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (folder) ct_text_print(to, "%s/", folder);
    else ct_text_append(to, path, (size_t)(name - path));
    ct_text_append(to, name, dot ? (size_t)(dot - name) : strlen(name));
    ct_text_print(to, ".%s", frames->writer->extension);
}

static ct_status take_one(ct_frames *frames, const char *from, const char *folder, ct_frame_taker take,
                          void *context, ct_error *error)
{
    ct_text to = {.heap = &frames->heap};
    bool is_new = folder && !ct_is_folder(folder);
    name_result(frames, from, folder, &to);
    ct_status status = to.failed ? ct_fail_memory(error, strlen(from)) : CT_OK;
    if (!status && folder) status = ct_folder_create(folder, error);
    if (!status && strcmp(from, to.data) == 0)
        status = ct_fail(error, CT_BAD_USAGE, "'%s' would be overwritten; -o chooses another folder", from);
    if (!status) status = take_file(frames, from, to.data, take, context, error);
    if (status && is_new) rmdir(folder); /* nothing came of it; a folder with something in it stays */
    ct_text_release(&to);
    return status;
}

/* ---- a run ---- */

static bool is_readable_frame(const char *name)
{
    return ct_frame_number(name) >= 0 && ct_particle_file_rank(name) >= 0;
}

/* A run may hold each frame in several formats: the one that keeps most is read. In a sorted list those of a
 * number stand side by side. */
static bool has_better(const ct_names *names, size_t index)
{
    const char *name = names->names[index];
    long long number = ct_frame_number(name);
    int rank = ct_particle_file_rank(name);
    for (size_t i = index; i-- > 0 && ct_frame_number(names->names[i]) == number;)
        if (ct_particle_file_rank(names->names[i]) > rank) return true;
    for (size_t i = index + 1; i < names->count && ct_frame_number(names->names[i]) == number; i++)
        if (ct_particle_file_rank(names->names[i]) > rank) return true;
    return false;
}

static ct_status walk_run(ct_frames *frames, const char *run, const char *name, ct_frame_taker take,
                          void *context, ct_error *error)
{
    ct_heap *heap = &frames->heap;
    char *folder = ct_path_join(heap, run, "frames"), *own = ct_path_join(heap, run, name);
    ct_names names = {.heap = heap};
    ct_status status = folder && own ? ct_names_list(heap, folder, is_readable_frame, &names, error)
                                     : ct_fail_memory(error, strlen(run));
    long long done = 0;
    for (size_t i = 0; !status && i < names.count; i++) {
        long long number = ct_frame_number(names.names[i]);
        if (number < frames->first || number > frames->last || has_better(&names, i)) continue;
        char *from = ct_path_join(heap, folder, names.names[i]);
        const char *to = frames->folder ? frames->folder : own;
        status = from ? take_one(frames, from, to, take, context, error) : ct_fail_memory(error, 1);
        ct_release(heap, from);
        done++;
    }
    if (!status && !done && names.count)
        status = ct_fail(error, CT_BAD_USAGE, "'%s' has no such frames", run);
    else if (!status && !done)
        status =
            ct_fail(error, CT_BAD_IO,
                    "'%s' has no frames that can be read: those of the formats vtu, ply and csv can be", run);
    ct_names_release(&names);
    ct_release(heap, own);
    ct_release(heap, folder);
    return status;
}

static ct_status check_fields(const ct_frames *frames, ct_error *error)
{
    int index = 0;
    for (const char *at = frames->fields; at && index < CT_MOST_FIELDS; index++) {
        if (!frames->found[index])
            return ct_fail(error, CT_BAD_USAGE, "no frame has a field '%.*s'", (int)strcspn(at, ","), at);
        at = strchr(at, ',');
        if (at) at++;
    }
    return CT_OK;
}

ct_status ct_frames_walk(ct_frames *frames, const char *source, const char *name, ct_frame_taker take,
                         void *context, ct_error *error)
{
    ct_status status = ct_is_folder(source) ? walk_run(frames, source, name, take, context, error)
                                            : take_one(frames, source, frames->folder, take, context, error);
    return status ? status : check_fields(frames, error);
}
