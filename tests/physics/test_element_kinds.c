/* What bodies of elements are made of: meshes from files, shells, springs, parts that are animated. */
#include "worlds.h"

#include <unistd.h>

static ct_world_def quiet(int dimension, double spacing)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.method = CT_METHOD_ELEMENTS;
    return def;
}

static ct_body_def with_name(ct_body_def def, const char *name)
{
    def.name = name;
    return def;
}

static void write_file(char *path, int suffix, const char *text)
{
    int file = mkstemps(path, suffix);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

/* ---- Meshes from files -------------------------------------------------------------------------------- */

static const char square[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                             "$PhysicalNames\n2\n1 1 \"left\"\n2 2 \"all\"\n$EndPhysicalNames\n"
                             "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                             "$Elements\n3\n1 1 2 1 1 4 1\n2 2 2 2 1 1 2 3\n3 2 2 2 1 1 3 4\n$EndElements\n";

static ct_body_def solid(const char *path, const char *group)
{
    ct_body_def body = ct_default_body_def();
    body.name = "square";
    body.shape.type = CT_SHAPE_SOLID;
    body.shape.file = path;
    body.elements.hold_group = group;
    return body;
}

/* A unit square, scaled, turned by a right angle and moved: (x, y) -> (3 - 2 y, 2 x). Its left side is held. */
static void test_a_mesh_from_a_file_is_held_by_its_group(void **state)
{
    (void)state;
    char path[] = "square_XXXXXX.msh";
    write_file(path, 4, square);
    ct_world_def def = quiet(2, 1);
    def.gravity.constant[0] = 10;
    ct_world *world = create(&def);
    add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3);
    ct_body_def body = solid(path, "left");
    for (int a = 0; a < 3; a++) body.shape.scale[a] = 2;
    body.shape.rotate_angle = 1.57079632679489662;
    body.shape.translate[0] = 3;
    add_body(world, &body);
    assert_near(ct_world_get_sums(world).mass, 4000, 1e-9);
    steps(world, 200);
    const double start[4][2] = {{3, 0}, {3, 2}, {1, 2}, {1, 0}};
    double x[4][3];
    assert_int_equal(ct_world_get_info(world).particles, 4);
    CHECK(ct_world_read(world, "position", x, sizeof x, error));
    for (int k = 0; k < 4; k++) {
        bool is_left = k == 0 || k == 3;
        double moved = hypot(x[k][0] - start[k][0], x[k][1] - start[k][1]);
        assert_true(is_left ? moved < 1e-15 : moved > 1e-3);
    }
    ct_world_destroy(world);
    unlink(path);
}

static void expect_refusal(const ct_body_def *body, const char *part)
{
    ct_world_def def = quiet(2, 1);
    ct_world *world = create(&def);
    ct_error problem;
    add_elastic(world, "fixed_corotated", 1000, 1e6, 0.3);
    assert_true(ct_world_add_body(world, body, NULL, &problem) != CT_OK);
    if (!strstr(problem.message, part)) fail_msg("'%s' does not say '%s'", problem.message, part);
    ct_world_destroy(world);
}

static void test_groups_that_are_not_there_are_refused(void **state)
{
    (void)state;
    char path[] = "square_XXXXXX.msh";
    write_file(path, 4, square);
    ct_body_def body = solid(path, "right");
    expect_refusal(&body, "body 'square': its mesh has no vertex group 'right'; there are 'left', 'all'");
    ct_body_def box = block(0, 0, 0, 0, 1, 1, 0);
    box.elements.hold_group = "left";
    expect_refusal(&box, "only meshes from files have vertex groups");
    unlink(path);
    ct_body_def gone = solid("nowhere.msh", NULL);
    expect_refusal(&gone, "nowhere.msh");
}

/* ---- Shells and springs ------------------------------------------------------------------------------- */

static const double square_edges[2][3] = {{1, 0, 0}, {0, 0, 1}};

/* A horizontal sheet of 1 m, 1 cm thick, at the height y. */
static ct_body_def sheet(int material, double y, ct_integration integration)
{
    ct_body_def body = ct_default_body_def();
    body.name = "sheet";
    body.material = material;
    body.shape.type = CT_SHAPE_SHEET;
    body.shape.corner[1] = y;
    body.shape.edges = square_edges;
    body.shape.edge_count = 2;
    body.shape.thickness = 0.01;
    body.elements.integration = integration;
    return body;
}

static int add_shell(ct_world *world)
{
    return add_elastic(world, "shell", 1000, 1e5, 0.3);
}

static int add_springs(ct_world *world)
{
    ct_parameter parameters[] = {{"stiffness", 500}, {"bending", 2}};
    return add_matter(world, "springs", 1000, parameters, 2);
}

/* A free sheet flutters and turns: momenta over 3,000 steps, energy within its ripple, which goes with the
 * length of the step. */
static void flutter(int (*add)(ct_world *), double cfl, double ripple)
{
    ct_world_def def = quiet(3, 0.2);
    def.step.sound_cfl = cfl;
    ct_world *world = create(&def);
    ct_body_def body = sheet(add(world), 0, CT_INTEGRATION_EXPLICIT);
    body.elements.jitter = 0.1;
    body.velocity[0] = 0.3;
    body.spin_axis[0] = 1, body.spin_axis[1] = 0.5, body.spin_rate = 3;
    body.gradient[0] = 0.4, body.gradient[3] = 0.5;
    add_body(world, &body);
    ct_world_sums before = ct_world_get_sums(world);
    assert_near(before.mass, 10, 1e-12);
    steps(world, 3000);
    ct_world_sums after = ct_world_get_sums(world);
    double energy = before.kinetic + before.elastic, scale = sqrt(2 * before.mass * energy);
    for (int a = 0; a < 3; a++) {
        assert_near(after.momentum[a], before.momentum[a], 1e-11 * scale);
        assert_near(after.angular_momentum[a], before.angular_momentum[a], 1e-10 * scale);
    }
    assert_true(after.elastic > 1e-3 * energy);
    assert_near(after.kinetic + after.elastic, energy, ripple * energy);
    ct_world_destroy(world);
}

static void test_free_sheets_keep_momenta(void **state)
{
    (void)state;
    flutter(add_shell, 0.8, 0.03);
    flutter(add_shell, 0.2, 0.0075);
    flutter(add_springs, 0.8, 0.03);
    flutter(add_springs, 0.2, 0.0075);
}

/* What is drawn 1% along x: F, and the stress of plane stress, Y/(1 - nu^2) E_11 and nu times it, to first
 * order. A turned sheet shows them turned. */
static void test_sheets_show_their_stress(void **state)
{
    (void)state;
    ct_world_def def = quiet(3, 0.25);
    ct_world *world = create(&def);
    ct_body_def body = sheet(add_shell(world), 0, CT_INTEGRATION_EXPLICIT);
    body.deformation[0] = 1.01;
    add_body(world, &body);
    uint64_t count = ct_world_get_info(world).particles;
    double(*stress)[9] = malloc(count * sizeof *stress), (*F)[9] = malloc(count * sizeof *F);
    CHECK(ct_world_read(world, "stress", stress, count * sizeof *stress, error));
    CHECK(ct_world_read(world, "F", F, count * sizeof *F, error));
    const double E = (1.01 * 1.01 - 1) / 2, S = 1e5 / (1 - 0.09) * E;
    for (uint64_t k = 0; k < count; k++) {
        assert_near(stress[k][0], 1.01 * S, 1e-8 * S);
        assert_near(stress[k][8], 0.3 * S / 1.01, 1e-8 * S);
        assert_near(stress[k][4], 0, 1e-8 * S);
        for (int c = 0; c < 9; c++) assert_near(F[k][c], c == 0 ? 1.01 : c % 4 == 0, 1e-12);
    }
    free(stress);
    free(F);
    ct_world_destroy(world);
}

/* A sheet that is held at two sides carries a ball of elements. As a rope of 10 kN with the weights of both in its
 * middle it would sag by 0.13 m, and the ball is a radius and half a cell above it: at 0.07 m. Where it is not held, both fall, as far as the cloth's damping lets
 * them. */
static double carry(bool is_held, ct_integration integration)
{
    ct_world_def def = quiet(3, 0.1);
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_body_def cloth = sheet(add_elastic(world, "shell", 1000, 1e6, 0.3), 0, integration);
    cloth.elements.mass_damping = 3;
    cloth.has_hold = is_held;
    ct_shape_def sides[2] = {ct_default_shape_def(), ct_default_shape_def()};
    for (int k = 0; k < 2; k++) {
        sides[k].type = CT_SHAPE_BOX;
        for (int a = 0; a < 3; a++) sides[k].min[a] = -1, sides[k].max[a] = 2;
        sides[k].min[0] = k ? 0.95 : -1, sides[k].max[0] = k ? 2 : 0.05;
    }
    cloth.hold = ct_default_shape_def();
    cloth.hold.type = CT_SHAPE_UNION;
    cloth.hold.children = sides, cloth.hold.child_count = 2;
    add_body(world, &cloth);
    uint64_t first = ct_world_get_info(world).particles;
    int rubber = add_elastic(world, "fixed_corotated", 400, 1e5, 0.3);
    ct_body_def round = with_name(ball(rubber, 0.5, 0.25, 0.5, 0.15), "ball");
    round.elements.integration = integration;
    add_body(world, &round);
    CHECK(ct_world_run_until(world, 0.6, error));
    uint64_t count = ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x), height = 0;
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    for (uint64_t k = first; k < count; k++) height += x[k][1] / (double)(count - first);
    free(x);
    ct_world_destroy(world);
    return height;
}

