/* Walls: sliding, sticking, letting go, belts, walls off the lattice, and reflection against the real mirror
 * image (docs/theory on walls; time-step-2020, section 5). Friction and corners have files of their own. */
#include "worlds.h"

/* A room of 2 m x 1 m (x 2 m) with cells of 1/8 m. */
static ct_world_def room(int dimension, ct_kernel kernel, ct_wall_type type, double friction)
{
    ct_world_def def = quiet_def(dimension, kernel, 0.125);
    def.step.sound_cfl = 0.6; /* so many steps go so far */
    set_domain(&def, 2, 1, 2, type, friction);
    return def;
}

/* A block of jelly on the floor of the room, clear of the other walls: 4 x 3 cells, c = 11.6 m/s. */
static ct_world *block_on_floor(const ct_world_def *def, const double velocity[3])
{
    ct_world *world = create(def);
    int jelly = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def body = block(jelly, 0.375, 0, 0.75, 0.5, 0.375, 0.25);
    memcpy(body.velocity, velocity, sizeof body.velocity);
    add_body(world, &body);
    return world;
}

/* Averaging a node with its mirror image keeps m v along the wall: momentum along a slip wall changes by
 * round-off only, however hard the block is pressed on it. Sums of 100 steps and some 100 nodes:
 * 1e-12 of it. */
static void slip_walls_keep_momentum_along_them(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
            ct_world_def def = room(dimension, kernel, CT_WALL_SLIP, 0);
            def.gravity.constant[1] = -9.81;
            ct_world *world = block_on_floor(&def, (double[]){1, -0.5, dimension == 3 ? 0.4 : 0});
            ct_world_sums before = ct_world_get_sums(world);
            for (int i = 0; i < 100; i++) {
                steps(world, 1);
                assert_held(world, &def);
            }
            ct_world_sums after = ct_world_get_sums(world);
            for (int a = 0; a < 3; a += 2)
                assert_near(after.momentum[a], before.momentum[a], 1e-12 * before.momentum[0]);
            assert_true(after.elastic > 1e-3 * before.kinetic); /* it was pressed on */
            ct_world_destroy(world);
        }
}

/* The wall moves with nothing: a block that sticks to it comes to rest. PIC damps what shear is left. The
 * control is the same block on a slip wall, which does not slow down. */
static void no_slip_walls_stop_a_block(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (ct_wall_type type = CT_WALL_NO_SLIP; type <= CT_WALL_SLIP; type++) {
                ct_world_def def = room(dimension, kernel, type, 0);
                def.scheme.type = "pic";
                ct_world *world = block_on_floor(&def, (double[]){1, 0, 0});
                double start = center_of(world, 0);
                CHECK(ct_world_run_until(world, 0.6, error));
                if (type == CT_WALL_NO_SLIP) {
                    assert_near(drift_of(world, 0), 0, 0.02);
                    assert_near(center_of(world, 0), start, 0.1); /* less than a cell */
                } else {
                    assert_near(drift_of(world, 0), 1, 1e-12);
                    assert_near(center_of(world, 0), start + 0.6, 1e-12);
                }
                assert_held(world, &def);
                ct_world_destroy(world);
            }
}

/* A block that moves away from a separating wall: every node pulls, none is pushed, so it flies on unchanged,
 * to round-off. A slip wall holds its lowest layer: the control. */
static void a_separating_wall_lets_go(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (ct_wall_type type = CT_WALL_SLIP; type <= CT_WALL_SEPARATE; type++) {
                ct_world_def def = room(dimension, kernel, type, 0);
                ct_world *world = block_on_floor(&def, (double[]){0.3, 1, 0});
                steps(world, 60);
                triple *v = velocities_of(world);
                double farthest = 0;
                for (size_t p = 0; p < count_of(world); p++)
                    farthest = fmax(farthest, fabs(v[p][1] - 1) + fabs(v[p][0] - 0.3));
                if (type == CT_WALL_SEPARATE) assert_near(farthest, 0, 1e-12);
                else assert_true(farthest > 0.1);
                free(v);
                ct_world_destroy(world);
            }
}

