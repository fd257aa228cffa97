/* Rigid bodies touch: stacks, cradles, slopes, momentum. */
#include "unit/rigid/bodies.h"

/* Ten boxes for ten seconds: how far the top one went, in boxes. */
static double stack(int dimension, bool is_turned, bool is_warm)
{
    room *r = open_room(dimension, -9.81);
    add_floor(r, 0.5);
    for (int k = 0; k < 10; k++) {
        ct_body_def def = a_box(0, 0.05 + 0.1 * k, 0, 0.05, 0.05, 0.05);
        if (is_turned)
            def.shape.rotate_axis[1] = 1, def.shape.rotate_axis[2] = 0, def.shape.rotate_angle = 0.4 * k;
        add(r, def, 0.1);
    }
    for (int k = 0; k < 2400; k++) {
        if (!is_warm) r->rigids.last_count = 0;
        step(r, 1.0 / 240);
    }
    const double *x = r->rigids.bodies[9].state.position;
    double way = sqrt(x[0] * x[0] + (x[1] - 0.95) * (x[1] - 0.95) + x[2] * x[2]) / 0.1;
    close_room(r);
    return way;
}

static void test_stacks(void **state)
{
    (void)state;
    assert_true(stack(2, false, true) < 0.01);
    assert_true(stack(3, false, true) < 0.01);
    assert_true(stack(3, true, true) < 0.1);    /* each turned on the one below: it creeps */
    assert_true(stack(3, false, false) > 0.01); /* control: steps that remember nothing */
}

/* Five balls, a thousandth of a radius apart: the last one leaves with the speed of the first. */
static void test_cradle(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        room *r = open_room(dimension, 0);
        r->rigids.law.restitution = 1;
        for (int k = 0; k < 5; k++) {
            ct_body_def def = a_ball(0.1001 * k - (k ? 0 : 0.05), 0, 0, 0.05);
            if (!k) def.velocity[0] = 1;
            add(r, def, 0.1);
        }
        for (int k = 0; k < 240; k++) step(r, 1.0 / 240);
        for (int k = 0; k < 5; k++) assert_near(r->rigids.bodies[k].state.velocity[0], k == 4, 1e-12);
        close_room(r);
    }
}

/* On a slope of angle a, which is gravity leaning: a ball rolls with 5/7 g sin a (a disc with 2/3), a block
 * slides with g (sin a - mu cos a) or stays. */
static double slope(int dimension, bool is_ball, double angle, double friction, double time)
{
    room *r = open_room(dimension, -9.81 * cos(angle));
    r->common.def.gravity.constant[0] = 9.81 * sin(angle);
    add_floor(r, friction);
    add(r, is_ball ? a_ball(0, 0.05, 0, 0.05) : a_box(0, 0.05, 0, 0.05, 0.05, 0.05), 0.1);
    int steps = (int)(time * 240);
    for (int k = 0; k < steps; k++) step(r, 1.0 / 240);
    double speed = r->rigids.bodies[0].state.velocity[0];
    close_room(r);
    return speed / time;
}

static void test_slopes(void **state)
{
    (void)state;
    const double g = 9.81, a = 0.3;
    assert_near(slope(3, true, a, 0.5, 2), 5.0 / 7 * g * sin(a), 1e-3 * g);
    assert_near(slope(2, true, a, 0.5, 2), 2.0 / 3 * g * sin(a), 1e-3 * g);
    assert_near(slope(3, true, a, 0, 2), g * sin(a), 1e-3 * g); /* control: it only slides */
    for (int dimension = 2; dimension <= 3; dimension++) {
        assert_near(slope(dimension, false, a, 0.2, 2), g * (sin(a) - 0.2 * cos(a)), 3e-3 * g);
        assert_near(slope(dimension, false, a, 0.4, 2), 0, 1e-4 * g);
    }
}

/* Bodies that tumble into each other in free space keep momentum and angular momentum to round-off. */
static void test_momentum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        room *r = open_room(dimension, 0);
        double p[3] = {0}, L[3] = {0}, q[3] = {0}, M[3] = {0}, scale = 0, exchanged = 0;
        for (int k = 0; k < 8; k++) {
            double angle = 0.785 * k, z = dimension == 3 ? 0.02 * (k % 3) : 0;
            ct_body_def def = k % 2 ? a_ball(0.4 * cos(angle), 0.4 * sin(angle), z, 0.07)
                                    : a_box(0.4 * cos(angle), 0.4 * sin(angle), z, 0.05, 0.1, 0.07);
            def.velocity[0] = -cos(angle), def.velocity[1] = -sin(angle);
            def.spin_axis[0] = dimension == 3, def.spin_axis[2] = 1, def.spin_rate = k - 3;
            add(r, def, 0.05);
        }
        for (size_t k = 0; k < 8; k++) {
            ct_world_sums s = sums_of(r, k);
            for (int a = 0; a < 3; a++) p[a] += s.momentum[a], L[a] += s.angular_momentum[a];
            scale += s.mass;
        }
        double first = sums_of(r, 0).momentum[0];
        for (int k = 0; k < 480; k++) step(r, 1.0 / 240);
        for (size_t k = 0; k < 8; k++) {
            ct_world_sums s = sums_of(r, k);
            for (int a = 0; a < 3; a++) q[a] += s.momentum[a], M[a] += s.angular_momentum[a];
        }
        exchanged = fabs(sums_of(r, 0).momentum[0] - first);
        assert_true(exchanged > 0.1 * fabs(first));
        for (int a = 0; a < 3; a++) {
            assert_near(q[a], p[a], 1e-11 * scale);
            assert_near(M[a], L[a], 1e-11 * scale);
        }
        close_room(r);
    }
}

/* A pinned body is a wall; an overlap in the beginning is pushed apart slowly. */
static void test_overlap(void **state)
{
    (void)state;
    room *r = open_room(3, 0);
    ct_body_def def = a_box(0, 0, 0, 0.2, 0.05, 0.2);
    def.is_pinned = true;
    add(r, def, 0.1);
    ct_rigid_body *body = add(r, a_box(0, 0.08, 0, 0.05, 0.05, 0.05), 0.1);
    double fastest = 0;
    for (int k = 0; k < 480; k++) {
        step(r, 1.0 / 240);
        fastest = fmax(fastest, ct_rigid_speed(body));
    }
    body = &r->rigids.bodies[1];
    assert_true(body->state.position[1] > 0.0985);
    assert_true(fastest < 0.2);
    assert_near(r->rigids.bodies[0].state.position[1], 0, 0);
    close_room(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks), cmocka_unit_test(test_cradle),
                                       cmocka_unit_test(test_slopes), cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_overlap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
