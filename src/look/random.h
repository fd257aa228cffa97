/* Random numbers that are counted instead of drawn: the number of a pixel, of its sample and of a decision
 * along the path give the value, so that it is the same whichever thread asks, in whatever order.
 *
 * Samples of one pixel must also spread evenly. Each decision takes a pair of numbers from Sobol's sequence
 * in two dimensions, its points shuffled and scrambled (Owen's nested scrambling) by a hash of the pixel and
 * of the decision: Burley, Practical hash-based Owen scrambling, J. Computer Graphics Techniques 9(4), 2020,
 * with the permutation of Laine and Karras, 2011.
 */
#ifndef CT_LOOK_RANDOM_H
#define CT_LOOK_RANDOM_H

#include <stdint.h>

typedef struct ct_random {
    uint32_t pixel;    /* which, hashed */
    uint32_t sample;   /* which of the pixel's */
    uint32_t decision; /* how many pairs have been taken */
} ct_random;

/* A 32-bit number as far from its neighbours' as can be. */
static inline uint32_t ct_mix_bits(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t ct_mix_pair(uint32_t a, uint32_t b)
{
    return ct_mix_bits(a ^ ct_mix_bits(b + 0x9e3779b9u));
}

/* A hash as a number in [0, 1). */
static inline float ct_unit(uint32_t bits)
{
    return (float)(bits >> 8) * 0x1p-24f;
}

static inline uint32_t ct_reverse_bits(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}

/* Owen's scrambling: each bit may flip by what the bits above it say. */
static inline uint32_t ct_scramble_bits(uint32_t x, uint32_t seed)
{
    x = ct_reverse_bits(x) + seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return ct_reverse_bits(x);
}

/* The second coordinate of Sobol's sequence: direction numbers of the polynomial x + 1. */
static inline uint32_t ct_sobol_second(uint32_t index)
{
    uint32_t sum = 0;
    for (uint32_t v = 1u << 31; index; index >>= 1, v ^= v >> 1)
        if (index & 1) sum ^= v;
    return sum;
}

/* The next pair of the path, each in [0, 1). */
static inline void ct_random_pair(ct_random *random, float pair[2])
{
    uint32_t seed = ct_mix_pair(random->pixel, random->decision++);
    uint32_t index = ct_scramble_bits(random->sample, seed);
    pair[0] = ct_unit(ct_scramble_bits(ct_reverse_bits(index), ct_mix_bits(seed ^ 0x51633e2du)));
    pair[1] = ct_unit(ct_scramble_bits(ct_sobol_second(index), ct_mix_bits(seed ^ 0x68bc21ebu)));
}

#endif
