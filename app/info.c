/* `continua info`: what is in a run, a scene, a checkpoint, or in this build. Facts are collected first, as
 * names and values, and then printed as a table or as JSON.
 */
#include "command.h"
#include "core/container.h"
#include "folders.h"
#include "run/run.h"
#include "terminal.h"
#include "view/view.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <yaml.h>
#include <zstd.h>

const ct_option ct_info_options_table[] = {
    {"json", 0, NULL, "print one JSON object"},
    {"build", 0, NULL, "print how this program was built: version, compiler, variants, libraries"},
    {0},
};

/* ---- facts ---- */

struct facts {
    ct_text text;
    bool is_json;
};

static void begin_fact(struct facts *facts, const char *name)
{
    if (!facts->is_json) {
        ct_text_print(&facts->text, "%s:%*s", name, (int)(strlen(name) < 14 ? 14 - strlen(name) : 1), "");
        return;
    }
    ct_text_print(&facts->text, "%c", facts->text.length ? ',' : '{');
    char key[64];
    snprintf(key, sizeof key, "%s", name);
    for (char *c = key; *c; c++)
        if (*c == ' ') *c = '_';
    ct_print_json_string(&facts->text, key);
    ct_text_print(&facts->text, ":");
}

static void add_text(struct facts *facts, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_text(struct facts *facts, const char *name, const char *format, ...)
{
    char value[CT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    begin_fact(facts, name);
    if (facts->is_json) ct_print_json_string(&facts->text, value);
    else ct_text_print(&facts->text, "%s\n", value);
}

static void add_number(struct facts *facts, const char *name, double value, const char *unit)
{
    begin_fact(facts, name);
    if (facts->is_json) ct_print_json_number(&facts->text, value);
    else ct_text_print(&facts->text, "%.10g%s%s\n", value, *unit ? " " : "", unit);
}

static void print_facts(struct facts *facts)
{
    if (facts->is_json) ct_text_print(&facts->text, "}\n");
    if (!facts->text.failed) ct_say_text(facts->text.data, facts->text.length);
}

/* ---- a scene ---- */

/* Where walls ask for other cells than the scene, those that are used, axis by axis. */
static void add_spacing(struct facts *facts, const ct_world *world)
{
    const double asked = world->common.def.spacing, *used = world->space.spacing;
    bool is_other = false;
    for (int a = 0; a < world->common.def.dimension; a++) is_other |= fabs(used[a] - asked) > 1e-9 * asked;
    if (!is_other) return;
    begin_fact(facts, "spacing used");
    for (int a = 0; a < world->common.def.dimension; a++) {
        ct_text_print(&facts->text, a ? ", " : facts->is_json ? "[" : "");
        if (facts->is_json) ct_print_json_number(&facts->text, used[a]);
        else ct_text_print(&facts->text, "%.10g", used[a]);
    }
    ct_text_print(&facts->text, facts->is_json ? "]" : " m, to fit the domain\n");
}

/* The methods at work; of the only one that has schemes, the scheme says enough. */
static void add_methods(struct facts *facts, const ct_scene *scene, const ct_world *world)
{
    char names[256] = "";
    bool has_scheme = false;
    for (int k = 0; k < world->kind_count; k++) {
        const ct_method_info *info = ct_method_info_at(world->kinds[k].method->number);
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "", info->name);
        has_scheme |= info->has_schemes;
    }
    if (world->kind_count > 1 || !has_scheme) add_text(facts, "method", "%s", names);
    if (has_scheme) add_text(facts, "scheme", "%s", scene->world.scheme.type);
}

static void add_name(struct facts *facts, const ct_scene *scene)
{
    add_text(facts, "scene", "%s", scene->name);
    if (scene->title && *scene->title) add_text(facts, "title", "%s", scene->title);
}

/* What it is made of, and how it is computed. */
static void add_setup(struct facts *facts, const ct_scene *scene, const ct_world *world)
{
    add_number(facts, "materials", scene->material_count, "");
    add_number(facts, "bodies", scene->body_count, "");
    if (scene->source_count) add_number(facts, "sources", scene->source_count, "");
    if (scene->sink_count) add_number(facts, "sinks", scene->sink_count, "");
    add_number(facts, "dimension", scene->world.dimension, "");
    add_text(facts, "precision", "%s", scene->world.precision == CT_DOUBLE ? "double" : "float");
    add_number(facts, "spacing", scene->world.spacing, "m");
    add_spacing(facts, world);
    add_methods(facts, scene, world);
}

static ct_status tell_scene(struct facts *facts, const char *path, ct_error *error)
{
    ct_scene *scene;
    ct_world *world;
    ct_status status = ct_scene_load(path, NULL, 0, &scene, error);
    if (status) return status;
    status = ct_world_create(&scene->world, &world, error); /* nothing is in it: for its grid */
    if (!status) {
        add_name(facts, scene);
        add_number(facts, "end", scene->end, "s");
        add_number(facts, "frames", (double)ct_frame_total(scene), "");
        add_setup(facts, scene, world);
        ct_world_destroy(world);
    }
    ct_scene_destroy(scene);
    return status;
}

/* ---- a run ---- */

enum { MOST_LIMITS = 16 };

/* What stats.csv says: who limited the time step how often, and what the solver did in the last step. */
struct ledger {
    char names[MOST_LIMITS][32];
    double steps[MOST_LIMITS];
    int count;
    double iterations, residual, imbalance; /* 0: there were none */
};

static void count_limit(struct ledger *ledger, const char *name, size_t length, double steps)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz_";
    char key[32];
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    if (!*key || key[strspn(key, plain)]) return; /* no name of ours: the file is damaged */
    int i = 0;
    while (i < ledger->count && strcmp(ledger->names[i], key) != 0) i++;
    if (i == MOST_LIMITS) return;
    if (i == ledger->count) memcpy(ledger->names[ledger->count++], key, sizeof key);
    ledger->steps[i] += steps;
}

