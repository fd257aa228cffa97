#include "trials.h"

#include "core/file.h"
#include "scene/yaml.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const ct_yaml *mapping, const char *key)
{
    const ct_yaml_entry *entry = ct_yaml_find(mapping, key);
    return entry && entry->value->kind == CT_YAML_SCALAR ? entry->value->text : "";
}

static const char *words_of(const char *name)
{
    for (int s = 0; s < CT_TRIAL_STATE_COUNT; s++)
        if (!strcmp(name, ct_trial_state_name(s))) return ct_trial_state_words(s);
    return "";
}

ct_last_result ct_last_result_read(ct_heap *heap, const char *folder, const ct_trial *trial)
{
    ct_last_result last = {.words = ""};
    char file[96], definition[CT_HASH_TEXT] = "";
    snprintf(file, sizeof file, "%.64s/result.json", trial->id);
    char *path = ct_path_join(heap, folder, file), *bytes = NULL;
    size_t count;
    ct_arena arena = {.heap = heap};
    ct_mistakes mistakes = {.path = file};
    ct_yaml *root;
    ct_error unimportant; /* what cannot be read counts as not there */
    if (!trial->not_yet && path && !ct_file_load(heap, path, CT_YAML_BYTES, &bytes, &count, &unimportant) &&
        !ct_yaml_parse(&arena, &mistakes, NULL, bytes, count, &root) && root->kind == CT_YAML_LIST &&
        root->count && root->first->value->kind == CT_YAML_MAPPING) {
        const ct_yaml *one = root->first->value;
        snprintf(last.state, sizeof last.state, "%.23s", text_of(one, "state"));
        last.words = words_of(last.state);
        last.is_quick = !strcmp(text_of(one, "quick"), "true");
        last.is_stale = ct_trial_hash(heap, trial, definition, &unimportant) != CT_OK ||
                        strcmp(text_of(one, "definition"), definition) != 0 ||
                        strcmp(text_of(one, "sources"), ct_trial_sources()) != 0;
    }
    ct_arena_release(&arena);
    ct_release(heap, bytes);
    ct_release(heap, path);
    return last;
}

/* "1.03 +- 0.02 (n = 5, spread 0.03)" */
static void say_estimate(const ct_estimate *value, int width)
{
    ct_say("%*.6g", width, value->mean);
    if (value->n > 1) ct_say(" +- %.2g (n = %d, spread %.2g)", value->half, value->n, value->spread);
}

static void say_check(const ct_trial_result *result, const ct_check *check, const ct_check_result *outcome)
{
    ct_text condition = {.heap = result->heap};
    ct_check_print(&condition, check);
    const char *word = outcome->has_passed ? "ok" : outcome->is_unconfirmed ? "n.c." : "FAILS";
    ct_say("    %-5s %-58s ", word, check->say);
    say_estimate(&outcome->value, 12);
    ct_say("   %s", condition.data ? condition.data : "");
    if (check->fails_for)
        ct_say("   (%s: ", check->fails_for), say_estimate(&outcome->control, 0), ct_say(")");
    else ct_say("   (no control)");
    ct_say("\n");
    if (!outcome->has_passed) ct_say("          %s\n", outcome->reason);
    if (outcome->is_unconfirmed) ct_say("          not confirmed: %s\n", check->not_confirmed);
    ct_text_release(&condition);
}

void ct_trial_say(const ct_trial_result *result, bool is_quiet)
{
    static const char *const colors[CT_TRIAL_STATE_COUNT] = {[CT_TRIAL_NOT_YET] = "\033[2m",
                                                             [CT_TRIAL_FAIL] = "\033[31m",
                                                             [CT_TRIAL_NOT_CONFIRMED] = "\033[33m",
                                                             [CT_TRIAL_PASS] = "\033[32m"};
    const ct_trial *trial = result->trial;
    int kept = 0;
    for (int c = 0; c < trial->case_count; c++) kept += result->cases[c].is_kept;
    if (!is_quiet && ct_stdout_is_terminal()) ct_say("\r\033[K");
    ct_say("%s%-13s%s %-14s %s (%.1f s%s%s)\n", ct_style(colors[result->state]),
           ct_trial_state_name(result->state), ct_style("\033[0m"), trial->id, trial->title, result->seconds,
           result->is_quick && !trial->not_yet ? ", reduced size" : "", kept ? ", kept" : "");
    if (trial->not_yet && !is_quiet) ct_say("           %s\n", trial->not_yet);
    if (is_quiet || trial->not_yet) return;
    for (int k = 0; k < trial->check_count; k++)
        if (result->checks[k].was_checked) say_check(result, &trial->checks[k], &result->checks[k]);
    for (int c = 0; c < trial->case_count; c++)
        if (result->cases[c].message[0])
            ct_say("    case %s %s\n", trial->cases[c].name, result->cases[c].message);
}

