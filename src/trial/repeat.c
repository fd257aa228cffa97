/* All runs of a case: for each of its seeds, for each value of the key that it goes over, in as many turns as
 * it asks for. */
#include "trial/trial.h"

#include "core/clock.h"
#include "scene/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The least of each, of times that other work on the machine only makes longer. */
static void keep_least(const ct_trial *trial, const ct_run *again, ct_run *kept)
{
    for (int m = 0; m < trial->measure_count; m++) kept->values[m] = fmin(kept->values[m], again->values[m]);
    kept->diverged = fmax(kept->diverged, again->diverged);
    kept->cost = fmin(kept->cost, again->cost);
    kept->seconds += again->seconds;
}

/* Value k of the mean of k + 1 that so far is that of k. */
static void add_to_mean(double *mean, double value, int k)
{
    *mean += (value - *mean) / (k + 1);
}

/* The series of a case without a key: those of its runs, as far as all of them came. */
static void add_series(const ct_trial *trial, int seed, ct_case_result *one, ct_case_result *all)
{
    if (!seed) {
        all->samples = one->samples, all->capacity = one->capacity;
        all->time = one->time, one->time = NULL;
        for (int m = 0; m < trial->measure_count; m++) all->series[m] = one->series[m], one->series[m] = NULL;
        return;
    }
    if (one->samples < all->samples) all->samples = one->samples;
    for (int m = 0; m < trial->measure_count; m++)
        for (size_t k = 0; k < all->samples; k++) add_to_mean(&all->series[m][k], one->series[m][k], seed);
}

/* The series of a case over a key: what was taken at each value. */
static ct_status make_series(ct_heap *heap, const ct_trial *trial, const ct_case *one, ct_case_result *all,
                             ct_error *error)
{
    ct_status status = CT_OK;
    for (int p = 0; p < all->points && !status; p++) {
        char reason[CT_REASON_SIZE];
        status = ct_series_grow(heap, trial, all, error);
        if (status) break;
        ct_quantity_read(one->at.texts[p], NULL, CT_NUMBER, &all->time[p],
                         reason); /* checked by the reader */
        for (int m = 0; m < trial->measure_count; m++) all->series[m][p] = 0;
        for (int s = 0; s < all->seeds; s++)
            for (int m = 0; m < trial->measure_count; m++)
                add_to_mean(&all->series[m][p], all->runs[s * all->points + p].values[m], s);
        all->samples++;
    }
    return status;
}

/* Whether chance had no part in it: then the seeds say nothing about it. */
static bool are_all_alike(const ct_trial *trial, const ct_case_result *all)
{
    for (int s = 1; s < all->seeds; s++)
        for (int p = 0; p < all->points; p++) {
            const ct_run *first = &all->runs[p], *other = &all->runs[s * all->points + p];
            if (first->steps != other->steps || first->particles != other->particles) return false;
            if (memcmp(first->values, other->values, (size_t)trial->measure_count * sizeof(double)))
                return false;
        }
    return all->seeds > 1;
}

/* Run number `run` of a seed: a value of the key, in one of its turns. */
static ct_status perform_one(const ct_case *one, int seed, int run, const ct_trial_options *options,
                             const ct_trial_result *result, ct_case_result *all, ct_error *error)
{
    ct_run found = {0};
    ct_case_result outcome = {.runs = &found, .seeds = 1, .points = 1};
    char more[200] = "";
    int point = run % all->points;
    if (one->over) snprintf(more, sizeof more, "%.120s=%.60s", one->over, one->at.texts[point]);
    ct_status status = ct_run_perform(one, one->seeds > 1 ? seed : -1, one->over ? more : NULL, options,
                                      result, &outcome, error);
    ct_run *kept = &all->runs[seed * all->points + point];
    if (!status && run < all->points) *kept = found;
    else if (!status) keep_least(result->trial, &found, kept);
    if (!status && !one->over) add_series(result->trial, seed, &outcome, all);
    if (outcome.message[0]) memcpy(all->message, outcome.message, sizeof all->message);
    outcome.runs = NULL;
    ct_case_result_release(result->heap, &outcome);
    return status;
}

ct_status ct_trial_perform(int index, const ct_trial_options *options, ct_trial_result *result,
                           ct_error *error)
{
    const ct_case *one = &result->trial->cases[index];
    ct_case_result *all = &result->cases[index];
    double begin = ct_now();
    all->seeds = ct_case_seeds(one);
    all->points = one->over ? one->at.count : 1;
    size_t bytes = (size_t)(all->seeds * all->points) * sizeof *all->runs;
    all->runs = ct_allocate_zero(result->heap, bytes);
    if (!all->runs) return ct_fail_memory(error, bytes);
    ct_status status = CT_OK;
    int runs = all->points * (int)fmax(one->turns, 1);
    for (int s = 0; s < all->seeds && !status; s++)
        for (int run = 0; run < runs && !status; run++)
            status = perform_one(one, s, run, options, result, all, error);
    if (!status && one->over) status = make_series(result->heap, result->trial, one, all, error);
    if (!status && !all->message[0] && are_all_alike(result->trial, all))
        snprintf(all->message, sizeof all->message, "comes out the same with every seed");
    all->was_run = !status;
    all->wall = ct_now() - begin;
    return status;
}

double ct_case_value(const ct_case_result *result, int measure)
{
    double mean = NAN;
    for (int s = 0; s < result->seeds && result->was_run; s++) {
        double value = result->runs[s * result->points + result->points - 1].values[measure];
        if (!s) mean = value;
        else add_to_mean(&mean, value, s);
    }
    return mean;
}
