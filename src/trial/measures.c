/* What can be measured at an instant. Those of the list below have functions of their own; any other name is
 * a quantity of the particles, of which a statistic is made. */
#include "trial/trial.h"

#include "run/run.h"
#include "trial/neighbors.h"
#include "world.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- measures with a function of their own ---- */

typedef ct_status measure_function(ct_sampling *sampling, const ct_measure *measure, double *value,
                                   ct_error *error);

static ct_status measure_dt(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    (void)measure, (void)error;
    *value = sampling->dt;
    return CT_OK;
}

/* The smallest step since the last sample; where frames have cut all of them, the last one before. */
static ct_status measure_least_dt(ct_sampling *sampling, const ct_measure *measure, double *value,
                                  ct_error *error)
{
    (void)measure, (void)error;
    *value = isnan(sampling->least_dt) ? sampling->dt : sampling->least_dt;
    return CT_OK;
}

/* The share of the steps so far that the criterion `by` has limited; those cut by a frame do not count. */
static ct_status measure_limited(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    (void)error;
    *value = 0;
    for (int k = 0; k < 16; k++)
        if (measure->by && !strcmp(sampling->limits[k].name, measure->by))
            *value = (double)sampling->limits[k].steps / fmax((double)sampling->steps, 1);
    return CT_OK;
}

/* The seconds that the stage `by` (NULL: all of them) has taken, and all together. */
static ct_status stage_seconds(ct_sampling *sampling, const ct_measure *measure, double *own, double *all,
                               ct_error *error)
{
    static const char *const names[] = {
#define X(stage) #stage,
        CT_STAGE_LIST(X)
#undef X
    };
    *own = NAN, *all = 0;
    for (int k = 0; k < CT_STAGES; k++) {
        *all += sampling->world->clock.seconds[k];
        if (measure->by && !strcmp(names[k], measure->by)) *own = sampling->world->clock.seconds[k];
    }
    if (!measure->by) *own = *all;
    return isnan(*own)
               ? ct_fail(error, CT_BAD_SCENE, "measure '%s': 'by' names no stage of a step", measure->name)
               : CT_OK;
}

/* The share of the time of all steps that the stage `by` has taken. */
static ct_status measure_stage(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error)
{
    double own, all;
    ct_status status = stage_seconds(sampling, measure, &own, &all, error);
    if (!status) *value = all > 0 ? own / all : 0;
    return status;
}

/* Of the seconds until now those since the last frame, in ns per particle and step. */
static double since_last_frame(ct_sampling *sampling, const ct_measure *measure, double seconds)
{
    double *before = &sampling->seconds_before[measure->index], spent = seconds - *before;
    double steps = sampling->particle_steps - sampling->particle_steps_before;
    *before = seconds;
    return steps > 0 ? 1e9 * spent / steps : NAN;
}

/* ns per particle and step that the stage `by`, or the whole step, took since the last frame. The least of
 * several frames is what it costs when nothing disturbs. */
static ct_status measure_effort(ct_sampling *sampling, const ct_measure *measure, double *value,
                                ct_error *error)
{
    double own, all;
    ct_status status = stage_seconds(sampling, measure, &own, &all, error);
    if (!status) *value = since_last_frame(sampling, measure, own);
    return status;
}

/* The same in processor time, of all threads together: what else the machine does hardly matters. */
static ct_status measure_cpu(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    (void)error;
    *value = since_last_frame(sampling, measure, sampling->cpu_seconds);
    return CT_OK;
}

static ct_status measure_wall_returns(ct_sampling *sampling, const ct_measure *measure, double *value,
                                      ct_error *error)
{
    (void)measure, (void)error;
    *value = (double)ct_world_get_info(sampling->world).wall_returns;
    return CT_OK;
}

/* Memory that the world holds, a particle. */
static ct_status measure_bytes(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error)
{
    (void)measure, (void)error;
    ct_world_info info = ct_world_get_info(sampling->world);
    *value = (double)info.bytes / fmax((double)info.particles, 1);
    return CT_OK;
}

static ct_status measure_particles(ct_sampling *sampling, const ct_measure *measure, double *value,
                                   ct_error *error)
{
    (void)measure, (void)error;
    *value = (double)sampling->count;
    return CT_OK;
}

/* What the solver of peridynamics left over in the last step, in spacings. */
static ct_status measure_residual(ct_sampling *sampling, const ct_measure *measure, double *value,
                                  ct_error *error)
{
    (void)measure, (void)error;
    *value = ct_world_solver(sampling->world).residual;
    return CT_OK;
}

