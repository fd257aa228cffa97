/* VTU (and VTP): VTK's XML files, uncompressed, with one piece. Numbers are text, base64, or raw bytes at the
 * end of the file ("appended"); the latter two begin with their length in bytes. First all arrays are listed,
 * then those of the points are decoded: appended data comes after everything that refers to it.
 *
 *     <VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64">
 *       <FieldData>  TimeValue  </FieldData>
 *       <Piece NumberOfPoints="3"> <Points> ... </Points> <PointData> ... </PointData> </Piece>
 *       <AppendedData encoding="raw"> _...
 */
#include "particles/particle_file_read.h"
#include "particles/xml.h"

#include <math.h>
#include <string.h>

enum { MOST_ARRAYS = 512, MOST_COMPONENTS = 64 };

typedef enum vtu_section { ELSEWHERE, FIELD_DATA, POINTS, POINT_DATA, CELLS } vtu_section;

static const struct {
    const char *tag;
    vtu_section section;
} sections[] = {{"FieldData", FIELD_DATA}, {"Points", POINTS}, {"PointData", POINT_DATA}, {"Cells", CELLS}};

static const struct {
    const char *name;
    ct_binary_type type;
} types[] = {
    {"Float32", CT_FLOAT32}, {"Float64", CT_FLOAT64}, {"Int8", CT_INT8},   {"UInt8", CT_UINT8},
    {"Int16", CT_INT16},     {"UInt16", CT_UINT16},   {"Int32", CT_INT32}, {"UInt32", CT_UINT32},
    {"Int64", CT_INT64},     {"UInt64", CT_UINT64},
};

typedef enum vtu_encoding { TEXT, BASE64, APPENDED } vtu_encoding;

static const char *const encodings[] = {[TEXT] = "ascii", [BASE64] = "binary", [APPENDED] = "appended"};

typedef struct data_array {
    vtu_section section;
    char name[CT_COLUMN_NAME];
    ct_binary_type type;
    int components;
    vtu_encoding encoding;
    uint64_t offset; /* APPENDED: bytes (letters, in base64) behind the '_' */
    ct_slice text;   /* TEXT, BASE64 */
} data_array;

typedef struct vtu_file {
    ct_scan *scan;
    ct_heap *heap;
    bool is_big_endian, is_compressed, has_piece, appended_is_base64;
    ct_binary_type length_type; /* of the lengths before binary data */
    uint64_t points, cells;
    ct_slice appended; /* behind the '_' */
    data_array arrays[MOST_ARRAYS];
    int array_count;
} vtu_file;

static ct_status fail_array(const vtu_file *vtu, const data_array *array, const char *reason, ct_error *error)
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

static ct_status read_file_tag(vtu_file *vtu, const ct_xml_tag *tag, ct_error *error)
{
    ct_slice compressor;
    if (!attribute_is(tag, "type", "UnstructuredGrid") && !attribute_is(tag, "type", "PolyData"))
        return ct_scan_fail(vtu->scan, error, "the file must be of the type UnstructuredGrid or PolyData");
    vtu->is_big_endian = attribute_is(tag, "byte_order", "BigEndian");
    vtu->length_type = attribute_is(tag, "header_type", "UInt64") ? CT_UINT64 : CT_UINT32;
    vtu->is_compressed = ct_xml_attribute(tag, "compressor", &compressor) && compressor.length;
    return CT_OK;
}

static ct_status read_piece_tag(vtu_file *vtu, const ct_xml_tag *tag, ct_error *error)
{
    if (vtu->has_piece) return ct_scan_fail(vtu->scan, error, "files of more than one piece are not read");
    vtu->has_piece = true;
    if (!attribute_count(tag, "NumberOfPoints", &vtu->points))
        return ct_scan_fail(vtu->scan, error, "the piece says no NumberOfPoints");
    attribute_count(tag, "NumberOfCells", &vtu->cells);
    return CT_OK;
}

static ct_status read_appended_tag(vtu_file *vtu, const ct_xml_tag *tag, ct_error *error)
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

