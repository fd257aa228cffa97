/* From spheres to surfaces, and how much light reaches them.
 *
 * A cloud of small spheres is a bumpy thing; the eye wants the skin that they make up. So the depth map is
 * smoothed among neighbours that belong together (their depths differ by little), and normals are taken from
 * the result. On this skin and on the ground two numbers are found for each pixel: the share of the sky that
 * can be seen (ambient), by looking at the depths around it, and the share of the light (key), by asking the
 * light's own depth map.
 *
 * Both use few samples, in a pattern that differs within a square of 4 x 4 pixels and repeats beyond it;
 * averaging over such a square takes the pattern out again.
 */
#ifndef CT_LOOK_SURFACE_H
#define CT_LOOK_SURFACE_H

#include "look/splat.h"

/* Light that arrives, 0..1 each. */
typedef struct ct_exposure {
    float ambient, key;
} ct_exposure;

/* One image of the skin, or of the ground. */
typedef struct ct_surface {
    int width, height;
    float *depth;   /* [height x width] m, INFINITY: nothing there */
    ct_vec *normal; /* [height x width] in the axes of the view; NULL: the ground's, the same everywhere */
    ct_exposure *exposure; /* [height x width] */
} ct_surface;

/* What the surfaces are lit in. */
typedef struct ct_lighting {
    const ct_camera *view;         /* the camera, for the image of the surface that samples are taken from */
    const ct_surface *seen;        /* that image: skin, with the ground where there is none */
    const ct_camera *light;        /* the light's view */
    const ct_depth_map *light_map; /* what it sees */
    float reach;                   /* m, how far things darken each other's sky */
    float radius;                  /* m, of a particle */
} ct_lighting;

/* Smooths the depths that are in the surface and takes normals; `scratch` and `normals` [height x width] are
 * room to work in. */
void ct_surface_smooth(ct_pool *pool, const ct_camera *view, float radius, float *scratch, ct_vec *normals,
                       ct_surface *surface);

/* Finds the exposure of `surface`, whose pixels are `step` times as wide as those of lighting->seen. `normal`
 * is used where it has none of its own; `scratch` [height x width]. */
void ct_surface_expose(ct_pool *pool, const ct_lighting *lighting, int step, ct_vec normal,
                       ct_exposure *scratch, ct_surface *surface);

#endif
