/* What a look leaves open is read off the particles: where they are, how far apart, and what values they
 * carry. All of it leaves out what is not finite, and stray particles that would make everything else a dot.
 */
#ifndef CT_LOOK_FIT_H
#define CT_LOOK_FIT_H

#include "look/look.h"

/* Whether a particle can be drawn: finite, and not absurdly far away. */
bool ct_is_somewhere(const double position[3]);

/* The box around the particles: no more than six standard deviations from their mean on any axis. False when
 * there are none. */
bool ct_bounds_of_frame(const ct_frame *frame, double bounds[2][3]);

/* Mean distance of neighbours, m: (volume / particles)^(1/d) in cells that hold about eight. 0 when it cannot
 * be told. */
ct_status ct_spacing_of_frame(ct_heap *heap, const ct_frame *frame, double *spacing, ct_error *error);

/* The range of a field without its highest and lowest half percent, from zero where it nearly begins there;
 * widened about the middle where the values diverge from one (see below). Never empty. */
void ct_range_of_frame(const ct_frame *frame, const ct_frame_field *field, double range[2]);

/* Whether the range has a middle that means something, 1 for J and 0 for quantities of both signs, so that it
 * calls for the diverging map. */
bool ct_range_diverges(const char *quantity, const double range[2]);

/* Radius of a drawn particle to the distance of particles: they overlap, so that a stretched body still
 * closes. */
#define CT_RADIUS_TO_SPACING 0.72

double ct_longest_side(const double bounds[2][3]);

/* Checks a look, and gives one with nothing left open. */
ct_status ct_look_settle(ct_heap *heap, const ct_look *look, const ct_frame *frame, ct_look *full,
                         ct_error *error);

#endif
