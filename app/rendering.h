/* What the files of `continua render` share: render.c draws, rendering_options.c reads what is asked for. */
#ifndef CT_APP_RENDERING_H
#define CT_APP_RENDERING_H

#include "look/replay.h"
#include "tracing.h"

enum output_kind { OUTPUT_FILM, OUTPUT_PICTURE, OUTPUT_FOLDER };

struct rendering {
    ct_heap heap;
    ct_arena arena;
    ct_arguments arguments;
    const char *source;
    bool is_run; /* else a single frame */
    ct_replay replay;
    ct_scene *scene; /* NULL: unknown */
    ct_look look;
    ct_tracing tracing;
    double range[2]; /* as given; equal: not */
    size_t first, last;
    int turntable; /* 0: no */
    double frames_per_second;
    int threads;
    bool is_quiet;
    enum output_kind kind;
    char *output;  /* film, picture or folder */
    char *picture; /* beside a film; NULL: none */
};

/* Options of the command: -1, or the exit code of a mistake. The camera is read when the bounds are known. */
int ct_rendering_read(struct rendering *rendering);
int ct_rendering_read_camera(struct rendering *rendering);

#endif
