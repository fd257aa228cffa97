/* Colliders: friction on a slope, exact motion, what they feel, what they hold. */
#include "worlds.h"

static ct_collider_def sphere_at(double x, double y, double z, double radius)
{
    ct_collider_def def = ct_default_collider_def();
    def.shape.type = CT_SHAPE_SPHERE;
    def.shape.center[0] = x, def.shape.center[1] = y, def.shape.center[2] = z;
    def.shape.radius = radius;
    return def;
}

static ct_collider_def plate(double x0, double y0, double x1, double y1)
{
    ct_collider_def def = ct_default_collider_def();
    def.shape.min[0] = x0, def.shape.min[1] = y0, def.shape.min[2] = -1;
    def.shape.max[0] = x1, def.shape.max[1] = y1, def.shape.max[2] = 2;
    return def;
}

static void add_collider(ct_world *world, const ct_collider_def *def)
{
    CHECK(ct_world_add_collider(world, def, NULL, error));
}

static ct_collider_info collider_of(const ct_world *world, int index)
{
    ct_collider_info info = {0};
    assert_true(ct_world_collider(world, index, &info));
    return info;
}

/* ---- friction on a slope ------------------------------------------------------------------------------- */

typedef struct slope {
    double acceleration; /* m/s^2 down the slope */
    double pressing;     /* N, mean force on the slope along its normal */
    double weight;       /* N, of the block */
} slope;

/* A block of jelly on a slope of 20 degrees: a = g (sin - mu cos), or 0 where friction holds it. */
static slope slide_down(double mu, ct_contact contact, int dimension)
{
    const double angle = 20 * M_PI / 180, g = 9.8, dx = 1.0 / 16, middle = 0.3, end = 0.6;
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, dx);
    def.gravity.constant[1] = -g;
    ct_world *world = create(&def);
    const double n[3] = {sin(angle), cos(angle), 0}, down[3] = {cos(angle), -sin(angle), 0};
    ct_collider_def ground = ct_default_collider_def();
    ground.shape.type = CT_SHAPE_HALF_SPACE;
    memcpy(ground.shape.normal, n, sizeof n);
    ground.contact = contact, ground.friction = mu;
    add_collider(world, &ground);
    ct_body_def body =
        block(add_elastic(world, "fixed_corotated", 2, 5e3, 0.3), -0.3, 0.5 * dx, 0, 0.6, 0.3, 0.25);
    body.shape.rotate_axis[2] = 1, body.shape.rotate_angle = -angle;
    body.shape.has_pivot = true; /* the origin, which lies on the slope */
    add_body(world, &body);
    CHECK(ct_world_run_until(world, middle, error));
    ct_world_sums a = ct_world_get_sums(world);
    ct_collider_info before = collider_of(world, 0);
    CHECK(ct_world_run_until(world, end, error));
    ct_world_sums b = ct_world_get_sums(world);
    ct_collider_info after = collider_of(world, 0);
    slope s = {.weight = b.mass * g};
    for (int k = 0; k < 3; k++) {
        s.acceleration += (b.momentum[k] - a.momentum[k]) * down[k] / b.mass / (end - middle);
        s.pressing -= (after.impulse[k] - before.impulse[k]) * n[k] / (end - middle);
        /* what the block lost, the slope got: to round-off */
        double gained = k == 1 ? -b.mass * g * end : 0;
        assert_near(b.momentum[k] + after.impulse[k], gained, 1e-11);
    }
    assert_int_equal(after.put_back, 0); /* nothing needs the last resort */
    ct_world_destroy(world);
    return s;
}

/* Within 0.3% of g: the block bounces on its own springs, so the pressing swings about its mean. The weight
 * on the slope is m g cos(angle), the same for all mu, within 1% for the same reason. */
static void a_block_slides_down_a_slope(void **state)
{
    (void)state;
    static const double mu[] = {0, 0.1, 0.2, 0.5};
    const double g = 9.8, s = sin(20 * M_PI / 180), c = cos(20 * M_PI / 180);
    for (int i = 0; i < 4; i++) {
        slope found = slide_down(mu[i], CT_CONTACT_SEPARATE, 2);
        assert_near(found.acceleration, fmax(0, g * (s - mu[i] * c)), 0.003 * g);
        assert_near(found.pressing, found.weight * c, 0.01 * found.weight);
    }
    slope deep = slide_down(0.2, CT_CONTACT_SEPARATE, 3);
    assert_near(deep.acceleration, g * (s - 0.2 * c), 0.003 * g);
}

