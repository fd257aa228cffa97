/* continua: simulation of solids, liquids and granular matter, in 2D and 3D.
 *
 * A program that embeds continua does four things:
 *
 *     ct_error error;                                       // describes what went wrong
 *     ct_world_def def = ct_default_world_def();            // 1. describe: every field has a default
 *     def.spacing = 0.02;                                   //    grid spacing in metres
 *     ct_world *world;
 *     if (ct_world_create(&def, &world, &error)) puts(error.message);
 *
 *     ct_parameter stiffness[] = {{"young", 1e5}, {"poisson", 0.3}};
 *     ct_material_def jelly = ct_default_material_def();    // 2. fill: materials, then bodies of them
 *     jelly.type = "fixed_corotated", jelly.density = 1000;
 *     jelly.parameters = stiffness, jelly.parameter_count = 2;
 *     ct_body_def ball = ct_default_body_def();
 *     ball.shape.type = CT_SHAPE_SPHERE, ball.shape.radius = 0.1;
 *     if (ct_world_add_material(world, &jelly, &ball.material, &error)) puts(error.message);
 *     if (ct_world_add_body(world, &ball, NULL, &error)) puts(error.message);
 *
 *     if (ct_world_run_until(world, 0.1, &error)) puts(error.message); // 3. step
 *
 *     size_t size = ct_world_get_info(world).particles * sizeof(double[3]);
 *     double(*position)[3] = malloc(size);                             // 4. look
 *     if (ct_world_read(world, "position", position, size, &error)) puts(error.message);
 *     printf("the first particle is at y = %g m\n", position[0][1]);
 *     free(position);
 *     ct_world_destroy(world);
 *
 * Or it loads a scene file with ct_scene_load and ct_world_from_scene, or does what `continua run` does, with
 * frames and checkpoints in a folder (ct_run_start). From Python: docs/python.md.
 *
 * Rules that hold for every function here:
 *   - SI units. Right-handed, y up. Vectors have three components; in 2D the third is ignored.
 *   - A function that can fail returns a ct_status and fills `error` (which may be NULL) with one clear
 *     message. NULL for a pointer that must not be NULL is CT_BAD_USAGE.
 *   - A call that fails leaves the world as it was.
 *   - Lists are walked: `bool ct_..._THING(..., index, &info)` is true for index 0, 1, ... until it is past
 *     the end. Texts in what it gives live as long as the world, scene or run they came from.
 *   - The library never exits, prints or keeps global state. Two worlds may be used by two threads at once;
 *     one world by one thread at a time, even if it is const, since reading may fill caches.
 *   - Pointers inside definitions are read during the call only; the world keeps its own copies.
 *   - The same calls give the same bits, whatever the number of threads.
 */
#ifndef CONTINUA_H
#define CONTINUA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CT_API __attribute__((visibility("default")))
#else
#define CT_API
#endif

#define CT_VERSION_MAJOR  0
#define CT_VERSION_MINOR  1
#define CT_VERSION_PATCH  0
#define CT_VERSION_NUMBER (CT_VERSION_MAJOR * 10000 + CT_VERSION_MINOR * 100 + CT_VERSION_PATCH)

/* The version of the library that is running, and its text, e.g. "0.1.0". */
CT_API int ct_version(void);
CT_API const char *ct_version_text(void);

/* ---- Status ------------------------------------------------------------------------------------------- */

/* The result of a call. The command uses the same numbers as exit codes. */
typedef enum ct_status {
    CT_OK = 0,
    CT_FAILED = 1,    /* any other failure */
    CT_BAD_USAGE = 2, /* an invalid argument or definition, or a part that this build does not have */
    CT_BAD_SCENE = 3, /* an error in a scene, mesh or particle file: file, line, column, reason, hint */
    CT_DIVERGED = 4,  /* the simulation produced non-finite numbers; the state before the step is kept */
    CT_BAD_IO = 5,    /* a file that cannot be read or written: missing, full disk, damaged checkpoint */
    CT_NO_MEMORY = 6
} ct_status;

enum { CT_MESSAGE_SIZE = 4096 };

/* A status and its message. A scene with several mistakes puts one line per mistake here. */
typedef struct ct_error {
    ct_status status;
    char message[CT_MESSAGE_SIZE];
} ct_error;

/* ---- Hooks -------------------------------------------------------------------------------------------- */

/* Where memory comes from. `allocate` returns memory aligned to 64 bytes, or NULL. Both must be safe to call
 * from several threads. NULL functions mean the C library's. */
typedef struct ct_allocator {
    void *(*allocate)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void *user;
} ct_allocator;

typedef enum ct_log_level { CT_LOG_DEBUG, CT_LOG_INFO, CT_LOG_WARNING } ct_log_level;

/* Receives information such as automatic choices and particles put back at walls. */
typedef void (*ct_log_function)(ct_log_level level, const char *message, void *user);

/* ---- Values over time --------------------------------------------------------------------------------- */

typedef enum ct_interpolation {
    CT_INTERPOLATE_LINEAR,
    CT_INTERPOLATE_SMOOTH, /* 3s^2 - 2s^3 between keyframes, with zero velocity at each */
    CT_INTERPOLATE_STEP    /* the value of the previous keyframe */
} ct_interpolation;

/* A vector scripted by keyframes: constant before the first and after the last. With count 0 it is
 * `constant`. */
typedef struct ct_track {
    double constant[3];
    int count;
    const double *times;       /* [count], seconds, strictly increasing */
    const double (*values)[3]; /* [count] */
    ct_interpolation interpolation;
} ct_track;

/* A named number, for the parameters of materials and schemes: {"young", 1e6}. */
typedef struct ct_parameter {
    const char *name;
    double value;
} ct_parameter;

/* ---- World -------------------------------------------------------------------------------------------- */

typedef struct ct_world ct_world;

typedef enum ct_precision { CT_FLOAT, CT_DOUBLE } ct_precision;

/* The B-spline that couples particles and grid. The linear one is for comparison: forces jump when particles
 * change cells. */
typedef enum ct_kernel { CT_KERNEL_QUADRATIC, CT_KERNEL_CUBIC, CT_KERNEL_LINEAR } ct_kernel;

/* How velocities are transferred between particles and grid. */
typedef struct ct_scheme_def {
    const char *type; /* "apic", "flip", "asflip", ... */
    const ct_parameter *parameters;
    int parameter_count;
} ct_scheme_def;

/* Time integration. That of the world is the default of bodies; with AUTO, elements are
 * explicit. */
typedef enum ct_integration {
    CT_INTEGRATION_OF_WORLD = -1, /* of a body: as the world's */
    CT_INTEGRATION_EXPLICIT,      /* symplectic Euler: short steps, no energy lost */
    CT_INTEGRATION_IMPLICIT,      /* backward Euler: any step, damps */
    CT_INTEGRATION_AUTO           /* for MPM: chosen in every step by the expected cost */
} ct_integration;

/* How forces follow from stress, and velocity gradients from grid velocities: by moving least squares, or by the
 * gradient of the kernel. */
typedef enum ct_force_form { CT_FORCE_MLS, CT_FORCE_GRADIENT } ct_force_form;

typedef enum ct_wall_type {
    CT_WALL_NO_SLIP,  /* material at the wall moves with it */
    CT_WALL_SLIP,     /* slides along without leaving */
    CT_WALL_SEPARATE, /* may leave; slides with Coulomb friction under pressure */
    CT_WALL_FREE,     /* no wall: material that crosses it leaves the world */
    CT_WALL_PERIODIC /* no wall: material that crosses it comes in at the opposite side, which is periodic, too */
} ct_wall_type;

/* Sides of the domain, in the order of ct_world_def.walls. */
enum { CT_X_MIN, CT_X_MAX, CT_Y_MIN, CT_Y_MAX, CT_Z_MIN, CT_Z_MAX, CT_SIDES };

