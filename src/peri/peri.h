/* Projective peridynamics (projective-peridynamics-2017): a meshless solver of its own.
 *
 * A particle i knows its neighbours j within the horizon. A bond ij has a reference vector X_ij and, now, the
 * vector Y_ij = y_j - y_i. From its bonds a particle reads its deformation F_i, and every bond is pulled
 * towards its reference length, along its own direction (lambda) and along the one that F_i gives it (mu):
 *
 *     m_i (u_i - u*_i) = h^2 sum_j [ a_ij Y_ij - p_ij ]
 *     a_ij = V_i V_j w/L^2 (e_i + e_j)
 *     p_ij = V_i V_j w/L (c_i dir(F_i X) + c_j dir(F_j X) + (d_i + d_j) dir(Y))
 *
 * with the displacement u of this step, u* = h v + h^2 g, L = |X_ij|, w = 1 - (L/r)^2, W_i = sum_j V_j w and
 * e = (2 mu + lambda)/W, c = 2 mu/W, d = lambda/W. Everything in a bond is the same seen from i and from j
 * but for its sign, so nothing that particles do to each other changes their common momentum.
 *
 * A step (step.c) alternates the local part, F and the directions, and the global part, a linear system whose
 * matrix knows no directions:
 *
 *     predict -> (neighbours) -> [ local, global, contact ] x iterations -> velocity
 *
 * The state is the world's particles, as for MPM: positions in blocks, velocities, and the fields `rest`,
 * `hold` and `fall`. What a step needs beside it lives in ct_peri and follows from the state:
 *
 *     gather.c      state -> quads: x y z V of a particle side by side, metres from a block; and back
 *     neighbours.c  quads -> ct_bonds, one row of neighbours per particle, by a grid of cells
 *     weigh.c       bonds -> W, K^-1, the bound of the matrix
 *     turns.c       bonds -> which particles may be worked on at the same time
 *     local.c       quads -> forces of the bonds; between steps frames: F beside rest position, place and 1/W
 *     sweep.c       forces -> residual, next iterate (Jacobi, Chebyshev, positions)
 *     direct.c      the same by sparse Cholesky; cholesky.c talks to CHOLMOD
 *     energy.c      what bonds store: for statistics and the line search
 *     contact.c     walls
 *     change.c      materials that become others
 *     collide.c     colliders and grips
 *     touch.c       bodies that meet; faces.c: the triangles of sheets that they meet
 *     samples.c     what others may touch of the surfaces, between the steps
 *     modulus.c     how stiff a lattice of bonds is
 *     medium*.c     what flows: grains and fluids, whose neighbours change (medium.h)
 *     models.c      the list of materials and their constants
 *
 * Rows and quads are read in lanes, a particle each, neighbours in turn. Sums are over a particle's own row,
 * in the row's order, or over pieces of fixed size added in order: the number of threads changes no bit.
 */
#ifndef CT_PERI_PERI_H
#define CT_PERI_PERI_H

#include "peri/medium.h"
#include "peri/stiff.h"
#include "timestep/limits.h"

#define CT_LEAST_HORIZON 1.01 /* spacings: the next particle of a lattice is within it */

enum {
    CT_QUAD = 4,         /* numbers of a quad */
    CT_PERI_GRAIN = 256, /* particles a piece of a loop, and a partial sum */
    CT_ROW_PADDING = 16, /* rows are as many as packs of every instruction set need, and as long */
    CT_TRIPLE = 12,      /* numbers of three quads */
    CT_TURNS = 64        /* of pieces */
};

/* Cells of the neighbour search; kept for the next one. */
typedef struct ct_cells {
    size_t particles, buckets; /* room */
    uint32_t *bucket;          /* [particles] of each particle */
    uint32_t *first;           /* [buckets + 1] */
    uint32_t *order;           /* [particles] places, cell by cell */
    void *position;            /* [particles x 4] in that order */
    size_t pack_room;
    uint32_t *pack; /* [threads x CT_ROW_PADDING x stride] rows of a pack */
} ct_cells;

/* Faces of sheets (faces.c): triangles, in 2D the stretches of lines. */
typedef struct ct_face_met {
    uint32_t face, by; /* the one that a particle meets, CT_NO_FACE: none; the corner it was found by */
    double push;       /* kg m, the impulse between them in this step, times its length */
} ct_face_met;
#define CT_NO_FACE UINT32_MAX

typedef struct ct_faces {
    size_t count, room; /* room in the next three, corners */
    uint32_t *corner;   /* [count x dimension] places */
    bool *is_rim;       /* [count x dimension] opposite this corner the sheet ends */
    uint32_t *of;       /* the faces of a particle p from first[p] to first[p + 1] */
    size_t particles;   /* room in the rest */
    uint32_t *first;    /* [particles + 1] */
    void *normal[2];    /* [particles x quad] where the step begins, and now */
    ct_face_met *met;   /* [particles] */
} ct_faces;

