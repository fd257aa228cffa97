/* `continua run` and `continua resume`: open a run, step it to its end or to a limit, and say what happened.
 */
#include "command.h"
#include "core/memory.h"
#include "distributed/distributed.h"
#include "filming.h"
#include "onlooker.h"
#include "progress.h"
#include "signals.h"
#include "terminal.h"
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Those of `run` and `resume`. */
#define SHARED_OPTIONS                                                                                      \
    {"threads", 0, "N", "use N threads (default: one per core); results do not depend on it"},              \
        {"until", 0, "TIME", "stop at the first step that reaches this simulated time; can be resumed"},    \
        {"frames", 0, "N", "stop when frame N is written (the start is frame 0); can be resumed"},          \
        {"max-wall", 0, "TIME", "stop after this much time by the clock, as in '2 h'; can be resumed"},     \
        {"checkpoint-every", 0, "TIME",                                                                     \
         "write a checkpoint this often by the clock (default: the scene's)"},                              \
        {"quiet", 'q', NULL, "print nothing but the state hash at the end"},                                \
        {"log", 0, "json|text", "how to print progress: one JSON object per line, or text"},                \
        {"film", 0, NULL, "draw film.mp4 and picture.png as the run goes (PNGs where there is no ffmpeg)"}, \
    {                                                                                                       \
        "view", 0, NULL, "show the run in the browser as it goes, and afterwards until Ctrl-C"              \
    }

const ct_option ct_run_options_table[] = {
    {"output", 'o', "FOLDER", "where results go (default: out/NAME with the name of the scene)"},
    {"force", 'f', NULL, "replace the run that is in the folder"},
    {"set", 0, "KEY=VALUE", "change a value of the scene: --set grid.spacing=5mm; may be repeated"},
    {"seed", 0, "N", "the seed of all sampling; the same as --set seed=N"},
    SHARED_OPTIONS,
    {0},
};

const ct_option ct_resume_options_table[] = {
    {"from-start", 0, NULL, "start over: deletes the results of the run, and keeps its scene"},
    SHARED_OPTIONS,
    {0},
};

/* What the command line asks of a run. */
struct plan {
    ct_run_options options;
    double until, max_wall; /* s; infinite: none */
    long long frames;       /* -1: none */
    ct_progress_style style;
    bool is_quiet, wants_film, wants_view;
    double started; /* s, by the clock */
    ct_filming *filming;
};

static void film_frame(void *user, uint64_t number, const ct_frame *frame)
{
    ct_filming_add(((struct plan *)user)->filming, number, frame);
}

static int read_plan(const ct_arguments *arguments, ct_ranks *ranks, struct plan *plan)
{
    *plan = (struct plan){.options = {.checkpoint_every = -1, .ranks = ranks},
                          .until = INFINITY,
                          .max_wall = INFINITY,
                          .frames = -1};
    plan->started = ct_now();
    plan->options.watcher = film_frame;
    plan->options.watcher_user = plan;
    long long threads = 0;
    int code = ct_option_threads(arguments, &threads);
    if (code < 0) code = ct_option_time(arguments, "until", &plan->until);
    if (code < 0) code = ct_option_integer(arguments, "frames", 0, 1000000000, &plan->frames);
    if (code < 0) code = ct_option_time(arguments, "max-wall", &plan->max_wall);
    if (code < 0) code = ct_option_time(arguments, "checkpoint-every", &plan->options.checkpoint_every);
    if (code >= 0) return code;
    plan->options.threads = (int)threads;
    const char *log = ct_option_value(arguments, "log");
    if (log && strcmp(log, "json") != 0 && strcmp(log, "text") != 0)
        return ct_usage_error(arguments, "--log is 'json' or 'text', not '%s'", log);
    plan->is_quiet = ct_option_given(arguments, "quiet");
    plan->wants_film = ct_option_given(arguments, "film");
    plan->wants_view = ct_option_given(arguments, "view");
    if (ranks && (plan->wants_film || plan->wants_view))
        return ct_usage_error(arguments, "--%s is for one process; 'continua %s' shows the run of several",
                              plan->wants_film ? "film" : "view", plan->wants_film ? "render" : "view");
    if (plan->wants_view && !ct_viewer_is_built()) {
        ct_error error;
        ct_viewer *none;
        ct_viewer_open(&(ct_viewer_def){0}, &none, &error);
        return ct_report(&error);
    }
    plan->style = ct_stdout_is_terminal() ? CT_PROGRESS_LINE : CT_PROGRESS_PLAIN;
    if (log && strcmp(log, "json") == 0) plan->style = CT_PROGRESS_JSON;
    if (plan->is_quiet) plan->style = CT_PROGRESS_NONE;
    return -1;
}

