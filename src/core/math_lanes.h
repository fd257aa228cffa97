/* log, exp and pow on lanes, in plain C: less than a unit in the last place off (pow: 2, and more where |b ln
 * a| is large), over the whole range, with what the C library gives for 0, infinity and numbers that are
 * none. Polynomials are those of Chebyshev on the reduced range; the comment beside each gives its largest
 * error there, relative to the result.
 */
#ifndef CT_CORE_MATH_LANES_H
#define CT_CORE_MATH_LANES_H

#include "core/lanes.h"

enum { CT_FRACTION_BITS = CT_IS_DOUBLE ? 52 : 23, CT_EXPONENT_BIAS = CT_IS_DOUBLE ? 1023 : 127 };

#define CT_LN2_HIGH \
    (CT_IS_DOUBLE ? (ct_real)0x1.62e42fefa38p-1 : (ct_real)0x1.62e4p-1) /* short: k times it is exact */
#define CT_LN2_LOW (CT_IS_DOUBLE ? (ct_real)0x1.ef35793c7673p-45 : (ct_real)0x1.7f7d1cf8p-20)

/* Integers in lanes to numbers, and the integer nearest to a number, for |k| < 2^(CT_FRACTION_BITS - 2): the
 * sum with 1.5 * 2^CT_FRACTION_BITS has the integer in its last bits. */
#define CT_ROUNDER (CT_IS_DOUBLE ? (ct_real)0x1.8p52 : (ct_real)0x1.8p23)

static inline ct_lane ct_lane_from_integers(ct_mask k)
{
    return (ct_lane)(k + (ct_mask)ct_lane_all(CT_ROUNDER)) - CT_ROUNDER;
}

static inline ct_mask ct_lane_nearest_integers(ct_lane a)
{
    return (ct_mask)(a + CT_ROUNDER) - (ct_mask)ct_lane_all(CT_ROUNDER);
}

/* 2^k for normal results. */
static inline ct_lane ct_lane_two_to(ct_mask k)
{
    return (ct_lane)((k + CT_EXPONENT_BIAS) << CT_FRACTION_BITS);
}

