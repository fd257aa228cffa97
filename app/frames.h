/* Commands that read frames and write files of another kind from each: convert and mesh. */
#ifndef CT_APP_FRAMES_H
#define CT_APP_FRAMES_H

#include "options.h"
#include "output/writer.h"

enum { CT_MOST_FIELDS = 64 };

typedef struct ct_frames {
    ct_heap heap;
    const ct_writer *writer;
    bool is_cache;      /* --to pc2: all frames in one file, and an OBJ */
    const char *fields; /* "a,b"; NULL: all */
    const char *folder; /* that -o names; NULL: none */
    long long first, last;
    bool found[CT_MOST_FIELDS]; /* which of `fields` were in some frame */
} ct_frames;

/* Reads --to, --output, --frames and --fields; `format` is the default of --to, NULL: it is necessary.
 * Returns -1, or complains and returns the exit code. */
int ct_frames_read_options(const ct_arguments *arguments, const char *format, ct_frames *frames);

/* What is done with a frame; `path` is where its result goes. */
typedef ct_status (*ct_frame_taker)(void *context, const char *path, const ct_frame *frame, ct_error *error);

/* Calls `take` for each frame of a run, or for one frame file. Results of a run go to its folder `name` where
 * no other is given, that of a frame beside it. */
ct_status ct_frames_walk(ct_frames *frames, const char *source, const char *name, ct_frame_taker take,
                         void *context, ct_error *error);

#endif
