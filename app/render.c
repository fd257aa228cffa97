/* `continua render`: pictures and films of a run. What to draw comes from its frames, how from its scene
 * (used.yaml) and the options.
 */
#include "command.h"
#include "core/file.h"
#include "filming.h"
#include "rendering.h"
#include "signals.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const double RADIANS = 0.017453292519943295; /* of a degree */

/* ---- what and where ---- */

static bool exists(const char *path)
{
    struct stat facts;
    return !stat(path, &facts);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length > size && !strcmp(text + length - size, ending);
}

/* The scene of the run: used.yaml in its folder, which for RUN/frames/FRAME is the one above. */
static ct_status load_scene(struct rendering *rendering, ct_error *error)
{
    char *path = rendering->is_run ? ct_path_join(&rendering->heap, rendering->source, "used.yaml")
                                   : ct_path_beside(&rendering->heap, rendering->source, "../used.yaml");
    if (!path) return ct_fail_memory(error, strlen(rendering->source) + 16);
    ct_status status = CT_OK;
    if (exists(path)) status = ct_scene_load(path, NULL, 0, &rendering->scene, error);
    if (!status && rendering->scene)
        status = ct_look_of_scene(rendering->scene, &rendering->arena, &rendering->look, error);
    ct_release(&rendering->heap, path);
    return status;
}

static int dimension_of(const struct rendering *rendering)
{
    return rendering->scene ? rendering->scene->world.dimension : 0;
}

/* Looks at some frames of the whole run for what the options and the scene leave open, so that every picture
 * and every film of a run has the same camera. */
static ct_status fit_look(struct rendering *rendering, ct_error *error)
{
    ct_look *look = &rendering->look;
    memset(look->bounds, 0,
           sizeof look->bounds); /* where the particles are says more than where they may be */
    int dimension = dimension_of(rendering);
    ct_status status = ct_replay_fit(&rendering->heap, &rendering->replay, 0, rendering->replay.count - 1,
                                     &dimension, look, error);
    if (status) return status;
    if (rendering->range[0] < rendering->range[1]) memcpy(look->range, rendering->range, sizeof look->range);
    if (!rendering->scene && dimension != 2) { /* an unknown file of particles: it stands on its lowest */
        look->has_ground = true;
        look->ground = look->bounds[0][1] - look->radius;
    }
    return CT_OK;
}

/* "DIR/NAME.vtu" -> "DIR/NAME.png", or .mp4 for a turn around it. */
static char *name_beside(struct rendering *rendering, const char *ending)
{
    const char *source = rendering->source, *dot = strrchr(source, '.'), *slash = strrchr(source, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - source) : strlen(source);
    char *name = ct_allocate(&rendering->heap, length + strlen(ending) + 1);
    if (!name) return NULL;
    memcpy(name, source, length);
    memcpy(name + length, ending, strlen(ending) + 1);
    return name;
}

static ct_status choose_default_output(struct rendering *rendering, ct_error *error)
{
    ct_heap *heap = &rendering->heap;
    bool wants_film = rendering->is_run || rendering->turntable;
    rendering->kind = !wants_film ? OUTPUT_PICTURE : ct_film_is_possible() ? OUTPUT_FILM : OUTPUT_FOLDER;
    if (!rendering->is_run) {
        static const char *const endings[] = {
            [OUTPUT_FILM] = ".mp4", [OUTPUT_PICTURE] = ".png", [OUTPUT_FOLDER] = "_pictures"};
        rendering->output = name_beside(rendering, endings[rendering->kind]);
    } else {
        bool is_film = rendering->kind == OUTPUT_FILM;
        rendering->output = ct_path_join(heap, rendering->source, is_film ? CT_FILM_NAME : CT_PICTURES_NAME);
        rendering->picture = ct_path_join(heap, rendering->source, CT_PICTURE_NAME);
        if (!rendering->picture) return ct_fail_memory(error, strlen(rendering->source) + 16);
    }
    return rendering->output ? CT_OK : ct_fail_memory(error, strlen(rendering->source) + 16);
}

static ct_status choose_output(struct rendering *rendering, ct_error *error)
{
    const char *output = ct_option_value(&rendering->arguments, "output");
    if (!output) return choose_default_output(rendering, error);
    rendering->kind = ends_with(output, ".png")   ? OUTPUT_PICTURE
                      : ends_with(output, ".mp4") ? OUTPUT_FILM
                                                  : OUTPUT_FOLDER;
    rendering->output = ct_path_beside(&rendering->heap, "", output); /* a copy */
    return rendering->output ? CT_OK : ct_fail_memory(error, strlen(output));
}

