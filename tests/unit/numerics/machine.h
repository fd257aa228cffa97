/* Whether this machine has the instructions that a numerical test was compiled for. */
#ifndef CT_TESTS_MACHINE_H
#define CT_TESTS_MACHINE_H

#include "core/lanes.h"

enum { CT_SKIPPED = 77 }; /* what a test returns that CTest is to count as skipped */

static inline int ct_machine_lacks_lanes(void)
{
#if defined(__x86_64__) && !defined(CT_EMULATE_AVX512)
    if (CT_LANE_BYTES == 32) return !__builtin_cpu_supports("avx2");
    if (CT_LANE_BYTES == 64) return !__builtin_cpu_supports("avx512f");
#endif
    return 0;
}

#endif