/* Adds up the last column of a row, "sound:118;velocity:3". */
static void count_row(struct ledger *ledger, const char *row, const char *end)
{
    const char *at = end;
    while (at > row && at[-1] != ',') at--;
    while (at < end) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        if (!stop) stop = end;
        const char *colon = memchr(at, ':', (size_t)(stop - at));
        if (colon) count_limit(ledger, at, (size_t)(colon - at), strtod(colon + 1, NULL));
        at = stop + 1;
    }
}

/* The number of the last row that begins at `row` in the column of that name; 0 where there is none. */
static double number_in_row(const char *header, const char *row, const char *name)
{
    const char *at = strstr(header, name), *end = strchr(header, '\n');
    if (!at || !end || at > end) return 0;
    for (const char *c = header; c < at && row; c++)
        if (*c == ',') row = strchr(row, ','), row += row != NULL;
    return row ? strtod(row, NULL) : 0;
}

/* Nothing where stats.csv cannot be read. */
static void read_ledger(ct_heap *heap, const char *folder, struct ledger *ledger)
{
    char *path = ct_path_join(heap, folder, "stats.csv"), *bytes = NULL;
    size_t count = 0;
    if (path && ct_file_load(heap, path, (size_t)1 << 30, &bytes, &count, NULL) == CT_OK) {
        const char *row = bytes, *end = bytes + count, *last = NULL;
        for (const char *stop; row < end && (stop = memchr(row, '\n', (size_t)(end - row))); row = stop + 1)
            if (row != bytes) count_row(ledger, row, stop), last = row;
        if (last) {
            ledger->iterations = number_in_row(bytes, last, "iterations");
            ledger->residual = number_in_row(bytes, last, "residual");
            ledger->imbalance = number_in_row(bytes, last, "imbalance");
        }
    }
    ct_release(heap, bytes);
    ct_release(heap, path);
}

static void add_ledger(struct facts *facts, const struct ledger *ledger)
{
    begin_fact(facts, "limited by");
    ct_text_print(&facts->text, facts->is_json ? "{" : "");
    for (int i = 0; i < ledger->count; i++)
        ct_text_print(&facts->text, facts->is_json ? "%s\"%s\":%.0f" : "%s%s %.0f",
                      i ? facts->is_json ? "," : ", " : "", ledger->names[i], ledger->steps[i]);
    ct_text_print(&facts->text, facts->is_json ? "}" : " steps\n");
}

/* For each criterion that ever asked: the steps it limited, by material, and its smallest step with who asked
 * for it. */
static void add_criterion(struct facts *facts, const ct_world *world, int index,
                          const ct_criterion_info *info, bool is_first)
{
    ct_text *text = &facts->text;
    const char *asker = info->material < 0 ? "" : world->common.materials[info->material].name;
    char dt[CT_SHORT];
    if (!facts->is_json) {
        ct_text_print(text, "  %-16s %10" PRIu64 " steps, tightest %s in step %" PRIu64, info->name,
                      info->steps, ct_time_text(dt, info->tightest), info->tightest_step);
        if (info->particle >= 0) ct_text_print(text, ", particle %" PRId64 " of '%s'", info->particle, asker);
        for (size_t m = 0; m < world->common.material_count && world->common.material_count > 1; m++)
            if (ct_world_limited_steps(world, index, (int)m))
                ct_text_print(text, "; '%s' %" PRIu64, world->common.materials[m].name,
                              ct_world_limited_steps(world, index, (int)m));
        ct_text_print(text, "\n");
        return;
    }
    ct_text_print(text, "%s\"%s\":{\"steps\":%" PRIu64 ",\"tightest\":", is_first ? "" : ",", info->name,
                  info->steps);
    ct_print_json_number(text, info->tightest);
    ct_text_print(text, ",\"tightest_step\":%" PRIu64 ",\"particle\":%" PRId64 ",\"material\":",
                  info->tightest_step, info->particle);
    ct_print_json_string(text, asker);
    ct_text_print(text, ",\"by_material\":{");
    for (size_t m = 0; m < world->common.material_count; m++) {
        ct_text_print(text, m ? "," : "");
        ct_print_json_string(text, world->common.materials[m].name);
        ct_text_print(text, ":%" PRIu64, ct_world_limited_steps(world, index, (int)m));
    }
    ct_text_print(text, "}}");
}

