/* `continua render`: pictures and films of a run. What to draw comes from its frames, how from its scene
 * (used.yaml) and the options.
 */
#include "command.h"
#include "core/file.h"
#include "filming.h"
#include "look/replay.h"
#include "signals.h"
#include "terminal.h"
#include "tracing.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const ct_option ct_render_options_table[] = {
    {"output", 'o', "OUT",
     "OUT.png, OUT.mp4 or a folder for pictures (default: film.mp4 and picture.png in the run)"},
    {"frames", 0, "A:B", "only frames A to B"},
    {"size", 0, "WxH", "pixels (default: 1280x720)"},
    {"color-by", 0, "NAME", "body, material or a quantity in the frames, such as speed"},
    {"range", 0, "A:B", "values at the ends of the colour map (default: those of the frames)"},
    {"camera-from", 0, "X,Y,Z", "where the camera stands, in metres"},
    {"camera-target", 0, "X,Y,Z", "what it looks at (default: the middle)"},
    {"fov", 0, "DEG", "its vertical field of view (default: 35)"},
    {"surface", 0, NULL, "the smooth surface that the particles make up, instead of them (3D)"},
    CT_TRACING_OPTIONS,
    {"turntable", 0, "N", "go around one frame in N pictures"},
    {"light", 0, NULL, "a light background"},
    {"box", 0, NULL, "draw the edges of the domain (3D; fast)"},
    {"fps", 0, "N", "pictures a second of the film (default: real time where that is 12 to 60, else 24)"},
    {"threads", 0, "N", "use N threads (default: one a core)"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {0},
};

enum output_kind { OUTPUT_FILM, OUTPUT_PICTURE, OUTPUT_FOLDER };

static const double RADIANS = 0.017453292519943295; /* of a degree */

struct rendering {
    ct_heap heap;
    ct_arena arena;
    ct_arguments arguments;
    const char *source;
    bool is_run; /* else a single frame */
    ct_replay replay;
    ct_scene *scene; /* NULL: unknown */
    ct_look look;
    ct_tracing tracing;
    double range[2]; /* as given; equal: not */
    size_t first, last;
    int turntable; /* 0: no */
    double frames_per_second;
    int threads;
    bool is_quiet;
    enum output_kind kind;
    char *output;  /* film, picture or folder */
    char *picture; /* beside a film; NULL: none */
};

/* ---- options ---- */

/* Reads `count` numbers with `separator` between them and nothing after. */
static bool read_numbers(const char *text, int count, char separator, double *numbers)
{
    for (int k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text || !isfinite(numbers[k]) || *end != (k + 1 < count ? separator : '\0')) return false;
        text = end + 1;
    }
    return true;
}

static int read_size(struct rendering *rendering)
{
    const char *text = ct_option_value(&rendering->arguments, "size");
    double size[2];
    if (!text) return -1;
    bool is_good = read_numbers(text, 2, 'x', size);
    for (int k = 0; k < 2; k++)
        is_good = is_good && size[k] >= 1 && size[k] <= 8192 && size[k] == floor(size[k]);
    if (!is_good)
        return ct_usage_error(&rendering->arguments,
                              "--size expects two numbers of pixels from 1 to 8192, as in "
                              "1920x1080; not '%s'",
                              text);
    rendering->look.width = (int)size[0];
    rendering->look.height = (int)size[1];
    return -1;
}

static int read_range(struct rendering *rendering)
{
    const char *text = ct_option_value(&rendering->arguments, "range");
    if (!text) return -1;
    if (!read_numbers(text, 2, ':', rendering->range) || !(rendering->range[0] < rendering->range[1]))
        return ct_usage_error(&rendering->arguments,
                              "--range expects two numbers a:b with a below b; not '%s'", text);
    return -1;
}

static int read_place(struct rendering *rendering, const char *name, double place[3])
{
    const char *text = ct_option_value(&rendering->arguments, name);
    if (text && !read_numbers(text, 3, ',', place))
        return ct_usage_error(&rendering->arguments, "--%s expects three numbers x,y,z; not '%s'", name,
                              text);
    return -1;
}

