/* One trial on the page: the claim, what was measured beside what is expected, plots and pictures. */
#include "trial/report.h"

#include "core/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PICTURE_LIMIT = 4 << 20 };

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

bool ct_html_image(ct_text *text, const ct_trial_result *result, const char *file, const char *attributes)
{
    const char *ending = strrchr(file, '.');
    const char *type = ending && !strcmp(ending, ".svg") ? "svg+xml" : "png";
    char *path = result->folder ? ct_path_join(result->heap, result->folder, file) : NULL, *bytes = NULL;
    size_t count;
    ct_error unimportant; /* a picture that is missing is no reason to have no report */
    bool is_there = path && !ct_file_load(result->heap, path, PICTURE_LIMIT, &bytes, &count, &unimportant);
    if (is_there) {
        ct_text_print(text, "<img loading=lazy %s src=\"data:image/%s;base64,", attributes, type);
        print_base64(text, (const unsigned char *)bytes, count);
        ct_text_print(text, "\">");
    }
    ct_release(result->heap, bytes);
    ct_release(result->heap, path);
    return is_there;
}

/* The picture of a case. */
static void print_picture_name(char file[80], const ct_case *one)
{
    snprintf(file, 80, "%.60s.png", one->name);
}

bool ct_html_thumbnail(ct_text *text, const ct_trial_result *result)
{
    if (result->trial->plot_count && ct_html_image(text, result, "plot.svg", "alt=\"our plots\""))
        return true;
    char file[80];
    for (int c = 0; c < result->trial->case_count && result->trial->has_picture; c++) {
        print_picture_name(file, &result->trial->cases[c]);
        if (ct_html_image(text, result, file, "alt=\"our picture\"")) return true;
    }
    return false;
}

static void print_number(ct_text *text, double value)
{
    if (isnan(value)) ct_text_print(text, "none");
    else ct_text_print(text, "%.4g", value);
}

/* "1.03 +- 0.02", and below it n and the spread. */
static void print_estimate(ct_text *text, const ct_estimate *value)
{
    print_number(text, value->mean);
    if (value->n < 2 || isnan(value->mean)) return;
    ct_text_print(text, " &plusmn; %.2g<br><small>n = %d, spread %.2g</small>", value->half, value->n,
                  value->spread);
}

/* Whether what is expected is more than a number. */
static bool has_formula(const ct_check *check)
{
    const char *formula = check->equals ? check->equals : check->at_least ? check->at_least : check->at_most;
    return formula && formula[strspn(formula, "+-.0123456789eE ")];
}

static void print_check(ct_text *text, const ct_trial_result *result, const ct_check *check,
                        const ct_check_result *outcome)
{
    const char *kind = outcome->has_passed ? "pass" : outcome->is_unconfirmed ? "not_confirmed" : "fail";
    ct_text_print(text, "<tr><td><span class=%s>%s</span><td>", kind,
                  outcome->has_passed ? "&#10003;" : "&#10007;");
    ct_html_words(text, check->say);
    if (check->claimed) {
        ct_text_print(text, "<br><small>the paper: ");
        ct_html_words(text, check->claimed);
        ct_text_print(text, "</small>");
    }
    if (!outcome->has_passed) {
        ct_text_print(text, "<br><small class=%s>", kind);
        ct_html_words(text, outcome->reason);
        if (outcome->is_unconfirmed) ct_text_print(text, "; not confirmed: ");
        if (outcome->is_unconfirmed) ct_html_words(text, check->not_confirmed);
        ct_text_print(text, "</small>");
    }
    ct_text_print(text, "<td class=n>");
    print_estimate(text, &outcome->value);
    ct_text condition = {.heap = result->heap};
    ct_check_print(&condition, check);
    ct_text_print(text, "<td>");
    ct_html_words(text, condition.data);
    if (isfinite(outcome->bound) && has_formula(check)) {
        ct_text_print(text, "<br><small>which is ");
        print_number(text, outcome->bound);
        ct_text_print(text, "</small>");
    }
    ct_text_release(&condition);
    ct_text_print(text, "<td>");
    if (!check->fails_for) ct_text_print(text, "<small>no control</small>");
    if (check->fails_for && outcome->has_passed) {
        print_estimate(text, &outcome->control);
        ct_text_print(text, " <small>");
        ct_html_words(text, check->fails_for);
        ct_text_print(text, "</small>");
    }
    ct_text_print(text, "</tr>\n");
}

