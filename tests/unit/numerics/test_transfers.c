/* The fast transfers against the plain ones, block by block, on ordinary and on awkward particles: at faces,
 * edges and corners of cells, drifted out of their block, one alone, a thousand in one cell, two materials in
 * a batch. A sum may differ by a few roundings of its terms: 8 epsilon of the sum of their sizes. */
#include "core/random.h"
#include "mpm/mpm.h"
#include "physics/worlds.h"
#include "transfer/stencil.h"
#include "transfer/transfer.h"
#include "unit/kinds.h"
#include "unit/numerics/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double draw(uint64_t *key) /* -1 to 1 */
{
    *key = ct_random_mix(*key + 1);
    return 2 * ct_random_unit(*key) - 1;
}

/* Schemes of the two bodies: alike and different, with all, some and nothing of the affine matrix, with and
 * without the velocity before forces. */
enum { MIXES = 4 };
static const char *const mixes[MIXES][2] = {
    {"apic", "apic"}, {"rpic", "asflip"}, {"pic", "pic"}, {"aflip", "sflip"}};

/* Particles of two materials around the origin, in cells of 1/8 m. */
static ct_world *cloud(ct_kernel kernel, int kind, int mix)
{
    enum { MOST = 1000 };
    static double points[MOST][3], velocities[MOST][3];
    const int counts[] = {400, 1, 1000, 300};
    uint64_t key = (uint64_t)kind * 977 + 5;
    ct_world_def def = ct_default_world_def();
    def.dimension = CT_DIM;
    def.precision = CT_IS_DOUBLE ? CT_DOUBLE : CT_FLOAT;
    def.kernel = kernel;
    def.spacing = 0.125;
    def.threads = 1;
    ct_world *world = NULL;
    CHECK(ct_world_create(&def, &world, error));
    int materials[] = {add_elastic(world, "fixed_corotated", 1000, 1e4, 0.3),
                       add_elastic(world, "neo_hookean", 500, 2e4, 0.2)};
    for (int part = 0; part < 2; part++) {
        int count = (counts[kind] + 1 - part) / 2;
        if (!count) continue;
        for (int k = 0; k < count; k++)
            for (int a = 0; a < 3; a++) {
                double x = kind == 2 ? 0.3 + 0.1 * draw(&key) : 3 * draw(&key); /* cells */
                if (kind == 3) x = floor(2 * x) / 2 + (k % 3 - 1) * 1e-7; /* at faces, edges and corners */
                points[k][a] = x * def.spacing;
                velocities[k][a] = 3 * draw(&key);
            }
        ct_body_def body = ct_default_body_def();
        body.material = materials[part];
        body.shape.type = CT_SHAPE_POINTS;
        body.shape.points = (const double(*)[3])points;
        body.shape.point_velocities = (const double(*)[3])velocities;
        body.shape.point_count = count;
        body.has_scheme = true;
        body.scheme.type = mixes[mix][part];
        CHECK(ct_world_add_body(world, &body, NULL, error));
    }
    CHECK(world->kinds[0].method->sort(world->kinds[0].self, error));
    ct_planes planes = ct_planes_of(&cloud_of(world)->particles);
    for (size_t p = 0; p < cloud_of(world)->particles.count; p++) {
        CT_FOR(k, CT_MATRIX) {
            planes.affine[k][p] = (ct_real)(10 * draw(&key));
            planes.deformation[k][p] += (ct_real)(0.2 * draw(&key));
        }
        if (p % 5 == 0) /* as far out of the block as its tile reaches */
            planes.position[p % CT_DIM][p] =
                (ct_real)(p % 2 ? 0.01 - cloud_of(world)->grid.reach[0]
                                : CT_BLOCK + cloud_of(world)->grid.reach[1] - 0.01);
    }
    return world;
}

/* Sizes of the terms that a node's sums are made of, from the formulas. */
static void add_sizes(const ct_transfer *t, size_t p, ct_real *sizes)
{
    ct_real position[CT_DIM];
    _Alignas(CT_ALIGNMENT) ct_real tau[CT_SYMMETRIC][CT_BATCH];
    ct_stencil s;
    CT_FOR(a, CT_DIM) position[a] = t->planes.position[a][p];
    ct_stencil_make(&s, t->kernel, position);
    CT_FN(ct_batch_stress)(t->materials, &t->planes, p, 1, tau);
    double stress = 0;
    CT_FOR(k, CT_SYMMETRIC) stress = fmax(stress, fabs((double)tau[k][0]));
    int nodes = CT_DIM == 2 ? t->width * t->width : t->width * t->width * t->width;
    CT_FOR(n, nodes) {
        int node[CT_DIM], rest = n;
        double w = 1, reach = 0, mass = (double)t->planes.mass[p];
        for (int a = CT_DIM - 1; a >= 0; a--, rest /= t->width) {
            node[a] = s.base[a] + rest % t->width;
            w *= (double)s.w[a][rest % t->width];
            reach += 2; /* |r| and the middle node's offset, in cells */
        }
        ct_real *size = sizes + ct_tile_index(node);
        CT_FOR(a, CT_DIM) {
            double term = mass * fabs((double)t->planes.velocity[a][p]);
            CT_FOR(b, CT_DIM)
                term += reach *
                        (mass * fabs((double)t->planes.affine[a * CT_DIM + b][p]) * (double)t->spacing[b] +
                         4 * (double)t->dt * (double)t->planes.volume[p] * stress *
                             (double)t->inverse_spacing[b]);
            size[a] += (ct_real)(w * term);
        }
        size[CT_DIM] += (ct_real)(w * mass);
    }
}

