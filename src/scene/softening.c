#include "scene/softening.h"

#include "core/track.h"
#include "particles/shape.h"
#include "scene/presets.h"
#include <math.h>
#include <string.h>

/* ---- How fast things get ------------------------------------------------------------------------------ */

/* The box around a shape; false where it has none, or only a file knows. */
static bool find_box(int dimension, const ct_shape_def *def, double min[3], double max[3])
{
    if (def->type >= CT_SHAPE_MESH) return false;
    ct_heap heap;
    ct_error ignored;
    ct_shape *shape = NULL;
    ct_heap_init(&heap, (ct_allocator){0});
    bool is_found =
        !ct_shape_create(&heap, dimension, def, "", &shape, &ignored) && ct_shape_bounds(shape, min, max);
    ct_shape_destroy(shape);
    return is_found;
}

/* |g| times the way of a shape's highest point down to the floor of the domain, down being where gravity points
 * first; what has no box reaches up to the ceiling. */
static double fall_of(const ct_scene *scene, const ct_shape_def *def)
{
    const ct_world_def *world = &scene->world;
    double min[3], max[3], g[3], sum = 0;
    bool has_box = find_box(world->dimension, def, min, max);
    ct_track_at(&world->gravity, 0, g);
    for (int a = 0; a < world->dimension; a++) {
        double extent = world->domain_max[a] - world->domain_min[a], way = extent;
        if (has_box && g[a] < 0) way = max[a] - world->domain_min[a];
        if (has_box && g[a] > 0) way = world->domain_max[a] - min[a];
        sum += fabs(g[a]) * fmax(0, fmin(way, extent));
    }
    return sum;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Of a point that goes from keyframe to keyframe, or at a given velocity. */
static double speed_of(const ct_motion_def *motion)
{
    const ct_track *way = &motion->position;
    double most = length(motion->velocity);
    for (int k = 1; k < way->count; k++) {
        double step[3];
        for (int a = 0; a < 3; a++) step[a] = way->values[k][a] - way->values[k - 1][a];
        most = fmax(most, length(step) / (way->times[k] - way->times[k - 1]));
    }
    return most;
}

/* Of bodies, sources, colliders and walls, as they are given. */
static double given_speed(const ct_scene *scene)
{
    double given = 0;
    for (int i = 0; i < scene->body_count; i++) given = fmax(given, length(scene->bodies[i].velocity));
    for (int i = 0; i < scene->source_count; i++)
        given = fmax(given, ct_track_most(&scene->sources[i].velocity));
    for (int i = 0; i < scene->collider_count; i++)
        given = fmax(given, speed_of(&scene->colliders[i].motion));
    for (int i = 0; i < 2 * scene->world.dimension; i++)
        given = fmax(given, ct_track_most(&scene->world.walls[i].velocity));
    return given;
}

double ct_expected_speed(const ct_scene *scene)
{
    double given = given_speed(scene), fall = 0;
    if (!scene->world.has_domain) return 0;
    for (int i = 0; i < scene->body_count; i++) fall = fmax(fall, fall_of(scene, &scene->bodies[i].shape));
    for (int i = 0; i < scene->source_count; i++) fall = fmax(fall, fall_of(scene, &scene->sources[i].shape));
    return sqrt(given * given + 2 * fall);
}

double ct_highest_speed(const ct_scene *scene)
{
    double expected = ct_expected_speed(scene);
    if (expected > 0) return expected;
    return given_speed(scene) + ct_track_most(&scene->world.gravity) * scene->end;
}

/* ---- The modulus -------------------------------------------------------------------------------------- */

static double round_up_to_two_digits(double value)
{
    double digit = pow(10, floor(log10(value)) - 1);
    return ceil(value / digit - 1e-9) * digit;
}

/* Whether a material's bulk modulus is from a preset that leaves it to the scene. */
static bool is_left_to_scene(const ct_yaml *node, ct_method method)
{
    const ct_yaml_entry *named = ct_yaml_find(node, "preset");
    const ct_preset *preset = named ? ct_preset_find((int)method, named->value->text) : NULL;
    return preset && preset->is_softened && !ct_yaml_find(node, "bulk");
}

static void set_bulk(ct_material_def *material, double bulk)
{
    ct_parameter *parameters = (ct_parameter *)material->parameters; /* in the arena of the scene */
    for (int i = 0; i < material->parameter_count; i++)
        if (!strcmp(parameters[i].name, "bulk")) parameters[i].value = bulk;
}

void ct_soften_liquids(const ct_yaml *root, ct_scene *scene)
{
    const double stiffness = 100; /* (c / v)^2 */
    const ct_yaml_entry *materials = ct_yaml_find(root, "materials");
    double speed = -1;
    for (int i = 0; materials && i < scene->material_count; i++) {
        ct_material_def *material = &scene->materials[i];
        const ct_yaml_entry *entry = ct_yaml_find(materials->value, material->name);
        if (!entry || !is_left_to_scene(entry->value, material->method)) continue;
        if (speed < 0) speed = ct_expected_speed(scene);
        if (!(speed > 0)) continue;
        set_bulk(material, round_up_to_two_digits(stiffness * material->density * speed * speed));
        scene->softened_for = speed;
    }
}
