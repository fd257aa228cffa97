#include "static_solver.h"

static ct_mesh sheet(ct_heap *heap, double width, double length, double edge, double jitter)
{
    ct_mesh mesh;
    ct_error error = {0};
    const double corner[3] = {0, 0, 0}, edges[2][3] = {{width, 0, 0}, {0, length, 0}};
    if (ct_sheet_mesh(heap, corner, edges, edge, jitter, 7, &mesh, &error))
        print_error("%s\n", error.message);
    assert_int_equal(error.status, CT_OK);
    return mesh;
}

static ct_shell shell_of(ct_heap *heap, const ct_mesh *mesh, ct_shell_def def)
{
    ct_shell shell;
    ct_error error = {0};
    if (ct_shell_create(heap, mesh, &def, "thing", &shell, &error)) print_error("%s\n", error.message);
    assert_int_equal(error.status, CT_OK);
    return shell;
}

static void shake(ct_mesh *mesh, double by)
{
    for (size_t v = 0; v < mesh->vertex_count; v++)
        for (uint64_t a = 0; a < 3; a++) mesh->vertices[v][a] += draw(3, 3 * v + a, -by, by);
}

/* ---- Sheets ------------------------------------------------------------------------------------------- */

static void sheets_are_sound(void **state)
{
    (void)state;
    for (int jittered = 0; jittered < 2; jittered++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_mesh mesh = sheet(&heap, 1, 2, 0.1, 0.2 * jittered);
        ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){1, 0, 1, 1});
        double area = 0, sharpest = pi;
        for (size_t t = 0; t < shell.triangle_count; t++) {
            const uint32_t *c = mesh.triangles[t];
            area += shell.triangles[t].area;
            for (int i = 0; i < 3; i++) {
                const double *a = mesh.vertices[c[i]], *b = mesh.vertices[c[(i + 1) % 3]],
                             *d = mesh.vertices[c[(i + 2) % 3]];
                double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {d[0] - a[0], d[1] - a[1]};
                double angle = atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
                assert_true(angle > 0); /* all of them face up */
                sharpest = fmin(sharpest, angle);
            }
        }
        expect_near(area, 2, 1e-13);
        assert_true(sharpest > (jittered ? 15 : 29) * pi / 180); /* half triangles at the ends: 30 degrees */
        /* Euler: vertices - edges + triangles = 1, and every inner edge is a hinge */
        size_t border = 3 * shell.triangle_count - 2 * shell.hinge_count;
        assert_int_equal(mesh.vertex_count + shell.triangle_count, 1 + shell.hinge_count + border);
        assert_int_equal(border, 10 + 11 + 2 * 23);
        ct_shell_release(&shell);
        ct_mesh_release(&mesh);
        assert_int_equal(heap.bytes, 0);
    }
}

static void broken_surfaces_are_refused(void **state)
{
    (void)state;
    double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    static const struct {
        size_t vertices, triangles;
        uint32_t triangle[3][3];
        const char *says;
    } cases[] = {
        {4, 2, {{0, 1, 2}, {1, 3, 2}}, NULL},
        {4, 2, {{0, 1, 2}, {1, 2, 3}}, "triangles 0 and 1 (counted from 0) disagree"},
        {5, 3, {{0, 1, 2}, {1, 3, 2}, {2, 1, 4}}, "triangle 2 (counted from 0) belongs to more than two"},
        {5, 2, {{0, 1, 2}, {1, 3, 2}}, "vertex 4 (counted from 0) dangles"},
        {4, 2, {{0, 1, 2}, {1, 3, 3}}, "triangle 1 (counted from 0) is flat"},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        uint32_t triangles[3][3];
        memcpy(triangles, cases[c].triangle, sizeof triangles);
        ct_mesh mesh = {&heap, x, cases[c].vertices, triangles, cases[c].triangles, NULL};
        ct_shell shell;
        ct_error error = {0};
        ct_status status =
            ct_shell_create(&heap, &mesh, &(ct_shell_def){1, 0, 1, 0}, "a.obj", &shell, &error);
        if (cases[c].says) expect_failure(status, &error, CT_BAD_SCENE, cases[c].says);
        else
            assert_int_equal(status, CT_OK), assert_int_equal(shell.hinge_count, 1), ct_shell_release(&shell);
    }
    assert_int_equal(heap.bytes, 0);
}

/* ---- Derivatives -------------------------------------------------------------------------------------- */

