#include "particles/ply.h"

#include <math.h>
#include <string.h>

/* The names of the types, old and new. */
static const struct {
    const char *name;
    ct_binary_type type;
} type_names[] = {
    {"char", CT_INT8},     {"uchar", CT_UINT8},    {"short", CT_INT16},     {"ushort", CT_UINT16},
    {"int", CT_INT32},     {"uint", CT_UINT32},    {"float", CT_FLOAT32},   {"int8", CT_INT8},
    {"uint8", CT_UINT8},   {"int16", CT_INT16},    {"int32", CT_INT32},     {"int64", CT_INT64},
    {"long", CT_INT64},    {"double", CT_FLOAT64}, {"uint16", CT_UINT16},   {"ulong", CT_UINT64},
    {"uint32", CT_UINT32}, {"uint64", CT_UINT64},  {"float32", CT_FLOAT32}, {"float64", CT_FLOAT64},
};

static ct_status read_type(const ct_ply *ply, ct_slice *rest, ct_binary_type *type, ct_error *error)
{
    ct_slice word;
    ct_slice_word(rest, &word);
    for (size_t i = 0; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (!ct_slice_is(word, type_names[i].name)) continue;
        *type = type_names[i].type;
        return CT_OK;
    }
    return ct_scan_fail(&ply->scan, error, "'%.*s' is not a type of numbers", ct_slice_width(word), word.at);
}

static ct_status read_name(const ct_ply *ply, ct_slice *rest, char name[CT_PLY_NAME], ct_error *error)
{
    ct_slice word;
    if (!ct_slice_word(rest, &word)) return ct_scan_fail(&ply->scan, error, "a name is missing");
    if (word.length >= CT_PLY_NAME)
        return ct_scan_fail(&ply->scan, error, "a name of %zu letters; at most %d", word.length,
                            CT_PLY_NAME - 1);
    ct_slice_copy(word, name, CT_PLY_NAME);
    return CT_OK;
}

static ct_status read_format(ct_ply *ply, ct_slice rest, ct_error *error)
{
    ct_slice word;
    ct_slice_word(&rest, &word);
    ply->is_text = ct_slice_is(word, "ascii");
    ply->is_big_endian = ct_slice_is(word, "binary_big_endian");
    if (ply->is_text || ply->is_big_endian || ct_slice_is(word, "binary_little_endian")) return CT_OK;
    return ct_scan_fail(&ply->scan, error,
                        "the format must be ascii, binary_little_endian or binary_big_endian");
}

static ct_status read_element(ct_ply *ply, ct_slice rest, ct_error *error)
{
    if (ply->element_count == CT_PLY_ELEMENTS)
        return ct_scan_fail(&ply->scan, error, "more than %d elements", CT_PLY_ELEMENTS);
    ct_ply_element *element = &ply->elements[ply->element_count];
    ct_status status = read_name(ply, &rest, element->name, error);
    if (status) return status;
    ct_slice word;
    ct_slice_word(&rest, &word);
    if (!ct_slice_integer(word, &element->count) || element->count < 0)
        return ct_scan_fail(&ply->scan, error, "element '%s' needs a count", element->name);
    element->first_property = ply->property_count;
    ply->element_count++;
    return CT_OK;
}

static ct_status read_property(ct_ply *ply, ct_slice rest, ct_error *error)
{
    if (!ply->element_count) return ct_scan_fail(&ply->scan, error, "a property before any element");
    if (ply->property_count == CT_PLY_PROPERTIES)
        return ct_scan_fail(&ply->scan, error, "more than %d properties", CT_PLY_PROPERTIES);
    ct_ply_property *property = &ply->properties[ply->property_count];
    ct_slice after = rest, word;
    ct_slice_word(&after, &word);
    property->is_list = ct_slice_is(word, "list");
    ct_status status = CT_OK;
    if (property->is_list) {
        rest = after;
        status = read_type(ply, &rest, &property->count_type, error);
        if (!status && property->count_type >= CT_FLOAT32)
            return ct_scan_fail(&ply->scan, error, "the length of a list must be of an integer type");
    }
    if (!status) status = read_type(ply, &rest, &property->type, error);
    if (!status) status = read_name(ply, &rest, property->name, error);
    if (status) return status;
    property->line = ply->scan.line;
    ply->property_count++;
    ply->elements[ply->element_count - 1].property_count++;
    return CT_OK;
}

