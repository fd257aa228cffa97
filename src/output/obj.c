/* OBJ: a line per vertex, a line a normal and a texture coordinate where the frame has them, a line a triangle,
 * a line a strand; numbers count from 1. */
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

/* Lines "vt", and the numbers of those of all corners, from 1. A corner uses the line of the corner before it at
 * the same vertex where they agree: seams apart, a vertex has one. */
static ct_status write_uv(ct_file *file, ct_heap *heap, const ct_frame *frame, uint64_t *numbers,
                          ct_error *error)
{
    size_t bytes = (size_t)frame->count * sizeof(uint64_t);
    uint64_t *last = ct_allocate_zero(heap, bytes), count = 0; /* corner + 1 of a vertex; 0: none yet */
    if (!last) return ct_fail_memory(error, bytes);
    for (uint64_t k = 0; k < 3 * frame->triangle_count && !file->failure; k++) {
        uint32_t vertex = frame->triangles[k / 3][k % 3];
        const float *uv = frame->uv[k / 3] + 2 * (k % 3);
        uint64_t other = last[vertex];
        const float *before = other ? frame->uv[(other - 1) / 3] + 2 * ((other - 1) % 3) : NULL;
        last[vertex] = k + 1;
        bool is_same = before && before[0] == uv[0] && before[1] == uv[1];
        numbers[k] = is_same ? numbers[other - 1] : ++count;
        if (is_same) continue;
        ct_file_print(file, "vt ");
        ct_write_number(file, (double)uv[0], CT_FLOAT_DIGITS);
        ct_file_print(file, " ");
        ct_write_number(file, (double)uv[1], CT_FLOAT_DIGITS);
        ct_file_print(file, "\n");
    }
    ct_release(heap, last);
    return CT_OK;
}

/* `numbers`: of the texture coordinates of all corners, or NULL. */
static void write_triangles(ct_file *file, const ct_frame *frame, const uint64_t *numbers, bool has_normals)
{
    for (uint64_t k = 0; k < 3 * frame->triangle_count && !file->failure; k++) {
        uint64_t vertex = frame->triangles[k / 3][k % 3] + UINT64_C(1);
        ct_file_print(file, "%s%" PRIu64, k % 3 ? " " : "f ", vertex);
        if (numbers) ct_file_print(file, "/%" PRIu64, numbers[k]);
        if (has_normals) ct_file_print(file, "%s%" PRIu64, numbers ? "/" : "//", vertex);
        if (k % 3 == 2) ct_file_print(file, "\n");
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
    size_t bytes = 3 * (size_t)frame->triangle_count * sizeof(uint64_t);
    uint64_t *numbers = frame->uv ? ct_allocate(heap, bytes) : NULL;
    if (frame->uv)
        status = numbers ? write_uv(&file, heap, frame, numbers, error) : ct_fail_memory(error, bytes);
    if (!status) write_triangles(&file, frame, numbers, normals != NULL);
    ct_release(heap, numbers);
    if (status) {
        ct_file_abandon(&file);
        return status;
    }
    for (uint64_t l = 0; l < frame->line_count && !file.failure;) {
        uint64_t end = l + ct_strand_length(frame, l);
        ct_file_print(&file, "l %" PRIu64, frame->lines[l][0] + UINT64_C(1));
        for (; l < end; l++) ct_file_print(&file, " %" PRIu64, frame->lines[l][1] + UINT64_C(1));
        ct_file_print(&file, "\n");
    }
    return ct_file_commit(&file, error);
}
