/* The world's life: filled, stepped, asked (world_make.c makes and destroys it, world_data.c reads and writes
 * its particles). Everything public is checked here, at the door; inside it is taken for granted. */
#include "world.h"

#include "cookies.h"
#include "core/track.h"
#include "material/elastic.h"
#include "particles/quantities.h"
#include "timestep/courant.h"
#include "timestep/ledger.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ct_world_log(const ct_world *world, ct_log_level level, const char *format, ...)
{
    if (!world->def.log) return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    world->def.log(level, message, world->def.log_user);
}

void ct_mark(ct_world *world, int stage)
{
    double now = ct_now();
    if (world->is_again) stage = CT_STAGE_time_step;
    world->stage_seconds[stage] += now - world->last_mark;
    world->last_mark = now;
}

/* ---- filling ----------------------------------------------------------------------------------------------
 */

static bool is_elastic_name(const char *name)
{
    for (int k = 0; k < CT_ELASTIC_PARAMETERS; k++)
        if (!strcmp(ct_elastic_parameters[k].name, name)) return true;
    return false;
}

/* The model's own parameters in the order of its list. */
static ct_status collect_parameters(const ct_material_def *def, const ct_material_info *info, double *values,
                                    ct_error *error)
{
    for (int k = 0; k < info->parameter_count; k++) values[k] = info->parameters[k].fallback;
    for (int i = 0; i < def->parameter_count; i++) {
        const ct_parameter *given = &def->parameters[i];
        if (info->is_elastic && is_elastic_name(given->name)) continue;
        int k = 0;
        while (k < info->parameter_count && strcmp(info->parameters[k].name, given->name)) k++;
        if (k == info->parameter_count)
            return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' has no parameter '%s'", def->name,
                           def->type, given->name);
        if (!(given->value >= info->parameters[k].least && given->value <= info->parameters[k].most))
            return ct_fail(error, CT_BAD_USAGE, "material '%s': %s = %g is not between %g and %g", def->name,
                           given->name, given->value, info->parameters[k].least, info->parameters[k].most);
        values[k] = given->value;
    }
    for (int k = 0; k < info->parameter_count; k++)
        if (isnan(values[k]))
            return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' needs '%s'", def->name, def->type,
                           info->parameters[k].name);
    return CT_OK;
}

static ct_status check_factor(const ct_track *factor, const char *owner, ct_error *error)
{
    ct_status status = ct_track_check(factor, owner, error);
    double least = factor->count ? INFINITY : factor->constant[0];
    for (int k = 0; k < factor->count && !status; k++) least = fmin(least, factor->values[k][0]);
    if (!status && !(least >= 0))
        status = ct_fail(error, CT_BAD_USAGE,
                         "%s: the stiffness_factor is %g at one time; it must not be negative", owner, least);
    return status;
}

/* What bonds cannot follow is said, where it was asked for. */
static void warn_of_poisson(const ct_world *world, const ct_material_def *def)
{
    for (int i = 0; i < def->parameter_count; i++) {
        double nu = def->parameters[i].value;
        if (strcmp(def->parameters[i].name, "poisson") || (nu >= 0.2 && nu <= 0.3)) continue;
        ct_world_log(world, CT_LOG_WARNING,
                     "material '%s': bonds get thinner by about a quarter of their stretch (a third in 2D); "
                     "poisson: %g only sets how bending is resisted",
                     def->name, nu);
    }
}

static ct_status check_heat(const ct_world *world, const ct_material_def *def, const char *owner,
                            ct_error *error)
{
    ct_status status = ct_check_temperature(def->temperature, owner, error);
    if (status) return status;
    if (!(def->heat_capacity >= 0 && isfinite(def->heat_capacity)) ||
        !(def->conductivity >= 0 && isfinite(def->conductivity)))
        return ct_fail(error, CT_BAD_USAGE, "%s: heat_capacity and conductivity must not be negative", owner);
    if (def->conductivity > 0 && !(def->heat_capacity > 0))
        return ct_fail(error, CT_BAD_USAGE, "%s: conductivity needs a heat_capacity", owner);
    if (def->heat_capacity > 0 && world->peri)
        return ct_fail(error, CT_BAD_USAGE, "%s: peridynamics knows no heat", owner);
    if (def->heat_capacity > 0 && world->def.kernel == CT_KERNEL_LINEAR)
        return ct_fail(error, CT_BAD_USAGE,
                       "%s: heat needs the quadratic or the cubic kernel: no step is short enough for the "
                       "linear one",
                       owner);
    return CT_OK;
}

