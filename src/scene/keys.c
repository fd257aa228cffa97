#include "scene/keys.h"

#include "output/writer.h"
#include "particles/quantities.h"
#include "scene/checks.h"
#include "timestep/list.h"
#include <float.h>
#include <math.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define KEYS(array)  .keys = (array), .count = COUNT(array)
#define SCENE(field) offsetof(ct_scene, field)
#define BODY(field)  offsetof(ct_body_def, field)
#define POSITIVE     .least = DBL_MIN, .most = INFINITY
#define NOT_NEGATIVE .least = 0, .most = INFINITY

/* Words are read and written as int, whatever enumeration they belong to. */
_Static_assert(sizeof(ct_kernel) == sizeof(int) && sizeof(ct_shape_type) == sizeof(int),
               "enumerations are int");

static const char *quantity_names(int index, const char **doc)
{
    const ct_quantity_info *info = ct_quantity_at(index);
    if (info) *doc = info->doc;
    return info ? info->name : NULL;
}

static const char *writer_names(int index, const char **doc)
{
    const ct_writer *writer = ct_writer_at(index);
    if (writer) *doc = writer->doc;
    return writer ? writer->name : NULL;
}

/* ---- The world ------------------------------------------------------------------------------- */

static const ct_word precisions[] = {
    {"float", CT_FLOAT, "32 bits: fast"},
    {"double", CT_DOUBLE, "64 bits: for measurements"},
    {NULL, 0, NULL},
};
static const ct_word kernels[] = {
    {"quadratic", CT_KERNEL_QUADRATIC, "three nodes per axis"},
    {"cubic", CT_KERNEL_CUBIC, "four nodes per axis: smoother, slower"},
    {"linear", CT_KERNEL_LINEAR, "two nodes per axis: forces jump between cells; for comparison"},
    {NULL, 0, NULL},
};
static const ct_word force_forms[] = {
    {"mls", CT_FORCE_MLS, "moving least squares"},
    {"gradient", CT_FORCE_GRADIENT, "gradient of the kernel"},
    {NULL, 0, NULL},
};

static const ct_key time_keys[] = {
    {"end", CT_KEY_QUANTITY, "When the simulation stops.", SCENE(end), .dimension = CT_TIME, POSITIVE,
     .flags = CT_REQUIRED, .example = "2 s"},
    {"frame", CT_KEY_QUANTITY, "Time between frames of output.", SCENE(frame), .dimension = CT_TIME, POSITIVE,
     .fallback = "1/24 s"},
};
static const ct_section time_section = {KEYS(time_keys), .finish = ct_check_time};

static const ct_key grid_keys[] = {
    {"spacing", CT_KEY_QUANTITY,
     "Edge of a grid cell; with `method: peridynamics` also the distance between particles. With a domain "
     "each "
     "axis "
     "is stretched a little to fit it.",
     SCENE(world.spacing), .dimension = CT_LENGTH, POSITIVE, .flags = CT_REQUIRED, .example = "1 cm"},
    {"kernel", CT_KEY_WORD, "The B-spline that couples particles and grid.", SCENE(world.kernel),
     .methods = CT_ONLY(MPM), .words = kernels},
    {"force", CT_KEY_WORD,
     "How forces are computed from stress, and velocity gradients from grid velocities.",
     SCENE(world.force_form), .methods = CT_ONLY(MPM), .words = force_forms},
};
static const ct_section grid_section = {KEYS(grid_keys)};

static const ct_key domain_keys[] = {
    {"min", CT_KEY_VECTOR, "Corner with the minimum coordinates.", SCENE(world.domain_min),
     .dimension = CT_LENGTH, .flags = CT_REQUIRED, .example = "[-1, -1, -1]"},
    {"max", CT_KEY_VECTOR, "Corner with the maximum coordinates.", SCENE(world.domain_max),
     .dimension = CT_LENGTH, .flags = CT_REQUIRED, .example = "[1, 1, 1]"},
};
static const ct_section domain_section = {KEYS(domain_keys), .finish = ct_check_domain};

