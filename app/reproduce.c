/* `continua reproduce` and `continua verify`: trials, listed, run and reported. The two differ in the folder
 * that the trials are in. */
#include "command.h"
#include "core/file.h"
#include "folders.h"
#include "scene/json.h"
#include "signals.h"
#include "terminal.h"
#include "trials.h"

#include <stdio.h>
#include <string.h>

const ct_option ct_trials_options_table[] = {
    {"quick", 0, NULL, "reduced sizes, the same criteria where they still hold"},
    {"report", 0, "FOLDER", "write one page, FOLDER/index.html, with every figure next to its claim"},
    {"output", 'o', "FOLDER",
     "where plots, pictures and results go (default: out/reproduce, out/verify; of --quick below out/quick)"},
    {"refine", 0, "N", "run at the spacing, at half of it, ... (N sizes, 2 to 6); print order and limit"},
    {"again", 0, NULL, "repeat finished cases; by default unchanged ones are kept"},
    {"threads", 0, "N", "use N threads (default: one per core)"},
    {"json", 0, NULL, "print a JSON list of id, title, state, claimed, measured and reason"},
    {"quiet", 'q', NULL, "print one line per trial"},
    {0},
};

typedef struct session {
    ct_heap heap;
    ct_arguments arguments;
    const char *command;       /* "reproduce" or "verify": also the folder */
    char shared[CT_PATH_SIZE]; /* where the trials are */
    const char *output;
    char default_output[64], quick_output[64];
    ct_trial_index index;
    ct_trial *trials[CT_MOST_TRIALS];
    ct_trial_result *results[CT_MOST_TRIALS];
    int count, result_count;
    bool is_quick, is_again, is_json, is_quiet;
    int levels; /* of refinement; 0: none is asked for */
    const char *running;
} session;

/* ---- which there are ---- */

/* "A2" before "A11" before "B1": letters, then the number. */
static int compare_ids(const char *a, const char *b)
{
    while (*a && *a == *b && !(*a >= '0' && *a <= '9')) a++, b++;
    size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
    if (digits_a && digits_b && digits_a != digits_b) return digits_a < digits_b ? -1 : 1;
    return strcmp(a, b);
}

static bool is_wanted(const session *self, const char *id)
{
    bool is_any = false;
    const char *name;
    for (int k = 0; (name = ct_argument(&self->arguments, k)); k++) {
        is_any = true;
        if (!strcmp(name, "all") || !strcmp(name, id)) return true;
    }
    return !is_any;
}

/* Takes a trial in at its place. */
static ct_status add_trial(session *self, ct_trial *trial, ct_error *error)
{
    if (self->count == CT_MOST_TRIALS) {
        ct_trial_destroy(trial);
        return ct_fail(error, CT_FAILED, "more than %d trials", CT_MOST_TRIALS);
    }
    int k = self->count++;
    for (; k > 0 && compare_ids(self->trials[k - 1]->id, trial->id) > 0; k--)
        self->trials[k] = self->trials[k - 1];
    self->trials[k] = trial;
    return CT_OK;
}

static ct_status load_one(session *self, const char *id, ct_error *error)
{
    ct_trial *trial = NULL;
    char *folder = ct_path_join(&self->heap, self->shared, id);
    char *criterion = folder ? ct_path_join(&self->heap, folder, "criterion.yaml") : NULL;
    ct_status status = criterion ? CT_OK : ct_fail_memory(error, strlen(id));
    bool is_trial = !status && ct_file_bytes(criterion) > 0;
    if (!status && is_trial) status = ct_trial_load(&self->heap, folder, id, &trial, error);
    if (!status && is_trial) status = add_trial(self, trial, error);
    ct_release(&self->heap, criterion);
    ct_release(&self->heap, folder);
    return status;
}

