/* `continua plot`: what stats.csv says, drawn. Of one run, each plot holds a family of columns; of several, a
 * column each, with a line for each run.
 */
#include "look/plot.h"
#include "command.h"
#include "core/file.h"
#include "folders.h"
#include "look/table.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ct_option ct_plot_options_table[] = {
    {"output", 'o', "OUT",
     "OUT.svg or OUT.png (default: plot.svg and plot.png in the run; of several, here)"},
    {"columns", 0, "A,B", "these columns of stats.csv, one plot each"},
    {"log", 0, NULL, "logarithmic values"},
    {"range", 0, "A:B", "only times from A to B, in seconds"},
    {"title", 0, "TEXT", "title (default: the name of the run)"},
    {"size", 0, "WxH", "pixels (default: 640x360 per plot)"},
    {"dark", 0, NULL, "light on dark"},
    {0},
};

enum { MOST_RUNS = 8, MOST_PLOTS = 24, MOST_SERIES = 8, MOST_KINDS = 8, KIND_SIZE = 24 };

/* What belongs together: columns of stats.csv that are not there are left out. */
static const struct family {
    const char *name, *title, *label;
    const char *columns[MOST_SERIES];
    const char *names[MOST_SERIES];
} families[] = {
    {"energy",
     "Energy",
     "J",
     {"kinetic", "elastic", "gravitational", "total"},
     {"kinetic", "elastic", "gravitational", "total"}},
    {"losses",
     "Energy lost since the start",
     "J",
     {"lost_in_transfers", "lost_on_grid"},
     {"in transfers", "on the grid"}},
    {"momentum", "Momentum", "kg m/s", {"momentum_x", "momentum_y", "momentum_z"}, {"x", "y", "z"}},
    {"angular_momentum",
     "Angular momentum",
     "kg m²/s",
     {"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"},
     {"x", "y", "z"}},
    {"spread", "Spread: rms distance from the centre of mass", "m", {"spread"}, {"spread"}},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Columns that several runs are compared by, and what they are called. */
static const char *const compared[][3] = {
    {"total", "Total energy", "J"},
    {"kinetic", "Kinetic energy", "J"},
    {"elastic", "Elastic energy", "J"},
    {"momentum", "Momentum (magnitude)", "kg m/s"},
    {"angular_momentum", "Angular momentum (magnitude)", "kg m²/s"},
    {"spread", "Spread: rms distance from the centre of mass", "m"},
};
enum { COMPARED = sizeof compared / sizeof compared[0] };

typedef struct one_run {
    char name[64];
    ct_table table;
    double *time;
} one_run;

struct plotting {
    ct_heap heap;
    ct_arena arena;
    ct_arguments arguments;
    one_run runs[MOST_RUNS];
    int run_count;
    double range[2]; /* s; equal: all */
    ct_plot plots[MOST_PLOTS];
    ct_plot_series series[MOST_PLOTS][MOST_SERIES];
    ct_plot_ribbon ribbons[MOST_RUNS];
    char kinds[MOST_KINDS][KIND_SIZE];
    const char *kind_names[MOST_KINDS];
    int kind_count;
    ct_plot_page page;
};

/* ---- runs ---- */

/* The last part of the path: the name of the folder. */
static void name_run(const char *path, char name[64])
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    snprintf(name, 64, "%.*s", (int)(length - begin), path + begin);
}

static ct_status open_run(struct plotting *self, const char *folder, ct_error *error)
{
    one_run *run = &self->runs[self->run_count];
    run->table.arena.heap = &self->heap;
    name_run(folder, run->name);
    char *path = ct_is_folder(folder) ? ct_path_join(&self->heap, folder, "stats.csv")
                                      : ct_path_beside(&self->heap, "", folder);
    if (!path) return ct_fail_memory(error, strlen(folder) + 11);
    ct_status status = ct_table_load(&self->heap, path, &run->table, error);
    if (!status) self->run_count++;
    int time = status ? -1 : ct_table_find(&run->table, "time");
    if (!status && time < 0) status = ct_fail(error, CT_BAD_IO, "'%s' has no column 'time'", path);
    if (!status && !run->table.rows) status = ct_fail(error, CT_BAD_IO, "'%s' has no rows yet", path);
    ct_release(&self->heap, path);
    if (status) return status;
    run->time = ct_table_numbers(&run->table, time);
    return run->time ? CT_OK : ct_fail_memory(error, run->table.rows * sizeof *run->time);
}

