/* VTK legacy files: unstructured grids.
 *
 *     # vtk DataFile Version 3.0            CELLS of versions before 5: a list of counts and corners,
 *     a title                                   CELLS 2 10   4 0 1 2 3   4 1 2 3 4
 *     ASCII                                 from 5 on: where each cell begins, and all corners,
 *     DATASET UNSTRUCTURED_GRID                 CELLS 3 8    OFFSETS vtktypeint64   CONNECTIVITY vtktypeint64
 *     POINTS 5 double                       Binary numbers are big-endian and begin behind the end of
 *     CELL_TYPES 2                          the line.
 *
 * What comes after the cells (POINT_DATA and so on) does not matter here.
 */
#include "body/vtk_cells.h"

#include <math.h>
#include <string.h>

static const struct {
    int type, dimension, corners; /* corners 0: any number */
    const char *name;
} cells[] = {
    {1, 0, 1, "vertex"},   {2, 0, 0, "poly-vertex"},   {3, 1, 2, "line"},         {4, 1, 0, "poly-line"},
    {5, 2, 3, "triangle"}, {9, 2, 4, "quadrilateral"}, {10, 3, 4, "tetrahedron"},
};

ct_status ct_vtk_cell(ct_solid_builder *builder, double type, const double *corners, uint64_t count,
                      ct_error *error)
{
    int d = builder->mesh->dimension;
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        if (cells[k].type != type) continue;
        if (cells[k].dimension < d) return CT_OK;
        if (cells[k].dimension > d || cells[k].corners != d + 1)
            return ct_scan_fail(builder->scan, error, "a %s is no element of a mesh in %dD", cells[k].name,
                                d);
        if (count != (uint64_t)cells[k].corners)
            return ct_scan_fail(builder->scan, error, "a %s has %d corners, this one %llu", cells[k].name,
                                cells[k].corners, (unsigned long long)count);
        uint64_t tags[4];
        for (int c = 0; c <= d; c++) {
            if (!(corners[c] >= 0 && corners[c] < 9e15 && corners[c] == floor(corners[c])))
                return ct_scan_fail(builder->scan, error, "%g is no number of a vertex", corners[c]);
            tags[c] = (uint64_t)corners[c];
        }
        return ct_solid_builder_element(builder, tags, d + 1, CT_NO_GROUP, error);
    }
    return ct_scan_fail(builder->scan, error, "cells of the type %g are not read: only %s", type,
                        d == 3 ? "tetrahedra (10)" : "triangles (5)");
}

typedef struct vtk_file {
    ct_solid_builder *builder;
    ct_scan *scan;
    ct_heap *heap;
    bool is_binary;
    double *corners, *ends, *types; /* of the cells: as .vtu has them */
    uint64_t cell_count, type_count;
} vtk_file;

static const struct {
    const char *name;
    ct_binary_type type;
} types[] = {
    {"float", CT_FLOAT32},      {"double", CT_FLOAT64},      {"int", CT_INT32},
    {"long", CT_INT64},         {"unsigned_int", CT_UINT32}, {"vtkIdType", CT_INT32},
    {"vtktypeint64", CT_INT64}, {"vtktypeint32", CT_INT32},
};

static ct_status read_type(vtk_file *vtk, ct_binary_type *type, ct_error *error)
{
    ct_slice word;
    if (!ct_scan_word(vtk->scan, &word)) return ct_scan_fail(vtk->scan, error, "the file ends early");
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (ct_slice_is_nocase(word, types[t].name)) return *type = types[t].type, CT_OK;
    return ct_scan_fail(vtk->scan, error, "'%.*s' is no type of numbers that is read", ct_slice_width(word),
                        word.at);
}

static ct_status read_count(vtk_file *vtk, uint64_t *count, ct_error *error)
{
    ct_slice word;
    int64_t integer;
    if (!ct_scan_word(vtk->scan, &word)) return ct_scan_fail(vtk->scan, error, "the file ends early");
    if (!ct_slice_integer(word, &integer) || integer < 0 || integer > vtk->scan->end - vtk->scan->begin)
        return ct_scan_fail(vtk->scan, error, "there cannot be '%.*s' of them in a file of this size",
                            ct_slice_width(word), word.at);
    *count = (uint64_t)integer;
    return CT_OK;
}