static const ct_key air_keys[] = {
    {"temperature", CT_KEY_QUANTITY, "Temperature of the air and the surroundings.",
     SCENE(world.air.temperature), .dimension = CT_TEMPERATURE, .least = 0, .most = 1e6,
     .example = "20 degC"},
    {"heat_transfer", CT_KEY_QUANTITY, "Convection coefficient: about 10 in still air, 100 in wind.",
     SCENE(world.air.heat_transfer), .dimension = CT_HEAT_TRANSFER, NOT_NEGATIVE, .example = "10 W/(m^2 K)"},
    {"emissivity", CT_KEY_QUANTITY,
     "Emissivity of the material for heat radiation: 0.9 for rock, 0 for no radiation.",
     SCENE(world.air.emissivity), .least = 0, .most = 1, .example = "0.9"},
};
static const ct_section air_section = {KEYS(air_keys)};

/* ---- The time step --------------------------------------------------------------------------- */

static const ct_word criteria[] = {
#define X(name, NAME, doc) {#name, CT_CRITERION_##NAME, doc},
    CT_CRITERION_LIST(X)
#undef X
        {NULL, 0, NULL},
};
static const ct_word single_forms[] = {
    {"strict", CT_SINGLE_STRICT, "the volume must not overshoot its rest value"},
    {"relaxed", CT_SINGLE_RELAXED,
     "the volume may overshoot, but the deviation must not grow from step to step; a bound for all fluids"},
    {"exact", CT_SINGLE_EXACT, "the same, with the material's own pressure law"},
    {NULL, 0, NULL},
};

#define STEP(field) SCENE(world.step.field)
static const ct_key velocity_criterion_keys[] = {
    {"cfl", CT_KEY_QUANTITY,
     "Maximum number of cells that a particle, affine velocity included, may cross in a step.",
     STEP(velocity_cfl), .least = DBL_MIN, .most = 1, .example = "0.5"},
    {"without_affine", CT_KEY_BOOL, "Ignore the affine velocity; only for comparison.",
     .offset = STEP(velocity_without_affine)},
};
static const ct_key sound_criterion_keys[] = {
    {"cfl", CT_KEY_QUANTITY,
     "Maximum number of cells that sound may cross in a step. 0: a safe value for the scheme, kernel and "
     "force form.",
     STEP(sound_cfl), .least = 0, .most = 2, .example = "0.5"},
};
static const ct_key displacement_criterion_keys[] = {
    {"limit", CT_KEY_QUANTITY, "Maximum displacement of a particle in a step along any axis, in cells.",
     STEP(displacement_limit), .least = DBL_MIN, .most = 1, .example = "0.5"},
};
static const ct_key deformation_criterion_keys[] = {
    {"limit", CT_KEY_QUANTITY,
     "Maximum entry of dt grad v, for fluids its trace; exceeded by at most a tenth.",
     STEP(deformation_limit), .least = DBL_MIN, .most = 0.3, .example = "0.1"},
};
static const ct_key single_criterion_keys[] = {
    {"form", CT_KEY_WORD, "The condition on the particle's volume.", STEP(single_form),
     .words = single_forms},
    {"factor", CT_KEY_QUANTITY, "Factor on the limit of that form.", STEP(single_factor), .least = DBL_MIN,
     .most = 10, .example = "0.8"},
    {"solids", CT_KEY_BOOL, "Also limit solids, by their volumetric part.",
     .offset = STEP(single_for_solids)},
};
static const ct_key viscosity_criterion_keys[] = {
    {"factor", CT_KEY_QUANTITY, "Factor on density spacing^2 / (4 dimension viscosity).",
     STEP(viscosity_factor), .least = DBL_MIN, .most = 2, .example = "0.5"},
};
static const ct_key collider_criterion_keys[] = {
    {"cfl", CT_KEY_QUANTITY, "Maximum number of cells that the surface of a collider may cross in a step.",
     STEP(collider_cfl), .least = DBL_MIN, .most = 1, .example = "0.5"},
};
static const ct_key conduction_criterion_keys[] = {
    {"factor", CT_KEY_QUANTITY, "Factor on density heat_capacity spacing^2 / (4 dimension conductivity).",
     STEP(conduction_factor), .least = DBL_MIN, .most = 1, .example = "0.25"},
};
static const ct_section velocity_criterion = {KEYS(velocity_criterion_keys)};
static const ct_section sound_criterion = {KEYS(sound_criterion_keys)};
static const ct_section displacement_criterion = {KEYS(displacement_criterion_keys)};
static const ct_section deformation_criterion = {KEYS(deformation_criterion_keys)};
static const ct_section single_criterion = {KEYS(single_criterion_keys)};
static const ct_section viscosity_criterion = {KEYS(viscosity_criterion_keys)};
static const ct_section collider_criterion = {KEYS(collider_criterion_keys)};
static const ct_section conduction_criterion = {KEYS(conduction_criterion_keys)};

