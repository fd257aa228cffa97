/* The cells and faces around points of other kinds of matter. */
#ifndef CT_FLUID_FINDER_H
#define CT_FLUID_FINDER_H

#include "fluid/fluid.h"

enum { CT_CORNERS = 8 };

typedef struct ct_finder {
    const ct_fluid *fluid;
    int32_t block[3];
    int64_t number; /* of the block that was looked for last; -2: none was */
} ct_finder;

static inline ct_finder ct_finder_of(const ct_fluid *fluid)
{
    return (ct_finder){.fluid = fluid, .number = -2};
}

/* The cells whose middles (axis -1) or low faces of an axis are around a place, and their linear weights. */
void ct_find_corners(ct_finder *finder, const double x[3], int axis, size_t cell[CT_CORNERS],
                     double weight[CT_CORNERS]);

#endif
