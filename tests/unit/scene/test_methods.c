/* Methods of bodies, sources and materials: what they are by default, and what follows from them. What they
 * refuse is in test_broken.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/keys.h"
#include <string.h>

static ct_scene *parse(const char *text, const char *const *settings, int count)
{
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("test.yaml", text, strlen(text), settings, count, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

/* Both methods, with sections of both. */
static const char mixed[] =
    "time: {end: 1 s}\n"
    "grid: {spacing: 1 cm, kernel: cubic}\n"
    "scheme: flip\n"
    "air: {heat_transfer: 10 W/(m^2 K)}\n"
    "peridynamics: {spacing: 4 mm, iterations: 20}\n"
    "contact: {friction: 0.5, restitution: 0.25}\n"
    "materials:\n"
    "  sand: {preset: dry_sand}\n"
    "  grains: {method: peridynamics, preset: dry_sand}\n"
    "  cloth: {type: elastic, young: 40 kPa, poisson: 0.25, stiffness_factor: 2}\n"
    "  jelly: {method: mpm, type: fixed_corotated, young: 10 kPa, poisson: 0.3, heat_capacity: 1 kJ/(kg K)}\n"
    "bodies:\n"
    "  bed: {material: sand, shape: {type: box, min: [0, 0, 0], max: [1, 0.1, 1]}, scheme: apic}\n"
    "  rag: {method: peridynamics, material: cloth, hold: {type: sphere, radius: 1 cm},\n"
    "        shape: {type: sheet, corner: [0, 0.5, 0], edges: [[0.4, 0, 0], [0, 0, 0.4]]}}\n"
    "  heap: {method: peridynamics, material: grains, sampling: {pattern: jittered},\n"
    "         shape: {type: sphere, radius: 5 cm}}\n"
    "  ball: {method: mpm, material: jelly, temperature: 300 K, shape: {type: sphere, radius: 5 cm}}\n"
    "colliders:\n"
    "  hand: {shape: {type: sphere, radius: 1 cm}, grip: true, keep_sides: false, temperature: 300 K}\n"
    "sources:\n"
    "  tap: {material: sand, velocity: [0, -1, 0], temperature: 300 K, shape: {type: sphere, radius: 5 cm}}\n"
    "  pour: {method: peridynamics, material: grains, velocity: [0, -1, 0],\n"
    "         shape: {type: sphere, radius: 5 cm}}\n"
    "changes:\n"
    "  set: {from: pour, material: cloth, time: 0.5 s}\n"
    "  melt: {from: set, material: grains, time: 0.6 s}\n";

static void things_have_methods(void **state)
{
    (void)state;
    ct_scene *scene = parse(mixed, NULL, 0);
    static const ct_method materials[] = {CT_METHOD_MPM, CT_METHOD_PERIDYNAMICS, CT_METHOD_PERIDYNAMICS,
                                          CT_METHOD_MPM};
    static const ct_method bodies[] = {CT_METHOD_MPM, CT_METHOD_PERIDYNAMICS, CT_METHOD_PERIDYNAMICS,
                                       CT_METHOD_MPM};
    for (int i = 0; i < 4; i++) assert_int_equal(scene->materials[i].method, materials[i]);
    for (int i = 0; i < 4; i++) assert_int_equal(scene->bodies[i].method, bodies[i]);
    assert_int_equal(scene->sources[0].method, CT_METHOD_MPM);
    assert_int_equal(scene->sources[1].method, CT_METHOD_PERIDYNAMICS);
    assert_int_equal(scene->world.method, CT_METHOD_MPM);
    assert_int_equal(scene->methods, CT_ONLY(MPM) | CT_ONLY(PERIDYNAMICS));
    assert_true(scene->world.peri.spacing == 0.004 && scene->world.peri.iterations == 20);
    assert_true(scene->world.contact.friction == 0.5 && scene->world.contact.restitution == 0.25);
    ct_scene_destroy(scene);
}

/* A preset is the one of the material's method. */
static void presets_go_by_the_material(void **state)
{
    (void)state;
    ct_scene *scene = parse(mixed, NULL, 0);
    assert_string_equal(scene->materials[0].type, "drucker_prager");
    assert_string_equal(scene->materials[1].type, "granular");
    ct_scene_destroy(scene);
}

/* Peridynamic bodies stand on a lattice unless they say otherwise; others are jittered. */
static void sampling_goes_by_the_body(void **state)
{
    (void)state;
    ct_scene *scene = parse(mixed, NULL, 0);
    static const ct_pattern patterns[] = {CT_PATTERN_JITTERED, CT_PATTERN_LATTICE, CT_PATTERN_JITTERED,
                                          CT_PATTERN_JITTERED};
    for (int i = 0; i < 4; i++) assert_int_equal(scene->bodies[i].pattern, patterns[i]);
    assert_int_equal(scene->sources[0].pattern, CT_PATTERN_JITTERED);
    assert_int_equal(scene->sources[1].pattern, CT_PATTERN_LATTICE);
    ct_scene_destroy(scene);
}

