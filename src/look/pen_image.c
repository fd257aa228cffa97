#include "look/letters.h"
#include "look/overlay.h"
#include "look/pen.h"

#include <string.h>

/* ---- lines: a mask of what is covered, then colour through it, so that corners are not painted twice ----
 */

static int bounded(float value, int most)
{
    return value < 0 ? 0 : value > (float)most ? most : (int)value;
}

/* Pixels whose middle is within `reach` of the stretch from a to b, softened over one pixel. */
static void cover(ct_image_pen *self, const float a[2], const float b[2], float reach)
{
    int width = self->image->width, height = self->image->height;
    float room = reach + 1;
    int box[4] = {bounded(fminf(a[0], b[0]) - room, width), bounded(fminf(a[1], b[1]) - room, height),
                  bounded(fmaxf(a[0], b[0]) + room + 1, width),
                  bounded(fmaxf(a[1], b[1]) + room + 1, height)};
    float along[2] = {b[0] - a[0], b[1] - a[1]}, square = along[0] * along[0] + along[1] * along[1];
    for (int y = box[1]; y < box[3]; y++) {
        uint8_t *row = self->mask + (size_t)y * (size_t)width;
        for (int x = box[0]; x < box[2]; x++) {
            float px = (float)x + 0.5f - a[0], py = (float)y + 0.5f - a[1];
            float s = square > 0 ? (px * along[0] + py * along[1]) / square : 0;
            s = s < 0 ? 0 : s > 1 ? 1 : s;
            px -= s * along[0], py -= s * along[1];
            float share = reach + 0.5f - sqrtf(px * px + py * py);
            uint8_t level = share <= 0 ? 0 : share >= 1 ? 255 : (uint8_t)(255 * share + 0.5f);
            if (level > row[x]) row[x] = level;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (box[k] < self->touched[k]) self->touched[k] = box[k];
        if (box[k + 2] > self->touched[k + 2]) self->touched[k + 2] = box[k + 2];
    }
}

static void begin_mask(ct_image_pen *self)
{
    self->touched[0] = self->image->width, self->touched[1] = self->image->height;
    self->touched[2] = self->touched[3] = 0;
}

static void paint_mask(ct_image_pen *self, ct_vec color, float share)
{
    for (int y = self->touched[1]; y < self->touched[3]; y++) {
        uint8_t *row = self->mask + (size_t)y * (size_t)self->image->width;
        for (int x = self->touched[0]; x < self->touched[2]; x++) {
            if (row[x]) ct_overlay_blend(self->image, x, y, color, share * (float)row[x] / 255);
            row[x] = 0;
        }
    }
}

/* A thin line keeps its weight: what it cannot have in width it loses in strength. */
static float reach_of(ct_ink ink)
{
    return 0.5f * fmaxf(ink.width, 1) - 0.5f * (ink.width < 1 ? 1 - ink.width : 0);
}

/* The stretch from a to b as dashes; `done` is how far along the line a is. */
static void cover_dashes(ct_image_pen *self, const float a[2], const float b[2], ct_ink ink, float *done)
{
    float length = hypotf(b[0] - a[0], b[1] - a[1]), period = 1.6f * ink.dash;
    for (float at = 0; at < length;) {
        float phase = fmodf(*done + at, period), rest = (phase < ink.dash ? ink.dash : period) - phase;
        float next = fminf(length, at + fmaxf(rest, 0.01f));
        if (phase < ink.dash) {
            float s = at / length, t = next / length;
            float from[2] = {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])};
            float to[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
            cover(self, from, to, reach_of(ink));
        }
        at = next;
    }
    *done += length;
}

static void draw_line(ct_pen *pen, const float (*points)[2], size_t count, ct_ink ink)
{
    ct_image_pen *self = (ct_image_pen *)pen;
    float done = 0;
    begin_mask(self);
    if (count == 1) cover(self, points[0], points[0], reach_of(ink));
    for (size_t k = 1; k < count; k++) {
        if (ink.dash > 0) cover_dashes(self, points[k - 1], points[k], ink, &done);
        else cover(self, points[k - 1], points[k], reach_of(ink));
    }
    paint_mask(self, ink.color, ink.share);
}

/* ---- boxes ---- */

/* How much of pixel k the stretch from `low` to `high` covers. */
static float overlap(int k, float low, float high)
{
    float covered = fminf((float)k + 1, high) - fmaxf((float)k, low);
    return covered < 0 ? 0 : covered;
}

static void draw_box(ct_pen *pen, float left, float top, float right, float bottom, ct_ink ink)
{
    ct_image *image = ((ct_image_pen *)pen)->image;
    int x1 = bounded(right + 1, image->width), y1 = bounded(bottom + 1, image->height);
    for (int y = bounded(top, image->height); y < y1; y++)
        for (int x = bounded(left, image->width); x < x1; x++)
            ct_overlay_blend(image, x, y, ink.color,
                             ink.share * overlap(x, left, right) * overlap(y, top, bottom));
}

/* ---- texts ---- */

typedef struct writing {
    ct_image_pen *pen;
    float x, y, shift, reach;
    bool is_upright;
} writing;

static void place(const writing *self, const float from[2], float to[2])
{
    float x = from[0] - self->shift, y = from[1];
    to[0] = self->x + (self->is_upright ? y : x);
    to[1] = self->y + (self->is_upright ? -x : y);
}

static void write_stroke(void *context, const float (*points)[2], size_t count)
{
    const writing *self = context;
    float last[2], next[2];
    place(self, points[0], last);
    if (count == 1) cover(self->pen, last, last, 1.5f * self->reach);
    for (size_t k = 1; k < count; k++) {
        place(self, points[k], next);
        cover(self->pen, last, next, self->reach);
        memcpy(last, next, sizeof last);
    }
}

static void draw_text(ct_pen *pen, const char *text, float x, float y, ct_lettering lettering)
{
    static const float shift[] = {[CT_ANCHOR_START] = 0, [CT_ANCHOR_MIDDLE] = 0.5f, [CT_ANCHOR_END] = 1};
    writing self = {.pen = (ct_image_pen *)pen, .x = x, .y = y, .is_upright = lettering.is_upright};
    self.shift = shift[lettering.anchor] * ct_letters_width(text, lettering.size);
    self.reach = (lettering.is_bold ? 0.066f : 0.043f) * lettering.size;
    begin_mask(self.pen);
    ct_letters_strokes(text, lettering.size, write_stroke, &self);
    paint_mask(self.pen, lettering.color, 1);
}

ct_status ct_image_pen_create(ct_image *image, ct_image_pen *pen, ct_error *error)
{
    size_t bytes = (size_t)image->width * (size_t)image->height;
    *pen = (ct_image_pen){.pen = {draw_line, draw_box, draw_text}, .image = image};
    pen->mask = ct_allocate_zero(image->heap, bytes);
    return pen->mask ? CT_OK : ct_fail_memory(error, bytes);
}

void ct_image_pen_release(ct_image_pen *pen)
{
    if (pen->image) ct_release(pen->image->heap, pen->mask);
    pen->mask = NULL;
}