ct_status ct_world_add_material(ct_world *world, const ct_material_def *def, int *index, ct_error *error)
{
    enum { MOST_PARAMETERS = 32 };
    if (!def || def->cookie != CT_MATERIAL_COOKIE || !def->name || !def->type)
        return ct_fail(error, CT_BAD_USAGE,
                       "the material's definition was not made by ct_default_material_def()");
    if (world->material_count >= CT_MOST_MATERIALS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d materials", CT_MOST_MATERIALS);
    int model = 0;
    const ct_material_info *info;
    while ((info = world->numerics->material_info(model)) && strcmp(info->name, def->type)) model++;
    if (!info)
        return ct_fail(error, CT_BAD_USAGE, "material '%s': there is no type '%s'", def->name, def->type);
    if (!(def->density > 0) || !isfinite(def->density))
        return ct_fail(error, CT_BAD_USAGE, "material '%s': density: %g kg/m^3; it must be positive",
                       def->name, def->density);
    ct_material material = {.density = def->density,
                            .temperature = def->temperature,
                            .heat_capacity = def->heat_capacity,
                            .conductivity = def->conductivity};
    double mu = 0, lambda = 0, values[MOST_PARAMETERS];
    char owner[160];
    snprintf(owner, sizeof owner, "material '%.120s'", def->name);
    ct_status status = ct_check_parameters(def->parameters, def->parameter_count, owner, error);
    if (!status) status = check_heat(world, def, owner, error);
    if (!status) status = collect_parameters(def, info, values, error);
    if (!status && info->is_elastic)
        status = ct_elastic_constants(def->parameters, def->parameter_count, def->name, &mu, &lambda, error);
    if (!status) status = world->numerics->prepare_material(model, mu, lambda, values, &material, error);
    if (!status) status = world->numerics->keep_fields(world, &material, error);
    if (!status)
        status = ct_array_grow(&world->heap, &world->materials, world->material_count,
                               &world->material_capacity, world->material_count + 1, sizeof material, error);
    if (!status) status = ct_ledger_reserve(world, error);
    if (!status) status = check_factor(&def->stiffness_factor, owner, error);
    if (!status)
        status = ct_track_copy(&world->arena, &def->stiffness_factor, &material.stiffness_factor, error);
    if (status) return status;
    material.name = ct_arena_text(&world->arena, def->name, strlen(def->name));
    if (!material.name) return ct_fail_memory(error, strlen(def->name));
    if (index) *index = (int)world->material_count;
    world->materials[world->material_count++] = material;
    if (world->peri && info->is_elastic) warn_of_poisson(world, def);
    world->has_heat |= material.heat_capacity > 0;
    return CT_OK;
}

/* A body's transfer scheme: its own, or the world's. */
static ct_status choose_scheme(ct_world *world, const ct_body_def *def, ct_scheme *scheme, ct_error *error)
{
    char owner[96];
    *scheme = world->scheme;
    if (!def->has_scheme) return CT_OK;
    snprintf(owner, sizeof owner, "body '%.64s': scheme", def->name);
    ct_status status =
        ct_scheme_make(scheme, &def->scheme, world->def.dimension, world->def.kernel, owner, error);
    if (!status && (scheme->info->is_polynomial || world->scheme.info->is_polynomial))
        status =
            ct_fail(error, CT_BAD_USAGE, "%s: 'polypic' can only be the scheme of the whole world", owner);
    return status;
}

/* The dimensions that a shape extends in, and whether the world's method has such bodies. */
static ct_status find_rank(const ct_world *world, const ct_body_def *def, int *rank, ct_error *error)
{
    ct_shape_type type = def->shape.type;
    *rank = type == CT_SHAPE_POLYLINE                            ? 1
            : type == CT_SHAPE_SHEET || type == CT_SHAPE_SURFACE ? 2
                                                                 : world->def.dimension;
    if (world->peri || type < CT_SHAPE_SHEET) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE,
                   "body '%s': sheets, surfaces and lines are bodies of peridynamics only", def->name);
}

