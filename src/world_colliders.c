/* The library's functions for colliders. */
#include "core/cookies.h"
#include "world.h"
#include "world_record.h"

#include <math.h>
#include <string.h>

static double distance_to(const void *of, const double x[3])
{
    return ct_collider_distance(of, x, NULL);
}

ct_status ct_world_add_collider(ct_world *world, const ct_collider_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_COLLIDER_COOKIE, "collider", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a collider has no name");
    if (world->boundary.collider_count >= CT_MOST_COLLIDERS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d colliders", CT_MOST_COLLIDERS);
    status = ct_array_grow(&world->common.heap, &world->boundary.colliders, world->boundary.collider_count,
                           &world->boundary.collider_capacity, world->boundary.collider_count + 1,
                           sizeof *world->boundary.colliders, error);
    ct_collider collider;
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_COLLIDER, def, error);
    if (!status)
        status = ct_collider_create(&world->common.heap, &world->common.arena, world->common.def.dimension,
                                    def, world->space.least_spacing, world->common.pool, &collider, error);
    if (status) return status;
    ct_collider_prepare(&collider, world->common.time, 0);
    status =
        ct_world_check_sides(world, "collider", def->name, collider.is_bounded ? collider.box_min : NULL,
                             collider.box_max, collider.is_moving ? NULL : distance_to, &collider, error);
    if (status) {
        ct_collider_release(&collider);
        return status;
    }
    collider.totals.row_time = world->common.time;
    ct_record_keep(world->record);
    if (index) *index = (int)world->boundary.collider_count;
    world->boundary.colliders[world->boundary.collider_count++] = collider;
    for (int k = 0; k < world->kind_count && def->grip; k++)
        if (world->kinds[k].method->take_grips)
            world->kinds[k].method->take_grips(world->kinds[k].self, world->boundary.collider_count - 1, 0);
    return CT_OK;
}

ct_status ct_world_set_motion(ct_world *world, int index, const ct_motion_def *motion, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(motion, error);
    if (index < 0 || (size_t)index >= world->boundary.collider_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no collider %d", index);
    return ct_collider_set_motion(&world->boundary.colliders[index], &world->common.heap, motion, error);
}

bool ct_world_collider(const ct_world *world, int index, ct_collider_info *info)
{
    if (!world || !info || index < 0 || (size_t)index >= world->boundary.collider_count) return false;
    const ct_collider *collider = &world->boundary.colliders[index];
    const ct_collider_totals *totals = &collider->totals;
    *info = (ct_collider_info){.name = collider->name,
                               .work = totals->work,
                               .deepest = totals->deepest,
                               .put_back = (uint64_t)totals->put_back,
                               .leaks = (uint64_t)totals->leaks};
    ct_pose pose = ct_collider_pose(collider, world->common.time);
    memcpy(info->position, pose.position, sizeof info->position);
    memcpy(info->impulse, totals->impulse, sizeof info->impulse);
    memcpy(info->angular_impulse, totals->angular_impulse, sizeof info->angular_impulse);
    memcpy(info->force, collider->force, sizeof info->force);
    memcpy(info->torque, collider->torque, sizeof info->torque);
    return true;
}

/* The domain; without one the box of the blocks in use. */
static void visible_box(const ct_world *world, double min[3], double max[3])
{
    enum { NODES = 4 };
    const ct_world_def *def = &world->common.def;
    for (int a = 0; a < 3; a++) {
        min[a] = def->has_domain ? def->domain_min[a] : INFINITY;
        max[a] = def->has_domain ? def->domain_max[a] : -INFINITY;
        for (int k = 0; k < world->kind_count && !def->has_domain; k++) {
            const ct_grid *grid = &ct_kind_cloud(&world->kinds[k])->grid;
            for (size_t b = 0; b < grid->blocks.occupied; b++) {
                double corner =
                    grid->origin[a] + (double)grid->blocks.coordinate[b][a] * NODES * grid->spacing[a];
                min[a] = fmin(min[a], corner);
                max[a] = fmax(max[a], corner + NODES * grid->spacing[a]);
            }
        }
        if (a >= def->dimension || !(max[a] > min[a])) min[a] = max[a] = 0;
    }
}

ct_status ct_world_collider_surface(const ct_world *world, int index, double time,
                                    ct_collider_surface *surface, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(surface, error);
    if (index < 0 || (size_t)index >= world->boundary.collider_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no collider %d", index);
    ct_heap *heap = world->common.arena.heap; /* what is made belongs to the caller */
    double min[3], max[3];
    visible_box(world, min, max);
    return ct_collider_make_surface(heap, &world->boundary.colliders[index], time, min, max,
                                    world->space.least_spacing, surface, error);
}

void ct_collider_surface_release(const ct_world *world, ct_collider_surface *surface)
{
    if (!world || !surface) return;
    ct_heap *heap = world->common.arena.heap;
    ct_release(heap, surface->vertices);
    ct_release(heap, surface->corners);
    ct_release(heap, surface->uv);
    *surface = (ct_collider_surface){0};
}
