/* A pen draws lines, boxes and texts, in pixels from the upper left corner. There are two: one writes SVG,
 * the other paints an image, so that a drawing is described once and comes out the same as both.
 */
#ifndef CT_LOOK_PEN_H
#define CT_LOOK_PEN_H

#include "core/text.h"
#include "look/color.h"

typedef struct ct_ink {
    ct_vec color; /* linear */
    float share;  /* 0 to 1, how much it covers */
    float width;  /* px, of a line */
    float dash;   /* px, of dashes and half of the gaps between them; 0: an unbroken line */
} ct_ink;

typedef enum ct_anchor { CT_ANCHOR_START, CT_ANCHOR_MIDDLE, CT_ANCHOR_END } ct_anchor;

typedef struct ct_lettering {
    ct_vec color;
    float size; /* px */
    ct_anchor anchor;
    bool is_bold, is_upright; /* upright: reads from bottom to top */
} ct_lettering;

typedef struct ct_pen ct_pen;
struct ct_pen {
    /* Through `points` [count], with round ends and corners; a single point is a dot. */
    void (*line)(ct_pen *pen, const float (*points)[2], size_t count, ct_ink ink);
    void (*box)(ct_pen *pen, float left, float top, float right, float bottom, ct_ink ink);
    /* (x, y) is on the baseline, at the start, middle or end of the text. */
    void (*text)(ct_pen *pen, const char *text, float x, float y, ct_lettering lettering);
};

/* Both begin with a page of one colour. */
typedef struct ct_svg_pen {
    ct_pen pen;
    ct_text text; /* the file, after ct_svg_pen_finish */
} ct_svg_pen;

void ct_svg_pen_begin(ct_heap *heap, int width, int height, ct_vec page, ct_svg_pen *pen);
void ct_svg_pen_finish(ct_svg_pen *pen);

typedef struct ct_image_pen {
    ct_pen pen;
    ct_image *image;
    uint8_t *mask;  /* [height x width] how much of each pixel the line at hand covers; all 0 between lines */
    int touched[4]; /* px, the part of it that is not 0: left, top, right, bottom */
} ct_image_pen;

/* A pen on an image that is there already. */
ct_status ct_image_pen_create(ct_image *image, ct_image_pen *pen, ct_error *error);
void ct_image_pen_release(ct_image_pen *pen);

#endif
