/* Small worlds that several tests use. */
#ifndef CT_TESTS_WORLDS_H
#define CT_TESTS_WORLDS_H

#include "continua/continua.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        ct_error check_error = {0};                                                                                    \
        ct_error *error = &check_error;                                                                                \
        if ((call) != CT_OK) fail_msg("%s: %s", #call, error->message);                                                \
    } while (0)

static inline int add_elastic(ct_world *world, const char *type, double density, double young, double poisson)
{
    ct_parameter parameters[] = {{"young", young}, {"poisson", poisson}};
    ct_material_def def = ct_default_material_def();
    def.type = type;
    def.density = density;
    def.parameters = parameters;
    def.parameter_count = 2;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static inline ct_body_def ball(int material, double x, double y, double z, double radius)
{
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_SPHERE;
    def.shape.center[0] = x, def.shape.center[1] = y, def.shape.center[2] = z;
    def.shape.radius = radius;
    return def;
}

/* Two spinning balls of jelly that collide off-centre, free in space. */
static inline ct_world *colliding_balls(ct_world_def def)
{
    ct_world *world = NULL;
    def.spacing = 1.0 / 16;
    for (int a = 0; a < 3; a++) def.gravity.constant[a] = 0;
    CHECK(ct_world_create(&def, &world, error));
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3), firm = add_elastic(world, "neo_hookean", 700, 5e4, 0.2);
    ct_body_def left = ball(soft, -0.3, 0.04, 0.02, 0.25), right = ball(firm, 0.27, -0.05, -0.01, 0.22);
    left.velocity[0] = 2, right.velocity[0] = -2.5;
    if (def.dimension == 3) left.spin_axis[0] = 0.3, left.spin_axis[1] = 1;
    left.spin_rate = 8, right.spin_rate = -5;
    CHECK(ct_world_add_body(world, &left, NULL, error));
    CHECK(ct_world_add_body(world, &right, NULL, error));
    return world;
}

#endif
