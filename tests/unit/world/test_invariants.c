/* The checks of the checking build: a sound world passes after every step, and each planted fault is caught.
 */
#include "physics/worlds.h"
#include "unit/kinds.h"
#include "world.h"

#include <math.h>
#include <string.h>

static ct_world *stepped_world(int dimension)
{
    ct_world_def def = ct_default_world_def();
    def.dimension = dimension;
    ct_world *world = colliding_balls(def);
    for (int i = 0; i < 20; i++) {
        CHECK(ct_world_step(world, error));
        CHECK(world->kinds[0].method->check_invariants(world->kinds[0].self, error));
    }
    return world;
}

static void assert_caught(ct_world *world, const char *words)
{
    ct_error error;
    assert_int_equal(world->kinds[0].method->check_invariants(world->kinds[0].self, &error), CT_FAILED);
    assert_non_null(strstr(error.message, words));
    ct_world_destroy(world);
}

static void faults_are_caught(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = stepped_world(dimension);
        ((float *)ct_particles_plane(&cloud_of(world)->particles, CT_FIELD_DEFORMATION, 1))[5] = NAN;
        assert_caught(world, "not finite");
        world = stepped_world(dimension);
        ((float *)ct_particles_plane(&cloud_of(world)->particles, CT_FIELD_POSITION, 1))[5] = 6;
        assert_caught(world, "out of its block's reach");
        world = stepped_world(dimension);
        ((float *)ct_particles_plane(&cloud_of(world)->particles, CT_FIELD_MASS, 0))[5] = 0;
        assert_caught(world, "mass");
        world = stepped_world(dimension);
        uint32_t *id = ct_particles_plane(&cloud_of(world)->particles, CT_FIELD_ID, 0);
        id[5] = id[6];
        assert_caught(world, "ids");
        world = stepped_world(dimension);
        cloud_of(world)->grid.blocks.first[cloud_of(world)->grid.blocks.occupied]--;
        assert_caught(world, "all particles");
    }
}

/* Two threads may write one node where blocks of a group are apart in the list. A world that could not be
 * restored stays as it was, and takes the next checkpoint. */
static void blocks_out_of_order_are_not_restored(void **state)
{
    (void)state;
    const char *path = "order.checkpoint";
    for (int swapped = 0; swapped < 2; swapped++) {
        ct_world *world = stepped_world(3), *other = stepped_world(3);
        int32_t(*at)[3] = cloud_of(world)->grid.blocks.coordinate, kept[3];
        memcpy(kept, at[0], sizeof kept);
        if (swapped) memcpy(at[0], at[1], sizeof kept), memcpy(at[1], kept, sizeof kept);
        cloud_of(world)->must_sort = false;
        CHECK(ct_world_save(world, path, error));
        ct_error refusal;
        const ct_hash before = hash_of(other);
        ct_status status = ct_world_restore(other, path, &refusal);
        assert_int_equal(status, swapped ? CT_BAD_IO : CT_OK);
        if (swapped) assert_non_null(strstr(refusal.message, "order"));
        if (swapped) {
            assert_same(hash_of(other), before);
            steps(other, 1);
            memcpy(at[1], at[0], sizeof kept), memcpy(at[0], kept, sizeof kept);
            CHECK(ct_world_save(world, path, error));
            CHECK(ct_world_restore(other, path, error));
        }
        steps(other, 2);
        remove(path);
        ct_world_destroy(world);
        ct_world_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_caught),
                                       cmocka_unit_test(blocks_out_of_order_are_not_restored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
