/* What is left out must not be seen, and triangles are where geometry says. */
#include "support.h"

#include "look/cull.h"
#include "look/triangles.h"

/* ---- culling ---- */

enum { SIDE = 32, LATTICE = SIDE * SIDE * SIDE };
static double lattice[LATTICE][3];

/* A cube of particles at distance 1, each moved a little; `stretch` makes it loose. */
static ct_frame make_cube(double stretch)
{
    uint64_t seed = 7;
    for (int p = 0; p < LATTICE; p++) {
        int at[3] = {p / SIDE / SIDE, p / SIDE % SIDE, p % SIDE};
        for (int a = 0; a < 3; a++) lattice[p][a] = stretch * (at[a] + 0.2 + 0.6 * next_random(&seed));
    }
    return (ct_frame){.count = LATTICE, .dimension = 3, .position = (const double(*)[3])lattice};
}

static int layer_of(int p)
{
    int at[3] = {p / SIDE / SIDE, p / SIDE % SIDE, p % SIDE}, least = SIDE;
    for (int a = 0; a < 3; a++) {
        least = at[a] < least ? at[a] : least;
        least = SIDE - 1 - at[a] < least ? SIDE - 1 - at[a] : least;
    }
    return least;
}

static ct_shown cull(studio *at, const ct_frame *frame)
{
    static const double bounds[2][3] = {{0, 0, 0}, {SIDE, SIDE, SIDE}};
    ct_shown shown;
    assert_int_equal(ct_cull(&at->heap, at->pool, frame, bounds, 1, &shown, NULL), CT_OK);
    for (size_t k = 1; k < shown.count; k++) assert_true(shown.particles[k - 1] < shown.particles[k]);
    return shown;
}

static void test_only_the_inside_is_left_out(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        studio at;
        studio_open(&at, threads);
        ct_frame frame = make_cube(1);
        ct_shown shown = cull(&at, &frame);
        /* Four layers hide what is behind them: a cube's two nearest cells are drawn, whatever the jitter. */
        bool is_shown[LATTICE] = {false};
        for (size_t k = 0; k < shown.count; k++) is_shown[shown.particles[k]] = true;
        for (int p = 0; p < LATTICE; p++) {
            if (layer_of(p) < 4) assert_true(is_shown[p]);
            if (layer_of(p) >= 6) assert_false(is_shown[p]);
        }
        ct_release(&at.heap, shown.particles);
        /* The control: the same particles 1.1 times as far apart hide nothing for sure, and all are drawn. */
        frame = make_cube(1.1);
        shown = cull(&at, &frame);
        assert_int_equal(shown.count, LATTICE);
        ct_release(&at.heap, shown.particles);
        frame.dimension = 2;
        shown = cull(&at, &frame);
        assert_int_equal(shown.count, LATTICE);
        ct_release(&at.heap, shown.particles);
        studio_close(&at);
    }
}

/* A picture with the inside is the same, to the byte, as one without: particles that are culled would have
 * lost against what is before them. */
static void test_pictures_do_not_change(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_frame frame = make_cube(1);
    ct_shown shown = cull(&at, &frame);
    assert_true(shown.count < LATTICE * 3 / 4);
    ct_look look = {.width = 320, .height = 180, .radius = 0.72};
    ct_look_include(&at.heap, &look, &frame, NULL);
    enum { WIDTH = 320, HEIGHT = 180 };
    static float with[WIDTH * HEIGHT], without[WIDTH * HEIGHT];
    static ct_splat splats[LATTICE];
    ct_camera view = ct_camera_of_look(&look, 3, 1);
    ct_depth_map maps[2] = {{.width = WIDTH, .height = HEIGHT, .depth = with},
                            {.width = WIDTH, .height = HEIGHT, .depth = without}};
    assert_int_equal(ct_splat_particles(&at.heap, at.pool, &view, frame.position, NULL, LATTICE, 0.72f,
                                        splats, &maps[0], NULL),
                     CT_OK);
    assert_int_equal(ct_splat_particles(&at.heap, at.pool, &view, frame.position, shown.particles,
                                        shown.count, 0.72f, splats, &maps[1], NULL),
                     CT_OK);
    assert_memory_equal(with, without, sizeof with);
    ct_release(&at.heap, shown.particles);
    studio_close(&at);
}

/* ---- triangles ---- */

enum { WIDE = 200, HIGH = 100 };

typedef struct scene {
    studio at;
    ct_look look;
    ct_look_mesh mesh;
    ct_camera view;
    ct_depth_map map;
    float depth[WIDE * HIGH];
    int32_t who[WIDE * HIGH];
} scene;

/* The camera is at the origin's front, 4 m away on the z axis, and looks along -z. */
static void scene_open(scene *self, int threads)
{
    *self = (scene){.look = {.width = WIDE, .height = HIGH, .bounds = {{-1, -1, -1}, {1, 1, 1}}}};
    studio_open(&self->at, threads);
    self->look.camera = (ct_camera_def){.is_set = true, .from = {0, 0, 4}, .fov = 0.8};
    self->look.meshes = &self->mesh;
    self->look.mesh_count = 1;
    self->view = ct_camera_of_look(&self->look, 3, 1);
    self->map = (ct_depth_map){.width = WIDE, .height = HIGH, .depth = self->depth, .who = self->who};
}

