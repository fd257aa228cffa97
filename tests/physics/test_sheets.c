/* Bodies without an inside: where the particles of sheets and strands are, how stiff they are, what they
 * rest on. */
#include "physics/worlds.h"

#include "peri/cholesky.h"

#include <unistd.h>

static const double SPACING = 0.05;

static ct_world_def peri_def(double gravity)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.gravity.constant[1] = gravity;
    def.step.fixed = 1.0 / 250;
    return def;
}

/* Cloth of `young` Pa and 1000 kg/m^3, of which the share `bending` resists bending. */
static int add_cloth(ct_world *world, double young, double bending)
{
    ct_parameter parameters[] = {{"young", young}, {"poisson", 0.25}, {"bending", bending}};
    ct_material_def def = ct_default_material_def();
    def.type = "elastic";
    def.density = 1000;
    def.parameters = parameters;
    def.parameter_count = 3;
    int material = -1;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* A sheet in the plane y = height, from (0, 0) to (x, z). */
static ct_body_def sheet(int material, double height, double x, double z)
{
    static double edges[2][3];
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_SHEET;
    def.shape.corner[1] = height;
    edges[0][0] = x, edges[1][2] = z;
    def.shape.edges = (const double(*)[3])edges;
    def.shape.edge_count = 2;
    return def;
}

static ct_body_def rod(int material, const double (*points)[3], int count, bool has_twist)
{
    ct_body_def def = ct_default_body_def();
    def.material = material;
    def.shape.type = CT_SHAPE_POLYLINE;
    def.shape.points = points;
    def.shape.point_count = count;
    def.shape.has_twist = has_twist;
    return def;
}

static void hold_box(ct_body_def *body, double x, double y, double z, double w, double h, double l)
{
    body->has_hold = true;
    body->hold = ct_default_shape_def();
    body->hold.min[0] = x, body->hold.min[1] = y, body->hold.min[2] = z;
    body->hold.max[0] = x + w, body->hold.max[1] = y + h, body->hold.max[2] = z + l;
}

static double sum_of(const ct_world *world, const char *quantity)
{
    double *values = values_of(world, quantity), sum = 0;
    for (size_t p = 0; p < count_of(world); p++) sum += values[p];
    free(values);
    return sum;
}

/* ---- Seeds -------------------------------------------------------------------------------------------- */

static double area_of(const triple *x, const uint32_t c[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        double part = (x[c[1]][b] - x[c[0]][b]) * (x[c[2]][d] - x[c[0]][d]) -
                      (x[c[1]][d] - x[c[0]][d]) * (x[c[2]][b] - x[c[0]][b]);
        square += part * part;
    }
    return 0.5 * sqrt(square);
}

/* A lattice with the volume of the sheet, and triangles that cover it once. */
static void sheet_is_covered(void **state)
{
    (void)state;
    ct_world_def def = peri_def(0);
    ct_world *world = create(&def);
    ct_body_def body = sheet(add_cloth(world, 1e6, 0.5), 0, 0.4, 0.3);
    body.shape.thickness = 0.002;
    add_body(world, &body);
    ct_links_info links = ct_world_links(world);
    assert_int_equal(count_of(world), 9 * 7);
    assert_int_equal(links.triangle_count, 2 * 8 * 6);
    assert_int_equal(links.line_count, 0);
    assert_near(sum_of(world, "volume"), 0.4 * 0.3 * 0.002, 1e-15);
    triple *x = positions_of(world);
    double area = 0;
    for (uint64_t t = 0; t < links.triangle_count; t++)
        area += area_of((const triple *)x, links.triangles[t]);
    assert_near(area, 0.4 * 0.3, 1e-14);
    free(x);
    ct_world_destroy(world);
}

/* An open mesh of two large triangles is split until its edges are short, and has no gaps: an edge belongs to
 * two triangles, or lies on the rim. */
static void surface_is_split(void **state)
{
    (void)state;
    char path[] = "/tmp/continua_surface_XXXXXX.obj";
    int file = mkstemps(path, 4);
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 0 0.7\nv 0 0 0.7\nf 1 2 3\nf 1 3 4\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    ct_world_def def = peri_def(0);
    ct_world *world = create(&def);
    ct_body_def body = ct_default_body_def();
    body.material = add_cloth(world, 1e6, 0.5);
    body.shape.type = CT_SHAPE_SURFACE;
    body.shape.file = path;
    add_body(world, &body);
    unlink(path);
    ct_links_info links = ct_world_links(world);
    triple *x = positions_of(world);
    double longest = 0, area = 0, rim = 0;
    for (uint64_t t = 0; t < links.triangle_count; t++) {
        const uint32_t *c = links.triangles[t];
        area += area_of((const triple *)x, c);
        for (int k = 0; k < 3; k++) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            double length = hypot(x[a][0] - x[b][0], x[a][2] - x[b][2]);
            bool has_partner = false;
            for (uint64_t u = 0; u < links.triangle_count && !has_partner; u++)
                for (int m = 0; m < 3; m++)
                    has_partner |= links.triangles[u][m] == b && links.triangles[u][(m + 1) % 3] == a;
            longest = fmax(longest, length);
            rim += has_partner ? 0 : length;
        }
    }
    assert_near(area, 0.7, 1e-12);
    assert_near(rim, 2 * (1 + 0.7), 1e-12);
    assert_true(longest <= 1.5 * SPACING * (1 + 1e-12) && longest > 0.7 * SPACING);
    assert_near(sum_of(world, "volume"), 0.7 * SPACING, 1e-12);
    free(x);
    ct_world_destroy(world);
}

