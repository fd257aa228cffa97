/* Which variant of the numerical code a world uses: the best instruction set that both this build and this
 * machine have. CONTINUA_ISA=generic|v2|v3|v4 in the environment overrides the choice. v4_emulated, in builds
 * for tests, is the code of v4 with functions instead of instructions. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#define X(suffix) extern const ct_numerics ct_numerics##suffix;
#include "numerics_list.h"
#undef X

static const ct_numerics *const variants[] = {
#define X(suffix) &ct_numerics##suffix,
#include "numerics_list.h"
#undef X
};

const ct_numerics *ct_numerics_at(int index)
{
    return index >= 0 && index < (int)(sizeof variants / sizeof *variants) ? variants[index] : NULL;
}

/* What models say of themselves does not depend on the variant. */
const ct_material_info *ct_material_info_at(int index)
{
    return variants[0]->material_info(index);
}

static bool machine_has(const char *isa)
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

const ct_numerics *ct_numerics_choose(int dimension, ct_precision precision, ct_error *error)
{
    const char *wanted = getenv("CONTINUA_ISA");
    if (wanted && !*wanted) wanted = NULL;
    const ct_numerics *best = NULL;
    for (int i = 0; ct_numerics_at(i); i++) {
        const ct_numerics *variant = ct_numerics_at(i);
        if (variant->dimension != dimension || variant->precision != precision) continue;
        if (wanted && strcmp(variant->isa, wanted)) continue;
        if (machine_has(variant->isa)) best = variant; /* the list goes from plain to wide */
    }
    if (!best)
        ct_fail(error, CT_BAD_USAGE,
                "CONTINUA_ISA=%s: this build or this machine does not have that instruction set",
                wanted ? wanted : "");
    return best;
}
