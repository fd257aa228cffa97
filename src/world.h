/* The world owns everything: particles, grid, materials, walls, threads, time. This is its inside, shared by
 * the files that make up a step; users see it through continua.h only.
 *
 * What depends on dimension, precision and instruction set is reached through one constant table of
 * functions, ct_numerics, chosen when the world is made.
 */
#ifndef CT_WORLD_H
#define CT_WORLD_H

#include "boundary/collider.h"
#include "boundary/source.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/threads.h"
#include "grid/blocks.h"
#include "material/info.h"
#include "particles/fields.h"
#include "particles/seed.h"
#include "peri/peri.h"
#include "scene/scene.h"
#include "timestep/list.h"
#include "transfer/info.h"

enum { CT_MOST_MATERIALS = 4096, CT_MOST_BODIES = 65535, CT_MOST_COLLIDERS = 10000 };

/* A material of this world. */
typedef struct ct_material {
    const char *name;
    int model; /* index in the list of models */
    const ct_material_info *info;
    double density;
    double coefficients[CT_COEFFICIENTS]; /* what the model's prepare made of the parameters */
    float coefficients_float[CT_COEFFICIENTS];
    double initial[CT_MOST_STATES]; /* state of a new particle */
    double viscosity;               /* Pa s; see ct_prepared */
    bool bears_no_tension;          /* the same */
    bool feels_temperature;         /* the same */
    double temperature;             /* K, of a new particle */
    double heat_capacity;           /* J/(kg K); 0: it takes no part in heat */
    double conductivity;            /* W/(m K) */
    ct_track stiffness_factor;      /* of peridynamics; belongs to the arena */
} ct_material;

typedef struct ct_body {
    const char *name;
    int material;
    ct_scheme scheme;
    double temperature; /* K, of a new particle */
    double color[3];
    uint64_t particles;
    int rank; /* dimensions that it extends in: 2 of a sheet, 1 of a line, else the world's */
} ct_body;

/* The particles of body `from` become those of `body` and its material: in every step that begins between two
 * times, those in the shape. */
typedef struct ct_change {
    int from, body;
    double time, until; /* s */
    ct_shape *shape;    /* NULL: everywhere */
} ct_change;

/* A wall of the domain. Nodes stand half a cell off it: node j mirrors to 2 * plane + 1 - j. */
typedef struct ct_wall {
    ct_wall_type type;
    double friction;
    ct_track velocity;
    ct_thermal_def thermal;
} ct_wall;

/* A node before one or more walls, where edges and corners are, and its images: image[k] is reflected by
 * side[s] for every bit s of k. */
#define CT_NO_NODE UINT32_MAX
typedef struct ct_mirrored {
    uint32_t image[8]; /* [2^count] numbers of nodes in the layer; CT_NO_NODE: the grid has none there */
    uint8_t count;     /* walls */
    uint8_t side[3];   /* [count] in the order they act */
    uint8_t moving;    /* bit a: walls that move along axis a do so here */
} ct_mirrored;

/* Written by ct_walls_find. */
typedef struct ct_wall_nodes {
    ct_mirrored *list;
    size_t count, capacity;
    int32_t (*block)[3]; /* [block_count] coordinates of the blocks that the list is of */
    size_t block_count, block_capacity;
    uint64_t generation; /* of the particles whose blocks they are */
} ct_wall_nodes;

/* The grid's geometry and its layers of nodes.
 *
 * Cell k of axis a spans origin[a] + [k, k+1) * spacing[a]. Node j stands in the middle of cell j - 1, half a
 * cell off every cell face and so off every wall. A particle's position is kept in cells from `shift` cells
 * after the corner of its block, chosen so that floor(position) is the first node it reaches, for each
 * kernel. */
typedef struct ct_grid {
    double origin[3], spacing[3]; /* m */
    double shift;                 /* cells: 0 quadratic, 0.5 cubic */
    double least_spacing;         /* m */
    int64_t cells[3];             /* of the domain, from cell 0; 0 without a domain */
    int reach[2]; /* cells that a particle may be before or after its block until it is sorted */
    ct_blocks blocks;
    size_t capacity;       /* blocks that the layers have room for */
    void *velocity;        /* [blocks x nodes x 4] momentum and mass, after the update velocity and mass */
    void *before;          /* the same before forces; only for the energy budget and schemes that need it */
    void *heat;            /* the same, of heat (transfer/heat.h); only where a material has some */
    double *received;      /* [blocks] J of heat from outside in the step under way; the same */
    double fastest;        /* m/s, largest component of a node's velocity at the last check */
    void *span;            /* [blocks x 2 x 4] least and largest of each number of a block's nodes, then */
    int8_t (*range)[2][3]; /* [blocks] the nodes of its tile that are in use in this step (transfer/tile.h) */
    uint64_t *suspect;     /* [blocks] a bit for each node that failed the screen (timestep/screen.h) */
    double *energy; /* [blocks x 2] kinetic energy of each block before forces and after, for the budget */
} ct_grid;

