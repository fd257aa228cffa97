#include "particles/animation.h"

#include "core/file.h"
#include "core/stop.h"
#include "particles/mesh_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t largest_file = (size_t)1 << 36; /* bytes */
enum { MOST_DIGITS = 9 };

void ct_animation_release(ct_animation *animation)
{
    ct_mesh_release(&animation->mesh);
    ct_release(animation->heap, animation->times);
    ct_release(animation->heap, animation->places);
    *animation = (ct_animation){.heap = animation->heap, .mesh.heap = animation->heap};
}

ct_status ct_animation_add(ct_animation *animation, double time, size_t *capacity, ct_error *error)
{
    size_t count = animation->sample_count, room = *capacity;
    ct_status status =
        ct_array_grow(animation->heap, &animation->times, count, &room, count + 1, sizeof(double), error);
    if (!status)
        status = ct_array_grow(animation->heap, &animation->places, count, capacity, count + 1,
                               animation->mesh.vertex_count * sizeof *animation->places, error);
    if (!status) animation->times[animation->sample_count++] = time;
    return status;
}

/* ---- OBJ ---------------------------------------------------------------------------------------------- */

/* The file as it is: merging vertices would spoil their order. */
static ct_status read_obj(ct_heap *heap, const char *path, ct_mesh *mesh, ct_error *error)
{
    *mesh = (ct_mesh){.heap = heap};
    char *bytes;
    size_t count;
    ct_status status = ct_file_load_named(heap, path, largest_file, &bytes, &count, error);
    if (status) return status;
    ct_scan scan = ct_scan_begin(path, bytes, count);
    ct_mesh_builder builder = {.mesh = mesh};
    status = ct_mesh_read_obj(&builder, &scan, error);
    if (!status && !mesh->triangle_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there are no triangles in it", path);
    ct_release(heap, bytes);
    if (status) ct_mesh_release(mesh);
    return status;
}

static void copy_places(const ct_mesh *mesh, float (*places)[3])
{
    for (size_t v = 0; v < mesh->vertex_count; v++)
        for (int a = 0; a < 3; a++) places[v][a] = (float)mesh->vertices[v][a];
}

/* ---- Point caches ------------------------------------------------------------------------------------- */

/* "POINTCACHE2\0", version, points, first frame, frames per sample, samples; then floats. */
enum { PC2_HEAD = 32 };

ct_status ct_animation_parse_pc2(ct_animation *animation, const char *name, const char *bytes, size_t count,
                                 ct_error *error)
{
    ct_scan scan = ct_scan_begin(name, bytes, count);
    scan.is_binary = true;
    if (count < PC2_HEAD || memcmp(bytes, "POINTCACHE2", 12) != 0)
        return ct_scan_fail(&scan, error, "the file does not begin as a point cache (POINTCACHE2) does");
    double points = ct_binary_decode(CT_INT32, bytes + 16, false),
           first = ct_binary_decode(CT_FLOAT32, bytes + 20, false),
           step = ct_binary_decode(CT_FLOAT32, bytes + 24, false),
           samples = ct_binary_decode(CT_INT32, bytes + 28, false);
    if (points != (double)animation->mesh.vertex_count)
        return ct_scan_fail(&scan, error, "it has %.0f points, and the mesh %zu vertices", points,
                            animation->mesh.vertex_count);
    if (!(samples >= 1) || !(step > 0) || !isfinite(step) || !isfinite(first))
        return ct_scan_fail(&scan, error, "%.0f samples, one every %g frames from %g on, make no sense",
                            samples, step, first);
    if (points * samples * 12 > (double)(count - PC2_HEAD))
        return ct_scan_fail(&scan, error, "the file is too short for %.0f samples of %.0f points", samples,
                            points);
    size_t capacity = 0, at = PC2_HEAD, numbers = 3 * animation->mesh.vertex_count;
    for (double s = 0; s < samples; s++) {
        ct_status status = ct_animation_add(animation, first + s * step, &capacity, error);
        if (status) return status;
        float *places = animation->places[(animation->sample_count - 1) * animation->mesh.vertex_count];
        for (size_t i = 0; i < numbers; i++, at += 4) {
            places[i] = (float)ct_binary_decode(CT_FLOAT32, bytes + at, false);
            scan.at = bytes + at;
            if (!isfinite(places[i])) return ct_scan_fail(&scan, error, "a place that is not finite");
        }
    }
    return CT_OK;
}

static ct_status load_cache(ct_animation *animation, const ct_animation_def *def, ct_error *error)
{
    ct_status status = read_obj(animation->heap, def->path, &animation->mesh, error);
    if (status) return status;
    char *bytes;
    size_t count;
    status = ct_file_load_named(animation->heap, def->cache, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_animation_parse_pc2(animation, def->cache, bytes, count, error);
    ct_release(animation->heap, bytes);
    return status;
}

/* ---- Sequences ---------------------------------------------------------------------------------------- */

static ct_status add_frame(ct_animation *animation, const char *path, double frame, size_t *capacity,
                           ct_error *error)
{
    ct_mesh mesh;
    ct_status status = read_obj(animation->heap, path, &mesh, error);
    if (status) return status;
    bool is_first = !animation->sample_count;
    if (is_first) {
        animation->mesh = mesh;
    } else if (mesh.vertex_count != animation->mesh.vertex_count ||
               mesh.triangle_count != animation->mesh.triangle_count ||
               memcmp(mesh.triangles, animation->mesh.triangles,
                      mesh.triangle_count * sizeof *mesh.triangles) != 0) {
        status = ct_fail(error, CT_BAD_SCENE, "%s: its faces are not those of the first file (%zu vertices)",
                         path, animation->mesh.vertex_count);
    }
    if (!status) status = ct_animation_add(animation, frame, capacity, error);
    if (!status) copy_places(&mesh, animation->places + (animation->sample_count - 1) * mesh.vertex_count);
    if (!is_first) ct_mesh_release(&mesh);
    return status;
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* Frames from 0 or 1 on, or from the first among the next 10,000 that is there, up to the first gap. */
static ct_status load_sequence(ct_animation *animation, const char *pattern, ct_error *error)
{
    enum { SEARCHED = 10000 };
    const char *mark = strchr(pattern, '#');
    int digits = (int)strspn(mark, "#");
    size_t length = strlen(pattern) + 16, capacity = 0;
    if (digits > MOST_DIGITS || strchr(mark + digits, '#'))
        return ct_fail(error, CT_BAD_SCENE, "%s: there must be one run of at most %d '#'", pattern,
                       MOST_DIGITS);
    char *path = ct_allocate(animation->heap, length);
    if (!path) return ct_fail_memory(error, length);
    ct_status status = CT_OK;
    for (int frame = 0; !status; frame++) {
        snprintf(path, length, "%.*s%0*d%s", (int)(mark - pattern), pattern, digits, frame, mark + digits);
        if (is_there(path)) status = add_frame(animation, path, frame, &capacity, error);
        else if (animation->sample_count || frame == SEARCHED) break;
        if (!status) status = ct_stop_check(error);
    }
    if (!status && !animation->sample_count)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there is no file with a number from 0 to %d", pattern,
                         SEARCHED);
    ct_release(animation->heap, path);
    return status;
}

/* ---- All kinds ---------------------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && ct_slice_is_nocase((ct_slice){dot, strlen(dot)}, ending);
}

static ct_status load_usda(ct_animation *animation, const ct_animation_def *def, double *rate,
                           ct_error *error)
{
    char *bytes;
    size_t count;
    ct_status status = ct_file_load_named(animation->heap, def->path, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_animation_parse_usda(animation, def->path, bytes, count, def->prim, rate, error);
    ct_release(animation->heap, bytes);
    return status;
}

static ct_status load(ct_animation *animation, const ct_animation_def *def, double *rate, ct_error *error)
{
    if (ends_with(def->path, ".usda")) return load_usda(animation, def, rate, error);
    if (!ends_with(def->path, ".obj"))
        return ct_fail(error, CT_BAD_SCENE, "%s: an animated mesh must be an .obj or a .usda file",
                       def->path);
    if (strchr(def->path, '#')) return load_sequence(animation, def->path, error);
    if (def->cache) return load_cache(animation, def, error);
    return ct_fail(
        error, CT_BAD_SCENE,
        "%s: one OBJ file does not move; name a .pc2 file, too, or a sequence with '#' for its digits",
        def->path);
}

/* Frames become seconds, and the first sample is at `start`. */
static ct_status set_times(ct_animation *animation, const ct_animation_def *def, double rate, ct_error *error)
{
    double first = animation->times[0];
    for (size_t s = 0; s < animation->sample_count; s++) {
        animation->times[s] = def->start + (animation->times[s] - first) / rate;
        if (!isfinite(animation->times[s]) || (s && !(animation->times[s] > animation->times[s - 1])))
            return ct_fail(error, CT_BAD_SCENE,
                           "%s: the time of sample %zu (counted from 0) is not after the last", def->path, s);
    }
    return CT_OK;
}

ct_status ct_animation_load(ct_heap *heap, const ct_animation_def *def, ct_animation *animation,
                            ct_error *error)
{
    *animation = (ct_animation){.heap = heap, .mesh.heap = heap};
    double rate = def->rate > 0 ? def->rate : 24;
    ct_status status = load(animation, def, &rate, error);
    if (!status) status = set_times(animation, def, rate, error);
    if (status) {
        ct_animation_release(animation);
        return status;
    }
    for (size_t v = 0; v < animation->mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) animation->mesh.vertices[v][a] = (double)animation->places[v][a];
    return CT_OK;
}

/* ---- Playing ------------------------------------------------------------------------------------------ */

/* The last sample that is not after `time`; 0 where all are. */
static size_t sample_before(const ct_animation *animation, double time)
{
    size_t low = 0, high = animation->sample_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (animation->times[middle] <= time) low = middle;
        else high = middle;
    }
    return low;
}

void ct_animation_at(const ct_animation *animation, double time, double (*position)[3], double (*velocity)[3])
{
    size_t count = animation->mesh.vertex_count, s = sample_before(animation, time);
    bool is_moving = time >= animation->times[0] && s + 1 < animation->sample_count;
    const float(*here)[3] = (const float(*)[3])animation->places + s * count;
    const float(*next)[3] = is_moving ? here + count : here;
    double length = is_moving ? animation->times[s + 1] - animation->times[s] : 1;
    double passed = is_moving ? time - animation->times[s] : 0;
    for (size_t v = 0; v < count; v++)
        for (int a = 0; a < 3; a++) {
            double slope = ((double)next[v][a] - (double)here[v][a]) / length;
            if (position) position[v][a] = (double)here[v][a] + passed * slope;
            if (velocity) velocity[v][a] = slope;
        }
}