/* The wall's image of a body is a body: the half of a symmetric pair in front of a slip wall moves as the
 * pair does in a room of twice the width without that wall. Random points, jelly that is thrown at the wall
 * and squeezed; axes whose length is no multiple of the spacing (10 cells of 0.102 m and 10 of 0.098 m
 * instead of 0.1 m), so a wall that is a hair out of place would show. With `corner` the wall y_min is a
 * mirror, too: four images. */
enum { POINTS = 120 };

static ct_world *thrown_points(ct_world_def def, const ct_body_def *body)
{
    def.step.fixed = 4e-4;
    ct_world *world = create(&def);
    add_elastic(world, "neo_hookean", 1000, 1e5, 0.3);
    add_body(world, body);
    return world;
}

static void compare_with_mirror_images(int dimension, ct_kernel kernel, bool is_high, bool corner)
{
    const double lengths[] = {1.02, 0.98, 1};
    double points[4 * POINTS][3], velocities[4 * POINTS][3];
    ct_world_def half = quiet_def(dimension, kernel, 0.1), whole = half;
    set_domain(&half, lengths[0], lengths[1], lengths[2], CT_WALL_SLIP, 0);
    set_domain(&whole, lengths[0], lengths[1], lengths[2], CT_WALL_SLIP, 0);
    (is_high ? whole.domain_max : whole.domain_min)[0] = is_high ? 2 * lengths[0] : -lengths[0];
    if (corner) whole.domain_min[1] = -lengths[1];
    half.gravity.constant[2] = whole.gravity.constant[2] = -3; /* along both walls */
    double plane = is_high ? lengths[0] : 0;
    uint64_t random = 3;
    for (int p = 0; p < POINTS; p++) {
        double inward = 0.15 + 0.14 * uniform(&random), up = (corner ? 0.15 : 0.5) + 0.14 * uniform(&random);
        double x[3] = {is_high ? plane - inward : inward, up, 0.5 + 0.14 * uniform(&random)};
        double v[3] = {(is_high ? 2 : -2) + 0.2 * uniform(&random), corner ? -1.5 : 0.3, 0.2};
        for (int image = 0; image < 4; image++) {
            triple *at = &points[image * POINTS + p], *to = &velocities[image * POINTS + p];
            memcpy(at, x, sizeof x);
            memcpy(to, v, sizeof v);
            if (image & 1) (*at)[0] = 2 * plane - x[0], (*to)[0] = -v[0];
            if (image & 2) (*at)[1] = -x[1], (*to)[1] = -v[1];
        }
    }
    ct_body_def body = ct_default_body_def();
    body.shape.type = CT_SHAPE_POINTS;
    body.shape.points = (const double(*)[3])points;
    body.shape.point_velocities = (const double(*)[3])velocities;
    body.shape.point_count = POINTS;
    ct_world *a = thrown_points(half, &body);
    body.shape.point_count = corner ? 4 * POINTS : 2 * POINTS;
    ct_world *b = thrown_points(whole, &body);
    steps(a, 150);
    steps(b, 150);
    triple *x = positions_of(a), *y = positions_of(b), *v = velocities_of(a), *w = velocities_of(b);
    double turned = 0;
    for (int p = 0; p < POINTS; p++)
        for (int k = 0; k < dimension; k++) {
            /* round-off of 1e-16, grown by 150 steps of colliding points */
            assert_near(x[p][k], y[p][k], 1e-11);
            assert_near(v[p][k], w[p][k], 1e-9);
            turned += k ? 0 : v[p][0] / POINTS;
        }
    assert_true(is_high ? turned < 1 : turned > -1); /* the wall did something */
    assert_held(a, &half);
    free(x), free(y), free(v), free(w);
    ct_world_destroy(a);
    ct_world_destroy(b);
}

static void a_wall_is_a_mirror(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
            compare_with_mirror_images(dimension, kernel, false, false);
            compare_with_mirror_images(dimension, kernel, true, false);
            compare_with_mirror_images(dimension, kernel, false, true);
        }
}

