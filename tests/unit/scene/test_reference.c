/* What the key table generates: defaults that mean what they say, a schema that is JSON, a reference scene
 * that loads and holds every key, and files in docs/reference that are up to date (CT_UPDATE=1 rewrites
 * them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "scene/keys.h"
#include "scene/print.h"
#include "scene/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] =
    "time: {end: 1 s}\n"
    "grid: {spacing: 1 cm}\n"
    "domain: {min: [-1, -1, -1], max: [1, 1, 1]}\n"
    "materials: {m: {type: fixed_corotated, young: 1 MPa, poisson: 0.4}}\n"
    "bodies: {x: {material: m, shape: {type: sphere, radius: 5 cm}}}\n"
    "colliders: {x: {shape: {type: sphere, radius: 5 cm}}}\n"
    "sources: {x: {material: m, shape: {type: sphere, radius: 5 cm}, velocity: [0, -1, 0]}}\n"
    "sinks: {x: {shape: {type: sphere, radius: 5 cm}}}\n";

static int setup(void **state)
{
    ct_heap *heap = malloc(sizeof *heap);
    ct_heap_init(heap, (ct_allocator){0});
    *state = heap;
    return 0;
}

static int teardown(void **state)
{
    ct_heap *heap = *state;
    int leaked = heap->bytes != 0;
    free(heap);
    return leaked;
}

/* ---- Defaults -------------------------------------------------------------------------------- */

typedef struct walk {
    ct_heap *heap;
    const char *expected; /* used.yaml of the scene in which nothing is set */
    int checked;
} walk;

static char *used_with(ct_heap *heap, const char *setting)
{
    ct_scene *scene;
    ct_error error;
    ct_text text = {.heap = heap};
    if (ct_scene_parse("x.yaml", base, strlen(base), &setting, setting ? 1 : 0, &scene, &error))
        fail_msg("%s", error.message);
    assert_int_equal(ct_scene_write_used(scene, &text, &error), CT_OK);
    ct_scene_destroy(scene);
    return text.data;
}

/* Setting a key to its default changes nothing. */
static void check_defaults(walk *w, const char *path, const ct_section *section, const void *defaults)
{
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        if (!ct_key_is_for(key, CT_ONLY(MPM))) continue; /* the base is a scene of MPM */
        char inner[200];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", key->name);
        if (key->kind == CT_KEY_SECTION && !key->given && strcmp(key->name, "rotate") &&
            strcmp(key->name, "spin"))
            check_defaults(w, inner, key->section, ct_key_in(key, defaults));
        ct_text value = {.heap = w->heap};
        if (ct_default_print(&value, key, defaults) && value.length) {
            char setting[600];
            snprintf(setting, sizeof setting, "%s=%s", inner, value.data);
            char *used = used_with(w->heap, setting);
            if (strcmp(used, w->expected)) fail_msg("--set %s changes the scene:\n%s", setting, used);
            ct_release(w->heap, used);
            w->checked++;
        }
        ct_text_release(&value);
    }
}

static void defaults_are_what_a_scene_gets(void **state)
{
    ct_any_def defaults;
    ct_variant variant;
    walk w = {.heap = *state};
    char *expected = used_with(w.heap, NULL);
    w.expected = expected;
    memset(&defaults, 0, sizeof defaults);
    defaults.scene.world = ct_default_world_def();
    check_defaults(&w, "", &ct_scene_keys, &defaults);
    for (int i = 0; i < ct_scene_keys.count; i++) {
        const ct_key *key = &ct_scene_keys.keys[i];
        if (key->kind != CT_KEY_NAMED || !key->named->section) continue;
        if (!ct_key_is_for(key, CT_ONLY(MPM))) continue;
        char path[80];
        snprintf(path, sizeof path, "%s.x", key->name);
        memset(&defaults, 0, sizeof defaults);
        key->named->set_default(&defaults);
        check_defaults(&w, path, key->named->section, &defaults);
    }
    assert_true(ct_variant_find(&ct_shape_variants, "sphere", &variant));
    defaults.shape = ct_default_shape_def();
    check_defaults(&w, "bodies.x.shape", &variant.section, &defaults);
    assert_true(ct_variant_find(&ct_material_variants, "fixed_corotated", &variant));
    defaults.material = ct_default_material_def();
    check_defaults(&w, "materials.m", &variant.section, &defaults);
    assert_true(w.checked >= 35);
    ct_release(w.heap, expected);
}

/* ---- Examples -------------------------------------------------------------------------------- */

/* What stands after "such as" may be given: it is read, and in range. */
static void check_example(const ct_key *key, int *checked)
{
    char expected[CT_EXPECTED_SIZE], reason[CT_REASON_SIZE];
    if (key->kind != CT_KEY_QUANTITY && key->kind != CT_KEY_PARAMETER) return;
    ct_key_expected(key, 3, expected);
    const char *example = strstr(expected, "such as ");
    if (key->dimension == CT_SWITCH) assert_null(example);
    if (!example) return;
    double value;
    if (!ct_quantity_read(example + strlen("such as "), NULL, key->dimension, &value, reason))
        fail_msg("%s: %s: %s", key->name, expected, reason);
    if ((key->least != 0 || key->most != 0) && !(value >= key->least && value <= key->most))
        fail_msg("%s: %s is not from %g to %g", key->name, expected, key->least, key->most);
    ++*checked;
}

