/* The colliders' part of a step (docs/theory/colliders.md):
 *
 *     find    where they are at the end of the step, and which blocks are near which of them
 *     apply   contact on the nodes inside them, before the walls
 *     hold    particles that went through a surface are put back; what the colliders felt is added up
 *
 * Only blocks near a collider pay. A pair of such a block and collider is a ct_touch; each has its own sums,
 * which are added in the order of the list, so that the number of threads changes no bit.
 */
#ifndef CT_BOUNDARY_COLLIDERS_H
#define CT_BOUNDARY_COLLIDERS_H

#include "boundary/border.h"
#include "core/real.h"

ct_status CT_FN(ct_colliders_find)(ct_border *border, double dt, ct_error *error);
void CT_FN(ct_colliders_apply)(ct_border *border);
void CT_FN(ct_colliders_hold)(ct_border *border, double dt);

#endif
