#include "tracing.h"
#include "command.h"
#include "core/file.h"
#include "core/text.h"
#include "signals.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS_NAME "settings.txt"

static bool should_stop(void *user)
{
    (void)user;
    return ct_signals_stop() != 0;
}

/* Several threads tell; one that finds another at it leaves it to that one. */
static void tell(void *user, double done)
{
    ct_tracing *tracing = user;
    int percent = (int)(100 * done);
    int before = __atomic_exchange_n(&tracing->percent, percent, __ATOMIC_RELAXED);
    if (percent <= before || tracing->is_quiet || !ct_stdout_is_terminal()) return;
    ct_say("\rDrawing %zu of %zu: %d%%%s", tracing->number, tracing->count, percent,
           percent == 100 ? "\r\033[K" : "");
}

/* ---- options ---- */

static int read_length(const ct_arguments *arguments, const char *name, double most, double *number)
{
    const char *text = ct_option_value(arguments, name);
    char *end;
    if (!text) return -1;
    *number = strtod(text, &end);
    bool is_good = end != text && !*end && *number >= 0 && *number <= most;
    return is_good
               ? -1
               : ct_usage_error(arguments, "--%s expects a number from 0 to %g; not '%s'", name, most, text);
}

static int read_quality(ct_tracing *tracing, const ct_arguments *arguments)
{
    static const char *const high_only[] = {"samples", "aperture", "shutter"};
    const char *quality = ct_option_value(arguments, "quality");
    tracing->is_on = quality && !strcmp(quality, "high");
    if (quality && !tracing->is_on && strcmp(quality, "fast") != 0)
        return ct_usage_error(arguments, "--quality is 'fast' or 'high'; not '%s'", quality);
    for (size_t k = 0; k < sizeof high_only / sizeof *high_only && !tracing->is_on; k++)
        if (ct_option_given(arguments, high_only[k]))
            return ct_usage_error(arguments, "--%s needs --quality high", high_only[k]);
    return -1;
}

int ct_tracing_read(ct_tracing *tracing, const ct_arguments *arguments)
{
    long long samples = 64;
    int code = read_quality(tracing, arguments);
    if (code >= 0 || !tracing->is_on) return code;
    tracing->def = (ct_trace_def){.should_stop = should_stop, .tell = tell, .user = tracing, .shutter = -1};
    code = ct_option_integer(arguments, "samples", 1, 65536, &samples);
    if (code < 0) code = read_length(arguments, "aperture", 1e6, &tracing->def.aperture);
    if (code < 0) code = read_length(arguments, "shutter", 1e6, &tracing->def.shutter);
    tracing->def.samples = (int)samples;
    tracing->is_quiet = ct_option_given(arguments, "quiet");
    if (code < 0 && !ct_trace_is_possible()) {
        fprintf(stderr, "continua: error: this build cannot trace rays: install Embree (libembree-dev) and "
                        "build continua again\n");
        code = CT_FAILED;
    }
    if (code < 0) ct_signals_catch();
    return code;
}

/* ---- pictures that are kept ---- */

/* All that changes a picture, beside its frame. */
static ct_status write_settings(const ct_tracing *tracing, const ct_look *look, ct_text *text,
                                ct_error *error)
{
    const ct_trace_def *def = &tracing->def;
    const ct_camera_def *camera = &look->camera;
    ct_text_print(text, "continua %s\nsize %d %d\nsamples %d\naperture %.17g\nshutter %.17g\nlight %d\n",
                  CT_VERSION_TEXT, look->width, look->height, def->samples, def->aperture, def->shutter,
                  look->is_light);
    ct_text_print(text, "color_by %s %.17g %.17g\ncamera %d", look->color_by ? look->color_by : "",
                  look->range[0], look->range[1], camera->is_set);
    for (int a = 0; a < 3; a++) ct_text_print(text, " %.17g %.17g", camera->from[a], camera->target[a]);
    ct_text_print(text, " %.17g\nbounds", camera->fov);
    for (int a = 0; a < 3; a++) ct_text_print(text, " %.17g %.17g", look->bounds[0][a], look->bounds[1][a]);
    ct_text_print(text, "\n");
    return text->failed ? ct_fail_memory(error, text->length) : CT_OK;
}

