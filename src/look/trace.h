/* Pictures by path tracing: `render --quality high`.
 *
 *     trace_scene.c    what is in the picture: surfaces of fluids and bodies, grains, sheets, strands,
 * colliders trace_hit.c      where a ray meets it, by Embree; the only file that knows Embree trace_path.c
 * the light along a path, from the camera backwards finish.h         what a surface does to it;    studio.h
 * where it comes from random.h         the decisions along a path denoise.h        the finished picture out
 * of a few samples
 *
 * Clear things refract, reflect and absorb; where they overlap, as water and the glass around it, the one
 * with the higher rank wins (Schmidt and Budge, Simple nested dielectrics in ray traced images, J. Graphics
 * Tools 7(2), 2002). Hazy ones scatter light inside: a random walk with the true path length, the same in all
 * colours. Shadow rays go straight through clear things and lose what they absorb, scatter and reflect: that
 * leaves out caustics, and with them their noise. Samples of a pixel end early, from 16 on, where its error
 * is small.
 *
 * The same bits for any number of threads: the decisions are counted (random.h), a pixel belongs to one
 * thread, and Embree builds its tree on one.
 */
#ifndef CT_LOOK_TRACE_H
#define CT_LOOK_TRACE_H

#include "look/look.h"

typedef struct ct_trace_def {
    int samples;     /* per pixel at most; 0: 64 */
    double aperture; /* m, diameter of the lens; what is off its focus blurs */
    double focus;    /* m, distance of what is sharp; 0: that of the camera's target, or of the middle */
    double shutter;  /* s that it is open: motion blur, where the frame has velocities */
    bool is_raw;     /* leave the noise in */
    /* Asked and told now and then, by several threads; NULL is fine. */
    bool (*should_stop)(void *user);
    void (*tell)(void *user, double done); /* share, 0..1 */
    void *user;
} ct_trace_def;

bool ct_trace_is_possible(void); /* whether this build has Embree */

/* 3D frames only. CT_FAILED when it was stopped, or without Embree. */
ct_status ct_trace_draw(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                        ct_image *image, ct_error *error);

#endif