/* A body's entry without its particles. */
ct_status ct_world_register_body(ct_world *world, const ct_body_def *def, const char *what, ct_error *error)
{
    if (!def || def->cookie != CT_BODY_COOKIE || !def->name)
        return ct_fail(error, CT_BAD_USAGE, "the body's definition was not made by ct_default_body_def()");
    if (def->material < 0 || (size_t)def->material >= world->material_count)
        return ct_fail(error, CT_BAD_USAGE, "%s '%s': there is no material %d", what, def->name,
                       def->material);
    for (int c = 0; c < 3; c++)
        if (!(def->color[c] <= 1))
            return ct_fail(error, CT_BAD_USAGE, "%s '%s': color is not a number up to 1", what, def->name);
    if (world->body_count >= CT_MOST_BODIES)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d bodies", CT_MOST_BODIES);
    ct_status status = ct_array_grow(&world->heap, &world->bodies, world->body_count, &world->body_capacity,
                                     world->body_count + 1, sizeof *world->bodies, error);
    if (status) return status;
    ct_body body = {.name = ct_arena_text(&world->arena, def->name, strlen(def->name)),
                    .material = def->material};
    if (!body.name) return ct_fail_memory(error, strlen(def->name));
    status = choose_scheme(world, def, &body.scheme, error);
    if (!status) status = find_rank(world, def, &body.rank, error);
    if (!status && def->has_temperature) status = ct_check_temperature(def->temperature, def->name, error);
    if (status) return status;
    body.temperature = def->has_temperature ? def->temperature : world->materials[def->material].temperature;
    memcpy(body.color, def->color, sizeof body.color);
    world->has_one_scheme =
        !world->body_count ||
        (world->has_one_scheme && !memcmp(&body.scheme, &world->bodies[0].scheme, sizeof body.scheme));
    world->needs_before |= ct_scheme_needs_before(&body.scheme);
    if (!(world->def.step.sound_cfl > 0))
        world->sound_cfl =
            fmin(world->sound_cfl,
                 ct_courant_default(body.scheme.info->name, world->def.kernel, world->def.force_form));
    world->bodies[world->body_count++] = body;
    return CT_OK;
}

ct_status ct_world_check_inside(const ct_world *world, const ct_seeds *seeds, const char *name,
                                ct_error *error)
{
    for (size_t k = 0; k < seeds->count && world->def.has_domain; k++) {
        double x[3];
        ct_seed_position(seeds, k, x);
        for (int a = 0; a < world->def.dimension; a++)
            if (!(x[a] >= world->def.domain_min[a] && x[a] <= world->def.domain_max[a]))
                return ct_fail(error, CT_BAD_USAGE,
                               "body '%s': it has a particle at (%g, %g, %g) m, outside the domain", name,
                               x[0], x[1], x[2]);
    }
    return CT_OK;
}

void ct_world_add_to_budget(ct_world *world, size_t first_run)
{
    ct_world_sums sums = {0};
    world->numerics->add_sums(world, first_run, &sums);
    world->budget.initial += sums.kinetic + sums.elastic + sums.gravitational;
    world->budget.grid += sums.kinetic;
}

ct_lattice ct_world_lattice(const ct_world *world)
{
    ct_lattice lattice = {.dimension = world->def.dimension};
    memcpy(lattice.origin, world->grid.origin, sizeof lattice.origin);
    memcpy(lattice.spacing, world->grid.spacing, sizeof lattice.spacing);
    return lattice;
}

ct_status ct_world_add_body(ct_world *world, const ct_body_def *def, int *index, ct_error *error)
{
    ct_status status = ct_world_register_body(world, def, "body", error);
    if (status) return status;
    ct_lattice lattice = ct_world_lattice(world);
    ct_seeds seeds = {0};
    double gradient[9];
    size_t runs = world->grid.blocks.occupied;
    ct_body_def sampled = *def;
    if (world->peri && !def->per_cell) sampled.per_cell = 1;
    status = ct_seed_body(&world->heap, &lattice, &sampled, world->def.seed, &seeds, gradient, error);
    if (!status) status = ct_world_check_inside(world, &seeds, def->name, error);
    if (!status)
        status = ct_links_reserve(&world->heap, &world->links, seeds.links.triangle_count,
                                  seeds.links.line_count, error);
    size_t first = world->next_id;
    if (!status)
        status = world->numerics->add_particles(world, &seeds, (int)world->body_count - 1, gradient, error);
    if (!status) ct_links_append(&world->links, &seeds.links, first);
    if (!status && world->numerics->take_grips) world->numerics->take_grips(world, 0, first);
    if (seeds.heap) ct_seeds_release(&seeds);
    if (status) {
        world->body_count--;
        return status;
    }
    if (world->def.energy_budget) ct_world_add_to_budget(world, runs);
    if (index) *index = (int)world->body_count - 1;
    return CT_OK;
}

