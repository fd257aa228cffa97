/* The material point method: particles carry matter, a grid carries its motion for the length of a step.
 *
 *     move.c      G2P: particles follow the grid; the limits of the next step fall out
 *     heat.c      conduction; exchange.c: what crosses walls, colliders and the free surface
 *     read.c      stress, energy and momenta of a particle
 *     meet.c      what other kinds of matter see of it at nodes
 *     method.c    all of it as a list of stages (method.h)
 */
#ifndef CT_MPM_MPM_H
#define CT_MPM_MPM_H

#include "core/real.h"
#include "timestep/limits.h"
#include "transfer/transfer.h"

typedef struct ct_mpm {
    ct_cloud cloud;
    ct_nodes nodes;
    ct_border border;
    ct_transfers transfers;
    ct_limits limits;
    bool has_heat; /* some material has a heat capacity */
    bool meets;    /* other kinds of matter are there to be met */
    double met;    /* J that contact with other kinds of matter gave the grid in the step under way */
} ct_mpm;

/* G2P: moves the particles by a step dt in the grid's velocity, and measures the limits of the next one. */
void CT_FN(ct_mpm_move)(ct_mpm *mpm, double dt);

/* Measures the limits on the particles as they are: for the first step, and after particles were added or
 * changed. */
void CT_FN(ct_mpm_measure)(ct_mpm *mpm);

/* What ct_cloud asks of its method. */
extern const ct_reads CT_FN(ct_mpm_reads);

#endif
