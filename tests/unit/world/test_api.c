/* The public door: what must be refused is refused by name, what fails changes nothing, and what the header
 * offers beside worlds and steps is there. */
#include "core/cholesky.h"
#include "peri/peri.h"
#include "physics/worlds.h"
#include "unit/core/harness.h"
#include "unit/kinds.h"
#include "world.h"

#include <unistd.h>

static const char path[] = "api.checkpoint";

#define assert_refused(call, word)                                                      \
    do {                                                                                \
        ct_error refusal = {0}, *error = &refusal;                                      \
        assert_int_equal((call), CT_BAD_USAGE);                                         \
        if (!strstr(refusal.message, word)) fail_msg("%s: %s", #call, refusal.message); \
    } while (0)

static ct_world *jelly_world(ct_world_def def)
{
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3), 0.5, 0.5, 0.5, 0.2);
    add_body(world, &body);
    return world;
}

static void what_is_null_is_refused(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = jelly_world(def), *other;
    ct_material_def material = ct_default_material_def();
    ct_body_def body = ct_default_body_def();
    ct_collider_def collider = ct_default_collider_def();
    ct_source_def source = ct_default_source_def();
    ct_sink_def sink = ct_default_sink_def();
    ct_change_def change = ct_default_change_def();
    ct_motion_def motion = ct_default_motion_def();
    ct_particles_def particles = ct_default_particles_def();
    ct_push_def push = ct_default_push_def();
    ct_samples samples = {.count = 0};
    ct_scene *scene;
    ct_run *run;
    ct_run_def run_def = ct_default_run_def();
    ct_view view;
    ct_hash hash;
    ct_picture picture;
    ct_surface_mesh mesh;
    double numbers[3];
    assert_refused(ct_world_create(NULL, &other, error), "definition of the world is NULL");
    assert_refused(ct_world_create(&def, NULL, error), "result is NULL");
    assert_refused(ct_world_add_material(NULL, &material, NULL, error), "world is NULL");
    assert_refused(ct_world_add_material(world, NULL, NULL, error), "definition of the material is NULL");
    assert_refused(ct_world_add_body(NULL, &body, NULL, error), "world is NULL");
    assert_refused(ct_world_add_body(world, NULL, NULL, error), "definition of the body is NULL");
    assert_refused(ct_world_add_collider(NULL, &collider, NULL, error), "world is NULL");
    assert_refused(ct_world_add_collider(world, NULL, NULL, error), "collider is NULL");
    assert_refused(ct_world_add_source(NULL, &source, NULL, error), "world is NULL");
    assert_refused(ct_world_add_source(world, NULL, NULL, error), "source is NULL");
    assert_refused(ct_world_add_sink(NULL, &sink, NULL, error), "world is NULL");
    assert_refused(ct_world_add_sink(world, NULL, NULL, error), "sink is NULL");
    assert_refused(ct_world_add_change(NULL, &change, NULL, error), "world is NULL");
    assert_refused(ct_world_add_change(world, NULL, NULL, error), "change is NULL");
    assert_refused(ct_world_add_particles(NULL, &particles, error), "world is NULL");
    assert_refused(ct_world_add_particles(world, NULL, error), "particles is NULL");
    assert_refused(ct_world_set_motion(NULL, 0, &motion, error), "world is NULL");
    assert_refused(ct_world_set_motion(world, 0, NULL, error), "motion is NULL");
    assert_refused(ct_world_set_gravity(world, NULL, error), "gravity is NULL");
    assert_refused(ct_world_step(NULL, error), "world is NULL");
    assert_refused(ct_world_step_towards(world, NAN, error), "not a number");
    assert_refused(ct_world_run_until(NULL, 1, error), "world is NULL");
    assert_refused(ct_world_read(NULL, "position", numbers, 0, error), "world is NULL");
    assert_refused(ct_world_read(world, NULL, numbers, 0, error), "name is NULL");
    assert_refused(ct_world_read(world, "position", NULL, 1 << 30, error), "buffer is NULL");
    assert_refused(ct_world_write(world, "velocity", NULL, 1 << 30, error), "buffer is NULL");
    assert_refused(ct_world_view(world, NULL, &view, error), "name is NULL");
    assert_refused(ct_world_view(world, "id", NULL, error), "view is NULL");
    assert_refused(ct_world_samples(world, NULL, error), "samples is NULL");
    assert_refused(ct_world_push(world, NULL, error), "push is NULL");
    assert_refused(ct_world_push(NULL, &push, error), "world is NULL");
    assert_refused(ct_world_push(world, &push, error), "no samples");
    assert_refused(ct_world_hash(world, NULL, error), "hash is NULL");
    assert_refused(ct_world_hash(NULL, &hash, error), "world is NULL");
    assert_refused(ct_world_save(world, NULL, error), "path is NULL");
    assert_refused(ct_world_restore(NULL, path, error), "world is NULL");
    assert_refused(ct_world_copy(NULL, &other, error), "world is NULL");
    assert_refused(ct_scene_load(NULL, NULL, 0, &scene, error), "path is NULL");
    assert_refused(ct_scene_load("x", NULL, 0, NULL, error), "scene is NULL");
    assert_refused(ct_scene_parse("x", "{}", 2, NULL, 3, &scene, error), "settings");
    assert_refused(ct_scene_parse("x", NULL, 2, NULL, 0, &scene, error), "bytes is NULL");
    assert_refused(ct_world_from_scene(NULL, 1, &other, error), "scene is NULL");
    assert_refused(ct_run_start(NULL, "x", &run_def, &run, error), "scene is NULL");
    assert_refused(ct_run_resume(NULL, &run_def, &run, error), "folder is NULL");
    assert_refused(ct_run_resume("x", NULL, &run, error), "run is NULL");
    assert_refused(ct_run_step(NULL, error), "run is NULL");
    assert_refused(ct_world_export(world, "a.vtu", NULL, error), "export is NULL");
    assert_refused(ct_world_draw(world, NULL, &picture, error), "picture is NULL");
    assert_refused(ct_world_surface_mesh(world, NULL, &mesh, error), "surface_mesh is NULL");
    assert_refused(ct_world_add_preset(world, NULL, "a", NULL, error), "preset is NULL");
    samples.count = 1000000; /* there are none: not a single impulse is looked at */
    push.samples = &samples;
    push.impulse = (const double(*)[3])numbers;
    assert_refused(ct_world_push(world, &push, error), "not those of the world");
    assert_int_equal(ct_world_get_info(NULL).particles, 0);
    assert_true(ct_world_get_sums(NULL).mass == 0);
    assert_false(ct_world_body(NULL, 0, NULL));
    ct_world_destroy(NULL), ct_scene_destroy(NULL), ct_run_close(NULL), ct_view_release(NULL, NULL);
    ct_world_destroy(world);
}

