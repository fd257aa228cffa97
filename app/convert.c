/* `continua convert`: frames in another format, through the reader of particle files and the list of writers.
 */
#include "command.h"
#include "folders.h"
#include "frames.h"
#include "terminal.h"

#include <string.h>

const ct_option ct_convert_options_table[] = {
    {"to", 0, "vtu|ply|csv|xyz|obj|usda|bgeo|hdf|pc2", "the format; required"},
    {"output", 'o', "FOLDER", "where the new files go (default: FOLDER/FORMAT, or beside the frame)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"fields", 0, "A,B", "only these fields, and the position"},
    {0},
};

static ct_status write_frame(void *context, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_frames *frames = context;
    ct_status status = frames->writer->write(&frames->heap, ct_to(path), frame, error);
    if (!status) ct_say("%s\n", path);
    return status;
}

/* PC2: the places of all points at all frames, which a modifier in Blender and others gives to the mesh
 * of the first frame. Little endian: "POINTCACHE2" and a zero, version 1, points, first frame (float), frames
 * a sample (float), samples; then the places as floats, frame after frame. */

struct cache {
    ct_frames *frames;
    uint64_t points;
    uint32_t samples; /* in all: found in a first pass */
    ct_file *file;    /* NULL in that pass */
    const char *obj;
};

static ct_status add_sample(void *context, const char *path, const ct_frame *frame, ct_error *error)
{
    struct cache *self = context;
    (void)path;
    if (!self->file) {
        if (self->samples++ == 0) self->points = frame->count;
        if (frame->count == self->points) return CT_OK;
        return ct_fail(
            error, CT_BAD_USAGE,
            "a point cache needs the same number of particles in every frame; there are %llu and %llu",
            (unsigned long long)self->points, (unsigned long long)frame->count);
    }
    if (!self->file->written) {
        const uint32_t counts[2] = {1, (uint32_t)self->points};
        const float rates[2] = {0, 1};
        ct_file_write(self->file, "POINTCACHE2", 12);
        ct_file_write(self->file, counts, sizeof counts);
        ct_file_write(self->file, rates, sizeof rates);
        ct_file_write(self->file, &self->samples, sizeof self->samples);
        ct_status status = self->frames->writer->write(&self->frames->heap, ct_to(self->obj), frame, error);
        if (status) return status;
    }
    for (size_t p = 0; p < frame->count && !self->file->failure; p++) {
        const double *x = frame->position[p];
        ct_file_write(self->file, (const float[3]){(float)x[0], (float)x[1], (float)x[2]}, 3 * sizeof(float));
    }
    return CT_OK;
}

static ct_status write_cache_to(struct cache *self, const char *source, const char *pc2, ct_error *error)
{
    ct_status status = ct_frames_walk(self->frames, source, "pc2", add_sample, self, error);
    if (!status && self->points > INT32_MAX)
        status = ct_fail(error, CT_BAD_USAGE, "%llu particles are too many for a point cache",
                         (unsigned long long)self->points);
    ct_file file;
    if (!status) status = ct_file_create(&file, &self->frames->heap, ct_to(pc2), error);
    if (status) return status;
    self->file = &file;
    status = ct_frames_walk(self->frames, source, "pc2", add_sample, self, error);
    if (!status) status = ct_file_commit(&file, error);
    else ct_file_abandon(&file);
    if (!status) ct_say("%s\n%s\n", self->obj, pc2);
    return status;
}

static ct_status write_cache(ct_frames *frames, const char *source, ct_error *error)
{
    ct_heap *heap = &frames->heap;
    char *folder =
        frames->folder ? ct_path_beside(heap, "", frames->folder) : ct_path_join(heap, source, "pc2");
    char *obj = folder ? ct_path_join(heap, folder, "particles.obj") : NULL;
    char *pc2 = folder ? ct_path_join(heap, folder, "particles.pc2") : NULL;
    struct cache self = {.frames = frames, .obj = obj};
    ct_status status = obj && pc2 ? CT_OK : ct_fail_memory(error, strlen(source));
    if (!status && !ct_is_folder(source))
        status = ct_fail(error, CT_BAD_USAGE, "a point cache is made of a run, not of one frame");
    if (!status) status = write_cache_to(&self, source, pc2, error);
    ct_release(heap, pc2);
    ct_release(heap, obj);
    ct_release(heap, folder);
    return status;
}

int ct_command_convert(int argc, char **argv)
{
    ct_arguments arguments;
    ct_frames frames;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = ct_frames_read_options(&arguments, NULL, &frames);
    if (code >= 0) return code;
    ct_error error;
    if (frames.is_cache) {
        ct_status status = write_cache(&frames, ct_argument(&arguments, 0), &error);
        return status ? ct_report(&error) : CT_OK;
    }
    ct_status status = ct_frames_walk(&frames, ct_argument(&arguments, 0), frames.writer->name, write_frame,
                                      &frames, &error);
    return status ? ct_report(&error) : CT_OK;
}
