#include "look/studio.h"

static const float PI = 3.14159265f;
static const float KEY_COSINE = 0.9970f; /* 4.4 deg */
static const float BOX_COSINE[2] = {0.80f, 0.88f};
static const float FADE[2] = {0.9f,
                              2.6f}; /* distance from the middle where the ground begins and ends to fade */

ct_studio ct_studio_make(ct_vec to_key, bool is_light, bool has_ground, float ground)
{
    ct_studio studio = {
        .to_key = to_key, .key_cosine = KEY_COSINE, .has_ground = has_ground, .ground = ground};
    studio.key = (ct_vec){2.15f, 2.05f, 1.90f};
    studio.zenith = (ct_vec){0.62f, 0.70f, 0.82f};
    studio.horizon = (ct_vec){0.46f, 0.50f, 0.58f};
    studio.below = (ct_vec){0.16f, 0.15f, 0.14f};
    studio.to_box = ct_vec_unit((ct_vec){-to_key.x, 0.55f, -to_key.z});
    studio.box = (ct_vec){2.2f, 2.3f, 2.5f};
    studio.backdrop[0] = is_light ? (ct_vec){0.62f, 0.64f, 0.67f} : (ct_vec){0.040f, 0.046f, 0.058f};
    studio.backdrop[1] = is_light ? (ct_vec){0.36f, 0.42f, 0.50f} : (ct_vec){0.006f, 0.008f, 0.014f};
    studio.ground_color = is_light ? (ct_vec){0.46f, 0.455f, 0.45f} : (ct_vec){0.085f, 0.086f, 0.092f};
    return studio;
}

ct_vec ct_studio_dome(const ct_studio *studio, ct_vec direction)
{
    if (direction.y < 0) return ct_vec_mix(studio->horizon, studio->below, ct_smooth(0, 0.15f, -direction.y));
    ct_vec sky = ct_vec_mix(studio->horizon, studio->zenith, sqrtf(direction.y));
    float box = ct_smooth(BOX_COSINE[0], BOX_COSINE[1], ct_vec_dot(direction, studio->to_box));
    return ct_vec_add(sky, ct_vec_scale(studio->box, box));
}

ct_vec ct_studio_key_image(const ct_studio *studio, ct_vec direction)
{
    if (ct_vec_dot(direction, studio->to_key) < studio->key_cosine) return (ct_vec){0, 0, 0};
    float across = 1 - studio->key_cosine * studio->key_cosine; /* sine squared */
    return ct_vec_scale(studio->key, 1 / (PI * across));
}

ct_vec ct_studio_backdrop(const ct_studio *studio, ct_vec direction)
{
    return ct_vec_mix(studio->backdrop[0], studio->backdrop[1], ct_smooth(0, 0.5f, direction.y));
}

float ct_studio_ground_share(const ct_studio *studio, ct_vec point)
{
    (void)studio;
    return 1 - ct_smooth(FADE[0], FADE[1], sqrtf(point.x * point.x + point.z * point.z));
}
