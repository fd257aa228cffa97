/* Walls of the domain by reflection (time-step-2020, section 5): the material beyond a wall is the mirror
 * image of that before it. Nodes stand half a cell off each wall, so every node has its mirror node;
 * velocities of the pair are made to agree, masses never change.
 *
 *          |     o     o     o        inside: nodes 1, 2, 3 ...
 *     o    |                          wall between node 0 and node 1
 *
 * Reflections r(v) = A v + 2 b: no-slip A = -I, slip A = I - 2 n n^T, free A = I, with the wall's velocity in
 * b. Where walls of these kinds meet, the 2, 4 or 8 images of a node are averaged at once by mass. A
 * separating wall is not linear; where one is, the walls act one after the other, twice, the floor last.
 * A node and its images meet no other node's, so the list of them, made when the blocks change, is all that a
 * step has to go through.
 */
#ifndef CT_BOUNDARY_WALLS_H
#define CT_BOUNDARY_WALLS_H

#include "boundary/border.h"
#include "core/real.h"

/* Lists the nodes before walls with their images, unless the list is of these particles. */
ct_status CT_FN(ct_walls_find)(ct_border *border, ct_error *error);

void CT_FN(ct_walls_apply)(ct_border *border);

#endif
