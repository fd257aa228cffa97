/* Self-contact: the surface of a body keeps a distance h from itself, by impulses between its vertices and faces and,
 * in 3D, its edges (after Bridson et al. 2002).
 *
 *            v                     gap   of a vertex: its distance from the face, less h;
 *            o                           of two edges: that of their nearest points, less h
 *            |  gap + h            n     along that line, from the face to the vertex
 *     o------+-------o             goal  -gap/dt: they may come as near as h in the step and no nearer; where they are
 *     a    face      b                   nearer, they part by a tenth of what is missing, at 0.1 m/s at most
 *
 * Solids have an outside. A vertex behind a face that looks the other way, by no more than h, is pushed out through
 * it; one that is deeper belongs to the other side of the body. Sheets have none: what is within h is pushed away.
 *
 * h is never more than half of what was between the two at rest, so nothing acts in a body as it was made. Impulses
 * change `next`, after those of other bodies (meet.c) and together with walls and colliders (hold.c): a fold that lies
 * on the floor is carried by it in the same step.
 */
#ifndef CT_BODY_SELF_CONTACT_H
#define CT_BODY_SELF_CONTACT_H

#include "contact/near.h"
#include "contact/stencils.h"

typedef struct ct_bodies ct_bodies;

typedef struct ct_self_contact {
    bool is_made;   /* tables fit the faces */
    uint8_t *owned; /* [faces] bits: corners, 3 + edges opposite to corners, that this face stands for */
    double (*face_normal)[3]; /* [faces] of length 1, outward */
    double (*normal)[3];      /* [rows] mean of the faces around, of any length */
    double *lightness;        /* [rows] 1/kg; 0: pinned */
    uint32_t *found;          /* [pairs + 1] stencils of a pair of faces, then where they begin */
    size_t face_room, row_room, found_room;
    ct_near near; /* faces of a body that can touch */
    ct_contact_stencils stencils;
} ct_self_contact;

void ct_self_contact_release(ct_heap *heap, ct_self_contact *self);

/* Impulses of the step, on `next`. */
ct_status ct_bodies_touch_themselves(ct_bodies *self, double dt, ct_error *error);

#endif
