/* A trial from beginning to end, and what came of it in words and as JSON. */
#include "trial/trial.h"

#include "core/file.h"
#include "scene/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

int ct_trial_checked(const ct_trial_result *result)
{
    int count = 0;
    for (int k = 0; k < result->trial->check_count; k++) count += result->checks[k].was_checked;
    return count;
}

int ct_trial_controls(const ct_trial_result *result)
{
    int count = 0;
    for (int k = 0; k < result->trial->check_count; k++)
        count += result->checks[k].was_checked && result->trial->checks[k].fails_for;
    return count;
}

int ct_trial_seeds(const ct_trial_result *result)
{
    int seeds = 1;
    for (int c = 0; c < result->trial->case_count; c++)
        if (result->cases[c].seeds > seeds) seeds = result->cases[c].seeds;
    return seeds;
}

double ct_trial_particles(const ct_trial_result *result)
{
    double most = 0;
    for (int c = 0; c < result->trial->case_count; c++)
        for (int k = 0; k < result->cases[c].seeds * result->cases[c].points; k++)
            most = fmax(most, result->cases[c].runs[k].particles);
    return most;
}

void ct_trial_print_measured(ct_text *text, const ct_trial_result *result)
{
    const char *separator = "";
    for (int k = 0; k < result->trial->check_count; k++) {
        const ct_estimate *value = &result->checks[k].value;
        if (!result->checks[k].was_checked) continue;
        ct_text_print(text, "%s%s: %.6g", separator, result->trial->checks[k].say, value->mean);
        if (value->n > 1) ct_text_print(text, " +- %.2g", value->half);
        separator = "; ";
    }
}

void ct_trial_print_reason(ct_text *text, const ct_trial_result *result)
{
    const char *separator = "";
    if (result->state == CT_TRIAL_NOT_YET) ct_text_print(text, "%s", result->trial->not_yet);
    for (int k = 0; k < result->trial->check_count; k++) {
        const ct_check *check = &result->trial->checks[k];
        const ct_check_result *outcome = &result->checks[k];
        if (!outcome->was_checked || outcome->has_passed) continue;
        ct_text_print(text, "%s%s: %s", separator, check->say, outcome->reason);
        if (outcome->is_unconfirmed) ct_text_print(text, " (not confirmed: %s)", check->not_confirmed);
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

/* value, n, spread and interval; of the control with its name before them. */
static void print_estimate(ct_json *json, const char *of, const ct_estimate *estimate)
{
    const struct {
        const char *name;
        double number;
    } parts[] = {{"_n", estimate->n}, {"_spread", estimate->spread}, {"_interval", estimate->half}};
    if (!isfinite(estimate->mean)) return;
    ct_json_number(json, *of ? of : "value", estimate->mean);
    for (int k = 0; k < 3 && estimate->n > 1; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s%s", of, parts[k].name + !*of);
        ct_json_number(json, key, parts[k].number);
    }
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
        if (outcome->is_unconfirmed)
            ct_json_text(json, "not_confirmed", result->trial->checks[k].not_confirmed);
        print_estimate(json, "", &outcome->value);
        if (result->trial->checks[k].fails_for) {
            ct_json_text(json, "fails_for", result->trial->checks[k].fails_for);
            print_estimate(json, "control", &outcome->control);
        }
        ct_text condition = {.heap = result->heap};
        ct_check_print(&condition, &result->trial->checks[k]);
        if (!condition.failed && condition.data) ct_json_text(json, "expected", condition.data);
        ct_text_release(&condition);
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
}

/* Where the numbers come from: of what size, with how many seeds, of which program, how long. */
static void print_origin(ct_json *json, const ct_trial_result *result)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d", &parts);
    ct_json_bool(json, "quick", result->is_quick);
    ct_json_number(json, "seconds", result->seconds);
    if (result->state == CT_TRIAL_NOT_YET) return;
    ct_json_number(json, "seeds", ct_trial_seeds(result));
    ct_json_number(json, "particles", ct_trial_particles(result));
    ct_json_text(json, "commit", ct_trial_commit());
    ct_json_text(json, "sources", ct_trial_sources());
    ct_json_text(json, "definition", result->definition);
    ct_json_text(json, "date", date);
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
        print_origin(&json, results[k]);
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

/* A case, or what was kept of it. */
static ct_status run_case(int index, const ct_trial_options *options, ct_trial_result *result,
                          ct_error *error)
{
    uint64_t key;
    ct_status status = ct_case_key(result->heap, result->trial, index, options, &key, error);
    if (status) return status;
    if (result->folder && !options->is_again && ct_case_load(result, index, key)) return CT_OK;
    if (options->on_case) options->on_case(result->trial->cases[index].name, options->user);
    status = ct_trial_perform(index, options, result, error);
    return status || !result->folder ? status : ct_case_save(result, index, key, error);
}

ct_status ct_trial_run(ct_heap *heap, const ct_trial *trial, const ct_trial_options *options,
                       ct_trial_result *result, ct_error *error)
{
    *result = (ct_trial_result){.trial = trial, .heap = heap, .is_quick = options->is_quick};
    if (trial->not_yet) return CT_OK;
    result->folder = options->folder;
    ct_status status = options->folder ? ct_folder_create(options->folder, error) : CT_OK;
    if (!status) status = ct_trial_hash(heap, trial, result->definition, error);
    for (int c = 0; c < trial->case_count && !status; c++) {
        if (options->is_quick && trial->cases[c].full_only) continue;
        status = run_case(c, options, result, error);
        result->seconds += result->cases[c].wall;
    }
    if (!status) ct_trial_judge(result);
    if (!status && options->folder) status = ct_trial_draw(result, error);
    if (!status && options->folder) status = save_result(result, error);
    return status;
}

void ct_case_result_release(ct_heap *heap, ct_case_result *result)
{
    ct_release(heap, result->time);
    ct_release(heap, result->runs);
    for (int m = 0; m < CT_MOST_MEASURES; m++) ct_release(heap, result->series[m]);
    *result = (ct_case_result){0};
}

void ct_trial_result_release(ct_trial_result *result)
{
    for (int c = 0; c < CT_MOST_CASES; c++) ct_case_result_release(result->heap, &result->cases[c]);
    *result = (ct_trial_result){0};
}
