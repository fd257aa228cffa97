/* Pictures: things are drawn where they are, as large as they are, and the same for any number of threads. */
#include "support.h"

#include "look/color.h"
#include "look/splat.h"

enum { WIDTH = 320, HEIGHT = 200 };

/* Looks down the z axis from 5 m; 1 m at the origin is 0.5 * 200 / tan(20 deg) / 5 = 54.95 px. */
static ct_look straight_look(void)
{
    ct_look look = {.width = WIDTH, .height = HEIGHT, .radius = 0.5};
    look.camera = (ct_camera_def){.is_set = true, .from = {0, 0, 5}, .fov = 40 * 0.017453292519943295};
    return look;
}

static double focal_of(const ct_look *look)
{
    return 0.5 * look->height / tan(0.5 * look->camera.fov);
}

static ct_frame frame_of(const double (*positions)[3], size_t count, int dimension)
{
    return (ct_frame){.count = count, .position = positions, .dimension = dimension};
}

static ct_image draw(studio *at, const ct_look *look, const ct_frame *frame)
{
    ct_image image;
    ct_error error = {.message = ""};
    if (ct_look_draw(&at->heap, at->pool, look, frame, &image, &error)) fail_msg("%s", error.message);
    return image;
}

static bool pixels_differ(const ct_image *a, const ct_image *b, size_t place)
{
    return memcmp(a->pixels[place], b->pixels[place], 3) != 0;
}

static bool images_are_equal(const ct_image *a, const ct_image *b)
{
    return a->width == b->width && a->height == b->height &&
           !memcmp(a->pixels, b->pixels, (size_t)a->width * (size_t)a->height * 3);
}

/* ---- depth maps ---- */

static void splat(studio *at, const ct_camera *view, const double (*positions)[3], size_t count, float radius,
                  ct_depth_map *map)
{
    size_t pixels = (size_t)view->width * (size_t)view->height;
    *map = (ct_depth_map){.width = view->width, .height = view->height};
    map->depth = ct_allocate(&at->heap, pixels * sizeof *map->depth);
    map->who = ct_allocate(&at->heap, pixels * sizeof *map->who);
    ct_splat *splats = ct_allocate(&at->heap, count * sizeof *splats);
    assert_int_equal(
        ct_splat_particles(&at->heap, at->pool, view, positions, NULL, count, radius, splats, map, NULL),
        CT_OK);
    ct_release(&at->heap, splats);
}

static void release_map(studio *at, ct_depth_map *map)
{
    ct_release(&at->heap, map->depth);
    ct_release(&at->heap, map->who);
}

/* The pixels of a sphere: their number against the area of its disc, pi r^2 with r = f R / sqrt(z^2 - R^2);
 * their middle against the projection f x / z; the depth of the nearest against z - R. */
static void test_sphere_is_a_disc_of_the_right_size(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    ct_look look = straight_look();
    look.width = 1600, look.height = 1000;
    const double positions[1][3] = {{0.4, -0.3, 0}};
    const double z = 5, radius = 0.2, focal = focal_of(&look),
                 r = focal * radius / sqrt(z * z - radius * radius);
    ct_camera view = ct_camera_of_look(&look, 3, 1);
    ct_depth_map map;
    splat(&at, &view, positions, 1, (float)radius, &map);
    double count = 0, x = 0, y = 0, nearest = INFINITY;
    for (int j = 0; j < look.height; j++)
        for (int i = 0; i < look.width; i++) {
            if (map.who[j * look.width + i] == CT_NOBODY) continue;
            count++, x += i + 0.5, y += j + 0.5;
            nearest = fmin(nearest, map.depth[j * look.width + i]);
        }
    /* Lattice points in a circle differ from its area by less than about r^(2/3) times a few: 1% is ample at
     * r = 55. */
    assert_true(r > 50);
    assert_float_equal(count, 3.14159265 * r * r, 0.01 * 3.14159265 * r * r);
    assert_float_equal(x / count, 800 + focal * positions[0][0] / z, 0.05);
    assert_float_equal(y / count, 500 - focal * positions[0][1] / z, 0.05);
    assert_float_equal(nearest, z - radius, 1e-4);
    release_map(&at, &map);
    studio_close(&at);
}

