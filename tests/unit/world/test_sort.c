/* Sorting particles into blocks and cells: random clouds on both sides of the origin, particles on faces of
 * cells and blocks, particles that moved since, near and far; and a move out of all reach. */
#include "physics/worlds.h"
#include "unit/kinds.h"
#include "world.h"

enum { POINTS = 400, CELLS = 4 }; /* CELLS along a block's side */

static const struct {
    int dimension;
    ct_precision precision;
    ct_kernel kernel;
} variants[] = {{2, CT_FLOAT, CT_KERNEL_QUADRATIC},
                {2, CT_DOUBLE, CT_KERNEL_CUBIC},
                {3, CT_FLOAT, CT_KERNEL_CUBIC},
                {3, CT_DOUBLE, CT_KERNEL_QUADRATIC},
                {3, CT_FLOAT, CT_KERNEL_QUADRATIC}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* A cloud with the spacing 1/8; every third point on faces: a multiple of half a cell along every axis. */
static ct_world *cloud(int variant, double (*points)[3], double (*velocities)[3])
{
    ct_world_def def = quiet_def(variants[variant].dimension, variants[variant].kernel, 0.125);
    def.precision = variants[variant].precision;
    ct_world *world = create(&def);
    ct_body_def body = ct_default_body_def();
    body.material = add_dust(world);
    uint64_t random = 5;
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++) {
            points[p][a] = 2.5 * uniform(&random);
            if (p % 3 == 0) points[p][a] = nearbyint(points[p][a] * 16) / 16;
            velocities[p][a] = a < def.dimension ? p + 0.25 * a : 0;
        }
    body.shape.type = CT_SHAPE_POINTS;
    body.shape.points = (const double(*)[3])points;
    body.shape.point_velocities = (const double(*)[3])velocities;
    body.shape.point_count = POINTS;
    add_body(world, &body);
    return world;
}

static double element(const ct_view *view, int component, size_t p)
{
    const char *plane = (const char *)view->data + (size_t)component * view->component_stride;
    return view->type == CT_TYPE_FLOAT64 ? ((const double *)plane)[p] : (double)((const float *)plane)[p];
}

static ct_view view_of(ct_world *world, const char *field)
{
    ct_view view;
    CHECK(ct_world_view(world, field, &view, error));
    return view;
}

/* The number of a particle's cell: bits of its numbers along the axes in turns, Z-order. */
static int cell_of(const ct_world *world, const ct_view *position, size_t p)
{
    int number[3] = {0}, cell = 0;
    for (int a = 0; a < position->components; a++) {
        double s = element(position, a, p), lead = cloud_of(world)->sorter.lead[a];
        assert_true(s >= lead && s < lead + CELLS);
        for (int k = 1; k < CELLS; k++) number[a] += s >= lead + k; /* a difference would be rounded */
    }
    for (int half = CELLS / 2; half; half /= 2)
        for (int a = 0; a < position->components; a++) cell = 2 * cell + !!(number[a] & half);
    return cell;
}

/* Positions within their blocks; cells rise within a block, ids within a cell; every id is there once. */
static void assert_sorted(ct_world *world)
{
    const ct_blocks *blocks = &cloud_of(world)->grid.blocks;
    ct_view position = view_of(world, "cell_position"), id = view_of(world, "id");
    const uint32_t *ids = id.data;
    int seen[POINTS] = {0};
    assert_int_equal(blocks->first[0], 0);
    assert_int_equal(blocks->first[blocks->occupied], POINTS);
    for (size_t b = 0; b < blocks->occupied; b++) {
        assert_true(blocks->first[b] < blocks->first[b + 1]); /* occupied means occupied */
        for (size_t p = blocks->first[b]; p < blocks->first[b + 1]; p++) {
            assert_int_equal(seen[ids[p]]++, 0);
            if (p == blocks->first[b]) continue;
            int before = cell_of(world, &position, p - 1), here = cell_of(world, &position, p);
            assert_true(before < here || (before == here && ids[p - 1] < ids[p]));
        }
    }
    for (int p = 0; p < POINTS; p++) assert_int_equal(seen[p], 1);
    assert_false(cloud_of(world)->must_sort);
}

static void assert_in_place(const ct_world *world, double (*points)[3], double (*velocities)[3])
{
    bool is_float = ct_world_get_info(world).precision == CT_FLOAT;
    triple *x = positions_of(world), *v = velocities_of(world);
    double *F = values_of(world, "F");
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < ct_world_get_info(world).dimension; a++) {
            /* half a unit in the last place of 12 cells of 1/8 m, for each of six roundings */
            assert_near(x[p][a], points[p][a], is_float ? 6 * 0x1p-24 : 6 * 0x1p-53);
            assert_true(v[p][a] == velocities[p][a]);
            assert_true(F[9 * p + 4 * a] == 1 + p);
        }
    free(x), free(v), free(F);
}

