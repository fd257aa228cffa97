/* Other kinds of matter in water: bodies of elements, of the material point method and of peridynamics float as deep
 * as Archimedes says, sand sinks, and what the water gives they get. */
#include "physics/accounts.h"
#include "physics/worlds.h"

#include <unistd.h>

typedef struct kind {
    const char *name, *type;
    ct_method method;
    double poisson;
} kind;

static const kind kinds[] = {
    {"elements", "fixed_corotated", CT_METHOD_ELEMENTS, 0.4},
    {"mpm", "fixed_corotated", CT_METHOD_MPM, 0.4},
    {"peridynamics", "elastic", CT_METHOD_PERIDYNAMICS, 0.25},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static ct_world_def basin_def(int dimension, double spacing)
{
    ct_world_def def = ct_default_world_def();
    def.method = CT_METHOD_FLUID;
    def.dimension = dimension;
    def.precision = CT_DOUBLE;
    def.spacing = spacing;
    def.threads = 1;
    return def;
}

static int add_kind(ct_world *world, ct_method method, const char *type, double density,
                    const ct_parameter *parameters, int count)
{
    ct_material_def def = ct_default_material_def();
    int material = -1;
    def.name = type, def.type = type, def.density = density;
    def.parameters = parameters, def.parameter_count = count;
    def.method = method;
    CHECK(ct_world_add_material(world, &def, &material, error));
    return material;
}

static int add_rubber(ct_world *world, const kind *k, double density)
{
    const ct_parameter parameters[] = {{"young", 1e5}, {"poisson", k->poisson}};
    return add_kind(world, k->method, k->type, density, parameters, 2);
}

static int add_water(ct_world *world)
{
    return add_kind(world, CT_METHOD_FLUID, "liquid", 1000, NULL, 0);
}

static ct_body_def body_of(const kind *k, int material, double x, double y, double z, double radius)
{
    ct_body_def body = ball(material, x, y, z, radius);
    body.name = "ball";
    body.method = k->method;
    body.elements.integration = CT_INTEGRATION_IMPLICIT;
    if (k->method == CT_METHOD_PERIDYNAMICS) body.pattern = CT_PATTERN_LATTICE, body.per_cell = 1;
    return body;
}

/* Water in a shape, without what a body takes up. */
static void add_around(ct_world *world, int water, const ct_body_def *body, const ct_shape_def *shape)
{
    ct_body_def pool = ct_default_body_def();
    ct_shape_def parts[2] = {*shape, body->shape};
    pool.name = "pool";
    pool.shape.type = CT_SHAPE_DIFFERENCE;
    pool.shape.children = parts, pool.shape.child_count = 2;
    pool.material = water;
    add_body(world, &pool);
}

/* A ball of half the water's density comes to rest half submerged: where the surface is, test_floating.c says. */
static void floats(void **state)
{
    (void)state;
    static const struct {
        int kind, dimension;
        double spacing;
    } cases[] = {{0, 2, 1.0 / 32}, {1, 2, 1.0 / 32}, {2, 2, 1.0 / 32}, {0, 3, 1.0 / 16}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int dimension = cases[k].dimension;
        const double dx = cases[k].spacing, height = 0.5, r = 0.15, radius = 1.02 * 0.5 * sqrt(dimension);
        ct_world_def def = basin_def(dimension, dx);
        set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
        ct_world *world = create(&def);
        const kind *of = &kinds[cases[k].kind];
        const int rubber = add_rubber(world, of, 500), water = add_water(world);
        ct_body_def body = body_of(of, rubber, 0.5, height - 0.02, 0.5, r);
        ct_shape_def box = ct_default_shape_def();
        for (int a = 0; a < 3; a++) box.max[a] = a == 1 ? height : 1;
        add_body(world, &body);
        add_around(world, water, &body, &box);
        const double extra = 0.02 * (dimension == 2 ? 2 * r : M_PI * r * r);
        const double level = height - extra + (sqrt(radius * radius - (dimension - 1) / 16.0) - 0.25) * dx;
        double sum = 0;
        CHECK(ct_world_run_until(world, 1, error));
        for (int i = 1; i <= 10; i++) {
            CHECK(ct_world_run_until(world, 1 + 0.1 * i, error));
            sum += motion_of(world, 0).position[1] / 10;
        }
        print_message("%s, %dD: the centre is %.3f dx above the surface\n", of->name, dimension,
                      (sum - level) / dx);
        assert_near(sum, level, 0.5 * dx);
        ct_world_destroy(world);
    }
}

/* In free space a ball flies in a drop. What the body got is what its momentum has changed by, and the opposite of
 * what the water got, to round-off. The pressure of the water itself knows open fractions instead of the particles'
 * masses, as without other matter, and with the spacing what it loses by that falls. */
static void momentum_goes_over(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int fine = 0; fine < 2; fine++) {
            ct_world_def def = basin_def(2, fine ? 1.0 / 48 : 1.0 / 24);
            def.gravity.constant[1] = 0;
            ct_world *world = create(&def);
            const int iron = add_rubber(world, &kinds[k], 3000), water = add_water(world);
            ct_body_def stone = body_of(&kinds[k], iron, 0.02, 0.01, 0, 0.125);
            ct_shape_def drop = stone.shape;
            drop.radius = 0.4;
            stone.velocity[0] = 1;
            add_body(world, &stone);
            add_around(world, water, &stone, &drop);
            const ct_body_motion before = motion_of(world, 0);
            CHECK(ct_world_run_until(world, 0.1, error));
            const ct_body_motion after = motion_of(world, 0);
            const ct_body_contact got = given_to(world, 0, 1), gave = given_to(world, 1, 0);
            const double whole = before.momentum[0], gone = -got.impulse[0];
            const double total = after.momentum[0] + motion_of(world, 1).momentum[0];
            print_message("%s: of the momentum that it gave %.2f%% is gone\n", kinds[k].name,
                          100 * (whole - total) / gone);
            assert_true(gone > 0.1 * whole); /* control: it did push */
            for (int a = 0; a < 2; a++) {
                assert_near(after.momentum[a] - before.momentum[a], got.impulse[a], 1e-12 * whole);
                assert_true(gave.impulse[a] == -got.impulse[a]);
            }
            assert_near(total, whole, (fine ? 0.05 : 0.1) * gone);
            ct_world_destroy(world);
        }
}

