/* Fields of force: what acts on matter from a distance, of any kind, beside gravity.
 *
 *     acceleration   a(t)                              scripted by keyframes
 *     point          a = A (r0/rho)^n towards c        rho^2 = r^2 + soft^2
 *     vortex         the same, around an axis
 *     turbulence     a = curl noise(x, t)              divergence-free, from a seed
 *     wind           drag of air that moves at w(x, t) = velocity + gusts
 *
 * They act on velocities once a step, after positions and state (step.c), in one place for all kinds
 * (exert.c; rigid bodies: rigid/exert.c), over the step's dt:
 *
 *     m (v' - v)/dt = m a + R (w - v')       R: 3x3, symmetric, not negative
 *
 * linear in v', so that no drag is too large for any step. R of a particle is a number; of a vertex of a surface it is
 * what the faces around it add up to.
 *
 * Kinds of force are a list of functions over batches of points (force.c). Formulas: docs/theory/forces.md.
 */
#ifndef CT_BOUNDARY_FORCE_H
#define CT_BOUNDARY_FORCE_H

#include "core/track.h"
#include "particles/cloud.h"
#include "particles/shape.h"

enum { CT_MOST_FORCES = 1000 };

typedef struct ct_force {
    ct_force_def def; /* its texts and tracks are the arena's */
    ct_shape *shape;  /* NULL: everywhere */
    int dimension;
    bool *acts; /* [bodies_known] on which bodies; of the heap */
    size_t bodies_known, acts_room;
    /* of the step under way */
    double fraction;  /* of the step that it is at work; 0: not at all */
    double value[3];  /* acceleration, or velocity of the wind: mean over that time */
    double center[3]; /* m, at the end */
    double axis[3];   /* of length 1 */
    double time;      /* s, at the end */
} ct_force;

/* Checks the definition and makes it ready. */
ct_status ct_force_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_force_def *def,
                          ct_force *force, ct_error *error);
void ct_force_release(ct_heap *heap, ct_force *force);

/* Makes the table of bodies fit those that there are. */
ct_status ct_force_reserve(ct_heap *heap, const ct_common *common, ct_force *force, ct_error *error);

/* A step from `begin` to `end` is over. */
void ct_force_begin(ct_force *force, double begin, double end);

/* A batch of points, and what the forces ask of them. */
enum { CT_PULLS = 64 };
typedef struct ct_pulls {
    size_t count;
    double x[CT_PULLS][3], v[CT_PULLS][3]; /* m, m/s */
    double density[CT_PULLS];              /* kg/m^3, of the matter itself */
    uint16_t body[CT_PULLS];
    bool is_on_face[CT_PULLS]; /* there wind presses on faces instead of grains */
    double dt;                 /* s */
    double push[CT_PULLS][3];  /* m/s^2, of what does not depend on v' */
    double rate[CT_PULLS];     /* 1/s: - rate v' */
} ct_pulls;

/* Fills push and rate. */
void ct_forces_pull(const ct_force *forces, size_t count, ct_pulls *pulls);

/* ---- Wind on surfaces ---------------------------------------------------------------------------------- */

/* R and R w of a vertex: xx, xy, xz, yy, yz, zz. */
typedef struct ct_drag {
    double R[6];    /* kg/s */
    double push[3]; /* N */
} ct_drag;

/* Vertices by place, and faces between them. */
typedef struct ct_face_set {
    int dimension;
    size_t count;          /* vertices */
    const double (*x)[3];  /* [count] m */
    const double (*v)[3];  /* [count] m/s */
    const double *volume;  /* [count] m^d, for the thickness of lines */
    double *length;        /* [count] m, scratch */
    const uint16_t *body;  /* [count] */
    const ct_body *bodies; /* of the world: closed surfaces are those of rank `dimension` */
    const ct_links *links;
    bool *is_on_face; /* [count] written */
    ct_drag *drag;    /* [count] written */
} ct_face_set;

bool ct_forces_press(const ct_force *forces, size_t count); /* whether any presses on faces in this step */
void ct_forces_press_faces(const ct_force *forces, size_t count, const ct_face_set *faces);

/* One flat face, of area A and normal n (of length 1), at x with velocity v, of a body: adds to R and push.
 * `is_closed`: the other side is inside, so only wind against n presses. */
void ct_forces_press_face(const ct_force *forces, size_t count, uint16_t body, const double x[3],
                          const double v[3], const double n[3], double area, bool is_closed, ct_drag *drag);

/* v' of m (v' - v) = dt (m push + drag->push) - dt (m rate + R) v'; `drag` may be NULL. */
void ct_drag_solve(const ct_drag *drag, double mass, double dt, const double push[3], double rate,
                   double v[3]);

/* ---- Noise --------------------------------------------------------------------------------------------- */

/* A velocity field without divergence, of mean 0 and rms `amplitude` over all directions; in 2D in the plane. */
typedef struct ct_noise {
    double amplitude, size, lifetime; /* any unit; m; s, 0: it does not change */
    int octaves;
    uint64_t seed;
    int dimension;
} ct_noise;

void ct_noise_at(const ct_noise *noise, const double x[3], double time, double value[3]);

#endif
