/* Lanes: as many numbers as a vector register holds, one per particle. Materials are written on lanes with
 * ordinary operators (vector extensions of GCC and Clang), so one loop body serves SSE, AVX2, AVX-512 and
 * NEON:
 *
 *     ct_lane J = F[0] * F[3] - F[1] * F[2];
 *     ct_lane tension = ct_lane_select(J > 1, stress, ct_lane_all(0));
 *
 * A comparison gives a ct_mask: all bits of a slot set where it holds.
 */
#ifndef CT_CORE_LANES_H
#define CT_CORE_LANES_H

#include "core/real.h"

#include <math.h>
#include <string.h>

#if defined(CT_EMULATE_AVX512) /* to test that code on other machines: make v4-test */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#elif defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) || defined(CT_EMULATE_AVX512)
#define CT_LANE_BYTES 64
#elif defined(__AVX2__)
#define CT_LANE_BYTES 32
#else
#define CT_LANE_BYTES 16
#endif

typedef ct_real ct_lane __attribute__((vector_size(CT_LANE_BYTES)));
typedef ct_int ct_mask __attribute__((vector_size(CT_LANE_BYTES)));

#define CT_LANE_COUNT (CT_LANE_BYTES >> (CT_IS_DOUBLE ? 3 : 2)) /* for the preprocessor */
enum { CT_LANES = CT_LANE_COUNT };

/* CT_VECTOR(sqrt) is the processor's instruction for lanes; not defined where plain C must do. */
#if CT_LANE_BYTES == 64 && CT_IS_DOUBLE
#define CT_VECTOR(operation) _mm512_##operation##_pd
#elif CT_LANE_BYTES == 64
#define CT_VECTOR(operation) _mm512_##operation##_ps
#elif CT_LANE_BYTES == 32 && CT_IS_DOUBLE
#define CT_VECTOR(operation) _mm256_##operation##_pd
#elif CT_LANE_BYTES == 32
#define CT_VECTOR(operation) _mm256_##operation##_ps
#endif

static inline ct_lane ct_lane_load(const ct_real *from)
{
    ct_lane a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void ct_lane_store(ct_real *to, ct_lane a)
{
    memcpy(to, &a, sizeof a);
}

static inline ct_lane ct_lane_all(ct_real x)
{
    return x - (ct_lane){0};
}

/* A product that is rounded before it is added. A compiler may fuse a product with each sum that it goes
 * into, differently in functions that must give the same; and where several sums share a product, additions
 * are cheaper, since a processor has units for them besides those that multiply. An instruction of no bytes
 * that might change the register says so without cost (GCC takes __builtin_assoc_barrier of a vector apart,
 * number by number). Where products cannot be fused there is nothing to say. */
#if defined(__FMA__) && !defined(CT_EMULATE_AVX512)
#define CT_REGISTER "+v"
#elif defined(__aarch64__)
#define CT_REGISTER "+w"
#endif
#ifdef CT_REGISTER
#define CT_ROUNDED(a)                        \
    ({                                       \
        __typeof__(a) rounded_ = (a);        \
        __asm__("" : CT_REGISTER(rounded_)); \
        rounded_;                            \
    })
#else
#define CT_ROUNDED(a) (a)
#endif

static inline ct_lane ct_lane_select(ct_mask where, ct_lane yes, ct_lane no)
{
#if CT_LANE_BYTES == 32
    return CT_VECTOR(blendv)(no, yes, (ct_lane)where);
#else
    return (ct_lane)((where & (ct_mask)yes) | (~where & (ct_mask)no));
#endif
}

/* b where one of them is not a number; so does ct_lane_min. */
static inline ct_lane ct_lane_max(ct_lane a, ct_lane b)
{
#ifdef CT_VECTOR
    return CT_VECTOR(max)(a, b);
#else
    return ct_lane_select(a > b, a, b);
#endif
}

static inline ct_lane ct_lane_min(ct_lane a, ct_lane b)
{
#ifdef CT_VECTOR
    return CT_VECTOR(min)(a, b);
#else
    return ct_lane_select(a < b, a, b);
#endif
}

static inline ct_lane ct_lane_abs(ct_lane a)
{
    return (ct_lane)((ct_mask)a & ~(ct_mask)ct_lane_all(-(ct_real)0)); /* without its sign */
}

static inline int ct_mask_any(ct_mask a)
{
#if CT_LANE_BYTES == 32
    return _mm256_movemask_epi8((__m256i)a) != 0;
#elif CT_LANE_BYTES == 64
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
#else
    ct_int any = 0;
    CT_FOR(i, CT_LANES) any |= a[i];
    return any != 0;
#endif
}

/* A bit for each slot that holds. */
static inline unsigned ct_mask_bits(ct_mask a)
{
#if CT_LANE_BYTES == 32 && CT_IS_DOUBLE
    return (unsigned)_mm256_movemask_pd((__m256d)a);
#elif CT_LANE_BYTES == 32
    return (unsigned)_mm256_movemask_ps((__m256)a);
#elif CT_LANE_BYTES == 64 && CT_IS_DOUBLE
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a);
#elif CT_LANE_BYTES == 64
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a);
#else
    unsigned bits = 0;
    CT_FOR(i, CT_LANES) bits |= (unsigned)(a[i] != 0) << i;
    return bits;
#endif
}

/* The first `count` slots. */
static inline ct_mask ct_first_slots(int count)
{
    static const _Alignas(64) ct_int number[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ct_mask numbers;
    memcpy(&numbers, number, sizeof numbers);
    return numbers < count;
}

/* The highest of the first `count` slots and `other`. */
static inline ct_real ct_lane_highest_of(ct_lane a, int count, ct_real other)
{
    if (!ct_mask_any(a > other)) return other;
    CT_FOR(i, CT_LANES)
        if (i < count && a[i] > other) other = a[i];
    return other;
}

static inline ct_real ct_lane_highest(ct_lane a)
{
    return ct_lane_highest_of(a, CT_LANES, a[0]);
}

static inline ct_lane ct_lane_sqrt(ct_lane a)
{
#ifdef CT_VECTOR
    return CT_VECTOR(sqrt)(a);
#else
    CT_FOR(i, CT_LANES) a[i] = (ct_real)sqrt((double)a[i]);
    return a;
#endif
}

static inline ct_lane ct_lane_floor(ct_lane a)
{
#ifdef CT_VECTOR
    return CT_VECTOR(floor)(a);
#else
    CT_FOR(i, CT_LANES) a[i] = (ct_real)floor((double)a[i]);
    return a;
#endif
}

/* Whole numbers, of less than 22 bits, as integers: a number to which a large one was added has them as its
 * last bits. */
static inline ct_mask ct_lane_integers(ct_lane a)
{
    const ct_lane large = ct_lane_all(CT_IS_DOUBLE ? (ct_real)0x1.8p52 : (ct_real)0x1.8p23);
    return (ct_mask)(a + large) - (ct_mask)large;
}

static inline void ct_mask_store(ct_int *to, ct_mask a)
{
    memcpy(to, &a, sizeof a);
}

#endif
