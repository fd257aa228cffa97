/* Rods: the gradient and the stiffness against differences of the energy, what rigid motions leave alone, and
 * the banded solver. */
#include "strand/rod.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { EDGES = 6, VERTICES = EDGES + 1, UNKNOWNS = 4 * EDGES + 3 };

typedef struct strand {
    double x[VERTICES][3], m1[VERTICES][3], twist[VERTICES];
    double length[VERTICES], span[VERTICES], curve[VERTICES][2];
} strand;

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) * 0x1p-53 * 2 - 1;
}

static ct_rod_state state_of(strand *s)
{
    return (ct_rod_state){s->x, s->m1, s->twist};
}

/* A crooked, twisted, stretched strand with a section that is no circle. */
static ct_rod make(strand *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < VERTICES; i++) {
        s->x[i][0] = (double)i;
        for (int a = 0; a < 3; a++) s->x[i][a] += 0.3 * uniform(&seed);
        s->curve[i][0] = 0.3 * uniform(&seed), s->curve[i][1] = 0.3 * uniform(&seed);
        s->length[i] = 1 + 0.1 * uniform(&seed);
        s->span[i] = 1 + 0.1 * uniform(&seed);
    }
    ct_rod_untwist(EDGES, (const double(*)[3])s->x, s->m1);
    ct_rod rod = {.edges = EDGES,
                  .stretch = 30,
                  .bend = {2, 5},
                  .twist = 3,
                  .length = s->length,
                  .span = s->span,
                  .curve = (const double(*)[2])s->curve};
    double step[UNKNOWNS] = {0};
    strand from = *s;
    for (size_t j = 0; j < EDGES; j++) step[4 * j + 3] = 0.8 * (double)j + 0.3 * uniform(&seed);
    ct_rod_state before = state_of(&from), after = state_of(s);
    ct_rod_move(&rod, &before, step, 1, &after);
    return rod;
}

static double energy_moved(const ct_rod *rod, strand *s, size_t u, double by)
{
    strand to = *s;
    double step[UNKNOWNS] = {0};
    ct_rod_state from = state_of(s), moved = state_of(&to);
    step[u] = by;
    ct_rod_move(rod, &from, step, 1, &moved);
    return ct_rod_energy(rod, &moved);
}

static void gradient_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        strand s;
        ct_rod rod = make(&s, seed);
        ct_rod_state at = state_of(&s);
        double gradient[UNKNOWNS] = {0}, h = 1e-5, net[3] = {0};
        double energy = ct_rod_gradient(&rod, &at, gradient, NULL);
        assert_float_equal(energy, ct_rod_energy(&rod, &at), 1e-12 * energy);
        for (size_t u = 0; u < UNKNOWNS; u++) {
            double slope = (energy_moved(&rod, &s, u, h) - energy_moved(&rod, &s, u, -h)) / (2 * h);
            assert_float_equal(slope, gradient[u], 2e-7);
            if (u % 4 < 3) net[u % 4] += gradient[u];
        }
        for (int a = 0; a < 3; a++) assert_float_equal(net[a], 0, 1e-12); /* no force on the whole */
    }
}

/* Where nothing is strained the Gauss-Newton matrix is the whole second derivative. */
static void stiffness_is_the_slope_of_the_gradient_at_rest(void **state)
{
    (void)state;
    strand s;
    ct_rod rod = make(&s, 7);
    for (size_t j = 0; j < EDGES; j++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += (s.x[j + 1][a] - s.x[j][a]) * (s.x[j + 1][a] - s.x[j][a]);
        s.length[j] = sqrt(square);
    }
    memset(s.m1[0], 0, sizeof s.m1[0]);
    memset(s.twist, 0, sizeof s.twist);
    ct_rod_untwist(EDGES, (const double(*)[3])s.x, s.m1);
    ct_rod_curvature(EDGES, (const double(*)[3])s.x, (const double(*)[3])s.m1, s.curve);
    double none[UNKNOWNS] = {0}, band[UNKNOWNS][CT_BAND_ROW] = {{0}}, h = 1e-6;
    ct_rod_state at = state_of(&s);
    ct_rod_gradient(&rod, &at, none, band);
    for (size_t u = 0; u < UNKNOWNS; u++) {
        double side[2][UNKNOWNS] = {{0}}, step[UNKNOWNS] = {0};
        assert_float_equal(none[u], 0, 1e-12);
        for (int k = 0; k < 2; k++) {
            strand to = s;
            ct_rod_state moved = state_of(&to);
            step[u] = k ? h : -h;
            ct_rod_move(&rod, &at, step, 1, &moved);
            ct_rod_gradient(&rod, &moved, side[k], NULL);
        }
        for (size_t v = 0; v < UNKNOWNS; v++) {
            size_t row = u > v ? u : v, off = u > v ? u - v : v - u;
            double expected = (side[1][v] - side[0][v]) / (2 * h);
            assert_float_equal(off <= CT_BAND ? band[row][off] : 0, expected, 2e-7);
        }
    }
}

