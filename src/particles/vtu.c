#include "particles/vtu.h"

#include "particles/xml.h"

#include <string.h>

enum { MOST_COMPONENTS = 64 };

static const struct {
    const char *tag;
    ct_vtu_section section;
} sections[] = {{"FieldData", CT_VTU_FIELD_DATA},
                {"Points", CT_VTU_POINTS},
                {"PointData", CT_VTU_POINT_DATA},
                {"Cells", CT_VTU_CELLS}};

static const struct {
    const char *name;
    ct_binary_type type;
} types[] = {
    {"Float32", CT_FLOAT32}, {"Float64", CT_FLOAT64}, {"Int8", CT_INT8},   {"UInt8", CT_UINT8},
    {"Int16", CT_INT16},     {"UInt16", CT_UINT16},   {"Int32", CT_INT32}, {"UInt32", CT_UINT32},
    {"Int64", CT_INT64},     {"UInt64", CT_UINT64},
};

static const char *const encodings[] = {
    [CT_VTU_TEXT] = "ascii", [CT_VTU_BASE64] = "binary", [CT_VTU_APPENDED] = "appended"};

ct_status ct_vtu_fail(const ct_vtu *vtu, const ct_vtu_array *array, const char *reason, ct_error *error)
{
    return ct_fail(error, CT_BAD_SCENE, "%s: the array '%s' %s", vtu->scan->name, array->name, reason);
}

/* ---- Tags --------------------------------------------------------------------------------------------- */

static bool attribute_is(const ct_xml_tag *tag, const char *name, const char *value)
{
    ct_slice found;
    return ct_xml_attribute(tag, name, &found) && ct_slice_is(found, value);
}

static bool attribute_count(const ct_xml_tag *tag, const char *name, uint64_t *count)
{
    ct_slice found;
    int64_t integer;
    if (!ct_xml_attribute(tag, name, &found) || !ct_slice_integer(found, &integer) || integer < 0)
        return false;
    *count = (uint64_t)integer;
    return true;
}

static ct_status read_file_tag(ct_vtu *vtu, const ct_xml_tag *tag, ct_error *error)
{
    ct_slice compressor;
    if (!attribute_is(tag, "type", "UnstructuredGrid") && !attribute_is(tag, "type", "PolyData"))
        return ct_scan_fail(vtu->scan, error, "the file must be of the type UnstructuredGrid or PolyData");
    vtu->is_big_endian = attribute_is(tag, "byte_order", "BigEndian");
    vtu->length_type = attribute_is(tag, "header_type", "UInt64") ? CT_UINT64 : CT_UINT32;
    vtu->is_compressed = ct_xml_attribute(tag, "compressor", &compressor) && compressor.length;
    return CT_OK;
}

static ct_status read_piece_tag(ct_vtu *vtu, const ct_xml_tag *tag, ct_error *error)
{
    if (vtu->has_piece) return ct_scan_fail(vtu->scan, error, "files of more than one piece are not read");
    vtu->has_piece = true;
    if (!attribute_count(tag, "NumberOfPoints", &vtu->points))
        return ct_scan_fail(vtu->scan, error, "the piece says no NumberOfPoints");
    attribute_count(tag, "NumberOfCells", &vtu->cells);
    return CT_OK;
}

static ct_status read_appended_tag(ct_vtu *vtu, const ct_xml_tag *tag, ct_error *error)
{
    vtu->appended_is_base64 = attribute_is(tag, "encoding", "base64");
    const char *mark = memchr(vtu->scan->at, '_', (size_t)(vtu->scan->end - vtu->scan->at));
    if (!mark) return ct_scan_fail(vtu->scan, error, "the appended data does not begin with '_'");
    vtu->appended = (ct_slice){mark + 1, (size_t)(vtu->scan->end - mark - 1)};
    return CT_OK;
}

/* False for types that are no numbers (String). */
static bool read_type(const ct_xml_tag *tag, ct_binary_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!attribute_is(tag, "type", types[i].name)) continue;
        *type = types[i].type;
        return true;
    }
    return false;
}