/* ---- what is said ---- */

void ct_print_warning(ct_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == CT_LOG_WARNING)
        fprintf(stderr, "%scontinua: warning: %s\n", ct_stdout_is_terminal() ? "\r" : "", message);
}

/* An event for programs: {"event":"...", "folder":"...", KEY: "VALUE"}. */
static void say_event(const char *event, const ct_run *run, const char *key, const char *value)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    ct_run_progress state = ct_run_get_progress(run);
    ct_text_print(&text, "{\"event\":\"%s\",\"folder\":", event);
    ct_print_json_string(&text, ct_run_folder(run));
    ct_text_print(&text, ",\"particles\":%" PRIu64 ",\"step\":%" PRIu64 ",\"time\":", state.particles,
                  state.step);
    ct_print_json_number(&text, state.time);
    if (key) ct_text_print(&text, ",\"%s\":", key);
    if (key) ct_print_json_string(&text, value);
    ct_text_print(&text, "}\n");
    if (!text.failed) ct_say_text(text.data, text.length);
    ct_text_release(&text);
}

/* "continua resume FOLDER", to be pasted into a shell. */
static void resume_command(const ct_run *run, char *command, size_t size)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    ct_print_shell_word(&text, ct_program_name());
    ct_text_print(&text, " resume ");
    ct_print_shell_word(&text, ct_run_folder(run));
    snprintf(command, size, "%s", text.failed ? "continua resume" : text.data);
    ct_text_release(&text);
}

static void say_start(const struct plan *plan, const ct_run *run)
{
    if (plan->style == CT_PROGRESS_JSON) say_event("start", run, NULL, NULL);
    if (plan->style == CT_PROGRESS_JSON || plan->is_quiet) return;
    ct_world_info info = ct_world_get_info(ct_run_world(run));
    const ct_scene *scene = ct_run_scene(run);
    char count[CT_SHORT];
    ct_say("%s%s%s: %dD %s, %s particles, %d thread%s -> %s\n", ct_style("\033[1m"),
           scene->title && *scene->title ? scene->title : scene->name, ct_style("\033[0m"), info.dimension,
           info.precision == CT_DOUBLE ? "double" : "float", ct_count_text(count, (double)info.particles),
           info.threads, info.threads == 1 ? "" : "s", ct_run_folder(run));
}

static int say_hash(const struct plan *plan, ct_run *run)
{
    ct_hash hash;
    ct_error error;
    if (ct_run_hash(run, &hash, &error)) return ct_report(&error);
    char text[40];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    ct_run_log(run, CT_LOG_INFO, "state hash: %s", text);
    if (plan->style == CT_PROGRESS_JSON)
        say_event(ct_run_get_progress(run).is_done ? "done" : "stopped", run, "state_hash", text);
    else ct_say("state hash: %s\n", text);
    return CT_OK;
}

/* Where the results are, and what one may want to do with them. */
static void say_results(const struct plan *plan, const ct_run *run)
{
    if (plan->style == CT_PROGRESS_JSON || plan->is_quiet) return;
    char took[CT_SHORT];
    ct_run_progress state = ct_run_get_progress(run);
    const char *folder = ct_run_folder(run), *program = ct_program_name();
    ct_say("\n%" PRIu64 " frames and %" PRIu64 " steps in %s\n", state.frames_written, state.step,
           ct_duration_text(took, ct_now() - plan->started));
    ct_say("  %s/run.pvd      frames, for ParaView\n  %s/stats.csv    energies, momenta, time steps\n",
           folder, folder);
    if (state.is_done && !plan->wants_film) ct_say("Try: %s render %s\n", program, folder);
    if (state.is_done) ct_say("     %s info %s\n", program, folder);
}

