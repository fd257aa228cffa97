/* Where linear walls meet, the images of a node are averaged at once; walls that act one after the other must
 * get there, too, sweep by sweep. On random nodes in the corner of a room: masses that no product of shares
 * explains, so that one sweep is not enough. */
#include "boundary/walls.h"
#include "mpm/mpm.h"
#include "physics/worlds.h"
#include "unit/kinds.h"

enum { SWEEPS = 4 };

/* A room of 8 cells a side; dust in the corner at the origin gives its nodes memory. */
static ct_world *corner_room(ct_wall_type type)
{
    ct_world_def def = quiet_def(CT_DIM, CT_KERNEL_CUBIC, 0.125);
    set_domain(&def, 1, 1, 1, type, 0);
    def.step.fixed = 1e-6;
    ct_world *world = create(&def);
    ct_body_def body = block(add_dust(world), 0, 0, 0, 0.25, 0.25, 0.25);
    add_body(world, &body);
    steps(world, 1);
    return world;
}

static size_t layer_bytes(const ct_world *world)
{
    return cloud_of(world)->grid.blocks.count * CT_BLOCK_NODES * CT_NODE * sizeof(double);
}

/* Random velocities and masses on every node that has one. */
static void shake(ct_world *world)
{
    uint64_t random = 21;
    double *nodes = mpm_of(world)->nodes.velocity.data;
    for (size_t n = 0; n < layer_bytes(world) / sizeof *nodes; n += CT_NODE) {
        for (int a = 0; a < CT_DIM; a++) nodes[n + (size_t)a] = uniform(&random);
        double mass = 1.5 + uniform(&random);
        if (nodes[n + CT_DIM] > 0) nodes[n + CT_DIM] = mass;
    }
}

static double largest_difference(const ct_world *world, const double *a, const double *b)
{
    double largest = 0;
    for (size_t n = 0; n < layer_bytes(world) / sizeof *a; n += CT_NODE)
        for (size_t k = 0; k < CT_DIM && a[n + CT_DIM] > 0; k++)
            largest = fmax(largest, fabs(a[n + k] - b[n + k]));
    return largest;
}

static void sweeps_converge_to_the_average(void **state)
{
    (void)state;
    for (ct_wall_type type = CT_WALL_NO_SLIP; type <= CT_WALL_SLIP; type++) {
        ct_world *world = corner_room(type);
        double *nodes = mpm_of(world)->nodes.velocity.data, *average = malloc(layer_bytes(world)),
               last = INFINITY;
        shake(world);
        CT_FN(ct_walls_apply)(&mpm_of(world)->border);
        memcpy(average, nodes, layer_bytes(world));
        CT_FN(ct_walls_apply)(&mpm_of(world)->border); /* an average of what is equal changes nothing */
        assert_near(largest_difference(world, nodes, average), 0, 1e-14);

        world->boundary.walls[CT_X_MAX].type =
            CT_WALL_SEPARATE; /* far away, but now the walls take turns, two sweeps a call */
        shake(world);
        double start = largest_difference(world, nodes, average);
        for (int k = 0; k < SWEEPS; k++) {
            CT_FN(ct_walls_apply)(&mpm_of(world)->border);
            double left = largest_difference(world, nodes, average);
            assert_true(left < last / 3 || left < 1e-12);
            last = left;
        }
        assert_true(start > 0.5); /* the control: there was something to converge from */
        assert_true(last < 1e-3 * start);
        free(average);
        ct_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_converge_to_the_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