static void a_missing_name_is_called_so(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = create(&def);
    ct_material_def material = ct_default_material_def();
    ct_body_def body = ct_default_body_def();
    ct_collider_def collider = ct_default_collider_def();
    material.name = body.name = collider.name = NULL;
    assert_refused(ct_world_add_material(world, &material, NULL, error), "material has no name");
    material.name = "m", material.type = NULL;
    assert_refused(ct_world_add_material(world, &material, NULL, error), "'m' has no type");
    assert_refused(ct_world_add_body(world, &body, NULL, error), "body has no name");
    assert_refused(ct_world_add_collider(world, &collider, NULL, error), "collider has no name");
    material.cookie = 0;
    assert_refused(ct_world_add_material(world, &material, NULL, error), "ct_default_material_def()");
    ct_world_destroy(world);
}

static ct_world *bonded_world(counting *count)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.method = CT_METHOD_PERIDYNAMICS;
    if (count) def.allocator = (ct_allocator){counting_allocate, counting_release, count};
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "elastic", 1000, 1e4, 0.25), 0.5, 0.5, 0.5, 0.4);
    body.deformation[0] = 1.2, body.move_by_deformation = true;
    add_body(world, &body);
    return world;
}

/* F of bonds needs memory; what came of it without was the identity, and CT_OK. */
static void a_read_without_memory_says_so(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_world *world = bonded_world(&count);
    size_t bytes = count_of(world) * 9 * sizeof(double);
    double *F = malloc(bytes);
    int failures = 0;
    for (long k = 0; k < 40; k++) {
        double elsewhere = 0;
        CHECK(ct_world_write(world, "velocity", memset(F, 0, bytes), bytes / 3, error)); /* not settled */
        ct_peri_forget_bonds(world->kinds[0].self);
        count.fail_at = count.calls + k;
        ct_status status = ct_world_read(world, "F", F, bytes, NULL);
        count.fail_at = -1;
        failures += status == CT_NO_MEMORY;
        if (status == CT_NO_MEMORY) continue;
        assert_int_equal(status, CT_OK);
        for (size_t p = 0; p < count_of(world); p++) elsewhere = fmax(elsewhere, fabs(F[9 * p] - 1.2));
        assert_true(elsewhere < 0.05);
    }
    assert_in_range(failures, 1, 39);
    free(F);
    ct_world_destroy(world);
    assert_int_equal(count.held, 0);
}

