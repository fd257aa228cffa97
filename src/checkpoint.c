/* The world's state as a file and back. What a checkpoint holds: docs/checkpoint-format.md. */
#define XXH_STATIC_LINKING_ONLY
#include "checkpoint_parts.h"
#include "timestep/criteria.h"

#include <string.h>
#include <xxhash.h>

/* Numbers of the state beside the particles, in the order they are stored: of the world, and of the first
 * kind's cloud and limits. */
#define STATE_REALS(X)                \
    X(world->common.time)             \
    X(world->common.dt)               \
    X(cloud->least_mass)              \
    X(world->common.budget.initial)   \
    X(world->common.budget.transfers) \
    X(world->common.budget.grid)      \
    X(world->common.budget.colliders) \
    X(world->common.budget.heat)      \
    X(limits->heat_due)               \
    X(cloud->sorter.lead[0])          \
    X(cloud->sorter.lead[1])          \
    X(cloud->sorter.lead[2])          \
    X(world->boundary.emitted.mass)   \
    X(world->boundary.emitted.energy) \
    X(world->boundary.emitted.heat)   \
    X(world->boundary.sunk.mass)      \
    X(world->boundary.sunk.energy)    \
    X(world->boundary.sunk.heat)      \
    X(world->boundary.strays.mass)    \
    X(world->boundary.strays.energy)  \
    X(world->boundary.strays.heat)    \
    X(limits->guess.dt)               \
    X(limits->guess.growth)
#define STATE_COUNTS(X)                  \
    X(world->common.step)                \
    X(world->common.next_id)             \
    X(cloud->must_sort)                  \
    X(cloud->must_measure)               \
    X(world->boundary.wall_returns)      \
    X(world->boundary.wall_bounces)      \
    X(world->pace.limited_material)      \
    X(world->pace.limited_particle)      \
    X(limits->guess.criterion)           \
    X(limits->guess.material)            \
    X(limits->guess.particle)            \
    X(world->boundary.emitted.particles) \
    X(world->boundary.sunk.particles)    \
    X(world->boundary.strays.particles)

/* What a source has done. */
#define SOURCE_REALS(X) \
    X(moved[0])         \
    X(moved[1])         \
    X(moved[2])         \
    X(moved_then[0])    \
    X(moved_then[1])    \
    X(moved_then[2])    \
    X(time_then)        \
    X(start)            \
    X(stop)             \
    X(volume)
#define SOURCE_COUNTS(X) \
    X(made)              \
    X(plain)             \
    X(is_filled)         \
    X(is_over)

/* What must agree between the world that saved and the world that restores. */
static uint64_t definition_hash(const ct_world *world)
{
    const ct_common *common = &world->common;
    const ct_world_def *def = &common->def;
    const ct_kind *first = &world->kinds[0];
    const ct_grid *grid = &ct_kind_cloud(first)->grid;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    int numbers[] = {(int)def->method,
                     def->dimension,
                     (int)def->precision,
                     (int)def->kernel,
                     (int)def->force_form,
                     (int)common->material_count,
                     (int)common->body_count,
                     (int)world->boundary.collider_count,
                     (int)world->boundary.source_count,
                     (int)world->boundary.sink_count};
    XXH3_64bits_update(&state, numbers, sizeof numbers);
    double own[CT_DEFINITION] = {0};
    first->method->definition(first->self, -1, own);
    XXH3_64bits_update(&state, own, sizeof *own);
    XXH3_64bits_update(&state, grid->origin, sizeof grid->origin);
    XXH3_64bits_update(&state, grid->spacing, sizeof grid->spacing);
    bool has_heat = false;
    for (size_t i = 0; i < common->material_count; i++) has_heat |= common->materials[i].heat_capacity > 0;
    for (size_t i = 0; i < common->body_count; i++) {
        const ct_kind *kind = ct_world_kind_of((ct_world *)(uintptr_t)world, (int)i);
        int count = kind->method->definition(kind->self, (int)i, own);
        XXH3_64bits_update(&state, own, (size_t)count * sizeof *own);
    }
    for (size_t i = 0; i < common->material_count; i++) {
        const ct_material *material = &common->materials[i];
        XXH3_64bits_update(&state, material->info->name, strlen(material->info->name));
        XXH3_64bits_update(&state, &material->density, sizeof material->density);
        double heat[] = {material->heat_capacity, material->conductivity};
        if (has_heat) XXH3_64bits_update(&state, heat, sizeof heat);
        XXH3_64bits_update(&state, material->coefficients, sizeof material->coefficients);
    }
    for (int k = 1; k < world->kind_count; k++) {
        const ct_kind *kind = &world->kinds[k];
        int count = kind->method->definition(kind->self, -1, own);
        XXH3_64bits_update(&state, own, (size_t)count * sizeof *own);
        XXH3_64bits_update(&state, ct_kind_cloud(kind)->grid.spacing, sizeof grid->spacing);
    }
    return XXH3_64bits_digest(&state);
}

