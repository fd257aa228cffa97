/* Particles deep inside a body are never seen: they are found by counting, and left out before anything is
 * projected. Space is cut into cells of two particle distances, 8 particles each where they fill it. A
 * particle is inside when the cube of 5 cells a side about its own is nearly as full as can be: then at least
 * two cells, four layers of particles, hide it on every side. What is looser than that is all drawn.
 */
#ifndef CT_LOOK_CULL_H
#define CT_LOOK_CULL_H

#include "look/look.h"

typedef struct ct_shown {
    int32_t *particles; /* [count] their numbers, rising */
    size_t count;
} ct_shown;

/* Finds the particles that may be seen. `spacing`: m, their mean distance; `bounds`: m, where to look for
 * such as cannot. In 2D all are seen. */
ct_status ct_cull(ct_heap *heap, ct_pool *pool, const ct_frame *frame, const double bounds[2][3],
                  double spacing, ct_shown *shown, ct_error *error);

#endif
