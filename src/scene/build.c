/* A scene becomes a world: its materials, bodies, sources, changes, sinks, colliders and forces, in that order. The
 * world does not know scenes. */
#include "scene/scene.h"
#include "world.h"

#include <stdio.h>
#include <string.h>

/* A world with the scene's materials and sinks, and its bodies and sources with or without their particles.
 */
static ct_status build(const ct_scene *scene, int threads, bool is_filled, ct_world **result, ct_error *error)
{
    CT_REQUIRE(result, error);
    *result = NULL;
    CT_REQUIRE(scene, error);
    ct_world_def def = scene->world;
    def.threads = threads;
    ct_world *world;
    ct_status status = ct_world_create(&def, &world, error);
    if (status) return status;
    for (int i = 0; i < scene->material_count && !status; i++)
        status = ct_world_add_material(world, &scene->materials[i], NULL, error);
    for (int i = 0; i < scene->body_count && !status; i++)
        status = is_filled ? ct_world_add_body(world, &scene->bodies[i], NULL, error)
                           : ct_world_register_body(world, &scene->bodies[i], error);
    for (int i = 0; i < scene->joint_count && !status; i++)
        status = ct_world_add_joint(world, &scene->joints[i], NULL, error);
    for (int i = 0; i < scene->source_count && !status; i++)
        status = is_filled ? ct_world_add_source(world, &scene->sources[i], NULL, error)
                           : ct_world_register_source(world, &scene->sources[i], error);
    for (int i = 0; i < scene->change_count && !status; i++)
        status = ct_world_add_change(world, &scene->changes[i], NULL, error);
    for (int i = 0; i < scene->sink_count && !status; i++)
        status = ct_world_add_sink(world, &scene->sinks[i], NULL, error);
    for (int i = 0; i < scene->collider_count && !status; i++)
        status = ct_world_add_collider(world, &scene->colliders[i], NULL, error);
    for (int i = 0; i < scene->force_count && !status; i++)
        status = ct_world_add_force(world, &scene->forces[i], NULL, error);
    if (status) {
        ct_world_destroy(world);
        return status;
    }
    *result = world;
    return CT_OK;
}

ct_status ct_world_from_scene_empty(const ct_scene *scene, int threads, ct_world **result, ct_error *error)
{
    return build(scene, threads, false, result, error);
}

ct_status ct_world_from_scene(const ct_scene *scene, int threads, ct_world **result, ct_error *error)
{
    return build(scene, threads, true, result, error);
}

/* ---- Presets ------------------------------------------------------------------------------------------ */

/* The preset of that name: the world's own method is asked first. */
static bool find_preset(const ct_world *world, const char *name, ct_library_preset_info *found)
{
    ct_library_preset_info preset;
    bool is_found = false;
    for (int i = 0; ct_library_preset(i, &preset); i++) {
        if (strcmp(preset.name, name)) continue;
        if (!is_found || preset.method == world->common.def.method) *found = preset;
        is_found = true;
    }
    return is_found;
}

/* A preset is written in the scene's language, so a scene around it is read. */
ct_status ct_world_add_preset(ct_world *world, const char *preset, const char *name, int *material,
                              ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(preset, error);
    ct_library_preset_info found;
    if (!find_preset(world, preset, &found))
        return ct_fail(error, CT_BAD_USAGE, "there is no preset '%s'", preset);
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "{method: %s, time: {end: 1}, grid: {spacing: 1}, materials: {m: {preset: %s}}, "
                          "bodies: {b: {material: m, shape: {type: sphere, center: [0, 0, 0], radius: 1}}}}",
                          ct_method_info_at((int)found.method)->name, found.name);
    ct_scene *scene;
    ct_status status = ct_scene_parse("preset", text, (size_t)length, NULL, 0, &scene, error);
    if (status) return status;
    ct_material_def def = scene->materials[0];
    def.name = name ? name : found.name;
    def.method = found.method;
    status = ct_world_add_material(world, &def, material, error);
    ct_scene_destroy(scene);
    return status;
}
