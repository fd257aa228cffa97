/* The world's state as a file and back, and its hash. What a checkpoint holds: docs/checkpoint-format.md.
 *
 * The particles are stored in the order they lie in, with the blocks they are sorted into, so that the step
 * after a restore adds the same numbers in the same order as the step after the save. */
#define XXH_STATIC_LINKING_ONLY
#include "output/container.h"
#include "timestep/criteria.h"
#include "world.h"

#include <string.h>
#include <xxhash.h>

enum { GATHER = 4096 }; /* elements hashed at a time */

/* Numbers of the state beside the particles, in the order they are stored. */
#define STATE_REALS(X)     \
    X(time)                \
    X(dt)                  \
    X(least_mass)          \
    X(budget.initial)      \
    X(budget.transfers)    \
    X(budget.grid)         \
    X(budget.colliders)    \
    X(budget.heat)         \
    X(heat_due)            \
    X(sorter.lead[0])      \
    X(sorter.lead[1])      \
    X(sorter.lead[2])      \
    X(flow.emitted.mass)   \
    X(flow.emitted.energy) \
    X(flow.emitted.heat)   \
    X(flow.sunk.mass)      \
    X(flow.sunk.energy)    \
    X(flow.sunk.heat)      \
    X(flow.strays.mass)    \
    X(flow.strays.energy)  \
    X(flow.strays.heat)    \
    X(guess.dt)            \
    X(guess.growth)
#define STATE_COUNTS(X)       \
    X(step)                   \
    X(next_id)                \
    X(must_sort)              \
    X(must_measure)           \
    X(wall_returns)           \
    X(wall_bounces)           \
    X(limited_material)       \
    X(limited_particle)       \
    X(guess.criterion)        \
    X(guess.material)         \
    X(guess.particle)         \
    X(flow.emitted.particles) \
    X(flow.sunk.particles)    \
    X(flow.strays.particles)

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

static ct_section_type section_type(ct_type type)
{
    static const ct_section_type types[] = {[CT_TYPE_FLOAT32] = CT_SECTION_FLOAT32,
                                            [CT_TYPE_FLOAT64] = CT_SECTION_FLOAT64,
                                            [CT_TYPE_UINT16] = CT_SECTION_UINT16,
                                            [CT_TYPE_UINT32] = CT_SECTION_UINT32};
    return types[type];
}

/* What must agree between the world that saved and the world that restores. */
static uint64_t definition_hash(const ct_world *world)
{
    const ct_world_def *def = &world->def;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    int numbers[] = {(int)def->method,         def->dimension,
                     (int)def->precision,      (int)def->kernel,
                     (int)def->force_form,     (int)world->material_count,
                     (int)world->body_count,   (int)world->collider_count,
                     (int)world->source_count, (int)world->sink_count};
    XXH3_64bits_update(&state, numbers, sizeof numbers);
    double horizon = world->peri ? world->peri->horizon : 0;
    XXH3_64bits_update(&state, &horizon, sizeof horizon);
    XXH3_64bits_update(&state, world->grid.origin, sizeof world->grid.origin);
    XXH3_64bits_update(&state, world->grid.spacing, sizeof world->grid.spacing);
    for (size_t i = 0; i < world->body_count; i++) {
        const ct_scheme *s = &world->bodies[i].scheme;
        double numbers_of_scheme[] = {
            s->flip,      s->shift, s->beta_min, s->beta_max,      s->at_boundaries, s->when_compressed,
            s->symmetric, s->skew,  s->modes,    s->mode_share[0], s->mode_share[1], s->mode_share[2]};
        XXH3_64bits_update(&state, numbers_of_scheme, sizeof numbers_of_scheme);
    }
    for (size_t i = 0; i < world->material_count; i++) {
        const ct_material *material = &world->materials[i];
        XXH3_64bits_update(&state, material->info->name, strlen(material->info->name));
        XXH3_64bits_update(&state, &material->density, sizeof material->density);
        double heat[] = {material->heat_capacity, material->conductivity};
        if (world->has_heat) XXH3_64bits_update(&state, heat, sizeof heat);
        XXH3_64bits_update(&state, material->coefficients, sizeof material->coefficients);
    }
    return XXH3_64bits_digest(&state);
}

/* ---- what limits the time step, and the ledger of what did
 */

enum { LEDGER_COUNTS = 4, ASKER_COUNTS = 2 };

