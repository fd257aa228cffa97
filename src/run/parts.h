/* What the files of this folder share: the run itself, its record in the checkpoint, its folder and its
 * statistics. */
#ifndef CT_RUN_PARTS_H
#define CT_RUN_PARTS_H

#include "core/file.h"
#include "run/run.h"

/* ---- statistics (stats.c) ---- */

enum { CT_LIMIT_NAMES = 16, CT_LIMIT_NAME_SIZE = 24 };

/* Who limited the time step, since the last row. All members are multiples of 8 bytes: no padding. */
typedef struct ct_tally {
    double dt; /* s, of the last step that was not cut short by a frame */
    char limited_by[CT_LIMIT_NAME_SIZE];
    char names[CT_LIMIT_NAMES][CT_LIMIT_NAME_SIZE];
    uint64_t steps[CT_LIMIT_NAMES]; /* how many steps names[i] limited */
} ct_tally;

void ct_tally_add(ct_tally *tally, double dt, const char *limited_by);
void ct_tally_clear(ct_tally *tally); /* forgets the counts, keeps dt */

void ct_stats_print_header(ct_text *text);
void ct_stats_print_row(ct_text *text, const ct_world_info *info, const ct_world_sums *sums,
                        const ct_tally *tally, const char *ledger);

/* "sound/jelly:118;velocity/jelly:3": steps since the start by criterion and material, the column `ledger`.
 */
void ct_stats_print_ledger(ct_text *text, const ct_world *world);

/* Appends to the open file `descriptor`, which has `*length` bytes, all of the text or nothing. `name` is for
 * messages. */
ct_status ct_stats_append(int descriptor, const char *name, uint64_t *length, const ct_text *text,
                          ct_error *error);

/* ---- the record of a run, stored beside the state in a checkpoint ---- */

enum { CT_RECORD_VERSION = 5, CT_PROGRAM_SIZE = 24 };

/* Stored as it lies in memory, little-endian like the checkpoint's sections. Behind it stands the text of the
 * scene that the state is of, as in used.yaml. */
typedef struct ct_run_record {
    uint64_t version;
    char program[CT_PROGRAM_SIZE];  /* "0.1.0", which wrote it */
    uint64_t next_frame;            /* the first that is not written */
    uint64_t next_row;              /* multiple of stats_every at or after which the next row is due */
    uint64_t stats_bytes;           /* length of stats.csv */
    uint64_t collider_bytes;        /* length of colliders.csv; 0 in a run without colliders */
    double end, frame, stats_every; /* s, of the scene that it was written with */
    uint64_t has_diverged;          /* 1: the step after this state failed */
    ct_tally tally;
    uint64_t body_bytes; /* length of bodies.csv; 0 in a run without; new in version 5 */
} ct_run_record;

/* ---- the folder (folder.c) ---- */

/* Makes FOLDER with frames/ and used.yaml (`used`) in it, and locks it; `*root` is its descriptor, to close.
 */
ct_status ct_run_folder_create(ct_heap *heap, const char *folder, const ct_text *used, bool force, int *root,
                               ct_error *error);
/* Opens an existing one, and locks it unless it is only read. */
ct_status ct_run_folder_open(const char *folder, bool read_only, int *root, ct_error *error);
/* Deletes the files of ours that were left half written, or all results but used.yaml. Names that no run
 * gives, and what a link leads to, are left alone. */
ct_status ct_run_folder_sweep(int root, ct_error *error);
ct_status ct_run_folder_clear(int root, ct_error *error);
/* Whether the path still leads to the folder that was opened. */
bool ct_run_folder_is_there(const char *path, int root);

/* ---- going on (restore.c) ---- */

/* Sets the world and the record from the newest checkpoint that is whole, else from the start of the scene. A
 * checkpoint that is there but cannot be used is refused. */
ct_status ct_run_restore(ct_run *run, ct_error *error);

/* ---- what has changed in a scene (changes.c) ---- */

enum { CT_CHANGE_SIZE = 1024 };

/* Compares the physical parts of two scenes, each the text of a used.yaml. True: they differ, and `change`
 * says where: "'bodies.ball.velocity' was [0, -2] and is [0, -3]". A run that diverged may go on with another
 * `step`. */
bool ct_scene_has_changed(const char *before, const char *now, bool step_is_free,
                          char change[CT_CHANGE_SIZE]);

/* ---- frames (frames.c) ---- */

/* Writes the world as frames/NAME.EXTENSION in each of the scene's formats, and tells `watcher` (NULL:
 * nobody) that it is frame `number`. */
ct_status ct_run_write_frame(ct_run *run, const char *name, uint64_t number, ct_frame_watcher watcher,
                             ct_error *error);
/* Lists the frames written so far in run.pvd. */
ct_status ct_run_write_pvd(ct_run *run, ct_error *error);

/* ---- colliders (colliders.c) ---- */

void ct_colliders_print_header(ct_text *text);
/* A row for each, with means since the last rows, which end here. */
void ct_colliders_print_rows(ct_text *text, ct_world *world);
/* Their surfaces, as frames/colliders_000012.vtp or .ply beside frames of the formats VTU and PLY. */
ct_status ct_run_write_colliders(ct_run *run, uint64_t frame, ct_error *error);
/* The endings of those files; NULL past the last. */
const char *ct_collider_extension(int index);
/* The name of the VTP file of a frame, which one file may be of all; false: there are no colliders. */
bool ct_run_collider_file(const ct_run *run, uint64_t frame, char *name, size_t size);

/* ---- bodies (bodies.c) ---- */

void ct_bodies_print_header(ct_text *text);
/* Rows for all bodies and what they gave each other, with means since the last rows, which end here. */
ct_status ct_bodies_print_rows(ct_text *text, ct_world *world, ct_error *error);

/* ---- the run ---- */

struct ct_run {
    ct_heap heap;
    ct_scene *scene;
    ct_world *world;
    char *folder; /* as it was given, for messages; the run itself goes by `root` */
    ct_run_options options;
    int root;                          /* descriptor of the folder, locked unless the run is only read */
    int stats, colliders, bodies, log; /* descriptors, -1: closed */
    ct_text used;                      /* the scene as in used.yaml, which checkpoints keep */
    bool follows;                      /* another rank has the folder, and writes */
    bool newest_is_damaged;            /* checkpoint.ctc: not to be kept as the previous one */
    ct_run_record record;
    const char *limited_material; /* whose particle limited the last step that no frame has cut; NULL: none */
    double last_checkpoint, last_pvd; /* s, on the monotonic clock */
};

extern const char ct_newest_name[], ct_previous_name[]; /* of checkpoints */

/* The file of that name in the folder; `shown` is room for its path in messages. */
enum { CT_RUN_PATH_SIZE = 1024 };
ct_target ct_run_target(const ct_run *run, const char *name, char shown[CT_RUN_PATH_SIZE]);

#endif