/* The length of a vector whose components are columns NAME_x, NAME_y, NAME_z. */
static double *vector_length(one_run *run, const char *name)
{
    static const char axes[] = "xyz";
    double *sum = NULL;
    for (int a = 0; a < 3; a++) {
        char column[80];
        snprintf(column, sizeof column, "%s_%c", name, axes[a]);
        int index = ct_table_find(&run->table, column);
        double *part = index < 0 ? NULL : ct_table_numbers(&run->table, index);
        if (!part) continue;
        for (size_t row = 0; row < run->table.rows; row++)
            part[row] = sum ? hypot(sum[row], part[row]) : fabs(part[row]);
        sum = part;
    }
    return sum;
}

/* A column, or the length of a vector; NULL: there is none. */
static double *values_of(one_run *run, const char *name)
{
    int column = ct_table_find(&run->table, name);
    return column < 0 ? vector_length(run, name) : ct_table_numbers(&run->table, column);
}

/* Whether there is anything to see: a number that is not zero. */
static bool has_values(const one_run *run, const double *values)
{
    for (size_t row = 0; row < run->table.rows; row++)
        if (isfinite(values[row]) && values[row] != 0) return true;
    return false;
}

/* ---- plots ---- */

static ct_plot *begin_plot(struct plotting *self, const char *title, const char *label)
{
    int index = self->page.count;
    ct_plot *plot = &self->plots[index];
    *plot = (ct_plot){.title = title, .x = {.label = "time [s]"}, .y = {.label = label}};
    memcpy(plot->x.range, self->range, sizeof plot->x.range);
    plot->y.is_log = ct_option_given(&self->arguments, "log");
    plot->series = self->series[index];
    return plot;
}

static void add_series(struct plotting *self, ct_plot *plot, one_run *run, const char *name,
                       const double *values)
{
    self->series[plot - self->plots][plot->series_count++] =
        (ct_plot_series){.name = name, .x = run->time, .y = values, .count = run->table.rows};
}

/* A plot without a line is not kept. */
static void end_plot(struct plotting *self, const ct_plot *plot)
{
    if (plot->series_count) self->page.count++;
}

static void add_family(struct plotting *self, const struct family *family)
{
    one_run *run = &self->runs[0];
    ct_plot *plot = begin_plot(self, family->title, family->label);
    for (int k = 0; k < MOST_SERIES && family->columns[k]; k++) {
        const double *values = values_of(run, family->columns[k]);
        if (values && has_values(run, values)) add_series(self, plot, run, family->names[k], values);
    }
    end_plot(self, plot);
}

static bool add_column(struct plotting *self, const char *column, const char *title, const char *label)
{
    ct_plot *plot = begin_plot(self, title, label);
    bool is_found = false;
    for (int k = 0; k < self->run_count; k++) {
        const double *values = values_of(&self->runs[k], column);
        if (!values) continue;
        is_found = true;
        if (has_values(&self->runs[k], values) || ct_option_given(&self->arguments, "columns"))
            add_series(self, plot, &self->runs[k], self->run_count > 1 ? self->runs[k].name : NULL, values);
    }
    end_plot(self, plot);
    return is_found;
}

/* ---- the time step and who limits it ---- */

static int kind_of(struct plotting *self, const char *name)
{
    for (int k = 0; k < self->kind_count; k++)
        if (!strcmp(self->kinds[k], name)) return k;
    if (!name[0] || self->kind_count == MOST_KINDS) return -1;
    snprintf(self->kinds[self->kind_count], KIND_SIZE, "%s", name);
    self->kind_names[self->kind_count] = self->kinds[self->kind_count];
    return self->kind_count++;
}

/* A row tells what limited the steps up to its time. */
static ct_status add_ribbon(struct plotting *self, ct_plot *plot, one_run *run, ct_error *error)
{
    int column = ct_table_find(&run->table, "limited_by");
    if (column < 0 || run->table.rows < 2) return CT_OK;
    int *kinds = ct_arena_allocate(&self->arena, run->table.rows * sizeof *kinds);
    if (!kinds) return ct_fail_memory(error, run->table.rows * sizeof *kinds);
    for (size_t row = 1; row < run->table.rows; row++)
        kinds[row - 1] = kind_of(self, ct_table_cell(&run->table, row, column));
    self->ribbons[plot->ribbon_count++] =
        (ct_plot_ribbon){.x = run->time, .kinds = kinds, .count = run->table.rows - 1};
    return CT_OK;
}

static ct_status add_time_step(struct plotting *self, ct_error *error)
{
    ct_plot *plot = begin_plot(self, "Time step and what limits it", "s");
    ct_status status = CT_OK;
    plot->y.is_log = true;
    plot->ribbons = self->ribbons;
    for (int k = 0; k < self->run_count && !status; k++) {
        one_run *run = &self->runs[k];
        const double *values = values_of(run, "dt");
        if (!values) continue;
        add_series(self, plot, run, self->run_count > 1 ? run->name : "dt", values);
        status = add_ribbon(self, plot, run, error);
    }
    plot->kind_names = self->kind_names;
    plot->kind_count = self->kind_count;
    end_plot(self, plot);
    return status;
}