/* A mesh that is much finer than the spacing is refused, and told why. */
static void fine_surface_is_refused(void **state)
{
    (void)state;
    ct_error error = {0};
    ct_world_def def = peri_def(0);
    def.spacing = 10;
    ct_world *world = create(&def);
    static const double points[2][3] = {{0}, {1, 0, 0}};
    ct_body_def body = rod(add_cloth(world, 1e6, 0.5), points, 2, false);
    assert_int_equal(ct_world_add_body(world, &body, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "less than half of the spacing"));
    ct_world_destroy(world);
    def = quiet_def(3, CT_KERNEL_QUADRATIC, SPACING);
    world = create(&def);
    body.material = add_dust(world);
    assert_int_equal(ct_world_add_body(world, &body, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "peridynamics only"));
    ct_world_destroy(world);
}

/* A line keeps its corners, has the volume of a round rod, and its ghosts are a spacing off it. */
static void rod_has_ghosts(void **state)
{
    (void)state;
    static const double points[3][3] = {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.3, 0}};
    ct_world_def def = peri_def(0);
    ct_world *world = create(&def);
    ct_body_def body = rod(add_cloth(world, 1e6, 0.5), points, 3, true);
    body.shape.radius = 0.01;
    add_body(world, &body);
    enum { LINE = 17 };
    assert_int_equal(count_of(world), 4 * LINE);
    assert_int_equal(ct_world_links(world).line_count, LINE - 1);
    assert_near(sum_of(world, "volume"), 3.14159265358979324 * 0.01 * 0.01 * 0.8, 1e-15);
    triple *x = positions_of(world);
    assert_near(x[10][0], 0.5, 1e-12);
    assert_near(x[10][1], 0, 1e-12);
    for (size_t k = 0; k < 3 * LINE; k++) {
        const double *ghost = x[LINE + k], *own = x[k / 3];
        double square = 0;
        for (int a = 0; a < 3; a++) square += (ghost[a] - own[a]) * (ghost[a] - own[a]);
        assert_near(sqrt(square), SPACING, 1e-12);
    }
    free(x);
    ct_world_destroy(world);
}

/* ---- Stiffness ---------------------------------------------------------------------------------------- */

/* Strain in the middle of a strip of cloth, or of a line, that hangs under its own weight, over what the
 * weight below asks of Young's modulus. */
