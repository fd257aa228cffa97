#include "core/track.h"

#include <math.h>
#include <string.h>

/* Where in the script a time is: between values `before` and `after`, `share` of the way, which takes
 * `length` seconds. */
typedef struct piece {
    const double *before, *after;
    double share, length;
} piece;

static piece piece_at(const ct_track *track, double time)
{
    piece p = {track->constant, track->constant, 0, INFINITY};
    if (!track->count) return p;
    int k = 0; /* the last keyframe at or before `time` */
    while (k + 1 < track->count && track->times[k + 1] <= time) k++;
    int next = k + 1 < track->count && time >= track->times[0] ? k + 1 : k;
    p.before = track->values[k], p.after = track->values[next];
    if (next == k) return p;
    p.length = track->times[next] - track->times[k];
    p.share = (time - track->times[k]) / p.length;
    return p;
}

void ct_track_at(const ct_track *track, double time, double value[3])
{
    piece p = piece_at(track, time);
    double s = p.share;
    if (track->interpolation == CT_INTERPOLATE_SMOOTH) s = s * s * (3 - 2 * s);
    if (track->interpolation == CT_INTERPOLATE_STEP) s = 0;
    for (int a = 0; a < 3; a++) value[a] = p.before[a] + s * (p.after[a] - p.before[a]);
}

void ct_track_rate_at(const ct_track *track, double time, double rate[3])
{
    piece p = piece_at(track, time);
    double slope = 1;
    if (track->interpolation == CT_INTERPOLATE_SMOOTH) slope = 6 * p.share * (1 - p.share);
    if (track->interpolation == CT_INTERPOLATE_STEP) slope = 0;
    for (int a = 0; a < 3; a++) rate[a] = slope * (p.after[a] - p.before[a]) / p.length;
}

/* Simpson's rule is exact for cubics, and between keyframes no interpolation is more. A step holds the value
 * of its beginning, so the end of a piece is looked at from within. */
static void add_piece(const ct_track *track, double begin, double end, double integral[3])
{
    double first[3], middle[3], last[3];
    bool is_step = track->interpolation == CT_INTERPOLATE_STEP;
    ct_track_at(track, begin, first);
    ct_track_at(track, 0.5 * (begin + end), middle);
    ct_track_at(track, end, last);
    for (int a = 0; a < 3; a++)
        integral[a] +=
            is_step ? (end - begin) * first[a] : (end - begin) / 6 * (first[a] + 4 * middle[a] + last[a]);
}

void ct_track_integral(const ct_track *track, double begin, double end, double integral[3])
{
    memset(integral, 0, 3 * sizeof *integral);
    for (int k = 0; k < track->count && begin < end; k++) {
        if (track->times[k] <= begin) continue;
        double until = fmin(track->times[k], end);
        add_piece(track, begin, until, integral);
        begin = until;
    }
    if (begin < end) add_piece(track, begin, end, integral);
}

double ct_track_most(const ct_track *track)
{
    double most = 0;
    for (int k = 0; k < (track->count ? track->count : 1); k++) {
        const double *v = track->count ? track->values[k] : track->constant;
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

ct_status ct_track_copy(ct_arena *arena, const ct_track *from, ct_track *to, ct_error *error)
{
    *to = *from;
    if (!from->count) return CT_OK;
    size_t count = (size_t)from->count;
    double *times = ct_arena_allocate(arena, count * sizeof *times);
    double(*values)[3] = ct_arena_allocate(arena, count * sizeof *values);
    if (!times || !values) return ct_fail_memory(error, count * 4 * sizeof(double));
    memcpy(times, from->times, count * sizeof *times);
    memcpy(values, from->values, count * sizeof *values);
    to->times = times;
    to->values = (const double(*)[3])values;
    return CT_OK;
}

ct_status ct_tracks_own(ct_heap *heap, ct_track *const *tracks, int count, double **keys, ct_error *error)
{
    size_t room = 0;
    for (int i = 0; i < count; i++) room += 4 * (size_t)tracks[i]->count;
    *keys = ct_allocate(heap, room * sizeof **keys);
    if (!*keys) return ct_fail_memory(error, room * sizeof **keys);
    double *at = *keys;
    for (int i = 0; i < count; i++) {
        ct_track *track = tracks[i];
        size_t length = (size_t)track->count;
        if (!length) continue;
        memcpy(at, track->times, length * sizeof *at);
        memcpy(at + length, track->values, 3 * length * sizeof *at);
        track->times = at;
        track->values = (const double(*)[3])(at + length);
        at += 4 * length;
    }
    return CT_OK;
}

ct_status ct_track_check(const ct_track *track, const char *name, ct_error *error)
{
    if (track->count < 0 || (track->count && (!track->times || !track->values)))
        return ct_fail(error, CT_BAD_USAGE, "%s: keyframes without times or values", name);
    for (int k = 0; k < track->count; k++) {
        if (!isfinite(track->times[k]) || (k && track->times[k] <= track->times[k - 1]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the times of keyframes must be finite and increase",
                           name);
        for (int a = 0; a < 3; a++)
            if (!isfinite(track->values[k][a]))
                return ct_fail(error, CT_BAD_USAGE, "%s: a keyframe's value is not finite", name);
    }
    for (int a = 0; a < 3; a++)
        if (!isfinite(track->constant[a]))
            return ct_fail(error, CT_BAD_USAGE, "%s: the value is not finite", name);
    return CT_OK;
}
