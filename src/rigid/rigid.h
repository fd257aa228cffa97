/* Rigid bodies: matter that moves and turns but never deforms.
 *
 * A body is its centre of mass X, its orientation R (a quaternion), its velocity V and its angular momentum
 * L; what it looks like is fixed in its own frame, which is that of the scene with the origin at X:
 *
 *          feature: core + tip            vertices of the surface: drawn, written to frames,
 *               o--.                      and contact samples for other kinds of matter
 *               |   o                .--o--.
 *          -----+----------         o   X   o     x = X + R y
 *             the other's            '--o--'
 *           distance field
 *
 *     moments.c   volume, centre of mass and inertia of a shape
 *     surface.c   its vertices, triangles and features
 *     samples.c   points on it that other kinds meet
 *     motion.c    free motion: implicit midpoint, which keeps energy and L to round-off
 *     touch.c     features in the distance fields of others, walls and colliders: contacts
 *     solve.c     sequential impulses, and shifts that push overlaps apart
 *     joints.c    hinges, ball joints, sliders; motors, springs and stops
 *     meet.c      what other kinds of matter meet of them
 *     exert.c     wind and other forces
 *     bodies.c    the list of bodies; its state as a row of numbers
 *     method.c    the method's table; the only file that is compiled for each dimension and precision
 *
 * Vertices of the surface are the particles of a cloud: frames, pictures, views, reads and checkpoints need
 * to know nothing new. They follow the bodies after every step and are never read back. The price is memory
 * for numbers that follow from 13 others; sums are taken from the bodies, not from them.
 *
 * Everything is in double and in 3D. In 2D bodies turn about z and the third components stay 0.
 * Theory: docs/theory/rigid.md.
 */
#ifndef CT_RIGID_RIGID_H
#define CT_RIGID_RIGID_H

#include "boundary/border.h"
#include "boundary/collider_field.h"
#include "boundary/exertion.h"
#include "contact/book.h"
#include "contact/contact.h"
#include "material/info.h"
#include "particles/shape.h"

/* A shape's volume, centre and second moments about it, of density 1. */
typedef struct ct_moments {
    double volume;    /* m^d */
    double center[3]; /* m */
    double second[9]; /* m^(d+2), sum of (x - center)(x - center)^T, row-major */
} ct_moments;

/* Exact for boxes, balls, cylinders, capsules, tori and meshes; else by subdivision, to about 1e-4. */
ct_moments ct_shape_moments(const ct_shape *shape);

/* What may touch others: the point core + tip, or, where radius > 0, the ball around core. Distances are
 * asked for at `core`, which lies a little inside, so that a corner that is deep in another body still finds
 * the face it came through. */
typedef struct ct_rigid_feature {
    double core[3], tip[3]; /* m, in the body's frame; tip from core */
    double radius;          /* m */
    double cone; /* cosine: how far the faces around it look away from `tip`; 1: it lies in a flat face */
} ct_rigid_feature;

/* The surface in the body's frame. */
typedef struct ct_rigid_surface {
    size_t count;                             /* vertices */
    double (*position)[3];                    /* [count] m */
    double (*normal)[3];                      /* [count] outward, of length 1, or 0 */
    double *area;                             /* [count] m^(d-1) */
    ct_links links;                           /* triangles, or lines in 2D */
    size_t sample_count;                      /* what other kinds meet: middles of parts of the elements, */
    double (*sample)[3], (*sample_normal)[3]; /* [sample_count] m; outward, of length 1 */
    double *sample_area;                      /* [sample_count] m^(d-1) */
    size_t feature_count;
    ct_rigid_feature *features;
    bool is_ball; /* its one feature says all about its shape */
} ct_rigid_surface;

ct_status ct_rigid_surface_create(ct_heap *heap, const ct_shape *shape, const ct_distance_grid *field,
                                  const double center[3], double spacing, ct_rigid_surface *surface,
                                  ct_error *error);
/* samples.c: fills in the samples of a surface that has vertices, normals and links. */
ct_status ct_rigid_sample(ct_heap *heap, int dimension, double spacing, ct_rigid_surface *surface,
                          ct_error *error);
void ct_rigid_surface_release(ct_heap *heap, ct_rigid_surface *surface);

/* What changes, and is saved. */
typedef struct ct_rigid_state {
    double position[3];    /* m, X */
    double orientation[4]; /* unit quaternion w, x, y, z */
    double velocity[3];    /* m/s, V */
    double spin[3];        /* kg m^2/s, angular momentum L about X */
    double first_id;       /* of its particles */
} ct_rigid_state;
enum { CT_RIGID_NUMBERS = sizeof(ct_rigid_state) / sizeof(double) };

