#include "helpers.h"

#include "core/stop.h"

static const double degree = 3.14159265358979323846 / 180;

/* ---- Boxes -------------------------------------------------------------------------------------------- */

static void boxes_are_structured(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_shape_def def = shape_def(CT_SHAPE_BOX);
        memcpy(def.max, (double[3]){1, 0.5, 0.3}, sizeof def.max);
        ct_solid_mesh mesh = mesh_of_shape(&heap, d, &def, 0.1);
        assert_int_equal(mesh.vertex_count, d == 2 ? 11 * 6 : 11 * 6 * 4);
        assert_int_equal(mesh.element_count, d == 2 ? 10 * 5 * 2 : 10 * 5 * 3 * 5);
        assert_int_equal(mesh.face_count, d == 2 ? 2 * (10 + 5) : 4 * (10 * 5 + 10 * 3 + 5 * 3));
        ct_mesh_quality quality = ct_solid_mesh_quality(&mesh);
        expect_near(quality.volume, d == 2 ? 0.5 : 0.15, 1e-14);
        expect_near(enclosed_volume(&mesh), quality.volume, 1e-14);
        expect_near(quality.shortest_edge, 0.1, 1e-14);
        expect_near(quality.longest_edge, 0.1 * sqrt(2), 1e-14);
        /* 2D: half a square. 3D: the corner of a cube, with angles of 90 degrees and acos(1/sqrt(3)). */
        expect_near(quality.smallest_angle, d == 2 ? 45 * degree : acos(1 / sqrt(3)), 1e-12);
        expect_near(quality.largest_angle, 90 * degree, 1e-12);
        expect_near(quality.smallest_altitude, d == 2 ? 0.1 * sqrt(0.5) : 0.1 / sqrt(3), 1e-13);
        ct_solid_mesh_release(&mesh);
        assert_int_equal(heap.bytes, 0);
    }
}

/* Turned, moved, mirrored: cells follow, and elements stay positive. */
static void boxes_are_placed(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def def = shape_def(CT_SHAPE_BOX);
    memcpy(def.max, (double[3]){1, 1, 1}, sizeof def.max);
    memcpy(def.scale, (double[3]){-2, 1, 1}, sizeof def.scale);
    memcpy(def.rotate_axis, (double[3]){1, 1, 1}, sizeof def.rotate_axis);
    def.rotate_angle = 2 * pi / 3; /* x to y, y to z, z to x */
    def.translate[0] = 5;
    ct_solid_mesh mesh = mesh_of_shape(&heap, 3, &def, 0.25);
    assert_int_equal(mesh.element_count, 8 * 4 * 4 * 5);
    expect_near(enclosed_volume(&mesh), 2, 1e-13);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++)
            low[a] = fmin(low[a], mesh.position[v][a]), high[a] = fmax(high[a], mesh.position[v][a]);
    const double lower[3] = {5, -0.5, 0}, upper[3] = {6, 1.5, 1};
    for (int a = 0; a < 3; a++) expect_near(low[a], lower[a], 1e-12), expect_near(high[a], upper[a], 1e-12);
    ct_solid_mesh_release(&mesh);
}

/* ---- Stuffing ----------------------------------------------------------------------------------------- */

/* Vertices of the surface lie on it. */
static void expect_on_surface(const ct_solid_mesh *mesh, const ct_shape *shape, double tolerance)
{
    for (size_t f = 0; f < mesh->face_count; f++)
        for (int c = 0; c < mesh->dimension; c++)
            expect_near(ct_shape_distance(shape, mesh->position[mesh->face[f][c]]), 0, tolerance);
}

typedef struct stuffed_case {
    ct_shape_def def;
    double volume[2]; /* in 2D and 3D */
    double radius;    /* m, the smallest of curvature */
} stuffed_case;

/* Smooth shapes: surface exactly on the shape, volume right to second order, edges as asked for, angles
 * bounded. The lattice alone has angles of 60 degrees (in 3D 60 and 90). */
