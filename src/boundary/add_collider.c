/* The library's functions for colliders. */
#include "cookies.h"
#include "world.h"

#include <math.h>
#include <string.h>

ct_status ct_world_add_collider(ct_world *world, const ct_collider_def *def, int *index, ct_error *error)
{
    if (!def || def->cookie != CT_COLLIDER_COOKIE || !def->name)
        return ct_fail(error, CT_BAD_USAGE,
                       "the collider's definition was not made by ct_default_collider_def()");
    if (world->collider_count >= CT_MOST_COLLIDERS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d colliders", CT_MOST_COLLIDERS);
    ct_status status =
        ct_array_grow(&world->heap, &world->colliders, world->collider_count, &world->collider_capacity,
                      world->collider_count + 1, sizeof *world->colliders, error);
    ct_collider collider;
    if (!status)
        status = ct_collider_create(&world->heap, &world->arena, world->def.dimension, def,
                                    world->grid.least_spacing, world->pool, &collider, error);
    if (status) return status;
    ct_collider_prepare(&collider, world->time, 0);
    collider.totals.row_time = world->time;
    if (index) *index = (int)world->collider_count;
    world->colliders[world->collider_count++] = collider;
    if (world->numerics->take_grips && def->grip)
        world->numerics->take_grips(world, world->collider_count - 1, 0);
    return CT_OK;
}

ct_status ct_world_set_motion(ct_world *world, int index, const ct_motion_def *motion, ct_error *error)
{
    if (index < 0 || (size_t)index >= world->collider_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no collider %d", index);
    return ct_collider_set_motion(&world->colliders[index], &world->arena, motion, error);
}

bool ct_world_collider(const ct_world *world, int index, ct_collider_info *info)
{
    if (index < 0 || (size_t)index >= world->collider_count) return false;
    const ct_collider *collider = &world->colliders[index];
    const ct_collider_totals *totals = &collider->totals;
    *info = (ct_collider_info){.name = collider->name,
                               .work = totals->work,
                               .deepest = totals->deepest,
                               .put_back = (uint64_t)totals->put_back};
    ct_pose pose = ct_collider_pose(collider, world->time);
    memcpy(info->position, pose.position, sizeof info->position);
    memcpy(info->impulse, totals->impulse, sizeof info->impulse);
    memcpy(info->angular_impulse, totals->angular_impulse, sizeof info->angular_impulse);
    memcpy(info->force, collider->force, sizeof info->force);
    memcpy(info->torque, collider->torque, sizeof info->torque);
    return true;
}

/* The largest speed that the substance of a collider has within a block's reach: at the middle, and what
 * turning and growing add towards the corners. */
double ct_colliders_speed(const ct_world *world)
{
    const ct_grid *grid = &world->grid;
    double fastest = 0, half[3] = {0}, radius = 0;
    enum { NODES = 4 }; /* along a block's side */
    for (int a = 0; a < world->def.dimension; a++) {
        half[a] = NODES * grid->spacing[a]; /* the block and half as much on both sides */
        radius += half[a] * half[a];
    }
    radius = sqrt(radius);
    for (size_t c = 0; c < world->collider_count; c++) {
        ct_collider now = world->colliders[c];
        if (!now.is_moving) continue;
        ct_collider_prepare(&now, world->time, 0);
        double turning = fabs(now.moving.growth);
        for (int a = 0; a < 3; a++) turning = hypot(turning, now.moving.spin[a]);
        for (size_t b = 0; b < grid->blocks.occupied; b++) {
            double x[3] = {0}, v[3];
            bool is_near = true;
            for (int a = 0; a < world->def.dimension; a++) {
                x[a] = grid->origin[a] +
                       (grid->blocks.coordinate[b][a] * NODES + 0.5 * NODES) * grid->spacing[a];
                is_near &= x[a] + half[a] >= now.box_min[a] && x[a] - half[a] <= now.box_max[a];
            }
            if (!is_near) continue;
            ct_collider_velocity(&now, x, v);
            fastest = fmax(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning * radius);
        }
    }
    return fastest;
}

/* The domain; without one the box of the blocks in use. */
static void visible_box(const ct_world *world, double min[3], double max[3])
{
    enum { NODES = 4 };
    const ct_grid *grid = &world->grid;
    for (int a = 0; a < 3; a++) {
        min[a] = world->def.has_domain ? world->def.domain_min[a] : INFINITY;
        max[a] = world->def.has_domain ? world->def.domain_max[a] : -INFINITY;
        for (size_t b = 0; b < grid->blocks.occupied && !world->def.has_domain; b++) {
            double corner =
                grid->origin[a] + (double)grid->blocks.coordinate[b][a] * NODES * grid->spacing[a];
            min[a] = fmin(min[a], corner);
            max[a] = fmax(max[a], corner + NODES * grid->spacing[a]);
        }
        if (a >= world->def.dimension || !(max[a] > min[a])) min[a] = max[a] = 0;
    }
}

ct_status ct_world_collider_surface(const ct_world *world, int index, double time,
                                    ct_collider_surface *surface, ct_error *error)
{
    if (index < 0 || (size_t)index >= world->collider_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no collider %d", index);
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->heap; /* what is made belongs to the caller */
    double min[3], max[3];
    visible_box(world, min, max);
    return ct_collider_make_surface(heap, &world->colliders[index], time, min, max, world->grid.least_spacing,
                                    surface, error);
}

void ct_collider_surface_release(const ct_world *world, ct_collider_surface *surface)
{
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->heap;
    ct_release(heap, surface->vertices);
    ct_release(heap, surface->corners);
    *surface = (ct_collider_surface){0};
}