static void scene_draw(scene *self)
{
    for (int k = 0; k < WIDE * HIGH; k++) self->depth[k] = INFINITY, self->who[k] = CT_NOBODY;
    ct_triangles triangles;
    assert_int_equal(ct_triangles_create(&self->at.heap, &self->look, &triangles, NULL), CT_OK);
    ct_triangles_draw(self->at.pool, &self->view, &triangles, 1000, &self->map);
    ct_triangles_release(&triangles);
}

/* A tilted plane z = x / 2 through two triangles: wherever it is drawn, the point lies on it. */
static void test_depth_of_a_plane(void **state)
{
    (void)state;
    static const double vertices[4][3] = {{-1, -1, -0.5}, {1, -1, 0.5}, {1, 1, 0.5}, {-1, 1, -0.5}};
    static const uint32_t corners[2][3] = {{0, 1, 2}, {3, 0, 2}}; /* either way round */
    scene self;
    scene_open(&self, 2);
    self.mesh =
        (ct_look_mesh){.vertices = vertices, .vertex_count = 4, .triangles = corners, .triangle_count = 2};
    scene_draw(&self);
    int seen[2] = {0, 0};
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            int32_t who = self.who[y * WIDE + x];
            if (who == CT_NOBODY) continue;
            seen[who - 1000]++;
            ct_vec p =
                ct_camera_unproject(&self.view, (float)x + 0.5f, (float)y + 0.5f, self.depth[y * WIDE + x]);
            assert_true(fabsf((4 - p.z) - 0.5f * p.x) < 1e-5f); /* float, at 4 m */
        }
    assert_true(seen[0] > 500 && seen[1] > 500);
    int middle = HIGH / 2 * WIDE + WIDE / 2;
    assert_true(fabsf(self.depth[middle] - 4) < 0.05f);
    studio_close(&self.at);
}

/* A floor that reaches far behind the eye is cut, not lost: it fills the lower half of the image. */
static void test_behind_the_eye(void **state)
{
    (void)state;
    static const double vertices[3][3] = {{-1000, -1, -1000}, {1000, -1, -1000}, {0, -1, 1000}};
    static const uint32_t corners[1][3] = {{0, 1, 2}};
    scene self;
    scene_open(&self, 1);
    self.mesh =
        (ct_look_mesh){.vertices = vertices, .vertex_count = 3, .triangles = corners, .triangle_count = 1};
    scene_draw(&self);
    for (int x = 0; x < WIDE; x++) {
        assert_int_equal(self.who[(HIGH - 1) * WIDE + x], 1000);
        assert_int_equal(self.who[x], CT_NOBODY);
        float height =
            ct_camera_unproject(&self.view, (float)x + 0.5f, HIGH - 0.5f, self.depth[(HIGH - 1) * WIDE + x])
                .y;
        assert_true(fabsf(height + 1) < 1e-3f); /* the eye is 4 m away, corners 1000 m: float */
    }
    studio_close(&self.at);
}

static void test_broken_mesh(void **state)
{
    (void)state;
    static const double vertices[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t corners[1][3] = {{0, 1, 3}};
    scene self;
    scene_open(&self, 1);
    self.mesh =
        (ct_look_mesh){.vertices = vertices, .vertex_count = 3, .triangles = corners, .triangle_count = 1};
    ct_frame frame = {.dimension = 3};
    ct_image image;
    ct_error error;
    assert_int_equal(ct_look_draw(&self.at.heap, self.at.pool, &self.look, &frame, &image, &error),
                     CT_BAD_USAGE);
    assert_message_has(&error, "no vertex 3");
    studio_close(&self.at);
}

/* Every vertex of a tube is its radius away from the line, and its triangles close it. */
static void test_tube(void **state)
{
    (void)state;
    enum { POINTS = 9 };
    double points[POINTS][3], vertices[POINTS * CT_TUBE_SIDES][3];
    uint32_t triangles[2 * CT_TUBE_SIDES * (POINTS - 1)][3];
    for (int k = 0; k < POINTS; k++) points[k][0] = 0, points[k][1] = k, points[k][2] = 0;
    ct_tube((const double(*)[3])points, POINTS, 0.1, vertices, triangles);
    for (int v = 0; v < POINTS * CT_TUBE_SIDES; v++) {
        assert_true(fabs(hypot(vertices[v][0], vertices[v][2]) - 0.1) < 1e-12);
        assert_true(fabs(vertices[v][1] - v / CT_TUBE_SIDES) < 1e-12);
    }
    int uses[POINTS * CT_TUBE_SIDES] = {0};
    for (int t = 0; t < 2 * CT_TUBE_SIDES * (POINTS - 1); t++)
        for (int c = 0; c < 3; c++) uses[triangles[t][c]]++;
    for (int v = 0; v < POINTS * CT_TUBE_SIDES; v++) {
        bool is_end = v < CT_TUBE_SIDES || v >= (POINTS - 1) * CT_TUBE_SIDES;
        assert_int_equal(uses[v], is_end ? 3 : 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_inside_is_left_out),
        cmocka_unit_test(test_pictures_do_not_change),
        cmocka_unit_test(test_depth_of_a_plane),
        cmocka_unit_test(test_behind_the_eye),
        cmocka_unit_test(test_broken_mesh),
        cmocka_unit_test(test_tube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