/* A boundary with a prescribed temperature; without one it is insulated. */
typedef struct ct_thermal_def {
    bool has_temperature;
    double temperature; /* K */
    double resistance;  /* m^2 K/W, thermal contact resistance of its surface; 0: perfect contact */
} ct_thermal_def;

typedef struct ct_wall_def {
    ct_wall_type type;
    double friction;   /* Coulomb coefficient, for CT_WALL_SEPARATE */
    ct_track velocity; /* m/s, tangential, as of a conveyor belt; the wall itself does not move */
    ct_thermal_def thermal;
} ct_wall_def;

/* The air around the material, which exchanges heat at free surfaces. */
typedef struct ct_air_def {
    double temperature;   /* K */
    double heat_transfer; /* W/(m^2 K), by convection; 0: none */
    double emissivity;    /* of the material, 0 to 1, for radiation; 0: none */
} ct_air_def;

/* Criteria that limit the time step; bits of ct_step_def.criteria. */
enum {
    CT_CRITERION_VELOCITY = 1 << 0,        /* of particles, affine part included */
    CT_CRITERION_SOUND = 1 << 1,           /* waves */
    CT_CRITERION_DISPLACEMENT = 1 << 2,    /* of particles, forces and walls included */
    CT_CRITERION_DEFORMATION = 1 << 3,     /* change of F, or of a fluid's volume */
    CT_CRITERION_SINGLE_PARTICLE = 1 << 4, /* pressure and volume of an isolated particle */
    CT_CRITERION_VISCOSITY = 1 << 5,       /* diffusion of momentum */
    CT_CRITERION_COLLIDER = 1 << 6,        /* colliders that move */
    CT_CRITERION_CONDUCTION = 1 << 7,      /* diffusion of heat */
    CT_CRITERIA_ALL = (1 << 8) - 1
};

/* The condition of the single-particle criterion on the volume ratio J of an isolated fluid particle. */
typedef enum ct_single_form {
    CT_SINGLE_STRICT,  /* J must not overshoot 1 */
    CT_SINGLE_RELAXED, /* J may overshoot 1, but not grow: the bound of the paper */
    CT_SINGLE_EXACT    /* the same, with the material's own pressure law */
} ct_single_form;

typedef struct ct_step_def {
    unsigned criteria;   /* which of CT_CRITERION_* limit dt */
    double velocity_cfl; /* maximum number of cells a particle, affine part included, may cross in a step */
    bool velocity_without_affine; /* ignore the affine part; only for comparison */
    double sound_cfl; /* maximum number of cells sound may cross in a step; 0: by scheme, kernel and form */
    double displacement_limit;  /* maximum displacement of a particle in a step along any axis, in cells */
    double deformation_limit;   /* maximum entry of dt grad v; for fluids its trace */
    ct_single_form single_form; /* of the single-particle criterion */
    double single_factor;       /* factor on the limit of that form */
    bool single_for_solids;     /* also for solids, by their volumetric part: an extension */
    double viscosity_factor;    /* factor on rho dx^2 / (4 d eta) */
    double collider_cfl;        /* maximum number of cells the surface of a collider may cross in a step */
    double conduction_factor;   /* factor on rho c dx^2 / (4 d k) */
    double max;                 /* s, upper bound on dt; 0: none */
    double min;                 /* s, a run that needs a shorter step stops with CT_DIVERGED */
    double fixed; /* s, use exactly this dt, shortened only to hit a requested instant; 0: automatic */
} ct_step_def;

/* The numerical method of a body. One world may contain bodies of several methods. */
typedef enum ct_method {
    CT_METHOD_OF_WORLD = -1, /* of a body, source or material: the world's */
    CT_METHOD_MPM,           /* the material point method */
    CT_METHOD_PERIDYNAMICS,  /* projective peridynamics: implicit, meshless */
    CT_METHOD_ELEMENTS,      /* meshes of triangles (2D) and tetrahedra (3D) */
    CT_METHOD_RIGID,         /* rigid bodies */
    CT_METHOD_FLUID,         /* incompressible flow on a staggered grid */
    CT_METHOD_STRANDS        /* hair, threads and rods: discrete elastic rods, implicit */
} ct_method;

/* How a projective step solves its linear system. */
typedef enum ct_peri_solver {
    CT_PERI_AUTOMATIC, /* Chebyshev, as many iterations as needed; for bodies that are too stiff Newton.
                          With `iterations` given: Chebyshev */
    CT_PERI_CHEBYSHEV, /* accelerated Jacobi */
    CT_PERI_JACOBI,
    CT_PERI_DIRECT,    /* sparse Cholesky, factors kept for the same neighbours and dt; needs CHOLMOD */
    CT_PERI_POSITIONS, /* position based, the mean of the positions of bonds: stiffer with every iteration */
    CT_PERI_NEWTON     /* Newton's method for all solids, whatever their stiffness */
} ct_peri_solver;

typedef struct ct_peri_def {
    double spacing; /* m, of peridynamic particles; 0: that of the grid in a world whose method is
                       peridynamics, half of it in a mixed world */
    double horizon; /* radius of a neighbourhood in spacings; 0: 2.1 in 3D (32 neighbours), 3.05 in 2D (28) */
    ct_peri_solver solver;
    int iterations;   /* maximum number of iterations per time step; 0: 10, or as many as needed */
    double tolerance; /* stop when the next iteration would move particles by less, rms, in spacings */
    double
        spectral_radius; /* of the Jacobi iteration, for Chebyshev weights; 0: from the number of iterations */
    bool line_search;    /* halve a step that does not lower the energy enough (not with Chebyshev) */
    bool untangle;       /* recover inverted neighbourhoods */
    double contact;      /* contact distance of particles of different bodies, in spacings; 0: no contact */
    bool self_contact;   /* also particles of one body that were not neighbours at the start */
    double friction;     /* Coulomb coefficient between bodies */
} ct_peri_def;

typedef struct ct_fluid_def {
    double tolerance;  /* the pressure solver stops when the largest residual has decreased by this factor */
    int iterations;    /* maximum, of the pressure solver */
    double correction; /* fraction of an excess or deficit of particles in a cell corrected per step */
} ct_fluid_def;

/* The solver of strands: an implicit step of each. */
typedef struct ct_strands_def {
    double spacing;   /* m, between vertices; 0: the grid's where the world's method is strands, half of it in
                         a mixed world */
    int iterations;   /* maximum, of Newton's method, for each contact detection */
    double tolerance; /* stop when an iteration moves no vertex by more, in spacings */
} ct_strands_def;

/* A pair of materials with its own friction and restitution. */
typedef struct ct_contact_pair_def {
    const char *name;
    int material, on;   /* in the order of ct_world_add_material */
    double friction;    /* negative: as others */
    double restitution; /* negative: as others */
} ct_contact_pair_def;

/* How samples of surfaces meet: by a field per body, or as Han et al. 2019 print it. */
typedef enum ct_contact_variant { CT_CONTACT_FIELDS, CT_CONTACT_LITERAL } ct_contact_variant;

/* Contact between bodies of different methods, rigid bodies, and bodies with a contact_group. */
typedef struct ct_contact_def {
    ct_contact_variant variant;
    double friction;                  /* Coulomb coefficient */
    double restitution;               /* ratio of rebound to approach speed, 0 to 1 */
    const ct_contact_pair_def *pairs; /* [pair_count], at most 64; the first match applies */
    int pair_count;
} ct_contact_def;

CT_API ct_contact_pair_def ct_default_contact_pair_def(void);

