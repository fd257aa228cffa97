#include "look/denoise.h"

#include <stddef.h>
#include <string.h>

enum { ROUNDS = 4, ROWS_A_PIECE = 8 };

static const float KERNEL[3] = {0.375f, 0.25f, 0.0625f};      /* of the cubic B-spline */
static const float LIGHT_SLACK = 3;                           /* standard deviations that count as the same */
static const float ALBEDO_SLACK = 0.06f, DEPTH_SLACK = 0.02f; /* depth: of itself, per pixel of distance */
static const float NORMAL_POWER = 48;
static const float DARKEST = 0.02f; /* albedo that light is divided by */

typedef struct job {
    int width, height, step;
    const ct_noisy_pixel *from;
    ct_noisy_pixel *to;
} job;

static ct_vec divisor(const ct_noisy_pixel *pixel)
{
    ct_vec albedo = {fmaxf(DARKEST, pixel->albedo.x), fmaxf(DARKEST, pixel->albedo.y),
                     fmaxf(DARKEST, pixel->albedo.z)};
    return ct_vec_mix((ct_vec){1, 1, 1}, albedo, pixel->matte);
}

/* How much q is like p, 0..1, by what does not come of the noise. */
static float likeness(const ct_noisy_pixel *p, const ct_noisy_pixel *q, float away)
{
    if ((p->depth > 0) != (q->depth > 0)) return 0;
    ct_vec albedo = ct_vec_sub(p->albedo, q->albedo);
    float cosine = fminf(1, fmaxf(0, ct_vec_dot(p->normal, q->normal)));
    float depth = fabsf(p->depth - q->depth) / (DEPTH_SLACK * away * p->depth + 1e-6f);
    float normal = p->depth > 0 ? powf(cosine, NORMAL_POWER) : 1;
    return normal *
           expf(-ct_vec_dot(albedo, albedo) / (ALBEDO_SLACK * ALBEDO_SLACK) - (p->depth > 0 ? depth : 0));
}

/* The noise about a pixel is better known than its own. */
static float smooth_variance(const job *work, int x, int y)
{
    float sum = 0, weight = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int u = x + i, v = y + j;
            if (u < 0 || v < 0 || u >= work->width || v >= work->height) continue;
            float w = (i ? 0.5f : 1) * (j ? 0.5f : 1);
            sum += w * work->from[(size_t)v * (size_t)work->width + (size_t)u].variance;
            weight += w;
        }
    return sum / weight;
}

static ct_noisy_pixel filter(const job *work, int x, int y)
{
    const ct_noisy_pixel *here = &work->from[(size_t)y * (size_t)work->width + (size_t)x];
    ct_noisy_pixel result = *here;
    float own = ct_luminance(here->light), slack = LIGHT_SLACK * sqrtf(smooth_variance(work, x, y)) + 1e-4f;
    float weight = 0, variance = 0;
    ct_vec sum = {0, 0, 0};
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int u = x + i * work->step, v = y + j * work->step;
            if (u < 0 || v < 0 || u >= work->width || v >= work->height) continue;
            const ct_noisy_pixel *there = &work->from[(size_t)v * (size_t)work->width + (size_t)u];
            float away = (float)work->step * sqrtf((float)(i * i + j * j)),
                  w = KERNEL[i < 0 ? -i : i] * KERNEL[j < 0 ? -j : j];
            if (i || j)
                w *= likeness(here, there, away) * expf(-fabsf(own - ct_luminance(there->light)) / slack);
            sum = ct_vec_add(sum, ct_vec_scale(there->light, w));
            variance += w * w * there->variance;
            weight += w;
        }
    result.light = ct_vec_scale(sum, 1 / weight);
    result.variance = variance / (weight * weight);
    return result;
}

static CT_WIDE void filter_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const job *work = context;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < work->width; x++)
            work->to[y * (size_t)work->width + (size_t)x] = filter(work, x, (int)y);
}

/* Divides the light by the albedo, or multiplies it again. */
static void change_light(ct_noisy_pixel *pixels, size_t count, bool is_back)
{
    for (size_t k = 0; k < count; k++) {
        ct_vec d = divisor(&pixels[k]);
        float mean = ct_luminance(d), square = mean * mean;
        pixels[k].light = is_back ? ct_vec_mul(pixels[k].light, d)
                                  : ct_vec_mul(pixels[k].light, (ct_vec){1 / d.x, 1 / d.y, 1 / d.z});
        pixels[k].variance = is_back ? pixels[k].variance * square : pixels[k].variance / square;
    }
}

void ct_denoise(ct_pool *pool, int width, int height, ct_noisy_pixel *pixels, ct_noisy_pixel *scratch)
{
    size_t count = (size_t)width * (size_t)height;
    change_light(pixels, count, false);
    for (int round = 0; round < ROUNDS; round++) {
        job work = {width, height, 1 << round, pixels, scratch};
        ct_pool_for(pool, (size_t)height, ROWS_A_PIECE, filter_rows, &work);
        memcpy(pixels, scratch, count * sizeof *pixels);
    }
    change_light(pixels, count, true);
}
