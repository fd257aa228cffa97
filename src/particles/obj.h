/* What the readers of Wavefront OBJ files share: lines that go on, and numbers of vertices. */
#ifndef CT_PARTICLES_OBJ_H
#define CT_PARTICLES_OBJ_H

#include "particles/scan.h"

/* A line that ends with a backslash goes on in the next one; the pieces are scanned one after another. */
typedef struct ct_obj_line {
    ct_scan *scan;
    ct_slice rest;
} ct_obj_line;

/* The next word; false at the end of the line, and at a comment. */
bool ct_obj_word(ct_obj_line *line, ct_slice *word);

/* Of a corner, 7, 7/1, 7/1/4 or 7//4: its vertex, from 0. They count from 1 in the file; a negative number
 * counts back from the last of the `count` vertices so far. Whether it is there is not asked. */
ct_status ct_obj_vertex(const ct_obj_line *line, ct_slice word, size_t count, int64_t *vertex,
                        ct_error *error);
/* Likewise its texture coordinate, of `count` so far; -1: it has none. One that is not there is a mistake. */
ct_status ct_obj_texture(const ct_obj_line *line, ct_slice word, size_t count, int64_t *texture,
                         ct_error *error);

#endif
