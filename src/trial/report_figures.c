/* The figures of a paper beside ours. The papers' pictures are theirs and not repeated here: what a figure
 * shows is said in words, and beside it stands what came out of the experiment that repeats it. */
#include "trial/report.h"

static void print_ours(const ct_page *page, const char *id)
{
    const ct_trial_result *result = ct_page_find(page, id);
    ct_text *text = page->text;
    if (!result) {
        ct_text_print(text, "<small>%s was not run</small><br>", id);
        return;
    }
    ct_text_print(text, "<a href=\"#%s\">%s</a> ", id, id);
    ct_html_badge(text, result->state);
    if (result->is_quick && result->state != CT_TRIAL_NOT_YET)
        ct_text_print(text, " <small>reduced size</small>");
    ct_text_print(text, "<br>");
    if (result->state == CT_TRIAL_NOT_YET) ct_html_element(text, "small", result->trial->not_yet);
    else if (ct_html_thumbnail(text, result)) ct_text_print(text, "<br>");
}

void ct_html_figures(const ct_page *page, const ct_trial_group *group)
{
    ct_text *text = page->text;
    if (!group->figure_count) return;
    ct_text_print(text,
                  "<details><summary>Each figure of the paper beside ours</summary><div class=wide><table "
                  "class=figures><tr><th>paper<th>what it shows<th>ours</tr>\n");
    for (int f = 0; f < group->figure_count; f++) {
        const ct_figure *figure = &group->figures[f];
        ct_text_print(text, "<tr>");
        ct_html_element(text, "td class=name", figure->name);
        ct_html_element(text, "td", figure->shows);
        ct_text_print(text, "<td>");
        for (int k = 0; k < figure->ours.count; k++) print_ours(page, figure->ours.texts[k]);
        if (figure->missing) ct_html_element(text, "small", figure->missing);
        ct_text_print(text, "</tr>\n");
    }
    ct_text_print(text, "</table></div></details>\n");
}