typedef struct ct_world_def {
    int cookie;             /* set by ct_default_world_def; definitions without it are refused */
    ct_method method;       /* default of bodies, sources and materials */
    ct_peri_def peri;       /* for bodies of CT_METHOD_PERIDYNAMICS */
    ct_fluid_def fluid;     /* for bodies of CT_METHOD_FLUID */
    ct_strands_def strands; /* for bodies of CT_METHOD_STRANDS */
    ct_contact_def contact;
    int dimension; /* 2 or 3 */
    ct_precision precision;
    ct_kernel kernel;
    ct_force_form force_form;
    ct_integration integration; /* default of bodies */
    double spacing;       /* m, the grid's; with a domain each axis is stretched a little to fit it. Where
                             the method is peridynamics, the distance of particles, too */
    bool has_domain;      /* a box with walls; without it space is unbounded */
    double domain_min[3]; /* m */
    double domain_max[3]; /* m */
    ct_wall_def walls[CT_SIDES];
    ct_track gravity; /* m/s^2 */
    ct_air_def air;
    ct_scheme_def scheme;
    ct_step_def step;
    double
        far_limit; /* m: a particle with a coordinate beyond it is removed as a stray; 0: a million cells */
    uint64_t reserve;   /* number of particles to allocate at the start; 0: as needed */
    uint64_t seed;      /* of all sampling */
    bool energy_budget; /* record the energy lost in transfers and on the grid (costs a second scatter)
                         */
    int threads;        /* 0: one per core */
    ct_allocator allocator;
    ct_log_function log;
    void *log_user;
} ct_world_def;

CT_API ct_world_def ct_default_world_def(void);
CT_API ct_status ct_world_create(const ct_world_def *def, ct_world **world, ct_error *error);
CT_API void ct_world_destroy(ct_world *world); /* NULL is allowed */

/* ---- Materials ---------------------------------------------------------------------------------------- */

typedef struct ct_material_def {
    int cookie;
    const char *name; /* of this material, for messages and output */
    ct_method method; /* whose model `type` names; CT_METHOD_OF_WORLD: the world's */
    const char *type; /* the model: "fixed_corotated", ... */
    double density;   /* kg/m^3 */
    const ct_parameter *parameters;
    int parameter_count;
    double temperature;        /* K, default initial temperature of its bodies */
    double heat_capacity;      /* J/(kg K); 0: no heat */
    double conductivity;       /* W/(m K) */
    ct_track stiffness_factor; /* peridynamics: factor on the stiffness, in the first component; 1
                                  by default */
    int look;                  /* in pictures: number in the list of looks, from 1; 0: that of the model */
} ct_material_def;

CT_API ct_material_def ct_default_material_def(void);
CT_API ct_status ct_world_add_material(ct_world *world, const ct_material_def *def, int *material,
                                       ct_error *error);

/* The same by a name of the list of presets (ct_library_preset): "water", "dry_sand". The world's own method
 * is tried first. */
CT_API ct_status ct_world_add_preset(ct_world *world, const char *preset, const char *name, int *material,
                                     ct_error *error);

/* ---- Shapes and bodies -------------------------------------------------------------------------------- */

typedef enum ct_shape_type {
    CT_SHAPE_BOX,          /* min, max */
    CT_SHAPE_SPHERE,       /* center, radius; in 2D a disc */
    CT_SHAPE_CYLINDER,     /* from, to, radius */
    CT_SHAPE_CAPSULE,      /* from, to, radius */
    CT_SHAPE_TORUS,        /* center, axis, radius (of the ring), tube (of its section); in 2D a ring */
    CT_SHAPE_ROUNDED_BOX,  /* min, max, radius (of the edges; within the box) */
    CT_SHAPE_HALF_SPACE,   /* point, normal (out of the material); bounded by others when filled */
    CT_SHAPE_UNION,        /* children */
    CT_SHAPE_DIFFERENCE,   /* the first child without the others */
    CT_SHAPE_INTERSECTION, /* children */
    CT_SHAPE_MESH,         /* file: a closed triangle mesh, OBJ, STL or PLY */
    CT_SHAPE_HEIGHT_FIELD, /* file: CSV or PNG of heights, 0 at min y and 1 at max y, over min to max; depth
                            */
    CT_SHAPE_POINTS,       /* points [point_count]: single particles */
    CT_SHAPE_PARTICLES,    /* file: CSV, PLY or VTU with one particle per row or point */
    /* bodies of some methods that have no inside: */
    CT_SHAPE_SHEET,    /* corner, edges [2], thickness: cloth */
    CT_SHAPE_SURFACE,  /* file: the triangles of an open or closed mesh; thickness */
    CT_SHAPE_POLYLINE, /* points [point_count], radius; is_closed, has_twist: rods and strands */
    /* bodies of elements: */
    CT_SHAPE_SOLID /* file: tetrahedra (2D: triangles); .msh, .node with .ele, .vtk, .vtu */
} ct_shape_type;

/* A shape; its type determines which fields are used. Every shape is scaled, rotated and translated, in that order, about
 * its pivot: by default the centre of a primitive or of the bounding box of a combination, the origin of a
 * file. */
typedef struct ct_shape_def {
    ct_shape_type type;
    double min[3], max[3];
    double center[3];
    double from[3], to[3];
    double radius, tube;
    double depth; /* m, of a height field below its 0; 0: as much as from 0 to 1 */
    double axis[3];
    double point[3], normal[3];
    const char *file;
    const struct ct_shape_def *children;
    int child_count;
    const double (*points)[3];           /* [point_count] m */
    const double (*point_velocities)[3]; /* [point_count] m/s, or NULL */
    int point_count;
    double point_volume; /* m^3 (m^2 in 2D) of each single particle; 0: of one sample of a cell */
    double corner[3];
    const double (*edges)[3]; /* [edge_count] m, from the corner */
    int edge_count;
    double thickness;                    /* m, of sheets and surfaces; 0: the world's spacing */
    bool is_closed;                      /* the last point of a line is joined to the first */
    bool has_twist;                      /* a rod that resists twist, by ghost particles around it */
    double scale[3];                     /* 1 by default */
    double rotate_axis[3], rotate_angle; /* rad */
    double translate[3];
    bool has_pivot;
    double pivot[3];
} ct_shape_def;

typedef enum ct_pattern {
    CT_PATTERN_LATTICE,  /* regular, aligned with the grid */
    CT_PATTERN_JITTERED, /* one at random in each part of a regular subdivision of the cell */
    CT_PATTERN_POISSON   /* random with a minimum distance */
} ct_pattern;

typedef enum ct_coupling {
    CT_COUPLING_CONTACT, /* surfaces touch other matter on the contact grid */
    CT_COUPLING_GRID     /* vertices act as particles of the material point method */
} ct_coupling;

/* An animated surface that pinned vertices follow. */
typedef struct ct_follow_def {
    const char *file;  /* .obj, .obj with '#' for the digits of a frame, .usda; NULL: none */
    const char *cache; /* .pc2 beside an .obj; NULL: none */
    const char *prim;  /* name of the Mesh in a .usda; NULL: the first */
    double rate;       /* frames per second, of .pc2 and sequences; 0: 24 */
    double start;      /* s, when the first sample is played */
} ct_follow_def;

/* How a body of elements is meshed and stepped. */
typedef struct ct_elements_def {
    double edge;                /* m, approximate edge length of the mesh; 0: the grid's spacing */
    ct_integration integration; /* also of MPM bodies: an implicit one makes all on its grid implicit */
    double mass_damping;        /* 1/s, Rayleigh damping: times M, */
    double stiffness_damping;   /* s, and this times K */
    const char *hold_group;     /* vertices of this group of a mesh file are pinned; NULL: none */
    ct_coupling coupling;
    double jitter;        /* of inner vertices of a sheet, in edges; 0 to 0.2 */
    bool self_contact;    /* its surface does not pass through itself; with CT_COUPLING_CONTACT only */
    double self_distance; /* m, kept from itself; 0: a tenth of an edge, or a thicker sheet's thickness */
    bool has_follow;
    ct_follow_def follow; /* what pinned vertices follow; without `hold` all do */
} ct_elements_def;