static void stuffing_is_good(void **state)
{
    (void)state;
    ct_shape_def ball = shape_def(CT_SHAPE_SPHERE), ring = shape_def(CT_SHAPE_TORUS),
                 capsule = shape_def(CT_SHAPE_CAPSULE);
    memcpy(ball.center, (double[3]){0.123, -0.4, 0.77}, sizeof ball.center);
    ball.radius = 1;
    ring.radius = 1, ring.tube = 0.4, ring.axis[2] = 1;
    memcpy(capsule.to, (double[3]){1, 0.3, 0}, sizeof capsule.to);
    capsule.radius = 0.5;
    double length = sqrt(1.09);
    const stuffed_case cases[] = {
        {ball, {pi, 4 * pi / 3}, 1},
        {ring, {pi * (1.4 * 1.4 - 0.6 * 0.6), 2 * pi * pi * 0.16}, 0.4},
        {capsule, {pi / 4 + length, pi / 6 + length * pi / 4}, 0.5},
    };
    double worst[2] = {pi, pi}, bluntest[2] = {0, 0};
    for (size_t c = 0; c < COUNT_OF(cases); c++)
        for (int d = 2; d <= 3; d++) {
            ct_shape_def def = cases[c].def;
            if (d == 2) def.center[2] = 0;
            for (int fine = 0; fine < 2; fine++) {
                double edge = (d == 2 ? 0.1 : 0.16) / (1 + fine);
                ct_heap heap;
                ct_heap_init(&heap, (ct_allocator){0});
                ct_solid_mesh mesh = mesh_of_shape(&heap, d, &def, edge);
                ct_shape *shape;
                assert_int_equal(ct_shape_create(&heap, d, &def, "thing", &shape, NULL), CT_OK);
                expect_on_surface(&mesh, shape, 1e-8 * edge);
                ct_shape_destroy(shape);
                ct_mesh_quality quality = ct_solid_mesh_quality(&mesh);
                /* equal addends round the same way: round-off grows with their number */
                expect_near(enclosed_volume(&mesh), quality.volume,
                            1e-16 * quality.volume * (double)mesh.element_count + 1e-13);
                expect_near(quality.mean_edge, edge, 0.06 * edge);
                double error = fabs(quality.volume - cases[c].volume[d - 2]) / quality.volume;
                print_message("shape %zu, %dD: volume off by %.2g (edge/radius)^2\n", c, d,
                              error * pow(cases[c].radius / edge, 2));
                /* inscribed edges and equilateral triangles: 1/6 on a circle, 3/8 on a sphere */
                assert_true(error < (d == 2 ? 0.25 : 0.5) * pow(edge / cases[c].radius, 2));
                worst[d - 2] = fmin(worst[d - 2], quality.smallest_angle);
                bluntest[d - 2] = fmax(bluntest[d - 2], quality.largest_angle);
                ct_solid_mesh_release(&mesh);
                assert_int_equal(heap.bytes, 0);
            }
        }
    print_message("angles: %.1f to %.1f in 2D, %.1f to %.1f in 3D\n", worst[0] / degree, bluntest[0] / degree,
                  worst[1] / degree, bluntest[1] / degree);
    assert_true(worst[0] > 15 * degree && bluntest[0] < 140 * degree);
    assert_true(worst[1] > 10.7 * degree && bluntest[1] < 164.8 * degree); /* the paper's bound */
}

