/* The criteria of single particles and of viscosity: against their formulas, and a particle that is alone. */
#include "worlds.h"

static int add_fluid(ct_world *world, const char *type, double density, double bulk, double viscosity)
{
    ct_parameter parameters[] = {{"bulk", bulk}, {"viscosity", viscosity}, {"largest_J", 1000}};
    ct_material_def def = ct_default_material_def();
    def.type = type, def.density = density;
    def.parameters = parameters, def.parameter_count = 3;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* One particle with volume ratio J, at a face of its cell. */
static ct_world *alone(const ct_world_def *def, const char *type, double J)
{
    static const double at[][3] = {{0.1, 0.1, 0.1}};
    ct_world *world = create(def);
    ct_body_def body = ct_default_body_def();
    body.material = add_fluid(world, type, 2, 5000, 0);
    body.shape.type = CT_SHAPE_POINTS;
    body.shape.points = at;
    body.shape.point_count = 1;
    body.deformation[0] = J;
    add_body(world, &body);
    return world;
}

/* J psi' of the three fluids with bulk modulus 1. */
static double slope_of(const char *type, double J)
{
    if (!strcmp(type, "fluid_linear")) return J * (J - 1);
    if (!strcmp(type, "fluid_log")) return log(J);
    return (J - pow(J, -6)) / 7; /* gamma = 7 */
}

/* dt = factor dx sqrt(rho0 / (K d Q)) with Q of each form; K d / dx^2 bounds tr H: 4 and 3 in the MLS form,
 * 6 and 3.14 in the gradient form. Tait's law stiffens faster than the relaxed form allows for J < 1, so that
 * is the exact one there. */
static void the_single_particle_criterion(void **state)
{
    (void)state;
    static const char *const types[] = {"fluid_linear", "fluid_log", "fluid"};
    const double ratios[] = {0.7, 1, 1.4}, K[2][2] = {{4, 3}, {6, 3.14}};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int form = 0; form < 2; form++)
            for (int kernel = 0; kernel < 2; kernel++)
                for (int k = 0; k < 3; k++)
                    for (int r = 0; r < 3; r++)
                        for (int single = CT_SINGLE_STRICT; single <= CT_SINGLE_EXACT; single++) {
                            double J = ratios[r], strict = J == 1 ? 1 : slope_of(types[k], J) / log(J),
                                   Q = strict;
                            if (single != CT_SINGLE_STRICT) Q = strict / 2;
                            if (single == CT_SINGLE_RELAXED && !(k == 2 && J < 1))
                                Q = J < 1 ? (2 - J) * (2 - J) / 2 : J * J * J / (J + 1);
                            ct_world_def def = quiet_def(dimension, (ct_kernel)kernel, 0.1);
                            def.force_form = (ct_force_form)form;
                            def.step.criteria = CT_CRITERION_SINGLE_PARTICLE;
                            def.step.single_form = (ct_single_form)single;
                            ct_world *world = alone(&def, types[k], J);
                            steps(world, 1);
                            double dt = 0.9 * 0.1 * sqrt(2 / (K[form][kernel] * dimension * 5000 * Q));
                            assert_near(ct_world_get_info(world).dt, dt, 1e-4 * dt);
                            assert_string_equal(ct_world_get_info(world).limited_by, "single_particle");
                            ct_world_destroy(world);
                        }
}

/* A particle that is alone and at rest, with PIC: J <- J exp(-J psi' / Q) at the worst place, a face of the
 * cell for the gradient form. With the exact limit |ln J| never grows, from any start; with 1.5 times as much
 * a small one does: the control. */
static void a_particle_that_is_alone(void **state)
{
    (void)state;
    const double starts[] = {0.6, 0.95, 1.05, 1.7};
    for (int form = 0; form < 2; form++)
        for (int r = 0; r < 4; r++)
            for (int is_control = 0; is_control < 2; is_control++) {
                ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
                def.force_form = (ct_force_form)form;
                def.scheme.type = "pic";
                def.step.criteria = CT_CRITERION_SINGLE_PARTICLE;
                def.step.single_form = CT_SINGLE_EXACT;
                def.step.single_factor = is_control ? 1.5 : 1;
                ct_world *world = alone(&def, "fluid_linear", starts[r]);
                double last = fabs(log(starts[r])), largest = 0;
                for (int i = 0; i < 100; i++) {
                    steps(world, 1);
                    double *J = values_of(world, "J"), now = fabs(log(J[0]));
                    free(J);
                    if (!is_control) assert_true(now <= last * (1 + 1e-6) + 1e-9);
                    last = now;
                    largest = fmax(largest, now);
                }
                if (is_control && fabs(log(starts[r])) < 0.1)
                    assert_true(largest > 1.5 * fabs(log(starts[r])));
                ct_world_destroy(world);
            }
}

