#include "scene/checks.h"

#include "core/track.h"
#include "scene/methods.h"
#include "scene/softening.h"

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

/* Where none is given: that of the method. */
static void choose_pattern(const ct_decoder *decoder, const ct_yaml *node, ct_pattern *pattern)
{
    const ct_yaml_entry *sampling = ct_yaml_find(node, "sampling");
    bool is_given = sampling && ct_yaml_find(sampling->value, "pattern");
    if (!is_given && decoder->methods & ct_methods_with(CT_ABILITY(is_lattice)))
        *pattern = CT_PATTERN_LATTICE;
}

void ct_check_body(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_body_def *body = definition;
    choose_pattern(decoder, node, &body->pattern);
    double J = determinant(body->deformation);
    if (!(J > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "deformation"),
                   "'deformation' has the determinant %g; it must be "
                   "positive, or the body is inside out",
                   J);
}

void ct_check_is_solid(ct_decoder *decoder, const ct_yaml *node, const ct_shape_def *shape, const char *what)
{
    if (shape->type >= CT_SHAPE_POINTS)
        ct_mistake(decoder->mistakes, ct_place_of(node, "shape"),
                   "single particles, sheets and lines are no shape of a %s; choose one with an inside",
                   what);
}

void ct_check_source(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_source_def *source = definition;
    choose_pattern(decoder, node, &source->pattern);
    ct_check_flows(decoder, node, source->material);
    ct_check_is_solid(decoder, node, &source->shape, "source");
    if (source->shape.type == CT_SHAPE_HALF_SPACE)
        ct_mistake(decoder->mistakes, ct_place_of(node, "shape"),
                   "a half space has no end; intersect it with something finite");
    if (!(ct_track_most(&source->velocity) > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "velocity"),
                   "'velocity' is zero, so nothing flows; use a body for what only lies there");
    const ct_yaml_entry *motion = ct_yaml_find(node, "motion");
    if (motion && (source->motion.scale.count || source->motion.scale.constant[0] != 1))
        ct_mistake(decoder->mistakes, ct_place_of(motion->value, "scale"),
                   "a source keeps its size; remove 'scale'");
    if (source->type != CT_SOURCE_SPOUT && ct_yaml_find(node, "opening"))
        ct_mistake(decoder->mistakes, ct_place_of(node, "opening"),
                   "'opening' is for sources of type spout; remove it, or add 'type: spout'");
}

void ct_check_sink(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_check_is_solid(decoder, node, &((const ct_sink_def *)definition)->shape, "sink");
}

/* The method of the body of that name, or -1. */
static int method_of_body(const ct_scene *scene, const char *name)
{
    for (int b = 0; b < scene->body_count; b++)
        if (!strcmp(scene->bodies[b].name, name)) return (int)scene->bodies[b].method;
    return -1;
}

static void check_joined(ct_decoder *decoder, const ct_yaml *node, const char *key, const char *name)
{
    int method = method_of_body(decoder->scene, name);
    if (method == CT_METHOD_RIGID) return;
    ct_mistake(decoder->mistakes, ct_place_of(node, key), "%s '%s'; joints are of rigid bodies",
               method < 0 ? "there is no body" : "not rigid is the body", ct_show(name).text);
}

void ct_check_joint(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_joint_def *joint = definition;
    check_joined(decoder, node, "body", joint->body);
    if (joint->to) check_joined(decoder, node, "to", joint->to);
    if (joint->to && !strcmp(joint->body, joint->to))
        ct_mistake(decoder->mistakes, ct_place_of(node, "to"),
                   "'to' is the same as 'body'; name another one");
    bool needs_axis = joint->type == CT_JOINT_SLIDER ||
                      (joint->type == CT_JOINT_HINGE && decoder->scene->world.dimension == 3);
    bool has_axis = joint->axis[0] != 0 || joint->axis[1] != 0 || joint->axis[2] != 0;
    if (needs_axis && !has_axis)
        ct_mistake(decoder->mistakes, ct_place_of(node, "axis"),
                   "the key 'axis' is missing; for example 'axis: [0, 0, 1]'");
    if (joint->has_limits && !(joint->lower <= joint->upper))
        ct_mistake(decoder->mistakes, ct_place_of(node, "upper"), "'upper' is below 'lower'");
    bool is_driven = joint->has_limits || joint->motor_most > 0 || joint->stiffness > 0 || joint->damping > 0;
    if (joint->type == CT_JOINT_BALL && is_driven && decoder->scene->world.dimension == 3)
        ct_mistake(decoder->mistakes, ct_place_of(node, "type"),
                   "ball joints have no axis for limits, motors and springs; use a hinge");
}

/* Whether wind finds faces on bodies of a method (docs/theory/forces.md). */
static bool may_have_faces(int method)
{
    return method != CT_METHOD_MPM && method != CT_METHOD_FLUID;
}

/* Whether all that a force acts on is without faces. */
static bool has_no_faces(const ct_scene *scene, const ct_force_def *force)
{
    for (int b = 0; b < scene->body_count; b++) {
        bool is_meant = !force->body_count;
        for (int k = 0; k < force->body_count; k++)
            is_meant = is_meant || !strcmp(force->bodies[k], scene->bodies[b].name);
        if (is_meant && may_have_faces((int)scene->bodies[b].method)) return false;
    }
    return true;
}

void ct_check_force(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_force_def *force = definition;
    if (force->has_shape) ct_check_is_solid(decoder, node, &force->shape, "force");
    if (force->stop > 0 && !(force->stop > force->start))
        ct_mistake(decoder->mistakes, ct_place_of(node, "stop"),
                   "'stop' is %g s; it must come after 'start', %g s", force->stop, force->start);
    if (force->type == CT_FORCE_WIND && !(force->grain > 0) && !(force->rate > 0) &&
        has_no_faces(decoder->scene, force))
        ct_mistake(decoder->mistakes, node->place,
                   "this wind finds no surface to blow on; give 'grain', the diameter of grains, or 'rate'");
}

void ct_check_camera(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_camera_def *camera = &((const ct_scene *)definition)->output.camera;
    if (!memcmp(camera->from, camera->target, sizeof camera->from))
        ct_mistake(decoder->mistakes, ct_place_of(node, "from"),
                   "'from' and 'target' are the same point; move one away");
}

/* The name becomes part of file names. */
void ct_check_scene(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_scene *scene = definition;
    ct_check_methods(decoder, node, scene);
    ct_soften_liquids(node, scene);
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
    const ct_motion_def *motion = definition;
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
