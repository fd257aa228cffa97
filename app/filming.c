#include "filming.h"
#include "core/clock.h"
#include "look/fit.h"
#include "look/replay.h"

#include <math.h>
#include <string.h>

struct ct_filming {
    ct_heap heap;
    ct_arena arena; /* owns paths and colours */
    const ct_run *run;
    ct_look look;   /* as it is drawn */
    ct_look motion; /* as it would be, fitted to what has happened so far */
    ct_recorder *recorder;
    const char *film, *pictures, *picture; /* paths; film or pictures is NULL */
    ct_image telling;                      /* the picture that tells most; empty: still to come */
    double last_saved, saving;             /* s, on the monotonic clock, of picture.png; how long that took */
    ct_status failure;
    ct_error error; /* why */
};

static const double SAVE_EVERY = 2;      /* s: how often picture.png is renewed */
static const double SAVE_SHARE = 0.01;   /* of the time: how much that may cost */
static const double MOST_OUTSIDE = 0.05; /* of the longest side: how far the motion may leave what is shown */
static const double MOST_LOOSE = 1.75;   /* how much smaller than it could be the motion may be shown */
static const double MOST_OFF = 0.25;     /* of the range of colours: how far its ends may be off */

/* ---- opening ---- */

static const char *path_to(ct_filming *filming, const char *name)
{
    const char *folder = ct_run_folder(filming->run);
    size_t length = strlen(folder), size = strlen(name);
    char *path = ct_arena_allocate(&filming->arena, length + size + 2);
    if (!path) return NULL;
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, name, size + 1);
    return path;
}

static ct_status choose_paths(ct_filming *filming, ct_error *error)
{
    bool is_film = ct_film_is_possible();
    const char *main_path = path_to(filming, is_film ? CT_FILM_NAME : CT_PICTURES_NAME);
    filming->picture = path_to(filming, CT_PICTURE_NAME);
    if (!main_path || !filming->picture) return ct_fail_memory(error, strlen(ct_run_folder(filming->run)));
    *(is_film ? &filming->film : &filming->pictures) = main_path;
    return is_film ? CT_OK : ct_folder_create(main_path, error);
}

/* Draws the frames that an earlier session left. */
static void catch_up(ct_filming *filming, uint64_t count)
{
    ct_replay replay;
    int dimension = ct_run_scene(filming->run)->world.dimension;
    filming->failure = ct_replay_open(&filming->heap, ct_run_folder(filming->run), &replay, &filming->error);
    if (filming->failure) return;
    for (uint64_t k = 0; k < count && k < replay.count && !filming->failure; k++) {
        ct_replay_frame loaded;
        filming->failure =
            ct_replay_load(&filming->heap, &replay, (size_t)k, dimension, &loaded, &filming->error);
        if (filming->failure) break;
        ct_filming_add(filming, k, &loaded.frame);
        ct_replay_release(&loaded);
    }
    ct_replay_close(&replay);
}

static void destroy(ct_filming *filming)
{
    ct_heap heap = filming->heap;
    ct_recorder_abandon(filming->recorder);
    ct_image_release(&filming->telling);
    ct_arena_release(&filming->arena);
    ct_release(&heap, filming);
}

ct_status ct_filming_start(const ct_run *run, ct_filming **result, ct_error *error)
{
    *result = NULL;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_filming *filming = ct_allocate_zero(&heap, sizeof *filming);
    if (!filming) return ct_fail_memory(error, sizeof *filming);
    ct_heap_init(&filming->heap, (ct_allocator){0});
    filming->arena.heap = &filming->heap;
    filming->run = run;
    ct_status status = ct_look_of_scene(ct_run_scene(run), &filming->arena, &filming->look, error);
    if (!status) status = choose_paths(filming, error);
    if (status) {
        destroy(filming);
        return status;
    }
    filming->motion = filming->look;
    memset(filming->motion.bounds, 0, sizeof filming->motion.bounds);
    uint64_t written = ct_run_get_progress(run).frames_written;
    if (written) catch_up(filming, written);
    *result = filming;
    return CT_OK;
}

/* ---- drawing ---- */