/* A liquid that bears no tension is not limited: compressed or not, its particle comes to rest at J = 1 in
 * any step, here of five times what the other one would need. */
static void without_tension_there_is_no_limit(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.step.criteria = CT_CRITERION_SINGLE_PARTICLE;
    def.step.max = 5 * 0.1 * sqrt(2 / (4 * 2 * 5000.0 / 2));
    for (int bears = 0; bears < 2; bears++) {
        ct_world *world = create(&def);
        ct_parameter parameters[] = {{"bulk", 5000}, {"largest_J", bears ? 1000 : 1}};
        ct_material_def fluid = ct_default_material_def();
        fluid.type = "fluid_linear", fluid.density = 2, fluid.parameters = parameters,
        fluid.parameter_count = 2;
        int material;
        CHECK(ct_world_add_material(world, &fluid, &material, error));
        static const double at[][3] = {{0.1, 0.1, 0.1}};
        ct_body_def body = ct_default_body_def();
        body.material = material;
        body.shape.type = CT_SHAPE_POINTS, body.shape.points = at, body.shape.point_count = 1;
        body.deformation[0] = 0.8;
        add_body(world, &body);
        for (int i = 0; i < 20; i++) {
            steps(world, 1);
            assert_string_equal(ct_world_get_info(world).limited_by, bears ? "single_particle" : "max");
        }
        double *J = values_of(world, "J");
        if (!bears) assert_near(J[0], 1, 1e-12);
        free(J);
        ct_world_destroy(world);
    }
}

/* dt = rho dx^2 / (4 d eta). */
static void the_viscosity_criterion(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
        def.step.criteria = CT_CRITERION_VISCOSITY;
        ct_world *world = create(&def);
        ct_body_def body = ball(add_fluid(world, "fluid", 1000, 1e4, 300), 0, 0, 0, 0.3);
        add_body(world, &body);
        steps(world, 1);
        double dt = ct_world_get_info(world).dt, expected = 1000 * 0.01 / (4 * dimension * 300.0);
        assert_string_equal(ct_world_get_info(world).limited_by, "viscosity");
        assert_true(dt <= expected * (1 + 1e-6) &&
                    dt > 0.5 * expected); /* momentum diffuses faster along waves */
        ct_world_destroy(world);
    }
}

/* A plate that comes near may cross cfl cells in a step; far from all material it limits nothing. */
static void the_collider_criterion(void **state)
{
    (void)state;
    for (int is_far = 0; is_far < 2; is_far++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.step.criteria = CT_CRITERION_COLLIDER;
        def.step.collider_cfl = 0.5;
        def.step.max = 0.1;
        ct_world *world = create(&def);
        ct_body_def body = ball(add_dust(world), 0, 0, 0, 0.3);
        add_body(world, &body);
        ct_collider_def plate = ct_default_collider_def();
        double y = is_far ? 8 : 0.4;
        plate.shape.min[0] = -1, plate.shape.max[0] = 1, plate.shape.min[1] = y, plate.shape.max[1] = y + 0.2;
        plate.motion.velocity[1] = -5;
        CHECK(ct_world_add_collider(world, &plate, NULL, error));
        steps(world, 1);
        assert_near(ct_world_get_info(world).dt, is_far ? 0.1 : 0.5 * 0.1 / 5, 1e-9);
        assert_string_equal(ct_world_get_info(world).limited_by, is_far ? "max" : "collider");
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_single_particle_criterion),
        cmocka_unit_test(a_particle_that_is_alone),
        cmocka_unit_test(without_tension_there_is_no_limit),
        cmocka_unit_test(the_viscosity_criterion),
        cmocka_unit_test(the_collider_criterion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
