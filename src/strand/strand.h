/* Strands: hair, threads and rods as discrete elastic rods (rod.h), stepped implicitly.
 *
 * A step of one strand is a minimum over its own unknowns (backward Euler),
 *
 *     sum_i m_i |x_i - y_i|^2 / (2 dt^2) + E(x, theta),     y = x^n + dt v^n + dt^2 g
 *
 * found by Newton's method with a banded matrix (band.h) and a line search. The angle theta has no inertia:
 * it is where nothing twists it (quasi-static). So hair of 3.9 GPa steps at milliseconds, where an explicit
 * step would stand 2 to 6 microseconds.
 *
 *     particles of the cloud  --chains.c-->  vertices, strand after strand  --solve.c-->  x at the end
 *              ^                                    |        ^                              |
 *              |                                    v        |                              |
 *              |                              obstacles.c: walls and colliders              |
 *              +------------------------------- method.c: back <----------------------------+
 *
 * What touches a wall or a collider is a constraint within the minimum: its plane holds the vertex, friction
 * sticks it to the surface or slides against it with what Coulomb allows; planes, sticking and sliding are
 * found anew a few times per step.
 *
 * The state is in the cloud: places, velocities, and the field `frame` of each vertex, of the edge after it:
 * its director, the twist of the vertex, the length of the edge at rest, the curvature at rest, and what contact
 * pressed the vertex with. Lines
 * between particles (particles/links.h) say which vertices make a strand. All else follows from these.
 *
 * Strands do not share unknowns, so each is worked on by one thread and no sum is over several: the number of
 * threads changes no bit. All is computed in double; method.c alone knows dimension and precision.
 *
 * Held vertices: the edge between two of them is a clamp that ends at the last one, so a rod whose first two
 * vertices are held is a cantilever that begins at the second.
 */
#ifndef CT_STRAND_STRAND_H
#define CT_STRAND_STRAND_H

#include "boundary/immersed.h"
#include "contact/contact.h"
#include "particles/attach.h"
#include "particles/seed.h"
#include "strand/bulk.h"
#include "strand/cross.h"
#include "strand/rod.h"
#include "timestep/limits.h"

/* Numbers of the field `frame`. */
enum {
    CT_FRAME_DIRECTOR = 0, /* m1 */
    CT_FRAME_TWIST = 3,    /* rad */
    CT_FRAME_LENGTH = 4,   /* m, at rest */
    CT_FRAME_CURVE = 5,    /* kb1, kb2 */
    CT_FRAME_LOAD = 7,     /* N, of contact in the last step */
    CT_FRAME_COUNT = 10,
    CT_FRAME_ROOT = 10, /* of worlds with roots (roots.c) */
    CT_FRAME_ROOTED = 20
};

/* A root: where it is attached (particles/attach.h), its director in the triangle's axes, and 1 where it is one. */
enum { CT_ROOT_DIRECTOR = CT_ATTACHMENT, CT_ROOT_IS = CT_ATTACHMENT + 3, CT_ROOT };

/* Where a material's constants are among its coefficients. */
enum {
    CT_STRAND_YOUNG,
    CT_STRAND_SHEAR,
    CT_STRAND_ASPECT,
    CT_STRAND_EA,
    CT_STRAND_EI,
    CT_STRAND_GJ,
    CT_STRAND_THICKNESS,
    CT_STRAND_COLLIDES,
    CT_STRAND_REST_CURVATURE,
    CT_STRAND_GRID, /* of bulk.h */
    CT_STRAND_GRID_YOUNG,
    CT_STRAND_GRID_FRICTION,
    CT_STRAND_GRID_RADIUS,
    CT_STRAND_GRID_KEEP
};

const ct_material_info *ct_strand_material_at(int index); /* NULL past the end */
ct_status ct_strand_prepare_material(int model, double mu, double lambda, const double *parameters,
                                     double *coefficients, ct_error *error);
ct_status ct_strand_check(const ct_world_def *def, ct_error *error);
ct_status ct_strand_check_body(const ct_body_def *def, ct_error *error);
struct ct_vertex_stress;
ct_status ct_strand_vertex_stress(const ct_world_def *def, const ct_body_def *body,
                                  const double *coefficients, struct ct_vertex_stress *stress,
                                  ct_error *error);

/* What a strand of a material is made of, for a section of this area (in 2D: thickness), m^2. */
void ct_strand_section(const ct_material *material, int dimension, double area, ct_rod *rod);

/* ---- Obstacles ---------------------------------------------------------------------------------------- */

/* A wall, or a collider in a step. */
typedef struct ct_obstacle {
    const ct_collider *collider; /* NULL: a wall */
    int side;                    /* of the wall */
    double place, carried[3];    /* m, where the wall is; what its surface moves along in the step */
    double friction;             /* INFINITY: sticks */
} ct_obstacle;