/* All ids there are: folders, and what the index says of those that have none. */
static ct_status check_arguments(const session *self, const ct_names *names, ct_error *error)
{
    const char *known[2 * CT_MOST_TRIALS], *id;
    int count = 0;
    for (size_t k = 0; k < names->count && count < CT_MOST_TRIALS; k++) known[count++] = names->names[k];
    for (int k = 0; k < self->index.not_yet_count; k++) known[count++] = self->index.not_yet[k]->id;
    for (int k = 0; (id = ct_argument(&self->arguments, k)); k++) {
        bool is_there = !strcmp(id, "all");
        for (int i = 0; i < count; i++) is_there = is_there || !strcmp(known[i], id);
        if (is_there) continue;
        const char *near = ct_nearest_word(id, known, count);
        return ct_fail(error, CT_BAD_USAGE, "there is no '%s' to %s%s%s%s; '%s %s' lists all", id,
                       self->command, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                       ct_program_name(), self->command);
    }
    return CT_OK;
}

/* What the index lists as not yet, where no folder has come. */
static ct_status add_not_yet(session *self, ct_error *error)
{
    ct_status status = CT_OK;
    for (int k = 0; k < self->index.not_yet_count && !status; k++) {
        ct_trial *trial = self->index.not_yet[k];
        bool has_folder = false;
        for (int i = 0; i < self->count; i++)
            has_folder = has_folder || !strcmp(self->trials[i]->id, trial->id);
        if (has_folder || !is_wanted(self, trial->id)) continue;
        self->index.not_yet[k] = NULL;
        status = add_trial(self, trial, error);
    }
    return status;
}

static bool is_folder_name(const char *name)
{
    return !strchr(name, '.');
}

static ct_status load_all(session *self, ct_error *error)
{
    ct_names names = {.heap = &self->heap};
    ct_status status = ct_shared_folder(self->command, self->shared, error);
    if (!status) status = ct_trial_index_load(&self->heap, self->shared, &self->index, error);
    if (!status) status = ct_names_list(&self->heap, self->shared, is_folder_name, &names, error);
    if (!status) status = check_arguments(self, &names, error);
    for (size_t k = 0; k < names.count && !status; k++)
        if (is_wanted(self, names.names[k])) status = load_one(self, names.names[k], error);
    if (!status) status = add_not_yet(self, error);
    ct_names_release(&names);
    return status;
}

/* ---- listing ---- */

/* What is known of a trial without running it: the last result of full size, else of reduced size. */
static ct_last_result last_result(session *self, const ct_trial *trial)
{
    ct_last_result last = ct_last_result_read(&self->heap, self->output, trial);
    if (!last.state[0] && self->output == self->default_output)
        last = ct_last_result_read(&self->heap, self->quick_output, trial);
    return last;
}

/* The list as JSON: id, title, state ("ready" where it was never run), of which size it is and whether it is
 * stale, and, where it is not yet, the reason. What a result of now would depend on comes along. */
static void list_as_json(session *self)
{
    ct_text text = {.heap = &self->heap};
    ct_json json = {.text = &text};
    ct_json_begin(&json, NULL, '[');
    for (int k = 0; k < self->count; k++) {
        const ct_trial *trial = self->trials[k];
        ct_last_result last = last_result(self, trial);
        char definition[CT_HASH_TEXT] = "";
        ct_error unimportant; /* what cannot be read says so when it is run */
        ct_json_begin(&json, NULL, '{');
        ct_json_text(&json, "id", trial->id);
        ct_json_text(&json, "title", trial->title);
        ct_json_text(&json, "state", trial->not_yet ? "not_yet" : last.state[0] ? last.state : "ready");
        ct_json_text(&json, "reason", trial->not_yet ? trial->not_yet : "");
        ct_json_bool(&json, "quick", last.is_quick);
        ct_json_bool(&json, "stale", last.is_stale);
        ct_json_text(&json, "sources", ct_trial_sources());
        if (!trial->not_yet && !ct_trial_hash(&self->heap, trial, definition, &unimportant))
            ct_json_text(&json, "definition", definition);
        ct_json_end(&json, '}');
    }
    ct_json_end(&json, ']');
    if (!text.failed) ct_say_text(text.data, text.length);
    ct_text_release(&text);
}

