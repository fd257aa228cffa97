/* Changes of material: what there is of a body becomes another one, of another material. */
#include "world.h"
#include "world_record.h"

#include "core/cookies.h"
#include "particles/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ct_status check_definition(const ct_change_def *def, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_CHANGE_COOKIE, "change", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a change has no name");
    if (!def->from) return ct_fail(error, CT_BAD_USAGE, "change '%s': of what? 'from' is NULL", def->name);
    if (!isfinite(def->time) || !(def->until >= 0) || (def->until > 0 && def->until < def->time))
        return ct_fail(error, CT_BAD_USAGE, "change '%s': it goes from %g s until %g s", def->name, def->time,
                       def->until);
    if (def->has_shape && def->shape.type >= CT_SHAPE_POINTS)
        return ct_fail(error, CT_BAD_USAGE, "change '%s': its shape has no inside", def->name);
    return CT_OK;
}

/* The body of that name; -1: there is none. */
static int find_body(const ct_world *world, const char *name)
{
    for (size_t b = 0; b < world->common.body_count; b++)
        if (!strcmp(world->common.bodies[b].name, name)) return (int)b;
    return -1;
}

/* Materials change within a method, if it lets them. */
static ct_status check_method(const ct_world *world, const ct_change_def *def, int from, ct_error *error)
{
    const ct_common *common = &world->common;
    int method = common->bodies[from].method;
    bool is_there = def->material >= 0 && (size_t)def->material < common->material_count;
    if (!ct_method_info_at(method)->has_changes)
        return ct_fail(error, CT_BAD_USAGE, "change '%s': only materials of peridynamics change", def->name);
    if (is_there && common->materials[def->material].method != method)
        return ct_fail(error, CT_BAD_USAGE,
                       "change '%s': '%s' and the material '%s' are of different methods", def->name,
                       def->from, common->materials[def->material].name);
    return CT_OK;
}

static bool is_solid(const ct_world *world, int body)
{
    return !world->common.materials[world->common.bodies[body].material].info->flows;
}

static ct_status register_change(ct_world *world, const ct_change_def *def, ct_change *change,
                                 ct_error *error)
{
    char owner[160];
    snprintf(owner, sizeof owner, "change '%.120s'", def->name);
    ct_body_def body = ct_default_body_def();
    body.name = def->name;
    body.material = def->material;
    memcpy(body.color, def->color, sizeof body.color);
    ct_status status = CT_OK;
    if (def->has_shape)
        status = ct_shape_create(&world->common.heap, world->common.def.dimension, &def->shape, owner,
                                 &change->shape, error);
    if (!status)
        status = ct_array_grow(&world->common.heap, &world->common.changes, world->common.change_count,
                               &world->common.change_capacity, world->common.change_count + 1, sizeof *change,
                               error);
    if (!status) status = ct_world_enter_body(world, &body, "change", error);
    if (status) ct_shape_destroy(change->shape);
    return status;
}

ct_status ct_world_add_change(ct_world *world, const ct_change_def *def, int *body, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_status status = check_definition(def, error);
    if (status) return status;
    ct_change change = {.from = find_body(world, def->from),
                        .time = def->time,
                        .until = def->until > 0 ? def->until : INFINITY};
    if (change.from < 0)
        return ct_fail(error, CT_BAD_USAGE, "change '%s': there is no body '%s'", def->name, def->from);
    status = check_method(world, def, change.from, error);
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_CHANGE, def, error);
    if (!status) status = register_change(world, def, &change, error);
    if (status) return status;
    ct_record_keep(world->record);
    change.body = (int)world->common.body_count - 1;
    if (is_solid(world, change.from) && is_solid(world, change.body))
        world->common.bodies[change.body].rank = world->common.bodies[change.from].rank;
    world->common.changes[world->common.change_count++] = change;
    if (body) *body = change.body;
    return CT_OK;
}
