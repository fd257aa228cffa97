/* The world's forces: added, and at work at the end of a step. */
#include "world_forces.h"

#include "core/cookies.h"
#include "world_record.h"

#include <string.h>

/* A name that no body has is a mistake; bodies may be added later, so only a step can tell: it does not mind. */
ct_status ct_world_add_force(ct_world *world, const ct_force_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_common *common = &world->common;
    ct_boundary *boundary = &world->boundary;
    ct_force force;
    if (boundary->force_count >= CT_MOST_FORCES)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d forces", CT_MOST_FORCES);
    ct_status status =
        ct_array_grow(&common->heap, &boundary->forces, boundary->force_count, &boundary->force_capacity,
                      boundary->force_count + 1, sizeof *boundary->forces, error);
    if (!status)
        status = ct_force_create(&common->heap, &common->arena, common->def.dimension, def, &force, error);
    if (status) return status;
    if ((status = ct_record_prepare(world->record, CT_RECORDED_FORCE, def, error))) {
        ct_force_release(&common->heap, &force);
        return status;
    }
    ct_record_keep(world->record);
    if (index) *index = (int)boundary->force_count;
    boundary->forces[boundary->force_count++] = force;
    return CT_OK;
}

ct_status ct_world_set_force(ct_world *world, ct_force_function function, void *user, ct_error *error)
{
    CT_REQUIRE(world, error);
    world->force_function = function;
    world->force_user = user;
    return CT_OK;
}

bool ct_world_has_forces(const ct_world *world)
{
    return world->boundary.force_count || world->force_function;
}

/* Points of a kind that a function of the user's is asked about. */
static size_t points_of(const ct_kind *kind)
{
    return ct_kind_cloud(kind)->particles.count;
}

ct_status ct_world_reserve_forces(ct_world *world, ct_error *error)
{
    ct_boundary *boundary = &world->boundary;
    ct_status status = CT_OK;
    for (size_t f = 0; f < boundary->force_count && !status; f++)
        status = ct_force_reserve(&world->common.heap, &world->common, &boundary->forces[f], error);
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_kind *kind = &world->kinds[k];
        ct_exertion *exertion = &world->exertions[k];
        exertion->function = world->force_function;
        exertion->user = world->force_user;
        exertion->forces = boundary->forces;
        exertion->count = boundary->force_count;
        status = ct_exertion_reserve(exertion, ct_kind_cloud(kind), points_of(kind), error);
    }
    return status;
}

void ct_world_exert(ct_world *world, double before)
{
    ct_common *common = &world->common;
    ct_boundary *boundary = &world->boundary;
    for (size_t f = 0; f < boundary->force_count; f++)
        ct_force_begin(&boundary->forces[f], before, common->time);
    for (int k = 0; k < world->kind_count; k++) {
        const ct_kind *kind = &world->kinds[k];
        ct_exertion *exertion = &world->exertions[k];
        if (!ct_kind_cloud(kind)->particles.count) continue;
        exertion->time = common->time;
        exertion->dt = common->dt;
        if (kind->method->exert) {
            kind->method->exert(kind->self, exertion);
            continue;
        }
        double gained = world->numerics->exert(exertion, ct_kind_cloud(kind));
        if (!common->def.energy_budget || !ct_method_info_at(kind->method->number)->has_budget) continue;
        common->budget.initial += gained;
        common->budget.grid += gained;
    }
}

void ct_world_release_forces(ct_world *world)
{
    for (int k = 0; k < CT_MOST_KINDS; k++) ct_exertion_release(&world->common.heap, &world->exertions[k]);
}