enum { CT_TOUCHES = 3 }; /* that a vertex can have at once */

typedef enum ct_grip { CT_GRIP_FREE, CT_GRIP_STICKS, CT_GRIP_SLIDES } ct_grip;

/* A vertex at an obstacle: n.x >= offset. */
typedef struct ct_strand_touch {
    int obstacle; /* from 1 on; 0: none */
    ct_grip grip;
    double normal[3], offset, gap; /* gap: m, that the vertex keeps */
    double anchor[3];              /* m, where sticking holds it */
    double slide[3];               /* N, friction while it slides */
} ct_strand_touch;

typedef struct ct_obstacles {
    int dimension;
    size_t count;
    const ct_obstacle *list;
} ct_obstacles;

/* Finds touches of a vertex that is at x and began the step at `start`, and how those that there are change,
 * with the stiffness that holds them (N/m). True where something did. */
bool ct_obstacles_touch(const ct_obstacles *all, double radius, double stiffness, double tolerance,
                        const double start[3], const double x[3], ct_strand_touch touch[CT_TOUCHES]);

/* Takes off a velocity at x what goes into obstacles there. */
void ct_obstacles_stop(const ct_obstacles *all, double dt, const double x[3], double v[3]);

/* The force of one, N. */
void ct_touch_force(const ct_strand_touch *touch, double stiffness, const double x[3], double force[3]);

/* ---- One strand in a step ----------------------------------------------------------------------------- */

typedef struct ct_strand_problem {
    ct_rod rod;
    int dimension;
    double dt, radius, tolerance; /* s; m; m, that the last iteration may move a vertex */
    int iterations;               /* at the most, per round of touches */
    ct_rod_state start;           /* where the step begins */
    const double *mass;           /* [n + 1] kg */
    const double (*guess)[3];     /* [n + 1] m, displacement to begin with; of held vertices: theirs */
    const double (*goal)[3];      /* [n + 1] m, displacement without elastic forces */
    const bool *is_held;          /* [n + 1] */
    const double (*turned)[3];    /* [n] director at the end of edges between held vertices */
    const ct_obstacles *obstacles;
    ct_strand_touch (*touch)[CT_TOUCHES]; /* [n + 1] */
    ct_rod_state end;                     /* written */
} ct_strand_problem;

typedef struct ct_strand_solved {
    int iterations;
    double residual;  /* m, the last displacement of a vertex */
    double stiffness; /* N/m, of touches */
    bool is_finite;
} ct_strand_solved;

/* Doubles of scratch memory that a strand of so many edges needs. */
size_t ct_strand_scratch(size_t edges);
ct_strand_solved ct_strand_solve(const ct_strand_problem *problem, double *scratch);

/* ---- All strands of a world --------------------------------------------------------------------------- */

typedef struct ct_strand {
    uint32_t first, edges; /* vertices first to first + edges */
    double area, radius;   /* m^2, in 2D m; m, that it keeps from the middle of what touches it */
    uint16_t material, body;
    bool has_moved; /* where it is held, since it was solved (roots.c) */
} ct_strand;

/* What others meet (meet.c). */
typedef struct ct_strand_samples {
    size_t count, room;
    uint32_t *vertex;                                    /* [count] the sample is on the edge after it, */
    double *along;                                       /* [count] and so far along it, 0 to 1 */
    double *mass;                                        /* [count] kg; INFINITY: pinned */
    double (*position)[3], (*velocity)[3], (*normal)[3]; /* [count] m, m/s, tangents in 3D */
    double (*impulse)[3];                                /* [count] N s, written by contact */
} ct_strand_samples;

typedef struct ct_rods {
    ct_common *common;
    ct_cloud cloud;
    ct_cloud *at; /* that vertices are in: its own, or that of a host (guest.c) */
    ct_border border;
    ct_limits limits;
    double spacing, longest; /* m, between vertices; s, that a step may be where nothing moves */
    bool must_find, is_settled;

    size_t count, room; /* strands */
    ct_strand *strand;  /* [count] */
    size_t vertices, vertex_room;
    uint32_t *place; /* [vertices] of the particle */
    double (*x)[3], (*director)[3], *twist, (*end)[3], (*end_director)[3], *end_twist;
    double (*v)[3], *mass, *volume, *length, *span, (*curve)[2];
    double (*guess)[3], (*goal)[3], (*turned)[3];
    double (*load)[3];                          /* [vertices] N, of contact in the last step */
    double (*impulse)[3];                       /* [vertices] N s, of contact in this one */
    double (*given)[3];                         /* [vertices] N s, of it by other kinds */
    double (*shown)[3];                         /* [vertices] m/s, before contact (meet.c) */
    double *touch_stiffness, *energy, *tension; /* N/m; J; N, between the steps */
    double (*tangent)[3];
    uint16_t *hold;
    bool *is_held;
    ct_strand_touch (*touch)[CT_TOUCHES];
    ct_obstacle *obstacle;
    size_t obstacle_count, obstacle_room;
    double *scratch; /* [threads x scratch_stride] */
    size_t scratch_room, scratch_stride;
    bool *is_own; /* [body_room] bodies, of a guest; NULL: all of the cloud */
    size_t body_room;
    uint32_t *rank; /* [rank_room] vertex of a place in the host's cloud, of a guest */
    size_t rank_room;
    uint32_t *next; /* [vertices] for finding chains: the vertex after it, */
    bool *is_after; /* [vertices] and whether it is after another */
    ct_strand_samples samples;
    ct_immersed immersed; /* for a flow (immerse.c) */
    ct_crossings crossings;
    ct_bulk bulk;
    bool has_roots;
    double (*root)[CT_ROOT]; /* [vertices] where there are roots */
    size_t root_room;
    ct_obstacles obstacles;
    double dt;
    int iterations;  /* of the last step, the most of any strand, */
    double residual; /* and the largest residual, in spacings */
} ct_rods;

