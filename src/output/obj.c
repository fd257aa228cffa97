/* OBJ: a line per vertex, a line a normal where the frame has them, a line a triangle, a line
 * a strand; numbers count from 1. */
#include "output/cells.h"

#include <inttypes.h>

static void write_vector(ct_file *file, const char *word, const double vector[3], int digits)
{
    ct_file_print(file, "%s", word);
    for (int a = 0; a < 3; a++) {
        ct_file_write(file, " ", 1);
        ct_write_number(file, vector[a], digits);
    }
    ct_file_write(file, "\n", 1);
}

static void write_normals(ct_file *file, const ct_frame *frame, const ct_frame_field *normals)
{
    for (size_t k = 0; k < frame->count && !file->failure; k++) {
        double normal[3];
        for (size_t a = 0; a < 3; a++) normal[a] = ct_frame_value(normals, 3 * k + a);
        write_vector(file, "vn", normal, 6);
    }
}

ct_status ct_write_obj(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_file file;
    status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    const ct_frame_field *normals = ct_frame_field_named(frame, "normal");
    if (normals && normals->info.components != 3) normals = NULL;
    ct_file_print(&file, "# continua, step %" PRIu64 "; metres, y up\n", frame->step);
    for (size_t k = 0; k < frame->count && !file.failure; k++)
        write_vector(&file, "v", frame->position[k], CT_FLOAT_DIGITS);
    if (normals) write_normals(&file, frame, normals);
    for (uint64_t t = 0; t < frame->triangle_count && !file.failure; t++) {
        const uint32_t *corner = frame->triangles[t];
        uint64_t a = corner[0] + 1ull, b = corner[1] + 1ull, c = corner[2] + 1ull;
        if (normals)
            ct_file_print(&file,
                          "f %" PRIu64 "//%" PRIu64 " %" PRIu64 "//%" PRIu64 " %" PRIu64 "//%" PRIu64 "\n", a,
                          a, b, b, c, c);
        else ct_file_print(&file, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", a, b, c);
    }
    for (uint64_t l = 0; l < frame->line_count && !file.failure;) {
        uint64_t end = l + ct_strand_length(frame, l);
        ct_file_print(&file, "l %" PRIu64, frame->lines[l][0] + UINT64_C(1));
        for (; l < end; l++) ct_file_print(&file, " %" PRIu64, frame->lines[l][1] + UINT64_C(1));
        ct_file_print(&file, "\n");
    }
    return ct_file_commit(&file, error);
}
