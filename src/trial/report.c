/* One page that shows every claim beside what came out: the score, what each scheme is good for, then paper
 * by paper. It needs no other file: plots are drawn into it as SVG, pictures are embedded. */
#include "trial/report.h"

#include "core/file.h"
#include <stdio.h>
#include <string.h>

/* Colours of light and dark by what the reader's system prefers; tables scroll on narrow screens. */
static const char style[] =
    ":root{--ink:#1d2733;--soft:#5b6775;--paper:#fff;--card:#f5f7fa;--line:#d8dfe7;--link:#0b62b0;--pass:#"
    "0a7d33;--doubt:#8a5a00;--"
    "fail:#b3261e;color-scheme:light dark}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9aa7b5;--paper:#12171d;--card:#1b222b;--"
    "line:#"
    "323c48;--link:#7db8f0;--pass:#5fd08a;--doubt:#e0b050;--fail:#ff8a80}}\n"
    "body{font:16px/1.55 system-ui,sans-serif;max-width:66rem;margin:0 auto;padding:1.5rem 1rem "
    "4rem;color:var(--ink);background:var(--paper)}\n"
    "h1{line-height:1.2;margin:.5rem 0}h2{margin:3rem 0 .3rem;line-height:1.25}h3{margin:0 0 "
    ".6rem;line-height:1.35;font-size:1.15rem}a{color:var(--link)}h3 a{text-decoration:none}\n"
    "small,figcaption,summary{color:var(--soft)}summary{cursor:pointer;margin-top:.6rem}code{font-size:.85em}"
    "\n"
    "article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem "
    "1.2rem;margin:1.2rem 0}\n"
    "blockquote{margin:.4rem 0 .9rem;padding:.1rem 0 .1rem 1rem;border-left:4px solid var(--link)}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;"
    "padding:"
    ".35rem .6rem;border-bottom:1px solid "
    "var(--line);vertical-align:top}th{color:var(--soft);font-weight:500}\n"
    "td.name{font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".pass{color:var(--pass)}.fail{color:var(--fail)}.not_yet{color:var(--soft)}.not_confirmed{color:var(--"
    "doubt)}\n"
    ".badge{font-size:.78rem;border:1px solid;border-radius:1rem;padding:.05rem "
    ".55rem;white-space:nowrap;font-weight:"
    "600}\n"
    ".bar{display:flex;height:.9rem;border-radius:.45rem;overflow:hidden;background:var(--line);margin:.5rem "
    "0}.bar i{display:block}.bar .pass{background:var(--pass)}.bar .fail{background:var(--fail)}.bar "
    ".not_confirmed{background:var(--doubt)}\n"
    "img{max-width:100%}img.plot{background:#fff;border-radius:8px;margin:.8rem "
    "0}.pictures{display:grid;gap:.6rem;"
    "grid-template-columns:repeat(auto-fill,minmax(14rem,1fr))}figure{margin:0}figure "
    "img{border-radius:8px}\n"
    "table.figures img{max-width:18rem;max-height:14rem;background:#fff;border-radius:6px}\n"
    "ul.later{columns:20rem;padding-left:1.1rem;font-size:.92rem;color:var(--soft)}ul.later "
    "li{break-inside:avoid}\n";

void ct_html_words(ct_text *text, const char *words)
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

void ct_html_element(ct_text *text, const char *tag, const char *words)
{
    ct_text_print(text, "<%s>", tag);
    ct_html_words(text, words);
    ct_text_print(text, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void ct_html_badge(ct_text *text, ct_trial_state state)
{
    ct_text_print(text, "<span class=\"badge %s\">%s</span>", ct_trial_state_name(state),
                  ct_trial_state_words(state));
}

const ct_trial_result *ct_page_find(const ct_page *page, const char *id)
{
    for (int k = 0; k < page->count; k++)
        if (!strcmp(page->results[k]->trial->id, id)) return page->results[k];
    return NULL;
}

/* What came of a group (NULL: of all), as a line and a bar. Reduced sizes are shown, but do not count. */
static void print_score(const ct_page *self, const ct_trial_group *group)
{
    int states[CT_TRIAL_STATE_COUNT] = {0}, all = 0, reduced = 0, checks = 0, controls = 0;
    for (int k = 0; k < self->count; k++) {
        const ct_trial_result *result = self->results[k];
        if (group && ct_trial_group_of(self->index, result->trial->id) != group) continue;
        all++;
        checks += ct_trial_checked(result);
        controls += ct_trial_controls(result);
        if (result->is_quick && result->state != CT_TRIAL_NOT_YET) reduced++;
        else states[result->state]++;
    }
    int judged = all - reduced - states[CT_TRIAL_NOT_YET];
    ct_text_print(
        self->text,
        "<p><strong>Judged %d of %d, full size</strong>: %d pass, %d not confirmed, %d fail; %d not "
        "yet",
        judged, all, states[CT_TRIAL_PASS], states[CT_TRIAL_NOT_CONFIRMED], states[CT_TRIAL_FAIL],
        states[CT_TRIAL_NOT_YET]);
    if (reduced) ct_text_print(self->text, "; %d of reduced size are shown and do not count", reduced);
    ct_text_print(self->text, ". Of %d checks %d have a control, %d have none.</p><div class=bar>", checks,
                  controls, checks - controls);
    for (int s = CT_TRIAL_STATE_COUNT - 1; s > CT_TRIAL_NOT_YET; s--)
        ct_text_print(self->text, "<i class=%s style=\"width:%.1f%%\"></i>", ct_trial_state_name(s),
                      100.0 * states[s] / (all ? all : 1));
    ct_text_print(self->text, "</div>\n");
}

static void print_evidence(const ct_page *self, const ct_texts *ids)
{
    for (int e = 0; e < ids->count; e++) {
        const ct_trial_result *result = ct_page_find(self, ids->texts[e]);
        if (result)
            ct_text_print(self->text, "<a class=\"badge %s\" href=\"#%s\" title=\"%s\">%s</a> ",
                          ct_trial_state_name(result->state), result->trial->id,
                          ct_trial_state_words(result->state), result->trial->id);
    }
}

static void print_guide(const ct_page *self)
{
    if (!self->index->advice_count) return;
    ct_text_print(self->text, "<h2>What each is good for</h2>\n<div class=wide><table><tr><th><th>good "
                              "for<th>mind<th>shown by</tr>\n");
    for (int k = 0; k < self->index->advice_count; k++) {
        const ct_advice *advice = &self->index->advice[k];
        ct_text_print(self->text, "<tr>");
        ct_html_element(self->text, "td class=name", advice->name);
        ct_html_element(self->text, "td", advice->good_for);
        ct_html_element(self->text, "td", advice->mind);
        ct_text_print(self->text, "<td>");
        print_evidence(self, &advice->evidence);
        ct_text_print(self->text, "</tr>\n");
    }
    ct_text_print(self->text, "</table></div>\n");
}

/* The trials of a group (NULL: those of none): first those that were run, then a list of the others. */
static void print_trials(const ct_page *self, const ct_trial_group *group)
{
    int later = 0;
    for (int k = 0; k < self->count; k++) {
        const ct_trial_result *result = self->results[k];
        if (ct_trial_group_of(self->index, result->trial->id) != group) continue;
        if (result->state == CT_TRIAL_NOT_YET) later++;
        else ct_html_trial(self->text, result);
    }
    if (!later) return;
    ct_text_print(self->text, "<details><summary>%d not yet</summary><ul class=later>\n", later);
    for (int k = 0; k < self->count; k++) {
        const ct_trial_result *result = self->results[k];
        if (ct_trial_group_of(self->index, result->trial->id) != group || result->state != CT_TRIAL_NOT_YET)
            continue;
        ct_text_print(self->text, "<li id=\"%s\"><strong>%s</strong> ", result->trial->id, result->trial->id);
        ct_html_words(self->text, result->trial->title);
        ct_text_print(self->text, ": ");
        ct_html_words(self->text, result->trial->not_yet);
        ct_text_print(self->text, "</li>\n");
    }
    ct_text_print(self->text, "</ul></details>\n");
}

static void print_group(const ct_page *self, const ct_trial_group *group)
{
    bool has_any = false;
    for (int k = 0; k < self->count; k++)
        has_any = has_any || ct_trial_group_of(self->index, self->results[k]->trial->id) == group;
    if (!has_any) return;
    if (group) {
        ct_html_element(self->text, "h2", group->title);
        if (group->paper) ct_html_element(self->text, "small", group->paper);
        if (group->about) ct_html_element(self->text, "p", group->about);
        print_score(self, group);
        ct_html_figures(self, group);
    }
    print_trials(self, group);
}

static void print_page(const ct_page *self, const char *heading)
{
    ct_text *text = self->text;
    ct_text_print(text, "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
                        "content=\"width=device-width,initial-scale=1\"><title>");
    ct_html_words(text, heading);
    ct_text_print(text, "</title><style>%s</style>\n", style);
    ct_html_element(text, "h1", heading);
    ct_text_print(text, "<small>continua %s, commit %s%s</small>\n", ct_version_text(), ct_trial_commit(),
                  self->count && self->results[0]->is_quick ? ", reduced sizes (--quick)" : "");
    print_score(self, NULL);
    ct_text_print(text,
                  "<p>A check compares a number that was measured with what is expected. Where there is a "
                  "<em>control</em>, the same check was made on a run that is wrong on purpose, and had to "
                  "fail. Where runs were repeated with n seeds, the mean is given with half the width of its "
                  "95%% confidence interval (Student) and the standard deviation of the runs; a check holds "
                  "where all of the interval is within the bound, a control fails where all of it is beyond. "
                  "<em>Not confirmed</em>: done as described, and the claim is not seen.</p>\n");
    print_guide(self);
    for (int g = 0; g < self->index->group_count; g++) print_group(self, &self->index->groups[g]);
    print_group(self, NULL);
    ct_text_print(text, "</html>\n");
}

ct_status ct_trials_write_report(ct_heap *heap, const ct_trial_index *index,
                                 const ct_trial_result *const *results, int count, const char *heading,
                                 const char *folder, ct_error *error)
{
    ct_text text = {.heap = heap};
    print_page(&(ct_page){&text, index, results, count}, heading);
    char *path = ct_path_join(heap, folder, "index.html");
    ct_status status =
        text.failed || !path ? ct_fail_memory(error, text.length) : ct_folder_create(folder, error);
    if (!status) status = ct_file_save(heap, path, text.data, text.length, error);
    ct_release(heap, path);
    ct_text_release(&text);
    return status;
}
