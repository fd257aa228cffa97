#include "look/mosaic.h"

#include "look/letters.h"
#include "look/pen.h"

#include <math.h>
#include <string.h>

enum { SEAM = 2, SEAM_GREY = 128 }; /* px, sRGB */

/* Up to three stand in a row; more make a table that is at least as wide as it is high. */
static int columns_for(int count)
{
    if (count <= 3) return count;
    int columns = 2;
    while (columns * columns < count) columns++;
    return columns;
}

ct_status ct_mosaic_create(ct_heap *heap, int count, int width, int height, ct_mosaic *mosaic,
                           ct_error *error)
{
    *mosaic = (ct_mosaic){.count = count, .columns = columns_for(count), .width = width, .height = height};
    int rows = (count + mosaic->columns - 1) / mosaic->columns;
    mosaic->image = (ct_image){.heap = heap, .width = width * mosaic->columns, .height = height * rows};
    size_t bytes = (size_t)mosaic->image.width * (size_t)mosaic->image.height * 3;
    mosaic->image.pixels = ct_allocate_zero(heap, bytes);
    return mosaic->image.pixels ? CT_OK : ct_fail_memory(error, bytes);
}

void ct_mosaic_release(ct_mosaic *mosaic)
{
    ct_image_release(&mosaic->image);
}

/* White on a dark ground: it can be read on a light page and on a dark one. */
static ct_status write_name(ct_mosaic *mosaic, int left, int top, const char *name, ct_error *error)
{
    ct_image_pen pen;
    ct_status status = ct_image_pen_create(&mosaic->image, &pen, error);
    if (status) return status;
    float size = fmaxf(12, 0.05f * (float)mosaic->height), x = (float)left + 0.6f * size,
          y = (float)top + 0.6f * size;
    float room = (float)mosaic->width - 2.4f * size, width = ct_letters_width(name, size);
    if (width > room && width > 0) size *= room / width, width = room;
    ct_lettering words = {.color = {1, 1, 1}, .size = size, .is_bold = true};
    pen.pen.box(&pen.pen, x, y, x + width + 1.2f * size, y + 1.7f * size,
                (ct_ink){.color = {0.008f, 0.010f, 0.014f}, .share = 0.72f});
    pen.pen.text(&pen.pen, name, x + 0.6f * size, y + 1.2f * size, words);
    ct_image_pen_release(&pen);
    return CT_OK;
}

ct_status ct_mosaic_put(ct_mosaic *mosaic, int index, const ct_image *tile, const char *name, ct_error *error)
{
    if (index < 0 || index >= mosaic->count || tile->width != mosaic->width || tile->height != mosaic->height)
        return ct_fail(error, CT_BAD_USAGE, "a tile of %d x %d pixels at %d does not fit %d of %d x %d",
                       tile->width, tile->height, index, mosaic->count, mosaic->width, mosaic->height);
    int left = index % mosaic->columns * mosaic->width, top = index / mosaic->columns * mosaic->height;
    for (int y = 0; y < mosaic->height; y++) {
        uint8_t(*row)[3] =
            &mosaic->image.pixels[(size_t)(top + y) * (size_t)mosaic->image.width + (size_t)left];
        memcpy(row, tile->pixels[(size_t)y * (size_t)mosaic->width], (size_t)mosaic->width * 3);
        /* A thin seam on the left and on top keeps neighbours apart. */
        int seam = top && y < SEAM ? mosaic->width : left ? SEAM : 0;
        memset(row, SEAM_GREY, (size_t)seam * 3);
    }
    return write_name(mosaic, left, top, name, error);
}