/* F of particle p becomes (1 + p) I, so that its fields can be told apart. */
static void mark_deformation(ct_world *world)
{
    bool is_float = ct_world_get_info(world).precision == CT_FLOAT;
    float narrow[POINTS][9] = {0};
    double wide[POINTS][9] = {0};
    for (int p = 0; p < POINTS; p++)
        for (int a = 0; a < 3; a++) narrow[p][4 * a] = 1 + (float)p, wide[p][4 * a] = 1 + p;
    if (is_float) CHECK(ct_world_write(world, "F", narrow, sizeof narrow, error));
    else CHECK(ct_world_write(world, "F", wide, sizeof wide, error));
}

static void sort(ct_world *world)
{
    cloud_of(world)->must_sort = true;
    CHECK(world->kinds[0].method->sort(world->kinds[0].self, error));
}

static void a_cloud_is_sorted(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        double points[POINTS][3], velocities[POINTS][3];
        ct_world *world = cloud(variant, points, velocities);
        mark_deformation(world);
        assert_in_place(world, points, velocities); /* also readable before the first sort */
        uint64_t generation = ct_world_generation(world);
        sort(world);
        assert_true(ct_world_generation(world) > generation);
        assert_sorted(world);
        assert_in_place(world, points, velocities);
        ct_world_destroy(world);
    }
}

/* Moves particle p by cells[a], where it lies. */
static void move(ct_view *position, int a, size_t p, double cells)
{
    char *plane = (char *)position->data + (size_t)a * position->component_stride;
    if (position->type == CT_TYPE_FLOAT64) ((double *)plane)[p] += cells;
    else ((float *)plane)[p] += (float)cells;
}

static void moved_particles_are_sorted_again(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        double points[POINTS][3], velocities[POINTS][3];
        ct_world *world = cloud(variant, points, velocities);
        mark_deformation(world);
        sort(world);
        uint64_t random = 11;
        for (int round = 0; round < 5; round++) {
            ct_view position = view_of(world, "cell_position"), id = view_of(world, "id");
            const uint32_t *ids = id.data;
            for (size_t p = 0; p < POINTS; p++)
                for (int a = 0; a < position.components; a++) {
                    /* up to 2 blocks; multiples of 1/64 cell are exact in both precisions */
                    double cells = nearbyint(7.9 * uniform(&random) * 64) / 64;
                    if (p % 5 == 0) cells = nearbyint(cells);
                    move(&position, a, p, cells);
                    points[ids[p]][a] += 0.125 * cells;
                }
            cloud_of(world)->must_sort = true;
            sort(world);
            assert_sorted(world);
            assert_in_place(world, points, velocities);
        }
        ct_world_destroy(world);
    }
}

/* All particles get a velocity of these along an axis, in turns. */
static void set_velocities(ct_world *world, int axis, double first, double second)
{
    ct_view velocity = view_of(world, "velocity");
    for (size_t p = 0; p < POINTS; p++)
        move(&velocity, axis, p, (p % 2 ? second : first) - element(&velocity, axis, p));
}

/* Just below a face: -tiny + 4 rounds to 4, which is no place in a block; and a hair below a cell's face is
 * still in the cell before. Once in blocks that begin at their corners, once in blocks that begin a little
 * before, for the cloud moves. */
static void a_hair_below_a_face(void **state)
{
    (void)state;
    static const double hairs[] = {-1e-40, -1e-20, -1e-9, -0x1p-24, -0x1p-25, -0x1p-53, -0x1p-54};
    for (int k = 0; k < 2 * VARIANTS; k++) {
        double points[POINTS][3], velocities[POINTS][3];
        ct_world *world = cloud(k / 2, points, velocities);
        for (int a = 0; a < variants[k / 2].dimension && k % 2; a++) set_velocities(world, a, 0, 0);
        sort(world);
        ct_view position = view_of(world, "cell_position");
        for (size_t p = 0; p < POINTS; p++)
            for (int a = 0; a < position.components; a++) {
                double s = element(&position, a, p);
                move(&position, a, p, cloud_of(world)->sorter.lead[a] + (double)(p / 7 % CELLS) - s);
                move(&position, a, p, hairs[(p + (size_t)a) % 7]);
            }
        cloud_of(world)->must_sort = true;
        sort(world);
        assert_sorted(world);
        ct_world_destroy(world);
    }
}

static void sorting_again_changes_nothing(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        double points[POINTS][3], velocities[POINTS][3];
        ct_world *world = cloud(variant, points, velocities);
        sort(world);
        ct_hash before = hash_of(world);
        ct_view id = view_of(world, "id");
        uint32_t ids[POINTS];
        memcpy(ids, id.data, sizeof ids);
        sort(world);
        id = view_of(world, "id");
        assert_memory_equal(ids, id.data, sizeof ids);
        assert_same(hash_of(world), before);
        ct_world_destroy(world);
    }
}

