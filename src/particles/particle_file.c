#include "particles/particle_file.h"

#include "core/file.h"
#include "particles/particle_file_read.h"

#include <math.h>
#include <string.h>

static const size_t largest_file = (size_t)1 << 36; /* bytes */
enum { MOST_ATTRIBUTES = 256 };

/* From the one that keeps least of a frame to the one that keeps most. */
static const struct {
    const char *ending;
    ct_status (*read)(ct_particle_file *file, ct_scan *scan, ct_error *error);
} formats[] = {
    {".csv", ct_particle_file_read_csv}, {".txt", ct_particle_file_read_csv},
    {".ply", ct_particle_file_read_ply}, {".vtu", ct_particle_file_read_vtu},
    {".vtp", ct_particle_file_read_vtu},
};

int ct_particle_file_rank(const char *name)
{
    const char *dot = strrchr(name, '.');
    ct_slice ending = {dot ? dot : "", dot ? strlen(dot) : 0};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        if (ct_slice_is_nocase(ending, formats[f].ending)) return (int)f;
    return -1;
}

ct_status ct_particle_file_parse(ct_heap *heap, const char *name, const char *bytes, size_t count,
                                 ct_particle_file *file, ct_error *error)
{
    *file = (ct_particle_file){.heap = heap, .time = NAN};
    int format = ct_particle_file_rank(name);
    if (format < 0)
        return ct_fail(error, CT_BAD_SCENE, "%s: a particle file must be a .csv, .ply or .vtu file", name);
    ct_scan scan = ct_scan_begin(name, bytes, count);
    ct_status status = formats[format].read(file, &scan, error);
    if (status) ct_particle_file_release(file);
    return status;
}

ct_status ct_particle_file_load(ct_heap *heap, const char *path, ct_particle_file *file, ct_error *error)
{
    *file = (ct_particle_file){.heap = heap, .time = NAN};
    char *bytes;
    size_t count;
    ct_status status = ct_file_load(heap, path, largest_file, &bytes, &count, error);
    if (status) return status;
    status = ct_particle_file_parse(heap, path, bytes, count, file, error);
    ct_release(heap, bytes);
    return status;
}

void ct_particle_file_release(ct_particle_file *file)
{
    for (int a = 0; a < file->attribute_count; a++) ct_release(file->heap, file->attributes[a].values);
    ct_release(file->heap, file->attributes);
    ct_links_release(file->heap, &file->links);
    ct_release(file->heap, file->position);
    *file = (ct_particle_file){.heap = file->heap, .time = NAN};
}

const ct_attribute *ct_particle_file_find(const ct_particle_file *file, const char *name)
{
    for (int a = 0; a < file->attribute_count; a++)
        if (strcmp(file->attributes[a].name, name) == 0) return &file->attributes[a];
    return NULL;
}

ct_status ct_particle_file_add(ct_particle_file *file, const char *name, ct_type type, int components,
                               ct_attribute **attribute, ct_error *error)
{
    if (!file->attributes) {
        size_t bytes = MOST_ATTRIBUTES * sizeof *file->attributes;
        file->attributes = ct_allocate_zero(file->heap, bytes);
        if (!file->attributes) return ct_fail_memory(error, bytes);
    }
    if (file->attribute_count == MOST_ATTRIBUTES)
        return ct_fail(error, CT_BAD_SCENE, "more than %d attributes in a particle file", MOST_ATTRIBUTES);
    size_t width = (size_t)components * sizeof(double);
    double *values = file->count > SIZE_MAX / 2 / width ? NULL : ct_allocate(file->heap, file->count * width);
    if (!values) return ct_fail_memory(error, file->count);
    *attribute = &file->attributes[file->attribute_count++];
    **attribute = (ct_attribute){.type = type, .components = components, .values = values};
    ct_slice_copy((ct_slice){name, strlen(name)}, (*attribute)->name, sizeof(*attribute)->name);
    return CT_OK;
}

ct_status ct_particle_file_place(ct_particle_file *file, const char *name, const double *values,
                                 int components, ct_error *error)
{
    if (file->position) return ct_fail(error, CT_BAD_SCENE, "%s: the positions are there twice", name);
    file->position = ct_allocate_zero(file->heap, file->count * sizeof *file->position);
    if (!file->position) return ct_fail_memory(error, file->count * sizeof *file->position);
    for (size_t p = 0; p < file->count; p++)
        for (int a = 0; a < components; a++) {
            file->position[p][a] = values[p * (size_t)components + (size_t)a];
            if (!isfinite(file->position[p][a]))
                return ct_fail(error, CT_BAD_SCENE,
                               "%s: particle %zu (counted from 0) is not at a finite place", name, p);
        }
    return CT_OK;
}