/* Controls: slip has no friction whatever the coefficient says; sticky holds on any slope. */
static void slip_slides_and_sticky_holds(void **state)
{
    (void)state;
    const double g = 9.8;
    assert_near(slide_down(0.5, CT_CONTACT_SLIP, 2).acceleration, g * sin(20 * M_PI / 180), 0.003 * g);
    assert_near(slide_down(0, CT_CONTACT_STICKY, 2).acceleration, 0, 0.003 * g);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* Dust inside a sticky collider takes over its velocity field, which APIC transfers carry without error:
 * v + w x (x - c) + s' / s (x - c), to round-off. */
static void dust_inside_moves_with_it(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 1.0 / 8);
        def.step.fixed = 1e-3;
        ct_world *world = create(&def);
        ct_body_def body = ball(add_dust(world), 0.1, 0.2, 0, 0.3);
        add_body(world, &body);
        ct_collider_def holder = sphere_at(0, 0, 0, 2);
        holder.contact = CT_CONTACT_STICKY;
        static const double times[2] = {0, 10}, sizes[2][3] = {{1}, {3}};
        holder.motion.scale = (ct_track){.count = 2, .times = times, .values = sizes};
        double v[3] = {0.3, -0.2, dimension == 3 ? 0.1 : 0}, w[3] = {0, 0, 7};
        if (dimension == 3) w[0] = 2, w[1] = -6, w[2] = 3, holder.motion.spin_axis[0] = 2;
        memcpy(holder.motion.velocity, v, sizeof v);
        if (dimension == 3) holder.motion.spin_axis[1] = -6, holder.motion.spin_axis[2] = 3;
        holder.motion.spin_rate = 7;
        add_collider(world, &holder);
        triple *x = positions_of(world); /* where the grid's velocities are read */
        steps(world, 1);
        triple *found = velocities_of(world);
        double t = 0.5e-3, growth = 0.2 / (1 + 0.2 * t);
        for (size_t p = 0; p < count_of(world); p++)
            for (int a = 0; a < dimension; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                double r[3] = {x[p][0] - t * v[0], x[p][1] - t * v[1], x[p][2] - t * v[2]};
                assert_near(found[p][a], v[a] + w[b] * r[c] - w[c] * r[b] + growth * r[a], 1e-12);
            }
        free(x), free(found);
        ct_world_destroy(world);
    }
}

/* A ball flies onto a spinning sphere. What the ball lost, linear and about the origin, the sphere received:
 * to round-off, whatever the contact. Control: the ball did lose a good part of it. */
static void what_is_lost_is_received(void **state)
{
    (void)state;
    for (int contact = CT_CONTACT_STICKY; contact <= CT_CONTACT_SEPARATE; contact++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 1.0 / 16);
            ct_world *world = create(&def);
            ct_body_def body =
                ball(add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3), -0.45, 0.1, 0, 0.2);
            body.velocity[0] = 3;
            add_body(world, &body);
            ct_collider_def sphere = sphere_at(0.05, -0.02, 0, 0.25);
            sphere.contact = (ct_contact)contact, sphere.friction = 0.4;
            sphere.motion.spin_rate = 5;
            sphere.keeps_sides = false; /* moving particles back moves angular momentum */
            add_collider(world, &sphere);
            ct_world_sums before = ct_world_get_sums(world);
            CHECK(ct_world_run_until(world, 0.08, error));
            ct_world_sums after = ct_world_get_sums(world);
            ct_collider_info felt = collider_of(world, 0);
            const double *X = felt.position, *P = felt.impulse;
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                double about_origin = felt.angular_impulse[a] + X[b] * P[c] - X[c] * P[b];
                assert_near(after.momentum[a] + P[a], before.momentum[a], 1e-10);
                assert_near(after.angular_momentum[a] + about_origin, before.angular_momentum[a], 1e-10);
            }
            assert_true(P[0] > 0.2 * before.momentum[0]);
            assert_true(fabs(felt.angular_impulse[2]) > (contact == CT_CONTACT_SLIP ? 0 : 1e-3));
            ct_world_destroy(world);
        }
}