/* ---- the film ---- */

static bool talks(const struct plan *plan)
{
    return !plan->is_quiet && plan->style != CT_PROGRESS_JSON;
}

/* From the frames, with a camera that knows what happens. */
static int draw_film(const struct plan *plan, const ct_run *run)
{
    char name[] = "render", threads[32], quiet[] = "--quiet", folder[4096];
    snprintf(folder, sizeof folder, "%s", ct_run_folder(run));
    snprintf(threads, sizeof threads, "--threads=%d", ct_world_get_info(ct_run_world(run)).threads);
    char *arguments[] = {name, folder, threads, quiet, NULL};
    int code = ct_command_render(talks(plan) ? 3 : 4, arguments);
    return code && ct_signals_stop() ? 128 + ct_signals_stop() : code;
}

/* Closes the film, where there is one. */
static int end_film(struct plan *plan, const ct_run *run, bool is_done)
{
    ct_filming *filming = plan->filming;
    ct_error error;
    bool is_good;
    if (!filming) return CT_OK;
    plan->filming = NULL;
    bool has_film = ct_filming_has_film(filming);
    if (ct_filming_end(filming, &is_good, &error)) return ct_report(&error);
    if (is_done && !is_good) {
        if (talks(plan)) ct_say("Drawing the film again, fitted to what happened\n");
        return draw_film(plan, run);
    }
    if (!talks(plan)) return CT_OK;
    const char *folder = ct_run_folder(run);
    if (!has_film) ct_say("There is no ffmpeg to make a film with; pictures instead:\n");
    ct_say("%s/%s\n%s/%s\n", folder, has_film ? CT_FILM_NAME : CT_PICTURES_NAME "/", folder, CT_PICTURE_NAME);
    return CT_OK;
}

/* ---- how it ends ---- */

static int fail(struct plan *plan, ct_run *run, const ct_error *error)
{
    bool is_in_place = ct_run_is_in_place(run);
    if (is_in_place) end_film(plan, run, false); /* what there is of it */
    char command[CT_MESSAGE_SIZE];
    resume_command(run, command, sizeof command);
    ct_run_log(run, CT_LOG_INFO, "stopped: %s", error->message);
    if (plan->style == CT_PROGRESS_JSON) say_event("error", run, "message", error->message);
    fflush(stdout);
    ct_report(error);
    if (error->status == CT_DIVERGED)
        fprintf(stderr,
                "The state before that step is in %s/frames/frame_diverged.* and in the checkpoint.\n",
                ct_run_folder(run));
    else if (is_in_place)
        fprintf(stderr,
                "The frames and the checkpoint written so far are whole. When the cause is gone: %s\n",
                command);
    return error->status;
}

/* ---- the loop ---- */

static bool limit_is_reached(const struct plan *plan, const ct_run_progress *state)
{
    return state->time >= plan->until ||
           (plan->frames >= 0 && state->frames_written > (uint64_t)plan->frames) ||
           ct_now() - plan->started >= plan->max_wall;
}

/* What came to any of the ranks between two steps, all do together. */
typedef struct notices {
    bool is_stopping, wants_checkpoint;
    int signal;
} notices;

static void fold_notices(void *into, const void *from, size_t size)
{
    (void)size;
    notices *all = into;
    const notices *one = from;
    all->is_stopping |= one->is_stopping;
    all->wants_checkpoint |= one->wants_checkpoint;
    all->signal = all->signal ? all->signal : one->signal;
}

static notices take_notices(const struct plan *plan, const ct_run_progress *state)
{
    notices n = {.wants_checkpoint = ct_signals_take_checkpoint(), .signal = ct_signals_stop()};
    n.is_stopping = n.signal || limit_is_reached(plan, state);
    ct_ranks_fold(plan->options.ranks, &n, sizeof n, fold_notices);
    return n;
}

