#include "look/overlay.h"

#include <stdio.h>
#include <string.h>

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

void ct_overlay_walls(ct_image *image, const ct_camera *view, const ct_look *look, int dimension,
                      const float *depth, ct_vec color)
{
    if (!look->has_walls) return;
    for (int corner = 0; corner < 1 << dimension; corner++) {
        for (int axis = 0; axis < dimension; axis++) {
            if (corner >> axis & 1) continue; /* each edge once, from its lower end */
            double from[3] = {0}, to[3] = {0};
            for (int a = 0; a < dimension; a++) {
                from[a] = look->walls[corner >> a & 1][a];
                to[a] = a == axis ? look->walls[1][a] : from[a];
            }
            draw_edge(image, view, from, to, depth, color);
        }
    }
}

/* ---- letters ---- */

/* How much of a letter covers a place (in dots): dots are blended into their neighbours and cut at one half,
 * which rounds their corners. */
static float coverage(char letter, float x, float y, float sharpness)
{
    int left = (int)floorf(x - 0.5f), top = (int)floorf(y - 0.5f);
    float fx = x - 0.5f - (float)left, fy = y - 0.5f - (float)top, sum = 0;
    for (int k = 0; k < 4; k++) {
        int i = k & 1, j = k >> 1;
        if (ct_font_dot(letter, left + i, top + j)) sum += (i ? fx : 1 - fx) * (j ? fy : 1 - fy);
    }
    float share = 0.5f + (sum - 0.42f) * sharpness;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static int text_width(const char *text, int size)
{
    return (int)strlen(text) * (CT_FONT_WIDTH + 1) * size;
}

/* `size` pixels a dot; (x, y) is the upper left corner. */
static void draw_text(ct_image *image, const char *text, int x, int y, int size, ct_vec ink)
{
    for (; *text; text++, x += (CT_FONT_WIDTH + 1) * size) {
        for (int j = -size / 2; j < CT_FONT_HEIGHT * size + size / 2; j++) {
            for (int i = -size / 2; i < CT_FONT_WIDTH * size + size / 2; i++) {
                float dx = ((float)i + 0.5f) / (float)size, dy = ((float)j + 0.5f) / (float)size;
                float share = coverage(*text, dx, dy, size > 1 ? (float)size : 2);
                if (share > 0) ct_overlay_blend(image, x + i, y + j, ink, share);
            }
        }
    }
}

/* ---- legend ---- */

static void draw_box(ct_image *image, int left, int top, int width, int height, ct_vec color, float share)
{
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++) ct_overlay_blend(image, x, y, color, share);
}

/*      speed [m/s]           t = 0.25 s
 *      ================================
 *      0                           2.41
 */
void ct_overlay_legend(ct_image *image, const ct_paint *paint, double time, const ct_stage *stage)
{
    int size = image->height / 400 + 1;
    int width = 180 * size, height = 8 * size, line = (CT_FONT_HEIGHT + 3) * size, margin = 14 * size;
    int left = image->width - width - margin, top = margin + line, below = top + height + 3 * size;
    char name[96], low[32], high[32], when[32];
    bool has_unit = paint->unit && paint->unit[0];
    snprintf(name, sizeof name, has_unit ? "%.40s [%.20s]" : "%.40s%.0s", paint->name,
             has_unit ? paint->unit : "");
    snprintf(low, sizeof low, "%.3g", paint->range[0]);
    snprintf(high, sizeof high, "%.3g", paint->range[1]);
    snprintf(when, sizeof when, "t = %.3f s", time);
    draw_box(image, left - 6 * size, margin - 6 * size, width + 12 * size, 2 * line + height + 9 * size,
             stage->page, 0.6f);
    for (int x = 0; x < width; x++)
        draw_box(image, left + x, top, 1, height, paint->colors[x * CT_MAP_COLORS / width], 1);
    draw_text(image, name, left, margin, size, stage->ink);
    draw_text(image, low, left, below, size, stage->ink);
    draw_text(image, high, left + width - text_width(high, size) + size, below, size, stage->ink);
    if (isfinite(time))
        draw_text(image, when, left + width - text_width(when, size) + size, margin, size, stage->ink);
}
