/* Particles that are stretched beyond a cell become two, and what is kept when they do. */
#include "worlds.h"

#include <unistd.h>

/* A soft spinning block whose F says that it is stretched 2.6 times: its particles are 1.3 cells long. */
static ct_world *stretched_block(int dimension, bool splits, int threads)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
    def.threads = threads;
    def.step.fixed = 1e-4;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "neo_hookean", 1000, 1, 0.3), 0, 0, 0, 0.8, 0.4, 0.2);
    body.deformation[0] = 2.6;
    body.spin_rate = 2;
    body.velocity[0] = 0.5;
    body.split = splits;
    add_body(world, &body);
    return world;
}

static void walk(ct_world *world, int count)
{
    for (int k = 0; k < count; k++) CHECK(ct_world_step(world, error));
}

static void halves_keep_what_the_whole_had(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int splits = 0; splits < 2; splits++) {
            ct_world *world = stretched_block(dimension, splits, 1);
            ct_world_sums before = ct_world_get_sums(world);
            uint64_t count = ct_world_get_info(world).particles;
            assert_near(before.stretched, (double)count, 0); /* 1.3 cells are more than 1 */
            walk(world, 1);
            ct_world_sums after = ct_world_get_sums(world);
            assert_int_equal(ct_world_get_info(world).particles, splits ? 2 * count : count);
            assert_near(after.stretched, splits ? 0 : (double)count, 0);
            assert_near(after.mass, before.mass, 1e-12 * before.mass);
            for (int a = 0; a < 3; a++) {
                assert_near(after.momentum[a], before.momentum[a], 1e-11 * before.mass);
                assert_near(after.angular_momentum[a], before.angular_momentum[a], 1e-11 * before.mass);
            }
            /* of the material alone: the step moves on by 1e-4 of what it takes to change it */
            assert_near(after.elastic, before.elastic, 2e-4 * before.elastic);
            ct_world_destroy(world);
        }
}

/* The same bits for any number of threads, and across a restart between the looks. */
static void splitting_is_the_same_for_threads_and_restarts(void **state)
{
    (void)state;
    char path[] = "split-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ct_world *one = stretched_block(2, true, 1), *four = stretched_block(2, true, 4),
             *other = stretched_block(2, true, 1);
    walk(one, 5);
    CHECK(ct_world_save(one, path, error));
    CHECK(ct_world_restore(other, path, error));
    walk(one, 20);
    walk(four, 25);
    walk(other, 20);
    ct_hash expected, threads, resumed;
    CHECK(ct_world_hash(one, &expected, error));
    CHECK(ct_world_hash(four, &threads, error));
    CHECK(ct_world_hash(other, &resumed, error));
    assert_memory_equal(&expected, &threads, sizeof expected);
    assert_memory_equal(&expected, &resumed, sizeof expected);
    unlink(path);
    ct_world_destroy(one);
    ct_world_destroy(four);
    ct_world_destroy(other);
}

static char said[512];

static void listen(ct_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == CT_LOG_WARNING) snprintf(said, sizeof said, "%s", message);
}

static void a_body_that_may_tear_is_named(void **state)
{
    (void)state;
    for (int splits = 0; splits < 2; splits++) {
        said[0] = '\0';
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.log = listen;
        ct_world *world = create(&def);
        ct_body_def body = block(add_elastic(world, "neo_hookean", 1000, 1, 0.3), 0, 0, 0, 0.8, 0.4, 0);
        body.name = "band";
        body.deformation[0] = 2.6;
        body.split = splits;
        add_body(world, &body);
        walk(world, 1);
        if (splits) assert_string_equal(said, "");
        else assert_non_null(strstr(said, "body 'band' is stretched"));
        ct_world_destroy(world);
    }
}

static void fluids_do_not_split(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = create(&def);
    ct_parameter bulk = {"bulk", 1e5};
    ct_body_def body = block(add_matter(world, "fluid", 1000, &bulk, 1), 0, 0, 0, 0.4, 0.4, 0);
    ct_error error = {0};
    body.split = true;
    assert_int_equal(ct_world_add_body(world, &body, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "only solids split"));
    ct_world_destroy(world);
}

/* A stretched block ends a quarter of a cell before a wall of triangles a twentieth of a cell thick. Halves
 * that would be behind it are put nearer to each other. The control: without the wall they are there. */
static size_t split_behind_a_wall(bool has_wall, double wall)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    def.step.fixed = 1e-6;
    ct_world *world = create(&def);
    ct_body_def body = block(add_elastic(world, "neo_hookean", 1000, 1, 0.3), 0, 0, 0, wall, 0.4, 0.2);
    body.deformation[0] = 2.6;
    body.split = true;
    add_body(world, &body);
    if (has_wall) {
        char path[] = "/tmp/continua_wall_XXXXXX.obj";
        int number = mkstemps(path, 4);
        assert_true(number >= 0);
        FILE *file = fdopen(number, "w");
        for (int k = 0; k < 8; k++)
            fprintf(file, "v %.17g %d %d\n", wall + (k & 1 ? 0.005 : 0), k & 2 ? 1 : -1, k & 4 ? 1 : -1);
        fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
        assert_int_equal(fclose(file), 0);
        ct_collider_def collider = ct_default_collider_def();
        collider.name = "wall";
        collider.shape.type = CT_SHAPE_MESH, collider.shape.file = path;
        CHECK(ct_world_add_collider(world, &collider, NULL, error));
        unlink(path);
    }
    size_t before = count_of(world), behind = 0;
    walk(world, 1);
    assert_int_equal(count_of(world), 2 * before); /* none stays long */
    triple *x = positions_of(world);
    for (size_t p = 0; p < count_of(world); p++) behind += x[p][0] > wall;
    free(x);
    ct_world_destroy(world);
    return behind;
}

static void no_half_is_put_behind_a_wall(void **state)
{
    (void)state;
    assert_true(split_behind_a_wall(false, 0.4) > 0);
    assert_int_equal(split_behind_a_wall(true, 0.4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_keep_what_the_whole_had),
        cmocka_unit_test(splitting_is_the_same_for_threads_and_restarts),
        cmocka_unit_test(a_body_that_may_tear_is_named),
        cmocka_unit_test(fluids_do_not_split),
        cmocka_unit_test(no_half_is_put_behind_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
