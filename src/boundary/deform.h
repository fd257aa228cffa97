/* A collider whose surface deforms: a closed mesh with scripted vertices (particles/animation.h), in the frame of
 * its collider, whose motion comes on top.
 *
 *     shape     the mesh where it is at the end of the step; distances are asked of it itself, by its tree
 *     before    the tree of where it was at the beginning; both are functions of the time alone
 *     rate      velocity of the vertices, mean over the step; in between that of the nearest point of the surface
 *     sides     a particle's way is swept against triangles that move from one to the other (particles/mesh_sweep.c),
 *               so what is on a side stays there from the end of a step to the end of the next
 */
#ifndef CT_BOUNDARY_DEFORM_H
#define CT_BOUNDARY_DEFORM_H

#include "particles/animation.h"
#include "particles/shape.h"

typedef struct ct_deform {
    ct_heap *heap;
    ct_animation animation; /* in the frame of the collider */
    ct_shape *shape;        /* the collider's */
    ct_mesh_tree *before;   /* at `begin`; where the step has no length, undefined */
    double (*rate)[3];      /* [vertices] m/s */
    double begin, end;      /* s */
    double farthest;        /* m, that a vertex goes in the step */
    double *fastest;        /* [samples] m/s, from this sample to the next */
    double min[3], max[3];  /* of all samples */
} ct_deform;

/* `shape` is a mesh, whose file is an .obj with '#' for the digits of a frame, an .obj with a cache, or a .usda. Makes
 * the collider's shape, too, which belongs to the caller. `owner` names the collider in messages. */
ct_status ct_deform_create(ct_heap *heap, int dimension, const ct_shape_def *shape,
                           const ct_follow_def *animation, const char *owner, ct_deform **deform,
                           ct_error *error);
void ct_deform_destroy(ct_deform *deform); /* NULL is fine */

void ct_deform_prepare(ct_deform *deform, double time, double dt);

/* m/s, that a vertex has at a time or soon after. */
double ct_deform_fastest(const ct_deform *deform, double time);
/* Velocity of the surface where it is nearest to q. */
void ct_deform_velocity(const ct_deform *deform, const double q[3], double v[3]);
/* Where the surface takes what is at q when the step begins. */
void ct_deform_carry(const ct_deform *deform, const double q[3], double to[3]);

/* Whether a way of the step leads from outside in, through a wall, or to within a margin of the surface. */
bool ct_deform_crosses(const ct_deform *deform, const double from[3], const double to[3], double margin);
/* Where what would do so comes to rest: nearest to where it would go, or is taken (sticky), without crossing. */
void ct_deform_slide(const ct_deform *deform, const double from[3], const double to[3], bool is_sticky,
                     double gap, double margin, double q[3]);

/* The vertices at a time. */
void ct_deform_place(const ct_deform *deform, double time, double (*vertices)[3]);

#endif
