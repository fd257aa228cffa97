/* Periodic sides: what crosses one is the same matter to the last bit, momentum is kept, threads and resume change
 * nothing, and what cannot be there is refused by name (docs/theory/walls.md). */
#include "worlds.h"

#include <float.h>

enum { CELLS = 48 };
#define SPACING 0.0625 /* powers of two, so that a shift by blocks is exact */

static const double LENGTH = CELLS * SPACING;

static ct_world_def ring(int dimension, ct_kernel kernel, ct_precision precision, ct_wall_type type)
{
    ct_world_def def = quiet_def(dimension, kernel, SPACING);
    def.precision = precision;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_max[a] = LENGTH;
    for (int side = 0; side < CT_SIDES; side++) def.walls[side] = (ct_wall_def){.type = type};
    return def;
}

/* Two blocks of jelly that collide in the middle of the box, moved by `shift` blocks along every axis. */
static ct_world *crash(const ct_world_def *def, int shift)
{
    const double by = 4 * SPACING * shift;
    ct_world *world = create(def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.25),
        firm = add_elastic(world, "neo_hookean", 512, 5e4, 0.25);
    ct_body_def left = block(soft, 1 + by, 1 + by, 1 + by, 0.375, 0.5, 0.25),
                right = block(firm, 1.5 + by, 1.125 + by, 1 + by, 0.25, 0.375, 0.25);
    left.velocity[0] = 2, left.velocity[1] = -0.5, right.velocity[0] = -2.5;
    if (def->dimension == 3) left.velocity[2] = 0.75;
    add_body(world, &left);
    add_body(world, &right);
    return world;
}

static void assert_same_numbers(const ct_world *a, const ct_world *b, const char *quantity, int components)
{
    double *x = values_of(a, quantity), *y = values_of(b, quantity);
    assert_memory_equal(x, y, count_of(a) * (size_t)components * sizeof *x);
    free(x), free(y);
}

/* b is a moved by `by` along every axis, around the ring. */
static void assert_shifted(const ct_world *a, const ct_world *b, double by, int dimension)
{
    const bool is_float = ct_world_get_info(a).precision == CT_FLOAT;
    const double rounding = is_float ? 0 : DBL_EPSILON * LENGTH; /* where they are read in metres */
    triple *x = positions_of(a), *y = positions_of(b);
    int crossed = 0;
    for (size_t p = 0; p < count_of(a); p++)
        for (int k = 0; k < dimension; k++) {
            const double there = x[p][k] + by, end = LENGTH;
            assert_true(y[p][k] >= 0 && y[p][k] < end);
            crossed += there >= end;
            if (fabs(y[p][k] - (there >= end ? there - end : there)) > rounding)
                fail_msg("particle %zu, axis %d: %.17g, not %.17g moved by %g", p, k, y[p][k], x[p][k], by);
        }
    if (by > 0) assert_true(crossed > 0);
    free(x), free(y);
}

/* In the middle and across the seam, at all distances: the same bits. And far from sides it does not matter of
 * which kind they are: a periodic side is no wall. */
static void what_crosses_changes_no_bit(void **state)
{
    (void)state;
    static const char *const schemes[] = {"apic", "asflip", "polypic"};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_LINEAR; kernel++)
            for (int s = 0; s < 3; s++) {
                if (dimension == 3 && s && kernel != CT_KERNEL_QUADRATIC) continue;
                ct_world_def def = ring(dimension, kernel, s ? CT_FLOAT : CT_DOUBLE, CT_WALL_PERIODIC),
                             open = ring(dimension, kernel, s ? CT_FLOAT : CT_DOUBLE, CT_WALL_FREE);
                def.scheme.type = open.scheme.type = schemes[s];
                if (s == 2 && kernel != CT_KERNEL_QUADRATIC) continue;
                ct_world *middle = crash(&def, 0), *walled = crash(&open, 0);
                const int count = dimension == 2 ? 100 : 40;
                steps(middle, count);
                steps(walled, count);
                assert_same_numbers(middle, walled, "position", 3);
                assert_same_numbers(middle, walled, "velocity", 3);
                for (int shift = 6; shift < 11; shift += 2) {
                    ct_world *across = crash(&def, shift);
                    steps(across, count);
                    assert_same_numbers(middle, across, "velocity", 3);
                    assert_same_numbers(middle, across, "F", 9);
                    assert_shifted(middle, across, 4 * SPACING * shift, dimension);
                    ct_world_destroy(across);
                }
                ct_world_destroy(middle);
                ct_world_destroy(walled);
            }
}

