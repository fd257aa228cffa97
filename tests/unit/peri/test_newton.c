/* Newton's method for stiff bodies (peri/newton.h), without a world: the force is the gradient of the energy,
 * the matrix the derivative of the force where nothing is strained, both ways to solve it agree, and a chain
 * of steel hangs and swings as it should. */
#include "core/random.h"
#include "peri/newton.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1200, MOST_BONDS = 60000 };

typedef struct body {
    ct_heap heap;
    ct_pool *pool;
    ct_newton newton;
    double rest[3 * MOST];
} body;

static double noise(size_t k)
{
    return (double)(ct_random_mix((uint64_t)k + 1) >> 11) / 9007199254740992.0 - 0.5;
}

/* Bonds between all that are within the horizon; volume, density, weights normalised. */
static void make(body *b, int dim, size_t count, double spacing, double horizon, double volume,
                 double density, double two_mu, double lambda, bool is_factored)
{
    static double volumes[MOST], stiffness[MOST];
    static uint32_t first[MOST + 1], other[MOST_BONDS];
    ct_error error;
    double radius = horizon * spacing * (1 + 1e-6);
    uint32_t bonds = 0;
    ct_heap_init(&b->heap, (ct_allocator){0});
    assert_int_equal(ct_pool_create(&b->heap, 1, &b->pool, &error), CT_OK);
    for (size_t p = 0; p < count; p++) {
        double weight = 0;
        first[p] = bonds;
        for (size_t q = 0; q < count; q++) {
            double square = 0;
            for (int a = 0; a < dim; a++) {
                double X = b->rest[q * (size_t)dim + (size_t)a] - b->rest[p * (size_t)dim + (size_t)a];
                square += X * X;
            }
            if (q == p || square > radius * radius) continue;
            other[bonds++] = (uint32_t)q;
            weight += volume * (1 - square / (radius * radius));
        }
        volumes[p] = volume, stiffness[p] = 1 / weight;
    }
    first[count] = bonds;
    ct_newton_def def = {.heap = &b->heap,
                         .pool = b->pool,
                         .dim = dim,
                         .is_solid = true,
                         .untangles = true,
                         .spacing = spacing,
                         .inverse_square = 1 / (radius * radius),
                         .least = 0.01 * radius,
                         .count = count,
                         .rest = b->rest,
                         .volume = volumes,
                         .stiffness = stiffness,
                         .first = first,
                         .other = other};
    assert_int_equal(ct_newton_create(&b->newton, &def, &error), CT_OK);
    ct_newton *n = &b->newton;
    if (!is_factored) assert_int_equal(ct_newton_number_cells(n, &def, &error), CT_OK);
    n->is_factored = is_factored;
    n->two_mu = two_mu, n->lambda = lambda, n->h = 0.004, n->gravity = 9.81;
    for (size_t p = 0; p < count; p++) {
        n->mass[p] = density * volume;
        for (int a = 0; a < dim * dim; a++)
            n->along[p * (size_t)(dim * dim) + (size_t)a] = a % (dim + 1) == 0;
    }
    memcpy(n->start, b->rest, count * (size_t)dim * sizeof *n->start);
}

static void hold(body *b, size_t p)
{
    ct_newton *n = &b->newton;
    n->mass[p] = -n->mass[p];
    memset(n->along + p * (size_t)(n->dim * n->dim), 0, (size_t)(n->dim * n->dim) * sizeof *n->along);
}

static void destroy(body *b)
{
    ct_newton_release(&b->newton);
    ct_pool_destroy(b->pool);
}

static size_t block(body *b, int dim, int across, double spacing)
{
    size_t count = 0;
    for (int i = 0; i < 3 * across; i++)
        for (int j = 0; j < across; j++)
            for (int k = 0; k < (dim == 3 ? across : 1); k++, count++) {
                double x[3] = {i * spacing, j * spacing, k * spacing};
                memcpy(b->rest + count * (size_t)dim, x, (size_t)dim * sizeof(double));
            }
    return count;
}

static double length_of(const double *v, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += v[k] * v[k];
    return sqrt(sum);
}

/* Along a random way the energy changes by minus the force times it; the force without the derivative of F,
 * as the paper has it, is the control: its part is more than a hundred times the error. */
