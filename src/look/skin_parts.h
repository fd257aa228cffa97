/* What the files of skin_*.c share: neighbours, kernels and the march. */
#ifndef CT_LOOK_SKIN_PARTS_H
#define CT_LOOK_SKIN_PARTS_H

#include "look/skin.h"

/* ---- neighbours (skin_neighbors.c): points sorted by cells of a table of cells ---- */

typedef struct ct_neighbors {
    ct_heap *heap;
    size_t count;
    double low[3], scale; /* cell = (x - low) scale */
    uint32_t mask;        /* buckets - 1 */
    uint32_t *begin;      /* [buckets + 1] into `order` */
    uint32_t *order;      /* [count] points by bucket, within one in the order of their numbers */
    double (*sorted)[3];  /* [count] where they are, in that order */
} ct_neighbors;

/* `reach`: m, the largest distance that will be asked for. Points must be finite. */
ct_status ct_neighbors_create(ct_heap *heap, const double (*points)[3], size_t count, double reach,
                              ct_neighbors *neighbors, ct_error *error);
void ct_neighbors_release(ct_neighbors *neighbors);

/* Calls `take` for each point within the cells around x; the caller looks at the distance. */
typedef void (*ct_neighbor_taker)(void *context, uint32_t point, const double offset[3], double square);
void ct_neighbors_visit(const ct_neighbors *neighbors, const double x[3], double reach,
                        ct_neighbor_taker take, void *context);

/* ---- walls and obstacles (skin_mirror.c) ---- */

/* Points that make up a surface, and the particle that each is. */
typedef struct ct_cloud {
    double (*points)[3]; /* [count] m */
    uint32_t *numbers;   /* [count] */
    size_t count, capacity;
} ct_cloud;

/* Adds the mirror images of points near the walls and obstacles of `def`. */
ct_status ct_skin_mirror(ct_heap *heap, const ct_skin_def *def, double spacing, ct_cloud *cloud,
                         ct_error *error);

/* Distance to where the surface has to end, m, and the way from there; negative: beyond it. */
double ct_skin_room(const ct_skin_def *def, const double x[3], double inward[3]);

/* ---- kernels (skin_kernels.c) ---- */

typedef struct ct_skin_kernel {
    double center[3]; /* m */
    float shape[6];   /* 1/m, G: xx xy xz yy yz zz */
    float extent[3];  /* m, half the sides of the box around it */
    float strength;   /* s */
} ct_skin_kernel;

/* Makes `kernels` [count] of the points. Those deep inside (look/cull.h) are round, whatever is asked for. */
ct_status ct_skin_kernels_make(ct_heap *heap, ct_pool *pool, const double (*points)[3], size_t count,
                               double spacing, bool is_round, ct_skin_kernel *kernels, ct_error *error);

/* ---- the march (skin_march.c) ---- */

/* `def` says where the surface ends; the rest of it is in the other arguments. */
ct_status ct_skin_march(ct_pool *pool, const ct_skin_def *def, const ct_skin_kernel *kernels, size_t count,
                        double cell, float level, ct_skin *skin, ct_error *error);

/* ---- the finished mesh (skin_mesh.c) ---- */

/* Drops closed pieces that face inwards around less than `least`, m^3. */
ct_status ct_skin_fill_cavities(ct_skin *skin, double least, ct_error *error);
ct_status ct_skin_smooth(ct_skin *skin, int rounds, ct_error *error);
/* Puts vertices near walls and obstacles on them, and relaxes the mesh as `def` says: vertices go towards the
 * mean of their neighbours, along walls and obstacles where they are on one. */
ct_status ct_skin_relax(ct_skin *skin, const ct_skin_def *def, double cell, ct_error *error);
ct_status ct_skin_find_normals(ct_skin *skin, ct_error *error);

#endif