typedef struct ct_rigid_body {
    int body, material; /* numbers of the world */
    bool is_pinned;     /* as heavy as a wall */
    double mass, inverse_mass;
    double inertia[9], inverse_inertia[9]; /* kg m^2, in the body's frame; 0 where it does not turn */
    double anchor[3];                      /* m, the centre of mass in the frame of the shape */
    double radius;                         /* m, around the centre */
    double size;                           /* m, the shortest edge of its box */
    ct_shape *shape;
    ct_distance_grid *field; /* NULL: the shape is asked itself */
    ct_rigid_surface surface;
    ct_rigid_state state;
    /* of the step under way */
    double rotation[9];          /* R, row-major, where the step begins */
    double turn[9];              /* world inverse inertia, 1/(kg m^2) */
    double velocity[3], spin[3]; /* m/s, rad/s: being solved for */
    double momentum[3];          /* L that goes with `spin` */
    double shift[3], twist[3];   /* m/s, rad/s: pushes overlaps apart in this step, and is no motion */
} ct_rigid_body;

/* Whom a body touches: another one, or below 0 a wall or a collider. */
enum { CT_RIGID_WALL = -1, CT_RIGID_COLLIDER = CT_RIGID_WALL - CT_SIDES };

typedef struct ct_rigid_contact {
    int a, b; /* a's feature touches b; a wall is CT_RIGID_WALL - side, a collider CT_RIGID_COLLIDER - k */
    uint32_t feature; /* of a */
    double normal[3]; /* out of b */
    double arm[2][3]; /* m, from the centres to the point */
    double own[3];    /* m/s, of a wall or collider */
    double gap;       /* m, negative: overlap */
    double friction, restitution;
    double approach;                  /* m/s, before the solve */
    double normal_mass, tangent_mass; /* kg */
    double push, rub[3];              /* N s on a: state, for the next step begins with them */
    double struck[3];                 /* N s on a, of impacts with restitution: they come before */
    double shift;                     /* kg m/s, as push */
} ct_rigid_contact;

/* A joint: up to five rows that must not move, and one that may be driven, sprung or stopped (joints.c). */
enum { CT_JOINT_ROWS = 5, CT_JOINT_NUMBERS = CT_JOINT_ROWS + 3 };
typedef struct ct_rigid_joint {
    const char *name;
    ct_joint_def def;
    int a, b;                         /* bodies; b below 0: the world */
    double anchor[2][3];              /* m, in the bodies' frames, or the world's */
    double frame[3][3];               /* the axis and two at right angles, in that of b */
    double rest[4];                   /* orientation of a seen from b, quaternion */
    double impulse[CT_JOINT_NUMBERS]; /* N s, N m s: rows, then spring, motor, stop: state */
    /* of the step under way */
    double now[CT_JOINT_NUMBERS]; /* as impulse */
    int rows;
    double linear[CT_JOINT_ROWS + 1][3], angular[CT_JOINT_ROWS + 1][3]; /* directions; last the free one */
    double arm[2][3];                                                   /* m, to the common point */
    double off[CT_JOINT_ROWS + 1];                                      /* m, rad: how far rows are out */
    double solve[CT_JOINT_ROWS][CT_JOINT_ROWS]; /* Cholesky's factor of the rows' mass */
    double free_mass;                           /* of the free one */
    double shifted[3];                          /* kg m/s, as of contacts */
    double given[6];                            /* N s, N m s at the point, on a */
} ct_rigid_joint;

typedef struct ct_rigids {
    ct_common *common;
    ct_boundary *boundary;
    ct_rigid_body *bodies;
    size_t count, room;
    ct_rigid_contact *contacts, *last; /* of this step, and of the one before; by (pair, feature) */
    size_t contact_count, contact_room, last_count, last_room;
    ct_rigid_contact *candidates;
    size_t candidate_room;
    ct_contact_law law;
    ct_contact_pair_law pairs[CT_MOST_CONTACT_PAIRS];
    ct_rigid_joint *joints;
    size_t joint_count, joint_room;
    double dt;      /* s, of the step under way */
    double *packed; /* bodies, then contacts */
    size_t packed_room;
    /* What others meet: the samples of all bodies, one after the other, and the bodies themselves. */
    double (*shown)[3]; /* [4 x samples] positions, velocities, normals, impulses */
    double *weights;    /* [samples] kg */
    size_t shown_room, weight_room;
    ct_contact_body *partners; /* [bodies] */
    ct_contact_shape *shapes;  /* [bodies] */
    size_t partner_room, shape_room;
    ct_hull *hulls; /* [bodies] for what flows around them */
    size_t hull_room;
} ct_rigids;

