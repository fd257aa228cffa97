/* The colliders of a scene as surfaces for a picture, where they are at a time. A surface is made once, in
 * the collider's own place at the start, and moved with it; of what has no bounds, such as a plane, it is
 * made anew when it has moved. In 2D the outline is drawn as a band.
 */
#ifndef CT_LOOK_PROPS_H
#define CT_LOOK_PROPS_H

#include "look/look.h"

typedef struct ct_props ct_props;

/* NULL in `*props` where the scene has no colliders. The scene must stay until they are destroyed. */
ct_status ct_props_create(ct_heap *heap, ct_pool *pool, const ct_scene *scene, ct_props **props,
                          ct_error *error);
void ct_props_destroy(ct_props *props); /* NULL is fine */

/* Moves them to `time` and puts them into the look; `bounds` limit what has none. */
ct_status ct_props_show(ct_props *props, double time, const double bounds[2][3], ct_look *look,
                        ct_error *error);

/* Widens the bounds of the look to hold the colliders from `begin` to `end` (s), as far as they have bounds
 * themselves, are not hidden, and do not make everything else small. */
void ct_props_include(ct_props *props, double begin, double end, ct_look *look);

#endif
