#include "output/cells.h"

ct_status ct_cells_create(ct_heap *heap, const ct_frame *frame, ct_cells *cells, ct_error *error)
{
    *cells = (ct_cells){.heap = heap, .frame = frame, .loose_count = frame->count};
    if (!frame->triangle_count && !frame->line_count && !frame->tetrahedron_count) return CT_OK;
    size_t count = (size_t)frame->count;
    unsigned char *is_bound = ct_allocate_zero(heap, count);
    if (!is_bound) return ct_fail_memory(error, count);
    for (uint64_t t = 0; t < frame->triangle_count; t++)
        for (int c = 0; c < 3; c++) is_bound[frame->triangles[t][c]] = 1;
    for (uint64_t t = 0; t < frame->tetrahedron_count; t++)
        for (int c = 0; c < 4; c++) is_bound[frame->tetrahedra[t][c]] = 1;
    for (uint64_t l = 0; l < frame->line_count; l++)
        for (int c = 0; c < 2; c++) is_bound[frame->lines[l][c]] = 1;
    uint64_t loose = 0;
    for (size_t p = 0; p < count; p++) loose += !is_bound[p];
    cells->loose_count = loose;
    cells->loose = ct_allocate(heap, (size_t)loose * sizeof *cells->loose);
    ct_status status = cells->loose ? CT_OK : ct_fail_memory(error, (size_t)loose * sizeof *cells->loose);
    for (size_t p = 0, k = 0; p < count && !status; p++)
        if (!is_bound[p]) cells->loose[k++] = p;
    ct_release(heap, is_bound);
    return status;
}

void ct_cells_release(ct_cells *cells)
{
    ct_release(cells->heap, cells->loose);
    cells->loose = NULL;
}

uint64_t ct_cells_count(const ct_cells *cells)
{
    const ct_frame *frame = cells->frame;
    return frame->triangle_count + frame->line_count + frame->tetrahedron_count + cells->loose_count;
}

uint64_t ct_cells_corner_count(const ct_cells *cells)
{
    const ct_frame *frame = cells->frame;
    return 3 * frame->triangle_count + 2 * frame->line_count + 4 * frame->tetrahedron_count +
           cells->loose_count;
}

int64_t ct_cells_corner(const ct_cells *cells, uint64_t corner)
{
    const ct_frame *frame = cells->frame;
    if (corner < 3 * frame->triangle_count) return frame->triangles[corner / 3][corner % 3];
    corner -= 3 * frame->triangle_count;
    if (corner < 2 * frame->line_count) return frame->lines[corner / 2][corner % 2];
    corner -= 2 * frame->line_count;
    if (corner < 4 * frame->tetrahedron_count) return frame->tetrahedra[corner / 4][corner % 4];
    corner -= 4 * frame->tetrahedron_count;
    return (int64_t)(cells->loose ? cells->loose[corner] : corner);
}

/* The kinds of cells in their order: how many, corners of each, type of VTK. */
typedef struct kind {
    uint64_t count, corners;
    int64_t type;
} kind;

enum { KINDS = 4 };

static void kinds_of(const ct_cells *cells, kind kinds[KINDS])
{
    enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, VTK_TETRA = 10 };
    kinds[0] = (kind){cells->frame->triangle_count, 3, VTK_TRIANGLE};
    kinds[1] = (kind){cells->frame->line_count, 2, VTK_LINE};
    kinds[2] = (kind){cells->frame->tetrahedron_count, 4, VTK_TETRA};
    kinds[3] = (kind){cells->loose_count, 1, VTK_VERTEX};
}

int64_t ct_cells_begin(const ct_cells *cells, uint64_t cell)
{
    kind kinds[KINDS];
    uint64_t corner = 0;
    kinds_of(cells, kinds);
    for (int k = 0; k < KINDS; k++) {
        uint64_t before = cell < kinds[k].count ? cell : kinds[k].count;
        corner += before * kinds[k].corners;
        cell -= before;
    }
    return (int64_t)corner;
}

int64_t ct_cells_vtk_type(const ct_cells *cells, uint64_t cell)
{
    kind kinds[KINDS];
    int k = 0;
    kinds_of(cells, kinds);
    for (; k < KINDS - 1 && cell >= kinds[k].count; k++) cell -= kinds[k].count;
    return kinds[k].type;
}

uint64_t ct_strand_length(const ct_frame *frame, uint64_t first)
{
    uint64_t next = first + 1;
    while (next < frame->line_count && frame->lines[next][0] == frame->lines[next - 1][1]) next++;
    return next - first;
}
