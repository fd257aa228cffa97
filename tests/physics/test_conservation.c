/* What the step must conserve: mass exactly; linear and angular momentum to round-off with APIC; and what it
 * must not: PIC loses angular momentum (the control). */
#include "worlds.h"

typedef struct drift {
    double mass, linear, angular; /* relative to sum m, sum m |v|, sum m |r| |v| at the start */
} drift;

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* sum m |v| and sum m |r| |v|. */
static void measure_scale(const ct_world *world, double *linear, double *angular)
{
    size_t count = count_of(world);
    triple *x = positions_of(world), *v = velocities_of(world);
    double *m = values_of(world, "mass");
    *linear = *angular = 0;
    for (size_t p = 0; p < count; p++) {
        *linear += m[p] * norm(v[p]);
        *angular += m[p] * norm(v[p]) * norm(x[p]);
    }
    free(x), free(v), free(m);
}

static drift run(int dimension, const char *scheme, ct_kernel kernel, ct_force_form form, int count)
{
    ct_world_def def = quiet_def(dimension, kernel, 0);
    def.scheme.type = scheme;
    def.force_form = form;
    ct_world *world = colliding_balls(def);
    double linear, angular, change[2][3];
    measure_scale(world, &linear, &angular);
    ct_world_sums before = ct_world_get_sums(world);
    steps(world, count);
    ct_world_sums after = ct_world_get_sums(world);
    for (int a = 0; a < 3; a++) {
        change[0][a] = after.momentum[a] - before.momentum[a];
        change[1][a] = after.angular_momentum[a] - before.angular_momentum[a];
    }
    /* The balls met: something elastic happened. */
    assert_true(after.elastic > 1e-3 * before.kinetic);
    ct_world_destroy(world);
    return (drift){fabs(after.mass - before.mass) / before.mass, norm(change[0]) / linear,
                   norm(change[1]) / angular};
}

static void apic_keeps_momenta_in_3d(void **state)
{
    (void)state;
    drift d = run(3, "apic", CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 1000);
    assert_true(d.mass == 0);
    assert_true(d.linear < 1e-11);
    assert_true(d.angular < 1e-11);
}

static void apic_keeps_momenta_in_every_form(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (ct_force_form form = CT_FORCE_MLS; form <= CT_FORCE_GRADIENT; form++) {
                drift d = run(dimension, "apic", kernel, form, 200);
                assert_true(d.mass == 0);
                assert_true(d.linear < 1e-12);
                assert_true(d.angular < 1e-12);
            }
}

static void rpic_keeps_angular_momentum(void **state)
{
    (void)state;
    assert_true(run(3, "rpic", CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 200).angular < 1e-12);
}

/* A domain that stretches the axes differently: D is no multiple of the unit matrix there, and the part of C
 * that carries angular momentum is not its skew part. The walls are far away. */
static void rpic_keeps_it_on_unequal_spacings(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        static const double extents[3] = {4.05, 3.97, 4.02};
        ct_world_def def = ct_default_world_def();
        def.dimension = dimension;
        def.precision = CT_DOUBLE;
        def.scheme.type = "rpic";
        def.has_domain = true;
        for (int a = 0; a < 3; a++) def.domain_min[a] = -extents[a] / 2, def.domain_max[a] = extents[a] / 2;
        ct_world *world = colliding_balls(def);
        double linear, angular;
        measure_scale(world, &linear, &angular);
        ct_world_sums before = ct_world_get_sums(world);
        for (int i = 0; i < 200; i++) CHECK(ct_world_step(world, error));
        ct_world_sums after = ct_world_get_sums(world);
        for (int a = 0; a < 3; a++)
            assert_true(fabs(after.angular_momentum[a] - before.angular_momentum[a]) < 1e-12 * angular);
        ct_world_destroy(world);
    }
}

static void pic_loses_angular_momentum(void **state)
{
    (void)state;
    drift d = run(3, "pic", CT_KERNEL_QUADRATIC, CT_FORCE_MLS, 200);
    assert_true(d.linear < 1e-12);
    assert_true(d.angular > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apic_keeps_momenta_in_3d),    cmocka_unit_test(apic_keeps_momenta_in_every_form),
        cmocka_unit_test(rpic_keeps_angular_momentum), cmocka_unit_test(rpic_keeps_it_on_unequal_spacings),
        cmocka_unit_test(pic_loses_angular_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
