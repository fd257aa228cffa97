/* Whether the checks of a trial hold, and why not. */
#include "trial/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What names in formulas mean: of the case they name, else of the check's. */
typedef struct scope {
    const ct_trial_result *result;
    int own;              /* the case that bare names mean */
    int seed, seeds;      /* the one that is evaluated, and how many the cases have that were asked for */
    const char *unusable; /* a case was asked for that gave no result; NULL: none */
    char why[80];
} scope;

/* Whether a condition holds, by more than chance; or chance decides. */
typedef enum verdict { FAILS, UNDECIDED, HOLDS } verdict;

static bool look_up(void *user, const char *text, double *value)
{
    scope *self = user;
    const ct_trial *trial = self->result->trial;
    ct_name name;
    if (!ct_name_read(trial, text, self->own, &name)) return false;
    const ct_case_result *one = &self->result->cases[name.index];
    *value = NAN;
    if (!one->was_run) {
        self->unusable = trial->cases[name.index].name;
        snprintf(self->why, sizeof self->why, "was not run");
        return true;
    }
    if (one->seeds > self->seeds) self->seeds = one->seeds;
    int seed = self->seed < one->seeds ? self->seed : 0,
        point = name.point < 0 ? one->points - 1 : name.point;
    const ct_run *run = &one->runs[seed * one->points + point];
    bool is_divergence = !strcmp(name.word, "diverged");
    if (run->diverged != 0 && !is_divergence && !trial->cases[name.index].may_diverge) {
        self->unusable = trial->cases[name.index].name;
        snprintf(self->why, sizeof self->why, "%.79s", one->message);
    }
    for (int m = 0; m < trial->measure_count; m++)
        if (!strcmp(trial->measures[m].name, name.word)) {
            *value = run->values[m];
            return true;
        }
    return ct_run_fact(run, name.word, value);
}

static double evaluate(scope *self, const char *formula)
{
    char reason[CT_FORMULA_REASON];
    double value;
    ct_formula_names names = {look_up, self, &self->seed, self->seeds};
    return ct_formula_value_of(formula, &names, &value, reason) ? value : NAN;
}

/* A formula, less another one (NULL: 0), over the seeds. */
static ct_estimate estimate(scope *self, const char *formula, const char *less)
{
    double values[CT_MOST_SEEDS];
    for (self->seed = 0; self->seed < self->seeds; self->seed++)
        values[self->seed] = evaluate(self, formula) - (less ? evaluate(self, less) : 0);
    self->seed = 0;
    return ct_estimate_of(values, self->seeds);
}

/* "1.03 +- 0.02" */
static void print_estimate(char text[64], const ct_estimate *value)
{
    if (value->n > 1) snprintf(text, 64, "%.6g +- %.2g", value->mean, value->half);
    else snprintf(text, 64, "%.6g", value->mean);
}

/* How far `excess`, which must not be positive, is on the right side. */
static verdict judge_excess(double excess, double half)
{
    return excess + half <= 0 ? HOLDS : excess - half > 0 || isnan(excess) ? FAILS : UNDECIDED;
}

/* One condition of a check: `value` against the formula `bound`. The sign says which side is asked for: 1 at
 * most, -1 at least, 0 near it. */
static verdict judge_bound(scope *self, const ct_check *check, const char *bound, int sign, double *limit,
                           const ct_estimate *value, char reason[200])
{
    static const char *const sides[] = {"below", "off", "above"};
    ct_estimate expected = estimate(self, bound, NULL), away = estimate(self, check->value, bound);
    double tolerance = check->is_share ? check->within * fabs(expected.mean) : check->within;
    double excess = sign ? sign * away.mean : fabs(away.mean) - tolerance;
    verdict found = judge_excess(excess, away.half);
    *limit = expected.mean;
    char number[64];
    print_estimate(number, value);
    if (found == UNDECIDED)
        snprintf(reason, 200, "%s cannot be told from the bound %.6g by %d seeds", number,
                 sign ? expected.mean : expected.mean + copysign(tolerance, away.mean), value->n);
    else if (found == FAILS && sign)
        snprintf(reason, 200, "%s is %s %.6g", number, sides[sign + 1], expected.mean);
    else if (found == FAILS) snprintf(reason, 200, "%s is %.3g off %.6g", number, away.mean, expected.mean);
    return found;
}