static ct_status read_array_tag(vtu_file *vtu, vtu_section section, const ct_xml_tag *tag, ct_error *error)
{
    if (vtu->array_count == MOST_ARRAYS)
        return ct_scan_fail(vtu->scan, error, "more than %d arrays", MOST_ARRAYS);
    data_array *array = &vtu->arrays[vtu->array_count];
    array->section = section;
    ct_slice name = {"Points", 6}, format = {"ascii", 5};
    if (!read_type(tag, &array->type)) {
        if (section != POINTS) return CT_OK;
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
    array->encoding = (vtu_encoding)encoding;
    if (array->encoding == APPENDED && !attribute_count(tag, "offset", &array->offset))
        return ct_scan_fail(vtu->scan, error, "the array '%s' has no offset", array->name);
    array->text = tag->is_empty ? (ct_slice){tag->text.at, 0} : tag->text;
    vtu->array_count++;
    return CT_OK;
}

static vtu_section section_of(ct_slice tag)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (ct_slice_is(tag, sections[i].tag)) return sections[i].section;
    return ELSEWHERE;
}

static ct_status list_arrays(vtu_file *vtu, ct_error *error)
{
    vtu_section section = ELSEWHERE;
    bool has_file = false, is_done = false;
    ct_status status = CT_OK;
    for (ct_xml_tag tag; !status && !is_done && ct_xml_next(vtu->scan, &tag);) {
        if (section_of(tag.name) != ELSEWHERE) {
            section = tag.is_closing || tag.is_empty ? ELSEWHERE : section_of(tag.name);
        } else if (tag.is_closing) {
            is_done = ct_slice_is(tag.name, "VTKFile");
        } else if (ct_slice_is(tag.name, "VTKFile")) {
            has_file = true;
            status = read_file_tag(vtu, &tag, error);
        } else if (ct_slice_is(tag.name, "Piece")) {
            status = read_piece_tag(vtu, &tag, error);
        } else if (ct_slice_is(tag.name, "DataArray") && section != ELSEWHERE) {
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

static ct_status decode_text(const vtu_file *vtu, const data_array *array, uint64_t count, double *values,
                             ct_error *error)
{
    ct_slice rest = array->text, word;
    for (uint64_t i = 0; i < count; i++) {
        if (!ct_slice_word(&rest, &word)) return fail_array(vtu, array, "has too few numbers", error);
        if (!ct_slice_number(word, &values[i]))
            return fail_array(vtu, array, "has something in it that is no number", error);
    }
    return CT_OK;
}

static void decode_numbers(const vtu_file *vtu, const data_array *array, const void *bytes, uint64_t count,
                           double *values)
{
    size_t size = ct_binary_size(array->type);
    for (uint64_t i = 0; i < count; i++)
        values[i] = ct_binary_decode(array->type, (const char *)bytes + i * size, vtu->is_big_endian);
}

static ct_status decode_raw(const vtu_file *vtu, const data_array *array, ct_slice data, uint64_t count,
                            double *values, ct_error *error)
{
    size_t head = ct_binary_size(vtu->length_type), size = ct_binary_size(array->type);
    if (data.length < head) return fail_array(vtu, array, "lies beyond the end of the file", error);
    if (ct_binary_decode(vtu->length_type, data.at, vtu->is_big_endian) != (double)count * (double)size)
        return fail_array(vtu, array, "has another length than the number of points asks for", error);
    if ((data.length - head) / size < count)
        return fail_array(vtu, array, "lies beyond the end of the file", error);
    decode_numbers(vtu, array, data.at + head, count, values);
    return CT_OK;
}

static ct_status decode_letters(const vtu_file *vtu, const data_array *array, ct_slice data, uint64_t count,
                                double *values, ct_error *error)
{
    size_t head = ct_binary_size(vtu->length_type), size = ct_binary_size(array->type);
    if (data.length / size < count)
        return fail_array(vtu, array, "is shorter than the number of points asks for", error);
    size_t wanted = head + (size_t)count * size;
    unsigned char *bytes = ct_allocate(vtu->heap, wanted);
    if (!bytes) return ct_fail_memory(error, wanted);
    size_t got = decode_base64(data, bytes, wanted);
    ct_status status = CT_OK;
    if (got < wanted ||
        ct_binary_decode(vtu->length_type, bytes, vtu->is_big_endian) != (double)(wanted - head))
        status = fail_array(vtu, array, "has another length than the number of points asks for", error);
    else decode_numbers(vtu, array, bytes + head, count, values);
    ct_release(vtu->heap, bytes);
    return status;
}

/* The first `count` numbers of an array. */
static ct_status decode(const vtu_file *vtu, const data_array *array, uint64_t count, double *values,
                        ct_error *error)
{
    if (array->encoding == TEXT) return decode_text(vtu, array, count, values, error);
    if (vtu->is_compressed)
        return fail_array(vtu, array, "is compressed; write the file without compression", error);
    ct_slice data = array->text;
    if (array->encoding == APPENDED) {
        if (!vtu->appended.at || array->offset > vtu->appended.length)
            return fail_array(vtu, array, "lies beyond the end of the file", error);
        data = (ct_slice){vtu->appended.at + array->offset, vtu->appended.length - array->offset};
    }
    bool is_raw = array->encoding == APPENDED && !vtu->appended_is_base64;
    return is_raw ? decode_raw(vtu, array, data, count, values, error)
                  : decode_letters(vtu, array, data, count, values, error);
}

/* ---- Particles ---------------------------------------------------------------------------------------- */

/* The time and the step; other facts are not for us. */
static ct_status read_fact(const vtu_file *vtu, const data_array *array, ct_particle_file *file,
                           ct_error *error)
{
    double step = 0;
    if (strcmp(array->name, "TimeValue") == 0) return decode(vtu, array, 1, &file->time, error);
    if (strcmp(array->name, "step") != 0) return CT_OK;
    ct_status status = decode(vtu, array, 1, &step, error);
    file->step = ct_step_of_number(step);
    return status;
}

static ct_status read_array(const vtu_file *vtu, const data_array *array, ct_particle_file *file,
                            ct_error *error)
{
    if (array->section == FIELD_DATA) return read_fact(vtu, array, file, error);
    if (array->section == CELLS) return CT_OK; /* later, together */
    uint64_t count = vtu->points * (uint64_t)array->components;
    if (count > (uint64_t)(vtu->scan->end - vtu->scan->begin)) /* a number takes at least a byte */
        return fail_array(vtu, array, "does not fit into a file of this size", error);
    if (array->section == POINTS && array->components != 3)
        return fail_array(vtu, array, "must have three components", error);
    ct_attribute *attribute;
    ct_status status = ct_particle_file_add(file, array->name, ct_binary_attribute_type(array->type),
                                            array->components, &attribute, error);
    if (!status) status = decode(vtu, array, count, attribute->values, error);
    if (status || array->section != POINTS) return status;
    status = ct_particle_file_place(file, vtu->scan->name, attribute->values, 3, error);
    ct_release(file->heap, attribute->values);
    file->attribute_count--;
    return status;
}

static ct_status read_arrays(const vtu_file *vtu, ct_particle_file *file, ct_error *error)
{
    /* every point takes some bytes, so a file can hold no more points than bytes */
    if (vtu->points > (uint64_t)(vtu->scan->end - vtu->scan->begin))
        return ct_fail(error, CT_BAD_SCENE, "%s: %llu points do not fit into a file of this size",
                       vtu->scan->name, (unsigned long long)vtu->points);
    file->count = (size_t)vtu->points;
    ct_status status = CT_OK;
    for (int a = 0; a < vtu->array_count && !status; a++)
        status = read_array(vtu, &vtu->arrays[a], file, error);
    if (!status && !file->position)
        status = ct_fail(error, CT_BAD_SCENE, "%s: there is no array of points", vtu->scan->name);
    return status;
}

/* ---- Triangles and lines ------------------------------------------------------------------------------ */

enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };

/* The numbers of an array of the cells; *values is NULL where there is none. */
static ct_status read_cell_array(const vtu_file *vtu, const char *name, uint64_t count, double **values,
                                 ct_error *error)
{
    const data_array *array = NULL;
    for (int a = 0; a < vtu->array_count; a++)
        if (vtu->arrays[a].section == CELLS && !strcmp(vtu->arrays[a].name, name)) array = &vtu->arrays[a];
    *values = NULL;
    if (!array || !count) return CT_OK;
    if (count > (uint64_t)(vtu->scan->end - vtu->scan->begin))
        return fail_array(vtu, array, "does not fit into a file of this size", error);
    *values = ct_allocate(vtu->heap, (size_t)count * sizeof **values);
    if (!*values) return ct_fail_memory(error, (size_t)count * sizeof **values);
    return decode(vtu, array, count, *values, error);
}

/* Keeps the cells that are lines or triangles between points that are there. */
static void keep_links(const vtu_file *vtu, const double *kinds, const double *ends, const double *corners,
                       ct_links *links)
{
    uint64_t begin = 0;
    for (uint64_t k = 0; k < vtu->cells; k++) {
        uint64_t end = (uint64_t)ends[k], size = end - begin;
        const double *c = corners + begin;
        bool is_there = true;
        for (uint64_t i = 0; i < size; i++) is_there &= c[i] >= 0 && c[i] < (double)vtu->points;
        if (is_there && kinds[k] == VTK_LINE && size == 2)
            ct_links_add_line(links, (size_t)c[0], (size_t)c[1]);
        if (is_there && kinds[k] == VTK_TRIANGLE && size == 3)
            ct_links_add_triangle(links, (size_t)c[0], (size_t)c[1], (size_t)c[2]);
        begin = end;
    }
}

/* The number of corners, if the cells' ends go up; 0: there are none, or they make no sense. */
static uint64_t count_corners(const vtu_file *vtu, const double *ends)
{
    double last = 0;
    for (uint64_t k = 0; k < vtu->cells && ends; k++) {
        if (!(ends[k] >= last && ends[k] <= 9e15)) return 0;
        last = ends[k];
    }
    return ends ? (uint64_t)last : 0;
}

static ct_status read_links(const vtu_file *vtu, ct_particle_file *file, ct_error *error)
{
    double *kinds = NULL, *ends = NULL, *corners = NULL;
    size_t lines = 0, triangles = 0;
    ct_status status = read_cell_array(vtu, "types", vtu->cells, &kinds, error);
    for (uint64_t k = 0; k < vtu->cells && kinds && !status; k++)
        lines += kinds[k] == VTK_LINE, triangles += kinds[k] == VTK_TRIANGLE;
    if (!status && lines + triangles) status = read_cell_array(vtu, "offsets", vtu->cells, &ends, error);
    if (!status && ends)
        status = read_cell_array(vtu, "connectivity", count_corners(vtu, ends), &corners, error);
    if (!status) status = ct_links_reserve(file->heap, &file->links, triangles, lines, error);
    if (!status && corners) keep_links(vtu, kinds, ends, corners, &file->links);
    ct_release(vtu->heap, kinds);
    ct_release(vtu->heap, ends);
    ct_release(vtu->heap, corners);
    return status;
}

ct_status ct_particle_file_read_vtu(ct_particle_file *file, ct_scan *scan, ct_error *error)
{
    vtu_file *vtu = ct_allocate_zero(file->heap, sizeof *vtu);
    if (!vtu) return ct_fail_memory(error, sizeof *vtu);
    vtu->scan = scan;
    vtu->heap = file->heap;
    ct_status status = list_arrays(vtu, error);
    if (!status) status = read_arrays(vtu, file, error);
    if (!status) status = read_links(vtu, file, error);
    ct_release(file->heap, vtu);
    return status;
}
