/* The world's life: made from a definition, filled, stepped, asked, destroyed. Everything public is checked
 * here, at the door; inside it is taken for granted. */
#include "world.h"

#include "cookies.h"
#include "core/track.h"
#include "material/elastic.h"
#include "particles/quantities.h"
#include "peri/cholesky.h"
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
    world->stage_seconds[stage] += now - world->last_mark;
    world->last_mark = now;
}

/* ---- making
 * ------------------------------------------------------------------------------------------------ */

static ct_status check_step(const ct_step_def *step, ct_error *error)
{
    const struct {
        const char *name;
        double value, most;
    } limits[] = {{"velocity_cfl", step->velocity_cfl, INFINITY},
                  {"displacement_limit", step->displacement_limit, 1},
                  {"deformation_limit", step->deformation_limit, 1.0 / 3},
                  {"single_factor", step->single_factor, INFINITY},
                  {"viscosity_factor", step->viscosity_factor, INFINITY},
                  {"collider_cfl", step->collider_cfl, 1}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!(limits[i].value > 0 && limits[i].value <= limits[i].most))
            return ct_fail(error, CT_BAD_USAGE, "step: %s is %g; it must be above 0 and at most %g",
                           limits[i].name, limits[i].value, limits[i].most);
    if (!(step->sound_cfl >= 0))
        return ct_fail(error, CT_BAD_USAGE, "step: sound_cfl is %g; it must not be negative",
                       step->sound_cfl);
    if (!(step->max >= 0) || !(step->min >= 0) || !(step->fixed >= 0) || isinf(step->fixed))
        return ct_fail(error, CT_BAD_USAGE,
                       "step: max, min and fixed must not be negative, and fixed must be finite");
    if (step->criteria & ~(unsigned)CT_CRITERIA_ALL)
        return ct_fail(error, CT_BAD_USAGE, "step: criteria has bits that are no CT_CRITERION_*");
    if (step->single_form != CT_SINGLE_STRICT && step->single_form != CT_SINGLE_RELAXED &&
        step->single_form != CT_SINGLE_EXACT)
        return ct_fail(error, CT_BAD_USAGE, "step: there is no single-particle form %d",
                       (int)step->single_form);
    if (!step->criteria && !(step->max > 0) && !(step->fixed > 0))
        return ct_fail(error, CT_BAD_USAGE,
                       "step: without criteria there must be a max or a fixed time step");
    return CT_OK;
}

static ct_status check_peri(const ct_peri_def *peri, ct_error *error)
{
    if (!(peri->horizon == 0 || (peri->horizon >= 1.01 && peri->horizon <= 8)))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: a horizon of %g spacings; it must be 1.01 to 8",
                       peri->horizon);
    if ((unsigned)peri->solver > CT_PERI_POSITIONS)
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: there is no solver %d", (int)peri->solver);
    if (peri->solver == CT_PERI_DIRECT && !ct_factor_is_built_in())
        return ct_fail(error, CT_BAD_USAGE,
                       "peridynamics: the direct solver needs CHOLMOD, which this build does not have");
    if (peri->iterations < 1 || !(peri->tolerance >= 0))
        return ct_fail(error, CT_BAD_USAGE,
                       "peridynamics: iterations must be at least 1, and the tolerance not negative");
    if (!(peri->contact >= 0 && peri->contact <= 1.5) || !(peri->friction >= 0))
        return ct_fail(error, CT_BAD_USAGE,
                       "peridynamics: contact must be 0 to 1.5 spacings, and friction not negative");
    if (!(peri->spectral_radius >= 0 && peri->spectral_radius < 1))
        return ct_fail(error, CT_BAD_USAGE, "peridynamics: the spectral radius must be below 1");
    return CT_OK;
}

