/* Strands as a continuum: what many strands press on each other and how they rub, on a grid (hybrid-mpm-2019,
 * section 5). Beside their own forces vertices feel a stress that is 0 until neighbours come nearer than they
 * ever were apart, and that slides by Coulomb's law (Drucker and Prager), as sand does.
 *
 *     v, C, F, gained           m_i, v_i, f_i              J = m (v' - v)               v at the end
 *       vertices  --P2G (APIC)-->   nodes  --G2P (FLIP/PIC)-->  vertices  --the strands-->  vertices
 *          ^                                                                                   |
 *          +------------------- C, F <- return (1 + dt C) F <--- nodes  <---P2G----------------+
 *
 * A vertex stands for a tube of the radius `grid_radius` along its strand, a quarter of the grid's spacing as a
 * rule: strands are thin, and the grid sees what is half a cell apart. Its stiffness is `grid_young`; as a rule
 * waves cross half a cell in the longest step. J goes the way of all contact (step.c): the strand is solved again
 * under it, so stiff hair passes on what pushes it. F follows the velocities that came of that, not those of
 * the grid before the strands answered; nodes in walls and colliders do not move into them. C is no part of that
 * second P2G: it would be a step late, and a strain that lags behind drives what it should hold.
 *
 * `gained` is the volume that was gained in free flight and is given back before strands press again (Tampubolon
 * et al. 2017), so that hair that was shaken does not come to rest blown up.
 *
 * Sums over vertices are made node by node, cell after cell in the order in which vertices first reach them:
 * the bits depend on the state alone. A world whose materials have no `grid_contact` has no grid here.
 */
#ifndef CT_STRAND_BULK_H
#define CT_STRAND_BULK_H

#include "core/memory.h"

typedef struct ct_bulk_cell {
    int32_t base[3]; /* the first node it reaches */
    uint32_t first;  /* of its vertices in `order` */
    uint32_t node[27];
} ct_bulk_cell;

typedef struct ct_bulk_node {
    int32_t at[3];
    double mass, v[3], kick[3]; /* kg; m/s, before the stress and what it adds */
    uint32_t cell[27];          /* that reach it, by the place they see it at */
} ct_bulk_node;

typedef struct ct_bulk {
    bool is_on;              /* a material asks for it */
    double (*C)[9], (*F)[9]; /* [vertices] 1/s; elastic; at the begin of a step, and then at its end */
    double *gained;          /* [vertices] log of volume */
    double (*stress)[9];     /* [vertices] J, volume times Kirchhoff stress */
    double (*u)[3];          /* [vertices] m/s, before */
    double *friction, *keep, *mu, *lambda, *volume; /* [vertices] of its strand; Pa; m^d, 0: takes no part */
    uint32_t *cell_of, *order;                      /* [vertices] */
    size_t room[12];                                /* of the arrays above */
    ct_bulk_cell *cell;
    ct_bulk_node *node;
    uint32_t *slot; /* [slots] hash of cells, then of nodes */
    size_t cells, cell_room, nodes, node_room, slots, slot_room;
} ct_bulk;

struct ct_rods;

/* Room for all vertices, before they are gathered. */
ct_status ct_bulk_reserve(struct ct_rods *strands, ct_error *error);
void ct_bulk_release(ct_heap *heap, ct_bulk *bulk);

/* The longest step that the stress stands, s; of gathered vertices. */
double ct_bulk_longest(struct ct_rods *strands);
/* Adds the impulses of a step to those of vertices. */
ct_status ct_bulk_push(struct ct_rods *strands, double dt, ct_error *error);
/* C, F and gained at the end of the step, from where strands went. */
void ct_bulk_follow(struct ct_rods *strands, double dt);

/* The return to the cone: F (3 x 3) becomes elastic, tau what it presses with, Pa (test_bulk.c). */
void ct_bulk_return(double mu, double lambda, double slope, double F[9], double *gained, double tau[9]);

#endif