/* ---- The ledger ---------------------------------------------------------------------------------------- */

enum { LEDGER_COUNTS = 4 };

static ct_status add_ledger(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_ledger *ledger = &world->pace.ledger;
    const size_t materials = world->common.material_count;
    uint64_t counts[CT_CRITERIA * LEDGER_COUNTS];
    double tightest[CT_CRITERIA];
    for (int i = 0; i < CT_CRITERIA; i++) {
        const ct_ledger_row *row = &ledger->rows[i];
        const uint64_t numbers[LEDGER_COUNTS] = {row->steps, row->step, row->particle, row->material};
        memcpy(counts + (size_t)i * LEDGER_COUNTS, numbers, sizeof numbers);
        tightest[i] = row->tightest;
    }
    ct_status status = ct_container_add(writer, "ledger.rows", CT_SECTION_UINT64, counts,
                                        CT_CRITERIA * LEDGER_COUNTS, error);
    if (!status)
        status =
            ct_container_add(writer, "ledger.tightest", CT_SECTION_FLOAT64, tightest, CT_CRITERIA, error);
    if (!status)
        status =
            ct_container_begin(writer, "ledger.steps", CT_SECTION_UINT64, CT_CRITERIA * materials, error);
    for (size_t i = 0; i < CT_CRITERIA && !status; i++)
        status = ct_container_append(writer, ledger->steps + i * ledger->materials, materials, error);
    if (!status) status = ct_container_end(writer, error);
    if (status) return status;
    status =
        ct_container_begin(writer, "ledger.names", CT_SECTION_BYTES, CT_CRITERIA * CT_LEDGER_NAME, error);
    for (int i = 0; i < CT_CRITERIA && !status; i++) {
        char name[CT_LEDGER_NAME] = "";
        strncpy(name, ct_criterion_at(i)->name, sizeof name - 1);
        status = ct_container_append(writer, name, sizeof name, error);
    }
    return status ? status : ct_container_end(writer, error);
}

/* The number of the criterion that a row of the file is of, or -1. Files without names have the rows of this
 * list's beginning. */
static int criterion_of_row(const ct_container *container, uint64_t row)
{
    char name[CT_LEDGER_NAME] = "";
    ct_section_type type;
    uint64_t length = 0;
    if (!ct_container_find(container, "ledger.names", &type, &length))
        return row < CT_CRITERIA ? (int)row : -1;
    if (ct_container_read(container, "ledger.names", CT_SECTION_BYTES, name, row * sizeof name, sizeof name,
                          NULL))
        return -1;
    name[sizeof name - 1] = 0;
    for (int i = 0; i < CT_CRITERIA; i++)
        if (!strcmp(ct_criterion_at(i)->name, name)) return i;
    return -1;
}

