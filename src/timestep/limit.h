/* Displacement and deformation: criteria of the step itself, forces, colliders and walls included, so they
 * are known only on the grid (time-step-2020, sections 4.3 and 4.4). No second pass over the particles, as a
 * rule:
 *
 *     speeds    2 dt max |v_i| <= limit dx                  for free, from the check of the grid
 *     screen    dt |v_i - v_j| <= limit dx                  adjacent nodes of one axis (screen.h)
 *     exact     the particles that see a node that fails    reads the grid, changes nothing
 *
 * A particle's displacement is a mean of node velocities, weighted by numbers >= 0 that sum to 1; its
 * velocity gradient is such a mean of differences of adjacent nodes (both force forms, both kernels). So what
 * passes one sieve needs no finer one.
 *
 * Where the particles object, the step is shortened. The velocity v of a node was v_before + dt f / m, walls
 * included, so with the velocity before forces at hand it is patched (Algorithm 1, line 13)
 *
 *     v <- v_before + s (v - v_before)
 *
 * and meets the walls again; without it the transfer is repeated with the smaller dt. That is dear, so what
 * the particles allowed in one step is what the next begins with, less a margin (ct_guess).
 */
#ifndef CT_TIMESTEP_LIMIT_H
#define CT_TIMESTEP_LIMIT_H

#include "core/real.h"
#include "timestep/limits.h"
#include "transfer/transfer.h"

/* The share of dt that displacement and deformation allow, 1 where they do not limit. Below 1 it has set
 * what limits the step. */
double CT_FN(ct_share_of_dt)(ct_limits *limits, const ct_transfers *transfers, double dt);

/* v <- v_before + share (v - v_before) on all nodes. */
void CT_FN(ct_patch_velocity)(const ct_transfers *transfers, double share);

/* After the particles were measured: enters what the criteria ask for into the ledger, with the material and,
 * for the tightest so far, the particle. */
void CT_FN(ct_note_limits)(ct_limits *limits, const ct_transfers *transfers);

#endif
