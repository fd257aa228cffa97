/* Calling materials on consecutive particles, whatever they are made of: a batch of one material goes to its
 * model as it lies; in a mixed batch the particles of each material are gathered, worked on and put back.
 */
#ifndef CT_MATERIAL_BATCH_H
#define CT_MATERIAL_BATCH_H

#include "material/material.h"
#include "particles/place.h"

/* Kirchhoff stress of particles [first, first + count), count <= CT_BATCH. */
void CT_FN(ct_batch_stress)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                            ct_real (*tau)[CT_BATCH]);

/* Energy per undeformed volume. */
void CT_FN(ct_batch_energy)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                            ct_real *psi);

/* The largest speed of sound, squared (m^2/s^2), of the particles; or anything below `enough` where none
 * reaches it. */
ct_real CT_FN(ct_batch_sound_squared)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                                      ct_real enough);

#endif