static ct_status check_definition(const ct_world_def *def, ct_error *error)
{
    if (!def || def->cookie != CT_WORLD_COOKIE)
        return ct_fail(error, CT_BAD_USAGE, "the world's definition was not made by ct_default_world_def()");
    if (def->dimension != 2 && def->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "dimension: %d; it must be 2 or 3", def->dimension);
    if (def->method != CT_METHOD_MPM && def->method != CT_METHOD_PERIDYNAMICS)
        return ct_fail(error, CT_BAD_USAGE, "method: there is no method %d", (int)def->method);
    if (def->precision != CT_FLOAT && def->precision != CT_DOUBLE)
        return ct_fail(error, CT_BAD_USAGE, "precision: %d is neither float nor double", (int)def->precision);
    if (def->kernel != CT_KERNEL_QUADRATIC && def->kernel != CT_KERNEL_CUBIC &&
        def->kernel != CT_KERNEL_LINEAR)
        return ct_fail(error, CT_BAD_USAGE, "kernel: %d is neither linear, quadratic nor cubic",
                       (int)def->kernel);
    if (def->force_form != CT_FORCE_MLS && def->force_form != CT_FORCE_GRADIENT)
        return ct_fail(error, CT_BAD_USAGE, "force form: %d is neither MLS nor gradient",
                       (int)def->force_form);
    if (!(def->spacing > 0) || !isfinite(def->spacing))
        return ct_fail(error, CT_BAD_USAGE, "spacing: %g m; it must be positive", def->spacing);
    if (!(def->far_limit >= 0))
        return ct_fail(error, CT_BAD_USAGE, "far limit: %g m; it must not be negative", def->far_limit);
    ct_status status = ct_track_check(&def->gravity, "gravity", error);
    if (!status) status = check_step(&def->step, error);
    if (!status && def->method == CT_METHOD_PERIDYNAMICS) status = check_peri(&def->peri, error);
    return status;
}

/* A list of named numbers as a caller gives it. */
static ct_status check_parameters(const ct_parameter *parameters, int count, const char *owner,
                                  ct_error *error)
{
    if (count < 0 || (count && !parameters))
        return ct_fail(error, CT_BAD_USAGE, "%s: %d parameters, but no list of them", owner, count);
    for (int i = 0; i < count; i++)
        if (!parameters[i].name)
            return ct_fail(error, CT_BAD_USAGE, "%s: parameter %d has no name", owner, i);
    return CT_OK;
}

/* Nodes half a cell off the walls: the spacing of each axis fits a whole number of cells between them. */
static ct_status set_grid(ct_world *world, ct_error *error)
{
    static const char axis_name[] = "xyz";
    const ct_world_def *def = &world->def;
    ct_grid *grid = &world->grid;
    static const double shift[] = {
        [CT_KERNEL_QUADRATIC] = 0, [CT_KERNEL_CUBIC] = 0.5, [CT_KERNEL_LINEAR] = -0.5};
    grid->shift = shift[def->kernel];
    grid->least_spacing = INFINITY;
    for (int a = 0; a < 3; a++) {
        grid->spacing[a] = def->spacing;
        if (!def->has_domain || a >= def->dimension) continue;
        double extent = def->domain_max[a] - def->domain_min[a], cells = round(extent / def->spacing);
        if (!(extent > 0) || !isfinite(extent))
            return ct_fail(error, CT_BAD_USAGE, "domain: max must be above min along %c", axis_name[a]);
        if (cells < 4 || cells > 1e9)
            return ct_fail(
                error, CT_BAD_USAGE,
                "domain: %g m along %c are %g cells of %g m; there must be at least 4 and at most 1e9",
                extent, axis_name[a], cells, def->spacing);
        grid->origin[a] = def->domain_min[a];
        grid->cells[a] = (int64_t)cells;
        grid->spacing[a] = extent / cells;
        if (fabs(grid->spacing[a] - def->spacing) > 1e-9 * def->spacing)
            ct_world_log(world, CT_LOG_INFO,
                         "the grid's spacing along %c is %.6g m instead of %g m, to fit the domain",
                         axis_name[a], grid->spacing[a], def->spacing);
    }
    for (int a = 0; a < def->dimension; a++)
        grid->least_spacing = fmin(grid->least_spacing, grid->spacing[a]);
    return CT_OK;
}

