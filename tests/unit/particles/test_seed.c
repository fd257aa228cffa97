#include "helpers.h"

#include "particles/seed.h"
#include "particles/shape.h"

static const ct_lattice lattice_3d = {
    .dimension = 3, .origin = {0.05, -0.1, 0.2}, .spacing = {0.1, 0.1, 0.1}};
static const ct_lattice lattice_2d = {.dimension = 2, .origin = {0.05, -0.1, 7}, .spacing = {0.1, 0.1, 0.1}};
static const double quanta = 1 << 20;

static ct_shape_def sphere(double x, double y, double z, double radius)
{
    ct_shape_def def = shape_def(CT_SHAPE_SPHERE);
    def.center[0] = x, def.center[1] = y, def.center[2] = z, def.radius = radius;
    return def;
}

/* The box of whole cells [first, first + count) of a lattice. */
static ct_shape_def cell_box(const ct_lattice *lattice, int first, int x, int y, int z)
{
    ct_shape_def def = shape_def(CT_SHAPE_BOX);
    int count[3] = {x, y, z};
    for (int a = 0; a < 3; a++) {
        def.min[a] = lattice->origin[a] + first * lattice->spacing[a];
        def.max[a] = lattice->origin[a] + (first + count[a]) * lattice->spacing[a];
    }
    return def;
}

static ct_seeds seed_body(ct_heap *heap, const ct_lattice *lattice, const ct_body_def *def,
                          double gradient[9])
{
    ct_seeds seeds;
    ct_error error;
    double ignored[9];
    if (ct_seed_body(heap, lattice, def, 1, &seeds, gradient ? gradient : ignored, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    return seeds;
}

static double sum_of_volumes(const ct_seeds *seeds)
{
    double sum = 0;
    for (size_t p = 0; p < seeds->count; p++) sum += ct_seed_volume(seeds, p);
    return sum;
}

typedef struct triple {
    double at[3];
} triple;

static triple position_of(const ct_seeds *seeds, size_t p)
{
    triple x;
    ct_seed_position(seeds, p, x.at);
    return x;
}

static triple velocity_of(const ct_seeds *seeds, size_t p)
{
    triple v;
    ct_seed_velocity(seeds, p, v.at);
    return v;
}

static void mean_position(const ct_seeds *seeds, double mean[3])
{
    double sum[3] = {0}, volume = sum_of_volumes(seeds);
    for (size_t p = 0; p < seeds->count; p++)
        for (int a = 0; a < 3; a++) sum[a] += ct_seed_volume(seeds, p) * position_of(seeds, p).at[a];
    for (int a = 0; a < 3; a++) mean[a] = sum[a] / volume;
}

/* In cells from the origin of the lattice, from the position in metres; the exact number, which must agree,
 * is ct_seed_cells. */
static double cells_at(const ct_lattice *lattice, const ct_seeds *seeds, size_t p, int axis)
{
    double exact[3], x = position_of(seeds, p).at[axis];
    double cells = (x - lattice->origin[axis]) / lattice->spacing[axis];
    ct_seed_cells(seeds, p, exact);
    expect_near(cells, exact[axis], 1e-14 * fmax(1, fabs(x) / lattice->spacing[axis]));
    return cells;
}

/* ---- Counts and volumes ------------------------------------------------------------------------------- */

/* Every cell of a box of whole cells holds exactly per_cell samples, and the volumes add up to the box's. */
static void check_whole_cells(const ct_lattice *lattice, ct_pattern pattern, int per_cell)
{
    enum { X = 5, Y = 4, Z = 3 };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(lattice, -2, X, Y, Z));
    def.pattern = pattern, def.per_cell = per_cell;
    ct_seeds seeds = seed_body(&heap, lattice, &def, NULL);
    int depth = lattice->dimension == 3 ? Z : 1, held[X][Y][Z] = {0};
    int expected = per_cell ? per_cell : 1 << lattice->dimension;
    assert_int_equal(seeds.count, expected * X * Y * depth);
    expect_near(sum_of_volumes(&seeds), X * Y * depth * pow(0.1, lattice->dimension), 1e-13);
    for (size_t p = 0; p < seeds.count; p++) {
        int cell[3] = {0};
        for (int a = 0; a < lattice->dimension; a++) {
            double at = cells_at(lattice, &seeds, p, a) + 2;
            cell[a] = (int)floor(at + 0.5 / quanta);
            expect_near(at * quanta, nearbyint(at * quanta), 1e-6);
        }
        if (lattice->dimension == 2) assert_true(position_of(&seeds, p).at[2] == 0);
        held[cell[0]][cell[1]][cell[2]]++;
    }
    for (int x = 0; x < X; x++)
        for (int y = 0; y < Y; y++)
            for (int z = 0; z < depth; z++) assert_int_equal(held[x][y][z], expected);
    assert_null(seeds.deformation);
    assert_null(seeds.velocity);
    assert_null(seeds.volume);
    assert_int_equal(seeds.capacity, seeds.count);
    ct_seeds_release(&seeds);
    assert_int_equal(heap.bytes, 0);
}

static void whole_cells_hold_exactly_per_cell(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 5, 6, 8, 9, 12, 16, 27, 64};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        check_whole_cells(&lattice_3d, CT_PATTERN_LATTICE, counts[i]);
        check_whole_cells(&lattice_3d, CT_PATTERN_JITTERED, counts[i]);
        check_whole_cells(&lattice_2d, CT_PATTERN_LATTICE, counts[i]);
        check_whole_cells(&lattice_2d, CT_PATTERN_JITTERED, counts[i]);
    }
}

