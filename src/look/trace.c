/* ct_trace_draw: from a frame to a finished picture. */
#include "look/color.h"
#include "look/denoise.h"
#include "look/fit.h"
#include "look/overlay.h"
#include "look/trace_parts.h"

#include <stdatomic.h>
#include <string.h>

enum { SAMPLES = 64, BATCH = 16, TILE = 16 };

static const float CALM = 0.012f; /* error of a pixel's light that is small enough, of itself and a little */
static const float SHOULDER = 0.65f; /* brighter light is compressed towards white */

typedef struct drawing {
    const ct_trace_def *def;
    ct_look look; /* with nothing left open */
    ct_camera view;
    ct_path_scene scene;
    ct_vec eye;
    float lens, focus; /* radius of the lens and distance of what is sharp, in units of the scene */
    int samples, columns;
    size_t tiles;
    atomic_size_t done;
    atomic_bool is_stopped;
    ct_noisy_pixel *pixels;
} drawing;

/* ---- one pixel ---- */

/* A ray through the pixel and the lens. The pixel's filter is a tent, two pixels wide. */
static ct_ray make_ray(const drawing *self, int x, int y, ct_random *random)
{
    float place[2], lens[2], time[2];
    ct_random_pair(random, place);
    ct_random_pair(random, lens);
    ct_random_pair(random, time);
    for (int k = 0; k < 2; k++)
        place[k] = place[k] < 0.5f ? sqrtf(2 * place[k]) - 1 : 1 - sqrtf(2 - 2 * place[k]);
    const ct_camera *view = &self->view;
    float across = ((float)x + 0.5f + place[0] - view->center[0]) / view->focal;
    float up = (view->center[1] - (float)y - 0.5f - place[1]) / view->focal;
    ct_vec target =
        ct_vec_add(view->forward, ct_vec_add(ct_vec_scale(view->right, across), ct_vec_scale(view->up, up)));
    ct_ray ray = {.from = self->eye, .direction = ct_vec_unit(target), .time = time[0]};
    if (!(self->lens > 0)) return ray;
    ct_vec sharp = ct_vec_scale(target, self->focus);
    float r = self->lens * sqrtf(lens[0]), turn = 6.2831853f * lens[1];
    ct_vec off =
        ct_vec_add(ct_vec_scale(view->right, r * cosf(turn)), ct_vec_scale(view->up, r * sinf(turn)));
    ray.from = ct_vec_add(self->eye, off);
    ray.direction = ct_vec_unit(ct_vec_sub(sharp, off));
    return ray;
}

static void add_sample(ct_noisy_pixel *sum, const ct_path_result *result)
{
    sum->light = ct_vec_add(sum->light, result->light);
    sum->albedo = ct_vec_add(sum->albedo, result->albedo);
    sum->normal = ct_vec_add(sum->normal, result->normal);
    sum->depth += result->depth;
    sum->matte += result->is_matte ? 1.0f : 0.0f;
}

/* Luminance as the eye will have it: errors in what is too bright anyway do not count. */
static float seen_luminance(ct_vec light)
{
    return fminf(ct_luminance(light), 1.5f);
}

static ct_noisy_pixel trace_pixel(const drawing *self, int x, int y)
{
    ct_noisy_pixel sum = {.light = {0, 0, 0}};
    uint32_t seed = ct_mix_pair((uint32_t)x, (uint32_t)y);
    float first = 0, second = 0, count = 0;
    for (int s = 0; s < self->samples; s++) {
        ct_random random = {.pixel = seed, .sample = (uint32_t)s};
        ct_ray ray = make_ray(self, x, y, &random);
        ct_path_result result = ct_path_follow(&self->scene, ray, &random);
        add_sample(&sum, &result);
        float light = seen_luminance(result.light);
        first += light, second += light * light, count += 1;
        if ((s + 1) % BATCH) continue;
        float mean = first / count, variance = fmaxf(0, second / count - mean * mean) / count;
        if (variance < CALM * CALM * (mean + 0.05f) * (mean + 0.05f)) break;
    }
    float mean = first / count, share = 1 / count;
    sum.variance = fmaxf(0, second / count - mean * mean) / count;
    sum.light = ct_vec_scale(sum.light, share);
    sum.albedo = ct_vec_scale(sum.albedo, share);
    sum.normal = ct_vec_unit(sum.normal);
    sum.depth *= share;
    sum.matte *= share;
    return sum;
}

/* ---- all pixels ---- */

static void tell(drawing *self)
{
    const ct_trace_def *def = self->def;
    size_t done = atomic_fetch_add(&self->done, 1) + 1;
    if (def->should_stop && def->should_stop(def->user)) atomic_store(&self->is_stopped, true);
    if (def->tell) def->tell(def->user, (double)done / (double)self->tiles);
}

