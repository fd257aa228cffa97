/* A collider: a shape that moves by a script and that material cannot enter. Colliders are not simulated;
 * what they feel is added up and reported.
 *
 *     shape      a distance field in the collider's own frame (particles/shape.h), negative inside; where it
 *                is costly, as of a mesh, sampled once on a sparse grid (collider_field.h), and asked itself
 *                where samples cannot tell on which side a point is
 *     deform     a mesh with scripted vertices instead, asked itself (deform.h)
 *     motion     x = position + scale R (q - pivot), keyframed or uniform (collider_motion.c)
 *     contact    on the nodes of the grid inside it, before the walls (colliders.c; docs/theory/colliders.md)
 *     sides      particles that would cross its surface in a step are put back (colliders.c)
 *
 * This header has what does not depend on dimension and precision; positions are in m, in double.
 */
#ifndef CT_BOUNDARY_COLLIDER_H
#define CT_BOUNDARY_COLLIDER_H

#include "boundary/deform.h"
#include "core/threads.h"
#include "core/track.h"
#include "particles/shape.h"

struct ct_distance_grid;

/* x = position + scale R (q - pivot); `inverse` is the transpose of R over the scale. */
typedef struct ct_pose {
    double position[3];
    double rotation[9]; /* R, row-major */
    double scale;
} ct_pose;

/* The velocity of the collider's substance at x: velocity + spin x (x - center) + growth (x - center). */
typedef struct ct_rigid_motion {
    double velocity[3]; /* m/s */
    double spin[3];     /* rad/s */
    double growth;      /* 1/s: scale' / scale */
    double center[3];   /* m */
} ct_rigid_motion;

/* What is added up over a run, and part of its state. All doubles, so that a checkpoint stores them as they
 * lie. */
typedef struct ct_collider_totals {
    double impulse[3], angular_impulse[3]; /* received from the material */
    double work, deepest, put_back, leaks;
    /* where the row of colliders.csv under way began */
    double row_time, row_impulse[3], row_angular_impulse[3], row_deepest;
} ct_collider_totals;

enum { CT_COLLIDER_NUMBERS = sizeof(ct_collider_totals) / sizeof(double) };

typedef struct ct_collider {
    const char *name;
    ct_contact contact;
    double friction;
    bool keeps_sides, is_sharp;
    ct_thermal_def thermal;
    bool is_grip; /* of peridynamic particles */
    double color[3];
    int dimension;
    ct_shape *shape;
    struct ct_distance_grid *field; /* NULL: the shape is asked itself */
    ct_deform *deform;              /* NULL: the shape is rigid */
    bool is_bounded;
    double shape_min[3], shape_max[3]; /* its box, in its own frame */
    double pivot[3];                   /* in its own frame */
    ct_motion_def motion;              /* its tracks point into ... */
    double *keyframes;                 /* ... this, which a new script replaces */
    ct_heap *heap;
    bool is_moving;
    /* of the step under way */
    ct_pose before, after;  /* at its beginning and end */
    ct_rigid_motion moving; /* in its middle */
    double box_min[3], box_max[3];
    double force[3], torque[3]; /* mean over the last step */
    ct_collider_totals totals;
} ct_collider;

/* Where it is and how it moves at a time. */
ct_pose ct_collider_pose(const ct_collider *collider, double time);
ct_rigid_motion ct_collider_motion(const ct_collider *collider, double time);
ct_status ct_motion_check(const ct_motion_def *motion, int dimension, const char *name, ct_error *error);

/* Sets the poses, the motion and the box of a step from `time` to `time + dt`. */
void ct_collider_prepare(ct_collider *collider, double time, double dt);

void ct_pose_undo(const ct_pose *pose, const double pivot[3], const double x[3], double q[3]);
void ct_pose_apply(const ct_pose *pose, const double pivot[3], const double q[3], double x[3]);

/* Never farther from 0 than the signed distance in the shape's frame, and on its side of 0: whatever is
 * within it of q is on the same side of the surface. Exact where q is so near that samples cannot tell. */
