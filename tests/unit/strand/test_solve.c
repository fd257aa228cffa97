/* The implicit step of one strand against exact results, in metres and seconds. */
#include "strand/strand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 128 };
static const double PI = 3.14159265358979323846;

typedef struct strand {
    ct_rod rod;
    int dimension;
    double x[MOST + 1][3], m1[MOST + 1][3], twist[MOST + 1], v[MOST + 1][3], mass[MOST + 1];
    double length[MOST + 1], span[MOST + 1], curve[MOST + 1][2];
    double guess[MOST + 1][3], goal[MOST + 1][3], turned[MOST + 1][3];
    double end[MOST + 1][3], end_m1[MOST + 1][3], end_twist[MOST + 1];
    bool is_held[MOST + 1];
    ct_strand_touch touch[MOST + 1][CT_TOUCHES];
    double gravity[3], load[3]; /* m/s^2; N, on the tip */
    int iterations;
} strand;

static strand s;
static double scratch[40 * (4 * MOST + 3)];

/* A straight strand of `edges` edges of `length` in all along `axis`, of a material of unit density. */
static void make(size_t edges, double length, int axis, double stretch, double bend, double twist,
                 double line)
{
    double part = length / (double)edges;
    memset(&s, 0, sizeof s);
    s.dimension = 3;
    for (size_t i = 0; i <= edges; i++) {
        s.x[i][axis] = part * (double)i;
        s.length[i] = s.span[i] = part;
        s.mass[i] = line * part * (i == 0 || i == edges ? 0.5 : 1);
    }
    s.rod = (ct_rod){.edges = edges,
                     .stretch = stretch,
                     .bend = {bend, bend},
                     .twist = twist,
                     .length = s.length,
                     .span = s.span,
                     .curve = (const double(*)[2])s.curve};
    ct_rod_untwist(edges, (const double(*)[3])s.x, s.m1);
    memcpy(s.turned, s.m1, sizeof s.m1);
}

/* Clamped at vertex 1, as PHYSICS of held edges has it: half of the free edge belongs to it. */
static void clamp_root(void)
{
    s.is_held[0] = s.is_held[1] = true;
    s.span[1] = 0.5 * s.length[1];
}

static void step(double dt, const ct_obstacles *obstacles)
{
    static const ct_obstacles none = {.dimension = 3};
    size_t count = s.rod.edges + 1;
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            double force = s.gravity[a] + (i + 1 == count ? s.load[a] / s.mass[i] : 0);
            s.guess[i][a] = s.is_held[i] ? 0 : dt * s.v[i][a];
            s.goal[i][a] = s.is_held[i] ? 0 : s.guess[i][a] + dt * dt * force;
        }
    ct_strand_problem p = {.rod = s.rod,
                           .dimension = s.dimension,
                           .dt = dt,
                           .radius = 1e-3,
                           .tolerance = 1e-9,
                           .iterations = 50,
                           .start = {s.x, s.m1, s.twist},
                           .mass = s.mass,
                           .guess = (const double(*)[3])s.guess,
                           .goal = (const double(*)[3])s.goal,
                           .is_held = s.is_held,
                           .turned = (const double(*)[3])s.turned,
                           .obstacles = obstacles ? obstacles : &none,
                           .touch = s.touch,
                           .end = {s.end, s.end_m1, s.end_twist}};
    ct_strand_solved solved = ct_strand_solve(&p, scratch);
    assert_true(solved.is_finite);
    s.iterations = solved.iterations;
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) s.v[i][a] = (s.end[i][a] - s.x[i][a]) / dt;
    memcpy(s.x, s.end, sizeof s.x);
    memcpy(s.m1, s.end_m1, sizeof s.m1);
    memcpy(s.twist, s.end_twist, sizeof s.twist);
}

/* Long steps damp all motion. */
static void settle(int steps)
{
    for (int k = 0; k < steps; k++) step(100, NULL);
}

/* y(L) = -P L^3/(3 E I) for a small load; L counts from the clamp. */
static double tip_error(size_t edges)
{
    make(edges + 1, 1 + 1.0 / (double)edges, 0, 1e6, 2, 1, 1e-9);
    clamp_root();
    s.load[1] = -1e-3;
    settle(3);
    return s.x[edges + 1][1] / (-1e-3 / (3 * 2.0)) - 1;
}

