#include "world_record.h"

#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct entry {
    ct_recorded what;
    void *def; /* in the arena */
} entry;

struct ct_record {
    ct_arena arena;
    ct_world_def def;
    entry *entries;
    size_t count, capacity;
    entry next; /* prepared, not kept yet */
};

/* ---- Deep copies: NULL or false where memory is short -------------------------------------------------- */

static bool copy_text(ct_arena *arena, const char **text)
{
    if (!*text) return true;
    *text = ct_arena_text(arena, *text, strlen(*text));
    return *text;
}

static bool copy_bytes(ct_arena *arena, const void **bytes, size_t size)
{
    if (!*bytes) return true;
    void *copy = ct_arena_allocate(arena, size);
    if (copy && size) memcpy(copy, *bytes, size);
    *bytes = copy;
    return copy;
}

#define COPY_ARRAY(arena, array, count) \
    copy_bytes(arena, (const void **)&(array), (size_t)(count) * sizeof *(array))

static bool copy_track(ct_arena *arena, ct_track *track)
{
    if (track->count <= 0) return true;
    return COPY_ARRAY(arena, track->times, track->count) && COPY_ARRAY(arena, track->values, track->count);
}

static bool copy_parameters(ct_arena *arena, const ct_parameter **parameters, int count)
{
    if (count <= 0 || !*parameters) return true;
    if (!COPY_ARRAY(arena, *parameters, count)) return false;
    bool is_whole = true;
    for (int i = 0; i < count; i++)
        is_whole &= copy_text(arena, &((ct_parameter *)(uintptr_t)*parameters)[i].name);
    return is_whole;
}

static bool copy_scheme(ct_arena *arena, ct_scheme_def *scheme)
{
    return copy_text(arena, &scheme->type) &&
           copy_parameters(arena, &scheme->parameters, scheme->parameter_count);
}

static bool copy_shape(ct_arena *arena, ct_shape_def *shape)
{
    if (!copy_text(arena, &shape->file)) return false;
    if (shape->edge_count > 0 && !COPY_ARRAY(arena, shape->edges, shape->edge_count)) return false;
    if (shape->point_count > 0 && !COPY_ARRAY(arena, shape->points, shape->point_count)) return false;
    if (shape->point_count > 0 && !COPY_ARRAY(arena, shape->point_velocities, shape->point_count))
        return false;
    if (shape->child_count <= 0 || !shape->children) return true;
    if (!COPY_ARRAY(arena, shape->children, shape->child_count)) return false;
    bool is_whole = true;
    for (int c = 0; c < shape->child_count; c++)
        is_whole &= copy_shape(arena, &((ct_shape_def *)(uintptr_t)shape->children)[c]);
    return is_whole;
}

static bool copy_material(ct_arena *arena, void *def)
{
    ct_material_def *material = def;
    return copy_text(arena, &material->name) && copy_text(arena, &material->type) &&
           copy_parameters(arena, &material->parameters, material->parameter_count) &&
           copy_track(arena, &material->stiffness_factor);
}

static bool copy_body(ct_arena *arena, void *def)
{
    ct_body_def *body = def;
    body->shape.point_count = 0; /* particles by now */
    return copy_text(arena, &body->name) && copy_scheme(arena, &body->scheme) &&
           copy_text(arena, &body->roots) && copy_text(arena, &body->contact_group) &&
           copy_shape(arena, &body->shape) && copy_shape(arena, &body->hold) &&
           copy_text(arena, &body->elements.hold_group) && copy_text(arena, &body->elements.follow.file) &&
           copy_text(arena, &body->elements.follow.cache) && copy_text(arena, &body->elements.follow.prim);
}

static bool copy_source(ct_arena *arena, void *def)
{
    ct_source_def *source = def;
    return copy_text(arena, &source->name) && copy_scheme(arena, &source->scheme) &&
           copy_shape(arena, &source->shape) && copy_track(arena, &source->velocity) &&
           copy_track(arena, &source->motion.position) && copy_track(arena, &source->motion.rotation) &&
           copy_track(arena, &source->motion.scale);
}

static bool copy_change(ct_arena *arena, void *def)
{
    ct_change_def *change = def;
    return copy_text(arena, &change->name) && copy_text(arena, &change->from) &&
           copy_shape(arena, &change->shape);
}

static bool copy_sink(ct_arena *arena, void *def)
{
    ct_sink_def *sink = def;
    return copy_text(arena, &sink->name) && copy_shape(arena, &sink->shape);
}

/* Its motion is that of the collider itself, when it is asked for. */
static bool copy_collider(ct_arena *arena, void *def)
{
    ct_collider_def *collider = def;
    collider->motion = ct_default_motion_def();
    return copy_text(arena, &collider->name) && copy_shape(arena, &collider->shape) &&
           copy_text(arena, &collider->animation.cache) && copy_text(arena, &collider->animation.prim);
}

static bool copy_joint(ct_arena *arena, void *def)
{
    ct_joint_def *joint = def;
    return copy_text(arena, &joint->name) && copy_text(arena, &joint->body) && copy_text(arena, &joint->to);
}

static bool copy_force(ct_arena *arena, void *def)
{
    ct_force_def *force = def;
    bool is_whole = copy_text(arena, &force->name) && copy_shape(arena, &force->shape) &&
                    copy_track(arena, &force->acceleration) && copy_track(arena, &force->center) &&
                    copy_track(arena, &force->velocity);
    if (is_whole && force->body_count > 0) is_whole = COPY_ARRAY(arena, force->bodies, force->body_count);
    for (int k = 0; k < force->body_count && is_whole; k++)
        is_whole = copy_text(arena, &((const char **)(uintptr_t)force->bodies)[k]);
    return is_whole;
}

