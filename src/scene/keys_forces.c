/* The keys of forces. */
#include "scene/checks.h"
#include "scene/keys.h"

#include <float.h>
#include <math.h>

#define COUNT(array)  (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)   .keys = (array), .count = COUNT(array)
#define FORCE(member) offsetof(ct_force_def, member)
#define POSITIVE      .least = DBL_MIN, .most = INFINITY
#define NOT_NEGATIVE  .least = 0, .most = INFINITY

static const ct_key acceleration_keys[] = {
    {"acceleration", CT_KEY_TRACK, "The acceleration.", FORCE(acceleration), .dimension = CT_ACCELERATION,
     .flags = CT_REQUIRED, .example = "[2, 0, 0]"},
};

/* Of a point and a vortex. */
static const ct_key center_keys[] = {
    {"center", CT_KEY_TRACK, "Position; may be keyframes.", FORCE(center), .dimension = CT_LENGTH,
     .flags = CT_REQUIRED, .example = "[0, 1, 0]"},
    {"strength", CT_KEY_QUANTITY,
     "Acceleration at `radius`. Negative: away from the point, or in the opposite sense.", FORCE(strength),
     .dimension = CT_ACCELERATION, .least = -INFINITY, .most = INFINITY, .flags = CT_REQUIRED,
     .example = "5 m/s^2"},
    {"radius", CT_KEY_QUANTITY, "Distance at which the acceleration is `strength`.", FORCE(radius),
     .dimension = CT_LENGTH, POSITIVE, .example = "1 m"},
    {"power", CT_KEY_QUANTITY,
     "The acceleration is proportional to 1/distance to this power. 0: constant, -1: a spring, 2: gravity.",
     FORCE(power), .least = -10, .most = 10, .example = "2"},
    {"softening", CT_KEY_QUANTITY,
     "Replaces the distance r by sqrt(r^2 + softening^2), which bounds the acceleration at the centre.",
     FORCE(softening), .dimension = CT_LENGTH, NOT_NEGATIVE, .example = "1 cm"},
};
static const ct_key axis_keys[] = {
    {"axis", CT_KEY_VECTOR, "Axis of rotation, by the right-hand rule; in 2D z.", FORCE(axis),
     .flags = CT_ONLY_3D | CT_NONZERO, .example = "[0, 1, 0]"},
};

static const ct_key eddy_keys[] = {
    {"size", CT_KEY_QUANTITY, "Size of the largest eddies.", FORCE(size), .dimension = CT_LENGTH, POSITIVE,
     .example = "20 cm"},
    {"lifetime", CT_KEY_QUANTITY, "Time after which eddies are replaced. 0: they persist.", FORCE(lifetime),
     .dimension = CT_TIME, NOT_NEGATIVE, .example = "0.5 s"},
    {"octaves", CT_KEY_INTEGER, "Each adds eddies of half the size, 2^(-1/3) times as strong.",
     FORCE(octaves), .least = 1, .most = 16, .example = "3"},
    {"seed", CT_KEY_SEED, "Seed of the eddies.", FORCE(seed), .example = "7"},
};
static const ct_key intensity_keys[] = {
    {"intensity", CT_KEY_QUANTITY, "Root mean square of the acceleration.", FORCE(intensity),
     .dimension = CT_ACCELERATION, NOT_NEGATIVE, .flags = CT_REQUIRED, .example = "3 m/s^2"},
};
static const ct_key gust_keys[] = {
    {"speed", CT_KEY_QUANTITY, "Root mean square of the velocity fluctuations.", FORCE(intensity),
     .dimension = CT_VELOCITY, NOT_NEGATIVE, .example = "1 m/s"},
    {"size", CT_KEY_QUANTITY, "Size of the largest eddies.", FORCE(size), .dimension = CT_LENGTH, POSITIVE,
     .example = "20 cm"},
    {"lifetime", CT_KEY_QUANTITY,
     "Time after which eddies are replaced. 0: the wind carries them along unchanged.", FORCE(lifetime),
     .dimension = CT_TIME, NOT_NEGATIVE, .example = "0.5 s"},
    {"octaves", CT_KEY_INTEGER, "Each adds eddies of half the size, 2^(-1/3) times as strong.",
     FORCE(octaves), .least = 1, .most = 16, .example = "3"},
    {"seed", CT_KEY_SEED, "Seed of the gusts.", FORCE(seed), .example = "7"},
};
static const ct_section gusts = {KEYS(gust_keys)};

