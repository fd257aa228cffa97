/* Whether the checks of a trial hold, and why not. */
#include "trial/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What names in formulas mean: of the case they name, else of the check's. */
typedef struct scope {
    const ct_trial_result *result;
    int own;              /* the case that bare names mean */
    const char *unusable; /* a case was asked for that gave no result; NULL: none */
    char why[80];
} scope;

static bool look_up(void *user, const char *text, double *value)
{
    scope *self = user;
    const ct_trial *trial = self->result->trial;
    ct_name name;
    if (!ct_name_read(trial, text, self->own, &name)) return false;
    const ct_case_result *one = &self->result->cases[name.index];
    bool is_divergence = !strcmp(name.word, "diverged");
    if (!one->was_run || (one->has_diverged && !is_divergence && !trial->cases[name.index].may_diverge)) {
        self->unusable = trial->cases[name.index].name;
        snprintf(self->why, sizeof self->why, "%s", one->was_run ? one->message : "was not run");
    }
    const struct {
        const char *name;
        double value;
    } always[] = {{"diverged", one->has_diverged},
                  {"steps", one->steps},
                  {"time", one->end},
                  {"cost", one->cost},
                  {"seconds", one->seconds},
                  {"particles", one->particles}};
    for (size_t k = 0; k < sizeof always / sizeof always[0]; k++)
        if (!strcmp(name.word, always[k].name)) {
            *value = always[k].value;
            return true;
        }
    for (int m = 0; m < trial->measure_count; m++)
        if (!strcmp(trial->measures[m].name, name.word)) {
            bool has_point = name.point >= 0 && (size_t)name.point < one->samples;
            *value = has_point ? one->series[m][name.point] : name.point < 0 ? one->values[m] : NAN;
            return true;
        }
    return false;
}

static double evaluate(scope *self, const char *formula)
{
    char reason[CT_FORMULA_REASON];
    double value;
    return ct_formula_value(formula, look_up, self, &value, reason) ? value : NAN;
}

/* Whether the check holds for one case; `reason` says why not. */
static bool holds(scope *self, const ct_check *check, double *value, double *limit, char reason[160])
{
    *value = evaluate(self, check->value);
    double tolerance = check->within, bound = NAN;
    reason[0] = '\0';
    if (self->unusable) {
        snprintf(reason, 160, "'%s' %s", self->unusable, self->why);
        *value = NAN;
    }
    if (!reason[0] && check->equals) {
        bound = evaluate(self, check->equals);
        if (check->is_share) tolerance *= fabs(bound);
        if (!(fabs(*value - bound) <= tolerance))
            snprintf(reason, 160, "%.6g is %.3g off %.6g", *value, *value - bound, bound);
    }
    if (!reason[0] && check->at_least && !(*value >= (bound = evaluate(self, check->at_least))))
        snprintf(reason, 160, "%.6g is below %.6g", *value, bound);
    if (!reason[0] && check->at_most && !(*value <= (bound = evaluate(self, check->at_most))))
        snprintf(reason, 160, "%.6g is above %.6g", *value, bound);
    *limit = bound;
    return !reason[0];
}

static void judge(ct_trial_result *result, const ct_check *check, ct_check_result *outcome)
{
    const ct_trial *trial = result->trial;
    int own = check->of ? ct_case_find(trial, check->of) : 0;
    scope self = {.result = result, .own = own};
    outcome->was_checked = true;
    outcome->has_passed = holds(&self, check, &outcome->value, &outcome->bound, outcome->reason);
    outcome->control = NAN;
    if (!check->fails_for || !outcome->has_passed) return;
    char reason[160];
    double bound;
    scope control = {.result = result, .own = ct_case_find(trial, check->fails_for)};
    outcome->control_holds = holds(&control, check, &outcome->control, &bound, reason);
    if (isnan(outcome->control) && !control.unusable) /* it fails for want of a number, not for being wrong */
        snprintf(outcome->reason, sizeof outcome->reason, "nothing was measured of '%s', its control",
                 check->fails_for);
    else if (outcome->control_holds)
        snprintf(outcome->reason, sizeof outcome->reason, "it holds for '%s', too, and so proves nothing",
                 check->fails_for);
    else return;
    outcome->has_passed = false;
}

/* Whether a formula names a case that --quick leaves out. */
static bool needs_full(const ct_trial *trial, const ct_check *check)
{
    const char *formulas[] = {check->value, check->equals, check->at_least, check->at_most};
    for (int c = 0; c < trial->case_count; c++) {
        if (!trial->cases[c].full_only) continue;
        char prefix[80];
        snprintf(prefix, sizeof prefix, "%.70s.", trial->cases[c].name);
        for (int k = 0; k < 4; k++)
            if (formulas[k] && strstr(formulas[k], prefix)) return true;
        if ((check->of && !strcmp(check->of, trial->cases[c].name)) || (!check->of && c == 0)) return true;
    }
    return false;
}

void ct_trial_judge(ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    result->state = CT_TRIAL_PASS;
    int checked = 0;
    for (int k = 0; k < trial->check_count; k++) {
        const ct_check *check = &trial->checks[k];
        result->checks[k].value = result->checks[k].control = result->checks[k].bound = NAN;
        if (result->is_quick && (check->full_only || needs_full(trial, check))) continue;
        judge(result, check, &result->checks[k]);
        checked++;
        if (!result->checks[k].has_passed) result->state = CT_TRIAL_FAIL;
    }
    if (!checked) result->state = CT_TRIAL_FAIL;
}

const char *ct_trial_state_name(ct_trial_state state)
{
    static const char *const names[] = {"not_yet", "fail", "pass"};
    return names[state];
}