/* Whether the check holds for one case; `reason` says why not. */
static verdict judge_case(scope *self, const ct_check *check, ct_estimate *value, double *limit,
                          char reason[200])
{
    const struct {
        const char *bound;
        int sign;
    } conditions[] = {{check->equals, 0}, {check->at_least, -1}, {check->at_most, 1}};
    reason[0] = '\0';
    *limit = NAN;
    self->seeds = 1;
    evaluate(self, check->value); /* finds out how many seeds there are */
    *value = estimate(self, check->value, NULL);
    verdict all = HOLDS;
    for (int k = 0; k < 3 && !self->unusable; k++) {
        if (!conditions[k].bound || all == FAILS) continue;
        verdict one = judge_bound(self, check, conditions[k].bound, conditions[k].sign, limit, value, reason);
        if (one < all) all = one;
    }
    if (!self->unusable) return all;
    snprintf(reason, 200, "'%.60s' %s", self->unusable, self->why);
    *value = (ct_estimate){.mean = NAN, .n = self->seeds};
    return FAILS;
}

/* The same for the control, which must fail by more than chance. */
static void judge_control(const ct_trial_result *result, const ct_check *check, ct_check_result *outcome)
{
    char reason[200];
    double bound;
    scope control = {.result = result, .own = ct_case_find(result->trial, check->fails_for)};
    verdict found = judge_case(&control, check, &outcome->control, &bound, reason);
    if (isnan(outcome->control.mean) && !control.unusable) /* for want of a number, not for being wrong */
        snprintf(outcome->reason, sizeof outcome->reason, "nothing was measured of '%s', its control",
                 check->fails_for);
    else if (found == HOLDS)
        snprintf(outcome->reason, sizeof outcome->reason, "it holds for '%s', too, and so proves nothing",
                 check->fails_for);
    else if (found == UNDECIDED)
        snprintf(outcome->reason, sizeof outcome->reason, "of its control '%.40s' %.140s", check->fails_for,
                 reason);
    else return;
    outcome->has_passed = false;
}

static void judge(ct_trial_result *result, const ct_check *check, ct_check_result *outcome)
{
    int own = check->of ? ct_case_find(result->trial, check->of) : 0;
    scope self = {.result = result, .own = own};
    outcome->was_checked = true;
    outcome->has_passed =
        judge_case(&self, check, &outcome->value, &outcome->bound, outcome->reason) == HOLDS;
    outcome->is_unconfirmed = check->not_confirmed && !outcome->has_passed && !self.unusable;
    if (check->fails_for && outcome->has_passed) judge_control(result, check, outcome);
    if (!check->not_confirmed || !outcome->has_passed) return;
    snprintf(outcome->reason, sizeof outcome->reason, "it holds, though the trial says that it does not");
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
    const ct_estimate none = {.mean = NAN};
    int checked = 0, failed = 0, unconfirmed = 0;
    for (int k = 0; k < trial->check_count; k++) {
        const ct_check *check = &trial->checks[k];
        ct_check_result *outcome = &result->checks[k];
        *outcome = (ct_check_result){.value = none, .control = none, .bound = NAN};
        if (result->is_quick && (check->full_only || needs_full(trial, check))) continue;
        judge(result, check, outcome);
        checked++;
        unconfirmed += outcome->is_unconfirmed;
        failed += !outcome->has_passed && !outcome->is_unconfirmed;
    }
    result->state = failed || !checked ? CT_TRIAL_FAIL : unconfirmed ? CT_TRIAL_NOT_CONFIRMED : CT_TRIAL_PASS;
}

const char *ct_trial_state_name(ct_trial_state state)
{
#define CT_STATE(name, key, words) key,
    static const char *const names[] = {CT_TRIAL_STATES(CT_STATE)};
#undef CT_STATE
    return names[state];
}

const char *ct_trial_state_words(ct_trial_state state)
{
#define CT_STATE(name, key, words) words,
    static const char *const all[] = {CT_TRIAL_STATES(CT_STATE)};
#undef CT_STATE
    return all[state];
}