/* 8 a cell stand at the quarters; 6 are 3 x 2 x 1. */
static void lattice_samples_stand_where_they_should(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(&lattice_3d, 0, 1, 1, 1));
    def.per_cell = 8;
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    for (size_t p = 0; p < 8; p++)
        for (int a = 0; a < 3; a++)
            expect_near(cells_at(&lattice_3d, &seeds, p, a), (p >> (2 - a)) & 1 ? 0.75 : 0.25, 1e-14);
    ct_seeds_release(&seeds);
    def.per_cell = 6;
    seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    for (size_t p = 0; p < 6; p++) {
        expect_near(cells_at(&lattice_3d, &seeds, p, 0), ((double)(p / 2) + 0.5) / 3, 0.5 / quanta);
        expect_near(cells_at(&lattice_3d, &seeds, p, 1), p % 2 ? 0.75 : 0.25, 1e-14);
        expect_near(cells_at(&lattice_3d, &seeds, p, 2), 0.5, 1e-14);
    }
    ct_seeds_release(&seeds);
}

/* The volume of a ball, to the accuracy of its lattice: the error of counting N samples is of the order of
 * the surface's share, sqrt of N^(2/3) of them at random. */
static void a_ball_has_its_volume(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int pattern = CT_PATTERN_LATTICE; pattern <= CT_PATTERN_POISSON; pattern++) {
        ct_body_def def = body_def(sphere(0.31, 0.22, 0.17, 0.75));
        def.pattern = (ct_pattern)pattern;
        ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
        double volume = 4.0 / 3 * acos(-1) * 0.75 * 0.75 * 0.75;
        expect_near(sum_of_volumes(&seeds) / volume, 1, 0.005);
        for (size_t p = 0; p < seeds.count; p++)
            assert_true(distance_between(position_of(&seeds, p).at, def.shape.center) < 0.75 + 1e-6);
        ct_seeds_release(&seeds);
    }
}

/* Cells far from the surface are not tested sample by sample; the samples are those that brute force finds.
 */
