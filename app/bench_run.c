#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 10, WARM_UP = 8, MOST_STEPS = 1 << 20 };

/* The yardstick's material and time step, so that the two can be compared: jelly that is thrown down at 3
 * m/s. */
#define YOUNG   1e5
#define POISSON 0.3
static const double DENSITY = 1000, SPEED = -3, COURANT = 0.3;

/* What is measured: one material, or two of them in every cell. All have the yardstick's speed of sound at
 * rest. */
#define ELASTIC                \
    {                          \
        {"young", YOUNG},      \
        {                      \
            "poisson", POISSON \
        }                      \
    }
static const struct scene {
    const char *name;
    struct {
        const char *type;
        ct_parameter parameters[2];
        int parameter_count;
    } materials[2];
} scenes[] = {
    {"elastic", {{"fixed_corotated", ELASTIC, 2}}},
    {"mixed", {{"fixed_corotated", ELASTIC, 2}, {"neo_hookean", ELASTIC, 2}}},
    {"water", {{"fluid", {{"bulk", YOUNG *(1 - POISSON) / ((1 + POISSON) * (1 - 2 * POISSON))}}, 1}}},
    {"sand", {{"drucker_prager", ELASTIC, 2}}},
    {"snow", {{"snow", ELASTIC, 2}}},
    {"clay", {{"nacc", ELASTIC, 2}}},
};
#undef ELASTIC

static const struct scene *find_scene(const char *name)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (!strcmp(scenes[i].name, name)) return &scenes[i];
    return NULL;
}

/* A half space whose surface is at `height`, m: just below the cube. */
static ct_status add_floor(ct_world *world, double height, ct_error *error)
{
    ct_collider_def floor = ct_default_collider_def();
    floor.shape.type = CT_SHAPE_HALF_SPACE;
    floor.shape.normal[1] = 1;
    floor.shape.point[1] = height;
    floor.contact = CT_CONTACT_SEPARATE;
    floor.friction = 0.4;
    return ct_world_add_collider(world, &floor, NULL, error);
}

static ct_status make_world(const ct_bench_def *def, ct_world **world, ct_error *error)
{
    double mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    double per_cell = def->dimension == 2 ? 4 : 8;
    int side = (int)(pow((double)def->particles / per_cell, 1.0 / def->dimension) + 0.5);
    if (side < 2) side = 2;
    side &= ~1;
    double cells = ceil(2.5 * side * def->spread / 4) * 4, dx = 1.0 / 128;
    ct_world_def world_def = ct_default_world_def();
    world_def.dimension = def->dimension;
    world_def.precision = def->precision;
    world_def.kernel = def->kernel;
    world_def.scheme.type = def->scheme;
    world_def.threads = def->threads;
    world_def.spacing = dx;
    world_def.has_domain = true;
    if (!def->has_criteria) world_def.step.fixed = COURANT * dx / sqrt((lambda + 2 * mu) / DENSITY);
    for (int a = 0; a < 3; a++) world_def.domain_max[a] = cells * dx;
    for (int s = 0; s < CT_SIDES; s++) world_def.walls[s].type = CT_WALL_SEPARATE;
    ct_status status = ct_world_create(&world_def, world, error);
    if (status) return status;

    const struct scene *scene = find_scene(def->scene);
    bool is_mixed = scene->materials[1].type != NULL;
    for (int k = 0; k <= is_mixed && !status; k++) {
        ct_material_def material = ct_default_material_def();
        material.type = scene->materials[k].type;
        material.parameters = scene->materials[k].parameters;
        material.parameter_count = scene->materials[k].parameter_count;
        material.density = DENSITY;
        status = ct_world_add_material(*world, &material, NULL, error);
    }
    if (def->has_collider && !status) status = add_floor(*world, 5.5 * dx, error);
    double low = floor((cells - side) / 2) * dx;
    for (int half = 0; half <= is_mixed && !status; half++) {
        ct_body_def body = ct_default_body_def();
        body.material = half;
        body.velocity[1] = SPEED;
        if (is_mixed) body.per_cell = (int)per_cell / 2; /* both in every cell */
        for (int a = 0; a < 3; a++) body.shape.min[a] = a == 1 ? 6 * dx : low;
        for (int a = 0; a < 3; a++) body.shape.max[a] = body.shape.min[a] + side * dx;
        status = ct_world_add_body(*world, &body, NULL, error);
    }
    if (status) ct_world_destroy(*world);
    return status;
}

/* Triad a = b + s c over arrays that no cache holds. */
static double measure_stream(void)
{
    enum { COUNT = 1 << 24, REPEATS = 3 };
    float *a = malloc(3 * sizeof *a * COUNT), *b = a + COUNT, *c = b + COUNT;
    if (!a) return 0;
    for (size_t i = 0; i < 3 * (size_t)COUNT; i++) a[i] = (float)(i & 15);
    double best = 0;
    for (int r = 0; r < REPEATS; r++) {
        double begin = ct_now();
        for (size_t i = 0; i < COUNT; i++) a[i] = b[i] + 1.5f * c[i];
        best = fmax(best, 4.0 * sizeof *a * COUNT / (ct_now() - begin)); /* the line of a is read, too */
    }
    double sum = a[COUNT / 2];
    free(a);
    return sum == sum ? best : 0;
}