static void cantilever_with_a_loaded_tip(void **state)
{
    (void)state;
    double coarse = tip_error(16), fine = tip_error(32);
    assert_true(fabs(fine) < 1e-3);
    assert_in_range((int)(100 * coarse / fine), 350, 450); /* second order */
}

/* The heavy elastica E I theta'' = -w (L - s) cos theta, theta(0) = 0, theta'(L) = 0, by shooting; returns
 * the drop of the tip. Heun's rule would do; this is Runge and Kutta's. */
static double elastica(double bend, double weight, double *reach)
{
    double low = -50, high = 0, drop = 0;
    for (int trial = 0; trial < 100; trial++) {
        enum { STEPS = 2000 };
        double k0 = 0.5 * (low + high), th = 0, kappa = k0, h = 1.0 / STEPS, x = 0, y = 0;
        for (int n = 0; n < STEPS; n++) {
            double at = n * h, d[4][2], t = th, k = kappa;
            for (int r = 0; r < 4; r++) {
                double part = r == 0 ? 0 : r == 3 ? h : 0.5 * h;
                if (r) t = th + part * d[r - 1][0], k = kappa + part * d[r - 1][1];
                d[r][0] = k;
                d[r][1] = weight / bend * (1 - at - part) * cos(t);
            }
            double before = th;
            th += h / 6 * (d[0][0] + 2 * d[1][0] + 2 * d[2][0] + d[3][0]);
            kappa += h / 6 * (d[0][1] + 2 * d[1][1] + 2 * d[2][1] + d[3][1]);
            x += h * cos(0.5 * (before + th)), y += h * sin(0.5 * (before + th));
        }
        if (kappa > 0) high = k0;
        else low = k0;
        drop = y, *reach = x;
    }
    return drop;
}

static void heavy_elastica(void **state)
{
    (void)state;
    double reach, drop = elastica(1, 20, &reach), error[2];
    for (int k = 0; k < 2; k++) {
        size_t edges = k ? 64 : 32;
        make(edges + 1, 1 + 1.0 / (double)edges, 0, 1e8, 1, 1, 1);
        for (size_t i = 0; i <= edges + 1; i++) s.x[i][0] -= 1.0 / (double)edges;
        clamp_root();
        s.gravity[1] = -20;
        for (int n = 0; n < 400; n++) step(0.1, NULL);
        error[k] = hypot(s.x[edges + 1][0] - reach, s.x[edges + 1][1] - drop);
    }
    assert_true(drop < -0.7); /* far from small */
    assert_true(error[1] < 5e-4);
    assert_true(error[0] / error[1] > 3);
}

/* A column stands up to w L^3 = 7.8373 E I (Greenhill 1881), and falls beyond. */
static double lean(double load)
{
    enum { EDGES = 64 };
    make(EDGES + 1, 1 + 1.0 / EDGES, 1, 1e8, 1, 1, 1);
    clamp_root();
    for (size_t i = 2; i <= EDGES + 1; i++) s.x[i][0] = 1e-4 * (double)i / EDGES;
    s.gravity[1] = -load;
    for (int k = 0; k < 4000; k++) step(0.05, NULL);
    return fabs(s.x[EDGES + 1][0]);
}

static void column_buckles_under_its_weight(void **state)
{
    (void)state;
    assert_true(lean(0.98 * 7.8373) < 1e-3);
    assert_true(lean(1.02 * 7.8373) > 0.1);
}

/* One end turned by Phi about the axis, the other held: E = G J Phi^2 / (2 L) and no bending below
 * buckling. */
