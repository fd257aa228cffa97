/* Traced pictures: absorption, nesting, the same bits for any number of threads, and the denoiser. */
#include "support.h"

#include "look/denoise.h"
#include "look/trace_parts.h"
#include "scene/looks.h"

/* A box from z = -half to half, wide in x and y, outwards. */
static void make_slab(ct_piece *piece, float half, float (*points)[4], uint32_t (*triangles)[3])
{
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 8; k++) {
        points[k][0] = k & 1 ? 1.0f : -1.0f;
        points[k][1] = k & 2 ? 1.0f : -1.0f;
        points[k][2] = k & 4 ? half : -half;
    }
    for (int f = 0; f < 6; f++)
        for (int t = 0; t < 2; t++)
            for (int c = 0; c < 3; c++) triangles[2 * f + t][c] = faces[f][c ? c + t : 0];
    *piece = (ct_piece){.shape = CT_PIECE_TRIANGLES, .is_clear = true, .point_count = 8, .part_count = 12};
    piece->points[0] = points;
    piece->triangles = triangles;
}

typedef struct slabs {
    float points[2][9][4];
    uint32_t triangles[2][12][3];
    ct_piece pieces[2];
    ct_traced traced;
    ct_path_scene scene;
    ct_tracer *tracer;
} slabs;

static void open_slabs(studio *at, slabs *self, int count)
{
    ct_error error;
    self->traced = (ct_traced){.heap = &at->heap, .size = 1, .pieces = self->pieces, .count = count};
    if (ct_tracer_create(&at->heap, &self->traced, &self->tracer, &error)) fail_msg("%s", error.message);
    self->scene = (ct_path_scene){.traced = &self->traced, .tracer = self->tracer};
    self->scene.studio = ct_studio_make((ct_vec){0, 1, 0}, true, false, 0);
}

/* Light that comes straight through, as a share of the backdrop: the mean of some paths, as faint ones are
 * left to chance. */
static ct_vec share_through(const slabs *self, uint32_t samples)
{
    ct_ray ray = {.from = {0.1f, 0.2f, 0.9f}, .direction = {0, 0, -1}};
    ct_vec all = ct_studio_backdrop(&self->scene.studio, ray.direction), seen = {0, 0, 0};
    for (uint32_t k = 0; k < samples; k++) {
        ct_random random = {.pixel = 3, .sample = k};
        seen = ct_vec_add(seen, ct_path_follow(&self->scene, ray, &random).light);
    }
    seen = ct_vec_scale(seen, 1 / (float)samples);
    return (ct_vec){seen.x / all.x, seen.y / all.y, seen.z / all.z};
}

/* Beer's law: exp(-a d); its surfaces do not reflect, as its index is that of air. */
static void test_absorption_through_a_slab(void **state)
{
    (void)state;
    if (!ct_trace_is_possible()) skip();
    studio at;
    studio_open(&at, 1);
    static const float halves[] = {0.05f, 0.1f, 0.4f};
    for (int k = 0; k < 3; k++) {
        slabs self = {0};
        make_slab(&self.pieces[0], halves[k], self.points[0], self.triangles[0]);
        self.pieces[0].inside = (ct_inside){.absorb = {1, 2, 4}, .ior = 1};
        open_slabs(&at, &self, 1);
        ct_vec share = share_through(&self, 1);
        assert_float_equal(share.x, expf(-2 * halves[k]), 1e-5f);
        assert_float_equal(share.y, expf(-4 * halves[k]), 1e-5f);
        assert_float_equal(share.z, expf(-8 * halves[k]), 1e-5f);
        ct_tracer_destroy(self.tracer);
    }
    slabs clear = {0}; /* control */
    make_slab(&clear.pieces[0], 0.4f, clear.points[0], clear.triangles[0]);
    clear.pieces[0].inside = (ct_inside){.ior = 1};
    open_slabs(&at, &clear, 1);
    assert_float_equal(share_through(&clear, 1).x, 1, 1e-5f);
    ct_tracer_destroy(clear.tracer);
    studio_close(&at);
}