/* One number of an option, within limits; untouched when it was not given. */
static int read_number(struct rendering *rendering, const char *name, double least, double most,
                       double *number)
{
    const char *text = ct_option_value(&rendering->arguments, name);
    double value;
    if (!text) return -1;
    if (!read_numbers(text, 1, '\0', &value) || value < least || value > most)
        return ct_usage_error(&rendering->arguments, "--%s expects a number from %g to %g; not '%s'", name,
                              least, most, text);
    *number = value;
    return -1;
}

/* The camera of the options; what they leave out is the scene's, or a usual value. */
static int read_camera(struct rendering *rendering)
{
    const ct_arguments *arguments = &rendering->arguments;
    ct_camera_def *camera = &rendering->look.camera;
    bool has_from = ct_option_given(arguments, "camera-from"),
         has_target = ct_option_given(arguments, "camera-target");
    bool has_fov = ct_option_given(arguments, "fov");
    if (!has_from && !has_target && !has_fov) return -1;
    if (!has_from && !camera->is_set)
        return ct_usage_error(arguments, "--%s needs --camera-from, as the scene has no camera",
                              has_target ? "camera-target" : "fov");
    if (!camera->is_set) {
        for (int a = 0; a < 3; a++)
            camera->target[a] = 0.5 * (rendering->look.bounds[0][a] + rendering->look.bounds[1][a]);
        camera->fov = 35 * RADIANS;
    }
    camera->is_set = true;
    double degrees = camera->fov / RADIANS;
    int code = read_place(rendering, "camera-from", camera->from);
    if (code < 0) code = read_place(rendering, "camera-target", camera->target);
    if (code < 0) code = read_number(rendering, "fov", 0.1, 175, &degrees);
    camera->fov = degrees * RADIANS;
    return code;
}

static int read_options(struct rendering *rendering)
{
    const ct_arguments *arguments = &rendering->arguments;
    long long turntable = 0, threads = 0, first = 0, last = LLONG_MAX;
    int code = ct_option_integer(arguments, "turntable", 1, 100000, &turntable);
    if (code < 0) code = ct_option_integer(arguments, "threads", 0, 256, &threads);
    if (code < 0) code = ct_option_range(arguments, "frames", &first, &last);
    if (code < 0) code = read_size(rendering);
    if (code < 0) code = read_range(rendering);
    if (code < 0) code = ct_tracing_read(&rendering->tracing, arguments);
    if (code < 0) code = read_number(rendering, "fps", 0.01, 1000, &rendering->frames_per_second);
    if (code >= 0) return code;
    rendering->turntable = (int)turntable;
    rendering->threads = (int)threads;
    rendering->is_quiet = ct_option_given(arguments, "quiet");
    rendering->look.shows_walls = ct_option_given(arguments, "box");
    if (ct_option_given(arguments, "light")) rendering->look.is_light = true;
    if (ct_option_given(arguments, "surface")) rendering->look.is_skin = true;
    if (rendering->tracing.is_on) { /* materials as they look, not the scene's colours */
        rendering->look.trace = &rendering->tracing.def;
        rendering->look.color_by = NULL;
    }
    if (ct_option_given(arguments, "color-by"))
        rendering->look.color_by = ct_option_value(arguments, "color-by");
    size_t count = rendering->replay.count;
    if ((unsigned long long)first >= count)
        return ct_usage_error(arguments, "--frames begins at %lld, but there are only %zu frames (0 to %zu)",
                              first, count, count - 1);
    rendering->first = (size_t)first;
    rendering->last = (unsigned long long)last < count ? (size_t)last : count - 1;
    return -1;
}

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

static ct_status draw_turn(struct rendering *rendering, ct_recorder *recorder, ct_error *error)
{
    ct_replay_frame loaded;
    ct_status status = ct_replay_load(&rendering->heap, &rendering->replay, telling_frame(rendering),
                                      dimension_of(rendering), &loaded, error);
    if (status) return status;
    int count = rendering->kind == OUTPUT_PICTURE ? 1 : rendering->turntable;
    for (int k = 0; k < count && !status; k++) {
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
    int code = read_options(rendering);
    if (code >= 0) return code;
    if (fit_look(rendering, &error)) return ct_report(&error);
    code = read_camera(rendering);
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
