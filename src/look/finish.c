#include "look/finish.h"

static const float PI = 3.14159265f;

/* ---- directions ---- */

/* Two axes across a unit vector. */
static void axes_across(ct_vec n, ct_vec *s, ct_vec *t)
{
    float sign = n.z < 0 ? -1.0f : 1.0f, a = -1 / (sign + n.z), b = n.x * n.y * a;
    *s = (ct_vec){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t = (ct_vec){b, sign + n.y * n.y * a, -n.y};
}

static ct_vec from_axes(ct_vec s, ct_vec t, ct_vec n, ct_vec v)
{
    return ct_vec_add(ct_vec_add(ct_vec_scale(s, v.x), ct_vec_scale(t, v.y)), ct_vec_scale(n, v.z));
}

static ct_vec about(ct_vec axis, float cosine, float turn)
{
    ct_vec s, t;
    axes_across(axis, &s, &t);
    float sine = sqrtf(fmaxf(0, 1 - cosine * cosine));
    return from_axes(s, t, axis, (ct_vec){sine * cosf(turn), sine * sinf(turn), cosine});
}

ct_vec ct_direction_by_cosine(ct_vec normal, float u, float v)
{
    return about(normal, sqrtf(1 - u), 2 * PI * v);
}

ct_vec ct_direction_anywhere(float u, float v)
{
    return about((ct_vec){0, 0, 1}, 1 - 2 * u, 2 * PI * v);
}

ct_vec ct_direction_in_cone(ct_vec axis, float cosine, float u, float v)
{
    return about(axis, 1 - u * (1 - cosine), 2 * PI * v);
}

/* ---- smooth surfaces ---- */

float ct_fresnel(float cosine, float ratio)
{
    float c = fminf(1, fabsf(cosine)), square = 1 - (1 - c * c) / (ratio * ratio);
    if (square <= 0) return 1;
    float beyond = sqrtf(square);
    float across = (c - ratio * beyond) / (c + ratio * beyond);
    float along = (ratio * c - beyond) / (ratio * c + beyond);
    return 0.5f * (across * across + along * along);
}

bool ct_refract(ct_vec direction, ct_vec normal, float ratio, ct_vec *refracted)
{
    float c = -ct_vec_dot(direction, normal), square = 1 - (1 - c * c) / (ratio * ratio);
    if (square <= 0) return false;
    *refracted = ct_vec_unit(
        ct_vec_add(ct_vec_scale(direction, 1 / ratio), ct_vec_scale(normal, c / ratio - sqrtf(square))));
    return true;
}

ct_vec ct_reflect(ct_vec direction, ct_vec normal)
{
    return ct_vec_sub(direction, ct_vec_scale(normal, 2 * ct_vec_dot(direction, normal)));
}

/* ---- microfacets ---- */

/* Smith's share of facets that are seen from a direction at that cosine. */
static float seen_share(float cosine, float alpha)
{
    float square = cosine * cosine, a = alpha * alpha;
    return 2 * cosine / (cosine + sqrtf(a + (1 - a) * square));
}

static float facets(float cosine, float alpha)
{
    float a = alpha * alpha, d = cosine * cosine * (a - 1) + 1;
    return a / (PI * d * d);
}

/* The normal of a facet, of those seen from `out`: uniform over the half of the stretched sphere's projection
 * that faces it. */
static ct_vec sample_facet(ct_vec out, ct_vec normal, float alpha, float u, float v)
{
    ct_vec s, t, s2, t2;
    axes_across(normal, &s, &t);
    ct_vec stretched = ct_vec_unit((ct_vec){alpha * ct_vec_dot(out, s), alpha * ct_vec_dot(out, t),
                                            fmaxf(1e-4f, ct_vec_dot(out, normal))});
    bool is_straight = stretched.z > 0.9999f;
    s2 = is_straight ? (ct_vec){1, 0, 0} : ct_vec_unit(ct_vec_cross((ct_vec){0, 0, 1}, stretched));
    t2 = ct_vec_cross(stretched, s2);
    float r = sqrtf(u), x = r * cosf(2 * PI * v), y = r * sinf(2 * PI * v), half = 0.5f * (1 + stretched.z);
    y = (1 - half) * sqrtf(fmaxf(0, 1 - x * x)) + half * y;
    ct_vec facet = from_axes(s2, t2, stretched, (ct_vec){x, y, sqrtf(fmaxf(0, 1 - x * x - y * y))});
    facet = ct_vec_unit((ct_vec){alpha * facet.x, alpha * facet.y, fmaxf(1e-6f, facet.z)});
    return from_axes(s, t, normal, facet);
}

/* Schlick's: `color` seen straight, white at grazing angles. */
static ct_vec metal_color(ct_vec color, float cosine)
{
    float rest = powf(fmaxf(0, 1 - cosine), 5);
    return ct_vec_mix(color, (ct_vec){1, 1, 1}, rest);
}

static ct_scattered sample_gloss(const ct_finish *finish, ct_vec out, ct_vec normal, const float random[3])
{
    bool is_sharp = finish->alpha < CT_SHARPEST;
    ct_vec facet = is_sharp ? normal : sample_facet(out, normal, finish->alpha, random[1], random[2]);
    ct_scattered result = {.direction = ct_reflect(ct_vec_scale(out, -1), facet), .is_sharp = is_sharp};
    float cosine = ct_vec_dot(result.direction, normal);
    if (cosine <= 0) return result;
    float share = is_sharp ? 1 : seen_share(cosine, finish->alpha);
    ct_vec color = {1, 1, 1};
    if (finish->kind == CT_FINISH_METAL) color = metal_color(finish->color, ct_vec_dot(out, facet));
    result.weight = ct_vec_scale(color, share);
    return result;
}

ct_scattered ct_finish_sample(const ct_finish *finish, ct_vec out, ct_vec normal, const float random[3])
{
    float coat = finish->kind == CT_FINISH_COATED ? ct_fresnel(ct_vec_dot(out, normal), finish->ior) : 0;
    if (finish->kind == CT_FINISH_METAL || random[0] < coat) return sample_gloss(finish, out, normal, random);
    ct_vec direction = ct_direction_by_cosine(normal, random[1], random[2]);
    return (ct_scattered){.direction = direction, .weight = finish->color, .is_matte = true};
}

ct_vec ct_finish_share(const ct_finish *finish, ct_vec out, ct_vec normal, ct_vec in)
{
    float cosine = ct_vec_dot(in, normal), seen = ct_vec_dot(out, normal);
    if (cosine <= 0 || seen <= 0) return (ct_vec){0, 0, 0};
    float coat = finish->kind == CT_FINISH_COATED ? ct_fresnel(seen, finish->ior) : 0;
    ct_vec below = {0, 0, 0}, gloss = {coat, coat, coat};
    if (finish->kind != CT_FINISH_METAL) below = ct_vec_scale(finish->color, (1 - coat) * cosine / PI);
    if (finish->kind == CT_FINISH_MATTE || finish->alpha < CT_SHARPEST) return below;
    ct_vec facet = ct_vec_unit(ct_vec_add(out, in));
    if (finish->kind == CT_FINISH_METAL) gloss = metal_color(finish->color, ct_vec_dot(out, facet));
    float share = facets(ct_vec_dot(facet, normal), finish->alpha) * seen_share(seen, finish->alpha) *
                  seen_share(cosine, finish->alpha) / (4 * seen);
    return ct_vec_add(below, ct_vec_scale(gloss, share));
}
