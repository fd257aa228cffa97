#include "helpers.h"

#include "mesh_samples.h"

typedef struct mesh_solid {
    ct_mesh mesh;
    ct_mesh_tree *tree;
} mesh_solid;

static mesh_solid make_solid(ct_heap *heap, const char *text, size_t length)
{
    mesh_solid solid = {.mesh = parse_mesh(heap, "a.obj", text, length)};
    assert_int_equal(ct_mesh_check_closed(&solid.mesh, "a.obj", NULL), CT_OK);
    assert_int_equal(ct_mesh_tree_create(&solid.mesh, &solid.tree, NULL), CT_OK);
    return solid;
}

static void release_solid(mesh_solid *solid)
{
    ct_mesh_tree_destroy(solid->tree);
    ct_mesh_release(&solid->mesh);
}

static double torus_distance(const double p[3])
{
    double ring = sqrt(p[0] * p[0] + p[1] * p[1]) - 0.6;
    return sqrt(ring * ring + p[2] * p[2]) - 0.25;
}

static double sphere_distance(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.8;
}

/* Away from the surface by more than the mesh deviates from it (`slack`, the sagitta of an edge), the answers
 * agree, and the distances do so up to the slack. */
static void check_against(const mesh_solid *solid, double (*distance)(const double[3]), double slack,
                          uint64_t count)
{
    uint64_t compared = 0;
    for (uint64_t i = 0; i < count; i++) {
        double p[3];
        draw_point(11, i, -1, 1, p);
        double d = distance(p);
        if (i % 10 == 0) expect_near(ct_mesh_tree_distance(solid->tree, p), d, slack);
        if (fabs(d) <= slack) continue;
        assert_true(ct_mesh_tree_contains(solid->tree, p) == (d < 0));
        compared++;
    }
    assert_true(compared > count * 9 / 10);
}

static void mesh_solids_agree_with_analytic_ones(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    write_torus(&text, 0.6, 0.25, 90, 45);
    mesh_solid torus = make_solid(&heap, text.data, text.length);
    ct_text_release(&text);
    /* sagittas: 0.85 (1 - cos(pi / 90)) + 0.25 (1 - cos(pi / 45)) = 1.1e-3, more along the diagonals of
     * quadrilaterals */
    check_against(&torus, torus_distance, 2.5e-3, 100000);
    release_solid(&torus);
    write_sphere(&text, 0.8, 80, 40);
    mesh_solid sphere = make_solid(&heap, text.data, text.length);
    ct_text_release(&text);
    check_against(&sphere, sphere_distance, 2.5e-3, 100000);
    release_solid(&sphere);
    assert_int_equal(heap.bytes, 0);
}

/* The distance by looking at every triangle: nearest of a fine sampling, and of the corners. */
static void distances_agree_with_brute_force(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    mesh_solid cube = make_solid(&heap, cube_obj, strlen(cube_obj));
    for (uint64_t i = 0; i < 20000; i++) {
        double p[3], outside = 0, deepest = -INFINITY;
        draw_point(12, i, -1, 2, p);
        for (int a = 0; a < 3; a++) {
            double beyond = fabs(p[a] - 0.5) - 0.5;
            deepest = fmax(deepest, beyond);
            outside += beyond > 0 ? beyond * beyond : 0;
        }
        expect_near(ct_mesh_tree_distance(cube.tree, p), deepest > 0 ? sqrt(outside) : deepest, 1e-14);
    }
    release_solid(&cube);
}

/* Points straight below vertices and edges, at their exact coordinates: the ray meets them head on. */
static void rays_through_vertices_and_edges(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    write_sphere(&text, 0.8, 48, 24);
    mesh_solid sphere = make_solid(&heap, text.data, text.length);
    ct_text_release(&text);
    uint64_t asked = 0;
    for (size_t t = 0; t < sphere.mesh.triangle_count; t++)
        for (int c = 0; c < 3; c++)
            for (int part = 0; part < 5; part++) {
                const double *a = sphere.mesh.vertices[sphere.mesh.triangles[t][c]];
                const double *b = sphere.mesh.vertices[sphere.mesh.triangles[t][(c + 1) % 3]];
                double p[3] = {a[0] + part / 5.0 * (b[0] - a[0]), a[1] + part / 5.0 * (b[1] - a[1]), 0};
                for (int z = -9; z <= 9; z++) {
                    p[2] = z / 10.0;
                    double d = sphere_distance(p);
                    if (fabs(d) < 8e-3) continue;
                    assert_true(ct_mesh_tree_contains(sphere.tree, p) == (d < 0));
                    asked++;
                }
            }
    assert_true(asked > 100000);
    release_solid(&sphere);
}

/* A lattice whose points lie in the planes, edges and corners of a cube: none off the surface is misjudged.
 */
static void a_lattice_in_the_planes_of_a_cube(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    mesh_solid cube = make_solid(&heap, cube_obj, strlen(cube_obj));
    for (int x = -4; x <= 12; x++)
        for (int y = -4; y <= 12; y++)
            for (int z = -4; z <= 12; z++) {
                bool is_inside = x > 0 && x < 8 && y > 0 && y < 8 && z > 0 && z < 8;
                bool is_outside = x < 0 || x > 8 || y < 0 || y > 8 || z < 0 || z > 8;
                double p[3] = {x / 8.0, y / 8.0, z / 8.0};
                if (is_inside) assert_true(ct_mesh_tree_contains(cube.tree, p));
                if (is_outside) assert_false(ct_mesh_tree_contains(cube.tree, p));
            }
    release_solid(&cube);
}

