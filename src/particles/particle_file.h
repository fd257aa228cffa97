/* Particles from files: CSV with a header line, PLY (text or binary) and VTU (text or appended raw, as we and
 * others write it). Columns are found by their names: x y z or position / Points; vx vy vz or velocity;
 * volume; deformation F; id; and any other numeric attribute is kept under its name for `convert` and
 * `render`.
 */
#ifndef CT_PARTICLES_PARTICLE_FILE_H
#define CT_PARTICLES_PARTICLE_FILE_H

#include "core/memory.h"

typedef struct ct_attribute {
    char name[64];
    ct_type type; /* the type the file holds it in; values are kept as double */
    int components;
    double *values; /* [count x components] */
} ct_attribute;

typedef struct ct_particle_file {
    ct_heap *heap;
    size_t count;
    double (*position)[3];
    ct_attribute *attributes; /* everything but the position */
    int attribute_count;
    double time; /* s, where the file says; otherwise NaN */
} ct_particle_file;

/* A broken or missing file gives CT_BAD_SCENE with file, line (or byte) and reason. */
ct_status ct_particle_file_load(ct_heap *heap, const char *path, ct_particle_file *file, ct_error *error);
ct_status ct_particle_file_parse(ct_heap *heap, const char *name, const char *bytes, size_t count,
                                 ct_particle_file *file, ct_error *error);
void ct_particle_file_release(ct_particle_file *file);
const ct_attribute *ct_particle_file_find(const ct_particle_file *file, const char *name); /* NULL: none */

#endif