/* Behind the end of the line in binary files, then `count` numbers, in memory of their own. */
static ct_status read_numbers(vtk_file *vtk, ct_binary_type type, uint64_t count, double **values,
                              ct_error *error)
{
    ct_scan *scan = vtk->scan;
    size_t size = ct_binary_size(type);
    if (*values) return ct_scan_fail(scan, error, "a section is there twice");
    *values = ct_allocate(vtk->heap, (size_t)count * sizeof **values);
    if (!*values) return ct_fail_memory(error, (size_t)count * sizeof **values);
    if (vtk->is_binary && scan->at < scan->end) scan->at++, scan->line++;
    if (vtk->is_binary && (uint64_t)(scan->end - scan->at) / size < count)
        return ct_scan_fail(scan, error, "the file ends early");
    for (uint64_t i = 0; i < count; i++) {
        ct_slice word;
        if (vtk->is_binary) {
            (*values)[i] = ct_binary_decode(type, scan->at, true);
            scan->at += size;
        } else if (!ct_scan_word(scan, &word)) {
            return ct_scan_fail(scan, error, "the file ends early");
        } else if (!ct_slice_number(word, &(*values)[i])) {
            return ct_scan_fail(scan, error, "'%.*s' is not a number", ct_slice_width(word), word.at);
        }
    }
    return CT_OK;
}

static ct_status read_points(vtk_file *vtk, ct_error *error)
{
    uint64_t count = 0;
    ct_binary_type type;
    double *places = NULL;
    ct_status status = read_count(vtk, &count, error);
    if (!status) status = read_type(vtk, &type, error);
    if (!status) status = ct_solid_builder_begin(vtk->builder, count, error);
    if (!status) status = read_numbers(vtk, type, 3 * count, &places, error);
    for (uint64_t v = 0; v < count && !status; v++)
        status = ct_solid_builder_vertex(vtk->builder, v, places + 3 * v, error);
    ct_release(vtk->heap, places);
    return status;
}

/* The old list, taken apart: corners move to the front, and the ends are written down. */
static ct_status split_cells(vtk_file *vtk, uint64_t size, ct_error *error)
{
    vtk->ends = ct_allocate(vtk->heap, (size_t)vtk->cell_count * sizeof *vtk->ends);
    if (!vtk->ends) return ct_fail_memory(error, (size_t)vtk->cell_count * sizeof *vtk->ends);
    uint64_t from = 0, to = 0;
    for (uint64_t c = 0; c < vtk->cell_count; c++) {
        double count = from < size ? vtk->corners[from++] : -1;
        if (!(count >= 0 && count <= (double)(size - from)))
            return ct_scan_fail(vtk->scan, error, "cell %llu (counted from 0) does not fit into the list",
                                (unsigned long long)c);
        for (double i = 0; i < count; i++) vtk->corners[to++] = vtk->corners[from++];
        vtk->ends[c] = (double)to;
    }
    return CT_OK;
}

/* Versions from 5 on. The ends are the offsets but the first, which is 0. */
static ct_status read_offsets(vtk_file *vtk, uint64_t size, ct_error *error)
{
    ct_slice word;
    ct_binary_type type = CT_INT64;
    ct_status status = read_type(vtk, &type, error);
    if (!status && !vtk->cell_count)
        status = ct_scan_fail(vtk->scan, error, "there must be an offset at least");
    if (!status) status = read_numbers(vtk, type, vtk->cell_count, &vtk->ends, error);
    if (status) return status;
    if (!ct_scan_word(vtk->scan, &word) || !ct_slice_is(word, "CONNECTIVITY"))
        return ct_scan_fail(vtk->scan, error, "CONNECTIVITY must follow the OFFSETS");
    status = read_type(vtk, &type, error);
    if (!status) status = read_numbers(vtk, type, size, &vtk->corners, error);
    if (status) return status;
    vtk->cell_count--;
    memmove(vtk->ends, vtk->ends + 1, (size_t)vtk->cell_count * sizeof *vtk->ends);
    double last = 0;
    for (uint64_t c = 0; c < vtk->cell_count; c++) {
        if (!(vtk->ends[c] >= last && vtk->ends[c] <= (double)size))
            return ct_scan_fail(vtk->scan, error, "the offset of cell %llu (counted from 0) makes no sense",
                                (unsigned long long)c);
        last = vtk->ends[c];
    }
    return CT_OK;
}