/* The sums of all copies, into the first. */
static void add_copies(ct_real *tile)
{
    CT_FOR(k, CT_TILE_NUMBERS)
        for (int copy = 1; copy < CT_TILE_COPIES; copy++) tile[k] += tile[k + ct_copy_offset(copy)];
}

static void assert_near_plain(const ct_real *fast, const ct_real *plain, const ct_real *sizes)
{
    /* weights of float at the edge of a kernel are differences of order epsilon: an absolute part of that
     * size */
    double largest = 0;
    CT_FOR(k, CT_TILE_NUMBERS) largest = fmax(largest, (double)sizes[k]);
    CT_FOR(k, CT_TILE_NUMBERS)
        if (!(fabs((double)fast[k] - (double)plain[k]) <=
              8 * (double)CT_EPSILON * ((double)sizes[k] + 0.01 * largest)))
            fail_msg("number %d of the tile: %.9g fast, %.9g plain", k, (double)fast[k], (double)plain[k]);
}

/* The two tiles that a twin tile has side by side. */
static void split(const ct_real *twin, ct_real *first, ct_real *second)
{
    CT_FOR(n, CT_TILE_NODES)
        CT_FOR(k, CT_NODE) {
            first[n * CT_NODE + k] = twin[n * CT_TWIN + k];
            second[n * CT_NODE + k] = twin[n * CT_TWIN + CT_NODE + k];
        }
}

static void scatters_agree(void **state)
{
    (void)state;
    for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        CT_FOR(k, 4 * MIXES) {
            ct_world *world = cloud((ct_kernel)kernel, k % 4, k / 4);
            ct_transfer t = CT_FN(ct_transfer_make)(&mpm_of(world)->transfers, 1e-4);
            const ct_blocks *blocks = &cloud_of(world)->grid.blocks;
            for (size_t b = 0; b < blocks->occupied; b++) {
                size_t first = blocks->first[b], last = blocks->first[b + 1];
                _Alignas(CT_ALIGNMENT) ct_sum_tile fast = {0}, plain[2] = {0};
                _Alignas(CT_ALIGNMENT) ct_twin_tile twin = {0};
                _Alignas(CT_ALIGNMENT) ct_tile sizes = {0}, both[2];
                CT_FN(ct_scatter_fast)(&t, b, fast);
                CT_FN(ct_scatter_twin)(&t, b, twin);
                CT_FN(ct_scatter_plain)(&t, b, plain[0], plain[1]);
                add_copies(fast);
                split(twin, both[0], both[1]);
                for (size_t p = first; p < last; p++) add_sizes(&t, p, sizes);
                assert_near_plain(fast, plain[0], sizes);
                assert_near_plain(both[0], plain[0], sizes);
                CT_FOR(n, CT_TILE_NODES)
                    both[1][n * CT_NODE + CT_DIM] = plain[1][n * CT_NODE + CT_DIM] = 0; /* mass */
                assert_near_plain(both[1], plain[1], sizes);
            }
            ct_world_destroy(world);
        }
}

static int is_empty(const ct_real *tile, size_t bytes)
{
    int is_zero = 1;
    for (size_t k = 0; k < bytes / sizeof *tile; k++) is_zero &= tile[k] == 0;
    return is_zero;
}

/* The next block finds the tile empty that this one has added to the grid: what the scatter says it reached
 * is all that it wrote to. The control: without its last plane of nodes something stays. */
static void unloading_leaves_nothing(void **state)
{
    (void)state;
    for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        CT_FOR(k, 4) {
            ct_world *world = cloud((ct_kernel)kernel, k, 0);
            ct_transfer t = CT_FN(ct_transfer_make)(&mpm_of(world)->transfers, 1e-4);
            const ct_blocks *blocks = &cloud_of(world)->grid.blocks;
            ct_copies copies = t.is_cubic ? CT_EACH_COPY : CT_EVEN_COPIES;
            size_t numbers = blocks->count * CT_BLOCK_NODES * CT_NODE;
            ct_real *layer = calloc(2 * numbers, sizeof *layer);
            static _Alignas(CT_ALIGNMENT) ct_sum_tile tile;
            static _Alignas(CT_ALIGNMENT) ct_twin_tile twin;
            double mass = 0, total = 0;
            for (size_t b = 0; b < blocks->occupied; b++) {
                ct_tile_range range = CT_FN(ct_scatter_fast)(&t, b, tile), less = range;
                CT_FN(ct_tile_unload)(blocks, b, layer, range, copies, tile);
                assert_true(is_empty(tile, sizeof tile));
                range = CT_FN(ct_scatter_twin)(&t, b, twin);
                CT_FN(ct_twin_unload)(blocks, b, layer, layer + numbers, range, twin);
                assert_true(is_empty(twin, sizeof twin));
                less.high[0]--;
                CT_FN(ct_scatter_fast)(&t, b, tile);
                CT_FN(ct_tile_unload)(blocks, b, layer + numbers, less, copies, tile);
                assert_false(is_empty(tile, sizeof tile));
                memset(tile, 0, sizeof tile);
            }
            for (size_t p = 0; p < cloud_of(world)->particles.count; p++) mass += (double)t.planes.mass[p];
            for (size_t n = CT_DIM; n < numbers; n += CT_NODE) total += (double)layer[n];
            assert_true(fabs(total - 2 * mass) < 64 * (double)CT_EPSILON * mass); /* added twice */
            free(layer);
            ct_world_destroy(world);
        }
}