static void test_a_cloth_carries_a_ball(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_integration integration = k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
        double held = carry(true, integration), loose = carry(false, integration);
        print_message("the ball is at %g m; where nothing is held, at %g m\n", held, loose);
        assert_near(held, 0.07, 0.08);
        if (!(loose < -0.4)) fail_msg("the ball is at %g m", loose);
    }
}

/* Of a solid, a sheet and a solid the first two are taken out: the last is as it would be without them. */
static void test_bodies_are_taken_out(void **state)
{
    (void)state;
    double elastic[2];
    for (int k = 0; k < 2; k++) {
        ct_world_def def = quiet(3, 0.5);
        def.step.fixed = 1e-3;
        ct_world *world = create(&def);
        int rubber = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
        ct_body_def one = block(rubber, 0, 0, 0, 1, 1, 1),
                    two = sheet(add_shell(world), 4, CT_INTEGRATION_EXPLICIT),
                    last = with_name(block(rubber, 3, 0, 0, 1, 0.5, 0.5), "last");
        last.deformation[0] = 1.1;
        if (k) add_body(world, &one), add_body(world, &two);
        add_body(world, &last);
        steps(world, 1);
        for (int b = 0; b < 2 && k; b++) CHECK(ct_world_remove_body(world, b, error));
        steps(world, 5);
        elastic[k] = ct_world_get_sums(world).elastic;
        assert_int_equal(ct_world_get_info(world).particles, 12);
        ct_world_destroy(world);
    }
    assert_true(elastic[0] > 1);
    assert_near(elastic[0], elastic[1], 1e-12 * elastic[0]);
}