static void a_failed_body_leaves_bonds_alone(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.method = CT_METHOD_PERIDYNAMICS;
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    int material = add_elastic(world, "elastic", 1000, 1e4, 0.25);
    ct_body_def body = ball(material, 0.5, 0.5, 0.5, 0.3), far = ball(material, 7, 7, 7, 0.3);
    add_body(world, &body);
    steps(world, 3);
    ct_peri before = *(const ct_peri *)world->kinds[0].self;
    assert_refused(ct_world_add_body(world, &far, NULL, error), "outside the domain");
    const ct_peri *after = world->kinds[0].self;
    assert_int_equal(after->must_find, before.must_find);
    assert_int_equal(after->is_settled, before.is_settled);
    ct_world_destroy(world);
}

/* A material of another method that is refused brings no second method to work. */
static void a_failed_material_leaves_one_method(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = jelly_world(def);
    ct_material_def wrong = ct_default_material_def();
    ct_parameter constants[] = {{"young", -1}, {"poisson", 0.3}};
    wrong.method = CT_METHOD_PERIDYNAMICS, wrong.type = "elastic";
    wrong.parameters = constants, wrong.parameter_count = 2;
    assert_int_equal(ct_world_add_material(world, &wrong, NULL, NULL), CT_BAD_USAGE);
    assert_int_equal(world->kind_count, 1);
    assert_null(world->contacts);
    ct_world_destroy(world);
}

/* The state before a restore that fails is the state after it, whichever allocation it was. */
static void a_failed_restore_changes_nothing(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.gravity.constant[1] = -10;
    def.allocator = (ct_allocator){counting_allocate, counting_release, &count};
    ct_world *world = jelly_world(def), *other = jelly_world(def);
    steps(world, 40);
    steps(other, 10);
    CHECK(ct_world_save(world, path, error));
    ct_hash before = hash_of(other);
    int failures = 0;
    for (long k = 0; k < 60; k++) {
        count.fail_at = count.calls + k;
        ct_status status = ct_world_restore(other, path, NULL);
        count.fail_at = -1;
        if (!status) break;
        failures++;
        assert_same(hash_of(other), before);
        assert_int_equal(ct_world_get_info(other).step, 10);
    }
    assert_in_range(failures, 5, 59);
    assert_same(hash_of(other), hash_of(world));
    steps(world, 5), steps(other, 5);
    assert_same(hash_of(other), hash_of(world));
    ct_world_destroy(world), ct_world_destroy(other);
    assert_int_equal(count.held, 0);
    unlink(path);
}