/* Forces are minus the slope of the energy, and have neither sum nor torque. */
static void forces_are_slopes(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = sheet(&heap, 1, 1, 0.3, 0.2);
    for (size_t v = 0; v < mesh.vertex_count; v++) mesh.vertices[v][2] = 0.3 * sin(2 * mesh.vertices[v][0]);
    ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){1e3, 0.3, 0.2, 1});
    shake(&mesh, 0.12);
    double(*x)[3] = mesh.vertices, (*force)[3] = calloc(mesh.vertex_count, sizeof *force);
    ct_shell_add_forces(&shell, (const double(*)[3])x, force);
    double largest = 0, sum[3] = {0}, torque[3] = {0};
    for (size_t v = 0; v < mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            largest = fmax(largest, fabs(force[v][a]));
            sum[a] += force[v][a];
            torque[a] += x[v][b] * force[v][c] - x[v][c] * force[v][b];
        }
    for (int a = 0; a < 3; a++) {
        expect_near(sum[a], 0, 1e-13 * largest);
        expect_near(torque[a], 0, 1e-13 * largest);
    }
    for (size_t v = 0; v < mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            const double h = 1e-5, here = x[v][a];
            x[v][a] = here + h;
            double above = ct_shell_energy(&shell, (const double(*)[3])x);
            x[v][a] = here - h;
            double below = ct_shell_energy(&shell, (const double(*)[3])x);
            x[v][a] = here;
            expect_near(force[v][a], -(above - below) / (2 * h), 1e-7 * largest);
        }
    free(force);
    ct_shell_release(&shell);
    ct_mesh_release(&mesh);
}

/* The stiffness of a triangle is the slope of its gradient, also where it is turned over and pressed; with
 * the fix no direction has a negative stiffness, and without it some have. */
static void membrane_stiffness_is_a_slope(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = sheet(&heap, 1, 1, 1, 0);
    ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){10, 0.3, 0.1, 0});
    bool was_negative = false;
    for (uint64_t round = 0; round < 20; round++) {
        double x[8][3], K[3][3][3][3], fixed[3][3][3][3], low[3][3], high[3][3];
        for (uint64_t v = 0; v < mesh.vertex_count; v++) draw_point(round, v, -0.7, 0.7, x[v]);
        ct_shell_stretch_stiffness(&shell, 0, (const double(*)[3])x, false, K);
        ct_shell_stretch_stiffness(&shell, 0, (const double(*)[3])x, true, fixed);
        for (int j = 0; j < 3; j++)
            for (int b = 0; b < 3; b++) {
                uint32_t v = shell.triangles[0].corner[j];
                const double h = 1e-5, here = x[v][b];
                x[v][b] = here + h;
                ct_shell_stretch(&shell, 0, (const double(*)[3])x, high);
                x[v][b] = here - h;
                ct_shell_stretch(&shell, 0, (const double(*)[3])x, low);
                x[v][b] = here;
                for (int i = 0; i < 3; i++)
                    for (int a = 0; a < 3; a++)
                        expect_near(K[i][j][a][b], (high[i][a] - low[i][a]) / (2 * h), 1e-7);
            }
        for (uint64_t direction = 0; direction < 50; direction++) {
            double u[3][3], plain = 0, with_fix = 0;
            for (uint64_t i = 0; i < 3; i++) draw_point(100 + direction, i, -1, 1, u[i]);
            for (int i = 0; i < 9; i++)
                for (int j = 0; j < 9; j++) {
                    plain += u[i / 3][i % 3] * K[i / 3][j / 3][i % 3][j % 3] * u[j / 3][j % 3];
                    with_fix += u[i / 3][i % 3] * fixed[i / 3][j / 3][i % 3][j % 3] * u[j / 3][j % 3];
                }
            assert_true(with_fix > -1e-13 && with_fix >= plain - 1e-12);
            was_negative |= plain < -1e-3;
        }
    }
    assert_true(was_negative);
    ct_shell_release(&shell);
    ct_mesh_release(&mesh);
}

