/* What is measured of strands: a square of hair on end, 50 segments each, held at its roots, falls to one side in steps
 * of 2 ms. Tips lean at random, so that neighbours touch. */
#include "bench.h"

#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS = 50 };
static const double SEGMENT = 0.01, APART = 0.006, LEAN = 0.02; /* m */

/* Every scene with what the one before it has, too. */
static const struct scene {
    const char *name;
    double collide, grid;
} scenes[] = {{"threads", 0, 0}, {"bundle", 1, 0}, {"hair", 1, 1}};

static const struct scene *find_scene(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (!strcmp(scenes[i].name, name)) return &scenes[i];
    return NULL;
}

static double lean(uint64_t detail)
{
    return LEAN * (ct_random_unit(ct_random_key(1, detail)) - 0.5);
}

/* Lines from roots to tips; false: it could not be written. */
static bool write_lines(FILE *file, long long strands)
{
    long long side = (long long)ceil(sqrt((double)strands));
    for (long long k = 0; k < strands; k++) {
        double x = APART * (double)(k % side), z = APART * (double)(k / side);
        fprintf(file, "v %.6f 0 %.6f\n", x, z);
        x += lean(2 * (uint64_t)k), z += lean(2 * (uint64_t)k + 1);
        fprintf(file, "v %.6f %.6f %.6f\nl %lld %lld\n", x, SEGMENTS * SEGMENT, z, 2 * k + 1, 2 * k + 2);
    }
    return !ferror(file);
}

static ct_status fill(ct_world *world, const struct scene *scene, const char *path, ct_error *error)
{
    const ct_parameter parameters[] = {{"young", 1e8},
                                       {"poisson", 0.35},
                                       {"thickness", 0.005},
                                       {"collide", scene->collide},
                                       {"grid_contact", scene->grid}};
    ct_material_def material = ct_default_material_def();
    material.type = "strand";
    material.density = 1300;
    material.parameters = parameters;
    material.parameter_count = sizeof parameters / sizeof *parameters;
    ct_status status = ct_world_add_material(world, &material, NULL, error);
    ct_body_def body = ct_default_body_def();
    body.shape.type = CT_SHAPE_POLYLINE;
    body.shape.file = path;
    body.shape.radius = 0.001;
    body.has_hold = true;
    body.hold.type = CT_SHAPE_HALF_SPACE;
    body.hold.normal[1] = 1;
    body.hold.point[1] = 1.2 * SEGMENT; /* two vertices */
    return status ? status : ct_world_add_body(world, &body, NULL, error);
}

static ct_status make(const ct_bench_def *def, const struct scene *scene, const char *path, ct_world **world,
                      ct_error *error)
{
    ct_world_def world_def = ct_default_world_def();
    world_def.method = CT_METHOD_STRANDS;
    world_def.precision = def->precision;
    world_def.threads = def->threads;
    world_def.spacing = SEGMENT;
    world_def.step.fixed = 1.0 / 500;
    world_def.gravity.constant[0] = 9.81;
    ct_status status = ct_world_create(&world_def, world, error);
    if (status) return status;
    status = fill(*world, scene, path, error);
    if (status) ct_world_destroy(*world);
    return status;
}

ct_status ct_bench_make_strands(const ct_bench_def *def, ct_world **world, ct_error *error)
{
    const struct scene *scene = find_scene(def->scene);
    char path[] = "bench_strands_XXXXXX";
    if (!scene)
        return ct_fail(error, CT_BAD_USAGE,
                       "there is no scene '%s'; with strands there are bundle, threads and hair", def->scene);
    if (def->dimension != 3) return ct_fail(error, CT_BAD_USAGE, "strands are measured in 3D");
    int number = mkstemp(path);
    FILE *file = number < 0 ? NULL : fdopen(number, "w");
    if (!file) return ct_fail(error, CT_BAD_IO, "%s: cannot be written", path);
    bool is_written = write_lines(file, (long long)fmax(1, round((double)def->particles / (SEGMENTS + 1))));
    is_written &= !fclose(file);
    ct_status status = is_written ? make(def, scene, path, world, error)
                                  : ct_fail(error, CT_BAD_IO, "%s: cannot be written", path);
    remove(path);
    return status;
}
