#include "scene/checks.h"

#include "core/track.h"
#include "peri/cholesky.h"
#include "peri/peri.h"

#include <string.h>

/* No run ends that asks for more. */
static const double max_end = 1e9, max_frames = 1e7, max_rows = 1e9; /* s, 1, 1 */

void ct_check_time(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_scene *scene = definition;
    if (scene->end > max_end)
        ct_mistake(decoder->mistakes, ct_place_of(node, "end"),
                   "'end' is %g s; no run gets there. It must be at most %g s", scene->end, max_end);
    else if (scene->end / scene->frame > max_frames)
        ct_mistake(decoder->mistakes, ct_place_of(node, "frame"),
                   "'frame' is %g s, which makes %.3g frames until 'end'; at most %g are written",
                   scene->frame, scene->end / scene->frame, max_frames);
    if (scene->frame > scene->end)
        ct_mistake(decoder->mistakes, ct_place_of(node, "frame"),
                   "'frame' is %g s, longer than the whole run; it must be "
                   "at most 'end', %g s",
                   scene->frame, scene->end);
}

void ct_check_domain(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_world_def *world = &((const ct_scene *)definition)->world;
    for (int a = 0; a < world->dimension; a++) {
        double extent = world->domain_max[a] - world->domain_min[a];
        if (!(extent > 0)) {
            ct_mistake(decoder->mistakes, ct_place_of(node, "max"),
                       "the domain has no extent along %c; 'max' must be "
                       "greater than 'min' there",
                       "xyz"[a]);
        } else if (extent < world->spacing) {
            ct_mistake(decoder->mistakes, ct_place_of(node, "max"),
                       "the domain is %g m along %c, less than a grid cell "
                       "(%g m); make it larger or the spacing smaller",
                       extent, "xyz"[a], world -> spacing);
        }
    }
}

void ct_check_step(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_step_def *step = &((const ct_scene *)definition)->world.step;
    if (step->max > 0 && step->min > step->max)
        ct_mistake(decoder->mistakes, ct_place_of(node, "max"),
                   "'max' is %g s; it must be at least 'min', %g s", step->max, step->min);
    if (!step->criteria && step->fixed == 0 && step->max == 0)
        ct_mistake(decoder->mistakes, ct_place_of(node, "criteria"),
                   "nothing limits the step; name a criterion, or give "
                   "'max' or 'fixed'");
}