/* A wall where the seam was: the control. It changes what crosses. */
static void a_wall_there_changes_it(void **state)
{
    (void)state;
    ct_world_def def = ring(2, CT_KERNEL_QUADRATIC, CT_DOUBLE, CT_WALL_PERIODIC),
                 walled = ring(2, CT_KERNEL_QUADRATIC, CT_DOUBLE, CT_WALL_SLIP);
    ct_world *loose = create(&def), *stopped = create(&walled);
    ct_world *worlds[] = {loose, stopped};
    for (int k = 0; k < 2; k++) {
        int jelly = add_elastic(worlds[k], "fixed_corotated", 1000, 2e4, 0.25);
        ct_body_def body = block(jelly, LENGTH - 0.5, 1, 0, 0.25, 0.25, 0);
        body.velocity[0] = 3;
        add_body(worlds[k], &body);
        CHECK(ct_world_run_until(worlds[k], 1.5, error));
    }
    assert_near(drift_of(loose, 0), 3, 1e-12);
    assert_true(drift_of(stopped, 0) < 2);
    triple *x = positions_of(loose);
    for (size_t p = 0; p < count_of(loose); p++) assert_true(x[p][0] > 0.9 && x[p][0] < 2); /* around once */
    free(x);
    ct_world_destroy(loose);
    ct_world_destroy(stopped);
}

/* A fluid that fills the box in all directions, so that every block has neighbours across the seams: rings of 9, 10
 * and 11 blocks, which need different colours. Momentum keeps to round-off of the sums, 1e-12 of what moves, and the
 * number of threads changes no bit. */
static ct_world *filled(ct_world_def def, const int blocks[3], int threads)
{
    double volume = 1;
    for (int a = 0; a < 3; a++) def.domain_max[a] = 4 * blocks[a] * SPACING, volume *= def.domain_max[a];
    def.threads = threads;
    ct_world *world = create(&def);
    const ct_parameter parameters[] = {{"bulk", 1e5}, {"viscosity", 1}};
    int water = add_matter(world, "fluid", 1000, parameters, 2);
    ct_body_def body = block(water, 0, 0, 0, def.domain_max[0], def.domain_max[1], def.domain_max[2]);
    body.pattern = CT_PATTERN_JITTERED;
    body.per_cell = def.dimension == 2 ? 4 : 2;
    body.velocity[0] = 3, body.velocity[1] = -2, body.velocity[2] = def.dimension == 3 ? 1 : 0;
    add_body(world, &body);
    return world;
}

static void momentum_is_kept_and_threads_change_nothing(void **state)
{
    (void)state;
    static const int blocks[][3] = {{3, 4, 5}, {7, 9, 3}, {8, 5, 4}, {41, 33, 1}, {11, 10, 10}};
    for (int k = 0; k < 5; k++) {
        const int dimension = k < 3 || k == 4 ? 3 : 2;
        ct_world_def def = ring(dimension, CT_KERNEL_QUADRATIC, CT_DOUBLE, CT_WALL_PERIODIC);
        ct_world *one = filled(def, blocks[k], 1), *four = filled(def, blocks[k], 4);
        const ct_world_sums before = ct_world_get_sums(one);
        const int count = k < 3 ? 30 : 4;
        steps(one, count);
        steps(four, count);
        assert_same(hash_of(one), hash_of(four));
        const ct_world_sums after = ct_world_get_sums(one);
        const double size = before.mass * 4;
        assert_near(after.mass, before.mass, 1e-12 * before.mass);
        for (int a = 0; a < 3; a++) assert_near(after.momentum[a], before.momentum[a], 1e-12 * size);
        ct_world_destroy(one);
        ct_world_destroy(four);
    }
}

/* Saved in the middle of crossing, and gone on elsewhere. */
static void it_resumes_across_the_seam(void **state)
{
    (void)state;
    const char *path = "test_periodic.ctc";
    ct_world_def def = ring(2, CT_KERNEL_QUADRATIC, CT_FLOAT, CT_WALL_PERIODIC);
    ct_world *whole = crash(&def, 6), *resumed = crash(&def, 6);
    steps(whole, 40);
    CHECK(ct_world_save(whole, path, error));
    CHECK(ct_world_restore(resumed, path, error));
    steps(whole, 40);
    steps(resumed, 40);
    assert_same(hash_of(whole), hash_of(resumed));
    remove(path);
    ct_world_destroy(whole);
    ct_world_destroy(resumed);
}

