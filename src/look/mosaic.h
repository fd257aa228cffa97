/* Several pictures as one, to compare them: equal tiles in rows, each with its name in the upper left corner.
 */
#ifndef CT_LOOK_MOSAIC_H
#define CT_LOOK_MOSAIC_H

#include "look/look.h"

typedef struct ct_mosaic {
    ct_image image;
    int count, columns;
    int width, height; /* px, of a tile */
} ct_mosaic;

/* As wide as a screen is: two tiles stand side by side, four make a square, nine are three by three. */
ct_status ct_mosaic_create(ct_heap *heap, int count, int width, int height, ct_mosaic *mosaic,
                           ct_error *error);
/* `tile` must have the size of one. What was there is replaced. */
ct_status ct_mosaic_put(ct_mosaic *mosaic, int index, const ct_image *tile, const char *name,
                        ct_error *error);
void ct_mosaic_release(ct_mosaic *mosaic);

#endif
