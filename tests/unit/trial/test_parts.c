/* The parts of trials: formulas, what is taken of a series, neighbours. */
#include "trial/neighbors.h"
#include "trial/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool look_up(void *user, const char *name, double *value)
{
    (void)user;
    *value = !strcmp(name, "a.b") ? 5 : 2;
    return !strcmp(name, "a.b") || !strcmp(name, "two");
}

static double value_of(const char *formula)
{
    char reason[CT_FORMULA_REASON];
    double value;
    if (!ct_formula_value(formula, look_up, NULL, &value, reason)) fail_msg("'%s': %s", formula, reason);
    return value;
}

static void formulas_follow_the_usual_rules(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double value;
    } known[] = {
        {"1 + 2 * 3", 7},       {"(1 + 2) * 3", 9},        {"2^3^2", 512},     {"-2^2", -4},
        {"8 / 4 / 2", 1},       {"5 - 2 - 1", 2},          {"a.b * two", 10},  {"2^-1", 0.5},
        {"1 < 2 and 3 < 2", 0}, {"1 < 2 or 3 < 2", 1},     {"not 1 > 2", 1},   {"max(1, a.b, 3)", 5},
        {"min(4, two)", 2},     {"sqrt(16) + abs(-3)", 7}, {"1e-3 * 1000", 1}, {"two >= 2", 1},
        {"cos(pi)", -1},        {"log(exp(3))", 3},        {"two = 2", 1},     {".5 + 0.5", 1},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!(fabs(value_of(known[k].formula) - known[k].value) < 1e-15)) fail_msg("'%s'", known[k].formula);
}

static void broken_formulas_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const broken[] = {"",    "1 +",    "(1",   "1 2", "three", "max(1",
                                         "* 2", "1..2 3", "a..b", "2 ^", "and"};
    char reason[CT_FORMULA_REASON];
    double value;
    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        if (ct_formula_value(broken[k], look_up, NULL, &value, reason))
            fail_msg("'%s' is %g", broken[k], value);
        assert_true(reason[0]);
    }
    char deep[2001]; /* must not use up the stack */
    memset(deep, '(', 2000), deep[2000] = '\0';
    assert_false(ct_formula_value(deep, look_up, NULL, &value, reason));
    memset(deep, '-', 2000);
    assert_false(ct_formula_value(deep, look_up, NULL, &value, reason));
}

/* Against tables of Student's distribution, and a sample whose statistics are known by hand. */
static void estimates_are_students(void **state)
{
    (void)state;
    static const struct {
        int degrees;
        double t;
    } known[] = {{1, 12.7062},  {4, 2.77645},  {10, 2.22814}, {11, 2.20099},
                 {20, 2.08596}, {30, 2.04227}, {63, 1.99834}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!(fabs(ct_student_t(known[k].degrees) - known[k].t) < 2e-5))
            fail_msg("%d: %.7f", known[k].degrees, ct_student_t(known[k].degrees));
    ct_estimate five = ct_estimate_of((const double[]){1, 2, 3, 4, 5}, 5);
    assert_true(five.mean == 3 && five.n == 5 && fabs(five.spread - sqrt(2.5)) < 1e-15);
    assert_true(fabs(five.half - 2.77645 * sqrt(2.5 / 5)) < 1e-5);
    ct_estimate one = ct_estimate_of((const double[]){7}, 1);
    assert_true(one.mean == 7 && one.spread == 0 && one.half == 0);
    assert_true(isnan(ct_estimate_of((const double[]){1, NAN, 2}, 3).mean));
}

typedef struct seeded {
    int seed;
} seeded;

static bool look_up_seed(void *user, const char *name, double *value)
{
    const seeded *self = user;
    *value = self->seed == 1 ? 10 : 1;
    return !strcmp(name, "v");
}

/* v is 1, 10, 1 */
static void formulas_go_over_seeds(void **state)
{
    (void)state;
    seeded self = {1};
    ct_formula_names names = {look_up_seed, &self, &self.seed, 3};
    static const struct {
        const char *formula;
        double value;
    } known[] = {{"v", 10},
                 {"mean(v)", 4},
                 {"v - mean(v)", 6},
                 {"mean(2 * v + 1)", 9},
                 {"mean(v - mean(v))", 0},
                 {"spread(v)^2", 27},
                 {"error(v) / (4.30265 * 3)", 1}};
    char reason[CT_FORMULA_REASON];
    double value;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!ct_formula_value_of(known[k].formula, &names, &value, reason) ||
            !(fabs(value - known[k].value) < 1e-5) || self.seed != 1)
            fail_msg("'%s': %g", known[k].formula, value);
    assert_false(ct_formula_value_of("mean(w)", &names, &value, reason));
    assert_false(ct_formula_value_of("mean(v", &names, &value, reason));
    assert_true(value_of("mean(two) + spread(two)") == 2); /* of one run */
}

