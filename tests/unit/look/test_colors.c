/* Colours: maps and palette keep what they promise; ranges and spacings are read off particles as they are.
 */
#include "support.h"

#include "look/color.h"
#include "look/fit.h"
#include "look/overlay.h"

static float luminance(ct_vec c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

static bool is_color(ct_vec c)
{
    return c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x <= 1 && c.y <= 1 && c.z <= 1;
}

static void test_srgb_is_the_standard_curve(void **state)
{
    (void)state;
    assert_int_equal(ct_srgb_byte(0), 0);
    assert_int_equal(ct_srgb_byte(1), 255);
    assert_int_equal(ct_srgb_byte(-3), 0);
    assert_int_equal(ct_srgb_byte(7), 255);
    assert_int_equal(ct_srgb_byte(NAN), 0);
    /* ((0.5 + 0.055) / 1.055)^2.4 = 0.21404 is encoded as one half; 0.001 lies on the straight part. */
    assert_float_equal(ct_srgb(0.2140411f), 0.5, 1e-5);
    assert_float_equal(ct_srgb(0.001f), 0.01292, 1e-6);
}

/* Grey of lightness L has the linear level L^3 in each channel. */
static void test_grey_is_the_cube_of_lightness(void **state)
{
    (void)state;
    for (int k = 0; k <= 10; k++) {
        float lightness = (float)k / 10;
        ct_vec c = ct_color_from_polar(lightness, 0, 1);
        assert_float_equal(c.x, lightness * lightness * lightness, 1e-4);
        assert_float_equal(c.y, c.x, 1e-4);
        assert_float_equal(c.z, c.x, 1e-4);
    }
    ct_vec loud = ct_color_from_polar(0.6f, 9, 2); /* far too colourful: as much as can be shown */
    assert_true(is_color(loud));
    assert_true(fmaxf(fmaxf(loud.x, loud.y), loud.z) > 2 * fminf(fminf(loud.x, loud.y), loud.z));
}

static void test_sequential_map_gets_brighter(void **state)
{
    (void)state;
    for (int k = 0; k < 255; k++) {
        ct_vec a = ct_color_sequential((float)k / 255), b = ct_color_sequential((float)(k + 1) / 255);
        assert_true(is_color(a) && is_color(b));
        assert_true(luminance(b) > luminance(a));
    }
    assert_true(luminance(ct_color_sequential(0)) < 0.05f);
    assert_true(luminance(ct_color_sequential(1)) > 0.8f);
    ct_vec below = ct_color_sequential(-5), first = ct_color_sequential(0);
    assert_memory_equal(&below, &first, sizeof below);
}

static void test_diverging_map_has_a_pale_middle(void **state)
{
    (void)state;
    ct_vec low = ct_color_diverging(0), middle = ct_color_diverging(0.5f), high = ct_color_diverging(1);
    assert_true(low.z > 3 * low.x);   /* blue */
    assert_true(high.x > 3 * high.z); /* red */
    assert_float_equal(middle.x, middle.z, 0.02);
    for (int k = 0; k < 127; k++) { /* both arms are as bright as each other */
        float side = (float)k / 255;
        float left = luminance(ct_color_diverging(side)), right = luminance(ct_color_diverging(1 - side));
        assert_true(left <= luminance(middle) && right <= luminance(middle));
        assert_float_equal(cbrtf(left), cbrtf(right), 0.09);
    }
}

static void test_palette_can_be_told_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            ct_vec a = ct_color_of_body(i), b = ct_color_of_body(j);
            float off = fabsf(ct_srgb(a.x) - ct_srgb(b.x)) + fabsf(ct_srgb(a.y) - ct_srgb(b.y)) +
                        fabsf(ct_srgb(a.z) - ct_srgb(b.z));
            assert_true(off > 0.25f);
        }
    ct_vec first = ct_color_of_body(0), again = ct_color_of_body(8);
    assert_memory_equal(&first, &again, sizeof first);
}

/* ---- ranges and spacings ---- */

static void range_of(const char *name, const double *values, size_t count, double range[2])
{
    ct_frame_field field = {{.name = name, .type = CT_TYPE_FLOAT64, .components = 1}, values};
    ct_frame frame = {.count = count, .dimension = 3, .fields = &field, .field_count = 1};
    ct_range_of_frame(&frame, &field, range);
}

static void test_range_leaves_out_tails(void **state)
{
    (void)state;
    double values[10001], range[2];
    for (int k = 0; k < 10000; k++) values[k] = 2 + k * 1e-4; /* 2 to 3 */
    values[5] = NAN;
    range_of("speed", values, 10000, range);
    /* Half a percent from either end, to within a bin of 1/1024. */
    assert_float_equal(range[0], 2.005, 0.002);
    assert_float_equal(range[1], 2.995, 0.002);
    assert_false(ct_range_diverges("speed", range));
    assert_false(ct_range_diverges("J", range));
}

