/* `continua check`: builds a scene, steps it for about a second and predicts the whole run from that. */
#include "check_colliders.h"
#include "command.h"
#include "folders.h"
#include "material/elastic.h"
#include "progress.h"
#include "scene/blame.h"
#include "scene/softening.h"
#include "terminal.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const ct_option ct_check_options_table[] = {
    {"set", 0, "KEY=VALUE", "change a value of the scene: --set grid.spacing=5mm; may be repeated"},
    {"threads", 0, "N", "use N threads (default: one per core)"},
    {"json", 0, NULL, "print one JSON object"},
    {0},
};

static const double calibration_seconds = 1; /* of the clock */
static const double not_solved = 0.1;        /* of the forces */
static const double shallow = 0.01;          /* cells, that what only touches a collider may be inside it */
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
    double imbalance; /* of the equations of motion of peridynamics, the largest of these steps; */
    double stiffness; /* D of its stiffest body, 0: there is none, */
    bool by_newton;   /* and whether Newton's method moves it */
    int iterations;
    char limited_by[32];
    char embedded_in[64]; /* a collider that matter begins inside of, "": none, */
    double embedded;      /* and how deep, m */
    ct_collider_warnings colliders;
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

/* Looks at what the first step has found inside of colliders that matter is to stay out of. Sticky ones and
 * grips hold what is inside of them: that may be meant. */
static void note_embedded(const ct_world *world, const ct_scene *scene, struct prediction *prediction)
{
    ct_collider_info info;
    for (int k = 0; ct_world_collider(world, k, &info); k++)
        for (int c = 0; c < scene->collider_count; c++) {
            const ct_collider_def *def = &scene->colliders[c];
            bool holds = def->contact == CT_CONTACT_STICKY || def->grip || !def->keeps_sides;
            double least = fmax(prediction->embedded, shallow * world->common.def.spacing);
            if (holds || strcmp(def->name, info.name) || !(info.deepest > least)) continue;
            prediction->embedded = info.deepest;
            snprintf(prediction->embedded_in, sizeof prediction->embedded_in, "%s", info.name);
        }
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
        if (!status && ct_world_get_info(world).step == 1) note_embedded(world, scene, prediction);
        const ct_solver_info solver = ct_world_solver(world);
        prediction->imbalance = fmax(prediction->imbalance, solver.imbalance);
        prediction->stiffness = fmax(prediction->stiffness, solver.stiffness);
        prediction->by_newton |= solver.by_newton;
        prediction->iterations =
            solver.iterations > prediction->iterations ? solver.iterations : prediction->iterations;
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
    if (!status) status = ct_check_colliders(scene, world, &prediction->colliders, error);
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

/* Whether two bodies share a grid and are not of one material: where they touch they stick. Liquids mix. */
static bool will_stick(const ct_scene *scene, const ct_body_def *a, const ct_body_def *b)
{
    const char *groups[2] = {a->contact_group, b->contact_group};
    bool are_liquid = !ct_model_find(scene->materials[a->material].type)->is_elastic &&
                      !ct_model_find(scene->materials[b->material].type)->is_elastic;
    bool share =
        ct_method_info_at((int)a->method)->shares_grid && ct_method_info_at((int)b->method)->shares_grid;
    if (!share || a->material == b->material || are_liquid) return false;
    for (int k = 0; k < 2; k++)
        if (!groups[k] || !strcmp(groups[k], "shared")) groups[k] = "";
    return strcmp(groups[0], "separate") && !strcmp(groups[0], groups[1]);
}

static void print_sticking(const ct_scene *scene)
{
    const ct_body_def *first[2] = {NULL, NULL};
    int count = 0;
    for (int i = 0; i < scene->body_count; i++)
        for (int j = i + 1; j < scene->body_count; j++) {
            if (!will_stick(scene, &scene->bodies[i], &scene->bodies[j])) continue;
            if (!count++) first[0] = &scene->bodies[i], first[1] = &scene->bodies[j];
        }
    if (!count) return;
    ct_say("  %-10s '%s' and '%s'", "sticking", first[0]->name, first[1]->name);
    if (count > 1) ct_say(" and %d other pairs", count - 1);
    ct_say(" stick where they touch: they share a grid; 'contact: separate' gives a body its own\n");
}

/* Of waves in the material at rest, m/s; 0: it is not told by its parameters. `stiffness`: which of them gives
 * it. */
static double wave_speed(const ct_material_def *def, const ct_parameter **stiffness)
{
    static const char *const names[] = {"young", "bulk", "mu", "lambda"};
    double mu = 0, lambda = 0;
    *stiffness = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names && !*stiffness; n++)
        for (int i = 0; i < def->parameter_count; i++)
            if (!strcmp(def->parameters[i].name, names[n])) *stiffness = &def->parameters[i];
    const ct_material_info *info = ct_material_info_find(def->type);
    if (!*stiffness || !info) return 0;
    if (!info->is_elastic)
        return strcmp((*stiffness)->name, "bulk") ? 0 : sqrt((*stiffness)->value / def->density);
    ct_parameter elastic[CT_ELASTIC_PARAMETERS];
    int count = 0;
    for (int i = 0; i < def->parameter_count; i++)
        for (int k = 0; k < CT_ELASTIC_PARAMETERS && count < CT_ELASTIC_PARAMETERS; k++)
            if (!strcmp(def->parameters[i].name, ct_elastic_parameters[k].name))
                elastic[count++] = def->parameters[i];
    if (ct_elastic_constants(elastic, count, def->name, &mu, &lambda, NULL)) return 0;
    return sqrt((lambda + 2 * mu) / def->density);
}

