/* Fluids against what is known exactly: pressure at rest, the decay of a viscous vortex, and that a liquid
 * that is pulled does not pull back. */
#include "physics/worlds.h"

typedef struct fluid {
    const char *type;
    double bulk, viscosity, bulk_viscosity, largest_J;
} fluid;

static int add_fluid(ct_world *world, fluid f)
{
    ct_parameter parameters[] = {{"bulk", f.bulk},
                                 {"viscosity", f.viscosity},
                                 {"bulk_viscosity", f.bulk_viscosity},
                                 {"largest_J", f.largest_J}};
    ct_material_def def = ct_default_material_def();
    def.type = f.type;
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 4;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static const char *const types[] = {"fluid", "fluid_linear", "fluid_log"};

/* ---- at rest --------------------------------------------------------------------------------------------
 */

/* Mean of pressure / (density g depth) in the middle of a column 1 m high after 4 s, when its swinging has
 * died down to e^-10; the surface is where the column's volume says. */
static double pressure_over_weight(int dimension, const char *type, double g)
{
    const double H = 1, seconds = 4;
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 1.0 / 16);
    set_domain(&def, 0.25, 1.5, 0.25, CT_WALL_SLIP, 0);
    def.gravity.constant[1] = -10;
    def.step.fixed = 4e-4;
    ct_world *world = create(&def);
    ct_body_def column = block(add_fluid(world, (fluid){type, 1e6, 0, 2000, 1}), 0, 0, 0, 0.25, H, 0.25);
    add_body(world, &column);
    steps(world, (int)(seconds / def.step.fixed + 0.5));
    triple *x = positions_of(world);
    double *p = values_of(world, "pressure"), *volume = values_of(world, "volume"), filled = 0, sum = 0;
    for (size_t i = 0; i < count_of(world); i++) filled += volume[i];
    double top = filled / (dimension == 2 ? 0.25 : 0.0625), count = 0;
    for (size_t i = 0; i < count_of(world); i++)
        if (x[i][1] > 0.1 && x[i][1] < 0.8) sum += p[i] / (1000 * g * (top - x[i][1])), count++;
    free(x), free(p), free(volume);
    ct_world_destroy(world);
    return sum / count;
}

/* The weight above, divided by the area: within 1%, of which half is that the density grows with depth (0.5%
 * at a depth of 1 m). */
static void pressure_carries_the_weight(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) assert_near(pressure_over_weight(2, types[k], 10), 1, 0.01);
    assert_near(pressure_over_weight(3, "fluid", 10), 1, 0.01);
    assert_true(fabs(pressure_over_weight(2, "fluid", 9.8) - 1) > 0.01); /* the control: another g is seen */
}

/* ---- viscosity ------------------------------------------------------------------------------------------
 */

static double kinetic(const ct_world *world)
{
    return ct_world_get_sums(world).kinetic;
}

/* The vortex u = V sin(pi x) cos(pi y), v = -V cos(pi x) sin(pi y) in a slippery box of 1 m decays as
 * exp(-2 nu pi^2 t) and keeps its form. The rate of its energy, 1/s, after half a second. */
static double vortex_decay(double viscosity)
{
    const double V = 0.1, seconds = 0.5;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 32);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    def.step.fixed = 2.5e-3;
    ct_world *world = create(&def);
    ct_body_def body = block(add_fluid(world, (fluid){"fluid", 4000, viscosity, 0, 1000}), 0, 0, 0, 1, 1, 0);
    add_body(world, &body);
    size_t count = count_of(world);
    triple *x = positions_of(world), *v = calloc(count, sizeof *v);
    double(*C)[9] = calloc(count, sizeof *C);
    for (size_t p = 0; p < count; p++) {
        double sx = sin(M_PI * x[p][0]), cx = cos(M_PI * x[p][0]), sy = sin(M_PI * x[p][1]),
               cy = cos(M_PI * x[p][1]);
        v[p][0] = V * sx * cy, v[p][1] = -V * cx * sy;
        C[p][0] = M_PI * V * cx * cy, C[p][1] = -M_PI * V * sx * sy;
        C[p][3] = M_PI * V * sx * sy, C[p][4] = -M_PI * V * cx * cy;
    }
    CHECK(ct_world_write(world, "velocity", v, count * sizeof *v, error));
    CHECK(ct_world_write(world, "C", C, count * sizeof *C, error));
    free(x), free(v), free(C);
    double before = kinetic(world);
    steps(world, (int)(seconds / def.step.fixed + 0.5));
    double rate = log(before / kinetic(world)) / seconds;
    ct_world_destroy(world);
    return rate;
}