/* det F, row-major 3x3. */
static double determinant(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

void ct_check_body(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_body_def *body = definition;
    const ct_yaml_entry *sampling = ct_yaml_find(node, "sampling");
    bool is_peri = decoder->scene->world.method == CT_METHOD_PERIDYNAMICS;
    if (is_peri && !(sampling && ct_yaml_find(sampling->value, "pattern")))
        body->pattern = CT_PATTERN_LATTICE;
    double J = determinant(body->deformation);
    if (!(J > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "deformation"),
                   "'deformation' has the determinant %g; it must be "
                   "positive, or the body is inside out",
                   J);
}

static void check_is_solid(ct_decoder *decoder, const ct_yaml *node, const ct_shape_def *shape,
                           const char *what)
{
    if (shape->type >= CT_SHAPE_POINTS)
        ct_mistake(decoder->mistakes, ct_place_of(node, "shape"),
                   "single particles, sheets and lines are no shape of a %s; choose one with an inside",
                   what);
}

/* Whether a type of material is one of peridynamics whose neighbours change. */
static bool flows(const char *type)
{
    for (int model = 0; ct_peri_material_at(model); model++)
        if (!strcmp(ct_peri_material_at(model)->name, type)) return ct_peri_flows(model);
    return false;
}

void ct_check_source(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_source_def *source = definition;
    const ct_scene *scene = decoder->scene;
    const ct_yaml_entry *sampling = ct_yaml_find(node, "sampling");
    bool is_peri = scene->world.method == CT_METHOD_PERIDYNAMICS;
    if (is_peri && !(sampling && ct_yaml_find(sampling->value, "pattern")))
        source->pattern = CT_PATTERN_LATTICE;
    const char *type = scene->materials[source->material].type; /* NULL: it has a mistake itself */
    if (is_peri && type && ct_peri_material_find(type) && !flows(type))
        ct_mistake(
            decoder->mistakes, ct_place_of(node, "material"),
            "with peridynamics sources make what flows; choose a granular, plastic or viscous material");
    check_is_solid(decoder, node, &source->shape, "source");
    if (source->shape.type == CT_SHAPE_HALF_SPACE)
        ct_mistake(decoder->mistakes, ct_place_of(node, "shape"),
                   "a half space has no end; intersect it with something finite");
    if (!(ct_track_most(&source->velocity) > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "velocity"),
                   "'velocity' is zero, so nothing flows; use a body for what only lies there");
    if (source->type != CT_SOURCE_SPOUT && ct_yaml_find(node, "opening"))
        ct_mistake(decoder->mistakes, ct_place_of(node, "opening"),
                   "'opening' is for sources of type spout; remove it, or add 'type: spout'");
}

/* Whether it names a body that is there already: a change may go on from another one. */
static bool find_changed(ct_decoder *decoder, const ct_yaml *node, const char *from)
{
    const ct_scene *scene = decoder->scene;
    const char *names[64];
    int count = 0;
    for (int b = 0; b < ct_scene_body_count(scene); b++) {
        const double *color;
        const char *name = ct_scene_body(scene, b, &color);
        if (!name) continue; /* this one */
        if (!strcmp(name, from)) return true;
        if (count < 64) names[count++] = name;
    }
    ct_mistake_word(decoder, ct_place_of(node, "from"), "there is no body, source or change", from, names,
                    count);
    return false;
}

void ct_check_change(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_change_def *change = definition;
    const ct_scene *scene = decoder->scene;
    if (change->has_shape) check_is_solid(decoder, node, &change->shape, "change");
    if (change->until > 0 && change->until < change->time)
        ct_mistake(decoder->mistakes, ct_place_of(node, "until"),
                   "'until' is %g s, before it begins; it must be at least 'time', %g s", change->until,
                   change->time);
    if (!find_changed(decoder, node, change->from)) return;
    for (int b = 0; b < scene->body_count; b++)
        if (!strcmp(scene->bodies[b].name, change->from) && scene->bodies[b].shape.has_twist)
            ct_mistake(decoder->mistakes, ct_place_of(node, "from"),
                       "'%s' has ghosts for its twist and cannot change; leave out 'twist'", change->from);
}

void ct_check_sink(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    check_is_solid(decoder, node, &((const ct_sink_def *)definition)->shape, "sink");
}

void ct_check_camera(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_camera_def *camera = &((const ct_scene *)definition)->output.camera;
    if (!memcmp(camera->from, camera->target, sizeof camera->from))
        ct_mistake(decoder->mistakes, ct_place_of(node, "from"),
                   "'from' and 'target' are the same point; move one away");
}

/* A horizon that reaches nobody; what the chosen solver, or this build, does not do. */
static void check_peri(ct_decoder *decoder, const ct_yaml *node, const ct_peri_def *def, bool has_flows)
{
    const ct_yaml_entry *section = ct_yaml_find(node, "peridynamics");
    if (!section) return;
    if (def->horizon > 0 && def->horizon < CT_LEAST_HORIZON)
        ct_mistake(decoder->mistakes, ct_place_of(section->value, "horizon"),
                   "'horizon' is %g; it must reach the next particle: at least %g, or 0 for the usual one",
                   def->horizon, CT_LEAST_HORIZON);
    if (has_flows) return; /* these have their own answer: check_solver */
    if (def->solver == CT_PERI_DIRECT && !ct_factor_is_built_in())
        ct_mistake(decoder->mistakes, ct_place_of(section->value, "solver"),
                   "the direct solver needs CHOLMOD, which this build does not have; install SuiteSparse and "
                   "build again, or choose another 'solver'");
    if (def->solver == CT_PERI_CHEBYSHEV && def->line_search)
        ct_mistake(decoder->mistakes, ct_place_of(section->value, "line_search"),
                   "'line_search' does not work with Chebyshev's iterations; choose another 'solver', "
                   "such as jacobi, or remove it");
}

/* Solvers that need bonds that stay. */
static void check_solver(ct_decoder *decoder, const ct_yaml *node, const ct_peri_def *def, const char *type)
{
    const ct_yaml_entry *section = ct_yaml_find(node, "peridynamics");
    if (!flows(type) || !section) return;
    if (def->solver == CT_PERI_DIRECT || def->solver == CT_PERI_POSITIONS)
        ct_mistake(
            decoder->mistakes, ct_place_of(section->value, "solver"),
            "neighbours of the material '%s' change in every step; 'solver' must be chebyshev or jacobi",
            type);
    if (def->line_search)
        ct_mistake(decoder->mistakes, ct_place_of(section->value, "line_search"),
                   "'line_search' does not work with the material '%s'; remove it", type);
}

static double parameter_of(const ct_material_def *material, const char *name)
{
    for (int i = 0; i < material->parameter_count; i++)
        if (!strcmp(material->parameters[i].name, name)) return material->parameters[i].value;
    return 0;
}

/* Water holds grains together. */
static void check_grains(ct_decoder *decoder, const ct_yaml *materials, const ct_material_def *material)
{
    const ct_yaml_entry *entry = ct_yaml_find(materials, material->name);
    if (strcmp(material->type, "granular") || !entry || parameter_of(material, "saturation") > 0 ||
        !(parameter_of(material, "cohesion") > 0))
        return;
    ct_mistake(decoder->mistakes, ct_place_of(entry->value, "cohesion"),
               "'cohesion' of grains needs water between them; give 'saturation', or remove it");
}

/* Materials that the method does not know. */
static void check_method(ct_decoder *decoder, const ct_yaml *node, const ct_scene *scene)
{
    static const char *const names[] = {[CT_METHOD_MPM] = "mpm", [CT_METHOD_PERIDYNAMICS] = "peridynamics"};
    ct_method method = scene->world.method;
    bool has_flows = false;
    const ct_yaml_entry *materials = ct_yaml_find(node, "materials");
    for (int i = 0; i < scene->material_count; i++) {
        const char *type = scene->materials[i].type;
        bool is_peri = ct_peri_material_find(type);
        has_flows |= is_peri && flows(type);
        if (is_peri != (method == CT_METHOD_PERIDYNAMICS))
            ct_mistake(decoder->mistakes, ct_place_of(materials->value, scene->materials[i].name),
                       "the material '%s' is not for 'method: %s'; choose another type", type, names[method]);
        else if (is_peri) {
            check_solver(decoder, node, &scene->world.peri, type);
            check_grains(decoder, materials->value, &scene->materials[i]);
        }
    }
    if (method == CT_METHOD_PERIDYNAMICS) check_peri(decoder, node, &scene->world.peri, has_flows);
}

/* The name becomes part of file names. */
void ct_check_scene(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_scene *scene = definition;
    check_method(decoder, node, scene);
    const ct_yaml_entry *output = ct_yaml_find(node, "output");
    if (output && scene->output.stats_every > 0 && scene->end / scene->output.stats_every > max_rows)
        ct_mistake(decoder->mistakes, ct_place_of(output->value, "stats_every"),
                   "'stats_every' is %g s, which makes %.3g rows until 'end'; at most %g are written",
                   scene->output.stats_every, scene->end / scene->output.stats_every, max_rows);
    bool is_given = ct_yaml_find(node, "name");
    if (!scene->body_count && !scene->source_count)
        ct_mistake(
            decoder->mistakes, node->place,
            "the key 'bodies' is missing, and there are no 'sources' either; for example 'bodies: {ball: "
            "{material: rubber, shape: {type: sphere, radius: 10 cm}}}'");
    size_t plain = 0;
    while ((unsigned char)scene->name[plain] >= 0x20 && scene->name[plain] != '/') plain++;
    if (is_given && (scene->name[plain] || !plain || plain > 200 || scene->name[0] == '.'))
        ct_mistake(decoder->mistakes, ct_place_of(node, "name"),
                   "'name' cannot be '%s'; use a plain name without '/'", ct_show(scene->name).text);
}

/* The size must be positive at all times. */
void ct_check_motion(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_motion_def *motion = &((const ct_collider_def *)definition)->motion;
    double least = motion->scale.count ? motion->scale.values[0][0] : motion->scale.constant[0];
    for (int k = 1; k < motion->scale.count; k++)
        if (motion->scale.values[k][0] < least) least = motion->scale.values[k][0];
    if (!(least > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "scale"),
                   "'scale' is %g at one time; it must be positive at all times", least);
}

void ct_check_collider(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_collider_def *collider = definition;
    if (collider->shape.type >= CT_SHAPE_POINTS)
        ct_mistake(decoder->mistakes, ct_place_of(node, "shape"),
                   "points, particles, sheets and lines have no inside; a collider needs another shape");
}
