/* The colliders of an item at a frame, as the page gets them, little endian:
 *
 *     "CTS1"                  4 bytes
 *     length of the header    uint32, a multiple of 4
 *     header                  JSON, padded with blanks: {"surfaces": [{"vertices": n, "elements": m}, ...]}
 *     for each collider       float32 [n x 3] vertices, uint32 [m x dimension] corners
 *
 * A frame's file holds particles only; where the colliders are follows from the scene and the time.
 */
#ifndef CT_VIEW_SURFACES_H
#define CT_VIEW_SURFACES_H

#include "scene/scene.h"

/* Whether a collider is ever elsewhere than at the start. */
bool ct_collider_moves(const ct_collider_def *collider);

/* `world` is one of the scene. A collider that has no surface there is left empty. */
ct_status ct_surfaces_encode(ct_heap *heap, const ct_world *world, int colliders, double time, ct_text *bytes,
                             ct_error *error);

#endif