/* A circle bent from a straight rod: E -> B pi / R; a factor of 4 per refinement. */
static void circle_has_its_bending_energy(void **state)
{
    (void)state;
    enum { MOST = 256 };
    static double x[MOST + 1][3], m1[MOST + 1][3], twist[MOST + 1], length[MOST + 1], span[MOST + 1],
        curve[MOST + 1][2];
    const double pi = 3.14159265358979323846, radius = 2, bend = 3;
    double error[2];
    for (int k = 0; k < 2; k++) {
        size_t edges = k ? MOST : MOST / 2;
        for (size_t i = 0; i <= edges; i++) {
            double angle = 2 * pi * (double)i / (double)edges;
            x[i][0] = radius * cos(angle), x[i][1] = radius * sin(angle), x[i][2] = 0;
            length[i] = span[i] = 2 * radius * sin(pi / (double)edges);
        }
        memset(m1[0], 0, sizeof m1[0]);
        ct_rod_untwist(edges, (const double(*)[3])x, m1);
        ct_rod rod = {.edges = edges,
                      .stretch = 1,
                      .bend = {bend, bend},
                      .twist = 1,
                      .length = length,
                      .span = span,
                      .curve = (const double(*)[2])curve};
        ct_rod_state at = {x, m1, twist};
        double whole = ct_rod_energy(&rod, &at) * (double)edges / (double)(edges - 1); /* it has two ends */
        error[k] = whole / (bend * pi / radius) - 1;
    }
    assert_in_range((int)(1000 * error[0] / error[1]), 3900, 4100);
    assert_true(fabs(error[1]) < 1e-3);
}

/* Frames that turn round and round: the twist goes on counting beyond a turn. */
static void twist_counts_whole_turns(void **state)
{
    (void)state;
    strand s, to;
    ct_rod rod = make(&s, 3);
    memset(s.twist, 0, sizeof s.twist);
    memset(s.m1[0], 0, sizeof s.m1[0]);
    ct_rod_untwist(EDGES, (const double(*)[3])s.x, s.m1);
    for (int k = 0; k < 40; k++) {
        double step[UNKNOWNS] = {0};
        to = s;
        ct_rod_state from = state_of(&s), moved = state_of(&to);
        step[4 * (EDGES - 1) + 3] = 0.5;
        ct_rod_move(&rod, &from, step, 1, &moved);
        s = to;
    }
    assert_float_equal(s.twist[EDGES - 1], 20, 1e-9);
}

static void band_solves_what_it_factors(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    static double band[COUNT][CT_BAND_ROW], kept[COUNT][CT_BAND_ROW];
    double side[COUNT] = {0}, expected[COUNT];
    uint64_t seed = 11;
    for (size_t i = 0; i < COUNT; i++) {
        expected[i] = uniform(&seed);
        for (size_t k = 0; k < CT_BAND_ROW && k <= i; k++) band[i][k] = k ? uniform(&seed) : 25;
    }
    memcpy(kept, band, sizeof kept);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < CT_BAND_ROW && k <= i; k++) {
            side[i] += band[i][k] * expected[i - k];
            if (k) side[i - k] += band[i][k] * expected[i];
        }
    assert_true(ct_band_factor(COUNT, band));
    ct_band_solve(COUNT, (const double(*)[CT_BAND_ROW])band, side);
    for (size_t i = 0; i < COUNT; i++) assert_float_equal(side[i], expected[i], 1e-13);
    kept[30][0] = -1; /* not definite any more */
    assert_false(ct_band_factor(COUNT, kept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_slope_of_the_energy),
        cmocka_unit_test(stiffness_is_the_slope_of_the_gradient_at_rest),
        cmocka_unit_test(circle_has_its_bending_energy),
        cmocka_unit_test(twist_counts_whole_turns),
        cmocka_unit_test(band_solves_what_it_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