/* ---- Parts that are animated -------------------------------------------------------------------------- */

/* Three frames at 10 per second of a square that moves by (0.2, 0.1, 0) and then stays: quadrilateral. */
static void write_frames(char *folder)
{
    assert_non_null(mkdtemp(folder));
    for (int frame = 0; frame < 3; frame++) {
        char path[200];
        double by = frame ? 1 : 0;
        snprintf(path, sizeof path, "%s/plate_%d.obj", folder, frame);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (int k = 0; k < 4; k++)
            fprintf(file, "v %g %g %g\n", (k == 1 || k == 2) + 0.2 * by, 0.1 * by, k > 1 ? -1.0 : 0.0);
        fprintf(file, "f 1 2 3 4\n");
        fclose(file);
    }
}

static void remove_frames(const char *folder)
{
    for (int frame = 0; frame < 3; frame++) {
        char path[200];
        snprintf(path, sizeof path, "%s/plate_%d.obj", folder, frame);
        unlink(path);
    }
    rmdir(folder);
}

/* A kinematic surface, and a solid whose lower side follows the same file: after 0.05 s by half of it. */
static void test_what_is_held_follows_an_animation(void **state)
{
    (void)state;
    char folder[] = "follow_XXXXXX", pattern[100], first[100];
    write_frames(folder);
    snprintf(pattern, sizeof pattern, "%s/plate_#.obj", folder);
    snprintf(first, sizeof first, "%s/plate_0.obj", folder);
    ct_world_def def = quiet(3, 0.5);
    ct_world *world = create(&def);
    int cloth = add_shell(world), rubber = add_elastic(world, "fixed_corotated", 1000, 1e5, 0.3);
    ct_body_def plate = sheet(cloth, 0, CT_INTEGRATION_EXPLICIT);
    plate.shape.type = CT_SHAPE_SURFACE, plate.shape.file = first;
    plate.elements.has_follow = true;
    plate.elements.follow = (ct_follow_def){.file = pattern, .rate = 10};
    add_body(world, &plate);
    ct_body_def soft = with_name(block(rubber, 0, 2, -1, 1, 0.5, 1), "soft");
    soft.elements.has_follow = true;
    soft.elements.follow = plate.elements.follow;
    soft.has_hold = true;
    soft.hold = ct_default_shape_def();
    soft.hold.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) soft.hold.min[a] = -3, soft.hold.max[a] = 3;
    soft.hold.max[1] = 2.01;
    add_body(world, &soft);
    uint64_t count = ct_world_get_info(world).particles;
    double(*before)[3] = malloc(count * sizeof *before), (*x)[3] = malloc(count * sizeof *x);
    CHECK(ct_world_read(world, "position", before, count * sizeof *x, error));
    const double times[3] = {0.05, 0.1, 0.3}, parts[3] = {0.5, 1, 1};
    for (int t = 0; t < 3; t++) {
        CHECK(ct_world_run_until(world, times[t], error));
        CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
        for (uint64_t k = 0; k < count; k++) {
            if (before[k][1] > 2.01) continue;
            assert_near(x[k][0] - before[k][0], 0.2 * parts[t], 1e-7); /* frames are floats */
            assert_near(x[k][1] - before[k][1], 0.1 * parts[t], 1e-7);
            assert_near(x[k][2], before[k][2], 1e-7);
        }
    }
    free(before);
    free(x);
    ct_world_destroy(world);
    remove_frames(folder);
}

