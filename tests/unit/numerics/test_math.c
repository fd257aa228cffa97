/* log, exp and pow on lanes against the C library's in long double, over the whole range of numbers; and
 * packing. */
#include "core/math_lanes.h"
#include "core/pack.h"
#include "unit/numerics/machine.h"
#include "unit/numerics/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 40000 };

/* The distance in units of the last place of `exact`; of the least number, where it is denormal. */
static double units_off(ct_real value, long double exact)
{
    const int digits = CT_IS_DOUBLE ? DBL_MANT_DIG : FLT_MANT_DIG;
    const int least = (CT_IS_DOUBLE ? DBL_MIN_EXP : FLT_MIN_EXP) - digits;
    int exponent;
    if (value == (ct_real)exact) return 0;
    if (!isfinite((double)value) || !isfinite((double)exact)) return INFINITY;
    frexpl(exact, &exponent);
    exponent = exponent - digits > least ? exponent - digits : least;
    return (double)(fabsl((long double)value - exact) / ldexpl(1, exponent));
}

/* A positive number: any, near 1, or denormal. */
static ct_real positive(ct_samples *samples, int round)
{
    const double range = CT_IS_DOUBLE ? 709 : 88, least = CT_IS_DOUBLE ? DBL_MIN : (double)FLT_MIN;
    double x = ct_sample_uniform(samples);
    if (round % 16 == 0) return (ct_real)(fabs(x) * least);
    return (ct_real)exp(round % 2 ? x * range : x * x * x);
}

/* log and exp are rounded once or twice. What the logarithm's two parts lack, 0.08 units at the most, is
 * multiplied by the power. */
static void agrees_with_the_library(void **state)
{
    (void)state;
    const double range = CT_IS_DOUBLE ? 745 : 104;
    ct_samples samples = {3};
    double log_off = 0, exp_off = 0, pow_off = 0;
    CT_FOR(round, ROUNDS) {
        ct_lane a, b, power;
        CT_FOR(l, CT_LANES) {
            a[l] = positive(&samples, round);
            b[l] = (ct_real)((round % 2 ? range : 2) * ct_sample_uniform(&samples));
            power[l] = (ct_real)((round % 3 ? 8 : 100) * ct_sample_uniform(&samples));
        }
        ct_lane logs = ct_lane_log(a), exps = ct_lane_exp(b), pows = ct_lane_pow(a, power);
        CT_FOR(l, CT_LANES) {
            long double x = (long double)a[l];
            log_off = fmax(log_off, units_off(logs[l], logl(x)));
            exp_off = fmax(exp_off, units_off(exps[l], expl((long double)b[l])));
            double off = units_off(pows[l], powl(x, (long double)power[l]));
            pow_off = fmax(pow_off, off / (1.25 + 0.08 * fabs((double)power[l])));
        }
    }
    assert_true(log_off < 1);
    assert_true(exp_off < 1);
    assert_true(pow_off < 1);
    assert_true(units_off(1 + 3 * CT_EPSILON, 1) > 2); /* and an error is seen */
}

/* ln(1 + a) from -1/2 to 1; ln(1 + a) of the rounded sum is not good enough. */
static void small_logarithms_keep_their_digits(void **state)
{
    (void)state;
    ct_samples samples = {5};
    double worst = 0, rounded = 0;
    CT_FOR(round, ROUNDS) {
        ct_lane a;
        CT_FOR(l, CT_LANES) {
            double x = ct_sample_uniform(&samples);
            a[l] = (ct_real)((x < 0 ? 0.499 : 0.999) * (round % 2 == 0 ? x : x * exp(-20 * x * x)));
        }
        ct_lane logs = ct_lane_log1p(a), others = ct_lane_log(1 + a);
        CT_FOR(l, CT_LANES) {
            long double exact = log1pl((long double)a[l]);
            worst = fmax(worst, units_off(logs[l], exact));
            rounded = fmax(rounded, units_off(others[l], exact));
        }
    }
    assert_true(worst < 2); /* 2 + a, the quotient and the sum of two parts: half a unit each */
    assert_true(rounded > 1000);
}

