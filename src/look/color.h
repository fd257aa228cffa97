/* Colours. Inside, a colour is linear light, 0..1 a channel; only the finished image is sRGB.
 *
 * Palette and colour maps are drawn as curves in a space where equal steps look equal (OKLab, Ottosson 2020:
 * lightness L, and the opponent axes a, b), in its polar form: lightness, chroma, hue. A map whose lightness
 * rises evenly reads the same in print and for eyes that do not tell red from green.
 */
#ifndef CT_LOOK_COLOR_H
#define CT_LOOK_COLOR_H

#include "look/cull.h"
#include "look/vector.h"

enum { CT_MAP_COLORS = 256 };

/* From lightness 0..1, chroma and hue (rad); chroma is reduced until the colour can be shown. */
ct_vec ct_color_from_polar(float lightness, float chroma, float hue);

/* Body k's colour when the scene gives none: eight colours, over and over. */
ct_vec ct_color_of_body(int k);

/* s in 0..1. Sequential: dark violet over red and orange to pale yellow. Diverging: blue over light grey to
 * red. */
ct_vec ct_color_sequential(float s);
ct_vec ct_color_diverging(float s);

/* One linear channel as sRGB has it, 0..1, and as a byte. */
float ct_srgb(float linear);
uint8_t ct_srgb_byte(float linear);

/* Which colour each particle that is shown has: a table and an index into it. */
typedef struct ct_paint {
    ct_heap *heap;
    ct_vec *colors;   /* [color_count] */
    uint16_t *index;  /* [shown] */
    const char *name; /* of what the colours show; NULL: bodies or materials */
    const char *unit;
    double range[2]; /* its values at the ends of the map */
} ct_paint;

ct_status ct_paint_create(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                          const ct_shown *shown, ct_paint *paint, ct_error *error);
void ct_paint_release(ct_paint *paint);

/* The field of the frame that `name` means: the field of that name, or velocity for "speed"; NULL: none. */
const ct_frame_field *ct_frame_find(const ct_frame *frame, const char *name);
/* Its value for a particle: the number, or the length of the vector. */
double ct_field_value(const ct_frame_field *field, size_t particle);

#endif
