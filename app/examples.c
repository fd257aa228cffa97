/* `continua examples`: the scenes that come with the program, found beside it or in the source tree. */
#include "command.h"
#include "folders.h"
#include "scene/scene.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const ct_option ct_examples_options_table[] = {
    {"output", 'o', "FOLDER", "copy the example's files to this folder"},
    {0},
};

enum { SCENE_LIMIT = 16 << 20 }; /* bytes of a file of an example */

static char *scene_path(ct_heap *heap, const char *folder, const char *name)
{
    char *inside = ct_path_join(heap, folder, name);
    char *path = inside ? ct_path_join(heap, inside, "scene.yaml") : NULL;
    ct_release(heap, inside);
    return path;
}

/* The names of all folders that hold a scene.yaml. */
static ct_status list_examples(ct_heap *heap, const char *folder, ct_names *names, ct_error *error)
{
    ct_status status = ct_names_list(heap, folder, NULL, names, error);
    size_t kept = 0;
    for (size_t i = 0; !status && i < names->count; i++) {
        char *path = scene_path(heap, folder, names->names[i]);
        bool is_scene = path && access(path, R_OK) == 0;
        ct_release(heap, path);
        if (is_scene) {
            names->names[kept++] = names->names[i];
        } else {
            ct_release(heap, names->names[i]);
        }
    }
    if (!status) names->count = kept;
    return status;
}

/* `size`: how many particles, "112k"; "": not known. */
static void print_title(ct_heap *heap, const char *folder, const char *name, const char *size)
{
    ct_error error;
    ct_scene *scene = NULL;
    char *path = scene_path(heap, folder, name), duration[CT_SHORT];
    if (path && ct_scene_load(path, NULL, 0, &scene, &error) == CT_OK)
        ct_say("  %-15s %dD %6s  %-7s %s\n", name, scene->world.dimension, size,
               ct_time_text(duration, scene->end), scene->title ? scene->title : "");
    else ct_say("  %-15s\n", name);
    ct_scene_destroy(scene);
    ct_release(heap, path);
}

/* Takes the next "name size" of a list with commas, and what is left of the list. */
static char *next_word(char **list, const char **size)
{
    char *word = *list + strspn(*list, ", ");
    *list = word + strcspn(word, ",");
    if (**list) *(*list)++ = 0;
    char *blank = strchr(word, ' ');
    *size = blank ? blank + 1 : "";
    if (blank) *blank = 0;
    return *word ? word : NULL;
}

/* A line of themes.txt: "Theme: name size, name size". Names that are printed are taken out of the list. */
static void print_theme(ct_heap *heap, const char *folder, ct_names *names, char *line)
{
    char *list = strchr(line, ':'), *word;
    const char *size;
    if (!list) return;
    *list++ = 0;
    bool is_first = true;
    while ((word = next_word(&list, &size)))
        for (size_t i = 0; i < names->count; i++) {
            if (!names->names[i] || strcmp(names->names[i], word)) continue;
            if (is_first) ct_say("%s\n", line);
            is_first = false;
            print_title(heap, folder, word, size);
            ct_release(heap, names->names[i]);
            names->names[i] = NULL;
        }
    if (!is_first) ct_say("\n");
}

/* By theme where the folder says so in themes.txt, and the rest by name. */
static void print_titles(ct_heap *heap, const char *folder, ct_names *names)
{
    ct_say("Name, dimension, particles, simulated time:\n\n");
    char *path = ct_path_join(heap, folder, "themes.txt"), *text = NULL, *next;
    size_t size = 0;
    if (path && ct_file_load(heap, path, SCENE_LIMIT, &text, &size, NULL)) text = NULL;
    for (char *line = text; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        print_theme(heap, folder, names, line);
    }
    bool is_first = true; /* of those without a theme */
    for (size_t i = 0; i < names->count; i++) {
        if (!names->names[i]) continue;
        if (is_first && text) ct_say("More\n");
        is_first = false;
        print_title(heap, folder, names->names[i], "");
    }
    ct_say("%sTry: %s examples NAME -o NAME && %s run NAME/scene.yaml --film\n", is_first ? "" : "\n",
           ct_program_name(), ct_program_name());
    ct_release(heap, text);
    ct_release(heap, path);
}

