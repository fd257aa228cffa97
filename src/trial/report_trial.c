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

/* A file of the trial's folder as an <img>; nothing where there is none. */
static void print_image(ct_text *text, const ct_trial_result *result, const char *file, const char *type,
                        const char *attributes)
{
    char *path = ct_path_join(result->heap, result->folder, file), *bytes = NULL;
    size_t count;
    ct_error unimportant; /* a picture that is missing is no reason to have no report */
    if (path && !ct_file_load(result->heap, path, PICTURE_LIMIT, &bytes, &count, &unimportant)) {
        ct_text_print(text, "<img loading=lazy %s src=\"data:image/%s;base64,", attributes, type);
        print_base64(text, (const unsigned char *)bytes, count);
        ct_text_print(text, "\">");
    }
    ct_release(result->heap, bytes);
    ct_release(result->heap, path);
}

static void print_number(ct_text *text, double value)
{
    if (isnan(value)) ct_text_print(text, "none");
    else ct_text_print(text, "%.4g", value);
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
    ct_text_print(text, "<tr><td><span class=%s>%s</span><td>", outcome->has_passed ? "pass" : "fail",
                  outcome->has_passed ? "&#10003;" : "&#10007;");
    ct_html_words(text, check->say);
    if (check->claimed) {
        ct_text_print(text, "<br><small>the paper: ");
        ct_html_words(text, check->claimed);
        ct_text_print(text, "</small>");
    }
    if (!outcome->has_passed) {
        ct_text_print(text, "<br><small class=fail>");
        ct_html_words(text, outcome->reason);
        ct_text_print(text, "</small>");
    }
    ct_text_print(text, "<td class=n>");
    print_number(text, outcome->value);
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
    if (check->fails_for && outcome->has_passed) {
        print_number(text, outcome->control);
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
        snprintf(file, sizeof file, "%.60s.png", trial->cases[c].name);
        if (!result->cases[c].was_run) continue;
        ct_text_print(text, "<figure>");
        print_image(text, result, file, "png", "alt=\"\"");
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
    ct_text_print(text,
                  "<details><summary>what was run (%.1f s)</summary><div class=wide><table>"
                  "<tr><th>case<th>settings<th>particles<th>steps<th>seconds</tr>\n",
                  result->seconds);
    for (int c = 0; c < trial->case_count; c++) {
        const ct_case_result *outcome = &result->cases[c];
        if (!outcome->was_run) continue;
        ct_text_print(text, "<tr><td>");
        ct_html_words(text, trial->cases[c].name);
        ct_text_print(text, "<td><code>");
        print_settings(text, &trial->cases[c].set);
        if (result->is_quick) print_settings(text, &trial->cases[c].quick);
        ct_text_print(text, "</code><td class=n>%.0f<td class=n>%.0f<td class=n>%.2f</tr>\n",
                      outcome->particles, outcome->steps, outcome->seconds);
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
    if (trial->notes) ct_html_element(text, "p", trial->notes);
    print_checks(text, result);
    if (trial->plot_count) print_image(text, result, "plot.svg", "svg+xml", "class=plot alt=\"plots\"");
    print_pictures(text, result);
    if (trial->choices) {
        ct_text_print(text, "<details><summary>our choices</summary>");
        ct_html_element(text, "p", trial->choices);
        ct_text_print(text, "</details>\n");
    }
    print_cases(text, result);
    ct_text_print(text, "</article>\n");
}
