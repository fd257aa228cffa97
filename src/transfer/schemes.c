/* The list of transfer schemes. A scheme is a row of numbers: the shares of the affine matrix that a particle
 * keeps. */
#include "transfer/info.h"

#include <stddef.h>
#include <string.h>

static const ct_parameter_info damping[] = {{"damping", CT_NUMBER, 0, 0, 1,
                                             "share of the symmetric part of the affine matrix that is "
                                             "dropped at every step; angular momentum stays exact"}};

static const ct_scheme_info schemes[] = {
    {.name = "apic",
     .title = "Affine particle-in-cell",
     .doc = "Keeps linear and angular momentum and every affine velocity field through the transfers. The "
            "default.",
     .paper = "apic-2015",
     .has_affine = true,
     .keeps_angular_momentum = true,
     .symmetric = 1,
     .skew = 1,
     .parameters = damping,
     .parameter_count = 1},
    {.name = "rpic",
     .title = "Rigid particle-in-cell",
     .doc = "Keeps the rotation of each particle and drops its shear and stretch: angular momentum is exact, "
            "other motion "
            "is damped.",
     .paper = "apic-2015",
     .has_affine = true,
     .keeps_angular_momentum = true,
     .symmetric = 0,
     .skew = 1},
    {.name = "pic",
     .title = "Particle-in-cell",
     .doc = "Keeps only the velocity of each particle: very damped, loses angular momentum. For comparison.",
     .paper = "apic-2015",
     .has_affine = false,
     .keeps_angular_momentum = false,
     .symmetric = 0,
     .skew = 0},
};

const ct_scheme_info *ct_scheme_info_at(int index)
{
    return index >= 0 && index < (int)(sizeof schemes / sizeof *schemes) ? &schemes[index] : NULL;
}

const ct_scheme_info *ct_scheme_info_find(const char *name)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (!strcmp(schemes[i].name, name)) return &schemes[i];
    return NULL;
}