/* Where two clear things overlap the first counts: 0.2 of the first, then 0.3 of the second that is outside
 * of it. */
static void test_the_higher_rank_counts_where_clear_things_overlap(void **state)
{
    (void)state;
    if (!ct_trace_is_possible()) skip();
    studio at;
    studio_open(&at, 1);
    slabs self = {0};
    make_slab(&self.pieces[0], 0.1f, self.points[0], self.triangles[0]);
    make_slab(&self.pieces[1], 0.25f, self.points[1], self.triangles[1]);
    self.pieces[0].inside = (ct_inside){.absorb = {1, 1, 1}, .ior = 1};
    self.pieces[1].inside = (ct_inside){.absorb = {3, 3, 3}, .ior = 1};
    open_slabs(&at, &self, 2);
    assert_float_equal(share_through(&self, 4096).x, expf(-0.2f - 3 * 0.3f), 0.002f);
    ct_tracer_destroy(self.tracer);
    studio_close(&at);
}

/* ---- whole pictures ---- */

enum { SIDE = 12, PARTICLES = SIDE * SIDE * SIDE };
static double positions[PARTICLES][3], velocities[PARTICLES][3];
static uint16_t bodies[PARTICLES];

/* A block, half of the first body and half of the second. */
static ct_frame make_frame(ct_frame_field fields[2])
{
    uint64_t seed = 11;
    for (int p = 0; p < PARTICLES; p++) {
        const int cell[3] = {p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE};
        for (int a = 0; a < 3; a++) positions[p][a] = 0.05 * (cell[a] + next_random(&seed));
        velocities[p][0] = positions[p][1];
        bodies[p] = cell[0] >= SIDE / 2;
    }
    fields[0] = (ct_frame_field){{.name = "body", .type = CT_TYPE_UINT16, .components = 1}, bodies};
    fields[1] = (ct_frame_field){{.name = "velocity", .type = CT_TYPE_FLOAT64, .components = 3}, velocities};
    return (ct_frame){.count = PARTICLES,
                      .dimension = 3,
                      .position = (const double(*)[3])positions,
                      .fields = fields,
                      .field_count = 2};
}

static ct_image trace(int threads, const ct_trace_def *def)
{
    studio at;
    studio_open(&at, threads);
    ct_frame_field fields[2];
    ct_frame frame = make_frame(fields);
    ct_material_def water = {.type = "fluid"}, sand = {.type = "drucker_prager"};
    const ct_material_look *const looks[2] = {ct_look_of_material(&water), ct_look_of_material(&sand)};
    static const double colors[2][3] = {{0.2, 0.6, 0.8}, {0.7, 0.5, 0.2}};
    ct_look look = {.width = 48, .height = 36, .trace = def, .has_ground = true};
    look.body_looks = looks;
    look.body_colors = colors;
    look.body_count = 2;
    static ct_heap lasting;
    ct_heap_init(&lasting, (ct_allocator){0});
    ct_image image;
    ct_error error;
    if (ct_look_draw(&lasting, at.pool, &look, &frame, &image, &error)) fail_msg("%s", error.message);
    studio_close(&at);
    return image;
}

static bool is_same(const ct_image *a, const ct_image *b)
{
    return !memcmp(a->pixels, b->pixels, (size_t)a->width * (size_t)a->height * sizeof *a->pixels);
}

static void test_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    if (!ct_trace_is_possible()) skip();
    ct_trace_def def = {.samples = 16, .shutter = 0.05, .aperture = 0.02}, other = def;
    other.shutter = 0; /* control: the comparison sees what differs */
    ct_image one = trace(1, &def), two = trace(2, &def), three = trace(3, &def), still = trace(2, &other);
    assert_true(is_same(&one, &two));
    assert_true(is_same(&one, &three));
    assert_false(is_same(&one, &still));
    ct_image_release(&one);
    ct_image_release(&two);
    ct_image_release(&three);
    ct_image_release(&still);
}

static bool stop_at_once(void *user)
{
    *(int *)user += 1;
    return true;
}