/* ---- drawing ---- */

/* The picture that tells most: late enough for things to have met, before all is at rest. */
static size_t telling_frame(const struct rendering *rendering)
{
    if (ct_option_given(&rendering->arguments, "frames")) return rendering->last;
    return rendering->first + (rendering->last - rendering->first) * 2 / 3;
}

static void show_progress(const struct rendering *rendering, size_t done, size_t count)
{
    if (rendering->is_quiet || rendering->tracing.is_on || !ct_stdout_is_terminal()) return;
    ct_say("\rDrawing %zu of %zu%s", done, count, done == count ? "\r\033[K" : "");
}

/* What becomes of the picture just drawn. */
static ct_status keep(struct rendering *rendering, const ct_recorder *recorder, size_t number,
                      bool is_telling, ct_error *error)
{
    const ct_image *image = ct_recorder_image(recorder);
    ct_status status = CT_OK;
    if (rendering->kind == OUTPUT_PICTURE) status = ct_image_save_png(image, rendering->output, error);
    const char *folder = rendering->kind == OUTPUT_FOLDER ? rendering->output : rendering->tracing.folder;
    if (folder) status = ct_image_save_numbered(image, folder, number, error);
    if (!status && is_telling && rendering->picture)
        status = ct_image_save_png(image, rendering->picture, error);
    return status;
}

/* Within a run a signal is only noted; by itself, `render` is ended by it. */
static ct_status check_signals(ct_error *error)
{
    return ct_signals_stop() ? ct_fail(error, CT_FAILED, "interrupted; there is no film") : CT_OK;
}

static ct_status draw_turn(struct rendering *rendering, ct_recorder *recorder, ct_error *error)
{
    ct_replay_frame loaded;
    ct_status status = ct_replay_load(&rendering->heap, &rendering->replay, telling_frame(rendering),
                                      dimension_of(rendering), &loaded, error);
    if (status) return status;
    int count = rendering->kind == OUTPUT_PICTURE ? 1 : rendering->turntable;
    for (int k = 0; k < count && !status; k++) {
        if ((status = check_signals(error))) break;
        ct_recorder_turn(recorder, 360 * RADIANS * k / rendering->turntable);
        const char *path = rendering->replay.paths[telling_frame(rendering)];
        if (!ct_tracing_begin(&rendering->tracing, (size_t)k + 1, (size_t)k, (size_t)count, path)) continue;
        status = ct_recorder_add(recorder, &loaded.frame, error);
        if (!status) status = keep(rendering, recorder, (size_t)k, k == 0, error);
        if (!status) show_progress(rendering, (size_t)k + 1, (size_t)count);
    }
    ct_replay_release(&loaded);
    return status;
}

static ct_status draw_frames(struct rendering *rendering, ct_recorder *recorder, ct_error *error)
{
    size_t telling = telling_frame(rendering);
    size_t first = rendering->kind == OUTPUT_PICTURE ? telling : rendering->first;
    size_t last = rendering->kind == OUTPUT_PICTURE ? telling : rendering->last;
    ct_status status = CT_OK;
    for (size_t k = first; k <= last && !status; k++) {
        ct_replay_frame loaded;
        status = check_signals(error);
        if (status) return status;
        if (!ct_tracing_begin(&rendering->tracing, k - first + 1, k, last - first + 1,
                              rendering->replay.paths[k]))
            continue;
        status =
            ct_replay_load(&rendering->heap, &rendering->replay, k, dimension_of(rendering), &loaded, error);
        if (status) return status;
        status = ct_recorder_add(recorder, &loaded.frame, error);
        if (!status) status = keep(rendering, recorder, k, k == telling, error);
        if (!status) show_progress(rendering, k - first + 1, last - first + 1);
        ct_replay_release(&loaded);
    }
    return status;
}

/* When colliders must be in view: in all of the run. */
static double time_of(const struct rendering *rendering, size_t frame)
{
    double time = rendering->replay.times[frame];
    return isfinite(time) ? time : 0;
}

/* Blurs films by half a frame, and keeps their pictures. */
static ct_status prepare_tracing(struct rendering *rendering, ct_error *error)
{
    ct_tracing *tracing = &rendering->tracing;
    bool is_picture = rendering->kind == OUTPUT_PICTURE;
    double half = rendering->scene && !rendering->turntable ? 0.5 * rendering->scene->frame : 0;
    if (tracing->def.shutter < 0) tracing->def.shutter = is_picture ? 0 : half;
    if (is_picture) return CT_OK;
    const char *folder = rendering->kind == OUTPUT_FOLDER ? rendering->output : NULL;
    return ct_tracing_keep(tracing, &rendering->heap, folder, rendering->output, &rendering->look, error);
}