static void add_criteria(struct facts *facts, const ct_world *world)
{
    ct_criterion_info info;
    bool is_first = true;
    begin_fact(facts, "criteria");
    ct_text_print(&facts->text, facts->is_json ? "{" : "\n");
    for (int k = 0; ct_world_criterion(world, k, &info); k++) {
        if (!(info.tightest > 0)) continue;
        add_criterion(facts, world, k, &info, is_first);
        is_first = false;
    }
    ct_text_print(&facts->text, facts->is_json ? "}" : "");
}

static bool is_frame(const char *name)
{
    return ct_frame_number(name) >= 0;
}

static void add_frames(struct facts *facts, ct_heap *heap, const char *folder)
{
    char *frames = ct_path_join(heap, folder, "frames");
    ct_names names = {.heap = heap};
    double bytes = 0;
    if (frames && ct_names_list(heap, frames, is_frame, &names, NULL) == CT_OK)
        for (size_t i = 0; i < names.count; i++) {
            char *path = ct_path_join(heap, frames, names.names[i]);
            if (path) bytes += ct_file_bytes(path);
            ct_release(heap, path);
        }
    char text[CT_SHORT];
    add_number(facts, "frame files", (double)names.count, "");
    if (facts->is_json) add_number(facts, "frame bytes", bytes, "");
    else add_text(facts, "frame bytes", "%s", ct_bytes_text(text, bytes));
    ct_names_release(&names);
    ct_release(heap, frames);
}

static void add_hash(struct facts *facts, ct_hash hash)
{
    if (facts->is_json) add_text(facts, "state hash", "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    else ct_text_print(&facts->text, "state hash: %016" PRIx64 "%016" PRIx64 "\n", hash.high, hash.low);
}

static void warn(ct_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == CT_LOG_WARNING) fprintf(stderr, "continua: warning: %s\n", message);
}

/* What came and went, and what walls had to put back, where something did. */
static void add_flow(struct facts *facts, ct_world_info info)
{
    if (info.wall_returns) add_number(facts, "wall returns", (double)info.wall_returns, "particles put back");
    if (info.wall_bounces)
        add_number(facts, "wall bounces", (double)info.wall_bounces,
                   "particles put back after their own motion");
    if (info.emitted) add_number(facts, "emitted", (double)info.emitted, "particles by sources");
    if (info.sunk) add_number(facts, "sunk", (double)info.sunk, "particles in sinks");
    if (info.strays) add_number(facts, "strays", (double)info.strays, "particles beyond the far limit");
}

/* What each collider has felt and done. */
static void add_colliders(struct facts *facts, const ct_world *world)
{
    ct_collider_info info;
    if (!ct_world_collider(world, 0, &info)) return;
    if (facts->is_json) begin_fact(facts, "colliders");
    for (int c = 0; ct_world_collider(world, c, &info); c++) {
        const double *p = info.impulse, *l = info.angular_impulse;
        if (!facts->is_json) {
            char name[80];
            snprintf(name, sizeof name, "collider %.60s", info.name);
            add_text(facts, name,
                     "received (%.4g, %.4g, %.4g) N s and (%.4g, %.4g, %.4g) N m s, did %.4g J, "
                     "penetrated %.3g m at most, put %" PRIu64 " particles back, leaked %" PRIu64,
                     p[0], p[1], p[2], l[0], l[1], l[2], info.work, info.deepest, info.put_back, info.leaks);
            continue;
        }
        ct_text_print(&facts->text, "%s{\"name\":", c ? "," : "[");
        ct_print_json_string(&facts->text, info.name);
        ct_text_print(
            &facts->text,
            ",\"impulse\":[%.17g,%.17g,%.17g],\"angular_impulse\":[%.17g,%.17g,%.17g],\"work\":%.17g,"
            "\"deepest\":%.17g,\"put_back\":%" PRIu64 ",\"leaks\":%" PRIu64 "}",
            p[0], p[1], p[2], l[0], l[1], l[2], info.work, info.deepest, info.put_back, info.leaks);
    }
    if (facts->is_json) ct_text_print(&facts->text, "]");
}

