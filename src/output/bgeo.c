/* BGEO: Houdini's classic binary geometry, version 5, big endian: counts, the attributes of points with their
 * defaults, then for each point x y z 1 and its attributes, all of 4 bytes. */
#include "output/writer.h"

#include <string.h>

enum { KIND_FLOAT = 0, KIND_INTEGER = 1, KIND_VECTOR = 5 };

static void write_big16(ct_file *file, uint32_t number)
{
    ct_file_write(file, (const unsigned char[2]){(unsigned char)(number >> 8), (unsigned char)number}, 2);
}

static void write_big32(ct_file *file, uint32_t number)
{
    write_big16(file, number >> 16);
    write_big16(file, number);
}

static void write_float(ct_file *file, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    write_big32(file, bits);
}

static bool is_real(const ct_frame_field *field)
{
    return field->info.type == CT_TYPE_FLOAT32 || field->info.type == CT_TYPE_FLOAT64;
}

/* Houdini calls some things by letters. */
static const char *name_of(const ct_frame_field *field)
{
    bool is_vector = field->info.components == 3;
    if (is_vector && !strcmp(field->info.name, "velocity")) return "v";
    if (is_vector && !strcmp(field->info.name, "normal")) return "N";
    return field->info.name;
}

static void write_attribute(ct_file *file, const ct_frame_field *field)
{
    const char *name = name_of(field);
    bool is_vector = !strcmp(name, "v") || !strcmp(name, "N");
    size_t length = strlen(name) < 255 ? strlen(name) : 255;
    write_big16(file, (uint32_t)length);
    ct_file_write(file, name, length);
    write_big16(file, (uint32_t)field->info.components);
    write_big32(file, is_vector ? KIND_VECTOR : is_real(field) ? KIND_FLOAT : KIND_INTEGER);
    for (int c = 0; c < field->info.components; c++) write_big32(file, 0); /* defaults */
}

static void write_point(ct_file *file, const ct_frame *frame, size_t particle)
{
    for (int a = 0; a < 3; a++) write_float(file, (float)frame->position[particle][a]);
    write_float(file, 1);
    for (int k = 0; k < frame->field_count; k++) {
        const ct_frame_field *field = &frame->fields[k];
        for (int c = 0; c < field->info.components; c++) {
            double value = ct_frame_value(field, particle * (size_t)field->info.components + (size_t)c);
            if (is_real(field)) write_float(file, (float)value);
            else write_big32(file, (uint32_t)value);
        }
    }
}

ct_status ct_write_bgeo(ct_heap *heap, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    if (frame->triangle_count)
        return ct_fail(error, CT_BAD_USAGE,
                       "'%s': bgeo files hold particles only; surfaces go to obj, ply or usda", path);
    if (frame->count > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE, "'%s': %llu particles are too many for a bgeo file", path,
                       (unsigned long long)frame->count);
    ct_file file;
    status = ct_file_create(&file, heap, path, error);
    if (status) return status;
    /* points, primitives, groups of points and of primitives, attributes of points, vertices, primitives, all
     */
    const uint32_t counts[8] = {(uint32_t)frame->count, 0, 0, 0, (uint32_t)frame->field_count, 0, 0, 0};
    ct_file_write(&file, "BgeoV", 5);
    write_big32(&file, 5);
    for (int k = 0; k < 8; k++) write_big32(&file, counts[k]);
    for (int k = 0; k < frame->field_count; k++) write_attribute(&file, &frame->fields[k]);
    for (size_t p = 0; p < frame->count && !file.failure; p++) write_point(&file, frame, p);
    ct_file_write(&file, (const unsigned char[2]){0x00, 0xff}, 2); /* the end */
    return ct_file_commit(&file, error);
}
