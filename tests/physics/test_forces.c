/* Fields of force: on every kind of matter, against what is exact; the same bits for any number of threads, across a
 * restart and in copies. Noise itself: tests/unit/boundary/test_noise.c. */
#include "worlds.h"

#include <unistd.h>

static const double G = 9.81, PI = 3.14159265358979323846;

/* ---- One body of each kind ----------------------------------------------------------------------------- */

typedef struct kind {
    ct_method method;
    const char *name;
    const char *type;
    bool has_sheet, has_line;
} kind;

static const kind kinds[] = {{CT_METHOD_MPM, "mpm", "fixed_corotated", false, false},
                             {CT_METHOD_PERIDYNAMICS, "peridynamics", "elastic", false, false},
                             {CT_METHOD_ELEMENTS, "elements", "fixed_corotated", false, false},
                             {CT_METHOD_ELEMENTS, "elements", "shell", true, false},
                             {CT_METHOD_RIGID, "rigid", "rigid", false, false},
                             {CT_METHOD_STRANDS, "strands", "strand", false, true},
                             {CT_METHOD_FLUID, "fluid", "liquid", false, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Of 1000 kg/m^3, around (0.5, 0.5, 0.5); sheets and lines are level, 0.2 m long and 4 mm thick. */
static ct_world *one_of(const kind *of, ct_world_def def)
{
    static double edges[2][3] = {{0.2, 0, 0}, {0, 0, 0.2}}, points[2][3] = {{0.4, 0.5, 0.5}, {0.6, 0.5, 0.5}};
    ct_parameter parameters[] = {{"young", 1e5}, {"poisson", 0.25}};
    bool is_elastic = of->method != CT_METHOD_RIGID && of->method != CT_METHOD_FLUID;
    def.method = of->method;
    ct_world *world = create(&def);
    int matter = add_matter(world, of->type, 1000, parameters, is_elastic ? 2 : 0);
    ct_body_def body = block(matter, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2);
    body.name = "thing";
    if (of->has_sheet) {
        body.shape.type = CT_SHAPE_SHEET;
        body.shape.corner[0] = body.shape.corner[2] = 0.4, body.shape.corner[1] = 0.5;
        body.shape.edges = (const double(*)[3])edges, body.shape.edge_count = 2;
        body.shape.thickness = 0.004;
        body.elements.integration = CT_INTEGRATION_IMPLICIT;
    } else if (of->has_line) {
        body.shape.type = CT_SHAPE_POLYLINE;
        body.shape.points = (const double(*)[3])points, body.shape.point_count = 2;
        body.shape.radius = 0.002;
    }
    add_body(world, &body);
    return world;
}

static ct_world_def space(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.05);
    def.step.max = 1.0 / 240;
    return def;
}

static void add_force(ct_world *world, const ct_force_def *def)
{
    CHECK(ct_world_add_force(world, def, NULL, error));
}

static ct_force_def force_of(ct_force_type type)
{
    ct_force_def def = ct_default_force_def();
    def.type = type;
    return def;
}

static ct_force_def wind(double x, double y, double z)
{
    ct_force_def def = force_of(CT_FORCE_WIND);
    def.velocity.constant[0] = x, def.velocity.constant[1] = y, def.velocity.constant[2] = z;
    return def;
}

/* ---- Accelerations ------------------------------------------------------------------------------------- */

/* A scripted acceleration gives every kind exactly its integral: from 0 to 2 m/s^2 in 0.1 s, then 2 m/s^2, from 0.02 s on
 * in a step that it begins within. One body that it does not name stays at rest. */
static void scripts_move_every_kind(void **state)
{
    (void)state;
    static const double times[] = {0, 0.1}, values[][3] = {{0, 0, 0}, {2, -1, 0}};
    for (int k = 0; k < KINDS; k++)
        for (int is_meant = 0; is_meant < 2; is_meant++) {
            ct_world *world = one_of(&kinds[k], space(3));
            ct_force_def def = force_of(CT_FORCE_ACCELERATION);
            const char *const names[] = {is_meant ? "thing" : "other"};
            def.acceleration = (ct_track){.count = 2, .times = times, .values = values};
            def.bodies = names, def.body_count = 1;
            def.start = 0.0201;
            add_force(world, &def);
            CHECK(ct_world_run_until(world, 0.2, error));
            double impulse = 0.1 + 0.2 - 20 * 0.0201 * 0.0201 / 2;
            assert_near(drift_of(world, 0), is_meant * impulse, 1e-9);
            assert_near(drift_of(world, 1), -0.5 * is_meant * impulse, 1e-9);
            ct_world_destroy(world);
        }
}

/* A function of the user's that says the same as a field gives the same bits. */
static void accelerate(const ct_force_points *points, void *user)
{
    int *calls = user;
    ++*calls;
    for (uint64_t i = 0; i < points->count; i++) {
        assert_true(points->mass[i] > 0 && points->body[i] == 0 && points->dt > 0);
        points->acceleration[i][0] = 3;
    }
}

static void functions_are_fields(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        ct_world *field = one_of(&kinds[k], space(3)), *function = one_of(&kinds[k], space(3));
        ct_force_def def = force_of(CT_FORCE_ACCELERATION);
        int calls = 0;
        def.acceleration.constant[0] = 3;
        add_force(field, &def);
        CHECK(ct_world_set_force(function, accelerate, &calls, error));
        steps(field, 20), steps(function, 20);
        assert_int_equal(calls, 20);
        assert_same(hash_of(field), hash_of(function));
        CHECK(ct_world_set_force(function, NULL, NULL, error));
        steps(function, 1);
        assert_int_equal(calls, 20);
        ct_world_destroy(field), ct_world_destroy(function);
    }
}