static ct_status measure_imbalance(ct_sampling *sampling, const ct_measure *measure, double *value,
                                   ct_error *error)
{
    (void)measure, (void)error;
    *value = ct_world_solver(sampling->world).imbalance;
    return CT_OK;
}

static ct_status measure_sunk(ct_sampling *sampling, const ct_measure *measure, double *value,
                              ct_error *error)
{
    (void)measure, (void)error;
    *value = (double)ct_world_get_info(sampling->world).sunk;
    return CT_OK;
}

static ct_status measure_emitted(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    (void)measure, (void)error;
    *value = (double)ct_world_get_info(sampling->world).emitted;
    return CT_OK;
}

static ct_status find_collider(ct_sampling *sampling, const ct_measure *measure, ct_collider_info *info,
                               ct_error *error)
{
    for (int k = 0; ct_world_collider(sampling->world, k, info); k++)
        if (measure->by && !strcmp(info->name, measure->by)) return CT_OK;
    return ct_fail(error, CT_BAD_SCENE, "measure '%s': 'by' names no collider", measure->name);
}

static ct_status measure_impulse(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    ct_collider_info info;
    ct_status status = find_collider(sampling, measure, &info, error);
    if (!status) *value = info.impulse[measure->axis < 0 || measure->axis > 2 ? 1 : measure->axis];
    return status;
}

static ct_status measure_torque(ct_sampling *sampling, const ct_measure *measure, double *value,
                                ct_error *error)
{
    ct_collider_info info;
    ct_status status = find_collider(sampling, measure, &info, error);
    if (!status) *value = info.torque[measure->axis < 0 || measure->axis > 2 ? 1 : measure->axis];
    return status;
}

static ct_status measure_deepest(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    ct_collider_info info;
    ct_status status = find_collider(sampling, measure, &info, error);
    if (!status) *value = info.deepest;
    return status;
}

static ct_status measure_fragments(ct_sampling *sampling, const ct_measure *measure, double *value,
                                   ct_error *error)
{
    ct_fragments found;
    ct_status status = ct_count_fragments(sampling, measure->distance, measure->above, &found, error);
    *value = found.count;
    return status;
}

static ct_status measure_even_fragments(ct_sampling *sampling, const ct_measure *measure, double *value,
                                        ct_error *error)
{
    ct_fragments found;
    ct_status status = ct_count_fragments(sampling, measure->distance, -INFINITY, &found, error);
    *value = found.even;
    return status;
}

/* How far the nearest is, at most `distance`. */
static ct_status measure_nearest(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    ct_status status = ct_nearest_distances(sampling, measure->distance, sampling->numbers, error);
    return status ? status : ct_statistic(sampling, measure, sampling->numbers, value, error);
}

/* Particles without another within `distance`. */
static ct_status measure_alone(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error)
{
    ct_status status = ct_nearest_distances(sampling, measure->distance, sampling->numbers, error);
    *value = 0;
    for (size_t p = 0; p < sampling->count; p++)
        *value += sampling->chosen[p] && sampling->numbers[p] >= measure->distance;
    return status;
}

/* Particles whose nearest is closer than `distance`, as a share. */
static ct_status measure_clumped(ct_sampling *sampling, const ct_measure *measure, double *value,
                                 ct_error *error)
{
    ct_status status = ct_nearest_distances(sampling, measure->distance, sampling->numbers, error);
    double near = 0, all = 0;
    for (size_t p = 0; p < sampling->count; p++) {
        if (!sampling->chosen[p]) continue;
        near += sampling->numbers[p] < measure->distance;
        all++;
    }
    *value = near / all;
    return status;
}

/* How far from where it began, along an axis or at all. */
static ct_status measure_moved(ct_sampling *sampling, const ct_measure *measure, double *value,
                               ct_error *error)
{
    if (sampling->start_count != sampling->count) return CT_OK;
    for (size_t p = 0; p < sampling->count; p++) {
        double gap[3], squared = 0;
        for (int a = 0; a < 3; a++) gap[a] = sampling->position[p][a] - sampling->start[p][a];
        for (int a = 0; a < 3; a++) squared += gap[a] * gap[a];
        sampling->numbers[p] = measure->axis < 0 ? sqrt(squared) : gap[measure->axis];
    }
    return ct_statistic(sampling, measure, sampling->numbers, value, error);
}

