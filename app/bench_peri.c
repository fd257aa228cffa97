/* What is measured of peridynamics: a cube of material on the floor, let go at a step of 2 ms. */
#include "bench.h"

#include <math.h>
#include <string.h>

static const struct scene {
    const char *name, *type;
    int iterations;
    double density;
    ct_parameter parameters[3];
    int parameter_count;
} scenes[] = {
    {"elastic", "elastic", 10, 1000, {{"young", 1e6}, {"poisson", 0.25}}, 2},
    {"sand", "granular", 5, 1600, {{"friction_angle", 0.58}}, 1},
    {"wet_sand", "granular", 5, 1800, {{"friction_angle", 0.61}, {"saturation", 0.4}, {"cohesion", 1e3}}, 3},
    {"honey",
     "viscous",
     5,
     1420,
     {{"viscosity", 10}, {"redistribution", 0.3}, {"redistribution_iterations", 3}},
     3},
};

static const struct scene *find_scene(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (!strcmp(scenes[i].name, name)) return &scenes[i];
    return NULL;
}

static ct_status fill(ct_world *world, const struct scene *scene, double low, double side, ct_error *error)
{
    ct_material_def material = ct_default_material_def();
    material.type = scene->type;
    material.density = scene->density;
    material.parameters = scene->parameters;
    material.parameter_count = scene->parameter_count;
    ct_status status = ct_world_add_material(world, &material, NULL, error);
    if (status) return status;
    ct_body_def body = ct_default_body_def();
    body.pattern = CT_PATTERN_LATTICE;
    for (int a = 0; a < 3; a++) body.shape.min[a] = a == 1 ? 0 : low;
    for (int a = 0; a < 3; a++) body.shape.max[a] = body.shape.min[a] + side;
    return ct_world_add_body(world, &body, NULL, error);
}

ct_status ct_bench_make_peri(const ct_bench_def *def, ct_world **world, ct_error *error)
{
    const struct scene *scene = find_scene(def->scene);
    if (!scene)
        return ct_fail(
            error, CT_BAD_USAGE,
            "there is no scene '%s'; with peridynamics there are elastic, sand, wet_sand and honey",
            def->scene);
    double spacing = 0.01, side = round(pow((double)def->particles, 1.0 / def->dimension)) * spacing;
    ct_world_def world_def = ct_default_world_def();
    world_def.method = CT_METHOD_PERIDYNAMICS;
    world_def.dimension = def->dimension;
    world_def.precision = def->precision;
    world_def.threads = def->threads;
    world_def.spacing = spacing;
    world_def.has_domain = true;
    world_def.step.fixed = 1.0 / 500;
    world_def.peri.iterations = scene->iterations;
    world_def.peri.tolerance = 0;
    double width = ceil(2.5 * side * def->spread / (4 * spacing)) * 4 * spacing;
    for (int a = 0; a < 3; a++) world_def.domain_max[a] = width;
    world_def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    ct_status status = ct_world_create(&world_def, world, error);
    if (status) return status;
    double low = floor((width - side) / 2 / spacing) * spacing;
    status = fill(*world, scene, low, side, error);
    if (status) ct_world_destroy(*world);
    return status;
}

void ct_bench_ask_peri(const ct_world *world, ct_bench_result *result)
{
    ct_solver_info solver = ct_world_solver(world);
    result->neighbours = world->kinds[0].method->neighbours(world->kinds[0].self);
    result->iterations = solver.iterations;
    result->residual = solver.residual;
}