static void list_trials(session *self)
{
    const ct_trial_group *group_before = NULL;
    int not_yet = 0;
    for (int k = 0; k < self->count; k++) {
        const ct_trial *trial = self->trials[k];
        const ct_trial_group *group = ct_trial_group_of(&self->index, trial->id);
        if (group && group != group_before) ct_say("%s%s\n", group_before ? "\n" : "", group->paper);
        group_before = group;
        not_yet += trial->not_yet != NULL;
        ct_last_result last = last_result(self, trial);
        const char *shown = trial->not_yet ? "not yet" : last.state[0] ? last.words : "ready";
        ct_say("  %-14s %-13s %s%s%s\n", trial->id, shown, trial->title,
               last.is_quick ? " (reduced size)" : "", last.is_stale ? " (stale)" : "");
        if (trial->not_yet && !self->is_quiet) ct_say("  %-14s %-13s   %s\n", "", "", trial->not_yet);
    }
    ct_say("\n%d in all, %d of them not yet. Try: %s %s %s --quick, or %s %s all --report out/report\n",
           self->count, not_yet, ct_program_name(), self->command, self->count ? self->trials[0]->id : "ID",
           ct_program_name(), self->command);
}

/* ---- running ---- */

static bool should_stop(void *user)
{
    (void)user;
    return ct_signals_stop();
}

static void show_case(const char *name, void *user)
{
    const session *self = user;
    if (!self->is_json && !self->is_quiet && ct_stdout_is_terminal())
        ct_say("\r\033[K  running %s: %s", self->running, name);
}

static ct_status run_one(session *self, const ct_trial *trial, int threads, ct_error *error)
{
    ct_trial_result *result = ct_allocate_zero(&self->heap, sizeof *result);
    char *folder = ct_path_join(&self->heap, self->output, trial->id);
    self->running = trial->id;
    ct_trial_options options = {.is_quick = self->is_quick,
                                .is_again = self->is_again,
                                .threads = threads,
                                .folder = folder,
                                .should_stop = should_stop,
                                .on_case = show_case,
                                .user = self};
    ct_status status = result && folder ? ct_trial_run(&self->heap, trial, &options, result, error)
                                        : ct_fail_memory(error, sizeof *result);
    self->results[self->result_count++] = result; /* its folder is released with it */
    if (!result) return status;
    result->folder = folder;
    if (!status && !self->is_json) ct_trial_say(result, self->is_quiet);
    return status;
}

/* Prints a trial at several spacings instead of judging it. */
static ct_status refine_one(session *self, const ct_trial *trial, int threads, ct_text *text, ct_error *error)
{
    char *folder = ct_path_join(&self->heap, self->output, trial->id);
    ct_trial_result *levels = ct_allocate_zero(&self->heap, CT_MOST_LEVELS * sizeof *levels);
    self->running = trial->id;
    ct_trial_options options = {.is_quick = self->is_quick,
                                .is_again = self->is_again,
                                .threads = threads,
                                .folder = folder,
                                .should_stop = should_stop,
                                .on_case = show_case,
                                .user = self};
    ct_status status = levels && folder
                           ? ct_trial_refine(&self->heap, trial, &options, self->levels, levels, error)
                           : ct_fail_memory(error, sizeof *levels);
    if (!status && self->is_json) ct_refinement_print_json(text, levels, self->levels);
    else if (!status) ct_refinement_say(levels, self->levels, self->is_quiet);
    for (int k = 0; k < self->levels && levels; k++)
        if (levels[k].heap) ct_trial_result_release(&levels[k]);
    ct_release(&self->heap, levels);
    ct_release(&self->heap, folder);
    return status;
}

static int refine_all(session *self, int threads)
{
    ct_error error;
    ct_status status = CT_OK;
    ct_text text = {.heap = &self->heap};
    const char *separator = "[\n";
    ct_signals_catch();
    for (int k = 0; k < self->count && !status; k++) {
        if (self->trials[k]->not_yet) continue;
        if (self->is_json) ct_text_print(&text, "%s", separator), separator = ",\n";
        status = refine_one(self, self->trials[k], threads, &text, &error);
    }
    if (!status && self->is_json) {
        ct_text_print(&text, "%s]\n", *separator == '[' ? "[" : "\n");
        if (text.failed) status = ct_fail_memory(&error, text.length);
        else ct_say_text(text.data, text.length);
    }
    ct_text_release(&text);
    if (status && ct_signals_stop()) return 128 + ct_signals_stop();
    return status ? ct_report(&error) : CT_OK;
}

