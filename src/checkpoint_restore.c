/* The world's state back from a file: all of it is read and checked beside the world before anything of the
 * world changes, so that a restore that fails leaves the state as it was. */
#include "checkpoint_parts.h"
#include "timestep/criteria.h"

#include <string.h>

/* ---- The ledger ---------------------------------------------------------------------------------------- */

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

static ct_status read_ledger(const ct_container *container, size_t materials, ct_ledger *ledger,
                             ct_error *error)
{
    uint64_t rows = 0;
    ct_section_type type;
    ct_status status = CT_OK;
    ct_container_find(container, "ledger.tightest", &type, &rows);
    for (uint64_t i = 0; i < rows && !status; i++) {
        uint64_t numbers[CT_LEDGER_COUNTS] = {0};
        int criterion = criterion_of_row(container, i);
        if (criterion < 0) continue;
        ct_ledger_row *row = &ledger->rows[criterion];
        status = ct_container_read(container, "ledger.rows", CT_SECTION_UINT64, numbers, i * CT_LEDGER_COUNTS,
                                   CT_LEDGER_COUNTS, error);
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

/* ---- All of it ----------------------------------------------------------------------------------------- */

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

/* All of a file's state but the clouds', as it will be the world's. */
typedef struct staged {
    ct_ledger ledger;
    ct_collider_totals *colliders; /* [collider_count] */
    ct_source_state *sources;      /* [source_count] */
    uint64_t *taken;               /* [sink_count] */
    double contact;                /* J */
    ct_book book;
    ct_staged_cloud clouds[CT_MOST_KINDS];
} staged;

static void release_staged(ct_heap *heap, staged *s)
{
    void *const owned[] = {s->ledger.steps, s->colliders, s->sources, s->taken};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(heap, owned[i]);
    for (int k = 0; k < CT_MOST_KINDS; k++) ct_cloud_release_staged(&s->clouds[k]);
    ct_book_release(&s->book, heap);
    ct_release(heap, s);
}

/* Room for what the world has; what the file does not say stays as it is. */
static staged *create_staged(const ct_world *world, ct_error *error)
{
    ct_heap *heap = world->common.arena.heap;
    const ct_boundary *boundary = &world->boundary;
    size_t steps = CT_CRITERIA * world->pace.ledger.materials * sizeof *world->pace.ledger.steps;
    staged *s = ct_allocate_zero(heap, sizeof *s);
    if (!s) {
        ct_fail_memory(error, sizeof *s);
        return NULL;
    }
    s->ledger = world->pace.ledger;
    s->ledger.steps = ct_allocate_zero(heap, steps);
    s->colliders = ct_allocate(heap, boundary->collider_count * sizeof *s->colliders);
    s->sources = ct_allocate(heap, boundary->source_count * sizeof *s->sources);
    s->taken = ct_allocate(heap, boundary->sink_count * sizeof *s->taken);
    if (s->ledger.steps && s->colliders && s->sources && s->taken) {
        if (world->pace.ledger.steps) memcpy(s->ledger.steps, world->pace.ledger.steps, steps);
        for (size_t k = 0; k < boundary->source_count; k++) s->sources[k] = boundary->sources[k].state;
        return s;
    }
    release_staged(heap, s);
    ct_fail_memory(error, steps);
    return NULL;
}

static ct_status read_flow(const ct_container *container, const ct_boundary *boundary, staged *s,
                           ct_error *error)
{
#define X(member) +1
    enum { REALS = SOURCE_REALS(X), COUNTS = SOURCE_COUNTS(X) };
#undef X
    ct_status status = CT_OK;
    for (size_t k = 0; k < boundary->source_count && !status; k++) {
        ct_source_state *state = &s->sources[k];
        double reals[REALS];
        uint64_t counts[COUNTS];
        status =
            ct_container_read(container, "sources.reals", CT_SECTION_FLOAT64, reals, k * REALS, REALS, error);
        if (!status)
            status = ct_container_read(container, "sources.counts", CT_SECTION_UINT64, counts, k * COUNTS,
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
    if (boundary->sink_count)
        status = ct_container_read(container, "sinks", CT_SECTION_UINT64, s->taken, 0, boundary->sink_count,
                                   error);
    return status;
}

/* Owners and partners by number: what is not sorted is damaged. Files of before there was a book have none. */
static ct_status read_book(const ct_world *world, const ct_container *container, const char *path, staged *s,
                           ct_error *error)
{
    ct_section_type type;
    uint64_t length = 0;
    ct_book *book = &s->book;
    if (!ct_container_find(container, "bodies.accounts", &type, &length) || !length) return CT_OK;
    size_t count = (size_t)(length - 1) / CT_ACCOUNT_NUMBERS;
    ct_status status =
        ct_container_read(container, "bodies.accounts", CT_SECTION_FLOAT64, &book->row_time, 0, 1, error);
    if (!status)
        status = ct_array_grow(world->common.arena.heap, &book->accounts, 0, &book->room, count,
                               sizeof *book->accounts, error);
    if (!status && count)
        status = ct_container_read(container, "bodies.accounts", CT_SECTION_FLOAT64, book->accounts, 1,
                                   count * CT_ACCOUNT_NUMBERS, error);
    if (status) return status;
    book->count = count;
    return ct_book_is_sound(book)
               ? CT_OK
               : ct_fail(error, CT_BAD_IO, "'%s' is damaged: its accounts of bodies", path);
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

/* Numbers as state.reals and state.counts have them. */
#define X(member) +1
enum { STATE_REAL_COUNT = STATE_REALS(X), STATE_COUNT_COUNT = STATE_COUNTS(X) };
#undef X
typedef struct numbers {
    double reals[STATE_REAL_COUNT];
    uint64_t counts[STATE_COUNT_COUNT + 3]; /* then: hash of the definition, particles, blocks */
    char limited_by[32];
} numbers;

static void apply_numbers(const numbers *n, ct_world *world, ct_cloud *cloud, ct_limits *limits)
{
    int i = 0;
#define X(member) member = n->reals[i++];
    STATE_REALS(X)
#undef X
    i = 0;
#define X(member) member = (__typeof__(member))n->counts[i++];
    STATE_COUNTS(X)
#undef X
}

static ct_status read_numbers(const ct_world *world, const ct_container *container, const char *path,
                              numbers *n, ct_error *error)
{
    uint64_t length = 0;
    ct_section_type type;
    ct_status status =
        ct_container_read(container, "state.reals", CT_SECTION_FLOAT64, n->reals, 0, STATE_REAL_COUNT, error);
    if (!status)
        status = ct_container_read(container, "state.counts", CT_SECTION_UINT64, n->counts, 0,
                                   STATE_COUNT_COUNT + 3, error);
    if (status) return status;
    if (n->counts[STATE_COUNT_COUNT] != ct_definition_hash(world))
        return ct_fail(error, CT_BAD_IO,
                       "'%s' is of another scene: its dimension, precision, grid, scheme or materials differ",
                       path);
    if (ct_container_find(container, "state.limited_by", &type, &length) && length < sizeof n->limited_by)
        status = ct_container_read(container, "state.limited_by", CT_SECTION_BYTES, n->limited_by, 0, length,
                                   error);
    return status;
}

/* Reads and checks all of it, and changes nothing. */
static ct_status stage(const ct_world *world, const ct_container *container, const char *path, numbers *n,
                       staged *s, ct_error *error)
{
    const ct_boundary *boundary = &world->boundary;
    ct_world shadow;
    ct_cloud cloud;
    ct_limits limits;
    ct_status status = read_numbers(world, container, path, n, error);
    if (status) return status;
    apply_numbers(n, &shadow, &cloud, &limits);
    const ct_saved_cloud first = {.count = n->counts[STATE_COUNT_COUNT + 1],
                                  .occupied = n->counts[STATE_COUNT_COUNT + 2],
                                  .must_sort = cloud.must_sort};
    for (int k = 0; k < world->kind_count && !status; k++)
        status = ct_cloud_stage(world, k, k ? NULL : &first, container, path, &s->clouds[k], error);
    if (!status && boundary->collider_count)
        status = ct_container_read(container, "colliders", CT_SECTION_FLOAT64, s->colliders, 0,
                                   boundary->collider_count * CT_COLLIDER_NUMBERS, error);
    if (!status) status = read_book(world, container, path, s, error);
    if (!status) status = read_flow(container, boundary, s, error);
    if (!status) status = read_ledger(container, world->common.material_count, &s->ledger, error);
    if (!status && world->kind_count > 1)
        status = ct_container_read(container, "state.contact", CT_SECTION_FLOAT64, &s->contact, 0, 1, error);
    return status;
}

/* What follows from the state of a kind. */
static void settle(const ct_kind *kind)
{
    ct_limits *limits = kind->method->limits(kind->self);
    if (limits->guess.criterion >= CT_CRITERIA) limits->guess = (ct_guess){0}; /* of no file of ours */
    if (kind->method->restored) kind->method->restored(kind->self);
}

static void commit(ct_world *world, const numbers *n, staged *s)
{
    ct_boundary *boundary = &world->boundary;
    uint64_t *steps = world->pace.ledger.steps;
    world->pace.ledger = s->ledger;
    s->ledger.steps = steps; /* to be released */
    for (size_t k = 0; k < boundary->collider_count; k++) boundary->colliders[k].totals = s->colliders[k];
    for (size_t k = 0; k < boundary->source_count; k++) boundary->sources[k].state = s->sources[k];
    for (size_t k = 0; k < boundary->sink_count; k++) boundary->sinks[k].taken = s->taken[k];
    for (int k = 0; k < world->kind_count; k++) ct_cloud_commit(world, k, &s->clouds[k]);
    apply_numbers(n, world, ct_kind_cloud(&world->kinds[0]),
                  world->kinds[0].method->limits(world->kinds[0].self));
    if (world->kind_count > 1) world->common.budget.contact = s->contact;
    const ct_book book = world->book;
    world->book = s->book;
    s->book = book; /* to be released */
    count_bodies(world);
    restore_limited(world, n->limited_by);
    world->mostly_limited_by = NULL;
    for (int k = 0; k < world->kind_count; k++) settle(&world->kinds[k]);
}

ct_status ct_world_restore_from(ct_world *world, const ct_container *container, const char *path,
                                ct_error *error)
{
    numbers n = {.limited_by = ""};
    staged *s = create_staged(world, error);
    if (!s) return CT_NO_MEMORY;
    ct_status status = stage(world, container, path, &n, s, error);
    if (!status) commit(world, &n, s);
    release_staged(&world->common.heap, s);
    return status;
}

ct_status ct_world_restore(ct_world *world, const char *path, ct_error *error)
{
    ct_container *container;
    CT_REQUIRE(world, error);
    CT_REQUIRE(path, error);
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (!status) status = ct_container_open(&world->common.heap, path, &container, error);
    if (status) return status;
    status = ct_world_restore_from(world, container, path, error);
    ct_container_close(container);
    return status;
}