static void trace_tiles(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    drawing *self = context;
    for (size_t tile = begin; tile < end && !atomic_load(&self->is_stopped); tile++) {
        int left = (int)(tile % (size_t)self->columns) * TILE,
            top = (int)(tile / (size_t)self->columns) * TILE;
        for (int y = top; y < top + TILE && y < self->look.height; y++)
            for (int x = left; x < left + TILE && x < self->look.width; x++)
                self->pixels[(size_t)y * (size_t)self->look.width + (size_t)x] = trace_pixel(self, x, y);
        tell(self);
    }
}

/* Linear light below the shoulder, then ever slower up to white. */
static float expose(float light)
{
    if (!(light > SHOULDER)) return light;
    return SHOULDER + (1 - SHOULDER) * (1 - expf(-(light - SHOULDER) / (1 - SHOULDER)));
}

static ct_status develop(ct_heap *heap, const drawing *self, ct_image *image, ct_error *error)
{
    size_t count = (size_t)self->look.width * (size_t)self->look.height;
    *image = (ct_image){.heap = heap, .width = self->look.width, .height = self->look.height};
    image->pixels = ct_allocate(heap, count * sizeof *image->pixels);
    if (!image->pixels) return ct_fail_memory(error, count * sizeof *image->pixels);
    for (size_t k = 0; k < count; k++) {
        const float *light = &self->pixels[k].light.x;
        for (int a = 0; a < 3; a++) { /* half a level of dither, so that slow gradients show no bands */
            float dither = ct_unit(ct_mix_pair((uint32_t)k, (uint32_t)a)) - 0.5f;
            float level = 255 * ct_srgb(expose(light[a])) + 0.5f + 0.8f * dither;
            image->pixels[k][a] = (uint8_t)fminf(255, fmaxf(0, level));
        }
    }
    return CT_OK;
}

/* ---- setting up ---- */

static void aim(drawing *self, const ct_traced *traced)
{
    const ct_look *look = &self->look;
    self->view = ct_camera_of_look(look, 3, 1);
    float eye[4];
    ct_traced_place(traced, self->view.eye, eye);
    self->eye = (ct_vec){eye[0], eye[1], eye[2]};
    self->lens = (float)(0.5 * self->def->aperture / traced->size);
    const double *target = look->camera.is_set ? look->camera.target : traced->middle;
    double focus = self->def->focus > 0 ? self->def->focus : (double)ct_camera_point(&self->view, target).z;
    self->focus = (float)(focus / traced->size);
    ct_camera light = ct_camera_of_light(&self->view, look->bounds, 16);
    float ground = (float)((look->ground - traced->middle[1]) / traced->size);
    self->scene.studio =
        ct_studio_make(ct_vec_scale(light.forward, -1), look->is_light, look->has_ground, ground);
}

static ct_status trace_all(ct_heap *heap, ct_pool *pool, drawing *self, ct_image *image, ct_error *error)
{
    size_t count = (size_t)self->look.width * (size_t)self->look.height;
    int rows = (self->look.height + TILE - 1) / TILE;
    self->columns = (self->look.width + TILE - 1) / TILE;
    self->tiles = (size_t)self->columns * (size_t)rows;
    self->pixels = ct_allocate_zero(heap, count * sizeof *self->pixels);
    ct_noisy_pixel *scratch = ct_allocate(heap, count * sizeof *scratch);
    ct_status status = self->pixels && scratch ? CT_OK : ct_fail_memory(error, 2 * count * sizeof *scratch);
    if (!status) {
        ct_pool_for(pool, self->tiles, 1, trace_tiles, self);
        if (atomic_load(&self->is_stopped)) status = ct_fail(error, CT_FAILED, "interrupted");
    }
    if (!status && !self->def->is_raw)
        ct_denoise(pool, self->look.width, self->look.height, self->pixels, scratch);
    if (!status) status = develop(heap, self, image, error);
    ct_release(heap, self->pixels);
    ct_release(heap, scratch);
    return status;
}

ct_status ct_trace_draw(ct_heap *heap, ct_pool *pool, const ct_look *look, const ct_frame *frame,
                        ct_image *image, ct_error *error)
{
    static const ct_trace_def plain;
    drawing self = {.def = look->trace ? look->trace : &plain};
    ct_traced traced = {.heap = heap};
    ct_tracer *tracer = NULL;
    *image = (ct_image){.heap = heap};
    self.samples = self.def->samples > 0 ? self.def->samples : SAMPLES;
    if (frame->dimension != 3)
        return ct_fail(error, CT_BAD_USAGE, "only frames in 3D can be traced; leave out the quality");
    ct_status status = ct_look_settle(heap, look, frame, &self.look, error);
    if (!status) status = ct_traced_create(heap, pool, &self.look, frame, self.def->shutter, &traced, error);
    if (!status) status = ct_tracer_create(heap, &traced, &tracer, error);
    if (!status) {
        self.scene.traced = &traced;
        self.scene.tracer = tracer;
        aim(&self, &traced);
        status = trace_all(heap, pool, &self, image, error);
    }
    ct_tracer_destroy(tracer);
    ct_traced_release(&traced);
    if (status) ct_image_release(image);
    return status;
}
