/* The particles' data, seen where it lies, or copied by quantity and back. */
#include "world.h"

#include "particles/quantities.h"

#include <math.h>
#include <string.h>

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
                    {"J", CT_FIELD_J},
                    {"temperature", CT_FIELD_TEMPERATURE}};
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
    return ct_fail(error, CT_BAD_USAGE,
                   "'%s' cannot be written: only position, velocity, C, F, J and temperature can", name);
}
