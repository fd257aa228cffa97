#include "timestep/criteria.h"

#include <math.h>

static double limit_velocity(const ct_world *world)
{
    return world->def.step.velocity_cfl * world->grid.least_spacing / world->limits.speed;
}

static double limit_sound(const ct_world *world)
{
    return world->def.step.sound_cfl * world->grid.least_spacing / world->limits.sound;
}

static const ct_criterion criteria[] = {
    {"velocity", CT_CRITERION_VELOCITY, "no particle crosses more than cfl cells in a step", limit_velocity},
    {"sound", CT_CRITERION_SOUND, "no pressure wave crosses more than cfl cells in a step", limit_sound},
};

const ct_criterion *ct_criterion_at(int index)
{
    return index >= 0 && index < (int)(sizeof criteria / sizeof *criteria) ? &criteria[index] : NULL;
}

ct_status ct_choose_dt(ct_world *world, double until, double *dt, bool *is_last, ct_error *error)
{
    const ct_step_def *def = &world->def.step;
    double least = INFINITY;
    const char *by = "frame";
    for (int i = 0; ct_criterion_at(i); i++) {
        double limit = def->criteria & criteria[i].bit ? criteria[i].limit(world) : INFINITY;
        if (limit < least) least = limit, by = criteria[i].name;
    }
    if (def->max > 0 && def->max < least) least = def->max, by = "max";
    if (def->fixed > 0) least = def->fixed, by = "fixed";
    if (!(least >= def->min && least > 0))
        return ct_fail(
            error, CT_DIVERGED,
            "step %llu, time %.9g s: the criterion '%s' asks for a time step of %g s, less than step.min = "
            "%g s (largest speed %g m/s, speed of sound %g m/s)",
            (unsigned long long)world->step + 1, world->time, by, least, def->min, world->limits.speed,
            world->limits.sound);
    /* The last step of a frame is what remains; the one before takes half of it, so that none is tiny. */
    const double rounding = 1e-9; /* a whole number of fixed steps may miss the instant by as much */
    double left = until - world->time;
    if (isinf(least) && isinf(left))
        return ct_fail(error, CT_BAD_USAGE,
                       "nothing limits the time step: everything is at rest and no criterion, step.max or "
                       "step.fixed does");
    *is_last = least * (1 + rounding) >= left;
    if (*is_last) {
        if (least > left * (1 + rounding)) by = "frame";
        least = left;
    } else if (2 * least > left) {
        least = left / 2;
        by = "frame";
    }
    *dt = least;
    world->limited_by = by;
    return CT_OK;
}