static const ct_key step_keys[] = {
    {"criteria", CT_KEY_WORDS, "The criteria that limit the step.", STEP(criteria), .words = criteria,
     .example = "[velocity, sound]"},
    {"velocity", CT_KEY_SECTION, "Velocity criterion.", .section = &velocity_criterion,
     .example = "{cfl: 0.5}"},
    {"sound", CT_KEY_SECTION, "Sound speed criterion.", .section = &sound_criterion, .example = "{cfl: 0.5}"},
    {"displacement", CT_KEY_SECTION, "Displacement criterion.", .section = &displacement_criterion,
     .example = "{limit: 0.5}"},
    {"deformation", CT_KEY_SECTION, "Deformation criterion.", .section = &deformation_criterion,
     .example = "{limit: 0.1}"},
    {"single_particle", CT_KEY_SECTION, "Criterion for isolated particles.", .section = &single_criterion,
     .example = "{form: strict}"},
    {"viscosity", CT_KEY_SECTION, "Viscosity criterion.", .section = &viscosity_criterion,
     .example = "{factor: 0.5}"},
    {"collider", CT_KEY_SECTION, "Collider criterion.", .section = &collider_criterion,
     .example = "{cfl: 0.5}"},
    {"conduction", CT_KEY_SECTION, "Heat conduction criterion.", .section = &conduction_criterion,
     .example = "{factor: 0.25}"},
    {"max", CT_KEY_QUANTITY, "Upper bound of the step. 0: none.", STEP(max), .dimension = CT_TIME,
     NOT_NEGATIVE, .example = "1 ms"},
    {"min", CT_KEY_QUANTITY, "A run that would need a shorter step stops with an error.", STEP(min),
     .dimension = CT_TIME, NOT_NEGATIVE, .example = "1 ns"},
    {"fixed", CT_KEY_QUANTITY,
     "Use exactly this step, shortened only to hit a frame; criteria are then only reported. 0: automatic.",
     STEP(fixed), .dimension = CT_TIME, NOT_NEGATIVE, .example = "0.1 ms"},
};
static const ct_section step_section = {KEYS(step_keys), .finish = ct_check_step};

/* ---- Bodies ---------------------------------------------------------------------------------- */

const ct_word ct_pattern_words[] = {
    {"lattice", CT_PATTERN_LATTICE, "regular, aligned with the grid"},
    {"jittered", CT_PATTERN_JITTERED, "one at random in each part of a regular subdivision of the cell"},
    {"poisson", CT_PATTERN_POISSON, "random with a minimum distance"},
    {NULL, 0, NULL},
};

static const ct_key sampling_keys[] = {
    {"pattern", CT_KEY_WORD, "How particles are placed.", BODY(pattern), .words = ct_pattern_words},
    {"per_cell", CT_KEY_INTEGER, "Particles per grid cell. 0: 4 in 2D, 8 in 3D; 1 with peridynamics.",
     BODY(per_cell), .least = 0, .most = 1000, .example = "8"},
};
static const ct_section sampling = {KEYS(sampling_keys)};

static const ct_key velocity_keys[] = {
    {"at", CT_KEY_VECTOR, "Velocity at the centre.", BODY(velocity), .dimension = CT_VELOCITY,
     .example = "[0, -1, 0]"},
    {"gradient", CT_KEY_MATRIX, "Velocity gradient, row by row: adds gradient (x - center).", BODY(gradient),
     .dimension = CT_RATE, .example = "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"},
    {"center", CT_KEY_VECTOR, "The point whose velocity is `at`. By default the centre of mass.",
     BODY(center), .given = CT_GIVEN(BODY(has_center)), .dimension = CT_LENGTH, .example = "[0, 0, 0]",
     .flags = CT_NO_DEFAULT},
};
static const ct_section velocity = {KEYS(velocity_keys), .bare = "at"};

static const ct_key spin_keys[] = {
    {"axis", CT_KEY_VECTOR, "Axis through the centre of mass; in 2D it is z.", BODY(spin_axis),
     .flags = CT_ONLY_3D | CT_NONZERO, .example = "[0, 0, 1]"},
    {"rate", CT_KEY_QUANTITY, "Angular velocity, by the right-hand rule.", BODY(spin_rate),
     .dimension = CT_ANGULAR_RATE, .flags = CT_REQUIRED, .example = "2 rad/s"},
};
static const ct_section spin = {KEYS(spin_keys)};

