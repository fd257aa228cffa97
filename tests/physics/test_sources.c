/* Sources: how much flows, how evenly, how fast; when it stops. */
#include "physics/worlds.h"

/* A jet of dust along x, 0.3 m wide, out of a box 0.2 m deep. */
static ct_source_def jet(int material, ct_source_type type, ct_pattern pattern)
{
    ct_source_def def = ct_default_source_def();
    def.material = material;
    def.type = type;
    def.pattern = pattern;
    def.shape.min[0] = -0.2, def.shape.min[1] = -0.15, def.shape.min[2] = -0.15;
    def.shape.max[0] = 0, def.shape.max[1] = 0.15, def.shape.max[2] = 0.15;
    def.velocity = (ct_track){.constant = {2, 0, 0}};
    return def;
}

static double area(int dimension)
{
    return dimension == 2 ? 0.3 : 0.3 * 0.3;
}

/* The rate over a time after the first tenth of a second, kg/s. */
static double measure_rate(ct_world *world, double seconds)
{
    CHECK(ct_world_run_until(world, 0.1, error));
    double before = ct_world_get_sums(world).mass;
    CHECK(ct_world_run_until(world, 0.1 + seconds, error));
    return (ct_world_get_sums(world).mass - before) / seconds;
}

static void mass_flow(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (int type = CT_SOURCE_FLUXED; type <= CT_SOURCE_SPOUT; type++)
                for (int pattern = CT_PATTERN_LATTICE; pattern <= CT_PATTERN_POISSON; pattern++) {
                    ct_world_def def = quiet_def(dimension, kernel, 0.05);
                    def.precision = CT_FLOAT;
                    ct_world *world = create(&def);
                    int jelly = add_elastic(world, "fixed_corotated", 1000, 1e3, 0.3);
                    ct_source_def source = jet(jelly, type, pattern);
                    CHECK(ct_world_add_source(world, &source, NULL, error));
                    double wanted = 1000 * 2 * area(dimension), rate = measure_rate(world, 0.4);
                    assert_near(rate / wanted, 1, 0.005);
                    ct_world_destroy(world);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