static double hanging_strain(bool is_line, int width, bool has_twist)
{
    const double young = 2e8;
    static double points[2][3];
    enum { LONG = 60, LOW = 25, HIGH = 35 };
    ct_world_def def = peri_def(0);
    def.gravity.constant[0] = 10;
    def.step.fixed = 10;
    def.step.velocity_cfl = INFINITY;
    def.peri.solver = CT_PERI_DIRECT;
    def.peri.iterations = 30;
    ct_world *world = create(&def);
    int material = add_cloth(world, young, 0.5);
    points[1][0] = LONG * SPACING;
    ct_body_def body = is_line ? rod(material, (const double(*)[3])points, 2, has_twist)
                               : sheet(material, 0, LONG * SPACING, width * SPACING);
    body.shape.thickness = 0.003;
    hold_box(&body, -1, -1, -1, 1 + 1.5 * SPACING, 3, 9);
    add_body(world, &body);
    steps(world, 2);
    triple *x = positions_of(world);
    size_t layer = is_line ? 1 : (size_t)width + 1;
    double stretched = 0;
    for (size_t k = 0; k < layer; k++) stretched += x[HIGH * layer + k][0] - x[LOW * layer + k][0];
    free(x);
    ct_world_destroy(world);
    double strain = stretched / (double)layer / ((HIGH - LOW) * SPACING) - 1;
    return strain / (1000 * 10 * (LONG - 0.5 * (LOW + HIGH)) * SPACING / young);
}

/* `young` is what cloth and lines show, as solids do: a line to rounding of its second order, a strip as wide
 * as w to a share of (horizon / w), which two widths tell. Thickness takes no part in it. */
static void cloth_and_lines_have_the_modulus_of_the_scene(void **state)
{
    (void)state;
    if (!ct_factor_is_built_in()) skip();
    double line = hanging_strain(true, 0, false), rounded = hanging_strain(true, 0, true);
    double thin = hanging_strain(false, 10, false), wide = hanging_strain(false, 20, false);
    print_message("strain over rho g l / E: line %.4f, with ghosts %.4f; strip %.4f and %.4f\n", line,
                  rounded, thin, wide);
    assert_near(line, 1, 1e-3);
    assert_near(2 * wide - thin, 1, (2.1 / 20) * (2.1 / 20));
    assert_near(rounded, 1, 0.25); /* a tenth of it is in ghosts, whose bonds mostly go across */
}

/* How far the free edge of a sheet sags that is held at the other, m. */
static double sag_of_sheet(double bending)
{
    enum { LONG = 12, WIDE = 4 };
    ct_world_def def = peri_def(-9.81);
    def.step.fixed = 1.0 / 120;
    def.peri.iterations = 40;
    ct_world *world = create(&def);
    ct_body_def body = sheet(add_cloth(world, 1e6, bending), 0, LONG * SPACING, WIDE * SPACING);
    hold_box(&body, -1, -1, -1, 1 + 1.5 * SPACING, 3, 9);
    add_body(world, &body);
    triple *none = calloc(count_of(world), sizeof *none);
    double before = 0;
    for (int k = 0; k < 400; k++) { /* comes to rest by losing all velocity whenever it slows down */
        steps(world, 1);
        double kinetic = ct_world_get_sums(world).kinetic;
        if (kinetic < before)
            CHECK(ct_world_write(world, "velocity", none, count_of(world) * sizeof *none, error));
        before = kinetic < before ? 0 : kinetic;
    }
    free(none);
    triple *x = positions_of(world);
    double sag = -x[count_of(world) - 1][1];
    free(x);
    ct_world_destroy(world);
    return sag;
}

/* Fig. 5: the more of the bonds is mu, the less a sheet sags. The control: without mu it hangs down all of
 * its free length. */
static void bending_is_resisted_by_mu(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.03, 0.2, 1};
    double sag[4];
    for (int i = 0; i < 4; i++) {
        sag[i] = sag_of_sheet(shares[i]);
        print_message("bending %.2f: sag %.4f m\n", shares[i], sag[i]);
    }
    for (int i = 1; i < 4; i++) assert_true(sag[i] < 0.99 * sag[i - 1]);
    assert_true(sag[0] > 0.9 * 11 * SPACING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheet_is_covered),
        cmocka_unit_test(surface_is_split),
        cmocka_unit_test(fine_surface_is_refused),
        cmocka_unit_test(rod_has_ghosts),
        cmocka_unit_test(cloth_and_lines_have_the_modulus_of_the_scene),
        cmocka_unit_test(bending_is_resisted_by_mu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
