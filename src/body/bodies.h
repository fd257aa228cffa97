/* Bodies of elements: solids as meshes of linear triangles (2D) and tetrahedra (3D), total Lagrangian.
 *
 *         x_3                An element has rest edges D_m = [X_1-X_0, ...] and edges D_s now, and so
 *        / | \
 *     x_0  |  x_2                F = D_s D_m^-1,   V_0 = |det D_m| / d!
 *        \ | /
 *         x_1                    [f_1 ... f_d] = -V_0 P(F) D_m^-T,   f_0 = -(f_1 + ... + f_d)
 *
 * P is that of the materials of the material point method, worked out in principal space:
 * F = U diag(sigma) V^T with det U = det V = 1, P = U diag(psi_a) V^T. An element that is inside out has a
 * negative sigma_d and is pushed back; models that know no such sigma are continued (elements.h).
 *
 * The vertices are the particles of a cloud, so that frames, checkpoints, hashes and views have them as all
 * matter. The cloud is sorted as any other, and its rounding is that of the world. What a step computes with
 * are *rows*: vertices in the order of their ids, in metres and double, which never change places.
 *
 *     cloud --gather--> rows x, v --> forces, implicit solve, contact, walls, colliders --> next --> cloud
 *
 *     bodies.c     rows, elements, who is whose neighbour: all that follows from the cloud and its links
 *     elements.c   the kernels, elements in lanes; per dimension, precision and instruction set
 *     implicit.c   backward Euler
 *     hold.c       walls, colliders, pinned vertices
 *     fabric.c     shells and springs: stencils of few corners, for all variants
 *     follow.c     pinned vertices that follow an animated surface
 *     meet.c       samples on the surface that other kinds and other bodies touch
 *     self_contact.c  the surface on itself
 *     immerse.c    points inside that a flow meets
 *     seed.c       from shapes to meshes and their vertices
 *     models.c     the list of materials
 *     method.c     the entry in the list of methods
 *
 * Every vertex adds the forces of its elements in the order of their numbers, and sums over bodies are
 * ordered: the number of threads changes no bit.
 *
 * Irving et al. 2004, Stomakhin et al. 2012 (inversion); Sifakis and Barbic 2012 (derivation). PHYSICS:
 * docs/theory/elements.md.
 */
#ifndef CT_BODY_BODIES_H
#define CT_BODY_BODIES_H

#include "body/self_contact.h"
#include "contact/contact.h"
#include "particles/attach.h"
#include "timestep/limits.h"

enum {
    CT_ELEMENT_BATCH = 64, /* elements per batch of the kernels, all of one body */
    CT_ROW_GRAIN = 2048,   /* rows per piece of a loop */
    CT_FIRST_GROUP = 16,   /* of contact: that of a body is its number more */
    CT_LINEARIZED = 30     /* reals per element of a linearisation: U, V, psi_ab, A and B of each pair */
};

#define CT_NO_ROW UINT32_MAX /* of a place in a host's cloud */

/* What the material of a body makes of its mesh: one of the list in models.c. */
typedef enum ct_elements_kind {
    CT_ELEMENTS_OF_SOLIDS,
    CT_ELEMENTS_OF_SHELLS,
    CT_ELEMENTS_OF_SPRINGS
} ct_elements_kind;

/* What the elements of a body have in common: its definition, and where it is in the tables. */
typedef struct ct_mesh_body {
    bool is_own; /* a body of this method */
    ct_elements_def def;
    ct_elements_kind kind;
    const struct ct_element_kernels *kernels;
    struct ct_fabric *fabric; /* stencils of shells and springs (fabric.h) */
    struct ct_follow *follow; /* what pinned vertices follow (follow.h); NULL: nothing */
    double thickness;         /* m, of sheets */
    bool is_sheet;
    bool is_kinematic; /* all of its vertices are pinned: it feels nothing */
    size_t first_row, rows, first_element, elements;
    size_t first_id;                  /* of its vertices, which follow each other */
    size_t first_place;               /* of its first row in the order of the cloud's ids, as links count */
    size_t first_cell, cells;         /* in the cloud's links: tetrahedra */
    size_t first_triangle, triangles; /* triangles: of a surface, a sheet, in 2D of the mesh */
    size_t rest;                      /* where its rest positions begin in cloud.kept, [rows x 3], m */
    size_t plastic;                   /* and there its plastic state, [elements x per_element] */
    size_t per_element;               /* numbers; 0: it does not yield */
    size_t attached;                  /* and where its vertices are attached to what they follow */
    size_t kept;                      /* numbers of it there in all */
    size_t first_face, faces;
    size_t first_sample, samples;
    double edge;    /* m, cube (square) root of the mean volume per element */
    double fastest; /* 1/s, bound of the largest angular frequency, and a row that has it */
    size_t fastest_row;
} ct_mesh_body;

/* A run of elements of one body. */
typedef struct ct_element_batch {
    uint32_t body;
    uint32_t count;
    size_t first;
} ct_element_batch;

