/* What is measured of incompressible flow: a dam that fills a quarter of a box breaks; the steps are as long as the
 * flow lets them be. */
#include "bench.h"

#include <math.h>
#include <string.h>

ct_status ct_bench_make_fluid(const ct_bench_def *def, ct_world **world, ct_error *error)
{
    if (strcmp(def->scene, "dam"))
        return ct_fail(error, CT_BAD_USAGE, "there is no scene '%s'; with fluid there is dam", def->scene);
    const double per_cell = def->dimension == 2 ? 4 : 8;
    const double side =
        4 * fmax(round(pow(4 * (double)def->particles / per_cell, 1.0 / def->dimension) / 4), 2);
    ct_world_def world_def = ct_default_world_def();
    world_def.method = CT_METHOD_FLUID;
    world_def.dimension = def->dimension;
    world_def.precision = def->precision;
    world_def.threads = def->threads;
    world_def.scheme.type = def->scheme;
    world_def.spacing = 1 / side;
    world_def.has_domain = true;
    for (int a = 0; a < 3; a++) world_def.domain_max[a] = 1;
    ct_status status = ct_world_create(&world_def, world, error);
    if (status) return status;
    ct_material_def material = ct_default_material_def();
    material.type = "liquid";
    status = ct_world_add_material(*world, &material, NULL, error);
    ct_body_def body = ct_default_body_def();
    for (int a = 0; a < 3; a++) body.shape.max[a] = a < 2 ? 0.5 : 1;
    if (!status) status = ct_world_add_body(*world, &body, NULL, error);
    if (status) ct_world_destroy(*world);
    return status;
}