static ct_status read_array_tag(ct_vtu *vtu, ct_vtu_section section, const ct_xml_tag *tag, ct_error *error)
{
    if (vtu->array_count == CT_VTU_ARRAYS)
        return ct_scan_fail(vtu->scan, error, "more than %d arrays", CT_VTU_ARRAYS);
    ct_vtu_array *array = &vtu->arrays[vtu->array_count];
    array->section = section;
    ct_slice name = {"Points", 6}, format = {"ascii", 5};
    if (!read_type(tag, &array->type)) {
        if (section != CT_VTU_POINTS) return CT_OK;
        return ct_scan_fail(vtu->scan, error, "the points are of no type of numbers");
    }
    ct_xml_attribute(tag, "Name", &name);
    ct_slice_copy(name, array->name, sizeof array->name);
    uint64_t components = 1;
    ct_slice given;
    if (ct_xml_attribute(tag, "NumberOfComponents", &given) && given.length &&
        (!attribute_count(tag, "NumberOfComponents", &components) || components < 1 ||
         components > MOST_COMPONENTS))
        return ct_scan_fail(vtu->scan, error, "the array '%s' must have 1 to %d components", array->name,
                            MOST_COMPONENTS);
    array->components = (int)components;
    ct_xml_attribute(tag, "format", &format);
    size_t encoding = 0;
    while (encoding < 3 && !ct_slice_is(format, encodings[encoding])) encoding++;
    if (encoding == 3)
        return ct_scan_fail(vtu->scan, error, "the array '%s' has the unknown format '%.*s'", array->name,
                            ct_slice_width(format), format.at);
    array->encoding = (ct_vtu_encoding)encoding;
    if (array->encoding == CT_VTU_APPENDED && !attribute_count(tag, "offset", &array->offset))
        return ct_scan_fail(vtu->scan, error, "the array '%s' has no offset", array->name);
    array->text = tag->is_empty ? (ct_slice){tag->text.at, 0} : tag->text;
    vtu->array_count++;
    return CT_OK;
}

static ct_vtu_section section_of(ct_slice tag)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (ct_slice_is(tag, sections[i].tag)) return sections[i].section;
    return CT_VTU_ELSEWHERE;
}

ct_status ct_vtu_list(ct_vtu *vtu, ct_error *error)
{
    ct_vtu_section section = CT_VTU_ELSEWHERE;
    bool has_file = false, is_done = false;
    ct_status status = CT_OK;
    for (ct_xml_tag tag; !status && !is_done && ct_xml_next(vtu->scan, &tag);) {
        if (section_of(tag.name) != CT_VTU_ELSEWHERE) {
            section = tag.is_closing || tag.is_empty ? CT_VTU_ELSEWHERE : section_of(tag.name);
        } else if (tag.is_closing) {
            is_done = ct_slice_is(tag.name, "VTKFile");
        } else if (ct_slice_is(tag.name, "VTKFile")) {
            has_file = true;
            status = read_file_tag(vtu, &tag, error);
        } else if (ct_slice_is(tag.name, "Piece")) {
            status = read_piece_tag(vtu, &tag, error);
        } else if (ct_slice_is(tag.name, "DataArray") && section != CT_VTU_ELSEWHERE) {
            status = read_array_tag(vtu, section, &tag, error);
        } else if (ct_slice_is(tag.name, "AppendedData")) {
            is_done = true; /* what follows need not be XML */
            status = read_appended_tag(vtu, &tag, error);
        }
    }
    if (!status && !has_file) status = ct_scan_fail(vtu->scan, error, "there is no tag <VTKFile>");
    if (!status && !is_done) status = ct_scan_fail(vtu->scan, error, "the file ends before </VTKFile>");
    if (!status && !vtu->has_piece) status = ct_scan_fail(vtu->scan, error, "there is no tag <Piece>");
    return status;
}

/* ---- Numbers ------------------------------------------------------------------------------------------ */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes up to `wanted` bytes; returns how many there were. Padding ends a group; some writers encode the
 * length apart from the data, so a new group may follow. */
static size_t decode_base64(ct_slice text, unsigned char *bytes, size_t wanted)
{
    size_t count = 0;
    uint32_t bits = 0;
    int bit_count = 0;
    for (size_t i = 0; i < text.length && count < wanted; i++) {
        char c = text.at[i];
        if (c == '=') bit_count = 0;
        if (c == '=' || c == ' ' || (c >= '\t' && c <= '\r')) continue;
        int digit = base64_digit(c);
        if (digit < 0) break;
        bits = bits << 6 | (uint32_t)digit;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        bytes[count++] = (unsigned char)(bits >> bit_count);
    }
    return count;
}

static ct_status decode_text(const ct_vtu *vtu, const ct_vtu_array *array, uint64_t count, double *values,
                             ct_error *error)
{
    ct_slice rest = array->text, word;
    for (uint64_t i = 0; i < count; i++) {
        if (!ct_slice_word(&rest, &word)) return ct_vtu_fail(vtu, array, "has too few numbers", error);
        if (!ct_slice_number(word, &values[i]))
            return ct_vtu_fail(vtu, array, "has something in it that is no number", error);
    }
    return CT_OK;
}