/* The stiffness of a hinge is the slope of its gradient where it is at rest, and K u agrees with the blocks. */
static void bending_stiffness_is_a_slope(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    double x[4][3] = {{0.9, 0.4, 0.2}, {0, -0.6, 0}, {0.1, 0.5, 0.1}, {-0.8, 0.1, 0.5}};
    uint32_t triangles[2][3] = {{1, 2, 0}, {2, 1, 3}};
    ct_mesh mesh = {&heap, x, 4, triangles, 2, NULL};
    ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){10, 0.3, 0.5, 1});
    assert_int_equal(shell.hinge_count, 1);
    assert_true(fabs(shell.hinges[0].rest) > 0.5);
    double K[4][4][3][3], low[4][3], high[4][3];
    ct_shell_bend_stiffness(&shell, 0, (const double(*)[3])x, K);
    for (int j = 0; j < 4; j++)
        for (int b = 0; b < 3; b++) {
            uint32_t v = shell.hinges[0].corner[j];
            const double h = 1e-5, here = x[v][b];
            x[v][b] = here + h;
            ct_shell_bend(&shell, 0, (const double(*)[3])x, high);
            x[v][b] = here - h;
            ct_shell_bend(&shell, 0, (const double(*)[3])x, low);
            x[v][b] = here;
            for (int i = 0; i < 4; i++)
                for (int a = 0; a < 3; a++)
                    expect_near(K[i][j][a][b], (high[i][a] - low[i][a]) / (2 * h), 1e-7);
        }
    double u[4][3], product[4][3] = {{0}}, expected[4][3] = {{0}};
    for (uint64_t v = 0; v < 4; v++) draw_point(5, v, -1, 1, u[v]);
    ct_shell_add_product(&shell, (const double(*)[3])x, (const double(*)[3])u, product);
    for (size_t t = 0; t < 2; t++) {
        double S[3][3][3][3];
        ct_shell_stretch_stiffness(&shell, t, (const double(*)[3])x, true, S);
        for (int k = 0; k < 81; k++) {
            int i = k / 27, j = k / 9 % 3, a = k / 3 % 3, b = k % 3;
            expected[triangles[t][i]][a] += S[i][j][a][b] * u[triangles[t][j]][b];
        }
    }
    for (int k = 0; k < 144; k++) {
        int i = k / 36, j = k / 9 % 4, a = k / 3 % 3, b = k % 3;
        expected[shell.hinges[0].corner[i]][a] += K[i][j][a][b] * u[shell.hinges[0].corner[j]][b];
    }
    for (int v = 0; v < 4; v++)
        for (int a = 0; a < 3; a++) expect_near(product[v][a], expected[v][a], 1e-12);
    ct_shell_release(&shell);
}

/* A hinge with a collapsed triangle, and one folded flat: numbers, no NaN. */
static void collapsed_hinges_are_harmless(void **state)
{
    (void)state;
    const uint32_t corner[4] = {0, 1, 2, 3};
    double angle, g[4][3];
    const double collapsed[4][3] = {{0, 0.5, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    assert_false(ct_hinge_angle(collapsed, corner, &angle, g));
    assert_true(angle == 0 && g[0][0] == 0 && g[3][2] == 0);
    const double folded[4][3] = {{1, 0.5, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0.5, 1e-9}};
    assert_true(ct_hinge_angle(folded, corner, &angle, g));
    assert_true(fabs(fabs(angle) - pi) < 1e-6 && isfinite(g[1][2]));
}

/* ---- Absolute truths ---------------------------------------------------------------------------------- */

static const double jitters[2] = {0, 0.12};

/* A rolled sheet has the energy of a plate bent to 1/R: D/2 area/R^2, whatever nu. Edges that are cut by the
 * border have no hinge, which takes a part of the order of edge/size. */
static void cylinder_has_the_energy_of_a_plate(void **state)
{
    (void)state;
    for (int j = 0; j < 2; j++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_mesh mesh = sheet(&heap, 1, 1, 0.025, jitters[j]);
        const double radius = 0.8, thickness = 0.01;
        ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){1e6, 0.3, thickness, 1});
        double bent = 0;
        for (size_t v = 0; v < mesh.vertex_count; v++) {
            double *x = mesh.vertices[v], angle = x[0] / radius;
            x[0] = radius * sin(angle), x[2] = radius * (1 - cos(angle));
        }
        for (size_t h = 0; h < shell.hinge_count; h++)
            bent += ct_shell_bend(&shell, h, (const double(*)[3])mesh.vertices, NULL);
        double plate = 1e6 * pow(thickness, 3) / (12 * (1 - 0.09)) / 2 / (radius * radius);
        print_message("cylinder, jitter %g: %.4f of the plate's energy\n", jitters[j], bent / plate);
        expect_near(bent / plate, 1, 0.04);
        ct_shell_release(&shell);
        ct_mesh_release(&mesh);
    }
}

typedef struct strip {
    ct_mesh mesh;
    ct_shell shell;
    double (*load)[3];
    bool *pinned;
} strip;