static const ct_key wind_keys[] = {
    {"velocity", CT_KEY_TRACK, "Velocity of the air; may be keyframes.", FORCE(velocity),
     .dimension = CT_VELOCITY, .example = "[5, 0, 0]"},
    {"gusts", CT_KEY_SECTION, "Eddies that the wind carries along. By default none.", .section = &gusts,
     .flags = CT_NO_DEFAULT, .example = "{speed: 1 m/s, size: 20 cm}"},
    {"density", CT_KEY_QUANTITY, "Density of the air.", FORCE(density), .dimension = CT_DENSITY, NOT_NEGATIVE,
     .example = "1.2 kg/m^3"},
    {"coefficient", CT_KEY_QUANTITY,
     "Drag coefficient of grains, and of faces perpendicular to the wind. Sheets, strands, rigid bodies, and "
     "in 3D bodies of elements have faces.",
     FORCE(coefficient), NOT_NEGATIVE, .example = "1.2"},
    {"friction", CT_KEY_QUANTITY, "Friction coefficient along faces.", FORCE(friction), NOT_NEGATIVE,
     .example = "0.02"},
    {"grain", CT_KEY_QUANTITY,
     "Matter without faces feels drag as grains of this diameter. 0: no drag except `rate`.", FORCE(grain),
     .dimension = CT_LENGTH, NOT_NEGATIVE, .flags = CT_NO_DEFAULT, .example = "1 mm"},
    {"rate", CT_KEY_QUANTITY,
     "Linear drag on all matter: its velocity relaxes to that of the air at this rate.", FORCE(rate),
     .dimension = CT_RATE, NOT_NEGATIVE, .example = "2"},
};

static const ct_key common_keys[] = {
    {"bodies", CT_KEY_BODIES, "Names of the bodies and sources that it acts on. By default all.",
     FORCE(bodies), FORCE(body_count), .flags = CT_COMMON | CT_NO_DEFAULT, .example = "[sphere]"},
    {"shape", CT_KEY_VARIANT, "Region of action: see Shapes. By default everywhere.", FORCE(shape),
     .given = CT_GIVEN(FORCE(has_shape)), .variants = &ct_shape_variants, .flags = CT_COMMON | CT_NO_DEFAULT,
     .example = "{type: box, min: [0, 0, 0], max: [1, 1, 1]}"},
    {"start", CT_KEY_QUANTITY, "When it starts.", FORCE(start), .dimension = CT_TIME, .least = -INFINITY,
     .most = INFINITY, .flags = CT_COMMON, .example = "0.5 s"},
    {"stop", CT_KEY_QUANTITY, "When it ends. 0: never.", FORCE(stop), .dimension = CT_TIME, NOT_NEGATIVE,
     .flags = CT_COMMON, .example = "2 s"},
};

typedef struct key_list {
    const ct_key *keys;
    int count;
} key_list;

#define LIST(array)         \
    {                       \
        array, COUNT(array) \
    }

static const struct {
    const char *name;
    int type;
    const char *title, *doc;
    key_list lists[2];
} types[] = {
    {"acceleration",
     CT_FORCE_ACCELERATION,
     "Acceleration",
     "The same everywhere, and scripted in time.",
     {LIST(acceleration_keys)}},
    {"point", CT_FORCE_POINT, "Point", "Attracts or repels.", {LIST(center_keys)}},
    {"vortex",
     CT_FORCE_VORTEX,
     "Vortex",
     "Drives matter around an axis.",
     {LIST(center_keys), LIST(axis_keys)}},
    {"turbulence",
     CT_FORCE_TURBULENCE,
     "Turbulence",
     "A random, divergence-free acceleration.",
     {LIST(intensity_keys), LIST(eddy_keys)}},
    {"wind",
     CT_FORCE_WIND,
     "Wind",
     "Moving air that drags matter along, without reaction on the air.",
     {LIST(wind_keys)}},
};

static bool force_at(int index, ct_variant *variant)
{
    if (index >= COUNT(types)) return false;
    ct_variant_begin(variant, types[index].name, types[index].title, types[index].doc, types[index].type);
    for (int k = 0; k < 2; k++)
        ct_variant_add(variant, types[index].lists[k].keys, types[index].lists[k].count);
    ct_variant_add(variant, common_keys, COUNT(common_keys));
    variant->section.finish = ct_check_force;
    return true;
}

static void set_default_force(void *definition)
{
    *(ct_force_def *)definition = ct_default_force_def();
}

const ct_variants ct_force_variants = {
    .what = "force",
    .preamble = "What acts on matter from a distance.",
    .at = force_at,
    .size = sizeof(ct_force_def),
    .set_default = set_default_force,
    .type_offset = FORCE(type),
};

const ct_named ct_named_forces = {"force",           1000,        sizeof(ct_force_def),
                                  set_default_force, FORCE(name), .variants = &ct_force_variants};