static void decode_numbers(const ct_vtu *vtu, const ct_vtu_array *array, const void *bytes, uint64_t count,
                           double *values)
{
    size_t size = ct_binary_size(array->type);
    for (uint64_t i = 0; i < count; i++)
        values[i] = ct_binary_decode(array->type, (const char *)bytes + i * size, vtu->is_big_endian);
}

static ct_status decode_raw(const ct_vtu *vtu, const ct_vtu_array *array, ct_slice data, uint64_t count,
                            double *values, ct_error *error)
{
    size_t head = ct_binary_size(vtu->length_type), size = ct_binary_size(array->type);
    if (data.length < head) return ct_vtu_fail(vtu, array, "lies beyond the end of the file", error);
    if (ct_binary_decode(vtu->length_type, data.at, vtu->is_big_endian) != (double)count * (double)size)
        return ct_vtu_fail(vtu, array, "has another length than the number of points asks for", error);
    if ((data.length - head) / size < count)
        return ct_vtu_fail(vtu, array, "lies beyond the end of the file", error);
    decode_numbers(vtu, array, data.at + head, count, values);
    return CT_OK;
}

static ct_status decode_letters(const ct_vtu *vtu, const ct_vtu_array *array, ct_slice data, uint64_t count,
                                double *values, ct_error *error)
{
    size_t head = ct_binary_size(vtu->length_type), size = ct_binary_size(array->type);
    if (data.length / size < count)
        return ct_vtu_fail(vtu, array, "is shorter than the number of points asks for", error);
    size_t wanted = head + (size_t)count * size;
    unsigned char *bytes = ct_allocate(vtu->heap, wanted);
    if (!bytes) return ct_fail_memory(error, wanted);
    size_t got = decode_base64(data, bytes, wanted);
    ct_status status = CT_OK;
    if (got < wanted ||
        ct_binary_decode(vtu->length_type, bytes, vtu->is_big_endian) != (double)(wanted - head))
        status = ct_vtu_fail(vtu, array, "has another length than the number of points asks for", error);
    else decode_numbers(vtu, array, bytes + head, count, values);
    ct_release(vtu->heap, bytes);
    return status;
}

/* The first `count` numbers of an array. */
ct_status ct_vtu_decode(const ct_vtu *vtu, const ct_vtu_array *array, uint64_t count, double *values,
                        ct_error *error)
{
    if (array->encoding == CT_VTU_TEXT) return decode_text(vtu, array, count, values, error);
    if (vtu->is_compressed)
        return ct_vtu_fail(vtu, array, "is compressed; write the file without compression", error);
    ct_slice data = array->text;
    if (array->encoding == CT_VTU_APPENDED) {
        if (!vtu->appended.at || array->offset > vtu->appended.length)
            return ct_vtu_fail(vtu, array, "lies beyond the end of the file", error);
        data = (ct_slice){vtu->appended.at + array->offset, vtu->appended.length - array->offset};
    }
    bool is_raw = array->encoding == CT_VTU_APPENDED && !vtu->appended_is_base64;
    return is_raw ? decode_raw(vtu, array, data, count, values, error)
                  : decode_letters(vtu, array, data, count, values, error);
}

ct_status ct_vtu_read(const ct_vtu *vtu, ct_vtu_section section, const char *name, uint64_t count,
                      double **values, ct_error *error)
{
    const ct_vtu_array *array = NULL;
    for (int a = 0; a < vtu->array_count; a++)
        if (vtu->arrays[a].section == section && !strcmp(vtu->arrays[a].name, name)) array = &vtu->arrays[a];
    *values = NULL;
    if (!array || !count) return CT_OK;
    if (count > (uint64_t)(vtu->scan->end - vtu->scan->begin))
        return ct_vtu_fail(vtu, array, "does not fit into a file of this size", error);
    *values = ct_allocate(vtu->heap, (size_t)count * sizeof **values);
    if (!*values) return ct_fail_memory(error, (size_t)count * sizeof **values);
    return ct_vtu_decode(vtu, array, count, *values, error);
}

uint64_t ct_vtu_count_corners(const ct_vtu *vtu, const double *ends)
{
    double last = 0;
    for (uint64_t k = 0; k < vtu->cells && ends; k++) {
        if (!(ends[k] >= last && ends[k] <= 9e15)) return 0;
        last = ends[k];
    }
    return ends ? (uint64_t)last : 0;
}
