#include "scene/scene.h"

#include "core/file.h"
#include "scene/decode.h"
#include "scene/settings.h"
#include <string.h>

/* "folder/wheel.yaml" -> "wheel" */
static char *name_of(ct_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return ct_arena_text(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static ct_scene *create(ct_allocator allocator, const char *path)
{
    ct_heap heap;
    ct_heap_init(&heap, allocator);
    ct_scene *scene = ct_allocate_zero(&heap, sizeof *scene);
    if (!scene) return NULL;
    scene->heap = heap;
    scene->arena.heap = &scene->heap;
    scene->path = ct_arena_text(&scene->arena, path, strlen(path));
    scene->name = name_of(&scene->arena, path);
    scene->world = ct_default_world_def();
    if (scene->path && scene->name) return scene;
    ct_scene_destroy(scene);
    return NULL;
}

void ct_scene_destroy(ct_scene *scene)
{
    if (!scene) return;
    ct_arena_release(&scene->arena);
    ct_heap heap = scene->heap;
    ct_release(&heap, scene);
}

/* Reads and decodes into `scene`; `tree` holds what is needed only meanwhile. */
static ct_status fill(ct_scene *scene, ct_arena *tree, ct_mistakes *mistakes, const char *bytes, size_t count,
                      const char *const *settings, int setting_count)
{
    ct_yaml *root;
    ct_status status = ct_yaml_parse(tree, mistakes, NULL, bytes, count, &root);
    if (!status && root->kind != CT_YAML_MAPPING) {
        ct_mistake(mistakes, root->place, "a scene is a mapping of keys; begin with 'time: {end: 2 s}'");
        status = CT_BAD_SCENE;
    }
    if (!status) status = ct_settings_apply(tree, mistakes, settings, setting_count, &root);
    if (status) return status;
    ct_decoder decoder = {.scene = scene, .arena = &scene->arena, .mistakes = mistakes};
    ct_decode_scene(&decoder, root);
    return decoder.out_of_memory ? CT_NO_MEMORY : CT_OK;
}

static ct_status check_settings(const char *const *settings, int count, ct_error *error)
{
    if (count < 0 || (count && !settings))
        return ct_fail(error, CT_BAD_USAGE, "there are no settings, but a count of %d", count);
    for (int i = 0; i < count; i++)
        if (!settings[i]) return ct_fail(error, CT_BAD_USAGE, "setting %d is NULL", i);
    return CT_OK;
}

ct_status ct_scene_parse_with(ct_allocator allocator, const char *name, const char *bytes, size_t count,
                              const char *const *settings, int setting_count, ct_scene **result,
                              ct_error *error)
{
    CT_REQUIRE(result, error);
    *result = NULL;
    CT_REQUIRE(name, error);
    CT_REQUIRE(bytes, error);
    ct_status status = check_settings(settings, setting_count, error);
    if (status) return status;
    ct_scene *scene = create(allocator, name);
    if (!scene) return ct_fail_memory(error, sizeof *scene);
    ct_arena tree = {.heap = &scene->heap};
    ct_mistakes *mistakes = ct_arena_allocate(&tree, sizeof *mistakes);
    status = CT_NO_MEMORY;
    if (mistakes) {
        mistakes->path = name;
        status = fill(scene, &tree, mistakes, bytes, count, settings, setting_count);
    }
    if (status == CT_NO_MEMORY) ct_fail_memory(error, scene->heap.bytes);
    else status = ct_mistakes_report(mistakes, error);
    ct_arena_release(&tree);
    if (status) ct_scene_destroy(scene);
    else *result = scene;
    return status;
}

ct_status ct_scene_parse(const char *name, const char *bytes, size_t count, const char *const *settings,
                         int setting_count, ct_scene **scene, ct_error *error)
{
    return ct_scene_parse_with((ct_allocator){0}, name, bytes, count, settings, setting_count, scene, error);
}

ct_status ct_scene_load(const char *path, const char *const *settings, int setting_count, ct_scene **scene,
                        ct_error *error)
{
    CT_REQUIRE(scene, error);
    *scene = NULL;
    CT_REQUIRE(path, error);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char *bytes;
    size_t count;
    ct_error reason = {0};
    ct_status status = ct_file_load(&heap, path, CT_YAML_BYTES, &bytes, &count, &reason);
    if (status == CT_NO_MEMORY) return ct_fail(error, status, "%s", reason.message);
    if (status) /* a scene that is not there is a mistake in the scene like any other */
        return ct_fail(error, CT_BAD_SCENE, "%.512s:1:1: error: %.2000s; give the name of a scene file", path,
                       reason.message);
    status = ct_scene_parse(path, bytes, count, settings, setting_count, scene, error);
    ct_release(&heap, bytes);
    return status;
}

int ct_scene_body_count(const ct_scene *scene)
{
    return scene->body_count + scene->source_count + scene->change_count;
}

const char *ct_scene_body(const ct_scene *scene, int body, const double **color)
{
    int source = body - scene->body_count, change = source - scene->source_count;
    *color = source < 0   ? scene->bodies[body].color
             : change < 0 ? scene->sources[source].color
                          : scene->changes[change].color;
    return source < 0   ? scene->bodies[body].name
           : change < 0 ? scene->sources[source].name
                        : scene->changes[change].name;
}

const ct_material_def *ct_scene_body_material(const ct_scene *scene, int body)
{
    int source = body - scene->body_count, change = source - scene->source_count;
    int material = source < 0   ? scene->bodies[body].material
                   : change < 0 ? scene->sources[source].material
                                : scene->changes[change].material;
    return &scene->materials[material];
}