static const ct_key follow_keys[] = {
    {"file", CT_KEY_FILE,
     "An OBJ file with a `cache`, a sequence of OBJ files with `#` for the digits of the frame number, or "
     "USD text (.usda).",
     BODY(elements.follow.file), .flags = CT_REQUIRED, .example = "walk_####.obj"},
    {"cache", CT_KEY_FILE, "Point cache (.pc2) of an OBJ file.", BODY(elements.follow.cache),
     .flags = CT_NO_DEFAULT, .example = "walk.pc2"},
    {"prim", CT_KEY_TEXT, "Name of the Mesh in a .usda. By default the first.", BODY(elements.follow.prim),
     .flags = CT_NO_DEFAULT, .example = "Body"},
    {"rate", CT_KEY_QUANTITY, "Frames per second of caches and sequences; USD files define their own. 0: 24.",
     BODY(elements.follow.rate), .least = 0, .most = 1e6, .example = "24"},
    {"start", CT_KEY_QUANTITY, "Time of the first sample.", BODY(elements.follow.start), .dimension = CT_TIME,
     .least = -INFINITY, .most = INFINITY, .example = "0 s"},
};
static const ct_section follow = {KEYS(follow_keys)};

static const ct_word couplings[] = {
    {"contact", CT_COUPLING_CONTACT, "by contact of surfaces, on a grid"},
    {"grid", CT_COUPLING_GRID,
     "through the grid of the material point method: vertices act as its particles, and stick to nearby "
     "matter"},
    {NULL, 0, NULL},
};

static const ct_word integrations[] = {
    {"explicit", CT_INTEGRATION_EXPLICIT, "symplectic Euler: steps limited by sound waves"},
    {"implicit", CT_INTEGRATION_IMPLICIT, "backward Euler: steps of any length; damps fast motion"},
    {"auto", CT_INTEGRATION_AUTO,
     "for bodies of the material point method: chosen in every step by the expected cost, from stiffness and "
     "number of cells"},
    {NULL, 0, NULL},
};

