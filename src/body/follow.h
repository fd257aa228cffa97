/* Pinned vertices that follow an animated surface (animation.h): those of a kinematic body, of the bones in a
 * soft one, of cloth on a character.
 * A vertex is attached (particles/attach.h) to the surface where that is when its body is made.
 *
 * In a step it moves straight to where it will be: its velocity is (x(t + dt) - x)/dt.
 */
#ifndef CT_BODY_FOLLOW_H
#define CT_BODY_FOLLOW_H

#include "body/bodies.h"
#include "particles/animation.h"
#include "particles/attach.h"

typedef struct ct_follow {
    ct_heap *heap;
    ct_animation animation;
    double (*end)[3]; /* m, vertices of the surface when the step ends */
} ct_follow;

ct_status ct_follow_create(ct_heap *heap, const ct_follow_def *def, const char *body, ct_follow **follow,
                           ct_error *error);
void ct_follow_release(ct_follow *follow); /* NULL is fine */

/* Sets where the surface is. */
void ct_follow_play(ct_follow *follow, double time);
/* Triangle, b_1, b_2 and o of a vertex at x; and where it is as the surface is now. */
void ct_follow_attach(const ct_follow *follow, const double x[3], double attachment[CT_ATTACHMENT]);
void ct_follow_place(const ct_follow *follow, const double attachment[CT_ATTACHMENT], double x[3]);

#endif