/* Grains of 1600 kg/m^3 sink to the floor; of 400 kg/m^3 they float. */
static void grains_sink(void **state)
{
    (void)state;
    for (int is_light = 0; is_light < 2; is_light++) {
        ct_world_def def = basin_def(2, 1.0 / 32);
        set_domain(&def, 0.8, 1, 1, CT_WALL_SLIP, 0);
        ct_world *world = create(&def);
        const ct_parameter parameters[] = {{"young", 1e5}, {"poisson", 0.3}, {"friction_angle", 0.6}};
        const int sand =
                      add_kind(world, CT_METHOD_MPM, "drucker_prager", is_light ? 400 : 1600, parameters, 3),
                  water = add_water(world);
        ct_body_def heap = block(sand, 0.3, 0.45, 0, 0.2, 0.2, 1), pool = block(water, 0, 0, 0, 0.8, 0.4, 1);
        heap.method = CT_METHOD_MPM;
        add_body(world, &heap);
        add_body(world, &pool);
        CHECK(ct_world_run_until(world, 1.5, error));
        const double height = motion_of(world, 0).position[1];
        print_message("grains of %s end %.3f m high\n", is_light ? "cork" : "sand", height);
        if (is_light) assert_true(height > 0.38);
        else assert_true(height < 0.15);
        ct_world_destroy(world);
    }
}

static ct_world *splash(int threads)
{
    ct_world_def def = basin_def(2, 1.0 / 24);
    def.precision = CT_FLOAT;
    def.threads = threads;
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    int material[KINDS];
    for (int k = 0; k < KINDS; k++) material[k] = add_rubber(world, &kinds[k], 800);
    const int water = add_water(world);
    for (int k = 0; k < KINDS; k++) {
        ct_body_def body = body_of(&kinds[k], material[k], 0.2 + 0.3 * k, 0.55, 0, 0.09);
        body.velocity[1] = -2;
        add_body(world, &body);
    }
    ct_body_def pool = block(water, 0, 0, 0, 1, 0.4, 1);
    add_body(world, &pool);
    return world;
}

/* For any number of threads, and across a checkpoint, three kinds that fall into a pool move by the same bits. */
static void same_bits(void **state)
{
    (void)state;
    ct_world *worlds[3] = {splash(1), splash(4), splash(2)};
    char path[] = "immersed_XXXXXX";
    close(mkstemp(path));
    CHECK(ct_world_run_until(worlds[0], 0.08, error));
    CHECK(ct_world_run_until(worlds[1], 0.08, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[2], path, error));
    unlink(path);
    for (int k = 0; k < 3; k++) CHECK(ct_world_run_until(worlds[k], 0.2, error));
    assert_same(hash_of(worlds[0]), hash_of(worlds[1]));
    assert_same(hash_of(worlds[0]), hash_of(worlds[2]));
    for (int k = 0; k < KINDS; k++) { /* control: all were held back */
        ct_body_motion motions[4];
        CHECK(ct_world_body_motions(worlds[0], motions, 4, error));
        assert_true(motions[k].momentum[1] / motions[k].mass > -2 - 0.2 * 9.81 + 1);
    }
    for (int k = 0; k < 3; k++) ct_world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats),
        cmocka_unit_test(momentum_goes_over),
        cmocka_unit_test(grains_sink),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
