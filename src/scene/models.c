/* Materials, schemes and walls as variants, made from the lists of those models. */
#include "scene/look_words.h"

#include "method_info.h"
#include "scene/checks.h"
#include "transfer/info.h"
#include <float.h>
#include <math.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* ---- Materials ------------------------------------------------------------------------------- */

#define MATERIAL(field) offsetof(ct_material_def, field)

static const ct_key material_keys[] = {
    {"method", CT_KEY_INDEX,
     "Method of the type or preset. By default the scene's, or the one that has the type.", MATERIAL(method),
     .names = ct_method_names, .flags = CT_NO_DEFAULT | CT_COMMON, .example = "mpm"},
    {"density", CT_KEY_QUANTITY, "Mass per volume of the undeformed material.", MATERIAL(density),
     .dimension = CT_DENSITY, .least = DBL_MIN, .most = INFINITY, .example = "1000 kg/m^3"},
    {"temperature", CT_KEY_QUANTITY, "Default initial temperature of its bodies and sources.",
     MATERIAL(temperature), .dimension = CT_TEMPERATURE, .least = 0, .most = 1e6,
     .ability = CT_ABILITY(has_heat), .example = "20 degC"},
    {"heat_capacity", CT_KEY_QUANTITY, "Specific heat capacity. 0: no heat.", MATERIAL(heat_capacity),
     .dimension = CT_HEAT_CAPACITY, .least = 0, .most = INFINITY, .ability = CT_ABILITY(has_heat),
     .example = "4.18 kJ/(kg K)"},
    {"conductivity", CT_KEY_QUANTITY, "Thermal conductivity.", MATERIAL(conductivity),
     .dimension = CT_CONDUCTIVITY, .least = 0, .most = INFINITY, .ability = CT_ABILITY(has_heat),
     .example = "0.6 W/(m K)"},
    {"look", CT_KEY_WORD, "Appearance in pictures.", MATERIAL(look), .words = ct_look_words},
};

/* Of elastic materials. */
static const ct_key factor_keys[] = {
    {"stiffness_factor", CT_KEY_TRACK,
     "Factor on the stiffness, constant or over time, for materials that melt and set.",
     MATERIAL(stiffness_factor), .flags = CT_SCALAR, .methods = CT_ONLY(PERIDYNAMICS),
     .example = "[[0 s, 1], [1 s, 0.01], [3 s, 1]]"},
};

/* Ways to give the two elastic constants; `shear` is another name of `mu`. */
static const char *const elastic_choices[] = {
    "young poisson", "mu lambda", "shear lambda", "bulk poisson", "bulk shear", "bulk mu", NULL};

/* The methods that have a model of this name. */
static ct_methods methods_of(const char *type)
{
    ct_methods methods = 0;
    for (int m = 0; ct_method_info_at(m); m++)
        if (ct_method_model(m, type)) methods |= 1U << m;
    return methods;
}

/* The models of all methods, one after another; those that several have where the first has them. */
static const ct_material_info *model_at(int index)
{
    const ct_method_info *method;
    const ct_material_info *info;
    for (int m = 0; (method = ct_method_info_at(m)); m++)
        for (int i = 0; (info = method->material_at(i)); i++)
            if (ct_method_of_material(info->name) == m && !index--) return info;
    return NULL;
}

static bool material_at(int index, ct_variant *variant)
{
    const ct_material_info *info = model_at(index);
    if (!info) return false;
    ct_variant_begin(variant, info->name, info->title, info->doc, index);
    variant->methods = methods_of(info->name);
    variant->section.finish = ct_check_material;
    ct_variant_add(variant, material_keys, COUNT(material_keys));
    if (info->is_elastic) {
        ct_variant_add_parameters(variant, ct_elastic_parameters, CT_ELASTIC_PARAMETERS, MATERIAL(parameters),
                                  MATERIAL(parameter_count), true);
        variant->section.choices = elastic_choices;
        ct_variant_add(variant, factor_keys, COUNT(factor_keys));
    }
    ct_variant_add_parameters(variant, info->parameters, info->parameter_count, MATERIAL(parameters),
                              MATERIAL(parameter_count), false);
    ct_variant_add_option(variant, &info->option);
    return true;
}

static void set_default_material(void *definition)
{
    *(ct_material_def *)definition = ct_default_material_def();
}

static const ct_synonym material_synonyms[] = {
    {"sand", "drucker_prager"},
    {"metal", "von_mises"},
    {"plasticine", "nacc"},
    {"liquid", "fluid"},
    {"newtonian", "fluid"},
    {"paste", "herschel_bulkley"},
    {"bingham", "herschel_bulkley"},
    {"linear_elastic", "corotated"},
    {NULL, NULL},
};

