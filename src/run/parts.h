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

enum { CT_RECORD_VERSION = 3 };

/* Stored as it lies in memory, little-endian like the checkpoint's sections. */
typedef struct ct_run_record {
    uint64_t version;
    uint64_t next_frame;     /* the first that is not written */
    uint64_t next_row;       /* multiple of stats_every at or after which the next row is due */
    uint64_t stats_bytes;    /* length of stats.csv */
    uint64_t collider_bytes; /* length of colliders.csv; 0 in a run without colliders */
    ct_tally tally;
} ct_run_record;

/* ---- the folder (folder.c) ---- */

/* Makes FOLDER with frames/ and used.yaml (`used`) in it, and locks it; `*lock` is a descriptor to close. */
ct_status ct_run_folder_create(ct_heap *heap, const char *folder, const ct_text *used, bool force, int *lock,
                               ct_error *error);
/* Locks an existing one and sweeps files that were left half written. */
ct_status ct_run_folder_open(ct_heap *heap, const char *folder, int *lock, ct_error *error);

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
/* The name of the VTP file of a frame, which one file may be of all; false: there are no colliders. */
bool ct_run_collider_file(const ct_run *run, uint64_t frame, char *name, size_t size);

/* ---- the run ---- */

struct ct_run {
    ct_heap heap;
    ct_scene *scene;
    ct_world *world;
    char *folder;
    ct_run_options options;
    int lock, stats, colliders, log; /* descriptors, -1: closed */
    ct_run_record record;
    const char *limited_material; /* whose particle limited the last step that no frame has cut; NULL: none */
    double last_checkpoint, last_pvd; /* s, on the monotonic clock */
};

#endif