static ct_status read_ledger(const ct_container *container, ct_world *world, ct_error *error)
{
    ct_ledger *ledger = &world->pace.ledger;
    size_t materials = world->common.material_count;
    uint64_t rows = 0;
    ct_section_type type;
    ct_status status = CT_OK;
    ct_container_find(container, "ledger.tightest", &type, &rows);
    for (uint64_t i = 0; i < rows && !status; i++) {
        uint64_t numbers[LEDGER_COUNTS] = {0};
        int criterion = criterion_of_row(container, i);
        if (criterion < 0) continue;
        ct_ledger_row *row = &ledger->rows[criterion];
        status = ct_container_read(container, "ledger.rows", CT_SECTION_UINT64, numbers, i * LEDGER_COUNTS,
                                   LEDGER_COUNTS, error);
        if (!status)
            status = ct_container_read(container, "ledger.tightest", CT_SECTION_FLOAT64, &row->tightest, i, 1,
                                       error);
        if (!status)
            status = ct_container_read(container, "ledger.steps", CT_SECTION_UINT64,
                                       ledger->steps + (size_t)criterion * ledger->materials, i * materials,
                                       materials, error);
        row->steps = numbers[0], row->step = numbers[1], row->particle = numbers[2],
        row->material = numbers[3];
    }
    return status;
}

/* ---- Saving ------------------------------------------------------------------------------------------- */

/* Where colliders are follows from the time; what they have felt is kept. */
static ct_status add_colliders(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    ct_status status = ct_container_begin(writer, "colliders", CT_SECTION_FLOAT64,
                                          world->boundary.collider_count * CT_COLLIDER_NUMBERS, error);
    for (size_t c = 0; c < world->boundary.collider_count && !status; c++)
        status =
            ct_container_append(writer, &world->boundary.colliders[c].totals, CT_COLLIDER_NUMBERS, error);
    return status ? status : ct_container_end(writer, error);
}

/* Sources one after the other, then how much each sink has taken. */
static ct_status add_flow(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
#define X(member) +1
    enum { REALS = SOURCE_REALS(X), COUNTS = SOURCE_COUNTS(X) };
#undef X
    ct_status status = ct_container_begin(writer, "sources.reals", CT_SECTION_FLOAT64,
                                          REALS * world->boundary.source_count, error);
#define X(member) state->member,
    for (size_t s = 0; s < world->boundary.source_count && !status; s++) {
        const ct_source_state *state = &world->boundary.sources[s].state;
        double reals[] = {SOURCE_REALS(X)};
        status = ct_container_append(writer, reals, REALS, error);
    }
    if (!status) status = ct_container_end(writer, error);
    if (!status)
        status = ct_container_begin(writer, "sources.counts", CT_SECTION_UINT64,
                                    COUNTS * world->boundary.source_count, error);
    for (size_t s = 0; s < world->boundary.source_count && !status; s++) {
        const ct_source_state *state = &world->boundary.sources[s].state;
        uint64_t counts[] = {SOURCE_COUNTS(X)};
        status = ct_container_append(writer, counts, COUNTS, error);
    }
#undef X
    if (!status) status = ct_container_end(writer, error);
    if (!status)
        status = ct_container_begin(writer, "sinks", CT_SECTION_UINT64, world->boundary.sink_count, error);
    for (size_t k = 0; k < world->boundary.sink_count && !status; k++)
        status = ct_container_append(writer, &world->boundary.sinks[k].taken, 1, error);
    return status ? status : ct_container_end(writer, error);
}

static ct_status add_state(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_cloud *cloud = ct_kind_cloud(&world->kinds[0]);
    const ct_limits *limits = world->kinds[0].method->limits(world->kinds[0].self);
#define X(member) member,
    double reals[] = {STATE_REALS(X)};
    uint64_t counts[] = {STATE_COUNTS(X) definition_hash(world), cloud->particles.count,
                         cloud->grid.blocks.occupied};
#undef X
    ct_status status = ct_container_add(writer, "state.reals", CT_SECTION_FLOAT64, reals,
                                        sizeof reals / sizeof *reals, error);
    if (!status)
        status = ct_container_add(writer, "state.counts", CT_SECTION_UINT64, counts,
                                  sizeof counts / sizeof *counts, error);
    if (!status)
        status = ct_container_add(writer, "state.limited_by", CT_SECTION_BYTES, world->common.limited_by,
                                  strlen(world->common.limited_by), error);
    if (!status && world->kind_count > 1)
        status = ct_container_add(writer, "state.contact", CT_SECTION_FLOAT64, &world->common.budget.contact,
                                  1, error);
    return status;
}

