#include "view/answers.h"
#include "core/clock.h"
#include "core/file.h"
#include "look/color.h"
#include "run/run.h"
#include "scene/json.h"
#include "view/surfaces.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 4096, STATS_BYTES = 1 << 20, MOST_FRAMES_A_STATE = 20000 };

static const double LONGEST_WAIT = 10; /* s, for news */
static const long LOOK_EVERY = 30;     /* ms, whether there are any */

/* ---- what is asked ---- */

static uint64_t number_of(const ct_question *question, const char *name)
{
    char text[32];
    return question->read(question->request, name, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

/* The item that the request names, in a list to be released; an error where there is none. */
static ct_status find_item(const ct_question *question, ct_items *items, const ct_item **item,
                           ct_error *error)
{
    char name[NAME_SIZE];
    if (!question->read(question->request, "item", name, sizeof name)) name[0] = '\0';
    ct_status status = ct_items_list(question->heap, question->paths, question->path_count, items, error);
    if (status) return status;
    *item = ct_items_find(items, name);
    if (*item) return CT_OK;
    ct_items_release(items);
    return ct_fail(error, CT_BAD_USAGE, "there is nothing of that name here");
}

/* ---- JSON ---- */

static void put_vector(ct_json *json, const char *key, const double *vector, int count)
{
    ct_json_begin(json, key, '[');
    for (int k = 0; k < count; k++) ct_json_number(json, NULL, vector[k]);
    ct_json_end(json, ']');
}

/* "#c04030": the colour given, or ours where none is. */
static void put_color(ct_json *json, const double given[3], ct_vec ours)
{
    char text[8];
    ct_vec color = given[0] < 0 ? ours : (ct_vec){(float)given[0], (float)given[1], (float)given[2]};
    snprintf(text, sizeof text, "#%02x%02x%02x", ct_srgb_byte(color.x), ct_srgb_byte(color.y),
             ct_srgb_byte(color.z));
    ct_json_text(json, "color", text);
}

static void put_bodies(ct_json *json, const ct_scene *scene)
{
    ct_json_begin(json, "bodies", '[');
    for (int b = 0; scene && b < scene->body_count; b++) {
        ct_json_begin(json, NULL, '{');
        ct_json_text(json, "name", scene->bodies[b].name);
        put_color(json, scene->bodies[b].color, ct_color_of_body(b));
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
}

static void put_colliders(ct_json *json, const ct_scene *scene)
{
    static const ct_vec grey = {0.3f, 0.33f, 0.38f};
    ct_json_begin(json, "colliders", '[');
    for (int c = 0; scene && c < scene->collider_count; c++) {
        ct_json_begin(json, NULL, '{');
        ct_json_text(json, "name", scene->colliders[c].name);
        put_color(json, scene->colliders[c].color, grey);
        ct_json_bool(json, "moves", ct_collider_moves(&scene->colliders[c]));
        ct_json_end(json, '}');
    }
    ct_json_end(json, ']');
}

static void put_scene(ct_json *json, const ct_scene *scene)
{
    ct_json_number(json, "dimension", scene->world.dimension);
    ct_json_number(json, "end", scene->end);
    ct_json_number(json, "interval", scene->frame);
    ct_json_number(json, "frames_in_all", (double)ct_frame_total(scene));
    if (scene->output.color_by) ct_json_text(json, "color_by", scene->output.color_by);
    if (scene->world.has_domain) {
        ct_json_begin(json, "domain", '[');
        put_vector(json, NULL, scene->world.domain_min, 3);
        put_vector(json, NULL, scene->world.domain_max, 3);
        ct_json_end(json, ']');
    }
    const ct_camera_def *camera = &scene->output.camera;
    if (!camera->is_set) return;
    ct_json_begin(json, "camera", '{');
    put_vector(json, "from", camera->from, 3);
    put_vector(json, "target", camera->target, 3);
    ct_json_number(json, "fov", camera->fov * 57.29577951308232);
    ct_json_end(json, '}');
}

static const char *state_of(const ct_item *item, const ct_scene *scene, size_t frames)
{
    if (item->kind == CT_ITEM_SCENE) return "scene";
    if (item->kind == CT_ITEM_FRAME) return "frame";
    if (scene && frames >= ct_frame_total(scene)) return "finished";
    return ct_item_is_being_written(item) ? "running" : "stopped";
}

static const char *title_of(const ct_item *item, const ct_scene *scene)
{
    if (scene && scene->title && *scene->title) return scene->title;
    if (scene && scene->name && *scene->name) return scene->name;
    const char *slash = strrchr(item->name, '/');
    return slash ? slash + 1 : item->name;
}

static void put_item(ct_json *json, const ct_item *item, const ct_scene *scene, size_t frames)
{
    char signature[CT_SIGNATURE_SIZE];
    ct_item_signature(item, signature);
    ct_json_text(json, "name", item->name);
    ct_json_text(json, "title", title_of(item, scene));
    ct_json_text(json, "state", state_of(item, scene, frames));
    ct_json_text(json, "signature", signature);
    ct_json_number(json, "frames", (double)frames);
}

static ct_status finish(ct_json *json, ct_answer *answer, ct_error *error)
{
    ct_json_end(json, '}');
    answer->type = "application/json";
    return answer->body.failed ? ct_fail_memory(error, answer->body.length) : CT_OK;
}

/* ---- /api/items ---- */

/* A scene with a mistake is still an item: its title is its name, and its state says what is wrong when it is
 * opened. */
static ct_status answer_items(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    ct_status status = ct_items_list(question->heap, question->paths, question->path_count, &items, error);
    if (status) return status;
    ct_json json = {.text = &answer->body};
    ct_json_begin(&json, NULL, '{');
    ct_json_text(&json, "version", ct_version_text());
    ct_json_begin(&json, "items", '[');
    for (size_t i = 0; i < items.count && !status; i++) {
        ct_scene *scene = NULL;
        uint64_t *numbers;
        size_t frames;
        ct_item_scene(&items.items[i], &scene, NULL);
        status = ct_item_frames(question->heap, &items.items[i], &numbers, &frames, error);
        ct_json_begin(&json, NULL, '{');
        if (!status) put_item(&json, &items.items[i], scene, frames);
        if (scene) ct_json_number(&json, "frames_in_all", (double)ct_frame_total(scene));
        ct_json_end(&json, '}');
        if (!status) ct_release(question->heap, numbers);
        ct_scene_destroy(scene);
    }
    ct_json_end(&json, ']');
    ct_items_release(&items);
    return status ? status : finish(&json, answer, error);
}

/* ---- /api/state ---- */

static void wait_for_news(const ct_question *question, const ct_item *item)
{
    char seen[CT_SIGNATURE_SIZE], now[CT_SIGNATURE_SIZE];
    if (!question->read(question->request, "seen", seen, sizeof seen)) return;
    double begin = ct_now();
    for (;;) {
        ct_item_signature(item, now);
        if (strcmp(now, seen) != 0 || ct_now() - begin > LONGEST_WAIT ||
            !question->may_wait(question->request))
            return;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY * 1000000}, NULL);
    }
}

/* Numbers and times of the frames from the first-th on. */
static void put_frames(ct_json *json, const ct_scene *scene, const uint64_t *numbers, size_t first,
                       size_t last)
{
    ct_json_number(json, "from", (double)first);
    ct_json_begin(json, "numbers", '[');
    for (size_t i = first; i < last; i++) ct_json_number(json, NULL, (double)numbers[i]);
    ct_json_end(json, ']');
    ct_json_begin(json, "times", '[');
    for (size_t i = first; i < last; i++)
        ct_json_number(json, NULL, scene ? ct_frame_instant(scene, numbers[i]) : (double)numbers[i]);
    ct_json_end(json, ']');
}

static ct_status put_state(const ct_question *question, const ct_item *item, ct_answer *answer,
                           ct_error *error)
{
    ct_scene *scene;
    uint64_t *numbers;
    size_t count;
    wait_for_news(question, item);
    ct_status status = ct_item_scene(item, &scene, error);
    if (status) return status;
    status = ct_item_frames(question->heap, item, &numbers, &count, error);
    if (!status) {
        ct_json json = {.text = &answer->body};
        uint64_t first = number_of(question, "from");
        if (first > count) first = 0; /* fewer than there were: another run */
        size_t last = count - first > MOST_FRAMES_A_STATE ? first + MOST_FRAMES_A_STATE : count;
        ct_json_begin(&json, NULL, '{');
        put_item(&json, item, scene, count);
        ct_json_text(&json, "path", item->path);
        ct_json_text(&json, "kind",
                     item->kind == CT_ITEM_RUN     ? "run"
                     : item->kind == CT_ITEM_SCENE ? "scene"
                                                   : "frame");
        if (scene) put_scene(&json, scene);
        put_bodies(&json, scene);
        put_colliders(&json, scene);
        put_frames(&json, scene, numbers, first, last);
        status = finish(&json, answer, error);
        ct_release(question->heap, numbers);
    }
    ct_scene_destroy(scene);
    return status;
}

static ct_status answer_state(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    const ct_item *item;
    ct_status status = find_item(question, &items, &item, error);
    if (status) return status;
    status = put_state(question, item, answer, error);
    ct_items_release(&items);
    return status;
}

/* ---- /api/frame ---- */

static ct_status answer_frame(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    const ct_item *item;
    char field[64];
    ct_status status = find_item(question, &items, &item, error);
    if (status) return status;
    if (!question->read(question->request, "field", field, sizeof field)) field[0] = '\0';
    answer->type = "application/octet-stream";
    status =
        ct_studio_frame(question->studio, item, number_of(question, "frame"), field, &answer->body, error);
    ct_items_release(&items);
    return status;
}

static ct_status answer_colliders(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    const ct_item *item;
    ct_status status = find_item(question, &items, &item, error);
    if (status) return status;
    answer->type = "application/octet-stream";
    status = ct_studio_surfaces(question->studio, item, number_of(question, "frame"), &answer->body, error);
    ct_items_release(&items);
    return status;
}

/* ---- /api/stats ---- */

/* Whole rows from byte `from` on; from the start where the file is shorter than that, as after a resume. */
static ct_status read_rows(const ct_question *question, const char *path, ct_answer *answer, ct_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return CT_OK; /* no statistics yet */
    char *bytes = ct_allocate(question->heap, STATS_BYTES);
    uint64_t from = number_of(question, "from");
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size < 0 || from > (uint64_t)size) from = 0;
    ssize_t count = bytes ? pread(descriptor, bytes, STATS_BYTES, (off_t)from) : 0;
    int reason = errno;
    close(descriptor);
    ct_status status = CT_OK;
    if (!bytes) status = ct_fail_memory(error, STATS_BYTES);
    else if (count < 0) status = ct_fail(error, CT_BAD_IO, "cannot read '%s': %s", path, strerror(reason));
    while (!status && count > 0 && bytes[count - 1] != '\n') count--;
    if (!status) {
        ct_text_append(&answer->body, bytes, (size_t)count);
        answer->next = from + (uint64_t)count;
    }
    ct_release(question->heap, bytes);
    return status;
}

