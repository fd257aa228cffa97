/* The shapes of bodies as variants: one list, each with its keys. */
#include "scene/keys.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)  .keys = (array), .count = COUNT(array)
#define SHAPE(field) offsetof(ct_shape_def, field)
#define POSITIVE     .least = DBL_MIN, .most = INFINITY
#define LENGTH(name, field, doc, sample)                                                                  \
    {                                                                                                     \
        name, CT_KEY_QUANTITY, doc, SHAPE(field), .dimension = CT_LENGTH, POSITIVE, .flags = CT_REQUIRED, \
                                                  .example = sample                                       \
    }
#define POINT(name, field, doc, sample, ...)                                                           \
    {                                                                                                  \
        name, CT_KEY_VECTOR, doc, SHAPE(field), .dimension = CT_LENGTH, .example = sample, __VA_ARGS__ \
    }

/* ---- Checks and computed fields -------------------------------------------------------------- */

/* A box by its centre and size becomes one by its corners (the size was read into `max`). */
static void finish_box(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    ct_shape_def *shape = definition;
    bool is_sized = ct_yaml_find(node, "size");
    for (int a = 0; a < 3 && is_sized; a++) {
        double size = shape->max[a];
        shape->min[a] = shape->center[a] - size / 2;
        shape->max[a] = shape->center[a] + size / 2;
        shape->center[a] = 0;
    }
    for (int a = 0; a < decoder->scene->world.dimension; a++) {
        if (shape->max[a] > shape->min[a]) continue;
        const char *key = is_sized ? "size" : "max";
        ct_mistake(decoder->mistakes, ct_place_of(node, key),
                   "the box has no extent along %c; '%s' must be %s there", "xyz"[a], key,
                   is_sized ? "positive" : "greater than 'min'");
        return;
    }
}

static void finish_height_field(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    for (int a = 0; a < decoder->scene->world.dimension; a++)
        if (!(shape->max[a] > shape->min[a]))
            ct_mistake(decoder->mistakes, ct_place_of(node, "max"),
                       "the height field has no extent along %c; 'max' must be greater than 'min' there",
                       "xyz"[a]);
}

static void finish_rounded_box(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    int before = decoder->mistakes->count;
    finish_box(decoder, node, definition);
    const ct_shape_def *shape = definition;
    for (int a = 0; a < decoder->scene->world.dimension && decoder->mistakes->count == before; a++)
        if (2 * shape->radius > (shape->max[a] - shape->min[a]) * (1 + 1e-12))
            ct_mistake(decoder->mistakes, ct_place_of(node, "radius"),
                       "'radius' is %g m; it must be at most half of the box's edge, %g m along %c",
                       shape->radius, (shape->max[a] - shape->min[a]) / 2, "xyz"[a]);
}

static void finish_stick(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    if (!memcmp(shape->from, shape->to, sizeof shape->from))
        ct_mistake(decoder->mistakes, ct_place_of(node, "to"),
                   "'from' and 'to' are the same point; it needs a length");
}

static void finish_torus(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    if (shape->tube > shape->radius)
        ct_mistake(decoder->mistakes, ct_place_of(node, "tube"),
                   "'tube' is %g m; it must be at most the ring's radius, %g m", shape->tube, shape->radius);
}

static void finish_points(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    (void)definition;
    const ct_yaml_entry *at = ct_yaml_find(node, "at"), *velocity = ct_yaml_find(node, "velocity");
    if (velocity && velocity->value->count != at->value->count)
        ct_mistake(decoder->mistakes, velocity->value->place,
                   "'velocity' has %d entries for %d points; give one a point", velocity->value->count,
                   at->value->count);
}

static void finish_combination(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    for (int i = 0; i < shape->child_count; i++)
        if (shape->children[i].type >= CT_SHAPE_POINTS)
            ct_mistake(decoder->mistakes, ct_place_of(node, "of"),
                       "points, particles, sheets and lines have no inside; combine other shapes");
}

/* The methods that have bodies of a shape. */
static ct_methods methods_of(int type)
{
    return ct_methods_with(type < CT_SHAPE_SHEET       ? 0
                           : type == CT_SHAPE_SOLID    ? CT_ABILITY(has_solids)
                           : type == CT_SHAPE_POLYLINE ? CT_ABILITY(has_lines)
                                                       : CT_ABILITY(has_sheets));
}

