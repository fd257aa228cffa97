/* CSV: a line of names, then a line per particle. */
#include "output/writer.h"

static void write_header(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "x,y,z");
    for (int i = 0; i < frame->field_count; i++)
        for (int c = 0; c < frame->fields[i].info.components; c++) {
            ct_file_print(file, ",");
            ct_write_column_name(file, &frame->fields[i].info, c);
        }
    ct_file_print(file, "\n");
}

static void write_row(ct_file *file, const ct_frame *frame, size_t particle)
{
    for (int axis = 0; axis < 3; axis++) {
        if (axis) ct_file_write(file, ",", 1);
        ct_write_number(file, frame->position[particle][axis], CT_DOUBLE_DIGITS);
    }
    for (int i = 0; i < frame->field_count; i++) {
        const ct_frame_field *field = &frame->fields[i];
        size_t components = (size_t)field->info.components;
        for (size_t c = 0; c < components; c++) {
            ct_file_write(file, ",", 1);
            ct_write_value(file, field, particle * components + c);
        }
    }
    ct_file_write(file, "\n", 1);
}

ct_status ct_write_csv(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_file file;
    status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    write_header(&file, frame);
    for (size_t particle = 0; particle < frame->count && !file.failure; particle++)
        write_row(&file, frame, particle);
    return ct_file_commit(&file, error);
}
