/* The keys of colliders. */
#include "scene/keys.h"

#include "scene/checks.h"
#include <math.h>

#define COUNT(array)    (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)     .keys = (array), .count = COUNT(array)
#define COLLIDER(field) offsetof(ct_collider_def, field)
#define MOTION(field)   offsetof(ct_motion_def, field)

/* ---- Contact --------------------------------------------------------------------------------- */

static const ct_key friction = {"friction",         CT_KEY_QUANTITY,  "Coulomb coefficient.",
                                COLLIDER(friction), .most = INFINITY, .example = "0.5"};

static const struct {
    const char *name;
    int type;
    const char *title, *doc;
    const ct_key *key;
} contacts[] = {
    {"separate", CT_CONTACT_SEPARATE, "Separate",
     "Material may leave the surface; under pressure it slides with friction.", &friction},
    {"slip", CT_CONTACT_SLIP, "Slip", "Material slides along the surface without leaving it.", NULL},
    {"sticky", CT_CONTACT_STICKY, "Sticky", "Material at the surface moves with it.", NULL},
};

static bool contact_at(int index, ct_variant *variant)
{
    if (index >= COUNT(contacts)) return false;
    ct_variant_begin(variant, contacts[index].name, contacts[index].title, contacts[index].doc,
                     contacts[index].type);
    if (contacts[index].key) ct_variant_add(variant, contacts[index].key, 1);
    return true;
}

/* The contact is part of the collider's definition: a type and its friction. */
static void set_default_contact(void *definition)
{
    ct_collider_def *collider = definition;
    collider->contact = CT_CONTACT_SEPARATE;
    collider->friction = 0;
}

const ct_variants ct_contact_variants = {
    .what = "contact",
    .preamble = "Contact condition at the surface of a collider.",
    .at = contact_at,
    .size = sizeof(ct_collider_def),
    .set_default = set_default_contact,
    .type_offset = COLLIDER(contact),
};

/* ---- Motion ---------------------------------------------------------------------------------- */

/* `interpolation` is read into the position's track and holds for all of them. */
static void spread_interpolation(void *definition)
{
    ct_motion_def *motion = definition;
    motion->rotation.interpolation = motion->scale.interpolation = motion->position.interpolation;
}

static const ct_word interpolations[] = {
    {"linear", CT_INTERPOLATE_LINEAR, "linear from one to the next"},
    {"smooth", CT_INTERPOLATE_SMOOTH, "smooth, with zero velocity at each keyframe"},
    {"step", CT_INTERPOLATE_STEP,
     "jumps at the time of the next keyframe; matter at the new position is then inside the collider"},
    {NULL, 0, NULL},
};

static const ct_key spin_keys[] = {
    {"axis", CT_KEY_VECTOR, "Axis through the pivot; in 2D it is z.", MOTION(spin_axis),
     .flags = CT_ONLY_3D | CT_NONZERO, .example = "[0, 0, 1]"},
    {"rate", CT_KEY_QUANTITY, "Angular velocity, by the right-hand rule.", MOTION(spin_rate),
     .dimension = CT_ANGULAR_RATE, .flags = CT_REQUIRED, .example = "60 rpm"},
};
static const ct_section spin = {KEYS(spin_keys)};

static const ct_key motion_keys[] = {
    {"interpolation", CT_KEY_WORD, "Interpolation between keyframes.", MOTION(position.interpolation),
     .words = interpolations, .then = spread_interpolation, .flags = CT_READ_ONLY},
    {"pivot", CT_KEY_VECTOR,
     "The point of the shape that `position` and rotations refer to. By default the shape's centre; for a "
     "file, its origin.",
     MOTION(pivot), .given = CT_GIVEN(MOTION(has_pivot)), .dimension = CT_LENGTH, .example = "[0, 0, 0]",
     .flags = CT_NO_DEFAULT},
    {"position", CT_KEY_TRACK, "Position of the pivot. By default that of the shape.", MOTION(position),
     .given = CT_GIVEN(MOTION(has_position)), .dimension = CT_LENGTH,
     .example = "[[0 s, [0, 0.5, 0]], [1 s, [1, 0.5, 0]]]", .flags = CT_NO_DEFAULT},
    {"rotation", CT_KEY_TRACK,
     "Rotation about the pivot: axis times angle, [0, 0, 90 deg]. In 2D the angle alone, 90 deg.",
     MOTION(rotation), .dimension = CT_ANGLE, .flags = CT_TURN,
     .example = "[[0 s, [0, 0, 0]], [1 s, [0, 0, 180 deg]]]"},
    {"scale", CT_KEY_TRACK, "Scale factor of the shape.", MOTION(scale), .flags = CT_SCALAR,
     .example = "[[0 s, 1], [1 s, 1.5]]"},
    {"velocity", CT_KEY_VECTOR, "Constant velocity from `start` on, added to the position.", MOTION(velocity),
     .dimension = CT_VELOCITY, .example = "[0.5, 0, 0]"},
    {"spin", CT_KEY_SECTION,
     "Rotation about the pivot at a constant rate from `start` on, in addition to `rotation`.",
     .section = &spin, .example = "{axis: [0, 0, 1], rate: 60 rpm}"},
    {"start", CT_KEY_QUANTITY, "When velocity and spin begin.", MOTION(start), .dimension = CT_TIME,
     .least = -INFINITY, .most = INFINITY, .example = "0.5 s"},
};
const ct_section ct_motion_section = {KEYS(motion_keys), .finish = ct_check_motion};