const ct_variants ct_material_variants = {
    .what = "material",
    .synonyms = material_synonyms,
    .preamble = "What bodies are made of: a model and its constants.",
    .at = material_at,
    .size = sizeof(ct_material_def),
    .set_default = set_default_material,
    .type_offset = MATERIAL(type),
    .type_is_name = true,
    .has_presets = true,
};

/* ---- Schemes --------------------------------------------------------------------------------- */

#define SCHEME(field) offsetof(ct_scheme_def, field)

static bool scheme_at(int index, ct_variant *variant)
{
    const ct_scheme_info *info = ct_scheme_info_at(index);
    if (!info) return false;
    ct_variant_begin(variant, info->name, info->title, info->doc, index);
    ct_variant_add_parameters(variant, info->parameters, info->parameter_count, SCHEME(parameters),
                              SCHEME(parameter_count), false);
    return true;
}

static void set_default_scheme(void *definition)
{
    *(ct_scheme_def *)definition = ct_default_world_def().scheme;
}

const ct_variants ct_scheme_variants = {
    .what = "scheme",
    .preamble = "How velocities travel between particles and grid.",
    .at = scheme_at,
    .size = sizeof(ct_scheme_def),
    .set_default = set_default_scheme,
    .type_offset = SCHEME(type),
    .type_is_name = true,
};

/* ---- Walls ----------------------------------------------------------------------------------- */

static const ct_key wall_velocity = {
    "velocity",
    CT_KEY_TRACK,
    "Tangential velocity of the wall's surface, as of a conveyor belt; the wall itself does not move.",
    offsetof(ct_wall_def, velocity),
    .dimension = CT_VELOCITY,
    .example = "[0.5, 0, 0]"};
static const ct_key wall_friction = {
    "friction",       CT_KEY_QUANTITY, "Coulomb coefficient.", offsetof(ct_wall_def, friction),
    .most = INFINITY, .example = "0.5"};

static const ct_key wall_heat[] = {
    {"temperature", CT_KEY_QUANTITY, "Prescribed temperature of the wall. By default it is insulated.",
     offsetof(ct_wall_def, thermal.temperature), .dimension = CT_TEMPERATURE,
     .given = CT_GIVEN(offsetof(ct_wall_def, thermal.has_temperature)), .least = 0, .most = 1e6,
     .flags = CT_NO_DEFAULT, .ability = CT_ABILITY(has_heat), .example = "20 degC"},
    {"thermal_resistance", CT_KEY_QUANTITY, "Thermal contact resistance of its surface. 0: perfect contact.",
     offsetof(ct_wall_def, thermal.resistance), .dimension = CT_THERMAL_RESISTANCE, .least = 0,
     .most = INFINITY, .ability = CT_ABILITY(has_heat), .example = "0.001 m^2 K/W"},
};

static const struct {
    const char *name;
    int type;
    const char *title, *doc;
    const ct_key *keys[2];
} walls[] = {
    {"slip", CT_WALL_SLIP, "Slip", "Material slides along the wall without leaving it.", {0}},
    {"no_slip", CT_WALL_NO_SLIP, "No slip", "Material at the wall moves with it.", {&wall_velocity}},
    {"separate",
     CT_WALL_SEPARATE,
     "Separate",
     "Material may leave the wall; under pressure it slides with friction.",
     {&wall_friction, &wall_velocity}},
    {"free", CT_WALL_FREE, "Free", "No wall: material that flows out is removed.", {0}},
    {"periodic",
     CT_WALL_PERIODIC,
     "Periodic",
     "No wall: material that flows out re-enters at the opposite side, which must be `periodic`, too. For "
     "the "
     "material "
     "point method; the domain must be a multiple of four cells long.",
     {0}},
};

static bool wall_at(int index, ct_variant *variant)
{
    if (index >= COUNT(walls)) return false;
    ct_variant_begin(variant, walls[index].name, walls[index].title, walls[index].doc, walls[index].type);
    for (int i = 0; i < 2 && walls[index].keys[i]; i++) ct_variant_add(variant, walls[index].keys[i], 1);
    if (walls[index].type != CT_WALL_FREE && walls[index].type != CT_WALL_PERIODIC)
        ct_variant_add(variant, wall_heat, COUNT(wall_heat));
    variant->is_later = walls[index].type == CT_WORD_LATER;
    return true;
}

static void set_default_wall(void *definition)
{
    *(ct_wall_def *)definition = ct_default_world_def().walls[CT_X_MIN];
}

const ct_variants ct_wall_variants = {
    .what = "wall",
    .preamble = "What happens at a side of the domain.",
    .at = wall_at,
    .size = sizeof(ct_wall_def),
    .set_default = set_default_wall,
    .type_offset = offsetof(ct_wall_def, type),
};