/* The film of the pictures that are there now. */
static ct_status make_film(struct rendering *rendering, ct_error *error)
{
    size_t first = rendering->turntable ? 0 : rendering->first;
    size_t last = rendering->turntable ? (size_t)rendering->turntable - 1 : rendering->last;
    return ct_tracing_film(&rendering->tracing, rendering->output, first, last, rendering->frames_per_second,
                           error);
}

static ct_status draw(struct rendering *rendering, ct_error *error)
{
    ct_recorder *recorder;
    bool is_traced = rendering->tracing.is_on, is_film = rendering->kind == OUTPUT_FILM && !is_traced;
    rendering->look.since = time_of(rendering, 0);
    rendering->look.until = time_of(rendering, rendering->replay.count - 1);
    ct_status status = rendering->kind == OUTPUT_FOLDER ? ct_folder_create(rendering->output, error) : CT_OK;
    if (!status && is_traced) status = prepare_tracing(rendering, error);
    if (!status)
        status = ct_recorder_open(&rendering->heap, &rendering->look, rendering->threads,
                                  is_film ? rendering->output : NULL, rendering->frames_per_second, &recorder,
                                  error);
    if (status) return status;
    status = rendering->turntable ? draw_turn(rendering, recorder, error)
                                  : draw_frames(rendering, recorder, error);
    if (status) ct_recorder_abandon(recorder);
    else status = ct_recorder_close(recorder, error);
    if (!status && is_traced && rendering->kind == OUTPUT_FILM) status = make_film(rendering, error);
    return status;
}

/* ---- the command ---- */

static void say_results(const struct rendering *rendering)
{
    if (rendering->is_quiet) return;
    bool wanted_film = !ct_option_given(&rendering->arguments, "output") && rendering->kind == OUTPUT_FOLDER;
    if (wanted_film) ct_say("There is no ffmpeg to make a film with; pictures instead:\n");
    ct_say("%s%s\n", rendering->output, rendering->kind == OUTPUT_FOLDER ? "/" : "");
    if (rendering->picture) ct_say("%s\n", rendering->picture);
}

static int say_interrupted(const struct rendering *rendering)
{
    bool goes_on = rendering->tracing.folder != NULL;
    fprintf(stderr, "continua: interrupted%s\n",
            goes_on ? "; finished pictures are kept, and the same command goes on" : "");
    return 128 + ct_signals_stop();
}

/* -1: all is well, otherwise the exit code. */
static int prepare(struct rendering *rendering)
{
    ct_error error;
    if (ct_replay_open(&rendering->heap, rendering->source, &rendering->replay, &error))
        return ct_report(&error);
    if (load_scene(rendering, &error)) return ct_report(&error);
    int code = ct_rendering_read(rendering);
    if (code >= 0) return code;
    if (fit_look(rendering, &error)) return ct_report(&error);
    code = ct_rendering_read_camera(rendering);
    if (code >= 0) return code;
    if (!(rendering->frames_per_second > 0)) rendering->frames_per_second = ct_replay_rate(rendering->scene);
    return choose_output(rendering, &error) ? ct_report(&error) : -1;
}

static void release(struct rendering *rendering)
{
    ct_release(&rendering->heap, rendering->output);
    ct_release(&rendering->heap, rendering->picture);
    ct_tracing_release(&rendering->tracing);
    ct_replay_close(&rendering->replay);
    ct_arena_release(&rendering->arena);
    ct_scene_destroy(rendering->scene);
}

int ct_command_render(int argc, char **argv)
{
    struct rendering rendering = {.turntable = 0};
    ct_heap_init(&rendering.heap, (ct_allocator){0});
    rendering.arena.heap = rendering.replay.arena.heap = &rendering.heap;
    int code = ct_arguments_check(&rendering.arguments, argc, argv);
    if (code >= 0) return code;
    rendering.source = ct_argument(&rendering.arguments, 0);
    struct stat facts;
    rendering.is_run = !stat(rendering.source, &facts) && S_ISDIR(facts.st_mode);
    code = prepare(&rendering);
    if (code < 0) {
        ct_error error;
        ct_status status = draw(&rendering, &error);
        if (status && ct_signals_stop()) code = say_interrupted(&rendering);
        else if (status) code = ct_report(&error);
        else say_results(&rendering), code = CT_OK;
    }
    release(&rendering);
    return code;
}