/* A closed surface from a file: an octahedron. Its edges come out blunt, so a little is missing. */
static void surfaces_are_stuffed(void **state)
{
    (void)state;
    static const char text[] =
        "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\n"
        "f 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_file_save(&heap, "octahedron.obj", text, strlen(text), NULL), CT_OK);
    ct_shape_def def = shape_def(CT_SHAPE_MESH);
    def.file = "octahedron.obj";
    ct_solid_mesh mesh = mesh_of_shape(&heap, 3, &def, 0.1);
    ct_mesh_quality quality = ct_solid_mesh_quality(&mesh);
    print_message("octahedron: %.4f of its volume\n", quality.volume / (4.0 / 3));
    assert_true(quality.volume < 4.0 / 3 && quality.volume > 0.98 * 4 / 3);
    assert_true(quality.smallest_angle > 8 * degree);
    ct_solid_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

/* Sharp edges, thin parts, combinations. */
static void stuffing_takes_any_shape(void **state)
{
    (void)state;
    ct_shape_def parts[3] = {shape_def(CT_SHAPE_BOX), shape_def(CT_SHAPE_SPHERE), shape_def(CT_SHAPE_BOX)};
    memcpy(parts[0].max, (double[3]){1, 1, 1}, sizeof parts[0].max);
    memcpy(parts[1].center, (double[3]){0.5, 0.5, 0.5}, sizeof parts[1].center);
    parts[1].radius = 0.4;
    memcpy(parts[2].min, (double[3]){0.6, 0.6, -1}, sizeof parts[2].min);
    memcpy(parts[2].max, (double[3]){2, 2, 2}, sizeof parts[2].max);
    for (int d = 2; d <= 3; d++)
        for (int turn = 0; turn < 8; turn++) {
            ct_shape_def def = shape_def(CT_SHAPE_DIFFERENCE);
            def.children = parts, def.child_count = 3;
            memcpy(def.rotate_axis, (double[3]){0, 0, 1}, sizeof def.rotate_axis);
            def.rotate_angle = 0.2 * turn;
            ct_heap heap;
            ct_heap_init(&heap, (ct_allocator){0});
            ct_solid_mesh mesh = mesh_of_shape(&heap, d, &def, 0.04 * (d == 3 ? 1.5 : 1));
            ct_mesh_quality quality = ct_solid_mesh_quality(&mesh);
            assert_true(quality.smallest_angle > (d == 2 ? 12 : 8) * degree);
            ct_solid_mesh_release(&mesh);
        }
}

/* Necks and gaps about as wide as an edge: nothing touches itself, whatever is left. */
static void stuffing_has_no_touching_parts(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++)
        for (int turn = 0; turn < 40; turn++) {
            ct_shape_def parts[3] = {shape_def(CT_SHAPE_SPHERE), shape_def(CT_SHAPE_CAPSULE),
                                     shape_def(CT_SHAPE_TORUS)};
            double angle = 0.37 * turn, gap = 0.02 * (turn % 10) - 0.1;
            parts[0].radius = 0.4;
            for (int a = 0; a < 2; a++) {
                parts[1].from[a] = (0.8 + gap) * (a ? sin(angle) : cos(angle));
                parts[1].to[a] = parts[1].from[a] + 0.3 * (a ? cos(angle) : -sin(angle));
                parts[2].center[a] = -parts[1].from[a];
            }
            parts[1].radius = 0.4, parts[2].radius = 0.35, parts[2].tube = 0.06, parts[2].axis[2] = 1;
            ct_shape_def def = shape_def(turn % 2 ? CT_SHAPE_UNION : CT_SHAPE_DIFFERENCE);
            def.children = parts, def.child_count = 3;
            ct_heap heap;
            ct_heap_init(&heap, (ct_allocator){0});
            ct_solid_mesh mesh = mesh_of_shape(&heap, d, &def, 0.1);
            assert_true(ct_solid_mesh_quality(&mesh).smallest_angle > 10 * degree);
            ct_solid_mesh_release(&mesh);
            assert_int_equal(heap.bytes, 0);
        }
}

static void shapes_that_cannot_be_meshed(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_solid_mesh mesh;
    ct_error error = {0};
    ct_shape_def ball = shape_def(CT_SHAPE_SPHERE), plane = shape_def(CT_SHAPE_HALF_SPACE);
    ball.radius = 1, plane.normal[1] = 1;
    expect_failure(ct_solid_mesh_of_shape(&heap, 3, &plane, "body 'a'", 0.1, &mesh, &error), &error,
                   CT_BAD_USAGE, "body 'a': a shape without bounds");
    expect_failure(ct_solid_mesh_of_shape(&heap, 3, &ball, "body 'a'", 1e-6, &mesh, &error), &error,
                   CT_BAD_USAGE, "body 'a': edges of 1e-06 m are too short");
    expect_failure(ct_solid_mesh_of_shape(&heap, 3, &ball, "body 'a'", 0, &mesh, &error), &error,
                   CT_BAD_USAGE, "must be positive");
    volatile sig_atomic_t flag = 1;
    ct_stop_watch(&flag);
    assert_int_equal(ct_solid_mesh_of_shape(&heap, 3, &ball, "body 'a'", 0.1, &mesh, &error), CT_FAILED);
    ct_stop_watch(NULL);
    assert_int_equal(heap.bytes, 0);
}