static void say_or_dash(const char *format, int width, double value)
{
    if (isfinite(value)) ct_say(format, width, value);
    else ct_say(" %*s", width, "-");
}

static void say_refined(const char *name, const ct_refined *refined)
{
    ct_say("    %-44.44s", name);
    for (int k = 0; k < refined->count; k++) say_or_dash(" %*.6g", 12, refined->values[k]);
    say_or_dash(" %*.2f", 7, refined->order);
    say_or_dash(" %*.6g", 12, refined->limit);
    say_or_dash(" %*.6g", 12, refined->exact);
    say_or_dash(" %*.2f", 7, refined->error_order);
    ct_say("\n");
}

static void say_head(const ct_trial_result *levels, int count)
{
    const ct_texts *keys = &levels->trial->refine;
    ct_say("%srefined%s       %-14s %s (%.1f s%s)\n", ct_style("\033[1m"), ct_style("\033[0m"),
           levels->trial->id, levels->trial->title, levels[count - 1].seconds,
           levels->is_quick ? ", reduced size" : "");
    ct_say("    divided: %s", keys->count ? "" : "grid.spacing, step.fixed");
    for (int k = 0; k < keys->count; k++) ct_say("%s%s", k ? ", " : "", keys->texts[k]);
    ct_say("\n    %-44s", "");
    for (int k = 0; k < count; k++) ct_say(" %10s%-2d", k ? "1/" : "", 1 << k);
    ct_say(" %7s %12s %12s %7s\n", "order", "limit", "expected", "nears");
}

void ct_refinement_say(const ct_trial_result *levels, int count, bool is_quiet)
{
    const ct_trial *trial = levels->trial;
    ct_refined refined;
    char name[96];
    if (!is_quiet && ct_stdout_is_terminal()) ct_say("\r\033[K");
    say_head(levels, count);
    for (int k = 0; k < trial->check_count; k++) {
        if (!levels->checks[k].was_checked) continue;
        ct_refined_check(levels, count, k, &refined);
        say_refined(trial->checks[k].say, &refined);
    }
    for (int c = 0; c < trial->case_count && !is_quiet; c++)
        for (int m = 0; m < trial->measure_count && levels->cases[c].was_run; m++) {
            ct_refined_measure(levels, count, c, m, &refined);
            snprintf(name, sizeof name, "%.40s.%.40s", trial->cases[c].name, trial->measures[m].name);
            say_refined(name, &refined);
        }
    for (int k = 0; k < count; k++)
        for (int c = 0; c < trial->case_count; c++)
            if (levels[k].cases[c].message[0])
                ct_say("    case %s at 1/%d %s\n", trial->cases[c].name, 1 << k, levels[k].cases[c].message);
}

void ct_trials_say_score(const ct_trial_result *const *results, int count)
{
    int states[CT_TRIAL_STATE_COUNT] = {0}, checks = 0, controls = 0;
    for (int k = 0; k < count; k++) {
        states[results[k]->state]++;
        checks += ct_trial_checked(results[k]);
        controls += ct_trial_controls(results[k]);
    }
    bool is_quick = count && results[0]->is_quick;
    ct_say("judged %d of %d, %s size:", count - states[CT_TRIAL_NOT_YET], count,
           is_quick ? "reduced" : "full");
    for (int s = CT_TRIAL_STATE_COUNT - 1; s >= 0; s--)
        ct_say(" %d %s%s", states[s], ct_trial_state_words(s), s ? "," : "; ");
    ct_say("%d of %d checks have a control\n", controls, checks);
}
