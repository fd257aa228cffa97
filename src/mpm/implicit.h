/* Backward Euler of the material point method (PHYSICS 7; docs/theory/implicit.md). The velocities v of the
 * nodes at the end of a step h make
 *
 *     R(v) = m (v - v*) + h sum_p V P(F_p) F_n^T g_ip = J,        F_p = (I + h grad v) F_n
 *
 * v* what the particles brought, and gravity; g_ip as the transfers take it; J what walls and colliders give.
 * It is the minimum of the incremental potential
 *
 *     E(v) = 1/2 |v - v*|^2_m + sum_p V psi(F_p) + h/2 sum_p V J_n D : viscosity : D
 *
 * over the velocities that walls and colliders allow. Fluids: J_p = J_n exp(h tr grad v).
 *
 *     particles   implicit_particles.c: energy, gradient, tangents, products of the matrix
 *     holds       implicit_hold.c: what walls and colliders allow, as a projection and an active set
 *     solve       implicit.c: Newton, conjugate gradients, search along the line
 *
 * Plastic flow follows the step: the return mapping acts on the F that the step ends with.
 */
#ifndef CT_MPM_IMPLICIT_H
#define CT_MPM_IMPLICIT_H

#include "boundary/colliders.h"
#include "core/real.h"
#include "mpm/implicit_coarse.h"
#include "transfer/transfer.h"

/* A number a node and axis, and one that stays 0. */
typedef ct_four ct_node_vector;

enum {
    CT_MOST_PRODUCTS = 2000,                   /* of one linear system */
    CT_NODE_BLOCK = CT_DIM * (CT_DIM + 1) / 2, /* of a symmetric matrix */
    CT_TANGENT = CT_MATRIX * CT_DIM * CT_NODE, /* numbers of a particle's tangent, see implicit_particles.c */
    CT_DOUBLE_TILE = (CT_DIM == 3 ? CT_TILE : 1) * CT_TILE * CT_TILE
};

/* What a worker reads from and adds up in, which is zero before and after a block. */
typedef struct ct_implicit_tiles {
    ct_four in[CT_DOUBLE_TILE], out[2 * CT_DOUBLE_TILE];
} ct_implicit_tiles;

/* Viscosity of a fluid: tau = J (twice (D + D^T)/2 + trace tr D I), Pa s. */
typedef struct ct_viscous {
    double twice, trace;
} ct_viscous;

/* A node before walls, or in colliders. */
typedef struct ct_held_walls {
    uint8_t open; /* a bit per wall of the group that lets go */
} ct_held_walls;

typedef struct ct_held_node {
    size_t first; /* of its barriers */
    uint32_t node;
    uint8_t count, axes, open; /* barriers; directions it cannot go in; a bit per barrier that lets go */
    double axis[CT_DIM][3], target[CT_DIM];
} ct_held_node;

/* A node that walls or colliders hold moves by turn[a][c] along a where node of[c], if it went as its parents of
 * the coarse levels say, moves by 1 along c. */
typedef struct ct_follower {
    uint32_t node, of[CT_DIM];
    double turn[CT_DIM][CT_DIM];
} ct_follower;

typedef struct ct_implicit {
    ct_integration choice; /* of the bodies of the cloud */
    bool is_wanted;        /* the step under way, or the last one, is implicit */
    bool is_said[2];       /* that `auto` chose it: explicit, implicit */
    double explicit_dt;    /* s, what explicit integration would ask for */
    bool has_failed;       /* the step under way must be shorter */
    int failures;          /* so often, of the step under way */
    int iterations, products;
    double residual;  /* what the last iteration asked for, over the momentum that the step changes, and what
                       * rounding adds to it */
    double stiffness; /* of the diagonal, kg^(1/2), ... */
    double noise;     /* ... and what rounding makes of it, J^(1/2) */
    double worth;     /* J, twice what an iteration may leave; 0 before the first of a solve */
    ct_status status; /* of the coarse levels' memory */
    ct_error *error;

    ct_transfers *transfers;
    ct_transfer transfer;
    double h;
    size_t nodes, particles;
    ct_node_vector *v, *start, *gradient, *direction, *r, *z, *p, *image; /* one allocation of vectors */
    double *mass;
    double (*block)[CT_NODE_BLOCK]; /* inverses of the diagonal blocks */
    size_t room;                    /* nodes */
    ct_real *tangent;
    size_t tangent_room; /* particles */
    ct_implicit_tiles *tiles;
    ct_viscous *viscous; /* [materials] */
    size_t viscous_room;
    double partial[128 * 2];

    ct_border *border;
    double wall_velocity[CT_SIDES][3];
    ct_held_walls *walls; /* [border->wall_nodes.count] */
    size_t wall_room;
    ct_barrier *barriers;
    size_t barrier_count, barrier_room;
    ct_held_node *held;
    size_t held_count, held_room;

    ct_coarse coarse;
    bool is_coarse_made;        /* for the solve under way */
    uint32_t *number, *follows; /* [nodes] on level 0, CT_NO_NODE; number of the follower + 1, 0 */
    size_t number_room;
    ct_follower *followers;
    size_t follower_count, follower_room;
    uint32_t *by_phase; /* blocks, while the matrix of level 1 is made */
    size_t phase_room;
} ct_implicit;