static void check_against_brute_force(const ct_lattice *lattice, ct_shape_def shape)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(shape), around = body_def(cell_box(lattice, -20, 40, 40, 40));
    ct_seeds seeds = seed_body(&heap, lattice, &def, NULL), all = seed_body(&heap, lattice, &around, NULL);
    ct_shape *solid;
    assert_int_equal(ct_shape_create(&heap, lattice->dimension, &shape, "it", &solid, NULL), CT_OK);
    size_t found = 0;
    for (size_t p = 0; p < all.count; p++) {
        if (!ct_shape_contains(solid, position_of(&all, p).at)) continue;
        double expected[3], cells[3];
        ct_seed_cells(&all, p, expected);
        assert_true(found < seeds.count);
        ct_seed_cells(&seeds, found++, cells);
        assert_memory_equal(cells, expected, sizeof cells);
    }
    assert_int_equal(found, seeds.count);
    assert_true(found > 400 && found < all.count / 2);
    ct_shape_destroy(solid);
    ct_seeds_release(&all);
    ct_seeds_release(&seeds);
}

static void whole_cells_are_spared_the_test_rightly(void **state)
{
    (void)state;
    ct_shape_def torus = shape_def(CT_SHAPE_TORUS), children[2], carved = shape_def(CT_SHAPE_DIFFERENCE);
    torus.axis[2] = 1, torus.radius = 0.611, torus.tube = 0.3217;
    torus.scale[0] = 1.7, torus.scale[1] = 0.8;
    torus.rotate_axis[2] = 1, torus.rotate_angle = 0.7;
    children[0] = sphere(0.123, 0.217, -0.031, 0.977), children[1] = sphere(0.4321, 0.1, 0.05, 0.613);
    carved.children = children, carved.child_count = 2;
    check_against_brute_force(&lattice_3d, torus);
    check_against_brute_force(&lattice_3d, carved);
    check_against_brute_force(&lattice_2d, carved);
}

/* Samples right on a face belong to exactly one of the two bodies that share it. */
static void bodies_that_share_a_face_share_no_sample(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def whole = body_def(cell_box(&lattice_3d, 0, 6, 2, 2));
    ct_body_def left = whole, right = whole;
    left.shape.max[0] = right.shape.min[0] = lattice_3d.origin[0] + 2.25 * 0.1; /* samples at 2.25 cells */
    ct_seeds all = seed_body(&heap, &lattice_3d, &whole, NULL),
             a = seed_body(&heap, &lattice_3d, &left, NULL), b = seed_body(&heap, &lattice_3d, &right, NULL);
    assert_int_equal(a.count + b.count, all.count);
    assert_int_equal(a.count, 4 * 4 * 4);
    ct_seeds_release(&all);
    ct_seeds_release(&a);
    ct_seeds_release(&b);
}

/* ---- Poisson ------------------------------------------------------------------------------------------ */

static double least_distance(const ct_seeds *seeds)
{
    double least = INFINITY;
    for (size_t p = 0; p < seeds->count; p++)
        for (size_t q = 0; q < p; q++)
            least = fmin(least, distance_between(position_of(seeds, p).at, position_of(seeds, q).at));
    return least;
}

/* The count is within 5% and the volume exact, and no two samples are nearer than nine tenths of what a large
 * body of this density n has: 0.79 / sqrt(n) in the plane and 0.87 / cbrt(n) in space. (Jittered samples come
 * as near as they like: see the control.) */
static void check_poisson(const ct_lattice *lattice, ct_shape_def shape, double volume, int per_cell,
                          double reach)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(shape);
    def.pattern = CT_PATTERN_POISSON, def.per_cell = per_cell;
    ct_seeds seeds = seed_body(&heap, lattice, &def, NULL);
    double cell = pow(0.1, lattice->dimension), wanted = per_cell * volume / cell;
    expect_near((double)seeds.count / wanted, 1, 0.05);
    expect_near(sum_of_volumes(&seeds), volume, 0.003 * volume);
    double typical = reach * pow(cell / per_cell, 1.0 / lattice->dimension), least = least_distance(&seeds);
    assert_true(least > 0.9 * typical && least < 1.15 * typical);
    for (size_t p = 0; p < seeds.count; p++)
        for (int a = 0; a < lattice->dimension; a++) {
            double at = cells_at(lattice, &seeds, p, a) * quanta;
            expect_near(at, nearbyint(at), 1e-6);
        }
    ct_seeds_release(&seeds);
    assert_int_equal(heap.bytes, 0);
}

