#include "output/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY(name, doc) {#name, #name, doc, ct_write_##name},
static const ct_writer writers[] = {CT_WRITERS(ENTRY)};

enum { WRITER_COUNT = sizeof writers / sizeof writers[0] };

const ct_writer *ct_writer_at(int index)
{
    return index >= 0 && index < WRITER_COUNT ? &writers[index] : NULL;
}

const ct_writer *ct_writer_find(const char *name)
{
    for (int i = 0; i < WRITER_COUNT; i++)
        if (!strcmp(writers[i].name, name)) return &writers[i];
    return NULL;
}

static const ct_number_type number_types[] = {
    [CT_TYPE_FLOAT32] = {"Float32", "float", 4},
    [CT_TYPE_FLOAT64] = {"Float64", "double", 8},
    [CT_TYPE_UINT16] = {"UInt16", "ushort", 2},
    [CT_TYPE_UINT32] = {"UInt32", "uint", 4},
};

const ct_number_type *ct_number_type_of(ct_type type)
{
    return (unsigned)type < sizeof number_types / sizeof number_types[0] ? &number_types[type] : NULL;
}

static ct_status check_corners(const ct_frame *frame, const char *what, const uint32_t *corners,
                               uint64_t count, uint64_t sides, ct_error *error)
{
    if (count > SIZE_MAX / 64 || (count && !corners))
        return ct_fail(error, CT_BAD_USAGE, "a frame of %llu %ss has no such corners",
                       (unsigned long long)count, what);
    for (uint64_t k = 0; k < count * sides; k++)
        if (corners[k] >= frame->count)
            return ct_fail(error, CT_BAD_USAGE, "%s %llu of a frame has no point %u", what,
                           (unsigned long long)(k / sides), corners[k]);
    return CT_OK;
}

ct_status ct_frame_check(const ct_frame *frame, ct_error *error)
{
    if (frame->count > SIZE_MAX / sizeof frame->position[0] || (frame->count && !frame->position))
        return ct_fail(error, CT_BAD_USAGE, "a frame of %llu particles has no such positions",
                       (unsigned long long)frame->count);
    for (int i = 0; i < frame->field_count; i++) {
        const ct_quantity_info *info = &frame->fields[i].info;
        const ct_number_type *type = ct_number_type_of(info->type);
        if (!info->name || !info->name[0])
            return ct_fail(error, CT_BAD_USAGE, "field %d of a frame has no name", i);
        if (!type || info->components < 1 || (frame->count && !frame->fields[i].values))
            return ct_fail(error, CT_BAD_USAGE, "field '%s' of a frame has no values, components or type",
                           info->name);
        if (frame->count > SIZE_MAX / type->bytes / (size_t)info->components)
            return ct_fail(error, CT_BAD_USAGE, "field '%s' of a frame: %llu particles are too many",
                           info->name, (unsigned long long)frame->count);
    }
    ct_status status =
        check_corners(frame, "triangle", (const uint32_t *)frame->triangles, frame->triangle_count, 3, error);
    if (!status)
        status = check_corners(frame, "line", (const uint32_t *)frame->lines, frame->line_count, 2, error);
    if (!status)
        status = check_corners(frame, "tetrahedron", (const uint32_t *)frame->tetrahedra,
                               frame->tetrahedron_count, 4, error);
    return status;
}

const ct_frame_field *ct_frame_field_named(const ct_frame *frame, const char *name)
{
    for (int k = 0; k < frame->field_count; k++)
        if (!strcmp(frame->fields[k].info.name, name)) return &frame->fields[k];
    return NULL;
}

void ct_frame_list_bodies(const ct_frame *frame, ct_text *names)
{
    for (int i = 0; i < frame->body_count; i++) {
        for (const char *c = frame->body_names[i]; *c; c++) ct_text_append(names, *c == '\n' ? " " : c, 1);
        ct_text_append(names, "\n", 1);
    }
}

double ct_frame_value(const ct_frame_field *field, size_t place)
{
    switch (field->info.type) {
    case CT_TYPE_FLOAT32:
        return (double)((const float *)field->values)[place];
    case CT_TYPE_FLOAT64:
        return ((const double *)field->values)[place];
    case CT_TYPE_UINT16:
        return ((const uint16_t *)field->values)[place];
    case CT_TYPE_UINT32:
        return ((const uint32_t *)field->values)[place];
    }
    return NAN;
}

void ct_write_value(ct_file *file, const ct_frame_field *field, size_t place)
{
    double value = ct_frame_value(field, place);
    bool is_real = field->info.type == CT_TYPE_FLOAT32 || field->info.type == CT_TYPE_FLOAT64;
    if (!is_real) ct_file_print(file, "%.0f", value);
    else
        ct_write_number(file, value,
                        field->info.type == CT_TYPE_FLOAT32 ? CT_FLOAT_DIGITS : CT_DOUBLE_DIGITS);
}

void ct_write_column_name(ct_file *file, const ct_quantity_info *info, int component)
{
    static const char *const vector[] = {"x", "y", "z"};
    static const char *const matrix[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    for (const char *c = info->name; *c; c++) {
        bool ends_a_column = (unsigned char)*c <= ' ' || *c == 0x7f || *c == ',' || *c == ';' || *c == '"';
        ct_file_write(file, ends_a_column ? "_" : c, 1);
    }
    if (info->components == 1) return;
    if (info->components <= 3) ct_file_print(file, "_%s", vector[component]);
    else if (info->components == 9) ct_file_print(file, "_%s", matrix[component]);
    else ct_file_print(file, "_%d", component);
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

void ct_write_line_text(ct_file *file, const char *text)
{
    for (; *text; text++) ct_file_write(file, is_control(*text) ? " " : text, 1);
}

void ct_write_xml_text(ct_file *file, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found) ct_file_print(file, "%s", escapes[found - special]);
        else ct_file_write(file, is_control(*text) ? " " : text, 1);
    }
}

void ct_write_number(ct_file *file, double value, int digits)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.*g", digits, value);
    /* The decimal point is the locale's, maybe of several bytes: what no number holds becomes one stop. */
    int used = 0;
    for (int i = 0; i < length; i++) {
        bool is_plain = strchr("0123456789+-einfa", text[i]) != NULL;
        if (is_plain) text[used++] = text[i];
        else if (used == 0 || text[used - 1] != '.') text[used++] = '.';
    }
    ct_file_write(file, text, (size_t)used);
}
