/* A view: where the eye stands and which pixel a point in space falls on.
 *
 *        up                       perspective:  column = center + focal * x / z
 *         |   forward                           row    = center - focal * y / z
 *         |  /                    parallel:     column = center + focal * x
 *         | /                                   row    = center - focal * y
 *        eye ------ right
 *
 * x, y, z are metres along right, up and forward; rows count downwards; pixel (i, j) has its middle at (i +
 * 0.5, j + 0.5). Positions are taken relative to the eye in double precision, so that a scene far from the
 * origin looks like one near it. The light has a view of its own (parallel): what it does not see is in
 * shadow.
 */
#ifndef CT_LOOK_CAMERA_H
#define CT_LOOK_CAMERA_H

#include "look/look.h"
#include "look/vector.h"

typedef struct ct_camera {
    double eye[3]; /* m */
    ct_vec right, up, forward;
    float focal;     /* px (perspective: image size of 1 m at 1 m), px/m (parallel) */
    float center[2]; /* px */
    bool is_parallel;
    int width, height; /* px */
} ct_camera;

/* A sphere as it is seen: a disc. */
typedef struct ct_splat {
    float x, y; /* px, its middle */
    float z;    /* m, depth of its middle */
    float r;    /* px; 0: not to be seen */
} ct_splat;

/* The camera of `look`, for an image of `scale` times its size. `look` must have bounds or a camera. */
ct_camera ct_camera_of_look(const ct_look *look, int dimension, int scale);

/* The light's: over the left shoulder of the camera, wide enough for `bounds`, `size` x `size` texels. */
ct_camera ct_camera_of_light(const ct_camera *camera, const double bounds[2][3], int size);

/* A point in the axes of the view, m. */
ct_vec ct_camera_point(const ct_camera *view, const double position[3]);
/* A direction of the world in the axes of the view. */
ct_vec ct_camera_direction(const ct_camera *view, ct_vec direction);

/* Where a sphere is seen; r is 0 when it is behind the eye, around it, or not finite. */
ct_splat ct_camera_project(const ct_camera *view, const double position[3], float radius);

/* The point, m, that is seen at a place of the image (px) at `depth`. */
static inline ct_vec ct_camera_unproject(const ct_camera *view, float x, float y, float depth)
{
    float scale = (view->is_parallel ? 1 : depth) / view->focal;
    return (ct_vec){(x - view->center[0]) * scale, (view->center[1] - y) * scale, depth};
}

#endif
