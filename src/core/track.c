#include "core/track.h"

#include <math.h>
#include <string.h>

void ct_track_at(const ct_track *track, double time, double value[3])
{
    const double *before = track->constant, *after = track->constant;
    double s = 0;
    if (track->count) {
        int k = 0; /* the last keyframe at or before `time` */
        while (k + 1 < track->count && track->times[k + 1] <= time) k++;
        int next = k + 1 < track->count && time > track->times[0] ? k + 1 : k;
        before = track->values[k], after = track->values[next];
        if (next > k) s = (time - track->times[k]) / (track->times[next] - track->times[k]);
    }
    if (track->interpolation == CT_INTERPOLATE_SMOOTH) s = s * s * (3 - 2 * s);
    if (track->interpolation == CT_INTERPOLATE_STEP) s = 0;
    for (int a = 0; a < 3; a++) value[a] = before[a] + s * (after[a] - before[a]);
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
