/* `continua compare`: runs the entries one after the other, then reports. A run that is there and done is
 * taken as it is, one that was interrupted goes on: the same command again always gets on with it. */
#include "compare.h"
#include "folders.h"
#include "progress.h"
#include "signals.h"
#include "terminal.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const ct_option ct_compare_options_table[] = {
    {"schemes", 0, "A,B",
     "transfer schemes, parameters after colons: apic,asflip:alpha=0.97:beta_max=0.5 (default: "
     "pic,flip,apic,aflip,asflip)"},
    {"set-each", 0, "KEY=V,W", "one run per value; may be repeated, and combined with --schemes"},
    {"output", 'o', "FOLDER", "where results go (default: out/compare-NAME with the name of the scene)"},
    {"force", 'f', NULL, "repeat existing runs"},
    {"set", 0, "KEY=VALUE", "change a value of the scene for all runs; may be repeated"},
    {"seed", 0, "N", "the seed of all sampling; the same as --set seed=N"},
    {"threads", 0, "N", "use N threads (default: one per core); results do not depend on it"},
    {"film", 0, NULL, "draw film.mp4, all runs side by side"},
    {"quiet", 'q', NULL, "print nothing but errors"},
    {"json", 0, NULL, "print one JSON object instead of the table"},
    {0},
};

/* ---- the clock ---- */

static const ct_clock UNKNOWN = {NAN, NAN, NAN, 0};

static char *clock_path(ct_comparison *self, const ct_entry *entry)
{
    size_t size = strlen(entry->folder) + 16;
    char *path = ct_arena_allocate(&self->arena, size);
    if (path) snprintf(path, size, "%s/clock.csv", entry->folder);
    return path;
}

/* What was noted counts if it was noted at this very step: a run that was killed since has an unknown time.
 */
static ct_clock load_clock(ct_comparison *self, const ct_entry *entry, uint64_t step)
{
    ct_clock clock = UNKNOWN;
    ct_table table = {.arena = {.heap = &self->heap}};
    ct_error error;
    const char *path = clock_path(self, entry);
    if (path && !ct_table_load(&self->heap, path, &table, &error) && table.rows == 1 && table.columns == 4) {
        double values[4];
        for (int k = 0; k < 4; k++) {
            const double *column = ct_table_numbers(&table, k);
            values[k] = column ? column[0] : NAN;
        }
        if (values[3] == (double)step) clock = (ct_clock){values[0], values[1], values[2], step};
    }
    ct_table_release(&table);
    return clock;
}

static ct_status save_clock(ct_comparison *self, const ct_entry *entry, ct_error *error)
{
    char text[256];
    int length = snprintf(
        text, sizeof text, "seconds,step_seconds,particle_steps,step\n%.17g,%.17g,%.17g,%" PRIu64 "\n",
        entry->clock.seconds, entry->clock.step_seconds, entry->clock.particle_steps, entry->clock.step);
    const char *path = clock_path(self, entry);
    return path ? ct_file_save(&self->heap, path, text, (size_t)length, error) : ct_fail_memory(error, 256);
}

static double step_seconds_of(const ct_run *run)
{
    const ct_world *world = ct_run_world(run);
    double sum = 0;
    for (int k = 0; k < CT_STAGES; k++) sum += world->clock.seconds[k];
    return sum;
}

/* ---- one run ---- */

/* Whether the folder holds a run of exactly this scene. A run of another is refused. */
static ct_status is_there(ct_comparison *self, const ct_entry *entry, const ct_scene *scene, bool *is_found,
                          ct_error *error)
{
    *is_found = false;
    char *path = ct_path_join(&self->heap, entry->folder, "used.yaml"), *bytes = NULL;
    if (!path) return ct_fail_memory(error, strlen(entry->folder));
    ct_status status = CT_OK;
    if (ct_file_bytes(path) > 0) {
        size_t count = 0;
        ct_text used = {.heap = &self->heap};
        status = ct_file_load(&self->heap, path, (size_t)1 << 30, &bytes, &count, error);
        if (!status) status = ct_scene_write_used(scene, &used, error);
        if (!status && used.failed) status = ct_fail_memory(error, count);
        *is_found = !status && count == used.length && !memcmp(bytes, used.data, count);
        if (!status && !*is_found)
            status =
                ct_fail(error, CT_BAD_USAGE,
                        "'%s' holds a run with other settings; choose another folder with -o, or replace "
                        "it with --force",
                        entry->folder);
        ct_text_release(&used);
        ct_release(&self->heap, bytes);
    }
    ct_release(&self->heap, path);
    return status;
}

