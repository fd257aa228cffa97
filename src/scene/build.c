/* A scene becomes a world: its materials, bodies, sources, changes, sinks and colliders, in that order. The
 * world does not know scenes. */
#include "scene/scene.h"
#include "world.h"

/* A world with the scene's materials and sinks, and its bodies and sources with or without their particles.
 */
static ct_status build(const ct_scene *scene, int threads, bool is_filled, ct_world **result, ct_error *error)
{
    ct_world_def def = scene->world;
    def.threads = threads;
    *result = NULL;
    ct_world *world;
    ct_status status = ct_world_create(&def, &world, error);
    if (status) return status;
    for (int i = 0; i < scene->material_count && !status; i++)
        status = ct_world_add_material(world, &scene->materials[i], NULL, error);
    for (int i = 0; i < scene->body_count && !status; i++)
        status = is_filled ? ct_world_add_body(world, &scene->bodies[i], NULL, error)
                           : ct_world_register_body(world, &scene->bodies[i], "body", error);
    for (int i = 0; i < scene->source_count && !status; i++)
        status = is_filled ? ct_world_add_source(world, &scene->sources[i], NULL, error)
                           : ct_world_register_source(world, &scene->sources[i], error);
    for (int i = 0; i < scene->change_count && !status; i++)
        status = ct_world_add_change(world, &scene->changes[i], NULL, error);
    for (int i = 0; i < scene->sink_count && !status; i++)
        status = ct_world_add_sink(world, &scene->sinks[i], NULL, error);
    for (int i = 0; i < scene->collider_count && !status; i++)
        status = ct_world_add_collider(world, &scene->colliders[i], NULL, error);
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