static void top_level_is_the_default(void **state)
{
    (void)state;
    static const char text[] =
        "time: {end: 1 s}\ngrid: {spacing: 1 cm}\n"
        "materials: {rubber: {preset: rubber}, water: {preset: water, method: mpm}}\n"
        "bodies:\n"
        "  ball: {material: rubber, shape: {type: sphere, radius: 5 cm}}\n"
        "  drop: {method: mpm, material: water, shape: {type: sphere, radius: 5 cm}}\n";
    const char *const peri = "method=peridynamics";
    ct_scene *scene = parse(text, NULL, 0);
    assert_int_equal(scene->bodies[0].method, CT_METHOD_MPM);
    assert_string_equal(scene->materials[0].type, "neo_hookean");
    assert_int_equal(scene->methods, CT_ONLY(MPM));
    ct_scene_destroy(scene);
    scene = parse(text, &peri, 1);
    assert_int_equal(scene->world.method, CT_METHOD_PERIDYNAMICS);
    assert_int_equal(scene->bodies[0].method, CT_METHOD_PERIDYNAMICS);
    assert_int_equal(scene->bodies[1].method, CT_METHOD_MPM);
    assert_string_equal(scene->materials[0].type, "elastic");
    ct_scene_destroy(scene);
}

/* A definition of the library leaves it to the world. */
static void definitions_leave_it_to_the_world(void **state)
{
    (void)state;
    assert_int_equal(ct_default_body_def().method, CT_METHOD_OF_WORLD);
    assert_int_equal(ct_default_source_def().method, CT_METHOD_OF_WORLD);
    assert_int_equal(ct_default_material_def().method, CT_METHOD_OF_WORLD);
    assert_int_equal(ct_default_world_def().method, CT_METHOD_MPM);
    assert_true(ct_default_world_def().peri.spacing == 0);
    assert_true(ct_default_world_def().contact.friction == 0.3 &&
                ct_default_world_def().contact.restitution == 0);
}

static void used_holds_the_methods(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text first = {.heap = &heap}, second = {.heap = &heap};
    ct_error error;
    ct_scene *scene = parse(mixed, NULL, 0);
    assert_int_equal(ct_scene_write_used(scene, &first, &error), CT_OK);
    ct_scene_destroy(scene);
    scene = parse(first.data, NULL, 0);
    assert_int_equal(ct_scene_write_used(scene, &second, &error), CT_OK);
    ct_scene_destroy(scene);
    assert_string_equal(strstr(first.data, "title:"), strstr(second.data, "title:"));
    assert_non_null(strstr(first.data, "  rag:\n    method: peridynamics\n    material: \"cloth\"\n"));
    assert_non_null(strstr(first.data, "  bed:\n    method: mpm\n    material: \"sand\"\n"));
    assert_non_null(strstr(first.data, "  tap:\n    method: mpm\n"));
    assert_non_null(strstr(first.data, "  grains:\n    type: granular\n    method: peridynamics\n"));
    assert_non_null(strstr(first.data, "peridynamics:\n  spacing: 0.004 m\n"));
    assert_non_null(strstr(first.data, "contact:\n  friction: 0.5\n  restitution: 0.25\n"));
    assert_non_null(strstr(first.data, "scheme:\n  type: flip\n"));
    ct_text_release(&first);
    ct_text_release(&second);
    assert_int_equal(heap.bytes, 0);
}

/* The scene reads each method's name and number from the one list. */
static void names_are_those_of_the_list(void **state)
{
    (void)state;
    for (int m = 0; ct_method_info_at(m); m++) {
        const char *doc;
        assert_string_equal(ct_method_names(m, &doc), ct_method_info_at(m)->name);
        assert_string_equal(doc, ct_method_info_at(m)->doc);
        assert_int_equal(ct_method_find(ct_method_info_at(m)->name), m);
    }
    assert_int_equal(ct_method_find("magic"), -1);
    assert_string_equal(ct_methods_show(CT_ONLY(MPM) | CT_ONLY(PERIDYNAMICS)).text,
                        "'method: mpm' or 'method: peridynamics'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_have_methods),
        cmocka_unit_test(presets_go_by_the_material),
        cmocka_unit_test(sampling_goes_by_the_body),
        cmocka_unit_test(top_level_is_the_default),
        cmocka_unit_test(definitions_leave_it_to_the_world),
        cmocka_unit_test(used_holds_the_methods),
        cmocka_unit_test(names_are_those_of_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