static void test_it_can_be_stopped_and_tells_what_cannot_be_traced(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    int asked = 0;
    ct_error error;
    ct_image image;
    ct_trace_def def = {.samples = 4, .should_stop = stop_at_once, .user = &asked};
    ct_look look = {.width = 320, .height = 200, .trace = &def};
    ct_frame_field fields[2];
    ct_frame frame = make_frame(fields), flat = frame;
    flat.dimension = 2;
    assert_int_equal(ct_look_draw(&at.heap, at.pool, &look, &flat, &image, &error), CT_BAD_USAGE);
    assert_int_equal(ct_look_draw(&at.heap, at.pool, &look, &frame, &image, &error), CT_FAILED);
    if (ct_trace_is_possible()) {
        assert_message_has(&error, "interrupted");
        assert_in_range(asked, 1, 8); /* of 260 tiles */
    } else {
        assert_message_has(&error, "libembree-dev");
    }
    studio_close(&at);
}

/* ---- looks ---- */

static void test_a_material_has_the_look_it_names_or_that_of_its_model(void **state)
{
    (void)state;
    static const char *const expected[][2] = {{"fluid", "water"},
                                              {"drucker_prager", "sand"},
                                              {"snow", "snow"},
                                              {"nacc", "clay"},
                                              {"von_mises", "steel"},
                                              {"viscous", "honey"},
                                              {"fixed_corotated", "plain"},
                                              {"now", "plain"}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        ct_material_def material = {.type = expected[k][0]};
        assert_string_equal(ct_look_of_material(&material)->name, expected[k][1]);
    }
    for (int k = 0; ct_look_at(k); k++) {
        ct_material_def material = {.type = "fluid", .look = k + 1};
        assert_ptr_equal(ct_look_of_material(&material), ct_look_at(k));
    }
}

/* ---- the denoiser ---- */

enum { WIDE = 40, HIGH = 24 };

static void fill_pixels(ct_noisy_pixel *pixels, float noise)
{
    uint64_t seed = 5;
    for (int k = 0; k < WIDE * HIGH; k++) {
        bool is_right = k % WIDE >= WIDE / 2;
        float light = (is_right ? 0.8f : 0.3f) * (1 + noise * (float)(next_random(&seed) - 0.5));
        pixels[k] = (ct_noisy_pixel){.light = {light, light, light}, .depth = 1, .matte = 1};
        pixels[k].variance = light * light * noise * noise / 12;
        pixels[k].albedo = is_right ? (ct_vec){0.8f, 0.8f, 0.8f} : (ct_vec){0.3f, 0.3f, 0.3f};
        pixels[k].normal = is_right ? (ct_vec){1, 0, 0} : (ct_vec){0, 1, 0};
    }
}

static double error_of(const ct_noisy_pixel *pixels)
{
    double sum = 0;
    for (int k = 0; k < WIDE * HIGH; k++)
        sum += fabs((double)pixels[k].light.x - (k % WIDE >= WIDE / 2 ? 0.8 : 0.3));
    return sum / (WIDE * HIGH);
}

static void test_the_denoiser_keeps_what_is_constant_and_takes_noise(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    static ct_noisy_pixel pixels[WIDE * HIGH], scratch[WIDE * HIGH];
    fill_pixels(pixels, 0);
    ct_denoise(at.pool, WIDE, HIGH, pixels, scratch);
    for (int k = 0; k < WIDE * HIGH; k++)
        assert_float_equal(pixels[k].light.x, (k % WIDE >= WIDE / 2 ? 0.8f : 0.3f), 1e-6f);
    fill_pixels(pixels, 0.5f); /* control: it does something, and the edge stays */
    double before = error_of(pixels);
    ct_denoise(at.pool, WIDE, HIGH, pixels, scratch);
    assert_true(error_of(pixels) < 0.25 * before);
    studio_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absorption_through_a_slab),
        cmocka_unit_test(test_the_higher_rank_counts_where_clear_things_overlap),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_it_can_be_stopped_and_tells_what_cannot_be_traced),
        cmocka_unit_test(test_a_material_has_the_look_it_names_or_that_of_its_model),
        cmocka_unit_test(test_the_denoiser_keeps_what_is_constant_and_takes_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
