/* Bodies without an inside: where the particles of sheets and strands are, how stiff they are, what they
 * rest on. */
#include "physics/worlds.h"

#include "core/cholesky.h"

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
    assert_non_null(strstr(error.message, "mpm has no bodies of such a shape"));
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

/* Strands of a file, a spacing apart: the first is held, the others fall as if it were not there. The
 * control: joined to it, they do not. */
static void strands_of_a_file_are_many_rods(void **state)
{
    (void)state;
    for (int is_joined = 0; is_joined <= 1; is_joined++) {
        char path[] = "/tmp/continua_strands_XXXXXX.obj", text[1024] = "";
        int file = mkstemps(path, 4);
        enum { STRANDS = 3 };
        for (int i = 0; i < STRANDS; i++)
            sprintf(text + strlen(text), "v 0 0 %g\nv 0.43 0 %g\nv 1 0 %g\n", i * SPACING, i * SPACING,
                    i * SPACING);
        for (int i = 0; i < STRANDS; i++)
            sprintf(text + strlen(text), "l %d %d\nl %d %d\n", 3 * i + 1, 3 * i + 2, 3 * i + 2, 3 * i + 3);
        if (is_joined) strcpy(strstr(text, "l "), "l 1 2 3 6 5 4 7 8 9\n");
        assert_int_equal(write(file, text, strlen(text)), strlen(text));
        close(file);
        ct_world_def def = peri_def(-9.81);
        ct_world *world = create(&def);
        ct_body_def body = rod(add_cloth(world, 1e6, 0.5), NULL, 0, false);
        body.shape.file = path;
        hold_box(&body, -1, -1, -1, 3, 3, 1 + 0.5 * SPACING);
        add_body(world, &body);
        unlink(path);
        if (!is_joined) {
            assert_int_equal(count_of(world), STRANDS * 21);
            assert_int_equal(ct_world_links(world).line_count, STRANDS * 20);
        }
        steps(world, 50);
        triple *x = positions_of(world);
        double worst = 0, fallen = 9.81 * 50 * 51 / 2 / (250.0 * 250);
        for (size_t p = 21; p < count_of(world); p++) worst = fmax(worst, fabs(x[p][1] + fallen));
        print_message("%s: %.2e m off free fall\n", is_joined ? "joined" : "apart", worst);
        if (is_joined) assert_true(worst > 0.02);
        else assert_true(worst < 1e-9);
        free(x);
        ct_world_destroy(world);
    }
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
    assert_near(rounded, 1, 0.02); /* its ends have other neighbours, within the reach of the middle */
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

/* The largest total energy of a rod that is let go, clamped at one end, over what it began with, and the
 * energy of its motion in the mean of the last second, J. */
static double swing(int iterations, double *motion)
{
    static const double points[2][3] = {{0, 0, 0}, {1, 0, 0}};
    ct_world_def def = peri_def(-9.81);
    def.peri.iterations = iterations;
    ct_world *world = create(&def);
    ct_body_def body = rod(add_cloth(world, 2e7, 0.7), points, 2, true);
    hold_box(&body, -1, -1, -1, 1 + 1.5 * SPACING, 3, 3);
    add_body(world, &body);
    double most = -INFINITY;
    *motion = 0;
    for (int k = 0; k < 1500; k++) {
        steps(world, 1);
        ct_world_sums sums = ct_world_get_sums(world);
        most = fmax(most, sums.kinetic + sums.elastic + sums.gravitational);
        if (k >= 1250) *motion += sums.kinetic / 250;
    }
    ct_world_destroy(world);
    return most;
}

/* A rod gains no energy, however few its iterations. The control of not being damped for nothing: with so
 * many that it converges it swings on. */
static void rods_gain_no_energy(void **state)
{
    (void)state;
    static const int iterations[] = {4, 8, 15, 100};
    double motion[4];
    for (int i = 0; i < 4; i++) {
        double most = swing(iterations[i], &motion[i]);
        print_message(
            "%d iterations: at most %.1e J more than in the beginning, %.1e J of motion in the end\n",
            iterations[i], most, motion[i]);
        assert_true(most < 1e-3);
    }
    assert_true(motion[3] > 1e-6);
}

/* ---- What they meet ----------------------------------------------------------------------------------- */

static void add_collider(ct_world *world, const ct_collider_def *def)
{
    CHECK(ct_world_add_collider(world, def, NULL, error));
}

static ct_collider_def sphere_collider(double x, double y, double z, double radius)
{
    ct_collider_def def = ct_default_collider_def();
    def.shape.type = CT_SHAPE_SPHERE;
    def.shape.center[0] = x, def.shape.center[1] = y, def.shape.center[2] = z;
    def.shape.radius = radius;
    def.friction = 0.5;
    return def;
}

/* A cloth falls on a ball and hangs over it: no particle comes nearer than half a spacing (and what one
 * iteration leaves), and in the middle it lies on top. The control: without the ball it is gone. */
static void cloth_hangs_over_a_ball(void **state)
{
    (void)state;
    for (int has_ball = 1; has_ball >= 0; has_ball--) {
        ct_world_def def = peri_def(-9.81);
        def.peri.iterations = 20;
        ct_world *world = create(&def);
        ct_body_def body = sheet(add_cloth(world, 1e5, 0.05), 0.35, 1, 1);
        body.shape.thickness = 0.005;
        add_body(world, &body);
        ct_collider_def ball_def = sphere_collider(0.5, 0, 0.5, 0.3);
        if (has_ball) add_collider(world, &ball_def);
        steps(world, 250);
        triple *x = positions_of(world);
        double nearest = INFINITY, highest = -INFINITY;
        for (size_t p = 0; p < count_of(world); p++) {
            double d[3] = {x[p][0] - 0.5, x[p][1], x[p][2] - 0.5};
            nearest = fmin(nearest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.3);
            highest = fmax(highest, x[p][1]);
        }
        free(x);
        if (has_ball) {
            print_message("nearest to the ball: %.4f spacings, top at %.4f m\n", nearest / SPACING, highest);
            assert_true(nearest > 0.49 * SPACING);
            assert_near(highest, 0.3 + 0.5 * SPACING, 0.1 * SPACING);
        } else {
            assert_true(highest < -1);
        }
        ct_world_destroy(world);
    }
}

/* A block at rest on a collider presses on it with its weight: the force follows from what bonds and gravity
 * leave, so it is as exact as the rest is, 1% after a second. */
static void colliders_feel_weight(void **state)
{
    (void)state;
    ct_world_def def = peri_def(-9.81);
    def.peri.iterations = 40;
    ct_world *world = create(&def);
    ct_body_def body = block(add_cloth(world, 1e6, 0.5), 0, 0, 0, 0.3, 0.3, 0.3);
    add_body(world, &body);
    ct_collider_def floor_def = ct_default_collider_def();
    floor_def.shape.type = CT_SHAPE_HALF_SPACE;
    floor_def.shape.normal[1] = 1;
    floor_def.friction = 0.5;
    add_collider(world, &floor_def);
    steps(world, 250);
    ct_collider_info before, after;
    assert_true(ct_world_collider(world, 0, &before));
    steps(world, 50);
    assert_true(ct_world_collider(world, 0, &after));
    double weight = 1000 * 0.3 * 0.3 * 0.3 * 9.81;
    double mean = (after.impulse[1] - before.impulse[1]) / (50.0 / 250);
    print_message("force on the floor over the weight: %.4f\n", -mean / weight);
    assert_near(mean, -weight, 0.01 * weight);
    assert_near(after.impulse[0] - before.impulse[0], 0, 0.002 * weight);
    ct_world_destroy(world);
}

/* Torque about its axis that a rod exerts on the grip that has turned its end once around. */
static double torque_of_rod(double bending, bool has_twist)
{
    enum { LONG = 20 };
    static const double points[2][3] = {{0, 0, 0}, {LONG * 0.05, 0, 0}};
    static const double times[2] = {0, 0.5}, turns[2][3] = {{0, 0, 0}, {6.283185307179586, 0, 0}};
    ct_world_def def = peri_def(0);
    def.peri.iterations = 20;
    ct_world *world = create(&def);
    ct_body_def body = rod(add_cloth(world, 1e6, bending), points, 2, has_twist);
    add_body(world, &body);
    for (int end = 0; end < 2; end++) {
        ct_collider_def grip = ct_default_collider_def();
        for (int a = 0; a < 3; a++) grip.shape.min[a] = -0.12, grip.shape.max[a] = 0.12;
        grip.shape.translate[0] = end ? LONG * 0.05 : 0;
        grip.grip = true;
        if (end) grip.motion.rotation = (ct_track){.count = 2, .times = times, .values = turns};
        add_collider(world, &grip);
    }
    steps(world, 250);
    ct_collider_info info;
    assert_true(ct_world_collider(world, 1, &info));
    ct_world_destroy(world);
    return info.torque[0];
}

/* Fig. 6: with ghosts a rod that was twisted by a turn turns back, the more the larger mu; without them it
 * knows nothing of twist. */
static void rods_resist_twist_by_ghosts(void **state)
{
    (void)state;
    double limp = torque_of_rod(0.1, true), half = torque_of_rod(0.5, true), stiff = torque_of_rod(1, true);
    double line = torque_of_rod(1, false);
    print_message("torque after a turn: %.2e, %.2e, %.2e N m; without ghosts %.1e\n", limp, half, stiff,
                  line);
    assert_true(limp < 0 && half < 1.2 * limp && stiff < 1.2 * half);
    assert_true(fabs(line) < 1e-9 * fabs(stiff));
}

/* The least distance of the two arms of a hairpin that move through each other, in spacings. */
static double hairpin(bool self_contact)
{
    static const double points[4][3] = {
        {0, 0.1, 0}, {1, 0.1, 0}, {1, -0.1, 0}, {0, -0.1, 0}}; /* arms four spacings apart */
    ct_world_def def = peri_def(0);
    def.peri.self_contact = self_contact;
    def.peri.iterations = 20;
    ct_world *world = create(&def);
    ct_body_def body = rod(add_cloth(world, 1e5, 0.05), points, 4, false);
    body.gradient[4] = -20; /* v_y = -20 y: arms meet at 2 m/s each */
    add_body(world, &body);
    double least = INFINITY;
    for (int k = 0; k < 40; k++) {
        steps(world, 1);
        triple *x = positions_of(world);
        for (size_t p = 0; p < 10; p++) /* the free halves of the arms */
            for (size_t q = count_of(world) - 10; q < count_of(world); q++) {
                double square = 0;
                for (int a = 0; a < 3; a++) square += (x[p][a] - x[q][a]) * (x[p][a] - x[q][a]);
                least = fmin(least, sqrt(square));
            }
        free(x);
    }
    ct_world_destroy(world);
    return least / SPACING;
}

static void bodies_meet_themselves(void **state)
{
    (void)state;
    double apart = hairpin(true), control = hairpin(false);
    print_message("least distance of the arms: %.3f spacings, without self-contact %.3f\n", apart, control);
    assert_true(apart > 0.9);
    assert_true(control < 0.5);
}

/* A rope that hangs is stretched by its weight; ten times softer, ten times as much, and back. */
static void materials_soften_and_set(void **state)
{
    (void)state;
    static const double points[2][3] = {{0, 0, 0}, {0, -1, 0}};
    static const double times[3] = {0, 1, 2}, values[3][3] = {{1, 0, 0}, {0.1, 0, 0}, {1, 0, 0}};
    ct_world_def def = peri_def(-9.81);
    def.step.fixed = 0.05;
    def.step.velocity_cfl = INFINITY;
    def.peri.iterations = 200;
    ct_world *world = create(&def);
    ct_parameter parameters[] = {{"young", 1e6}, {"poisson", 0.25}};
    ct_material_def material = ct_default_material_def();
    material.type = "elastic";
    material.parameters = parameters, material.parameter_count = 2;
    material.stiffness_factor =
        (ct_track){.count = 3, .times = times, .values = values, .interpolation = CT_INTERPOLATE_STEP};
    int index = -1;
    CHECK(ct_world_add_material(world, &material, &index, error));
    ct_body_def body = rod(index, points, 2, false);
    hold_box(&body, -1, -0.06, -1, 2, 1, 2);
    add_body(world, &body);
    double stretch[3];
    for (int k = 0; k < 3; k++) {
        CHECK(ct_world_run_until(world, k + 0.999, error));
        triple *x = positions_of(world);
        stretch[k] = -1 - x[count_of(world) - 1][1];
        free(x);
    }
    print_message("stretch %.5f, %.5f, %.5f m\n", stretch[0], stretch[1], stretch[2]);
    assert_near(stretch[0], 1000 * 9.81 * 0.95 * 0.95 / 2 / 1e6, 0.1 * stretch[0]);
    assert_near(stretch[1], 10 * stretch[0], stretch[0]); /* 10%: strains of 5% are not small */
    assert_near(stretch[2], stretch[0], 0.1 * stretch[0]);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheet_is_covered),
        cmocka_unit_test(surface_is_split),
        cmocka_unit_test(fine_surface_is_refused),
        cmocka_unit_test(rod_has_ghosts),
        cmocka_unit_test(strands_of_a_file_are_many_rods),
        cmocka_unit_test(cloth_and_lines_have_the_modulus_of_the_scene),
        cmocka_unit_test(bending_is_resisted_by_mu),
        cmocka_unit_test(rods_gain_no_energy),
        cmocka_unit_test(cloth_hangs_over_a_ball),
        cmocka_unit_test(colliders_feel_weight),
        cmocka_unit_test(rods_resist_twist_by_ghosts),
        cmocka_unit_test(bodies_meet_themselves),
        cmocka_unit_test(materials_soften_and_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
