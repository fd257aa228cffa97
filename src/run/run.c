#include "run/parts.h"
#include "scene/blame.h"
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char stats_name[] = "stats.csv", colliders_name[] = "colliders.csv",
                  bodies_name[] = "bodies.csv";
const char ct_newest_name[] = "checkpoint.ctc";
const char ct_previous_name[] = "checkpoint.previous.ctc";
static const char new_name[] = "checkpoint.new.ctc"; /* whole, but not yet in its place */

/* ---- log ---- */

/* A line of run.log. A log that cannot be written is no reason to stop a run: its frames will say so. */
static void append_log(const ct_run *run, const char *message)
{
    if (run->log < 0) return;
    time_t now = time(NULL);
    struct tm date;
    char stamp[32] = "", line[CT_MESSAGE_SIZE + 64];
    if (gmtime_r(&now, &date)) strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &date);
    int length = snprintf(line, sizeof line, "%s %s\n", stamp, message);
    if (length >= (int)sizeof line) length = (int)sizeof line - 1;
    while (write(run->log, line, (size_t)length) < 0 && errno == EINTR) {}
}

static void log_message(ct_log_level level, const char *message, void *user)
{
    const ct_run *run = user;
    append_log(run, message);
    if (run->options.log) run->options.log(level, message, run->options.log_user);
}

void ct_run_log(ct_run *run, ct_log_level level, const char *format, ...)
{
    char message[CT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_message(level, message, run);
}

/* ---- opening and closing ---- */

ct_target ct_run_target(const ct_run *run, const char *name, char shown[CT_RUN_PATH_SIZE])
{
    snprintf(shown, CT_RUN_PATH_SIZE, "%s/%s", run->folder, name);
    return (ct_target){run->root, name, shown};
}

static ct_status open_inside(ct_run *run, const char *name, int flags, int *descriptor, ct_error *error)
{
    *descriptor = openat(run->root, name, flags | O_CLOEXEC, 0666);
    if (*descriptor >= 0) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "cannot open '%s' in '%s': %s", name, run->folder, strerror(errno));
}

/* An empty run of a scene, which it takes over. NULL: out of memory, and the scene is gone. */
static ct_run *new_run(ct_scene *scene, const char *folder, ct_run_options options)
{
    ct_heap heap;
    ct_heap_init(&heap, scene->world.allocator);
    ct_run *run = ct_allocate_zero(&heap, sizeof *run);
    if (!run) {
        ct_scene_destroy(scene);
        return NULL;
    }
    *run = (ct_run){.heap = heap,
                    .scene = scene,
                    .options = options,
                    .root = -1,
                    .stats = -1,
                    .colliders = -1,
                    .bodies = -1,
                    .log = -1};
    run->used.heap = &run->heap;
    size_t length = strlen(folder);
    run->folder = ct_allocate(&run->heap, length + 1);
    if (!run->folder) {
        ct_run_close(run);
        return NULL;
    }
    memcpy(run->folder, folder, length + 1);
    run->follows = options.ranks && options.ranks->rank;
    if (options.checkpoint_every < 0) run->options.checkpoint_every = scene->output.checkpoint_every;
    scene->world.log = log_message; /* the world reports to its run */
    scene->world.log_user = run;
    return run;
}

/* Opens a table and cuts it to what the record knows; where that is nothing, it gets a header. One that has
 * less has lost rows, which nothing brings back. */
static ct_status open_table(ct_run *run, const char *name, int *descriptor, uint64_t *bytes,
                            void (*print_header)(ct_text *text), ct_error *error)
{
    ct_status status = open_inside(run, name, O_RDWR | O_CREAT, descriptor, error);
    if (status) return status;
    struct stat facts;
    if (fstat(*descriptor, &facts))
        return ct_fail(error, CT_BAD_IO, "cannot read '%s': %s", name, strerror(errno));
    if ((uint64_t)facts.st_size < *bytes)
        return ct_fail(
            error, CT_BAD_IO,
            "'%s/%s' was shortened or removed: it has %lld bytes, and the checkpoint knows of %" PRIu64
            ". Put it back, or start over with --from-start, which deletes the results of this run",
            run->folder, name, (long long)facts.st_size, *bytes);
    if (ftruncate(*descriptor, (off_t)*bytes))
        return ct_fail(error, CT_BAD_IO, "cannot write '%s': %s", name, strerror(errno));
    if (*bytes) return CT_OK;
    ct_text header = {.heap = &run->heap};
    print_header(&header);
    status = ct_stats_append(*descriptor, name, bytes, &header, error);
    ct_text_release(&header);
    return status;
}

