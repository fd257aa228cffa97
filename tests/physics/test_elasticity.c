/* Elasticity against textbook answers: the note of a bar, and how far a column settles under its weight. */
#include "worlds.h"

static const double pi = 3.14159265358979324;

/* rho = 1000, mu = lambda = 1e4: P-wave modulus lambda + 2 mu = 3e4, so c = sqrt(30) m/s. */
static int add_jelly(ct_world *world, const char *type)
{
    ct_parameter lame[] = {{"mu", 1e4}, {"lambda", 1e4}};
    ct_material_def def = ct_default_material_def();
    def.type = type, def.density = 1000, def.parameters = lame, def.parameter_count = 2;
    int material;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* ---- the note of a bar --------------------------------------------------------------------------------- */

/* A bar of 1 m that fills a channel between slip walls can only be strained along its length, so it is a
 * string of springs of the modulus lambda + 2 mu: u_tt = c^2 u_xx with u = 0 at both ends. It is plucked in
 * its lowest mode, v(x) = e sin(pi x), and swings with the period 2 L / c. e is small: strains below 1e-4.
 * The swing is measured on the mode itself, q = sum m v sin(pi x); it crosses zero at a quarter, three
 * quarters, ... of a period; crossings are found between steps by a straight line. */
static double period(int dimension, const char *material, ct_kernel kernel, ct_force_form form, int cells)
{
    ct_world_def def = quiet_def(dimension, kernel, 1.0 / cells);
    def.force_form = form;
    set_domain(&def, 1, 4.0 / cells, 4.0 / cells, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_body_def bar = block(add_jelly(world, material), 0, 0, 0, 1, 4.0 / cells, 4.0 / cells);
    add_body(world, &bar);
    size_t count = count_of(world);
    triple *x = positions_of(world), *v = calloc(count, sizeof *v);
    for (size_t p = 0; p < count; p++) v[p][0] = 1e-4 * sin(pi * x[p][0]);
    CHECK(ct_world_write(world, "velocity", v, count * sizeof *v, error));
    free(v);
    double crossing[3], last = 1, last_time = 0;
    for (int found = 0; found < 3;) {
        steps(world, 1);
        v = velocities_of(world);
        double q = 0, time = ct_world_get_info(world).time;
        for (size_t p = 0; p < count; p++) q += v[p][0] * sin(pi * x[p][0]);
        if (q * last < 0) crossing[found++] = last_time + (time - last_time) * last / (last - q);
        last = q, last_time = time;
        free(v);
        assert_true(time < 2);
    }
    free(x);
    assert_held(world, &def);
    ct_world_destroy(world);
    return crossing[2] - crossing[0];
}

static const double exact = 2 / 5.477225575051661; /* s: 2 L / sqrt(30) */

static void a_bar_swings_at_its_note(void **state)
{
    (void)state;
    for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        for (ct_force_form form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
            assert_near(period(2, "fixed_corotated", kernel, form, 16), exact, 0.015 * exact);
            assert_near(period(2, "neo_hookean", kernel, form, 16), exact, 0.015 * exact);
        }
    static const char *const others[] = {"corotated", "simo", "hencky"};
    for (int k = 0; k < 3; k++)
        assert_near(period(2, others[k], CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 16), exact, 0.015 * exact);
    assert_near(period(3, "fixed_corotated", CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 16), exact, 0.015 * exact);
}

/* Waves that are long against the cells have an error of the second order in the spacing: half the cells, a
 * quarter of it. At least a factor 3 each, and the finest within 0.2%. */
static void the_note_converges(void **state)
{
    (void)state;
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = fabs(period(2, "fixed_corotated", CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 8 << k) / exact - 1);
    assert_true(error[1] < error[0] / 3);
    assert_true(error[2] < error[1] / 3);
    assert_true(error[2] < 0.002);
    assert_true(error[0] > 0.002); /* the control: eight cells are not enough for that */
}

/* ---- a column under its weight ------------------------------------------------------------------------- */

/* A column of height H = 1 m between slip walls, on a slip floor, with a free top, is let go unstrained under
 * g = 0.06 m/s^2. At rest the stress at height y is -rho g (H - y), so a point sinks by u = rho g (H y -
 * y^2/2) / (lambda + 2 mu) and the centre of mass by rho g H^2 / (3 (lambda + 2 mu)) = 0.667 mm (strains of
 * 0.2%: small enough). Let go from above its rest, it swings about it with the period 4 H / c and the odd
 * fractions of it, so the mean over that period is the state of rest. The free top is blurred by half a cell
 * of 16: within 3%. */
static void a_column_settles_under_its_weight(void **state)
{
    (void)state;
    const double H = 1, g = 0.06, modulus = 3e4, time = 4 * H / sqrt(30);
    for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
        ct_world_def def = quiet_def(2, kernel, 1.0 / 16);
        set_domain(&def, 0.25, 1.5, 1, CT_WALL_SLIP, 0);
        def.gravity.constant[1] = -g;
        def.step.fixed = time / 500;
        ct_world *world = create(&def);
        ct_body_def column = block(add_jelly(world, "fixed_corotated"), 0, 0, 0, 0.25, H, 0);
        add_body(world, &column);
        double start = center_of(world, 1), mean = 0, deepest = 0;
        for (int i = 0; i < 500; i++) {
            steps(world, 1);
            double sunk = start - center_of(world, 1);
            mean += sunk / 500;
            deepest = fmax(deepest, sunk);
        }
        double rest = 1000 * g * H * H / (3 * modulus);
        assert_near(mean, rest, 0.03 * rest);
        assert_true(deepest > 1.5 * rest); /* it does swing: twice as deep without losses */
        ct_world_destroy(world);
    }
}

/* Squeezed and held, a bar pushes back with lambda + 2 mu times the strain: F = diag(0.999, 1) between walls.
 * The stress of every particle at once, without a step. */
static void stress_of_a_small_strain(void **state)
{
    (void)state;
    static const char *const types[] = {"fixed_corotated", "neo_hookean", "corotated", "simo", "hencky"};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 5; k++) {
            ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
            ct_world *world = create(&def);
            ct_body_def body = ball(add_jelly(world, types[k]), 0, 0, 0, 0.3);
            body.deformation[0] = 1 - 1e-5;
            add_body(world, &body);
            double *stress = values_of(world, "stress");
            for (size_t p = 0; p < count_of(world); p++) {
                assert_near(stress[9 * p], -3e4 * 1e-5,
                            1e-4 * 0.3); /* second order in the strain: 1e-5 of it */
                assert_near(stress[9 * p + 4], -1e4 * 1e-5, 1e-4 * 0.1);
                assert_near(stress[9 * p + 1], 0, 1e-9);
            }
            free(stress);
            ct_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_swings_at_its_note),
        cmocka_unit_test(the_note_converges),
        cmocka_unit_test(a_column_settles_under_its_weight),
        cmocka_unit_test(stress_of_a_small_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
