/* Rigid bodies in a world: particles that follow, sums, the same bits for any number of threads and across a
 * restart, and what is refused. */
#include "physics/worlds.h"

#include <unistd.h>

static int add_rigid(ct_world *world, double density)
{
    return add_matter(world, "rigid", density, NULL, 0);
}

/* Boxes that fall on each other and a ball that hits them, in a room. */
static ct_world *rubble(int dimension, ct_precision precision, int threads)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05);
    def.method = CT_METHOD_RIGID;
    def.precision = precision;
    def.threads = threads;
    def.gravity.constant[1] = -9.81;
    def.contact.restitution = 0.3;
    set_domain(&def, 1, 1, 1, CT_WALL_SEPARATE, 0.4);
    ct_world *world = create(&def);
    int wood = add_rigid(world, 700);
    for (int k = 0; k < 4; k++) {
        ct_body_def box = ct_default_body_def();
        box.name = "box", box.material = wood;
        box.shape.type = CT_SHAPE_BOX;
        box.shape.rotate_angle = 0.3 * k;
        for (int a = 0; a < 3; a++) {
            double at = a == 1 ? 0.1 + 0.2 * k : 0.5 + 0.02 * k;
            box.shape.min[a] = at - 0.06, box.shape.max[a] = at + 0.06;
        }
        CHECK(ct_world_add_body(world, &box, NULL, error));
    }
    ct_body_def ball = ct_default_body_def();
    ball.name = "ball", ball.material = wood;
    ball.shape.type = CT_SHAPE_SPHERE, ball.shape.radius = 0.1;
    ball.shape.center[0] = 0.15, ball.shape.center[1] = 0.3, ball.shape.center[2] = 0.5;
    ball.velocity[0] = 3;
    CHECK(ct_world_add_body(world, &ball, NULL, error));
    return world;
}

static void same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        int dimension = 2 + k % 2;
        ct_precision precision = k < 2 ? CT_FLOAT : CT_DOUBLE;
        ct_hash hashes[3];
        ct_world *worlds[3] = {rubble(dimension, precision, 1), rubble(dimension, precision, 5),
                               rubble(dimension, precision, 2)};
        char path[] = "rigid_XXXXXX";
        close(mkstemp(path));
        CHECK(ct_world_run_until(worlds[0], 0.2, error));
        CHECK(ct_world_save(worlds[0], path, error));
        CHECK(ct_world_restore(worlds[2], path, error));
        unlink(path);
        for (int w = 0; w < 3; w++) {
            CHECK(ct_world_run_until(worlds[w], w == 1 ? 0.2 : 0.5, error));
            CHECK(ct_world_run_until(worlds[w], 0.5, error));
            CHECK(ct_world_hash(worlds[w], &hashes[w], error));
            ct_world_destroy(worlds[w]);
            assert_memory_equal(&hashes[w], &hashes[0], sizeof *hashes);
        }
    }
}

/* Mass is that of the shapes, energy only falls, nobody leaves the room; particles are where bodies are. */
static void sums_hold(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        ct_world *world = rubble(dimension, CT_DOUBLE, 1);
        double last = INFINITY, pi = 3.14159265358979323846;
        double volume = dimension == 3 ? 4 * pow(0.12, 3) + 4 * pi / 3 * 1e-3 : 4 * 0.0144 + pi * 0.01;
        for (int k = 1; k <= 20; k++) {
            CHECK(ct_world_run_until(world, 0.05 * k, error));
            ct_world_sums sums = ct_world_get_sums(world);
            double energy = sums.kinetic + sums.gravitational;
            assert_near(sums.mass, 700 * volume, 1e-9);
            assert_true(energy < last + 1e-3 * fabs(energy));
            last = energy;
        }
        size_t count = (size_t)ct_world_get_info(world).particles, bytes = count * 3 * sizeof(double);
        double(*x)[3] = malloc(bytes);
        CHECK(ct_world_read(world, "position", x, bytes, error));
        for (size_t p = 0; p < count; p++)
            for (int a = 0; a < dimension; a++) assert_true(x[p][a] > -1e-3 && x[p][a] < 1.001);
        ct_links_info links = ct_world_links(world);
        assert_true(dimension == 3 ? links.triangle_count > 100 : links.line_count > 30);
        free(x);
        ct_world_destroy(world);
    }
}

/* ---- Other kinds of matter ------------------------------------------------------------------------------ */

static ct_body_def block_of(int material, const char *name, double x, double y, double half, double vx,
                            double vy)
{
    ct_body_def body = ct_default_body_def();
    body.name = name, body.material = material;
    body.shape.type = CT_SHAPE_BOX;
    const double at[3] = {x, y, 0};
    for (int a = 0; a < 3; a++) body.shape.min[a] = at[a] - half, body.shape.max[a] = at[a] + half;
    body.velocity[0] = vx, body.velocity[1] = vy;
    return body;
}

enum { MPM_JELLY, MPM_SAND, PERI_JELLY, KINDS };

static int add_kind(ct_world *world, int kind)
{
    const ct_parameter jelly[] = {{"young", 2e5}, {"poisson", 0.25}};
    const ct_parameter sand[] = {{"young", 1e5}, {"poisson", 0.3}, {"friction_angle", 0.6}};
    if (kind == MPM_SAND) return add_matter(world, "drucker_prager", 1600, sand, 3);
    return add_matter(world, kind == MPM_JELLY ? "fixed_corotated" : "elastic", 1000, jelly, 2);
}

