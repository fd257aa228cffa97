/* Surfaces of particles: closed, outward, where the body ends, and the same for any number of threads. */
#include "support.h"

#include "look/skin.h"

enum { MOST = 60000 };
static double points[MOST][3];

/* Particles about 1 apart, one at random in each unit cell, wherever `is_inside` says. */
static ct_frame fill(double reach, bool (*is_inside)(const double x[3]))
{
    uint64_t seed = 3, count = 0;
    int side = (int)ceil(reach);
    for (int i = -side; i < side; i++)
        for (int j = -side; j < side; j++)
            for (int k = -side; k < side; k++) {
                double x[3] = {i + next_random(&seed), j + next_random(&seed), k + next_random(&seed)};
                if (is_inside(x) && count < MOST) memcpy(points[count++], x, sizeof x);
            }
    return (ct_frame){.count = count, .dimension = 3, .position = (const double(*)[3])points};
}

static double length_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static bool in_ball(const double x[3])
{
    return length_of(x) < 16;
}

static bool in_slab(const double x[3])
{
    return fabs(x[1]) < 5;
}

static bool in_shell(const double x[3])
{
    return length_of(x) < 18 && length_of(x) > 9;
}

static bool in_two_balls(const double x[3])
{
    const double left[3] = {x[0] + 10, x[1], x[2]}, right[3] = {x[0] - 10, x[1], x[2]};
    return length_of(left) < 7 || length_of(right) < 7;
}

static ct_skin make(studio *at, const ct_frame *frame, ct_skin_def def)
{
    ct_skin skin;
    ct_error error;
    if (ct_skin_create(&at->heap, at->pool, &def, frame, &skin, &error)) fail_msg("%s", error.message);
    return skin;
}