/* ---- stepping
 * ------------------------------------------------------------------------------------------------ */

ct_status ct_world_step_towards(ct_world *world, double until, ct_error *error)
{
    if (!world->body_count)
        return ct_fail(error, CT_BAD_USAGE, "the world has no particles: add a body or a source first");
    ct_status status = world->numerics->step(world, until, error);
    if (CT_CHECKS && !status && world->particles.count)
        status = world->numerics->check_invariants(world, error);
    return status;
}

ct_status ct_world_step(ct_world *world, ct_error *error)
{
    return ct_world_step_towards(world, INFINITY, error);
}

ct_status ct_world_run_until(ct_world *world, double time, ct_error *error)
{
    if (!isfinite(time)) return ct_fail(error, CT_BAD_USAGE, "the time to run until must be finite");
    ct_status status = CT_OK;
    while (!status && world->time < time) status = ct_world_step_towards(world, time, error);
    return status;
}

/* ---- questions
 * --------------------------------------------------------------------------------------------- */

ct_world_info ct_world_get_info(const ct_world *world)
{
    return (ct_world_info){.dimension = world->def.dimension,
                           .precision = world->def.precision,
                           .time = world->time,
                           .step = world->step,
                           .dt = world->dt,
                           .limited_by = world->limited_by,
                           .limited_material = world->limited_material < world->material_count
                                                   ? (int)world->limited_material
                                                   : -1,
                           .particles = world->particles.count,
                           .blocks = world->grid.blocks.count,
                           .bytes = world->heap.bytes,
                           .peak_bytes = world->heap.peak,
                           .wall_returns = world->wall_returns,
                           .wall_bounces = world->wall_bounces,
                           .emitted = world->flow.emitted.particles,
                           .sunk = world->flow.sunk.particles,
                           .strays = world->flow.strays.particles,
                           .threads = ct_pool_size(world->pool)};
}

/* They are renumbered when particles are taken away (boundary/flow.c). */
ct_links_info ct_world_links(const ct_world *world)
{
    const ct_links *links = &world->links;
    return (ct_links_info){.triangles = (const uint32_t(*)[3])links->triangles,
                           .triangle_count = links->triangle_count,
                           .lines = (const uint32_t(*)[2])links->lines,
                           .line_count = links->line_count};
}

ct_world_sums ct_world_get_sums(const ct_world *world)
{
    ct_world_sums sums = {.lost_in_transfers = NAN, .lost_on_grid = NAN};
    if (world->particles.count) world->numerics->add_sums(world, 0, &sums);
    sums.spread = sums.mass > 0 ? sqrt(sums.spread / sums.mass) : 0;
    sums.emitted_mass = world->flow.emitted.mass;
    sums.emitted_energy = world->flow.emitted.energy;
    sums.removed_mass = world->flow.sunk.mass + world->flow.strays.mass;
    sums.removed_energy = world->flow.sunk.energy + world->flow.strays.energy;
    sums.emitted_heat = world->flow.emitted.heat;
    sums.removed_heat = world->flow.sunk.heat + world->flow.strays.heat;
    if (world->peri) sums.iterations = world->peri->iterations, sums.residual = world->peri->residual;
    sums.collider_work = world->budget.colliders;
    sums.heat_received = world->budget.heat;
    if (world->def.energy_budget) {
        /* What is gone from the total went in transfers or on the grid (apic-2015, Fig. 14). The last
         * transfer from the grid is charged when the next step's transfer to it completes the pair. */
        sums.lost_in_transfers = world->budget.transfers;
        sums.lost_on_grid = world->budget.initial + world->budget.colliders - world->budget.grid -
                            sums.elastic - sums.gravitational - world->budget.transfers;
    }
    return sums;
}