static ct_status answer_stats(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    const ct_item *item;
    ct_status status = find_item(question, &items, &item, error);
    if (status) return status;
    answer->type = "text/csv";
    char *path = item->kind == CT_ITEM_RUN ? ct_path_join(question->heap, item->path, "stats.csv") : NULL;
    if (path) status = read_rows(question, path, answer, error);
    ct_release(question->heap, path);
    ct_items_release(&items);
    return status;
}

/* ---- /api/thumbnail, /api/maps ---- */

static ct_status answer_thumbnail(const ct_question *question, ct_answer *answer, ct_error *error)
{
    ct_items items;
    const ct_item *item;
    ct_status status = find_item(question, &items, &item, error);
    if (status) return status;
    answer->type = "image/png";
    status = ct_studio_thumbnail(question->studio, item, &answer->body, error);
    ct_items_release(&items);
    return status;
}

static ct_status answer_maps(const ct_question *question, ct_answer *answer, ct_error *error)
{
    (void)question;
    ct_vec (*const maps[])(float) = {ct_color_sequential, ct_color_diverging};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < CT_MAP_COLORS; k++) {
            ct_vec color = maps[m]((float)k / (CT_MAP_COLORS - 1));
            uint8_t bytes[] = {ct_srgb_byte(color.x), ct_srgb_byte(color.y), ct_srgb_byte(color.z)};
            ct_text_append(&answer->body, bytes, sizeof bytes);
        }
    answer->type = "application/octet-stream";
    return answer->body.failed ? ct_fail_memory(error, 6 * CT_MAP_COLORS) : CT_OK;
}

/* ---- the list ---- */

ct_answerer ct_answerer_find(const char *path)
{
    static const struct {
        const char *path;
        ct_answerer answer;
    } list[] = {
        {"/api/items", answer_items},         {"/api/state", answer_state},
        {"/api/frame", answer_frame},         {"/api/stats", answer_stats},
        {"/api/thumbnail", answer_thumbnail}, {"/api/maps", answer_maps},
        {"/api/colliders", answer_colliders},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(list[i].path, path) == 0) return list[i].answer;
    return NULL;
}