static ct_status add_material(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_material(world, def, NULL, error);
}

static ct_status add_body(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_register_body(world, def, error);
}

static ct_status add_source(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_register_source(world, def, error);
}

static ct_status add_change(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_change(world, def, NULL, error);
}

static ct_status add_sink(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_sink(world, def, NULL, error);
}

static ct_status add_collider(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_collider(world, def, NULL, error);
}

static ct_status add_joint(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_joint(world, def, NULL, error);
}

static ct_status add_force(ct_world *world, const void *def, ct_error *error)
{
    return ct_world_add_force(world, def, NULL, error);
}

static const struct {
    size_t size;
    bool (*copy)(ct_arena *arena, void *def);
    ct_status (*add)(ct_world *world, const void *def, ct_error *error);
} kinds[] = {[CT_RECORDED_MATERIAL] = {sizeof(ct_material_def), copy_material, add_material},
             [CT_RECORDED_BODY] = {sizeof(ct_body_def), copy_body, add_body},
             [CT_RECORDED_SOURCE] = {sizeof(ct_source_def), copy_source, add_source},
             [CT_RECORDED_CHANGE] = {sizeof(ct_change_def), copy_change, add_change},
             [CT_RECORDED_SINK] = {sizeof(ct_sink_def), copy_sink, add_sink},
             [CT_RECORDED_COLLIDER] = {sizeof(ct_collider_def), copy_collider, add_collider},
             [CT_RECORDED_JOINT] = {sizeof(ct_joint_def), copy_joint, add_joint},
             [CT_RECORDED_FORCE] = {sizeof(ct_force_def), copy_force, add_force}};

/* ---- The record --------------------------------------------------------------------------------------- */

static bool copy_world(ct_arena *arena, ct_world_def *def)
{
    bool is_whole = copy_scheme(arena, &def->scheme) && copy_track(arena, &def->gravity);
    if (def->contact.pair_count > 0 && is_whole)
        is_whole = COPY_ARRAY(arena, def->contact.pairs, def->contact.pair_count);
    for (int k = 0; k < def->contact.pair_count && is_whole; k++)
        is_whole = copy_text(arena, &((ct_contact_pair_def *)(uintptr_t)def->contact.pairs)[k].name);
    for (int side = 0; side < CT_SIDES && is_whole; side++)
        is_whole = copy_track(arena, &def->walls[side].velocity);
    return is_whole;
}

ct_record *ct_record_create(ct_heap *heap, const ct_world_def *def, ct_error *error)
{
    ct_record *record = ct_allocate_zero(heap, sizeof *record);
    if (record) {
        record->arena.heap = heap;
        record->def = *def;
        if (copy_world(&record->arena, &record->def)) return record;
        ct_record_destroy(record);
    }
    ct_fail_memory(error, sizeof *record);
    return NULL;
}

const ct_world_def *ct_record_def(const ct_record *record)
{
    return &record->def;
}

void ct_record_destroy(ct_record *record)
{
    if (!record) return;
    ct_heap *heap = record->arena.heap;
    ct_release(heap, record->entries);
    ct_arena_release(&record->arena);
    ct_release(heap, record);
}

ct_status ct_record_prepare(ct_record *record, ct_recorded what, const void *def, ct_error *error)
{
    ct_status status = ct_array_grow(record->arena.heap, &record->entries, record->count, &record->capacity,
                                     record->count + 1, sizeof *record->entries, error);
    if (status) return status;
    const void *copy = def;
    bool is_whole = copy_bytes(&record->arena, &copy, kinds[what].size);
    if (!is_whole || !kinds[what].copy(&record->arena, (void *)(uintptr_t)copy))
        return ct_fail_memory(error, kinds[what].size);
    record->next = (entry){what, (void *)(uintptr_t)copy};
    return CT_OK;
}

void ct_record_keep(ct_record *record)
{
    record->entries[record->count++] = record->next;
}

void ct_record_drop(ct_record *record)
{
    record->count--;
}

void ct_record_forget_collider(ct_record *record, int collider)
{
    size_t at = 0;
    for (int seen = 0; at < record->count; at++)
        if (record->entries[at].what == CT_RECORDED_COLLIDER && seen++ == collider) break;
    if (at == record->count) return;
    memmove(record->entries + at, record->entries + at + 1,
            (record->count - at - 1) * sizeof *record->entries);
    record->count--;
}

/* ---- Copies of worlds ---------------------------------------------------------------------------------- */

static ct_status make_empty(const ct_world *world, ct_world **copy, ct_error *error)
{
    const ct_record *record = world->record;
    ct_status status = ct_world_create(&record->def, copy, error);
    for (size_t i = 0; i < record->count && !status; i++)
        status = kinds[record->entries[i].what].add(*copy, record->entries[i].def, error);
    for (size_t c = 0; c < world->boundary.collider_count && !status; c++)
        status = ct_world_set_motion(*copy, (int)c, &world->boundary.colliders[c].motion, error);
    if (!status) status = ct_world_set_gravity(*copy, &world->common.def.gravity, error);
    return status;
}

ct_status ct_world_copy(const ct_world *world, ct_world **copy, ct_error *error)
{
    CT_REQUIRE(copy, error);
    *copy = NULL;
    CT_REQUIRE(world, error);
    char path[1024];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.900s/continua-copy-XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = mkstemp(path);
    if (descriptor < 0) return ct_fail(error, CT_BAD_IO, "cannot make a temporary file '%s'", path);
    close(descriptor);
    ct_status status = ct_world_save(world, path, error);
    if (!status) status = make_empty(world, copy, error);
    if (!status) status = ct_world_restore(*copy, path, error);
    unlink(path);
    if (!status) return CT_OK;
    ct_world_destroy(*copy);
    *copy = NULL;
    return status;
}
