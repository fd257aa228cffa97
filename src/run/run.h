/* A run: a scene and the folder its results go to.
 *
 *     FOLDER/
 *       used.yaml                every key of the scene at its final value: what this run is
 *       frames/frame_000000.vtu  the particles at the instants 0, frame, 2 frame, ..., end
 *       run.pvd                  the list of frames, for ParaView
 *       stats.csv                sums over time, and who limited the time step
 *       run.log                  what happened, with the time of day
 *       checkpoint.ctc           the whole state, to resume from
 *       checkpoint.previous.ctc  the one before, should the newest be damaged
 *
 * The promise: a run that is killed at any moment and resumed gives the same bits as one that never was. It
 * holds because (1) the steps depend on the state and the instants of frames alone, never on checkpoints or
 * the clock; (2) a checkpoint carries a record of the run (next frame, length of stats.csv) and is written
 * after the frames and rows it knows of are on the disk; (3) resuming cuts stats.csv back to that length and
 * writes later frames again.
 *
 * Where ranks share the world (core/ranks.h) all of them have the run, and the first alone has the folder: what is
 * written it gathers from all, so files are those of one process, and any number of ranks can go on with them.
 *
 * The folder is locked while a run is open, so two processes cannot write one run. A folder that is renamed
 * meanwhile takes its run along, which then stops: nothing is written to what is in its place.
 */
#ifndef CT_RUN_RUN_H
#define CT_RUN_RUN_H

#include "core/ranks.h"
#include "output/writer.h"
#include "scene/scene.h"

/* Is told of each frame that was written. */
typedef void (*ct_frame_watcher)(void *user, uint64_t number, const ct_frame *frame);

typedef struct ct_run_options {
    int threads;     /* 0: one per core */
    bool force;      /* replace the run that is in the folder; files that no run writes are left alone */
    bool read_only;  /* ct_run_open: only look; takes no lock, writes nothing, cannot step */
    bool from_start; /* ct_run_open: forget checkpoints and results, begin at the start of the scene */
    double checkpoint_every; /* s of wall time between checkpoints, 0: none; negative: as the scene says */
    ct_log_function log;     /* gets what goes to run.log, too; may be NULL */
    void *log_user;
    ct_frame_watcher watcher; /* may be NULL */
    void *watcher_user;
    ct_ranks *ranks; /* that the world is shared by, each with this run; NULL: there are none */
} ct_run_options;

/* Builds the scene's world and makes the folder, which appears complete or not at all. Takes the scene over,
 * also on failure. A folder with something in it is refused unless `force` is set. */
ct_status ct_run_create(ct_scene *scene, const char *folder, ct_run_options options, ct_run **run,
                        ct_error *error);

/* Opens the run in a folder at its newest checkpoint that is whole, or at its start where there is none. A
 * checkpoint that is there but cannot be used (of another version or scene, unreadable, both damaged) is
 * CT_BAD_IO, and nothing is changed: `from_start` begins anew on purpose. */
ct_status ct_run_open(const char *folder, ct_run_options options, ct_run **run, ct_error *error);

/* A line for run.log and the log function. */
void ct_run_log(ct_run *run, ct_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The hash of the whole state, also of a world that ranks share. */
ct_status ct_run_hash(ct_run *run, ct_hash *hash, ct_error *error);

/* Whether that path still leads to the folder of the run. */
bool ct_run_is_in_place(const ct_run *run);

/* The world as a frame with the scene's output fields; release it with ct_frame_release. */
ct_status ct_frame_read(ct_heap *heap, const ct_world *world, const ct_scene *scene, ct_frame *frame,
                        ct_error *error);
/* The same with fields by name. */
ct_status ct_frame_read_fields(ct_heap *heap, const ct_world *world, const char *const *fields,
                               int field_count, ct_frame *frame, ct_error *error);
void ct_frame_release(ct_heap *heap, ct_frame *frame);

/* The number that stats.csv calls `name`, of the sums of a world; false: there is none. Without `sums` it
 * only says whether there is one. */
bool ct_sums_find(const char *name, const ct_world_sums *sums, double *value);

#endif
