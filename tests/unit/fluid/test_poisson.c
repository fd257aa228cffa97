/* The pressure equation alone: against a dense solution, the symmetry of the V-cycle, iterations as the grid
 * grows, components without air, and bits for any number of threads. */
#include "core/threads.h"
#include "fluid/poisson.h"
#include "physics/worlds.h"

/* From 0 to 1. */
static double chance(uint64_t *seed)
{
    return 0.5 + 0.5 * uniform(seed);
}

/* A basin of side^d cells: a bumpy surface, drops above it, faces that are partly covered. `closed`: full to a lid
 * without air, and a wall in the middle that makes two chambers of it. */
typedef struct basin {
    int side, dimension;
    int32_t *number; /* [side^3] -1: no water */
    bool is_closed;
} basin;

static bool is_wet(const basin *b, const int at[3])
{
    const double n = b->side, x = at[0] / n, y = at[1] / n, z = at[2] / n;
    if (b->is_closed) return at[0] != b->side / 2;
    if (y < 0.55 + 0.15 * sin(7 * x) + 0.05 * sin(31 * x + 1) * cos(9 * z)) return true;
    uint64_t seed = 5;
    for (int k = 0; k < 25; k++) {
        double dx = x - chance(&seed), dy = y - 0.6 - 0.4 * chance(&seed);
        double dz = b->dimension == 3 ? z - chance(&seed) : 0, r = 0.01 + 0.03 * chance(&seed);
        if (dx * dx + dy * dy + dz * dz < r * r) return true;
    }
    return false;
}

static size_t place(const basin *b, const int at[3])
{
    const size_t side = (size_t)b->side, depth = b->dimension == 3 ? side : 1;
    return ((size_t)at[0] * side + (size_t)at[1]) * depth + (size_t)at[2];
}

static bool is_inside(const basin *b, const int at[3])
{
    bool is_in = true;
    for (int a = 0; a < b->dimension; a++) is_in &= at[a] >= 0 && at[a] < b->side;
    return is_in;
}

static size_t number_cells(basin *b, size_t *red)
{
    const int depth = b->dimension == 3 ? b->side : 1;
    size_t count = 0;
    for (int colour = 0; colour < 2; colour++) {
        for (int x = 0; x < b->side; x++)
            for (int y = 0; y < b->side; y++)
                for (int z = 0; z < depth; z++) {
                    const int at[3] = {x, y, z};
                    if (((x + y + z) & 1) != colour) continue;
                    b->number[place(b, at)] = is_wet(b, at) ? (int32_t)count++ : -1;
                }
        if (!colour) *red = count;
    }
    return count;
}

/* The same for both sides of a face: between 0.3 and 1 for some, 1 for most. */
static double open_of(const int at[3], int axis)
{
    const uint32_t mixed = (uint32_t)at[0] * 73856093u ^ (uint32_t)at[1] * 19349663u ^
                           (uint32_t)at[2] * 83492791u ^ (uint32_t)axis * 7919u;
    uint64_t seed = (uint64_t)(int32_t)mixed;
    chance(&seed);
    double u = chance(&seed);
    return u < 0.1 ? 0.3 + 7 * u : 1;
}

static void fill(ct_poisson *p, basin *b)
{
    size_t red = 0, count = number_cells(b, &red), faces = 2 * (size_t)b->dimension;
    uint64_t seed = 11;
    CHECK(ct_poisson_reserve(p, count, error));
    ct_poisson_level *l = &p->level[0];
    l->count = count, l->red = red;
    for (size_t k = 0; k < (size_t)b->side * (size_t)b->side * (size_t)(b->dimension == 3 ? b->side : 1);
         k++) {
        int at[3] = {0}, rest = (int)k;
        for (int a = b->dimension - 1; a >= 0; a--, rest /= b->side) at[a] = rest % b->side;
        const int32_t i = b->number[place(b, at)];
        if (i < 0) continue;
        l->air[i] = 0;
        for (int a = 0; a < 3; a++) l->at[i][a] = at[a] - 3; /* coordinates may be negative */
        for (size_t f = 0; f < faces; f++) {
            int next[3] = {at[0], at[1], at[2]}, low[3] = {at[0], at[1], at[2]};
            next[f / 2] += f % 2 ? 1 : -1;
            low[f / 2] += f % 2;
            const bool is_there = is_inside(b, next);
            const int32_t j = is_there ? b->number[place(b, next)] : -1;
            const double open = open_of(low, (int)f / 2);
            l->next[(size_t)i * faces + f] = (uint32_t)(j >= 0 ? j : i);
            l->link[(size_t)i * faces + f] = j >= 0 ? open : 0;
            if (is_there && j < 0 && !b->is_closed) l->air[i] += open / (0.01 + 0.99 * chance(&seed));
        }
        l->b[i] = chance(&seed) - 0.5;
    }
    CHECK(ct_poisson_coarsen(p, error));
}

typedef struct rig {
    ct_heap heap;
    ct_pool *pool;
    ct_poisson poisson;
    basin basin;
} rig;

static void begin(rig *r, int dimension, int side, bool is_closed, int threads)
{
    ct_heap_init(&r->heap, (ct_allocator){0});
    CHECK(ct_pool_create(&r->heap, threads, &r->pool, error));
    ct_poisson_init(&r->poisson, &r->heap, r->pool, dimension);
    r->basin = (basin){.side = side, .dimension = dimension, .is_closed = is_closed};
    r->basin.number =
        malloc((size_t)side * (size_t)side * (size_t)(dimension == 3 ? side : 1) * sizeof *r->basin.number);
    assert_non_null(r->basin.number);
    fill(&r->poisson, &r->basin);
}

