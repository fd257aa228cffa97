/* The method of docs/adding-a-method.md, at work: whatever the world offers to methods, it gives to one that
 * only the lists know. */
#include "physics/worlds.h"

#include "core/memory.h"
#include "output/writer.h"
#include "run/run.h"
#include "scene/scene.h"

#include <unistd.h>

#if CT_DIM == 2
#define VECTOR(x, y, z) "[" #x ", " #y "]"
#else
#define VECTOR(x, y, z) "[" #x ", " #y ", " #z "]"
#endif

static const char text[] =
    "precision: double\n"
    "method: points\n"
    "time: {end: 0.5, frame: 0.1}\n"
    "grid: {spacing: 0.1}\n"
    "materials: {lead: {type: point, density: 1000}}\n"
    "gravity: " VECTOR(0, -10, 0) "\n"
                                  "bodies:\n"
                                  "  cube:\n"
                                  "    material: lead\n"
                                  "    velocity: " VECTOR(
                                      1, 2, 0) "\n"
                                               "    shape: {type: box, min: " VECTOR(
                                                   0, 0, 0) ", max: " VECTOR(0.2, 0.2, 0.2) "}\n"
#if CT_DIM == 2
                                                                                            "dimension: 2\n"
#endif
    ;

static ct_world *from_scene(ct_scene **scene)
{
    ct_world *world = NULL;
    CHECK(ct_scene_parse("points", text, sizeof text - 1, NULL, 0, scene, error));
    CHECK(ct_world_from_scene(*scene, 1, &world, error));
    return world;
}

/* Velocities are exact. Positions of symplectic Euler are late by g t dt / 2 at most: the bound is that of
 * the largest step. */
static void points_fall(void **state)
{
    (void)state;
    ct_scene *scene;
    ct_world *world = from_scene(&scene);
    size_t count = count_of(world);
    assert_int_equal(count, CT_DIM == 2 ? 4 : 8);
    triple *before = positions_of(world);
    double longest = 0;
    while (ct_world_get_info(world).time < 0.5) {
        double then = ct_world_get_info(world).time;
        CHECK(ct_world_run_until(world, fmin(0.5, then + 0.01), error));
        longest = fmax(longest, ct_world_get_info(world).dt);
    }
    triple *x = positions_of(world), *v = velocities_of(world);
    for (size_t p = 0; p < count; p++) {
        assert_near(v[p][0], 1, 1e-12);
        assert_near(v[p][1], 2 - 10 * 0.5, 1e-11);
        assert_near(x[p][0] - before[p][0], 0.5, 1e-12);
        assert_near(x[p][1] - before[p][1], 2 * 0.5 - 0.5 * 10 * 0.25, 0.51 * 10 * 0.5 * longest);
    }
    free(before), free(x), free(v);
    ct_world_destroy(world), ct_scene_destroy(scene);
}

/* The criterion of the velocity counts in the ledger. */
static void points_limit_the_step(void **state)
{
    (void)state;
    ct_scene *scene;
    ct_world *world = from_scene(&scene);
    CHECK(ct_world_step(world, error));
    assert_string_equal(ct_world_get_info(world).limited_by, "velocity");
    assert_true(ct_world_get_info(world).dt * sqrt(5.0) <= 0.1 * 1.0001);
    ct_world_destroy(world), ct_scene_destroy(scene);
}

static void points_are_in_frames(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "points_%d.csv", (int)getpid());
    ct_scene *scene;
    ct_world *world = from_scene(&scene);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_frame frame;
    CHECK(ct_world_run_until(world, 0.1, error));
    CHECK(ct_frame_read(&heap, world, scene, &frame, error));
    assert_int_equal(frame.count, count_of(world));
    assert_string_equal(frame.body_names[0], "cube");
    CHECK(ct_writer_find("csv")->write(&heap, ct_to(path), &frame, error));
    assert_int_equal(access(path, R_OK), 0);
    remove(path);
    ct_frame_release(&heap, &frame);
    ct_world_destroy(world), ct_scene_destroy(scene);
}

/* Points fly at a peridynamic block in free space. */
static ct_world *meeting(int threads)
{
    ct_world_def def = quiet_def(CT_DIM, CT_KERNEL_QUADRATIC, 0.05);
    def.threads = threads;
    ct_world *world = create(&def);
    ct_body_def cube = block(add_elastic(world, "elastic", 1000, 2e4, 0.25), 0, 0, 0, 0.3, 0.3, 0.3);
    ct_body_def shot = block(add_matter(world, "point", 3000, NULL, 0), 0.4, 0.1, 0.1, 0.1, 0.1, 0.1);
    shot.velocity[0] = -2;
    add_body(world, &cube), add_body(world, &shot);
    return world;
}

/* kg m/s: the sum over all, and of the lengths; `part` of body 0. */
static double momenta(const ct_world *world, double all[3], double part[3])
{
    triple *v = velocities_of(world);
    double *mass = values_of(world, "mass"), size = 0;
    uint16_t *body = malloc(count_of(world) * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count_of(world) * sizeof *body, error));
    for (int a = 0; a < 3; a++) all[a] = part[a] = 0;
    for (size_t p = 0; p < count_of(world); p++) {
        for (int a = 0; a < 3; a++) {
            all[a] += mass[p] * v[p][a];
            if (!body[p]) part[a] += mass[p] * v[p][a];
        }
        size += mass[p] * sqrt(v[p][0] * v[p][0] + v[p][1] * v[p][1] + v[p][2] * v[p][2]);
    }
    free(v), free(mass), free(body);
    return size;
}

static void points_push_and_are_pushed(void **state)
{
    (void)state;
    ct_world *world = meeting(1);
    double before[3], after[3], still[3], moved[3], size = momenta(world, before, still);
    CHECK(ct_world_run_until(world, 0.2, error));
    momenta(world, after, moved);
    for (int a = 0; a < 3; a++) assert_near(after[a], before[a], 1e-11 * size);
    assert_true(fabs(moved[0] - still[0]) > 0.1 * size); /* the control: they met */
    ct_world_destroy(world);
}

static void points_go_on_from_a_checkpoint(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "points_%d.ct", (int)getpid());
    ct_world *one = meeting(1), *other = meeting(3);
    steps(one, 15);
    ct_hash half = hash_of(one);
    CHECK(ct_world_save(one, path, error));
    steps(one, 15);
    CHECK(ct_world_restore(other, path, error));
    assert_same(hash_of(other), half);
    steps(other, 15);
    assert_same(hash_of(other), hash_of(one));
    remove(path);
    ct_world_destroy(one), ct_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_fall),
        cmocka_unit_test(points_limit_the_step),
        cmocka_unit_test(points_are_in_frames),
        cmocka_unit_test(points_push_and_are_pushed),
        cmocka_unit_test(points_go_on_from_a_checkpoint),
    };
    setenv("CONTINUA_ISA", CT_ISA, 1); /* the variant that has the method */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