static bool is_same(ct_heap *heap, const char *path, const ct_text *text)
{
    char *bytes = NULL;
    size_t count = 0;
    ct_error ignored;
    bool is_there = !access(path, R_OK) && !ct_file_load(heap, path, 1 << 20, &bytes, &count, &ignored);
    bool is_same = is_there && count == text->length && !memcmp(bytes, text->data, count);
    ct_release(heap, bytes);
    return is_same;
}

static char *picture_path(const ct_tracing *tracing, size_t number)
{
    char name[40];
    snprintf(name, sizeof name, CT_NUMBERED_PICTURE, (uint64_t)number);
    return ct_path_join(tracing->heap, tracing->folder, name);
}

/* Pictures of other settings must not be taken for these. */
static ct_status start_anew(ct_tracing *tracing, const char *path, const ct_text *text, ct_error *error)
{
    for (size_t k = 0, missing = 0; missing < 1000; k++) {
        char *picture = picture_path(tracing, k);
        if (!picture) return ct_fail_memory(error, 64);
        missing = unlink(picture) ? missing + 1 : 0;
        ct_release(tracing->heap, picture);
    }
    ct_file file;
    ct_status status = ct_file_create(&file, tracing->heap, ct_to(path), error);
    if (status) return status;
    ct_file_write(&file, text->data, text->length);
    return ct_file_commit(&file, error);
}

ct_status ct_tracing_keep(ct_tracing *tracing, ct_heap *heap, const char *folder, const char *film,
                          const ct_look *look, ct_error *error)
{
    static const char ending[] = "_pictures";
    const char *base = folder ? folder : film;
    size_t length = strlen(base), cut = !folder && length > 4 ? length - 4 : length;
    tracing->heap = heap;
    tracing->folder = ct_allocate(heap, length + sizeof ending);
    if (!tracing->folder) return ct_fail_memory(error, length + sizeof ending);
    memcpy(tracing->folder, base, length + 1);
    if (!folder) memcpy(tracing->folder + cut, ending, sizeof ending);
    ct_status status = ct_folder_create(tracing->folder, error);
    char *path = status ? NULL : ct_path_join(heap, tracing->folder, SETTINGS_NAME);
    ct_text text = {.heap = heap};
    if (!status) status = path ? write_settings(tracing, look, &text, error) : ct_fail_memory(error, length);
    if (!status && !is_same(heap, path, &text)) status = start_anew(tracing, path, &text, error);
    ct_text_release(&text);
    ct_release(heap, path);
    return status;
}

void ct_tracing_release(ct_tracing *tracing)
{
    if (tracing->heap) ct_release(tracing->heap, tracing->folder);
    tracing->folder = NULL;
}

bool ct_tracing_begin(ct_tracing *tracing, size_t number, size_t picture, size_t count, const char *frame)
{
    tracing->number = number;
    tracing->count = count;
    tracing->percent = 0;
    if (!tracing->folder) return true;
    char *path = picture_path(tracing, picture);
    struct stat drawn, shown;
    bool is_there = path && !stat(path, &drawn) && !stat(frame, &shown);
    ct_release(tracing->heap, path);
    if (!is_there) return true;
    return drawn.st_mtim.tv_sec < shown.st_mtim.tv_sec ||
           (drawn.st_mtim.tv_sec == shown.st_mtim.tv_sec && drawn.st_mtim.tv_nsec < shown.st_mtim.tv_nsec);
}

ct_status ct_tracing_film(const ct_tracing *tracing, const char *path, size_t first, size_t last,
                          double frames_per_second, ct_error *error)
{
    ct_film *film = NULL;
    ct_status status = CT_OK;
    for (size_t k = first; k <= last && !status; k++) {
        ct_image image = {.heap = tracing->heap};
        char *picture = picture_path(tracing, k);
        status =
            picture ? ct_image_load_png(tracing->heap, picture, &image, error) : ct_fail_memory(error, 64);
        if (!status && !film)
            status =
                ct_film_open(tracing->heap, path, image.width, image.height, frames_per_second, &film, error);
        if (!status) status = ct_film_add(film, &image, error);
        ct_image_release(&image);
        ct_release(tracing->heap, picture);
    }
    if (!status) return ct_film_close(film, error);
    ct_film_abandon(film);
    return status;
}
