/* From scene text to definitions and back: what each key means, settings, round trips, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/scene.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static ct_scene *parse(const char *text, const char *const *settings, int count)
{
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("folder/test.yaml", text, strlen(text), settings, count, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 4 * DBL_EPSILON * fabs(expected)))
        fail_msg("%.17g, not %.17g", value, expected);
}

static void assert_vector(const double *vector, double x, double y, double z)
{
    if (vector[0] != x || vector[1] != y || vector[2] != z)
        fail_msg("[%.17g, %.17g, %.17g]", vector[0], vector[1], vector[2]);
}

static const char minimal[] = "time: {end: 1 s}\n"
                              "grid: {spacing: 1 cm}\n"
                              "materials: {rubber: {type: fixed_corotated, young: 1 MPa, poisson: 0.4}}\n"
                              "bodies: {ball: {material: rubber, shape: {type: sphere, radius: 5 cm}}}\n";

static const char rich[] =
    "name: wheel\n"
    "title: \"A \\\"wheel\\\": \\u2028 \\t \\x07 \\\\ \xC3\xA4\"\n"
    "precision: double\n"
    "time: {end: 2 s, frame: 1/24 s}\n"
    "gravity: [[0 s, [0, -9.81, 0]], [500 ms, [1 cm/s^2, 2, 3]]]\n"
    "seed: 18446744073709551615\n"
    "grid: {spacing: 0.1 cm, kernel: cubic, force: gradient}\n"
    "domain: {min: [-1, 0, -0.4], max: {value: [100, 120, 40], unit: cm}}\n"
    "scheme: {type: apic}\n"
    "step: {criteria: [sound], sound: {cfl: 0.3}, velocity: {cfl: 1/3}, max: 1 ms, min: 1 ps, fixed: 0.1 "
    "ms}\n"
    "materials:\n"
    "  rubber: &rubber {type: fixed_corotated, density: 1.1 g/cm^3, young: 1e7 dyn/cm^2, poisson: 0.4}\n"
    "  \"null\": {type: neo_hookean, shear: 1 kPa, lambda: 1/3 MPa}\n"
    "  again: *rubber\n"
    "bodies:\n"
    "  block:\n"
    "    material: again\n"
    "    shape:\n"
    "      type: difference\n"
    "      of:\n"
    "        - {type: rounded_box, center: [1, 2, 3], size: [0.2, 0.4, 1], radius: 2 cm,\n"
    "           rotate: {axis: [0, 1, 0], angle: 20 deg}}\n"
    "        - {type: union, of: [{type: cylinder, from: [0, 0, -1], to: [0, 0, 1], radius: 4 cm}, {type: "
    "torus,\n"
    "           radius: 1, tube: 0.25, axis: [1, 0, 0]}]}\n"
    "    sampling: {pattern: poisson, per_cell: 5}\n"
    "    velocity: {at: [0, -1, 0], gradient: [[0, 1, 0], [1/3, 0, 0], [0, 0, 7]], center: [0.1, 0, 0]}\n"
    "    spin: {axis: [0, 0, 2], rate: 120 rpm}\n"
    "    deformation: [[1.001, 0, 0], [0, 1, 0.1], [0, 0, 1]]\n"
    "    move: true\n"
    "    color: \"#c0400A\"\n"
    "  single:\n"
    "    material: \"null\"\n"
    "    shape: {type: points, at: [[0.1, 0, 0], [1 cm, 2 cm, 3 cm]], velocity: [[1, 0, 0], [0, 1e-7, 0]], "
    "volume: 1 cm^3}\n"
    "  ball: {material: rubber, velocity: [1, 2, 3], shape: {type: sphere, radius: 5 cm, scale: [1, 2, 3], "
    "pivot: [0, 0, 0],\n"
    "         translate: [1 mm, 0, 0]}}\n"
    "walls:\n"
    "  default: {type: separate, friction: 0.25}\n"
    "  x_max: slip\n"
    "  y_min: {type: no_slip, velocity: {keyframes: [[0, [0, 0, 0]], [1, [1, 0, 0]]], interpolation: "
    "smooth}}\n"
    "output: {fields: [velocity, F], formats: [csv, vtu], checkpoint_every: 5 min, stats_every: 1 ms, "
    "energy_budget: true,\n"
    "         camera: {target: [0, 0, 0], from: [1, 1, 1], fov: 30 deg}, color_by: speed}\n";

static void fills_the_world(void **state)
{
    (void)state;
    ct_scene *scene = parse(rich, NULL, 0);
    const ct_world_def *world = &scene->world;
    assert_string_equal(scene->name, "wheel");
    assert_string_equal(scene->title, "A \"wheel\": \xE2\x80\xA8 \t \x07 \\ \xC3\xA4");
    assert_int_equal(world->dimension, 3);
    assert_int_equal(world->precision, CT_DOUBLE);
    assert_int_equal(world->kernel, CT_KERNEL_CUBIC);
    assert_int_equal(world->force_form, CT_FORCE_GRADIENT);
    assert_true(scene->end == 2 && scene->frame == 1.0 / 24);
    assert_true(world->seed == UINT64_MAX && world->spacing == 0.001);
    assert_int_equal(world->gravity.count, 2);
    assert_true(world->gravity.times[1] == 0.5);
    assert_vector(world->gravity.values[1], 0.01, 2, 3);
    assert_true(world->has_domain);
    assert_vector(world->domain_max, 1, 1.2, 0.4);
    assert_string_equal(world->scheme.type, "apic");
    assert_int_equal(world->step.criteria, CT_CRITERION_SOUND);
    assert_true(world->step.sound_cfl == 0.3 && world->step.velocity_cfl == 1.0 / 3);
    assert_true(world->step.max == 1e-3 && world->step.min == 1e-12 && world->step.fixed == 1e-4);
    assert_true(world->energy_budget);
    ct_scene_destroy(scene);
}

static void fills_walls_from_their_default(void **state)
{
    (void)state;
    ct_scene *scene = parse(rich, NULL, 0);
    const ct_wall_def *walls = scene->world.walls;
    assert_int_equal(walls[CT_X_MIN].type, CT_WALL_SEPARATE);
    assert_true(walls[CT_X_MIN].friction == 0.25 && walls[CT_Z_MAX].friction == 0.25);
    assert_int_equal(walls[CT_X_MAX].type, CT_WALL_SLIP);
    assert_true(walls[CT_X_MAX].friction == 0); /* nothing of the default's remains */
    assert_int_equal(walls[CT_Y_MIN].type, CT_WALL_NO_SLIP);
    assert_int_equal(walls[CT_Y_MIN].velocity.interpolation, CT_INTERPOLATE_SMOOTH);
    assert_vector(walls[CT_Y_MIN].velocity.values[1], 1, 0, 0);
    ct_scene_destroy(scene);
}

