/* Results of trials, between the command that runs them (reproduce.c) and what reads and says them
 * (trials.c).
 */
#ifndef CT_APP_TRIALS_H
#define CT_APP_TRIALS_H

#include "trial/trial.h"

/* What FOLDER/ID/result.json of an earlier run says. */
typedef struct ct_last_result {
    char state[24];    /* "pass"; "" where there is none */
    const char *words; /* "not confirmed" */
    bool is_quick;
    bool is_stale; /* the program's sources or the trial have changed since */
} ct_last_result;

ct_last_result ct_last_result_read(ct_heap *heap, const char *folder, const ct_trial *trial);

/* Prints the checks of a trial, or one line. */
void ct_trial_say(const ct_trial_result *result, bool is_quiet);
/* Prints a trial at several spacings: every number with its order and limit, beside what is expected. */
void ct_refinement_say(const ct_trial_result *levels, int count, bool is_quiet);
/* Prints how many were judged, and what came of them. */
void ct_trials_say_score(const ct_trial_result *const *results, int count);

#endif