static double taken(const char *take, double level, double from, double to)
{
    /* y = 3 - t for t = 0 .. 4 */
    const double time[] = {0, 1, 2, 3, 4}, values[] = {3, 2, 1, 0, -1};
    ct_measure measure = {.take = take, .level = level, .from = from, .to = to};
    return ct_take(&measure, time, values, 5);
}

static void series_give_what_is_taken(void **state)
{
    (void)state;
    assert_true(taken("end", 0, -1, 9) == -1 && taken("start", 0, -1, 9) == 3 &&
                taken("change", 0, -1, 9) == -4);
    assert_true(taken("end", 0, 0, 2) == 1 && taken("start", 0, 1, 9) == 2 && taken("mean", 0, -1, 9) == 1);
    assert_true(taken("max", 0, 1, 9) == 2 && taken("min", 0, -1, 3) == 0);
    assert_true(taken("rise", 0, -1, 9) == 0 && taken("fall", 0, -1, 9) == 1);
    assert_true(fabs(taken("rate", 0, -1, 9) + 1) < 1e-15);
    assert_true(taken("when_below", 0.5, -1, 9) == 2.5 && isnan(taken("when_above", 5, -1, 9)));
    assert_true(isnan(taken("end", 0, 7, 9)));
    enum { SAMPLES = 2000 };
    static double time[SAMPLES], wave[SAMPLES];
    for (int k = 0; k < SAMPLES; k++)
        time[k] = 0.01 * k, wave[k] = 2 + sin(2 * 3.14159265358979 * time[k] / 1.7);
    ct_measure period = {.take = "period", .from = -INFINITY, .to = INFINITY};
    assert_true(fabs(ct_take(&period, time, wave, SAMPLES) - 1.7) < 1e-4);
    ct_measure mean = {.take = "mean", .from = -INFINITY, .to = INFINITY};
    assert_true(ct_take(&mean, time, (const double[]){1, NAN, 5}, 3) == 3); /* nobody chosen in the second */
    assert_true(isnan(ct_take(&mean, time, (const double[]){NAN}, 1)));
}

typedef struct pairs {
    int count;
    bool is_listed[64][64];
} pairs;

static void list_pair(void *user, size_t a, size_t b, double distance)
{
    pairs *self = user;
    assert_true(a < b && !self->is_listed[a][b] && distance < 0.3);
    self->is_listed[a][b] = true;
    self->count++;
}

/* Against trying every pair; the points straddle cells of both signs. */
static void near_pairs_are_found_once(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    double points[64][3];
    unsigned seed = 1;
    for (int p = 0; p < 64; p++)
        for (int a = 0; a < 3; a++)
            seed = seed * 1664525u + 1013904223u, points[p][a] = (seed >> 8) / 16777216.0 - 0.5;
    pairs found = {0};
    ct_error error;
    assert_int_equal(
        ct_pairs_visit(&heap, (const double(*)[3])points, NULL, 64, 0.3, list_pair, &found, &error), CT_OK);
    int count = 0;
    for (int a = 0; a < 64; a++)
        for (int b = a + 1; b < 64; b++) {
            double squared = 0;
            for (int k = 0; k < 3; k++)
                squared += (points[a][k] - points[b][k]) * (points[a][k] - points[b][k]);
            count += squared < 0.09;
            assert_true(found.is_listed[a][b] == (squared < 0.09));
        }
    assert_true(found.count == count && count > 20);
    assert_int_equal(heap.bytes, 0);
}