static void fills_materials_and_bodies(void **state)
{
    (void)state;
    ct_scene *scene = parse(rich, NULL, 0);
    assert_int_equal(scene->material_count, 3);
    const ct_material_def *rubber = &scene->materials[0], *soft = &scene->materials[1];
    assert_string_equal(rubber->type, "fixed_corotated");
    assert_true(rubber->density == 1100);
    assert_string_equal(rubber->parameters[0].name, "young");
    assert_true(rubber->parameters[0].value == 1e6 && rubber->parameters[1].value == 0.4);
    assert_string_equal(soft->name, "null");
    assert_true(soft->density == ct_default_material_def().density);
    assert_int_equal(soft->parameter_count, 2);

    assert_int_equal(scene->body_count, 3);
    const ct_body_def *block = &scene->bodies[0], *single = &scene->bodies[1], *ball = &scene->bodies[2];
    assert_int_equal(block->material, 2);
    assert_int_equal(block->pattern, CT_PATTERN_POISSON);
    assert_int_equal(block->per_cell, 5);
    assert_vector(block->velocity, 0, -1, 0);
    assert_true(block->gradient[3] == 1.0 / 3 && block->gradient[8] == 7);
    assert_true(block->has_center && block->move_by_deformation);
    assert_near(block->spin_rate, 4 * PI);
    assert_true(block->deformation[0] == 1.001 && block->deformation[5] == 0.1);
    assert_near(block->color[0], pow((0xC0 / 255.0 + 0.055) / 1.055, 2.4));
    assert_near(block->color[2], 10 / 255.0 / 12.92);

    assert_int_equal(block->shape.type, CT_SHAPE_DIFFERENCE);
    assert_int_equal(block->shape.child_count, 2);
    const ct_shape_def *box = &block->shape.children[0];
    assert_vector(box->min, 0.9, 1.8, 2.5);
    assert_vector(box->max, 1.1, 2.2, 3.5);
    assert_near(box->rotate_angle, PI / 9);
    assert_int_equal(block->shape.children[1].children[1].type, CT_SHAPE_TORUS);
    assert_vector(block->shape.children[1].children[1].scale, 1, 1, 1);

    assert_int_equal(single->material, 1);
    assert_int_equal(single->shape.point_count, 2);
    assert_vector(single->shape.points[1], 0.01, 0.02, 0.03);
    assert_vector(single->shape.point_velocities[1], 0, 1e-7, 0);
    assert_true(single->shape.point_volume == 1e-6);
    assert_vector(ball->velocity, 1, 2, 3);
    assert_vector(ball->shape.scale, 1, 2, 3);
    assert_true(ball->shape.has_pivot && !single->shape.has_pivot && ball->color[0] < 0);
    ct_scene_destroy(scene);
}

