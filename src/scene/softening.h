/* The bulk modulus of liquids that a preset leaves to the scene. A real one makes steps too short: water carries
 * sound at 1480 m/s. What matters is that the density hardly changes, and it changes by about (v / c)^2 where
 * material is stopped that came at the speed v; c is the speed of sound. So c = 10 v, which is
 *
 *     bulk = 100 density v^2,      v^2 = v0^2 + 2 |g| h,
 *
 * keeps the density within 1%. v0 is the greatest speed that bodies, sources, colliders and walls begin with or
 * are given; h is how far the highest of bodies and sources may fall inside the domain. Where the scene does not
 * tell (no domain, or nothing that moves) the preset's own number stays. The result is rounded up to two digits
 * and stands in used.yaml like any other number; a `bulk` beside the preset takes its place.
 */
#ifndef CT_SCENE_SOFTENING_H
#define CT_SCENE_SOFTENING_H

#include "scene/decode.h"

/* The greatest speed (m/s) that is expected; 0: nobody knows. */
double ct_expected_speed(const ct_scene *scene);

/* The same; without a domain, whose floor would end a fall, that of what falls all the time. */
double ct_highest_speed(const ct_scene *scene);

/* The materials of a scene that is decoded otherwise; `root` tells where their numbers are from. */
void ct_soften_liquids(const ct_yaml *root, ct_scene *scene);

#endif
