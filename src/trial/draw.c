/* Plots of a trial's measures: a line per case over time, or a bar a case. */
#include "trial/trial.h"

#include "core/file.h"
#include "look/plot.h"
#include <stdio.h>
#include <string.h>

typedef struct drawing {
    ct_plot plots[CT_MOST_PLOTS];
    ct_plot_series series[CT_MOST_PLOTS][CT_MOST_CASES];
    const char *names[CT_MOST_PLOTS][CT_MOST_CASES];
    double heights[CT_MOST_PLOTS][CT_MOST_CASES];
    char labels[CT_MOST_PLOTS][2][80]; /* of x and y */
} drawing;

static bool shows(const ct_trial_plot *plot, const ct_case *one)
{
    for (int c = 0; c < plot->cases.count; c++)
        if (!strcmp(plot->cases.texts[c], one->name)) return true;
    return !plot->cases.count;
}

/* "work [J]" */
static void print_label(char label[80], const ct_measure *measure)
{
    snprintf(label, 80, "%.40s%s%.30s%s", measure->name, *measure->unit ? " [" : "", measure->unit,
             *measure->unit ? "]" : "");
}

static int measure_of(const ct_trial *trial, const char *name)
{
    int m = 0;
    while (strcmp(trial->measures[m].name, name) != 0) m++;
    return m;
}

static void add_plot(const ct_trial_result *result, int k, drawing *d)
{
    const ct_trial *trial = result->trial;
    const ct_trial_plot *def = &trial->plots[k];
    int m = measure_of(trial, def->of), count = 0;
    int along = def->against ? measure_of(trial, def->against) : -1;
    print_label(d->labels[k][1], &trial->measures[m]);
    if (def->against) print_label(d->labels[k][0], &trial->measures[along]);
    else snprintf(d->labels[k][0], sizeof d->labels[k][0], "time [s]");
    for (int c = 0; c < trial->case_count; c++) {
        const ct_case_result *one = &result->cases[c];
        if (!one->was_run || !shows(def, &trial->cases[c])) continue;
        d->names[k][count] = trial->cases[c].name;
        d->heights[k][count] = ct_case_value(one, m);
        const char *over = trial->cases[c].over;
        if (over && !def->against) snprintf(d->labels[k][0], sizeof d->labels[k][0], "%.70s", over);
        d->series[k][count] = (ct_plot_series){.name = trial->cases[c].name,
                                               .x = def->against ? one->series[along] : one->time,
                                               .y = one->series[m],
                                               .count = one->samples,
                                               .style = over ? CT_PLOT_LINE_AND_POINTS : CT_PLOT_LINE};
        count++;
    }
    d->plots[k] = (ct_plot){.title = def->title ? def->title : def->of,
                            .x = {.label = d->labels[k][0], .is_log = def->is_log_x},
                            .y = {.label = d->labels[k][1], .is_log = def->is_log},
                            .series = d->series[k],
                            .series_count = count};
    if (!def->is_bars) return;
    d->series[k][0] = (ct_plot_series){.y = d->heights[k], .count = (size_t)count, .style = CT_PLOT_BARS};
    d->plots[k].series_count = 1;
    d->plots[k].x.label = NULL;
    d->plots[k].y.has_zero = !def->is_log;
    d->plots[k].categories = d->names[k];
    d->plots[k].category_count = count;
}

static ct_status save(const ct_trial_result *result, const ct_plot_page *page, const char *file,
                      ct_error *error)
{
    char *path = ct_path_join(result->heap, result->folder, file);
    ct_status status =
        path ? ct_plot_save(result->heap, page, path, error) : ct_fail_memory(error, strlen(file));
    ct_release(result->heap, path);
    return status;
}

ct_status ct_trial_draw(ct_trial_result *result, ct_error *error)
{
    const ct_trial *trial = result->trial;
    if (!trial->plot_count) return CT_OK;
    drawing *d = ct_allocate_zero(result->heap, sizeof *d);
    if (!d) return ct_fail_memory(error, sizeof *d);
    for (int k = 0; k < trial->plot_count; k++) add_plot(result, k, d);
    ct_plot_page page = {.plots = d->plots, .count = trial->plot_count};
    ct_status status = save(result, &page, "plot.svg", error);
    if (!status) status = save(result, &page, "plot.png", error);
    ct_release(result->heap, d);
    return status;
}