static ct_status open_files(ct_run *run, ct_error *error)
{
    ct_status status = open_inside(run, "run.log", O_WRONLY | O_CREAT | O_APPEND, &run->log, error);
    if (!status)
        status =
            open_table(run, stats_name, &run->stats, &run->record.stats_bytes, ct_stats_print_header, error);
    if (!status && run->world->boundary.collider_count)
        status = open_table(run, colliders_name, &run->colliders, &run->record.collider_bytes,
                            ct_colliders_print_header, error);
    if (!status && ct_world_keeps_book(run->world))
        status = open_table(run, bodies_name, &run->bodies, &run->record.body_bytes, ct_bodies_print_header,
                            error);
    return status;
}

static void log_opening(ct_run *run, const char *what)
{
    ct_world_info info = ct_world_get_info(run->world);
    ct_run_log(run, CT_LOG_INFO, "%s: '%s', continua %s, %dD %s, %" PRIu64 " particles, %d thread%s", what,
               run->scene->name, ct_version_text(), info.dimension,
               info.precision == CT_DOUBLE ? "double" : "float", info.particles, info.threads,
               info.threads == 1 ? "" : "s");
    run->last_checkpoint = ct_now();
}

/* Where there are several ranks each keeps its part from here on. */
static ct_status share_world(ct_run *run, ct_error *error)
{
    if (!run->options.ranks) return CT_OK;
    return ct_scene_blame(run->scene, ct_world_distribute(run->world, run->options.ranks, error), error);
}

ct_status ct_run_create(ct_scene *scene, const char *folder, ct_run_options options, ct_run **result,
                        ct_error *error)
{
    *result = NULL;
    ct_error own;
    if (!error) error = &own; /* ranks tell each other */
    ct_run *run = new_run(scene, folder, options);
    if (!run) return ct_fail_memory(error, sizeof *run);
    ct_status status =
        ct_scene_blame(scene, ct_world_from_scene(scene, options.threads, &run->world, error), error);
    if (!status && ct_world_get_info(run->world).particles == 0 && run->world->boundary.source_count == 0)
        status = ct_scene_blame(
            scene, ct_fail(error, CT_BAD_SCENE, "bodies: none has a particle; is the spacing too coarse?"),
            error);
    if (!status) status = ct_scene_write_used(scene, &run->used, error);
    if (!status) status = share_world(run, error);
    if (!status && !run->follows)
        status = ct_run_folder_create(&run->heap, folder, &run->used, options.force, &run->root, error);
    if (!status && !run->follows) status = open_files(run, error);
    status = ct_ranks_agree(options.ranks, status, error);
    if (status) {
        ct_run_close(run);
        return status;
    }
    log_opening(run, "start");
    *result = run;
    return CT_OK;
}

/* Nothing is changed before all that is needed to go on has been found. */
static ct_status prepare_folder(ct_run *run, ct_error *error)
{
    if (!ct_run_is_in_place(run))
        return ct_fail(error, CT_BAD_IO, "another process has moved the folder '%s'; try again", run->folder);
    if (mkdirat(run->root, "frames", 0777) && errno != EEXIST)
        return ct_fail(error, CT_BAD_IO, "cannot create '%s/frames': %s", run->folder, strerror(errno));
    if (run->options.from_start) return ct_run_folder_clear(run->root, error);
    return ct_run_folder_sweep(run->root, error);
}

static ct_status open_run(ct_run *run, ct_error *error)
{
    ct_status status = ct_scene_write_used(run->scene, &run->used, error);
    if (!status)
        status = ct_run_folder_open(run->folder, run->options.read_only || run->follows, &run->root, error);
    if (!status && run->options.from_start)
        status = ct_scene_blame(
            run->scene, ct_world_from_scene(run->scene, run->options.threads, &run->world, error), error);
    else if (!status) status = ct_run_restore(run, error);
    if (!status) status = share_world(run, error);
    status = ct_ranks_agree(run->options.ranks, status, error); /* all have read what the first will change */
    if (status || run->options.read_only || run->follows) return status;
    status = prepare_folder(run, error);
    if (!status) status = open_files(run, error);
    if (!status && run->record.next_frame) status = ct_run_write_pvd(run, error);
    if (!status) log_opening(run, "resume");
    return status;
}