static void print_checks(ct_text *text, const ct_trial_result *result)
{
    ct_text_print(text, "<div class=wide><table><tr><th><th>what should "
                        "hold<th>measured<th>expected<th>control, which must fail</tr>\n");
    for (int k = 0; k < result->trial->check_count; k++)
        if (result->checks[k].was_checked)
            print_check(text, result, &result->trial->checks[k], &result->checks[k]);
    ct_text_print(text, "</table></div>\n");
}

static void print_pictures(ct_text *text, const ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    ct_text_print(text, "<div class=pictures>");
    for (int c = 0; c < trial->case_count && trial->has_picture; c++) {
        char file[80];
        print_picture_name(file, &trial->cases[c]);
        if (!result->cases[c].was_run) continue;
        ct_text_print(text, "<figure>");
        ct_html_image(text, result, file, "alt=\"\"");
        ct_text_print(text, "<figcaption>");
        ct_html_words(text, trial->cases[c].name);
        if (result->cases[c].message[0]) ct_text_print(text, " (%s)", result->cases[c].message);
        ct_text_print(text, "</figcaption></figure>");
    }
    ct_text_print(text, "</div>\n");
}

static void print_settings(ct_text *text, const ct_texts *settings)
{
    for (int k = 0; k < settings->count; k++) {
        ct_html_words(text, settings->texts[k]);
        ct_text_print(text, "<br>");
    }
}

static void print_cases(ct_text *text, const ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    ct_text_print(text, "<details><summary>what was run</summary><div class=wide><table>"
                        "<tr><th>case<th>settings<th>seeds<th>particles<th>steps<th>seconds</tr>\n");
    for (int c = 0; c < trial->case_count; c++) {
        const ct_case_result *outcome = &result->cases[c];
        if (!outcome->was_run) continue;
        ct_text_print(text, "<tr><td>");
        ct_html_words(text, trial->cases[c].name);
        ct_text_print(text, "<td><code>");
        print_settings(text, &trial->cases[c].set);
        if (result->is_quick) print_settings(text, &trial->cases[c].quick);
        const ct_run *last = &outcome->runs[outcome->points - 1];
        ct_text_print(text, "</code><td class=n>%d<td class=n>%.0f<td class=n>%.0f<td class=n>%.2f%s</tr>\n",
                      outcome->seeds, last->particles, last->steps, outcome->wall,
                      outcome->is_kept ? ", kept" : "");
    }
    ct_text_print(text, "</table></div></details>\n");
}

void ct_html_trial(ct_text *text, const ct_trial_result *result)
{
    const ct_trial *trial = result->trial;
    ct_text_print(text, "<article id=\"%s\"><h3><a href=\"#%s\">%s</a> ", trial->id, trial->id, trial->id);
    ct_html_words(text, trial->title);
    ct_text_print(text, " ");
    ct_html_badge(text, result->state);
    ct_text_print(text, "</h3>\n<blockquote>");
    ct_html_words(text, trial->claim);
    if (trial->paper) {
        ct_text_print(text, "<br>");
        ct_html_element(text, "small", trial->paper);
    }
    ct_text_print(text, "</blockquote>\n");
    ct_text_print(
        text,
        "<p><small>%s size, up to %.0f particles; %d seed%s; commit %s; %.1f s by the clock; %d of %d "
        "checks have a control</small></p>\n",
        result->is_quick ? "reduced" : "full", ct_trial_particles(result), ct_trial_seeds(result),
        ct_trial_seeds(result) == 1 ? "" : "s", ct_trial_commit(), result->seconds, ct_trial_controls(result),
        ct_trial_checked(result));
    if (trial->notes) ct_html_element(text, "p", trial->notes);
    print_checks(text, result);
    if (trial->plot_count) ct_html_image(text, result, "plot.svg", "class=plot alt=\"plots\"");
    print_pictures(text, result);
    if (trial->choices) {
        ct_text_print(text, "<details><summary>our choices</summary>");
        ct_html_element(text, "p", trial->choices);
        ct_text_print(text, "</details>\n");
    }
    print_cases(text, result);
    ct_text_print(text, "</article>\n");
}