static void test_range_is_centred_where_values_diverge(void **state)
{
    (void)state;
    double values[1000], range[2];
    for (int k = 0; k < 1000; k++) values[k] = -1 + k * 0.004; /* -1 to 3 */
    range_of("pressure", values, 1000, range);
    assert_float_equal(range[0], -range[1], 1e-12);
    assert_true(ct_range_diverges("pressure", range));
    range_of("J", values, 1000, range);
    assert_float_equal(range[0] + range[1], 2, 1e-12);
    assert_true(ct_range_diverges("J", range));
}

static void test_range_is_never_empty(void **state)
{
    (void)state;
    const double same[3] = {4, 4, 4}, zero[3] = {0, 0, 0}, broken[2] = {NAN, INFINITY};
    double range[2];
    range_of("speed", same, 3, range);
    assert_true(range[0] < 4 && 4 < range[1]);
    range_of("speed", zero, 3, range);
    assert_true(range[0] == 0 && range[1] > 0);
    range_of("speed", broken, 2, range);
    assert_true(range[0] < range[1] && isfinite(range[1] - range[0]));
    range_of("speed", NULL, 0, range);
    assert_true(range[0] < range[1]);
}

/* `n`^d particles of a lattice of spacing 0.02, moved at random by up to half of `jitter` of it, in a box ten
 * times as long with one stray far away. */
static double spacing_of_lattice(int dimension, int n, double jitter)
{
    size_t count = (size_t)(dimension == 3 ? n * n * n : n * n) + 1;
    double(*positions)[3] = calloc(count, sizeof *positions), spacing;
    uint64_t seed = 3;
    for (size_t p = 0; p < count - 1; p++) {
        size_t place[3] = {p % (size_t)n, p / (size_t)n % (size_t)n, p / (size_t)n / (size_t)n};
        for (int a = 0; a < dimension; a++)
            positions[p][a] = 0.02 * ((double)place[a] + 0.5 + jitter * (next_random(&seed) - 0.5));
    }
    positions[count - 1][0] = 0.2 * n;
    ct_frame frame = {.count = count, .dimension = dimension, .position = (const double(*)[3])positions};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_spacing_of_frame(&heap, &frame, &spacing, NULL), CT_OK);
    assert_int_equal(heap.bytes, 0);
    free(positions);
    return spacing;
}

/* The median crowd is a whole number near 8: the spacing comes out within the step from it, about 10%. */
static void test_spacing_is_that_of_the_lattice(void **state)
{
    (void)state;
    assert_float_equal(spacing_of_lattice(3, 30, 0), 0.02, 0.003);
    assert_float_equal(spacing_of_lattice(3, 60, 1), 0.02, 0.003);
    assert_float_equal(spacing_of_lattice(2, 100, 0), 0.02, 0.003);
    assert_float_equal(spacing_of_lattice(2, 300, 1), 0.02, 0.003);
    assert_true(spacing_of_lattice(3, 1, 0) >= 0); /* two particles */
}

static void test_bounds_leave_out_strays(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    double positions[COUNT + 2][3] = {{0}}, bounds[2][3];
    uint64_t seed = 5;
    for (int p = 0; p < COUNT; p++)
        for (int a = 0; a < 3; a++) positions[p][a] = next_random(&seed);
    positions[COUNT][0] = 50;
    positions[COUNT + 1][1] = NAN;
    ct_frame frame = {.count = COUNT + 2, .dimension = 3, .position = (const double(*)[3])positions};
    assert_true(ct_bounds_of_frame(&frame, bounds));
    /* The stray alone makes the standard deviation sqrt(50^2/1001 + 1/12) = 1.6; six of it past the mean
     * are 10. */
    assert_true(bounds[1][0] > 0.9 && bounds[1][0] < 11);
    assert_true(bounds[1][1] <= 1 && bounds[0][2] >= 0);
    frame.count = 0;
    assert_false(ct_bounds_of_frame(&frame, bounds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_srgb_is_the_standard_curve),
        cmocka_unit_test(test_grey_is_the_cube_of_lightness),
        cmocka_unit_test(test_sequential_map_gets_brighter),
        cmocka_unit_test(test_diverging_map_has_a_pale_middle),
        cmocka_unit_test(test_palette_can_be_told_apart),
        cmocka_unit_test(test_range_leaves_out_tails),
        cmocka_unit_test(test_range_is_centred_where_values_diverge),
        cmocka_unit_test(test_range_is_never_empty),
        cmocka_unit_test(test_spacing_is_that_of_the_lattice),
        cmocka_unit_test(test_bounds_leave_out_strays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
