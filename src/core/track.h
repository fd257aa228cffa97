/* Evaluating vectors that are scripted by keyframes. */
#ifndef CT_CORE_TRACK_H
#define CT_CORE_TRACK_H

#include "core/memory.h"

/* The value at `time`. */
void ct_track_at(const ct_track *track, double time, double value[3]);

/* Its derivative, a second. At a keyframe that of the piece that begins there; 0 for steps. */
void ct_track_rate_at(const ct_track *track, double time, double rate[3]);

/* Its integral from `begin` to `end`, exact for every interpolation. */
void ct_track_integral(const ct_track *track, double begin, double end, double integral[3]);

/* The greatest length that its value ever has. */
double ct_track_most(const ct_track *track);

/* A copy whose arrays belong to the arena. */
ct_status ct_track_copy(ct_arena *arena, const ct_track *from, ct_track *to, ct_error *error);

/* Makes the arrays of several tracks copies in one block of the heap, `*keys`, for the caller to release: the
 * times and then the values of each. */
ct_status ct_tracks_own(ct_heap *heap, ct_track *const *tracks, int count, double **keys, ct_error *error);

/* Whether it is well formed: finite values, strictly increasing times. `name` is used in the message. */
ct_status ct_track_check(const ct_track *track, const char *name, ct_error *error);

#endif
