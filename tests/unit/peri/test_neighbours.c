/* Rows of neighbours against all pairs: of what flows and of a solid, in clouds that are crowded, wide and
 * empty, or of two kinds, in 2D and 3D and both precisions. */
#include "peri/peri.h"
#include "physics/worlds.h"
#include "unit/kinds.h"

#include "world.h"

enum { COUNT = 900 };

static double coordinate(const ct_world *world, size_t p, int a)
{
    size_t at = 4 * p + (size_t)a;
    return world->common.def.precision == CT_FLOAT ? (double)((const float *)peri_of(world)->start)[at]
                                                   : ((const double *)peri_of(world)->start)[at];
}

/* Pairs of particles of the medium, or of a solid, that are missing, doubled or too far apart. Those within
 * 10^-5 of the horizon may be neighbours or not: distances are rounded. */
static int count_wrong(const ct_world *world, const ct_bonds *rows, bool flows)
{
    static int times[COUNT];
    int wrong = 0;
    const ct_medium *medium = &peri_of(world)->medium;
    for (size_t p = 0; p < COUNT; p++) {
        if (flows != (medium->is_there && medium->flows[p])) {
            wrong += rows->count[p] != 0;
            continue;
        }
        memset(times, 0, sizeof times);
        for (uint32_t k = 0; k < rows->count[p]; k++) times[ct_neighbour(rows, p, k)]++;
        wrong += times[p] != 0;
        for (size_t q = 0; q < COUNT; q++) {
            double square = 0, r = peri_of(world)->horizon;
            if (q == p) continue;
            for (int a = 0; a < world->common.def.dimension; a++)
                square += pow(coordinate(world, p, a) - coordinate(world, q, a), 2);
            bool is_same = flows == (medium->is_there && medium->flows[q]);
            if (is_same && sqrt(square) < r * (1 - 1e-5)) wrong += times[q] != 1;
            else if (!is_same || sqrt(square) > r * (1 + 1e-5)) wrong += times[q] != 0;
        }
    }
    return wrong;
}

/* A cloud of `side` metres; of `solids` of its points is an elastic body. */
static ct_world *make_cloud(int dimension, ct_precision precision, double side, int solids)
{
    static double points[COUNT][3];
    ct_world_def def = quiet_def(dimension, CT_KERNEL_QUADRATIC, 0.1);
    def.method = CT_METHOD_PERIDYNAMICS;
    def.precision = precision;
    def.threads = 2;
    ct_world *world = create(&def);
    ct_parameter viscosity = {"viscosity", 1};
    ct_material_def honey = ct_default_material_def();
    honey.type = "viscous";
    honey.parameters = &viscosity;
    honey.parameter_count = 1;
    CHECK(ct_world_add_material(world, &honey, NULL, error));
    int rubber = add_elastic(world, "elastic", 1000, 1e5, 0.25);
    uint64_t seed = 5;
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 3; a++) points[i][a] = a < dimension ? side * uniform(&seed) : 0;
    if (solids) add_points(world, rubber, points, NULL, solids);
    if (solids < COUNT) add_points(world, 0, points + solids, NULL, COUNT - solids);
    ct_world_get_sums(world); /* settles the bonds */
    return world;
}

static void rows_have_all_pairs(void **state)
{
    (void)state;
    static const struct {
        double side;
        int solids;
    } clouds[] = {{0.6, 0}, {0.9, 0}, {40, 0}, {0.6, 300}, {0.6, COUNT}};
    for (size_t c = 0; c < sizeof clouds / sizeof *clouds; c++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (int is_double = 0; is_double < 2; is_double++) {
                ct_world *world =
                    make_cloud(dimension, is_double ? CT_DOUBLE : CT_FLOAT, clouds[c].side, clouds[c].solids);
                int solids = clouds[c].solids;
                if (solids < COUNT)
                    assert_int_equal(count_wrong(world, &peri_of(world)->medium.rows, true), 0);
                if (solids) assert_int_equal(count_wrong(world, &peri_of(world)->bonds, false), 0);
                ct_world_destroy(world);
            }
}

/* The control: a neighbour that is missing is seen, from both ends' sides. */
static void a_missing_neighbour_is_seen(void **state)
{
    (void)state;
    ct_world *world = make_cloud(3, CT_FLOAT, 0.6, 0);
    ct_bonds *rows = &peri_of(world)->medium.rows;
    assert_true(rows->count[COUNT / 2] > 0);
    rows->count[COUNT / 2]--;
    assert_int_equal(count_wrong(world, rows, true), 1);
    ct_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_all_pairs),
        cmocka_unit_test(a_missing_neighbour_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