static void poisson_samples_keep_apart(void **state)
{
    (void)state;
    const double pi = acos(-1);
    check_poisson(&lattice_2d, cell_box(&lattice_2d, 1, 12, 9, 1), 12 * 9 * 0.01, 4, 0.79);
    check_poisson(&lattice_2d, cell_box(&lattice_2d, 1, 4, 4, 1), 16 * 0.01, 9, 0.79);
    check_poisson(&lattice_2d, sphere(0.3, 0.2, 0, 0.63), pi * 0.63 * 0.63, 5, 0.79);
    check_poisson(&lattice_3d, cell_box(&lattice_3d, -1, 6, 7, 5), 210 * 0.001, 8, 0.87);
    check_poisson(&lattice_3d, sphere(0.3, 0.2, 0.1, 0.4), 4.0 / 3 * pi * 0.064, 8, 0.87);
}

/* The control: without the rule the least distance is far less. */
static void jittered_samples_do_not_keep_apart(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(&lattice_3d, -1, 6, 7, 5));
    def.pattern = CT_PATTERN_JITTERED;
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    assert_true(least_distance(&seeds) < 0.3 * 0.87 * 0.05);
    ct_seeds_release(&seeds);
}

static void poisson_volume_is_exact_for_whole_cells(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(&lattice_3d, 3, 4, 5, 3));
    def.pattern = CT_PATTERN_POISSON;
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    expect_near(sum_of_volumes(&seeds), 60 * 0.001, 1e-15);
    ct_seeds_release(&seeds);
}

/* ---- The same samples everywhere ---------------------------------------------------------------------- */

/* A scene moved by whole cells, here by about a kilometre, gives the same offsets in the cells, and the same
 * velocities and deformations, to the last bit. */
static void check_moved(const ct_lattice *lattice, ct_pattern pattern)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_shape_def children[2] = {sphere(0.3, 0.2, 0.1, 0.55), sphere(0.45, 0.2, 0.1, 0.2)};
    ct_body_def def = body_def(shape_def(CT_SHAPE_DIFFERENCE));
    def.shape.children = children, def.shape.child_count = 2;
    def.pattern = pattern;
    def.spin_axis[2] = 1, def.spin_rate = 3;
    def.gradient[1] = 0.7, def.has_center = true, def.center[0] = 0.123;
    def.deformation[1] = 0.3, def.move_by_deformation = true;
    ct_seeds here = seed_body(&heap, lattice, &def, NULL);
    const double cells[3] = {10240, -7168, 512};
    for (int c = 0; c < 2; c++)
        for (int a = 0; a < 3; a++) children[c].center[a] += cells[a] * lattice->spacing[a];
    for (int a = 0; a < 3; a++) def.center[a] += cells[a] * lattice->spacing[a];
    ct_seeds there = seed_body(&heap, lattice, &def, NULL);
    assert_true(here.count > 300);
    assert_int_equal(here.count, there.count);
    for (size_t p = 0; p < here.count; p++)
        for (int a = 0; a < lattice->dimension; a++) {
            double near = cells_at(lattice, &here, p, a) * quanta,
                   far = cells_at(lattice, &there, p, a) * quanta;
            assert_true(nearbyint(near) == nearbyint(far - cells[a] * quanta));
            expect_near(far, nearbyint(far), 1e-3);
        }
    for (size_t p = 0; p < here.count; p++) {
        double exact[2][3], velocity[2][3], F[2][9];
        const ct_seeds *both[2] = {&here, &there};
        for (int i = 0; i < 2; i++) {
            ct_seed_cells(both[i], p, exact[i]);
            ct_seed_velocity(both[i], p, velocity[i]);
            ct_seed_deformation(both[i], p, F[i]);
        }
        for (int a = 0; a < lattice->dimension; a++) {
            assert_true(exact[0][a] * quanta == nearbyint(exact[0][a] * quanta));
            assert_true(exact[1][a] == exact[0][a] + cells[a]);
        }
        assert_memory_equal(velocity[0], velocity[1], sizeof velocity[0]);
        assert_memory_equal(F[0], F[1], sizeof F[0]);
        assert_true(F[0][1] == 0.3);
    }
    ct_seeds_release(&here);
    ct_seeds_release(&there);
}