/* Samples of surfaces: sample q lies on a face, at fixed weights of its corners. */
typedef struct ct_surface_samples {
    size_t count, room;
    uint32_t (*corner)[3]; /* rows; 2D: two and a copy */
    double (*weight)[3];
    double *mass; /* kg, so that corners get their masses back */
    double (*position)[3], (*velocity)[3], (*normal)[3], (*impulse)[3];
    double *shown_mass; /* INFINITY where all corners are pinned */
} ct_surface_samples;

/* A row in the implicit solver: its part of the preconditioner, and what holds it. */
typedef enum ct_row_state { CT_ROW_FREE, CT_ROW_SLIDES, CT_ROW_STICKS, CT_ROW_PINNED } ct_row_state;
typedef struct ct_solver_row {
    double block[9];    /* M + h K at this row, inverted */
    double normal[3];   /* of the surface that it touches */
    double rub[3];      /* N s, of friction where it slides */
    double velocity[3]; /* m/s, of the surface */
    double friction;
    int collider;
    ct_row_state state;
} ct_solver_row;

/* Points inside elements, which a flow meets (immerse.c), made when one asks for them. */
typedef struct ct_inner_points {
    bool is_made;
    size_t count, room;
    uint32_t (*corner)[4]; /* rows */
    double (*weight)[4];
    double *mass, *volume; /* kg, m^d */
    ct_immersed shown;
} ct_inner_points;

typedef struct ct_bodies {
    ct_common *common;
    ct_cloud *cloud; /* its vertices are in: `own`, or that of the method that is its host */
    ct_cloud own;
    bool has_host; /* forces and boundaries go through the grid of another method (guest.c) */
    ct_border border;
    ct_limits limits;
    bool meets;          /* other kinds of matter are there to be met */
    bool is_stale;       /* tables do not fit the bodies that there are */
    bool is_settled;     /* `read` fits the state */
    uint64_t generation; /* of the particles that `order` is of */

    ct_mesh_body *body; /* [body_end] by number: those of other methods are not its own */
    size_t body_end, body_room;

    size_t rows, row_room;    /* in the following: */
    uint32_t *order;          /* place in the cloud */
    uint16_t *body_of;        /* number of the body */
    uint16_t *hold;           /* as the field `hold` */
    double *mass;             /* kg */
    double (*x)[3], (*v)[3];  /* m, m/s: where the step begins; z is 0 in 2D */
    double (*next)[3];        /* m/s: velocity that the step ends with */
    double (*force)[3];       /* N, of the elements, at x */
    uint32_t *first_incident; /* [rows + 1] */
    uint32_t *rank;           /* [places] row of a place in the cloud; CT_NO_ROW: it is not of a mesh */
    size_t rank_room;
    double (*read)[19]; /* F, stress, energy density for reading: means over elements by volume */
    size_t solver_room; /* rows: */
    ct_solver_row *solver;
    double (*trial)[3], (*direction)[3], (*image)[3], (*remainder)[3]; /* vectors of the solver */

    size_t elements, element_room;
    uint32_t *corner;   /* [elements x (d + 1)] rows */
    uint32_t *incident; /* [elements x (d + 1)] element x (d + 1) + corner, by row */
    void *inverse;      /* [d^2 x stride] ct_real: D_m^-1 */
    void *volume;       /* [stride] ct_real: V_0 */
    double *frequency;  /* [elements] (d + 1) lambda_max(G G^T) / rho, m/kg: omega^2 per modulus */
    void *push;         /* [elements x d^2] ct_real: f_1 ... f_d, N */
    void *linear;       /* [elements x CT_LINEARIZED] ct_real */
    size_t linear_room;
    size_t stride;

    ct_element_batch *batch;
    size_t batches, batch_room;

    uint32_t (*face)[3]; /* [faces] rows of surfaces; 2D: two */
    size_t faces, face_room;
    ct_surface_samples samples;
    ct_inner_points inner;
    ct_self_contact self_contact;

    double *felt; /* [colliders x 7] impulse, angular impulse and work of the step */
    size_t felt_room;
    double *partial; /* [CT_PIECES x 4] sums of pieces */
    int iterations;  /* of the last step: Newton's, */
    int products;    /* and those of conjugate gradients */
    double residual; /* what Newton left of the momentum balance, in parts of what it began with */
} ct_bodies;

/* Whether a body is one of these. */
static inline bool ct_bodies_own(const ct_bodies *self, size_t body)
{
    return body < self->body_end && self->body[body].is_own;
}

/* The material of a body's elements: that of vertices in a host's cloud is another. */
static inline const ct_material *ct_bodies_material(const ct_bodies *self, size_t body)
{
    const ct_material *all = self->common->materials, *own = &all[self->common->bodies[body].material];
    return own->mesh_of ? &all[own->mesh_of - 1] : own;
}

/* How many particles of a host's cloud are whose: tables are stale where bodies came or went. */
void ct_bodies_count(ct_bodies *self);

