#include "output/cells.h"

ct_status ct_cells_create(ct_heap *heap, const ct_frame *frame, ct_cells *cells, ct_error *error)
{
    *cells = (ct_cells){.heap = heap, .frame = frame, .loose_count = frame->count};
    if (!frame->triangle_count && !frame->line_count) return CT_OK;
    size_t count = (size_t)frame->count;
    unsigned char *is_bound = ct_allocate_zero(heap, count);
    if (!is_bound) return ct_fail_memory(error, count);
    for (uint64_t t = 0; t < frame->triangle_count; t++)
        for (int c = 0; c < 3; c++) is_bound[frame->triangles[t][c]] = 1;
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
    return cells->frame->triangle_count + cells->frame->line_count + cells->loose_count;
}

uint64_t ct_cells_corner_count(const ct_cells *cells)
{
    return 3 * cells->frame->triangle_count + 2 * cells->frame->line_count + cells->loose_count;
}

int64_t ct_cells_corner(const ct_cells *cells, uint64_t corner)
{
    const ct_frame *frame = cells->frame;
    if (corner < 3 * frame->triangle_count) return frame->triangles[corner / 3][corner % 3];
    corner -= 3 * frame->triangle_count;
    if (corner < 2 * frame->line_count) return frame->lines[corner / 2][corner % 2];
    corner -= 2 * frame->line_count;
    return (int64_t)(cells->loose ? cells->loose[corner] : corner);
}

int64_t ct_cells_begin(const ct_cells *cells, uint64_t cell)
{
    uint64_t triangles = cells->frame->triangle_count, lines = cells->frame->line_count;
    if (cell <= triangles) return (int64_t)(3 * cell);
    if (cell <= triangles + lines) return (int64_t)(3 * triangles + 2 * (cell - triangles));
    return (int64_t)(3 * triangles + 2 * lines + (cell - triangles - lines));
}

int64_t ct_cells_vtk_type(const ct_cells *cells, uint64_t cell)
{
    enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5 };
    if (cell < cells->frame->triangle_count) return VTK_TRIANGLE;
    return cell < cells->frame->triangle_count + cells->frame->line_count ? VTK_LINE : VTK_VERTEX;
}

uint64_t ct_strand_length(const ct_frame *frame, uint64_t first)
{
    uint64_t next = first + 1;
    while (next < frame->line_count && frame->lines[next][0] == frame->lines[next - 1][1]) next++;
    return next - first;
}