typedef struct ct_body_def {
    int cookie;
    const char *name;
    ct_method method; /* that moves it, the same as its material's; CT_METHOD_OF_WORLD: the world's */
    int material;     /* as given by ct_world_add_material */
    ct_shape_def shape;
    ct_pattern pattern;
    int per_cell;       /* particles per grid cell; 0: 2 to the power of the dimension, 1 in peridynamics */
    double velocity[3]; /* m/s */
    double gradient[9]; /* 1/s, row-major: adds gradient * (x - center) to the velocity */
    bool has_center;
    double center[3];         /* m; by default the body's centre of mass */
    double spin_axis[3];      /* with spin_rate: turns about the centre of mass */
    double spin_rate;         /* rad/s */
    double deformation[9];    /* the initial F, row-major; identity by default */
    bool move_by_deformation; /* also move the particles by it, about the centre of mass */
    bool split;               /* MPM: split particles that are stretched beyond 0.75 cells */
    bool has_scheme;          /* a transfer scheme of its own; by default the world's */
    ct_scheme_def scheme;
    bool has_temperature;     /* by default that of the material */
    double temperature;       /* K */
    bool has_hold;            /* peridynamics and elements: */
    ct_shape_def hold;        /* particles that start in this shape are pinned */
    ct_elements_def elements; /* for bodies of CT_METHOD_ELEMENTS; `coupling` also of strands */
    /* Strands, in 3D: the name of an earlier body of CT_METHOD_ELEMENTS whose surface carries them. Vertices in
     * `hold`, by default the first two of each strand, stay with the triangle that the first of them is nearest
     * to, in place and direction. NULL: none. */
    const char *roots;
    /* Of the material point method: bodies of one group share a grid, stick together and mix; those of
     * different groups meet as different bodies do, and part again. NULL or "shared": the group of all that
     * say nothing. "separate": a group of its own. At most 15 groups beside the first. */
    const char *contact_group;
    bool is_pinned;    /* rigid: fixed in place, */
    double mass;       /* kg (per m in 2D); 0: from the density, */
    bool has_inertia;  /* by default from the shape and the mass: */
    double inertia[9]; /* kg m^2 about the centre of mass, row-major; in 2D only the last is used */
    double color[3];   /* linear 0..1; negative: automatic */
} ct_body_def;

CT_API ct_shape_def ct_default_shape_def(void);
CT_API ct_body_def ct_default_body_def(void);

/* Samples the shape with particles and adds them. */
CT_API ct_status ct_world_add_body(ct_world *world, const ct_body_def *def, int *body, ct_error *error);

/* Removes the particles of a body or source from the world; a source stops. The number of the body remains, and
 * those of the others. */
CT_API ct_status ct_world_remove_body(ct_world *world, int body, ct_error *error);

typedef struct ct_body_info {
    const char *name;
    ct_method method;
    int material;
    uint64_t particles; /* now */
    double temperature; /* K, of a new particle */
    double color[3];    /* linear 0..1; negative: automatic */
} ct_body_info;

/* Bodies, sources and changes, in the order they were added. */
CT_API bool ct_world_body(const ct_world *world, int index, ct_body_info *info);

/* Connectivity of the particles of sheets, strands and bodies of elements, for pictures and files: triangles,
 * lines and tetrahedra, by their places in the order of the ids, as ct_world_read gives them. Surfaces of bodies
 * of tetrahedra are among the triangles. Valid until bodies are added. */
typedef struct ct_links_info {
    const uint32_t (*triangles)[3]; /* [triangle_count] */
    uint64_t triangle_count;
    const uint32_t (*lines)[2]; /* [line_count] */
    uint64_t line_count;
    const uint32_t (*tetrahedra)[4]; /* [tetrahedron_count] */
    uint64_t tetrahedron_count;
    const float (*uv)[6]; /* [triangle_count] u, v of each corner in a texture; NULL: none */
    /* 0 for triangles without, if others have some. */
} ct_links_info;

CT_API ct_links_info ct_world_links(const ct_world *world);

/* ---- Colliders ---------------------------------------------------------------------------------------- */

typedef enum ct_contact {
    CT_CONTACT_STICKY,  /* material in touch moves with the collider */
    CT_CONTACT_SLIP,    /* slides along without leaving */
    CT_CONTACT_SEPARATE /* may leave; slides with Coulomb friction under pressure */
} ct_contact;

/* How a collider moves. The point q of its shape is at time t at
 *
 *     x = position(t) + velocity (t - start) + S R s (q - pivot),
 *
 * with the scale s(t), the turn R(t) by the rotation vector rotation(t), and the turn S of the spin since
 * `start`. */
typedef struct ct_motion_def {
    bool has_pivot;
    double pivot[3]; /* m, in the shape's coordinates; by default that of the shape */
    bool has_position;
    ct_track position;  /* m, where the pivot is; by default where it is in the shape's coordinates */
    ct_track rotation;  /* rad: axis times angle; in 2D the third component */
    ct_track scale;     /* in the first component; constant 1 by default */
    double velocity[3]; /* m/s, from `start` on */
    double spin_axis[3], spin_rate; /* rad/s about the pivot, from `start` on */
    double start;                   /* s */
} ct_motion_def;

/* How a collider is drawn in pictures. */
typedef enum ct_showing { CT_SHOW_WHOLE, CT_SHOW_CUT, CT_SHOW_HIDDEN, CT_SHOW_GLASS } ct_showing;

/* A scripted obstacle. */
typedef struct ct_collider_def {
    int cookie;
    const char *name;
    ct_shape_def shape; /* anything but points and particles; it needs no bounds */
    ct_contact contact;
    double friction;  /* Coulomb coefficient, for CT_CONTACT_SEPARATE */
    bool grip;        /* peridynamics: particles that are inside when it is added are pinned to it */
    bool keeps_sides; /* puts particles back that would cross the surface in a step; true by default */
    bool is_sharp;    /* contact holds at the surface itself, not at the grid nodes inside */
    ct_thermal_def thermal;
    ct_motion_def motion;
    bool has_animation;      /* 3D: the shape is a mesh whose vertices move in its own frame; no grip */
    ct_follow_def animation; /* its file stays NULL: that of the shape names the animation, too */
    double color[3];         /* linear 0..1; negative: automatic */
    ct_showing show;
} ct_collider_def;

CT_API ct_motion_def ct_default_motion_def(void);
CT_API ct_collider_def ct_default_collider_def(void);
CT_API ct_status ct_world_add_collider(ct_world *world, const ct_collider_def *def, int *collider,
                                       ct_error *error);

/* Gives a collider another script from now on: to steer it while the world runs. With position where it is
 * now, velocity and start = now it goes on from there. Scripts are not part of a saved state. */
CT_API ct_status ct_world_set_motion(ct_world *world, int collider, const ct_motion_def *motion,
                                     ct_error *error);

/* Removes a collider. Those after it are renumbered by one less. Particles in its grip are freed. */
CT_API ct_status ct_world_remove_collider(ct_world *world, int collider, ct_error *error);

/* Sets gravity from now on, m/s^2. It is not part of a saved state. */
CT_API ct_status ct_world_set_gravity(ct_world *world, const ct_track *gravity, ct_error *error);

/* Forces on a collider since the start. Impulses are those it received from the material; its
 * own push is the opposite. */
typedef struct ct_collider_info {
    const char *name;
    double position[3];        /* m, of its pivot now */
    double impulse[3];         /* N s received */
    double angular_impulse[3]; /* N m s received, about the pivot */
    double force[3];           /* N, mean over the last step */
    double torque[3];          /* N m, about the pivot, mean over the last step */
    double work;               /* J done on the material */
    double deepest;            /* m, maximum depth of the centre of a particle inside it */
    uint64_t put_back;         /* particles that would have crossed its surface */
    uint64_t leaks;            /* particles that crossed it anyway */
} ct_collider_info;

/* Walks the colliders: index from 0 until it returns false. */
CT_API bool ct_world_collider(const ct_world *world, int index, ct_collider_info *info);

/* Position and motion of a body: of its particles together, or of the rigid body. */
typedef struct ct_body_motion {
    double mass;           /* kg */
    double position[3];    /* m, centre of mass */
    double orientation[4]; /* of a rigid body: unit quaternion w, x, y, z from the scene's; else 1, 0, 0, 0 */
    double momentum[3];    /* kg m/s */
    double angular_momentum[3];             /* kg m^2/s about the origin */
    double kinetic, elastic, gravitational; /* J */
} ct_body_motion;

