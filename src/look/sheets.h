/* What a frame's points make up beside loose particles: sheets are drawn as their triangles, strands as
 * tubes. A triangle has the colour of one of its points.
 */
#ifndef CT_LOOK_SHEETS_H
#define CT_LOOK_SHEETS_H

#include "look/cull.h"

enum { CT_SHEETS = 2 }; /* a mesh of all sheets, and one of all strands */

typedef struct ct_sheets {
    ct_heap *heap;
    ct_look_mesh meshes[CT_SHEETS];
    int32_t *painted; /* [triangle_count] the particle whose colour it has */
    size_t triangle_count;
    double (*tube_vertices)[3];
    uint32_t (*tube_triangles)[3];
} ct_sheets;

/* Mean length of the segments of strands, m. */
double ct_mean_segment(const ct_frame *frame);

bool ct_frame_is_woven(const ct_frame *frame); /* whether it has any sheets or strands */

/* Broken ones (a corner that is no particle) are CT_BAD_USAGE. */
ct_status ct_sheets_create(ct_heap *heap, const ct_frame *frame, ct_sheets *sheets, ct_error *error);
void ct_sheets_release(ct_sheets *sheets); /* a zeroed one is fine */

/* Leaves only loose particles in the list. */
ct_status ct_sheets_loosen(ct_heap *heap, const ct_frame *frame, ct_shown *shown, ct_error *error);

#endif
