/* Animated meshes as input: what Blender exports of a skinned character, for kinematic bodies and for
 * kinematic parts of soft ones. One surface, whose vertices move and whose triangles stay:
 *
 *     walk.obj and walk.pc2     triangles, and a point cache ("POINTCACHE2") of the same vertices
 *     walk_####.obj             an OBJ file for each frame; '#' stand for the digits of its number
 *     walk.usda                 the first Mesh of a USD text, or the one that is named, with time samples
 *
 * Between two samples vertices move on straight lines:
 *
 *     x(t) = x_s + (t - t_s) v,     v = (x_{s+1} - x_s)/(t_{s+1} - t_s)     for t_s <= t < t_{s+1}
 *
 * Before the first and from the last sample on they rest. So velocities are constant over an interval and
 * jump at samples: contact sees a piecewise linear motion, which is what the file says, no more.
 *
 * All samples are in memory, as floats. Transforms in USD files are refused unless they do nothing: what
 * would silently stand elsewhere is worse than an error.
 */
#ifndef CT_PARTICLES_ANIMATION_H
#define CT_PARTICLES_ANIMATION_H

#include "particles/mesh.h"

typedef struct ct_animation_def {
    const char *path;  /* .obj, .obj with '#', .usda */
    const char *cache; /* .pc2 beside an .obj; NULL: none */
    const char *prim;  /* name of the Mesh in a .usda; NULL: the first */
    double rate;       /* frames per second, of .pc2 and sequences; 0: 24. USD has its own */
    double start;      /* s, when the first sample is played */
} ct_animation_def;

typedef struct ct_animation {
    ct_heap *heap;
    ct_mesh mesh; /* triangles; vertices in the order of the file, at the first sample */
    size_t sample_count;
    double *times;      /* [sample_count] s, ascending */
    float (*places)[3]; /* [sample_count x vertices] m */
} ct_animation;

/* Complaints name file and line, or byte. */
ct_status ct_animation_load(ct_heap *heap, const ct_animation_def *def, ct_animation *animation,
                            ct_error *error);
void ct_animation_release(ct_animation *animation);

/* Positions (m) and velocities (m/s) of all vertices at a time; either may be NULL. */
void ct_animation_at(const ct_animation *animation, double time, double (*position)[3],
                     double (*velocity)[3]);

/* ---- For its readers and their tests ------------------------------------------------------------------ */

/* From memory. `animation` holds triangles for .pc2, and is empty for .usda; `times` are in frames until they
 * are scaled. */
ct_status ct_animation_parse_pc2(ct_animation *animation, const char *name, const char *bytes, size_t count,
                                 ct_error *error);
/* *rate: time codes per second. */
ct_status ct_animation_parse_usda(ct_animation *animation, const char *name, const char *bytes, size_t count,
                                  const char *prim, double *rate, ct_error *error);
/* Room for one more sample; its places are written by the caller. */
ct_status ct_animation_add(ct_animation *animation, double time, size_t *capacity, ct_error *error);

#endif
