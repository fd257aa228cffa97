#include "look/overlay.h"
#include "look/letters.h"
#include "look/plot.h"

#include <stdio.h>

void ct_overlay_blend(ct_image *image, int x, int y, ct_vec color, float share)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
    uint8_t *pixel = image->pixels[(size_t)y * (size_t)image->width + (size_t)x];
    const float channels[3] = {color.x, color.y, color.z};
    for (int c = 0; c < 3; c++) {
        float mixed = (float)pixel[c] * (1 - share) + (float)ct_srgb_byte(channels[c]) * share;
        pixel[c] = (uint8_t)(mixed + 0.5f);
    }
}

/* ---- walls ---- */

/* A dot of a line, two pixels wide with soft sides, hidden by what is nearer. */
static void draw_dot(ct_image *image, const ct_camera *view, ct_vec p, const float *depth, ct_vec color)
{
    if (p.z <= 0) return;
    float scale = view->is_parallel ? view->focal : view->focal / p.z;
    float x = view->center[0] + scale * p.x - 0.5f, y = view->center[1] - scale * p.y - 0.5f;
    if (!(x > -1 && y > -1 && x < (float)image->width && y < (float)image->height)) return;
    int left = (int)floorf(x), top = (int)floorf(y);
    for (int k = 0; k < 4; k++) {
        int i = left + (k & 1), j = top + (k >> 1);
        if (i < 0 || j < 0 || i >= image->width || j >= image->height) continue;
        if (depth && depth[(size_t)j * (size_t)image->width + (size_t)i] < p.z) continue;
        float share = (1 - fabsf(x - (float)i)) * (1 - fabsf(y - (float)j));
        ct_overlay_blend(image, i, j, color, 0.5f * share);
    }
}

static void draw_edge(ct_image *image, const ct_camera *view, const double from[3], const double to[3],
                      const float *depth, ct_vec color)
{
    int dots = 2 * (image->width > image->height ? image->width : image->height);
    ct_vec a = ct_camera_point(view, from), b = ct_camera_point(view, to);
    ct_vec last = {-INFINITY, 0, 0};
    for (int k = 0; k <= dots; k++) {
        ct_vec p = ct_vec_mix(a, b, (float)k / (float)dots);
        /* Dots nearer than a pixel to the last one would only darken it. */
        float scale = view->is_parallel ? view->focal : view->focal / p.z;
        ct_vec seen = {p.x * scale, p.y * scale, 0}, moved = ct_vec_sub(seen, last);
        if (ct_vec_dot(moved, moved) < 0.9f) continue;
        last = seen;
        draw_dot(image, view, p, depth, color);
    }
}

/* Whether an edge lies between the eye and all that is in the box: both walls that meet at it turn their
 * outer sides to the eye. */
static bool is_in_front(const ct_look *look, const double eye[3], int corner, int axis)
{
    for (int a = 0; a < 3; a++) {
        bool is_upper = corner >> a & 1;
        if (a != axis && !(is_upper ? eye[a] > look->walls[1][a] : eye[a] < look->walls[0][a])) return false;
    }
    return true;
}

void ct_overlay_walls(ct_image *image, const ct_camera *view, const ct_look *look, int dimension,
                      const float *depth, ct_vec color)
{
    if (!look->has_walls || (dimension == 3 && !look->shows_walls)) return;
    for (int corner = 0; corner < 1 << dimension; corner++) {
        for (int axis = 0; axis < dimension; axis++) {
            if (corner >> axis & 1) continue; /* each edge once, from its lower end */
            if (dimension == 3 && is_in_front(look, view->eye, corner, axis)) continue;
            double from[3] = {0}, to[3] = {0};
            for (int a = 0; a < dimension; a++) {
                from[a] = look->walls[corner >> a & 1][a];
                to[a] = a == axis ? look->walls[1][a] : from[a];
            }
            draw_edge(image, view, from, to, depth, color);
        }
    }
}

/* ---- legend ---- */

/* Round numbers below the colours; large and small ones with their power of ten behind the last. */
static void draw_scale(ct_pen *pen, const double range[2], float left, float bar, float bottom,
                       ct_lettering words)
{
    float size = words.size, room = 0;
    ct_ticks ticks;
    ct_ticks_choose(range, false, 4, &ticks);
    words.anchor = CT_ANCHOR_MIDDLE;
    words.size = 0.86f * size;
    for (int k = 0; k < ticks.count; k++) {
        char text[CT_TICK_SIZE + 16];
        bool has_power = ticks.power && k + 1 == ticks.count;
        if (has_power) snprintf(text, sizeof text, "%se%d", ticks.ticks[k].text, ticks.power);
        else snprintf(text, sizeof text, "%s", ticks.ticks[k].text);
        float x = left + bar * (float)((ticks.ticks[k].value - range[0]) / (range[1] - range[0]));
        pen->line(pen, (const float[2][2]){{x, bottom}, {x, bottom + 0.28f * size}}, 2,
                  (ct_ink){.color = words.color, .share = 1, .width = fmaxf(1, 0.08f * size)});
        float half = 0.5f * ct_letters_width(text, words.size);
        if (x - half < room) continue; /* it would touch the one before */
        pen->text(pen, text, fminf(x, left + bar - half + 0.6f * size), bottom + 1.35f * size, words);
        room = x + half + 0.4f * size;
    }
}

/*      speed [m/s]             0.25 s
 *      ==============================
 *      0        1         2         3
 */
void ct_overlay_legend(ct_pen *pen, int width, int height, const ct_paint *paint, double time,
                       const ct_stage *stage)
{
    float size = fmaxf(11, 0.021f * (float)height), bar = 15 * size, right = (float)width - 1.6f * size;
    float left = right - bar, top = 3.2f * size, bottom = top + 0.62f * size;
    if (left < 0) return; /* no room */
    char text[96];
    bool has_unit = paint->unit && paint->unit[0];
    ct_lettering words = {.color = stage->ink, .size = size};
    ct_ink dim = {.color = stage->page, .share = 0.55f};
    pen->box(pen, left - size, 0.9f * size, right + size, bottom + 1.9f * size, dim);
    snprintf(text, sizeof text, has_unit ? "%.40s [%.20s]" : "%.40s%.0s", paint->name,
             has_unit ? paint->unit : "");
    pen->text(pen, text, left, top - 0.7f * size, words);
    words.anchor = CT_ANCHOR_END;
    snprintf(text, sizeof text, "%.3f s", time);
    if (isfinite(time)) pen->text(pen, text, right, top - 0.7f * size, words);
    for (int k = 0; k < CT_MAP_COLORS; k++) /* each over the rest of the last, so that no seam shows */
        pen->box(pen, left + bar * (float)k / CT_MAP_COLORS, top, right, bottom,
                 (ct_ink){.color = paint->colors[k], .share = 1});
    draw_scale(pen, paint->range, left, bar, bottom, words);
}
