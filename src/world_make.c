/* A world is made from a definition, which is checked here, and destroyed. */
#include "world.h"

#include "cookies.h"
#include "core/track.h"
#include "method_info.h"
#include "timestep/courant.h"
#include "timestep/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ct_status check_step(const ct_step_def *step, ct_error *error)
{
    const struct {
        const char *name;
        double value, most;
    } limits[] = {{"velocity_cfl", step->velocity_cfl, INFINITY},
                  {"displacement_limit", step->displacement_limit, 1},
                  {"deformation_limit", step->deformation_limit, 0.3},
                  {"single_factor", step->single_factor, INFINITY},
                  {"viscosity_factor", step->viscosity_factor, INFINITY},
                  {"collider_cfl", step->collider_cfl, 1},
                  {"conduction_factor", step->conduction_factor, 1}};
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

static ct_status check_definition(const ct_world_def *def, ct_error *error)
{
    if (!def || def->cookie != CT_WORLD_COOKIE)
        return ct_fail(error, CT_BAD_USAGE, "the world's definition was not made by ct_default_world_def()");
    if (def->dimension != 2 && def->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "dimension: %d; it must be 2 or 3", def->dimension);
    if (!ct_method_info_at((int)def->method))
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
    if (!status) status = ct_check_temperature(def->air.temperature, "air", error);
    if (!status && !(def->air.heat_transfer >= 0 && def->air.emissivity >= 0 && def->air.emissivity <= 1))
        status = ct_fail(error, CT_BAD_USAGE,
                         "air: heat_transfer must not be negative, and emissivity from 0 to 1");
    if (!status) status = check_step(&def->step, error);
    if (!status) status = ct_method_info_at((int)def->method)->check(def, error);
    return status;
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
    /* As far as the tile goes (transfer/tile.h). Peridynamics has none; what is near is to be near in memory.
     */
    bool is_peri = def->method == CT_METHOD_PERIDYNAMICS;
    grid->reach[0] = is_peri ? 1 : 2;
    grid->reach[1] = is_peri || def->kernel == CT_KERNEL_CUBIC ? 1 : 2;
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
        snprintf(name, sizeof name, "wall %s", names[side]);
        status = ct_check_thermal(&wall->thermal, name, error);
        if (status) return status;
        world->walls[side] = (ct_wall){wall->type, wall->friction, {{0}, 0, NULL, NULL, 0}, wall->thermal};
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
    for (int rank = 0; rank <= 3; rank++) world->peri->stiffening[rank] = 1 / ct_peri_modulus(rank, horizon);
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
    ct_links_release(&world->heap, &world->links);
    ct_peri_release(&world->heap, world->peri);
    ct_blocks_release(&world->grid.blocks);
    ct_blocks_release(&world->sorter.spare);
    ct_blocks_release(&world->sorter.added);
    for (size_t i = 0; i < world->source_count; i++) ct_source_release(&world->sources[i]);
    for (size_t i = 0; i < world->sink_count; i++) ct_shape_destroy(world->sinks[i].shape);
    for (size_t i = 0; i < world->change_count; i++) ct_shape_destroy(world->changes[i].shape);
    void *const owned[] = {
        world->grid.velocity,    world->grid.before,   world->grid.energy,   world->grid.suspect,
        world->ledger.steps,     world->extremes,      world->sorter.key,    world->sorter.order,
        world->sorter.scratch,   world->sorter.target, world->sorter.count,  world->sorter.new_number,
        world->changes,          world->workers,       world->materials,     world->bodies,
        world->colliders,        world->touches.list,  world->touches.first, world->touches.saved,
        world->sources,          world->sinks,         world->flow.holds,    world->flow.held,
        world->flow.mark,        world->grid.heat,     world->grid.received, world->wall_nodes.list,
        world->wall_nodes.block, world->grid.span,     world->grid.range,    world->sums};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(&world->heap, owned[i]);
    ct_arena_release(&world->arena);
    ct_heap heap = world->heap;
    ct_release(&heap, world);
}