/* A plate that moves at V does the work - V . impulse received; what it pushes ends up with its speed. */
static void work_is_booked(void **state)
{
    (void)state;
    const double V = 1.5;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.energy_budget = true;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0.1, 0, 0, 0.3, 0.3, 0);
    add_body(world, &body);
    ct_collider_def piston = plate(-0.5, -0.5, 0, 1);
    piston.contact = CT_CONTACT_STICKY;
    piston.motion.velocity[0] = V;
    add_collider(world, &piston);
    CHECK(ct_world_run_until(world, 0.6, error));
    ct_world_sums sums = ct_world_get_sums(world);
    ct_collider_info felt = collider_of(world, 0);
    assert_near(sums.collider_work, -felt.impulse[0] * V, 1e-9 * sums.collider_work);
    assert_near(sums.momentum[0], -felt.impulse[0], 1e-9);
    assert_true(drift_of(world, 0) > 0.95 * V);
    /* nothing is lost that was not there: kinetic, elastic and lost energy are the work */
    double total = sums.kinetic + sums.elastic + sums.lost_in_transfers + sums.lost_on_grid;
    assert_near(total, sums.collider_work, 0.02 * sums.collider_work);
    ct_world_destroy(world);
}

/* ---- holding ------------------------------------------------------------------------------------------- */

/* A column stands on a sphere in a chute. It would fall 0.2 m in as many seconds were there nothing; in rest
 * the sphere carries it: the mean force is the weight within 2%, for it still swings. */
static void a_sphere_holds_a_column(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    set_domain(&def, 0.5, 3, 1, CT_WALL_SLIP, 0);
    def.gravity.constant[1] = -9.8;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "fixed_corotated", 1000, 2e5, 0.3), 0, 1, 0, 0.5, 1, 0);
    add_body(world, &body);
    ct_collider_def sphere = sphere_at(0.25, 0.8, 0, 0.2);
    sphere.friction = 0.3;
    add_collider(world, &sphere);
    CHECK(ct_world_run_until(world, 0.7, error));
    double start = collider_of(world, 0).impulse[1], first = center_of(world, 1);
    CHECK(ct_world_run_until(world, 1.7, error));
    ct_collider_info felt = collider_of(world, 0);
    double weight = 9.8 * ct_world_get_sums(world).mass;
    assert_near(felt.impulse[1] - start, -weight, 0.02 * weight);
    assert_near(center_of(world, 1), first, 0.05);
    assert_true(felt.deepest < 0.5 / 16);
    ct_world_destroy(world);
}

/* A plate jumps from below a ball at rest to above it: nothing has moved. One that goes the same way in a
 * moment, the control, takes the ball along. */
static void a_plate_that_jumps_moves_nothing(void **state)
{
    (void)state;
    static const double times[2] = {0.02, 0.03}, places[2][3] = {{0.5, 0.1, 0}, {0.5, 0.9, 0}};
    for (int jumps = 0; jumps < 2; jumps++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
        ct_world *world = create(&def);
        ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0.5, 0.5, 0, 0.15);
        add_body(world, &body);
        ct_collider_def slab = plate(0.2, 0.05, 0.8, 0.15);
        slab.motion.has_position = true;
        slab.motion.position =
            (ct_track){.count = 2,
                       .times = times,
                       .values = places,
                       .interpolation = jumps ? CT_INTERPOLATE_STEP : CT_INTERPOLATE_LINEAR};
        add_collider(world, &slab);
        triple *start = positions_of(world), *end;
        CHECK(ct_world_run_until(world, 0.05, error));
        end = positions_of(world);
        double most = 0;
        for (size_t p = 0; p < count_of(world); p++) most = fmax(most, fabs(end[p][1] - start[p][1]));
        ct_collider_info felt = collider_of(world, 0);
        if (jumps) assert_true(most < 1e-12 && felt.impulse[1] == 0 && felt.put_back == 0);
        else assert_true(most > 0.1 && felt.impulse[1] < 0);
        free(start), free(end);
        ct_world_destroy(world);
    }
}

