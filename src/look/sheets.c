#include "look/sheets.h"
#include "look/triangles.h"
#include "output/cells.h"

#include <math.h>

static const double THICKNESS = 0.3; /* radius of a tube, of the mean length of a segment */

bool ct_frame_is_woven(const ct_frame *frame)
{
    return frame->triangle_count || frame->line_count;
}

double ct_mean_segment(const ct_frame *frame)
{
    double sum = 0;
    uint64_t count = 0;
    for (uint64_t l = 0; l < frame->line_count; l++) {
        const double *x = frame->position[frame->lines[l][0]], *y = frame->position[frame->lines[l][1]];
        double square = 0;
        for (int a = 0; a < 3; a++) square += (x[a] - y[a]) * (x[a] - y[a]);
        if (!isfinite(square)) continue;
        sum += sqrt(square);
        count++;
    }
    return count ? sum / (double)count : 0;
}

/* One strand of `length` lines beginning with `first`: a tube that goes to vertex `vertex` and on. */
static void make_tube(const ct_frame *frame, uint64_t first, uint64_t length, double radius,
                      double (*points)[3], size_t vertex, ct_sheets *sheets, int32_t *painted)
{
    for (uint64_t k = 0; k <= length; k++) {
        uint32_t point = k ? frame->lines[first + k - 1][1] : frame->lines[first][0];
        for (int a = 0; a < 3; a++) points[k][a] = frame->position[point][a];
    }
    uint32_t(*triangles)[3] = sheets->tube_triangles + 2 * CT_TUBE_SIDES * first;
    ct_tube((const double(*)[3])points, (size_t)length + 1, radius, sheets->tube_vertices + vertex,
            triangles);
    for (uint64_t t = 0; t < 2 * CT_TUBE_SIDES * length; t++) {
        for (int c = 0; c < 3; c++) triangles[t][c] += (uint32_t)vertex;
        painted[t] = (int32_t)frame->lines[first + t / (2 * CT_TUBE_SIDES)][0];
    }
}

static ct_status make_tubes(const ct_frame *frame, ct_sheets *sheets, int32_t *painted, ct_error *error)
{
    size_t lines = (size_t)frame->line_count, most = 2 * lines, vertex = 0;
    double radius = THICKNESS * ct_mean_segment(frame);
    double(*points)[3] = ct_allocate(sheets->heap, (lines + 1) * sizeof *points);
    sheets->tube_vertices = ct_allocate(sheets->heap, most * CT_TUBE_SIDES * sizeof *sheets->tube_vertices);
    sheets->tube_triangles = ct_allocate(sheets->heap, most * CT_TUBE_SIDES * sizeof *sheets->tube_triangles);
    ct_status status = points && sheets->tube_vertices && sheets->tube_triangles
                           ? CT_OK
                           : ct_fail_memory(error, most * CT_TUBE_SIDES * sizeof *sheets->tube_vertices);
    for (uint64_t first = 0, length; first < lines && !status; first += length) {
        length = ct_strand_length(frame, first);
        make_tube(frame, first, length, radius, points, vertex, sheets, painted + 2 * CT_TUBE_SIDES * first);
        vertex += CT_TUBE_SIDES * ((size_t)length + 1);
    }
    sheets->meshes[1] = (ct_look_mesh){.vertices = (const double(*)[3])sheets->tube_vertices,
                                       .vertex_count = vertex,
                                       .triangles = (const uint32_t(*)[3])sheets->tube_triangles,
                                       .triangle_count = 2 * CT_TUBE_SIDES * lines};
    ct_release(sheets->heap, points);
    return status;
}

ct_status ct_sheets_create(ct_heap *heap, const ct_frame *frame, ct_sheets *sheets, ct_error *error)
{
    *sheets = (ct_sheets){.heap = heap};
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    size_t flat = (size_t)frame->triangle_count, lines = (size_t)frame->line_count;
    if (flat > INT32_MAX || lines > INT32_MAX / 64)
        return ct_fail(error, CT_BAD_USAGE, "%zu triangles and %zu lines are too many for a picture", flat,
                       lines);
    sheets->triangle_count = flat + 2 * CT_TUBE_SIDES * lines;
    sheets->painted = ct_allocate(heap, sheets->triangle_count * sizeof *sheets->painted);
    if (!sheets->painted) return ct_fail_memory(error, sheets->triangle_count * sizeof *sheets->painted);
    for (size_t t = 0; t < flat; t++) sheets->painted[t] = (int32_t)frame->triangles[t][0];
    sheets->meshes[0] = (ct_look_mesh){.vertices = frame->position,
                                       .vertex_count = flat ? (size_t)frame->count : 0,
                                       .triangles = frame->triangles,
                                       .triangle_count = flat};
    return lines ? make_tubes(frame, sheets, sheets->painted + flat, error) : CT_OK;
}

void ct_sheets_release(ct_sheets *sheets)
{
    if (!sheets->heap) return;
    ct_release(sheets->heap, sheets->painted);
    ct_release(sheets->heap, sheets->tube_vertices);
    ct_release(sheets->heap, sheets->tube_triangles);
    *sheets = (ct_sheets){.heap = NULL};
}

/* Both lists rise: one walk. */
ct_status ct_sheets_loosen(ct_heap *heap, const ct_frame *frame, ct_shown *shown, ct_error *error)
{
    ct_cells cells;
    ct_status status = ct_cells_create(heap, frame, &cells, error);
    if (status) return status;
    size_t kept = 0;
    uint64_t next = 0;
    for (size_t k = 0; k < shown->count; k++) {
        while (next < cells.loose_count && cells.loose[next] < (uint64_t)shown->particles[k]) next++;
        bool is_loose = next < cells.loose_count && cells.loose[next] == (uint64_t)shown->particles[k];
        if (is_loose) shown->particles[kept++] = shown->particles[k];
    }
    shown->count = kept;
    ct_cells_release(&cells);
    return CT_OK;
}
