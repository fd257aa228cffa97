/* Letters as strokes: a small font of our own that is drawn with a round pen, so that it is sharp at any size
 * and can be turned. Each letter is a few strokes on a grid of 9 rows from the baseline to the top of a
 * capital; a stroke is straight through its corners and round through its curves (see letters.c).
 */
#ifndef CT_LOOK_LETTERS_H
#define CT_LOOK_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

/* One stroke: `points` [count] in pixels, x to the right and y down, the baseline at y = 0. A single point is
 * a dot. */
typedef void (*ct_stroke_taker)(void *context, const float (*points)[2], size_t count);

/* Width of a UTF-8 text whose size is `size` px, as programs count it: a capital is 0.72 of it high. */
float ct_letters_width(const char *text, float size);

/* Hands out the strokes of a text that begins at x = 0. A character without a form is a box. */
void ct_letters_strokes(const char *text, float size, ct_stroke_taker take, void *context);

/* Whether a character (its UTF-8 text) has a form of its own. */
bool ct_letters_has(const char *character);

#endif