/* How many particles of a fast ball end up beyond a plate `cells` thick; and how many were put back. */
static size_t through(double cells, bool keeps_sides, int dimension, double spin, uint64_t *put_back)
{
    const double dx = 1.0 / 16;
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, dx);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e3, 0.3), -0.4, 0.53, 0.5, 0.25);
    body.velocity[0] = 6;
    add_body(world, &body);
    ct_collider_def wall = plate(0, -2, cells * dx, 3);
    wall.keeps_sides = keeps_sides;
    wall.motion.spin_rate = spin;
    add_collider(world, &wall);
    CHECK(ct_world_run_until(world, 0.15, error));
    triple *x = positions_of(world);
    size_t beyond = 0;
    double angle = spin * 0.15, middle = 0.5 * cells * dx, center = 0.5;
    for (size_t p = 0; p < count_of(world); p++) {
        double u = cos(angle) * (x[p][0] - middle) + sin(angle) * (x[p][1] - center);
        beyond += u > -middle;
    }
    *put_back = collider_of(world, 0).put_back;
    free(x);
    ct_world_destroy(world);
    return beyond;
}

/* However thin, at rest or turning: nothing gets in, nothing through. Control: without the last resort it
 * does. */
static void thin_walls_hold(void **state)
{
    (void)state;
    uint64_t put_back;
    for (int dimension = 2; dimension <= 3; dimension++) {
        assert_int_equal(through(1.5, true, dimension, 0, &put_back), 0);
        assert_int_equal(through(0.3, true, dimension, 0, &put_back), 0);
        assert_true(put_back > 0);
        assert_int_equal(through(1.5, true, dimension, 2, &put_back), 0);
    }
    assert_true(through(0.3, false, 2, 0, &put_back) > 100);
    assert_int_equal(put_back, 0);
}

/* Two plates close on a ball, like a gripper, and lift it: it comes along by friction. Control: without
 * friction it falls. */
static double lift(double friction)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.gravity.constant[1] = -9.8;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.25);
    add_body(world, &body);
    static const double times[] = {0, 0.05, 1};
    static const double ways[2][3][3] = {{{-0.4, 0}, {-0.35, 0}, {-0.35, 0.5}},
                                         {{0.4, 0}, {0.35, 0}, {0.35, 0.5}}};
    for (int side = 0; side < 2; side++) {
        ct_collider_def finger = plate(-0.15, -0.5, 0.15, 0.5);
        finger.friction = friction;
        finger.motion.has_position = true;
        finger.motion.position = (ct_track){.count = 3, .times = times, .values = ways[side]};
        add_collider(world, &finger);
    }
    CHECK(ct_world_run_until(world, 1, error));
    double height = center_of(world, 1);
    ct_world_destroy(world);
    return height;
}

static void a_gripper_lifts(void **state)
{
    (void)state;
    assert_near(lift(1), 0.5, 0.06);
    assert_true(lift(0) < -1);
}

/* A collider can be steered while the world runs. */
static void it_can_be_steered(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.step.max = 0.01;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_dust(world), 3, 0, 0, 0.2);
    add_body(world, &body);
    ct_collider_def sphere = sphere_at(0, 0, 0, 0.1);
    sphere.motion.velocity[0] = 1;
    add_collider(world, &sphere);
    CHECK(ct_world_run_until(world, 0.5, error));
    ct_collider_info now = collider_of(world, 0);
    assert_near(now.position[0], 0.5, 1e-12);
    ct_motion_def motion = ct_default_motion_def();
    motion.has_position = true;
    memcpy(motion.position.constant, now.position, sizeof now.position);
    motion.velocity[1] = 2, motion.start = 0.5;
    CHECK(ct_world_set_motion(world, 0, &motion, error));
    CHECK(ct_world_run_until(world, 1, error));
    now = collider_of(world, 0);
    assert_near(now.position[0], 0.5, 1e-12);
    assert_near(now.position[1], 1, 1e-12);
    ct_error error;
    assert_int_equal(ct_world_set_motion(world, 1, &motion, &error), CT_BAD_USAGE);
    motion.scale.constant[0] = 0;
    assert_int_equal(ct_world_set_motion(world, 0, &motion, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "scale"));
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_down_a_slope),
        cmocka_unit_test(slip_slides_and_sticky_holds),
        cmocka_unit_test(dust_inside_moves_with_it),
        cmocka_unit_test(what_is_lost_is_received),
        cmocka_unit_test(work_is_booked),
        cmocka_unit_test(a_sphere_holds_a_column),
        cmocka_unit_test(a_plate_that_jumps_moves_nothing),
        cmocka_unit_test(thin_walls_hold),
        cmocka_unit_test(a_gripper_lifts),
        cmocka_unit_test(it_can_be_steered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
