/* PLY: a text header, then for each particle its properties side by side, little endian;
 * triangles are the element "face", segments of strands the element "edge". Time, step, units and the names
 * of the bodies stand in comments, which every reader skips. */
#include "output/writer.h"

#include <inttypes.h>
#include <math.h>

static void write_properties(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "property double x\nproperty double y\nproperty double z\n");
    for (int i = 0; i < frame->field_count; i++) {
        const ct_quantity_info *info = &frame->fields[i].info;
        for (int c = 0; c < info->components; c++) {
            ct_file_print(file, "property %s ", ct_number_type_of(info->type)->ply);
            ct_write_column_name(file, info, c);
            ct_file_print(file, "\n");
        }
    }
}

static void write_comments(ct_file *file, const ct_frame *frame)
{
    if (isfinite(frame->time)) {
        ct_file_print(file, "comment time ");
        ct_write_number(file, frame->time, CT_DOUBLE_DIGITS);
        ct_file_print(file, "\n");
    }
    ct_file_print(file, "comment step %" PRIu64 "\n", frame->step);
    for (int i = 0; i < frame->field_count; i++) {
        const ct_quantity_info *info = &frame->fields[i].info;
        if (!info->unit || !info->unit[0]) continue;
        ct_file_print(file, "comment unit ");
        ct_write_line_text(file, info->name);
        ct_file_print(file, " ");
        ct_write_line_text(file, info->unit);
        ct_file_print(file, "\n");
    }
    for (int i = 0; i < frame->body_count; i++) {
        ct_file_print(file, "comment body %d ", i);
        ct_write_line_text(file, frame->body_names[i]);
        ct_file_print(file, "\n");
    }
}

static void write_header(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "ply\nformat binary_little_endian 1.0\n");
    write_comments(file, frame);
    ct_file_print(file, "element vertex %" PRIu64 "\n", frame->count);
    write_properties(file, frame);
    if (frame->triangle_count)
        ct_file_print(file, "element face %" PRIu64 "\nproperty list uchar uint vertex_indices\n",
                      frame->triangle_count);
    if (frame->triangle_count && frame->uv) ct_file_print(file, "property list uchar float texcoord\n");
    if (frame->line_count)
        ct_file_print(file, "element edge %" PRIu64 "\nproperty uint vertex1\nproperty uint vertex2\n",
                      frame->line_count);
    ct_file_print(file, "end_header\n");
}

static void write_vertex(ct_file *file, const ct_frame *frame, size_t particle)
{
    ct_file_write(file, frame->position[particle], sizeof frame->position[particle]);
    for (int i = 0; i < frame->field_count; i++) {
        const ct_frame_field *field = &frame->fields[i];
        size_t bytes = ct_number_type_of(field->info.type)->bytes * (size_t)field->info.components;
        ct_file_write(file, (const char *)field->values + particle * bytes, bytes);
    }
}

ct_status ct_write_ply(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_file file;
    status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    write_header(&file, frame);
    for (size_t particle = 0; particle < frame->count && !file.failure; particle++)
        write_vertex(&file, frame, particle);
    for (uint64_t t = 0; t < frame->triangle_count && !file.failure; t++) {
        ct_file_write(&file, &(unsigned char){3}, 1);
        ct_file_write(&file, frame->triangles[t], sizeof frame->triangles[t]);
        if (!frame->uv) continue;
        ct_file_write(&file, &(unsigned char){6}, 1);
        ct_file_write(&file, frame->uv[t], sizeof frame->uv[t]);
    }
    if (frame->line_count)
        ct_file_write(&file, frame->lines, (size_t)frame->line_count * sizeof *frame->lines);
    return ct_file_commit(&file, error);
}