static const struct {
    const char *name;
    measure_function *now;
    bool needs_distance;
} own_measures[] = {
    {"dt", measure_dt, false},
    {"least_dt", measure_least_dt, false},
    {"moved", measure_moved, false},
    {"misfit", ct_measure_misfit, false},
    {"residual", measure_residual, false},
    {"imbalance", measure_imbalance, false},
    {"particles", measure_particles, false},
    {"limited", measure_limited, false},
    {"stage", measure_stage, false},
    {"effort", measure_effort, false},
    {"cpu", measure_cpu, false},
    {"bytes", measure_bytes, false},
    {"wall_returns", measure_wall_returns, false},
    {"emitted", measure_emitted, false},
    {"sunk", measure_sunk, false},
    {"collider_impulse", measure_impulse, false},
    {"collider_deepest", measure_deepest, false},
    {"collider_torque", measure_torque, false},
    {"rotation", ct_measure_rotation, false},
    {"fragments", measure_fragments, true},
    {"even_fragments", measure_even_fragments, true},
    {"nearest", measure_nearest, true},
    {"alone", measure_alone, true},
    {"clumped", measure_clumped, true},
    {"unaligned", ct_measure_unaligned, true},
    {"jitter", ct_measure_jitter, true},
    {"slope", ct_measure_slope, true},
};
enum { OWN_MEASURES = sizeof own_measures / sizeof own_measures[0] };

/* ---- choosing ---- */

static bool is_inside(const ct_chosen_box *box, const double x[3])
{
    bool is_in = true;
    for (int a = 0; a < 3 && box->is_given; a++)
        is_in = is_in && x[a] >= box->corners[0][a] && x[a] <= box->corners[1][a];
    return is_in;
}

/* All particles, or those without another within a distance. */
static ct_status choose_alone(ct_sampling *sampling, double distance, ct_error *error)
{
    for (size_t p = 0; p < sampling->count; p++) sampling->chosen[p] = true;
    if (!(distance > 0)) return CT_OK;
    ct_status status = ct_nearest_distances(sampling, distance, sampling->numbers, error);
    for (size_t p = 0; p < sampling->count; p++) sampling->chosen[p] = sampling->numbers[p] >= distance;
    return status;
}

static ct_status choose_particles(ct_sampling *sampling, const ct_measure *measure, ct_error *error)
{
    int body = -1;
    for (int b = 0; measure->body && b < (int)sampling->world->common.body_count; b++)
        if (!strcmp(sampling->world->common.bodies[b].name, measure->body)) body = b;
    if (measure->body && body < 0)
        return ct_fail(error, CT_BAD_SCENE, "measure '%s': there is no body '%s'", measure->name,
                       measure->body);
    ct_status status = choose_alone(sampling, measure->alone, error);
    for (size_t p = 0; p < sampling->count && !status; p++) {
        bool is_chosen = sampling->chosen[p] && (body < 0 || sampling->body[p] == body) &&
                         (measure->particle < 0 || (size_t)measure->particle == p);
        if (measure->initially.is_given)
            is_chosen =
                is_chosen && p < sampling->start_count && is_inside(&measure->initially, sampling->start[p]);
        sampling->chosen[p] = is_chosen && is_inside(&measure->within, sampling->position[p]);
    }
    return status;
}

ct_status ct_measure_now(ct_sampling *sampling, const ct_measure *measure, double *value, ct_error *error)
{
    *value = NAN;
    ct_world_sums sums;
    if (ct_sums_find(measure->of, NULL, NULL)) {
        sums = ct_world_get_sums(sampling->world);
        ct_sums_find(measure->of, &sums, value);
        return CT_OK;
    }
    ct_status status = choose_particles(sampling, measure, error);
    if (status) return status;
    for (int k = 0; k < OWN_MEASURES; k++)
        if (!strcmp(own_measures[k].name, measure->of))
            return own_measures[k].now(sampling, measure, value, error);
    return ct_measure_quantity(sampling, measure, value, error);
}

bool ct_measure_is_known(const ct_measure *measure, char reason[160])
{
    reason[0] = '\0';
    if (!ct_statistic_is_known(measure->statistic))
        snprintf(reason, 160, "there is no statistic '%.40s'", measure->statistic);
    if (!ct_take_is_known(measure->take))
        snprintf(reason, 160, "nothing called '%.40s' can be taken of a series", measure->take);
    for (int k = 0; k < OWN_MEASURES; k++)
        if (!strcmp(own_measures[k].name, measure->of) && own_measures[k].needs_distance &&
            !(measure->distance > 0))
            snprintf(reason, 160, "'%s' needs a distance", measure->of);
    return !reason[0];
}