/* Tiles, slices and blocks must not change anything: every pixel against a search through all spheres. They
 * are crowded, so that most are hidden. */
static void test_depth_map_equals_brute_force(void **state)
{
    (void)state;
    enum { COUNT = 5000, ACROSS = 130, DOWN = 80 };
    studio at;
    studio_open(&at, 3);
    ct_look look = straight_look();
    look.width = ACROSS, look.height = DOWN;
    look.camera.fov = 0.26; /* 61 px a metre: the crowd fills whole tiles */
    static double positions[COUNT][3];
    static ct_splat splats[COUNT];
    uint64_t seed = 7;
    const float radius = 0.15f;
    ct_camera view = ct_camera_of_look(&look, 3, 1);
    for (int p = 0; p < COUNT; p++) {
        for (int a = 0; a < 3; a++) positions[p][a] = 3 * next_random(&seed) - 1.5;
        splats[p] = ct_camera_project(&view, positions[p], radius);
    }
    ct_depth_map map;
    splat(&at, &view, (const double(*)[3])positions, COUNT, radius, &map);
    for (int place = 0; place < ACROSS * DOWN; place++) {
        float depth = INFINITY, x = (float)(place % ACROSS) + 0.5f, y = (float)(place / ACROSS) + 0.5f;
        for (int p = 0; p < COUNT; p++) {
            ct_splat s = splats[p];
            float inverse = 1 / (s.r * s.r), dx = x - s.x, dy = y - s.y;
            float height = 1 - dy * dy * inverse - dx * dx * inverse;
            if (height > 0 && s.z - radius * sqrtf(height) < depth) depth = s.z - radius * sqrtf(height);
        }
        float found = map.depth[place];
        bool is_empty = found == INFINITY;
        assert_true((map.who[place] == CT_NOBODY) == is_empty);
        /* Tiles have their own origin: x - left rounds otherwise than x, which shifts a steep rim by about
         * R sqrt(2 * 1e-5 px / r) = 0.001 m. */
        if (!is_empty && depth != INFINITY) assert_float_equal(found, depth, 2e-3);
    }
    release_map(&at, &map);
    studio_close(&at);
}

/* ---- pictures ---- */

static void test_particle_is_drawn_at_its_place(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_look look = straight_look();
    const double positions[1][3] = {{0.7, 0.4, 0}};
    ct_frame empty = frame_of(NULL, 0, 3), frame = frame_of(positions, 1, 3);
    double bounds[2][3] = {{-1, -1, -1}, {1, 1, 1}}, focal = focal_of(&look), count = 0, x = 0, y = 0;
    memcpy(look.bounds, bounds, sizeof bounds);
    ct_image without = draw(&at, &look, &empty), with = draw(&at, &look, &frame);
    for (size_t place = 0; place < (size_t)WIDTH * HEIGHT; place++)
        if (pixels_differ(&without, &with, place)) {
            count++;
            x += (double)(place % WIDTH) + 0.5;
            y += (double)(place / WIDTH) + 0.5;
        }
    double r = focal * 0.5 / sqrt(25 - 0.25);
    assert_true(count >=
                3.1416 * r * r * 0.98); /* the rim's pixels count whole: half a pixel more all around, */
    assert_true(count <= 3.1416 * (r + 1) * (r + 1)); /* at most one */
    assert_float_equal(x / count, 0.5 * WIDTH + focal * 0.7 / 5, 0.3);
    assert_float_equal(y / count, 0.5 * HEIGHT - focal * 0.4 / 5, 0.3);
    ct_image_release(&without);
    ct_image_release(&with);
    studio_close(&at);
}

/* The middle of a picture of two particles behind one another, of body 0 and 1. */
static void middle_of_two(double z0, double z1, uint8_t rgb[3])
{
    studio at;
    studio_open(&at, 1);
    ct_look look = straight_look();
    const double colors[2][3] = {{0.8, 0.02, 0.02}, {0.02, 0.02, 0.8}};
    look.body_colors = colors, look.body_count = 2;
    const double positions[2][3] = {{0, 0, z0}, {0, 0, z1}};
    const uint16_t bodies[2] = {0, 1};
    ct_frame_field field = {{.name = "body", .type = CT_TYPE_UINT16, .components = 1}, bodies};
    ct_frame frame = frame_of(positions, 2, 3);
    frame.fields = &field, frame.field_count = 1;
    ct_image image = draw(&at, &look, &frame);
    memcpy(rgb, image.pixels[HEIGHT / 2 * WIDTH + WIDTH / 2], 3);
    ct_image_release(&image);
    studio_close(&at);
}

