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

#endif
