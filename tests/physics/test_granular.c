/* Sand, snow and clay as people know them: a heap's slope follows the friction angle, snow packs and hardens,
 * metal keeps the shape it was pressed into. */
#include "worlds.h"

static int add_material(ct_world *world, const char *type, double density, double young, double poisson,
                        const char *name, double value)
{
    ct_parameter parameters[] = {{"young", young}, {"poisson", poisson}, {name, value}};
    ct_material_def def = ct_default_material_def();
    def.type = type, def.density = density, def.parameters = parameters, def.parameter_count = name ? 3 : 2;
    int material;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static double kinetic_of(const ct_world *world)
{
    return ct_world_get_sums(world).kinetic;
}

/* ---- heaps -------------------------------------------------------------------------------------------- */

/* A column, half of it, beside a slip wall that is its plane of symmetry, collapses on a rough floor. A heap
 * with a straight slope has its centre of mass at a third of its width and a third of its height, so their
 * ratio is the slope's tangent. */
static double repose_angle(const char *type, const char *name, double friction_angle)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 48);
    def.precision = CT_FLOAT;
    set_domain(&def, 1.5, 0.5, 1, CT_WALL_SLIP, 0);
    def.walls[CT_Y_MIN].type = CT_WALL_NO_SLIP;
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    ct_body_def column =
        block(add_material(world, type, 1600, 1e5, 0.3, name, friction_angle), 0, 0, 0, 0.25, 0.375, 0);
    add_body(world, &column);
    double most = 0;
    while (ct_world_get_info(world).time < 1.5) {
        steps(world, 10);
        most = fmax(most, kinetic_of(world));
    }
    /* sand came to rest; what is elastic still swings */
    if (!strcmp(name, "friction_angle")) assert_true(kinetic_of(world) < 0.05 * most);
    double angle = atan2(center_of(world, 1), center_of(world, 0));
    ct_world_destroy(world);
    return angle;
}

/* More friction, steeper heaps. A collapse overshoots: heaps of columns are flatter than the friction angle,
 * and never steeper. Small strains: the two energies make the same heap. */
static void heaps_are_steeper_with_more_friction(void **state)
{
    (void)state;
    static const double degree = 3.14159265358979324 / 180;
    double last = 0;
    for (int angle = 15; angle <= 45; angle += 15) {
        double slope = repose_angle("drucker_prager", "friction_angle", angle * degree);
        double other = repose_angle("drucker_prager_simo", "friction_angle", angle * degree);
        if (!(slope > last + 4 * degree && slope < angle * degree && fabs(slope - other) < degree))
            fail_msg("a friction angle of %d deg makes slopes of %g and %g deg, after %g", angle,
                     slope / degree, other / degree, last / degree);
        last = slope;
    }
    /* the control: with cohesion enough the column stands */
    assert_true(repose_angle("drucker_prager", "cohesion", 1e6) > 50 * degree);
}

/* ---- snow and metal ----------------------------------------------------------------------------------- */

/* A ball thrown at the floor: what its state says afterwards. */
static void thrown_balls_remember(void **state)
{
    (void)state;
    static const struct {
        const char *type, *parameter, *quantity;
        double value, least, most; /* the range over the particles must reach beyond these */
    } cases[] = {
        {"snow", NULL, "plastic_volume", 0, 0.97, 1.01},                   /* packed, and torn */
        {"von_mises", "yield_stress", "plastic_strain", 5000, 1e-12, 0.1}, /* flattened */
        {"nacc", NULL, "hardening", 0, -0.02, -0.019},                     /* compacted or come apart */
        {"drucker_prager_hardening", NULL, "plastic_strain", 0, 1, 5},     /* scattered */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
        def.precision = CT_FLOAT;
        set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
        ct_world *world = create(&def);
        int material =
            add_material(world, cases[k].type, 400, 1.4e5, 0.2, cases[k].parameter, cases[k].value);
        ct_body_def thrown = ball(material, 0.5, 0.25, 0, 0.2);
        thrown.velocity[1] = -5;
        add_body(world, &thrown);
        CHECK(ct_world_run_until(world, 0.1, error));
        double *values = values_of(world, cases[k].quantity), least = INFINITY, most = -INFINITY;
        for (size_t p = 0; p < count_of(world); p++)
            least = fmin(least, values[p]), most = fmax(most, values[p]);
        free(values);
        if (!(least <= cases[k].least && most >= cases[k].most))
            fail_msg("%s: %s is between %g and %g", cases[k].type, cases[k].quantity, least, most);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_are_steeper_with_more_friction),
        cmocka_unit_test(thrown_balls_remember),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