/* Of all bodies and sources: `count` of them, as ct_world_body walks them. */
CT_API ct_status ct_world_body_motions(const ct_world *world, ct_body_motion *motions, size_t count,
                                       ct_error *error);

/* The action of one partner on a body: another body, a collider, a wall of the domain ("x_min"). Bodies that cannot be
 * told apart, as those that share the grid of the material point method, are one, by the name of their
 * method. To every pair of bodies there are two of these, with opposite impulses. Torques are about the
 * origin of the coordinates; about a point c they are torque - c x force. */
typedef struct ct_body_contact {
    int body, partner; /* numbers of bodies, or -1 */
    const char *name, *partner_name;
    double impulse[3], angular_impulse[3]; /* N s, N m s since the start */
    double work;                           /* J since the start, on the body */
    double force[3], torque[3];            /* N, N m: mean over the last step */
} ct_body_contact;

/* Walks them: index from 0 until it returns false. Worlds in which bodies interact through one grid only, and none is
 * rigid, have none. */
CT_API bool ct_world_body_contact(const ct_world *world, int index, ct_body_contact *contact);

/* The surface of a collider at a time: triangles in 3D, segments in 2D, for pictures and files. Of what has
 * no bounds, the part in the domain or around the particles. */
typedef struct ct_collider_surface {
    double (*vertices)[3]; /* [vertex_count] m */
    size_t vertex_count;
    uint32_t *corners; /* [element_count x dimension], outward by the right hand */
    size_t element_count;
    int dimension;
    float (*uv)[6]; /* [element_count] texture coordinates: u, v of each corner of a triangle; NULL: none */
} ct_collider_surface;

CT_API ct_status ct_world_collider_surface(const ct_world *world, int collider, double time,
                                           ct_collider_surface *surface, ct_error *error);
CT_API void ct_collider_surface_release(const ct_world *world, ct_collider_surface *surface);

/* Particles one by one, at any time, for a body or source that is there. What is NULL is taken from the
 * body's material: at rest, undeformed, each the volume of one sample of a cell. */
typedef struct ct_particles_def {
    int cookie;
    int body; /* as given by ct_world_add_body */
    uint64_t count;
    const double (*position)[3];    /* [count] m */
    const double (*velocity)[3];    /* [count] m/s, or NULL */
    const double (*gradient)[9];    /* [count] 1/s, of the velocity, row-major, or NULL */
    const double (*deformation)[9]; /* [count] F, row-major, or NULL */
    const double *volume;           /* [count] m^3 (m^2 in 2D), undeformed, or NULL */
    const double *temperature;      /* [count] K, or NULL */
} ct_particles_def;

CT_API ct_particles_def ct_default_particles_def(void);
CT_API ct_status ct_world_add_particles(ct_world *world, const ct_particles_def *def, ct_error *error);

/* ---- Sources and sinks -------------------------------------------------------------------------------- */

typedef enum ct_source_type {
    CT_SOURCE_FLUXED, /* the shape is filled with material that is free once it leaves */
    CT_SOURCE_SPOUT   /* material comes through a plane opening, whose outline is the shape's section */
} ct_source_type;

typedef struct ct_source_def {
    int cookie;
    const char *name;
    ct_method method; /* the same as its material's; CT_METHOD_OF_WORLD: the world's */
    int material;     /* as given by ct_world_add_material */
    ct_source_type type;
    ct_shape_def shape;
    ct_pattern pattern;
    int per_cell;         /* particles per grid cell; 0: 2 to the power of the dimension */
    ct_track velocity;    /* m/s, of the material, in the frame of the source */
    ct_motion_def motion; /* of the source and the material in it; its scale is 1 */
    double start;         /* s */
    /* It stops at the first of these that is reached; 0: never. */
    double stop_after;   /* s from the start */
    double stop_volume;  /* m^3 (m^2 in 2D) made */
    uint64_t stop_count; /* particles made */
    /* Of a spout: its opening. By default across the velocity, through the middle of the shape's box. */
    bool has_point, has_normal;
    double point[3], normal[3];
    bool has_scheme; /* a transfer scheme of its own; by default the world's */
    ct_scheme_def scheme;
    bool has_temperature; /* by default that of the material */
    double temperature;   /* K */
    double color[3];      /* linear 0..1; negative: automatic */
} ct_source_def;

typedef struct ct_sink_def {
    int cookie;
    const char *name;
    ct_shape_def shape; /* may be a half space */
} ct_sink_def;

CT_API ct_source_def ct_default_source_def(void);
CT_API ct_sink_def ct_default_sink_def(void);

/* A source is a body, too: its particles have the number `body`. */
CT_API ct_status ct_world_add_source(ct_world *world, const ct_source_def *def, int *body, ct_error *error);
CT_API ct_status ct_world_add_sink(ct_world *world, const ct_sink_def *def, int *sink, ct_error *error);

/* ---- Forces ------------------------------------------------------------------------------------------- */

typedef enum ct_force_type {
    CT_FORCE_ACCELERATION, /* a(t), as gravity */
    CT_FORCE_POINT,        /* towards a point */
    CT_FORCE_VORTEX,       /* around an axis */
    CT_FORCE_TURBULENCE,   /* noise without divergence */
    CT_FORCE_WIND          /* drag of moving air */
} ct_force_type;

/* A field of force, which acts on every kind of matter at the end of every step. Where a wind meets surfaces (sheets,
 * strands, rigid bodies, and in 3D bodies of elements), each face of area A with normal n feels
 * density/2 coefficient A (w.n)|w.n| n and density/2 friction A |w| w along it, with w the wind as the face sees it;
 * faces of closed bodies where it blows against them. All other particles are grains of a size, if one is given. */
typedef struct ct_force_def {
    int cookie;
    const char *name;
    ct_force_type type;
    const char *const *bodies; /* [body_count] names of those that it acts on */
    int body_count;            /* 0: it acts on all */
    bool has_shape;            /* acts only within this shape, which does not move */
    ct_shape_def shape;
    double start, stop;    /* s; stop 0: never */
    ct_track acceleration; /* m/s^2, of CT_FORCE_ACCELERATION */
    /* of CT_FORCE_POINT and CT_FORCE_VORTEX: strength (radius/rho)^power, with rho^2 = r^2 + softening^2 */
    ct_track center;  /* m */
    double axis[3];   /* of a vortex, which turns around it by the right hand; in 2D it is z */
    double strength;  /* m/s^2 at `radius`; negative: away from the point, or in the opposite sense */
    double radius;    /* m */
    double power;     /* 0: constant, -1: a spring, 2: gravity of a point mass */
    double softening; /* m */
    /* of CT_FORCE_TURBULENCE, and of the gusts of a wind */
    double intensity; /* m/s^2, or m/s of gusts: root mean square */
    double size;      /* m, of the largest eddies */
    double lifetime;  /* s, after which they are replaced; 0: they persist */
    int octaves;      /* eddies of half the size each, 2^(-1/3) times as strong */
    uint64_t seed;
    /* of CT_FORCE_WIND */
    ct_track velocity;  /* m/s; gusts are carried along with it */
    double density;     /* kg/m^3 of the air */
    double coefficient; /* of drag, of grains and of faces perpendicular to the wind */
    double friction;    /* of drag along faces */
    double grain;       /* m, diameter of grains; 0: no such drag on matter without faces */
    double rate;        /* 1/s: linear drag of all matter, a = rate (w - v) */
} ct_force_def;

CT_API ct_force_def ct_default_force_def(void);
CT_API ct_status ct_world_add_force(ct_world *world, const ct_force_def *def, int *force, ct_error *error);

/* What a force of your own is told of a kind of matter after a step, in an order that changes from step to step, and
 * what it gives back. A rigid body is one point: its centre of mass. Matter that is held feels nothing. */
