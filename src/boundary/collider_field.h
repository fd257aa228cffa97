/* A shape's distance field, sampled once so that it can be read cheaply: for meshes, whose distance takes a
 * walk through a tree.
 *
 *     +----+----+----+----+      The box around the shape, with a margin, is cut into bricks of 8^d cells. A
 *     | .  |####|####|  . |      brick that the surface passes or comes near (#) keeps the distance at all
 * its
 *     +----+####+####+----+      9^d nodes and is read by (bi- or tri-) linear interpolation, sharp to h^2 /
 * 8 | .  |####|  . |  . |      over the surface's radius of curvature. Any other keeps it in the middle (.)
 *     +----+----+----+----+      alone, from where it can only have changed by as much as one goes.
 *
 * So the memory follows the surface, and what is read outside the bricks is a lower bound, which is all that
 * is asked far from a surface.
 */
#ifndef CT_BOUNDARY_COLLIDER_FIELD_H
#define CT_BOUNDARY_COLLIDER_FIELD_H

#include "core/threads.h"
#include "particles/shape.h"

typedef struct ct_distance_grid ct_distance_grid;

/* `spacing` between samples, in the shape's frame; `owner` names it in messages. */
ct_status ct_distance_grid_create(ct_heap *heap, const ct_shape *shape, int dimension, double spacing,
                                  ct_pool *pool, const char *owner, ct_distance_grid **grid, ct_error *error);
void ct_distance_grid_destroy(ct_distance_grid *grid); /* NULL is fine */

double ct_distance_grid_at(const ct_distance_grid *grid, const double position[3]);
/* The same, and by how much it may be off: a distance changes by no more than the way, so between samples a
 * thin wall may hide from all of them. 0 far from the surface, where it is a lower bound. */
double ct_distance_grid_read(const ct_distance_grid *grid, const double position[3], double *error);
/* By differences over one sample spacing, which are continuous; far from the surface that of the shape
 * itself.
 */
void ct_distance_grid_gradient(const ct_distance_grid *grid, const double position[3], double gradient[3]);

#endif
