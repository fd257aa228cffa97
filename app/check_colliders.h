/* What `continua check` finds about the colliders of a scene before the first step. */
#ifndef CT_APP_CHECK_COLLIDERS_H
#define CT_APP_CHECK_COLLIDERS_H

#include "scene/scene.h"
#include "world.h"

typedef struct ct_collider_warnings {
    char thin_name[64],
        thin_reason[16]; /* a wall that does not hold; "": none. Reasons: "sides", "sharp", "shape" */
    double thin;         /* and how thick it is, in cells */
    char pivot_name[64]; /* a mesh that moves about a point outside of it; "": none */
    double pivot_away;   /* and how far from its box that is, m */
} ct_collider_warnings;

ct_status ct_check_colliders(const ct_scene *scene, ct_world *world, ct_collider_warnings *warnings,
                             ct_error *error);
void ct_print_collider_warnings(const ct_collider_warnings *warnings);

#endif