/* Blocks begin where the fastest to either side may drift equally long: -2 to 6 cells is in reach, with the
 * cubic kernel -2 to 5. */
static void what_moves_has_room_ahead(void **state)
{
    (void)state;
    static const struct {
        double first, second, lead, cubic_lead;
    } cases[] = {{0, 0, 0, -0.5},    {-2, 2, 0, -0.5},       {-3, 1, 1, 0.25},       {1, -3, 1, 0.25},
                 {-1, 3, -1, -1.25}, {2, 2, -1.875, -1.875}, {-2, -2, 1.875, 0.875}, {-2, 0, 1.875, 0.875}};
    for (int variant = 0; variant < VARIANTS; variant++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            double points[POINTS][3], velocities[POINTS][3];
            ct_world *world = cloud(variant, points, velocities);
            int axis = (int)k % variants[variant].dimension;
            set_velocities(world, axis, cases[k].first, cases[k].second);
            sort(world);
            bool is_cubic = variants[variant].kernel == CT_KERNEL_CUBIC;
            assert_true(cloud_of(world)->sorter.lead[axis] ==
                        (is_cubic ? cases[k].cubic_lead : cases[k].lead));
            assert_sorted(world);
            ct_world_destroy(world);
        }
}

/* The order is a function of positions, velocities and ids alone: shuffled memory comes back the same. */
static void the_order_before_does_not_matter(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant++) {
        double points[POINTS][3], velocities[POINTS][3];
        ct_world *world = cloud(variant, points, velocities);
        sort(world);
        uint32_t ids[POINTS], backwards[POINTS];
        double scratch[POINTS + CT_PLANE_PADDING];
        memcpy(ids, view_of(world, "id").data, sizeof ids);
        const ct_blocks *blocks = &cloud_of(world)->grid.blocks;
        for (size_t b = 0; b < blocks->occupied; b++) /* within each block from back to front */
            for (uint32_t p = blocks->first[b]; p < blocks->first[b + 1]; p++)
                backwards[p] = blocks->first[b] + blocks->first[b + 1] - 1 - p;
        ct_particles_permute(&cloud_of(world)->particles, backwards, scratch, world->common.pool);
        assert_memory_not_equal(ids, view_of(world, "id").data, sizeof ids);
        sort(world);
        assert_memory_equal(ids, view_of(world, "id").data, sizeof ids);
        ct_world_destroy(world);
    }
}

/* Far jumps are rare, but no reason to lose a particle; only what is out of reach of all numbers is told. */
static void far_jumps_are_sorted_too(void **state)
{
    (void)state;
    const double jumps[] = {13, -25, 1000, -123456};
    for (int variant = 0; variant < VARIANTS; variant++)
        for (int k = 0; k < 4; k++) {
            double points[POINTS][3], velocities[POINTS][3];
            ct_world *world = cloud(variant, points, velocities);
            sort(world);
            ct_view position = view_of(world, "cell_position");
            for (size_t p = 0; p < POINTS; p += 1 + (size_t)k) move(&position, k % 2, p, jumps[k]);
            cloud_of(world)->must_sort = true;
            triple *before = positions_of(world);
            sort(world);
            assert_sorted(world);
            triple *after = positions_of(world);
            for (int p = 0; p < POINTS; p++)
                for (int a = 0; a < 2; a++) assert_near(after[p][a], before[p][a], 1e-6);
            free(before), free(after);
            ct_world_destroy(world);
        }
}

static void infinitely_far_is_told_and_nothing_moves(void **state)
{
    (void)state;
    const double jumps[] = {1e12, INFINITY, -INFINITY, NAN};
    for (int variant = 0; variant < VARIANTS; variant++)
        for (int k = 0; k < 4; k++) {
            double points[POINTS][3], velocities[POINTS][3];
            ct_world *world = cloud(variant, points, velocities);
            sort(world);
            ct_view position = view_of(world, "cell_position");
            move(&position, 1, 17, jumps[k]);
            ct_hash before = hash_of(world);
            ct_error error;
            cloud_of(world)->must_sort = true;
            assert_int_equal(world->kinds[0].method->sort(world->kinds[0].self, &error), CT_DIVERGED);
            assert_same(hash_of(world), before);
            ct_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloud_is_sorted),
        cmocka_unit_test(moved_particles_are_sorted_again),
        cmocka_unit_test(a_hair_below_a_face),
        cmocka_unit_test(what_moves_has_room_ahead),
        cmocka_unit_test(sorting_again_changes_nothing),
        cmocka_unit_test(the_order_before_does_not_matter),
        cmocka_unit_test(far_jumps_are_sorted_too),
        cmocka_unit_test(infinitely_far_is_told_and_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