/* Rebuilds tables and order where they do not fit: memory may be short. */
ct_status ct_bodies_fit(ct_bodies *self, ct_error *error);
void ct_bodies_release(ct_bodies *self);

/* Reserves and appends the rest positions of new rows and the plastic state of new elements to what the cloud
 * keeps. */
ct_status ct_bodies_reserve_kept(ct_bodies *self, size_t more, ct_error *error);

/* The seeds of a body, from the mesh of its shape (seed.c). */
ct_status ct_bodies_seed(ct_bodies *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                         double gradient[9], ct_error *error);

/* ---- Materials (models.c) ----------------------------------------------------------------------------- */

const ct_material_info *ct_elements_material_at(int index); /* NULL past the end */
int ct_elements_model(int index);                           /* of solids: its number in the list of all */
ct_elements_kind ct_elements_kind_of(int index);
bool ct_elements_is_continued(int index); /* the model has no meaning at sigma <= 0 */
ct_status ct_elements_check(const ct_world_def *def, ct_error *error);

/* ---- Boundaries (hold.c): change `next` --------------------------------------------------------------- */

ct_status ct_bodies_begin_holds(ct_bodies *self, double dt, ct_error *error);
void ct_bodies_hold(ct_bodies *self, double dt);
/* Walls and colliders for the free rows that `only` names by not being 0; returns whether any touched them. */
bool ct_bodies_stop(ct_bodies *self, const uint64_t *only, double dt);
/* What colliders felt in the step becomes part of their state. */
void ct_bodies_pass_forces(ct_bodies *self, double dt);

/* A surface that a vertex touches at the end of the step. */
typedef struct ct_touched {
    double normal[3];   /* towards the material */
    double velocity[3]; /* m/s, of the surface */
    double approach;    /* m/s that the vertex must get along the normal, relative to its velocity */
    double friction;    /* INFINITY: sticks */
    int collider;       /* -1: a wall */
} ct_touched;

/* Where a vertex with velocity v would be beyond: one surface after the other from *state = 0 on. */
bool ct_bodies_touch(const ct_bodies *self, size_t row, const double v[3], double dt, int *state,
                     ct_touched *touched);
/* Books an impulse on a row (N s) on the collider. */
void ct_bodies_feel(ct_bodies *self, size_t row, int collider, const double impulse[3], double dt);
/* The velocity that a pinned row has in the step; false: it is free. */
bool ct_bodies_pinned(const ct_bodies *self, size_t row, double dt, double velocity[3]);

/* ---- Contact (meet.c) --------------------------------------------------------------------------------- */

ct_status ct_bodies_show(ct_bodies *self, ct_contacts *contacts, double dt, ct_error *error);
void ct_bodies_take(ct_bodies *self); /* impulses to `next` */
ct_status ct_bodies_make_samples(ct_bodies *self, ct_error *error);
/* Of a face: outward, of length 1. */
void ct_bodies_face_normal(const ct_bodies *self, const uint32_t corner[3], double n[3]);

/* ---- In a flow (immerse.c) ---------------------------------------------------------------------------- */

ct_status ct_bodies_immerse(ct_bodies *self, ct_immersed **immersed, ct_error *error);

/* ---- Backward Euler (implicit.c) ---------------------------------------------------------------------- */

/* What `product` and `diagonal` are to know. */
typedef enum ct_linearization {
    CT_LINEAR_NOT,     /* nothing */
    CT_LINEAR_EXACT,   /* K = -df/dx */
    CT_LINEAR_DEFINITE /* K without its negative part, element by element */
} ct_linearization;

/* What there is to know about a kind of elements: solids (elements.h, per variant), shells and springs
 * (fabric.h). Positions and vectors are of all rows. */
typedef struct ct_element_kernels {
    /* What follows from the rest state, after the tables were rebuilt. */
    ct_status (*rest)(ct_bodies *self, ct_mesh_body *body, ct_error *error);
    /* Explicit steps: forces at x into `force`, with stiffness damping; `fastest`. */
    void (*push)(ct_bodies *self, ct_mesh_body *body);
    /* f into out[rows of the body]. */
    void (*forces)(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3],
                   ct_linearization linearization, double (*out)[3]);
    /* K u of the last linearisation. */
    void (*product)(ct_bodies *self, const ct_mesh_body *body, const double (*u)[3], double (*out)[3]);
    /* The diagonal blocks of K, [rows of the body x 9]. */
    void (*diagonal)(ct_bodies *self, const ct_mesh_body *body, double (*block)[9]);
    double (*energy)(ct_bodies *self, const ct_mesh_body *body, const double (*x)[3]); /* J */
    void (*read)(ct_bodies *self, const ct_mesh_body *body); /* F, stress, energy density into `read` */
} ct_element_kernels;

/* Memory of the solver and of linearisations. */
ct_status ct_bodies_reserve_solver(ct_bodies *self, ct_error *error);
ct_status ct_bodies_solve(ct_bodies *self, const ct_mesh_body *body, double dt, ct_error *error);

#endif
