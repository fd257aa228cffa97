/* Sharp colliders: contact that holds at the surface itself, not at the nodes inside.
 *
 * A node inside a collider that simply takes its velocity puts the surface where the last such node is, up to
 * a cell too deep, and what material feels beside it is smeared over a kernel's width: an error of first
 * order in the spacing. A sharp collider gives its nodes what continues the motion outside through the
 * collider's own velocity at the surface, linearly:
 *
 *        free node  o    o    o           probe: a cell outside, between nodes that are free
 *     probe       - - - x - - - -   phi'
 *        in between o    o    o    o      near: sticky ones within half a cell are continued to as well, or
 *     ------------------------------ 0    they would be loose, having next to no matter around them
 *        inside     o    o    o    o phi
 *
 *     v = V(x) + (phi / phi') (v' - V(x'))          V: velocity of the collider's substance
 *
 * of all components where it is sticky, of the normal one where material slides. What sticky nodes carry
 * acts in turn on those that they follow, with the same factors: so the surface is where the motion relative
 * to the collider vanishes for forces as well, as with the mirrored nodes of walls (walls.c), which are the
 * case of a flat surface midway between nodes. What the nodes' momenta change by, the collider has received.
 *
 * It wants matter outside only: what is embedded in the collider is deformed by the continued motion.
 */
#ifndef CT_BOUNDARY_SHARP_H
#define CT_BOUNDARY_SHARP_H

#include "boundary/border.h"
#include "core/real.h"

/* Room for the velocities to be, after ct_colliders_find has listed the touches. */
ct_status CT_FN(ct_sharp_reserve)(ct_border *border, ct_error *error);
/* Gives the nodes their velocities. */
void CT_FN(ct_sharp_apply)(ct_border *border);

#endif