ct_status ct_run_open(const char *folder, ct_run_options options, ct_run **result, ct_error *error)
{
    *result = NULL;
    ct_error own;
    if (!error) error = &own; /* messages are read here */
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    char *used = ct_path_join(&heap, folder, "used.yaml");
    if (!used) return ct_fail_memory(error, strlen(folder));
    ct_status status = CT_OK;
    ct_scene *scene = NULL;
    if (access(used, F_OK))
        status = ct_fail(error, CT_BAD_IO, "'%s' is no run: there is no '%s'", folder, used);
    else status = ct_scene_load(used, NULL, 0, &scene, error);
    ct_release(&heap, used);
    if (status) return status;
    ct_run *run = new_run(scene, folder, options);
    if (!run) return ct_fail_memory(error, sizeof *run);
    status = ct_ranks_agree(options.ranks, open_run(run, error), error);
    if (status) {
        ct_run_close(run);
        return status;
    }
    *result = run;
    return CT_OK;
}

void ct_run_close(ct_run *run)
{
    if (!run) return;
    ct_world_destroy(run->world);
    int descriptors[] = {run->stats, run->colliders, run->bodies, run->log, run->root};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0) close(descriptors[i]);
    ct_scene_destroy(run->scene);
    ct_text_release(&run->used);
    ct_heap heap = run->heap;
    ct_release(&heap, run->folder);
    ct_release(&heap, run);
}

/* ---- checkpoints ---- */

bool ct_run_is_in_place(const ct_run *run)
{
    return ct_run_folder_is_there(run->folder, run->root);
}

/* The folder was renamed, replaced or removed. What is in its place belongs to somebody else. */
static ct_status fail_moved(ct_run *run, ct_error *error)
{
    char link[64], now[CT_RUN_PATH_SIZE];
    snprintf(link, sizeof link, "/proc/self/fd/%d", run->root);
    ssize_t length = readlink(link, now, sizeof now - 1);
    now[length > 0 ? length : 0] = '\0';
    return ct_fail(error, CT_BAD_IO,
                   "the folder '%s' was moved, replaced or removed while the run was writing to it. Nothing "
                   "was written to what is there now; the state is saved in the folder of the run%s%s",
                   run->folder, *now ? ", now " : "", now);
}

static ct_status move_inside(ct_run *run, const char *from, const char *to, ct_error *error)
{
    if (renameat(run->root, from, run->root, to) == 0) return CT_OK;
    return ct_fail(error, CT_BAD_IO, "cannot rename '%s' to '%s' in '%s': %s", from, to, run->folder,
                   strerror(errno));
}

/* The record, and the scene behind it. */
static ct_status save_state(ct_run *run, ct_error *error)
{
    ct_run_record *record = &run->record;
    record->version = CT_RECORD_VERSION;
    snprintf(record->program, sizeof record->program, "%s", ct_version_text());
    record->end = run->scene->end, record->frame = run->scene->frame;
    record->stats_every = run->scene->output.stats_every;
    ct_text extra = {.heap = &run->heap};
    ct_text_append(&extra, (const char *)record, sizeof *record);
    ct_text_append(&extra, run->used.data, run->used.length);
    char shown[CT_RUN_PATH_SIZE];
    ct_status status = extra.failed ? ct_fail_memory(error, extra.length)
                                    : ct_world_save_with(run->world, ct_run_target(run, new_name, shown),
                                                         extra.data, extra.length, error);
    ct_text_release(&extra);
    return status;
}

/* The new one is written whole under a third name before the others move, so two good ones are there at all
 * times; or one, where the newest was found damaged. */
static ct_status write_checkpoint(ct_run *run, ct_error *error)
{
    if (run->follows) return CT_OK;
    if (fsync(run->stats) || (run->colliders >= 0 && fsync(run->colliders)) ||
        (run->bodies >= 0 && fsync(run->bodies)))
        return ct_fail(error, CT_BAD_IO, "cannot write the tables of the run: %s", strerror(errno));
    ct_status status = save_state(run, error);
    bool is_kept = !run->newest_is_damaged && faccessat(run->root, ct_newest_name, F_OK, 0) == 0;
    if (!status && is_kept) status = move_inside(run, ct_newest_name, ct_previous_name, error);
    if (!status) status = move_inside(run, new_name, ct_newest_name, error);
    if (status) return status;
    fsync(run->root); /* the names, too, are on the disk */
    run->newest_is_damaged = false;
    run->last_checkpoint = ct_now();
    append_log(run, "checkpoint");
    if (!ct_run_is_in_place(run)) return fail_moved(run, error);
    return run->record.next_frame ? ct_run_write_pvd(run, error) : CT_OK;
}

