/* Names in formulas: CASE.MEASURE@VALUE, of which the case and the value may be left out. */
#include "trial/trial.h"

#include <stddef.h>
#include <string.h>

static int find_text(const ct_texts *texts, const char *text)
{
    for (int k = 0; k < texts->count; k++)
        if (!strcmp(texts->texts[k], text)) return k;
    return -1;
}

int ct_case_find(const ct_trial *trial, const char *name)
{
    for (int c = 0; c < trial->case_count; c++)
        if (!strcmp(trial->cases[c].name, name)) return c;
    return -1;
}

bool ct_name_read(const ct_trial *trial, const char *text, int own, ct_name *name)
{
    *name = (ct_name){.index = own, .point = -1};
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    if (length >= sizeof name->word) return false;
    memcpy(name->word, text, length);
    char *point = strchr(name->word, '.');
    if (point) {
        *point = '\0';
        name->index = ct_case_find(trial, name->word);
        memmove(name->word, point + 1, strlen(point + 1) + 1);
    }
    if (name->index < 0) return false;
    if (at) name->point = find_text(&trial->cases[name->index].at, at + 1);
    return !at || name->point >= 0;
}

bool ct_run_fact(const ct_run *run, const char *word, double *value)
{
    static const struct {
        const char *word;
        size_t offset;
    } facts[] = {{"diverged", offsetof(ct_run, diverged)}, {"steps", offsetof(ct_run, steps)},
                 {"time", offsetof(ct_run, end)},          {"cost", offsetof(ct_run, cost)},
                 {"seconds", offsetof(ct_run, seconds)},   {"particles", offsetof(ct_run, particles)}};
    for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++)
        if (!strcmp(word, facts[k].word)) {
            memcpy(value, (const char *)run + facts[k].offset, sizeof *value);
            return true;
        }
    return false;
}

int ct_case_seeds(const ct_case *one)
{
    return one->seeds > 1 ? (int)one->seeds : 1;
}

typedef struct visit {
    const ct_trial *trial;
    int own;
    ct_name_visitor visit;
    void *user;
} visit;

static bool visit_name(void *user, const char *text, double *value)
{
    const visit *self = user;
    ct_name name;
    *value = 1;
    if (ct_name_read(self->trial, text, self->own, &name)) self->visit(self->user, text, &name);
    return true;
}

void ct_check_visit(const ct_trial *trial, const ct_check *check, int own, ct_name_visitor visitor,
                    void *user)
{
    const char *const formulas[] = {check->value, check->equals, check->at_least, check->at_most};
    visit self = {trial, own, visitor, user};
    char reason[CT_FORMULA_REASON];
    double value;
    for (int k = 0; k < 4; k++)
        if (formulas[k]) ct_formula_value(formulas[k], visit_name, &self, &value, reason);
}