static void ends_are_those_of_the_library(void **state)
{
    (void)state;
    const ct_real ends[] = {0,    -(ct_real)0, 1, -1, (ct_real)INFINITY, -(ct_real)INFINITY, (ct_real)NAN,
                            1000, -1000};
    const ct_real powers[] = {0, 1, -1, (ct_real)0.5, -7, 300};
    CT_FOR(i, 9) {
        double x = (double)ends[i], got = (double)ct_lane_log(ct_lane_all(ends[i]))[0], want = log(x);
        assert_true(isnan(want) ? isnan(got) : isinf(want) ? got == want : fabs(got - want) < 1e-5);
        got = (double)ct_lane_exp(ct_lane_all(ends[i]))[0], want = (double)(ct_real)exp(x);
        assert_true(isnan(want)                ? isnan(got)
                    : isinf(want) || want == 0 ? got == want
                                               : fabs(got / want - 1) < 1e-5);
        CT_FOR(k, 6) {
            if (x < 0 && powers[k] != 0) continue; /* negative numbers are refused, whatever the power */
            got = (double)ct_lane_pow(ct_lane_all(ends[i]), ct_lane_all(powers[k]))[0];
            want = (double)(ct_real)pow(x, (double)powers[k]);
            if (x == 0 && want != 0 && powers[k] != 0) want = INFINITY; /* no sign of zero */
            assert_true(isnan(want)                ? isnan(got)
                        : isinf(want) || want == 0 ? got == want
                                                   : fabs(got / want - 1) < 1e-5);
        }
    }
    assert_true(isnan((double)ct_lane_pow(ct_lane_all(-2), ct_lane_all(3))[0]));
}

/* Any choice of any number of particles moves to the front in its order and back to its places; what was not
 * chosen stays. */
static void packing_goes_there_and_back(void **state)
{
    (void)state;
    for (int round = 0; round < 4000; round++) {
        int count = 1 + round % CT_MOST_PACKED, members = 0;
        unsigned char is_chosen[CT_MOST_PACKED] = {0};
        _Alignas(64) ct_real from[CT_MOST_PACKED], to[CT_MOST_PACKED], back[CT_MOST_PACKED];
        CT_FOR(i, CT_MOST_PACKED) from[i] = (ct_real)i, to[i] = -1, back[i] = (ct_real)(-2 - i);
        CT_FOR(i, count) is_chosen[i] = round % 7 == 0 || rand() % 5 < round % 6;
        ct_packing packing;
        ct_packing_make(&packing, is_chosen, count);
        ct_pack(&packing, from, to);
        CT_FOR(i, count)
            if (is_chosen[i]) assert_true(to[members++] == (ct_real)i);
        assert_int_equal(packing.members, members);
        ct_unpack(&packing, to, back);
        CT_FOR(i, CT_MOST_PACKED) assert_true(back[i] == (ct_real)(is_chosen[i] ? i : -2 - i));
    }
}

/* So many numbers, and not one more. */
static void some_are_copied_and_no_others(void **state)
{
    (void)state;
    CT_FOR(some, CT_LANES) {
        ct_real from[CT_LANES], to[CT_LANES];
        CT_FOR(i, CT_LANES) from[i] = (ct_real)i, to[i] = -1;
        ct_copy_some(some, from, to);
        CT_FOR(i, CT_LANES) assert_true(to[i] == (ct_real)(i < some ? i : -1));
    }
}

int main(void)
{
    if (ct_machine_lacks_lanes()) return CT_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_library),       cmocka_unit_test(small_logarithms_keep_their_digits),
        cmocka_unit_test(ends_are_those_of_the_library), cmocka_unit_test(packing_goes_there_and_back),
        cmocka_unit_test(some_are_copied_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
