/* Extended XYZ: the number of particles, a line of key=value pairs that names the columns
 * (Properties=name:type: count:...), then a line per particle. The species is the name of its body. */
#include "output/writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What readers of the format call things. */
static const char *known_name(const char *name)
{
    static const char *const names[][2] = {{"velocity", "velo"}, {"body", "body"}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (!strcmp(names[k][0], name)) return names[k][1];
    return name;
}

/* A word: what would end one becomes an underscore. */
static void write_word(ct_file *file, const char *word)
{
    if (!*word) ct_file_print(file, "_");
    for (; *word; word++) {
        bool ends_it =
            (unsigned char)*word <= ' ' || *word == 0x7f || *word == ':' || *word == '"' || *word == '=';
        ct_file_write(file, ends_it ? "_" : word, 1);
    }
}

static bool is_real(const ct_frame_field *field)
{
    return field->info.type == CT_TYPE_FLOAT32 || field->info.type == CT_TYPE_FLOAT64;
}

static void write_header(ct_file *file, const ct_frame *frame)
{
    ct_file_print(file, "%" PRIu64 "\n", frame->count);
    if (isfinite(frame->time)) {
        ct_file_print(file, "Time=");
        ct_write_number(file, frame->time, CT_DOUBLE_DIGITS);
        ct_file_print(file, " ");
    }
    ct_file_print(file, "Step=%" PRIu64 " pbc=\"F F F\" Properties=species:S:1:pos:R:3", frame->step);
    for (int k = 0; k < frame->field_count; k++) {
        const ct_frame_field *field = &frame->fields[k];
        ct_file_print(file, ":");
        write_word(file, known_name(field->info.name));
        ct_file_print(file, ":%c:%d", is_real(field) ? 'R' : 'I', field->info.components);
    }
    ct_file_print(file, "\n");
}

static void write_species(ct_file *file, const ct_frame *frame, const ct_frame_field *body, size_t particle)
{
    int number = body ? (int)ct_frame_value(body, particle) : -1;
    if (number >= 0 && number < frame->body_count) write_word(file, frame->body_names[number]);
    else if (number >= 0) ct_file_print(file, "body%d", number);
    else ct_file_print(file, "X");
}

static void write_row(ct_file *file, const ct_frame *frame, const ct_frame_field *body, size_t particle)
{
    write_species(file, frame, body, particle);
    for (int a = 0; a < 3; a++) {
        ct_file_write(file, " ", 1);
        ct_write_number(file, frame->position[particle][a], CT_DOUBLE_DIGITS);
    }
    for (int k = 0; k < frame->field_count; k++) {
        size_t components = (size_t)frame->fields[k].info.components;
        for (size_t c = 0; c < components; c++) {
            ct_file_write(file, " ", 1);
            ct_write_value(file, &frame->fields[k], particle * components + c);
        }
    }
    ct_file_write(file, "\n", 1);
}

ct_status ct_write_xyz(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_file file;
    status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    const ct_frame_field *body = ct_frame_field_named(frame, "body");
    write_header(&file, frame);
    for (size_t particle = 0; particle < frame->count && !file.failure; particle++)
        write_row(&file, frame, body, particle);
    return ct_file_commit(&file, error);
}
