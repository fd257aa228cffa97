/* Motion without forces from within: flight and fall, the same at every place, rotation; and what the
 * transfers do to an affine velocity field. */
#include "worlds.h"

/* ---- flight -------------------------------------------------------------------------------------------- */

/* Symplectic Euler: v_n = v_0 + n dt g and x_n = x_0 + n dt v_0 + n (n + 1) / 2 dt^2 g, for every particle,
 * because a body that moves as one has equal velocities on all nodes. The body crosses several blocks on its
 * way. Explicit Euler would have n (n - 1) / 2: the control says that the test sees the difference. */
static void assert_flight(int dimension, ct_precision precision, ct_kernel kernel)
{
    enum { STEPS = 100 };
    const double dt = 0x1p-9, v0[] = {2, 1.5, -0.7}, g[] = {0.5, -9.81, 1.25};
    ct_world_def def = quiet_def(dimension, kernel, 1.0 / 16);
    def.precision = precision;
    def.step.fixed = dt;
    memcpy(def.gravity.constant, g, sizeof g);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e3, 0.3), 0.1, 0.2, 0.3, 0.15);
    memcpy(body.velocity, v0, sizeof v0);
    add_body(world, &body);
    triple *start = positions_of(world);
    steps(world, STEPS);
    triple *x = positions_of(world), *v = velocities_of(world);
    double tolerance =
        precision == CT_DOUBLE ? 1e-13 : 1e-5; /* some 100 roundings of numbers of the size of 1 */
    for (size_t p = 0; p < count_of(world); p++)
        for (int a = 0; a < dimension; a++) {
            double fall = 0.5 * STEPS * (STEPS + 1) * dt * dt * g[a],
                   other = 0.5 * STEPS * (STEPS - 1) * dt * dt * g[a];
            assert_near(v[p][a], v0[a] + STEPS * dt * g[a], 4 * tolerance);
            assert_near(x[p][a], start[p][a] + STEPS * dt * v0[a] + fall, tolerance);
            assert_true(fabs(x[p][a] - start[p][a] - STEPS * dt * v0[a] - other) > 10 * tolerance);
        }
    free(start), free(x), free(v);
    ct_world_destroy(world);
}

static void flight_is_exact(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++)
            for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
                assert_flight(dimension, precision, kernel);
}

/* Moved by whole cells, which are no whole blocks, everything happens alike, to round-off: particles meet in
 * other orders of summation. 40 steps of a collision let 1e-16 grow to some 1e-13. */
static void every_cell_is_as_good_as_the_next(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
            triple *x[2], *v[2];
            size_t count = 0;
            for (int moved = 0; moved < 2; moved++) {
                ct_world_def def = quiet_def(dimension, kernel, 1.0 / 16);
                ct_world *world = create(&def);
                int jelly = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3);
                double s = moved / 16.0; /* one cell, three cells, minus two cells */
                ct_body_def left = ball(jelly, -0.2 + s, 3 * s, -2 * s, 0.15), right = left;
                right.shape.center[0] = 0.15 + s;
                left.velocity[0] = 2, right.velocity[0] = -2;
                add_body(world, &left);
                add_body(world, &right);
                steps(world, 40);
                x[moved] = positions_of(world), v[moved] = velocities_of(world);
                count = count_of(world);
                ct_world_destroy(world);
            }
            const double move[] = {1 / 16.0, 3 / 16.0, -2 / 16.0};
            for (size_t p = 0; p < count; p++)
                for (int a = 0; a < dimension; a++) {
                    assert_near(x[1][p][a], x[0][p][a] + move[a], 1e-12);
                    assert_near(v[1][p][a], v[0][p][a], 1e-10);
                }
            for (int k = 0; k < 2; k++) free(x[k]), free(v[k]);
        }
}

/* ---- rotation ------------------------------------------------------------------------------------------ */

/* A disc of radius 1/4 m turns at 2 rad/s for one turn. Its speed at the rim is 0.5 m/s, its stiffness 1e5
 * Pa: the stretch by centrifugal force is rho v^2 / E = 0.25%, which slows it by twice that; so 1% for the
 * angle. Angular momentum has no such excuse. PIC, the control, comes to rest. */
static void a_disc_keeps_turning(void **state)
{
    (void)state;
    const double turn = 6.283185307179586, rate = 2;
    static const char *const schemes[] = {"apic", "rpic", "pic"};
    for (int k = 0; k < 3; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
        def.scheme.type = schemes[k];
        ct_world *world = create(&def);
        ct_body_def disc = ball(add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3), 0, 0, 0, 0.25);
        disc.spin_rate = rate;
        add_body(world, &disc);
        triple *start = positions_of(world);
        double before = ct_world_get_sums(world).angular_momentum[2];
        CHECK(ct_world_run_until(world, 0.9 * turn / rate, error));
        double after = ct_world_get_sums(world).angular_momentum[2], c = 0, s = 0;
        triple *x = positions_of(world);
        for (size_t p = 0; p < count_of(world); p++) {
            c += start[p][0] * x[p][0] + start[p][1] * x[p][1];
            s += start[p][0] * x[p][1] - start[p][1] * x[p][0];
        }
        double angle = atan2(s, c) + (s < 0 ? turn : 0); /* the rotation that fits all particles best */
        if (k < 2) {
            assert_near(after, before, 1e-12 * before);
            assert_near(angle, 0.9 * turn, 0.01 * turn);
        } else {
            assert_true(after < 0.1 * before);
            assert_true(angle < 0.7 * turn);
        }
        free(start), free(x);
        ct_world_destroy(world);
    }
}