/* A collider that is steered for ever needs no more memory than one that is steered once. */
static void steering_takes_no_memory(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    ct_world *world = jelly_world(def);
    ct_collider_def collider = ct_default_collider_def();
    collider.shape.type = CT_SHAPE_SPHERE, collider.shape.radius = 0.1;
    CHECK(ct_world_add_collider(world, &collider, NULL, error));
    double times[] = {0, 1}, places[][3] = {{0, 0, 7}, {1, 0, 7}};
    ct_motion_def motion = ct_default_motion_def();
    motion.has_position = true;
    motion.position = (ct_track){.count = 2, .times = times, .values = (const double(*)[3])places};
    CHECK(ct_world_set_motion(world, 0, &motion, error));
    size_t bytes = ct_world_get_info(world).bytes;
    for (int k = 0; k < 10000; k++) CHECK(ct_world_set_motion(world, 0, &motion, error));
    assert_int_equal(ct_world_get_info(world).bytes, bytes);
    ct_collider_info info;
    assert_true(ct_world_collider(world, 0, &info));
    assert_true(info.position[2] == 0); /* in 2D it stays in the plane */
    places[1][0] = NAN;
    assert_int_equal(ct_world_set_motion(world, 0, &motion, NULL), CT_BAD_USAGE);
    assert_true(ct_world_collider(world, 0, &info) && info.position[0] == 0);
    ct_world_destroy(world);
}

/* No number is no rest: with nothing to limit the step both looked alike. */
static void no_number_is_not_rest(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.step.criteria = CT_CRITERION_VELOCITY;
    ct_world *world = jelly_world(def);
    size_t count = count_of(world);
    double(*v)[3] = calloc(count, sizeof *v);
    ct_error refusal;
    assert_int_equal(ct_world_step(world, &refusal), CT_BAD_USAGE);
    assert_non_null(strstr(refusal.message, "at rest"));
    for (size_t p = 0; p < count; p++) v[p][0] = NAN;
    CHECK(ct_world_write(world, "velocity", v, count * sizeof *v, error));
    assert_int_equal(ct_world_step(world, &refusal), CT_DIVERGED);
    assert_non_null(strstr(refusal.message, "velocity"));
    free(v);
    ct_world_destroy(world);
}

static void factors_are_simplicial(void **state)
{
    (void)state;
    if (!ct_factor_is_built_in()) skip();
    enum { N = 400 };
    int first[N + 1], row[N * (N + 1) / 2], entries = 0;
    double *value = malloc(sizeof(double) * N * (N + 1) / 2);
    for (int c = 0; c < N; c++) { /* dense: what the supernodal module would be chosen for */
        first[c] = entries;
        for (int r = c; r < N; r++) row[entries] = r, value[entries++] = r == c ? N : 0.5;
    }
    first[N] = entries;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_sparse matrix = {N, first, row, value};
    ct_factor *factor;
    CHECK(ct_factor_create(&heap, &matrix, &factor, error));
    assert_true(ct_factor_is_simplicial(factor));
    ct_factor_destroy(factor);
    free(value);
}

/* ---- What the header offers -------------------------------------------------------------------------- */

static void views_are_pinned(void **state)
{
    (void)state;
    ct_world *world = jelly_world(quiet_def(2, CT_KERNEL_QUADRATIC, 0.1));
    ct_body_def body = ball(0, 2, 2, 2, 0.2);
    ct_view view, second;
    assert_refused(ct_world_pin(world, "deformation", &view, error), "called 'F'");
    CHECK(ct_world_pin(world, "velocity", &view, error));
    CHECK(ct_world_pin(world, "F", &second, error));
    assert_refused(ct_world_step(world, error), "2 views");
    assert_refused(ct_world_add_body(world, &body, NULL, error), "view");
    assert_refused(ct_world_remove_body(world, 0, error), "view");
    assert_int_equal(ct_world_generation(world), view.generation);
    for (uint64_t p = 0; p < view.count; p++) ((double *)view.data)[p] = 1; /* all move along x */
    ct_view_release(world, &view), ct_view_release(world, &view);
    assert_refused(ct_world_step(world, error), "1 view ");
    ct_view_release(world, &second);
    steps(world, 1);
    ct_world_sums sums = ct_world_get_sums(world);
    assert_near(sums.momentum[0], sums.mass, 1e-9 * sums.mass);
    ct_world_destroy(world);
}

