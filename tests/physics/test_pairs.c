/* Every kind of matter with every other: what one gets the other has lost, and who is out of reach changes no bit. */
#include "physics/worlds.h"

enum { SHARED, SEPARATE, ELEMENTS, SHELL, SOLID, SAND, RIGID, KINDS };
static const char *const names[KINDS] = {
    "MPM", "separate MPM", "elements", "shell", "peridynamic solid", "peridynamic sand", "rigid"};

static const double spacing = 0.05, size = 0.2;

static const ct_parameter jelly[] = {{"young", 2e4}, {"poisson", 0.25}};
/* Grains that static friction holds give their momentum to nobody (docs/theory/peridynamics.md). */
static const ct_parameter dry[] = {{"friction_angle", 0.6}, {"static_friction", 0}};
static const struct {
    ct_method method;
    const char *type;
    double density;
    const ct_parameter *parameters;
    int count;
} matter[KINDS] = {
    {CT_METHOD_MPM, "fixed_corotated", 1000, jelly, 2},
    {CT_METHOD_MPM, "fixed_corotated", 1000, jelly, 2},
    {CT_METHOD_ELEMENTS, "fixed_corotated", 1000, jelly, 2},
    {CT_METHOD_ELEMENTS, "shell", 4000, jelly, 2},
    {CT_METHOD_PERIDYNAMICS, "elastic", 1000, jelly, 2},
    {CT_METHOD_PERIDYNAMICS, "granular", 1600, dry, 2},
    {CT_METHOD_RIGID, "rigid", 700, NULL, 0},
};

static int add_material_of(ct_world *world, int kind, const char *name)
{
    ct_material_def def = ct_default_material_def();
    int material = -1;
    def.name = name;
    def.method = matter[kind].method;
    def.type = matter[kind].type;
    def.density = matter[kind].density;
    def.parameters = matter[kind].parameters, def.parameter_count = matter[kind].count;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

/* A block, or a sheet across x, around (x, y, 0). */
static void add_at(ct_world *world, int kind, const char *name, double x, double y, double vx, double vy)
{
    static const double across[2][3] = {{0, 0.2, 0}, {0, 0, 0.2}};
    ct_body_def body = ct_default_body_def();
    body.name = name;
    body.method = matter[kind].method;
    body.pattern = CT_PATTERN_LATTICE;
    body.material = add_material_of(world, kind, name);
    const double at[3] = {x, y, 0};
    for (int a = 0; a < 3; a++)
        body.shape.min[a] = at[a] - size / 2, body.shape.max[a] = at[a] + size / 2,
        body.shape.corner[a] = at[a] - size / 2;
    if (kind == SHELL) {
        body.shape.type = CT_SHAPE_SHEET;
        body.shape.corner[0] = x;
        body.shape.edges = across, body.shape.edge_count = 2;
        body.shape.thickness = 0.01;
    } else body.shape.type = CT_SHAPE_BOX;
    if (kind == SEPARATE) body.contact_group = "separate";
    body.velocity[0] = vx, body.velocity[1] = vy;
    add_body(world, &body);
}

static ct_world_def def_of(int dimension)
{
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, spacing);
    def.scheme.type = "apic";
    def.contact.friction = 0.3;
    def.peri.spacing = spacing / 2;
    return def;
}

static bool exists(int kind, int dimension)
{
    return kind != SHELL || dimension == 3;
}

/* Peridynamic bodies meet in an iteration of their own (tests/physics/test_peri.c, test_peri_mix.c). */
static bool is_by_own_solver(int a, int b)
{
    return matter[a].method == CT_METHOD_PERIDYNAMICS && matter[b].method == CT_METHOD_PERIDYNAMICS;
}

/* Grains of peridynamics that fly apart lose momentum in iterations of their own, up to 3e-5 here, whoever hit them
 * (docs/theory/contact.md). */
static double bound_of(int a, int b)
{
    return a == SAND || b == SAND ? 1e-3 : 1e-11;
}

/* kg m/s of the body that comes from the left. */
static double momentum_of_first(const ct_world *world)
{
    size_t count = count_of(world);
    triple *v = velocities_of(world);
    double *mass = values_of(world, "mass"), sum = 0;
    uint16_t *body = malloc(count * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count * sizeof *body, error));
    for (size_t p = 0; p < count; p++)
        if (body[p] == 0) sum += mass[p] * v[p][0];
    free(v), free(mass), free(body);
    return sum;
}

/* Two bodies meet off their middles in free space. The bound is round-off of sums over some hundred steps; the control is that the
 * first has given most of its momentum away. */
static void momentum_given_is_momentum_taken(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int a = 0; a < KINDS; a++)
            for (int b = a; b < KINDS; b++) {
                if (!exists(a, dimension) || !exists(b, dimension) || is_by_own_solver(a, b)) continue;
                ct_world_def def = def_of(dimension);
                ct_world *world = create(&def);
                add_at(world, a, "left", -size / 2 - 0.03, 0.02, 1, 0);
                add_at(world, b, "right", size / 2 + 0.03, 0, -1, 0.2);
                ct_world_sums before = ct_world_get_sums(world);
                double scale = sqrt(2 * before.mass * before.kinetic), first = momentum_of_first(world),
                       error_of = 0;
                CHECK(ct_world_run_until(world, 0.15, error));
                ct_world_sums after = ct_world_get_sums(world);
                for (int k = 0; k < 3; k++)
                    error_of = fmax(error_of, fabs(after.momentum[k] - before.momentum[k]) / scale);
                double angular =
                    fabs(after.angular_momentum[2] - before.angular_momentum[2]) / (scale * size);
                double given = 1 - momentum_of_first(world) / first;
                print_message("%dD, %s and %s: %.1e, angular %.1e, given %.2f\n", dimension, names[a],
                              names[b], error_of, angular, given);
                if (!(error_of < bound_of(a, b)))
                    fail_msg("%s and %s: momentum is off by %g", names[a], names[b], error_of);
                assert_true(angular < 0.01);
                assert_true(given > 0.3);
                ct_world_destroy(world);
            }
}

/* A body far away, at a fixed step: every other kind is as it is without it, to the bit. */
static void out_of_reach_changes_no_bit(void **state)
{
    (void)state;
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++) {
            ct_world_def def = def_of(3);
            if (matter[a].method == matter[b].method && (a == b || (a != SEPARATE && b != SEPARATE)))
                continue; /* one cloud */
            def.precision = CT_FLOAT;
            def.step.fixed = 2e-4;
            def.gravity.constant[1] = -9.81;
            triple *x[2];
            size_t count[2];
            for (int with = 0; with < 2; with++) {
                ct_world *world = create(&def);
                add_at(world, a, "here", 0, 0, 1, 0);
                count[with] = count_of(world);
                if (with) add_at(world, b, "there", 4, 0, -1, 0.2);
                steps(world, 10);
                x[with] = positions_of(world);
                ct_world_destroy(world);
            }
            assert_int_equal(count[0], count[1]);
            if (memcmp(x[0], x[1], count[0] * sizeof *x[0]))
                fail_msg("%s is changed by %s that is out of reach", names[a], names[b]);
            free(x[0]), free(x[1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_given_is_momentum_taken),
        cmocka_unit_test(out_of_reach_changes_no_bit),
    };
    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