static ct_status add_ledger(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_ledger *ledger = &world->ledger;
    uint64_t counts[CT_CRITERIA * LEDGER_COUNTS];
    double tightest[CT_CRITERIA];
    for (int i = 0; i < CT_CRITERIA; i++) {
        const ct_ledger_row *row = &ledger->rows[i];
        const uint64_t numbers[LEDGER_COUNTS] = {row->steps, row->step, row->particle, row->material};
        memcpy(counts + (size_t)i * LEDGER_COUNTS, numbers, sizeof numbers);
        tightest[i] = row->tightest;
    }
    double limits[CT_MEASURES];
    uint64_t length = CT_CRITERIA * world->material_count, askers[CT_MEASURES * ASKER_COUNTS];
    for (int m = 0; m < CT_MEASURES; m++) {
        limits[m] = world->limits[m].value;
        askers[m * ASKER_COUNTS] = world->limits[m].material;
        askers[m * ASKER_COUNTS + 1] = world->limits[m].particle;
    }
    ct_status status = ct_container_add(writer, "limits", CT_SECTION_FLOAT64, limits, CT_MEASURES, error);
    if (!status)
        status = ct_container_add(writer, "limits.askers", CT_SECTION_UINT64, askers,
                                  CT_MEASURES * ASKER_COUNTS, error);
    if (!status)
        status = ct_container_add(writer, "ledger.rows", CT_SECTION_UINT64, counts,
                                  CT_CRITERIA * LEDGER_COUNTS, error);
    if (!status)
        status =
            ct_container_add(writer, "ledger.tightest", CT_SECTION_FLOAT64, tightest, CT_CRITERIA, error);
    if (!status) status = ct_container_begin(writer, "ledger.steps", CT_SECTION_UINT64, length, error);
    for (size_t i = 0; i < CT_CRITERIA && !status; i++)
        status =
            ct_container_append(writer, ledger->steps + i * ledger->materials, world->material_count, error);
    return status ? status : ct_container_end(writer, error);
}

static ct_status read_limits(const ct_container *container, ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t m = 0; m < CT_MEASURES && !status; m++) {
        uint64_t asker[ASKER_COUNTS] = {0};
        ct_limit *limit = &world->limits[m];
        status = ct_container_read(container, "limits", CT_SECTION_FLOAT64, &limit->value, m, 1, error);
        if (!status)
            status = ct_container_read(container, "limits.askers", CT_SECTION_UINT64, asker, m * ASKER_COUNTS,
                                       ASKER_COUNTS, error);
        limit->material = asker[0], limit->particle = asker[1];
    }
    return status;
}

static ct_status read_ledger(const ct_container *container, ct_world *world, ct_error *error)
{
    ct_ledger *ledger = &world->ledger;
    size_t materials = world->material_count;
    ct_status status = read_limits(container, world, error);
    for (size_t i = 0; i < CT_CRITERIA && !status; i++) {
        uint64_t numbers[LEDGER_COUNTS] = {0};
        ct_ledger_row *row = &ledger->rows[i];
        status = ct_container_read(container, "ledger.rows", CT_SECTION_UINT64, numbers, i * LEDGER_COUNTS,
                                   LEDGER_COUNTS, error);
        if (!status)
            status = ct_container_read(container, "ledger.tightest", CT_SECTION_FLOAT64, &row->tightest, i, 1,
                                       error);
        if (!status)
            status =
                ct_container_read(container, "ledger.steps", CT_SECTION_UINT64,
                                  ledger->steps + i * ledger->materials, i * materials, materials, error);
        row->steps = numbers[0], row->step = numbers[1], row->particle = numbers[2],
        row->material = numbers[3];
    }
    return status;
}

/* ---- saving
 * -------------------------------------------------------------------------------------------------- */

static ct_status add_particles(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    const ct_particles *particles = &world->particles;
    ct_status status = CT_OK;
    for (int f = 0; f < CT_FIELDS && !status; f++) {
        int components = ct_field_components(particles, f);
        if (!components) continue;
        status = ct_container_begin(writer, ct_field_infos[f].name, section_type(ct_field_type(particles, f)),
                                    particles->count * (uint64_t)components, error);
        for (int c = 0; c < components && !status; c++)
            status =
                ct_container_append(writer, ct_particles_plane(particles, f, c), particles->count, error);
        if (!status) status = ct_container_end(writer, error);
    }
    return status;
}

/* Where colliders are follows from the time; what they have felt is kept. */
static ct_status add_colliders(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
    ct_status status = ct_container_begin(writer, "colliders", CT_SECTION_FLOAT64,
                                          world->collider_count * CT_COLLIDER_NUMBERS, error);
    for (size_t c = 0; c < world->collider_count && !status; c++)
        status = ct_container_append(writer, &world->colliders[c].totals, CT_COLLIDER_NUMBERS, error);
    return status ? status : ct_container_end(writer, error);
}