static void force_is_the_gradient(void **state)
{
    (void)state;
    static body b;
    for (int dim = 2; dim <= 3; dim++) {
        size_t all = block(&b, dim, 4, 0.1) * (size_t)dim;
        make(&b, dim, all / (size_t)dim, 0.1, dim == 3 ? 2.1 : 3.05, 1e-3, 1000, 0.6, 0.4, true);
        ct_newton *n = &b.newton;
        for (size_t k = 0; k < all; k++) n->u[k] = n->goal[k] = 0.03 * noise(k);
        ct_newton_evaluate(n);
        double slope = 0, step = 1e-6, *way = malloc(all * sizeof *way), *to = malloc(all * sizeof *to);
        assert_true(way && to);
        for (size_t k = 0; k < all; k++) way[k] = noise(k + 7919), slope -= n->force[k] * way[k];
        double energy[2];
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < all; k++) n->goal[k] = to[k] = n->u[k] + (side ? step : -step) * way[k];
            energy[side] = ct_newton_objective(n, to) / (n->h * n->h);
        }
        double found = (energy[1] - energy[0]) / (2 * step);
        print_message("%dD: slope %.9g, by differences %.9g\n", dim, slope, found);
        assert_true(fabs(found - slope) < 1e-7 * fabs(slope));
        double sum[3] = {0};
        for (size_t k = 0; k < all; k++) sum[k % (size_t)dim] += n->force[k];
        for (int a = 0; a < dim; a++) assert_true(fabs(sum[a]) < 1e-12 * length_of(n->force, all));
        free(way), free(to);
        destroy(&b);
    }
}

/* H d = m d - h^2 df where nothing is strained, turned or not. */
static void matrix_is_the_derivative(void **state)
{
    (void)state;
    static body b;
    for (int dim = 2; dim <= 3; dim++) {
        size_t all = block(&b, dim, 4, 0.1) * (size_t)dim;
        make(&b, dim, all / (size_t)dim, 0.1, dim == 3 ? 2.1 : 3.05, 1e-3, 1000, 6e6, 4e6, true);
        ct_newton *n = &b.newton;
        double *way = malloc(all * sizeof *way), *force = malloc(all * sizeof *force),
               *product = malloc(all * sizeof *way);
        assert_true(way && force && product);
        for (size_t p = 0; p < n->count; p++) { /* turned by 90 degrees about the last axis */
            double *u = n->u + p * (size_t)dim;
            const double *x = b.rest + p * (size_t)dim;
            u[0] = -x[1] - x[0], u[1] = x[0] - x[1];
        }
        double step = 1e-7, error = 0;
        for (size_t k = 0; k < all; k++) way[k] = noise(k);
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < all; k++) n->u[k] += (side ? -2 : 1) * step * way[k];
            ct_newton_evaluate(n);
            for (size_t k = 0; k < all; k++) force[k] = side ? force[k] - n->force[k] : n->force[k];
        }
        for (size_t k = 0; k < all; k++) n->u[k] += step * way[k];
        ct_newton_evaluate(n);
        ct_newton_product(n, way, product);
        for (size_t k = 0; k < all; k++) {
            double exact = n->mass[k / (size_t)dim] * way[k] - n->h * n->h * force[k] / (2 * step);
            error = fmax(error, fabs(product[k] - exact));
        }
        print_message("%dD: %.1e of %.1e\n", dim, error, length_of(product, all) / sqrt((double)all));
        assert_true(error < 1e-5 * length_of(product, all) / sqrt((double)all));
        free(way), free(force), free(product);
        destroy(&b);
    }
}

/* What both ways come to is a solution: H step = residual, to 10^-9 by factors and to a tenth by iterations.
 * The coarse space is what makes the iterations few. */
