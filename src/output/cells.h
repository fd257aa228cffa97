/* What a frame's points make up: triangles, segments of strands, and loose particles. Writers that list cells
 * (VTU, VTKHDF) take them from here in that order; a loose particle is a cell of its own, too, since
 * ParaView's filters, Threshold for one, work on cells and would show nothing of points that belong to none.
 */
#ifndef CT_OUTPUT_CELLS_H
#define CT_OUTPUT_CELLS_H

#include "output/writer.h"

typedef struct ct_cells {
    ct_heap *heap;
    const ct_frame *frame;
    uint64_t *loose; /* [loose_count] points that nothing connects, in their order; NULL: all of them */
    uint64_t loose_count;
} ct_cells;

/* The frame has been checked and outlives the cells. */
ct_status ct_cells_create(ct_heap *heap, const ct_frame *frame, ct_cells *cells, ct_error *error);
void ct_cells_release(ct_cells *cells);

uint64_t ct_cells_count(const ct_cells *cells);
uint64_t ct_cells_corner_count(const ct_cells *cells);           /* of all cells together */
int64_t ct_cells_corner(const ct_cells *cells, uint64_t corner); /* its point */
int64_t ct_cells_begin(const ct_cells *cells, uint64_t cell);    /* its first corner; cell = count: the end */
int64_t ct_cells_vtk_type(const ct_cells *cells, uint64_t cell);

/* How many lines the strand has that begins with line `first`. */
uint64_t ct_strand_length(const ct_frame *frame, uint64_t first);

#endif