double ct_collider_local_clearance(const ct_collider *collider, const double q[3]);

/* The same at the end of the step, m. */
double ct_collider_clearance(const ct_collider *collider, const double x[3]);

/* Signed distance in the shape's frame and, unless NULL, its gradient there. Exact where the surface may be
 * nearer than samples tell; read from samples beyond. */
double ct_collider_local_distance(const ct_collider *collider, const double q[3], double gradient[3]);

/* At the end of the step: m, and the outward unit normal; 0 where there is none. Never more than the true
 * distance outside; exact for primitives. `normal` may be NULL. */
double ct_collider_distance(const ct_collider *collider, const double x[3], double normal[3]);

/* The same distance from where the surface was when the step began. */
double ct_collider_distance_before(const ct_collider *collider, const double x[3]);

/* Where its surface takes in the step what is at x before it. */
void ct_collider_carry(const ct_collider *collider, const double x[3], double to[3]);

/* Whether a wall of triangles, however thin, lies between two points at the end of the step. */
bool ct_collider_parts(const ct_collider *collider, const double from[3], const double to[3]);

/* How far its substance goes in the step at most, within a radius of x, m. */
double ct_collider_travel(const ct_collider *collider, const double x[3], double radius);

/* A ball that a collider is not in at the end of the step: what lies in it needs no look at the collider. */
typedef struct ct_clear_ball {
    double center[3], radius;
} ct_clear_ball;

/* Whether the ball of radius `margin` around x lies in it. */
static inline bool ct_is_clear(const ct_clear_ball *ball, const double x[3], double margin)
{
    double room = ball->radius - margin, square = 0;
    for (int a = 0; a < 3; a++) square += (x[a] - ball->center[a]) * (x[a] - ball->center[a]);
    return room > 0 && square < room * room;
}

/* The ball around x that its clearance, m, promises. */
static inline ct_clear_ball ct_clear_ball_at(const double x[3], double clearance)
{
    return (ct_clear_ball){{x[0], x[1], x[2]}, clearance};
}

/* Adds the velocity by which the surface deforms near x. */
void ct_collider_add_rate(const ct_collider *collider, const double x[3], double v[3]);

/* Velocity of its substance at x, m/s, in the middle of the step. */
static inline void ct_collider_velocity(const ct_collider *collider, const double x[3], double v[3])
{
    const ct_rigid_motion *m = &collider->moving;
    double r[3] = {x[0] - m->center[0], x[1] - m->center[1], x[2] - m->center[2]};
    v[0] = m->velocity[0] + m->spin[1] * r[2] - m->spin[2] * r[1] + m->growth * r[0];
    v[1] = m->velocity[1] + m->spin[2] * r[0] - m->spin[0] * r[2] + m->growth * r[1];
    v[2] = m->velocity[2] + m->spin[0] * r[1] - m->spin[1] * r[0] + m->growth * r[2];
    if (collider->deform) ct_collider_add_rate(collider, x, v);
}

/* The contact condition: changes the velocity v at a point of which the outward normal and the collider's own
 * velocity are given. */
void ct_collider_meet(const ct_collider *collider, const double normal[3], const double own[3], double v[3]);

/* `spacing` is that of the world's grid, m. On failure nothing is to be released. */
ct_status ct_collider_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_collider_def *def,
                             double spacing, ct_pool *pool, ct_collider *collider, ct_error *error);
/* On failure the old script stays. */
ct_status ct_collider_set_motion(ct_collider *collider, ct_heap *heap, const ct_motion_def *motion,
                                 ct_error *error);
void ct_collider_release(ct_collider *collider);

/* Its surface at a time; what lies outside the box is left out where the shape has no bounds. */
ct_status ct_collider_make_surface(ct_heap *heap, const ct_collider *collider, double time,
                                   const double min[3], const double max[3], double spacing,
                                   ct_collider_surface *surface, ct_error *error);

#endif
