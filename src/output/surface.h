/* Files of colliders' surfaces, beside the frames of particles. */
#ifndef CT_OUTPUT_SURFACE_H
#define CT_OUTPUT_SURFACE_H

#include "output/writer.h"

/* All surfaces [count], of one dimension, in one file; cells know which of them they belong to. */
ct_status ct_write_surfaces_vtp(ct_heap *heap, ct_target target, const ct_collider_surface *surfaces,
                                int count, ct_error *error);
ct_status ct_write_surfaces_ply(ct_heap *heap, ct_target target, const ct_collider_surface *surfaces,
                                int count, ct_error *error);

#endif
