/* What happens to light at a surface. All of it keeps the energy: no direction sends back more than it got.
 *
 *     matte    Lambert's: a share `color` goes back, whatever the direction
 *     coated   a share F goes back from a thin clear coat, by microfacets; the rest is matte below it. F is
 *              taken at the angle of the outgoing ray, so that the two shares add up to one
 *     metal    microfacets (GGX) that send back `color`, and all of it at grazing angles (Schlick)
 *
 * Microfacets are sampled as they are seen (Heitz, Sampling the GGX distribution of visible normals, J.
 * Computer Graphics Techniques 7(4), 2018); light that a second facet would catch is lost: up to 3% with the
 * coats and with steel. Clear surfaces reflect and refract by Fresnel's formulae and Snell's
 * law.
 */
#ifndef CT_LOOK_FINISH_H
#define CT_LOOK_FINISH_H

#include "look/vector.h"

#include <stdbool.h>

typedef enum ct_finish_kind { CT_FINISH_MATTE, CT_FINISH_COATED, CT_FINISH_METAL } ct_finish_kind;

typedef struct ct_finish {
    ct_finish_kind kind;
    ct_vec color;
    float ior;
    float alpha; /* GGX; below CT_SHARPEST a mirror */
} ct_finish;

#define CT_SHARPEST 0.01f

/* Where light comes from that leaves towards the eye. */
typedef struct ct_scattered {
    ct_vec direction; /* unit, away from the surface */
    ct_vec weight;    /* what is left of it */
    bool is_sharp;    /* a mirror's image */
    bool is_matte;    /* from below the coat */
} ct_scattered;

/* Share of light that a smooth surface reflects, not polarised; `cosine` of the angle of incidence, `ratio`
 * of the index beyond to the index before. */
float ct_fresnel(float cosine, float ratio);

/* Snell's law; `normal` points against `direction`. False: all is reflected. */
bool ct_refract(ct_vec direction, ct_vec normal, float ratio, ct_vec *refracted);
ct_vec ct_reflect(ct_vec direction, ct_vec normal);

/* Chooses where light comes from by three numbers in [0, 1). `out`: unit, to the eye. A zero weight: nowhere.
 */
ct_scattered ct_finish_sample(const ct_finish *finish, ct_vec out, ct_vec normal, const float random[3]);

/* Share of light from `in` that leaves towards `out`, per solid angle, with the cosine at `in`; mirrors left
 * out. */
ct_vec ct_finish_share(const ct_finish *finish, ct_vec out, ct_vec normal, ct_vec in);

/* A direction about `normal` with a probability as the cosine. */
ct_vec ct_direction_by_cosine(ct_vec normal, float u, float v);
/* Any direction. */
ct_vec ct_direction_anywhere(float u, float v);
/* A direction within a cone about `axis`. */
ct_vec ct_direction_in_cone(ct_vec axis, float cosine, float u, float v);

#endif