static ct_status add_sections(ct_container_writer *writer, const ct_world *world, const void *extra,
                              size_t extra_bytes, ct_error *error)
{
    ct_status status = add_state(writer, world, error);
    if (!status) status = add_flow(writer, world, error);
    if (!status) status = add_ledger(writer, world, error);
    for (int k = 0; k < world->kind_count && !status; k++) status = ct_cloud_save(writer, world, k, error);
    if (!status) status = add_colliders(writer, world, error);
    if (!status) status = ct_container_add(writer, "extra", CT_SECTION_BYTES, extra, extra_bytes, error);
    return status;
}

ct_status ct_world_save_with(const ct_world *world, ct_target target, const void *extra, size_t extra_bytes,
                             ct_error *error)
{
    ct_container_writer writer;
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->common.heap; /* scratch only */
    ct_status status = ct_container_create(&writer, heap, target, error);
    if (status) return status;
    status = add_sections(&writer, world, extra, extra_bytes, error);
    if (!status) return ct_container_commit(&writer, error);
    ct_container_abandon(&writer);
    return status;
}

ct_status ct_world_save(const ct_world *world, const char *path, ct_error *error)
{
    return ct_world_save_with(world, ct_to(path), NULL, 0, error);
}

/* ---- Restoring ---------------------------------------------------------------------------------------- */

/* The name as a literal, as common.limited_by is never allocated, and the criterion it is of. */
static void restore_limited(ct_world *world, const char *name)
{
    static const char *const others[] = {"frame", "max", "fixed", "source"};
    world->common.limited_by = "none";
    world->pace.limited_criterion = -1;
    for (int i = 0; i < CT_CRITERIA; i++)
        if (!strcmp(ct_criterion_at(i)->name, name))
            world->common.limited_by = ct_criterion_at(i)->name, world->pace.limited_criterion = i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i], name)) world->common.limited_by = others[i];
}

static ct_status read_flow(const ct_container *container, ct_world *world, ct_error *error)
{
#define X(member) +1
    enum { REALS = SOURCE_REALS(X), COUNTS = SOURCE_COUNTS(X) };
#undef X
    ct_status status = CT_OK;
    for (size_t s = 0; s < world->boundary.source_count && !status; s++) {
        ct_source_state *state = &world->boundary.sources[s].state;
        double reals[REALS];
        uint64_t counts[COUNTS];
        status =
            ct_container_read(container, "sources.reals", CT_SECTION_FLOAT64, reals, s * REALS, REALS, error);
        if (!status)
            status = ct_container_read(container, "sources.counts", CT_SECTION_UINT64, counts, s * COUNTS,
                                       COUNTS, error);
        if (status) return status;
        int i = 0;
#define X(member) state->member = reals[i++];
        SOURCE_REALS(X)
#undef X
        i = 0;
#define X(member) state->member = counts[i++];
        SOURCE_COUNTS(X)
#undef X
    }
    for (size_t k = 0; k < world->boundary.sink_count && !status; k++)
        status = ct_container_read(container, "sinks", CT_SECTION_UINT64, &world->boundary.sinks[k].taken, k,
                                   1, error);
    return status;
}

static void count_bodies(ct_world *world)
{
    ct_common *common = &world->common;
    for (size_t b = 0; b < common->body_count; b++) common->bodies[b].particles = 0;
    for (int k = 0; k < world->kind_count; k++) {
        const ct_particles *particles = &ct_kind_cloud(&world->kinds[k])->particles;
        const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
        for (size_t p = 0; p < particles->count; p++) common->bodies[body[p]].particles++;
    }
}