typedef struct ct_force_points {
    const char *method;          /* "mpm", ... */
    uint64_t count;              /* of points */
    double time, dt;             /* s: now, and of the step */
    const double (*position)[3]; /* [count] m */
    const double (*velocity)[3]; /* [count] m/s */
    const double *mass;          /* [count] kg */
    const uint32_t *body;        /* [count] */
    const uint32_t *id;          /* [count] of the particle; of a rigid body the first of its particles */
    double (*acceleration)[3];   /* [count] m/s^2: to be written; 0 at first */
} ct_force_points;

typedef void (*ct_force_function)(const ct_force_points *points, void *user);

/* Calls `function` for every kind of matter at the end of every step, by the thread that makes the step; NULL: no more.
 * It is not part of a saved state nor of copies. */
CT_API ct_status ct_world_set_force(ct_world *world, ct_force_function function, void *user, ct_error *error);

/* ---- Changes ------------------------------------------------------------------------------------------ */

/* Peridynamics: a body becomes another material, which keeps mass, volume and velocity. What
 * was solid and flows has no more bonds; what flowed and is solid has set, in the shape that it has then. */
typedef struct ct_change_def {
    int cookie;
    const char *name;
    const char *from; /* name of a body, a source or an earlier change */
    int material;     /* that it becomes, as given by ct_world_add_material */
    double time;      /* s, start */
    double until;     /* s, end; 0: never */
    bool has_shape;   /* only particles within this shape */
    ct_shape_def shape;
    double color[3]; /* linear 0..1; negative: automatic */
} ct_change_def;

CT_API ct_change_def ct_default_change_def(void);

/* What has changed is a body of its own, with the number `body`. */
CT_API ct_status ct_world_add_change(ct_world *world, const ct_change_def *def, int *body, ct_error *error);

/* A joint between two rigid bodies, or one and the world. The two do not collide. */
typedef enum ct_joint_type {
    CT_JOINT_BALL,  /* a point of both */
    CT_JOINT_HINGE, /* a point and an axis of both */
    CT_JOINT_SLIDER /* relative motion along an axis only, without rotation */
} ct_joint_type;

typedef struct ct_joint_def {
    int cookie;
    const char *name;
    ct_joint_type type;
    const char *body; /* name of a rigid body, */
    const char *to;   /* and of another; NULL: the world */
    double at[3];     /* m */
    double axis[3];   /* of hinges and sliders; in 2D of sliders */
    /* How far and how fast `body` turns about the axis (rad, rad/s) or moves along it (m, m/s) against `to`, from where
     * both are when the joint is made; hinges and sliders. */
    bool has_limits;
    double lower, upper;
    double motor_speed, motor_most; /* most: N m or N; 0: no motor */
    double stiffness, damping;      /* a spring: N m/rad and N m s/rad, or N/m and N s/m */
    double rest;                    /* of the spring */
} ct_joint_def;

CT_API ct_joint_def ct_default_joint_def(void);
CT_API ct_status ct_world_add_joint(ct_world *world, const ct_joint_def *def, int *index, ct_error *error);

typedef struct ct_joint_info {
    const char *name;
    double position, speed;     /* rad and rad/s, or m and m/s; 0 of ball joints */
    double force[3], torque[3]; /* N, N m: what it does to `body` at its point, mean over the last step */
} ct_joint_info;

/* Walks the joints: index from 0 until it returns false. */
CT_API bool ct_world_joint(const ct_world *world, int index, ct_joint_info *info);

/* ---- Stepping ----------------------------------------------------------------------------------------- */

/* One time step. Where the state would stop being finite, CT_DIVERGED: nothing has changed and the message
 * names the place. */
CT_API ct_status ct_world_step(ct_world *world, ct_error *error);

/* One time step that does not go past `until` (s): how a program that looks at every step runs to an instant.
 * Does nothing once the world is there. */
CT_API ct_status ct_world_step_towards(ct_world *world, double until, ct_error *error);

/* Steps until the world's time is `time`, hitting it exactly. Heat, which moves every few steps only, is at
 * that instant, too. */
CT_API ct_status ct_world_run_until(ct_world *world, double time, ct_error *error);

/* ---- Questions ---------------------------------------------------------------------------------------- */

typedef struct ct_world_info {
    int dimension;
    ct_precision precision;
    double time;            /* s */
    uint64_t step;          /* steps made */
    double dt;              /* s, the last step's */
    const char *limited_by; /* what limited it: the name of a criterion, or "max", "fixed", "source", "frame";
                               after ct_world_run_until, what limited most of its steps */
    int limited_material;   /* whose particle asked for it; -1: none */
    uint64_t particles;
    uint64_t blocks;       /* grid blocks in use */
    size_t bytes;          /* memory in use */
    size_t peak_bytes;     /* and its maximum so far */
    uint64_t wall_returns; /* particles found outside a wall and put back, since the start; ... */
    uint64_t wall_bounces; /* ... those of schemes that move particles by their own velocity, apart */
    uint64_t emitted;      /* particles made by sources since the start */
    uint64_t sunk;         /* removed by sinks */
    uint64_t strays;       /* removed beyond the far limit */
    int threads;
} ct_world_info;

CT_API ct_world_info ct_world_get_info(const ct_world *world);

typedef struct ct_world_material_info {
    const char *name, *type; /* the model */
    ct_method method;
    double density;       /* kg/m^3 */
    double temperature;   /* K, that its bodies begin with */
    double heat_capacity; /* J/(kg K); 0: no heat */
    double conductivity;  /* W/(m K) */
} ct_world_material_info;

CT_API bool ct_world_material(const ct_world *world, int index, ct_world_material_info *info);

/* A stage of the step, and its wall-clock time since the world was made. */
typedef struct ct_stage_info {
    const char *name;
    double seconds;
} ct_stage_info;

CT_API bool ct_world_stage(const ct_world *world, int index, ct_stage_info *info);

/* A world of its own in the same state: what follows has the same bits in both. Colliders and gravity keep
 * the scripts that they have now. The state goes through a temporary file ($TMPDIR, else /tmp). */
CT_API ct_status ct_world_copy(const ct_world *world, ct_world **copy, ct_error *error);

/* What the ledger of the time step has on a criterion, whether it is switched on or not. */
typedef struct ct_criterion_info {
    const char *name;
    uint64_t steps;         /* that it limited, since the start */
    double tightest;        /* s, the smallest step it required; 0: none */
    uint64_t tightest_step; /* in which step */
    int64_t particle;       /* id of the limiting particle; -1: none */
    int material;           /* its material, or -1 */
} ct_criterion_info;

/* Walks the list: index from 0 until it returns false. */
CT_API bool ct_world_criterion(const ct_world *world, int index, ct_criterion_info *info);

/* The steps that criterion `index` limited because of a particle of `material`. */
CT_API uint64_t ct_world_limited_steps(const ct_world *world, int index, int material);

/* Sums over the world. Without ct_world_def.energy_budget the two losses are NaN. */
typedef struct ct_world_sums {
    double mass;                /* kg */
    double center[3];           /* m, of mass */
    double spread;              /* m, root mean square distance of the mass from its centre */
    double momentum[3];         /* kg m/s */
    double angular_momentum[3]; /* kg m^2/s about the origin, affine part included; in 2D the third */
    double kinetic;             /* J, of the particles, affine part included */
    double elastic;             /* J */
    double gravitational;       /* J, zero at the origin, for the gravity of this instant */
    double lost_in_transfers;   /* J since the start */
    double lost_on_grid;   /* J since the start: by time integration, walls and rubbing on colliders, less the
                              work of sources */
    double collider_work;  /* J that colliders have done on the material since the start */
    double emitted_mass;   /* kg, made by sources since the start */
    double emitted_energy; /* J, that it had */
    double removed_mass;   /* kg, removed by sinks and as strays since the start */
    double removed_energy; /* J, that it had */
    double heat;           /* J, of particles with a heat capacity, relative to 0 K */
    double heat_received;  /* J since the start, through walls, colliders and from the air */
    double emitted_heat;   /* J, of particles from sources */
    double removed_heat;   /* J, of particles removed by sinks and the far limit */
    double iterations;     /* of the last step, by peridynamics or for the pressure; 0: there were none */
    double residual;       /* rms displacement that another one would have asked for, walls and colliders
                              allowing, in spacings; of incompressible flow the largest |div v| dt that is left */
    double stretched;      /* particles of MPM solids stretched to more than a cell: they may tear apart */
    double imbalance;  /* what peridynamics' equations of motion lacked in the last step, over the forces that
                              moved particles; above 0.1 the step has not been solved, and bodies look rigid */
    double wet_volume; /* m^d, of the cells that are in an incompressible liquid */
    double explicit_dt; /* s, of an explicit step of MPM where the last one was implicit; 0: it was not */
    double missed;      /* pairs of segments of strands that have passed through each other since the start */
} ct_world_sums;

