/* Heat: a particle carries its temperature T, and the grid conducts (docs/theory/heat.md).
 *
 *     M_i = sum_p w_ip m_p c_p,   T_i = sum_p w_ip m_p c_p T_p / M_i          to the grid
 *     H_i = sum_p w_ip ( -dt V_p k_p (D^-1 r_ip) . (grad T)_p - r_p m_p c_p d_p )
 *     T_p <- T_p + r_p d_p + sum_i w_ip H_i / M_i                             back: only what changed
 *
 * (grad T)_p = D^-1 sum_i w_ip r_ip T_i. Without conduction nothing changes, however far the material flows.
 * d_p = sum_i w_ip T_i - T_p is what the grid does not see of the particle's temperature; it evens out as
 * fast as heat crosses half a cell, r_p = 1 - exp(-pi^2 k dt / (rho c dx^2)). Both give as much as they take:
 * sum_p m_p c_p T_p stays. The undeformed volume and density count.
 *
 * The layer grid.heat has four numbers per node: T_i (before: heat), H_i / M_i (before: heat), the share of the
 * cell that is filled, M_i.
 */
#ifndef CT_MPM_HEAT_H
#define CT_MPM_HEAT_H

#include "transfer/transfer.h"

enum { CT_HEAT_TEMPERATURE, CT_HEAT_CHANGE, CT_HEAT_FILL, CT_HEAT_MASS };

/* Conducts heat for a time dt; leaves the filled shares in the layer `heat`. */
void CT_FN(ct_heat_conduct)(const ct_transfers *transfers, double dt);

/* T_p += change, with what rounding cuts off kept for the next time: a step changes T by less than float has
 * digits for. */
static inline void ct_heat_add(const ct_planes *planes, size_t p, ct_real change)
{
    ct_real before = planes->temperature[p], all = planes->remainder[p] + change;
    planes->temperature[p] = before + all;
    planes->remainder[p] = all - (planes->temperature[p] - before);
}

/* What a particle sees of one number of the nodes in its tile: sum w u, and the gradient D^-1 sum w r u. */
typedef struct ct_heat_reading {
    ct_real value, gradient[CT_DIM];
} ct_heat_reading;

ct_heat_reading CT_FN(ct_heat_read)(const ct_transfer *t, size_t p, const ct_real *tile, int channel);

#endif
