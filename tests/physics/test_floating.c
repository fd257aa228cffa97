/* Rigid bodies in water: they float as deep as Archimedes says, sink, are carried, and what the water gives they
 * get. */
#include "worlds.h"

#include <unistd.h>

static const double g = 9.81; /* m/s^2 */

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

/* A box with its centre at (x, y, x). */
static ct_body_def box_of(int material, double x, double y, double half)
{
    ct_body_def body = ct_default_body_def();
    body.name = "box", body.material = material;
    body.shape.type = CT_SHAPE_BOX;
    for (int a = 0; a < 3; a++) {
        const double at = a == 1 ? y : x;
        body.shape.min[a] = at - half, body.shape.max[a] = at + half;
    }
    return body;
}

/* Water from the floor to `height`, without what is in the box. */
static void fill_around(ct_world *world, int water, const ct_body_def *box, double width, double height)
{
    ct_body_def pool = ct_default_body_def();
    ct_shape_def parts[2] = {ct_default_shape_def(), box->shape};
    for (int a = 0; a < 3; a++) parts[0].max[a] = a == 1 ? height : width;
    pool.shape.type = CT_SHAPE_DIFFERENCE;
    pool.shape.children = parts, pool.shape.child_count = 2;
    pool.material = water;
    add_body(world, &pool);
}

/* Mean position and velocity of the vertices of the body, which are those of its box. */
static void look(const ct_world *world, double dimension, double x[3], double v[3])
{
    triple *at = positions_of(world), *velocity = velocities_of(world);
    const size_t count = count_of(world);
    uint16_t *body = malloc(count * sizeof *body);
    CHECK(ct_world_read(world, "body", body, count * sizeof *body, error));
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    size_t found = 0;
    memset(v, 0, 3 * sizeof *v);
    for (size_t p = 0; p < count; p++) {
        if (body[p] != 0) continue;
        for (int a = 0; a < dimension; a++) {
            low[a] = fmin(low[a], at[p][a]), high[a] = fmax(high[a], at[p][a]);
            v[a] += velocity[p][a];
        }
        found++;
    }
    assert_true(found > 4);
    for (int a = 0; a < 3; a++) x[a] = a < dimension ? 0.5 * (low[a] + high[a]) : 0, v[a] /= (double)found;
    free(at), free(velocity), free(body);
}

/* A ball of half the water's density comes to rest half submerged. The surface is where the level set says: with the
 * uppermost particles of the lattice a quarter of a spacing below the water's volume, and distances that count from
 * a radius r about them, it lies sqrt(r^2 - (d - 1)/16) - 1/4 spacings above. */
static void floats(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        const double dx = dimension == 2 ? 1.0 / 32 : 1.0 / 16, height = 0.5, r = 0.15;
        ct_world_def def = basin_def(dimension, dx);
        set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
        ct_world *world = create(&def);
        const int wood = add_matter(world, "rigid", 500, NULL, 0),
                  water = add_matter(world, "liquid", 1000, NULL, 0);
        ct_body_def ball = ct_default_body_def();
        ball.name = "ball", ball.material = wood;
        ball.shape.type = CT_SHAPE_SPHERE, ball.shape.radius = r;
        for (int a = 0; a < 3; a++) ball.shape.center[a] = a == 1 ? height - 0.02 : 0.5;
        add_body(world, &ball);
        fill_around(world, water, &ball, 1, height);
        /* the surface after the water took what was displaced at first */
        const double submerged = 0.02, all = 1; /* of the start, m; area of the basin */
        const double extra = dimension == 2 ? 2 * r * submerged : M_PI * r * r * submerged;
        const double radius = 1.02 * 0.5 * sqrt(dimension);
        const double above = sqrt(radius * radius - (dimension - 1) / 16.0) - 0.25;
        const double level = height - extra / all + above * dx;
        double sum = 0, x[3], v[3];
        CHECK(ct_world_run_until(world, 1.5, error));
        for (int k = 1; k <= 15; k++) {
            CHECK(ct_world_run_until(world, 1.5 + 0.1 * k, error));
            look(world, dimension, x, v);
            sum += x[1] / 15;
        }
        print_message("%dD: the ball's centre is %.3f dx above the surface\n", dimension, (sum - level) / dx);
        assert_near(sum, level, 0.15 * dx);
        assert_held(world, &def);
        ct_world_destroy(world);
    }
}

