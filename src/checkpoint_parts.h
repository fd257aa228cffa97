/* A kind's part of a checkpoint. The first kind of a world has plain section names, as worlds of one kind
 * always had; those of the others begin with the name of their method. */
#ifndef CT_CHECKPOINT_PARTS_H
#define CT_CHECKPOINT_PARTS_H

#include "core/container.h"
#include "world.h"

enum {
    CT_LEDGER_NAME = 32, /* bytes of a criterion's name */
    CT_LEDGER_COUNTS = 4 /* whole numbers of a row */
};

/* What must agree between the world that saved and the world that restores. */
uint64_t ct_definition_hash(const ct_world *world);

/* Numbers of the state beside the particles, in the order they are stored: of the world, and of the first
 * kind's cloud and limits. */
#define STATE_REALS(X)                \
    X(world->common.time)             \
    X(world->common.dt)               \
    X(cloud->least_mass)              \
    X(world->common.budget.initial)   \
    X(world->common.budget.transfers) \
    X(world->common.budget.grid)      \
    X(world->common.budget.colliders) \
    X(world->common.budget.heat)      \
    X(limits->heat_due)               \
    X(cloud->sorter.lead[0])          \
    X(cloud->sorter.lead[1])          \
    X(cloud->sorter.lead[2])          \
    X(world->boundary.emitted.mass)   \
    X(world->boundary.emitted.energy) \
    X(world->boundary.emitted.heat)   \
    X(world->boundary.sunk.mass)      \
    X(world->boundary.sunk.energy)    \
    X(world->boundary.sunk.heat)      \
    X(world->boundary.strays.mass)    \
    X(world->boundary.strays.energy)  \
    X(world->boundary.strays.heat)    \
    X(limits->guess.dt)               \
    X(limits->guess.growth)
#define STATE_COUNTS(X)                  \
    X(world->common.step)                \
    X(world->common.next_id)             \
    X(cloud->must_sort)                  \
    X(cloud->must_measure)               \
    X(world->boundary.wall_returns)      \
    X(world->boundary.wall_bounces)      \
    X(world->pace.limited_material)      \
    X(world->pace.limited_particle)      \
    X(limits->guess.criterion)           \
    X(limits->guess.material)            \
    X(limits->guess.particle)            \
    X(world->boundary.emitted.particles) \
    X(world->boundary.sunk.particles)    \
    X(world->boundary.strays.particles)

/* What a source has done. */
#define SOURCE_REALS(X) \
    X(moved[0])         \
    X(moved[1])         \
    X(moved[2])         \
    X(moved_then[0])    \
    X(moved_then[1])    \
    X(moved_then[2])    \
    X(time_then)        \
    X(start)            \
    X(stop)             \
    X(volume)
#define SOURCE_COUNTS(X) \
    X(made)              \
    X(plain)             \
    X(is_filled)         \
    X(is_over)

/* What tells how long a cloud's sections are. */
typedef struct ct_saved_cloud {
    uint64_t count, occupied; /* particles, blocks */
    bool must_sort;           /* the blocks are unsorted runs */
} ct_saved_cloud;

/* A cloud as a file has it, whole and checked, before it takes the place of the world's: a restore that fails
 * changes nothing. Until then both are in memory. */
enum { CT_STAGED_NUMBERS = 16 };
typedef struct ct_staged_cloud {
    ct_particles particles;
    ct_blocks blocks;
    ct_links links;
    double *kept; /* [kept_count] of the cloud */
    size_t kept_count;
    double *packed; /* [packed_count] of the method, for its unpack */
    size_t packed_count;
    ct_limit limits[CT_MEASURES];
    ct_saved_cloud saved;
    bool has_numbers; /* the next two are its own; those of the first kind are among the world's */
    double reals[CT_STAGED_NUMBERS];
    uint64_t counts[CT_STAGED_NUMBERS];
} ct_staged_cloud;

/* The particles are stored in the order they lie in, with the blocks they are sorted into, so that the step
 * after a restore adds the same numbers in the same order as the step after the save. */
ct_status ct_cloud_save(ct_container_writer *writer, const ct_world *world, int kind, ct_error *error);

/* `saved`: NULL where the cloud's own sections tell. Release `staged` also where it failed. */
ct_status ct_cloud_stage(const ct_world *world, int kind, const ct_saved_cloud *saved,
                         const ct_container *container, const char *path, ct_staged_cloud *staged,
                         ct_error *error);
/* Changes places with the world's; cannot fail. */
void ct_cloud_commit(ct_world *world, int kind, ct_staged_cloud *staged);
void ct_cloud_release_staged(ct_staged_cloud *staged); /* a zeroed one is fine */

#endif