/* A slim tile with the velocities of a tile of quads. */
static void slim_down(const ct_real *tile, ct_real *slim)
{
    CT_FOR(x, CT_DIM == 3 ? CT_SLIM : 1)
        CT_FOR(y, CT_SLIM)
            CT_FOR(z, CT_SLIM) {
                const int node = (x * CT_TILE + y) * CT_TILE_ROW + z;
                ct_slim_put(x, y, z, 1, tile + node * CT_NODE, slim);
            }
}

static void gathers_agree(void **state)
{
    (void)state;
    for (int kernel = CT_KERNEL_QUADRATIC; kernel <= CT_KERNEL_CUBIC; kernel++)
        CT_FOR(i, 4 * MIXES) {
            ct_world *a = cloud((ct_kernel)kernel, i % 4, i / 4), *b = cloud((ct_kernel)kernel, i % 4, i / 4);
            ct_transfer fast = CT_FN(ct_transfer_make)(&mpm_of(a)->transfers, 1e-3),
                        plain = CT_FN(ct_transfer_make)(&mpm_of(b)->transfers, 1e-3);
            ct_moved from_fast = {0}, from_plain = {0};
            uint64_t key = 3;
            _Alignas(CT_ALIGNMENT) ct_tile tile = {0}, before = {0};
            _Alignas(CT_ALIGNMENT) ct_twin_tile twin = {0};
            CT_FOR(n, CT_TILE_NODES)
                CT_FOR(c, CT_DIM) {
                    twin[n * CT_TWIN + c] = (ct_real)draw(&key); /* m/s, so sums are of size 1 */
                    twin[n * CT_TWIN + CT_NODE + c] = (ct_real)draw(&key);
                }
            split(twin, tile, before);
            ct_slim_tile slim;
            slim_down(tile, slim);
            for (size_t k = 0; k < cloud_of(a)->grid.blocks.occupied; k++) {
                size_t first = cloud_of(a)->grid.blocks.first[k],
                       last = cloud_of(a)->grid.blocks.first[k + 1];
                if (fast.of->needs_before) CT_FN(ct_gather_twin)(&fast, k, first, last, twin, &from_fast);
                else CT_FN(ct_gather_fast)
                (&fast, k, first, last, ct_reads_slim(&fast) ? slim : tile, &from_fast);
                CT_FN(ct_gather_plain)
                (&plain, k, first, last, tile, plain.of->needs_before ? before : NULL, &from_plain);
            }
            /* with a particle's own velocity of 3 m/s, sums are of size 1 + 3 + 1 */
            const double tiny = 8 * (double)CT_EPSILON * (fast.of->needs_before ? 5 : 1),
                         slope = 4 * CT_DIM / 0.125; /* of C for velocities of size 1 */
            for (size_t p = 0; p < cloud_of(a)->particles.count; p++) {
                CT_FOR(c, CT_DIM) {
                    assert_true(fabs((double)fast.planes.velocity[c][p] -
                                     (double)plain.planes.velocity[c][p]) < tiny);
                    assert_true(fabs((double)fast.planes.position[c][p] -
                                     (double)plain.planes.position[c][p]) < 8 * tiny);
                }
                CT_FOR(c, CT_MATRIX) {
                    assert_true(fabs((double)fast.planes.affine[c][p] - (double)plain.planes.affine[c][p]) <
                                slope * tiny);
                    assert_true(fabs((double)fast.planes.deformation[c][p] -
                                     (double)plain.planes.deformation[c][p]) < 4 * tiny);
                }
            }
            assert_true(fabs(from_fast.speed - from_plain.speed) < 64 * tiny * from_plain.speed);
            assert_int_equal(from_fast.must_sort, from_plain.must_sort);
            ct_world_destroy(a);
            ct_world_destroy(b);
        }
}

int main(void)
{
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    const struct CMUnitTest tests[] = {cmocka_unit_test(scatters_agree),
                                       cmocka_unit_test(unloading_leaves_nothing),
                                       cmocka_unit_test(gathers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