/* A block on a conveyor belt: a no-slip belt takes it along at once, a rubbing one with a = mu g until it has
 * the belt's speed: here 0.4 m/s after 0.4 / (0.3 * 9.81) = 0.136 s. */
static void a_belt_takes_a_block_along(void **state)
{
    (void)state;
    for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        for (ct_wall_type type = CT_WALL_NO_SLIP; type <= CT_WALL_SEPARATE; type += 2) {
            ct_world_def def = room(2, kernel, type, 0.3);
            def.walls[CT_Y_MIN].velocity.constant[0] = 0.4;
            def.gravity.constant[1] = -9.81;
            def.scheme.type = "pic"; /* what shear is left of the start dies away */
            ct_world *world = block_on_floor(&def, (double[]){0, 0, 0});
            CHECK(ct_world_run_until(world, 0.07, error));
            if (type == CT_WALL_SEPARATE) assert_near(drift_of(world, 0), 0.3 * 9.81 * 0.07, 0.05 * 0.206);
            CHECK(ct_world_run_until(world, 1.5, error));
            assert_near(drift_of(world, 0), 0.4, 0.004);
            assert_held(world, &def);
            ct_world_destroy(world);
        }
}

/* A belt that starts and stops by keyframes: it is off before 1 s. */
static void a_belt_follows_its_keyframes(void **state)
{
    (void)state;
    const double times[] = {0.1, 0.2}, values[][3] = {{0, 0, 0}, {0.4, 0, 0}};
    ct_world_def def = room(2, CT_KERNEL_QUADRATIC, CT_WALL_NO_SLIP, 0);
    def.walls[CT_Y_MIN].velocity = (ct_track){.count = 2, .times = times, .values = values};
    def.scheme.type = "pic"; /* what shear is left of the start dies away */
    ct_world *world = block_on_floor(&def, (double[]){0, 0, 0});
    CHECK(ct_world_run_until(world, 0.1, error));
    assert_true(drift_of(world, 0) == 0);
    CHECK(ct_world_run_until(world, 1.5, error));
    assert_near(drift_of(world, 0), 0.4, 0.004);
    ct_world_destroy(world);
}

/* Walls stand where the definition says, whatever the spacing: points on all of them are inside, points 1e-9
 * m beyond are not. */
static void walls_are_where_they_were_asked_for(void **state)
{
    (void)state;
    for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
        ct_world_def def = quiet_def(3, kernel, 0.1);
        def.has_domain = true;
        const double low[] = {-0.37, 0.123, 5.01}, high[] = {0.68, 1.1, 5.84};
        memcpy(def.domain_min, low, sizeof low);
        memcpy(def.domain_max, high, sizeof high);
        ct_world *world = create(&def);
        ct_body_def body = ct_default_body_def();
        body.material = add_dust(world);
        body.shape.type = CT_SHAPE_POINTS;
        body.shape.point_count = 1;
        for (int side = 0; side < CT_SIDES; side++)
            for (int is_beyond = 0; is_beyond < 2; is_beyond++) {
                double at[1][3] = {{0, 0.5, 5.5}};
                at[0][side / 2] =
                    side % 2 ? high[side / 2] + 1e-9 * is_beyond : low[side / 2] - 1e-9 * is_beyond;
                body.shape.points = (const double(*)[3])at;
                assert_int_equal(ct_world_add_body(world, &body, NULL, NULL),
                                 is_beyond ? CT_BAD_USAGE : CT_OK);
            }
        def.step.fixed = 0.01;
        steps(world, 3);
        assert_held(world, &def);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_walls_keep_momentum_along_them), cmocka_unit_test(no_slip_walls_stop_a_block),
        cmocka_unit_test(a_separating_wall_lets_go),           cmocka_unit_test(a_wall_is_a_mirror),
        cmocka_unit_test(a_belt_takes_a_block_along),          cmocka_unit_test(a_belt_follows_its_keyframes),
        cmocka_unit_test(walls_are_where_they_were_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
