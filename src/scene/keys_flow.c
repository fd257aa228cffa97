/* The keys of sources, sinks and changes. */
#include "scene/keys.h"

#include "scene/checks.h"
#include <float.h>
#include <math.h>

#define COUNT(array)  (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)   .keys = (array), .count = COUNT(array)
#define SOURCE(field) offsetof(ct_source_def, field)

static const ct_word source_types[] = {
    {"fluxed", CT_SOURCE_FLUXED,
     "the shape is filled with material of the given velocity, which is free once it leaves; keeps its "
     "velocity against material outside"},
    {"spout", CT_SOURCE_SPOUT,
     "material comes out of a plane opening, whose outline is the section of the shape"},
    {NULL, 0, NULL},
};

static const ct_key sampling_keys[] = {
    {"pattern", CT_KEY_WORD, "How particles are placed.", SOURCE(pattern), .words = ct_pattern_words},
    {"per_cell", CT_KEY_INTEGER, "Particles per grid cell. 0: 4 in 2D, 8 in 3D; 1 with peridynamics.",
     SOURCE(per_cell), .least = 0, .most = 1000, .example = "8"},
};
static const ct_section sampling = {KEYS(sampling_keys)};

static const ct_key stop_keys[] = {
    {"after", CT_KEY_QUANTITY, "Time from the start. 0: never.", SOURCE(stop_after), .dimension = CT_TIME,
     .least = 0, .most = INFINITY, .example = "1 s"},
    {"volume", CT_KEY_QUANTITY,
     "Volume emitted, including the filling of the source; in 2D for 1 m thickness. 0: unlimited.",
     SOURCE(stop_volume), .dimension = CT_VOLUME, .least = 0, .most = INFINITY, .example = "1 L"},
    {"count", CT_KEY_SEED, "Particles emitted, including the filling of the source. 0: unlimited.",
     SOURCE(stop_count), .example = "100000"},
};
static const ct_section stop = {KEYS(stop_keys)};

static const ct_key opening_keys[] = {
    {"point", CT_KEY_VECTOR, "A point of the plane. By default the middle of the shape's box.", SOURCE(point),
     .given = CT_GIVEN(SOURCE(has_point)), .dimension = CT_LENGTH, .example = "[0, 1, 0]",
     .flags = CT_NO_DEFAULT},
    {"normal", CT_KEY_VECTOR, "Outward direction. By default that of the velocity.", SOURCE(normal),
     .given = CT_GIVEN(SOURCE(has_normal)), .flags = CT_NONZERO | CT_NO_DEFAULT, .example = "[0, -1, 0]"},
};
static const ct_section opening = {KEYS(opening_keys)};

static const ct_key source_keys[] = {
    {"method", CT_KEY_INDEX, "Numerical method of the material. By default the scene's.", SOURCE(method),
     .names = ct_method_names, .flags = CT_NO_DEFAULT, .example = "mpm"},
    {"material", CT_KEY_MATERIAL, "The name of a material above.", SOURCE(material), .flags = CT_REQUIRED},
    {"type", CT_KEY_WORD, "Type of inflow.", SOURCE(type), .words = source_types},
    {"shape", CT_KEY_VARIANT, "Geometry of the source: see Shapes.", SOURCE(shape), .flags = CT_REQUIRED,
     .variants = &ct_shape_variants, .example = "{type: sphere, radius: 10 cm}"},
    {"velocity", CT_KEY_TRACK, "Velocity of the material, in the frame of the source.", SOURCE(velocity),
     .dimension = CT_VELOCITY, .flags = CT_REQUIRED, .example = "[0, -1, 0]"},
    {"motion", CT_KEY_SECTION,
     "Motion of the source, as for colliders; `scale` must be 1. Material inside moves with it, and its "
     "velocity is added to that of the material.",
     SOURCE(motion), .section = &ct_motion_section, .flags = CT_NO_DEFAULT,
     .example = "{position: [[0 s, [0, 1, 0]], [1 s, [0.5, 1, 0]]]}"},
    {"sampling", CT_KEY_SECTION, "How the flow is sampled with particles.", .section = &sampling,
     .example = "{pattern: jittered, per_cell: 8}"},
    {"start", CT_KEY_QUANTITY, "When the inflow starts.", SOURCE(start), .dimension = CT_TIME, .least = 0,
     .most = INFINITY, .example = "0.5 s"},
    {"stop", CT_KEY_SECTION, "When it stops: the first of these that is reached.", .section = &stop,
     .example = "{after: 1 s}"},
    {"opening", CT_KEY_SECTION, "The plane of a spout's opening.", .section = &opening,
     .flags = CT_NO_DEFAULT, .example = "{point: [0, 1, 0], normal: [0, -1, 0]}"},
    {"temperature", CT_KEY_QUANTITY, "Temperature of the material. By default the material's own.",
     SOURCE(temperature), .given = CT_GIVEN(SOURCE(has_temperature)), .dimension = CT_TEMPERATURE, .least = 0,
     .most = 1e6, .flags = CT_NO_DEFAULT, .ability = CT_ABILITY(has_heat), .example = "1100 degC"},
    {"color", CT_KEY_COLOR, "Colour in pictures, sRGB. By default one is chosen.", SOURCE(color),
     .flags = CT_NO_DEFAULT},
    {"scheme", CT_KEY_VARIANT, "A transfer scheme of its own: see Schemes. By default the world's.",
     SOURCE(scheme), .given = CT_GIVEN(SOURCE(has_scheme)), .flags = CT_NO_DEFAULT,
     .ability = CT_ABILITY(has_schemes), .variants = &ct_scheme_variants, .example = "asflip"},
};
static const ct_section source = {KEYS(source_keys), .finish = ct_check_source};

