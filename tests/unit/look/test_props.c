/* Colliders in pictures: whole, cut open at a plane, of glass, or hidden. */
#include "support.h"

#include "look/camera.h"
#include "look/props.h"
#include "look/trace.h"

#include <stdio.h>

static const double RADIUS = 0.3;

static ct_scene *ball_shown(const char *how)
{
    char text[600];
    int length =
        snprintf(text, sizeof text,
                 "time: {end: 1 s, frame: 0.1 s}\ngrid: {spacing: 2 cm}\n"
                 "domain: {min: [-1, -1, -1], max: [1, 1, 1]}\n"
                 "materials: {m: {preset: water}}\n"
                 "bodies: {b: {material: m, shape: {type: sphere, center: [0, 0.7, 0], radius: 0.1}}}\n"
                 "colliders: {ball: {shape: {type: sphere, center: [0, 0, 0], radius: %g}, show: %s}}\n",
                 RADIUS, how);
    ct_scene *scene;
    ct_error error;
    if (ct_scene_parse("ball.yaml", text, (size_t)length, NULL, 0, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

/* Area of a mesh, and how far it comes before the plane through the origin that faces the camera. */
static double measure(const ct_look_mesh *mesh, ct_vec forward, double *before)
{
    double area = 0;
    *before = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const double *x[3];
        double e[2][3], n[3];
        for (int c = 0; c < 3; c++) {
            assert_true(mesh->triangles[t][c] < mesh->vertex_count);
            x[c] = mesh->vertices[mesh->triangles[t][c]];
            *before = fmax(*before, -(x[c][0] * (double)forward.x + x[c][1] * (double)forward.y +
                                      x[c][2] * (double)forward.z));
        }
        for (int a = 0; a < 3; a++) e[0][a] = x[1][a] - x[0][a], e[1][a] = x[2][a] - x[0][a];
        for (int a = 0; a < 3; a++)
            n[a] = e[0][(a + 1) % 3] * e[1][(a + 2) % 3] - e[0][(a + 2) % 3] * e[1][(a + 1) % 3];
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return area;
}

typedef struct shown {
    double area, before;
    bool is_glass;
} shown;

static shown show(const char *how, bool is_traced)
{
    studio at;
    studio_open(&at, 1);
    ct_scene *scene = ball_shown(how);
    ct_props *props;
    ct_error error;
    ct_trace_def def = {.samples = 1};
    ct_look look = {.width = 100, .height = 100, .scene = scene, .bounds = {{-1, -1, -1}, {1, 1, 1}}};
    look.trace = is_traced ? &def : NULL;
    if (ct_props_create(&at.heap, at.pool, scene, &props, &error)) fail_msg("%s", error.message);
    if (ct_props_show(props, 0, (const double(*)[3])look.bounds, &look, &error))
        fail_msg("%s", error.message);
    assert_int_equal(look.mesh_count, 1);
    shown result = {.is_glass = look.meshes[0].is_glass};
    result.area = measure(&look.meshes[0], ct_camera_of_look(&look, 3, 1).forward, &result.before);
    ct_props_destroy(props);
    ct_scene_destroy(scene);
    studio_close(&at);
    return result;
}

static void test_cut_leaves_exactly_the_half_behind_the_plane(void **state)
{
    (void)state;
    const double sphere = 4 * 3.141592653589793 * RADIUS * RADIUS;
    shown whole = show("whole", false), cut = show("cut", false), hidden = show("hidden", false);
    assert_true(fabs(whole.area / sphere - 1) < 0.02); /* triangles of some 2 cm */
    assert_true(fabs(whole.before / RADIUS - 1) < 0.02);
    assert_true(fabs(cut.area / (0.5 * whole.area) - 1) < 0.005);
    assert_true(cut.before < 1e-6 * RADIUS); /* the plane is flat: its normal is a float */
    assert_true(hidden.area == 0);
}

static void test_glass_is_whole_where_rays_are_traced_and_cut_elsewhere(void **state)
{
    (void)state;
    shown traced = show("glass", true), fast = show("glass", false), cut = show("cut", false);
    assert_true(traced.is_glass && !fast.is_glass);
    assert_true(traced.before > 0.9 * RADIUS);
    assert_true(fast.area == cut.area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_leaves_exactly_the_half_behind_the_plane),
        cmocka_unit_test(test_glass_is_whole_where_rays_are_traced_and_cut_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
