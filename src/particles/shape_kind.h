/* What a kind of shape is made of. Adding one: its functions in a file like shape_primitive.c, one line in
 * the list of shape.c.
 *
 * Bounds come from the support function h(n), the largest n . x over the shape: it is a closed form for every
 * primitive, the greatest of the children for a union, and it follows any linear map, h_A(n) = h(A^T n), so
 * that boxes stay tight however a shape is scaled and turned.
 */
#ifndef CT_PARTICLES_SHAPE_KIND_H
#define CT_PARTICLES_SHAPE_KIND_H

#include "particles/mesh.h"
#include "particles/placement.h"
#include "particles/shape.h"

typedef struct ct_shape_kind {
    const char *name; /* for messages: "torus" */
    /* Checks the fields of this kind and copies them. */
    ct_status (*prepare)(ct_shape *shape, const ct_shape_def *def, ct_error *error);
    /* Signed distance and, unless NULL, its gradient, in the shape's own frame. The gradient is 0 where there
     * is no nearest point to speak of, as in the centre of a sphere. */
    double (*distance)(const ct_shape *shape, const double position[3], double gradient[3]);
    /* Whether a point is inside, where that is cheaper to say than the distance; else NULL. */
    bool (*contains)(const ct_shape *shape, const double position[3]);
    /* The support function, in the shape's own frame; infinite where the shape has no end, -infinite if it is
     * empty. `direction` need not be a unit vector. */
    double (*support)(const ct_shape *shape, const double direction[3]);
} ct_shape_kind;

struct ct_shape {
    ct_heap *heap;
    const ct_shape_kind *kind;
    const char *owner; /* for messages; only while it is made */
    int dimension;
    int depth; /* of combinations around it */
    ct_placement placement;
    double center[3]; /* the default pivot; of a half-space, its point */
    double half[3];   /* box: half its size; rounded box: without the radius */
    double from[3], to[3];
    double axis[3]; /* unit: from `from` to `to`, of the ring, or the normal of the half-space */
    double length;  /* from `from` to `to` */
    double radius, tube;
    ct_shape **children;
    int child_count;
    ct_mesh mesh;
    ct_mesh_tree *tree;
};

/* Fails with "owner: kind: ..." */
ct_status ct_shape_fail(const ct_shape *shape, ct_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

double ct_shape_support(const ct_shape *shape, const double direction[3]); /* in the world */

extern const ct_shape_kind ct_shape_box, ct_shape_sphere, ct_shape_cylinder, ct_shape_capsule, ct_shape_torus,
    ct_shape_rounded_box, ct_shape_half_space;

#endif