static void a_moved_scene_is_sampled_alike(void **state)
{
    (void)state;
    for (int pattern = CT_PATTERN_LATTICE; pattern <= CT_PATTERN_POISSON; pattern++) {
        check_moved(&lattice_2d, (ct_pattern)pattern);
        check_moved(&lattice_3d, (ct_pattern)pattern);
    }
}

static void seed_and_name_change_random_samples(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(&lattice_3d, 0, 2, 2, 2));
    def.pattern = CT_PATTERN_JITTERED;
    ct_seeds first = seed_body(&heap, &lattice_3d, &def, NULL),
             again = seed_body(&heap, &lattice_3d, &def, NULL), other;
    assert_memory_equal(first.position, again.position, first.count * sizeof *first.position);
    double gradient[9];
    assert_int_equal(ct_seed_body(&heap, &lattice_3d, &def, 2, &other, gradient, NULL), CT_OK);
    assert_memory_not_equal(first.position, other.position, first.count * sizeof *first.position);
    ct_seeds_release(&other);
    def.name = "another";
    other = seed_body(&heap, &lattice_3d, &def, NULL);
    assert_memory_not_equal(first.position, other.position, first.count * sizeof *first.position);
    ct_seeds_release(&first);
    ct_seeds_release(&again);
    ct_seeds_release(&other);
}

/* ---- Motion ------------------------------------------------------------------------------------------- */

/* v = velocity + G (x - center) + w x (x - centre of mass), and the reported gradient is G + [w]x. */
static void velocity_gradient_and_spin(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(sphere(0.4, 0.1, 0.3, 0.33));
    memcpy(def.velocity, (double[3]){1, -2, 0.5}, sizeof def.velocity);
    for (int i = 0; i < 9; i++) def.gradient[i] = draw(20, (uint64_t)i, -1, 1);
    def.has_center = true;
    memcpy(def.center, (double[3]){0.1, 0.2, -0.3}, sizeof def.center);
    memcpy(def.spin_axis, (double[3]){2, -1, 2}, sizeof def.spin_axis);
    def.spin_rate = 6;
    const double w[3] = {4, -2, 4}, skew[9] = {0, -4, -2, 4, 0, -4, 2, 4, 0};
    double gradient[9], middle[3];
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, gradient);
    for (int i = 0; i < 9; i++) expect_near(gradient[i], def.gradient[i] + skew[i], 1e-15);
    mean_position(&seeds, middle);
    for (size_t p = 0; p < seeds.count; p++)
        for (int a = 0; a < 3; a++) {
            triple at = position_of(&seeds, p);
            const double *x = at.at;
            int b = (a + 1) % 3, c = (a + 2) % 3;
            double expected = def.velocity[a] + w[b] * (x[c] - middle[c]) - w[c] * (x[b] - middle[b]);
            for (int j = 0; j < 3; j++) expected += def.gradient[3 * a + j] * (x[j] - def.center[j]);
            expect_near(velocity_of(&seeds, p).at[a], expected,
                        1e-9); /* the center is rounded to 2^-30 of a cell */
        }
    ct_seeds_release(&seeds);
}

