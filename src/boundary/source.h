/* Sources and sinks.
 *
 * A source is a conveyor belt. An endless pattern of samples (particles/pattern.h) moves with the source's
 * velocity u through its shape:
 *
 *      . . . .+-------------+. . . .
 *     . . . . | . . . . . . | . . . .   ->  u      what enters the shape becomes a particle,
 *      . . . .|. . . . . . .|. . . .               what is in it is held by the source,
 *     . . . . | . . . . . . | . . . .              what leaves it is free
 *      . . . .+-------------+. . . .
 *
 * So the flow has the density and the evenness of the pattern, without gaps or clumps however long or short
 * the steps are, and its rate is exact over time. All there is to remember is how far the pattern has moved.
 *
 *     fluxed   (asflip-2021 section 6) while a particle is inside, its velocity is u, its deformation 1;
 *              nodes inside have the velocity u after forces. Both together are a boundary condition:
 *              material outside meets a filled, moving region.
 *     spout    (time-step-2020) the shape is only the section of a plane opening. A sample that crosses it
 *              during a step is where it would be in free fall by the end of the step, with the velocity
 *              gradient of such a jet.
 *
 * A source may move as colliders do. All of this is then in its own frame, which is the scene's where its motion
 * leaves it; places and velocities are taken to the world when particles are made and when they are held.
 *
 * A sink removes the particles in its shape; one more removes what has strayed beyond world_def.far_limit.
 * Formulas: docs/theory/sources.md.
 */
#ifndef CT_BOUNDARY_SOURCE_H
#define CT_BOUNDARY_SOURCE_H

#include "boundary/collider.h"
#include "particles/pattern.h"
#include "particles/seed.h"
#include "particles/shape.h"

enum { CT_MOST_SINKS = 1000 };

/* What a source has done so far: all that a checkpoint needs. */
typedef struct ct_source_state {
    double moved[3];      /* cells that the pattern has moved since the start */
    double moved_then[3]; /* the same when particles were last made */
    double time_then;     /* s, when that was */
    double start, stop;   /* s; stop may be infinite */
    uint64_t made;        /* particles, ... */
    double volume;        /* ... m^d in all */
    uint64_t plain;       /* what a plain lattice of 2^d samples per cell would have come to */
    bool is_filled;       /* it has begun */
    bool is_over;         /* it has stopped */
} ct_source_state;

typedef struct ct_source {
    const char *name;
    int body; /* that its particles belong to */
    ct_source_type type;
    ct_shape *shape;
    double min[3], max[3]; /* m, the box around the shape, in its own frame */
    ct_collider mover;     /* its motion alone: poses, pivot and keyframes */
    bool is_moving;
    bool has_domain; /* that particles must be made in */
    double domain[2][3];
    ct_endless pattern;
    ct_track velocity;
    double fastest;             /* m/s, that it ever is */
    uint64_t most;              /* particles */
    double point[3], normal[3]; /* of a spout's opening */
    ct_lattice lattice;         /* of the world */
    double cell_volume;         /* m^d */
    ct_source_state state;
    bool is_open;           /* it holds particles in the step under way, ... */
    double velocity_now[3]; /* ... at this velocity, m/s, ... */
    double way_now[3];      /* ... and moves them by this, m; both in its own frame */
    double dt_now;          /* s, of the step; where it moves: */
    double box_min[3], box_max[3];
    bool is_ready;                /* particles are to be made at the end of the step under way */
    ct_seeds seeds;               /* the particles to be made; memory kept from one time to the next */
    uint64_t plain_now;           /* the same for these */
    size_t velocities, gradients; /* room in seeds.velocity and seeds.gradient */
} ct_source;

typedef struct ct_sink {
    const char *name;
    ct_shape *shape;
    uint64_t taken; /* particles, since the start */
} ct_sink;

/* Checks the definition and makes it ready. `lattice` is that of the world's cells; the domain (NULL: none)
 * must hold the shape. Names and tracks go to the arena. */
ct_status ct_source_create(ct_heap *heap, ct_arena *arena, const ct_lattice *lattice,
                           const double (*domain)[3], uint64_t seed, const ct_source_def *def,
                           ct_source *source, ct_error *error);
void ct_source_release(ct_source *source);

ct_status ct_sink_create(ct_heap *heap, ct_arena *arena, int dimension, const ct_sink_def *def, ct_sink *sink,
                         ct_error *error);

/* How long it flows between `begin` and `end`, in seconds, and how far. */
double ct_source_flows(const ct_source *source, double begin, double end, double metres[3]);

/* Moves the pattern on from `begin` to `end`. */
void ct_source_advance(ct_source *source, double begin, double end);

/* Whether it is time to make particles: the pattern has moved enough, or the source begins or stops. */
bool ct_source_is_due(const ct_source *source, double time);

/* Until when an empty world may wait for it, s: until it starts, or half a cell of flow at a time, as what
 * it makes has fallen freely since. */
double ct_source_next(const ct_source *source, double time);

/* Collects in source->seeds the particles that are to be made at `time`, up to the limit. Changes nothing
 * else: ct_source_made says that they were made. */
ct_status ct_source_collect(ct_source *source, double time, const double gravity[3], ct_error *error);
void ct_source_made(ct_source *source, double time);

/* How many particles it will have made by `time`: counted for a while, then by rule of three. */
ct_status ct_source_forecast(ct_source *source, double time, double *particles, ct_error *error);

/* Where it moves: sets its poses for a step from `time` to `time + dt`. */
void ct_source_prepare(ct_source *source, double time, double dt);

/* m/s: that what it holds has at the most, now and then. */
double ct_source_fastest(const ct_source *source, double time);

/* In the step under way: whether a place is inside where the step begins; how far what is held there goes, m, and how fast. */
bool ct_source_contains(const ct_source *source, const double x[3]);
void ct_source_way(const ct_source *source, const double x[3], double way[3]);
void ct_source_velocity(const ct_source *source, const double x[3], double velocity[3]);

/* Whether a place is inside at another time. */
bool ct_source_contains_at(const ct_source *source, double time, const double x[3]);

/* Whether the shape may reach into a box, in metres. */
bool ct_source_reaches(const ct_source *source, int dimension, const double min[3], const double max[3]);

/* Whether a point lies in a source that acts in the step under way: asflip-2021 Eq. 5 asks for it. The first
 * tells of a whole box that no source reaches into it, which is the rule. */
bool ct_sources_reach(const ct_source *sources, size_t count, int dimension, const double min[3],
                      const double max[3]);
bool ct_sources_contain(const ct_source *sources, size_t count, const double position[3]);

#endif
