/* Calling materials on consecutive particles, whatever they are made of: a batch of one material goes to its
 * model as it lies; in a mixed batch, and at the end of one that does not fill its lanes, the particles of
 * each material are gathered, worked on and put back.
 */
#ifndef CT_TRANSFER_BATCH_H
#define CT_TRANSFER_BATCH_H

#include "material/material.h"
#include "particles/place.h"

/* Kirchhoff stress of particles [first, first + count), count <= CT_BATCH. */
void CT_FN(ct_batch_stress)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                            ct_real (*tau)[CT_BATCH]);

/* Energy per undeformed volume. */
void CT_FN(ct_batch_energy)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                            ct_real *psi);

/* The volume ratio below which a particle counts as compressed: asflip-2021 Eq. 5. */
void CT_FN(ct_batch_critical_J)(const ct_material *materials, const ct_planes *planes, size_t first,
                                int count, ct_real *J);

/* The largest speed of sound, squared (m^2/s^2), of the particles; or `enough` where none reaches it. */
ct_real CT_FN(ct_batch_sound_squared)(const ct_material *materials, const ct_planes *planes, size_t first,
                                      int count, ct_real enough);

/* After F and J followed the velocity for a time dt: the materials' return mappings. Returns what
 * ct_batch_sound_squared would. Here F and J of particles whose material does not keep them are set to rest.
 */
ct_real CT_FN(ct_batch_update)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                               ct_real dt, ct_real enough);

#endif