/* On a circle of 0.5 m around the origin: v^2 = A r (1/r)^n at radius 1. After a turn a rigid ball is back within 1 %, and
 * the energy of its orbit is what it was: symplectic steps only swing around it. The control goes the other way at once. */
static void balls_go_around(void **state)
{
    (void)state;
    for (int power = -1; power <= 2; power++) {
        const double strength = 0.4, r = 0.5, v = sqrt(strength * r * pow(1 / r, power)),
                     turn = 2 * PI * r / v;
        ct_world_def def = space(2);
        def.method = CT_METHOD_RIGID;
        def.step.max = turn / 2000;
        ct_world *world = create(&def);
        ct_body_def body = ball(add_matter(world, "rigid", 1000, NULL, 0), r, 0, 0, 0.05);
        body.velocity[1] = v;
        add_body(world, &body);
        ct_force_def point = force_of(CT_FORCE_POINT);
        point.strength = strength, point.power = power;
        add_force(world, &point);
        const double before = ct_world_get_sums(world).kinetic;
        CHECK(ct_world_run_until(world, 0.5 * turn, error));
        ct_world_sums sums = ct_world_get_sums(world);
        assert_near(sums.center[0], -r, 0.01 * r);
        assert_near(sums.center[1], 0, 0.01 * r);
        CHECK(ct_world_run_until(world, turn, error));
        sums = ct_world_get_sums(world);
        assert_near(sums.center[0], r, 0.01 * r);
        assert_near(sums.center[1], 0, 0.01 * r);
        assert_near(sums.kinetic / before, 1, 5e-3);
        ct_world_destroy(world);
    }
}

/* A vortex with the power -1 turns matter as a whole: omega' = A/r0. */
static void vortices_spin(void **state)
{
    (void)state;
    ct_world_def def = space(3);
    ct_world *world = one_of(&kinds[0], def);
    ct_force_def vortex = force_of(CT_FORCE_VORTEX);
    vortex.strength = 2, vortex.radius = 0.5, vortex.power = -1;
    for (int a = 0; a < 3; a++) vortex.center.constant[a] = 0.5, vortex.axis[a] = a == 1 ? 3 : 0;
    add_force(world, &vortex);
    CHECK(ct_world_run_until(world, 0.02, error));
    ct_world_sums sums = ct_world_get_sums(world);
    triple *x = positions_of(world);
    double *m = values_of(world, "mass"), inertia = 0;
    for (size_t p = 0; p < count_of(world); p++)
        inertia += m[p] * (pow(x[p][0] - 0.5, 2) + pow(x[p][2] - 0.5, 2));
    free(x), free(m);
    /* the particles' own spin follows a step later: C knows what the grid did */
    assert_near(sums.angular_momentum[1] / inertia, 2 / 0.5 * 0.02, 0.02 * 0.08);
    for (int a = 0; a < 3; a++) assert_near(sums.momentum[a], 0, 1e-9);
    ct_world_destroy(world);
}

/* ---- Wind ---------------------------------------------------------------------------------------------- */

/* Any drag is stable: with a rate of 1e9 per second matter moves as the air does after a step, even one that turns round. */
static void no_drag_is_too_large(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        ct_world *world = one_of(&kinds[k], space(3));
        ct_force_def def = wind(0.3, -0.2, 0.1);
        def.rate = 1e9;
        add_force(world, &def);
        steps(world, 5);
        for (int a = 0; a < 3; a++) assert_near(drift_of(world, a), def.velocity.constant[a], 1e-8);
        ct_world_destroy(world);
    }
}