static ct_status finish(session *self, ct_error *error)
{
    const ct_trial_result *const *results = (const ct_trial_result *const *)self->results;
    const char *report = ct_option_value(&self->arguments, "report");
    bool is_verify = !strcmp(self->command, "verify");
    if (self->is_json) {
        ct_text text = {.heap = &self->heap};
        ct_trials_print_json(&text, results, self->result_count);
        if (!text.failed) ct_say_text(text.data, text.length);
        ct_text_release(&text);
    } else {
        ct_trials_say_score(results, self->result_count);
        ct_say("plots and pictures are in %s\n", self->output);
    }
    if (!report) return CT_OK;
    const char *heading =
        is_verify ? "continua against what is known" : "The papers' experiments, repeated with continua";
    ct_status status = ct_trials_write_report(&self->heap, &self->index, results, self->result_count, heading,
                                              report, error);
    if (!status && !self->is_json) ct_say("%s/index.html\n", report);
    return status;
}

static int run_all(session *self, int threads)
{
    ct_error error;
    ct_status status = CT_OK;
    bool has_failed = false;
    ct_signals_catch();
    for (int k = 0; k < self->count && !status; k++) {
        status = run_one(self, self->trials[k], threads, &error);
        has_failed = has_failed || (!status && self->results[k]->state == CT_TRIAL_FAIL);
    }
    if (status && ct_signals_stop()) return 128 + ct_signals_stop();
    if (!status) status = finish(self, &error);
    if (status) return ct_report(&error);
    return has_failed ? CT_FAILED : CT_OK;
}

static void release(session *self)
{
    for (int k = 0; k < self->result_count; k++) {
        ct_trial_result *result = self->results[k];
        if (!result) continue;
        ct_release(&self->heap, (void *)(uintptr_t)result->folder);
        if (result->heap) ct_trial_result_release(result);
        ct_release(&self->heap, result);
    }
    for (int k = 0; k < self->count; k++) ct_trial_destroy(self->trials[k]);
    ct_trial_index_release(&self->index);
}

static int command(int argc, char **argv)
{
    session self = {.command = argv[0]};
    ct_heap_init(&self.heap, (ct_allocator){0});
    int code = ct_arguments_check(&self.arguments, argc, argv);
    long long threads = 0, levels = 0;
    if (code < 0) code = ct_option_threads(&self.arguments, &threads);
    if (code < 0) code = ct_option_integer(&self.arguments, "refine", 2, CT_MOST_LEVELS, &levels);
    if (code < 0 && levels && ct_option_given(&self.arguments, "report"))
        code = ct_usage_error(&self.arguments, "--report shows one size; leave out --refine or --report");
    if (code < 0 && levels && !ct_argument(&self.arguments, 0))
        code = ct_usage_error(&self.arguments, "--refine wants a trial, or all");
    if (code >= 0) return code;
    self.levels = (int)levels;
    self.is_quick = ct_option_given(&self.arguments, "quick");
    self.is_json = ct_option_given(&self.arguments, "json");
    self.is_quiet = ct_option_given(&self.arguments, "quiet");
    self.is_again = ct_option_given(&self.arguments, "again");
    snprintf(self.default_output, sizeof self.default_output, "out/%.32s", self.command);
    snprintf(self.quick_output, sizeof self.quick_output, "out/quick/%.32s", self.command);
    self.output = ct_option_value(&self.arguments, "output");
    if (!self.output) self.output = self.is_quick ? self.quick_output : self.default_output;
    ct_error error;
    bool wants_run = ct_argument(&self.arguments, 0) || ct_option_given(&self.arguments, "report");
    if (load_all(&self, &error)) code = ct_report(&error);
    else if (self.levels) code = refine_all(&self, (int)threads);
    else if (wants_run) code = run_all(&self, (int)threads);
    else if (self.is_json) list_as_json(&self), code = CT_OK;
    else list_trials(&self), code = CT_OK;
    release(&self);
    return code;
}

int ct_command_reproduce(int argc, char **argv)
{
    return command(argc, argv);
}

int ct_command_verify(int argc, char **argv)
{
    return command(argc, argv);
}
