/* Sorting particles into blocks and cells.
 *
 * The order is a function of positions, velocities and ids alone: blocks along their curve, cells within a
 * block along the same curve, ids within a cell; velocities tell where blocks best begin. So it does not
 * matter how often or from which order particles were sorted.
 *
 * Particles are sorted when one has drifted out of the reach of its block (cloud->must_sort), never by the
 * clock.
 */
#ifndef CT_PARTICLES_SORT_H
#define CT_PARTICLES_SORT_H

#include "particles/place.h"

/* What several additions need together: with room for that none of them can fail. */
typedef struct ct_adding_room {
    size_t particles, runs;
} ct_adding_room;

/* Adds to `room` what these seeds need; then all of it is reserved. */
ct_status CT_FN(ct_count_added)(ct_cloud *cloud, const ct_seeds *seeds, ct_adding_room *room,
                                ct_error *error);
ct_status CT_FN(ct_reserve_added)(ct_cloud *cloud, const ct_adding_room *room, ct_error *error);

ct_status CT_FN(ct_add_particles)(ct_cloud *cloud, const ct_seeds *seeds, int body, const double gradient[9],
                                  ct_error *error);
/* Makes the cloud's particles keep what a material needs; those that there are get it as at rest. */
ct_status CT_FN(ct_keep_fields)(ct_cloud *cloud, const ct_material *material, ct_error *error);
/* What a new particle of that deformation remembers: F, J and state, as far as the cloud keeps them; at rest
 * where the material does not. */
void CT_FN(ct_write_matter)(const ct_planes *to, size_t p, const double F[9], const ct_material *material);
void CT_FN(ct_write_temperature)(const ct_planes *to, size_t p, double kelvin);
/* A new particle moves in no higher mode, and its bonds are at rest. */
void CT_FN(ct_clear_modes)(const ct_particles *particles, size_t p);
void CT_FN(ct_clear_strain)(const ct_particles *particles, size_t p);
/* A copy of a particle, its block, and the id that it gets. */
typedef struct ct_copy {
    uint32_t id, particle, block;
} ct_copy;

/* Appends copies that are listed block by block, whose ids are the next ones in any order. On failure nothing
 * changes. */
ct_status CT_FN(ct_add_copies)(ct_cloud *cloud, const ct_copy *copies, size_t count, ct_error *error);

ct_status CT_FN(ct_sort)(ct_cloud *cloud, ct_error *error);

#endif
