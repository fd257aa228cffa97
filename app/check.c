/* `continua check`: builds a scene, steps it for about a second and predicts the whole run from that. */
#include "command.h"
#include "folders.h"
#include "progress.h"
#include "scene/blame.h"
#include "terminal.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const ct_option ct_check_options_table[] = {
    {"set", 0, "KEY=VALUE", "change a value of the scene: --set grid.spacing=5mm; may be repeated"},
    {"threads", 0, "N", "use N threads (default: one a core)"},
    {"json", 0, NULL, "print one JSON object"},
    {0},
};

static const double calibration_seconds = 1; /* of the clock */
enum { SAMPLE_PARTICLES = 20000 };           /* enough to learn what a particle costs on the disk */

/* Everything that is told. */
struct prediction {
    ct_world_info info;
    double particles_at_end; /* what sources will make included, what sinks will take not */
    double growth;           /* of the number of particles, mean over the run */
    double memory;           /* bytes */
    uint64_t frames;
    double frame_bytes; /* one frame in all formats */
    double dt;          /* s, mean */
    double steps;
    double step_seconds, frame_seconds; /* by the clock */
    double seconds;
    uint64_t calibration_steps;
    char limited_by[32];
};

/* Writes part of a frame in each format to a folder that goes away, to learn size and time. */
static ct_status sample_frame(ct_heap *heap, const ct_scene *scene, const ct_world *world,
                              struct prediction *prediction, ct_error *error)
{
    char folder[] = "/tmp/continua-check-XXXXXX", path[64];
    if (!mkdtemp(folder))
        return ct_fail(error, CT_BAD_IO, "cannot make a folder in /tmp to learn the size of a frame");
    ct_frame frame;
    ct_status status = ct_frame_read(heap, world, scene, &frame, error);
    double share = 1, start = ct_now();
    if (!status && frame.count > SAMPLE_PARTICLES) {
        share = (double)frame.count / SAMPLE_PARTICLES;
        frame.count = SAMPLE_PARTICLES;
    }
    for (int f = 0; !status && f < scene->output.format_count; f++) {
        const ct_writer *writer = ct_writer_find(scene->output.formats[f]);
        if (!writer) continue;
        snprintf(path, sizeof path, "%s/frame", folder);
        status = writer->write(heap, ct_to(path), &frame, error);
        if (status) break;
        prediction->frame_bytes += ct_file_bytes(path) * share;
        unlink(path);
    }
    prediction->frame_seconds = (ct_now() - start) * share;
    if (!status) ct_frame_release(heap, &frame);
    rmdir(folder);
    return status;
}

/* Steps for a while, or to the end if that comes first. */
static ct_status calibrate(ct_world *world, const ct_scene *scene, struct prediction *prediction,
                           ct_error *error)
{
    double start = ct_now(), elapsed = 0;
    ct_status status = CT_OK;
    while (!status && elapsed < calibration_seconds && ct_world_get_info(world).time < scene->end) {
        status = ct_world_step(world, error);
        elapsed = ct_now() - start;
    }
    prediction->info = ct_world_get_info(world);
    if (status || prediction->info.step == 0) return status;
    double steps = (double)prediction->info.step;
    prediction->calibration_steps = prediction->info.step;
    prediction->dt = prediction->info.time / steps;
    prediction->step_seconds = elapsed / steps;
    snprintf(prediction->limited_by, sizeof prediction->limited_by, "%s", prediction->info.limited_by);
    return CT_OK;
}

/* How many particles there will be: at the end, and in the mean over the run. */
static ct_status look_ahead(ct_world *world, const ct_scene *scene, struct prediction *prediction,
                            ct_error *error)
{
    enum { INSTANTS = 8 };
    ct_world_info now = ct_world_get_info(world);
    double there = (double)now.particles - (double)now.emitted, sum = 0, made = 0;
    ct_status status = CT_OK;
    for (int k = 1; k <= INSTANTS && !status; k++) {
        status = ct_world_forecast(world, scene->end * k / INSTANTS, &made, error);
        sum += there + made;
    }
    prediction->particles_at_end = there + made;
    prediction->growth = fmax(sum / INSTANTS / fmax((double)now.particles, 1), 1);
    return status;
}

/* What there is, and more for the particles and blocks that will come. */
static double predict_memory(const ct_world *world, const struct prediction *prediction)
{
    const double sorting = 12, slack = 9.0 / 8; /* bytes per particle; of what grows, ct_particles_reserve */
    double growth = prediction->particles_at_end / fmax((double)ct_world_count(world), 1), more = 0;
    for (int k = 0; k < world->kind_count; k++) {
        const ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        const ct_particles *particles = &cloud->particles;
        double each = sorting, end = growth * (double)particles->count;
        for (int f = 0; f < CT_FIELDS; f++)
            each += (double)ct_field_components(particles, f) * (double)ct_field_size(particles, f);
        more += fmax((double)cloud->grid.blocks.count * (growth - 1), 0) *
                (double)world->kinds[k].method->block_bytes(world->kinds[k].self);
        more += fmax(slack * end - (double)particles->capacity, 0) * each;
    }
    return (double)prediction->info.peak_bytes + more;
}

