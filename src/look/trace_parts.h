/* What the files of trace_*.c share. The scene of a traced picture is a list of pieces in units of the size
 * of what is shown: x = (position - middle) / size, so that floats suffice wherever it lies.
 */
#ifndef CT_LOOK_TRACE_PARTS_H
#define CT_LOOK_TRACE_PARTS_H

#include "look/camera.h"
#include "look/finish.h"
#include "look/random.h"
#include "look/studio.h"
#include "look/trace.h"

/* ---- the scene (trace_scene.c) ---- */

typedef enum ct_piece_shape { CT_PIECE_TRIANGLES, CT_PIECE_SPHERES, CT_PIECE_CURVES } ct_piece_shape;

/* What is inside a clear piece. */
typedef struct ct_inside {
    ct_vec absorb; /* per length */
    float scatter; /* events per length */
    float ior;
} ct_inside;

typedef struct ct_piece {
    ct_piece_shape shape;
    bool is_clear;
    ct_finish finish; /* its colour is that of pieces without colours */
    ct_inside inside;
    size_t point_count;
    float (*points[2])[4];    /* [point_count] where they are, and their radius, when the shutter opens and
                               * closes; NULL: as when it opens */
    float (*normals)[3];      /* [point_count] of triangles; NULL: flat */
    ct_vec *colors;           /* [point_count]; NULL: all alike */
    ct_vec *glow;             /* [point_count] radiance of its own; NULL: none */
    uint32_t (*triangles)[3]; /* [part_count]; curves: point 2k to 2k + 1 */
    size_t part_count;
} ct_piece;

enum { CT_MOST_PIECES = 1024 };

typedef struct ct_traced {
    ct_heap *heap;
    double middle[3], size; /* m */
    ct_piece *pieces;       /* [count], of clear ones the higher rank first */
    int count;
} ct_traced;

ct_status ct_traced_create(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                           double shutter, ct_traced *traced, ct_error *error);
void ct_traced_release(ct_traced *traced);

/* Room for the points and parts of one more piece, zeroed; NULL: there is none. */
ct_piece *ct_traced_add(ct_traced *traced, ct_piece_shape shape, size_t points, size_t parts,
                        ct_error *error);
void ct_traced_place(const ct_traced *traced, const double position[3], float point[4]);

/* Grains of a list of particles (trace_grains.c). */
typedef struct ct_grain_def {
    const ct_frame *frame;
    const int32_t *particles; /* [count] */
    size_t count;
    const ct_vec *colors; /* [count] */
    double spacing;       /* m */
    double shutter;       /* s */
    int grains;           /* per particle */
    bool is_powder;       /* finer and more even */
} ct_grain_def;
ct_status ct_traced_add_grains(ct_traced *traced, const ct_grain_def *def, ct_finish finish, ct_error *error);

/* ---- rays (trace_hit.c) ---- */

typedef struct ct_ray {
    ct_vec from, direction; /* unit */
    float far, time;        /* time: 0..1 of the shutter */
} ct_ray;

typedef struct ct_hit {
    float distance; /* INFINITY: none */
    int piece;
    uint32_t part;
    float u, v;
    ct_vec normal; /* unit, of the true surface: outwards of triangles */
} ct_hit;

typedef struct ct_tracer ct_tracer;
ct_status ct_tracer_create(ct_heap *heap, const ct_traced *traced, ct_tracer **tracer, ct_error *error);
void ct_tracer_destroy(ct_tracer *tracer); /* NULL is fine */
ct_hit ct_tracer_meet(const ct_tracer *tracer, const ct_ray *ray);

/* ---- paths (trace_path.c) ---- */

typedef struct ct_path_scene {
    const ct_traced *traced;
    const ct_tracer *tracer;
    ct_studio studio;
} ct_path_scene;

/* What a path brought, and what it met first, for the denoiser. */
typedef struct ct_path_result {
    ct_vec light;
    ct_vec albedo; /* of the first matte surface, also through clear ones; white: none */
    ct_vec normal; /* of the first surface; 0: none */
    float depth;
    bool is_matte; /* the first surface is */
} ct_path_result;

ct_path_result ct_path_follow(const ct_path_scene *scene, ct_ray ray, ct_random *random);

#endif