CT_API ct_world_sums ct_world_get_sums(const ct_world *world);

/* A hash of the whole state: every field of every particle in the order of their ids, time, step. */
typedef struct ct_hash {
    uint64_t high, low;
} ct_hash;

CT_API ct_status ct_world_hash(const ct_world *world, ct_hash *hash, ct_error *error);

/* ---- Particle data ------------------------------------------------------------------------------------ */

typedef enum ct_type { CT_TYPE_FLOAT32, CT_TYPE_FLOAT64, CT_TYPE_UINT16, CT_TYPE_UINT32 } ct_type;

/* Direct access to a field without copying. Component c of particle p is at
 * (char *)data + c * component_stride + p * element size; the order is the world's own, `id` tells which
 * particle is where. */
typedef struct ct_view {
    void *data;
    ct_type type;
    int components; /* in 2D a vector has two, a matrix four */
    uint64_t count;
    size_t component_stride; /* bytes */
    uint64_t generation;
    bool is_pinned;
} ct_view;

/* Fields have the names of the quantities that ct_world_read gives where they mean the same: velocity, C,
 * mass, material, body, id; F, J and temperature where a material of the world keeps them. Only here:
 * rest_volume, m^d, undeformed; state, what materials remember; cell_position, in cells from the corner of
 * the particle's block. METHOD.FIELD is that of another method than the first.
 *
 * ct_world_view is valid while `generation` equals ct_world_generation(world): every step may reorder.
 * ct_world_pin locks the arrays: until ct_view_release nothing that would move them is done, and such a call
 * is CT_BAD_USAGE. Release before the world is destroyed. What is written through a view is not seen by the
 * energy budget. */
CT_API ct_status ct_world_view(ct_world *world, const char *field, ct_view *view, ct_error *error);
CT_API ct_status ct_world_pin(ct_world *world, const char *field, ct_view *view, ct_error *error);
CT_API void ct_view_release(ct_world *world, ct_view *view); /* may be called twice */
CT_API uint64_t ct_world_generation(const ct_world *world);

/* A quantity that can be read or written to a frame: what is stored, and what follows from it. */
typedef struct ct_quantity_info {
    const char *name;
    const char *unit;
    ct_type type;
    int components; /* numbers per particle */
    const char *doc;
} ct_quantity_info;

/* Walks the list: index from 0 until it returns false. */
CT_API bool ct_world_quantity(const ct_world *world, int index, ct_quantity_info *info);
CT_API bool ct_world_find_quantity(const ct_world *world, const char *name, ct_quantity_info *info);

/* Copies a quantity of all particles, in the order of their ids, components side by side. Vectors have three
 * components and matrices nine in either dimension. `bytes` is the size of the buffer. Positions, velocities
 * and other stored fields cost little, some 0.15 us per particle; stress and what follows from it are computed
 * for the occasion. */
CT_API ct_status ct_world_read(const ct_world *world, const char *quantity, void *buffer, size_t bytes,
                               ct_error *error);

/* Writes a quantity that is stored back (velocity, C, F, J, temperature; in peridynamics also the position):
 * the same layout as ct_world_read. Numbers that are not finite make the next step CT_DIVERGED. */
CT_API ct_status ct_world_write(ct_world *world, const char *quantity, const void *buffer, size_t bytes,
                                ct_error *error);

/* ---- Contact samples ---------------------------------------------------------------------------------- */

/* What others may touch of the bodies of a peridynamic world, between two steps: the particles at the
 * surface of what fills space, all of sheets and strands. With them somebody who has a body of another kind,
 * a rigid one or another world, finds out what touches, and gives the impulses to the samples (ct_world_push)
 * and, with the opposite sign to that body. They are in the order of ids; the arrays are the world's and stay until
 * they are asked for again. A world of MPM has none. */
typedef struct ct_samples {
    uint64_t count;
    const double (*position)[3]; /* [count] m */
    const double (*velocity)[3]; /* [count] m/s */
    const double (*normal)[3];   /* [count] outwards, 1 long; of a sheet towards one of its sides; 0 where
                                    there is none: of strands, and of isolated particles */
    const double *mass;   /* [count] kg; INFINITY of pinned ones: their impulse goes into what pins them */
    const uint32_t *row;  /* [count] of the particle, in what ct_world_read gives */
    const uint16_t *body; /* [count] */
    double radius;        /* m, half of the distance that particles of two bodies keep */
    uint64_t generation;  /* ct_world_push takes impulses for the last ones only, until the next step */
} ct_samples;

CT_API ct_status ct_world_samples(ct_world *world, ct_samples *samples, ct_error *error);

/* Impulses on samples. Velocities change by impulse over mass at once, so the next step solves with them: it
 * spreads them through the body, and what is given is what the world's momentum changes by, to rounding. */
typedef struct ct_push_def {
    int cookie;
    const ct_samples *samples;  /* as ct_world_samples gave them, for the world as it is */
    const double (*impulse)[3]; /* [samples->count] N s */
} ct_push_def;

CT_API ct_push_def ct_default_push_def(void);
CT_API ct_status ct_world_push(ct_world *world, const ct_push_def *def, ct_error *error);

/* ---- Checkpoints -------------------------------------------------------------------------------------- */

/* Writes the state so that ct_world_restore gives it back to the bit. The file appears whole or not at all.
 */
CT_API ct_status ct_world_save(const ct_world *world, const char *path, ct_error *error);

/* Restores a state into a world made from the same definition, materials and bodies. All of the file is read
 * and checked first, beside the state that is there. */
CT_API ct_status ct_world_restore(ct_world *world, const char *path, ct_error *error);

/* ---- Scenes ------------------------------------------------------------------------------------------- */

typedef struct ct_scene ct_scene;

/* Reads a scene file. `settings` are [setting_count] texts "grid.spacing=5 mm" that override it. */
CT_API ct_status ct_scene_load(const char *path, const char *const *settings, int setting_count,
                               ct_scene **scene, ct_error *error);

/* The same from memory, YAML or JSON: `name` stands for the path in messages, and names of files are relative
 * to its folder. */
CT_API ct_status ct_scene_parse(const char *name, const char *bytes, size_t count,
                                const char *const *settings, int setting_count, ct_scene **scene,
                                ct_error *error);
CT_API void ct_scene_destroy(ct_scene *scene); /* NULL is allowed */

typedef struct ct_scene_info {
    const char *path, *name, *title;
    int dimension;
    double end;                /* s */
    double frame;              /* s between frames */
    uint64_t frames;           /* from the first instant to the last */
    double stats_every;        /* s between rows of statistics; 0: one per frame */
    double checkpoint_every;   /* s of wall time; 0: only at the end */
    const char *const *fields; /* [field_count] quantities in frames */
    int field_count;
    const char *const *formats; /* [format_count] of frames */
    int format_count;
    const char *color_by; /* a quantity, or "body" or "material" */
    int materials, bodies, colliders, sources, sinks, changes;
} ct_scene_info;

CT_API ct_scene_info ct_scene_get_info(const ct_scene *scene);