/* Sources one after the other, then how much each sink has taken. */
static ct_status add_flow(ct_container_writer *writer, const ct_world *world, ct_error *error)
{
#define X(member) +1
    enum { REALS = SOURCE_REALS(X), COUNTS = SOURCE_COUNTS(X) };
#undef X
    ct_status status =
        ct_container_begin(writer, "sources.reals", CT_SECTION_FLOAT64, REALS * world->source_count, error);
#define X(member) state->member,
    for (size_t s = 0; s < world->source_count && !status; s++) {
        const ct_source_state *state = &world->sources[s].state;
        double reals[] = {SOURCE_REALS(X)};
        status = ct_container_append(writer, reals, REALS, error);
    }
    if (!status) status = ct_container_end(writer, error);
    if (!status)
        status = ct_container_begin(writer, "sources.counts", CT_SECTION_UINT64, COUNTS * world->source_count,
                                    error);
    for (size_t s = 0; s < world->source_count && !status; s++) {
        const ct_source_state *state = &world->sources[s].state;
        uint64_t counts[] = {SOURCE_COUNTS(X)};
        status = ct_container_append(writer, counts, COUNTS, error);
    }
#undef X
    if (!status) status = ct_container_end(writer, error);
    if (!status) status = ct_container_begin(writer, "sinks", CT_SECTION_UINT64, world->sink_count, error);
    for (size_t k = 0; k < world->sink_count && !status; k++)
        status = ct_container_append(writer, &world->sinks[k].taken, 1, error);
    return status ? status : ct_container_end(writer, error);
}

static ct_status add_sections(ct_container_writer *writer, const ct_world *world, const void *extra,
                              size_t extra_bytes, ct_error *error)
{
    const ct_blocks *blocks = &world->grid.blocks;
#define X(member) world->member,
    double reals[] = {STATE_REALS(X)};
    uint64_t counts[] = {STATE_COUNTS(X) definition_hash(world), world->particles.count, blocks->occupied};
#undef X
    ct_status status = ct_container_add(writer, "state.reals", CT_SECTION_FLOAT64, reals,
                                        sizeof reals / sizeof *reals, error);
    if (!status)
        status = ct_container_add(writer, "state.counts", CT_SECTION_UINT64, counts,
                                  sizeof counts / sizeof *counts, error);
    if (!status)
        status = ct_container_add(writer, "state.limited_by", CT_SECTION_BYTES, world->limited_by,
                                  strlen(world->limited_by), error);
    if (!status)
        status = ct_container_add(writer, "blocks", CT_SECTION_INT32, blocks->coordinate,
                                  3 * blocks->occupied, error);
    if (!status)
        status = ct_container_add(writer, "first", CT_SECTION_UINT32, blocks->first, blocks->occupied, error);
    if (!status) status = add_flow(writer, world, error);
    if (!status) status = add_ledger(writer, world, error);
    if (!status) status = add_particles(writer, world, error);
    if (!status) status = add_colliders(writer, world, error);
    if (!status)
        status = ct_container_add(writer, "triangles", CT_SECTION_UINT32, world->links.triangles,
                                  3 * world->links.triangle_count, error);
    if (!status)
        status = ct_container_add(writer, "lines", CT_SECTION_UINT32, world->links.lines,
                                  2 * world->links.line_count, error);
    if (!status) status = ct_container_add(writer, "extra", CT_SECTION_BYTES, extra, extra_bytes, error);
    return status;
}

ct_status ct_world_save_with(const ct_world *world, ct_target target, const void *extra, size_t extra_bytes,
                             ct_error *error)
{
    ct_container_writer writer;
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->heap; /* scratch only */
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

/* ---- restoring
 * ----------------------------------------------------------------------------------------------- */

/* The name as a literal, as world->limited_by is never allocated, and the criterion it is of. */
static void restore_limited(ct_world *world, const char *name)
{
    static const char *const others[] = {"frame", "max", "fixed", "source"};
    world->limited_by = "none";
    world->limited_criterion = -1;
    for (int i = 0; i < CT_CRITERIA; i++)
        if (!strcmp(ct_criterion_at(i)->name, name))
            world->limited_by = ct_criterion_at(i)->name, world->limited_criterion = i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i], name)) world->limited_by = others[i];
}