static void end(rig *r)
{
    ct_poisson_release(&r->poisson);
    ct_pool_destroy(r->pool);
    free(r->basin.number);
    assert_int_equal(r->heap.bytes, 0);
}

/* Gauss elimination of the matrix as apply has it, column by column. */
static void against_dense(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        rig r;
        begin(&r, dimension, dimension == 2 ? 24 : 9, false, 1);
        ct_poisson *p = &r.poisson;
        const size_t n = p->level[0].count;
        double *A = malloc(n * n * sizeof *A), *x = malloc(n * sizeof *x);
        assert_true(n > 200 && A && x);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) p->direction[i] = i == j;
            ct_poisson_apply(p);
            for (size_t i = 0; i < n; i++) A[i * n + j] = p->image[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) assert_true(A[i * n + j] == A[j * n + i]);
        memcpy(x, p->level[0].b, n * sizeof *x);
        for (size_t k = 0; k < n; k++)
            for (size_t i = k + 1; i < n; i++) {
                double factor = A[i * n + k] / A[k * n + k];
                for (size_t j = k; j < n && factor != 0; j++) A[i * n + j] -= factor * A[k * n + j];
                x[i] -= factor * x[k];
            }
        for (size_t i = n; i-- > 0;) {
            for (size_t j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
            x[i] /= A[i * n + i];
        }
        double most = 0;
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
        ct_poisson_result result = ct_poisson_solve(p, 1e-12, 100);
        assert_true(result.residual <= 1e-12);
        for (size_t i = 0; i < n; i++) assert_near(p->solution[i], x[i], 1e-9 * most);
        free(A), free(x);
        end(&r);
    }
}

/* (M^-1 v) . w = v . (M^-1 w), and v . M^-1 v > 0. */
static void cycle_is_symmetric(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        rig r;
        begin(&r, dimension, dimension == 2 ? 40 : 14, false, 1);
        ct_poisson_level *l = &r.poisson.level[0];
        assert_true(r.poisson.levels > 2 && l->band_count > 0 && l->band_count < l->count);
        double *v = malloc(l->count * sizeof *v), *w = malloc(l->count * sizeof *w),
               *z = malloc(l->count * sizeof *z);
        uint64_t seed = 3;
        for (size_t i = 0; i < l->count; i++) v[i] = chance(&seed) - 0.5, w[i] = chance(&seed) - 0.5;
        memcpy(l->b, v, l->count * sizeof *v);
        ct_poisson_cycle(&r.poisson);
        memcpy(z, l->x, l->count * sizeof *z);
        memcpy(l->b, w, l->count * sizeof *w);
        ct_poisson_cycle(&r.poisson);
        double zw = 0, vx = 0, vz = 0;
        for (size_t i = 0; i < l->count; i++) zw += z[i] * w[i], vx += v[i] * l->x[i], vz += v[i] * z[i];
        assert_near(zw, vx, 1e-11 * vz);
        assert_true(vz > 0);
        free(v), free(w), free(z);
        end(&r);
    }
}

/* Without the factor of a half they would grow with the grid: 25, 36, 52, 73. */
static void iterations_stay_few(void **state)
{
    (void)state;
    static const struct {
        int dimension, side;
    } sizes[] = {{2, 64}, {2, 256}, {2, 512}, {3, 16}, {3, 32}, {3, 64}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        rig r;
        begin(&r, sizes[k].dimension, sizes[k].side, false, 1);
        ct_poisson_result result = ct_poisson_solve(&r.poisson, 1e-6, 100);
        print_message("%dD %d: %zu cells, %d levels, %d iterations\n", sizes[k].dimension, sizes[k].side,
                      r.poisson.level[0].count, r.poisson.levels, result.iterations);
        assert_true(result.iterations <= 12);
        end(&r);
    }
}

/* Two chambers, each with a right side that does not sum to 0: the means go, the rest is solved. */
static void chambers_without_air(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        rig r;
        begin(&r, dimension, 12, true, 1);
        ct_poisson *p = &r.poisson;
        assert_int_equal(p->closed, 2);
        ct_poisson_result result = ct_poisson_solve(p, 1e-10, 100);
        assert_true(result.residual <= 1e-10 && result.iterations < 40);
        double sum[3] = {0};
        for (size_t i = 0; i < p->level[0].count; i++) sum[p->label[i]] += p->solution[i];
        assert_near(sum[1], 0, 1e-9);
        assert_near(sum[2], 0, 1e-9);
        end(&r);
    }
}

static void same_for_any_number_of_threads(void **state)
{
    (void)state;
    rig one, many;
    begin(&one, 3, 32, false, 1);
    begin(&many, 3, 32, false, 3);
    ct_poisson_solve(&one.poisson, 1e-6, 100);
    ct_poisson_solve(&many.poisson, 1e-6, 100);
    assert_memory_equal(one.poisson.solution, many.poisson.solution,
                        one.poisson.level[0].count * sizeof *one.poisson.solution);
    end(&one);
    end(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_dense),
        cmocka_unit_test(cycle_is_symmetric),
        cmocka_unit_test(iterations_stay_few),
        cmocka_unit_test(chambers_without_air),
        cmocka_unit_test(same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
