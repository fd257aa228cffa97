/* Peridynamics, bit for bit: any number of threads, save and restore at any moment, far from the origin. */
#include "physics/worlds.h"

#include <unistd.h>

/* Two elastic bodies, one of them held, that swing, fall and meet walls of all kinds; moved by `shift`
 * metres. */
static ct_world *busy_world(int dimension, ct_precision precision, int threads, double shift)
{
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_PERIDYNAMICS;
    def.dimension = dimension;
    def.precision = precision;
    def.threads = threads;
    def.spacing = 1.0 / 32;
    def.has_domain = true;
    for (int a = 0; a < 3; a++) def.domain_min[a] = shift, def.domain_max[a] = shift + 1;
    def.walls[CT_X_MIN].type = CT_WALL_NO_SLIP;
    def.walls[CT_Y_MIN] = (ct_wall_def){.type = CT_WALL_SEPARATE, .friction = 0.3};
    ct_world *world = create(&def);
    ct_parameter constants[] = {{"young", 1e5}, {"poisson", 0.25}};
    ct_material_def rubber = ct_default_material_def();
    rubber.type = "elastic";
    rubber.parameters = constants;
    rubber.parameter_count = 2;
    CHECK(ct_world_add_material(world, &rubber, NULL, error));
    ct_body_def upper = ball(0, shift + 0.7, shift + 0.35, shift + 0.5, 0.15), lower = ct_default_body_def();
    upper.velocity[1] = -20;
    upper.spin_rate = 9;
    for (int a = 0; a < 3; a++) lower.shape.min[a] = shift + 0.0625, lower.shape.max[a] = shift + 0.375;
    lower.pattern = CT_PATTERN_LATTICE;
    lower.has_hold = true;
    lower.hold.min[0] = shift, lower.hold.max[0] = shift + 0.1;
    for (int a = 1; a < 3; a++) lower.hold.min[a] = shift - 1, lower.hold.max[a] = shift + 1;
    add_body(world, &upper);
    add_body(world, &lower);
    return world;
}

static void threads_and_repeats(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7, 2};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int precision = CT_FLOAT; precision <= CT_DOUBLE; precision++) {
            ct_hash first = {0};
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                ct_world *world = busy_world(dimension, precision, threads[t], 0);
                steps(world, 12);
                assert_true(ct_world_get_sums(world).elastic > 1e-3);
                if (!t) first = hash_of(world);
                assert_same(hash_of(world), first);
                ct_world_destroy(world);
            }
        }
}

static void save_and_restore(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int after = 0; after < 12; after += 3) {
            char path[] = "peri-XXXXXX";
            close(mkstemp(path));
            ct_world *whole = busy_world(dimension, CT_FLOAT, 2, 0),
                     *restored = busy_world(dimension, CT_FLOAT, 1, 0);
            steps(whole, after);
            CHECK(ct_world_save(whole, path, error));
            steps(restored, 2);
            CHECK(ct_world_restore(restored, path, error));
            assert_same(hash_of(restored), hash_of(whole));
            if (after % 2) ct_world_get_sums(restored); /* looking changes nothing */
            steps(whole, 10);
            steps(restored, 10);
            assert_same(hash_of(restored), hash_of(whole));
            ct_world_destroy(whole);
            ct_world_destroy(restored);
            unlink(path);
        }
}

/* 1 km is a whole number of blocks: velocities keep every bit. */
static void far_from_the_origin(void **state)
{
    (void)state;
    ct_world *near = busy_world(3, CT_FLOAT, 1, 0), *far = busy_world(3, CT_FLOAT, 1, 1000);
    steps(near, 10);
    steps(far, 10);
    size_t bytes = ct_world_get_info(near).particles * 3 * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes);
    CHECK(ct_world_read(near, "velocity", a, bytes, error));
    CHECK(ct_world_read(far, "velocity", b, bytes, error));
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    ct_world_destroy(near);
    ct_world_destroy(far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_repeats),
        cmocka_unit_test(save_and_restore),
        cmocka_unit_test(far_from_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