static void most_steps_name_the_limit(void **state)
{
    (void)state;
    ct_world *world = jelly_world(quiet_def(2, CT_KERNEL_QUADRATIC, 0.1));
    CHECK(ct_world_run_until(world, 0.1, error));
    assert_string_equal(ct_world_get_info(world).limited_by, "sound");
    assert_int_equal(ct_world_get_info(world).limited_material, 0);
    CHECK(ct_world_step_towards(world, world->common.time + 1e-9, error));
    assert_string_equal(ct_world_get_info(world).limited_by, "frame");
    ct_world_destroy(world);
}

static void bodies_and_colliders_go(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.energy_budget = true;
    def.gravity.constant[1] = -10;
    ct_world *world = jelly_world(def), *alone = jelly_world(def);
    ct_body_def second = ball(0, 5, 5, 5, 0.3);
    add_body(world, &second);
    ct_body_info info;
    assert_true(ct_world_body(world, 1, &info) && info.particles > 0);
    ct_collider_def collider = ct_default_collider_def();
    collider.shape.type = CT_SHAPE_SPHERE, collider.shape.radius = 0.1;
    for (int c = 0; c < 3; c++) {
        collider.shape.center[0] = 3 + c;
        collider.name = c == 0 ? "a" : c == 1 ? "b" : "c";
        CHECK(ct_world_add_collider(world, &collider, NULL, error));
    }
    CHECK(ct_world_remove_collider(world, 1, error));
    ct_collider_info kept;
    assert_true(ct_world_collider(world, 1, &kept));
    assert_string_equal(kept.name, "c");
    assert_false(ct_world_collider(world, 2, &kept));
    CHECK(ct_world_remove_body(world, 1, error));
    assert_true(ct_world_body(world, 1, &info));
    assert_int_equal(info.particles, 0);
    assert_int_equal(count_of(world), count_of(alone));
    assert_near(ct_world_get_sums(world).lost_on_grid, 0, 1e-9);
    steps(world, 20), steps(alone, 20);
    double *a = values_of(world, "velocity"), *b = values_of(alone, "velocity");
    assert_memory_equal(a, b, 3 * count_of(alone) * sizeof *a);
    free(a), free(b);
    assert_refused(ct_world_remove_body(world, 2, error), "no body 2");
    assert_refused(ct_world_remove_collider(world, 2, error), "no collider 2");
    ct_world_destroy(world), ct_world_destroy(alone);
}

static void a_copy_goes_on_alike(void **state)
{
    (void)state;
    for (ct_method method = CT_METHOD_MPM; method <= CT_METHOD_PERIDYNAMICS; method++) {
        ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
        def.method = method;
        ct_parameter share = {"alpha", 0.9};
        char scheme[] = "flip";
        def.scheme = (ct_scheme_def){scheme, &share, 1};
        ct_world *world = create(&def), *copy, *again;
        memset(scheme, 'x', sizeof scheme - 1); /* definitions are the caller's own */
        int material = add_elastic(world, method ? "elastic" : "neo_hookean", 1000, 1e4, 0.25);
        ct_body_def body = ball(material, 0.5, 0.5, 0.5, 0.3);
        add_body(world, &body);
        ct_collider_def collider = ct_default_collider_def();
        collider.shape.type = CT_SHAPE_SPHERE, collider.shape.radius = 0.2;
        CHECK(ct_world_add_collider(world, &collider, NULL, error));
        ct_motion_def motion = ct_default_motion_def();
        motion.velocity[0] = 0.5;
        CHECK(ct_world_set_motion(world, 0, &motion, error));
        CHECK(ct_world_set_gravity(world, &(ct_track){.constant = {0, -3, 0}}, error));
        steps(world, 12);
        CHECK(ct_world_copy(world, &copy, error));
        assert_same(hash_of(copy), hash_of(world));
        steps(world, 9), steps(copy, 9);
        assert_same(hash_of(copy), hash_of(world));
        CHECK(ct_world_copy(copy, &again, error));
        ct_world_destroy(copy);
        steps(world, 9), steps(again, 9);
        assert_same(hash_of(again), hash_of(world));
        ct_world_destroy(again), ct_world_destroy(world);
    }
}

