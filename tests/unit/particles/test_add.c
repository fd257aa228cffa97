/* Adding bodies to a world: what it takes, what it brings, and that a body that cannot be added leaves no
 * trace. */
#include "physics/worlds.h"
#include "unit/kinds.h"
#include "world.h"

/* ---- memory ------------------------------------------------------------------------------------------- */

/* A particle of a float 3D world holds 26 reals, two 16-bit numbers and one of 32 bits: 112 bytes. A seed is
 * 24 more while the body is added; blocks and all else are to stay below 9. */
static void check_peak(ct_pattern pattern, double cells, double most)
{
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 1.0 / 64);
    def.precision = CT_FLOAT;
    ct_world *world = create(&def);
    ct_body_def body = block(add_dust(world), 0, 0, 0, cells / 64, 25.0 / 64, 25.0 / 64);
    body.pattern = pattern;
    body.spin_rate = 1;
    body.deformation[1] = 0.1;
    add_body(world, &body);
    ct_world_info info = ct_world_get_info(world);
    double count = (double)info.particles;
    assert_near(count, 8 * cells * 25 * 25, pattern == CT_PATTERN_POISSON ? 0.05 * count : 0);
    assert_true((double)info.bytes >= 112 * count); /* the count of bytes counts */
    assert_true((double)info.bytes <= 118 * count); /* no seed is left */
    if ((double)info.peak_bytes > most * count)
        fail_msg("pattern %d: %g bytes per particle", (int)pattern, (double)info.peak_bytes / count);
    ct_world_destroy(world);
}

static void a_body_takes_little_memory(void **state)
{
    (void)state;
    check_peak(CT_PATTERN_LATTICE, 40, 145); /* 200,000 particles */
    check_peak(CT_PATTERN_JITTERED, 40, 145);
    check_peak(CT_PATTERN_POISSON, 8, 150); /* the margin of the dart board weighs on a small body */
}

/* ---- what is added ------------------------------------------------------------------------------------ */

static const struct {
    int dimension;
    ct_precision precision;
    ct_kernel kernel;
} variants[] = {{2, CT_FLOAT, CT_KERNEL_QUADRATIC},
                {2, CT_DOUBLE, CT_KERNEL_CUBIC},
                {3, CT_FLOAT, CT_KERNEL_CUBIC},
                {3, CT_DOUBLE, CT_KERNEL_QUADRATIC}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static ct_world *variant_world(int variant)
{
    ct_world_def def = quiet_def(variants[variant].dimension, variants[variant].kernel, 0.1);
    def.precision = variants[variant].precision;
    return create(&def);
}

static void new_particles_come_one_run_a_block(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        ct_world *world = variant_world(variant);
        ct_body_def first = ball(add_dust(world), 0.2, -0.3, 0.1, 0.6), second = first;
        second.shape.center[0] = 0.5; /* in part in the same blocks */
        second.pattern = CT_PATTERN_POISSON;
        add_body(world, &first);
        size_t runs = cloud_of(world)->grid.blocks.occupied, count = count_of(world);
        add_body(world, &second);
        const ct_blocks *blocks = &cloud_of(world)->grid.blocks;
        assert_true(runs > 8 && blocks->occupied > runs + 8);
        assert_int_equal(blocks->first[0], 0);
        assert_int_equal(blocks->first[runs], count);
        assert_int_equal(blocks->first[blocks->occupied], count_of(world));
        for (size_t b = 0; b < blocks->occupied; b++) {
            assert_true(blocks->first[b] < blocks->first[b + 1]);
            for (size_t c = b < runs ? 0 : runs; c < b; c++)
                assert_memory_not_equal(blocks->coordinate[b], blocks->coordinate[c], 3 * sizeof(int32_t));
        }
        ct_view position, id;
        CHECK(ct_world_view(world, "cell_position", &position, error));
        CHECK(ct_world_view(world, "id", &id, error));
        for (int a = 0; a < position.components; a++)
            for (size_t p = 0; p < position.count; p++) {
                const char *plane = (const char *)position.data + (size_t)a * position.component_stride;
                double x = position.type == CT_TYPE_FLOAT64 ? ((const double *)plane)[p]
                                                            : (double)((const float *)plane)[p];
                assert_true(x >= 0 && x < 4);
                assert_true((((const uint32_t *)id.data)[p] < count) == (p < count));
            }
        ct_world_destroy(world);
    }
}

/* Every particle is where its seed is, with its velocity, in the order of ids. */
static void particles_are_their_seeds(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        ct_world *world = variant_world(variant);
        ct_body_def body = ball(add_dust(world), 0.2, -0.3, 0.1, 0.4);
        body.pattern = CT_PATTERN_JITTERED;
        body.velocity[0] = 3, body.spin_rate = 2;
        add_body(world, &body);
        int dimension = variants[variant].dimension;
        ct_lattice lattice = {.dimension = dimension, .spacing = {0.1, 0.1, 0.1}};
        ct_heap heap;
        ct_heap_init(&heap, (ct_allocator){0});
        ct_seeds seeds;
        double gradient[9];
        CHECK(ct_seed_body(&heap, &lattice, &body, world->common.def.seed, &seeds, gradient, error));
        assert_int_equal(seeds.count, count_of(world));
        triple *x = positions_of(world), *v = velocities_of(world);
        for (size_t k = 0; k < seeds.count; k++) {
            double at[3], velocity[3];
            ct_seed_position(&seeds, k, at);
            ct_seed_velocity(&seeds, k, velocity);
            bool is_float = variants[variant].precision == CT_FLOAT;
            for (int a = 0; a < dimension; a++) {
                assert_near(x[k][a], at[a], 4 * 0x1p-53); /* a place in a cell is exact in float, too */
                assert_true(v[k][a] == (is_float ? (double)(float)velocity[a] : velocity[a]));
            }
        }
        free(x), free(v);
        ct_seeds_release(&seeds);
        ct_world_destroy(world);
    }
}

