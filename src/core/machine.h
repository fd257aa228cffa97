/* Which of the instruction sets that the numerical code is compiled for a machine has. The build asks, too: it
 * compiles for the best one of its machine unless it is told otherwise (cmake/isas.cmake).
 */
#ifndef CT_MACHINE_H
#define CT_MACHINE_H

#include <stdbool.h>
#include <string.h>

/* v2, v3 and v4 are the levels of x86-64: SSE4.2, AVX2 and AVX-512. v4_emulated, in builds for tests, is the code
 * of v4 with functions instead of instructions. */
static inline bool ct_machine_has(const char *isa)
{
    if (!strcmp(isa, "generic")) return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!strcmp(isa, "v2")) return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    bool v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (!strcmp(isa, "v3") || !strcmp(isa, "v4_emulated")) return v3;
    if (!strcmp(isa, "v4"))
        return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512cd");
#endif
    return false;
}

#endif