/* Between the two the first rank has all of the world; how it went is what it says. */
static ct_status begin_writing(ct_run *run, ct_error *error)
{
    return ct_world_gather(run->world, error);
}

static ct_status end_writing(ct_run *run, ct_status status, ct_error *error)
{
    ct_error own;
    ct_world_give_back(run->world);
    return ct_ranks_agree(run->options.ranks, status, error ? error : &own);
}

ct_status ct_run_checkpoint(ct_run *run, ct_error *error)
{
    CT_REQUIRE(run, error);
    if (run->options.read_only)
        return ct_fail(error, CT_BAD_USAGE, "this run was opened to look at, not to write to");
    ct_status status = begin_writing(run, error);
    if (!status) status = write_checkpoint(run, error);
    return end_writing(run, status, error);
}

ct_status ct_run_hash(ct_run *run, ct_hash *hash, ct_error *error)
{
    CT_REQUIRE(run, error);
    ct_status status = begin_writing(run, error);
    if (!status && !run->follows) status = ct_world_hash(run->world, hash, error);
    if (run->follows && hash) *hash = (ct_hash){0};
    return end_writing(run, status, error);
}

/* By the clock of the first rank. */
static bool checkpoint_is_due(const ct_run *run)
{
    double every = run->options.checkpoint_every;
    bool is_due = every > 0 && ct_now() - run->last_checkpoint >= every;
    if (run->options.ranks) ct_ranks_share(run->options.ranks, &is_due, sizeof is_due);
    return is_due;
}

/* ---- stepping ---- */

static bool is_done(const ct_run *run)
{
    return run->record.next_frame >= ct_frame_total(run->scene);
}

static bool is_at_frame(const ct_run *run)
{
    return ct_world_get_info(run->world).time >= ct_frame_instant(run->scene, run->record.next_frame);
}

/* What a row that another rank writes leaves behind. */
static void forget_row(ct_run *run)
{
    ct_text text = {.heap = &run->heap};
    if (run->world->boundary.collider_count) ct_colliders_print_rows(&text, run->world);
    ct_text_release(&text);
    ct_tally_clear(&run->record.tally);
}

/* A row per frame; or one after the first step that reaches each multiple of stats_every, and one at the end.
 */
static bool row_is_due(ct_run *run)
{
    double every = run->scene->output.stats_every, time = ct_world_get_info(run->world).time;
    if (!(every > 0)) return is_at_frame(run);
    if (time < (double)run->record.next_row * every) return time >= run->scene->end;
    run->record.next_row = (uint64_t)(time / every) + 1;
    return true;
}

static ct_status write_row(ct_run *run, ct_error *error)
{
    if (run->follows) {
        forget_row(run);
        return CT_OK;
    }
    ct_world_info info = ct_world_get_info(run->world);
    ct_world_sums sums = ct_world_get_sums(run->world);
    ct_text row = {.heap = &run->heap}, ledger = {.heap = &run->heap};
    ct_stats_print_ledger(&ledger, run->world);
    ct_stats_print_row(&row, &info, &sums, &run->record.tally, ledger.data ? ledger.data : "");
    row.failed |= ledger.failed;
    ct_status status = ct_stats_append(run->stats, stats_name, &run->record.stats_bytes, &row, error);
    ct_text_release(&row);
    ct_text_release(&ledger);
    if (!status && run->world->boundary.collider_count) {
        ct_colliders_print_rows(&row, run->world);
        status = ct_stats_append(run->colliders, colliders_name, &run->record.collider_bytes, &row, error);
        ct_text_release(&row);
    }
    if (!status && run->bodies >= 0) {
        status = ct_bodies_print_rows(&row, run->world, error);
        if (!status) status = ct_stats_append(run->bodies, bodies_name, &run->record.body_bytes, &row, error);
        ct_text_release(&row);
    }
    ct_tally_clear(&run->record.tally);
    return status;
}

/* The collection grows with the run; written at every frame of a long run it would come to more than the
 * frames. */
static bool pvd_is_due(const ct_run *run)
{
    return run->record.next_frame <= 100 || is_done(run) || ct_now() - run->last_pvd > 1;
}

static ct_status write_numbered_frame(ct_run *run, ct_error *error)
{
    char name[48];
    if (run->follows) {
        run->record.next_frame++;
        return CT_OK;
    }
    snprintf(name, sizeof name, "frame_%06" PRIu64, run->record.next_frame);
    ct_status status = ct_run_write_frame(run, name, run->record.next_frame, run->options.watcher, error);
    if (!status) status = ct_run_write_colliders(run, run->record.next_frame, error);
    if (status) return status;
    run->record.next_frame++;
    if (!pvd_is_due(run)) return CT_OK;
    run->last_pvd = ct_now();
    return ct_run_write_pvd(run, error);
}