static void both_ways_solve(void **state)
{
    (void)state;
    static body b;
    for (int dim = 2; dim <= 3; dim++)
        for (int way = 0; way < 2; way++) {
            size_t count = block(&b, dim, dim == 3 ? 6 : 16, 0.1), all = count * (size_t)dim;
            make(&b, dim, count, 0.1, dim == 3 ? 2.1 : 3.05, 1e-3, 1000, 6e9, 4e9, way == 0);
            ct_newton *n = &b.newton;
            ct_error error;
            size_t layer = count / (dim == 3 ? 18 : 48);
            for (size_t p = 0; p < 2 * layer; p++) hold(&b, p);
            for (size_t k = 0; k < all; k++)
                n->goal[k] = k % (size_t)dim == 1 && n->mass[k / (size_t)dim] > 0 ? -1.6e-4 : 0;
            ct_newton_evaluate(n);
            double *R = malloc(all * sizeof *R), *product = malloc(all * sizeof *product),
                   *u = malloc(all * sizeof *u);
            assert_true(R && product && u);
            memcpy(R, n->residual, all * sizeof *R);
            memcpy(u, n->u, all * sizeof *u);
            assert_int_equal(ct_newton_iterate(n, &error), CT_OK);
            for (size_t k = 0; k < all; k++) u[k] = n->u[k] - u[k], n->u[k] -= u[k];
            ct_newton_evaluate(n);
            ct_newton_product(n, u, product);
            ct_newton_project(n, product);
            for (size_t k = 0; k < all; k++) product[k] -= R[k];
            double left = length_of(product, all) / length_of(R, all);
            print_message("%dD, %s: %.1e of the residual is left, %d products, %zu cells\n", dim,
                          way ? "iterated" : "factored", left, n->inner, n->cells);
            assert_true(left < (way ? 0.1 : 1e-6));
            assert_true(n->inner <= (way ? 40 : 1));
            free(R), free(product), free(u);
            destroy(&b);
        }
}

/* A step of implicit Euler; returns its iterations. */
static int step_of(ct_newton *n, double *velocity, double *fall)
{
    const size_t d = (size_t)n->dim;
    ct_error error;
    double g = n->gravity * n->h * n->h;
    n->steps = 0;
    for (size_t k = 0; k < n->count * d; k++) {
        double m = n->mass[k / d], down = k % d == 1 && m > 0 ? -g : 0;
        n->glide[k] = m > 0 ? n->h * velocity[k] : 0;
        n->goal[k] = n->glide[k] + down;
        n->u[k] = n->glide[k] + down * fall[k / d];
    }
    while (!(ct_newton_evaluate(n) && n->steps) && n->steps < 40)
        assert_int_equal(ct_newton_iterate(n, &error), CT_OK);
    for (size_t k = 0; k < n->count * d; k++) {
        if (k % d == 1 && n->mass[k / d] > 0) fall[k / d] = fmin(fmax((n->glide[k] - n->u[k]) / g, 0), 1);
        velocity[k] = n->u[k] / n->h;
        n->start[k] += n->u[k];
    }
    return n->steps;
}

/* A chain of 1.5 m between hooks 1 m apart, let go as a V, hangs as a catenary: it sags by 0.5026 m. */
static void chain_hangs_as_a_catenary(void **state)
{
    (void)state;
    static body b;
    static double velocity[3 * MOST], fall[MOST];
    static const double moduli[] = {1e8, 1e10};
    for (int i = 0; i < 2; i++) {
        for (size_t p = 0; p <= 150; p++) {
            double t = (double)p / 150;
            b.rest[2 * p] = t, b.rest[2 * p + 1] = -fmin(t, 1 - t) * 2 * sqrt(0.75 * 0.75 - 0.25);
        }
        make(&b, 2, 151, 0.01, 1.2, 3.14159 * 4e-8, 7800, 0, moduli[i], true);
        ct_newton *n = &b.newton;
        hold(&b, 0), hold(&b, 150);
        memset(velocity, 0, sizeof velocity);
        for (size_t p = 0; p < MOST; p++) fall[p] = 1;
        int steps = 0;
        for (int k = 0; k < 350; k++) {
            if (k == 150) n->h = 0.02;
            steps += step_of(n, velocity, fall);
        }
        double sag = 0;
        for (size_t p = 0; p <= 150; p++) sag = fmax(sag, -n->start[2 * p + 1]);
        print_message("%.0e Pa: sag %.4f m, %.1f iterations per step\n", moduli[i], sag, steps / 350.0);
        assert_true(fabs(sag - 0.5026) < 0.001);
        destroy(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_the_gradient),
        cmocka_unit_test(matrix_is_the_derivative),
        cmocka_unit_test(both_ways_solve),
        cmocka_unit_test(chain_hangs_as_a_catenary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