/* c_0 + c_1 x + ... */
static inline ct_lane ct_lane_polynomial(ct_lane x, int count, const ct_real *c)
{
    ct_lane sum = ct_lane_all(c[count - 1]);
    for (int i = count - 2; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

/* (ln((1 + s) / (1 - s)) / s - 2) / s^2 as a series in s^2, for |s| <= 0.1716. */
enum { CT_LOG_TERMS = CT_IS_DOUBLE ? 7 : 4 };
#if CT_IS_DOUBLE
static const ct_real ct_log_series[] = {0.66666666666666697, 0.39999999999898891, 0.28571428626253838,
                                        0.22222211089379496, 0.18182892432536871, 0.15331611722055008,
                                        0.14617807153417325}; /* 5e-18 */
#else
static const ct_real ct_log_series[] = {0.66666666554f, 0.40000122212f, 0.28550778633f,
                                        0.23331614472f}; /* 2e-11 */
#endif

/* ln |a| = high + low for 0 < |a| < infinity, `high` being the logarithm rounded and a rest that is small
 * beside it. With a = 2^k m, sqrt(1/2) <= m < sqrt(2), f = m - 1, s = f / (2 + f):
 *
 *     ln m = 2 atanh s = f - (f^2/2 - s (f^2/2 + R(s^2))),   R(z) = 2 z/3 + 2 z^2/5 + ...
 */
static inline ct_lane ct_log_parts(ct_lane a, ct_lane *low)
{
    const ct_real least = CT_IS_DOUBLE ? (ct_real)DBL_MIN : (ct_real)FLT_MIN;
    const ct_real lift =
        CT_IS_DOUBLE ? (ct_real)0x1p54 : (ct_real)0x1p25f; /* denormal numbers become normal */
    a = ct_lane_abs(a); /* as integers, too, numbers without a sign have differences in range */
    ct_mask small = a < least;
    a = ct_lane_select(small, a * lift, a);
    /* Subtracting sqrt(1/2) bit by bit leaves in the exponent's place how often a is to be halved. */
    ct_mask origin = (ct_mask)ct_lane_all((ct_real)0.70710678118654752);
    ct_mask k = ((ct_mask)a - origin) >> CT_FRACTION_BITS;
    ct_lane f = (ct_lane)((ct_mask)a - (k << CT_FRACTION_BITS)) - 1;
    k -= small & (CT_IS_DOUBLE ? 54 : 25);
    ct_lane exponent = ct_lane_from_integers(k), half = (ct_real)0.5 * f * f, s = f / (2 + f), z = s * s;
    ct_lane rest =
        s * (half + z * ct_lane_polynomial(z, CT_LOG_TERMS, ct_log_series)) + exponent * CT_LN2_LOW;
    /* high + low = exponent ln2 + f - half + rest, the large ones first and what their sums lose kept. */
    ct_lane main = exponent * CT_LN2_HIGH, sum = main + f,
            lost = ct_lane_select(k == 0, ct_lane_all(0), f - (sum - main));
    ct_lane high = sum - half;
    lost += (sum - high) - half;
    *low = lost + rest;
    return high;
}

/* -infinity for 0, not a number below, infinity for infinity. */
static inline ct_lane ct_lane_log(ct_lane a)
{
    ct_lane low, result = ct_log_parts(a, &low);
    result += low;
    ct_lane special = ct_lane_select(a == 0, ct_lane_all(-(ct_real)INFINITY), ct_lane_all((ct_real)NAN));
    special = ct_lane_select(a == (ct_real)INFINITY, a, special);
    return ct_lane_select((a > 0) & (a < (ct_real)INFINITY), result, special);
}

/* ln(1 + a) with the digits of a small a, for -1/2 < a < 1 (elsewhere the result has no meaning): with s =
 * a / (2 + a), |s| < 1/3, it is ln((1 + s) / (1 - s)). Within 2 units in the last place. */
static inline ct_lane ct_lane_log1p(ct_lane a)
{
#if CT_IS_DOUBLE
    static const ct_real terms[] = {0.66666666666666663, 0.40000000000014585, 0.28571428567108759,
                                    0.22222222717427864, 0.18181789436132859, 0.15385570064958623,
                                    0.13314144209654935, 0.12001072809590713, 0.088007384861446741,
                                    0.16164045611943531}; /* 5e-18 */
#else
    static const ct_real terms[] = {0.666666673f, 0.399997063f, 0.28592358f, 0.217065758f,
                                    0.232243292f}; /* 4e-10 */
#endif
    ct_lane s = a / (2 + a), z = s * s;
    return 2 * s + s * z * ct_lane_polynomial(z, (int)(sizeof terms / sizeof *terms), terms);
}

/* exp(a + low) for a `low` that is small beside 1: 2^k e^r, |r| <= ln2 / 2. */
static inline ct_lane ct_exp_parts(ct_lane a, ct_lane low)
{
#if CT_IS_DOUBLE
    static const ct_real E[] = {0.5000000000000001,    0.16666666666666667,   0.041666666666623821,
                                0.0083333333333300382, 0.0013888888917367081, 0.00019841269863171556,
                                2.4801521057868205e-5, 2.7557268276905696e-6, 2.7620201591031549e-7,
                                2.5100472505694996e-8}; /* 1e-17 */
    enum { TERMS = 10 };
#else
    static const ct_real E[] = {0.5f, 0.16666576666f, 0.04166655421f, 0.0083632328837f,
                                0.0013926250831f}; /* 8e-9 */
    enum { TERMS = 5 };
#endif
    const ct_real most = CT_IS_DOUBLE ? (ct_real)800 : (ct_real)120; /* beyond, all is 0 or infinity */
    ct_lane x = ct_lane_max(ct_lane_min(a, ct_lane_all(most)), ct_lane_all(-most));
    ct_mask k = ct_lane_nearest_integers(x * (ct_real)1.4426950408889634);
    ct_lane exponent = ct_lane_from_integers(k);
    ct_lane r = x - exponent * CT_LN2_HIGH;
    low -= exponent * CT_LN2_LOW;
    ct_lane sum = r + low, tail = low - (sum - r);
    ct_lane result = 1 + (sum + (sum * sum * ct_lane_polynomial(sum, TERMS, E) + tail));
    ct_mask half = k >> 1; /* in two factors: 2^k itself may be out of range */
    result = result * ct_lane_two_to(half) * ct_lane_two_to(k - half);
    return ct_lane_select(a == a, result, a);
}

/* 0 and infinity beyond the range of numbers. */
static inline ct_lane ct_lane_exp(ct_lane a)
{
    return ct_exp_parts(a, ct_lane_all(0));
}

/* The upper half of a number's digits: a product of two such is exact. */
static inline ct_lane ct_upper_half(ct_lane a)
{
    return (ct_lane)((ct_mask)a & ~(((ct_int)1 << (CT_FRACTION_BITS + 2) / 2) - 1));
}

/* a^b for a >= 0 as exp(b ln a), with the product to more digits than a number has. 0^b is 0, 1 or infinity
 * as b > 0, = 0, < 0; a negative a gives no number. */
static inline ct_lane ct_lane_pow(ct_lane a, ct_lane b)
{
    ct_lane low, high = ct_log_parts(a, &low);
    ct_lane sum = high + low, rest = low - (sum - high);
    ct_lane a1 = ct_upper_half(sum), b1 = ct_upper_half(b);
    ct_lane product = b * sum;
    ct_lane error = ((a1 * b1 - product) + (a1 * (b - b1) + (sum - a1) * b1)) + (sum - a1) * (b - b1);
    const ct_real most = CT_IS_DOUBLE ? (ct_real)1e4 : (ct_real)1e3f;
    ct_mask far = ct_lane_abs(product) > most;
    ct_lane result = ct_exp_parts(product, ct_lane_select(far, ct_lane_all(0), error + b * rest));
    ct_lane extreme = ct_lane_select((b > 0) == (a > 1), ct_lane_all((ct_real)INFINITY), ct_lane_all(0));
    result = ct_lane_select((a == 0) | (a == (ct_real)INFINITY), extreme, result);
    result = ct_lane_select(a >= 0, result, ct_lane_all((ct_real)NAN));
    return ct_lane_select((b == 0) | (a == 1), ct_lane_all(1), result);
}

#endif
