/* Stiff bodies in a world: which they are, and what they touch. Their iterations are Newton's (newton.h), a
 * body at a time; walls, colliders and other bodies act between them as on all others. A particle that walls
 * or colliders put back would fall through them again in the next iteration, for that knows nothing of them
 * and solves for all of the body at once. So what was put back stays, as an active set:
 *
 *     it sticks   neither away nor along; let go where it would have to be pulled, and where friction bears
 *                 less than mu times the normal impulse it
 *     slides      along only, and friction pushes it by mu times that impulse against its way
 */
#ifndef CT_PERI_STIFF_H
#define CT_PERI_STIFF_H

#include "peri/newton.h"

enum { CT_STIFF_AT = 100 }; /* D from which a body is stiff; below, Chebyshev's iterations will do */

typedef struct ct_stiff_contact {
    int normals; /* that it must not move against, orthogonal to each other: */
    double normal[CT_MOST_AXES][CT_MOST_AXES];
    double friction;              /* INFINITY: it sticks */
    double carried[CT_MOST_AXES]; /* m, what it lies on moves by in this step */
    bool sticks, was_solved;      /* an iteration has found what presses it */
    uint16_t collider;            /* that it touches, from 1 on; 0: a wall */
} ct_stiff_contact;

typedef struct ct_stiff {
    ct_newton newton;
    ct_stiff_contact *contact; /* [count] */
    size_t contact_room;
    size_t touching;  /* how many have one */
    bool is_made;     /* for the bonds as they are */
    bool has_changed; /* its contacts, since the last iteration */
    bool is_done;     /* less than 3% is missing */
} ct_stiff;

void ct_stiff_release(ct_heap *heap, ct_stiff *stiff);

/* The iterations that Chebyshev's solver takes by itself for bodies whose largest D is this: 10 up to 30, then
 * as many as leave the same residual (measured up to 1000, where it is 160). */
int ct_peri_iterations(double bound);

#endif