static ct_status read_particles(const ct_container *container, ct_particles *particles, uint64_t count,
                                ct_error *error)
{
    ct_status status = ct_particles_reserve(particles, count, error);
    for (int f = 0; f < CT_FIELDS && !status; f++)
        for (int c = 0; c < ct_field_components(particles, f) && !status; c++)
            status = ct_container_read(
                container, ct_field_infos[f].name, section_type(ct_field_type(particles, f)),
                ct_particles_plane(particles, f, c), (uint64_t)c * count, count, error);
    if (!status) particles->count = count;
    return status;
}

/* Blocks as they were: coordinates and first particles, checked, since everything else leans on them. */
static ct_status read_blocks(const ct_container *container, ct_blocks *blocks, uint64_t occupied,
                             uint64_t count, const char *path, ct_error *error)
{
    ct_status status = CT_OK;
    for (uint64_t b = 0; b < occupied && !status; b++) {
        int32_t at[3];
        uint32_t first;
        status = ct_container_read(container, "blocks", CT_SECTION_INT32, at, 3 * b, 3, error);
        if (!status) status = ct_container_read(container, "first", CT_SECTION_UINT32, &first, b, 1, error);
        if (!status) status = ct_blocks_append_run(blocks, at, error);
        if (status) return status;
        bool is_far = false;
        for (int a = 0; a < 3; a++) is_far |= at[a] <= -(1 << 29) || at[a] >= 1 << 29;
        if (is_far || first > count || (b ? first < blocks->first[b - 1] : first != 0))
            return ct_fail(error, CT_BAD_IO, "'%s' is damaged: its blocks do not fit its particles", path);
        blocks->first[b] = first;
    }
    if (occupied) blocks->first[occupied] = (uint32_t)count;
    return status;
}