/* ---- energy ------------------------------------------------------------------------------------------- */

/* A body brings its energy into the budget: what was lost stays what it was, to rounding of the total. */
static void the_budget_takes_a_late_body(void **state)
{
    (void)state;
    ct_world_def def = quiet_def(3, CT_KERNEL_QUADRATIC, 0.1);
    def.energy_budget = true;
    def.gravity.constant[1] = -9.81;
    ct_world *world = create(&def);
    int soft = add_elastic(world, "fixed_corotated", 1000, 2e4, 0.3);
    ct_body_def body = ball(soft, 0, 1, 0, 0.3), late = ball(soft, 1, 2, 0, 0.3);
    body.velocity[0] = 2, body.deformation[0] = 1.1;
    late.velocity[1] = -5, late.deformation[4] = 0.9, late.spin_rate = 3, late.spin_axis[0] = 1;
    add_body(world, &body);
    ct_world_sums before = ct_world_get_sums(world);
    double total = before.kinetic + before.elastic + before.gravitational;
    assert_true(before.kinetic > 100 && before.elastic > 10 && before.gravitational > 100);
    assert_near(before.lost_on_grid, 0, 1e-12 * total);
    assert_true(before.lost_in_transfers == 0);
    steps(world, 3);
    before = ct_world_get_sums(world);
    assert_true(fabs(before.lost_on_grid) > 1e-9 * total);
    add_body(world, &late);
    ct_world_sums after = ct_world_get_sums(world);
    assert_true(after.kinetic > before.kinetic + 100 && after.elastic > before.elastic + 10);
    assert_near(after.lost_on_grid, before.lost_on_grid, 1e-12 * total);
    assert_true(after.lost_in_transfers == before.lost_in_transfers);
    ct_world_destroy(world);
}

/* ---- failure ------------------------------------------------------------------------------------------ */

static ct_world *half_full(bool has_domain)
{
    ct_world_def def = quiet_def(2, CT_KERNEL_QUADRATIC, 0.1);
    def.energy_budget = true;
    if (has_domain) set_domain(&def, 1, 1, 1, CT_WALL_SLIP, 0);
    ct_world *world = create(&def);
    ct_body_def body = ball(add_elastic(world, "neo_hookean", 500, 1e4, 0.2), 0.5, 0.5, 0, 0.3);
    body.spin_rate = 3;
    add_body(world, &body);
    steps(world, 4);
    return world;
}

/* Two points of little mass, of which only the first is well placed. */
static ct_body_def points_to(double (*points)[3], double x, double y)
{
    ct_body_def def = ct_default_body_def();
    points[0][0] = points[0][1] = 0.25, points[0][2] = 0;
    points[1][0] = x, points[1][1] = y, points[1][2] = 0;
    def.shape.type = CT_SHAPE_POINTS;
    def.shape.points = (const double(*)[3])points;
    def.shape.point_count = 2;
    def.shape.point_volume = 1e-9;
    return def;
}

static void a_body_that_fails_leaves_no_trace(void **state)
{
    (void)state;
    static const struct {
        bool has_domain;
        double x, y;
        const char *text;
    } cases[] = {{true, 0.5, 1.5, "outside the domain"},
                 {false, 0.5, NAN, "not at a finite place"},
                 {false, -1e9, 0.5, "a particle at (-1e+09, 0.5, 0) m is too far away"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_world *world = half_full(cases[i].has_domain), *untouched = half_full(cases[i].has_domain);
        double points[2][3];
        ct_body_def body = points_to(points, cases[i].x, cases[i].y);
        ct_error error;
        int index = -7;
        assert_int_equal(ct_world_add_body(world, &body, &index, &error), CT_BAD_USAGE);
        assert_non_null(strstr(error.message, cases[i].text));
        assert_int_equal(index, -7);
        ct_world_info info = ct_world_get_info(world), expected = ct_world_get_info(untouched);
        assert_int_equal(info.particles, expected.particles);
        assert_int_equal(info.blocks, expected.blocks);
        assert_int_equal(ct_world_generation(world), ct_world_generation(untouched));
        assert_int_equal(world->common.body_count, untouched->common.body_count);
        assert_int_equal(world->common.next_id, untouched->common.next_id);
        assert_true(cloud_of(world)->least_mass == cloud_of(untouched)->least_mass);
        assert_memory_equal(&world->common.budget, &untouched->common.budget, sizeof world->common.budget);
        assert_same(hash_of(world), hash_of(untouched));
        steps(world, 3), steps(untouched, 3);
        assert_same(hash_of(world), hash_of(untouched));
        ct_world_destroy(world), ct_world_destroy(untouched);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_takes_little_memory),
        cmocka_unit_test(new_particles_come_one_run_a_block),
        cmocka_unit_test(particles_are_their_seeds),
        cmocka_unit_test(the_budget_takes_a_late_body),
        cmocka_unit_test(a_body_that_fails_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
