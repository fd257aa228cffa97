/* Particles from files: CSV with a header line, PLY (text or binary) and VTU or VTP (text, base64 or raw; not
 * compressed), as we and others write them. Positions are the columns x y z, or position, or Points; every
 * other numeric column or array is kept as an attribute under its name, for seeding (velocity, volume,
 * deformation or F), `convert` and `render`. Columns that are components of one thing, such as velocity_x
 * velocity_y velocity_z, velocity:0 velocity:1 velocity:2, or F_xx to F_zz, become one attribute; vx vy vz
 * are the velocity.
 */
#ifndef CT_PARTICLES_PARTICLE_FILE_H
#define CT_PARTICLES_PARTICLE_FILE_H

#include "particles/links.h"

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
    double time;    /* s, where the file says; otherwise NaN */
    uint64_t step;  /* likewise; otherwise 0 */
    ct_links links; /* triangles and lines between the particles, of VTU and PLY files */
} ct_particle_file;

/* How much the format of a file keeps, by its ending: more is better; -1: no such file can be read. */
int ct_particle_file_rank(const char *name);

/* A broken file gives CT_BAD_SCENE with file, line (or byte) and reason; one that cannot be opened CT_BAD_IO.
 */
ct_status ct_particle_file_load(ct_heap *heap, const char *path, ct_particle_file *file, ct_error *error);
ct_status ct_particle_file_parse(ct_heap *heap, const char *name, const char *bytes, size_t count,
                                 ct_particle_file *file, ct_error *error);
void ct_particle_file_release(ct_particle_file *file);
const ct_attribute *ct_particle_file_find(const ct_particle_file *file, const char *name); /* NULL: none */

#endif