static void test_nearer_hides_farther(void **state)
{
    (void)state;
    uint8_t rgb[3];
    middle_of_two(1, -1, rgb); /* the red one is nearer to the camera at z = 5 */
    assert_true(rgb[0] > 2 * rgb[2]);
    middle_of_two(-1, 1, rgb);
    assert_true(rgb[2] > 2 * rgb[0]);
}

/* A cloud of particles with bodies and velocities; released with free. */
typedef struct cloud {
    double (*positions)[3];
    float (*velocity)[3];
    uint16_t *body;
    ct_frame_field fields[2];
    ct_frame frame;
} cloud;

static void make_cloud(cloud *self, size_t count, int dimension, double offset)
{
    uint64_t seed = 1;
    self->positions = malloc(count * sizeof *self->positions);
    self->velocity = malloc(count * sizeof *self->velocity);
    self->body = malloc(count * sizeof *self->body);
    for (size_t p = 0; p < count; p++) {
        for (int a = 0; a < 3; a++) {
            self->positions[p][a] = a < dimension ? offset + floor(0x1p16 * next_random(&seed)) * 0x1p-16 : 0;
            self->velocity[p][a] = (float)(a < dimension ? self->positions[p][a] - offset : 0);
        }
        self->body[p] = (uint16_t)(p % 5);
    }
    self->fields[0] = (ct_frame_field){{.name = "body", .type = CT_TYPE_UINT16, .components = 1}, self->body};
    self->fields[1] = (ct_frame_field){
        {.name = "velocity", .unit = "m/s", .type = CT_TYPE_FLOAT32, .components = 3}, self->velocity};
    self->frame = frame_of((const double(*)[3])self->positions, count, dimension);
    self->frame.fields = self->fields;
    self->frame.field_count = 2;
}

static void free_cloud(cloud *self)
{
    free(self->positions);
    free(self->velocity);
    free(self->body);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    for (int dimension = 2; dimension <= 3; dimension++) {
        cloud particles;
        make_cloud(&particles, 20000, dimension, 0);
        ct_look look = {
            .width = 301, .height = 203, .has_ground = true, .color_by = dimension == 3 ? NULL : "speed"};
        ct_image images[3];
        studio at[3];
        for (int k = 0; k < 3; k++) {
            studio_open(&at[k], threads[k]);
            images[k] = draw(&at[k], &look, &particles.frame);
        }
        assert_true(images_are_equal(&images[0], &images[1]));
        assert_true(images_are_equal(&images[0], &images[2]));
        for (int k = 0; k < 3; k++) {
            ct_image_release(&images[k]);
            studio_close(&at[k]);
        }
        free_cloud(&particles);
    }
}

/* Positions are taken relative to the eye in double precision: a scene 2^20 m away looks the same, but for
 * the rounding of the camera's place. */
static void test_far_from_the_origin_looks_alike(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    cloud near, far;
    make_cloud(&near, 5000, 3, 0);
    make_cloud(&far, 5000, 3, 0x1p20);
    ct_look look = {.width = 160, .height = 100, .has_ground = true};
    ct_image a = draw(&at, &look, &near.frame);
    look.ground = 0x1p20;
    ct_image b = draw(&at, &look, &far.frame);
    int different = 0;
    for (int k = 0; k < 160 * 100 * 3; k++)
        different += abs(a.pixels[k / 3][k % 3] - b.pixels[k / 3][k % 3]) > 3;
    assert_true(different < 160 * 100 * 3 / 100);
    ct_image_release(&a);
    ct_image_release(&b);
    free_cloud(&near);
    free_cloud(&far);
    studio_close(&at);
}