static void has_a_default_for_the_rest(void **state)
{
    (void)state;
    ct_scene *scene = parse(minimal, NULL, 0);
    ct_world_def defaults = ct_default_world_def();
    assert_string_equal(scene->name, "test");
    assert_string_equal(scene->title, "");
    assert_true(scene->frame == 1.0 / 24);
    assert_memory_equal(&scene->world.step, &defaults.step, sizeof defaults.step);
    assert_vector(scene->world.gravity.constant, 0, -9.81, 0);
    assert_false(scene->world.has_domain);
    assert_true(scene->output.checkpoint_every == 300 && scene->output.stats_every == 0);
    assert_int_equal(scene->output.format_count, 1);
    assert_string_equal(scene->output.formats[0], "vtu");
    assert_true(scene->output.field_count > 3);
    assert_false(scene->output.camera.is_set);
    ct_scene_destroy(scene);
}

static const char flat[] =
    "dimension: 2\n"
    "time: {end: 1 s}\n"
    "gravity: [0, -1]\n"
    "grid: {spacing: 1 cm}\n"
    "domain: {min: [0, 0], max: [1, 2]}\n"
    "materials: {rubber: {type: fixed_corotated, young: 1 MPa, poisson: 0.4}}\n"
    "bodies:\n"
    "  a:\n"
    "    material: rubber\n"
    "    shape: {type: box, center: [0.5, 1], size: [0.1, 0.2], rotate: {angle: 90 deg}, scale: [1, 2]}\n"
    "    velocity: {at: [1, 2], gradient: [[0, 1], [2, 3]]}\n"
    "    spin: {rate: 1}\n"
    "    deformation: [[2, 1], [0, 1]]\n"
    "walls: {y_min: {type: separate, friction: 1, velocity: [1, 0]}}\n";

static void reads_two_dimensions(void **state)
{
    (void)state;
    ct_scene *scene = parse(flat, NULL, 0);
    const ct_body_def *body = &scene->bodies[0];
    assert_vector(scene->world.gravity.constant, 0, -1, 0);
    assert_vector(body->velocity, 1, 2, 0);
    double gradient[9] = {0, 1, 0, 2, 3, 0, 0, 0, 0}, deformation[9] = {2, 1, 0, 0, 1, 0, 0, 0, 1};
    assert_memory_equal(body->gradient, gradient, sizeof gradient);
    assert_memory_equal(body->deformation, deformation, sizeof deformation);
    assert_vector(body->spin_axis, 0, 0, 1);
    assert_vector(body->shape.rotate_axis, 0, 0, 1);
    assert_vector(body->shape.scale, 1, 2, 1);
    assert_true(body->shape.min[1] == 0.9);
    ct_scene_destroy(scene);
}

static void reads_json(void **state)
{
    (void)state;
    ct_scene *scene = parse(
        "{\"time\": {\"end\": 1.5}, \"grid\": {\"spacing\": \"2 cm\"}, \"materials\": {\"m\": {\"type\": "
        "\"fixed_corotated\", \"mu\": 1e5, \"lambda\": 2E5}}, \"bodies\": {\"b\": {\"material\": \"m\", "
        "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}}}",
        NULL, 0);
    assert_true(scene->end == 1.5 && scene->world.spacing == 0.02);
    assert_true(scene->materials[0].parameters[1].value == 2e5);
    ct_scene_destroy(scene);
}

/* ---- used.yaml ------------------------------------------------------------------------------- */

static char *used_text(const ct_scene *scene, ct_heap *heap)
{
    ct_text text = {.heap = heap};
    ct_error error;
    assert_int_equal(ct_scene_write_used(scene, &text, &error), CT_OK);
    return text.data;
}