/* What limits the next time step, measured on the particles: the largest of each, and whose it is. */
enum {
    CT_MEASURE_SPEED,     /* m/s, of a particle with its affine part */
    CT_MEASURE_SOUND,     /* m/s */
    CT_MEASURE_SINGLE,    /* m/s, sqrt(Q / rho0) of the single-particle criterion */
    CT_MEASURE_DIFFUSION, /* m^2/s, kinematic viscosity */
    CT_MEASURES
};
#define CT_NOBODY UINT32_MAX
typedef struct ct_limit {
    double value;
    uint64_t material; /* CT_NOBODY where there is none */
    uint64_t particle; /* id; known only where the value was the largest ever when it was measured */
    size_t block;      /* first one that holds such a particle; valid until the next sort */
} ct_limit;

/* The range of J of one material, and the first blocks that have its ends (transfer/extremes.h). */
typedef struct ct_extreme {
    double low, high;
    size_t low_block, high_block;
} ct_extreme;

/* How often each criterion limited the step, and the smallest step it ever asked for. */
typedef struct ct_ledger_row {
    uint64_t steps;
    double tightest;   /* s; 0: it never asked */
    uint64_t step;     /* in which it did */
    uint64_t particle; /* id and material of who asked; CT_NOBODY: no particle */
    uint64_t material;
} ct_ledger_row;

typedef struct ct_ledger {
    ct_ledger_row rows[CT_CRITERIA];
    size_t materials; /* room in `steps` */
    uint64_t *steps;  /* [CT_CRITERIA x materials] that a material limited by a criterion */
} ct_ledger;

/* The step that displacement and deformation are expected to allow, from the last that they were asked about:
 * to begin with less is cheaper than to do a step again (timestep/limit.h). */
typedef struct ct_guess {
    double dt;     /* s; 0: they do not limit */
    double growth; /* by which it grows with a step in which nobody objects */
    uint64_t criterion, material, particle;
} ct_guess;

typedef struct ct_budget {
    double initial;   /* J, total energy put into the world */
    double transfers; /* J, lost in transfers so far */
    double grid;      /* J, kinetic energy of the grid after the last step */
    double colliders; /* J, work of the colliders so far */
    bool has_grid;
    double heat; /* J received through boundaries so far */
} ct_budget;

/* A block that is near a collider, and what the collider felt there in this step. */
typedef struct ct_touch {
    uint32_t collider;
    uint32_t put_back;                     /* particles */
    double impulse[3], angular_impulse[3]; /* N s, N m s received, about the pivot */
    double work;                           /* J done on the material */
    double energy;                         /* J of kinetic energy that putting back has changed */
    double deepest;                        /* m */
    double travel;                         /* m that the collider goes in the step, near the block, at most */
    ct_clear_ball clear; /* where a particle of the block was last, that was not in the collider */
    size_t saved;        /* where the block's old positions begin, in particles */
} ct_touch;

/* Those of block b are list[first[b]] to list[first[b + 1] - 1]. Written by ct_colliders_find. */
typedef struct ct_touches {
    ct_touch *list;
    size_t count, capacity;
    uint32_t *first; /* [blocks + 1] */
    size_t first_capacity;
    void *saved; /* positions before the step of particles near colliders: block by block, axis by axis */
    size_t saved_capacity; /* particles */
} ct_touches;

/* The colliders near a block, for what the transfers ask of them. */
static inline const ct_touch *ct_colliders_near(const ct_touches *touches, size_t block, size_t *count)
{
    *count = touches->count ? touches->first[block + 1] - touches->first[block] : 0;
    return *count ? &touches->list[touches->first[block]] : NULL;
}

/* Reduced over the workers of a loop; padded so that they do not share cache lines. */
typedef struct ct_worker_result {
    union {
        struct {
            double speed, sound, single, diffusion; /* sound is squared */
        };
        double measure[CT_MEASURES];
    };
    size_t block[CT_MEASURES]; /* the first that has the largest of each */
    uint64_t wall_returns, wall_bounces;
    bool must_sort;
    bool has_far;        /* a particle that moved far at once */
    double drift[3][2];  /* m/s, the most towards either side of each axis */
    uint32_t neighbours; /* of one particle, at the most */
    size_t bad_block;    /* first block with a number that is not finite, or SIZE_MAX */
    double fastest;      /* m/s, largest component of a node's velocity */
    bool has_suspects;   /* a block failed the screen (timestep/screen.h) */
    double share;        /* of the step that displacement and deformation allow */
    double ratio;        /* the most that a particle has of what they allow, ... */
    size_t tightest;     /* ... and which it is, or SIZE_MAX */
    int criterion;       /* by which */
    char padding[64];
} ct_worker_result;