/* What would make the run cheaper. */
struct advice {
    char setting[200]; /* for --set; "": none is known */
    const char *material;
    double gain; /* how many times as long steps would be */
};

/* Where waves of one material limit the steps though nothing in the scene is nearly so fast: what a softer one
 * would bring. Ten times the expected speed keeps volumes within a hundredth. */
static struct advice find_softer(const ct_scene *scene, const struct prediction *p)
{
    enum { WORTH_IT = 3 };
    const int slowest = p->info.limited_material;
    const ct_parameter *stiffness = NULL, *other;
    struct advice advice = {0};
    if (strcmp(p->limited_by, "sound") || slowest < 0 || slowest >= scene->material_count) return advice;
    const ct_material_def *def = &scene->materials[slowest];
    double fast = wave_speed(def, &stiffness), enough = 10 * ct_highest_speed(scene);
    if (!(fast > 0) || !(enough > 0)) return advice;
    for (int m = 0; m < scene->material_count; m++)
        if (m != slowest) enough = fmax(enough, wave_speed(&scene->materials[m], &other));
    if (!(fast > WORTH_IT * enough)) return advice;
    double share = enough / fast, softer = stiffness->value * share * share;
    double digit = pow(10, floor(log10(softer)) - 1);
    advice.material = def->name;
    advice.gain = 1 / share;
    snprintf(advice.setting, sizeof advice.setting, "materials.%s.%s=%g", def->name, stiffness->name,
             ceil(softer / digit) * digit);
    return advice;
}

/* How much less work cells of twice the size are: there are fewer, and most criteria let steps grow with them.
 */
static double coarser_gain(const struct prediction *p)
{
    static const char *const by_cell[] = {"sound", "velocity", "displacement", "collider"};
    int power = p->info.dimension;
    for (size_t k = 0; k < sizeof by_cell / sizeof *by_cell; k++)
        if (!strcmp(p->limited_by, by_cell[k])) power++;
    return pow(2, power);
}