/* What falls in air at rest: v = v_t tanh(g t/v_t), with v_t^2 = 2 m g/(rho coefficient A); A is that of the lower side of a
 * box, of a level sheet and of a strand. Grains: m/A = 2/3 rho_s d. Linear drag of everything: v_t = g/rate. */
static void things_fall_at_their_terminal_velocity(void **state)
{
    (void)state;
    const struct {
        int kind;
        double area, mass, grain, rate, density;
    } cases[] = {
        {4, 0.04, 8, 0, 0, 120},          /* a box */
        {3, 0.04, 0.16, 0, 0, 12},        /* a shell */
        {5, 0.0008, 0.0025133, 0, 0, 20}, /* a strand, 2 r wide */
        {0, 1, 2.0 / 3 * 1000 * 0.01, 0.01, 0, 12},
        {1, 1, 2.0 / 3 * 1000 * 0.01, 0.01, 0, 12},
        {0, 0, 0, 0, 5, 1},
        {6, 0, 0, 0, 5, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ct_world_def def = space(3);
        def.gravity.constant[1] = -G;
        def.step.max = 1e-3;
        ct_world *world = one_of(&kinds[cases[c].kind], def);
        ct_force_def air = wind(0, 0, 0);
        air.density = cases[c].density, air.grain = cases[c].grain, air.rate = cases[c].rate;
        air.coefficient = 1.1;
        add_force(world, &air);
        double drag = air.density * air.coefficient * cases[c].area,
               most = cases[c].rate > 0 ? G / cases[c].rate : sqrt(2 * cases[c].mass * G / drag);
        CHECK(ct_world_run_until(world, most / G, error));
        double expected = cases[c].rate > 0 ? most * (1 - exp(-1)) : most * tanh(1);
        assert_near(-drift_of(world, 1) / expected, 1, 0.01);
        CHECK(ct_world_run_until(world, 6 * most / G, error));
        assert_near(-drift_of(world, 1) / most, 1, 0.02);
        ct_world_destroy(world);
    }
}

/* A ball feels half of what a flat disc does: the wind presses on what faces it. A wind along a sheet only rubs. */
static void shapes_count(void **state)
{
    (void)state;
    ct_world_def def = space(3);
    def.method = CT_METHOD_RIGID;
    def.step.fixed = 1e-4;
    ct_world *world = create(&def);
    ct_body_def body = ball(add_matter(world, "rigid", 1000, NULL, 0), 0, 0, 0, 0.25);
    add_body(world, &body);
    double mass = ct_world_get_sums(world).mass;
    ct_force_def air = wind(10, 0, 0);
    add_force(world, &air);
    steps(world, 1);
    double force = mass * drift_of(world, 0) / 1e-4, half = 0.5 * air.density * 100;
    assert_near(force / (half * PI * 0.25 * 0.25), 0.5, 0.02);
    ct_world_destroy(world);

    def = space(3);
    def.step.fixed = 1e-4;
    world = one_of(&kinds[3], def);
    air.friction = 0.05;
    add_force(world, &air);
    steps(world, 1);
    mass = ct_world_get_sums(world).mass;
    assert_near(mass * drift_of(world, 0) / 1e-4 / (half * 0.05 * 0.04), 1, 1e-3);
    assert_near(drift_of(world, 1), 0, 1e-12);
    ct_world_destroy(world);
}

/* Wind acts in its shape only. */
static void shapes_bound(void **state)
{
    (void)state;
    for (int is_there = 0; is_there < 2; is_there++) {
        ct_world *world = one_of(&kinds[0], space(2));
        ct_force_def air = wind(1, 0, 0);
        air.rate = 10, air.has_shape = true;
        air.shape.type = CT_SHAPE_SPHERE, air.shape.radius = 0.5;
        air.shape.center[0] = is_there ? 0.5 : 2, air.shape.center[1] = 0.5;
        add_force(world, &air);
        steps(world, 3);
        assert_true(is_there ? drift_of(world, 0) > 1e-3 : drift_of(world, 0) == 0);
        ct_world_destroy(world);
    }
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static void add_storm(ct_world *world)
{
    ct_force_def air = wind(2, 0.5, 0), noise = force_of(CT_FORCE_TURBULENCE),
                 point = force_of(CT_FORCE_POINT);
    air.intensity = 1, air.size = 0.3, air.lifetime = 0.02, air.octaves = 2;
    air.rate = 3, air.grain = 0.01, air.friction = 0.1;
    noise.intensity = 5, noise.size = 0.2, noise.seed = 7;
    point.strength = 1, point.softening = 0.1;
    add_force(world, &air), add_force(world, &noise), add_force(world, &point);
}

/* A storm changes no bit with the number of threads, across a restart, or in a copy. */
static void same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        ct_world_def def = space(3);
        ct_world *worlds[4] = {NULL};
        char path[] = "forces_XXXXXX";
        close(mkstemp(path));
        for (int w = 0; w < 3; w++) {
            def.threads = w == 1 ? 5 : 1;
            def.precision = CT_FLOAT;
            worlds[w] = one_of(&kinds[k], def);
            add_storm(worlds[w]);
        }
        steps(worlds[0], 8);
        CHECK(ct_world_save(worlds[0], path, error));
        CHECK(ct_world_restore(worlds[2], path, error));
        CHECK(ct_world_copy(worlds[0], &worlds[3], error));
        unlink(path);
        for (int w = 0; w < 4; w++) {
            steps(worlds[w], w == 1 ? 20 : 12);
            assert_same(hash_of(worlds[w]), hash_of(worlds[0]));
        }
        for (int w = 0; w < 4; w++) ct_world_destroy(worlds[w]);
    }
}