static ct_status set_walls(ct_world *world, const ct_world_def *def, ct_error *error)
{
    static const char *const names[CT_SIDES] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    for (int side = 0; side < 2 * def->dimension && def->has_domain; side++) {
        const ct_wall_def *wall = &def->walls[side];
        char name[32];
        snprintf(name, sizeof name, "wall %s: velocity", names[side]);
        if ((int)wall->type < CT_WALL_NO_SLIP || (int)wall->type > CT_WALL_FREE)
            return ct_fail(error, CT_BAD_USAGE, "wall %s: there is no type %d", names[side], (int)wall->type);
        if (!(wall->friction >= 0) || !isfinite(wall->friction))
            return ct_fail(error, CT_BAD_USAGE, "wall %s: friction must not be negative", names[side]);
        ct_status status = ct_track_check(&wall->velocity, name, error);
        if (status) return status;
        bool goes_across = wall->velocity.constant[side / 2] != 0;
        for (int k = 0; k < wall->velocity.count; k++) goes_across |= wall->velocity.values[k][side / 2] != 0;
        if (goes_across)
            return ct_fail(error, CT_BAD_USAGE, "%s must lie in the wall: its component across must be 0",
                           name);
        world->walls[side] = (ct_wall){wall->type, wall->friction, {{0}, 0, NULL, NULL, 0}};
        status = ct_track_copy(&world->arena, &wall->velocity, &world->walls[side].velocity, error);
        if (status) return status;
    }
    return CT_OK;
}

/* A million cells from the origin, or from the domain: hardly anything that is worth its time is there. */
static double default_far_limit(const ct_world *world)
{
    double farthest = 0;
    for (int a = 0; a < world->def.dimension && world->def.has_domain; a++)
        farthest = fmax(farthest, fmax(fabs(world->def.domain_min[a]), fabs(world->def.domain_max[a])));
    return farthest + 1e6 * world->def.spacing;
}

/* An implicit step needs no criterion but that of the velocity, and a bound where a body is at rest. */
static ct_status make_peri(ct_world *world, ct_error *error)
{
    static const double usual_step = 1.0 / 250; /* s */
    ct_world_def *def = &world->def;
    world->numerics = world->numerics->peridynamics;
    world->peri = ct_allocate_zero(&world->heap, sizeof *world->peri);
    if (!world->peri) return ct_fail_memory(error, sizeof *world->peri);
    double horizon = def->peri.horizon > 0 ? def->peri.horizon : def->dimension == 3 ? 2.1 : 3.05;
    world->peri->horizon = horizon * def->spacing;
    world->peri->must_find = true;
    def->step.criteria &= CT_CRITERION_VELOCITY;
    if (!(def->step.max > 0)) def->step.max = usual_step;
    def->energy_budget = false;
    return CT_OK;
}

static ct_status fill_world(ct_world *world, const ct_world_def *def, ct_error *error)
{
    world->numerics = ct_numerics_choose(def->dimension, def->precision, error);
    if (!world->numerics) return CT_BAD_USAGE;
    if (def->method == CT_METHOD_PERIDYNAMICS) {
        ct_status made = make_peri(world, error);
        if (made) return made;
    }
    ct_status status =
        ct_scheme_make(&world->scheme, &def->scheme, def->dimension, def->kernel, "scheme", error);
    if (!status) status = set_grid(world, error);
    if (!status) status = set_walls(world, def, error);
    if (!status && def->reserve) status = ct_particles_reserve(&world->particles, def->reserve, error);
    if (def->far_limit == 0) world->def.far_limit = default_far_limit(world);
    if (!status) status = ct_track_copy(&world->arena, &def->gravity, &world->def.gravity, error);
    if (!status) status = ct_pool_create(&world->heap, def->threads, &world->pool, error);
    if (status) return status;
    size_t bytes = (size_t)ct_pool_size(world->pool) * sizeof *world->workers;
    world->workers = ct_allocate_zero(&world->heap, bytes);
    return world->workers ? CT_OK : ct_fail_memory(error, bytes);
}

ct_status ct_world_create(const ct_world_def *def, ct_world **result, ct_error *error)
{
    *result = NULL;
    ct_status status = check_definition(def, error);
    if (status) return status;
    ct_heap heap;
    ct_heap_init(&heap, def->allocator);
    ct_world *world = ct_allocate_zero(&heap, sizeof *world);
    if (!world) return ct_fail_memory(error, sizeof *world);
    world->heap = heap; /* it counts its own memory, too */
    world->arena.heap = &world->heap;
    world->def = *def;
    world->limited_by = "none";
    world->limited_criterion = -1;
    world->sound_cfl = def->step.sound_cfl > 0 ? def->step.sound_cfl : INFINITY;
    ct_particles_init(&world->particles, &world->heap, def->dimension,
                      def->precision == CT_DOUBLE ? sizeof(double) : sizeof(float));
    ct_blocks_init(&world->grid.blocks, &world->heap, def->dimension);
    ct_blocks_init(&world->sorter.spare, &world->heap, def->dimension);
    ct_blocks_init(&world->sorter.added, &world->heap, def->dimension);
    status = fill_world(world, def, error);
    int modes = ct_scheme_higher_modes(&world->scheme, def->dimension);
    if (!status && modes) status = ct_particles_keep(&world->particles, CT_FIELD_MODES, modes, error);
    if (status) {
        ct_world_destroy(world);
        return status;
    }
    *result = world;
    return CT_OK;
}