/* Notices that come between two steps and do not stop the run. */
static ct_status attend(const struct plan *plan, const notices *n, ct_progress *progress, ct_run *run,
                        ct_error *error)
{
    if (ct_signals_take_hangup())
        ct_run_log(run, CT_LOG_INFO, "the terminal was closed (SIGHUP); the run goes on");
    if (ct_stdout_failure() && progress->style != CT_PROGRESS_NONE) {
        ct_run_log(run, CT_LOG_INFO, "stdout is gone (%s); the run goes on without progress",
                   strerror(ct_stdout_failure()));
        progress->style = CT_PROGRESS_NONE;
    }
    if (!n->wants_checkpoint) return CT_OK;
    ct_status status = ct_run_checkpoint(run, error);
    if (status || plan->is_quiet) return status;
    ct_progress_end(progress);
    if (plan->style == CT_PROGRESS_JSON) say_event("checkpoint", run, NULL, NULL);
    else ct_say("checkpoint written\n");
    return CT_OK;
}

/* The run stops before its end, by a signal or a limit, and keeps its state. */
static int stop_early(struct plan *plan, ct_run *run, int signal_number)
{
    ct_error error;
    if (ct_run_checkpoint(run, &error)) return fail(plan, run, &error);
    int film_code = end_film(plan, run, false);
    char command[CT_MESSAGE_SIZE];
    resume_command(run, command, sizeof command);
    ct_run_log(run, CT_LOG_INFO,
               signal_number ? "interrupted by signal %d; checkpoint written" : "limit reached",
               signal_number);
    if (plan->style == CT_PROGRESS_JSON)
        say_event(signal_number ? "interrupted" : "limit", run, "resume", command);
    else if (!plan->is_quiet)
        ct_say("%s; a checkpoint is written. Go on with:\n  %s\n",
               signal_number ? "Interrupted" : "Stopped at the limit", command);
    else if (signal_number) /* the hash below is not that of the end: say so even now */
        fprintf(stderr, "continua: interrupted; a checkpoint is written. Go on with: %s\n", command);
    int code = say_hash(plan, run);
    return code ? code : signal_number ? 128 + signal_number : film_code;
}

/* The others do not know of a rank that has no memory left: they wait for it. */
static void end_if_alone(const struct plan *plan, const ct_error *error)
{
    ct_ranks *ranks = plan->options.ranks;
    if (ranks && error->status != CT_DIVERGED && error->status != CT_BAD_IO && error->status != CT_BAD_USAGE)
        ranks->end_all(ranks, error);
}

static int drive(struct plan *plan, ct_run *run)
{
    ct_error error;
    ct_progress progress;
    ct_progress_start(&progress, plan->style, run);
    for (ct_run_progress state = ct_run_get_progress(run); !state.is_done; state = ct_run_get_progress(run)) {
        const notices n = take_notices(plan, &state);
        ct_status status = attend(plan, &n, &progress, run, &error);
        bool is_stopping = !status && n.is_stopping;
        if (!status && !is_stopping) status = ct_run_step(run, &error);
        if (status || is_stopping) ct_progress_end(&progress);
        if (status) end_if_alone(plan, &error);
        if (status) return fail(plan, run, &error);
        if (is_stopping) return stop_early(plan, run, n.signal);
        ct_progress_show(&progress, run);
    }
    ct_progress_end(&progress);
    say_results(plan, run);
    int code = plan->wants_film && !plan->filming ? draw_film(plan, run) : end_film(plan, run, true);
    int hash_code = say_hash(plan, run);
    return code ? code : hash_code;
}

/* Where the run can be seen. */
static void say_view(const struct plan *plan, const ct_run *run, const char *url)
{
    if (!*url) return; /* the viewer itself has said why */
    if (plan->style == CT_PROGRESS_JSON) say_event("view", run, "url", url);
    else if (!plan->is_quiet) ct_say("Look at it: %s\n", url);
}

static int drive_and_close(struct plan *plan, ct_run *run)
{
    ct_onlooker onlooker = {0};
    say_start(plan, run);
    if (plan->wants_view) {
        ct_onlooker_start(&onlooker, ct_run_folder(run));
        say_view(plan, run, onlooker.url);
    }
    ct_error error;
    int code;
    if (plan->wants_film && !ct_run_get_progress(run).is_done &&
        ct_filming_start(run, &plan->filming, &error))
        code = ct_report(&error);
    else code = drive(plan, run);
    ct_run_close(run);
    if (onlooker.process && !ct_signals_stop() && ct_stdout_is_terminal()) {
        ct_say("The page stays until Ctrl-C: %s\n", onlooker.url);
        ct_onlooker_wait(&onlooker);
    }
    ct_onlooker_end(&onlooker);
    return code;
}