static ct_status tell_run(struct facts *facts, const char *folder, ct_error *error)
{
    ct_run *run;
    ct_hash hash;
    ct_status status = ct_run_open(folder, (ct_run_options){.read_only = true, .log = warn}, &run, error);
    if (status) return status;
    status = ct_world_hash(ct_run_world(run), &hash, error);
    ct_run_progress state = ct_run_get_progress(run);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    struct ledger ledger = {0};
    read_ledger(&heap, folder, &ledger);
    add_text(facts, "run", "%s", folder);
    add_name(facts, ct_run_scene(run));
    add_text(facts, "state", "%s", state.is_done ? "done" : "can be resumed");
    add_number(facts, "time", state.time, "s");
    add_number(facts, "end", state.end, "s");
    add_number(facts, "frames", (double)state.frames_written, "");
    add_number(facts, "frames in all", (double)state.frames, "");
    add_frames(facts, &heap, folder);
    add_number(facts, "particles", (double)state.particles, "");
    add_flow(facts, ct_world_get_info(ct_run_world(run)));
    add_number(facts, "step", (double)state.step, "");
    add_ledger(facts, &ledger);
    if (ledger.iterations > 0) add_number(facts, "iterations", ledger.iterations, "in the last step");
    if (ledger.iterations > 0) add_number(facts, "residual", ledger.residual, "spacings");
    if (ledger.imbalance > 0) add_number(facts, "imbalance", ledger.imbalance, "of the forces");
    add_setup(facts, ct_run_scene(run), ct_run_world(run));
    add_criteria(facts, ct_run_world(run));
    add_colliders(facts, ct_run_world(run));
    if (!status) add_hash(facts, hash);
    ct_run_close(run);
    return status;
}

/* ---- a checkpoint ---- */

static ct_status tell_checkpoint(struct facts *facts, const char *path, ct_error *error)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_container *container;
    ct_status status = ct_container_open(&heap, path, &container, error);
    if (status) return status;
    add_text(facts, "checkpoint", "%s", path);
    add_text(facts, "state", "whole: every checksum holds");
    add_number(facts, "bytes", ct_file_bytes(path), "");
    const char *name;
    ct_section_type type;
    uint64_t count;
    for (int i = 0; ct_container_section(container, i, &name, &type, &count); i++)
        add_text(facts, name, "%" PRIu64 " x %zu bytes", count, ct_section_type_size(type));
    ct_container_close(container);
    return CT_OK;
}

/* ---- this build ---- */

static void tell_build(struct facts *facts)
{
    int major, minor, patch;
    yaml_get_version(&major, &minor, &patch);
    add_text(facts, "version", "%s", ct_version_text());
    add_text(facts, "compiler", "%s", __VERSION__);
    add_text(facts, "build type", "%s", CT_BUILD_TYPE);
    add_text(facts, "checks", "%s", CT_CHECKS ? "on" : "off");
    for (int i = 0; ct_numerics_at(i); i++) {
        const ct_numerics *numerics = ct_numerics_at(i);
        char name[32];
        snprintf(name, sizeof name, "variant %d", i + 1);
        add_text(facts, name, "%dD %s %s", numerics->dimension,
                 numerics->precision == CT_DOUBLE ? "double" : "float", numerics->isa);
    }
    const ct_numerics *chosen = ct_numerics_choose(3, CT_FLOAT, NULL);
    if (chosen) add_text(facts, "used here", "%s", chosen->isa);
    add_text(facts, "viewer", "%s", ct_viewer_is_built() ? "yes" : "no");
    add_text(facts, "libyaml", "%d.%d.%d", major, minor, patch);
    add_text(facts, "xxhash", "%u", XXH_versionNumber());
    add_text(facts, "zstd", "%s", ZSTD_versionString());
    add_text(facts, "libpng", "%s", png_get_libpng_ver(NULL));
}

/* ---- the command ---- */

static bool is_checkpoint(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".ctc") == 0;
}

int ct_command_info(int argc, char **argv)
{
    ct_arguments arguments;
    int code = ct_arguments_check(&arguments, argc, argv);
    if (code >= 0) return code;
    const char *path = ct_argument(&arguments, 0);
    bool build = ct_option_given(&arguments, "build");
    if (!path == !build) return ct_usage_error(&arguments, "expects FOLDER, SCENE or CHECKPOINT, or --build");
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    struct facts facts = {.text = {.heap = &heap}, .is_json = ct_option_given(&arguments, "json")};
    ct_error error;
    ct_status status = CT_OK;
    if (build) tell_build(&facts);
    else if (ct_is_folder(path)) status = tell_run(&facts, path, &error);
    else if (is_checkpoint(path)) status = tell_checkpoint(&facts, path, &error);
    else status = tell_scene(&facts, path, &error);
    if (!status) print_facts(&facts);
    ct_text_release(&facts.text);
    return status ? ct_report(&error) : CT_OK;
}