/* ---- Bits --------------------------------------------------------------------------------------------- */

/* Any number of threads, and a restore in the middle: the same bits. */
static ct_world *busy(const char *pattern, int threads, ct_integration integration)
{
    ct_world_def def = quiet(3, 0.2);
    def.precision = CT_FLOAT;
    def.threads = threads;
    def.gravity.constant[1] = -10;
    ct_world *world = create(&def);
    ct_body_def one = sheet(add_shell(world), 0.3, integration),
                two = sheet(add_springs(world), 0.5, integration);
    two.name = "net", two.elements.stiffness_damping = 1e-3;
    ct_body_def plate = sheet(0, 0, integration);
    plate.name = "plate";
    plate.elements.has_follow = true;
    plate.elements.follow = (ct_follow_def){.file = pattern, .rate = 10};
    add_body(world, &one);
    add_body(world, &two);
    add_body(world, &plate);
    return world;
}

static void test_same_bits(void **state)
{
    (void)state;
    char folder[] = "bits_XXXXXX", pattern[100], path[] = "kinds_XXXXXX";
    write_frames(folder);
    snprintf(pattern, sizeof pattern, "%s/plate_#.obj", folder);
    write_file(path, 0, "");
    for (int k = 0; k < 2; k++) {
        ct_integration integration = k ? CT_INTEGRATION_IMPLICIT : CT_INTEGRATION_EXPLICIT;
        ct_world *one = busy(pattern, 1, integration), *two = busy(pattern, 2, integration),
                 *later = busy(pattern, 1, integration);
        steps(one, 20), steps(two, 10);
        CHECK(ct_world_save(two, path, error));
        CHECK(ct_world_restore(later, path, error));
        steps(two, 10), steps(later, 10);
        ct_hash a = hash_of(one), b = hash_of(two), c = hash_of(later);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&a, &c, sizeof a);
        ct_world_destroy(one);
        ct_world_destroy(two);
        ct_world_destroy(later);
    }
    unlink(path);
    remove_frames(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mesh_from_a_file_is_held_by_its_group),
        cmocka_unit_test(test_groups_that_are_not_there_are_refused),
        cmocka_unit_test(test_free_sheets_keep_momenta),
        cmocka_unit_test(test_sheets_show_their_stress),
        cmocka_unit_test(test_a_cloth_carries_a_ball),
        cmocka_unit_test(test_bodies_are_taken_out),
        cmocka_unit_test(test_what_is_held_follows_an_animation),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests_name("element_kinds", tests, NULL, NULL);
}