static void test_particles_that_are_nowhere_are_left_out(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    const double whole[3][3] = {{0, 0, 0}, {0.5, 0.2, 0.1}, {0.2, 0.6, 0.3}};
    const double broken[6][3] = {{0, 0, 0},   {0.5, 0.2, 0.1},  {0.2, 0.6, 0.3},
                                 {NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -1e300}};
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_look look = {.width = 99, .height = 55, .radius = 0.1, .has_ground = true};
        ct_frame a = frame_of(whole, 3, dimension), b = frame_of(broken, 6, dimension);
        ct_image first = draw(&at, &look, &a), second = draw(&at, &look, &b);
        assert_true(images_are_equal(&first, &second));
        ct_image_release(&first);
        ct_image_release(&second);
    }
    const double nowhere[1][3] = {{NAN, NAN, NAN}};
    ct_look look = {.width = 20, .height = 20};
    ct_frame frame = frame_of(nowhere, 1, 3);
    ct_image image = draw(&at, &look, &frame);
    ct_image_release(&image);
    studio_close(&at);
}

static void test_odd_sizes_and_empty_frames(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {2, 3}, {65, 63}, {641, 361}};
    studio at;
    studio_open(&at, 2);
    const double one[1][3] = {{3, 4, 5}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (size_t count = 0; count < 2; count++) {
                ct_look look = {
                    .width = sizes[k][0], .height = sizes[k][1], .has_ground = true, .has_walls = true};
                look.walls[1][0] = look.walls[1][1] = look.walls[1][2] = 9;
                ct_frame frame = frame_of(one, count, dimension);
                ct_image image = draw(&at, &look, &frame);
                assert_int_equal(image.width, sizes[k][0]);
                assert_int_equal(image.height, sizes[k][1]);
                ct_image_release(&image);
            }
    studio_close(&at);
}

/* 2D: a disc of radius R is R f pixels, and the page is the page. */
static void test_plane_has_discs_on_a_page(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    const double positions[1][3] = {{1, 1, 0}};
    ct_look look = {.width = 400, .height = 400, .radius = 0.5, .bounds = {{0, 0, 0}, {3, 3, 0}}};
    ct_frame frame = frame_of(positions, 1, 2);
    ct_image image = draw(&at, &look, &frame);
    const uint8_t *page = image.pixels[0];
    double count = 0, x = 0, y = 0;
    for (size_t place = 0; place < 400 * 400; place++) {
        int off = 0;
        for (int c = 0; c < 3; c++)
            off = abs(image.pixels[place][c] - page[c]) > off ? abs(image.pixels[place][c] - page[c]) : off;
        if (off <= 1) continue; /* the page is dithered by one level */
        count++, x += (double)(place % 400) + 0.5, y += (double)(place / 400) + 0.5;
    }
    /* The bounds get a radius of room on each side, so 4 m fill 96% of 400 px. */
    double scale = 0.96 * 400 / 4, r = 0.5 * scale;
    assert_true(count >= 3.1416 * r * r * 0.98 && count <= 3.1416 * (r + 1) * (r + 1));
    assert_float_equal(x / count, 200 + scale * (1 - 1.5), 0.2);
    assert_float_equal(y / count, 200 - scale * (1 - 1.5), 0.2);
    ct_image_release(&image);
    studio_close(&at);
}

/* All corners of the bounds are in the image, and at least one is at the margin (96%). */
static void test_fitted_camera_shows_the_bounds(void **state)
{
    (void)state;
    ct_look look = {.width = 1280, .height = 720, .bounds = {{-3, 10, 2}, {5, 11, 4}}};
    for (int turn = 0; turn < 12; turn++) {
        look.turn = turn * 0.5236;
        ct_camera view = ct_camera_of_look(&look, 3, 1);
        double most = 0;
        for (int corner = 0; corner < 8; corner++) {
            double position[3];
            for (int a = 0; a < 3; a++) position[a] = look.bounds[corner >> a & 1][a];
            ct_splat s = ct_camera_project(&view, position, 1e-3f);
            assert_true(s.r > 0);
            most = fmax(most, fmax(fabs((double)s.x / 640 - 1), fabs((double)s.y / 360 - 1)));
        }
        assert_float_equal(most, 0.96, 1e-3);
    }
}