static const ct_key sink_keys[] = {
    {"shape", CT_KEY_VARIANT, "Geometry of the sink: see Shapes. May be a half-space.",
     offsetof(ct_sink_def, shape), .flags = CT_REQUIRED, .variants = &ct_shape_variants,
     .example = "{type: half_space, point: [0, -0.5, 0], normal: [0, 1, 0]}"},
};
static const ct_section sink = {KEYS(sink_keys), .finish = ct_check_sink};

#define CHANGE(field) offsetof(ct_change_def, field)

static const ct_key change_keys[] = {
    {"from", CT_KEY_TEXT, "Name of the body, source or earlier change that changes.", CHANGE(from),
     .flags = CT_REQUIRED, .example = "sheet"},
    {"material", CT_KEY_MATERIAL, "Name of the new material.", CHANGE(material), .flags = CT_REQUIRED},
    {"time", CT_KEY_QUANTITY, "When it starts.", CHANGE(time), .dimension = CT_TIME, .least = 0,
     .most = INFINITY, .example = "1 s"},
    {"until", CT_KEY_QUANTITY, "When it ends. 0: never.", CHANGE(until), .dimension = CT_TIME, .least = 0,
     .most = INFINITY, .example = "2 s"},
    {"shape", CT_KEY_VARIANT, "Only particles inside this shape change: see Shapes. By default all.",
     CHANGE(shape), .given = CT_GIVEN(CHANGE(has_shape)), .variants = &ct_shape_variants,
     .flags = CT_NO_DEFAULT, .example = "{type: half_space, point: [0, 0.5, 0], normal: [0, 1, 0]}"},
    {"color", CT_KEY_COLOR, "Colour in pictures, sRGB. By default one is chosen.", CHANGE(color),
     .flags = CT_NO_DEFAULT},
};
static const ct_section change = {KEYS(change_keys), .finish = ct_check_change};

static void set_default_change(void *definition)
{
    *(ct_change_def *)definition = ct_default_change_def();
}

const ct_named ct_named_changes = {"change",           1000,         sizeof(ct_change_def),
                                   set_default_change, CHANGE(name), .section = &change};

static void set_default_source(void *definition)
{
    *(ct_source_def *)definition = ct_default_source_def();
}

static void set_default_sink(void *definition)
{
    *(ct_sink_def *)definition = ct_default_sink_def();
}

const ct_named ct_named_sources = {"source",     1000,           sizeof(ct_source_def), set_default_source,
                                   SOURCE(name), SOURCE(method), .section = &source};
const ct_named ct_named_sinks = {
    "sink", 1000, sizeof(ct_sink_def), set_default_sink, offsetof(ct_sink_def, name), .section = &sink};

/* ---- Limits ---------------------------------------------------------------------------------- */

static const ct_key limits_keys[] = {
    {"far", CT_KEY_QUANTITY,
     "A particle with a coordinate beyond this is removed as a stray, and counted. 0: a million cells.",
     offsetof(ct_scene, world.far_limit), .dimension = CT_LENGTH, .least = 0, .most = INFINITY,
     .example = "1 km"},
    {"reserve", CT_KEY_SEED,
     "Number of particles for which memory is reserved at the start, for sources. 0: memory grows as needed.",
     offsetof(ct_scene, world.reserve), .example = "1000000"},
};
const ct_section ct_limits_section = {KEYS(limits_keys)};
