/* Which variant of the numerical code a world uses: the best instruction set that both this build and this
 * machine have. CONTINUA_ISA=generic|v2|v3|v4 in the environment overrides the choice. */
#include "core/machine.h"
#include "world.h"

#include <stdlib.h>

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

const ct_numerics *ct_numerics_choose(int dimension, ct_precision precision, ct_error *error)
{
    const char *wanted = getenv("CONTINUA_ISA");
    if (wanted && !*wanted) wanted = NULL;
    const ct_numerics *best = NULL;
    for (int i = 0; ct_numerics_at(i); i++) {
        const ct_numerics *variant = ct_numerics_at(i);
        if (variant->dimension != dimension || variant->precision != precision) continue;
        if (wanted && strcmp(variant->isa, wanted)) continue;
        if (ct_machine_has(variant->isa)) best = variant; /* the list goes from plain to wide */
    }
    if (!best && wanted)
        ct_fail(error, CT_BAD_USAGE,
                "CONTINUA_ISA=%s: this build or this machine does not have that instruction set", wanted);
    else if (!best)
        ct_fail(
            error, CT_BAD_USAGE,
            "this build is for machines with other instructions (%s and wider); build it on this machine, or "
            "for all with CONTINUA_ISAS=all",
            variants[0]->isa);
    return best;
}