/* ---- the commands ---- */

int ct_given_settings(const ct_arguments *arguments, const char **settings, char seed[64])
{
    int count = 0;
    for (const char *value; (value = ct_option_value_at(arguments, "set", count));) settings[count++] = value;
    const char *given = ct_option_value(arguments, "seed");
    if (!given) return count;
    snprintf(seed, 64, "seed=%s", given);
    settings[count++] = seed;
    return count;
}

ct_status ct_load_scene(const ct_arguments *arguments, ct_scene **scene, ct_error *error)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    size_t bytes = ((size_t)arguments->argc + 1) * sizeof(char *);
    const char **settings = ct_allocate(&heap, bytes);
    if (!settings) return ct_fail_memory(error, bytes);
    char seed[64];
    int count = ct_given_settings(arguments, settings, seed);
    ct_status status = ct_scene_load(ct_argument(arguments, 0), settings, count, scene, error);
    ct_release(&heap, settings);
    return status;
}

void ct_clean_name(char *name)
{
    if (*name == '.') *name = '_';
    for (char *c = name; *c; c++)
        if (*c == '/' || *c == '\\' || (unsigned char)*c <= ' ') *c = '_';
}

/* A signal or --max-wall came before the first step. */
static int tell_cut(const ct_error *error)
{
    if (error->status != CT_FAILED) return ct_report(error);
    int number = ct_signals_stop();
    fprintf(stderr, "continua: %s before the first step; nothing was written\n",
            number ? "interrupted" : "stopped at the limit of --max-wall");
    return number ? 128 + number : CT_FAILED;
}

/* Joins the others, where mpirun has started several; `command` is what all do. */
static int with_ranks(int argc, char **argv, int (*command)(const ct_arguments *arguments, ct_ranks *ranks))
{
    ct_arguments arguments;
    ct_ranks *ranks;
    ct_error error;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    if (ct_ranks_begin(&ranks, &error)) return ct_report(&error);
    code = command(&arguments, ranks);
    ct_ranks_end();
    return code;
}

static int begin(const ct_arguments *arguments, ct_ranks *ranks)
{
    struct plan plan;
    int code = read_plan(arguments, ranks, &plan);
    if (code >= 0) return code;
    ct_error error;
    ct_scene *scene;
    if (ct_load_scene(arguments, &scene, &error)) return ct_report(&error);
    char by_name[256];
    snprintf(by_name, sizeof by_name, "out/%s", scene->name);
    ct_clean_name(by_name + 4);
    const char *folder = ct_option_value(arguments, "output");
    if (!folder || !*folder) folder = by_name;
    plan.options.force = ct_option_given(arguments, "force");
    plan.options.log = ct_print_warning;
    ct_signals_catch();
    ct_run *run;
    ct_signals_begin_building(plan.max_wall);
    ct_status status = ct_run_create(scene, folder, plan.options, &run, &error);
    return ct_signals_end_building() && status ? tell_cut(&error)
           : status                            ? ct_report(&error)
                                               : drive_and_close(&plan, run);
}

static int go_on(const ct_arguments *arguments, ct_ranks *ranks)
{
    struct plan plan;
    int code = read_plan(arguments, ranks, &plan);
    if (code >= 0) return code;
    ct_error error;
    ct_run *run;
    plan.options.log = ct_print_warning;
    plan.options.from_start = ct_option_given(arguments, "from-start");
    ct_signals_catch();
    ct_signals_begin_building(plan.max_wall);
    ct_status status = ct_run_open(ct_argument(arguments, 0), plan.options, &run, &error);
    return ct_signals_end_building() && status ? tell_cut(&error)
           : status                            ? ct_report(&error)
                                               : drive_and_close(&plan, run);
}

int ct_command_run(int argc, char **argv)
{
    return with_ranks(argc, argv, begin);
}

int ct_command_resume(int argc, char **argv)
{
    return with_ranks(argc, argv, go_on);
}