/* Memory for sorting, kept from one sort to the next. */
typedef struct ct_sorter {
    size_t particles;       /* room in the next three */
    uint32_t *key;          /* block and cell of each particle */
    uint32_t *order;        /* where it was before */
    void *scratch;          /* one plane */
    size_t runs;            /* room in `target` */
    int32_t (*target)[125]; /* [runs] new block by offset (-2..2)^3, or -1 */
    size_t counts;          /* room in `count` */
    uint32_t *count;        /* [slices x blocks x cells] */
    size_t blocks;          /* room in `new_number` */
    uint32_t *new_number;   /* [blocks] place of a block along the curve */
    double lead[3];         /* cells: where blocks begin to take in particles, from their corner */
    ct_blocks spare;        /* the blocks of the next sort */
    ct_blocks added;        /* runs of particles that are being added */
} ct_sorter;

/* What came and went since the start. */
typedef struct ct_flow_total {
    uint64_t particles;
    double mass;   /* kg */
    double heat;   /* J */
    double energy; /* J: kinetic, elastic, gravitational */
} ct_flow_total;

/* Sources and sinks at work. */
typedef struct ct_flow {
    ct_flow_total emitted; /* by sources */
    ct_flow_total sunk;    /* removed by sinks */
    ct_flow_total strays;  /* removed beyond the far limit */
    /* The particles that sources hold in the step under way. */
    struct ct_hold *holds; /* [hold_count] a block and a source */
    size_t hold_count, hold_room;
    void *held; /* [slots x CT_DIM] where they were, in cells of their block; NaN: this one is not held */
    size_t held_room;
    uint16_t *mark; /* [mark_room] of particles that go: 1 strays, 2 + k sink k */
    size_t mark_room;
} ct_flow;

/* The stages of a step that are timed, in their order. */
#define CT_STAGE_LIST(X) \
    X(sort)              \
    X(time_step)         \
    X(to_grid) X(grid) X(colliders) X(walls) X(check) X(neighbours) X(solve) X(heat) X(to_particles) X(flow)
#define X(stage) CT_STAGE_##stage,
enum { CT_STAGE_LIST(X) CT_STAGES };
#undef X

struct ct_numerics;

struct ct_world {
    ct_heap heap;
    ct_arena arena; /* names, tracks */
    ct_world_def def;
    const struct ct_numerics *numerics;
    ct_scheme scheme;    /* of bodies that have none of their own */
    bool has_one_scheme; /* all bodies have the same */
    bool needs_before;   /* some body's scheme needs the velocity before forces */
    bool has_heat;       /* some material has a heat capacity */
    double heat_due;     /* s since heat last moved */
    ct_pool *pool;
    ct_worker_result *workers; /* [threads] */
    void *sums;                /* [threads] tiles that particles are added to (transfer/to_grid.c) */

    ct_material *materials;
    size_t material_count, material_capacity;
    ct_body *bodies;
    size_t body_count, body_capacity;
    ct_change *changes;
    size_t change_count, change_capacity;
    ct_wall walls[CT_SIDES];
    ct_wall_nodes wall_nodes;
    ct_collider *colliders;
    size_t collider_count, collider_capacity;
    ct_touches touches; /* of the step under way */
    ct_source *sources;
    size_t source_count, source_capacity;
    ct_sink *sinks;
    size_t sink_count, sink_capacity;
    ct_flow flow;

    ct_particles particles;
    ct_links links; /* of sheets and strands, by id */
    ct_grid grid;
    ct_peri *peri; /* the other solver's own; NULL in a world of MPM */
    uint32_t next_id;
    double least_mass; /* kg, of any particle */
    bool must_sort;    /* particles are new, or one has left the reach of its block */
    bool must_measure; /* limits are not known for the particles as they are */
    ct_limit limits[CT_MEASURES];
    ct_extreme *extremes; /* [threads x ledger.materials] */
    bool is_watched;      /* some material's J is measured */
    double sound_cfl;     /* as defined, or from the table of timestep/courant.h */
    ct_sorter sorter;

    double time, dt;
    uint64_t step;
    const char *limited_by;
    int limited_criterion;                       /* CT_LIMITED_BY_*, or -1: by a bound or a frame */
    uint64_t limited_material, limited_particle; /* who asked, or CT_NOBODY; ids as in ct_limit */
    ct_guess guess, next_guess; /* of the step under way, and what it taught about the next */
    ct_ledger ledger;
    ct_budget budget;
    uint64_t wall_returns, wall_bounces;

