/* The world's state as a file (back: checkpoint_restore.c). What it holds: docs/checkpoint-format.md. */
#define XXH_STATIC_LINKING_ONLY
#include "checkpoint_parts.h"
#include "timestep/criteria.h"

#include <string.h>
#include <xxhash.h>

/* What must agree between the world that saved and the world that restores. */
uint64_t ct_definition_hash(const ct_world *world)
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
    XXH3_64bits_update(&state, world->space.origin, sizeof world->space.origin);
    XXH3_64bits_update(&state, grid->spacing, sizeof grid->spacing);
    bool has_heat = false;
    for (size_t i = 0; i < common->material_count; i++) has_heat |= common->materials[i].heat_capacity > 0;
    for (size_t i = 0; i < common->body_count; i++) {
        const ct_kind *kind = ct_world_kind_of((ct_world *)(uintptr_t)world, (int)i);
        int count = kind->method->definition(kind->self, (int)i, own);
        XXH3_64bits_update(&state, own, (size_t)count * sizeof *own);
        if (common->bodies[i].group)
            XXH3_64bits_update(&state, &common->bodies[i].group, sizeof common->bodies[i].group);
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

static ct_status add_ledger(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_ledger *ledger = &world->pace.ledger;
    const size_t materials = world->common.material_count;
    uint64_t counts[CT_CRITERIA * CT_LEDGER_COUNTS];
    double tightest[CT_CRITERIA];
    for (int i = 0; i < CT_CRITERIA; i++) {
        const ct_ledger_row *row = &ledger->rows[i];
        const uint64_t numbers[CT_LEDGER_COUNTS] = {row->steps, row->step, row->particle, row->material};
        memcpy(counts + (size_t)i * CT_LEDGER_COUNTS, numbers, sizeof numbers);
        tightest[i] = row->tightest;
    }
    ct_status status = ct_container_add(writer, "ledger.rows", CT_SECTION_UINT64, counts,
                                        CT_CRITERIA * CT_LEDGER_COUNTS, error);
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

/* What bodies have given each other: when the row of bodies.csv began, and the accounts. */
static ct_status add_book(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_book *book = &world->book;
    if (!ct_world_keeps_book(world)) return CT_OK;
    ct_status status = ct_container_begin(writer, "bodies.accounts", CT_SECTION_FLOAT64,
                                          1 + book->count * CT_ACCOUNT_NUMBERS, error);
    if (!status) status = ct_container_append(writer, &book->row_time, 1, error);
    if (!status && book->count)
        status = ct_container_append(writer, book->accounts, book->count * CT_ACCOUNT_NUMBERS, error);
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
    uint64_t counts[] = {STATE_COUNTS(X) ct_definition_hash(world), cloud->particles.count,
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
    if (!status) status = add_book(writer, world, error);
    if (!status) status = ct_container_add(writer, "extra", CT_SECTION_BYTES, extra, extra_bytes, error);
    return status;
}

ct_status ct_world_save_with(const ct_world *world, ct_target target, const void *extra, size_t extra_bytes,
                             ct_error *error)
{
    ct_container_writer writer;
    ct_heap *heap = world->common.arena.heap; /* scratch only */
    ct_status status = ct_container_create(&writer, heap, target, error);
    if (status) return status;
    status = add_sections(&writer, world, extra, extra_bytes, error);
    if (!status) return ct_container_commit(&writer, error);
    ct_container_abandon(&writer);
    return status;
}

ct_status ct_world_save(const ct_world *world, const char *path, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(path, error);
    return ct_world_save_with(world, ct_to(path), NULL, 0, error);
}
