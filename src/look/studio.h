/* The light of a traced picture, in formulae: a photographer's studio.
 *
 *     key       a round lamp far away, over the left shoulder of the camera; its size makes shadows soft
 *     dome      light from everywhere above, brighter towards the top, with a large soft box opposite the key
 *     backdrop  what the camera sees where there is nothing, also through clear things
 *     ground    a matte floor that fades into the backdrop with the distance
 *
 * Lengths are in units of the size of what is shown (look/trace_parts.h).
 */
#ifndef CT_LOOK_STUDIO_H
#define CT_LOOK_STUDIO_H

#include "look/vector.h"

#include <stdbool.h>

typedef struct ct_studio {
    ct_vec to_key; /* unit */
    float key_cosine;
    ct_vec key; /* irradiance of a surface that faces it */
    ct_vec zenith, horizon, below;
    ct_vec to_box;
    ct_vec box;
    ct_vec backdrop[2]; /* at the horizon and above */
    bool has_ground;
    float ground; /* its height */
    ct_vec ground_color;
} ct_studio;

ct_studio ct_studio_make(ct_vec to_key, bool is_light, bool has_ground, float ground);

/* Radiance from a direction without the key, as it lights things. */
ct_vec ct_studio_dome(const ct_studio *studio, ct_vec direction);
/* Of the key, in mirror images: 0 outside its disc. */
ct_vec ct_studio_key_image(const ct_studio *studio, ct_vec direction);
ct_vec ct_studio_backdrop(const ct_studio *studio, ct_vec direction);

/* How much of the ground is seen at a point, 0..1: the rest is backdrop. */
float ct_studio_ground_share(const ct_studio *studio, ct_vec point);

#endif