/* Strands from the lines of the cloud (chains.c): sets strand, place and room for all vertices. */
ct_status ct_rods_find(ct_rods *strands, ct_error *error);
void ct_rods_release(ct_rods *strands);
void ct_rods_release_arrays(ct_rods *strands); /* what it owns, and not itself */

static inline bool ct_rods_own(const ct_rods *strands, size_t body)
{
    return strands->at == &strands->cloud || (body < strands->body_room && strands->is_own[body]);
}

/* That of the strands of a particle: vertices in the grid of a host have another. */
static inline const ct_material *ct_rods_material(const ct_rods *strands, size_t material)
{
    const ct_material *all = strands->common->materials;
    return all[material].mesh_of ? &all[all[material].mesh_of - 1] : &all[material];
}

/* The rod of a strand, with spans that end clamps where held vertices end. */
double ct_strand_radius(const ct_rods *strands, const ct_strand *strand); /* m; in 2D half the thickness */
ct_rod ct_strand_rod(const ct_rods *strands, const ct_strand *strand);

/* A step of dt of what was gathered: x, director and twist to their ends (step.c). */
void ct_rods_feel_force(ct_collider *collider, const double force[3], const double x[3], const double move[3],
                        double dt); /* N, that holds what is at x */
ct_status ct_rods_list_obstacles(ct_rods *strands, double dt, ct_error *error);
ct_status ct_rods_solve(ct_rods *strands, double dt, ct_error *error);
void ct_rods_show_velocities(ct_rods *strands, double dt);            /* as contact finds them */
ct_status ct_rods_push(ct_rods *strands, double dt, ct_error *error); /* the solve again, under impulses */
void ct_rods_feel(ct_rods *strands, double dt);                       /* what colliders felt */
void ct_rods_store(ct_rods *strands); /* energy and stress of the gathered state */

/* Samples on the edges, with the velocities that the solve found, and their impulses as those of vertices. */
ct_status ct_rods_show(ct_rods *strands, ct_contacts *contact, ct_error *error);
void ct_rods_take(ct_rods *strands);
void ct_rods_release_samples(ct_rods *strands);
ct_status ct_rods_reserve_samples(ct_rods *strands,
                                  ct_error *error);             /* for all strands; there are none yet */
void ct_rods_sample(ct_rods *strands, const ct_strand *strand); /* appends those of one */

/* What a flow meets (immerse.c). */
ct_status ct_rods_immerse(ct_rods *strands, double dt, ct_immersed **immersed, ct_error *error);

/* Roots in the surface of another body (roots.c). Finds it by its name; attaches seeds of a new body (places, directors,
 * m); room for vertices; and takes roots to where the surface ends the step, as far as its method knows. */
ct_status ct_rods_find_carrier(ct_rods *strands, const ct_body_def *def, int body, ct_error *error);
ct_status ct_rods_attach(ct_rods *strands, int body, const ct_seeds *seeds, const double (*x)[3],
                         const double (*director)[3], double (*root)[CT_ROOT], ct_error *error);
ct_status ct_rods_reserve_roots(ct_rods *strands, ct_error *error);
ct_status ct_rods_follow_roots(ct_rods *strands, double dt, ct_error *error);
static inline bool ct_rods_is_rooted(const ct_rods *strands, size_t vertex)
{
    return strands->has_roots && strands->root[vertex][CT_ROOT_IS] > 0 &&
           !(strands->hold[vertex] >> CT_HOLD_GRIP_SHIFT);
}

/* Adds the impulses between strands to those of vertices, and takes strands to their ends under them; and what
 * passed through in spite of them (cross.c). */
ct_status ct_rods_cross(ct_rods *strands, double dt, ct_error *error);
void ct_rods_count_missed(ct_rods *strands);

#endif