static ct_status read_colliders(const ct_container *container, ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t c = 0; c < world->boundary.collider_count && !status; c++)
        status = ct_container_read(container, "colliders", CT_SECTION_FLOAT64,
                                   &world->boundary.colliders[c].totals, c * CT_COLLIDER_NUMBERS,
                                   CT_COLLIDER_NUMBERS, error);
    return status;
}

static ct_status restore(ct_world *world, const ct_container *container, const char *path, ct_error *error)
{
#define X(member) +1
    double reals[STATE_REALS(X)];
    uint64_t counts[STATE_COUNTS(X) + 3];
    enum { COUNTS = STATE_COUNTS(X) };
#undef X
    char limited_by[32] = "";
    uint64_t length = 0;
    ct_section_type type;
    ct_status status = ct_container_read(container, "state.reals", CT_SECTION_FLOAT64, reals, 0,
                                         sizeof reals / sizeof *reals, error);
    if (!status)
        status = ct_container_read(container, "state.counts", CT_SECTION_UINT64, counts, 0,
                                   sizeof counts / sizeof *counts, error);
    if (status) return status;
    if (counts[COUNTS] != definition_hash(world))
        return ct_fail(error, CT_BAD_IO,
                       "'%s' is of another scene: its dimension, precision, grid, scheme or materials differ",
                       path);
    if (ct_container_find(container, "state.limited_by", &type, &length) && length < sizeof limited_by)
        status =
            ct_container_read(container, "state.limited_by", CT_SECTION_BYTES, limited_by, 0, length, error);
    const ct_saved_cloud first = {.count = counts[COUNTS + 1], .occupied = counts[COUNTS + 2]};
    for (int k = 0; k < world->kind_count && !status; k++)
        status = ct_cloud_restore(world, k, k ? NULL : &first, container, path, error);
    if (!status) status = read_colliders(container, world, error);
    if (!status) status = read_flow(container, world, error);
    if (!status) status = read_ledger(container, world, error);
    if (status) {
        for (int k = 0; k < world->kind_count; k++) ct_cloud_forget(ct_kind_cloud(&world->kinds[k]));
        return status;
    }
    ct_cloud *cloud = ct_kind_cloud(&world->kinds[0]);
    ct_limits *limits = world->kinds[0].method->limits(world->kinds[0].self);
    int i = 0;
#define X(member) member = reals[i++];
    STATE_REALS(X)
#undef X
    i = 0;
#define X(member) member = (__typeof__(member))counts[i++];
    STATE_COUNTS(X)
#undef X
    if (world->kind_count > 1)
        status = ct_container_read(container, "state.contact", CT_SECTION_FLOAT64,
                                   &world->common.budget.contact, 0, 1, error);
    count_bodies(world);
    restore_limited(world, limited_by);
    return status;
}

/* What follows from the state of each kind. */
static ct_status settle(ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < world->kind_count && !status; k++) {
        const ct_kind *kind = &world->kinds[k];
        ct_limits *limits = kind->method->limits(kind->self);
        if (limits->guess.criterion >= CT_CRITERIA) limits->guess = (ct_guess){0}; /* of no file of ours */
        status = ct_cloud_rebuild(ct_kind_cloud(kind), error);
        if (kind->method->restored) kind->method->restored(kind->self);
    }
    return status;
}

ct_status ct_world_restore_from(ct_world *world, const ct_container *container, const char *path,
                                ct_error *error)
{
    ct_status status = restore(world, container, path, error);
    return status ? status : settle(world, error);
}

ct_status ct_world_restore(ct_world *world, const char *path, ct_error *error)
{
    ct_container *container;
    ct_status status = ct_container_open(&world->common.heap, path, &container, error);
    if (status) return status;
    status = ct_world_restore_from(world, container, path, error);
    ct_container_close(container);
    return status;
}