/* The numbers of two scenes, bit for bit; what pointers lead to is compared through the text. */
static void assert_same_numbers(const ct_scene *a, const ct_scene *b)
{
    assert_memory_equal(&a->world.step, &b->world.step, sizeof a->world.step);
    assert_memory_equal(a->world.domain_min, b->world.domain_min, sizeof a->world.domain_min);
    assert_memory_equal(a->world.domain_max, b->world.domain_max, sizeof a->world.domain_max);
    assert_memory_equal(&a->world.spacing, &b->world.spacing, sizeof(double));
    assert_memory_equal(&a->end, &b->end, 2 * sizeof(double));
    assert_memory_equal(&a->output.camera, &b->output.camera, sizeof a->output.camera);
    assert_int_equal(a->body_count, b->body_count);
    for (int i = 0; i < a->body_count; i++) {
        const ct_body_def *x = &a->bodies[i], *y = &b->bodies[i];
        assert_memory_equal(x->velocity, y->velocity, sizeof x->velocity);
        assert_memory_equal(x->gradient, y->gradient, sizeof x->gradient);
        assert_memory_equal(x->deformation, y->deformation, sizeof x->deformation);
        assert_memory_equal(x->color, y->color, sizeof x->color);
        assert_memory_equal(&x->spin_rate, &y->spin_rate, sizeof x->spin_rate);
        assert_memory_equal(x->shape.min, y->shape.min,
                            offsetof(ct_shape_def, file) - offsetof(ct_shape_def, min));
        assert_memory_equal(x->shape.scale, y->shape.scale, sizeof x->shape.scale);
        assert_int_equal(x->shape.edge_count, y->shape.edge_count);
        for (int e = 0; e < x->shape.edge_count; e++)
            assert_memory_equal(x->shape.edges[e], y->shape.edges[e], sizeof *x->shape.edges);
        if (!x->shape.point_count) continue;
        assert_memory_equal(x->shape.points, y->shape.points,
                            (size_t)x->shape.point_count * sizeof *x->shape.points);
    }
}

static const char woven[] =
    "method: peridynamics\n"
    "time: {end: 1}\n"
    "grid: {spacing: 0.1}\n"
    "materials:\n"
    "  m: {type: elastic, density: 300, young: 1e5, poisson: 0.25}\n"
    "bodies:\n"
    "  cloth: {material: m, shape: {type: sheet, corner: [0, 1, 0], edges: [[1, 0, 0], [0, "
    "0.1, 1]], thickness: 4 mm}}\n"
    "  rod: {material: m, shape: {type: polyline, points: [[0, 0, 0], [0, 1, 0], [1, 1, "
    "0]], radius: 1 cm}}\n";

static void writes_what_it_reads(void **state)
{
    (void)state;
    static const char *const texts[] = {minimal, rich, flat, woven};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_scene *first = parse(texts[i], NULL, 0);
        char *once = used_text(first, &heap);
        ct_scene *second = parse(once, NULL, 0);
        char *twice = used_text(second, &heap);
        assert_string_equal(once, twice);
        assert_same_numbers(first, second);
        ct_scene_destroy(first);
        ct_scene_destroy(second);
        ct_release(&heap, once);
        ct_release(&heap, twice);
        assert_int_equal(heap.bytes, 0);
    }
}

/* The pivot of a motion is the shape's unless it is given, also when the scene is written and read again. */
static void motions_have_their_own_pivot(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "colliders={own: {shape: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, "
        "motion: {pivot: [1, 0, 0], spin: {axis: [0, 0, 1], rate: 60 rpm}}}, "
        "other: {shape: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, "
        "motion: {spin: {axis: [0, 0, 1], rate: 60 rpm}}}}"};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_scene *scenes[2] = {parse(minimal, settings, 1), NULL};
    char *text = used_text(scenes[0], &heap);
    scenes[1] = parse(text, NULL, 0);
    for (int k = 0; k < 2; k++) {
        const ct_motion_def *own = &scenes[k]->colliders[0].motion, *other = &scenes[k]->colliders[1].motion;
        assert_true(own->has_pivot && !other->has_pivot);
        assert_vector(own->pivot, 1, 0, 0);
        ct_scene_destroy(scenes[k]);
    }
    ct_release(&heap, text);
}

