/* The viewer: a page in the browser, served from this process. It looks at files only, the frames and
 * statistics of runs as they appear and scenes before they are run, so that a finished run and one that is
 * being computed are seen in the same way, and no browser, however slow or hostile, can hold up a solver:
 *
 *     solver ---frames, stats.csv---> run folder <---reads--- viewer <---asks--- page
 *
 * The page asks for the newest frame when it has drawn the last one; what came between is skipped.
 *
 * What the server gives out is a fixed list: the page, which is part of the program, and answers made from
 * the items that the viewer was opened with (items.h). No path is ever made from a request. It listens on the
 * loopback address unless told otherwise and answers only requests that its own page could have made
 * (guard.h).
 *
 * The folder is part of the command, not of the library: it needs civetweb and the bundled page. Where these
 * were not there at build time, absent.c stands in and says so.
 */
#ifndef CT_VIEW_VIEW_H
#define CT_VIEW_VIEW_H

#include "core/memory.h"

typedef struct ct_viewer ct_viewer;

enum {
    CT_VIEW_PORT = 8484,          /* the first that is tried */
    CT_VIEW_PORTS = 20,           /* how many are */
    CT_VIEW_MOST_POINTS = 1000000 /* of a frame that the page gets, unless told otherwise */
};

typedef struct ct_viewer_def {
    const char *const *paths; /* [path_count] runs, frames, scenes, and folders of runs or scenes */
    int path_count;
    const char *address; /* to listen on; NULL: loopback */
    int port;            /* -1: the first free one from CT_VIEW_PORT on; 0: the system chooses */
    size_t most_points;  /* frames with more are thinned */
} ct_viewer_def;

bool ct_viewer_is_built(void);

/* Starts to serve, from threads of its own. A path with nothing to see is an error. */
ct_status ct_viewer_open(const ct_viewer_def *def, ct_viewer **viewer, ct_error *error);
int ct_viewer_port(const ct_viewer *viewer);
void ct_viewer_close(ct_viewer *viewer); /* NULL is fine */

#endif
