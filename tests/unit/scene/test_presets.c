/* Presets: each is a material that a world takes, and what stands beside one overrides it. */
#include "scene/presets.h"

#include "physics/worlds.h"

/* The material of a scene whose material is `keys`. */
static ct_scene *scene_for(const char *method, const char *keys)
{
    char text[1200];
    snprintf(text, sizeof text,
             "method: %s\ntime: {end: 1 s}\ngrid: {spacing: 1 cm}\nmaterials:\n  it: {%s}\nbodies:\n"
             "  ball: {material: it, shape: {type: sphere, radius: 5 cm}}\n",
             method, keys);
    ct_scene *scene = NULL;
    CHECK(ct_scene_parse("test.yaml", text, strlen(text), NULL, 0, &scene, error));
    return scene;
}

static ct_scene *scene_of(const char *keys)
{
    return scene_for("mpm", keys);
}

static double parameter(const ct_scene *scene, const char *name)
{
    for (int i = 0; i < scene->materials[0].parameter_count; i++)
        if (!strcmp(scene->materials[0].parameters[i].name, name))
            return scene->materials[0].parameters[i].value;
    return NAN;
}

static void every_preset_is_a_material(void **state)
{
    (void)state;
    for (int i = 0; ct_preset_at(i); i++) {
        char keys[100];
        snprintf(keys, sizeof keys, "preset: %s", ct_preset_at(i)->name);
        const char *method = ct_method_info_at((int)ct_preset_at(i)->method)->name;
        ct_scene *scene = scene_for(method, keys), *same = scene_for(method, ct_preset_at(i)->keys);
        const ct_material_def *a = &scene->materials[0], *b = &same->materials[0];
        assert_string_equal(a->type, b->type);
        assert_true(a->density == b->density && a->parameter_count == b->parameter_count);
        ct_world *world = NULL;
        CHECK(ct_world_from_scene(scene, 1, &world, error));
        ct_world_destroy(world);
        ct_scene_destroy(scene);
        ct_scene_destroy(same);
        assert_true(strlen(ct_preset_at(i)->source) > 10);
        for (int j = 0; j < i; j++)
            if (ct_preset_at(i)->method == ct_preset_at(j)->method)
                assert_string_not_equal(ct_preset_at(i)->name, ct_preset_at(j)->name);
    }
}

static void keys_beside_a_preset_override_it(void **state)
{
    (void)state;
    ct_scene *scene = scene_of("preset: rubber, density: 900 kg/m^3, young: 3 MPa");
    assert_string_equal(scene->materials[0].type, "neo_hookean");
    assert_true(scene->materials[0].density == 900);
    assert_true(parameter(scene, "young") == 3e6 && parameter(scene, "poisson") == 0.48);
    ct_scene_destroy(scene);
    scene = scene_of("preset: rubber, bulk: 1 GPa, shear: 1 MPa"); /* another pair of elastic constants */
    assert_true(isnan(parameter(scene, "young")) && parameter(scene, "bulk") == 1e9);
    ct_scene_destroy(scene);
    scene = scene_of("preset: water, type: fluid_log"); /* another model takes what it knows */
    assert_string_equal(scene->materials[0].type, "fluid_log");
    assert_true(parameter(scene, "bulk") == 2e6 && isnan(parameter(scene, "gamma")));
    ct_scene_destroy(scene);
}

/* A scene of water, and perhaps a fast body; its bulk modulus. */
static double bulk_of(const char *keys, const char *gravity, const char *domain, const char *more)
{
    char text[1200];
    snprintf(text, sizeof text,
             "dimension: 2\ntime: {end: 1 s}\ngrid: {spacing: 1 cm}\ngravity: %s\n%s\n"
             "materials: {it: {%s}}\nbodies:\n"
             "  pool: {material: it, shape: {type: box, min: [0, 0], max: [1, 0.5]}}\n%s\n",
             gravity, domain, keys, more);
    ct_scene *scene = NULL;
    CHECK(ct_scene_parse("test.yaml", text, strlen(text), NULL, 0, &scene, error));
    double bulk = parameter(scene, "bulk");
    ct_text used = {.heap = &scene->heap};
    CHECK(ct_scene_write_used(scene, &used, error)); /* the same when it is read again */
    ct_scene *again = NULL;
    CHECK(ct_scene_parse("used.yaml", used.data, used.length, NULL, 0, &again, error));
    assert_true(parameter(again, "bulk") == bulk && again->softened_for == 0);
    ct_text_release(&used);
    ct_scene_destroy(again);
    ct_scene_destroy(scene);
    return bulk;
}

/* 100 density v^2, rounded up to two digits: v^2 = 2 g h + v0^2. */
static void stiffness_of_liquids_is_that_of_the_scene(void **state)
{
    (void)state;
    const char *water = "preset: water, density: 1000 kg/m^3", *down = "[0, -10]",
               *room = "domain: {min: [0, 0], max: [2, 4]}",
               *drop = "  drop: {material: it, velocity: [3, 0], shape: {type: sphere, center: [1, 1.8], "
                       "radius: 20 cm}}";
    assert_true(bulk_of(water, down, room, "") == 1e6);                          /* from 0.5 m */
    assert_true(fabs(bulk_of(water, down, room, drop) - 4.9e6) < 1);             /* from 2 m, and 3 m/s */
    assert_true(fabs(bulk_of(water, "[0, 10]", room, "") - 8e6) < 1);            /* upwards, 4 m */
    assert_true(bulk_of("preset: water, bulk: 3 MPa", down, room, drop) == 3e6); /* what is given stays */
    assert_true(bulk_of(water, down, "", drop) == 2e6);     /* no floor: the preset's own */
    assert_true(bulk_of(water, "[0, 0]", room, "") == 2e6); /* nothing moves */
    assert_true(fabs(bulk_of("preset: honey, density: 500", down, room, "") - 5e5) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_is_a_material),
        cmocka_unit_test(keys_beside_a_preset_override_it),
        cmocka_unit_test(stiffness_of_liquids_is_that_of_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
