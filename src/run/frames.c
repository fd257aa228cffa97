#include "run/parts.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t type_size(ct_type type)
{
    static const size_t sizes[] = {
        [CT_TYPE_FLOAT32] = 4, [CT_TYPE_FLOAT64] = 8, [CT_TYPE_UINT16] = 2, [CT_TYPE_UINT32] = 4};
    return sizes[type];
}

/* Bytes of a quantity of `count` particles, rounded up so that the next one in the block is aligned; 0: too
 * many. */
static size_t room_for(uint64_t count, size_t element)
{
    if (count > (SIZE_MAX / 8 - 64) / element) return 0;
    return ((size_t)count * element + 63) / 64 * 64;
}

/* The scene's fields by the world's list; the position has a place of its own in a frame. */
static ct_status find_fields(const ct_world *world, const char *const *names, int name_count,
                             ct_frame_field *fields, int *count, ct_error *error)
{
    *count = 0;
    for (int f = 0; f < name_count; f++) {
        ct_quantity_info info;
        if (!names[f]) return ct_fail(error, CT_BAD_USAGE, "fields: name %d is NULL", f);
        if (strcmp(names[f], "position") == 0) continue;
        if (!ct_world_find_quantity(world, names[f], &info))
            return ct_fail(error, CT_BAD_USAGE, "fields: there is no quantity '%s'", names[f]);
        fields[(*count)++] = (ct_frame_field){.info = info};
    }
    return CT_OK;
}

static ct_status read_into(const ct_world *world, const char *quantity, char *place, size_t bytes,
                           ct_error *error)
{
    return bytes ? ct_world_read(world, quantity, place, bytes, error) : CT_OK;
}

/* Reads positions and fields one after the other into `block`, which has room for all. */
static ct_status fill(const ct_world *world, ct_frame *frame, ct_frame_field *fields, char *block,
                      ct_error *error)
{
    frame->position = (const double(*)[3])block;
    ct_status status =
        read_into(world, "position", block, (size_t)frame->count * sizeof *frame->position, error);
    block += room_for(frame->count, sizeof *frame->position);
    for (int f = 0; f < frame->field_count && !status; f++) {
        size_t element = type_size(fields[f].info.type) * (size_t)fields[f].info.components;
        fields[f].values = block;
        status = read_into(world, fields[f].info.name, block, (size_t)frame->count * element, error);
        block += room_for(frame->count, element);
    }
    return status;
}

/* ---- Ghosts ------------------------------------------------------------------------------------------- */

static size_t count_ghosts(const ct_cloud *cloud)
{
    const uint16_t *hold = ct_particles_plane(&cloud->particles, CT_FIELD_HOLD, 0);
    size_t ghosts = 0;
    for (size_t p = 0; p < cloud->particles.count && hold; p++) ghosts += (hold[p] & CT_HOLD_GHOST) != 0;
    return ghosts;
}

/* Rows of ghosts of a kind become CT_LINK_GONE. */
static ct_status mark_ghosts(const ct_world *world, const ct_kind *kind, uint32_t *number, ct_error *error)
{
    const ct_particles *particles = &ct_kind_cloud(kind)->particles;
    const uint16_t *hold = ct_particles_plane(particles, CT_FIELD_HOLD, 0);
    uint32_t *rank;
    if (!hold) return CT_OK;
    ct_status status = ct_world_rank(world, kind, &rank, error);
    if (status) return status;
    for (size_t p = 0; p < particles->count; p++)
        if (hold[p] & CT_HOLD_GHOST) number[rank[p]] = CT_LINK_GONE;
    ct_release(world->common.arena.heap, rank);
    return CT_OK;
}

/* What the particles, in the order of their ids, are called in a frame, CT_LINK_GONE where they are ghosts;
 * *number is NULL where none are. */
static ct_status number_particles(ct_heap *heap, const ct_world *world, uint32_t **number, uint64_t *kept,
                                  ct_error *error)
{
    size_t count = ct_world_count(world), ghosts = 0;
    *number = NULL, *kept = count;
    for (int k = 0; k < world->kind_count; k++) ghosts += count_ghosts(ct_kind_cloud(&world->kinds[k]));
    if (!ghosts) return CT_OK;
    *number = ct_allocate_zero(heap, count * sizeof **number);
    if (!*number) return ct_fail_memory(error, count * sizeof **number);
    ct_status status = CT_OK;
    for (int k = 0; k < world->kind_count && !status; k++)
        status = mark_ghosts(world, &world->kinds[k], *number, error);
    uint32_t next = 0;
    for (size_t k = 0; k < count && !status; k++)
        if ((*number)[k] != CT_LINK_GONE) (*number)[k] = next++;
    if (!status) *kept = next;
    return status;
}

