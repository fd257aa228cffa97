/* Rigid bodies without a world around them: as much of one as they ask for. */
#ifndef CT_TESTS_RIGID_BODIES_H
#define CT_TESTS_RIGID_BODIES_H

#include "rigid/rigid.h"

#include "core/track.h"
#include "physics/worlds.h"

typedef struct room {
    ct_common common;
    ct_boundary boundary;
    ct_rigids rigids;
    ct_material material;
} room;

static inline room *open_room(int dimension, double gravity)
{
    room *r = calloc(1, sizeof *r);
    ct_heap_init(&r->common.heap, (ct_allocator){0});
    r->common.arena.heap = &r->common.heap;
    r->common.def = ct_default_world_def();
    r->common.def.dimension = dimension;
    r->common.def.gravity.constant[1] = gravity;
    r->material.density = 1000;
    r->common.materials = &r->material;
    r->common.material_count = 1;
    r->rigids.common = &r->common;
    r->rigids.boundary = &r->boundary;
    r->rigids.law = ct_default_contact_law();
    return r;
}

static inline void close_room(room *r)
{
    ct_rigids_release(&r->rigids);
    assert_int_equal(r->common.heap.bytes, 0);
    free(r);
}

/* A floor at y = 0. */
static inline void add_floor(room *r, double friction)
{
    r->common.def.has_domain = true;
    for (int a = 0; a < 3; a++)
        r->common.def.domain_min[a] = a == 1 ? 0 : -100, r->common.def.domain_max[a] = 100;
    for (int side = 0; side < CT_SIDES; side++)
        r->boundary.walls[side] = (ct_wall){.type = CT_WALL_SEPARATE, .friction = friction};
}

static inline ct_rigid_body *add(room *r, ct_body_def def, double spacing)
{
    ct_error error = {0};
    int number = (int)r->rigids.count;
    def.name = "body";
    if (ct_rigid_add(&r->rigids, &def, number, spacing, &error)) fail_msg("%s", error.message);
    return &r->rigids.bodies[number];
}

static inline ct_body_def a_box(double x, double y, double z, double hx, double hy, double hz)
{
    ct_body_def def = ct_default_body_def();
    def.shape.type = CT_SHAPE_BOX;
    const double at[3] = {x, y, z}, half[3] = {hx, hy, hz};
    for (int a = 0; a < 3; a++) def.shape.min[a] = at[a] - half[a], def.shape.max[a] = at[a] + half[a];
    return def;
}

static inline ct_body_def a_ball(double x, double y, double z, double radius)
{
    ct_body_def def = ct_default_body_def();
    def.shape.type = CT_SHAPE_SPHERE;
    def.shape.center[0] = x, def.shape.center[1] = y, def.shape.center[2] = z;
    def.shape.radius = radius;
    return def;
}

static inline void step(room *r, double dt)
{
    double fall[3];
    ct_error error = {0};
    ct_track_integral(&r->common.def.gravity, r->common.time, r->common.time + dt, fall);
    for (size_t k = 0; k < r->rigids.count; k++) {
        ct_rigid_body *body = &r->rigids.bodies[k];
        ct_rigid_begin(body);
        for (int a = 0; a < 3 && !body->is_pinned; a++) body->velocity[a] += fall[a];
    }
    r->rigids.dt = dt;
    if (ct_rigids_touch(&r->rigids, &error)) fail_msg("%s", error.message);
    ct_rigids_solve(&r->rigids);
    ct_rigids_end(&r->rigids);
    r->common.time += dt;
}

static inline ct_world_sums sums_of(const room *r, size_t k)
{
    ct_world_sums sums = {0};
    ct_rigid_add_sums(&r->rigids.bodies[k], &r->common, &sums);
    return sums;
}

#endif