static ct_status open_run(ct_comparison *self, ct_entry *entry, ct_run **run, ct_error *error)
{
    ct_run_options options = {.threads = self->threads,
                              .force = ct_option_given(&self->arguments, "force"),
                              .checkpoint_every = -1,
                              .log = self->is_quiet ? NULL : ct_print_warning};
    ct_scene *scene;
    bool is_found = false;
    ct_status status =
        ct_scene_load(ct_argument(&self->arguments, 0), entry->settings, entry->setting_count, &scene, error);
    if (status) return status;
    if (!options.force) status = is_there(self, entry, scene, &is_found, error);
    if (status || is_found) ct_scene_destroy(scene);
    if (status) return status;
    status = is_found ? ct_run_open(entry->folder, options, run, error)
                      : ct_run_create(scene, entry->folder, options, run, error);
    if (!status)
        entry->clock = is_found ? load_clock(self, entry, ct_run_get_progress(*run).step) : (ct_clock){0};
    return status;
}

/* Steps to the end. Returns CT_OK also when it was interrupted, and when it diverged. */
static ct_status drive(const ct_comparison *self, ct_entry *entry, ct_run *run, ct_error *error)
{
    ct_progress progress;
    bool is_shown = !self->is_quiet && !self->is_json && ct_stdout_is_terminal();
    ct_progress_start(&progress, is_shown ? CT_PROGRESS_LINE : CT_PROGRESS_NONE, run);
    double begin = ct_now(), before = step_seconds_of(run);
    ct_status status = CT_OK;
    ct_run_progress state = ct_run_get_progress(run);
    while (!state.is_done && !status && !ct_signals_stop()) {
        uint64_t step = state.step;
        status = ct_run_step(run, error);
        state = ct_run_get_progress(run);
        entry->clock.particle_steps += (double)(state.step - step) * (double)state.particles;
        if (!status) ct_progress_show(&progress, run);
    }
    ct_progress_end(&progress);
    if (state.step > entry->clock.step) {
        entry->clock.seconds += ct_now() - begin;
        entry->clock.step_seconds += step_seconds_of(run) - before;
    }
    entry->clock.step = entry->steps = state.step;
    entry->particles = state.particles;
    entry->is_diverged = status == CT_DIVERGED;
    if (!status && !state.is_done) status = ct_run_checkpoint(run, error);
    return entry->is_diverged ? CT_OK : status;
}

static int run_entry(ct_comparison *self, ct_entry *entry)
{
    ct_error error;
    ct_run *run;
    if (open_run(self, entry, &run, &error)) return ct_report(&error);
    bool is_talking = !self->is_quiet && !self->is_json;
    char count[CT_SHORT];
    ct_run_progress state = ct_run_get_progress(run);
    if (is_talking)
        ct_say("%s%s%s: %s particles -> %s%s\n", ct_style("\033[1m"), entry->name, ct_style("\033[0m"),
               ct_count_text(count, (double)state.particles), entry->folder,
               state.is_done ? " (done already)"
               : state.step  ? " (goes on)"
                             : "");
    ct_status status = drive(self, entry, run, &error);
    ct_run_close(run);
    if (!status && entry->is_diverged && !self->is_quiet)
        fprintf(stderr, "continua: warning: '%s' diverged: %s\n", entry->name, error.message);
    if (!status) status = save_clock(self, entry, &error);
    return status ? ct_report(&error) : -1;
}

/* ---- the command ---- */

char *ct_compare_path(ct_comparison *self, const char *name)
{
    size_t size = strlen(self->folder) + strlen(name) + 2;
    char *path = ct_arena_allocate(&self->arena, size);
    if (path) snprintf(path, size, "%s/%s", self->folder, name);
    return path;
}

/* A mistake in the last entry should not be found after an hour of the others: all scenes are loaded, and
 * worlds without particles are made of them, before the first is run. */