/* On a floor that is the same all along: a block that slides across the seam, and a belt that carries it. */
static void floors_may_go_on_beyond_the_seam(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* a wall, a half-space, a box that is longer than the ring */
        ct_world *worlds[2];
        for (int shift = 0; shift < 2; shift++) {
            ct_world_def def = ring(2, CT_KERNEL_QUADRATIC, CT_DOUBLE, CT_WALL_PERIODIC);
            def.gravity.constant[1] = -10;
            def.walls[CT_Y_MIN] = (ct_wall_def){.type = CT_WALL_SEPARATE, .friction = 0.3};
            def.walls[CT_Y_MAX] = (ct_wall_def){.type = CT_WALL_SLIP};
            def.walls[CT_Y_MIN].velocity.constant[0] = kind ? 0 : 1;
            ct_world *world = worlds[shift] = create(&def);
            ct_collider_def floor = ct_default_collider_def();
            floor.name = "floor", floor.contact = CT_CONTACT_SEPARATE, floor.friction = 0.2;
            if (kind == 1) {
                floor.shape.type = CT_SHAPE_HALF_SPACE;
                floor.shape.point[1] = 0.5, floor.shape.normal[1] = 1;
            } else {
                floor.shape.min[0] = floor.shape.min[1] = -4, floor.shape.max[0] = 8,
                floor.shape.max[1] = 0.5;
            }
            if (kind) CHECK(ct_world_add_collider(world, &floor, NULL, error));
            int jelly = add_elastic(world, "fixed_corotated", 1000, 5e4, 0.25);
            ct_body_def body = block(jelly, shift ? LENGTH - 0.25 : 1.25, kind ? 0.5 : 0, 0, 0.5, 0.25, 0);
            body.velocity[0] = 1.5;
            add_body(world, &body);
            CHECK(ct_world_run_until(world, 0.5, error));
        }
        assert_near(drift_of(worlds[1], 0), drift_of(worlds[0], 0), 1e-9);
        assert_true(drift_of(worlds[0], 0) < 1.4);
        triple *x = positions_of(worlds[0]), *y = positions_of(worlds[1]);
        for (size_t p = 0; p < count_of(worlds[0]); p++) assert_near(y[p][1], x[p][1], 1e-9);
        free(x), free(y);
        ct_world_destroy(worlds[0]);
        ct_world_destroy(worlds[1]);
    }
}

static void assert_refused(ct_status status, const ct_error *error, const char *word)
{
    if (status != CT_BAD_USAGE) fail_msg("%d: '%s', not '%s'", (int)status, error->message, word);
    if (!strstr(error->message, word)) fail_msg("'%s' does not say '%s'", error->message, word);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    ct_error why = {0};
    ct_world *world = NULL;
    ct_world_def def = ring(2, CT_KERNEL_QUADRATIC, CT_DOUBLE, CT_WALL_PERIODIC), bad = def;
    bad.walls[CT_X_MAX].type = CT_WALL_SLIP;
    assert_refused(ct_world_create(&bad, &world, &why), &why, "wall x_max must be, too");
    bad = def, bad.domain_max[0] = 50 * SPACING;
    assert_refused(ct_world_create(&bad, &world, &why), &why, "a multiple of 4");
    bad = def, bad.domain_max[1] = 8 * SPACING;
    assert_refused(ct_world_create(&bad, &world, &why), &why, "from 12");
    bad = def, bad.method = CT_METHOD_PERIDYNAMICS;
    assert_refused(ct_world_create(&bad, &world, &why), &why, "for the material point method");

    world = create(&def);
    int jelly = add_elastic(world, "fixed_corotated", 1000, 5e4, 0.25);
    ct_body_def body = block(jelly, 0, 0, 0, LENGTH + 1, 0.25, 0);
    assert_refused(ct_world_add_body(world, &body, NULL, &why), &why, "would lie in itself");
    ct_collider_def obstacle = ct_default_collider_def();
    obstacle.name = "ball", obstacle.shape.type = CT_SHAPE_SPHERE, obstacle.shape.radius = 0.25;
    assert_refused(ct_world_add_collider(world, &obstacle, NULL, &why), &why, "within 8 cells");
    obstacle.shape.type = CT_SHAPE_HALF_SPACE, obstacle.shape.point[1] = 1, obstacle.shape.normal[0] = 0.1,
    obstacle.shape.normal[1] = 1;
    assert_refused(ct_world_add_collider(world, &obstacle, NULL, &why), &why, "along x");
    ct_sink_def sink = ct_default_sink_def();
    sink.name = "hole", sink.shape.type = CT_SHAPE_SPHERE, sink.shape.radius = 0.25;
    assert_refused(ct_world_add_sink(world, &sink, NULL, &why), &why, "sink 'hole'");
    ct_source_def source = ct_default_source_def();
    source.name = "tap", source.material = jelly, source.shape.min[0] = source.shape.min[1] = 0.125;
    source.shape.max[0] = source.shape.max[1] = 0.25, source.velocity.constant[0] = 1;
    assert_refused(ct_world_add_source(world, &source, NULL, &why), &why, "source 'tap'");

    obstacle.shape.type = CT_SHAPE_SPHERE; /* one that comes near later */
    obstacle.shape.center[0] = obstacle.shape.center[1] = LENGTH / 2;
    obstacle.motion.velocity[0] = 1;
    CHECK(ct_world_add_collider(world, &obstacle, NULL, error));
    body = block(jelly, 0, 0, 0, 0.25, 0.25, 0);
    add_body(world, &body);
    assert_refused(ct_world_run_until(world, 3, &why), &why, "has come within 8 cells");
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_crosses_changes_no_bit),
        cmocka_unit_test(a_wall_there_changes_it),
        cmocka_unit_test(momentum_is_kept_and_threads_change_nothing),
        cmocka_unit_test(it_resumes_across_the_seam),
        cmocka_unit_test(floors_may_go_on_beyond_the_seam),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