/* Sheets, lines and meshes of solids are bodies, and only of some methods. */
static void finish_body_only(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    ct_methods able = methods_of((int)shape->type);
    if (decoder->methods & able) return;
    ct_mistake(decoder->mistakes, ct_place_of(node, "type"),
               "%s are bodies of %s; choose another shape, or that method",
               shape->type == CT_SHAPE_SOLID      ? "meshes of solids"
               : shape->type == CT_SHAPE_POLYLINE ? "lines"
                                                  : "sheets and surfaces",
               ct_methods_show(able).text);
}

static void finish_without_inside(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    int before = decoder->mistakes->count;
    finish_body_only(decoder, node, definition);
    if (decoder->mistakes->count == before && decoder->scene->world.dimension == 2 &&
        shape->type != CT_SHAPE_POLYLINE)
        ct_mistake(decoder->mistakes, ct_place_of(node, "type"),
                   "a surface needs 'dimension: 3'; in 2D use a polyline");
}

static void finish_sheet(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    int before = decoder->mistakes->count;
    finish_without_inside(decoder, node, definition);
    if (decoder->mistakes->count > before) return;
    double square = 0;
    for (int a = 0; a < 3 && shape->edge_count == 2; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double part = shape->edges[0][b] * shape->edges[1][c] - shape->edges[0][c] * shape->edges[1][b];
        square += part * part;
    }
    if (shape->edge_count != 2)
        ct_mistake(decoder->mistakes, ct_place_of(node, "edges"),
                   "a sheet has two edges, not %d; give two vectors", shape->edge_count);
    else if (!(square > 0))
        ct_mistake(decoder->mistakes, ct_place_of(node, "edges"),
                   "the two edges go the same way; they must span a plane");
}