static void check_examples(const ct_section *section, int *checked)
{
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        check_example(key, checked);
        if (key->kind == CT_KEY_SECTION) check_examples(key->section, checked);
        if (key->kind == CT_KEY_NAMED && key->named->section) check_examples(key->named->section, checked);
        const ct_variants *variants = key->kind == CT_KEY_VARIANT ? key->variants
                                      : key->kind == CT_KEY_NAMED ? key->named->variants
                                                                  : NULL;
        ct_variant variant;
        for (int v = 0; variants && variants->at(v, &variant); v++)
            for (int k = 0; k < variant.section.count; k++) check_example(&variant.section.keys[k], checked);
    }
}

static void examples_are_in_range(void **state)
{
    (void)state;
    int checked = 0;
    check_examples(&ct_scene_keys, &checked);
    assert_true(checked > 300);
}

/* ---- Generated texts ------------------------------------------------------------------------- */

static void schema_is_json(void **state)
{
    ct_heap *heap = *state;
    ct_text text = {.heap = heap};
    ct_scene_write_schema(&text);
    assert_false(text.failed);
    ct_arena arena = {.heap = heap};
    ct_mistakes *mistakes = calloc(1, sizeof *mistakes);
    mistakes->path = "schema";
    ct_yaml *root;
    assert_int_equal(ct_yaml_parse(&arena, mistakes, NULL, text.data, text.length, &root), CT_OK);
    assert_int_equal(mistakes->count, 0);
    assert_int_equal(root->kind, CT_YAML_MAPPING);
    const ct_yaml *properties = ct_yaml_find(root, "properties")->value;
    for (int i = 0; i < ct_scene_keys.count; i++) {
        bool is_there = ct_yaml_find(properties, ct_scene_keys.keys[i].name);
        assert_true(is_there == (ct_scene_keys.keys[i].kind != CT_KEY_LATER));
    }
    const ct_yaml *defs = ct_yaml_find(root, "$defs")->value;
    static const char *const names[] = {"shape",  "material", "scheme",   "wall",
                                        "vector", "matrix",   "scripted", "number"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(ct_yaml_find(defs, names[i]));
    free(mistakes);
    ct_arena_release(&arena);
    ct_text_release(&text);
}

/* Whether "key:" stands in the text, as a key or in a comment. */
static bool holds(const char *text, const char *name)
{
    char line[100];
    snprintf(line, sizeof line, " %s:", name);
    bool is_first = !strncmp(text, line + 1, strlen(line + 1));
    if (is_first || strstr(text, line)) return true;
    line[0] = '\n';
    return strstr(text, line);
}

static void assert_holds_section(const char *text, const ct_section *section)
{
    for (int i = 0; i < section->count; i++) {
        const ct_key *key = &section->keys[i];
        if (key->kind == CT_KEY_LATER) continue;
        if (!holds(text, key->name)) fail_msg("no '%s'", key->name);
        if (key->kind == CT_KEY_SECTION) assert_holds_section(text, key->section);
        if (key->kind == CT_KEY_NAMED && key->named->section) assert_holds_section(text, key->named->section);
    }
}

static void reference_scene_loads_and_holds_every_key(void **state)
{
    ct_text text = {.heap = *state};
    ct_scene_write_reference_scene(&text);
    assert_false(text.failed);
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("reference.yaml", text.data, text.length, NULL, 0, &scene, &error))
        fail_msg("%s", error.message);
    ct_scene_destroy(scene);
    assert_holds_section(text.data, &ct_scene_keys);
    static const ct_variants *const all[] = {&ct_shape_variants, &ct_material_variants, &ct_wall_variants};
    ct_variant variant;
    for (int k = 0; k < 3; k++)
        for (int i = 0; all[k]->at(i, &variant); i++)
            if (!variant.is_later) assert_holds_section(text.data, &variant.section);
    ct_text_release(&text);
}

/* The example scene of the page, which a newcomer copies. */
static void example_of_the_page_loads(void **state)
{
    ct_text text = {.heap = *state};
    ct_scene_write_reference(&text);
    const char *begin = strstr(text.data, "```yaml\n") + 8, *end = strstr(begin, "```");
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("page.yaml", begin, (size_t)(end - begin), NULL, 0, &scene, &error))
        fail_msg("%s", error.message);
    ct_scene_destroy(scene);
    ct_text_release(&text);
}

static void files_are_fresh(void **state)
{
    static const struct {
        const char *name;
        void (*write)(ct_text *text);
    } files[] = {
        {"scene.md", ct_scene_write_reference},
        {"scene.schema.json", ct_scene_write_schema},
        {"reference.yaml", ct_scene_write_reference_scene},
    };
    ct_heap *heap = *state;
    bool updates = getenv("CT_UPDATE");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        ct_error error;
        snprintf(path, sizeof path, CT_SOURCE_DIR "/docs/reference/%s", files[i].name);
        ct_text text = {.heap = heap};
        files[i].write(&text);
        if (updates && ct_file_save(heap, path, text.data, text.length, &error))
            fail_msg("%s", error.message);
        char *bytes;
        size_t count;
        if (ct_file_load(heap, path, 16 << 20, &bytes, &count, &error)) fail_msg("%s", error.message);
        if (count != text.length || memcmp(bytes, text.data, count))
            fail_msg("docs/reference/%s is stale: run this test with CT_UPDATE=1", files[i].name);
        ct_release(heap, bytes);
        ct_text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults_are_what_a_scene_gets, setup, teardown),
        cmocka_unit_test(examples_are_in_range),
        cmocka_unit_test_setup_teardown(schema_is_json, setup, teardown),
        cmocka_unit_test_setup_teardown(reference_scene_loads_and_holds_every_key, setup, teardown),
        cmocka_unit_test_setup_teardown(example_of_the_page_loads, setup, teardown),
        cmocka_unit_test_setup_teardown(files_are_fresh, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
