/* Lanes: as many numbers as a vector register holds, one a particle. Materials are written on lanes with
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

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define CT_LANE_BYTES 64
#elif defined(__AVX2__)
#define CT_LANE_BYTES 32
#else
#define CT_LANE_BYTES 16
#endif

typedef ct_real ct_lane __attribute__((vector_size(CT_LANE_BYTES)));
typedef ct_int ct_mask __attribute__((vector_size(CT_LANE_BYTES)));

enum { CT_LANES = CT_LANE_BYTES / (int)sizeof(ct_real) };

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

static inline ct_lane ct_lane_select(ct_mask where, ct_lane yes, ct_lane no)
{
    return (ct_lane)((where & (ct_mask)yes) | (~where & (ct_mask)no));
}

static inline ct_lane ct_lane_max(ct_lane a, ct_lane b)
{
    return ct_lane_select(a > b, a, b);
}

static inline ct_lane ct_lane_min(ct_lane a, ct_lane b)
{
    return ct_lane_select(a < b, a, b);
}

static inline ct_lane ct_lane_abs(ct_lane a)
{
    return ct_lane_select(a < 0, -a, a);
}

static inline int ct_mask_any(ct_mask a)
{
    ct_int any = 0;
    CT_FOR(i, CT_LANES) any |= a[i];
    return any != 0;
}

/* The highest of the first `count` slots and `other`. */
static inline ct_real ct_lane_highest_of(ct_lane a, int count, ct_real other)
{
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
#if defined(__AVX512F__) && CT_IS_DOUBLE
    return (ct_lane)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX512F__)
    return (ct_lane)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__) && CT_IS_DOUBLE
    return (ct_lane)_mm256_sqrt_pd((__m256d)a);
#elif defined(__AVX2__)
    return (ct_lane)_mm256_sqrt_ps((__m256)a);
#else
    CT_FOR(i, CT_LANES) a[i] = (ct_real)sqrt((double)a[i]);
    return a;
#endif
}

static inline ct_lane ct_lane_floor(ct_lane a)
{
#if defined(__AVX512F__) && CT_IS_DOUBLE
    return (ct_lane)_mm512_floor_pd((__m512d)a);
#elif defined(__AVX512F__)
    return (ct_lane)_mm512_floor_ps((__m512)a);
#elif defined(__AVX2__) && CT_IS_DOUBLE
    return (ct_lane)_mm256_floor_pd((__m256d)a);
#elif defined(__AVX2__)
    return (ct_lane)_mm256_floor_ps((__m256)a);
#else
    CT_FOR(i, CT_LANES) a[i] = (ct_real)floor((double)a[i]);
    return a;
#endif
}

static inline ct_lane ct_lane_exp(ct_lane a)
{
    CT_FOR(i, CT_LANES) a[i] = CT_IS_DOUBLE ? (ct_real)exp((double)a[i]) : (ct_real)expf((float)a[i]);
    return a;
}

static inline ct_lane ct_lane_log(ct_lane a)
{
    CT_FOR(i, CT_LANES) a[i] = CT_IS_DOUBLE ? (ct_real)log((double)a[i]) : (ct_real)logf((float)a[i]);
    return a;
}

#endif