/* bodies.c */
ct_status ct_rigid_add(ct_rigids *rigids, const ct_body_def *def, int body, double spacing, ct_error *error);
void ct_rigid_forget(ct_rigids *rigids); /* the last one */
void ct_rigids_release(ct_rigids *rigids);
ct_rigid_body *ct_rigid_find(const ct_rigids *rigids, int body);
double ct_rigid_distance(const ct_rigid_body *body, const double x[3], double normal[3]);
void ct_rigid_vertex(const ct_rigid_body *body, size_t k, double x[3], double v[3]);
void ct_rigid_add_sums(const ct_rigid_body *body, const ct_common *common, ct_world_sums *sums);
double ct_rigid_speed(const ct_rigid_body *body); /* m/s, no vertex is faster */
ct_status ct_rigids_pack(ct_rigids *rigids, const double **numbers, size_t *count, ct_error *error);
/* Whether the row is whole, and room for it; then it can be unpacked. */
ct_status ct_rigids_check_packed(ct_rigids *rigids, const double *numbers, size_t count, ct_error *error);
void ct_rigids_unpack(ct_rigids *rigids, const double *numbers, size_t count);

/* motion.c */
void ct_rigid_orient(ct_rigid_body *body); /* rotation and inverse inertia of its orientation */
void ct_rigid_begin(ct_rigid_body *body);  /* velocities of the state */
void ct_rigid_push(ct_rigid_body *body, const double arm[3], const double impulse[3], double sign);
void ct_rigid_move(ct_rigid_body *body, double dt);

/* touch.c, solve.c */
ct_status ct_rigids_touch(ct_rigids *rigids, ct_error *error);
void ct_rigids_solve(ct_rigids *rigids); /* all of the three: */
void ct_rigids_warm(ct_rigids *rigids);  /* impacts, and the impulses of the step before */
void ct_rigids_sweep(ct_rigids *rigids); /* until nothing changes; again after others have pushed */
void ct_rigids_part(ct_rigids *rigids);  /* overlaps */

/* joints.c */
ct_status ct_rigid_join(ct_rigids *rigids, const ct_joint_def *def, int body, int to, ct_error *error);
bool ct_rigid_joint_info(const ct_rigids *rigids, size_t index, ct_joint_info *info);
bool ct_rigids_are_joined(const ct_rigids *rigids, size_t a, size_t b);
void ct_rigids_warm_joints(ct_rigids *rigids);    /* directions, masses, last step's impulses */
double ct_rigids_sweep_joints(ct_rigids *rigids); /* returns the largest change, m/s */
void ct_rigids_part_joints(ct_rigids *rigids);    /* shifts, as of overlaps */
void ct_rigids_settle_joints(ct_rigids *rigids);  /* angular momentum that they would change */
void ct_rigids_keep_joints(ct_rigids *rigids);    /* the step is done */
ct_status ct_rigids_report_joints(ct_rigids *rigids, ct_book *book, ct_error *error);

/* solve.c, for accounts */
void ct_rigid_shift_moment(const ct_rigids *rigids, const ct_rigid_body *A, const ct_rigid_body *B,
                           const double shift[3], double moment[3]);

/* meet.c */
ct_status ct_rigids_list_hulls(ct_rigids *rigids, ct_error *error);
ct_status ct_rigids_show(ct_rigids *rigids, ct_contacts *contact, int group, ct_error *error);
/* What bodies, walls and colliders give each other in the step. */
ct_status ct_rigids_report(ct_rigids *rigids, ct_book *book, ct_error *error);
void ct_rigids_end(ct_rigids *rigids); /* moves all; what colliders felt; contacts become the last ones */

/* exert.c */
void ct_rigids_exert(ct_rigids *rigids, ct_exertion *exertion, const char *method);

/* models.c */
const ct_material_info *ct_rigid_material_at(int index);
ct_status ct_rigid_check(const ct_world_def *def, ct_error *error);

static inline double ct_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void ct_cross3(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void ct_multiply3(const double m[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

/* m^T v */
static inline void ct_multiply3_back(const double m[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

#endif