/* Along y, clamped by its first two rows; `weight` N/m^2 along -z. */
static strip make_strip(ct_heap *heap, double width, double length, double edge, double jitter,
                        ct_shell_def def, double weight)
{
    strip s = {.mesh = sheet(heap, width, length, edge, jitter)};
    s.shell = shell_of(heap, &s.mesh, def);
    s.load = calloc(s.mesh.vertex_count, sizeof *s.load);
    s.pinned = calloc(s.mesh.vertex_count, sizeof *s.pinned);
    for (size_t t = 0; t < s.shell.triangle_count; t++)
        for (int c = 0; c < 3; c++)
            s.load[s.mesh.triangles[t][c]][2] -= weight * s.shell.triangles[t].area / 3;
    return s;
}

static void release_strip(strip *s)
{
    free(s->load);
    free(s->pinned);
    ct_shell_release(&s->shell);
    ct_mesh_release(&s->mesh);
}

/* Mean height of three vertices of the last row. */
static double height_of_tip(const strip *s)
{
    double sum = 0;
    for (size_t v = s->mesh.vertex_count - 3; v < s->mesh.vertex_count; v++) sum += s->mesh.vertices[v][2];
    return sum / 3;
}

/* Heavy elastica, B theta'' = -q (L - s) cos(theta), theta(0) = 0, theta'(L) = 0, by shooting: the tip. */
static void heavy_elastica(double stiffness, double q, double length, double tip[2])
{
    double low = 0, high = 10 * q * length * length / stiffness;
    for (int round = 0; round < 60; round++) {
        double slope = (low + high) / 2, theta = 0, rate = slope;
        const int steps = 2000;
        double h = length / steps;
        tip[0] = tip[1] = 0;
        for (int i = 0; i < steps; i++) { /* midpoint rule */
            double s = i * h;
            double rate_half = rate - h / 2 * q / stiffness * (length - s) * cos(theta);
            double theta_half = theta + h / 2 * rate;
            rate -= h * q / stiffness * (length - s - h / 2) * cos(theta_half);
            theta += h * rate_half;
            tip[0] += h * cos(theta_half), tip[1] -= h * sin(theta_half);
        }
        if (rate > 0) high = slope;
        else low = slope;
    }
}

/* A narrow strip is a beam of B = E t^3/12, if nu is the Poisson ratio that hinges have in bending, 1/3. Small
 * loads: w L^4/(8 B); large ones: the heavy elastica. The clamp is in the middle between the two pinned rows.
 */
static void cantilever_is_a_beam(void **state)
{
    (void)state;
    for (int j = 0; j < 2; j++)
        for (int large = 0; large < 2; large++) {
            ct_heap heap;
            ct_heap_init(&heap, (ct_allocator){0});
            const double edge = 0.015, length = 1, thickness = 0.01, young = 1e6, poisson = 1.0 / 3;
            double stiffness = young * pow(thickness, 3) / 12;
            double weight = (large ? 5 : 0.004) * stiffness;
            strip s = make_strip(&heap, 0.06, length, edge, jitters[j],
                                 (ct_shell_def){young, poisson, thickness, 1}, weight);
            double row = length / round(length / (edge * sqrt(0.75))), free_length = length - row / 2;
            for (size_t v = 0; v < s.mesh.vertex_count; v++) s.pinned[v] = s.mesh.vertices[v][1] < 1.4 * row;
            int steps = find_rest(&s.shell, s.mesh.vertices, (const double(*)[3])s.load, s.pinned, 1e-9, 200);
            double tip[2];
            heavy_elastica(stiffness, weight, free_length, tip);
            double sag = -height_of_tip(&s);
            print_message("cantilever, jitter %g, %s load: sags %.5g m, beam %.5g m, in %d steps\n",
                          jitters[j], large ? "large" : "small", sag, -tip[1], steps);
            assert_true(steps < 200);
            if (!large) expect_near(-tip[1], weight * pow(free_length, 4) / (8 * stiffness), 1e-6);
            expect_near(sag / -tip[1], 1, 0.05);
            release_strip(&s);
        }
}

/* A simply supported square plate under pressure: 0.0040624 p a^4/D in its middle (Timoshenko), whatever nu.
 */
