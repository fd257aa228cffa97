/* Incompressible flow, bit for bit: any number of threads, and save and restore at any moment. */
#include "physics/worlds.h"

#include <unistd.h>

/* Water falls over a ball into a basin with a drain; more comes from a source. */
static ct_world *busy_world(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_FLUID;
    def.dimension = dimension;
    def.precision = precision;
    def.threads = threads;
    def.spacing = 1.0 / 16;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_max[a] = 1;
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_X_MAX].type = CT_WALL_FREE;
    def.scheme.type = "flip";
    ct_world *world = create(&def);
    int water = add_matter(world, "liquid", 1000, NULL, 0);
    ct_body_def dam = block(water, 0, 0.3, 0, 0.5, 0.6, 1), drop = ball(water, 0.75, 0.5, 0.5, 0.15);
    dam.pattern = CT_PATTERN_JITTERED;
    drop.velocity[1] = -3;
    drop.name = "drop";
    drop.has_scheme = true; /* the default: apic */
    add_body(world, &dam);
    add_body(world, &drop);
    ct_collider_def stone = ct_default_collider_def();
    stone.shape.type = CT_SHAPE_SPHERE;
    for (int a = 0; a < 3; a++) stone.shape.center[a] = a == 1 ? 0.2 : 0.5;
    stone.shape.radius = 0.15;
    stone.motion.velocity[0] = 0.4;
    CHECK(ct_world_add_collider(world, &stone, NULL, error));
    ct_source_def tap = ct_default_source_def();
    tap.name = "tap";
    tap.material = water;
    for (int a = 0; a < 3; a++) tap.shape.min[a] = a == 1 ? 0.75 : 0.75, tap.shape.max[a] = 0.95;
    tap.velocity.constant[1] = -1;
    CHECK(ct_world_add_source(world, &tap, NULL, error));
    ct_sink_def drain = ct_default_sink_def();
    drain.shape.type = CT_SHAPE_SPHERE;
    for (int a = 0; a < 3; a++) drain.shape.center[a] = a == 1 ? 0 : 0.8;
    drain.shape.radius = 0.1;
    CHECK(ct_world_add_sink(world, &drain, NULL, error));
    return world;
}

enum { STEPS = 14 };

static void any_number_of_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_hash first = {0};
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                ct_world *world = busy_world(dimension, precision, threads[t]);
                steps(world, STEPS);
                ct_world_info info = ct_world_get_info(world);
                assert_true(info.emitted > 0);
                if (!t) first = hash_of(world);
                assert_same(hash_of(world), first);
                ct_world_destroy(world);
            }
        }
}

static void save_and_restore(void **state)
{
    (void)state;
    static const char path[] = "same_fluid.ckpt";
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int after = 0; after < 8; after += dimension == 2 ? 1 : 3) {
            ct_world *whole = busy_world(dimension, CT_FLOAT, 1),
                     *restored = busy_world(dimension, CT_FLOAT, 2);
            steps(whole, after);
            CHECK(ct_world_save(whole, path, error));
            steps(restored, 2);
            CHECK(ct_world_restore(restored, path, error));
            assert_same(hash_of(restored), hash_of(whole));
            if (after % 2) ct_world_get_sums(restored); /* looking changes nothing */
            steps(whole, 6);
            steps(restored, 6);
            assert_same(hash_of(restored), hash_of(whole));
            ct_world_destroy(whole);
            ct_world_destroy(restored);
        }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(save_and_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