/* Contact samples (samples.c): the particles at surfaces. */
typedef struct ct_surface {
    size_t count, room;                           /* in these: */
    double (*position)[3], (*velocity)[3], *mass; /* m, m/s, kg; INFINITY: nothing moves it */
    double (*normal)[3];
    double (*impulse)[3]; /* N s, that others gave it */
    uint32_t *row;        /* for users: in the order of ids; within a step: the place of the particle */
    uint16_t *body;
    uint64_t generation;      /* how often they were asked for, */
    uint64_t step, particles; /* and of which step and generation of particles the last are */
} ct_surface;

/* Pieces of particles that have no neighbour in common take the same turn. In the last, where there are too
 * few turns for such, they have, and follow each other. */
typedef struct ct_turns {
    size_t grain; /* particles a piece */
    size_t first[CT_TURNS + 1];
    size_t room;
    uint32_t *piece; /* [pieces] turn by turn */
} ct_turns;

/* What a collider felt of this method in a step. */
typedef struct ct_felt {
    double force[3], torque[3]; /* N, N m about its pivot */
} ct_felt;

/* What the particles of a body have in common. */
typedef struct ct_peri_body {
    double stiffness;      /* bound of (A_ii / m_i - 1) / h^2, 1/s^2, of the material as it is described */
    double caution;        /* what the share of a Jacobi step is multiplied by, see weigh.c */
    double factor;         /* of the stiffness in this step, */
    double two_mu, lambda; /* Pa, with it */
    double mass, borne;    /* kg, of what is free; that what it touches has borne in the last step, */
    double claimed;        /* and that its particles say so, see gather.c */
    bool is_held;          /* some of its particles are */
    bool is_stiff;         /* in this step: Newton's iterations */
    double gain, kinetic;  /* J, what the last step would have added at the most, and its motion then; */
    double slowing;        /* what its velocities are multiplied by so that it has not, see energy.c */
} ct_peri_body;

typedef struct ct_peri {
    ct_common *common;
    ct_cloud cloud;
    ct_border border;
    ct_limits limits;
    double spacing;    /* m, of the lattice that bodies are sampled on, as it was asked for */
    size_t own_bodies; /* of this method */
    double longest;    /* s, that a step may be where nothing moves */
    bool meets;        /* other kinds of matter are there to be met */
    void *solving;     /* ct_solving of the step under way (numbers.h) */
    double horizon;    /* m */
    double *slab; /* [slabs] m, thickness of the slab that bends as a body does, sqrt(12 I / A); 0: it has
                             an inside, or twist */
    size_t slabs, slab_room;
    double stiffening[4]; /* by the rank of a neighbourhood, 0 of rods with ghosts: 1 / ct_peri_modulus */
    bool has_solids;      /* some body has bonds that stay: */
    bool has_soft,
        has_stiff; /* some that Chebyshev's iterations move in this step, some that need Newton's */
    double softest, stiffest; /* the largest D of the former, and of all */
    ct_stiff *stiff;          /* [bodies] */
    size_t stiff_room;
    uint32_t *stiff_number; /* [particles] within the body */
    bool must_find;         /* bonds do not fit the particles as they lie */
    ct_peri_body *body;     /* [bodies] */
    size_t bodies;          /* room */
    ct_bonds bonds;         /* elastic, in the reference configuration */
    ct_turns turns;         /* of the pieces along them */
    ct_bonds near;   /* particles of other bodies, found at every step; only where there are several bodies */
    void *near_push; /* [rows x stride of near] kg m: impulses of pairs in this step, times its length */
    size_t near_room;
    ct_faces faces;
    ct_surface surface; /* for users, between the steps */
    void *marks;        /* [particles x quad] of the surface, within a step */
    size_t mark_room;
    ct_surface meeting;   /* for other methods, within one (meet.c) */
    ct_immersed immersed; /* for a flow (immerse.c) */
    ct_felt *felt;        /* [colliders] */
    size_t felt_room;
    ct_medium medium;
    ct_cells cells;
    size_t particles;  /* room in all of these, quads of ct_real: */
    void *rest;        /* reference position */
    void *start;       /* y at the beginning of the step; mass, negative where held */
    void *place[2];    /* y^k and y^(k+1); volume. Before the iterations the second has y of the start */
    void *move[2];     /* displacement u^k and u^(k-1) */
    void *goal;        /* u*; number of the body */
    void *inverse;     /* [x 3 quads] K^-1, rows */
    void *force;       /* of the bonds, N */
    void *frame;       /* [x CT_FRAME_NUMBERS] F, X, y, s: a particle between the steps (numbers.h) */
    uint16_t *touched; /* by which collider a particle was moved in the last iteration, from 1 on; 0: none */
    bool *is_put_back; /* by walls or colliders in the last iteration */
    int *number;       /* of its unknown in the direct solver */
    double *sides;     /* [x CT_DIM] right sides and solution of that */
    double *partial;   /* [pieces x 2] sums over pieces */
    double *workers;   /* [(threads + 1) x 2 x bodies] */
    size_t worker_room;
    char *kept; /* [threads x stride] bonds of a pack as local.c reads them */
    size_t kept_room;
    struct ct_factor *factor;
    double factor_dt; /* s, that it was made for */
    bool is_settled;  /* bonds and frames fit the state as it is */
    double residual; /* rms displacement that another iteration would ask for, in spacings, without what walls
                        and colliders would take of it */
    double left, inertia, weight; /* of the sweep: squares of what its equations lack, and of forces */
    double imbalance; /* what the equations of the last step lack, over the forces that move its particles */
    int iterations;   /* of the last step */
} ct_peri;