static void plate_carries_pressure(void **state)
{
    (void)state;
    for (int j = 0; j < 2; j++) {
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        const double thickness = 0.01, young = 1e6, poisson = 0.3;
        double D = young * pow(thickness, 3) / (12 * (1 - poisson * poisson)), pressure = 1e-3 * D;
        strip s = make_strip(&heap, 1, 1, 1.0 / 28, jitters[j], (ct_shell_def){young, poisson, thickness, 1},
                             -pressure);
        double middle = INFINITY;
        size_t center = 0;
        for (size_t v = 0; v < s.mesh.vertex_count; v++) {
            const double *x = s.mesh.vertices[v];
            s.pinned[v] = x[0] < 1e-9 || x[0] > 1 - 1e-9 || x[1] < 1e-9 || x[1] > 1 - 1e-9;
            double away = hypot(x[0] - 0.5, x[1] - 0.5);
            if (away < middle) middle = away, center = v;
        }
        find_rest(&s.shell, s.mesh.vertices, (const double(*)[3])s.load, s.pinned, 1e-12, 20);
        double ratio = s.mesh.vertices[center][2] / (0.0040624 * pressure / D);
        print_message("plate, jitter %g: %.4f of Timoshenko's deflection\n", jitters[j], ratio);
        expect_near(ratio, 1, 0.05);
        release_strip(&s);
    }
}

/* A strip that is round at rest and starts flat rolls up again: rest curvature. */
static void rest_curvature_comes_back(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    const double radius = 0.5, row = 1 / round(1 / (0.05 * sqrt(0.75)));
    ct_mesh flat = sheet(&heap, 0.15, 1, 0.05, 0), round = sheet(&heap, 0.15, 1, 0.05, 0);
    for (size_t v = 0; v < round.vertex_count; v++) {
        double angle = round.vertices[v][1] / radius;
        round.vertices[v][1] = radius * sin(angle), round.vertices[v][2] = radius * (1 - cos(angle));
    }
    ct_shell shell = shell_of(&heap, &round, (ct_shell_def){1e6, 0.3, 0.01, 1});
    double(*load)[3] = calloc(flat.vertex_count, sizeof *load);
    bool *pinned = calloc(flat.vertex_count, sizeof *pinned);
    for (size_t v = 0; v < flat.vertex_count; v++)
        if (flat.vertices[v][1] < 1.4 * row) {
            pinned[v] = true;
            memcpy(flat.vertices[v], round.vertices[v], sizeof *flat.vertices);
        }
    int steps = find_rest(&shell, flat.vertices, (const double(*)[3])load, pinned, 1e-10, 200);
    print_message("rest curvature: %d steps\n", steps);
    for (size_t v = 0; v < flat.vertex_count; v++)
        for (int a = 0; a < 3; a++) expect_near(flat.vertices[v][a], round.vertices[v][a], 1e-6);
    free(load);
    free(pinned);
    ct_shell_release(&shell);
    ct_mesh_release(&flat);
    ct_mesh_release(&round);
}

/* Stretched by 1%, a strip that is free at its sides pulls with E t (St. Venant-Kirchhoff: times 1.015) and
 * narrows by nu: plane stress. */
static void membrane_has_plane_stress(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    const double strain = 1e-4, young = 1e6, poisson = 0.3, thickness = 0.01;
    ct_mesh mesh = sheet(&heap, 1, 1, 0.2, 0.2);
    ct_shell shell = shell_of(&heap, &mesh, (ct_shell_def){young, poisson, thickness, 1});
    for (size_t v = 0; v < mesh.vertex_count; v++)
        mesh.vertices[v][1] *= 1 + strain, mesh.vertices[v][0] *= 1 - poisson * strain;
    double(*force)[3] = calloc(mesh.vertex_count, sizeof *force), pull = 0, side = 0;
    ct_shell_add_forces(&shell, (const double(*)[3])mesh.vertices, force);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        if (mesh.vertices[v][1] > 1) pull -= force[v][1];
        side = fmax(side, fabs(force[v][0]));
    }
    expect_near(pull / (young * thickness * strain), 1, 2e-4);
    assert_true(side < 2e-4 * pull); /* of second order in the strain */
    free(force);
    ct_shell_release(&shell);
    ct_mesh_release(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_are_sound),
        cmocka_unit_test(broken_surfaces_are_refused),
        cmocka_unit_test(forces_are_slopes),
        cmocka_unit_test(membrane_stiffness_is_a_slope),
        cmocka_unit_test(bending_stiffness_is_a_slope),
        cmocka_unit_test(collapsed_hinges_are_harmless),
        cmocka_unit_test(cylinder_has_the_energy_of_a_plate),
        cmocka_unit_test(cantilever_is_a_beam),
        cmocka_unit_test(plate_carries_pressure),
        cmocka_unit_test(rest_curvature_comes_back),
        cmocka_unit_test(membrane_has_plane_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