/* In the plane a spin is about z, and nothing leaves the plane. */
static void spin_in_2d(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(sphere(0.4, 0.1, 9, 0.33));
    def.spin_axis[2] = -1, def.spin_rate = 2;
    def.velocity[2] = 5, def.gradient[2] = def.gradient[6] = def.gradient[8] = 5;
    double gradient[9], middle[3];
    ct_seeds seeds = seed_body(&heap, &lattice_2d, &def, gradient);
    mean_position(&seeds, middle);
    const double expected[9] = {0, 2, 0, -2, 0, 0, 0, 0, 0};
    for (int i = 0; i < 9; i++) assert_true(gradient[i] == expected[i]);
    double momentum[2] = {0};
    for (size_t p = 0; p < seeds.count; p++) {
        triple x = position_of(&seeds, p), v = velocity_of(&seeds, p);
        expect_near(v.at[0], 2 * (x.at[1] - middle[1]), 1e-14);
        expect_near(v.at[1], -2 * (x.at[0] - middle[0]), 1e-14);
        assert_true(v.at[2] == 0);
        momentum[0] += v.at[0], momentum[1] += v.at[1];
    }
    expect_near(momentum[0] / (double)seeds.count, 0,
                1e-14); /* a spin about the centre of mass carries none */
    expect_near(momentum[1] / (double)seeds.count, 0, 1e-14);
    ct_seeds_release(&seeds);
}

static void deformation_with_and_without_moving(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_body_def def = body_def(cell_box(&lattice_3d, 0, 4, 4, 4));
    ct_seeds rest = seed_body(&heap, &lattice_3d, &def, NULL);
    const double F[9] = {1.5, 0.25, 0, 0, 0.5, 0, 0, 0, 2};
    memcpy(def.deformation, F, sizeof F);
    ct_seeds still = seed_body(&heap, &lattice_3d, &def, NULL);
    def.move_by_deformation = true;
    ct_seeds moved = seed_body(&heap, &lattice_3d, &def, NULL);
    double middle[3];
    mean_position(&rest, middle);
    assert_memory_equal(rest.position, still.position, rest.count * sizeof *rest.position);
    for (size_t p = 0; p < rest.count; p++) {
        double given[2][9];
        ct_seed_deformation(&still, p, given[0]);
        ct_seed_deformation(&moved, p, given[1]);
        assert_memory_equal(given[0], F, sizeof F);
        assert_memory_equal(given[1], F, sizeof F);
        assert_true(ct_seed_volume(&moved, p) == ct_seed_volume(&rest, p)); /* undeformed */
        triple before = position_of(&rest, p), after = position_of(&moved, p);
        for (int a = 0; a < 3; a++) {
            double expected = middle[a];
            for (int j = 0; j < 3; j++) expected += F[3 * a + j] * (before.at[j] - middle[j]);
            expect_near(after.at[a], expected, 0.1 / quanta);
        }
    }
    assert_null(moved.deformation); /* one for all */
    ct_seeds_release(&rest);
    ct_seeds_release(&still);
    ct_seeds_release(&moved);
}

/* ---- Points and files --------------------------------------------------------------------------------- */