/* A mesh beside the scene is found, and named so that used.yaml finds it from anywhere. */
static void resolves_file_names(void **state)
{
    (void)state;
    char folder[] = "/tmp/continua-test-XXXXXX", path[64], mesh[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    snprintf(mesh, sizeof mesh, "%s/cube.obj", folder);
    FILE *file = fopen(mesh, "w");
    assert_non_null(file);
    fclose(file);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(minimal, file);
    fclose(file);
    static const char *const settings[] = {"bodies.ball.shape={type: mesh, file: cube.obj}"};
    ct_scene *scene;
    ct_error error;
    if (ct_scene_load(path, settings, 1, &scene, &error)) fail_msg("%s", error.message);
    assert_string_equal(scene->bodies[0].shape.file, mesh);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char *used = used_text(scene, &heap);
    assert_non_null(strstr(used, mesh));
    ct_release(&heap, used);
    ct_scene_destroy(scene);
    unlink(mesh);
    assert_int_equal(ct_scene_load(path, settings, 1, &scene, &error), CT_BAD_SCENE);
    unlink(path);
    rmdir(folder);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static void settings_override_the_file(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "grid.spacing=5 mm",
        "bodies.ball.velocity=[1,0,0]",
        "materials.rubber.density=2 g/cm^3",
        "scheme=pic",
        "output.fields=[id]",
        "bodies.ball.color=#ff0000",
        "bodies.ball.shape.scale=2",
        "step.sound.cfl=0.125",
        "grid.spacing=4 mm",
    };
    ct_scene *scene = parse(minimal, settings, sizeof settings / sizeof *settings);
    assert_true(scene->world.spacing == 0.004); /* the last one counts */
    assert_vector(scene->bodies[0].velocity, 1, 0, 0);
    assert_true(scene->materials[0].density == 2000);
    assert_string_equal(scene->world.scheme.type, "pic");
    assert_int_equal(scene->output.field_count, 1);
    assert_vector(scene->bodies[0].color, 1, 0, 0);
    assert_vector(scene->bodies[0].shape.scale, 2, 2, 2);
    assert_true(scene->world.step.sound_cfl == 0.125);
    ct_scene_destroy(scene);
}

static void settings_are_named_in_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"grid.spacng=1", "--set grid.spacng=1: error: unknown key 'spacng'; did you mean 'spacing'?"},
        {"grid.spacing=1 s", "--set grid.spacing=1 s: error: 'spacing' expects a length (m), got a time (s)"},
        {"bodies.bal.velocity=[1,0,0]",
         "--set bodies.bal.velocity=[1,0,0]: error: the key 'material' is missing"},
        {"bodies.bal.velocity=[1,0,0]", "error: if 'bal' is not to be a new body: did you mean 'ball'?"},
        {"bodies.ball.shape.radius.x=1", "error: 'radius' expects a length such as 10 cm; got a mapping"},
        {"nonsense", "--set nonsense: error: a setting is written address=value"},
        {"gravity=[0,", "--set gravity=[0,: error: not valid YAML"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_scene *scene;
        ct_error error;
        assert_int_equal(ct_scene_parse("x", minimal, strlen(minimal), &cases[i].setting, 1, &scene, &error),
                         CT_BAD_SCENE);
        if (!strstr(error.message, cases[i].words)) fail_msg("%s", error.message);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct miser {
    int left; /* allocations until it refuses */
    int held;
} miser;

static void *grudging_allocate(size_t bytes, void *user)
{
    miser *m = user;
    if (m->left-- <= 0) return NULL;
    void *memory = aligned_alloc(64, bytes);
    m->held += memory != NULL;
    return memory;
}

static void grudging_release(void *memory, void *user)
{
    miser *m = user;
    m->held -= memory != NULL;
    free(memory);
}

static void survives_each_failing_allocation(void **state)
{
    (void)state;
    int failures = 0;
    for (int allowed = 0;; allowed++) {
        miser m = {.left = allowed};
        ct_allocator allocator = {grudging_allocate, grudging_release, &m};
        static const char *const settings[] = {"grid.spacing=5 mm"};
        ct_scene *scene;
        ct_error error;
        ct_status status =
            ct_scene_parse_with(allocator, "x.yaml", rich, strlen(rich), settings, 1, &scene, &error);
        if (!status) {
            ct_scene_destroy(scene);
            assert_int_equal(m.held, 0);
            break;
        }
        assert_int_equal(status, CT_NO_MEMORY);
        assert_null(scene);
        assert_int_equal(m.held, 0);
        failures++;
    }
    assert_true(failures >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_world),
        cmocka_unit_test(fills_walls_from_their_default),
        cmocka_unit_test(fills_materials_and_bodies),
        cmocka_unit_test(has_a_default_for_the_rest),
        cmocka_unit_test(reads_two_dimensions),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(motions_have_their_own_pivot),
        cmocka_unit_test(resolves_file_names),
        cmocka_unit_test(settings_override_the_file),
        cmocka_unit_test(settings_are_named_in_mistakes),
        cmocka_unit_test(survives_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
