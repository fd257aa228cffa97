/* Bodies that do not touch do not know of each other: particles of different materials that share a block,
 * and so a batch, move as each body does alone. And the hooks: the log, the allocator. */
#include "physics/worlds.h"
#include "unit/kinds.h"
#include "world.h"

enum { POINTS = 5 };

/* Five points in cell (0, 0, 0) or in cell (3, 3, 3) of the block at the origin: their kernels reach nodes 0
 * to 2 and 3 to 5, no node in common. Both are stretched, so their materials do work. */
static ct_body_def corner_points(int material, bool is_far, double (*points)[3])
{
    uint64_t random = 8;
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++) points[p][a] = 0.1 * ((is_far ? 3.5 : 0.5) + 0.3 * uniform(&random));
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_POINTS;
    def.shape.points = (const double(*)[3])points;
    def.shape.point_count = POINTS;
    def.deformation[0] = is_far ? 1.01 : 0.98;
    def.deformation[1] = 0.02;
    return def;
}

/* A world with the near points, the far points or both, after some steps; velocity and F of the points asked
 * for. */
static void run(int dimension, ct_precision precision, bool has_near, bool has_far, bool want_far,
                double *result)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
    def.precision = precision;
    def.step.fixed = 1e-4;
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3),
        firm = add_elastic(world, "neo_hookean", 500, 3e4, 0.1);
    double points[2][POINTS][3];
    ct_body_def near = corner_points(soft, false, points[0]), far = corner_points(firm, true, points[1]);
    if (has_near) add_body(world, &near);
    if (has_far) add_body(world, &far);
    steps(world, 1);
    assert_int_equal(cloud_of(world)->grid.blocks.occupied, 1); /* they do share the block */
    steps(world, 19);
    triple *v = velocities_of(world);
    double *F = values_of(world, "F");
    size_t first = want_far && has_near ? POINTS : 0;
    memcpy(result, v + first, POINTS * sizeof *v);
    memcpy(result + 3 * POINTS, F + 9 * first, 9 * POINTS * sizeof *F);
    assert_true(fabs(v[first][0]) > 1e-6); /* something moves */
    free(v), free(F);
    ct_world_destroy(world);
}

static void materials_in_one_block_do_not_mix(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_precision precision = CT_FLOAT; precision <= CT_DOUBLE; precision++)
            for (int want_far = 0; want_far < 2; want_far++) {
                double alone[12 * POINTS], together[12 * POINTS];
                run(dimension, precision, !want_far, want_far, want_far, alone);
                run(dimension, precision, true, true, want_far, together);
                /* the same operations on the same numbers: the same bits */
                assert_memory_equal(alone, together, sizeof alone);
            }
}

/* The control: two materials that overlap do feel each other. */
static void materials_in_one_cell_do_mix(void **state)
{
    (void)state;
    double points[2][POINTS][3], moved[2];
    for (int both = 0; both < 2; both++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.step.fixed = 1e-4;
        ct_world *world = create(&def);
        int soft = add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3);
        int firm = add_elastic(world, "neo_hookean", 500, 3e4, 0.1);
        ct_body_def first = corner_points(soft, false, points[0]),
                    second = corner_points(firm, false, points[1]);
        add_body(world, &first);
        if (both) add_body(world, &second);
        steps(world, 20);
        triple *v = velocities_of(world);
        moved[both] = v[0][0];
        free(v);
        ct_world_destroy(world);
    }
    assert_true(fabs(moved[1] - moved[0]) > 1e-3 * fabs(moved[0]));
}

/* ---- hooks --------------------------------------------------------------------------------------------- */

static void remember(ct_log_level level, const char *message, void *user)
{
    (void)level;
    snprintf(user, 512, "%s", message);
}

static void the_log_goes_to_the_hook(void **state)
{
    (void)state;
    char heard[512] = "";
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.log = remember;
    def.log_user = heard;
    ct_world *world = create(&def);
    ct_log(&world->common, CT_LOG_INFO, "%d particles", 5);
    assert_string_equal(heard, "5 particles");
    ct_world_destroy(world);
    def.log = NULL;
    world = create(&def);
    ct_log(&world->common, CT_LOG_WARNING, "nobody listens"); /* and nothing happens */
    assert_string_equal(heard, "5 particles");
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_in_one_block_do_not_mix),
        cmocka_unit_test(materials_in_one_cell_do_mix),
        cmocka_unit_test(the_log_goes_to_the_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