    double stage_seconds[CT_STAGES]; /* spent since the start */
    double last_mark;                /* s, when the stage under way began */
    bool is_again;                   /* a step turned out too long: what is done again is the time step's */
};

/* One variant of the numerical code. */
typedef struct ct_numerics {
    int dimension;
    ct_precision precision;
    const char *isa;
    /* What the model says of itself, and its coefficients. */
    const ct_material_info *(*material_info)(int index);
    ct_status (*prepare_material)(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error);
    /* Makes the particles that there are keep what a new material needs. */
    ct_status (*keep_fields)(ct_world *world, const ct_material *material, ct_error *error);
    /* Appends seeds as particles, unsorted, as runs after the blocks that there are. `gradient` is the body's
     * velocity gradient. On failure nothing changes. */
    ct_status (*add_particles)(ct_world *world, const ct_seeds *seeds, int body, const double gradient[9],
                               ct_error *error);
    ct_status (*sort)(ct_world *world, ct_error *error);
    /* Makes the particles that new sources begin with. */
    ct_status (*start_sources)(ct_world *world, ct_error *error);
    /* One step that does not go past `until`. */
    ct_status (*step)(ct_world *world, double until, ct_error *error);
    /* Of the particles in the blocks or runs from `first_block` on. */
    void (*add_sums)(const ct_world *world, size_t first_block, ct_world_sums *sums);
    /* Values of a quantity for all particles: that at place p goes to row rank[p]. */
    void (*read_quantity)(const ct_world *world, int quantity, const uint32_t *rank, void *values);
    void (*write_quantity)(ct_world *world, ct_field field, const uint32_t *rank, const void *values);
    /* What must hold between two steps; for checking builds and tests. */
    ct_status (*check_invariants)(const ct_world *world, ct_error *error);
    /* Floating-point operations a second that one thread reaches with fused multiply-adds alone. */
    double (*measure_peak)(void);
    /* Holds the particles with ids from `first_id` on that are inside a grip, of the colliders from
     * `first_collider` on; NULL: there are no grips. */
    void (*take_grips)(ct_world *world, size_t first_collider, size_t first_id);
    /* Contact samples, into peri->surface, and impulses on them; NULL: there are none. */
    ct_status (*samples)(ct_world *world, size_t *count, ct_error *error);
    ct_status (*push)(ct_world *world, size_t count, const double (*impulse)[3], ct_error *error);
    const struct ct_numerics *peridynamics; /* the same variant for the other method; NULL there */
} ct_numerics;

/* The variant for a dimension and precision, with the best instruction set of this machine (or CONTINUA_ISA).
 */
const ct_numerics *ct_numerics_choose(int dimension, ct_precision precision, ct_error *error);
const ct_numerics *ct_numerics_at(int index); /* all variants of this build; NULL past the end */

size_t ct_type_size(ct_type type); /* bytes */

/* m/s: the largest speed of a moving collider's substance in blocks with particles near it, at this instant;
 * 0 where nothing moves. For the time step: no collider may cross a cell in one. */
double ct_colliders_speed(const ct_world *world);

/* Charges the time since the last mark to a stage. */
void ct_mark(ct_world *world, int stage);

/* Reports to the log hook, if there is one. */
void ct_world_log(const ct_world *world, ct_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One step that does not go past `until`. */
ct_status ct_world_step_towards(ct_world *world, double until, ct_error *error);

/* A body's or source's entry without its particles; `what` it is called in messages. */
ct_status ct_world_register_body(ct_world *world, const ct_body_def *def, const char *what, ct_error *error);
ct_status ct_world_register_source(ct_world *world, const ct_source_def *def, ct_error *error);

/* Enters the energy that the particles of the runs from `first_run` on brought. */
void ct_world_add_to_budget(ct_world *world, size_t first_run);

/* Whether all seeds are inside the domain, if there is one. */
ct_status ct_world_check_inside(const ct_world *world, const ct_seeds *seeds, const char *name,
                                ct_error *error);

ct_lattice ct_world_lattice(const ct_world *world);

/* How many particles sources will have made by `time`, with those they have made. */
ct_status ct_world_forecast(ct_world *world, double time, double *particles, ct_error *error);

/* The world of a scene without its particles, for ct_world_restore. */
ct_status ct_world_from_scene_empty(const ct_scene *scene, int threads, ct_world **world, ct_error *error);

/* ct_world_save with a record of the caller's beside the state, in the section "extra"; ct_world_restore from
 * a container that is open, which is called `path` in messages. */
struct ct_container;
ct_status ct_world_save_with(const ct_world *world, ct_target target, const void *extra, size_t extra_bytes,
                             ct_error *error);
ct_status ct_world_restore_from(ct_world *world, const struct ct_container *container, const char *path,
                                ct_error *error);

#endif
