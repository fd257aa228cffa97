/* Checks of methods: things and their materials, changes, and what the solver of a method cannot do. */
#include "scene/checks.h"

#include "core/cholesky.h"
#include "scene/looks.h"
#include "scene/presets.h"
#include <stdio.h>
#include <string.h>

static const char *name_of(int method)
{
    return ct_method_info_at(method)->name;
}

/* A type that would do for a method: its first. */
static const char *example_of(int method)
{
    return ct_method_info_at(method)->material_at(0)->name;
}

/* ---- Materials ------------------------------------------------------------------------------- */

/* `look: auto` becomes that of the model; a type that the method which was asked for does not have. */
void ct_check_material(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_material_def *material = definition;
    const ct_yaml_entry *given = ct_yaml_find(node, "method");
    material->look = ct_look_number(ct_look_of_material(material));
    int method = given ? ct_method_find(given->value->text) : -1;
    if (method < 0 || ct_method_model(method, material->type)) return;
    ct_mistake(
        decoder->mistakes, ct_place_of(node, "type"),
        "the material '%s' is not for 'method: %s'; choose another type such as %s, or remove 'method'",
        material->type, name_of(method), example_of(method));
}

void ct_check_flows(ct_decoder *decoder, const ct_yaml *node, int material)
{
    const char *type = decoder->scene->materials[material].type; /* NULL: it has a mistake itself */
    const ct_material_info *model = type ? ct_model_find(type) : NULL;
    bool needs_flow = decoder->methods & ct_methods_with(CT_ABILITY(emits_flows));
    if (!needs_flow || !model || model->flows) return;
    if (!(decoder->methods >> decoder->scene->materials[material].method & 1)) return; /* told as such */
    ct_mistake(
        decoder->mistakes, ct_place_of(node, "material"),
        "with %s sources make what flows; choose a granular, plastic or viscous material of peridynamics",
        name_of(decoder->scene->materials[material].method));
}

/* Whether it is a preset, and the method has one of the same name. */
static bool has_preset(const ct_yaml_entry *materials, const ct_material_def *material, int method)
{
    const ct_yaml_entry *preset =
        ct_yaml_find(ct_yaml_find(materials->value, material->name)->value, "preset");
    return preset && ct_preset_find(method, preset->value->text);
}

/* A body or source, `what`, whose material is another method's. */
static void check_thing(ct_decoder *decoder, const ct_yaml_entry *materials, const char *what,
                        const ct_yaml_entry *thing, int method, const ct_material_def *material)
{
    if (material->method == method) return;
    const char *other = name_of(material->method);
    char hint[200];
    if (has_preset(materials, material, method) || ct_method_model(method, material->type))
        snprintf(hint, sizeof hint, "give the material 'method: %s', too", name_of(method));
    else
        snprintf(hint, sizeof hint, "give the %s 'method: %s', or another material, such as one of type %s",
                 what, other, example_of(method));
    bool is_own = ct_yaml_find(thing->value, "method");
    ct_mistake(decoder->mistakes, ct_place_of(thing->value, is_own ? "method" : "material"),
               "%s '%s' is of 'method: %s', but its material '%s' (%s) is of %s; %s", what,
               ct_show(thing->key).text, name_of(method), ct_show(material->name).text, material->type, other,
               hint);
}

/* Bodies of elements are solids, shells or nets, by their material. */
static void check_kind(ct_decoder *decoder, const ct_yaml_entry *thing, const ct_body_def *body,
                       const ct_material_def *material)
{
    const ct_yaml_entry *shape = ct_yaml_find(thing->value, "shape");
    bool is_sheet = body->shape.type == CT_SHAPE_SHEET || body->shape.type == CT_SHAPE_SURFACE;
    if (body->method != CT_METHOD_ELEMENTS || !material->type) return;
    bool is_shell = !strcmp(material->type, "shell"), is_net = !strcmp(material->type, "springs");
    if (is_sheet && !is_shell && !is_net)
        ct_mistake(
            decoder->mistakes, ct_place_of(thing->value, "material"),
            "'%s' is a sheet, but the material '%s' (%s) is one of solids; choose one of type shell or "
            "springs",
            ct_show(thing->key).text, material->name, material->type);
    else if (!is_sheet && is_shell)
        ct_mistake(decoder->mistakes, ct_place_of(thing->value, "shape"),
                   "'%s' is a shell, which has no inside; give a 'shape' of type sheet or surface",
                   ct_show(thing->key).text);
    else if (is_sheet && !(body->shape.thickness > 0))
        ct_mistake(decoder->mistakes, ct_place_of(shape->value, "type"),
                   "the sheet needs a thickness; for example 'thickness: 1 mm'");
    if (body->elements.hold_group && body->shape.type != CT_SHAPE_SOLID)
        ct_mistake(decoder->mistakes, ct_place_of(thing->value, "hold_group"),
                   "only meshes of solids from files have vertex groups; give 'hold' a shape instead");
}

