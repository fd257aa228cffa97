/* Tiles are where they belong, whole, with a name; what does not fit is refused. */
#include "support.h"

#include "look/mosaic.h"

enum { WIDTH = 120, HEIGHT = 90, MOST = 10 };

static ct_image plain(ct_heap *heap, int width, int height, uint8_t level)
{
    ct_image image = {.heap = heap, .width = width, .height = height};
    size_t bytes = (size_t)width * (size_t)height * 3;
    image.pixels = ct_allocate(heap, bytes);
    assert_non_null(image.pixels);
    memset(image.pixels, level, bytes);
    return image;
}

static void tiles_stand_in_rows(void **state)
{
    (void)state;
    static const int columns[MOST + 1] = {0, 1, 2, 3, 2, 3, 3, 3, 3, 3, 4};
    studio at;
    studio_open(&at, 1);
    for (int count = 1; count <= MOST; count++) {
        ct_mosaic mosaic;
        assert_int_equal(ct_mosaic_create(&at.heap, count, WIDTH, HEIGHT, &mosaic, NULL), CT_OK);
        assert_int_equal(mosaic.image.width, WIDTH * columns[count]);
        assert_int_equal(mosaic.image.height, HEIGHT * ((count + columns[count] - 1) / columns[count]));
        for (int k = 0; k < count; k++) {
            ct_image tile = plain(&at.heap, WIDTH, HEIGHT, (uint8_t)(20 * (k + 1)));
            assert_int_equal(ct_mosaic_put(&mosaic, k, &tile, "name", NULL), CT_OK);
            ct_image_release(&tile);
        }
        for (int k = 0; k < count; k++) { /* the last pixel of each: away from name and seam */
            int x = k % columns[count] * WIDTH + WIDTH - 1, y = k / columns[count] * HEIGHT + HEIGHT - 1;
            assert_int_equal(mosaic.image.pixels[y * mosaic.image.width + x][0], 20 * (k + 1));
        }
        ct_mosaic_release(&mosaic);
    }
    studio_close(&at);
}

/* A name changes pixels in the upper left and nowhere else, however long it is. */
static void names_stay_within_their_tile(void **state)
{
    (void)state;
    static const char *const names[] = {"", "apic",
                                        "a scheme with a name that is much too long for its tile"};
    studio at;
    studio_open(&at, 1);
    ct_image tile = plain(&at.heap, WIDTH, HEIGHT, 200);
    for (int n = 0; n < 3; n++) {
        ct_mosaic mosaic;
        assert_int_equal(ct_mosaic_create(&at.heap, 2, WIDTH, HEIGHT, &mosaic, NULL), CT_OK);
        assert_int_equal(ct_mosaic_put(&mosaic, 0, &tile, names[n], NULL), CT_OK);
        int changed = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < 2 * WIDTH; x++) {
                uint8_t level = mosaic.image.pixels[y * 2 * WIDTH + x][0];
                bool is_changed = level != (x < WIDTH ? 200 : 0);
                changed += is_changed;
                if (is_changed && (x >= WIDTH || y > HEIGHT / 2)) fail_msg("a name at %d, %d", x, y);
            }
        assert_true(changed > 50);
        ct_mosaic_release(&mosaic);
    }
    ct_image_release(&tile);
    studio_close(&at);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_mosaic mosaic;
    ct_error error;
    assert_int_equal(ct_mosaic_create(&at.heap, 2, WIDTH, HEIGHT, &mosaic, &error), CT_OK);
    ct_image tile = plain(&at.heap, WIDTH, HEIGHT + 1, 9);
    assert_int_equal(ct_mosaic_put(&mosaic, 0, &tile, "", &error), CT_BAD_USAGE);
    tile.height = HEIGHT;
    assert_int_equal(ct_mosaic_put(&mosaic, 2, &tile, "", &error), CT_BAD_USAGE);
    assert_message_has(&error, "does not fit");
    ct_image_release(&tile);
    ct_mosaic_release(&mosaic);
    studio_close(&at);

    failing none = {0};
    ct_heap heap;
    ct_heap_init(&heap, failing_allocator(&none));
    assert_int_equal(ct_mosaic_create(&heap, 2, WIDTH, HEIGHT, &mosaic, &error), CT_NO_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_stand_in_rows),
        cmocka_unit_test(names_stay_within_their_tile),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