/* Walls that are vertical up to rounding, with points in their planes: the projections of their triangles are
 * slivers a unit in the last place wide. A box is turned back and forth to get them. */
static void walls_that_are_almost_vertical(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (uint64_t i = 0; i < 200; i++) {
        mesh_solid cube = {.mesh = parse_mesh(&heap, "a.obj", cube_obj, strlen(cube_obj))};
        for (size_t v = 0; v < 8; v++)
            for (int a = 0; a < 3; a++)
                cube.mesh.vertices[v][a] =
                    0.1 + 0.7 * cube.mesh.vertices[v][a] + draw(i, 3 * v + (uint64_t)a, -4e-16, 4e-16);
        assert_int_equal(ct_mesh_tree_create(&cube.mesh, &cube.tree, NULL), CT_OK);
        for (uint64_t k = 0; k < 300; k++) {
            double p[3];
            draw_point(14, k, 0.11, 0.79, p);
            int wall = (int)(k % 2);
            assert_true(ct_mesh_tree_contains(cube.tree, p));
            p[wall] = k % 4 < 2 ? 0.1 : 0.1 + 0.7; /* in the plane of a wall, but beside, above or below it */
            p[k % 3 == 0 ? 2 : 1 - wall] = k % 5 < 2 ? 0.05 : 0.85;
            assert_false(ct_mesh_tree_contains(cube.tree, p));
        }
        release_solid(&cube);
    }
}

/* Inside out, with a cavity, and overlapping itself. */
static void orientation_cavities_and_overlap(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char inside_out[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";
    mesh_solid tetrahedron = make_solid(&heap, inside_out, strlen(inside_out));
    assert_true(ct_mesh_tree_contains(tetrahedron.tree, (double[3]){0.2, 0.2, 0.2}));
    assert_false(ct_mesh_tree_contains(tetrahedron.tree, (double[3]){0.4, 0.4, 0.4}));
    release_solid(&tetrahedron);

    ct_text text = {.heap = &heap};
    ct_text_print(&text, "%sv .25 .25 .25\nv .75 .25 .25\nv .25 .75 .25\nv .25 .25 .75\n", cube_obj);
    ct_text_print(&text, "f -4 -3 -2\nf -4 -1 -3\nf -3 -1 -2\nf -2 -1 -4\n"); /* faces inwards: a cavity */
    mesh_solid hollow = make_solid(&heap, text.data, text.length);
    ct_text_release(&text);
    assert_false(ct_mesh_tree_contains(hollow.tree, (double[3]){0.35, 0.35, 0.35}));
    assert_true(ct_mesh_tree_contains(hollow.tree, (double[3]){0.2, 0.35, 0.35}));
    release_solid(&hollow);

    ct_text_print(&text, "%sv .25 .25 .25\nv 3 .25 .25\nv .25 3 .25\nv .25 .25 3\n", cube_obj);
    ct_text_print(&text, "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n"); /* faces outwards: overlaps */
    mesh_solid both = make_solid(&heap, text.data, text.length);
    ct_text_release(&text);
    assert_true(ct_mesh_tree_contains(both.tree, (double[3]){0.35, 0.35, 0.35}));
    assert_true(ct_mesh_tree_contains(both.tree, (double[3]){0.1, 0.1, 0.1}));
    assert_true(ct_mesh_tree_contains(both.tree, (double[3]){1.5, 0.35, 0.35}));
    release_solid(&both);
}

/* Nothing to hold on to: all triangles in one plane, or far from the origin. */
static void flat_and_far_meshes(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n";
    mesh_solid sheet = make_solid(&heap, flat, strlen(flat));
    assert_false(ct_mesh_tree_contains(sheet.tree, (double[3]){0.2, 0.2, 0.1}));
    expect_near(ct_mesh_tree_distance(sheet.tree, (double[3]){0.2, 0.2, 0.1}), 0.1, 1e-15);
    release_solid(&sheet);
    mesh_solid far = {.mesh = parse_mesh(&heap, "a.obj", cube_obj, strlen(cube_obj))};
    for (size_t v = 0; v < 8; v++) far.mesh.vertices[v][1] += 1e9;
    assert_int_equal(ct_mesh_tree_create(&far.mesh, &far.tree, NULL), CT_OK);
    assert_true(ct_mesh_tree_contains(far.tree, (double[3]){0.5, 1e9 + 0.5, 0.5}));
    assert_false(ct_mesh_tree_contains(far.tree, (double[3]){0.5, 1e9 + 1.5, 0.5}));
    assert_false(ct_mesh_tree_contains(far.tree, (double[3]){NAN, INFINITY, 0.5}));
    release_solid(&far);
    assert_int_equal(heap.bytes, 0);
}

static ct_status make_and_destroy(ct_heap *heap, ct_error *error)
{
    ct_mesh mesh;
    ct_mesh_tree *tree = NULL;
    ct_status status = ct_mesh_parse(heap, "cube.obj", cube_obj, strlen(cube_obj), &mesh, error);
    if (!status) status = ct_mesh_tree_create(&mesh, &tree, error);
    ct_mesh_tree_destroy(tree);
    ct_mesh_release(&mesh);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    expect_survives_no_memory(make_and_destroy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_solids_agree_with_analytic_ones),
        cmocka_unit_test(distances_agree_with_brute_force),
        cmocka_unit_test(rays_through_vertices_and_edges),
        cmocka_unit_test(a_lattice_in_the_planes_of_a_cube),
        cmocka_unit_test(walls_that_are_almost_vertical),
        cmocka_unit_test(orientation_cavities_and_overlap),
        cmocka_unit_test(flat_and_far_meshes),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