/* Numbers that a particle's step must move: to the grid it reads x v C F (or J, and state), volume, mass and
 * material; back it reads x and F and writes x v C F, whose lines of v and C are fetched once more. */
static double traffic_of(const ct_bench_def *def, const ct_world *world)
{
    double d = def->dimension, size = def->precision == CT_DOUBLE ? 8 : 4, F = 0;
    const int kept[] = {CT_FIELD_DEFORMATION, CT_FIELD_J, CT_FIELD_STATE};
    for (int k = 0; k < 3; k++) F += ct_kind_cloud(&world->kinds[0])->particles.components[kept[k]];
    double reads = 2 * d + d * d + F + 2, again = d + F, writes = 2 * d + d * d + F, fetched = d + d * d;
    return size * (reads + again + writes + fetched) + 2;
}

/* Arithmetic as the kernels are written: rows of 16 numbers, 3 operations each to the grid and back, about 30
 * a number of the row to set up, and about 500 (3D) or 120 for stress, deformation and limits. */
static double operations_of(const ct_bench_def *def)
{
    double width = def->kernel == CT_KERNEL_CUBIC ? 4 : 3, rows = def->dimension == 3 ? width * width : width;
    return 16 * (2 * 3 * rows + 30) + (def->dimension == 3 ? 500 : 120);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ct_status time_steps(ct_world *world, const ct_bench_def *def, ct_bench_result *result,
                            ct_error *error)
{
    ct_status status = CT_OK;
    for (int i = 0; i < WARM_UP && !status; i++) status = ct_world_step(world, error);
    double before[CT_STAGES], times[BLOCKS], total = 0;
    memcpy(before, world->clock.seconds, sizeof before);
    uint64_t generation = ct_world_generation(world);
    int blocks = def->steps < BLOCKS ? def->steps : BLOCKS;
    for (int b = 0; b < blocks && !status; b++) {
        int steps = def->steps * (b + 1) / blocks - def->steps * b / blocks;
        double begin = ct_now();
        for (int i = 0; i < steps && !status; i++) status = ct_world_step(world, error);
        double seconds = ct_now() - begin;
        times[b] = 1e9 * seconds / steps / (double)ct_world_count(world);
        total += seconds;
    }
    if (status) return status;
    qsort(times, (size_t)blocks, sizeof *times, compare);
    double per_step = 1e9 / def->steps / (double)ct_world_count(world);
    result->median_ns = blocks % 2 ? times[blocks / 2] : (times[blocks / 2 - 1] + times[blocks / 2]) / 2;
    result->best_ns = times[0];
    result->mean_ns = total * per_step;
    result->sorts = (int)(ct_world_generation(world) - generation);
    static const char *const names[] = {
#define X(stage) #stage,
        CT_STAGE_LIST(X)
#undef X
    };
    result->stage_count = CT_STAGES;
    for (int k = 0; k < CT_STAGES; k++)
        result->stages[k] = (ct_bench_stage){names[k], (world->clock.seconds[k] - before[k]) * per_step};
    return CT_OK;
}

ct_status ct_bench_run(const ct_bench_def *def, ct_bench_result *result, ct_error *error)
{
    const ct_method_info *method = ct_method_info_at((int)def->method);
    bool is_peri = method->has_bonds, is_fluid = method->has_pressure, is_of_lines = method->has_only_lines;
    bool is_mpm = !is_peri && !is_fluid && !is_of_lines;
    if (is_mpm && !find_scene(def->scene))
        return ct_fail(error, CT_BAD_USAGE,
                       "there is no scene '%s'; there are elastic, mixed, water, sand, snow and clay",
                       def->scene);
    ct_world *world;
    ct_status status = is_peri       ? ct_bench_make_peri(def, &world, error)
                       : is_fluid    ? ct_bench_make_fluid(def, &world, error)
                       : is_of_lines ? ct_bench_make_strands(def, &world, error)
                                     : make_world(def, &world, error);
    if (status) return status;
    *result = (ct_bench_result){.isa = world->numerics->isa, .stream = measure_stream()};
    if (is_mpm) {
        result->peak = world->numerics->measure_peak();
        result->traffic = traffic_of(def, world);
        result->operations = operations_of(def);
    }
    status = time_steps(world, def, result, error);
    if (!status && is_peri) ct_bench_ask_peri(world, result);
    if (is_fluid || is_of_lines) result->iterations = ct_world_solver(world).iterations;
    if (is_of_lines) result->missed = ct_world_get_sums(world).missed;
    ct_world_info info = ct_world_get_info(world);
    result->particles = info.particles;
    result->blocks = info.blocks;
    result->bytes_per_particle = (double)info.peak_bytes / (double)info.particles;
    ct_world_destroy(world);
    return status;
}
