/* Heat that crosses the boundary of the material (docs/theory/heat.md): to walls and colliders that are kept
 * at a temperature, and to the air.
 *
 * Particles less than a cell away from a wall touch it: each stands for the area V_p / dx of it, and heat has
 * half a cell of material and the surface's own resistance R to cross:
 *
 *     m_p c_p dT_p/dt = V_p / dx (T_wall - T_p) / (R + dx / (2 k))
 *
 * The area of a free surface is where the filled share f of the cells falls: 2 |grad f| V_p a particle,
 * without what falls towards walls and colliders. There convection and radiation take the place of 1/R:
 *
 *     h = heat_transfer + emissivity sigma (T^2 + T_air^2) (T + T_air)
 *
 * Each particle relaxes exactly, so no time step is too long.
 */
#ifndef CT_MPM_EXCHANGE_H
#define CT_MPM_EXCHANGE_H

#include "core/real.h"
#include "transfer/transfer.h"

/* After ct_heat_conduct, from which it takes the filled shares. */
void CT_FN(ct_heat_exchange)(const ct_transfers *transfers, double dt);

#endif
