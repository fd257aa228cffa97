/* `continua convert`: frames in another format, through the reader of particle files and the list of writers.
 */
#include "command.h"
#include "folders.h"
#include "output/writer.h"
#include "particles/particle_file.h"
#include "terminal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const ct_option ct_convert_options_table[] = {
    {"to", 0, "FORMAT", "vtu, ply or csv; necessary"},
    {"output", 'o', "FOLDER", "where the new files go (default: FOLDER/FORMAT, or beside the frame)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"fields", 0, "A,B", "only these fields, and the position"},
    {0},
};

struct conversion {
    ct_heap heap;
    const ct_writer *writer;
    const char *fields; /* "a,b"; NULL: all */
    long long first, last;
    bool found[64]; /* which of `fields` were in some frame */
};

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
static ct_status make_fields(struct conversion *conversion, ct_arena *arena, const ct_particle_file *file,
                             ct_frame *frame, ct_error *error)
{
    ct_frame_field *fields = ct_arena_allocate(arena, ((size_t)file->attribute_count + 1) * sizeof *fields);
    if (!fields) return ct_fail_memory(error, sizeof *fields);
    for (int a = 0; a < file->attribute_count; a++) {
        const ct_attribute *attribute = &file->attributes[a];
        int index = 0;
        if (conversion->fields && !is_listed(conversion->fields, attribute->name, &index)) continue;
        if (index < 64) conversion->found[index] = true;
        size_t count = file->count * (size_t)attribute->components;
        void *values = ct_arena_allocate(arena, count * sizeof(double) + 1);
        if (!values) return ct_fail_memory(error, count * sizeof(double));
        narrow(attribute->type, attribute->values, values, count);
        ct_quantity_info info = {.name = attribute->name,
                                 .unit = "",
                                 .type = attribute->type,
                                 .components = attribute->components,
                                 .doc = ""};
        fields[frame->field_count++] = (ct_frame_field){info, values};
    }
    frame->fields = fields;
    return CT_OK;
}

static ct_status convert_file(struct conversion *conversion, const char *from, const char *to,
                              ct_error *error)
{
    ct_particle_file file;
    ct_status status = ct_particle_file_load(&conversion->heap, from, &file, error);
    if (status) return status;
    ct_arena arena = {.heap = &conversion->heap};
    ct_frame frame = {.time = isfinite(file.time) ? file.time : 0,
                      .count = file.count,
                      .dimension = 3,
                      .position = (const double(*)[3])file.position};
    status = make_fields(conversion, &arena, &file, &frame, error);
    if (!status) status = conversion->writer->write(&conversion->heap, to, &frame, error);
    ct_arena_release(&arena);
    ct_particle_file_release(&file);
    return status;
}

/* The name of `path` with the writer's ending, in `folder`; NULL: beside it. */
static ct_status new_name(struct conversion *conversion, const char *path, const char *folder, ct_text *to)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    *to = (ct_text){.heap = &conversion->heap};
    if (folder) ct_text_print(to, "%s/", folder);
    else ct_text_append(to, path, (size_t)(name - path));
    ct_text_append(to, name, dot ? (size_t)(dot - name) : strlen(name));
    ct_text_print(to, ".%s", conversion->writer->extension);
    return to->failed ? CT_NO_MEMORY : CT_OK;
}

static ct_status convert_one(struct conversion *conversion, const char *from, const char *folder,
                             ct_error *error)
{
    ct_text to;
    if (new_name(conversion, from, folder, &to)) return ct_fail_memory(error, strlen(from));
    ct_status status = folder ? ct_folder_create(folder, error) : CT_OK;
    if (!status && strcmp(from, to.data) == 0)
        status =
            ct_fail(error, CT_BAD_USAGE, "'%s' has that format already; -o chooses another folder", from);
    if (!status) status = convert_file(conversion, from, to.data, error);
    if (!status) ct_say("%s\n", to.data);
    ct_text_release(&to);
    return status;
}

static bool is_readable_frame(const char *name)
{
    return ct_frame_number(name) >= 0;
}

/* A run may hold each frame in several formats: the one that keeps most is read. In a sorted list it is the
 * last of its number: .csv < .ply < .vtu. */
static bool has_better(const ct_names *names, size_t index)
{
    return index + 1 < names->count &&
           ct_frame_number(names->names[index + 1]) == ct_frame_number(names->names[index]);
}

static ct_status convert_run(struct conversion *conversion, const char *run, const char *folder,
                             ct_error *error)
{
    ct_heap *heap = &conversion->heap;
    char *frames = ct_path_join(heap, run, "frames");
    char *own = ct_path_join(heap, run, conversion->writer->name);
    ct_names names = {.heap = heap};
    ct_status status = frames && own ? ct_names_list(heap, frames, is_readable_frame, &names, error)
                                     : ct_fail_memory(error, strlen(run));
    long long done = 0;
    for (size_t i = 0; !status && i < names.count; i++) {
        long long number = ct_frame_number(names.names[i]);
        if (number < conversion->first || number > conversion->last || has_better(&names, i)) continue;
        char *from = ct_path_join(heap, frames, names.names[i]);
        status =
            from ? convert_one(conversion, from, folder ? folder : own, error) : ct_fail_memory(error, 1);
        ct_release(heap, from);
        done++;
    }
    if (!status && !done) status = ct_fail(error, CT_BAD_USAGE, "'%s' has no such frames", run);
    ct_names_release(&names);
    ct_release(heap, own);
    ct_release(heap, frames);
    return status;
}

static ct_status check_fields(const struct conversion *conversion, ct_error *error)
{
    int index = 0;
    for (const char *at = conversion->fields; at && index < 64; index++) {
        if (!conversion->found[index])
            return ct_fail(error, CT_BAD_USAGE, "no frame has a field '%.*s'", (int)strcspn(at, ","), at);
        at = strchr(at, ',');
        if (at) at++;
    }
    return CT_OK;
}

int ct_command_convert(int argc, char **argv)
{
    ct_arguments arguments;
    struct conversion conversion = {.last = LLONG_MAX};
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = ct_option_range(&arguments, "frames", &conversion.first, &conversion.last);
    if (code >= 0) return code;
    const char *format = ct_option_value(&arguments, "to"), *folder = ct_option_value(&arguments, "output");
    if (!format) return ct_usage_error(&arguments, "--to is necessary: vtu, ply or csv");
    conversion.writer = ct_writer_find(format);
    if (!conversion.writer)
        return ct_usage_error(&arguments, "there is no format '%s': vtu, ply or csv", format);
    conversion.fields = ct_option_value(&arguments, "fields");
    ct_heap_init(&conversion.heap, (ct_allocator){0});
    ct_error error;
    const char *from = ct_argument(&arguments, 0);
    ct_status status = ct_is_folder(from) ? convert_run(&conversion, from, folder, &error)
                                          : convert_one(&conversion, from, folder, &error);
    if (!status) status = check_fields(&conversion, &error);
    return status ? ct_report(&error) : CT_OK;
}
