/* Corners: walls of all kinds that meet, and the average over images against sweep after sweep. */
#include "worlds.h"

/* ---- thrown into a corner ------------------------------------------------------------------------------ */

/* A ball of two cells' radius flies into the corner at the origin. Whatever walls meet there, it stays in the
 * room, none of its particles must be put back, and it is not torn to pieces. */
static void throw_into_corner(int dimension, ct_kernel kernel, const int types[3])
{
    ct_world_def def = quiet_def(dimension, kernel, 0.1);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    for (int a = 0; a < dimension; a++)
        def.walls[2 * a] = (ct_wall_def){.type = (ct_wall_type)types[a], .friction = 0.2};
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 2e5, 0.3), 0.35, 0.4, 0.38, 0.2);
    body.velocity[0] = -4, body.velocity[1] = -3.5, body.velocity[2] = dimension == 3 ? -3.8 : 0;
    add_body(world, &body);
    double nearest = 1;
    for (int i = 0; i < 50; i++) {
        steps(world, 1);
        if (i % 5 == 4) assert_held(world, &def);
        nearest = fmin(nearest, fmax(center_of(world, 0), center_of(world, 1)));
    }
    double *J = values_of(world, "J");
    for (size_t p = 0; p < count_of(world); p++) assert_true(J[p] > 0.2 && J[p] < 3);
    free(J);
    assert_true(nearest < 0.22); /* it was in the corner, and squeezed there */
    ct_world_destroy(world);
}

static void every_corner_holds(void **state)
{
    (void)state;
    for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        for (int x = CT_WALL_NO_SLIP; x <= CT_WALL_SEPARATE; x++)
            for (int y = CT_WALL_NO_SLIP; y <= CT_WALL_SEPARATE; y++) {
                throw_into_corner(2, kernel, (int[]){x, y, 0});
                for (int z = CT_WALL_NO_SLIP; z <= CT_WALL_SEPARATE; z++)
                    throw_into_corner(3, kernel, (int[]){x, y, z});
            }
}

/* ---- average and sweeps -------------------------------------------------------------------------------- */

/* Dust in the corner of a room, with random velocities; one step. */
static triple *dust_after_a_step(int dimension, ct_kernel kernel, ct_wall_type near, ct_wall_type far,
                                 size_t *count)
{
    enum { POINTS = 60 };
    ct_world_def def = quiet_def(dimension, kernel, 0.1);
    set_domain(&def, 1, 1, 1, near, 0);
    for (int side = 1; side < CT_SIDES; side += 2) def.walls[side].type = far;
    def.step.fixed = 1e-9;
    ct_world *world = create(&def);
    double points[POINTS][3], velocities[POINTS][3];
    uint64_t random = 4;
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++)
            points[p][a] = 0.075 + 0.07 * uniform(&random), velocities[p][a] = uniform(&random);
    ct_body_def body = ct_default_body_def();
    body.material = add_dust(world);
    body.shape.type = CT_SHAPE_POINTS;
    body.shape.points = (const double(*)[3])points;
    body.shape.point_velocities = (const double(*)[3])velocities;
    body.shape.point_count = POINTS;
    add_body(world, &body);
    steps(world, 1);
    triple *v = velocities_of(world);
    *count = count_of(world);
    ct_world_destroy(world);
    return v;
}

/* Where all walls are linear, a corner takes the average of all images at once; where one wall of the room
 * separates, even a far one, walls act one after the other, twice. The two must nearly agree: the second
 * sweep leaves less than 1e-4 of the velocities (measured 3e-5 at the most; one sweep alone leaves 1e-3 and
 * more), but not nothing, or the test would compare a thing with itself. */
static void two_sweeps_are_close_to_the_average(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (ct_kernel kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
            for (ct_wall_type near = CT_WALL_NO_SLIP; near <= CT_WALL_SLIP; near++) {
                size_t count;
                triple *average = dust_after_a_step(dimension, kernel, near, CT_WALL_SLIP, &count);
                triple *swept = dust_after_a_step(dimension, kernel, near, CT_WALL_SEPARATE, &count);
                double farthest = 0, largest = 0;
                for (size_t p = 0; p < count; p++)
                    for (int a = 0; a < dimension; a++) {
                        farthest = fmax(farthest, fabs(average[p][a] - swept[p][a]));
                        largest = fmax(largest, fabs(average[p][a]));
                    }
                assert_true(farthest < 1e-4 * largest);
                assert_true(farthest > 0);
                free(average), free(swept);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_corner_holds),
        cmocka_unit_test(two_sweeps_are_close_to_the_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