/* Whether the definition's section of peridynamics makes sense, and this build can do it. */
ct_status ct_peri_check(const ct_world_def *def, ct_error *error);

/* The share of bending by a body's thickness; below 0: as the material has it. */
double ct_peri_share_of(const ct_peri *peri, size_t body, const struct ct_material *material);
/* Remembers what a body is made of, and refuses what is too thick to bend as it should. */
ct_status ct_peri_note_section(ct_peri *peri, const ct_body_def *def, size_t body, ct_error *error);
void ct_peri_release(ct_peri *peri);
ct_status ct_surface_reserve(ct_heap *heap, ct_surface *to, size_t count, ct_error *error); /* surface.c */
void ct_peri_forget_factor(ct_peri *peri);
void ct_peri_forget_bonds(ct_peri *peri); /* particles came, went or changed: they are found anew */

ct_status ct_peri_take_turns(ct_heap *heap, const ct_bonds *bonds, size_t count, ct_turns *turns,
                             ct_error *error); /* turns.c */

/* ---- Materials (models.c) ----------------------------------------------------------------------------- */

/* The models, in the order of their list. */
typedef enum ct_peri_model {
    CT_PERI_ELASTIC,
    CT_PERI_GRANULAR,
    CT_PERI_PLASTIC,
    CT_PERI_VISCOUS
} ct_peri_model;

/* Where a material's constants are among its coefficients: of solids, scaled so that 2 mu +
 * lambda is Young's modulus, or of what flows. */
enum { CT_PERI_MU, CT_PERI_LAMBDA, CT_PERI_BY_SECTION /* lines and sheets bend by their thickness */ };
enum {
    CT_PERI_BULK,      /* Pa, of the density */
    CT_PERI_FRICTION,  /* Pa, modulus 2 mu + lambda of grains that touch, at rest density */
    CT_PERI_HARDENING, /* and the exponent of its growth */
    CT_PERI_WATER,     /* Pa, modulus of what binds them: water, or the fluid's own elasticity */
    CT_PERI_FALLOFF,   /* the exponent of its fall below rest density */
    CT_PERI_LETS_GO,   /* density over that at rest below which it is gone */
    CT_PERI_SLOPE,     /* |dev stress| over pressure that friction bears */
    CT_PERI_TENSION,   /* Pa, that cohesion bears */
    CT_PERI_YIELD,     /* Pa, |dev stress| that is borne without pressure, beside cohesion's */
    CT_PERI_STAYS,     /* share of static friction */
    CT_PERI_SHEAR,     /* shear modulus over 2 mu + lambda */
    CT_PERI_REFERENCE, /* Pa, 2 mu + lambda that slip within a step is measured with */
    CT_PERI_SLIP,      /* strain at which a bond slips without pressure, */
    CT_PERI_SLIP_RISE, /* 1/Pa, and how it grows with it */
    CT_PERI_DASHPOT,   /* Pa s, the same of viscosity */
    CT_PERI_DELTA,     /* of redistribution */
    CT_PERI_TURNS      /* and its iterations */
};

const ct_material_info *ct_peri_material_at(int index);          /* NULL past the end */
const ct_material_info *ct_peri_material_find(const char *name); /* NULL: none */
ct_status ct_peri_prepare_material(int model, int dimension, double mu, double lambda,
                                   const double *parameters, double *coefficients, ct_error *error);

/* ---- How stiff bonds are (modulus.c) ------------------------------------------------------------------ */

/* Young's modulus over 2 mu + lambda of the bonds, for a lattice of that many dimensions stretched along an
 * axis, or with 0 of a line with ghosts; the horizon in spacings. */
double ct_peri_modulus(int rank, double horizon);
/* The share 2 mu of 2 mu + lambda that makes a line (rank 1) or a sheet bend as a slab of this thickness, in
 * spacings. */
double ct_peri_bending_share(int rank, double horizon, double thickness, double poisson);
/* What the constants of a solid are multiplied by so that 2 mu + lambda is its Young's modulus. */
double ct_peri_bond_scale(int dimension, double mu, double lambda);

#endif