static void points_are_taken_as_they_are(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    const double points[3][3] = {{0.123456789, 1.0 / 3, 2}, {-1, 0, 1}, {0.5, 0.25, 7}};
    const double velocities[3][3] = {{1, 2, 3}, {0, 0, 0}, {-1, 1, 0.1}};
    ct_body_def def = body_def(shape_def(CT_SHAPE_POINTS));
    def.shape.points = points, def.shape.point_velocities = velocities, def.shape.point_count = 3;
    def.velocity[1] = 10;
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    assert_int_equal(seeds.count, 3);
    for (size_t p = 0; p < 3; p++) {
        triple x = position_of(&seeds, p), v = velocity_of(&seeds, p);
        assert_memory_equal(x.at, points[p], sizeof points[p]);
        double cells[3];
        ct_seed_cells(&seeds, p, cells);
        for (int a = 0; a < 3; a++) expect_near(cells[a] * 0.1 + lattice_3d.origin[a], points[p][a], 1e-15);
        expect_near(ct_seed_volume(&seeds, p), 0.001 / 8, 1e-18);
        assert_true(v.at[0] == velocities[p][0] && v.at[1] == velocities[p][1] + 10);
    }
    ct_seeds_release(&seeds);
    def.shape.point_volume = 0.25;
    def.shape.point_velocities = NULL;
    memcpy(def.shape.translate, (double[3]){1, 2, 3}, sizeof def.shape.translate);
    seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    assert_true(ct_seed_volume(&seeds, 1) == 0.25);
    expect_near(position_of(&seeds, 1).at[2], 4, 1e-15);
    ct_seeds_release(&seeds);
    seeds = seed_body(&heap, &lattice_2d, &def, NULL);
    assert_true(position_of(&seeds, 2).at[2] == 0);
    ct_seeds_release(&seeds);
}

static const char particles_csv[] = "x,y,z,vx,vy,vz,volume,F_xx,F_xy,F_xz,F_yx,F_yy,F_yz,F_zx,F_zy,F_zz\n"
                                    "1,0,0,0,1,0,0.5,2,0,0,0,1,0,0,0,1\n"
                                    "0,2,0,3,0,0,0.25,1,0,0,0,1,0,0,0,1\n";

/* A file turned by a right angle about z and scaled by 2: velocities and deformations turn, volumes grow
 * by 8. */
static void files_bring_their_state(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(
        ct_file_save(&heap, "test_seed_particles.csv", particles_csv, strlen(particles_csv), NULL), CT_OK);
    ct_body_def def = body_def(shape_def(CT_SHAPE_PARTICLES));
    def.shape.file = "test_seed_particles.csv";
    def.shape.rotate_axis[2] = 1, def.shape.rotate_angle = acos(0);
    def.shape.scale[0] = def.shape.scale[1] = def.shape.scale[2] = 2;
    ct_seeds seeds = seed_body(&heap, &lattice_3d, &def, NULL);
    remove("test_seed_particles.csv");
    assert_int_equal(seeds.count, 2);
    expect_near(position_of(&seeds, 0).at[1], 2, 1e-15);
    expect_near(position_of(&seeds, 1).at[0], -4, 1e-15);
    expect_near(velocity_of(&seeds, 0).at[0], -1, 1e-15);
    expect_near(velocity_of(&seeds, 1).at[1], 3, 1e-15);
    expect_near(ct_seed_volume(&seeds, 0), 4, 1e-15);
    const double expected[9] = {0, -1, 0, 2, 0, 0, 0, 0, 1}; /* R diag(2, 1, 1) */
    double F[9];
    ct_seed_deformation(&seeds, 0, F);
    for (int i = 0; i < 9; i++) expect_near(F[i], expected[i], 1e-15);
    ct_seeds_release(&seeds);
    assert_int_equal(heap.bytes, 0);
}

/* ---- Mistakes ----------------------------------------------------------------------------------------- */