void ct_world_destroy(ct_world *world)
{
    if (!world) return;
    ct_pool_destroy(world->pool);
    for (size_t c = 0; c < world->collider_count; c++) ct_collider_release(&world->colliders[c]);
    ct_particles_release(&world->particles);
    ct_peri_release(&world->heap, world->peri);
    ct_blocks_release(&world->grid.blocks);
    ct_blocks_release(&world->sorter.spare);
    ct_blocks_release(&world->sorter.added);
    for (size_t i = 0; i < world->source_count; i++) ct_source_release(&world->sources[i]);
    for (size_t i = 0; i < world->sink_count; i++) ct_shape_destroy(world->sinks[i].shape);
    void *const owned[] = {
        world->grid.velocity,  world->grid.before,   world->grid.energy,   world->grid.suspect,
        world->ledger.steps,   world->extremes,      world->sorter.key,    world->sorter.order,
        world->sorter.scratch, world->sorter.target, world->sorter.count,  world->sorter.new_number,
        world->workers,        world->materials,     world->bodies,        world->colliders,
        world->touches.list,   world->touches.first, world->touches.saved, world->sources,
        world->sinks,          world->flow.holds,    world->flow.held,     world->flow.mark};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(&world->heap, owned[i]);
    ct_arena_release(&world->arena);
    ct_heap heap = world->heap;
    ct_release(&heap, world);
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
    ct_material material = {.density = def->density};
    double mu = 0, lambda = 0, values[MOST_PARAMETERS];
    char owner[160];
    snprintf(owner, sizeof owner, "material '%.120s'", def->name);
    ct_status status = check_parameters(def->parameters, def->parameter_count, owner, error);
    if (!status) status = collect_parameters(def, info, values, error);
    if (!status && info->is_elastic)
        status = ct_elastic_constants(def->parameters, def->parameter_count, def->name, &mu, &lambda, error);
    if (!status) status = world->numerics->prepare_material(model, mu, lambda, values, &material, error);
    if (!status) status = world->numerics->keep_fields(world, info, error);
    if (!status)
        status = ct_array_grow(&world->heap, &world->materials, world->material_count,
                               &world->material_capacity, world->material_count + 1, sizeof material, error);
    if (!status) status = ct_ledger_reserve(world, error);
    if (status) return status;
    material.name = ct_arena_text(&world->arena, def->name, strlen(def->name));
    if (!material.name) return ct_fail_memory(error, strlen(def->name));
    if (index) *index = (int)world->material_count;
    world->materials[world->material_count++] = material;
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
    if (status) return status;
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
        status = world->numerics->add_particles(world, &seeds, (int)world->body_count - 1, gradient, error);
    if (seeds.heap) ct_seeds_release(&seeds);
    if (status) {
        world->body_count--;
        return status;
    }
    if (world->def.energy_budget) ct_world_add_to_budget(world, runs);
    if (index) *index = (int)world->body_count - 1;
    return CT_OK;
}

/* ---- scenes
 * -------------------------------------------------------------------------------------------------- */

/* A world with the scene's materials and sinks, and its bodies and sources with or without their particles.
 */