/* The state before the step that failed is worth keeping: to look at, and to resume with a smaller step. What
 * goes wrong here must not hide why the run stopped. */
static void save_diverged(ct_run *run, const ct_error *reason)
{
    ct_error also;
    ct_run_log(run, CT_LOG_INFO, "diverged: %s", reason ? reason->message : "");
    if (begin_writing(run, &also)) return;
    if (!run->follows && ct_run_write_frame(run, "frame_diverged", 0, NULL, &also))
        ct_run_log(run, CT_LOG_WARNING, "the last good state could not be written as a frame: %s",
                   also.message);
    run->record.has_diverged = 1;
    if (write_checkpoint(run, &also))
        ct_run_log(run, CT_LOG_WARNING, "the last good state could not be written as a checkpoint: %s",
                   also.message);
    end_writing(run, CT_OK, &also);
}

static ct_status advance(ct_run *run, ct_error *error)
{
    double target = ct_frame_instant(run->scene, run->record.next_frame);
    double before = ct_world_get_info(run->world).time;
    ct_status status = ct_world_step_towards(run->world, target, error);
    if (status == CT_DIVERGED) save_diverged(run, error);
    if (status) return status;
    run->record.has_diverged = 0;
    ct_world_info info = ct_world_get_info(run->world);
    if (!(info.time > before))
        return ct_fail(error, CT_DIVERGED,
                       "step %" PRIu64 ": the time stands still: a step of %g s is nothing beside %g s; the "
                       "scene ends too late for its steps",
                       info.step, info.dt, info.time);
    if (!isfinite(ct_world_solver(run->world).residual))
        return ct_fail(error, CT_DIVERGED,
                       "step %" PRIu64 ": the residual of the implicit solver is not finite; use a smaller "
                       "step or softer materials",
                       info.step);
    ct_tally_add(&run->record.tally, info.dt, info.limited_by);
    if (strcmp(info.limited_by, "frame") != 0)
        run->limited_material =
            info.limited_material < 0 ? NULL : run->world->common.materials[info.limited_material].name;
    return CT_OK;
}

ct_status ct_run_step(ct_run *run, ct_error *error)
{
    CT_REQUIRE(run, error);
    if (run->options.read_only)
        return ct_fail(error, CT_BAD_USAGE, "this run was opened to look at, not to step");
    if (is_done(run)) return CT_OK;
    ct_status status = run->record.next_frame ? advance(run, error) : CT_OK;
    if (status) return status;
    const bool has_row = row_is_due(run), has_frame = is_at_frame(run),
               has_checkpoint = checkpoint_is_due(run);
    if (!has_row && !has_frame && !has_checkpoint) return CT_OK;
    status = begin_writing(run, error);
    if (!status && has_row) status = write_row(run, error);
    bool is_moved = false;
    if (!status && has_frame) {
        status = write_numbered_frame(run, error);
        is_moved =
            !run->follows && !ct_run_is_in_place(run); /* the checkpoint is where the frame is, and says so */
    }
    if (!status && (is_done(run) || has_checkpoint || is_moved)) status = write_checkpoint(run, error);
    return end_writing(run, status, error);
}

/* ---- questions ---- */

ct_run_progress ct_run_get_progress(const ct_run *run)
{
    if (!run) return (ct_run_progress){.limited_by = "", .limited_material = "", .is_done = true};
    ct_world_info info = ct_world_get_info(run->world);
    ct_solver_info solver = ct_world_solver(run->world);
    return (ct_run_progress){
        .frames_written = run->record.next_frame,
        .frames = ct_frame_total(run->scene),
        .time = info.time,
        .end = run->scene->end,
        .step = info.step,
        .particles = info.particles,
        .dt = run->record.tally.dt,
        .limited_by = run->record.tally.limited_by,
        .limited_material = run->limited_material ? run->limited_material : "",
        .iterations = solver.iterations,
        .residual = solver.residual,
        .imbalance = solver.imbalance,
        .is_done = is_done(run),
    };
}

const ct_world *ct_run_world(const ct_run *run)
{
    return run ? run->world : NULL;
}

const ct_scene *ct_run_scene(const ct_run *run)
{
    return run ? run->scene : NULL;
}

const char *ct_run_folder(const ct_run *run)
{
    return run ? run->folder : NULL;
}
