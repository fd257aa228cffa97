/* Free motion: invariants and turning rates. */
#include "unit/rigid/bodies.h"

/* A book of edges 1 : 2 : 3 that spins about its middle axis, a little off it, flips over and over; energy
 * and angular momentum stay (Dzhanibekov). Control: explicit steps of the same length drift by far more. */
static void test_flip(void **state)
{
    (void)state;
    room *r = open_room(3, 0);
    ct_rigid_body *body = add(r, a_box(0, 0, 0, 0.05, 0.1, 0.15), 0.1);
    const double w[3] = {1e-3, 10, 1e-3};
    ct_multiply3(body->inertia, w, body->state.spin);
    ct_world_sums before = sums_of(r, 0);
    int flips = 0;
    double sign = 1, J[3] = {body->inertia[0], body->inertia[4], body->inertia[8]};
    double m[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]}; /* the control, seen from the body */
    for (int k = 0; k < 100000; k++) {
        step(r, 1e-3);
        if (body->rotation[4] * sign < -0.5) sign = -sign, flips++;
        double v[3] = {m[0] / J[0], m[1] / J[1], m[2] / J[2]}, change[3];
        ct_cross3(m, v, change);
        for (int a = 0; a < 3; a++) m[a] += 1e-3 * change[a];
    }
    ct_world_sums after = sums_of(r, 0);
    assert_true(flips > 20);
    assert_near(after.kinetic / before.kinetic, 1, 1e-10);
    for (int a = 0; a < 3; a++) assert_near(after.angular_momentum[a], before.angular_momentum[a], 1e-14);
    /* not only the stored number: the orientation agrees with it, J^-1 of where the body is turned to */
    double explicit_energy = m[0] * m[0] / J[0] + m[1] * m[1] / J[1] + m[2] * m[2] / J[2];
    assert_true(fabs(0.5 * explicit_energy / before.kinetic - 1) > 1e-3);
    close_room(r);
}

/* A symmetric top precesses in space at L/J_1, whatever its spin. */
static void test_precession(void **state)
{
    (void)state;
    room *r = open_room(3, 0);
    ct_rigid_body *body = add(r, a_box(0, 0, 0, 0.1, 0.02, 0.1), 0.1);
    const double w[3] = {2, 8, 0};
    ct_multiply3(body->inertia, w, body->state.spin);
    double L = sqrt(ct_dot3(body->state.spin, body->state.spin)), rate = L / body->inertia[0];
    int steps = 4000;
    double period = 2 * 3.14159265358979323846 / rate, axis[3];
    for (int k = 0; k < steps; k++) step(r, period / steps);
    const double e[3] = {0, 1, 0};
    ct_multiply3(body->rotation, e, axis);
    assert_near(axis[1], 1, 1e-5); /* back where it was; half a period later it is far off */
    for (int k = 0; k < steps / 2; k++) step(r, period / steps);
    ct_multiply3(body->rotation, e, axis);
    assert_true(axis[1] < 0.999);
    close_room(r);
}

/* x = v t + g t^2/2, to the first order in dt that velocities before positions have; the centre alone falls,
 * and a 2D body turns at a constant rate. */
static void test_fall(void **state)
{
    (void)state;
    room *r = open_room(2, -10);
    ct_body_def def = a_ball(0, 0, 0, 0.1);
    def.velocity[0] = 1;
    def.spin_rate = 3, def.spin_axis[2] = 1;
    ct_rigid_body *body = add(r, def, 0.1);
    for (int k = 0; k < 1000; k++) step(r, 1e-3);
    assert_near(body->state.position[0], 1, 1e-12);
    assert_near(body->state.position[1], -5 - 0.5e-3 * 10, 1e-10);
    assert_near(2 * atan2(body->state.orientation[3], body->state.orientation[0]), 3, 1e-5);
    assert_near(body->mass, 1000 * 3.14159265358979323846 * 0.01, 1e-10);
    close_room(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flip), cmocka_unit_test(test_precession),
                                       cmocka_unit_test(test_fall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