static ct_status build(const ct_scene *scene, int threads, bool is_filled, ct_world **result, ct_error *error)
{
    ct_world_def def = scene->world;
    def.threads = threads;
    *result = NULL;
    ct_world *world;
    ct_status status = ct_world_create(&def, &world, error);
    if (status) return status;
    for (int i = 0; i < scene->material_count && !status; i++)
        status = ct_world_add_material(world, &scene->materials[i], NULL, error);
    for (int i = 0; i < scene->body_count && !status; i++)
        status = is_filled ? ct_world_add_body(world, &scene->bodies[i], NULL, error)
                           : ct_world_register_body(world, &scene->bodies[i], "body", error);
    for (int i = 0; i < scene->source_count && !status; i++)
        status = is_filled ? ct_world_add_source(world, &scene->sources[i], NULL, error)
                           : ct_world_register_source(world, &scene->sources[i], error);
    for (int i = 0; i < scene->sink_count && !status; i++)
        status = ct_world_add_sink(world, &scene->sinks[i], NULL, error);
    for (int i = 0; i < scene->collider_count && !status; i++)
        status = ct_world_add_collider(world, &scene->colliders[i], NULL, error);
    if (status) {
        ct_world_destroy(world);
        return status;
    }
    *result = world;
    return CT_OK;
}

ct_status ct_world_from_scene_empty(const ct_scene *scene, int threads, ct_world **result, ct_error *error)
{
    return build(scene, threads, false, result, error);
}

ct_status ct_world_from_scene(const ct_scene *scene, int threads, ct_world **result, ct_error *error)
{
    return build(scene, threads, true, result, error);
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
                           .emitted = world->flow.emitted.particles,
                           .sunk = world->flow.sunk.particles,
                           .strays = world->flow.strays.particles,
                           .threads = ct_pool_size(world->pool)};
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
    sums.collider_work = world->budget.colliders;
    if (world->def.energy_budget) {
        /* What is gone from the total went in transfers or on the grid (apic-2015, Fig. 14). The last
         * transfer from the grid is charged when the next step's transfer to it completes the pair. */
        sums.lost_in_transfers = world->budget.transfers;
        sums.lost_on_grid = world->budget.initial + world->budget.colliders - world->budget.grid -
                            sums.elastic - sums.gravitational - world->budget.transfers;
    }
    return sums;
}

/* ---- particle data
 * ----------------------------------------------------------------------------------------- */

uint64_t ct_world_generation(const ct_world *world)
{
    return world->particles.generation;
}

ct_status ct_world_view(ct_world *world, const char *name, ct_view *view, ct_error *error)
{
    ct_particles *particles = &world->particles;
    for (int f = 0; f < CT_FIELDS; f++) {
        if (strcmp(ct_field_infos[f].name, name)) continue;
        if (!ct_field_components(particles, f))
            return ct_fail(error, CT_BAD_USAGE, "no material of this world keeps '%s'", name);
        *view = (ct_view){.data = particles->data[f],
                          .type = ct_field_type(particles, f),
                          .components = ct_field_components(particles, f),
                          .count = particles->count,
                          .component_stride = particles->stride[f] * ct_field_size(particles, f),
                          .generation = particles->generation};
        return CT_OK;
    }
    return ct_fail(error, CT_BAD_USAGE, "there is no stored field '%s'", name);
}

/* The list's entry as this world gives it. */
static ct_quantity_info in_this_precision(const ct_world *world, const ct_quantity_info *info)
{
    ct_quantity_info here = *info;
    if (here.type == CT_TYPE_FLOAT32 && world->def.precision == CT_DOUBLE) here.type = CT_TYPE_FLOAT64;
    return here;
}

bool ct_world_quantity(const ct_world *world, int index, ct_quantity_info *info)
{
    const ct_quantity_info *entry = ct_quantity_at(index);
    if (entry) *info = in_this_precision(world, entry);
    return entry;
}

bool ct_world_find_quantity(const ct_world *world, const char *name, ct_quantity_info *info)
{
    const ct_quantity_info *entry = ct_quantity_find(name);
    if (entry) *info = in_this_precision(world, entry);
    return entry;
}

size_t ct_type_size(ct_type type)
{
    static const size_t sizes[] = {
        [CT_TYPE_FLOAT32] = 4, [CT_TYPE_FLOAT64] = 8, [CT_TYPE_UINT16] = 2, [CT_TYPE_UINT32] = 4};
    return sizes[type];
}

