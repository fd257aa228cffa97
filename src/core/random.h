/* Random numbers without a state: a number is a hash of what it is for (seed, body, cell, which one), so it
 * does not matter who draws first. Threads, order and restarts cannot change a sample.
 *
 *     uint64_t key = ct_random_key(seed, body);
 *     double u = ct_random_unit(ct_random_key(key, cell));
 */
#ifndef CT_CORE_RANDOM_H
#define CT_CORE_RANDOM_H

#include <stdint.h>

/* A bijection of the 64-bit numbers in which every bit of the input flips about half the bits of the output:
 * two rounds of xor-shift and odd multiplication, with the constants of the splitmix64 generator. */
static inline uint64_t ct_random_mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* `key` made more special by `detail`. Not symmetric: the order of details counts. The increment is 2^64
 * divided by the golden ratio; it keeps zero from being a fixed point. */
static inline uint64_t ct_random_key(uint64_t key, uint64_t detail)
{
    return ct_random_mix(ct_random_mix(key + UINT64_C(0x9e3779b97f4a7c15)) ^
                         (detail + UINT64_C(0x9e3779b97f4a7c15)));
}

/* The upper 53 bits as a number in [0, 1). */
static inline double ct_random_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

#endif