static double volume_of(const ct_skin *skin)
{
    double sum = 0;
    for (size_t t = 0; t < skin->triangle_count; t++) {
        const double *a = skin->vertices[skin->triangles[t][0]], *b = skin->vertices[skin->triangles[t][1]],
                     *c = skin->vertices[skin->triangles[t][2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every edge is walked once in either direction: closed and oriented. */
static void assert_closed(const ct_skin *skin)
{
    size_t count = 3 * skin->triangle_count;
    uint64_t *there = malloc(count * sizeof *there), *back = malloc(count * sizeof *back);
    for (size_t k = 0; k < count; k++) {
        uint64_t a = skin->triangles[k / 3][k % 3], b = skin->triangles[k / 3][(k + 1) % 3];
        there[k] = a << 32 | b;
        back[k] = b << 32 | a;
    }
    qsort(there, count, sizeof *there, by_value);
    qsort(back, count, sizeof *back, by_value);
    assert_memory_equal(there, back, count * sizeof *there);
    for (size_t k = 1; k < count; k++) assert_true(there[k - 1] != there[k]);
    free(there);
    free(back);
}

/* vertices - edges + triangles: 2 for each piece without handles. */
static long euler_of(const ct_skin *skin)
{
    return (long)skin->vertex_count - (long)(3 * skin->triangle_count / 2) + (long)skin->triangle_count;
}

static void test_ball(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    ct_frame frame = fill(17, in_ball);
    const double exact = 4.0 / 3 * 3.141592653589793 * 16 * 16 * 16;
    for (int is_round = 0; is_round < 2; is_round++) {
        ct_skin skin = make(&at, &frame, (ct_skin_def){.spacing = 1, .is_round = is_round});
        assert_closed(&skin);
        assert_int_equal(euler_of(&skin), 2);
        /* A tenth of a spacing on a radius of 16 is 2 % of the volume. */
        assert_true(fabs(volume_of(&skin) / exact - 1) < 0.03);
        double squares = 0;
        for (size_t v = 0; v < skin.vertex_count; v++) {
            double r = length_of(skin.vertices[v]), outward = 0;
            squares += (r - 16) * (r - 16);
            assert_true(fabs(r - 16) < 1.5); /* sampling leaves gaps of a spacing in the body itself */
            for (int a = 0; a < 3; a++) outward += (double)skin.normals[v][a] * skin.vertices[v][a] / r;
            assert_true(outward > 0.3);
            double off[3];
            for (int a = 0; a < 3; a++) off[a] = points[skin.nearest[v]][a] - skin.vertices[v][a];
            assert_true(length_of(off) < 2);
        }
        assert_true(sqrt(squares / (double)skin.vertex_count) < 0.3); /* spacings */
        ct_skin_release(&skin);
    }
    studio_close(&at);
}

/* The point of kernels that follow the surface: a flat one is flatter than with round kernels. */
static void test_flat_is_flat(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_frame frame = fill(17, in_slab);
    double rough[2];
    for (int is_round = 0; is_round < 2; is_round++) {
        ct_skin skin = make(&at, &frame, (ct_skin_def){.spacing = 1, .is_round = is_round});
        double squares = 0, sum = 0;
        int count = 0;
        for (size_t v = 0; v < skin.vertex_count; v++) {
            const double *x = skin.vertices[v];
            if (x[1] < 3 || fabs(x[0]) > 10 || fabs(x[2]) > 10) continue;
            sum += x[1], squares += x[1] * x[1], count++;
        }
        double mean = sum / count;
        assert_true(fabs(mean - 5) < 0.3);
        rough[is_round] = sqrt(squares / count - mean * mean);
        ct_skin_release(&skin);
    }
    print_message("roughness %.3f, with round kernels %.3f spacings\n", rough[0], rough[1]);
    assert_true(rough[0] < 0.15);
    assert_true(rough[0] < 0.9 * rough[1]);
    studio_close(&at);
}

/* Pieces stay apart, a cavity that means something stays open. */
static void test_pieces_and_cavities(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_frame frame = fill(19, in_two_balls);
    ct_skin skin = make(&at, &frame, (ct_skin_def){.spacing = 1});
    assert_closed(&skin);
    assert_int_equal(euler_of(&skin), 4);
    ct_skin_release(&skin);
    frame = fill(19, in_shell);
    skin = make(&at, &frame, (ct_skin_def){.spacing = 1});
    assert_closed(&skin);
    assert_int_equal(euler_of(&skin), 4);
    double exact = 4.0 / 3 * 3.141592653589793 * (18 * 18 * 18 - 9 * 9 * 9);
    assert_true(fabs(volume_of(&skin) / exact - 1) < 0.05);
    ct_skin_release(&skin);
    studio_close(&at);
}

static bool at_random(const double x[3])
{
    static uint64_t seed = 11;
    (void)x;
    return next_random(&seed) < 0.35;
}

/* Loose particles: a surface full of handles, thin bridges and touching pieces, where all cases of a cube
 * occur. It is closed all the same. */
static void test_loose_particles(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_frame frame = fill(14, at_random);
    for (int is_round = 0; is_round < 2; is_round++) {
        ct_skin skin = make(&at, &frame, (ct_skin_def){.spacing = 1, .is_round = is_round, .level = 0.3});
        assert_true(skin.triangle_count > 10000);
        assert_closed(&skin);
        ct_skin_release(&skin);
    }
    studio_close(&at);
}

static void test_threads_smoothing_and_choice(void **state)
{
    (void)state;
    ct_skin skins[2];
    studio at[2];
    ct_frame frame = fill(12, in_two_balls);
    static bool chosen[MOST];
    for (size_t p = 0; p < frame.count; p++) chosen[p] = points[p][0] > 0;
    for (int k = 0; k < 2; k++) {
        studio_open(&at[k], 1 + 2 * k);
        skins[k] = make(&at[k], &frame, (ct_skin_def){.spacing = 1, .smooth = 3, .chosen = chosen});
    }
    assert_int_equal(skins[0].vertex_count, skins[1].vertex_count);
    assert_int_equal(skins[0].triangle_count, skins[1].triangle_count);
    assert_memory_equal(skins[0].vertices, skins[1].vertices,
                        skins[0].vertex_count * sizeof *skins[0].vertices);
    assert_memory_equal(skins[0].nearest, skins[1].nearest, skins[0].vertex_count * sizeof *skins[0].nearest);
    for (size_t v = 0; v < skins[0].vertex_count; v++) {
        assert_true(skins[0].vertices[v][0] > 0);
        assert_true(chosen[skins[0].nearest[v]]);
    }
    for (int k = 0; k < 2; k++) {
        ct_skin_release(&skins[k]);
        studio_close(&at[k]);
    }
}

static void test_odd_frames_and_failures(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 1);
    ct_error error;
    ct_skin skin;
    ct_frame frame = {.dimension = 3};
    skin = make(&at, &frame, (ct_skin_def){.spacing = 0});
    assert_int_equal(skin.triangle_count, 0);
    ct_skin_release(&skin);
    frame = fill(4, in_ball);
    points[5][0] = NAN, points[6][1] = INFINITY; /* left out */
    skin = make(&at, &frame, (ct_skin_def){.spacing = 1});
    assert_closed(&skin);
    ct_skin_release(&skin);
    points[5][0] = 1e12; /* a grid that cannot be */
    assert_int_equal(ct_skin_create(&at.heap, at.pool, &(ct_skin_def){.spacing = 1}, &frame, &skin, &error),
                     CT_BAD_USAGE);
    assert_message_has(&error, "larger cells");
    frame.dimension = 2;
    assert_int_equal(ct_skin_create(&at.heap, at.pool, &(ct_skin_def){.spacing = 1}, &frame, &skin, &error),
                     CT_BAD_USAGE);
    frame = fill(4, in_ball);
    long tries = 0;
    for (;; tries++) {
        failing fails = {.left = tries};
        ct_heap heap;
        ct_heap_init(&heap, failing_allocator(&fails));
        ct_status status = ct_skin_create(&heap, at.pool, &(ct_skin_def){.smooth = 1}, &frame, &skin, &error);
        if (!status) ct_skin_release(&skin);
        assert_int_equal(heap.bytes, 0);
        if (!status) break;
        assert_int_equal(status, CT_NO_MEMORY);
    }
    assert_in_range(tries, 10, 100);
    studio_close(&at);
}

/* Particles that end 0.3 of a spacing short of the walls of a box, as material against a wall does. */
static bool in_basin(const double x[3])
{
    return fabs(x[0]) < 10 && fabs(x[2]) < 10 && x[1] > -10 && x[1] < 0;
}

static const double basin[2][3] = {{-10.3, -10.3, -10.3}, {10.3, 10.3, 10.3}};

/* Vertices near the wall x = 10.3, and how far from it they are: the mean of the absolute values. */
static double distance_to_wall(const ct_skin *skin)
{
    double sum = 0;
    int count = 0;
    for (size_t v = 0; v < skin->vertex_count; v++) {
        const double *x = skin->vertices[v];
        bool is_at_wall = x[0] > 8 && fabs(x[2]) < 8 && x[1] > -8 && x[1] < -3;
        if (!is_at_wall) continue;
        sum += fabs(x[0] - 10.3);
        count++;
    }
    assert_true(count > 100);
    return sum / count;
}

static void test_surfaces_end_at_walls_without_a_gap(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    ct_frame frame = fill(17, in_basin);
    ct_skin free = make(&at, &frame, (ct_skin_def){.spacing = 1});
    ct_skin held = make(&at, &frame, (ct_skin_def){.spacing = 1, .walls = basin});
    ct_skin relaxed = make(&at, &frame, (ct_skin_def){.spacing = 1, .walls = basin, .relax = 10});
    assert_closed(&held);
    assert_closed(&relaxed);
    assert_true(distance_to_wall(&held) < 1e-6);
    assert_true(distance_to_wall(&relaxed) < 1e-6);
    assert_true(distance_to_wall(&free) > 0.2); /* control: it ends short of it */
    /* 20.6 x 20.6 x 10.3, within the 3% of test_ball. */
    assert_true(fabs(volume_of(&held) / (20.6 * 20.6 * 10.3) - 1) < 0.03);
    ct_skin_release(&free);
    ct_skin_release(&held);
    ct_skin_release(&relaxed);
    studio_close(&at);
}

/* The outside of a ball of radius 5.8 about the origin. */
static double ball_distance(const void *context, const double x[3], double normal[3])
{
    (void)context;
    double r = length_of(x);
    for (int a = 0; a < 3; a++) normal[a] = r > 0 ? x[a] / r : 0;
    return r - 5.8;
}

static bool around_ball(const double x[3])
{
    return length_of(x) > 6 && length_of(x) < 14;
}

static void test_surfaces_end_at_obstacles(void **state)
{
    (void)state;
    studio at;
    studio_open(&at, 2);
    ct_frame frame = fill(17, around_ball);
    for (int is_held = 0; is_held < 2; is_held++) { /* 0: the control */
        ct_skin_def def = {.spacing = 1, .obstacle = is_held ? ball_distance : NULL};
        ct_skin skin = make(&at, &frame, def);
        double sum = 0;
        int count = 0;
        for (size_t v = 0; v < skin.vertex_count; v++)
            if (length_of(skin.vertices[v]) < 10) sum += length_of(skin.vertices[v]), count++;
        assert_true(count > 200);
        if (is_held) assert_float_equal(sum / count, 5.8, 0.05);
        else assert_true(sum / count > 5.95);
        ct_skin_release(&skin);
    }
    studio_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_flat_is_flat),
        cmocka_unit_test(test_pieces_and_cavities),
        cmocka_unit_test(test_loose_particles),
        cmocka_unit_test(test_threads_smoothing_and_choice),
        cmocka_unit_test(test_odd_frames_and_failures),
        cmocka_unit_test(test_surfaces_end_at_walls_without_a_gap),
        cmocka_unit_test(test_surfaces_end_at_obstacles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