/* The first frame tells what the camera will see; the recorder settles the rest. */
static ct_status begin(ct_filming *filming, const ct_frame *frame, ct_error *error)
{
    const ct_scene *scene = ct_run_scene(filming->run);
    int threads = ct_world_get_info(ct_run_world(filming->run)).threads;
    ct_look_foresee(&filming->look, frame);
    filming->look.until = scene->end;
    return ct_recorder_open(&filming->heap, &filming->look, threads, filming->film, ct_replay_rate(scene),
                            &filming->recorder, error);
}

/* The picture that tells most is the one `continua render` takes: two thirds into the run. */
static ct_status keep(ct_filming *filming, uint64_t number, ct_error *error)
{
    const ct_image *image = ct_recorder_image(filming->recorder);
    uint64_t telling = (ct_run_get_progress(filming->run).frames - 1) * 2 / 3;
    ct_status status = CT_OK;
    if (filming->pictures) status = ct_image_save_numbered(image, filming->pictures, number, error);
    if (!status && number == telling) {
        size_t bytes = (size_t)image->width * (size_t)image->height * sizeof *image->pixels;
        filming->telling = *image;
        filming->telling.pixels = ct_allocate(filming->telling.heap, bytes);
        if (!filming->telling.pixels) return ct_fail_memory(error, bytes);
        memcpy(filming->telling.pixels, image->pixels, bytes);
    }
    double now = ct_now();
    if (status || now - filming->last_saved < fmax(SAVE_EVERY, filming->saving / SAVE_SHARE)) return status;
    status = ct_image_save_png(image, filming->picture, error);
    filming->last_saved = ct_now(), filming->saving = filming->last_saved - now;
    return status;
}

void ct_filming_add(ct_filming *filming, uint64_t number, const ct_frame *frame)
{
    if (!filming || filming->failure || !ct_run_is_in_place(filming->run)) return;
    ct_error *error = &filming->error;
    ct_status status = filming->recorder ? CT_OK : begin(filming, frame, error);
    if (!status) status = ct_look_include(&filming->heap, &filming->motion, frame, error);
    if (!status) status = ct_recorder_add(filming->recorder, frame, error);
    if (!status) status = keep(filming, number, error);
    filming->failure = status;
}

bool ct_filming_has_film(const ct_filming *filming)
{
    return filming->film != NULL;
}

/* ---- the end ---- */

/* What decides how near the camera can be: pictures are wider than high. */
static double size_of(const double bounds[2][3])
{
    double wide = fmax(bounds[1][0] - bounds[0][0], bounds[1][2] - bounds[0][2]);
    return fmax(wide * 9 / 16, bounds[1][1] - bounds[0][1]);
}

/* Whether what was foreseen suits what happened. */
static bool suits(const ct_look *drawn, const ct_look *motion)
{
    double room = ct_longest_side(drawn->bounds);
    for (int a = 0; a < 3 && !drawn->camera.is_set; a++)
        if (motion->bounds[0][a] < drawn->bounds[0][a] - MOST_OUTSIDE * room ||
            motion->bounds[1][a] > drawn->bounds[1][a] + MOST_OUTSIDE * room)
            return false;
    if (!drawn->camera.is_set && size_of(drawn->bounds) > MOST_LOOSE * size_of(motion->bounds)) return false;
    double span = motion->range[1] - motion->range[0];
    for (int k = 0; k < 2; k++)
        if (fabs(drawn->range[k] - motion->range[k]) > MOST_OFF * span) return false;
    return true;
}

ct_status ct_filming_end(ct_filming *filming, bool *is_good, ct_error *error)
{
    *is_good = true;
    ct_status status = filming->failure;
    if (error) *error = filming->error;
    if (!status && filming->recorder) {
        const ct_image *last = ct_recorder_image(filming->recorder);
        status =
            ct_image_save_png(filming->telling.pixels ? &filming->telling : last, filming->picture, error);
        *is_good = suits(ct_recorder_look(filming->recorder), &filming->motion);
        if (!status) {
            status = ct_recorder_close(filming->recorder, error);
            filming->recorder = NULL;
        }
    }
    destroy(filming);
    return status;
}