/* ---- affine fields ------------------------------------------------------------------------------------- */

static const double slope[9] = {0.7, -1.1, 0.4, 2.3, -0.6, 0.9, -0.2, 1.7, 0.5}; /* 1/s */

/* What a scheme leaves of the slope: entry (a, b) of symmetric * even part + skew * odd part. */
static double kept(double symmetric, double skew, int a, int b)
{
    double even = (slope[3 * a + b] + slope[3 * b + a]) / 2;
    return symmetric * even + skew * (slope[3 * a + b] - even);
}

/* v = v_0 + A x with C = A on every particle: with APIC each node gets v_0 + A x_i whatever particles
 * surround it, and a particle reads back v_0 + A x_p and A, since sum w = 1, sum w r = 0 and sum w r r^T = D:
 * exact for any cloud, its surface too, after a step too short to move anything. With a scheme that takes
 * only a part of A to the grid that holds for particles that are alone, and for that part. Random points, so
 * that nothing is exact by symmetry. */
static void assert_round_trip(ct_world_def def, double symmetric, double skew)
{
    double apart = symmetric == 1 && skew == 1 ? 0 : 2; /* m: twenty cells */
    enum { POINTS = 150 };
    def.step.fixed = 1e-16;
    def.step.min = 0;
    ct_world *world = create(&def);
    double points[POINTS][3], C[POINTS][9], v[POINTS][3] = {0};
    uint64_t random = 9;
    for (int p = 0; p < POINTS; p++) {
        for (int a = 0; a < 3; a++) points[p][a] = 0.4 * uniform(&random);
        memcpy(C[p], slope, sizeof slope);
        for (int a = 0; a < def.dimension; a++) {
            v[p][a] = 1 + a;
            for (int b = 0; b < def.dimension; b++) v[p][a] += slope[3 * a + b] * points[p][b];
        }
        points[p][0] += apart * p;
    }
    ct_body_def body = ct_default_body_def();
    body.material = add_dust(world);
    body.shape.type = CT_SHAPE_POINTS;
    body.shape.points = (const double(*)[3])points;
    body.shape.point_count = POINTS;
    add_body(world, &body);
    CHECK(ct_world_write(world, "velocity", v, sizeof v, error));
    CHECK(ct_world_write(world, "C", C, sizeof C, error));
    steps(world, 1);
    triple *velocity = velocities_of(world);
    double *affine = values_of(world, "C");
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < def.dimension; a++) {
            assert_near(velocity[p][a], v[p][a], 1e-13);
            /* C divides differences of velocities by a spacing of 0.1 */
            for (int b = 0; b < def.dimension; b++)
                assert_near(affine[9 * p + 3 * a + b], kept(symmetric, skew, a, b), 1e-12);
        }
    free(velocity), free(affine);
    ct_world_destroy(world);
}

static void apic_keeps_affine_fields(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (ct_force_form form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                def.force_form = form;
                assert_round_trip(def, 1, 1);
            }
}

static void other_schemes_keep_their_share(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
            ct_world_def def = quiet_def(dimension, kernel, 0.1);
            const double shares[] = {0, 0.3, 1};
            for (int k = 0; k < 3; k++) {
                ct_parameter damping[] = {{"damping", shares[k]}};
                def.scheme.parameters = damping;
                def.scheme.parameter_count = 1;
                assert_round_trip(def, 1 - shares[k], 1);
            }
            def.scheme.parameter_count = 0;
            def.scheme.type = "rpic";
            assert_round_trip(def, 0, 1);
        }
}

/* PIC forgets: the field it started from is not the field it ends with, and what a particle says of the slope
 * does not reach the grid. */
static void pic_keeps_no_slope(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
        def.scheme.type = "pic";
        def.step.fixed = 1e-16;
        def.step.min = 0;
        ct_world *world = create(&def);
        ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.35);
        memcpy(body.gradient, slope, sizeof slope);
        add_body(world, &body);
        triple *before = velocities_of(world);
        steps(world, 1);
        triple *after = velocities_of(world);
        double change = 0;
        for (size_t p = 0; p < count_of(world); p++) change = fmax(change, fabs(after[p][0] - before[p][0]));
        assert_true(change > 0.01);
        free(before), free(after);
        ct_world_destroy(world);
        assert_round_trip(def, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flight_is_exact),
        cmocka_unit_test(every_cell_is_as_good_as_the_next),
        cmocka_unit_test(a_disc_keeps_turning),
        cmocka_unit_test(apic_keeps_affine_fields),
        cmocka_unit_test(other_schemes_keep_their_share),
        cmocka_unit_test(pic_keeps_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