static ct_status read_cells(vtk_file *vtk, ct_error *error)
{
    uint64_t size = 0;
    ct_slice word;
    if (vtk->ends) return ct_scan_fail(vtk->scan, error, "the cells are there twice");
    ct_status status = read_count(vtk, &vtk->cell_count, error);
    if (!status) status = read_count(vtk, &size, error);
    if (status) return status;
    ct_scan here = *vtk->scan;
    if (ct_scan_word(vtk->scan, &word) && ct_slice_is(word, "OFFSETS")) return read_offsets(vtk, size, error);
    *vtk->scan = here;
    status = read_numbers(vtk, CT_INT32, size, &vtk->corners, error);
    return status ? status : split_cells(vtk, size, error);
}

static ct_status read_cell_types(vtk_file *vtk, ct_error *error)
{
    ct_status status = read_count(vtk, &vtk->type_count, error);
    return status ? status : read_numbers(vtk, CT_INT32, vtk->type_count, &vtk->types, error);
}

static ct_status read_head(vtk_file *vtk, ct_error *error)
{
    ct_slice line, word;
    if (!ct_scan_line(vtk->scan, &line) || !ct_slice_starts(line, "# vtk DataFile Version"))
        return ct_scan_fail(vtk->scan, error, "the file must begin with '# vtk DataFile Version'");
    if (!ct_scan_line(vtk->scan, &line) || !ct_scan_line(vtk->scan, &line) || !ct_slice_word(&line, &word) ||
        (!ct_slice_is_nocase(word, "ASCII") && !ct_slice_is_nocase(word, "BINARY")))
        return ct_scan_fail(vtk->scan, error, "the third line must be ASCII or BINARY");
    vtk->is_binary = ct_slice_is_nocase(word, "BINARY");
    /* words do not know of the end of the line that was just read */
    vtk->scan->line++;
    if (!ct_scan_word(vtk->scan, &word) || !ct_slice_is_nocase(word, "DATASET") ||
        !ct_scan_word(vtk->scan, &word) || !ct_slice_is_nocase(word, "UNSTRUCTURED_GRID"))
        return ct_scan_fail(vtk->scan, error, "the data set must be an UNSTRUCTURED_GRID");
    return CT_OK;
}

/* Up to the data of points and cells; a field of the file's own, such as a time, is not understood. */
static ct_status read_sections(vtk_file *vtk, ct_error *error)
{
    ct_slice word;
    ct_status status = CT_OK;
    while (!status && ct_scan_word(vtk->scan, &word)) {
        if (ct_slice_is_nocase(word, "POINTS")) status = read_points(vtk, error);
        else if (ct_slice_is_nocase(word, "CELLS")) status = read_cells(vtk, error);
        else if (ct_slice_is_nocase(word, "CELL_TYPES")) status = read_cell_types(vtk, error);
        else if (ct_slice_is_nocase(word, "POINT_DATA") || ct_slice_is_nocase(word, "CELL_DATA") ||
                 ct_slice_is_nocase(word, "METADATA"))
            break;
        else
            status = ct_scan_fail(vtk->scan, error, "'%.*s' is no section that is read", ct_slice_width(word),
                                  word.at);
    }
    return status;
}

ct_status ct_solid_mesh_read_vtk(ct_solid_builder *builder, ct_error *error)
{
    vtk_file vtk = {.builder = builder, .scan = builder->scan, .heap = builder->mesh->heap};
    ct_status status = read_head(&vtk, error);
    if (!status) status = read_sections(&vtk, error);
    builder->scan->is_binary = true; /* cells have no lines */
    if (!status && (!vtk.corners || vtk.type_count != vtk.cell_count))
        status = ct_fail(error, CT_BAD_SCENE, "%s: it needs CELLS, and CELL_TYPES for each of them",
                         builder->scan->name);
    for (uint64_t c = 0, begin = 0; c < vtk.cell_count && !status; c++) {
        uint64_t end = (uint64_t)vtk.ends[c];
        status = ct_vtk_cell(builder, vtk.types[c], vtk.corners + begin, end - begin, error);
        begin = end;
    }
    ct_release(vtk.heap, vtk.corners);
    ct_release(vtk.heap, vtk.ends);
    ct_release(vtk.heap, vtk.types);
    return status;
}
