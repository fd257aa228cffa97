/* The world's sources and sinks, and particles that are added one by one. */
#include "world.h"
#include "world_record.h"

#include "core/cookies.h"
#include "method_info.h"
#include "particles/seed_parts.h"

#include <math.h>
#include <string.h>

/* ---- Sources and sinks -------------------------------------------------------------------------------- */

/* Bonds that stay are found in a body that is there as a whole. */
static ct_status check_flows(const ct_world *world, const ct_source_def *def, ct_error *error)
{
    const ct_material *material = &world->common.materials[def->material];
    if (!ct_method_info_at(material->method)->emits_flows || material->info->flows) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE,
                   "source '%s': with %s sources make materials that flow; '%s' is of the type %s", def->name,
                   ct_method_info_at(material->method)->name, material->name, material->info->name);
}

static double distance_to(const void *of, const double x[3])
{
    return ct_shape_distance(of, x);
}

static ct_status check_sides(const ct_world *world, const char *what, const char *name, const ct_shape *shape,
                             bool may_be_cut, ct_error *error)
{
    double min[3], max[3];
    const bool is_bounded = ct_shape_bounds(shape, min, max);
    return ct_world_check_sides(world, what, name, is_bounded ? min : NULL, max,
                                may_be_cut ? distance_to : NULL, shape, error);
}

static ct_status check_source_sides(const ct_world *world, const ct_source *source, ct_error *error)
{
    if (source->is_moving && ct_has_periodic(&world->common.def))
        return ct_fail(error, CT_BAD_USAGE, "source '%s': where sides are periodic, sources do not move yet",
                       source->name);
    return check_sides(world, "source", source->name, source->shape, false, error);
}

/* The source itself, on the lattice of its method. */
static ct_status create_source(ct_world *world, ct_kind *kind, const ct_source_def *def, ct_source *source,
                               ct_error *error)
{
    ct_common *common = &world->common;
    ct_lattice lattice = ct_cloud_lattice(ct_kind_cloud(kind));
    double domain[2][3];
    memcpy(domain[0], common->def.domain_min, sizeof domain[0]);
    memcpy(domain[1], common->def.domain_max, sizeof domain[1]);
    ct_source_def sampled = *def;
    if (ct_method_info_at(kind->method->number)->is_lattice && !sampled.per_cell) sampled.per_cell = 1;
    return ct_source_create(&common->heap, &common->arena, &lattice,
                            common->def.has_domain ? (const double(*)[3])domain : NULL, common->def.seed,
                            &sampled, source, error);
}

static ct_body_def body_of(const ct_source_def *def)
{
    ct_body_def body = ct_default_body_def();
    body.name = def->name;
    body.method = def->method;
    body.material = def->material;
    body.has_scheme = def->has_scheme;
    body.scheme = def->scheme;
    body.has_temperature = def->has_temperature;
    body.temperature = def->temperature;
    memcpy(body.color, def->color, sizeof body.color);
    return body;
}

ct_status ct_world_register_source(ct_world *world, const ct_source_def *def, ct_error *error)
{
    ct_common *common = &world->common;
    ct_boundary *boundary = &world->boundary;
    ct_source source;
    ct_kind *kind = &world->kinds[0];
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_SOURCE_COOKIE, "source", error);
    if (status) return status;
    if (!def->name) return ct_fail(error, CT_BAD_USAGE, "a source has no name");
    bool has_material = def->material >= 0 && (size_t)def->material < common->material_count;
    if (has_material) status = ct_world_kind(world, common->materials[def->material].method, &kind, error);
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_SOURCE, def, error);
    if (!status) status = create_source(world, kind, def, &source, error);
    if (status) return status;
    ct_body_def body = body_of(def);
    status = check_source_sides(world, &source, error);
    if (!status && has_material) status = check_flows(world, def, error);
    if (!status)
        status = ct_array_grow(&common->heap, &boundary->sources, boundary->source_count,
                               &boundary->source_capacity, boundary->source_count + 1, sizeof source, error);
    if (!status) status = ct_world_enter_body(world, &body, "source", error);
    if (status) {
        ct_source_release(&source);
        return status;
    }
    double late = fmax(common->time - source.state.start, 0); /* nothing flows in the past */
    source.body = (int)common->body_count - 1;
    source.state.start += late;
    source.state.stop += late;
    source.state.time_then = source.state.start;
    boundary->sources[boundary->source_count++] = source;
    ct_record_keep(world->record);
    return CT_OK;
}

ct_status ct_world_add_source(ct_world *world, const ct_source_def *def, int *body, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (!status) status = ct_world_register_source(world, def, error);
    if (status) return status;
    ct_kind *kind = ct_world_kind_of(world, (int)world->common.body_count - 1);
    status = kind->method->start_sources(kind->self, error);
    if (status) {
        ct_source_release(&world->boundary.sources[--world->boundary.source_count]);
        ct_world_forget_body(world);
        return status;
    }
    if (body) *body = (int)world->common.body_count - 1;
    return CT_OK;
}