static void expect_refused(const ct_lattice *lattice, const ct_body_def *def, ct_status status,
                           const char *text)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_seeds seeds;
    double gradient[9];
    ct_error error = {0};
    expect_failure(ct_seed_body(&heap, lattice, def, 1, &seeds, gradient, &error), &error, status, text);
    assert_int_equal(heap.bytes, 0);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    ct_shape_def ball = sphere(0, 0, 0, 0.3), floor_def = shape_def(CT_SHAPE_HALF_SPACE);
    ct_body_def def = body_def(sphere(0.1, 0, 0.2, 1e-4));
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE,
                   "body 'thing': no particle is inside the shape. Is it smaller");
    def.pattern = CT_PATTERN_POISSON;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "no particle is inside");
    floor_def.normal[1] = 1;
    def = body_def(floor_def);
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the shape has no end");
    ct_shape_def apart[2] = {ball, sphere(5, 0, 0, 0.3)};
    def = body_def(shape_def(CT_SHAPE_INTERSECTION));
    def.shape.children = apart, def.shape.child_count = 2;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "an empty combination?");
    def = body_def(sphere(0, 0, 0, 1000));
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE,
                   "Is the spacing of 0.1 m too small, or the shape too large?");
    def = body_def(sphere(1e12, 0, 0, 1));
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "cells from the origin of the grid");
    def = body_def(sphere(0, 0, 0, 6)), def.pattern = CT_PATTERN_POISSON, def.per_cell = 1000;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "Use the pattern jittered");
    def = body_def(ball), def.per_cell = -1;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "-1 particles per cell");
    def = body_def(ball), def.pattern = (ct_pattern)17;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "no sampling pattern 17");
    def = body_def(ball), def.velocity[0] = NAN;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the velocity is not finite");
    def = body_def(ball), def.deformation[0] = -1;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the determinant -1; it must be positive");
    def = body_def(ball), def.spin_rate = 1;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the axis of the spin must not be zero");
    def = body_def(ball), def.spin_rate = 1, def.spin_axis[0] = 1;
    expect_refused(&lattice_2d, &def, CT_BAD_USAGE, "in 2D the axis of the spin must be (0, 0, 1)");
    def = body_def(shape_def(CT_SHAPE_POINTS));
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the list of points is empty");
    const double lost[2][3] = {{0, 0, 0}, {0, NAN, 0}};
    def.shape.points = lost, def.shape.point_count = 2;
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "point 1 is not at a finite place");
    def = body_def(shape_def(CT_SHAPE_PARTICLES));
    expect_refused(&lattice_3d, &def, CT_BAD_USAGE, "the name of a particle file is missing");
    def.shape.file = "not_there.csv";
    expect_refused(&lattice_3d, &def, CT_BAD_SCENE, "not_there.csv");
}

static ct_status seed_jittered(ct_heap *heap, ct_error *error)
{
    ct_body_def def = body_def(sphere(0, 0, 0, 0.3));
    def.pattern = CT_PATTERN_JITTERED, def.deformation[1] = 0.1;
    ct_seeds seeds;
    double gradient[9];
    ct_status status = ct_seed_body(heap, &lattice_2d, &def, 1, &seeds, gradient, error);
    ct_seeds_release(&seeds);
    return status;
}

static ct_status seed_poisson(ct_heap *heap, ct_error *error)
{
    ct_body_def def = body_def(sphere(0, 0, 0, 0.3));
    def.pattern = CT_PATTERN_POISSON;
    ct_seeds seeds;
    double gradient[9];
    ct_status status = ct_seed_body(heap, &lattice_2d, &def, 1, &seeds, gradient, error);
    ct_seeds_release(&seeds);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    expect_survives_no_memory(seed_jittered);
    expect_survives_no_memory(seed_poisson);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_cells_hold_exactly_per_cell),
        cmocka_unit_test(lattice_samples_stand_where_they_should),
        cmocka_unit_test(a_ball_has_its_volume),
        cmocka_unit_test(whole_cells_are_spared_the_test_rightly),
        cmocka_unit_test(bodies_that_share_a_face_share_no_sample),
        cmocka_unit_test(poisson_samples_keep_apart),
        cmocka_unit_test(jittered_samples_do_not_keep_apart),
        cmocka_unit_test(poisson_volume_is_exact_for_whole_cells),
        cmocka_unit_test(a_moved_scene_is_sampled_alike),
        cmocka_unit_test(seed_and_name_change_random_samples),
        cmocka_unit_test(velocity_gradient_and_spin),
        cmocka_unit_test(spin_in_2d),
        cmocka_unit_test(deformation_with_and_without_moving),
        cmocka_unit_test(points_are_taken_as_they_are),
        cmocka_unit_test(files_bring_their_state),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
