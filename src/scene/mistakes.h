/* The mistakes found in a scene. Reading goes on after a mistake, so that one look at the messages mends the
 * file: they are kept here, put in the order of the file and reported together, one line each:
 *
 *     scene.yaml:12:5: error: unknown key 'gravty'; did you mean 'gravity'?
 */
#ifndef CT_SCENE_MISTAKES_H
#define CT_SCENE_MISTAKES_H

#include "core/error.h"

/* Where something was written: in the file, or in a setting of the command line. Lines and columns count
 * from 1. */
typedef struct ct_place {
    const char *setting; /* NULL: in the file */
    int line, column;
} ct_place;

enum { CT_MOST_MISTAKES = 20, CT_MISTAKE_SIZE = 360, CT_SHOWN_SIZE = 48 };

typedef struct ct_mistakes {
    const char *path; /* of the scene */
    int count;        /* of all mistakes; the first CT_MOST_MISTAKES are kept */
    struct {
        ct_place place;
        char text[CT_MISTAKE_SIZE];
    } kept[CT_MOST_MISTAKES];
} ct_mistakes;

void ct_mistake(ct_mistakes *mistakes, ct_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* CT_OK when there are none; else all of them in `error` and CT_BAD_SCENE. */
ct_status ct_mistakes_report(ct_mistakes *mistakes, ct_error *error);

/* A piece of the scene, fit to stand in a message: cut to size and without control characters. */
typedef struct ct_shown {
    char text[CT_SHOWN_SIZE];
} ct_shown;

ct_shown ct_show(const char *text);

#endif
