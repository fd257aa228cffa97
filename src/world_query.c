/* What a world consists of, for users; and what of it can be set while it runs. */
#include "world.h"

#include "core/track.h"

#include <string.h>

bool ct_world_body(const ct_world *world, int index, ct_body_info *info)
{
    if (!world || !info || index < 0 || (size_t)index >= world->common.body_count) return false;
    const ct_body *body = &world->common.bodies[index];
    const int own = world->common.materials[body->material].mesh_of;
    *info =
        (ct_body_info){.name = body->name,
                       .method = (ct_method)(own ? world->common.materials[own - 1].method : body->method),
                       .material = own ? own - 1 : body->material,
                       .particles = body->particles,
                       .temperature = body->temperature};
    memcpy(info->color, body->color, sizeof info->color);
    return true;
}

bool ct_world_material(const ct_world *world, int index, ct_world_material_info *info)
{
    if (!world || !info || index < 0 || (size_t)index >= world->common.material_count) return false;
    const ct_material *material = &world->common.materials[index];
    *info = (ct_world_material_info){.name = material->name,
                                     .type = material->info->name,
                                     .method = (ct_method)material->method,
                                     .density = material->density,
                                     .temperature = material->temperature,
                                     .heat_capacity = material->heat_capacity,
                                     .conductivity = material->conductivity};
    return true;
}

bool ct_world_stage(const ct_world *world, int index, ct_stage_info *info)
{
    static const char *const names[CT_STAGES] = {
#define X(stage) #stage,
        CT_STAGE_LIST(X)
#undef X
    };
    if (!world || !info || index < 0 || index >= CT_STAGES) return false;
    *info = (ct_stage_info){names[index], world->clock.seconds[index]};
    return true;
}

/* The potential is another one: no energy is lost by that. */
ct_status ct_world_set_gravity(ct_world *world, const ct_track *gravity, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(gravity, error);
    double *keys;
    ct_track copy = *gravity, *const tracks[] = {&copy};
    ct_status status = ct_track_check(gravity, "gravity", error);
    if (!status) status = ct_tracks_own(&world->common.heap, tracks, 1, &keys, error);
    if (status) return status;
    const bool has_budget = world->common.def.energy_budget;
    const ct_world_sums before = has_budget ? ct_world_get_sums(world) : (ct_world_sums){0};
    world->common.def.gravity = copy;
    ct_release(&world->common.heap, world->gravity_keys);
    world->gravity_keys = keys;
    if (has_budget) ct_world_book_change(world, &before);
    return CT_OK;
}
