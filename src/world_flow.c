/* The world's sources and sinks, and particles that are added one by one. */
#include "world.h"

#include "cookies.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

/* ---- Sources and sinks -------------------------------------------------------------------------------- */

/* Bonds that stay are found in a body that is there as a whole. */
static ct_status check_flows(const ct_world *world, const ct_source_def *def, ct_error *error)
{
    bool is_there = def->material >= 0 && (size_t)def->material < world->material_count;
    if (!world->peri || !is_there || ct_peri_flows(world->materials[def->material].model)) return CT_OK;
    return ct_fail(
        error, CT_BAD_USAGE, "source '%s': with peridynamics sources make what flows; '%s' is of the type %s",
        def->name, world->materials[def->material].name, world->materials[def->material].info->name);
}

ct_status ct_world_register_source(ct_world *world, const ct_source_def *def, ct_error *error)
{
    ct_lattice lattice = ct_world_lattice(world);
    double domain[2][3];
    memcpy(domain[0], world->def.domain_min, sizeof domain[0]);
    memcpy(domain[1], world->def.domain_max, sizeof domain[1]);
    ct_source source;
    ct_source_def sampled = def ? *def : (ct_source_def){0};
    if (world->peri && !sampled.per_cell) sampled.per_cell = 1;
    ct_status status = ct_source_create(&world->heap, &world->arena, &lattice,
                                        world->def.has_domain ? (const double(*)[3])domain : NULL,
                                        world->def.seed, &sampled, &source, error);
    if (status) return status;
    ct_body_def body = ct_default_body_def();
    body.name = def->name;
    body.material = def->material;
    body.has_scheme = def->has_scheme;
    body.scheme = def->scheme;
    body.has_temperature = def->has_temperature;
    body.temperature = def->temperature;
    memcpy(body.color, def->color, sizeof body.color);
    status = check_flows(world, def, error);
    if (!status)
        status = ct_array_grow(&world->heap, &world->sources, world->source_count, &world->source_capacity,
                               world->source_count + 1, sizeof source, error);
    if (!status) status = ct_world_register_body(world, &body, "source", error);
    if (status) {
        ct_source_release(&source);
        return status;
    }
    double late = fmax(world->time - source.state.start, 0); /* nothing flows in the past */
    source.body = (int)world->body_count - 1;
    source.state.start += late;
    source.state.stop += late;
    source.state.time_then = source.state.start;
    world->sources[world->source_count++] = source;
    return CT_OK;
}

ct_status ct_world_add_source(ct_world *world, const ct_source_def *def, int *body, ct_error *error)
{
    ct_status status = ct_world_register_source(world, def, error);
    if (status) return status;
    status = world->numerics->start_sources(world, error);
    if (status) {
        ct_source_release(&world->sources[--world->source_count]);
        world->body_count--;
        return status;
    }
    if (body) *body = (int)world->body_count - 1;
    return CT_OK;
}