static void keep_elements(void *values, size_t element, const uint32_t *number, uint64_t count)
{
    char *bytes = values;
    for (uint64_t k = 0; k < count; k++)
        if (number[k] != CT_LINK_GONE) memmove(bytes + number[k] * element, bytes + k * element, element);
}

/* Ghosts of rods are no matter of their own: they are left out, and what is left has new numbers, in `links`.
 */
static void leave_out_ghosts(ct_frame *frame, const uint32_t *number, uint64_t kept, uint32_t *links)
{
    keep_elements((void *)(uintptr_t)frame->position, sizeof *frame->position, number, frame->count);
    for (int f = 0; f < frame->field_count; f++)
        keep_elements((void *)(uintptr_t)frame->fields[f].values,
                      type_size(frame->fields[f].info.type) * (size_t)frame->fields[f].info.components,
                      number, frame->count);
    frame->count = kept;
    uint32_t *to = links;
    for (uint64_t k = 0; k < 3 * frame->triangle_count; k++) *to++ = number[frame->triangles[k / 3][k % 3]];
    for (uint64_t k = 0; k < 2 * frame->line_count; k++) *to++ = number[frame->lines[k / 2][k % 2]];
    for (uint64_t k = 0; k < 4 * frame->tetrahedron_count; k++)
        *to++ = number[frame->tetrahedra[k / 4][k % 4]];
    frame->triangles = (const uint32_t(*)[3])links;
    frame->lines = (const uint32_t(*)[2])(links + 3 * frame->triangle_count);
    frame->tetrahedra = (const uint32_t(*)[4])(links + 3 * frame->triangle_count + 2 * frame->line_count);
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

/* A frame is one block of memory: fields, names of bodies, links, positions, values. */
ct_status ct_frame_read(ct_heap *heap, const ct_world *world, const ct_scene *scene, ct_frame *frame,
                        ct_error *error)
{
    return ct_frame_read_fields(heap, world, scene->output.fields, scene->output.field_count, frame, error);
}

ct_status ct_frame_read_fields(ct_heap *heap, const ct_world *world, const char *const *wanted,
                               int wanted_count, ct_frame *frame, ct_error *error)
{
    ct_world_info info = ct_world_get_info(world);
    size_t field_room = room_for((uint64_t)wanted_count + 1, sizeof(ct_frame_field));
    int bodies = (int)world->common.body_count;
    size_t name_room = room_for((uint64_t)bodies + 1, sizeof(char *));
    ct_links_info links = ct_world_links(world);
    *frame = (ct_frame){.time = info.time,
                        .step = info.step,
                        .count = info.particles,
                        .dimension = info.dimension,
                        .triangles = links.triangles,
                        .triangle_count = links.triangle_count,
                        .lines = links.lines,
                        .line_count = links.line_count,
                        .tetrahedra = links.tetrahedra,
                        .tetrahedron_count = links.tetrahedron_count,
                        .uv = links.uv};
    ct_frame_field *fields = ct_allocate(heap, field_room);
    if (!fields) return ct_fail_memory(error, field_room);
    ct_status status = find_fields(world, wanted, wanted_count, fields, &frame->field_count, error);
    size_t values = room_for(info.particles, sizeof *frame->position);
    bool fits = info.particles == 0 || values > 0;
    for (int f = 0; f < frame->field_count; f++) {
        size_t room =
            room_for(info.particles, type_size(fields[f].info.type) * (size_t)fields[f].info.components);
        if (info.particles && (!room || room > SIZE_MAX / 4 - values)) fits = false;
        values += room;
    }
    uint32_t *number = NULL;
    uint64_t kept = 0;
    if (!status) status = number_particles(heap, world, &number, &kept, error);
    size_t link_room =
        number ? room_for(3 * links.triangle_count + 2 * links.line_count + 4 * links.tetrahedron_count,
                          sizeof *number)
               : 0;
    char *block = status || !fits ? NULL : ct_allocate(heap, field_room + name_room + link_room + values);
    if (!status && !block) status = ct_fail_memory(error, values);
    if (block) {
        memcpy(block, fields, field_room);
        frame->fields = (const ct_frame_field *)block;
        const char **names = (const char **)(block + field_room);
        for (int b = 0; b < bodies; b++) names[b] = world->common.bodies[b].name;
        frame->body_names = names;
        frame->body_count = bodies;
        char *rest = block + field_room + name_room;
        status = fill(world, frame, (ct_frame_field *)block, rest + link_room, error);
        if (!status && number) leave_out_ghosts(frame, number, kept, (uint32_t *)(void *)rest);
        if (status) ct_frame_release(heap, frame);
    }
    ct_release(heap, number);
    ct_release(heap, fields);
    return status;
}

void ct_frame_release(ct_heap *heap, ct_frame *frame)
{
    ct_release(heap, (void *)(uintptr_t)frame->fields);
    *frame = (ct_frame){0};
}

/* Where numbers are too large for a quantity that is derived from them, the state is beyond use, too. */
static ct_status check_finite(const ct_frame *frame, ct_error *error)
{
    for (int f = 0; f < frame->field_count; f++) {
        const ct_frame_field *field = &frame->fields[f];
        if (field->info.type != CT_TYPE_FLOAT32 && field->info.type != CT_TYPE_FLOAT64) continue;
        size_t components = (size_t)field->info.components, count = (size_t)frame->count * components;
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += 0 * ct_frame_value(field, k); /* NaN once one is not finite */
        for (size_t k = 0; k < count && sum != 0; k++)
            if (!isfinite(ct_frame_value(field, k)))
                return ct_fail(error, CT_DIVERGED,
                               "step %" PRIu64
                               ": the quantity '%s' of particle %zu (of the frame, counted from "
                               "0) is not finite",
                               frame->step, field->info.name, k / components);
    }
    return CT_OK;
}

ct_status ct_run_write_frame(ct_run *run, const char *name, uint64_t number, ct_frame_watcher watcher,
                             ct_error *error)
{
    ct_frame frame;
    ct_status status = ct_frame_read(&run->heap, run->world, run->scene, &frame, error);
    if (status) return status;
    const ct_output_def *output = &run->scene->output;
    status = check_finite(&frame, error);
    for (int f = 0; f < output->format_count && !status; f++) {
        const ct_writer *writer = ct_writer_find(output->formats[f]);
        if (!writer) {
            status =
                ct_fail(error, CT_BAD_SCENE, "output.formats: there is no format '%s'", output->formats[f]);
            break;
        }
        char file[128], shown[CT_RUN_PATH_SIZE];
        snprintf(file, sizeof file, "frames/%s.%s", name, writer->extension);
        status = writer->write(&run->heap, ct_run_target(run, file, shown), &frame, error);
    }
    if (!status && watcher) watcher(run->options.watcher_user, number, &frame);
    ct_frame_release(&run->heap, &frame);
    return status;
}

static bool writes_vtu(const ct_scene *scene)
{
    for (int f = 0; f < scene->output.format_count; f++)
        if (strcmp(scene->output.formats[f], "vtu") == 0) return true;
    return false;
}

enum { NAME_SIZE = 48 };

static bool frame_file(const ct_run *run, uint64_t frame, char *name, size_t size)
{
    (void)run;
    snprintf(name, size, "frames/frame_%06" PRIu64 ".vtu", frame);
    return true;
}

static bool is_there(const ct_run *run, const char *name)
{
    return faccessat(run->root, name, F_OK, 0) == 0;
}

/* A collection of the frames so far; `name_of` gives the file of each. A run that began with other formats
 * does not have them all. */
static ct_status write_collection(ct_run *run, const char *name,
                                  bool (*name_of)(const ct_run *run, uint64_t frame, char *name, size_t size),
                                  ct_error *error)
{
    uint64_t count = run->record.next_frame;
    if (count > SIZE_MAX / 1024) return ct_fail_memory(error, SIZE_MAX);
    double *times = ct_allocate(&run->heap, count * sizeof *times);
    const char **paths = ct_allocate(&run->heap, count * sizeof *paths);
    char(*names)[NAME_SIZE] = ct_allocate(&run->heap, count * sizeof *names);
    char shown[CT_RUN_PATH_SIZE];
    ct_status status = times && paths && names ? CT_OK : ct_fail_memory(error, count * sizeof *names);
    size_t listed = 0;
    bool all_are_there = true;
    for (uint64_t k = 0; k < count && !status; k++) {
        name_of(run, k, names[k], NAME_SIZE);
        if (k == 0) all_are_there = is_there(run, names[k]);
        if (!all_are_there && !is_there(run, names[k])) continue;
        paths[listed] = names[k];
        times[listed++] = ct_frame_instant(run->scene, k);
    }
    if (!status)
        status = ct_write_pvd(&run->heap, ct_run_target(run, name, shown), paths, times, listed, error);
    ct_release(&run->heap, names);
    ct_release(&run->heap, paths);
    ct_release(&run->heap, times);
    return status;
}

ct_status ct_run_write_pvd(ct_run *run, ct_error *error)
{
    char name[NAME_SIZE];
    if (!writes_vtu(run->scene)) return CT_OK; /* a collection lists VTK files only */
    ct_status status = write_collection(run, "run.pvd", frame_file, error);
    if (!status && ct_run_collider_file(run, 0, name, sizeof name))
        status = write_collection(run, "colliders.pvd", ct_run_collider_file, error);
    return status;
}