static void gravity_can_be_set(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.energy_budget = true;
    ct_world *world = jelly_world(def);
    steps(world, 3);
    for (int k = 0; k < 100; k++)
        CHECK(ct_world_set_gravity(world, &(ct_track){.constant = {0, -10, 0}}, error));
    assert_near(ct_world_get_sums(world).lost_on_grid, 0, 1e-9);
    double start = ct_world_get_info(world).time;
    CHECK(ct_world_run_until(world, start + 0.1, error));
    ct_world_sums sums = ct_world_get_sums(world);
    assert_near(sums.momentum[1], -10 * 0.1 * sums.mass, 1e-9 * sums.mass);
    ct_world_destroy(world);
}

static void lists_have_ends(void **state)
{
    (void)state;
    ct_world *world = jelly_world(quiet_def(2, CT_KERNEL_QUADRATIC, 0.1));
    ct_world_material_info material;
    ct_stage_info stage;
    ct_library_method_info method;
    ct_library_model_info model;
    ct_library_parameter_info parameter;
    ct_library_preset_info preset;
    ct_library_format_info format;
    int methods = 0, models = 0, parameters = 0, presets = 0, formats = 0, stages = 0;
    assert_true(ct_world_material(world, 0, &material));
    assert_string_equal(material.type, "fixed_corotated");
    assert_false(ct_world_material(world, 1, &material) || ct_world_material(world, -1, &material));
    while (ct_world_stage(world, stages, &stage)) stages++;
    while (ct_library_method(methods, &method)) methods++;
    while (ct_library_format(formats, &format)) formats++;
    for (; ct_library_model(models, &model); models++)
        for (int p = 0; ct_library_parameter(models, p, &parameter); p++) parameters++;
    for (; ct_library_preset(presets, &preset); presets++)
        CHECK(ct_world_add_preset(world, preset.name, NULL, NULL, error));
    assert_true(methods >= 2 && formats >= 8 && models >= 15 && parameters > 60 && presets >= 12);
    assert_int_equal(stages, CT_STAGES);
    assert_refused(ct_world_add_preset(world, "moon dust", NULL, NULL, error), "no preset 'moon dust'");
    ct_world_destroy(world);
}

static void worlds_are_drawn_and_written(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = jelly_world(quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05));
        ct_picture_def look = ct_default_picture_def();
        look.width = 64, look.height = 48, look.color_by = "speed";
        ct_picture picture;
        CHECK(ct_world_draw(world, &look, &picture, error));
        assert_int_equal(picture.width, 64);
        int differing = 0;
        for (int k = 1; k < 64 * 48; k++) differing += memcmp(picture.pixels[k], picture.pixels[0], 3) != 0;
        assert_true(differing > 100);
        CHECK(ct_picture_save(&picture, "api.png", error));
        ct_picture_release(&picture), ct_picture_release(&picture);
        look.color_by = "mood";
        assert_refused(ct_world_draw(world, &look, &picture, error), "mood");
        ct_export_def export = ct_default_export_def();
        CHECK(ct_world_export(world, "api.vtu", &export, error));
        assert_refused(ct_world_export(world, "api.doc", &export, error), "format");
        ct_surface_mesh_def def = ct_default_surface_mesh_def();
        ct_surface_mesh mesh;
        ct_status status = ct_world_surface_mesh(world, &def, &mesh, NULL);
        assert_int_equal(status, dimension == 3 ? CT_OK : CT_BAD_USAGE);
        assert_true(dimension == 2 || mesh.triangle_count > 100);
        ct_surface_mesh_release(&mesh);
        ct_world_destroy(world);
    }
    unlink("api.png"), unlink("api.vtu");
}