/* The instant of a frame, s: index * frame, and `end` for the last. */
CT_API double ct_scene_frame_time(const ct_scene *scene, uint64_t index);

/* The scene with every key at its final value, as in used.yaml, as far as `size` allows; `length` is that of
 * the whole text, without the 0 at its end. */
CT_API ct_status ct_scene_print(const ct_scene *scene, char *text, size_t size, size_t *length,
                                ct_error *error);

/* Builds the world of a scene, with its bodies. `threads` as in ct_world_def. */
CT_API ct_status ct_world_from_scene(const ct_scene *scene, int threads, ct_world **world, ct_error *error);

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* A scene and the folder that its frames, statistics and checkpoints go to: what `continua run` does. A run
 * that is killed at any moment and resumed gives the same bits as one that never was. */
typedef struct ct_run ct_run;

typedef struct ct_run_def {
    int cookie;
    int threads;             /* 0: one per core */
    bool force;              /* replace the run that is in the folder */
    bool read_only;          /* ct_run_resume: only look; cannot step */
    bool from_start;         /* ct_run_resume: forget checkpoints and results */
    double checkpoint_every; /* s of wall time between checkpoints, 0: none; negative: as the scene says */
    ct_log_function log;     /* gets what goes to run.log, too; may be NULL */
    void *log_user;
} ct_run_def;

CT_API ct_run_def ct_default_run_def(void);

/* Begins a run in a folder, which appears whole or not at all. Takes the scene over, also where it fails. */
CT_API ct_status ct_run_start(ct_scene *scene, const char *folder, const ct_run_def *def, ct_run **run,
                              ct_error *error);

/* Goes on with the run in a folder, at its newest checkpoint. */
CT_API ct_status ct_run_resume(const char *folder, const ct_run_def *def, ct_run **run, ct_error *error);

/* One time step towards the next frame, and what is due after it: frame, row of statistics, checkpoint. The
 * first call writes the first frame instead. Does nothing once the run is done. */
CT_API ct_status ct_run_step(ct_run *run, ct_error *error);

/* Steps until another frame is written, or the run is done. */
CT_API ct_status ct_run_frame(ct_run *run, ct_error *error);

CT_API ct_status ct_run_checkpoint(ct_run *run, ct_error *error);
CT_API void ct_run_close(ct_run *run); /* NULL is allowed */

typedef struct ct_run_progress {
    uint64_t frames_written; /* frame numbers 0 .. frames_written - 1 are there */
    uint64_t frames;         /* when the run is done */
    double time, end;        /* s */
    uint64_t step, particles;
    double dt;                    /* s, of the last step that was not cut short by a frame */
    const char *limited_by;       /* what limited that one; "" before the first step */
    const char *limited_material; /* and whose particle asked for it; "" where none did */
    int iterations;               /* of the last step, by peridynamics; 0: there were none */
    double residual;              /* and what another one would have asked for, in spacings; */
    double imbalance;             /* what the equations lacked, over the forces; above 0.1 it is not solved */
    bool is_done;
} ct_run_progress;

CT_API ct_run_progress ct_run_get_progress(const ct_run *run);

/* The run's own, to look at. */
CT_API const ct_world *ct_run_world(const ct_run *run);
CT_API const ct_scene *ct_run_scene(const ct_run *run);
CT_API const char *ct_run_folder(const ct_run *run);

/* ---- Frames, surfaces, pictures ----------------------------------------------------------------------- */

/* Writes the particles as a file; its ending is the format: vtu, ply, csv, xyz, obj, usda, bgeo, hdf. */
typedef struct ct_export_def {
    int cookie;
    const char *const *fields; /* [field_count] quantities beside the position; NULL: velocity, body, id */
    int field_count;
} ct_export_def;

CT_API ct_export_def ct_default_export_def(void);
CT_API ct_status ct_world_export(const ct_world *world, const char *path, const ct_export_def *def,
                                 ct_error *error);

/* The surface that the particles make up, in 3D. */
typedef struct ct_surface_mesh_def {
    int cookie;
    double spacing; /* m, mean distance of particles; 0: measured */
    double cell;    /* m, of the grid that is marched through; 0: 0.75 of the spacing */
    int smooth;     /* rounds of smoothing, which keep the volume */
    bool is_round;  /* round kernels: quicker, bumpier */
} ct_surface_mesh_def;

typedef struct ct_surface_mesh {
    double (*vertices)[3];    /* [vertex_count] m */
    float (*normals)[3];      /* [vertex_count] outwards */
    uint32_t *nearest;        /* [vertex_count] row of the particle nearest to it */
    uint32_t (*triangles)[3]; /* [triangle_count] counter-clockwise from outside */
    size_t vertex_count, triangle_count;
    void *owner; /* the library's */
} ct_surface_mesh;

CT_API ct_surface_mesh_def ct_default_surface_mesh_def(void);
CT_API ct_status ct_world_surface_mesh(const ct_world *world, const ct_surface_mesh_def *def,
                                       ct_surface_mesh *mesh, ct_error *error);
CT_API void ct_surface_mesh_release(ct_surface_mesh *mesh);

/* A picture of the world as it is. */
typedef struct ct_picture_def {
    int cookie;
    int width, height;         /* pixels */
    const char *color_by;      /* a quantity, "body" or "material" */
    double range[2];           /* of the colour map; equal: that of the values */
    double radius;             /* m, of a particle; 0: from their distance */
    bool has_bounds;           /* show this box; by default that of the particles, or the domain */
    double bounds[2][3];       /* m, min and max */
    bool has_camera;           /* by default fitted to the bounds */
    double from[3], target[3]; /* m */
    double fov;                /* rad, vertical */
    double turn;               /* rad about the vertical, of a fitted camera */
    bool is_light;             /* light page instead of dark */
    bool is_surface;           /* draw the surface that the particles make up; 3D */
    const ct_scene *scene;     /* whose camera, colours, ground and colliders to take; NULL: none */
    int threads;               /* 0: one per core */
} ct_picture_def;

typedef struct ct_picture {
    int width, height;
    uint8_t (*pixels)[3]; /* [height x width], sRGB, first row on top */
    void *owner;          /* the library's */
} ct_picture;

CT_API ct_picture_def ct_default_picture_def(void);
CT_API ct_status ct_world_draw(const ct_world *world, const ct_picture_def *def, ct_picture *picture,
                               ct_error *error);
CT_API ct_status ct_picture_save(const ct_picture *picture, const char *path, ct_error *error); /* PNG */
CT_API void ct_picture_release(ct_picture *picture);

/* ---- What the library has ----------------------------------------------------------------------------- */

typedef struct ct_library_method_info {
    const char *name, *doc;
} ct_library_method_info;

CT_API bool ct_library_method(int index, ct_library_method_info *info); /* index: enum ct_method */

typedef struct ct_library_model_info {
    const char *name, *title, *doc, *paper;
    ct_method method;
    bool is_elastic; /* takes two elastic constants, too: young and poisson, or others */
    int parameter_count;
} ct_library_model_info;

CT_API bool ct_library_model(int index, ct_library_model_info *info);

/* Its own parameters, then the elastic constants where it takes them. */
typedef struct ct_library_parameter_info {
    const char *name, *unit, *doc;
    double fallback; /* NaN: it must be given */
    double min, max;
    bool is_elastic; /* one of the elastic constants */
} ct_library_parameter_info;

CT_API bool ct_library_parameter(int model, int index, ct_library_parameter_info *info);

typedef struct ct_library_preset_info {
    const char *name, *doc;
    const char *keys;   /* "type: fluid, density: 998 kg/m^3", as in a scene */
    const char *source; /* of the numbers */
    ct_method method;
} ct_library_preset_info;

CT_API bool ct_library_preset(int index, ct_library_preset_info *info);

typedef struct ct_library_format_info {
    const char *name, *doc;
} ct_library_format_info;

CT_API bool ct_library_format(int index, ct_library_format_info *info); /* of frames */

#ifdef __cplusplus
}
#endif
#endif
