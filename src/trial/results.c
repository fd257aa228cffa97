/* A trial from beginning to end, and what came of it in words and as JSON. */
#include "trial/trial.h"

#include "core/clock.h"
#include "core/file.h"
#include "scene/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void ct_check_print(ct_text *text, const ct_check *check)
{
    const char *comma = "";
    if (check->equals) {
        ct_text_print(text, "= %s", check->equals);
        if (check->is_share) ct_text_print(text, " within %g%%", 100 * check->within);
        else if (check->within > 0) ct_text_print(text, " within %g", check->within);
        comma = ", ";
    }
    if (check->at_least) ct_text_print(text, "%sat least %s", comma, check->at_least), comma = ", ";
    if (check->at_most) ct_text_print(text, "%sat most %s", comma, check->at_most);
}

void ct_trial_print_measured(ct_text *text, const ct_trial_result *result)
{
    const char *separator = "";
    for (int k = 0; k < result->trial->check_count; k++) {
        if (!result->checks[k].was_checked) continue;
        ct_text_print(text, "%s%s: %.6g", separator, result->trial->checks[k].say, result->checks[k].value);
        separator = "; ";
    }
}

void ct_trial_print_reason(ct_text *text, const ct_trial_result *result)
{
    const char *separator = "";
    if (result->state == CT_TRIAL_NOT_YET) ct_text_print(text, "%s", result->trial->not_yet);
    for (int k = 0; k < result->trial->check_count; k++) {
        if (!result->checks[k].was_checked || result->checks[k].has_passed) continue;
        ct_text_print(text, "%s%s: %s", separator, result->trial->checks[k].say, result->checks[k].reason);
        separator = "; ";
    }
}

typedef void (*text_printer)(ct_text *text, const ct_trial_result *result);

static void print_claimed(ct_text *text, const ct_trial_result *result)
{
    ct_text_print(text, "%s", result->trial->claim);
}

static void print_as(ct_json *json, const char *key, text_printer print, const ct_trial_result *result)
{
    ct_text words = {.heap = result->heap};
    ct_text_append(&words, "", 0);
    print(&words, result);
    if (words.failed) json->text->failed = true;
    else ct_json_text(json, key, words.data ? words.data : "");
    ct_text_release(&words);
}

static void print_checks(ct_json *json, const ct_trial_result *result)
{
    ct_json_begin(json, "checks", '[');
    for (int k = 0; k < result->trial->check_count; k++) {
        const ct_check_result *outcome = &result->checks[k];
        if (!outcome->was_checked) continue;
        ct_json_begin(json, NULL, '{');
        ct_json_text(json, "say", result->trial->checks[k].say);
        ct_json_bool(json, "holds", outcome->has_passed);
        if (isfinite(outcome->value)) ct_json_number(json, "value", outcome->value);
        if (isfinite(outcome->control)) ct_json_number(json, "control", outcome->control);
        ct_text condition = {.heap = result->heap};
        ct_check_print(&condition, &result->trial->checks[k]);
        if (!condition.failed && condition.data) ct_json_text(json, "expected", condition.data);
        ct_text_release(&condition);
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
}

void ct_trials_print_json(ct_text *text, const ct_trial_result *const *results, int count)
{
    ct_json json = {.text = text};
    ct_json_begin(&json, NULL, '[');
    for (int k = 0; k < count; k++) {
        ct_json_begin(&json, NULL, '{');
        ct_json_text(&json, "id", results[k]->trial->id);
        ct_json_text(&json, "title", results[k]->trial->title);
        ct_json_text(&json, "state", ct_trial_state_name(results[k]->state));
        print_as(&json, "claimed", print_claimed, results[k]);
        print_as(&json, "measured", ct_trial_print_measured, results[k]);
        print_as(&json, "reason", ct_trial_print_reason, results[k]);
        if (results[k]->trial->paper) ct_json_text(&json, "paper", results[k]->trial->paper);
        if (results[k]->trial->choices) ct_json_text(&json, "choices", results[k]->trial->choices);
        if (results[k]->trial->notes) ct_json_text(&json, "notes", results[k]->trial->notes);
        ct_json_bool(&json, "quick", results[k]->is_quick);
        ct_json_number(&json, "seconds", results[k]->seconds);
        print_checks(&json, results[k]);
        ct_json_end(&json, '}');
    }
    ct_json_end(&json, ']');
    ct_text_append(text, "\n", 1);
}

static ct_status save_result(const ct_trial_result *result, ct_error *error)
{
    ct_text text = {.heap = result->heap};
    ct_trials_print_json(&text, &result, 1);
    char *path = ct_path_join(result->heap, result->folder, "result.json");
    ct_status status = text.failed || !path ? ct_fail_memory(error, text.length)
                                            : ct_file_save(result->heap, path, text.data, text.length, error);
    ct_release(result->heap, path);
    ct_text_release(&text);
    return status;
}

ct_status ct_trial_run(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options,
                       ct_trial_result *result, ct_error *error)
{
    *result = (ct_trial_result){.trial = trial, .heap = heap, .is_quick = options->is_quick};
    if (trial->not_yet) return CT_OK;
    result->folder = options->folder;
    double begin = ct_now();
    ct_status status = options->folder ? ct_folder_create(options->folder, error) : CT_OK;
    for (int c = 0; c < trial->case_count && !status; c++) {
        if (options->is_quick && trial->cases[c].full_only) continue;
        if (options->on_case) options->on_case(trial->cases[c].name, options->user);
        status = ct_trial_perform(c, options, result, error);
    }
    if (!status) ct_trial_judge(result);
    result->seconds = ct_now() - begin;
    if (!status && options->folder) status = ct_trial_draw(result, error);
    if (!status && options->folder) status = save_result(result, error);
    return status;
}

void ct_case_result_release(ct_heap *heap, ct_case_result *result)
{
    ct_release(heap, result->time);
    for (int m = 0; m < CT_MOST_MEASURES; m++) ct_release(heap, result->series[m]);
    *result = (ct_case_result){0};
}

void ct_trial_result_release(ct_trial_result *result)
{
    for (int c = 0; c < CT_MOST_CASES; c++) ct_case_result_release(result->heap, &result->cases[c]);
    *result = (ct_trial_result){0};
}