static const ct_key animation_keys[] = {
    {"cache", CT_KEY_FILE, "Point cache (.pc2) of an OBJ file.", COLLIDER(animation.cache),
     .flags = CT_NO_DEFAULT, .example = "glass.pc2"},
    {"prim", CT_KEY_TEXT, "Name of the Mesh in a .usda. By default the first.", COLLIDER(animation.prim),
     .flags = CT_NO_DEFAULT, .example = "Glass"},
    {"rate", CT_KEY_QUANTITY, "Frames per second of caches and sequences; USD has its own. 0: 24.",
     COLLIDER(animation.rate), .least = 0, .most = 1e6, .example = "24"},
    {"start", CT_KEY_QUANTITY, "When the first sample is played.", COLLIDER(animation.start),
     .dimension = CT_TIME, .least = -INFINITY, .most = INFINITY, .example = "0 s"},
};
static const ct_section animation = {KEYS(animation_keys)};

/* ---- Colliders ------------------------------------------------------------------------------- */

static const ct_word shows[] = {
    {"whole", CT_SHOW_WHOLE, "all of it"},
    {"cut", CT_SHOW_CUT, "without the half in front of its pivot, to show the inside"},
    {"hidden", CT_SHOW_HIDDEN, "not at all"},
    {"glass", CT_SHOW_GLASS, "clear glass with `render --quality high`, otherwise as `cut`"},
    {NULL, 0, NULL},
};

static const ct_key collider_keys[] = {
    {"shape", CT_KEY_VARIANT, "Geometry: see Shapes.", COLLIDER(shape), .flags = CT_REQUIRED,
     .variants = &ct_shape_variants, .example = "{type: sphere, radius: 10 cm}"},
    {"contact", CT_KEY_VARIANT, "Contact condition: see Contacts.", .variants = &ct_contact_variants,
     .example = "{type: separate, friction: 0.4}"},
    {"motion", CT_KEY_SECTION, "Prescribed motion. By default none.", COLLIDER(motion),
     .section = &ct_motion_section, .example = "{spin: {axis: [0, 0, 1], rate: 60 rpm}}"},
    {"animation", CT_KEY_SECTION,
     "Its shape is a closed mesh whose vertices move, as the mesh's file says: a sequence of OBJ files with "
     "`#` for "
     "the digits of a frame, an OBJ file with a point cache, or USD text (.usda). `motion` comes on top.",
     .section = &animation, .given = CT_GIVEN(COLLIDER(has_animation)), .flags = CT_ONLY_3D | CT_NO_DEFAULT,
     .example = "{cache: glass.pc2, rate: 24}"},
    {"grip", CT_KEY_BOOL,
     "Particles that start inside are pinned to it and move with it; it does not act on others.",
     .offset = COLLIDER(grip), .methods = CT_ONLY(PERIDYNAMICS) | CT_ONLY(ELEMENTS) | CT_ONLY(STRANDS)},
    {"keep_sides", CT_KEY_BOOL,
     "Put back particles that would cross the surface in a step; colliders.csv counts them.",
     .offset = COLLIDER(keeps_sides), .methods = CT_ONLY(MPM)},
    {"sharp", CT_KEY_BOOL,
     "Contact acts at the surface itself instead of at the grid nodes inside: second order in the spacing; "
     "for matter that starts outside, and walls of at least two cells.",
     .offset = COLLIDER(is_sharp), .methods = CT_ONLY(MPM)},
    {"temperature", CT_KEY_QUANTITY, "Prescribed temperature. By default it is insulated.",
     COLLIDER(thermal.temperature), .given = CT_GIVEN(COLLIDER(thermal.has_temperature)),
     .dimension = CT_TEMPERATURE, .least = 0, .most = 1e6, .flags = CT_NO_DEFAULT,
     .ability = CT_ABILITY(has_heat), .example = "20 degC"},
    {"thermal_resistance", CT_KEY_QUANTITY, "Thermal contact resistance of its surface. 0: perfect contact.",
     COLLIDER(thermal.resistance), .dimension = CT_THERMAL_RESISTANCE, .least = 0, .most = INFINITY,
     .ability = CT_ABILITY(has_heat), .example = "0.001 m^2 K/W"},
    {"color", CT_KEY_COLOR, "Colour in pictures, sRGB. By default one is chosen.", COLLIDER(color),
     .flags = CT_NO_DEFAULT},
    {"show", CT_KEY_WORD, "How pictures show it.", COLLIDER(show), .words = shows},
};
static const ct_section collider = {KEYS(collider_keys), .finish = ct_check_collider};

static void set_default_collider(void *definition)
{
    *(ct_collider_def *)definition = ct_default_collider_def();
}

const ct_named ct_colliders_named = {"collider",           10000,          sizeof(ct_collider_def),
                                     set_default_collider, COLLIDER(name), .section = &collider};
