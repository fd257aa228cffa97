/* Between the cloud and vertices: what the method of its own (method.c) and the guest in the grid of another
 * (guest.c) have in common. Per variant.
 */
#ifndef CT_STRAND_PASSAGE_H
#define CT_STRAND_PASSAGE_H

#include "particles/sort.h"
#include "strand/strand.h"

typedef struct ct_passage {
    ct_rods *s;
    ct_planes planes;
    ct_real *frame[CT_FRAME_ROOTED];
} ct_passage;

ct_passage CT_FN(ct_rods_open)(ct_rods *rods);
void CT_FN(ct_passage_place)(const ct_passage *passage, size_t place, double x[3]); /* m, of a particle */

/* Vertices from particles (gather.c). */
ct_status CT_FN(ct_rods_gather)(ct_rods *rods, ct_error *error);

/* Where vertices want to go, and where held ones are taken. */
void CT_FN(ct_rods_aim)(ct_rods *rods, double dt);

/* Pins the vertices of particles with ids from `first_id` on that are inside a grip. */
void CT_FN(ct_rods_take_grips)(ct_rods *rods, size_t first_collider, size_t first_id);

/* Frames of seeds into memory [count], and with those of roots, unless NULL, into the particles that were made of
 * them, the last of the cloud (frames.c). */
void CT_FN(ct_rods_frame_seeds)(const ct_seeds *seeds, double (*memory)[12]);
void CT_FN(ct_rods_write_frames)(ct_rods *rods, const ct_seeds *seeds, uint32_t first_id,
                                 double (*memory)[12], const double (*root)[CT_ROOT]);

#endif
