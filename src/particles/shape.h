/* Shapes as distance fields. A ct_shape is a ct_shape_def made ready: checked, its transforms inverted, its
 * mesh read. Distances are negative inside, exact for the primitives, and a lower bound in magnitude for
 * combinations (the usual min/max). In 2D a shape is cut by the plane z = 0.
 */
#ifndef CT_PARTICLES_SHAPE_H
#define CT_PARTICLES_SHAPE_H

#include "particles/mesh.h"

typedef struct ct_shape ct_shape;

/* `name` names the owner in messages ("body 'ball'"). CT_SHAPE_POINTS and CT_SHAPE_PARTICLES are no shapes.
 */
ct_status ct_shape_create(ct_heap *heap, int dimension, const ct_shape_def *def, const char *name,
                          ct_shape **shape, ct_error *error);
/* A closed mesh in 3D, copied, with a pivot; `file` is what it came from. */
ct_status ct_shape_of_mesh(ct_heap *heap, const ct_mesh *mesh, const double pivot[3], const char *name,
                           const char *file, ct_shape **shape, ct_error *error);
void ct_shape_destroy(ct_shape *shape); /* NULL is fine */

double ct_shape_distance(const ct_shape *shape, const double position[3]);
/* The same with its gradient, which points out of the shape. It has length 1 unless the shape is scaled
 * differently along the axes or touches the plane of a 2D world at a slant; 0 where there is no nearest point
 * to speak of. */
double ct_shape_distance_gradient(const ct_shape *shape, const double position[3], double gradient[3]);
/* distance < 0, but cheaper for meshes; either answer for a point right on the surface of a combination */
bool ct_shape_contains(const ct_shape *shape, const double position[3]);

/* Whether it is a surface of triangles, a mesh or a height field, that a way can be followed against, and
 * where a way from outside meets it (ct_mesh_tree_meet in mesh.h); the normal is in the shape's frame. */
bool ct_shape_has_surface(const ct_shape *shape);
bool ct_shape_meet(const ct_shape *shape, const double from[3], const double to[3], double margin,
                   ct_hit *hit);

/* Whether its distance takes long to compute: it has meshes in it. */
bool ct_shape_is_costly(const ct_shape *shape);

/* Where it is turned about unless told otherwise: its own pivot, where its placement has put it. */
void ct_shape_pivot(const ct_shape *shape, double pivot[3]);

/* The box around the shape, tight for everything but intersections; z is 0 in 2D. False where the shape has
 * no bounds (a half-space). An intersection of things apart gives min > max. */
bool ct_shape_bounds(const ct_shape *shape, double min[3], double max[3]);

#endif
