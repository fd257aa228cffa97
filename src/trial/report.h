/* The page of results, between the files that write it: report.c the whole, report_trial.c one trial. */
#ifndef CT_TRIAL_REPORT_H
#define CT_TRIAL_REPORT_H

#include "trial/trial.h"

/* Text with <, >, & and " escaped; NULL is nothing. */
void ct_html_words(ct_text *text, const char *words);
/* <tag>words</tag>; the tag may have attributes. */
void ct_html_element(ct_text *text, const char *tag, const char *words);
/* <span class="badge pass">pass</span> */
void ct_html_badge(ct_text *text, ct_trial_state state);

void ct_html_trial(ct_text *text, const ct_trial_result *result);
/* A file of the trial's folder, embedded; nothing where there is none. */
bool ct_html_image(ct_text *text, const ct_trial_result *result, const char *file, const char *attributes);
/* Our plot, else our first picture. */
bool ct_html_thumbnail(ct_text *text, const ct_trial_result *result);

/* The results at hand. */
typedef struct ct_page {
    ct_text *text;
    const ct_trial_index *index;
    const ct_trial_result *const *results;
    int count;
} ct_page;

/* The figures of a paper beside ours (report_figures.c). */
void ct_html_figures(const ct_page *page, const ct_trial_group *group);
/* The result of that id; NULL: none. */
const ct_trial_result *ct_page_find(const ct_page *page, const char *id);

#endif
