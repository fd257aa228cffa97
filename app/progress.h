/* What a run shows while it goes: a line that is drawn over and over on a terminal, a line per frame elsewhere,
 * or one JSON object per line for programs.
 */
#ifndef CT_APP_PROGRESS_H
#define CT_APP_PROGRESS_H

#include "core/clock.h"
#include "run/run.h"

typedef enum ct_progress_style {
    CT_PROGRESS_NONE,
    CT_PROGRESS_LINE,
    CT_PROGRESS_PLAIN,
    CT_PROGRESS_JSON
} ct_progress_style;

/* A point in the past to measure speed from. */
typedef struct ct_progress_mark {
    double wall, time; /* s of the clock, s of the simulation */
    double particle_steps;
} ct_progress_mark;

typedef struct ct_progress {
    ct_progress_style style;
    ct_progress_mark old, young; /* speed is measured from `old`, a few seconds back */
    double particle_steps;       /* of this session */
    uint64_t last_step;
    uint64_t frames_shown;
    double last_drawn; /* s of the clock */
    int drawn_width;   /* columns to wipe */
} ct_progress;

void ct_progress_start(ct_progress *progress, ct_progress_style style, const ct_run *run);
/* To be called after every step: shows what is due. */
void ct_progress_show(ct_progress *progress, const ct_run *run);
/* Leaves the line, so that other text may follow. */
void ct_progress_end(ct_progress *progress);

#endif