static ct_status read_comment(ct_ply *ply, ct_slice rest, ct_error *error)
{
    (void)error;
    ct_slice name, word;
    double number;
    if (!ct_slice_word(&rest, &name) || !ct_slice_word(&rest, &word) || !ct_slice_number(word, &number))
        return CT_OK;
    if (ct_slice_is(name, "time")) ply->time = number;
    if (ct_slice_is(name, "step")) ply->step = number;
    return CT_OK;
}

static const struct {
    const char *word;
    ct_status (*read)(ct_ply *ply, ct_slice rest, ct_error *error);
} header_lines[] = {
    {"format", read_format},   {"element", read_element},  {"property", read_property},
    {"comment", read_comment}, {"obj_info", read_comment},
};

static ct_status read_header_line(ct_ply *ply, ct_slice word, ct_slice rest, ct_error *error)
{
    for (size_t i = 0; i < sizeof header_lines / sizeof header_lines[0]; i++)
        if (ct_slice_is(word, header_lines[i].word)) return header_lines[i].read(ply, rest, error);
    return ct_scan_fail(&ply->scan, error, "'%.*s' is no line of a PLY header", ct_slice_width(word),
                        word.at);
}

ct_status ct_ply_open(ct_ply *ply, const char *name, const char *bytes, size_t count, ct_error *error)
{
    memset(ply, 0, sizeof *ply);
    ply->scan = ct_scan_begin(name, bytes, count);
    ply->time = NAN;
    ply->step = 0;
    ct_slice line, word;
    if (!ct_scan_line(&ply->scan, &line) || !ct_slice_word(&line, &word) || !ct_slice_is(word, "ply"))
        return ct_scan_fail(&ply->scan, error, "a PLY file begins with a line 'ply'");
    bool has_format = false;
    while (ct_scan_line(&ply->scan, &line)) {
        if (!ct_slice_word(&line, &word)) continue;
        if (ct_slice_is(word, "end_header")) {
            if (!has_format) return ct_scan_fail(&ply->scan, error, "the header names no format");
            ply->scan.is_binary = !ply->is_text;
            ply->scan.line++;
            return CT_OK;
        }
        if (ct_slice_is(word, "format")) has_format = true;
        ct_status status = read_header_line(ply, word, line, error);
        if (status) return status;
    }
    return ct_scan_fail(&ply->scan, error, "the file ends before 'end_header'");
}

ct_status ct_ply_number(ct_ply *ply, ct_binary_type type, double *number, ct_error *error)
{
    if (ply->is_text) {
        ct_slice word;
        if (!ct_scan_word(&ply->scan, &word))
            return ct_scan_fail(&ply->scan, error,
                                "the file ends before all the numbers its header promises");
        if (ct_slice_number(word, number)) return CT_OK;
        return ct_scan_fail(&ply->scan, error, "'%.*s' is not a number", ct_slice_width(word), word.at);
    }
    size_t size = ct_binary_size(type);
    if ((size_t)(ply->scan.end - ply->scan.at) < size)
        return ct_scan_fail(&ply->scan, error, "the file ends before all the numbers its header promises");
    *number = ct_binary_decode(type, ply->scan.at, ply->is_big_endian);
    ply->scan.at += size;
    return CT_OK;
}

ct_status ct_ply_length(ct_ply *ply, ct_binary_type type, uint64_t *length, ct_error *error)
{
    double number;
    ct_status status = ct_ply_number(ply, type, &number, error);
    if (status) return status;
    if (!(number >= 0 && number <= 0x1p53) || number != floor(number))
        return ct_scan_fail(&ply->scan, error, "%g is no length of a list", number);
    *length = (uint64_t)number;
    return CT_OK;
}

ct_status ct_ply_skip(ct_ply *ply, const ct_ply_property *property, ct_error *error)
{
    uint64_t length = 1;
    ct_status status = CT_OK;
    if (property->is_list) status = ct_ply_length(ply, property->count_type, &length, error);
    double ignored;
    for (uint64_t i = 0; i < length && !status; i++)
        status = ct_ply_number(ply, property->type, &ignored, error);
    return status;
}

ct_status ct_ply_skip_element(ct_ply *ply, const ct_ply_element *element, ct_error *error)
{
    if (!element->property_count) return CT_OK; /* rows of nothing, however many */
    ct_status status = CT_OK;
    for (int64_t row = 0; row < element->count && !status; row++)
        for (int p = 0; p < element->property_count && !status; p++)
            status = ct_ply_skip(ply, &ply->properties[element->first_property + p], error);
    return status;
}

int ct_ply_find(const ct_ply *ply, const ct_ply_element *element, const char *name)
{
    for (int p = element->first_property; p < element->first_property + element->property_count; p++)
        if (strcmp(ply->properties[p].name, name) == 0) return p;
    return -1;
}
