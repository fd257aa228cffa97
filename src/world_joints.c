/* The library's functions for joints. */
#include "core/cookies.h"
#include "world.h"
#include "world_record.h"

#include <math.h>
#include <string.h>

/* A rigid body by its name; -1: there is none. */
static int find_body(const ct_world *world, const char *name)
{
    for (size_t b = 0; b < world->common.body_count; b++)
        if (ct_world_kind_of((ct_world *)(uintptr_t)world, (int)b)->method->add_joint &&
            !strcmp(world->common.bodies[b].name, name))
            return (int)b;
    return -1;
}

static ct_status check_joint(const ct_world *world, const ct_joint_def *def, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_JOINT_COOKIE, "joint", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a joint has no name");
    const char *const names[] = {def->body ? def->body : "", def->to};
    for (int k = 0; k < 2; k++)
        if (names[k] && find_body(world, names[k]) < 0)
            return ct_fail(error, CT_BAD_USAGE, "joint '%s': there is no rigid body '%s'", def->name,
                           names[k]);
    if (def->to && !strcmp(def->body, def->to))
        return ct_fail(error, CT_BAD_USAGE, "joint '%s': it holds '%s' to itself", def->name, def->to);
    const double numbers[] = {def->at[0],   def->at[1],     def->at[2],  def->axis[0],     def->axis[1],
                              def->axis[2], def->lower,     def->upper,  def->motor_speed, def->motor_most,
                              def->rest,    def->stiffness, def->damping};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!isfinite(numbers[k]))
            return ct_fail(error, CT_BAD_USAGE, "joint '%s': its numbers must be finite", def->name);
    if (def->has_limits && !(def->lower <= def->upper))
        return ct_fail(error, CT_BAD_USAGE, "joint '%s': its upper limit is below the lower", def->name);
    if (def->stiffness < 0 || def->damping < 0 || def->motor_most < 0)
        return ct_fail(error, CT_BAD_USAGE, "joint '%s': springs and motors must not be negative", def->name);
    return CT_OK;
}

ct_status ct_world_add_joint(ct_world *world, const ct_joint_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_status status = check_joint(world, def, error);
    if (status) return status;
    int body = find_body(world, def->body), to = def->to ? find_body(world, def->to) : -1, count = 0;
    const ct_kind *kind = ct_world_kind_of(world, body);
    ct_joint_info info;
    status = ct_record_prepare(world->record, CT_RECORDED_JOINT, def, error);
    if (!status) status = kind->method->add_joint(kind->self, def, body, to, error);
    if (status) return status;
    ct_record_keep(world->record);
    while (kind->method->joint(kind->self, count, &info)) count++;
    if (index) *index = count - 1;
    return CT_OK;
}

bool ct_world_joint(const ct_world *world, int index, ct_joint_info *info)
{
    for (int k = 0; world && info && k < world->kind_count; k++)
        if (world->kinds[k].method->joint)
            return world->kinds[k].method->joint(world->kinds[k].self, index, info);
    return false;
}