static void print_advice(const ct_scene *scene, const struct prediction *p)
{
    enum { LONG = 600 }; /* s */
    char duration[CT_SHORT];
    const int m = p->info.limited_material;
    struct advice advice = find_softer(scene, p);
    if (*advice.setting)
        ct_say("  %-10s sound waves in '%s' limit the steps and are %.0f times as fast as necessary. Steps "
               "would\n"
               "  %-10s be as much longer with --set %s; alternatives: rigid bodies, or\n"
               "  %-10s 'integration: implicit' with 'contact: separate' beside softer matter\n",
               "advice", advice.material, advice.gain, "", advice.setting, "");
    if (!strcmp(p->limited_by, "viscosity") && m >= 0 && m < scene->material_count)
        ct_say("  %-10s the viscosity of '%s' limits the steps; 'method: fluid' and 'method: peridynamics' "
               "solve it\n  %-10s implicitly, in steps of any length\n",
               "advice", scene->materials[m].name, "");
    if (p->seconds > LONG)
        ct_say("  %-10s for a preview --set grid.spacing=%g: about %s\n", "advice", 2 * scene->world.spacing,
               ct_duration_text(duration, p->seconds / coarser_gain(p)));
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
    if (scene->softened_for > 0)
        ct_say("  %-10s of preset liquids: for speeds up to %.3g m/s; 'bulk' overrides it\n", "stiffness",
               scene->softened_for);
    ct_say("  %-10s %s (%s", "dt", ct_time_text(a, p->dt), p->limited_by);
    if (scene->material_count > 1 && p->info.limited_material >= 0 &&
        p->info.limited_material < scene->material_count)
        ct_say(" in '%s'", scene->materials[p->info.limited_material].name);
    ct_say(")\n");
    if (p->stiffness > 0)
        ct_say("  %-10s %s, stiffness number %.3g, up to %d iterations per step\n", "solver",
               p->by_newton ? "newton" : "chebyshev, or what was asked for", p->stiffness, p->iterations);
    if (p->imbalance > not_solved)
        ct_say(
            "  %-10s the steps are not solved: up to %.0f%% of the forces are unbalanced, and bodies will "
            "look "
            "rigid or slow.\n  %-10s Remove 'iterations', 'solver' and 'step', or use more iterations or a "
            "shorter step\n",
            "warning", 100 * p->imbalance, "");
    if (p->embedded > 0)
        ct_say("  %-10s matter begins inside collider '%s', up to %.3g m deep. It is not pushed out and may "
               "leave\n"
               "  %-10s on any side. Check the position of the collider: 'position' is that of its pivot, "
               "which for a\n"
               "  %-10s mesh is the origin of the file\n",
               "warning", p->embedded_in, p->embedded, "", "");
    ct_say("  %-10s about %.0f to %s\n", "steps", p->steps, ct_time_text(a, scene->end));
    ct_say("  %-10s about %s with %d thread%s (from %" PRIu64 " steps)\n", "time",
           ct_duration_text(a, p->seconds), p->info.threads, p->info.threads == 1 ? "" : "s",
           p->calibration_steps);
    ct_print_collider_warnings(&p->colliders);
    print_sticking(scene);
    print_advice(scene, p);
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
        {"softened_for", scene->softened_for},
        {"dt", p->dt},
        {"steps", p->steps},
        {"end", scene->end},
        {"threads", p->info.threads},
        {"step_seconds", p->step_seconds},
        {"seconds", p->seconds},
        {"calibration_steps", (double)p->calibration_steps},
        {"stiffness", p->stiffness},
        {"imbalance", p->imbalance},
        {"embedded", p->embedded},
        {"thin", p->colliders.thin},
        {"pivot_away", p->colliders.pivot_away},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    ct_text_print(&text, "{\"scene\":");
    ct_print_json_string(&text, scene->path);
    ct_text_print(&text, ",\"precision\":\"%s\",\"limited_by\":\"%s\"",
                  p->info.precision == CT_DOUBLE ? "double" : "float", p->limited_by);
    ct_text_print(&text, ",\"advice\":");
    ct_print_json_string(&text, find_softer(scene, p).setting);
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