static void twist_is_uniform(void **state)
{
    (void)state;
    enum { EDGES = 22 };
    make(EDGES, 1.1, 0, 1e6, 10, 3, 1);
    s.is_held[0] = s.is_held[1] = s.is_held[EDGES - 1] = s.is_held[EDGES] = true;
    s.span[1] = s.span[EDGES - 1] = 0.5 * s.length[1];
    double angle = 0, begin[3];
    memcpy(begin, s.m1[EDGES - 1], sizeof begin);
    for (int k = 0; k < 10; k++) {
        angle += 0.7;
        s.turned[EDGES - 1][1] = cos(angle) * begin[1] - sin(angle) * begin[2];
        s.turned[EDGES - 1][2] = sin(angle) * begin[1] + cos(angle) * begin[2];
        step(1, NULL);
    }
    ct_rod_state at = {s.x, s.m1, s.twist};
    assert_float_equal(ct_rod_energy(&s.rod, &at), 3 * 49.0 / (2 * 1.0), 1e-6); /* 7 rad over 1 m */
}

/* A hanging string: first period 4 pi / 2.404826 sqrt(L / g). */
static double string_period(size_t edges, double dt)
{
    make(edges, 1, 1, 1e6, 1e-9, 1e-9, 1);
    for (size_t i = 0; i <= edges; i++) {
        s.x[i][1] *= -1;
        double z = 2.404826 * sqrt(1 + s.x[i][1]), bessel = 0, term = 1;
        for (int k = 1; k < 30; k++) bessel += term, term *= -z * z / (4.0 * k * k);
        s.v[i][0] = 1e-4 * bessel;
    }
    memset(s.m1[0], 0, sizeof s.m1[0]);
    ct_rod_untwist(edges, (const double(*)[3])s.x, s.m1);
    s.is_held[0] = true;
    s.gravity[1] = -9.81;
    double last = 0;
    for (int k = 1, crossings = 0;; k++) {
        step(dt, NULL);
        double now = s.x[edges][0];
        if (k > 1 && last * now < 0 && ++crossings == 2) return dt * (k - now / (now - last));
        last = now;
        if (k > 100000) return 0;
    }
}

static void hanging_string_swings_in_its_time(void **state)
{
    (void)state;
    double exact = 4 * PI / 2.404826 * sqrt(1 / 9.81);
    assert_float_equal(string_period(32, 1e-3) / exact, 1, 5e-3);
}

/* 3.9 GPa, 37 um: steps of 10 ms, as an explicit one would stand 2 us; it hangs without being stretched. */
static void real_hair_takes_long_steps(void **state)
{
    (void)state;
    enum { EDGES = 60 };
    double area = PI * 37e-6 * 37e-6, inertia = area * area / (4 * PI);
    make(EDGES, 0.3, 0, 3.9e9 * area, 3.9e9 * inertia, 1.4e9 * 2 * inertia, 1320 * area);
    clamp_root();
    s.gravity[1] = -9.81;
    for (int k = 0; k < 300; k++) step(1e-2, NULL);
    for (size_t j = 0; j < EDGES; j++) {
        double square = 0;
        for (int a = 0; a < 3; a++) square += (s.x[j + 1][a] - s.x[j][a]) * (s.x[j + 1][a] - s.x[j][a]);
        assert_float_equal(sqrt(square) / s.length[j], 1, 1e-4);
    }
    assert_true(s.x[EDGES][1] < -0.25);
}

/* On a floor with friction 0.5 a strand slides L = v^2/(2 mu g) and stops; on a smooth one it goes on. */
static void friction_stops_a_sliding_strand(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ct_obstacle floor = {.side = 2, .place = -1e-3, .friction = k ? 0 : 0.5};
        ct_obstacles all = {3, 1, &floor};
        make(10, 0.1, 0, 1e3, 1e-4, 1e-4, 0.1);
        s.gravity[1] = -9.81;
        for (size_t i = 0; i <= 10; i++) s.v[i][2] = 1;
        for (int n = 0; n < 400; n++) step(1e-3, &all);
        double way = k ? 0.4 : 1 / (2 * 0.5 * 9.81);
        assert_float_equal(s.x[5][2] / way, 1, 0.01);
        assert_float_equal(s.x[5][1], 0, 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_with_a_loaded_tip),      cmocka_unit_test(heavy_elastica),
        cmocka_unit_test(column_buckles_under_its_weight),   cmocka_unit_test(twist_is_uniform),
        cmocka_unit_test(hanging_string_swings_in_its_time), cmocka_unit_test(real_hair_takes_long_steps),
        cmocka_unit_test(friction_stops_a_sliding_strand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