static ct_status mesh_a_ball(ct_heap *heap, ct_error *error)
{
    ct_shape_def ball = shape_def(CT_SHAPE_SPHERE);
    ball.radius = 1;
    ct_solid_mesh mesh;
    ct_status status = ct_solid_mesh_of_shape(heap, 3, &ball, "thing", 0.6, &mesh, error);
    if (!status) ct_solid_mesh_release(&mesh);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    expect_survives_no_memory(mesh_a_ball);
}

/* ---- Check -------------------------------------------------------------------------------------------- */

/* Two tetrahedra, 0 1 2 3 and 1 2 3 4, with one thing wrong. */
static void broken_meshes_are_refused(void **state)
{
    (void)state;
    const double good[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 0, 1}, {2, 1, 0}};
    static const struct {
        size_t vertices, elements;
        uint32_t element[3][4];
        const char *says;
    } cases[] = {
        {5, 2, {{0, 1, 2, 3}, {1, 2, 3, 4}}, NULL},
        {5, 2, {{0, 1, 2, 3}, {2, 1, 3, 4}}, "element 1 (counted from 0) is inverted: its volume is -0.33"},
        {5, 2, {{0, 1, 2, 3}, {1, 2, 3, 5}}, "element 1 (counted from 0) uses vertex 5, and there are 5"},
        {5, 2, {{0, 1, 2, 3}, {1, 2, 2, 4}}, "element 1 (counted from 0) is flat"},
        {6, 2, {{0, 1, 2, 3}, {1, 2, 3, 4}}, "vertex 5 (counted from 0) dangles"},
        {5,
         3,
         {{0, 1, 2, 3}, {1, 2, 3, 4}, {3, 2, 4, 1}},
         "element 2 (counted from 0) has a face that belongs to more than two"},
        {4, 2, {{0, 1, 2, 3}, {3, 0, 2, 1}}, "element 1 (counted from 0) is there twice"},
        {7, 2, {{0, 1, 2, 3}, {1, 4, 5, 6}}, NULL},                         /* they share a vertex */
        {6, 2, {{0, 1, 2, 3}, {1, 3, 5, 4}}, "the surface touches itself"}, /* an edge */
        {0, 0, {{0}}, "there are no tetrahedra in it"},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_solid_mesh mesh = {.heap = &heap,
                              .dimension = 3,
                              .vertex_count = cases[c].vertices,
                              .element_count = cases[c].elements};
        mesh.position = ct_allocate(&heap, sizeof good);
        mesh.element = ct_allocate(&heap, sizeof cases[c].element);
        memcpy(mesh.position, good, sizeof good);
        memcpy(mesh.element, cases[c].element, sizeof cases[c].element);
        ct_error error = {0};
        ct_status status = ct_solid_mesh_find_surface(&mesh, "file", &error);
        if (!status) status = ct_solid_mesh_check(&mesh, "file", &error);
        if (cases[c].says) expect_failure(status, &error, CT_BAD_SCENE, cases[c].says);
        else assert_int_equal(status, CT_OK);
        if (!cases[c].says) {
            mesh.position[1][2] = NAN;
            expect_failure(ct_solid_mesh_check(&mesh, "file", &error), &error, CT_BAD_SCENE,
                           "file: vertex 1 (counted from 0) is at (1, 0, nan), which is nowhere");
        }
        ct_solid_mesh_release(&mesh);
        assert_int_equal(heap.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_structured),
        cmocka_unit_test(boxes_are_placed),
        cmocka_unit_test(stuffing_is_good),
        cmocka_unit_test(surfaces_are_stuffed),
        cmocka_unit_test(stuffing_takes_any_shape),
        cmocka_unit_test(stuffing_has_no_touching_parts),
        cmocka_unit_test(shapes_that_cannot_be_meshed),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(broken_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