ct_status ct_world_add_sink(ct_world *world, const ct_sink_def *def, int *index, ct_error *error)
{
    if (world->sink_count >= CT_MOST_SINKS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d sinks", CT_MOST_SINKS);
    ct_status status = ct_array_grow(&world->heap, &world->sinks, world->sink_count, &world->sink_capacity,
                                     world->sink_count + 1, sizeof *world->sinks, error);
    if (!status)
        status = ct_sink_create(&world->heap, &world->arena, world->def.dimension, def,
                                &world->sinks[world->sink_count], error);
    if (status) return status;
    if (index) *index = (int)world->sink_count;
    world->sink_count++;
    return CT_OK;
}

ct_status ct_world_forecast(ct_world *world, double time, double *particles, ct_error *error)
{
    ct_status status = CT_OK;
    *particles = 0;
    for (size_t s = 0; s < world->source_count && !status; s++) {
        double made = 0;
        status = ct_source_forecast(&world->sources[s], time, &made, error);
        *particles += made;
    }
    return status;
}

/* ---- Particles one by one ----------------------------------------------------------------------------- */

static ct_status check_numbers(const double *numbers, size_t count, int each, const char *what,
                               ct_error *error)
{
    for (size_t i = 0; numbers && i < count * (size_t)each; i++)
        if (!isfinite(numbers[i]))
            return ct_fail(error, CT_BAD_USAGE, "particles: the %s of number %zu is not finite", what,
                           i / (size_t)each);
    return CT_OK;
}

static ct_status check_particles(const ct_world *world, const ct_particles_def *def, ct_error *error)
{
    if (!def || def->cookie != CT_PARTICLES_COOKIE)
        return ct_fail(error, CT_BAD_USAGE,
                       "the particles' definition was not made by ct_default_particles_def()");
    if (def->body < 0 || (size_t)def->body >= world->body_count)
        return ct_fail(error, CT_BAD_USAGE, "particles: there is no body %d", def->body);
    if (!def->count || !def->position)
        return ct_fail(error, CT_BAD_USAGE, "particles: there are no positions");
    if (def->count > UINT32_MAX)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    size_t count = (size_t)def->count;
    ct_status status = check_numbers(def->position[0], count, 3, "position", error);
    if (!status && def->velocity) status = check_numbers(def->velocity[0], count, 3, "velocity", error);
    if (!status && def->gradient) status = check_numbers(def->gradient[0], count, 9, "gradient", error);
    if (!status && def->deformation)
        status = check_numbers(def->deformation[0], count, 9, "deformation", error);
    if (!status) status = check_numbers(def->volume, count, 1, "volume", error);
    for (size_t k = 0; k < count && def->temperature && !status; k++)
        status = ct_check_temperature(def->temperature[k], "particles", error);
    for (size_t k = 0; k < count && def->volume && !status; k++)
        if (!(def->volume[k] > 0))
            status = ct_fail(error, CT_BAD_USAGE,
                             "particles: the volume of number %zu is %g; it must be "
                             "positive",
                             k, def->volume[k]);
    return status;
}

static ct_status check_deformations(const ct_world *world, const ct_particles_def *def, ct_error *error)
{
    for (size_t k = 0; k < def->count && def->deformation; k++) {
        double F[9];
        ct_seed_restrict_matrix(world->def.dimension, def->deformation[k], 1, F);
        double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                   F[2] * (F[3] * F[7] - F[4] * F[6]);
        if (!(J > 0))
            return ct_fail(
                error, CT_BAD_USAGE,
                "particles: the deformation of number %zu has the determinant %g; it must be positive", k, J);
    }
    return CT_OK;
}

/* Seeds only point at what the caller has; nothing here changes it. */
static ct_seeds borrow_seeds(const ct_world *world, const ct_particles_def *def)
{
    ct_seeds seeds = {.lattice = ct_world_lattice(world),
                      .frame = {.spacing = {1, 1, 1}},
                      .motion.deformation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .common_volume = 1.0 / (1 << world->def.dimension),
                      .count = (size_t)def->count,
                      .position = (double(*)[3])(uintptr_t)def->position,
                      .velocity = (double(*)[3])(uintptr_t)def->velocity,
                      .gradient = (double(*)[9])(uintptr_t)def->gradient,
                      .deformation = (double(*)[9])(uintptr_t)def->deformation,
                      .volume = (double *)(uintptr_t)def->volume,
                      .temperature = (double *)(uintptr_t)def->temperature};
    for (int a = 0; a < world->def.dimension; a++) seeds.common_volume *= world->grid.spacing[a];
    return seeds;
}

ct_status ct_world_add_particles(ct_world *world, const ct_particles_def *def, ct_error *error)
{
    static const double still[9] = {0};
    size_t runs = world->grid.blocks.occupied;
    ct_status status = check_particles(world, def, error);
    if (!status) status = check_deformations(world, def, error);
    if (status) return status;
    ct_seeds seeds = borrow_seeds(world, def);
    status = ct_world_check_inside(world, &seeds, world->bodies[def->body].name, error);
    if (!status) status = world->numerics->add_particles(world, &seeds, def->body, still, error);
    if (!status && world->def.energy_budget) ct_world_add_to_budget(world, runs);
    return status;
}