static ct_status read_flow(const ct_container *container, ct_world *world, ct_error *error)
{
#define X(member) +1
    enum { REALS = SOURCE_REALS(X), COUNTS = SOURCE_COUNTS(X) };
#undef X
    ct_status status = CT_OK;
    for (size_t s = 0; s < world->source_count && !status; s++) {
        ct_source_state *state = &world->sources[s].state;
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
    for (size_t k = 0; k < world->sink_count && !status; k++)
        status =
            ct_container_read(container, "sinks", CT_SECTION_UINT64, &world->sinks[k].taken, k, 1, error);
    return status;
}

static ct_status check_particles(const ct_world *world, const char *path, ct_error *error)
{
    const ct_particles *particles = &world->particles;
    if (!particles->count) return CT_OK;
    const uint16_t *material = ct_particles_plane(particles, CT_FIELD_MATERIAL, 0);
    const uint16_t *body = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    for (size_t p = 0; p < particles->count; p++)
        if (material[p] >= world->material_count || body[p] >= world->body_count)
            return ct_fail(error, CT_BAD_IO,
                           "'%s' is damaged: a particle of a material or body that is not there", path);
    return CT_OK;
}

static void count_bodies(ct_world *world)
{
    const uint16_t *body = ct_particles_plane(&world->particles, CT_FIELD_BODY, 0);
    for (size_t b = 0; b < world->body_count; b++) world->bodies[b].particles = 0;
    for (size_t p = 0; p < world->particles.count; p++) world->bodies[body[p]].particles++;
}

static ct_status read_colliders(const ct_container *container, ct_world *world, ct_error *error)
{
    ct_status status = CT_OK;
    for (size_t c = 0; c < world->collider_count && !status; c++)
        status = ct_container_read(container, "colliders", CT_SECTION_FLOAT64, &world->colliders[c].totals,
                                   c * CT_COLLIDER_NUMBERS, CT_COLLIDER_NUMBERS, error);
    return status;
}

/* A world that was made with its bodies has them already; they are the same. */
static ct_status read_links(const ct_container *container, ct_world *world, uint64_t particles,
                            const char *path, ct_error *error)
{
    uint64_t triangles = 0, lines = 0;
    ct_section_type type;
    ct_links *links = &world->links;
    ct_container_find(container, "triangles", &type, &triangles);
    ct_container_find(container, "lines", &type, &lines);
    links->triangle_count = links->line_count = 0;
    ct_status status = ct_links_reserve(&world->heap, links, (size_t)triangles / 3, (size_t)lines / 2, error);
    if (!status && triangles)
        status = ct_container_read(container, "triangles", CT_SECTION_UINT32, links->triangles, 0,
                                   triangles / 3 * 3, error);
    if (!status && lines)
        status =
            ct_container_read(container, "lines", CT_SECTION_UINT32, links->lines, 0, lines / 2 * 2, error);
    if (status) return status;
    links->triangle_count = (size_t)triangles / 3, links->line_count = (size_t)lines / 2;
    if (ct_links_fit(links, (size_t)particles)) return CT_OK;
    *links = (ct_links){.triangles = links->triangles,
                        .triangle_room = links->triangle_room,
                        .lines = links->lines,
                        .line_room = links->line_room};
    return ct_fail(error, CT_BAD_IO, "'%s' is damaged: a triangle or line without its particles", path);
}

static void forget_particles(ct_world *world)
{
    world->particles.count = 0;
    ct_blocks_clear(&world->grid.blocks);
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
    uint64_t count = counts[COUNTS + 1], occupied = counts[COUNTS + 2];
    forget_particles(world);
    if (!status) status = read_particles(container, &world->particles, count, error);
    if (!status) status = read_blocks(container, &world->grid.blocks, occupied, count, path, error);
    if (!status) status = check_particles(world, path, error);
    if (!status) status = read_colliders(container, world, error);
    if (!status) status = read_links(container, world, count, path, error);
    if (!status) status = read_flow(container, world, error);
    if (!status) status = read_ledger(container, world, error);
    if (status) {
        forget_particles(world);
        return status;
    }
    int i = 0;
#define X(member) world->member = reals[i++];
    STATE_REALS(X)
#undef X
    i = 0;
#define X(member) world->member = (__typeof__(world->member))counts[i++];
    STATE_COUNTS(X)
#undef X
    count_bodies(world);
    restore_limited(world, limited_by);
    if (world->guess.criterion >= CT_CRITERIA) world->guess = (ct_guess){0}; /* of no file of ours */
    world->particles.generation++;
    if (world->peri) world->peri->must_find = true, world->peri->is_settled = false;
    return CT_OK;
}

/* Halo, neighbours and colours follow from the blocks; unsorted runs wait for their sort. */
static ct_status rebuild_blocks(ct_world *world, ct_error *error)
{
    ct_blocks *blocks = &world->grid.blocks;
    if (world->must_sort) return CT_OK;
    ct_status status = ct_blocks_index(blocks, error);
    if (!status) status = ct_blocks_finish(blocks, error);
    if (status) forget_particles(world);
    return status;
}

ct_status ct_world_restore_from(ct_world *world, const ct_container *container, const char *path,
                                ct_error *error)
{
    ct_status status = restore(world, container, path, error);
    return status ? status : rebuild_blocks(world, error);
}

ct_status ct_world_restore(ct_world *world, const char *path, ct_error *error)
{
    ct_container *container;
    ct_status status = ct_container_open(&world->heap, path, &container, error);
    if (status) return status;
    status = ct_world_restore_from(world, container, path, error);
    ct_container_close(container);
    return status;
}

/* ---- hashing
 * --------------------------------------------------------------------------------------------------- */

static void hash_plane(XXH3_state_t *state, const void *plane, size_t size, const uint32_t *order,
                       size_t count)
{
    unsigned char gathered[GATHER * sizeof(double)];
    for (size_t first = 0; first < count; first += GATHER) {
        size_t n = count - first < GATHER ? count - first : GATHER;
        for (size_t k = 0; k < n; k++)
            memcpy(gathered + k * size, (const char *)plane + order[first + k] * size, size);
        XXH3_128bits_update(state, gathered, n * size);
    }
}

ct_status ct_world_hash(const ct_world *world, ct_hash *hash, ct_error *error)
{
    const ct_particles *particles = &world->particles;
    ct_heap *heap = (ct_heap *)(uintptr_t)&world->heap; /* scratch only */
    size_t count = particles->count, bytes = count * 3 * sizeof(double);
    uint32_t *order;
    double *position = ct_allocate(heap, bytes);
    if (!position) return ct_fail_memory(error, bytes);
    ct_status status = ct_world_read(world, "position", position, bytes, error);
    if (!status) status = ct_particles_order_by_id(particles, heap, &order, error);
    if (!status) {
        XXH3_state_t state;
        XXH3_128bits_reset(&state);
        XXH3_128bits_update(&state, &world->time, sizeof world->time);
        XXH3_128bits_update(&state, &world->step, sizeof world->step);
        XXH3_128bits_update(&state, position, bytes);
        for (int f = 0; f < CT_FIELDS; f++)
            for (int c = 0; c < ct_field_components(particles, f) && f != CT_FIELD_POSITION; c++)
                hash_plane(&state, ct_particles_plane(particles, f, c), ct_field_size(particles, f), order,
                           count);
        XXH128_hash_t digest = XXH3_128bits_digest(&state);
        *hash = (ct_hash){digest.high64, digest.low64};
        ct_release(heap, order);
    }
    ct_release(heap, position);
    return status;
}