/* A box meets a block of another kind off its middle, in free space: what one gets the other loses. */
static void momentum_is_kept(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * KINDS; k++) {
        int dimension = 2 + k % 2, kind = k / 2;
        ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05);
        def.scheme.type = "apic";
        def.contact.friction = 0.3;
        ct_world *world = create(&def);
        int iron = add_rigid(world, 2000), other = add_kind(world, kind);
        ct_body_def a = block_of(iron, "box", -0.16, 0.03, 0.1, 1, 0),
                    b = block_of(other, "block", 0.1, 0, 0.1, -1, 0.2);
        a.spin_axis[2] = 1, a.spin_rate = 2;
        CHECK(ct_world_add_body(world, &a, NULL, error));
        CHECK(ct_world_add_body(world, &b, NULL, error));
        ct_world_sums before = ct_world_get_sums(world);
        double scale = 0;
        scale = (dimension == 3 ? 0.008 : 0.04) * (2000 + (kind == MPM_SAND ? 1600 : 1000));
        CHECK(ct_world_run_until(world, 0.15, error));
        ct_world_sums after = ct_world_get_sums(world);
        for (int c = 0; c < 3; c++) {
            assert_near(after.momentum[c], before.momentum[c], 1e-11 * scale);
            if (kind != PERI_JELLY)
                assert_near(after.angular_momentum[c], before.angular_momentum[c], 1e-11 * scale);
            else assert_near(after.angular_momentum[c], before.angular_momentum[c], 0.02 * scale);
        }
        assert_true(after.kinetic < 0.9 * before.kinetic); /* control: they did meet */
        ct_world_destroy(world);
    }
}

/* A ball that rests on sand has its weight carried; light plates under heavy sand on a floor hold. */
static void plates_hold(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.02);
    def.gravity.constant[1] = -9.81;
    def.precision = CT_FLOAT;
    set_domain(&def, 0.6, 0.6, 1, CT_WALL_SEPARATE, 0.5);
    ct_world *world = create(&def);
    int foam = add_rigid(world, 80), sand = add_kind(world, MPM_SAND);
    ct_body_def plate = block_of(foam, "plate", 0.3, 0.02, 0.02, 0, 0);
    plate.shape.min[0] = 0.1, plate.shape.max[0] = 0.5;
    plate.shape.min[1] = 0, plate.shape.max[1] = 0.04;
    ct_body_def heap = block_of(sand, "sand", 0.3, 0.2, 0.1, 0, 0);
    heap.shape.min[1] = 0.05, heap.shape.max[1] = 0.25;
    CHECK(ct_world_add_body(world, &plate, NULL, error));
    CHECK(ct_world_add_body(world, &heap, NULL, error));
    CHECK(ct_world_run_until(world, 0.6, error));
    size_t count = (size_t)ct_world_get_info(world).particles;
    double(*x)[3] = malloc(count * sizeof *x), lowest = 1;
    uint16_t *body = malloc(count * sizeof *body);
    CHECK(ct_world_read(world, "position", x, count * sizeof *x, error));
    CHECK(ct_world_read(world, "body", body, count * sizeof *body, error));
    for (size_t p = 0; p < count; p++) {
        if (body[p] == 0) assert_true(x[p][1] > -1e-3 && x[p][1] < 0.042);
        else if (x[p][0] > 0.12 && x[p][0] < 0.48) lowest = fmin(lowest, x[p][1]);
    }
    assert_true(lowest > 0.03); /* half a cell into the plate at the most */
    free(x), free(body);
    ct_world_destroy(world);
}

static void refuse(ct_world *world, const ct_body_def *def, const char *why)
{
    ct_error error = {0};
    assert_int_equal(ct_world_add_body(world, def, NULL, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, why));
}

static void mistakes_are_named(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.05);
    def.method = CT_METHOD_RIGID;
    ct_world *world = create(&def);
    ct_body_def body = ct_default_body_def();
    body.name = "it", body.material = add_rigid(world, 1000);
    body.shape.type = CT_SHAPE_HALF_SPACE, body.shape.normal[1] = 1;
    refuse(world, &body, "must have an end");
    body.shape.type = CT_SHAPE_POINTS, body.shape.points = (const double[1][3]){{0}},
    body.shape.point_count = 1;
    refuse(world, &body, "not points");
    body.shape.type = CT_SHAPE_SPHERE, body.shape.radius = 0.1;
    body.has_inertia = true, body.inertia[0] = 1;
    refuse(world, &body, "positive definite");
    body.has_inertia = false, body.gradient[0] = 1;
    refuse(world, &body, "no velocity gradient");
    body.gradient[0] = 0;
    CHECK(ct_world_add_body(world, &body, NULL, error));
    CHECK(ct_world_step(world, error));
    ct_source_def source = ct_default_source_def();
    ct_error why = {0};
    source.name = "tap", source.material = body.material, source.shape = body.shape;
    assert_int_not_equal(ct_world_add_source(world, &source, NULL, &why), CT_OK);
    assert_int_equal(ct_world_get_info(world).particles > 0, 1);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(sums_hold),
                                       cmocka_unit_test(momentum_is_kept), cmocka_unit_test(plates_hold),
                                       cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
