/* Sheets are drawn as surfaces, strands as lines, and what belongs to neither as particles. */
#include "support.h"

enum { WIDE = 160, HIGH = 90 };

/* A square of two triangles about the origin, a strand of two segments on the right, a particle on the left;
 * each is a body. The points lie so far apart that their spheres leave the middles free. */
static const double places[8][3] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0},
                                    {1, -0.5, 0},    {1, 0, 0},      {1, 0.5, 0},   {-1, 0, 0}};
static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}}, lines[2][2] = {{4, 5}, {5, 6}};
static const uint16_t bodies[8] = {0, 0, 0, 0, 1, 1, 1, 2};
static const ct_frame_field body = {{"body", "", CT_TYPE_UINT16, 1, ""}, bodies};
static const double colors[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static ct_frame make_frame(int dimension)
{
    return (ct_frame){.count = 8,
                      .dimension = dimension,
                      .position = places,
                      .fields = &body,
                      .field_count = 1,
                      .triangles = triangles,
                      .triangle_count = 2,
                      .lines = lines,
                      .line_count = 2};
}

static ct_look make_look(int dimension)
{
    ct_look look = {.width = WIDE,
                    .height = HIGH,
                    .radius = 0.05,
                    .body_colors = colors,
                    .body_count = 3,
                    .bounds = {{-1.2, -0.7, 0}, {1.2, 0.7, 0}}};
    if (dimension == 3) look.camera = (ct_camera_def){.is_set = true, .from = {0, 0, 4}, .fov = 0.5};
    return look;
}

/* Which of red, green and blue stands out at a place in units of the picture's height from its middle; -1:
 * none. */
static int color_at(const ct_image *image, double x, double y)
{
    int column = (int)(WIDE / 2 + x * HIGH), row = (int)(HIGH / 2 - y * HIGH);
    const uint8_t *pixel = image->pixels[row * WIDE + column];
    for (int c = 0; c < 3; c++)
        if (pixel[c] > 1.5 * pixel[(c + 1) % 3] + 20 && pixel[c] > 1.5 * pixel[(c + 2) % 3] + 20) return c;
    return -1;
}

/* A metre in 3D, at a distance of 4 and an opening of 0.5 rad: 1 / (2 * 4 * tan(0.25)) heights of the
 * picture. In 2D the box of 2.4 m fills the width but for a margin. */
static void draw(int dimension, const ct_frame *frame, int threads, ct_image *image, studio *at)
{
    ct_look look = make_look(dimension);
    ct_error error = {0};
    studio_open(at, threads);
    if (ct_look_draw(&at->heap, at->pool, &look, frame, image, &error)) fail_msg("%s", error.message);
}

static void test_each_kind_is_seen(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double metre = dimension == 3 ? 0.489 : 0.65;
        ct_image image;
        studio at;
        ct_frame frame = make_frame(dimension);
        draw(dimension, &frame, 2, &image, &at);
        assert_int_equal(color_at(&image, 0.2 * metre, -0.1 * metre), 0); /* within either triangle */
        assert_int_equal(color_at(&image, -0.2 * metre, 0.1 * metre), 0);
        assert_int_equal(color_at(&image, metre, 0.25 * metre), 1); /* between the points of the strand */
        assert_int_equal(color_at(&image, -metre, 0), 2);
        assert_int_equal(color_at(&image, 0.75 * metre, 0), -1);
        ct_image_release(&image);
        studio_close(&at);
        /* The control: the same points with nothing between them. */
        frame.triangle_count = frame.line_count = 0;
        draw(dimension, &frame, 2, &image, &at);
        assert_int_equal(color_at(&image, 0.2 * metre, -0.1 * metre), -1);
        assert_int_equal(color_at(&image, metre, 0.25 * metre), -1);
        assert_int_equal(color_at(&image, -metre, 0), 2);
        ct_image_release(&image);
        studio_close(&at);
    }
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    ct_image one, three;
    studio first, second;
    ct_frame frame = make_frame(3);
    draw(3, &frame, 1, &one, &first);
    draw(3, &frame, 3, &three, &second);
    assert_memory_equal(one.pixels, three.pixels, WIDE * HIGH * 3);
    ct_image_release(&one);
    ct_image_release(&three);
    studio_close(&first);
    studio_close(&second);
}

static void test_broken_and_nowhere(void **state)
{
    (void)state;
    static const uint32_t beyond[1][2] = {{0, 8}};
    double moved[8][3];
    studio at;
    ct_image image;
    ct_error error;
    ct_frame frame = make_frame(3);
    ct_look look = make_look(3);
    memcpy(moved, places, sizeof moved);
    moved[6][0] = NAN; /* the rest of the strand is still drawn */
    frame.position = (const double(*)[3])moved;
    draw(3, &frame, 1, &image, &at);
    assert_int_equal(color_at(&image, 0.489, -0.25 * 0.489), 1);
    ct_image_release(&image);
    frame.lines = beyond;
    frame.line_count = 1;
    assert_int_equal(ct_look_draw(&at.heap, at.pool, &look, &frame, &image, &error), CT_BAD_USAGE);
    assert_message_has(&error, "no point 8");
    studio_close(&at);
}

static void test_any_allocation_may_fail(void **state)
{
    (void)state;
    ct_frame frame = make_frame(3);
    ct_look look = make_look(3);
    ct_status status = CT_NO_MEMORY;
    for (long allowed = 0; status == CT_NO_MEMORY; allowed++) {
        failing fault = {.left = -1};
        studio at;
        ct_image image;
        ct_heap_init(&at.heap, failing_allocator(&fault));
        assert_int_equal(ct_pool_create(&at.heap, 1, &at.pool, NULL), CT_OK);
        fault.left = allowed;
        status = ct_look_draw(&at.heap, at.pool, &look, &frame, &image, NULL);
        assert_true(status == CT_OK || status == CT_NO_MEMORY);
        ct_image_release(&image);
        studio_close(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_is_seen),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_broken_and_nowhere),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