/* What forces give is no gain of the grid, and what drag takes no loss: a ball that flies free of all else books none. */
static void budgets_know(void **state)
{
    (void)state;
    ct_world_def def = space(2);
    def.step.fixed = 1e-3;
    def.energy_budget = true;
    ct_world *world = one_of(&kinds[0], def);
    ct_force_def push = force_of(CT_FORCE_ACCELERATION), air = wind(0, 0, 0);
    push.acceleration.constant[0] = 10;
    air.rate = 20;
    add_force(world, &push), add_force(world, &air);
    steps(world, 200);
    ct_world_sums sums = ct_world_get_sums(world);
    assert_true(sums.kinetic > 0.1);
    assert_near(sums.lost_on_grid, 0, 1e-9 * sums.kinetic);
    assert_near(sums.lost_in_transfers, 0, 1e-9 * sums.kinetic);
    ct_world_destroy(world);
}

/* A force that does nothing changes no bit of what matter does by itself. */
static void idle_forces_change_nothing(void **state)
{
    (void)state;
    ct_world *plain = colliding_balls(quiet_def(3, CT_KERNEL_QUADRATIC, 0.1)),
             *idle = colliding_balls(quiet_def(3, CT_KERNEL_QUADRATIC, 0.1));
    ct_force_def later = force_of(CT_FORCE_ACCELERATION);
    later.acceleration.constant[0] = 1, later.start = 100;
    add_force(idle, &later);
    steps(plain, 20), steps(idle, 20);
    triple *a = velocities_of(plain), *b = velocities_of(idle);
    assert_memory_equal(a, b, count_of(plain) * sizeof *a);
    free(a), free(b);
    ct_world_destroy(plain), ct_world_destroy(idle);
}

static void expect_refusal(const ct_force_def *def, const char *part)
{
    ct_world *world = one_of(&kinds[0], space(3));
    ct_error problem;
    assert_int_equal(ct_world_add_force(world, def, NULL, &problem), CT_BAD_USAGE);
    if (!strstr(problem.message, part)) fail_msg("'%s' does not say '%s'", problem.message, part);
    ct_world_destroy(world);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    ct_force_def def = ct_default_force_def();
    expect_refusal(&(ct_force_def){.name = "x"}, "force");
    def.type = (ct_force_type)9, expect_refusal(&def, "there is no type 9");
    def = ct_default_force_def(), def.name = NULL, expect_refusal(&def, "has no name");
    def = wind(0, 0, 0), def.rate = -1, expect_refusal(&def, "rate is -1");
    def = wind(NAN, 0, 0), expect_refusal(&def, "velocity");
    def = force_of(CT_FORCE_VORTEX), def.axis[2] = 0, expect_refusal(&def, "axis");
    def = force_of(CT_FORCE_TURBULENCE), def.octaves = 0, expect_refusal(&def, "octaves");
    def = force_of(CT_FORCE_TURBULENCE), def.size = 0, expect_refusal(&def, "size");
    def = ct_default_force_def(), def.start = 2, def.stop = 1, expect_refusal(&def, "before it starts");
    def = ct_default_force_def(), def.body_count = 1, expect_refusal(&def, "no bodies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_move_every_kind),
        cmocka_unit_test(functions_are_fields),
        cmocka_unit_test(balls_go_around),
        cmocka_unit_test(vortices_spin),
        cmocka_unit_test(no_drag_is_too_large),
        cmocka_unit_test(things_fall_at_their_terminal_velocity),
        cmocka_unit_test(shapes_count),
        cmocka_unit_test(shapes_bound),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(budgets_know),
        cmocka_unit_test(idle_forces_change_nothing),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