/* The bar's ends have the colours of the map's ends, and letters are there. */
static void test_legend_is_drawn(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    cloud particles;
    make_cloud(&particles, 3000, 3, 0);
    ct_look look = {.width = 640, .height = 360, .color_by = "speed", .range = {0, 2}};
    ct_image image = draw(&at, &look, &particles.frame);
    /* As overlay.c lays it out with letters of 11 px: a bar of 165 x 6.8 at 17.6 from the right and 35.2 from
     * the top, the words above it. */
    int left = 640 - 165 - 17, top = 35;
    /* The middles of the second and the last but one of its pixels, of 165. */
    ct_vec low = ct_color_sequential(2.1f / 165), high = ct_color_sequential(164.1f / 165);
    const uint8_t *first = image.pixels[(top + 3) * 640 + left + 1],
                  *last = image.pixels[(top + 3) * 640 + left + 163];
    assert_true(abs(first[0] - ct_srgb_byte(low.x)) <= 2 && abs(first[2] - ct_srgb_byte(low.z)) <= 4);
    assert_true(abs(last[0] - ct_srgb_byte(high.x)) <= 2 && abs(last[2] - ct_srgb_byte(high.z)) <= 4);
    int bright = 0;
    for (int y = 18; y < 31; y++)
        for (int x = left; x < left + 66; x++)
            bright += image.pixels[y * 640 + x][1] > 150; /* "speed [m/s]" */
    assert_true(bright > 60 && bright < 66 * 13 / 2);
    ct_image_release(&image);
    free_cloud(&particles);
    studio_close(&at);
}

/* ---- refusals ---- */

static void assert_refused(const ct_look *look, const ct_frame *frame, const char *part)
{
    studio at;
    studio_open(&at, 1);
    ct_image image;
    ct_error error;
    assert_int_equal(ct_look_draw(&at.heap, at.pool, look, frame, &image, &error), CT_BAD_USAGE);
    assert_message_has(&error, part);
    assert_null(image.pixels);
    studio_close(&at);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    cloud particles;
    make_cloud(&particles, 10, 3, 0);
    ct_look look = {.width = -1, .height = 5};
    assert_refused(&look, &particles.frame, "-1 x 5");
    look = (ct_look){.width = 100000, .height = 5};
    assert_refused(&look, &particles.frame, "100000 x 5");
    look = (ct_look){.color_by = "pressure"};
    assert_refused(&look, &particles.frame, "it holds: body, velocity");
    look = straight_look();
    look.camera.target[2] = 5;
    assert_refused(&look, &particles.frame, "two different places");
    look = straight_look();
    look.camera.from[0] = NAN;
    assert_refused(&look, &particles.frame, "two different places");
    look = straight_look();
    look.camera.fov = 0;
    assert_refused(&look, &particles.frame, "field of view");
    particles.frame.dimension = 4;
    look = (ct_look){.width = 10, .height = 10};
    assert_refused(&look, &particles.frame, "dimension 4");
    free_cloud(&particles);
}

static void test_any_allocation_may_fail(void **state)
{
    (void)state;
    cloud particles;
    make_cloud(&particles, 100, 3, 0);
    studio at;
    studio_open(&at, 2);
    ct_look look = {.width = 64, .height = 36, .has_ground = true, .color_by = "speed"};
    int failures = 0;
    for (ct_status status = CT_NO_MEMORY; status; failures++) {
        failing budget = {failures};
        ct_heap heap;
        ct_heap_init(&heap, failing_allocator(&budget));
        ct_image image;
        ct_error error;
        status = ct_look_draw(&heap, at.pool, &look, &particles.frame, &image, &error);
        if (status) assert_int_equal(status, CT_NO_MEMORY);
        ct_image_release(&image);
        assert_int_equal(heap.bytes, 0);
    }
    assert_true(failures > 15);
    free_cloud(&particles);
    studio_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_is_a_disc_of_the_right_size),
        cmocka_unit_test(test_depth_map_equals_brute_force),
        cmocka_unit_test(test_particle_is_drawn_at_its_place),
        cmocka_unit_test(test_nearer_hides_farther),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_far_from_the_origin_looks_alike),
        cmocka_unit_test(test_particles_that_are_nowhere_are_left_out),
        cmocka_unit_test(test_odd_sizes_and_empty_frames),
        cmocka_unit_test(test_plane_has_discs_on_a_page),
        cmocka_unit_test(test_fitted_camera_shows_the_bounds),
        cmocka_unit_test(test_legend_is_drawn),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