static ct_status check_entry(ct_comparison *self, ct_entry *entry, ct_error *error)
{
    ct_scene *scene;
    ct_world *world = NULL;
    ct_status status =
        ct_scene_load(ct_argument(&self->arguments, 0), entry->settings, entry->setting_count, &scene, error);
    if (status) return status;
    status = ct_world_from_scene_empty(scene, 1, &world, error);
    ct_world_destroy(world);
    for (int b = 0; b < scene->body_count && !status && entry == self->entries; b++)
        if (scene->bodies[b].has_scheme && !ct_option_given(&self->arguments, "set-each") && !self->is_quiet)
            fprintf(stderr, "continua: warning: body '%s' has a scheme of its own, which stays\n",
                    scene->bodies[b].name);
    if (!status && !self->name) self->name = ct_arena_text(&self->arena, scene->name, strlen(scene->name));
    if (!status && !self->name) status = ct_fail_memory(error, 64);
    ct_scene_destroy(scene);
    return status;
}

static ct_status name_folders(ct_comparison *self, ct_error *error)
{
    char by_name[256];
    snprintf(by_name, sizeof by_name, "out/compare-%s", self->name);
    ct_clean_name(by_name + 4);
    const char *given = ct_option_value(&self->arguments, "output");
    self->folder = given && *given ? given : ct_arena_text(&self->arena, by_name, strlen(by_name));
    if (!self->folder) return ct_fail_memory(error, sizeof by_name);
    for (int k = 0; k < self->count; k++) {
        ct_entry *entry = &self->entries[k];
        entry->folder = ct_compare_path(self, entry->name);
        if (!entry->folder) return ct_fail_memory(error, strlen(entry->name));
        ct_clean_name(entry->folder + strlen(self->folder) + 1);
    }
    return ct_folder_create(self->folder, error);
}

static ct_status prepare(ct_comparison *self, ct_error *error)
{
    for (int k = 0; k < self->count; k++) {
        ct_status status = check_entry(self, &self->entries[k], error);
        if (status) return status;
    }
    return name_folders(self, error);
}

/* -1: all is done. */
static int run_all(ct_comparison *self)
{
    int code = -1;
    for (int k = 0; k < self->count && code < 0; k++) {
        code = run_entry(self, &self->entries[k]);
        if (code < 0 && ct_signals_stop()) {
            fprintf(stderr, "continua: interrupted; a checkpoint is written. The same command goes on.\n");
            code = 128 + ct_signals_stop();
        }
    }
    return code;
}

static ct_status report(ct_comparison *self, ct_error *error)
{
    ct_status status = ct_compare_measure(self, error);
    if (!status) status = ct_compare_save_csv(self, error);
    if (!status) status = ct_compare_save_plots(self, error);
    if (!status) status = ct_compare_draw(self, ct_option_given(&self->arguments, "film"), error);
    if (status) return status;
    if (self->is_json) ct_compare_print_json(self);
    else if (!self->is_quiet) ct_compare_print_table(self);
    return CT_OK;
}

static int compare(ct_comparison *self)
{
    ct_error error;
    long long threads = 0;
    int code = ct_option_threads(&self->arguments, &threads);
    if (code < 0) code = ct_compare_read_entries(self);
    if (code == CT_NO_MEMORY) fprintf(stderr, "continua: error: out of memory\n");
    if (code >= 0) return code;
    self->threads = (int)threads;
    self->is_quiet = ct_option_given(&self->arguments, "quiet");
    self->is_json = ct_option_given(&self->arguments, "json");
    if (prepare(self, &error)) return ct_report(&error);
    ct_signals_catch();
    code = run_all(self);
    if (code >= 0) return code;
    if (report(self, &error)) return ct_report(&error);
    for (int k = 0; k < self->count; k++)
        if (self->entries[k].is_diverged) return CT_DIVERGED;
    return CT_OK;
}

int ct_command_compare(int argc, char **argv)
{
    static const ct_comparison zero;
    ct_comparison self = zero;
    ct_heap_init(&self.heap, (ct_allocator){0});
    self.arena.heap = &self.heap;
    int code = ct_arguments_check(&self.arguments, argc, argv);
    if (code < 0) code = compare(&self);
    for (int k = 0; k < self.count; k++) ct_table_release(&self.entries[k].table);
    ct_arena_release(&self.arena);
    return code;
}
