/* The pressure equation alone: against a dense solution, the symmetry of the V-cycle, iterations as the grid
 * grows, components without air, and bits for any number of threads. */
#include "unit/fluid/basin.h"

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
