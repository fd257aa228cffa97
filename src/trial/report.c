/* One page that shows every claim beside what came out. It needs no other file: plots are drawn into it as
 * SVG, pictures are embedded. */
#include "trial/trial.h"

#include "core/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PICTURE_LIMIT = 4 << 20 };

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
    "1rem;color:#222;background:#fff}"
    "h1{margin-bottom:0}h2{margin-top:3rem;border-top:1px solid #ddd;padding-top:1rem}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;padding:.3rem "
    ".6rem;border-bottom:"
    "1px solid "
    "#eee;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".pass{color:#0a7d33}.fail{color:#b3261e;font-weight:600}.not_yet{color:#777}"
    "blockquote{margin:.6rem 0;padding:.2rem 1rem;border-left:4px solid #9bd;background:#f4f8fb}"
    "figure{display:inline-block;margin:.4rem .4rem .4rem 0;text-align:center;font-size:.85rem}figure "
    "img{width:15rem;"
    "display:block}img.plot{max-width:100%}small{color:#666}code{font-size:.88em}";

static void print_escaped(ct_text *text, const char *words)
{
    for (const char *at = words; at && *at; at++) {
        const char *escape = *at == '<'   ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '&' ? "&amp;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (escape) ct_text_append(text, escape, strlen(escape));
        else ct_text_append(text, at, 1);
    }
}

static void print_element(ct_text *text, const char *tag, const char *words)
{
    ct_text_print(text, "<%s>", tag);
    print_escaped(text, words);
    ct_text_print(text, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

static void print_base64(ct_text *text, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < count; k += 3) {
        unsigned group = (unsigned)bytes[k] << 16;
        if (k + 1 < count) group |= (unsigned)bytes[k + 1] << 8;
        if (k + 2 < count) group |= bytes[k + 2];
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        k + 1 < count ? digits[group >> 6 & 63] : '=',
                        k + 2 < count ? digits[group & 63] : '='};
        ct_text_append(text, four, sizeof four);
    }
}

/* A file of the trial's folder as an <img>; nothing where there is none. */
static bool print_image(ct_text *text, const ct_trial_result *result, const char *file, const char *type,
                        const char *attributes)
{
    char *path = ct_path_join(result->heap, result->folder, file), *bytes = NULL;
    size_t count;
    ct_error unimportant; /* a picture that is missing is no reason to have no report */
    bool is_there = path && !ct_file_load(result->heap, path, PICTURE_LIMIT, &bytes, &count, &unimportant);
    if (is_there) {
        ct_text_print(text, "<img %s src=\"data:image/%s;base64,", attributes, type);
        print_base64(text, (const unsigned char *)bytes, count);
        ct_text_print(text, "\">");
    }
    ct_release(result->heap, bytes);
    ct_release(result->heap, path);
    return is_there;
}

static void print_checks(ct_text *text, const ct_trial_result *result)
{
    ct_text_print(text, "<table><tr><th>what should hold<th>expected<th>measured<th>control<th></tr>\n");
    for (int k = 0; k < result->trial->check_count; k++) {
        const ct_check *check = &result->trial->checks[k];
        const ct_check_result *outcome = &result->checks[k];
        if (!outcome->was_checked) continue;
        ct_text_print(text, "<tr><td>");
        print_escaped(text, check->say);
        if (check->claimed) {
            ct_text_print(text, "<br><small>the paper: ");
            print_escaped(text, check->claimed);
            ct_text_print(text, "</small>");
        }
        ct_text_print(text, "<td>");
        ct_text condition = {.heap = result->heap};
        ct_check_print(&condition, check);
        print_escaped(text, condition.data);
        ct_text_release(&condition);
        ct_text_print(text, "<td class=n>%.6g<td class=n>", outcome->value);
        if (check->fails_for) {
            ct_text_print(text, "%.4g<br><small>", outcome->control);
            print_escaped(text, check->fails_for);
            ct_text_print(text, "</small>");
        }
        ct_text_print(text, "<td class=%s>%s", outcome->has_passed ? "pass" : "fail",
                      outcome->has_passed ? "holds" : "fails: ");
        if (!outcome->has_passed) print_escaped(text, outcome->reason);
        ct_text_print(text, "</tr>\n");
    }
    ct_text_print(text, "</table>\n");
}

static void print_cases(ct_text *text, const ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    for (int c = 0; c < trial->case_count && trial->has_picture; c++) {
        char file[80];
        snprintf(file, sizeof file, "%.60s.png", trial->cases[c].name);
        if (!result->cases[c].was_run) continue;
        ct_text_print(text, "<figure>");
        print_image(text, result, file, "png", "alt=\"\"");
        print_escaped(text, trial->cases[c].name);
        if (result->cases[c].message[0]) ct_text_print(text, " (%s)", result->cases[c].message);
        ct_text_print(text, "</figure>");
    }
    ct_text_print(
        text, "\n<details><summary>cases: what was run</summary><table><tr><th>case<th>settings<th>particles"
              "<th>steps<th>seconds</tr>\n");
    for (int c = 0; c < trial->case_count; c++) {
        const ct_case *one = &trial->cases[c];
        const ct_case_result *outcome = &result->cases[c];
        if (!outcome->was_run) continue;
        ct_text_print(text, "<tr><td>");
        print_escaped(text, one->name);
        ct_text_print(text, "<td><code>");
        for (int k = 0; k < one->set.count; k++)
            print_escaped(text, one->set.texts[k]), ct_text_print(text, "<br>");
        for (int k = 0; k < one->quick.count && result->is_quick; k++)
            print_escaped(text, one->quick.texts[k]), ct_text_print(text, "<br>");
        ct_text_print(text, "</code><td class=n>%.0f<td class=n>%.0f<td class=n>%.2f</tr>\n",
                      outcome->particles, outcome->steps, outcome->seconds);
    }
    ct_text_print(text, "</table></details>\n");
}

static void print_trial(ct_text *text, const ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    const char *state = ct_trial_state_name(result->state);
    ct_text_print(text, "<h2 id=\"%s\">%s &middot; ", trial->id, trial->id);
    print_escaped(text, trial->title);
    ct_text_print(text, " <span class=%s>%s</span></h2>\n", state,
                  result->state == CT_TRIAL_NOT_YET ? "not yet" : state);
    if (trial->paper) print_element(text, "small", trial->paper);
    print_element(text, "blockquote", trial->claim);
    if (trial->not_yet) {
        print_element(text, "p", trial->not_yet);
        return;
    }
    if (trial->choices) {
        ct_text_print(text, "<p><small>Our choices: ");
        print_escaped(text, trial->choices);
        ct_text_print(text, "</small></p>\n");
    }
    if (trial->notes) print_element(text, "p", trial->notes);
    print_checks(text, result);
    if (trial->plot_count) print_image(text, result, "plot.svg", "svg+xml", "class=plot alt=\"plots\"");
    print_cases(text, result);
}

static void print_overview(ct_text *text, const ct_trial_result *const *results, int count)
{
    int states[3] = {0};
    for (int k = 0; k < count; k++) states[results[k]->state]++;
    ct_text_print(
        text,
        "<p>%d pass, %d fail, %d not yet. A check compares a number that was measured with what is expected; "
        "where there is a <em>control</em>, the same check was made on a run that is wrong on purpose, and "
        "had "
        "to fail.</p>\n<table><tr><th><th>claim<th>state</tr>\n",
        states[CT_TRIAL_PASS], states[CT_TRIAL_FAIL], states[CT_TRIAL_NOT_YET]);
    for (int k = 0; k < count; k++) {
        const ct_trial *trial = results[k]->trial;
        const char *state = ct_trial_state_name(results[k]->state);
        ct_text_print(text, "<tr><td><a href=\"#%s\">%s</a><td>", trial->id, trial->id);
        print_escaped(text, trial->title);
        ct_text_print(text, "<td class=%s>%s</tr>\n", state,
                      results[k]->state == CT_TRIAL_NOT_YET ? "not yet" : state);
    }
    ct_text_print(text, "</table>\n");
}

ct_status ct_trials_write_report(ct_heap *heap, const ct_trial_result *const *results, int count,
                                 const char *heading, const char *folder, ct_error *error)
{
    ct_text text = {.heap = heap};
    ct_text_print(&text, "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
                         "content=\"width=device-width\"><title>");
    print_escaped(&text, heading);
    ct_text_print(&text, "</title><style>%s</style>\n", style);
    print_element(&text, "h1", heading);
    ct_text_print(&text, "<p><small>continua %s%s</small></p>\n", ct_version_text(),
                  count && results[0]->is_quick ? ", reduced sizes (--quick)" : "");
    print_overview(&text, results, count);
    for (int k = 0; k < count; k++) print_trial(&text, results[k]);
    ct_text_print(&text, "</html>\n");
    char *path = ct_path_join(heap, folder, "index.html");
    ct_status status =
        text.failed || !path ? ct_fail_memory(error, text.length) : ct_folder_create(folder, error);
    if (!status) status = ct_file_save(heap, path, text.data, text.length, error);
    ct_release(heap, path);
    ct_text_release(&text);
    return status;
}