static ct_status print_scene(ct_heap *heap, const char *folder, const char *name, ct_error *error)
{
    char *path = scene_path(heap, folder, name), *bytes = NULL;
    size_t count = 0;
    ct_status status =
        path ? ct_file_load(heap, path, SCENE_LIMIT, &bytes, &count, error) : ct_fail_memory(error, 1);
    if (!status && !ct_say_text(bytes, count)) status = ct_fail(error, CT_BAD_IO, "cannot write to stdout");
    ct_release(heap, bytes);
    ct_release(heap, path);
    return status;
}

static ct_status copy_file(ct_heap *heap, const char *from_folder, const char *to_folder, const char *name,
                           ct_error *error)
{
    char *from = ct_path_join(heap, from_folder, name), *to = ct_path_join(heap, to_folder, name),
         *bytes = NULL;
    size_t count = 0;
    ct_status status = from && to ? CT_OK : ct_fail_memory(error, 1);
    if (!status && access(to, F_OK) == 0) status = ct_fail(error, CT_BAD_USAGE, "'%s' is there already", to);
    if (!status) status = ct_file_load(heap, from, SCENE_LIMIT, &bytes, &count, error);
    if (!status) status = ct_file_save(heap, to, bytes, count, error);
    ct_release(heap, bytes);
    ct_release(heap, to);
    ct_release(heap, from);
    return status;
}

/* All that is in a folder, with what is in the folders within: meshes, textures. */
static ct_status copy_folder(ct_heap *heap, const char *from, const char *to, int depth, ct_error *error)
{
    enum { DEEPEST = 8 };
    ct_names files;
    ct_status status = ct_names_list(heap, from, NULL, &files, error);
    if (status) return status;
    status = ct_folder_create(to, error);
    for (size_t i = 0; !status && i < files.count; i++) {
        char *inside = ct_path_join(heap, from, files.names[i]),
             *copy = ct_path_join(heap, to, files.names[i]);
        if (!inside || !copy) status = ct_fail_memory(error, 1);
        else if (!ct_is_folder(inside)) status = copy_file(heap, from, to, files.names[i], error);
        else if (depth < DEEPEST) status = copy_folder(heap, inside, copy, depth + 1, error);
        ct_release(heap, copy);
        ct_release(heap, inside);
    }
    ct_names_release(&files);
    return status;
}

static ct_status copy_example(ct_heap *heap, const char *folder, const char *name, const char *to,
                              ct_error *error)
{
    char *from = ct_path_join(heap, folder, name);
    if (!from) return ct_fail_memory(error, 1);
    ct_status status = copy_folder(heap, from, to, 0, error);
    if (!status) ct_say("%s/scene.yaml\nTry: %s run %s/scene.yaml\n", to, ct_program_name(), to);
    ct_release(heap, from);
    return status;
}

static ct_status check_name(const ct_names *names, const char *name, ct_error *error)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0) return CT_OK;
    const char *near = ct_nearest_word(name, (const char *const *)names->names, (int)names->count);
    return ct_fail(error, CT_BAD_USAGE, "there is no example '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int ct_command_examples(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    const char *name = ct_argument(&arguments, 0), *to = ct_option_value(&arguments, "output");
    if (to && !name) return ct_usage_error(&arguments, "-o copies one example: name it");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_error error;
    ct_names names = {.heap = &heap};
    char folder[CT_PATH_SIZE];
    ct_status status = ct_shared_folder("examples", folder, &error);
    if (!status) status = list_examples(&heap, folder, &names, &error);
    if (!status && name) status = check_name(&names, name, &error);
    if (!status && !name) print_titles(&heap, folder, &names);
    if (!status && name)
        status =
            to ? copy_example(&heap, folder, name, to, &error) : print_scene(&heap, folder, name, &error);
    ct_names_release(&names);
    return status ? ct_report(&error) : CT_OK;
}