/* ---- the command ---- */

/* -1: all is well, otherwise the exit code. */
static int add_columns(struct plotting *self, const char *list)
{
    for (const char *at = list; at && self->page.count < MOST_PLOTS;) {
        size_t length = strcspn(at, ",");
        char *name = ct_arena_text(&self->arena, at, length);
        if (!name) return CT_NO_MEMORY;
        if (!length || !add_column(self, name, name, NULL))
            return ct_usage_error(&self->arguments, "no run has a column '%s' in its stats.csv", name);
        at = at[length] ? at + length + 1 : NULL;
    }
    return -1;
}

static int add_plots(struct plotting *self)
{
    ct_error error;
    const char *columns = ct_option_value(&self->arguments, "columns");
    if (columns) return add_columns(self, columns);
    if (self->run_count == 1)
        for (int k = 0; k < FAMILIES; k++) add_family(self, &families[k]);
    else
        for (int k = 0; k < COMPARED; k++) add_column(self, compared[k][0], compared[k][1], compared[k][2]);
    return add_time_step(self, &error) ? ct_report(&error) : -1;
}

static int read_pair(const struct plotting *self, const char *option, char separator, double pair[2])
{
    const char *text = ct_option_value(&self->arguments, option);
    if (!text) return -1;
    char *end;
    pair[0] = strtod(text, &end);
    bool is_good = end != text && *end == separator;
    const char *second = end + 1;
    if (is_good) pair[1] = strtod(second, &end);
    if (!is_good || end == second || *end || !isfinite(pair[0]) || !isfinite(pair[1]))
        return ct_usage_error(&self->arguments, "--%s expects two numbers with '%c' between them; not '%s'",
                              option, separator, text);
    return -1;
}

static int read_options(struct plotting *self)
{
    double size[2] = {0, 0};
    int code = read_pair(self, "size", 'x', size);
    if (code < 0) code = read_pair(self, "range", ':', self->range);
    if (code >= 0) return code;
    for (int k = 0; k < 2; k++)
        if (ct_option_given(&self->arguments, "size") && !(size[k] >= 1 && size[k] <= 8192))
            return ct_usage_error(&self->arguments, "--size: each side must be 1 to 8192");
    if (ct_option_given(&self->arguments, "range") && !(self->range[0] < self->range[1]))
        return ct_usage_error(&self->arguments, "--range expects a:b with a below b");
    self->page.width = (int)size[0];
    self->page.height = (int)size[1];
    self->page.is_dark = ct_option_given(&self->arguments, "dark");
    self->page.plots = self->plots;
    self->page.title = ct_option_value(&self->arguments, "title");
    if (!self->page.title && self->run_count == 1) self->page.title = self->runs[0].name;
    return -1;
}

static int save(struct plotting *self, const char *path)
{
    ct_error error;
    if (ct_plot_save(&self->heap, &self->page, path, &error)) return ct_report(&error);
    ct_say("%s\n", path);
    return -1;
}

static int save_all(struct plotting *self)
{
    static const char *const names[] = {"plot.svg", "plot.png"};
    const char *output = ct_option_value(&self->arguments, "output");
    if (output) return save(self, output);
    const char *run = ct_argument(&self->arguments, 0);
    int code = -1;
    for (int k = 0; k < 2 && code < 0; k++) {
        char *path = self->run_count > 1 || !ct_is_folder(run) ? ct_path_beside(&self->heap, "", names[k])
                                                               : ct_path_join(&self->heap, run, names[k]);
        code = path ? save(self, path) : CT_NO_MEMORY;
        ct_release(&self->heap, path);
    }
    return code;
}

int ct_command_plot(int argc, char **argv)
{
    static struct plotting zero;
    struct plotting self = zero;
    ct_heap_init(&self.heap, (ct_allocator){0});
    self.arena.heap = &self.heap;
    int code = ct_arguments_check(&self.arguments, argc, argv);
    if (code >= 0) return code;
    ct_error error;
    const char *folder;
    for (int k = 0; (folder = ct_argument(&self.arguments, k)) && code < 0; k++) {
        if (k == MOST_RUNS) code = ct_usage_error(&self.arguments, "more than %d runs", MOST_RUNS);
        else if (open_run(&self, folder, &error)) code = ct_report(&error);
    }
    if (code < 0) code = read_options(&self);
    if (code < 0) code = add_plots(&self);
    if (code < 0 && !self.page.count) code = ct_usage_error(&self.arguments, "there is nothing to plot");
    if (code < 0) code = save_all(&self);
    for (int k = 0; k < self.run_count; k++) ct_table_release(&self.runs[k].table);
    ct_arena_release(&self.arena);
    return code < 0 ? CT_OK : code;
}