/* A heavy box sinks to the floor, more slowly than it would fall: at the beginning with (m - m_w)/(m + m_added) g. */
static void sinks(void **state)
{
    (void)state;
    ct_world_def def = basin_def(2, 1.0 / 32);
    set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    const int stone = add_matter(world, "rigid", 2500, NULL, 0),
              water = add_matter(world, "liquid", 1000, NULL, 0);
    ct_body_def box = box_of(stone, 0.5, 0.5, 0.1);
    add_body(world, &box);
    fill_around(world, water, &box, 1, 0.8);
    double x[3], v[3];
    CHECK(ct_world_run_until(world, 0.1, error));
    look(world, 2, x, v);
    print_message("acceleration %.3f g\n", -v[1] / 0.1 / g);
    assert_true(-v[1] / 0.1 < 0.6 * g * 0.8 && -v[1] / 0.1 > 0.6 * g * 0.4);
    CHECK(ct_world_run_until(world, 2.5, error));
    look(world, 2, x, v);
    assert_near(x[1], 0.1, 0.01);
    assert_true(fabs(v[1]) < 0.02);
    ct_world_destroy(world);
}

/* In free space, without gravity: a ball that flies in a drop gives it what it loses. The masses of the grid are open
 * fractions, not those of the particles, so that a part of what is exchanged gets lost, which falls with the
 * spacing. */
static void momentum_goes_over(void **state)
{
    (void)state;
    static const struct {
        int dimension;
        double cells, lost;
    } cases[] = {{2, 24, 0.15}, {2, 96, 0.05}, {3, 24, 0.3}};
    for (int k = 0; k < 3; k++) {
        const int dimension = cases[k].dimension;
        ct_world_def def = basin_def(dimension, 1 / cases[k].cells);
        def.gravity.constant[1] = 0;
        ct_world *world = create(&def);
        const int iron = add_matter(world, "rigid", 3000, NULL, 0),
                  water = add_matter(world, "liquid", 1000, NULL, 0);
        ct_body_def stone = ball(iron, 0.02, 0.01, 0, 0.125), drop = ct_default_body_def();
        ct_shape_def parts[2] = {stone.shape, stone.shape};
        stone.name = "stone", stone.velocity[0] = 1;
        parts[0].radius = 0.4;
        drop.shape.type = CT_SHAPE_DIFFERENCE, drop.shape.children = parts, drop.shape.child_count = 2;
        drop.material = water;
        add_body(world, &stone);
        add_body(world, &drop);
        const ct_world_sums before = ct_world_get_sums(world);
        double x[3], v[3];
        CHECK(ct_world_run_until(world, 0.1, error));
        const ct_world_sums after = ct_world_get_sums(world);
        look(world, dimension, x, v);
        const double mass = 3000 * (dimension == 2 ? M_PI * 0.125 * 0.125 : 4.0 / 3 * M_PI * pow(0.125, 3));
        const double given = mass * (1 - v[0]);
        print_message("%dD: the ball has %.3f m/s left; of the momentum it gave %.2f%% is gone\n", dimension,
                      v[0], 100 * (before.momentum[0] - after.momentum[0]) / given);
        assert_true(given > 0.1 * mass); /* control: it did push */
        assert_near(after.momentum[0], before.momentum[0], cases[k].lost * given);
        assert_near(after.momentum[1], 0, cases[k].lost * given);
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
    const int wood = add_matter(world, "rigid", 300, NULL, 0),
              water = add_matter(world, "liquid", 1000, NULL, 0);
    ct_body_def box = box_of(wood, 0.6, 0.7, 0.1), pool = block(water, 0, 0, 0, 1, 0.4, 1);
    box.shape.rotate_angle = 0.3;
    box.velocity[1] = -2, box.spin_axis[2] = 1, box.spin_rate = 3;
    add_body(world, &box);
    add_body(world, &pool);
    return world;
}

/* For any number of threads, and across a checkpoint, a box that splashes into a pool moves by the same bits. */
static void same_bits(void **state)
{
    (void)state;
    ct_world *worlds[3] = {splash(1), splash(4), splash(2)};
    char path[] = "float_XXXXXX";
    close(mkstemp(path));
    CHECK(ct_world_run_until(worlds[0], 0.15, error));
    CHECK(ct_world_run_until(worlds[1], 0.15, error));
    CHECK(ct_world_save(worlds[0], path, error));
    CHECK(ct_world_restore(worlds[2], path, error));
    unlink(path);
    for (int k = 0; k < 3; k++) CHECK(ct_world_run_until(worlds[k], 0.4, error));
    double x[3], v[3];
    look(worlds[0], 2, x, v);
    assert_true(fabs(v[1] + 2 + g * 0.4) > 1); /* control: the water held it back */
    assert_same(hash_of(worlds[0]), hash_of(worlds[1]));
    assert_same(hash_of(worlds[0]), hash_of(worlds[2]));
    for (int k = 0; k < 3; k++) ct_world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats),
        cmocka_unit_test(sinks),
        cmocka_unit_test(momentum_goes_over),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
