#include "look/props.h"
#include "scene/looks.h"

#include <math.h>
#include <string.h>

struct ct_recorder {
    ct_heap *heap;
    ct_pool *pool;
    ct_canvas *canvas;
    ct_props *props;       /* NULL: none */
    ct_look look, settled; /* as it is drawn; before room was made for colliders */
    ct_image image;        /* the last one drawn */
    ct_film *film;
    char *film_path; /* NULL: none is wanted */
    double frames_per_second;
    uint64_t count; /* frames drawn */
};

ct_status ct_recorder_open(ct_heap *heap, const ct_look *look, int threads, const char *film_path,
                           double frames_per_second, ct_recorder **result, ct_error *error)
{
    *result = NULL;
    ct_recorder *recorder = ct_allocate_zero(heap, sizeof *recorder);
    if (!recorder) return ct_fail_memory(error, sizeof *recorder);
    recorder->heap = heap;
    recorder->look = *look;
    recorder->frames_per_second = frames_per_second;
    ct_status status = ct_pool_create(heap, threads, &recorder->pool, error);
    if (!status) status = ct_canvas_create(heap, recorder->pool, &recorder->canvas, error);
    if (!status) status = ct_props_create(heap, recorder->pool, look->scene, &recorder->props, error);
    if (!status && film_path) {
        size_t length = strlen(film_path);
        recorder->film_path = ct_allocate(heap, length + 1);
        if (recorder->film_path) memcpy(recorder->film_path, film_path, length + 1);
        else status = ct_fail_memory(error, length + 1);
    }
    if (status) ct_recorder_abandon(recorder);
    else *result = recorder;
    return status;
}

/* What the look leaves open is settled by the first frame. Things will move beyond where they start: so the
 * bounds get room below and around. */
static ct_status settle(ct_recorder *recorder, const ct_frame *frame, ct_error *error)
{
    ct_look *look = &recorder->look, found = *look;
    ct_status status = ct_look_include(recorder->heap, &found, frame, error);
    if (status) return status;
    look->radius = found.radius;
    if (!(look->range[0] < look->range[1])) memcpy(look->range, found.range, sizeof look->range);
    for (int a = 0; a < 3; a++)
        if (look->bounds[0][a] != look->bounds[1][a]) return CT_OK;
    memcpy(look->bounds, found.bounds, sizeof look->bounds);
    for (int a = 0; a < frame->dimension; a++) {
        double room = 0.25 * (look->bounds[1][a] - look->bounds[0][a]);
        look->bounds[0][a] -= room;
        look->bounds[1][a] += room;
    }
    return CT_OK;
}

static ct_status begin(ct_recorder *recorder, const ct_frame *frame, ct_error *error)
{
    ct_look *look = &recorder->look;
    ct_status status = settle(recorder, frame, error);
    recorder->settled = *look;
    if (status || !recorder->props || look->camera.is_set) return status;
    double time = isfinite(frame->time) ? frame->time : 0;
    ct_props_include(recorder->props, fmin(time, look->since), fmax(time, look->until), look);
    return CT_OK;
}

ct_status ct_recorder_add(ct_recorder *recorder, const ct_frame *frame, ct_error *error)
{
    ct_status status = recorder->count ? CT_OK : begin(recorder, frame, error);
    if (status) return status;
    ct_image_release(&recorder->image);
    if (recorder->props)
        status = ct_props_show(recorder->props, frame->time, (const double(*)[3])recorder->look.bounds,
                               &recorder->look, error);
    if (!status) status = ct_canvas_draw(recorder->canvas, &recorder->look, frame, &recorder->image, error);
    if (!status && recorder->film_path && !recorder->film)
        status = ct_film_open(recorder->heap, recorder->film_path, recorder->image.width,
                              recorder->image.height, recorder->frames_per_second, &recorder->film, error);
    if (!status && recorder->film) status = ct_film_add(recorder->film, &recorder->image, error);
    if (!status) recorder->count++;
    return status;
}

const ct_image *ct_recorder_image(const ct_recorder *recorder)
{
    return recorder->image.pixels ? &recorder->image : NULL;
}

const ct_look *ct_recorder_look(const ct_recorder *recorder)
{
    return &recorder->settled;
}

void ct_recorder_turn(ct_recorder *recorder, double angle)
{
    recorder->look.turn = angle;
}

static void destroy(ct_recorder *recorder)
{
    ct_image_release(&recorder->image);
    ct_props_destroy(recorder->props);
    ct_canvas_destroy(recorder->canvas);
    ct_pool_destroy(recorder->pool);
    ct_release(recorder->heap, recorder->film_path);
    ct_release(recorder->heap, recorder);
}

ct_status ct_recorder_close(ct_recorder *recorder, ct_error *error)
{
    ct_status status = recorder->film ? ct_film_close(recorder->film, error) : CT_OK;
    destroy(recorder);
    return status;
}

void ct_recorder_abandon(ct_recorder *recorder)
{
    if (!recorder) return;
    ct_film_abandon(recorder->film);
    destroy(recorder);
}

ct_status ct_look_of_scene(const ct_scene *scene, ct_arena *arena, ct_look *look, ct_error *error)
{
    *look = (ct_look){.camera = scene->output.camera, .color_by = scene->output.color_by, .scene = scene};
    int bodies = ct_scene_body_count(scene);
    size_t bytes = (size_t)bodies * sizeof *look->body_colors;
    double(*colors)[3] = ct_arena_allocate(arena, bytes ? bytes : 1);
    const ct_material_look **looks = ct_arena_allocate(arena, ((size_t)bodies + 1) * sizeof *looks);
    if (!colors || !looks) return ct_fail_memory(error, bytes);
    for (int k = 0; k < bodies; k++) {
        const double *color;
        ct_scene_body(scene, k, &color);
        memcpy(colors[k], color, sizeof colors[k]);
        looks[k] = ct_look_of_material(ct_scene_body_material(scene, k));
        bool has_own = color[0] >= 0 || looks[k] == ct_look_at(0);
        if (!has_own) ct_look_color(looks[k], colors[k]);
    }
    look->body_colors = colors;
    look->body_looks = looks;
    look->body_count = bodies;
    const ct_world_def *world = &scene->world;
    if (!world->has_domain) return CT_OK;
    look->has_ground = world->dimension == 3;
    look->ground = world->domain_min[1];
    look->has_walls = true;
    memcpy(look->walls[0], world->domain_min, sizeof look->walls[0]);
    memcpy(look->walls[1], world->domain_max, sizeof look->walls[1]);
    memcpy(look->bounds, look->walls, sizeof look->bounds);
    for (int a = world->dimension; a < 3; a++) look->bounds[0][a] = look->bounds[1][a] = 0;
    return CT_OK;
}
