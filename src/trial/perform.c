/* One run of a case: the world of its scene in memory, stepped to the end, measured at each frame. */
#include "trial/trial.h"

#include "core/clock.h"
#include "core/file.h"
#include "look/look.h"
#include "run/run.h"
#include "world.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The scene with the settings of the case, one more (NULL: none) and the seed (-1: its own), in the order
 * that later ones win; then refined, from what it has become by them. */
static ct_status load_scene(const ct_trial *trial, const ct_case *one, int seed, const char *more,
                            const ct_trial_options *options, ct_scene **scene, ct_error *error)
{
    const char *settings[3 * CT_MOST_TEXTS + 2];
    char seeded[32];
    int count = 0;
    for (int k = 0; k < one->set.count; k++) settings[count++] = one->set.texts[k];
    for (int k = 0; k < one->quick.count && options->is_quick; k++) settings[count++] = one->quick.texts[k];
    if (more) settings[count++] = more;
    snprintf(seeded, sizeof seeded, "seed=%d", seed);
    if (seed >= 0) settings[count++] = seeded;
    ct_status status = ct_scene_load(one->scene, settings, count, scene, error);
    if (status || !options->halvings) return status;
    ct_refined_setting finer[CT_MOST_TEXTS];
    int finer_count;
    status = ct_refined_settings(trial, *scene, options->halvings, finer, &finer_count, error);
    ct_scene_destroy(*scene);
    for (int k = 0; k < finer_count && !status; k++) settings[count++] = finer[k];
    return status ? status : ct_scene_load(one->scene, settings, count, scene, error);
}

static void note_limit(ct_sampling *sampling, const ct_world_info *info)
{
    if (!strcmp(info->limited_by, "frame") && sampling->steps) return; /* says nothing about the simulation */
    sampling->dt = info->dt;
    sampling->least_dt = fmin(sampling->least_dt, info->dt);
    sampling->steps++;
    int k = 0;
    while (k < 15 && sampling->limits[k].steps && strcmp(sampling->limits[k].name, info->limited_by) != 0)
        k++;
    snprintf(sampling->limits[k].name, sizeof sampling->limits[k].name, "%s", info->limited_by);
    sampling->limits[k].steps++;
}

static void release_particles(ct_sampling *sampling)
{
    ct_release(sampling->heap, sampling->position);
    ct_release(sampling->heap, sampling->mass);
    ct_release(sampling->heap, sampling->body);
    ct_release(sampling->heap, sampling->chosen);
    ct_release(sampling->heap, sampling->numbers);
    sampling->position = NULL;
    sampling->mass = sampling->body = sampling->numbers = NULL;
    sampling->chosen = NULL;
}

/* What most measures need of the particles. */
static ct_status read_particles(ct_sampling *sampling, ct_error *error)
{
    release_particles(sampling);
    ct_heap *heap = sampling->heap;
    ct_quantity_info info;
    sampling->count = ct_world_get_info(sampling->world).particles;
    sampling->chosen = ct_allocate(heap, sampling->count + 1);
    sampling->numbers = ct_allocate(heap, (sampling->count + 1) * sizeof *sampling->numbers);
    if (!sampling->chosen || !sampling->numbers) return ct_fail_memory(error, sampling->count * 9);
    double *position;
    ct_status status = ct_quantity_load(heap, sampling->world, "position", &info, &position, error);
    sampling->position = (double(*)[3])position;
    if (!status) status = ct_quantity_load(heap, sampling->world, "mass", &info, &sampling->mass, error);
    if (!status) status = ct_quantity_load(heap, sampling->world, "body", &info, &sampling->body, error);
    if (status || sampling->start) return status;
    size_t bytes = sampling->count * sizeof *sampling->start;
    sampling->start = ct_allocate(heap, bytes + 1);
    if (!sampling->start) return ct_fail_memory(error, bytes);
    memcpy(sampling->start, sampling->position, bytes);
    sampling->start_count = sampling->count;
    return CT_OK;
}

ct_status ct_series_grow(ct_heap *heap, const ct_trial *trial, ct_case_result *result, ct_error *error)
{
    size_t capacity = result->capacity;
    ct_status status = ct_array_grow(heap, &result->time, result->samples, &capacity, result->samples + 1,
                                     sizeof *result->time, error);
    for (int m = 0; m < trial->measure_count && !status; m++) {
        capacity = result->capacity;
        status = ct_array_grow(heap, &result->series[m], result->samples, &capacity, result->samples + 1,
                               sizeof *result->series[m], error);
    }
    if (!status) result->capacity = capacity;
    return status;
}

static ct_status take_sample(const ct_trial *trial, ct_sampling *sampling, ct_case_result *result,
                             ct_error *error)
{
    ct_status status = read_particles(sampling, error);
    if (!status) status = ct_series_grow(sampling->heap, trial, result, error);
    for (int m = 0; m < trial->measure_count && !status; m++) {
        status = ct_measure_now(sampling, &trial->measures[m], &result->series[m][result->samples], error);
    }
    sampling->particle_steps_before = sampling->particle_steps;
    if (!status) result->time[result->samples++] = ct_world_get_info(sampling->world).time;
    sampling->least_dt = NAN;
    return status;
}