static const ct_key body_keys[] = {
    {"method", CT_KEY_INDEX, "Numerical method: see `method`. By default the scene's.", BODY(method),
     .names = ct_method_names, .flags = CT_NO_DEFAULT, .example = "mpm"},
    {"material", CT_KEY_MATERIAL, "The name of a material above.", BODY(material), .flags = CT_REQUIRED},
    {"shape", CT_KEY_VARIANT, "Geometry: see Shapes.", BODY(shape), .flags = CT_REQUIRED,
     .variants = &ct_shape_variants, .example = "{type: sphere, radius: 10 cm}"},
    {"sampling", CT_KEY_SECTION, "How the shape is sampled with particles.", .section = &sampling,
     .example = "{pattern: jittered, per_cell: 8}"},
    {"velocity", CT_KEY_SECTION,
     "Initial velocity: a vector, or an affine field with `at`, `gradient` and `center`.",
     .section = &velocity, .example = "[0, -1, 0]"},
    {"spin", CT_KEY_SECTION, "Initial rotation about the centre of mass; adds to the velocity.",
     .section = &spin, .example = "{axis: [0, 0, 1], rate: 2 rad/s}"},
    {"hold", CT_KEY_VARIANT, "Particles that start in this shape are pinned in place.", BODY(hold),
     .given = CT_GIVEN(BODY(has_hold)), .variants = &ct_shape_variants, .flags = CT_NO_DEFAULT,
     .methods = CT_ONLY(PERIDYNAMICS) | CT_ONLY(ELEMENTS) | CT_ONLY(STRANDS),
     .example = "{type: box, min: [0, 0, 0], max: [0.1, 1, 1]}"},
    {"hold_group", CT_KEY_TEXT, "Vertices of this group of a mesh from a file are also pinned.",
     BODY(elements.hold_group), .flags = CT_NO_DEFAULT, .methods = CT_ONLY(ELEMENTS), .example = "clamped"},
    {"edge", CT_KEY_QUANTITY,
     "Approximate edge length of the mesh. 0: the grid's `spacing`. Meshes from files are used unchanged.",
     BODY(elements.edge), .dimension = CT_LENGTH, .least = 0, .most = INFINITY, .methods = CT_ONLY(ELEMENTS),
     .example = "5 mm"},
    {"jitter", CT_KEY_QUANTITY,
     "Random displacement of inner vertices of a sheet, as a fraction of the edge length; avoids preferred "
     "directions.",
     BODY(elements.jitter), .least = 0, .most = 0.2, .methods = CT_ONLY(ELEMENTS), .example = "0.1"},
    {"follow", CT_KEY_SECTION,
     "An animated surface that pinned vertices follow, each from its position when attached; without `hold` "
     "and `hold_group` all vertices follow, and the body is kinematic.",
     .section = &follow, .given = CT_GIVEN(BODY(elements.has_follow)), .flags = CT_ONLY_3D,
     .methods = CT_ONLY(ELEMENTS),
     .example = "{file: walk.obj, cache: walk.pc2, prim: Body, rate: 24, start: 0 s}"},
    {"roots", CT_KEY_TEXT,
     "An earlier body of elements whose surface carries the strands: vertices in `hold`, by default the "
     "first two of each strand, are fixed in position and direction relative to the nearest triangle of the "
     "first of them.",
     BODY(roots), .flags = CT_NO_DEFAULT | CT_ONLY_3D, .methods = CT_ONLY(STRANDS), .example = "head"},
    {"coupling", CT_KEY_WORD, "How elements and strands interact with other matter.", BODY(elements.coupling),
     .words = couplings, .methods = CT_ONLY(ELEMENTS) | CT_ONLY(STRANDS)},
    {"integration", CT_KEY_WORD,
     "Time integration of elements and of bodies of the material point method. By default that of the scene. "
     "If one of several bodies that share a grid (see `contact`) is implicit, all of them are.",
     BODY(elements.integration), .words = integrations, .flags = CT_NO_DEFAULT,
     .methods = CT_ONLY(ELEMENTS) | CT_ONLY(MPM), .example = "implicit"},
    {"mass_damping", CT_KEY_QUANTITY,
     "Rayleigh damping proportional to mass: a force of -mass_damping M v, which damps all motion.",
     BODY(elements.mass_damping), .dimension = CT_RATE, .least = 0, .most = INFINITY,
     .methods = CT_ONLY(ELEMENTS), .example = "0.5 1/s"},
    {"stiffness_damping", CT_KEY_QUANTITY,
     "Rayleigh damping proportional to stiffness: a force of -stiffness_damping K v, which damps "
     "deformation, high frequencies most.",
     BODY(elements.stiffness_damping), .dimension = CT_TIME, .least = 0, .most = INFINITY,
     .methods = CT_ONLY(ELEMENTS), .example = "1 ms"},
    {"self_contact", CT_KEY_BOOL,
     "Its surface does not pass through itself: folds of cloth lie on each other. Impulses between vertices, "
     "edges and faces, with the friction of its material on itself. Not with `coupling: grid`, whose grid "
     "keeps "
     "folds apart.",
     .offset = BODY(elements.self_contact), .methods = CT_ONLY(ELEMENTS)},
    {"self_distance", CT_KEY_QUANTITY,
     "With `self_contact`: how far folds stay apart. 0: a tenth of an edge of the mesh, or the thickness of "
     "a "
     "sheet if that is more.",
     BODY(elements.self_distance), .dimension = CT_LENGTH, .least = 0, .most = INFINITY,
     .methods = CT_ONLY(ELEMENTS), .example = "2 mm"},
    {"contact", CT_KEY_TEXT,
     "`shared`: one grid with all other shared bodies, to which it sticks. `separate`: a grid of its own. "
     "Any other word: a grid shared with bodies of the same word.",
     BODY(contact_group), .flags = CT_NO_DEFAULT, .methods = CT_ONLY(MPM), .example = "separate"},
    {"pinned", CT_KEY_BOOL, "Fixed in place whatever the forces.", .offset = BODY(is_pinned),
     .methods = CT_ONLY(RIGID)},
    {"mass", CT_KEY_QUANTITY, "Mass. By default from density and volume; per metre in 2D.", BODY(mass),
     .dimension = CT_MASS, .least = 0, .most = INFINITY, .flags = CT_NO_DEFAULT, .methods = CT_ONLY(RIGID),
     .example = "2 kg"},
    {"inertia", CT_KEY_MATRIX,
     "Inertia tensor about the centre of mass, kg m^2, row by row; in 2D only the last number is used. By "
     "default from the shape.",
     BODY(inertia), .given = CT_GIVEN(BODY(has_inertia)), .flags = CT_NO_DEFAULT, .methods = CT_ONLY(RIGID),
     .example = "[[1, 0, 0], [0, 2, 0], [0, 0, 3]]"},
    {"deformation", CT_KEY_MATRIX, "Initial deformation gradient F, row by row.", BODY(deformation),
     .example = "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
    {"move", CT_KEY_BOOL, "Also apply the deformation to the positions, about the centre of mass.",
     .offset = BODY(move_by_deformation)},
    {"split", CT_KEY_BOOL,
     "Split particles stretched to more than 0.75 cells, which prevents numerical fracture. For solids.",
     .offset = BODY(split), .methods = CT_ONLY(MPM)},
    {"temperature", CT_KEY_QUANTITY, "Initial temperature. By default the material's.", BODY(temperature),
     .given = CT_GIVEN(BODY(has_temperature)), .dimension = CT_TEMPERATURE, .least = 0, .most = 1e6,
     .flags = CT_NO_DEFAULT, .ability = CT_ABILITY(has_heat), .example = "1100 degC"},
    {"color", CT_KEY_COLOR, "Colour in pictures, sRGB. By default one is chosen.", BODY(color),
     .flags = CT_NO_DEFAULT},
    {"scheme", CT_KEY_VARIANT, "A transfer scheme of its own: see Schemes. By default the world's.",
     BODY(scheme), .given = CT_GIVEN(BODY(has_scheme)), .flags = CT_NO_DEFAULT,
     .ability = CT_ABILITY(has_schemes), .variants = &ct_scheme_variants, .example = "asflip"},
};
static const ct_section body = {KEYS(body_keys), .finish = ct_check_body};

static void set_default_body(void *definition)
{
    *(ct_body_def *)definition = ct_default_body_def();
}

static void set_default_material(void *definition)
{
    *(ct_material_def *)definition = ct_default_material_def();
}

/* Particles keep the numbers of their material and body in 16 bits. */
static const ct_named materials = {"material",
                                   1000,
                                   sizeof(ct_material_def),
                                   set_default_material,
                                   offsetof(ct_material_def, name),
                                   offsetof(ct_material_def, method),
                                   .variants = &ct_material_variants};
static const ct_named bodies = {"body",     65535,        sizeof(ct_body_def), set_default_body,
                                BODY(name), BODY(method), .section = &body};

/* ---- Walls ----------------------------------------------------------------------------------- */

/* `default` is read into the first side and spread over all; those that are given follow and replace it. */
static void spread_first_wall(void *definition)
{
    ct_wall_def *walls = ((ct_scene *)definition)->world.walls;
    for (int side = 1; side < CT_SIDES; side++) walls[side] = walls[0];
}

#define SIDE(name, side, doc, ...)                                                                   \
    {                                                                                                \
        name, CT_KEY_VARIANT, doc, SCENE(world.walls) + (side) * sizeof(ct_wall_def),                \
            .variants = &ct_wall_variants, .example = "{type: separate, friction: 0.5}", __VA_ARGS__ \
    }

static const ct_key wall_keys[] = {
    SIDE("default", 0, "All sides not given explicitly.", .flags = CT_READ_ONLY, .then = spread_first_wall),
    SIDE("x_min", CT_X_MIN, "The side of minimum x.", .flags = 0),
    SIDE("x_max", CT_X_MAX, "The side of maximum x.", .flags = 0),
    SIDE("y_min", CT_Y_MIN, "The side of minimum y: the floor.", .flags = 0),
    SIDE("y_max", CT_Y_MAX, "The side of maximum y: the ceiling.", .flags = 0),
    SIDE("z_min", CT_Z_MIN, "The side of minimum z.", .flags = CT_ONLY_3D),
    SIDE("z_max", CT_Z_MAX, "The side of maximum z.", .flags = CT_ONLY_3D),
};
static const ct_section walls_section = {KEYS(wall_keys)};

/* ---- Output ---------------------------------------------------------------------------------- */

static const ct_key camera_keys[] = {
    {"target", CT_KEY_VECTOR, "The point the camera looks at.", SCENE(output.camera.target),
     .dimension = CT_LENGTH, .flags = CT_REQUIRED | CT_ONLY_3D, .example = "[0, 0.2, 0]"},
    {"from", CT_KEY_VECTOR, "Position of the camera.", SCENE(output.camera.from), .dimension = CT_LENGTH,
     .flags = CT_REQUIRED | CT_ONLY_3D, .example = "[1.5, 1.2, 2]"},
    {"fov", CT_KEY_QUANTITY, "Vertical field of view.", SCENE(output.camera.fov), .dimension = CT_ANGLE,
     .least = 0.01, .most = 3, .fallback = "35 deg"},
};
static const ct_section camera = {KEYS(camera_keys), .finish = ct_check_camera};

static const ct_key output_keys[] = {
    {"fields", CT_KEY_NAMES, "Quantities in each frame besides positions.", SCENE(output.fields),
     SCENE(output.field_count), .names = quantity_names,
     .fallback = "[velocity, J, pressure, material, body, id]"},
    {"formats", CT_KEY_NAMES, "File formats written for each frame.", SCENE(output.formats),
     SCENE(output.format_count), .names = writer_names, .fallback = "[vtu]"},
    {"checkpoint_every", CT_KEY_QUANTITY,
     "Wall-clock time between checkpoints. 0: only at the end and on request.",
     SCENE(output.checkpoint_every), .dimension = CT_TIME, NOT_NEGATIVE, .fallback = "5 min"},
    {"stats_every", CT_KEY_QUANTITY, "Simulated time between rows of stats.csv. 0: one per frame.",
     SCENE(output.stats_every), .dimension = CT_TIME, NOT_NEGATIVE, .fallback = "0 s", .example = "1 ms"},
    {"energy_budget", CT_KEY_BOOL,
     "Record the energy lost in transfers and on the grid in stats.csv; without it a step is about an eighth "
     "cheaper.",
     .offset = SCENE(world.energy_budget), .fallback = "true"},
    {"camera", CT_KEY_SECTION, "Camera of pictures. By default fitted to the motion.", .section = &camera,
     .given = CT_GIVEN(SCENE(output.camera.is_set)), .flags = CT_ONLY_3D,
     .example = "{target: [0, 0.2, 0], from: [1.5, 1.2, 2], fov: 35 deg}"},
    {"color_by", CT_KEY_NAME, "Quantity shown by the colours of pictures.", SCENE(output.color_by),
     .names = quantity_names, .fallback = "body"},
};
static const ct_section output_section = {KEYS(output_keys)};

/* ---- The scene ------------------------------------------------------------------------------- */

static const ct_key scene_keys[] = {
    {"name", CT_KEY_TEXT, "Names the run. By default the file's name without its ending.", SCENE(name),
     .example = "wheel_in_sand", .flags = CT_NO_DEFAULT},
    {"title", CT_KEY_TEXT, "One line about the scene.", SCENE(title), .fallback = "\"\"",
     .example = "A wheel rolls through dry sand"},
    {"method", CT_KEY_INDEX,
     "Default numerical method of bodies, sources and materials. One scene may contain bodies of several "
     "methods.",
     SCENE(world.method), .names = ct_method_names, .example = "mpm"},
    {"integration", CT_KEY_WORD,
     "Default time integration of bodies of elements and of the material point method; with `auto`, elements "
     "are explicit.",
     SCENE(world.integration), .words = integrations, .methods = CT_ONLY(ELEMENTS) | CT_ONLY(MPM)},
    {"dimension", CT_KEY_INTEGER, "2 or 3. In 2D vectors have two components, and a material is 1 m thick.",
     SCENE(world.dimension), .least = 2, .most = 3, .example = "3"},
    {"precision", CT_KEY_WORD, "Floating-point precision of particles and grid.", SCENE(world.precision),
     .words = precisions},
    {"time", CT_KEY_SECTION, "Duration, and interval of frames.", .section = &time_section,
     .flags = CT_REQUIRED, .example = "{end: 2 s, frame: 1/24 s}"},
    {"gravity", CT_KEY_TRACK, "Gravitational acceleration.", SCENE(world.gravity),
     .dimension = CT_ACCELERATION, .example = "[0, -9.81, 0]"},
    {"air", CT_KEY_SECTION, "Air to which free surfaces lose heat. By default they are insulated.",
     .section = &air_section, .ability = CT_ABILITY(has_heat),
     .example = "{temperature: 20 degC, heat_transfer: 10 W/(m^2 K), emissivity: 0.9}"},
    {"seed", CT_KEY_SEED, "Seed of all random sampling: the same seed gives the same particles.",
     SCENE(world.seed), .example = "7"},
    {"grid", CT_KEY_SECTION, "The grid on which forces are computed.", .section = &grid_section,
     .flags = CT_REQUIRED, .example = "{spacing: 1 cm}"},
    {"domain", CT_KEY_SECTION, "A box with walls. Without it space is unbounded.", .section = &domain_section,
     .given = CT_GIVEN(SCENE(world.has_domain)), .example = "{min: [-1, -1, -1], max: [1, 1, 1]}"},
    {"scheme", CT_KEY_VARIANT, "How velocities are transferred between particles and grid: see Schemes.",
     SCENE(world.scheme), .variants = &ct_scheme_variants, .ability = CT_ABILITY(has_schemes),
     .example = "apic"},
    {"peridynamics", CT_KEY_SECTION, "The solver of peridynamic bodies.", .section = &ct_peri_section,
     .methods = CT_ONLY(PERIDYNAMICS), .example = "{iterations: 20}"},
    {"fluid", CT_KEY_SECTION, "The solver of incompressible liquids.", .section = &ct_fluid_section,
     .methods = CT_ONLY(FLUID), .example = "{tolerance: 1e-6}"},
    {"strands", CT_KEY_SECTION, "The solver of strands.", .section = &ct_strands_section,
     .methods = CT_ONLY(STRANDS), .example = "{iterations: 30}"},
    {"step", CT_KEY_SECTION, "How the time step is chosen.", .section = &step_section,
     .example = "{criteria: [velocity, sound], max: 1 ms}"},
    {"materials", CT_KEY_NAMED, "Materials by name: see Materials.", SCENE(materials), SCENE(material_count),
     .named = &materials, .flags = CT_REQUIRED,
     .example = "{rubber: {type: fixed_corotated, density: 1100 kg/m^3, young: 1 MPa, poisson: 0.4}}"},
    {"contact", CT_KEY_SECTION,
     "Contact between bodies of different methods, rigid bodies and contact groups.",
     .section = &ct_contact_section, .example = "{friction: 0.3}"},
    {"bodies", CT_KEY_NAMED, "Bodies at the start, by name.", SCENE(bodies), SCENE(body_count),
     .named = &bodies, .example = "{ball: {material: rubber, shape: {type: sphere, radius: 10 cm}}}"},
    {"walls", CT_KEY_SECTION, "The sides of the domain: see Walls.", .section = &walls_section,
     .needs_offset = SCENE(world.has_domain), .needs = "domain", .example = "{default: slip}"},
    {"colliders", CT_KEY_NAMED, "Scripted obstacles, by name.", SCENE(colliders), SCENE(collider_count),
     .named = &ct_colliders_named,
     .example = "{wheel: {shape: {type: sphere, radius: 10 cm}, motion: {spin: {rate: 60 rpm}}}}"},
    {"output", CT_KEY_SECTION, "What is written.", .section = &output_section,
     .example = "{fields: [velocity]}"},
    {"joints", CT_KEY_NAMED, "Joints between rigid bodies, or to the world, by name.", SCENE(joints),
     SCENE(joint_count), .named = &ct_named_joints, .methods = CT_ONLY(RIGID),
     .example = "{axle: {type: hinge, body: wheel, at: [0, 1, 0], axis: [0, 0, 1]}}"},
    {"sources", CT_KEY_NAMED, "Inflows of material, by name.", SCENE(sources), SCENE(source_count),
     .named = &ct_named_sources,
     .example = "{tap: {material: rubber, shape: {type: sphere, radius: 10 cm}, velocity: [0, -1, 0]}}"},
    {"changes", CT_KEY_NAMED,
     "Changes of material, by name, at constant mass and volume: a solid melts into a fluid, or a fluid sets "
     "into a solid in its current shape.",
     SCENE(changes), SCENE(change_count), .named = &ct_named_changes, .ability = CT_ABILITY(has_changes),
     .example = "{melt: {from: sheet, material: honey, time: 1 s}}"},
    {"sinks", CT_KEY_NAMED, "Regions where particles are removed, by name.", SCENE(sinks), SCENE(sink_count),
     .named = &ct_named_sinks,
     .example = "{below: {shape: {type: half_space, point: [0, -1, 0], normal: [0, 1, 0]}}}"},
    {"forces", CT_KEY_NAMED, "Force fields, by name: see Forces.", SCENE(forces), SCENE(force_count),
     .named = &ct_named_forces, .example = "{breeze: {type: wind, velocity: [3, 0, 0], rate: 2}}"},
    {"limits", CT_KEY_SECTION, "Limits on positions, and the expected number of particles.",
     .section = &ct_limits_section, .example = "{far: 1 km}"},
};
const ct_section ct_scene_keys = {KEYS(scene_keys), .finish = ct_check_scene};