/* What viscosity adds to the losses of the transfers: 4 nu pi^2 for the energy, within 3%. */
static void a_vortex_decays_by_viscosity(void **state)
{
    (void)state;
    const double viscosity = 10, exact = 4 * viscosity / 1000 * M_PI * M_PI;
    double without = vortex_decay(0), with = vortex_decay(viscosity);
    assert_near(with - without, exact, 0.03 * exact);
    assert_true(without < 0.2 * exact); /* the control: it is not the transfers that decay */
}

/* dt = rho dx^2 / (4 d eta), and the report says why; water of the same stiffness is limited by its sound. */
static void viscosity_limits_the_step(void **state)
{
    (void)state;
    for (int is_thick = 0; is_thick < 2; is_thick++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        ct_world *world = create(&def);
        ct_body_def drop =
            ball(add_fluid(world, (fluid){"fluid", 1e5, is_thick ? 1e4 : 0, 0, 1}), 0, 0, 0, 0.5);
        add_body(world, &drop);
        steps(world, 2);
        ct_world_info info = ct_world_get_info(world);
        assert_string_equal(info.limited_by, is_thick ? "viscosity" : "sound");
        if (is_thick) assert_near(info.dt, 1000 * 0.01 / (8 * 1e4), 1e-12);
        ct_world_destroy(world);
    }
}

/* ---- tension --------------------------------------------------------------------------------------------
 */

/* A drop that flies apart with the rate 1/s: without tension nothing holds it back, with tension it does. */
static double expansion_after(double largest_J)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 1.0 / 16);
    def.step.fixed = 5e-4;
    ct_world *world = create(&def);
    ct_body_def drop = ball(add_fluid(world, (fluid){"fluid", 1e5, 0, 0, largest_J}), 0, 0, 0, 0.5);
    add_body(world, &drop);
    size_t count = count_of(world);
    triple *x = positions_of(world);
    double(*C)[9] = calloc(count, sizeof *C);
    for (size_t p = 0; p < count; p++) C[p][0] = C[p][4] = 1;
    CHECK(ct_world_write(world, "velocity", x, count * sizeof *x, error)); /* v = x, 1/s */
    CHECK(ct_world_write(world, "C", C, count * sizeof *C, error));
    free(x), free(C);
    double before = kinetic(world);
    steps(world, 100);
    double rest = kinetic(world) / before;
    ct_world_destroy(world);
    return rest;
}

static void a_liquid_bears_no_tension(void **state)
{
    (void)state;
    assert_near(expansion_after(1), 1, 0.01); /* free flight; the transfers lose less than that */
    assert_true(expansion_after(1000) < 0.5); /* the control: tension takes the energy */
}

/* ---- memory ---------------------------------------------------------------------------------------------
 */

/* Water alone keeps one number of deformation a particle, not a matrix. */
static void water_keeps_no_deformation_gradient(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = create(&def);
    ct_body_def drop = ball(add_fluid(world, (fluid){"fluid", 1e5, 0, 0, 1}), 0, 0, 0, 0.3);
    add_body(world, &drop);
    ct_view view;
    ct_error error = {0};
    assert_int_not_equal(ct_world_view(world, "F", &view, &error), CT_OK);
    assert_int_equal(ct_world_view(world, "J", &view, &error), CT_OK);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_carries_the_weight),         cmocka_unit_test(a_vortex_decays_by_viscosity),
        cmocka_unit_test(viscosity_limits_the_step),           cmocka_unit_test(a_liquid_bears_no_tension),
        cmocka_unit_test(water_keeps_no_deformation_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