static const char text[] = "{time: {end: 0.05, frame: 0.02}, dimension: 2, grid: {spacing: 0.05},"
                           " materials: {jelly: {preset: jelly}}, bodies: {ball: {material: jelly, shape: "
                           "{type: sphere, center: [0, 0], radius: 0.2}}}}";

static void a_scene_tells_of_itself(void **state)
{
    (void)state;
    ct_scene *scene, *again;
    ct_error refusal;
    size_t length;
    char printed[8192];
    CHECK(ct_scene_parse("memory.yaml", text, strlen(text), NULL, 0, &scene, error));
    ct_scene_info info = ct_scene_get_info(scene);
    assert_string_equal(info.name, "memory");
    assert_int_equal(info.dimension, 2);
    assert_int_equal(info.frames, 4);
    assert_near(info.end, 0.05, 1e-15);
    assert_near(ct_scene_frame_time(scene, 3), 0.05, 1e-15);
    CHECK(ct_scene_print(scene, printed, sizeof printed, &length, error));
    assert_int_equal(length, strlen(printed));
    CHECK(ct_scene_parse("again.yaml", printed, length, NULL, 0, &again, error));
    ct_scene_destroy(again);
    assert_int_equal(ct_scene_parse("wrong.yaml", "time: 3", 7, NULL, 0, &again, &refusal), CT_BAD_SCENE);
    assert_non_null(strstr(refusal.message, "wrong.yaml:1:"));
    ct_scene_destroy(scene);
}

/* A run in a folder and steps from frame to frame have the same bits. */
static void a_run_is_what_the_command_does(void **state)
{
    (void)state;
    ct_scene *scene, *taken;
    ct_run *run;
    ct_world *world;
    ct_run_def def = ct_default_run_def();
    def.force = true, def.threads = 1;
    CHECK(ct_scene_parse("memory.yaml", text, strlen(text), NULL, 0, &scene, error));
    CHECK(ct_scene_parse("memory.yaml", text, strlen(text), NULL, 0, &taken, error));
    CHECK(ct_run_start(taken, "api.run", &def, &run, error));
    for (uint64_t k = 1; k <= 4; k++) {
        CHECK(ct_run_frame(run, error));
        assert_int_equal(ct_run_get_progress(run).frames_written, k);
    }
    assert_true(ct_run_get_progress(run).is_done);
    ct_hash hash = hash_of(ct_run_world(run));
    ct_run_close(run);
    def.read_only = true;
    CHECK(ct_run_resume("api.run", &def, &run, error));
    assert_same(hash_of(ct_run_world(run)), hash);
    assert_refused(ct_run_step(run, error), "look");
    ct_run_close(run);
    CHECK(ct_world_from_scene(scene, 1, &world, error));
    for (uint64_t k = 0; k < 4; k++) CHECK(ct_world_run_until(world, ct_scene_frame_time(scene, k), error));
    assert_same(hash_of(world), hash);
    ct_world_destroy(world);
    ct_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_null_is_refused),
        cmocka_unit_test(a_missing_name_is_called_so),
        cmocka_unit_test(a_read_without_memory_says_so),
        cmocka_unit_test(a_failed_body_leaves_bonds_alone),
        cmocka_unit_test(a_failed_material_leaves_one_method),
        cmocka_unit_test(a_failed_restore_changes_nothing),
        cmocka_unit_test(steering_takes_no_memory),
        cmocka_unit_test(no_number_is_not_rest),
        cmocka_unit_test(factors_are_simplicial),
        cmocka_unit_test(views_are_pinned),
        cmocka_unit_test(most_steps_name_the_limit),
        cmocka_unit_test(bodies_and_colliders_go),
        cmocka_unit_test(a_copy_goes_on_alike),
        cmocka_unit_test(gravity_can_be_set),
        cmocka_unit_test(lists_have_ends),
        cmocka_unit_test(worlds_are_drawn_and_written),
        cmocka_unit_test(a_scene_tells_of_itself),
        cmocka_unit_test(a_run_is_what_the_command_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