/* Steps to the instant. CT_DIVERGED is a result. */
static ct_status advance(ct_world *world, double instant, ct_sampling *sampling, ct_case_result *result,
                         const ct_trial_options *options, ct_error *error)
{
    while (ct_world_get_info(world).time < instant) {
        if (options->should_stop && options->should_stop(options->user))
            return ct_fail(error, CT_FAILED, "interrupted");
        double begin = ct_now();
        clock_t cpu = clock();
        ct_status status = ct_world_step_towards(world, instant, error);
        sampling->cpu_seconds += (double)(clock() - cpu) / CLOCKS_PER_SEC;
        result->runs->seconds += ct_now() - begin;
        if (status) return status;
        ct_world_info info = ct_world_get_info(world);
        note_limit(sampling, &info);
        sampling->particle_steps += (double)info.particles;
    }
    return CT_OK;
}

static ct_status save_picture(const ct_trial_result *result, const ct_scene *scene, const ct_world *world,
                              const char *name, ct_error *error)
{
    char file[80];
    snprintf(file, sizeof file, "%.60s.png", name);
    ct_heap *heap = result->heap;
    ct_arena arena = {.heap = heap};
    ct_look look;
    ct_frame frame = {0};
    ct_recorder *recorder = NULL;
    char *path = ct_path_join(heap, result->folder, file);
    ct_status status =
        path ? ct_look_of_scene(scene, &arena, &look, error) : ct_fail_memory(error, sizeof file);
    if (!status) status = ct_frame_read(heap, world, scene, &frame, error);
    if (!status && frame.count) {
        look.width = 480, look.height = 360, look.is_light = true;
        status = ct_recorder_open(heap, &look, 1, NULL, 24, &recorder, error);
        if (!status) status = ct_recorder_add(recorder, &frame, error);
        if (!status) status = ct_image_save_png(ct_recorder_image(recorder), path, error);
        ct_recorder_abandon(recorder);
    }
    if (frame.fields) ct_frame_release(heap, &frame);
    ct_release(heap, path);
    ct_arena_release(&arena);
    return status;
}

static ct_status step_through(const ct_trial *trial, const ct_scene *scene, ct_world *world,
                              ct_sampling *sampling, const ct_trial_options *options, ct_case_result *result,
                              ct_error *error)
{
    ct_status status = take_sample(trial, sampling, result, error);
    uint64_t total = ct_frame_total(scene);
    for (uint64_t k = 1; k < total && !status; k++) {
        status = advance(world, ct_frame_instant(scene, k), sampling, result, options, error);
        if (!status) status = take_sample(trial, sampling, result, error);
    }
    if (status != CT_DIVERGED) return status;
    result->runs->diverged = 1;
    snprintf(result->message, sizeof result->message, "diverged at %.4g s", ct_world_get_info(world).time);
    return CT_OK;
}

static void finish(const ct_trial *trial, const ct_sampling *sampling, ct_case_result *result)
{
    ct_world_info info = ct_world_get_info(sampling->world);
    ct_run *run = result->runs;
    result->was_run = true;
    run->end = info.time;
    run->steps = (double)info.step;
    run->particles = (double)info.particles;
    run->cost = 1e9 * run->seconds / fmax(sampling->particle_steps, 1);
    for (int m = 0; m < trial->measure_count; m++) {
        double *series = result->series[m], first = result->samples ? series[0] : 1;
        for (size_t k = 0; k < result->samples && trial->measures[m].is_relative; k++) series[k] /= first;
        run->values[m] = ct_take(&trial->measures[m], result->time, series, result->samples);
    }
}

ct_status ct_run_perform(const ct_case *one, int seed, const char *more, const ct_trial_options *options,
                         const ct_trial_result *result, ct_case_result *outcome, ct_error *error)
{
    const ct_trial *trial = result->trial;
    ct_scene *scene;
    ct_world *world = NULL;
    ct_status status = load_scene(trial, one, seed, more, options, &scene, error);
    if (status) return status;
    double field_seed = seed > 0 ? seed : 0;
    ct_sampling *sampling = ct_allocate_zero(result->heap, sizeof *sampling);
    if (!sampling) status = ct_fail_memory(error, sizeof *sampling);
    if (!status) status = ct_world_from_scene(scene, options->threads, &world, error);
    if (!status) status = ct_field_set_velocity(result->heap, world, &one->velocity, field_seed, error);
    if (!status) {
        sampling->heap = result->heap;
        sampling->dt = sampling->least_dt = NAN;
        sampling->world = world;
        sampling->scene = scene;
        sampling->seed = field_seed;
        status = read_particles(sampling, error); /* where they began is where the scene has them */
        if (!status) status = ct_field_set_place(result->heap, world, &one->place, field_seed, error);
        if (!status) status = step_through(trial, scene, world, sampling, options, outcome, error);
        finish(trial, sampling, outcome);
        if (!status && seed <= 0 && trial->has_picture && result->folder)
            status = save_picture(result, scene, world, one->name, error);
        release_particles(sampling);
        ct_release(result->heap, sampling->start);
    }
    ct_release(result->heap, sampling);
    ct_world_destroy(world);
    ct_scene_destroy(scene);
    return status;
}