/* Solves for the velocities of the nodes, which hold v* with gravity. */
ct_status CT_FN(ct_implicit_solve)(ct_implicit *solver, ct_border *border, double dt, ct_error *error);
/* A flow gave nodes the velocities that it moves on with: they stay. */
void CT_FN(ct_implicit_soak)(ct_implicit *solver);
/* After contact with others: it gave impulses to the surface of what is all one, so velocities that it changed are
 * solved for again. Then, where walls and colliders hold a node, the layer gets its velocity without their
 * impulse, so that they give it, and book it, as ever. */
ct_status CT_FN(ct_implicit_settle)(ct_implicit *solver, ct_error *error);
/* And after walls and colliders: where they did no more than to give it, the velocity is what was solved for. */
void CT_FN(ct_implicit_take_back)(ct_implicit *solver);
void CT_FN(ct_implicit_release)(ct_implicit *solver);

/* ---- For implicit.c and tests */

ct_status CT_FN(ct_implicit_begin)(ct_implicit *solver, ct_border *border, double dt, ct_error *error);

/* E without its kinetic part, J; INFINITY where a particle is turned inside out. */
double CT_FN(ct_implicit_energy)(ct_implicit *solver, const ct_node_vector *v);
/* Its gradient, N s. */
void CT_FN(ct_implicit_forces)(ct_implicit *solver, const ct_node_vector *v, ct_node_vector *gradient);
/* The tangents at v, definite, and the blocks of the diagonal with mass, inverted. */
void CT_FN(ct_implicit_linearize)(ct_implicit *solver, const ct_node_vector *v);
/* (m + the tangents) d */
void CT_FN(ct_implicit_product)(ct_implicit *solver, const ct_node_vector *d, ct_node_vector *image);

/* Makes the coarse levels from the tangents, the masses and what is held now; adds to z what they make of r. */
ct_status CT_FN(ct_implicit_coarsen)(ct_implicit *solver, ct_error *error);
void CT_FN(ct_implicit_add_coarse)(ct_implicit *solver, ct_node_vector *z);

ct_status CT_FN(ct_implicit_find_holds)(ct_implicit *solver, ct_error *error);
bool CT_FN(ct_implicit_is_held)(const ct_implicit *solver);
/* Puts velocities where they may be; takes from a direction, or from impulses, what is not allowed. */
void CT_FN(ct_implicit_place)(const ct_implicit *solver, ct_node_vector *v);
void CT_FN(ct_implicit_project)(const ct_implicit *solver, ct_node_vector *d);
void CT_FN(ct_implicit_project_impulse)(const ct_implicit *solver, ct_node_vector *r);
/* Lets go what would have to be pulled and catches what would go beyond: whether any did. */
bool CT_FN(ct_implicit_revise)(ct_implicit *solver, bool may_release);
void CT_FN(ct_implicit_spread_size)(const ct_implicit *solver, const ct_node_vector *v, ct_node_vector *size);
/* All that cannot go as it likes. */
ct_status CT_FN(ct_implicit_list_followers)(ct_implicit *solver, ct_error *error);
/* v - J/m, J what holds, of R as it is in `gradient`. */
void CT_FN(ct_implicit_hand_over)(const ct_implicit *solver, ct_node_vector *v);

#endif
