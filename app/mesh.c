/* `continua mesh`: the surface that particles make up, as triangles, for the frames of a run or for one. */
#include "command.h"
#include "frames.h"
#include "look/skin.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ct_option ct_mesh_options_table[] = {
    {"to", 0, "obj|ply|vtu|usda|bgeo|hdf", "the format (default: obj)"},
    {"output", 'o', "FOLDER", "where the files go (default: FOLDER/mesh, or beside the frame)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"fields", 0, "A,B", "particle quantities to store at the vertices (default: all)"},
    {"bodies", 0, "A,B", "only these bodies, by their numbers in the field body"},
    {"cell", 0, "M",
     "edge of the cells that are marched through, in metres (default: 0.75 particle distances)"},
    {"spacing", 0, "M", "distance between particles, in metres (default: measured)"},
    {"smooth", 0, "N", "smoothing passes (default: 2)"},
    {"round", 0, NULL, "isotropic kernels instead of ones that follow the surface: faster, bumpier"},
    {"threads", 0, "N", "use N threads (default: one per core)"},
    {0},
};

struct meshing {
    ct_frames frames;
    ct_pool *pool;
    ct_skin_def def;
    const char *bodies; /* "0,2"; NULL: all */
};

/* ---- which particles ---- */

static bool is_listed(const char *list, long number)
{
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strtol(at, NULL, 10) == number) return true;
    return false;
}

static ct_status choose_bodies(struct meshing *self, ct_arena *arena, const ct_frame *frame, ct_error *error)
{
    const ct_frame_field *body = ct_frame_field_named(frame, "body");
    self->def.chosen = NULL;
    if (!self->bodies) return CT_OK;
    if (!body) return ct_fail(error, CT_BAD_USAGE, "--bodies: the frames have no field 'body'");
    bool *chosen = ct_arena_allocate(arena, (size_t)frame->count + 1);
    if (!chosen) return ct_fail_memory(error, (size_t)frame->count);
    for (size_t p = 0; p < frame->count; p++)
        chosen[p] = is_listed(self->bodies, (long)ct_frame_value(body, p));
    self->def.chosen = chosen;
    return CT_OK;
}

/* ---- the surface as a frame ---- */

/* Vertex k has the values of its nearest particle. */
static ct_status copy_field(ct_arena *arena, const ct_frame_field *from, const ct_skin *skin,
                            ct_frame_field *to, ct_error *error)
{
    size_t bytes = ct_number_type_of(from->info.type)->bytes * (size_t)from->info.components;
    char *values = ct_arena_allocate(arena, skin->vertex_count * bytes + 1);
    if (!values) return ct_fail_memory(error, skin->vertex_count * bytes);
    for (size_t v = 0; v < skin->vertex_count; v++)
        memcpy(values + v * bytes, (const char *)from->values + skin->nearest[v] * bytes, bytes);
    *to = (ct_frame_field){from->info, values};
    return CT_OK;
}

static ct_status make_frame(ct_arena *arena, const ct_frame *particles, const ct_skin *skin, ct_frame *frame,
                            ct_error *error)
{
    static const ct_quantity_info normal = {"normal", "", CT_TYPE_FLOAT32, 3, "outward"};
    ct_frame_field *fields = ct_arena_allocate(arena, ((size_t)particles->field_count + 1) * sizeof *fields);
    if (!fields) return ct_fail_memory(error, sizeof *fields);
    *frame = (ct_frame){.time = particles->time, .step = particles->step, .dimension = 3};
    frame->count = skin->vertex_count;
    frame->position = (const double(*)[3])skin->vertices;
    frame->triangles = (const uint32_t(*)[3])skin->triangles;
    frame->triangle_count = skin->triangle_count;
    frame->body_names = particles->body_names;
    frame->body_count = particles->body_count;
    fields[frame->field_count++] = (ct_frame_field){normal, skin->normals};
    for (int k = 0; k < particles->field_count; k++) {
        if (!strcmp(particles->fields[k].info.name, "id")) continue; /* vertices are no particles */
        ct_status status =
            copy_field(arena, &particles->fields[k], skin, &fields[frame->field_count++], error);
        if (status) return status;
    }
    frame->fields = fields;
    return CT_OK;
}

static ct_status mesh_frame(void *context, const char *path, const ct_frame *particles, ct_error *error)
{
    struct meshing *self = context;
    ct_heap *heap = &self->frames.heap;
    ct_arena arena = {.heap = heap};
    ct_skin skin = {.heap = NULL};
    ct_frame frame;
    ct_status status = choose_bodies(self, &arena, particles, error);
    if (!status) status = ct_skin_create(heap, self->pool, &self->def, particles, &skin, error);
    if (!status) status = make_frame(&arena, particles, &skin, &frame, error);
    if (!status) status = self->frames.writer->write(heap, ct_to(path), &frame, error);
    if (!status) ct_say("%s: %zu triangles\n", path, skin.triangle_count);
    ct_skin_release(&skin);
    ct_arena_release(&arena);
    return status;
}

/* ---- the command ---- */

static int read_length(const ct_arguments *arguments, const char *name, double *length)
{
    const char *text = ct_option_value(arguments, name);
    if (!text) return -1;
    char *end;
    *length = strtod(text, &end);
    if (end == text || *end || !(*length > 0) || !isfinite(*length))
        return ct_usage_error(arguments, "--%s expects a length in metres above 0; not '%s'", name, text);
    return -1;
}

int ct_command_mesh(int argc, char **argv)
{
    ct_arguments arguments;
    struct meshing self = {.bodies = NULL};
    long long smooth = 2, threads = 0;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = ct_option_integer(&arguments, "smooth", 0, 1000, &smooth);
    if (code < 0) code = ct_option_threads(&arguments, &threads);
    if (code < 0) code = read_length(&arguments, "cell", &self.def.cell);
    if (code < 0) code = read_length(&arguments, "spacing", &self.def.spacing);
    if (code < 0) code = ct_frames_read_options(&arguments, "obj", &self.frames);
    if (code >= 0) return code;
    self.def.smooth = (int)smooth;
    self.def.is_round = ct_option_given(&arguments, "round");
    self.bodies = ct_option_value(&arguments, "bodies");
    ct_error error;
    ct_status status = ct_pool_create(&self.frames.heap, (int)threads, &self.pool, &error);
    if (!status)
        status = ct_frames_walk(&self.frames, ct_argument(&arguments, 0), "mesh", mesh_frame, &self, &error);
    if (self.pool) ct_pool_destroy(self.pool);
    return status ? ct_report(&error) : CT_OK;
}
