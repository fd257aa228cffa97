/* A finished picture out of few samples per pixel: the a-trous wavelet filter that avoids edges (Dammertz,
 * Sewtz, Hanika and Lensch, Edge-avoiding a-trous wavelet transform for fast global illumination filtering,
 * High Performance Graphics 2010), steered by the noise that the samples show (Schied et al., Spatiotemporal
 * variance-guided filtering, HPG 2017): where a pixel is well known it stays as it is.
 *
 * Each round averages over 5 x 5 pixels that are 1, 2, 4, 8 pixels apart. A pixel counts less the more its
 * normal, its albedo and its depth differ, and the more its light differs in terms of the noise. Albedo is
 * taken out of the light of matte surfaces before, and put back after, so that texture stays sharp.
 */
#ifndef CT_LOOK_DENOISE_H
#define CT_LOOK_DENOISE_H

#include "core/threads.h"
#include "look/vector.h"

typedef struct ct_noisy_pixel {
    ct_vec light;   /* mean of the samples */
    float variance; /* of that mean's luminance */
    ct_vec albedo;
    ct_vec normal;
    float depth; /* 0: nothing */
    float matte; /* share of samples whose albedo is in `light` as a factor */
} ct_noisy_pixel;

/* `scratch` [height x width] is room to work in. The light of `pixels` is the result. */
void ct_denoise(ct_pool *pool, int width, int height, ct_noisy_pixel *pixels, ct_noisy_pixel *scratch);

static inline float ct_luminance(ct_vec c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

#endif
