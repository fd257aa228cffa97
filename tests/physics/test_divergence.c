/* Steps that would end in numbers without sense are refused: CT_DIVERGED, a message that names the culprit,
 * and a state that is the same to the bit as before. */
#include "worlds.h"

/* A ball stretched to twice its length, with names that can be looked for. */
static ct_world *stretched_ball(ct_world_def def)
{
    ct_world *world = create(&def);
    ct_parameter stiff[] = {{"young", 1e6}, {"poisson", 0.3}};
    ct_material_def rubber = ct_default_material_def();
    rubber.name = "rubber", rubber.parameters = stiff, rubber.parameter_count = 2;
    CHECK(ct_world_add_material(world, &rubber, NULL, error));
    ct_body_def body = ball(0, 0.1, 0.2, 0.3, 0.3);
    body.name = "marble";
    body.deformation[0] = 2;
    add_body(world, &body);
    return world;
}

static void assert_refused(ct_world *world, const char *const *words, int count)
{
    ct_hash before = hash_of(world);
    ct_world_info info = ct_world_get_info(world);
    for (int attempt = 0; attempt < 2; attempt++) {
        ct_error error = {0};
        assert_int_equal(ct_world_step(world, &error), CT_DIVERGED);
        for (int k = 0; k < count; k++)
            if (!strstr(error.message, words[k])) fail_msg("no '%s' in '%s'", words[k], error.message);
        assert_same(hash_of(world), before);
        assert_true(ct_world_get_info(world).time == info.time && ct_world_get_info(world).step == info.step);
    }
}

/* dt of 1 s where sound crosses a cell in 3 ms. */
static void a_huge_step_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"step 1", "particle", "'marble'", "'rubber'", "'fixed'"};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++)
            for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++) {
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                def.precision = precision;
                def.step.fixed = 1;
                ct_world *world = stretched_ball(def);
                assert_refused(world, words, 5);
                ct_world_destroy(world);
            }
}

/* The control: with its own choice of dt the same ball springs back. */
static void the_same_ball_with_a_good_step(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = stretched_ball(def);
    steps(world, 300);
    double *J = values_of(world, "J");
    for (size_t p = 0; p < count_of(world); p++) assert_true(J[p] > 0.2 && J[p] < 2.5);
    free(J);
    ct_world_destroy(world);
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"velocity", "C", "F"}, *const words[] = {"particle 7 ", "'marble'",
                                                                                 "'rubber'"};
    const double poisons[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 3; k++)
            for (int poison = 0; poison < 4; poison++) {
                ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
                def.step.fixed = 1e-4;
                ct_world *world = stretched_ball(def);
                steps(world, 3);
                double *values = values_of(world, names[k]);
                size_t components = k ? 9 : 3;
                values[7 * components + 1] = poisons[poison];
                CHECK(ct_world_write(world, names[k], values, count_of(world) * components * sizeof *values,
                                     error));
                assert_refused(world, words, 3);
                free(values);
                ct_world_destroy(world);
            }
}

/* Sorting rounds positions, so it must belong to the step that made it necessary: a refused step right after
 * one that moved particles out of their blocks leaves every bit as it was. */
static void a_refused_step_after_a_sort(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
            def.precision = precision;
            def.step.fixed = 1e-3;
            ct_world *world = create(&def);
            ct_body_def body =
                ball(add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3), 0.1, 0.2, 0.3, 0.3);
            body.velocity[0] = 7.77, body.velocity[1] = -5.31;
            body.spin_rate = 3;
            add_body(world, &body);
            steps(world, 1);
            uint64_t generation = ct_world_generation(world);
            for (int i = 0; i < 1000 && ct_world_generation(world) == generation; i++) steps(world, 1);
            assert_true(ct_world_generation(world) != generation);
            size_t bytes = count_of(world) * 3 * (precision == CT_DOUBLE ? sizeof(double) : sizeof(float));
            void *fast = malloc(bytes);
            CHECK(ct_world_read(world, "velocity", fast, bytes, error));
            for (size_t i = 0; i < count_of(world) * 3; i++)
                if (precision == CT_DOUBLE) ((double *)fast)[i] *= 1e6;
                else ((float *)fast)[i] *= 1e6f;
            CHECK(ct_world_write(world, "velocity", fast, bytes, error));
            assert_refused(world, NULL, 0);
            free(fast);
            ct_world_destroy(world);
        }
}

/* One particle that a fixed step carries over many cells: either it goes, and can go on, or it is refused at
 * once. A world that takes the step and can then neither go on nor back has lost its state. */
static void a_fast_particle_is_carried_or_refused(void **state)
{
    (void)state;
    const double cells[] = {1, 3.5, 5, 7, 9, 12, 17, 25, 50, 1e3, 1e8};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
                ct_world_def def = quiet_def(dimension, kernel, 0.1);
                def.step.fixed = 1e-2;
                ct_world *world = create(&def);
                const double at[][3] = {{0.1, 0.1, 0.1}}; /* on a face: weights 1/2, 1/2, 0 along each axis */
                ct_body_def body = ct_default_body_def();
                body.material = add_dust(world);
                body.shape.type = CT_SHAPE_POINTS;
                body.shape.points = at;
                body.shape.point_count = 1;
                body.velocity[0] = cells[k] * 0.1 / 1e-2;
                add_body(world, &body);
                ct_hash before = hash_of(world);
                for (int i = 1; i <= 4; i++) {
                    ct_error error;
                    ct_status status = ct_world_step(world, &error);
                    if (status) {
                        if (i > 1)
                            fail_msg("%g cells per step: step %d fails: %s", cells[k], i, error.message);
                        assert_int_equal(status, CT_DIVERGED);
                        assert_same(hash_of(world), before);
                        break;
                    }
                    assert_near(center_of(world, 0), 0.1 + i * cells[k] * 0.1, 1e-9);
                }
                assert_true(cells[k] > 4 || ct_world_get_info(world).step == 4); /* up to a block it goes */
                ct_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_huge_step_is_refused),
        cmocka_unit_test(the_same_ball_with_a_good_step),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(a_refused_step_after_a_sort),
        cmocka_unit_test(a_fast_particle_is_carried_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
