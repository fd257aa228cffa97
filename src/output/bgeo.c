/* BGEO: Houdini's classic binary geometry, version 5, big endian: counts, the attributes of points with their
 * defaults, then for each point x y z 1 and its attributes, all of 4 bytes; then the primitives: triangles
 * as closed polygons, strands as open ones. */
#include "output/cells.h"

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

/* A polygon by its key, the number of its corners, whether it is closed, and their points: of two bytes where
 * all points can be told apart by them. */
static void begin_polygon(ct_file *file, uint64_t corners, char closed_or_open)
{
    enum { KEY_OF_POLYGON = 1 };
    write_big32(file, KEY_OF_POLYGON);
    write_big32(file, (uint32_t)corners);
    ct_file_write(file, &closed_or_open, 1);
}

static void write_corner(ct_file *file, const ct_frame *frame, uint32_t point)
{
    if (frame->count > UINT16_MAX) write_big32(file, point);
    else write_big16(file, point);
}

static void write_primitives(ct_file *file, const ct_frame *frame)
{
    for (uint64_t t = 0; t < frame->triangle_count && !file->failure; t++) {
        begin_polygon(file, 3, '<');
        for (int c = 0; c < 3; c++) write_corner(file, frame, frame->triangles[t][c]);
    }
    for (uint64_t l = 0; l < frame->line_count && !file->failure;) {
        uint64_t length = ct_strand_length(frame, l), end = l + length;
        begin_polygon(file, length + 1, ':');
        write_corner(file, frame, frame->lines[l][0]);
        for (; l < end; l++) write_corner(file, frame, frame->lines[l][1]);
    }
}

static uint64_t primitive_count(const ct_frame *frame)
{
    uint64_t count = frame->triangle_count;
    for (uint64_t l = 0; l < frame->line_count; l += ct_strand_length(frame, l)) count++;
    return count;
}

ct_status ct_write_bgeo(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    uint64_t primitives = primitive_count(frame);
    if (frame->count > INT32_MAX || primitives > INT32_MAX || frame->line_count > INT32_MAX)
        return ct_fail(error, CT_BAD_USAGE,
                       "'%s': %llu particles and %llu primitives are too many for a bgeo file", target.shown,
                       (unsigned long long)frame->count, (unsigned long long)primitives);
    ct_file file;
    status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    /* points, primitives, groups of points and of primitives, attributes of points, vertices, primitives, all
     */
    const uint32_t counts[8] = {
        (uint32_t)frame->count, (uint32_t)primitives, 0, 0, (uint32_t)frame->field_count, 0, 0, 0};
    ct_file_write(&file, "BgeoV", 5);
    write_big32(&file, 5);
    for (int k = 0; k < 8; k++) write_big32(&file, counts[k]);
    for (int k = 0; k < frame->field_count; k++) write_attribute(&file, &frame->fields[k]);
    for (size_t p = 0; p < frame->count && !file.failure; p++) write_point(&file, frame, p);
    write_primitives(&file, frame);
    ct_file_write(&file, (const unsigned char[2]){0x00, 0xff}, 2); /* the end */
    return ct_file_commit(&file, error);
}