/* Bodies of a method that knows only lines. */
static void check_shape(ct_decoder *decoder, const ct_yaml_entry *thing, int method,
                        const ct_shape_def *shape)
{
    if (!ct_method_info_at(method)->has_only_lines) return;
    const ct_yaml_entry *at = ct_yaml_find(thing->value, "shape");
    if (shape->type != CT_SHAPE_POLYLINE)
        ct_mistake(decoder->mistakes, ct_place_of(thing->value, "shape"),
                   "'%s' is of 'method: %s', which is made of lines; give a 'shape' of type polyline",
                   ct_show(thing->key).text, name_of(method));
    else if (shape->is_closed)
        ct_mistake(decoder->mistakes, ct_place_of(at->value, "closed"),
                   "'%s' is a strand and has two ends; remove 'closed'", ct_show(thing->key).text);
    else if (shape->has_twist)
        ct_mistake(decoder->mistakes, ct_place_of(at->value, "twist"),
                   "'%s' is a strand and resists twist as it is; remove 'twist'", ct_show(thing->key).text);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The method of the body, source or earlier change of this name; -1: there is none. */
static int method_of(const ct_scene *scene, int before, const char *name)
{
    for (int b = 0; b < scene->body_count; b++)
        if (!strcmp(scene->bodies[b].name, name)) return scene->bodies[b].method;
    for (int s = 0; s < scene->source_count; s++)
        if (!strcmp(scene->sources[s].name, name)) return scene->sources[s].method;
    for (int c = 0; c < before; c++)
        if (!strcmp(scene->changes[c].name, name)) return scene->materials[scene->changes[c].material].method;
    return -1;
}

/* Names nothing that is there. */
static void note_unknown(ct_decoder *decoder, const ct_yaml *node, const char *from)
{
    const ct_scene *scene = decoder->scene;
    const char *names[64];
    int count = 0;
    for (int b = 0; b < ct_scene_body_count(scene) - 1 && count < 64; b++) { /* the last is this one */
        const double *color;
        names[count++] = ct_scene_body(scene, b, &color);
    }
    ct_mistake_word(decoder, ct_place_of(node, "from"), "there is no body, source or change", from, names,
                    count);
}

/* Both ends are of one method, and of one whose materials change. */
static void check_ends(ct_decoder *decoder, const ct_yaml *node, const ct_change_def *change, int method)
{
    const ct_material_def *material = &decoder->scene->materials[change->material];
    if (!ct_method_info_at(method)->has_changes)
        ct_mistake(decoder->mistakes, ct_place_of(node, "from"),
                   "'%s' is of 'method: %s', whose materials do not change; choose a body of %s",
                   change->from, name_of(method),
                   ct_methods_show(ct_methods_with(CT_ABILITY(has_changes))).text);
    else if (material->method != method)
        ct_mistake(decoder->mistakes, ct_place_of(node, "material"),
                   "'%s' is of 'method: %s', but the material '%s' (%s) is of %s; choose one of the same "
                   "method, such as one of type %s",
                   change->from, name_of(method), material->name, material->type, name_of(material->method),
                   example_of(method));
}

void ct_check_change(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_change_def *change = definition;
    const ct_scene *scene = decoder->scene;
    if (change->has_shape) ct_check_is_solid(decoder, node, &change->shape, "change");
    if (change->until > 0 && change->until < change->time)
        ct_mistake(decoder->mistakes, ct_place_of(node, "until"),
                   "'until' is %g s, before it begins; it must be at least 'time', %g s", change->until,
                   change->time);
    int method = method_of(scene, scene->change_count - 1, change->from); /* the last is this one */
    if (method < 0) note_unknown(decoder, node, change->from);
    else check_ends(decoder, node, change, method);
    for (int b = 0; b < scene->body_count; b++)
        if (!strcmp(scene->bodies[b].name, change->from) && scene->bodies[b].shape.has_twist)
            ct_mistake(decoder->mistakes, ct_place_of(node, "from"),
                       "'%s' has ghosts for its twist and cannot change; leave out 'twist'", change->from);
}

/* ---- Solvers --------------------------------------------------------------------------------- */

/* A horizon that reaches nobody; what the chosen solver, or this build, does not do. */
static void check_peri(ct_decoder *decoder, const ct_yaml *section, const ct_peri_def *def, bool has_flows)
{
    double least = ct_method_info_at(CT_METHOD_PERIDYNAMICS)->min_horizon;
    if (def->horizon > 0 && def->horizon < least)
        ct_mistake(decoder->mistakes, ct_place_of(section, "horizon"),
                   "'horizon' is %g; it must reach the next particle: at least %g, or 0 for the usual one",
                   def->horizon, least);
    if (has_flows) return; /* these have their own answer: check_solver */
    if (def->solver == CT_PERI_DIRECT && !ct_factor_is_built_in())
        ct_mistake(decoder->mistakes, ct_place_of(section, "solver"),
                   "the direct solver needs CHOLMOD, which this build does not have; install SuiteSparse and "
                   "build again, or choose another 'solver'");
    if ((def->solver == CT_PERI_CHEBYSHEV || def->solver == CT_PERI_AUTOMATIC ||
         def->solver == CT_PERI_NEWTON) &&
        def->line_search)
        ct_mistake(decoder->mistakes, ct_place_of(section, "line_search"),
                   "'line_search' does not work with Chebyshev's iterations; choose another 'solver', "
                   "such as jacobi, or remove it");
}

/* Solvers that need bonds that stay. */
static void check_solver(ct_decoder *decoder, const ct_yaml *section, const ct_peri_def *def,
                         const char *type)
{
    if (def->solver == CT_PERI_DIRECT || def->solver == CT_PERI_POSITIONS)
        ct_mistake(
            decoder->mistakes, ct_place_of(section, "solver"),
            "neighbours of the material '%s' change in every step; 'solver' must be chebyshev or jacobi",
            type);
    if (def->line_search)
        ct_mistake(decoder->mistakes, ct_place_of(section, "line_search"),
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

/* What the keys of peridynamics ask of each other and of its materials. */
static void check_peridynamics(ct_decoder *decoder, const ct_yaml *node, const ct_scene *scene)
{
    const ct_yaml_entry *materials = ct_yaml_find(node, "materials");
    const ct_yaml_entry *section = ct_yaml_find(node, "peridynamics");
    bool has_flows = false;
    for (int i = 0; i < scene->material_count; i++) {
        const ct_material_def *material = &scene->materials[i];
        bool is_peri = material->method == CT_METHOD_PERIDYNAMICS;
        bool flows = is_peri && ct_method_model(material->method, material->type)->flows;
        if (flows && section) check_solver(decoder, section->value, &scene->world.peri, material->type);
        if (is_peri) check_grains(decoder, materials->value, material);
        has_flows |= flows;
    }
    if (section) check_peri(decoder, section->value, &scene->world.peri, has_flows);
}

void ct_check_methods(ct_decoder *decoder, const ct_yaml *node, const ct_scene *scene)
{
    const ct_yaml_entry *materials = ct_yaml_find(node, "materials"), *bodies = ct_yaml_find(node, "bodies");
    const ct_yaml_entry *sources = ct_yaml_find(node, "sources");
    const ct_yaml_entry *thing = bodies ? bodies->value->first : NULL; /* they are in the order of the file */
    for (int b = 0; b < scene->body_count; b++, thing = thing->next)
        check_thing(decoder, materials, "body", thing, scene->bodies[b].method,
                    &scene->materials[scene->bodies[b].material]);
    thing = bodies ? bodies->value->first : NULL;
    for (int b = 0; b < scene->body_count; b++, thing = thing->next)
        check_shape(decoder, thing, scene->bodies[b].method, &scene->bodies[b].shape);
    thing = bodies ? bodies->value->first : NULL;
    for (int b = 0; b < scene->body_count; b++, thing = thing->next)
        check_kind(decoder, thing, &scene->bodies[b], &scene->materials[scene->bodies[b].material]);
    thing = sources ? sources->value->first : NULL;
    for (int s = 0; s < scene->source_count; s++, thing = thing->next)
        check_thing(decoder, materials, "source", thing, scene->sources[s].method,
                    &scene->materials[scene->sources[s].material]);
    check_peridynamics(decoder, node, scene);
}