static void finish_polyline(ct_decoder *decoder, const ct_yaml *node, void *definition)
{
    const ct_shape_def *shape = definition;
    finish_without_inside(decoder, node, definition);
    if (!shape->file && shape->point_count < (shape->is_closed ? 3 : 2))
        ct_mistake(decoder->mistakes, ct_place_of(node, "points"),
                   "a line has at least two points, a closed one three; add more");
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static const ct_key box_keys[] = {
    POINT("min", min, "Corner with the minimum coordinates.", "[0, 0, 0]", .flags = CT_NO_DEFAULT),
    POINT("max", max, "Corner with the maximum coordinates.", "[0.2, 0.1, 0.1]", .flags = CT_NO_DEFAULT),
    POINT("center", center, "Centre; with size, instead of min and max.", "[0.1, 0.05, 0.05]",
          .flags = CT_READ_ONLY | CT_NO_DEFAULT),
    POINT("size", max, "Lengths of the edges.", "[0.2, 0.1, 0.1]", .flags = CT_READ_ONLY | CT_NO_DEFAULT),
};
static const char *const box_choices[] = {"min max", "center size", NULL};

static const ct_key sphere_keys[] = {
    POINT("center", center, "Centre; in 2D of a disc.", "[0, 0.5, 0]", .flags = 0),
    LENGTH("radius", radius, "Radius.", "10 cm"),
};
static const ct_key stick_keys[] = {
    POINT("from", from, "Centre of one end.", "[0, 0, 0]", .flags = CT_REQUIRED),
    POINT("to", to, "Centre of the other end.", "[0, 0.3, 0]", .flags = CT_REQUIRED),
    LENGTH("radius", radius, "Radius.", "4 cm"),
};
static const ct_key torus_keys[] = {
    POINT("center", center, "Centre.", "[0, 0.5, 0]", .flags = 0),
    {"axis", CT_KEY_VECTOR, "Direction through the hole.", SHAPE(axis), .flags = CT_ONLY_3D | CT_NONZERO,
     .example = "[0, 1, 0]"},
    LENGTH("radius", radius, "From the centre to the middle of the tube.", "10 cm"),
    LENGTH("tube", tube, "Radius of the tube.", "3 cm"),
};
static const ct_key rounding_keys[] = {
    LENGTH("radius", radius, "Radius of the rounded edges; within the box.", "2 cm")};
static const ct_key half_space_keys[] = {
    POINT("point", point, "A point of its surface.", "[0, 0.1, 0]", .flags = CT_REQUIRED),
    {"normal", CT_KEY_VECTOR, "Direction out of the material.", SHAPE(normal),
     .flags = CT_REQUIRED | CT_NONZERO, .example = "[0, 1, 0]"},
};
static const ct_key combination_keys[] = {
    {"of", CT_KEY_LIST, "The shapes that are combined.", SHAPE(children), SHAPE(child_count),
     .flags = CT_REQUIRED, .variants = &ct_shape_variants,
     .example = "[{type: sphere, radius: 10 cm}, {type: box, min: [0, 0, 0], max: [0.1, 0.1, 0.1]}]"},
};
static const ct_key mesh_keys[] = {
    {"file", CT_KEY_FILE,
     "A closed triangle mesh: OBJ, STL or PLY; of a collider with `animation` OBJ, `#` for the digits of a "
     "frame, or USD text (.usda).",
     SHAPE(file), .flags = CT_REQUIRED, .example = "bunny.obj"},
};
static const ct_key height_field_keys[] = {
    {"file", CT_KEY_FILE, "Heights: CSV with a row per line, or PNG. Columns go along x, rows along z.",
     SHAPE(file), .flags = CT_REQUIRED, .example = "terrain.png"},
    POINT("min", min, "Minimum corner; y is the height of 0, or black.", "[0, 0, 0]", .flags = CT_REQUIRED),
    POINT("max", max, "Maximum corner; y is the height of 1, or white.", "[1, 0.2, 1]", .flags = CT_REQUIRED),
    {"depth", CT_KEY_QUANTITY, "Depth of the ground below 0. 0: the distance from 0 to 1.", SHAPE(depth),
     .dimension = CT_LENGTH, .most = INFINITY, .example = "10 cm"},
};
static const ct_key points_keys[] = {
    {"at", CT_KEY_VECTORS, "Positions of single particles.", SHAPE(points), SHAPE(point_count),
     .dimension = CT_LENGTH, .flags = CT_REQUIRED, .example = "[[0, 0.8, 0], [0.1, 0.8, 0]]"},
    {"velocity", CT_KEY_VECTORS, "Their velocities, added to that of the body.", SHAPE(point_velocities),
     .dimension = CT_VELOCITY, .example = "[[1, 0, 0], [-1, 0, 0]]"},
    {"volume", CT_KEY_QUANTITY,
     "Volume of each particle; in 2D for 1 m thickness. 0: that of one sample of a grid cell.",
     SHAPE(point_volume), .dimension = CT_VOLUME, .most = INFINITY, .example = "1 cm^3"},
};
static const ct_key particles_keys[] = {
    {"file", CT_KEY_FILE,
     "One particle per row or point: CSV, PLY or VTU, optionally with velocities and volumes.", SHAPE(file),
     .flags = CT_REQUIRED, .example = "cloud.csv"},
};

static const ct_key sheet_keys[] = {
    POINT("corner", corner, "One of its corners.", "[0, 0.5, 0]", .flags = CT_REQUIRED),
    {"edges", CT_KEY_VECTORS, "The two edges that begin there.", SHAPE(edges), SHAPE(edge_count),
     .dimension = CT_LENGTH, .flags = CT_REQUIRED, .example = "[[0.4, 0, 0], [0, 0, 0.4]]"},
};
static const ct_key surface_keys[] = {
    {"file", CT_KEY_FILE, "A triangle mesh, open or closed: OBJ, STL or PLY.", SHAPE(file),
     .flags = CT_REQUIRED, .example = "dress.obj"},
};
static const ct_key solid_keys[] = {
    {"file", CT_KEY_FILE,
     "Tetrahedra, in 2D triangles: Gmsh `.msh`, TetGen `.node` with `.ele`, `.vtk` or `.vtu`. Its vertex "
     "groups "
     "serve `hold_group`.",
     SHAPE(file), .flags = CT_REQUIRED, .example = "bracket.msh"},
};
static const ct_key thickness_keys[] = {
    {"thickness", CT_KEY_QUANTITY,
     "Thickness of the material. 0: the spacing; required for bodies of elements.", SHAPE(thickness),
     .dimension = CT_LENGTH, .most = INFINITY, .example = "1 mm"},
};
static const ct_key polyline_keys[] = {
    {"points", CT_KEY_VECTORS, "Its corners, at least half a spacing apart.", SHAPE(points),
     SHAPE(point_count), .dimension = CT_LENGTH, .flags = CT_NO_DEFAULT,
     .example = "[[0, 0.8, 0], [0.5, 0.8, 0]]"},
    {"file", CT_KEY_FILE,
     "Many lines at once, hair for one: those of an OBJ file (`v` and `l`) a hair model (.hair) or the "
     "curves of a .usda, each "
     "with particles "
     "evenly along it; `continua groom` makes some. They are one body without bonds between them; with "
     "`peridynamics.self_contact` they meet.",
     SHAPE(file), .flags = CT_NO_DEFAULT, .example = "hair.obj"},
    {"radius", CT_KEY_QUANTITY, "Radius of the section. 0: half the spacing.", SHAPE(radius),
     .dimension = CT_LENGTH, .most = INFINITY, .example = "5 mm"},
    {"closed", CT_KEY_BOOL, "Join the last point to the first.", .offset = SHAPE(is_closed)},
    {"twist", CT_KEY_BOOL,
     "Resist twist: three ghost particles around each of the line's, a spacing off it, with a tenth of the "
     "mass. They touch nothing.",
     .offset = SHAPE(has_twist), .flags = CT_ONLY_3D},
};

static const char *const polyline_choices[] = {"points", "file", NULL};

static const ct_key rotation_keys[] = {
    {"axis", CT_KEY_VECTOR, "Axis through the pivot; in 2D it is z.", SHAPE(rotate_axis),
     .flags = CT_ONLY_3D | CT_NONZERO, .example = "[0, 0, 1]"},
    {"angle", CT_KEY_QUANTITY, "Angle, by the right-hand rule.", SHAPE(rotate_angle), .dimension = CT_ANGLE,
     .flags = CT_REQUIRED, .example = "20 deg"},
};
static const ct_section rotation = {KEYS(rotation_keys)};

/* What every shape takes: it is scaled, turned and moved, in that order. */
static const ct_key common_keys[] = {
    {"scale", CT_KEY_SCALE, "Scale about the pivot: one factor, or one per direction.", SHAPE(scale),
     POSITIVE, .example = "0.5", .flags = CT_COMMON},
    {"rotate", CT_KEY_SECTION, "Rotate about the pivot, after scaling.", .section = &rotation,
     .example = "{axis: [0, 0, 1], angle: 20 deg}", .flags = CT_COMMON},
    {"translate", CT_KEY_VECTOR, "Translate, after rotating.", SHAPE(translate), .dimension = CT_LENGTH,
     .example = "[0, 0.1, 0]", .flags = CT_COMMON},
    {"pivot", CT_KEY_VECTOR,
     "Fixed point of scaling and rotating. By default the shape's centre; for a file, its origin.",
     SHAPE(pivot), .given = CT_GIVEN(SHAPE(has_pivot)), .dimension = CT_LENGTH, .example = "[0, 0, 0]",
     .flags = CT_NO_DEFAULT | CT_COMMON},
};

static const struct {
    const char *name;
    int type;
    const char *title, *doc;
    const ct_key *keys;
    int count;
    const ct_key *more;
    int more_count;
    const char *const *choices;
    bool is_unbounded;
    void (*finish)(ct_decoder *decoder, const ct_yaml *node, void *definition);
} shapes[] = {
    {"box", CT_SHAPE_BOX, "Box", "Edges along the axes.", KEYS(box_keys), .choices = box_choices,
     .finish = finish_box},
    {"sphere", CT_SHAPE_SPHERE, "Sphere", "In 2D a disc.", KEYS(sphere_keys)},
    {"cylinder", CT_SHAPE_CYLINDER, "Cylinder", "Flat ends; in 2D a rectangle.", KEYS(stick_keys),
     .finish = finish_stick},
    {"capsule", CT_SHAPE_CAPSULE, "Capsule", "A cylinder with a half sphere on each end.", KEYS(stick_keys),
     .finish = finish_stick},
    {"torus", CT_SHAPE_TORUS, "Torus", "In 2D a ring.", KEYS(torus_keys), .finish = finish_torus},
    {"rounded_box", CT_SHAPE_ROUNDED_BOX, "Rounded box", "A box whose edges are rounded inwards.",
     KEYS(box_keys), .more = rounding_keys, .more_count = COUNT(rounding_keys), .choices = box_choices,
     .finish = finish_rounded_box},
    {"half_space", CT_SHAPE_HALF_SPACE, "Half-space", "All space behind a plane; for use in combinations.",
     KEYS(half_space_keys), .is_unbounded = true},
    {"union", CT_SHAPE_UNION, "Union", "Points in any of the shapes.", KEYS(combination_keys),
     .finish = finish_combination},
    {"difference", CT_SHAPE_DIFFERENCE, "Difference", "Points in the first and in none of the other shapes.",
     KEYS(combination_keys), .finish = finish_combination},
    {"intersection", CT_SHAPE_INTERSECTION, "Intersection", "Points in all of the shapes.",
     KEYS(combination_keys), .finish = finish_combination},
    {"mesh", CT_SHAPE_MESH, "Mesh", "The inside of a closed triangle mesh.", KEYS(mesh_keys)},
    {"height_field", CT_SHAPE_HEIGHT_FIELD, "Height field",
     "The ground under a table or grey picture of heights; in 2D under its middle row.",
     KEYS(height_field_keys), .finish = finish_height_field},
    {"points", CT_SHAPE_POINTS, "Points", "Single particles, one by one.", KEYS(points_keys),
     .finish = finish_points},
    {"particles", CT_SHAPE_PARTICLES, "Particles", "Particles from a file.", KEYS(particles_keys)},
    {"sheet", CT_SHAPE_SHEET, "Sheet", "Cloth, in 3D: a parallelogram with a particle every spacing.",
     KEYS(sheet_keys), .more = thickness_keys, .more_count = COUNT(thickness_keys), .finish = finish_sheet},
    {"surface", CT_SHAPE_SURFACE, "Surface",
     "Cloth, in 3D: the triangles of a mesh that may be open, split until no edge is longer "
     "than 1.5 spacings.",
     KEYS(surface_keys), .more = thickness_keys, .more_count = COUNT(thickness_keys),
     .finish = finish_without_inside},
    {"polyline", CT_SHAPE_POLYLINE, "Polyline", "Rods and strands: a line with a particle every spacing.",
     KEYS(polyline_keys), .choices = polyline_choices, .finish = finish_polyline},
    {"solid", CT_SHAPE_SOLID, "Solid mesh", "A solid as a mesh from a file, used unchanged.",
     KEYS(solid_keys), .finish = finish_body_only},
};

static bool shape_at(int index, ct_variant *variant)
{
    if (index >= COUNT(shapes)) return false;
    ct_variant_begin(variant, shapes[index].name, shapes[index].title, shapes[index].doc, shapes[index].type);
    variant->is_unbounded = shapes[index].is_unbounded;
    if (shapes[index].type >= CT_SHAPE_SHEET) variant->methods = methods_of(shapes[index].type);
    variant->is_later = shapes[index].type == CT_WORD_LATER;
    ct_variant_add(variant, shapes[index].keys, shapes[index].count);
    ct_variant_add(variant, shapes[index].more, shapes[index].more_count);
    ct_variant_add(variant, common_keys, COUNT(common_keys));
    variant->section.choices = shapes[index].choices;
    variant->section.finish = shapes[index].finish;
    return true;
}

static void set_default_shape(void *definition)
{
    *(ct_shape_def *)definition = ct_default_shape_def();
}

static const ct_synonym synonyms[] = {
    {"cube", "box"},          {"cuboid", "box"},
    {"block", "box"},         {"rectangle", "box"},
    {"square", "box"},        {"ball", "sphere"},
    {"circle", "sphere"},     {"disc", "sphere"},
    {"disk", "sphere"},       {"pill", "capsule"},
    {"tube", "cylinder"},     {"pipe", "cylinder"},
    {"ring", "torus"},        {"donut", "torus"},
    {"plane", "half_space"},  {"floor", "half_space"},
    {"ground", "half_space"}, {"terrain", "height_field"},
    {"obj", "mesh"},          {"stl", "mesh"},
    {"model", "mesh"},        {"cloth", "sheet"},
    {"line", "polyline"},     {"rope", "polyline"},
    {"curve", "polyline"},    {NULL, NULL},
};

const ct_variants ct_shape_variants = {
    .what = "shape",
    .synonyms = synonyms,
    .preamble = "The geometry of a body. Every shape is scaled, rotated and translated, in that order, about "
                "its pivot. In 2D it is cut by the plane z = 0.",
    .at = shape_at,
    .size = sizeof(ct_shape_def),
    .set_default = set_default_shape,
    .type_offset = SHAPE(type),
};
