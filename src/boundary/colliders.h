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

/* A node in a collider, for those who solve for velocities: all of its colliders, node after node. */
typedef struct ct_barrier {
    uint32_t node; /* its number in a layer */
    int contact;   /* enum ct_contact; sticky ones hold it whatever the normal */
    double normal[3], velocity[3];
} ct_barrier;

/* Those of nodes with mass, of colliders that were found, sharp ones left out. */
ct_status CT_FN(ct_colliders_list)(ct_border *border, ct_barrier **list, size_t *room, size_t *count,
                                   ct_error *error);

#endif
