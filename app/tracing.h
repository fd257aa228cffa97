/* `render --quality high`: the options of path tracing, how far it is, Ctrl-C, and films that go on where
 * they were interrupted. Such a film is drawn picture by picture into a folder beside it; pictures that are
 * there already, drawn with the same settings and newer than their frame, are kept.
 */
#ifndef CT_APP_TRACING_H
#define CT_APP_TRACING_H

#include "look/replay.h"
#include "look/trace.h"
#include "options.h"

typedef struct ct_tracing {
    ct_trace_def def;
    bool is_on, is_quiet;
    size_t number, count; /* of the picture under way, from 1 */
    int percent;
    ct_heap *heap;
    char *folder; /* of the pictures; NULL: none are kept */
} ct_tracing;

/* The options for the table of a command. */
#define CT_TRACING_OPTIONS                                                                                 \
    {"quality", 0, "WORD", "fast (the default), or high: path tracing, with materials as they look (3D)"}, \
        {"samples", 0, "N", "high: paths per pixel at most (default: 64)"},                                \
        {"aperture", 0, "M", "high: diameter of the lens in metres, for depth of field (default: 0)"},     \
    {                                                                                                      \
        "shutter", 0, "S", "high: seconds of motion blur (default: half a frame in films, 0 in pictures)"  \
    }

/* Reads them; -1: all is well, otherwise the exit code. */
int ct_tracing_read(ct_tracing *tracing, const ct_arguments *arguments);

/* Where pictures are kept: `folder`, or beside a film. The settings of an earlier session that differ make
 * its pictures useless. */
ct_status ct_tracing_keep(ct_tracing *tracing, ct_heap *heap, const char *folder, const char *film,
                          const ct_look *look, ct_error *error);
void ct_tracing_release(ct_tracing *tracing);

/* Picture `number` of `count` is next. Whether it must be drawn; `frame` is the file that it shows. */
bool ct_tracing_begin(ct_tracing *tracing, size_t number, size_t picture, size_t count, const char *frame);

/* Makes the film of pictures `first` to `last`. */
ct_status ct_tracing_film(const ct_tracing *tracing, const char *film, size_t first, size_t last,
                          double frames_per_second, ct_error *error);

#endif
