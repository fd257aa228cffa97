/* The material point method: particles carry matter, a grid carries its motion for the length of a step.
 *
 *     move.c      G2P: particles follow the grid; the limits of the next step fall out
 *     flight.c    matter that nothing is near moves in a frame of its own
 *     heat.c      conduction; exchange.c: what crosses walls, colliders and the free surface
 *     implicit.c  backward Euler on the nodes, for bodies that ask for it
 *     integration.c   explicit or implicit steps: what bodies ask for, what `auto` takes
 *     split.c     particles that are stretched too far for the grid
 *     read.c      stress, energy and momenta of a particle
 *     meet.c      what other kinds of matter see of it at nodes
 *     immerse.c   what a flow meets of it
 *     method.c    all of it as a list of stages (method.h)
 */
#ifndef CT_MPM_MPM_H
#define CT_MPM_MPM_H

#include "core/real.h"
#include "guest.h"
#include "mpm/implicit.h"
#include "particles/sort.h"
#include "timestep/limits.h"
#include "transfer/transfer.h"

/* The particles of a body as they were made. */
typedef struct ct_whole {
    double volume;              /* m^d, of one */
    double length;              /* m, its root */
    bool splits;                /* where they are stretched */
    bool is_stretched;          /* it has been said */
    ct_integration integration; /* of what shares its grid */
} ct_whole;

typedef struct ct_mpm {
    ct_cloud cloud;
    ct_nodes nodes;
    ct_border border;
    ct_transfers transfers;
    ct_limits limits;
    double ground[3]; /* m, the origin of the grid before it ever flew */
    bool is_flying;   /* the grid moves in the step under way (flight.h) */
    bool has_heat;    /* some material has a heat capacity */
    bool meets;       /* other kinds of matter are there to be met */
    ct_whole *wholes; /* [bodies] */
    size_t whole_room;
    ct_copy *copies; /* [copy_room] particles that are split in the step under way */
    size_t copy_room;
    ct_host host;  /* of meshes whose vertices are particles of this cloud */
    double met;    /* J that contact with other kinds of matter gave the grid in the step under way, */
    double soaked; /* and a flow around it */
    ct_immersed immersed;
    ct_implicit implicit;
} ct_mpm;

/* G2P: moves the particles by a step dt in the grid's velocity, and measures the limits of the next one. */
void CT_FN(ct_mpm_move)(ct_mpm *mpm, double dt);

/* Measures the limits on the particles as they are: for the first step, and after particles were added or
 * changed. */
void CT_FN(ct_mpm_measure)(ct_mpm *mpm);

/* CT_DIVERGED where a particle is pressed together, or turned flat, to less than a billionth of its volume:
 * no elastic law means anything there, and what is divided by J would soon be infinite. Fluids stop at a tenth
 * by themselves (material/fluid.h). Nothing that is merely turned inside out is so flat at an instant that one
 * looks at. */
ct_status CT_FN(ct_mpm_check_volumes)(const ct_mpm *mpm, ct_error *error);

/* What ct_cloud asks of its method. */
extern const ct_reads CT_FN(ct_mpm_reads);

#endif
