/* What a comparison says: one list of columns is the table for people, the CSV and the JSON. */
#include "compare.h"
#include "look/plot.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double (*number_of)(const ct_entry *entry);

#define NUMBER(name, expression)              \
    static double name(const ct_entry *entry) \
    {                                         \
        return expression;                    \
    }
NUMBER(energy_kept, entry->energy_kept)
NUMBER(angular_momentum_kept, entry->spin_kept)
NUMBER(spread, entry->spread[entry->table.rows - 1])
NUMBER(spread_at_start, entry->spread[0])
NUMBER(time_reached, entry->time[entry->table.rows - 1])
NUMBER(steps, (double)entry->steps)
NUMBER(particles, (double)entry->particles)
NUMBER(ns_per_particle_step, 1e9 * entry->clock.step_seconds / entry->clock.particle_steps)
NUMBER(seconds, entry->clock.seconds)

enum style { HIDDEN, PERCENT, PLAIN, COUNT, SPEED, DURATION };

static const struct column {
    const char *name;  /* in the CSV and the JSON */
    const char *title; /* in the table; two lines */
    const char *below;
    enum style style;
    number_of value;
} columns[] = {
    {"energy_kept", "energy", "kept", PERCENT, energy_kept},
    {"angular_momentum_kept", "ang. mom.", "kept", PERCENT, angular_momentum_kept},
    {"spread", "spread", "m", PLAIN, spread},
    {"spread_at_start", NULL, NULL, HIDDEN, spread_at_start},
    {"time", "time", "s", PLAIN, time_reached},
    {"steps", "steps", "", COUNT, steps},
    {"particles", NULL, NULL, HIDDEN, particles},
    {"ns_per_particle_step", "particle-step", "ns", SPEED, ns_per_particle_step},
    {"seconds", "by the", "clock", DURATION, seconds},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* ---- the table ---- */

static void print_cell(char cell[CT_SHORT], enum style style, double value)
{
    if (!isfinite(value)) snprintf(cell, CT_SHORT, "-");
    else if (style == PERCENT) snprintf(cell, CT_SHORT, "%.2f %%", 100 * value);
    else if (style == PLAIN) snprintf(cell, CT_SHORT, "%.4g", value);
    else if (style == COUNT) snprintf(cell, CT_SHORT, "%.0f", value);
    else if (style == SPEED) snprintf(cell, CT_SHORT, "%.1f", value);
    else ct_duration_text(cell, value);
}

static void print_heads(int width, bool is_below)
{
    ct_say("%-*s", width, "");
    for (int c = 0; c < COLUMNS; c++)
        if (columns[c].style != HIDDEN) ct_say("  %13s", is_below ? columns[c].below : columns[c].title);
    ct_say("\n");
}

void ct_compare_print_table(const ct_comparison *self)
{
    int width = 8;
    for (int k = 0; k < self->count; k++)
        if ((int)strlen(self->entries[k].name) > width) width = (int)strlen(self->entries[k].name);
    ct_say("\n");
    print_heads(width, false);
    print_heads(width, true);
    for (int k = 0; k < self->count; k++) {
        const ct_entry *entry = &self->entries[k];
        ct_say("%s%-*s%s", ct_style("\033[1m"), width, entry->name, ct_style("\033[0m"));
        for (int c = 0; c < COLUMNS; c++) {
            char cell[CT_SHORT];
            if (columns[c].style == HIDDEN) continue;
            print_cell(cell, columns[c].style, columns[c].value(entry));
            ct_say("  %13s", cell);
        }
        ct_say("%s\n", entry->is_diverged ? "  diverged" : "");
    }
    ct_say("\nEnergy: above that of rest at the lowest place of all runs. Angular momentum: about the centre "
           "of mass.\n"
           "Spread: root mean square distance from it, at the end.\n"
           "Files in %s: compare.csv, compare.svg, compare.png, picture.png%s\n",
           self->folder, ct_option_given(&self->arguments, "film") ? ", film.mp4" : "");
}

/* ---- files ---- */

void ct_compare_print_json(const ct_comparison *self)
{
    ct_heap heap = self->heap;
    ct_text text = {.heap = &heap};
    ct_text_print(&text, "{\"scene\": ");
    ct_print_json_string(&text, self->name);
    ct_text_print(&text, ", \"folder\": ");
    ct_print_json_string(&text, self->folder);
    ct_text_print(&text, ", \"energy_floor\": ");
    ct_print_json_number(&text, self->energy_floor);
    ct_text_print(&text, ", \"runs\": [");
    for (int k = 0; k < self->count; k++) {
        const ct_entry *entry = &self->entries[k];
        ct_text_print(&text, "%s{\"name\": ", k ? ", " : "");
        ct_print_json_string(&text, entry->name);
        ct_text_print(&text, ", \"folder\": ");
        ct_print_json_string(&text, entry->folder);
        ct_text_print(&text, ", \"state\": \"%s\"", entry->is_diverged ? "diverged" : "done");
        for (int c = 0; c < COLUMNS; c++) {
            ct_text_print(&text, ", \"%s\": ", columns[c].name);
            ct_print_json_number(&text, columns[c].value(entry));
        }
        ct_text_print(&text, "}");
    }
    ct_text_print(&text, "]}\n");
    if (!text.failed) ct_say_text(text.data, text.length);
    ct_text_release(&text);
}

ct_status ct_compare_save_csv(ct_comparison *self, ct_error *error)
{
    ct_text text = {.heap = &self->heap};
    ct_text_print(&text, "name,state");
    for (int c = 0; c < COLUMNS; c++) ct_text_print(&text, ",%s", columns[c].name);
    ct_text_print(&text, "\n");
    for (int k = 0; k < self->count; k++) {
        const ct_entry *entry = &self->entries[k];
        bool has_comma = strchr(entry->name, ',') != NULL; /* of a vector */
        ct_text_print(&text, has_comma ? "\"%s\",%s" : "%s,%s", entry->name,
                      entry->is_diverged ? "diverged" : "done");
        for (int c = 0; c < COLUMNS; c++) ct_text_print(&text, ",%.17g", columns[c].value(entry));
        ct_text_print(&text, "\n");
    }
    const char *path = ct_compare_path(self, "compare.csv");
    ct_status status = text.failed || !path ? ct_fail_memory(error, text.length)
                                            : ct_file_save(&self->heap, path, text.data, text.length, error);
    ct_text_release(&text);
    return status;
}

/* ---- plots ---- */

enum { PLOTS = 4, COLORS = 8 };
enum { TOTAL, KINETIC, SPIN, SPREAD };

static const double *values_of(const ct_entry *entry, int plot)
{
    const double *const values[PLOTS] = {entry->total, entry->kinetic, entry->spin, entry->spread};
    return values[plot];
}

/* Where nothing ever turns, angular momentum is round-off: there is nothing to see. */
static bool is_worth_a_plot(const ct_comparison *self, int plot)
{
    bool turns = plot != SPIN;
    for (int k = 0; k < self->count; k++) turns |= self->entries[k].turns;
    return turns;
}

ct_status ct_compare_save_plots(ct_comparison *self, ct_error *error)
{
    static const char *const titles[PLOTS][2] = {
        [TOTAL] = {"Total energy", "J"},
        [KINETIC] = {"Kinetic energy", "J"},
        [SPIN] = {"Angular momentum about the centre of mass", "kg m²/s"},
        [SPREAD] = {"Spread: rms distance from the centre of mass", "m"}};
    ct_plot_series series[PLOTS][CT_MOST_ENTRIES];
    ct_plot plots[PLOTS];
    int count = 0;
    for (int p = 0; p < PLOTS; p++) {
        if (!is_worth_a_plot(self, p)) continue;
        for (int k = 0; k < self->count; k++) {
            const ct_entry *entry = &self->entries[k];
            series[p][k] = (ct_plot_series){.name = entry->name,
                                            .x = entry->time,
                                            .y = values_of(entry, p),
                                            .count = entry->table.rows,
                                            .is_dashed = k >= COLORS};
        }
        plots[count++] = (ct_plot){.title = titles[p][0],
                                   .x = {.label = "time [s]"},
                                   .y = {.label = titles[p][1]},
                                   .series = series[p],
                                   .series_count = self->count};
    }
    ct_plot_page page = {.title = self->name, .plots = plots, .count = count};
    static const char *const names[] = {"compare.svg", "compare.png"};
    ct_status status = CT_OK;
    for (int k = 0; k < 2 && !status; k++) {
        const char *path = ct_compare_path(self, names[k]);
        status = path ? ct_plot_save(&self->heap, &page, path, error) : ct_fail_memory(error, 64);
    }
    return status;
}