static void fragments_are_counted(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    double points[][3] = {{0}, {0.9}, {1.8}, {5}, {5.5}, {9}};
    bool chosen[] = {true, true, true, true, true, true};
    double numbers[6], value;
    ct_fragments found;
    ct_sampling sampling = {
        .heap = &heap, .count = 6, .position = points, .chosen = chosen, .numbers = numbers};
    ct_error error;
    assert_int_equal(ct_count_fragments(&sampling, 1, 0, &found, &error), CT_OK);
    assert_true(found.count == 3 && fabs(found.even - 36.0 / (9 + 4 + 1)) < 1e-12);
    assert_int_equal(ct_count_fragments(&sampling, 1, 1, &found, &error), CT_OK);
    assert_true(found.count == 2 && fabs(found.even - 36.0 / (9 + 4 + 1)) < 1e-12);
    assert_int_equal(ct_count_fragments(&sampling, 0.6, -INFINITY, &found, &error), CT_OK);
    assert_true(found.count == 5 && fabs(found.even - 36.0 / (4 + 4)) < 1e-12);
    assert_int_equal(ct_count_fragments(&sampling, 9, 0, &found, &error), CT_OK);
    assert_true(found.count == 1 && found.even == 1); /* of one piece it is 1, */
    assert_int_equal(ct_count_fragments(&sampling, 0.1, 0, &found, &error), CT_OK);
    assert_true(found.count == 6 && found.even == 6); /* of equal ones their number */
    chosen[1] = false;                                /* the bridge is gone */
    assert_int_equal(ct_count_fragments(&sampling, 1, 0, &found, &error), CT_OK);
    assert_true(found.count == 4 && fabs(found.even - 25.0 / (1 + 1 + 4 + 1)) < 1e-12);
    assert_int_equal(ct_nearest_distances(&sampling, 2, numbers, &error), CT_OK);
    assert_true(numbers[0] == 1.8 && numbers[3] == 0.5 && numbers[5] == 2);

    static const double alone[][2] = {{0, 3}, {0.6, 2}, {1, 1}}; /* within what, and what is left of them */
    for (int k = 0; k < 3; k++) {
        ct_measure measure = {
            .of = "fragments", .distance = 1, .alone = alone[k][0], .above = -INFINITY, .particle = -1};
        assert_int_equal(ct_measure_now(&sampling, &measure, &value, &error), CT_OK);
        assert_true(value == alone[k][1]);
    }
}

/* Two lines of four along y. The first is bent into a straight slope, in which nobody is off; in the second
 * one particle stands 0.3 aside: it is off by 0.3, and its neighbour by 0.15. */
static void lines_may_be_bent_but_not_broken(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    double start[8][3] = {0}, now[8][3] = {0}, value;
    bool chosen[8];
    for (int p = 0; p < 8; p++) {
        start[p][0] = now[p][0] = p / 4 * 5;
        start[p][1] = now[p][1] = p % 4;
        now[p][0] += p < 4 ? 0.5 * p : p == 6 ? 0.3 : 0;
        chosen[p] = true;
    }
    ct_sampling sampling = {
        .heap = &heap, .count = 8, .start_count = 8, .position = now, .start = start, .chosen = chosen};
    ct_measure measure = {.axis = 0, .distance = 1.1};
    ct_error error;
    assert_int_equal(ct_measure_unaligned(&sampling, &measure, &value, &error), CT_OK);
    assert_true(fabs(value - (0.3 + 0.15) / 4) < 1e-15); /* four have two neighbours */
    sampling.position = start;
    assert_int_equal(ct_measure_unaligned(&sampling, &measure, &value, &error), CT_OK);
    assert_true(value == 0);
    assert_int_equal(heap.bytes, 0);
}

static void fields_are_formulas_of_place_and_time(void **state)
{
    (void)state;
    char reason[CT_FORMULA_REASON];
    const double x[3] = {2, 3, 5};
    assert_true(ct_field_at("x + 10 * y + 100 * z + 1000 * t + 1e4 * seed", x, 7, 4) == 47532);
    assert_true(ct_field_is_known("sin(pi * x) * t", reason));
    assert_false(ct_field_is_known("sin(pi * w)", reason));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_follow_the_usual_rules),
        cmocka_unit_test(broken_formulas_are_refused_with_a_reason),
        cmocka_unit_test(estimates_are_students),
        cmocka_unit_test(formulas_go_over_seeds),
        cmocka_unit_test(series_give_what_is_taken),
        cmocka_unit_test(near_pairs_are_found_once),
        cmocka_unit_test(fragments_are_counted),
        cmocka_unit_test(lines_may_be_bent_but_not_broken),
        cmocka_unit_test(fields_are_formulas_of_place_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
