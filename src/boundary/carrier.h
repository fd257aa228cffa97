/* Bodies whose surface carries what is rooted in it: hair on a head. Where the surface is at the end of a step its method
 * knows; what is rooted there asks when that method has done its part of the stage (ct_method_table.is_carried).
 * Neither knows the other.
 */
#ifndef CT_BOUNDARY_CARRIER_H
#define CT_BOUNDARY_CARRIER_H

#include "core/error.h"

#include <stdint.h>

enum { CT_MOST_BEARERS = 4 };

/* The surface of a body, by rows; good until the step is over. */
typedef struct ct_carrier {
    size_t triangle_count; /* 0: there is none */
    const uint32_t (*triangles)[3];
    const double (*x)[3]; /* m, where the step begins */
    const double (*v)[3]; /* m/s, with which it ends, as far as the stage has come: x + dt v is where */
} ct_carrier;

/* A kind of matter that has such bodies. */
typedef struct ct_bearer {
    void *self;
    ct_status (*carry)(void *self, int body, ct_carrier *carrier, ct_error *error); /* none: not its own */
} ct_bearer;

#endif