ct_status ct_world_add_sink(ct_world *world, const ct_sink_def *def, int *index, ct_error *error)
{
    CT_REQUIRE(world, error);
    if (world->boundary.sink_count >= CT_MOST_SINKS)
        return ct_fail(error, CT_BAD_USAGE, "a world has at most %d sinks", CT_MOST_SINKS);
    ct_status status = ct_array_grow(&world->common.heap, &world->boundary.sinks, world->boundary.sink_count,
                                     &world->boundary.sink_capacity, world->boundary.sink_count + 1,
                                     sizeof *world->boundary.sinks, error);
    if (!status)
        status = ct_sink_create(&world->common.heap, &world->common.arena, world->common.def.dimension, def,
                                &world->boundary.sinks[world->boundary.sink_count], error);
    if (status) return status;
    const ct_sink *sink = &world->boundary.sinks[world->boundary.sink_count];
    status = check_sides(world, "sink", def->name, sink->shape, true, error);
    if (!status) status = ct_record_prepare(world->record, CT_RECORDED_SINK, def, error);
    if (status) {
        ct_shape_destroy(sink->shape);
        return status;
    }
    ct_record_keep(world->record);
    if (index) *index = (int)world->boundary.sink_count;
    world->boundary.sink_count++;
    return CT_OK;
}

ct_status ct_world_forecast(ct_world *world, double time, double *particles, ct_error *error)
{
    ct_status status = CT_OK;
    *particles = 0;
    for (size_t s = 0; s < world->boundary.source_count && !status; s++) {
        double made = 0;
        status = ct_source_forecast(&world->boundary.sources[s], time, &made, error);
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
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_PARTICLES_COOKIE, "particles", error);
    if (!status) status = ct_world_check_unpinned(world, "ct_world_add_particles", error);
    if (status) return status;
    if (def->body < 0 || (size_t)def->body >= world->common.body_count)
        return ct_fail(error, CT_BAD_USAGE, "particles: there is no body %d", def->body);
    const ct_body *body = &world->common.bodies[def->body];
    const ct_method_info *method = ct_method_info_at(body->method);
    if (body->is_guest)
        return ct_fail(error, CT_BAD_USAGE,
                       "particles: body '%s' is coupled through the grid, and takes no single particles",
                       body->name);
    if (method->is_whole)
        return ct_fail(error, CT_BAD_USAGE,
                       "particles: body '%s' is of method %s, which takes no single particles", body->name,
                       method->name);
    if (!def->count || !def->position)
        return ct_fail(error, CT_BAD_USAGE, "particles: there are no positions");
    if (def->count > UINT32_MAX)
        return ct_fail(error, CT_NO_MEMORY, "more particles than a world can number");
    size_t count = (size_t)def->count;
    status = check_numbers(def->position[0], count, 3, "position", error);
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
        ct_seed_restrict_matrix(world->common.def.dimension, def->deformation[k], 1, F);
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
static ct_seeds borrow_seeds(const ct_cloud *cloud, const ct_particles_def *def)
{
    const int dimension = cloud->common->def.dimension;
    ct_seeds seeds = {.lattice = ct_cloud_lattice(cloud),
                      .frame = {.spacing = {1, 1, 1}},
                      .motion.deformation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .common_volume = 1.0 / (1 << dimension),
                      .count = (size_t)def->count,
                      .position = (double(*)[3])(uintptr_t)def->position,
                      .velocity = (double(*)[3])(uintptr_t)def->velocity,
                      .gradient = (double(*)[9])(uintptr_t)def->gradient,
                      .deformation = (double(*)[9])(uintptr_t)def->deformation,
                      .volume = (double *)(uintptr_t)def->volume,
                      .temperature = (double *)(uintptr_t)def->temperature};
    for (int a = 0; a < dimension; a++) seeds.common_volume *= cloud->grid.spacing[a];
    return seeds;
}

ct_status ct_world_add_particles(ct_world *world, const ct_particles_def *def, ct_error *error)
{
    static const double still[9] = {0};
    CT_REQUIRE(world, error);
    ct_status status = check_particles(world, def, error);
    if (!status) status = check_deformations(world, def, error);
    if (status) return status;
    ct_kind *kind = ct_world_kind_of(world, def->body);
    size_t runs = ct_kind_cloud(kind)->grid.blocks.occupied;
    ct_seeds seeds = borrow_seeds(ct_kind_cloud(kind), def);
    status = ct_world_check_inside(world, &seeds, world->common.bodies[def->body].name, error);
    if (!status) status = kind->method->add(kind->self, &seeds, def->body, still, error);
    if (!status) ct_world_add_to_budget(world, kind, runs);
    return status;
}