static ct_status predict(const ct_scene *scene, int threads, struct prediction *prediction, ct_error *error)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_world *world;
    ct_status status = ct_scene_blame(scene, ct_world_from_scene(scene, threads, &world, error), error);
    if (status) return status;
    status = sample_frame(&heap, scene, world, prediction, error);
    if (!status) status = look_ahead(world, scene, prediction, error);
    if (!status) status = calibrate(world, scene, prediction, error);
    prediction->memory = predict_memory(world, prediction);
    ct_world_destroy(world);
    prediction->frames = ct_frame_total(scene);
    prediction->steps = prediction->dt > 0 ? ceil(scene->end / prediction->dt) : 0;
    prediction->frame_bytes *= prediction->growth;
    prediction->seconds = (prediction->steps * prediction->step_seconds +
                           (double)prediction->frames * prediction->frame_seconds) *
                          prediction->growth;
    return status;
}

static void print_text(const ct_scene *scene, const struct prediction *p)
{
    char a[CT_SHORT], b[CT_SHORT];
    ct_say("%s: the scene is fine\n", scene->path);
    ct_say("  %-10s %" PRIu64 " in %d bod%s, %dD %s\n", "particles", p->info.particles, scene->body_count,
           scene->body_count == 1 ? "y" : "ies", p->info.dimension,
           p->info.precision == CT_DOUBLE ? "double" : "float");
    if (scene->source_count)
        ct_say("  %-10s up to %.0f at the end, from %d source%s\n", "", p->particles_at_end,
               scene->source_count, scene->source_count == 1 ? "" : "s");
    ct_say("  %-10s %" PRIu64 " of 4^%d nodes\n", "blocks", p->info.blocks, p->info.dimension);
    ct_say("  %-10s %s\n", "memory", ct_bytes_text(a, p->memory));
    ct_say("  %-10s %s = %" PRIu64 " frames of %s\n", "disk",
           ct_bytes_text(a, p->frame_bytes * (double)p->frames), p->frames, ct_bytes_text(b, p->frame_bytes));
    ct_say("  %-10s %s (%s)\n", "dt", ct_time_text(a, p->dt), p->limited_by);
    ct_say("  %-10s about %.0f to %s\n", "steps", p->steps, ct_time_text(a, scene->end));
    ct_say("  %-10s about %s with %d thread%s (from %" PRIu64 " steps)\n", "time",
           ct_duration_text(a, p->seconds), p->info.threads, p->info.threads == 1 ? "" : "s",
           p->calibration_steps);
}

static void print_json(const ct_scene *scene, const struct prediction *p)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"dimension", p->info.dimension},
        {"particles", (double)p->info.particles},
        {"blocks", (double)p->info.blocks},
        {"particles_at_end", p->particles_at_end},
        {"memory_bytes", p->memory},
        {"frames", (double)p->frames},
        {"frame_bytes", p->frame_bytes},
        {"disk_bytes", p->frame_bytes * (double)p->frames},
        {"dt", p->dt},
        {"steps", p->steps},
        {"end", scene->end},
        {"threads", p->info.threads},
        {"step_seconds", p->step_seconds},
        {"seconds", p->seconds},
        {"calibration_steps", (double)p->calibration_steps},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    ct_text_print(&text, "{\"scene\":");
    ct_print_json_string(&text, scene->path);
    ct_text_print(&text, ",\"precision\":\"%s\",\"limited_by\":\"%s\"",
                  p->info.precision == CT_DOUBLE ? "double" : "float", p->limited_by);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        ct_text_print(&text, ",\"%s\":", numbers[i].name);
        ct_print_json_number(&text, numbers[i].value);
    }
    ct_text_print(&text, "}\n");
    if (!text.failed) ct_say_text(text.data, text.length);
    ct_text_release(&text);
}

int ct_command_check(int argc, char **argv)
{
    ct_arguments arguments;
    long long threads = 0;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code < 0) code = ct_option_threads(&arguments, &threads);
    if (code >= 0) return code;
    ct_error error;
    ct_scene *scene;
    struct prediction prediction = {0};
    if (ct_load_scene(&arguments, &scene, &error)) return ct_report(&error);
    ct_status status = predict(scene, (int)threads, &prediction, &error);
    if (!status && ct_option_given(&arguments, "json")) print_json(scene, &prediction);
    else if (!status) print_text(scene, &prediction);
    ct_scene_destroy(scene);
    return status ? ct_report(&error) : CT_OK;
}
