#include "look/color.h"

#include <math.h>

/* OKLab to linear sRGB: the cube roots of three cone-like responses mix linearly to L, a, b. */
static ct_vec from_lab(float lightness, float a, float b)
{
    float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
    float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    return (ct_vec){4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                    -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                    -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

static bool can_be_shown(ct_vec c)
{
    const float slack = 1e-4f;
    return fminf(fminf(c.x, c.y), c.z) >= -slack && fmaxf(fmaxf(c.x, c.y), c.z) <= 1 + slack;
}

static float clamp_unit(float value)
{
    return value > 0 ? fminf(value, 1) : 0;
}

ct_vec ct_color_from_polar(float lightness, float chroma, float hue)
{
    float a = cosf(hue), b = sinf(hue);
    ct_vec color = from_lab(lightness, chroma * a, chroma * b);
    if (!can_be_shown(color)) {
        float least = 0, most = chroma;
        for (int i = 0; i < 16; i++) { /* bisection: grey can always be shown */
            float middle = 0.5f * (least + most);
            if (can_be_shown(from_lab(lightness, middle * a, middle * b))) least = middle;
            else most = middle;
        }
        color = from_lab(lightness, least * a, least * b);
    }
    return (ct_vec){clamp_unit(color.x), clamp_unit(color.y), clamp_unit(color.z)};
}

/* Lightness, chroma, hue in degrees. Neighbours in the list differ much in hue and a little in lightness. */
static const float PALETTE[8][3] = {
    {0.64f, 0.190f, 28},  /* coral */
    {0.63f, 0.105f, 205}, /* turquoise */
    {0.79f, 0.155f, 78},  /* amber */
    {0.55f, 0.165f, 258}, /* blue */
    {0.74f, 0.165f, 142}, /* leaf */
    {0.62f, 0.190f, 352}, /* raspberry */
    {0.60f, 0.165f, 300}, /* violet */
    {0.83f, 0.060f, 65},  /* sand */
};

static const float RADIANS = 0.017453292519943295f; /* of a degree */

ct_vec ct_color_of_body(int k)
{
    const float *c = PALETTE[k & 7];
    return ct_color_from_polar(c[0], c[1], c[2] * RADIANS);
}

/* Lightness rises evenly; hue turns from violet (305 deg) through red to yellow (98 deg); chroma is largest
 * midway. */
ct_vec ct_color_sequential(float s)
{
    s = clamp_unit(s);
    float lightness = 0.30f + 0.66f * s;
    float chroma = 0.12f + 0.36f * s * (1 - s);
    float hue = -55 + 153 * s;
    return ct_color_from_polar(lightness, chroma, hue * RADIANS);
}

/* Both arms have the same lightness and chroma at the same distance from the middle. */
ct_vec ct_color_diverging(float s)
{
    float side = 2 * clamp_unit(s) - 1, away = fabsf(side);
    float lightness = 0.93f - 0.45f * powf(away, 1.2f);
    float chroma = 0.17f * ct_smooth(-0.25f, 1.1f, away) * fminf(1, 6 * away);
    return ct_color_from_polar(lightness, chroma, (side < 0 ? 252 : 27) * RADIANS);
}

float ct_srgb(float linear)
{
    float c = clamp_unit(linear);
    return c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

uint8_t ct_srgb_byte(float linear)
{
    return (uint8_t)(255 * ct_srgb(linear) + 0.5f);
}