/* rank[p] = how many particles have a smaller id than the one at place p. */
static ct_status rank_by_id(const ct_world *world, uint32_t **rank, ct_error *error)
{
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->heap; /* scratch only */
    size_t count = world->particles.count;
    uint32_t *order;
    ct_status status = ct_particles_order_by_id(&world->particles, heap, &order, error);
    if (status) return status;
    *rank = ct_allocate(heap, (count + 1) * sizeof **rank);
    if (*rank)
        for (size_t k = 0; k < count; k++) (*rank)[order[k]] = (uint32_t)k;
    else status = ct_fail_memory(error, count * sizeof **rank);
    ct_release(heap, order);
    return status;
}

static ct_status check_buffer(const ct_world *world, const char *name, size_t bytes, ct_quantity_info *info,
                              ct_error *error)
{
    if (!ct_world_find_quantity(world, name, info))
        return ct_fail(error, CT_BAD_USAGE, "there is no quantity '%s'", name);
    size_t needed = world->particles.count * (size_t)info->components * ct_type_size(info->type);
    if (bytes < needed)
        return ct_fail(error, CT_BAD_USAGE, "'%s' of %zu particles needs a buffer of %zu bytes, not %zu",
                       name, world->particles.count, needed, bytes);
    return CT_OK;
}

ct_status ct_world_read(const ct_world *world, const char *name, void *buffer, size_t bytes, ct_error *error)
{
    ct_quantity_info info;
    ct_status status = check_buffer(world, name, bytes, &info, error);
    uint32_t *rank;
    if (!status) status = rank_by_id(world, &rank, error);
    if (status) return status;
    int index = 0;
    while (strcmp(ct_quantity_at(index)->name, name)) index++;
    world->numerics->read_quantity(world, index, rank, buffer);
    ct_release((ct_heap *)(uintptr_t)&world->heap, rank);
    return CT_OK;
}

/* What the caller changed is energy put into the world, or taken out of it. */
static void book_change(ct_world *world, const ct_world_sums *before)
{
    ct_world_sums after = ct_world_get_sums(world);
    double kinetic = after.kinetic - before->kinetic;
    world->budget.initial += kinetic + after.elastic - before->elastic;
    world->budget.grid += kinetic;
}

/* MPM keeps its deformation beside the positions: to move particles without it makes no sense there. */
static ct_status check_positions(const ct_world *world, const double (*x)[3], ct_error *error)
{
    if (!world->peri)
        return ct_fail(error, CT_BAD_USAGE, "positions can be written in peridynamic worlds only");
    for (size_t p = 0; p < world->particles.count; p++)
        for (int a = 0; a < world->def.dimension; a++) {
            bool is_inside = !world->def.has_domain ||
                             (x[p][a] >= world->def.domain_min[a] && x[p][a] <= world->def.domain_max[a]);
            if (!is_inside || !isfinite(x[p][a]))
                return ct_fail(error, CT_BAD_USAGE, "particle %zu: %g m is outside the domain or not finite",
                               p, x[p][a]);
        }
    return CT_OK;
}

ct_status ct_world_write(ct_world *world, const char *name, const void *buffer, size_t bytes, ct_error *error)
{
    static const struct {
        const char *name;
        ct_field field;
    } writable[] = {{"position", CT_FIELD_POSITION},
                    {"velocity", CT_FIELD_VELOCITY},
                    {"C", CT_FIELD_AFFINE},
                    {"F", CT_FIELD_DEFORMATION},
                    {"J", CT_FIELD_J}};
    ct_quantity_info info;
    ct_status status = check_buffer(world, name, bytes, &info, error);
    if (status) return status;
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++) {
        if (strcmp(writable[i].name, name)) continue;
        if (writable[i].field == CT_FIELD_POSITION) status = check_positions(world, buffer, error);
        if (status) return status;
        if (!ct_field_components(&world->particles, writable[i].field))
            return ct_fail(error, CT_BAD_USAGE, "no material of this world keeps '%s'", name);
        uint32_t *rank;
        status = rank_by_id(world, &rank, error);
        if (status) return status;
        ct_world_sums before = world->def.energy_budget ? ct_world_get_sums(world) : (ct_world_sums){0};
        world->numerics->write_quantity(world, writable[i].field, rank, buffer);
        ct_release(&world->heap, rank);
        if (world->def.energy_budget) book_change(world, &before);
        world->must_measure = true;
        return CT_OK;
    }
    return ct_fail(error, CT_BAD_USAGE, "'%s' cannot be written: only position, velocity, C, F and J can",
                   name);
}
