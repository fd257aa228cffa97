#include "helpers.h"

#include "body/shells.h"
#include "body/springs.h"

static ct_mesh sheet(ct_heap *heap)
{
    ct_mesh mesh;
    const double corner[3] = {0, 0, 0}, edges[2][3] = {{1, 0, 0}, {0, 1, 0}};
    assert_int_equal(ct_sheet_mesh(heap, corner, edges, 0.3, 0.1, 1, &mesh, NULL), CT_OK);
    return mesh;
}

static ct_springs springs_of(ct_heap *heap, const ct_mesh *mesh, ct_springs_def def)
{
    ct_springs springs;
    assert_int_equal(ct_springs_create(heap, (const double(*)[3])mesh->vertices, mesh->vertex_count,
                                       mesh->triangles[0], mesh->triangle_count, 3, 3, &def, "cloth",
                                       &springs, NULL),
                     CT_OK);
    return springs;
}

/* Edges once each, a bending spring for each inner edge; of a tetrahedron its six edges. */
static void networks_have_all_edges(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = sheet(&heap);
    ct_shell shell;
    assert_int_equal(ct_shell_create(&heap, &mesh, &(ct_shell_def){1, 0, 1, 0}, "cloth", &shell, NULL),
                     CT_OK);
    size_t edges = mesh.vertex_count + mesh.triangle_count - 1;
    ct_springs springs = springs_of(&heap, &mesh, (ct_springs_def){10, 1, 0});
    assert_int_equal(springs.count, edges + shell.hinge_count);
    assert_true(springs.springs[edges - 1].stiffness == 10 && springs.springs[edges].stiffness == 1);
    expect_near(ct_springs_energy(&springs, (const double(*)[3])mesh.vertices), 0, 1e-30);
    ct_springs_release(&springs);
    ct_shell_release(&shell);
    ct_mesh_release(&mesh);
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t tetrahedron[4] = {0, 1, 2, 3};
    ct_error error = {0};
    ct_springs_def def = {1, 1, 0};
    assert_int_equal(ct_springs_create(&heap, x, 4, tetrahedron, 1, 4, 4, &def, "a", &springs, &error),
                     CT_OK);
    assert_int_equal(springs.count, 6);
    ct_springs_release(&springs);
    tetrahedron[3] = 4;
    expect_failure(ct_springs_create(&heap, x, 4, tetrahedron, 1, 4, 4, &def, "a", &springs, &error), &error,
                   CT_BAD_SCENE, "a: element 0 (counted from 0) uses vertex 4 of 4");
    tetrahedron[3] = 2;
    expect_failure(ct_springs_create(&heap, x, 4, tetrahedron, 1, 4, 4, &def, "a", &springs, &error), &error,
                   CT_BAD_SCENE, "has no length");
    assert_int_equal(heap.bytes, 0);
}

/* Forces are slopes of the energy, products slopes of the forces where all springs are stretched; the fix
 * makes pressed ones positive. */
static void derivatives_are_slopes(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = sheet(&heap);
    ct_springs springs = springs_of(&heap, &mesh, (ct_springs_def){10, 1, 0.1});
    size_t count = mesh.vertex_count;
    double(*x)[3] = mesh.vertices, (*u)[3] = calloc(count, sizeof *u);
    for (size_t v = 0; v < count; v++) {
        draw_point(2, v, -1, 1, u[v]);
        for (uint64_t a = 0; a < 3; a++) x[v][a] = 1.5 * x[v][a] + draw(1, 3 * v + a, -0.03, 0.03);
    }
    double(*force)[3] = calloc(count, sizeof *force), (*low)[3] = calloc(count, sizeof *low),
    (*high)[3] = calloc(count, sizeof *high), (*product)[3] = calloc(count, sizeof *product);
    const double h = 1e-5;
    ct_springs_add_forces(&springs, (const double(*)[3])x, NULL, force);
    ct_springs_add_product(&springs, (const double(*)[3])x, (const double(*)[3])u, product);
    for (size_t v = 0; v < count; v++)
        for (int a = 0; a < 3; a++) {
            double here = x[v][a];
            x[v][a] = here + h;
            double above = ct_springs_energy(&springs, (const double(*)[3])x);
            x[v][a] = here - h;
            double below = ct_springs_energy(&springs, (const double(*)[3])x);
            x[v][a] = here;
            expect_near(force[v][a], -(above - below) / (2 * h), 1e-7);
        }
    for (int side = -1; side <= 1; side += 2) {
        for (size_t v = 0; v < count; v++)
            for (int a = 0; a < 3; a++) x[v][a] += side * h * u[v][a];
        ct_springs_add_forces(&springs, (const double(*)[3])x, NULL, side < 0 ? low : high);
        for (size_t v = 0; v < count; v++)
            for (int a = 0; a < 3; a++) x[v][a] -= side * h * u[v][a];
    }
    for (size_t v = 0; v < count; v++)
        for (int a = 0; a < 3; a++) expect_near(product[v][a], -(high[v][a] - low[v][a]) / (2 * h), 1e-6);
    double pressed[2][3] = {{0, 0, 0}, {0.5, 0, 0}}, K[3][3];
    ct_spring spring = {{0, 1}, 3, 1, 0};
    ct_spring_stiffness(&spring, (const double(*)[3])pressed, false, K);
    expect_near(K[1][1], -3, 1e-12);
    ct_spring_stiffness(&spring, (const double(*)[3])pressed, true, K);
    expect_near(K[1][1], 0, 1e-12), expect_near(K[0][0], 3, 1e-12);
    free(u), free(force), free(low), free(high), free(product);
    ct_springs_release(&springs);
    ct_mesh_release(&mesh);
}

/* Two masses on a spring: the exact period, damping that takes relative motion only, and a step limit that is
 * the true one: 2/omega with omega^2 = 2 k/m. */
static void two_masses_swing(void **state)
{
    (void)state;
    ct_spring spring = {{0, 1}, 8, 1, 0};
    ct_springs springs = {NULL, &spring, 1};
    const double mass[2] = {2, 2}, omega = sqrt(2 * 8 / 2.0);
    double room[2];
    expect_near(ct_springs_limit(&springs, mass, 2, room), 2 / omega, 1e-14);
    double x[2][3] = {{0, 0, 0}, {1.1, 0, 0}}, v[2][3] = {{0}};
    const int steps = 20000;
    double dt = 2 * pi / omega / steps;
    for (int s = 0; s < steps; s++) {
        double force[2][3] = {{0}};
        ct_springs_add_forces(&springs, (const double(*)[3])x, (const double(*)[3])v, force);
        for (int i = 0; i < 6; i++) v[i / 3][i % 3] += dt * force[i / 3][i % 3] / 2;
        for (int i = 0; i < 6; i++) x[i / 3][i % 3] += dt * v[i / 3][i % 3];
    }
    expect_near(x[1][0] - x[0][0], 1.1, 1e-6);
    expect_near(v[1][0], 0, 1e-4);
    spring.damping = 0.5;
    const double still[2][3] = {{0, 0, 0}, {1, 0, 0}}, moving[2][3] = {{1, 2, 0}, {3, 5, 0}};
    double force[2][3] = {{0}};
    ct_springs_add_forces(&springs, still, moving, force);
    expect_near(force[0][0], 1, 1e-14), expect_near(force[0][1], 0, 1e-14),
        expect_near(force[1][0], -1, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_have_all_edges),
        cmocka_unit_test(derivatives_are_slopes),
        cmocka_unit_test(two_masses_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
