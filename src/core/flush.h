/* Flush-to-zero: numbers too small for full precision count as zero. Arithmetic on them is many times slower,
 * and they arise at the edge of every body. It is on while a pool works, on every thread that does, and put
 * back as it was for the caller: the host process never sees it.
 */
#ifndef CT_CORE_FLUSH_H
#define CT_CORE_FLUSH_H

#include <stdint.h>

#if defined(__x86_64__)

#include <xmmintrin.h>

static inline uint64_t ct_flush_begin(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* results and operands */
    return before;
}

static inline void ct_flush_end(uint64_t before)
{
    _mm_setcsr((unsigned)before);
}

#elif defined(__aarch64__)

static inline uint64_t ct_flush_begin(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24)));
    return before;
}

static inline void ct_flush_end(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

static inline uint64_t ct_flush_begin(void)
{
    return 0;
}

static inline void ct_flush_end(uint64_t before)
{
    (void)before;
}

#endif
#endif
