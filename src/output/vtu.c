/* VTU: VTK's XML unstructured grid. An XML part names the arrays; their bytes follow behind it, raw, each
 * preceded by its size in a UInt64:
 *
 *     <VTKFile ...> ... <DataArray ... offset="16"/> ... <AppendedData encoding="raw">_ size bytes ...
 *
 * The cells (output/cells.h) are triangles, segments of strands, and particles as VTK vertices. Texture
 * coordinates are of triangles' corners, for which VTK has no place: they are field data.
 *
 * One list of arrays is walked twice, for the XML and for the bytes, so that the two cannot disagree.
 */
#include "output/cells.h"

#include <inttypes.h>
#include <math.h>

typedef enum place { FIELD_DATA, POINTS, CELLS, POINT_DATA } place;

typedef struct array {
    place place;
    const char *name, *type, *unit; /* type: as VTK calls it; unit: NULL for none */
    int components;
    uint64_t tuples;
    size_t bytes;       /* of one tuple */
    const void *values; /* [tuples], or NULL where `generate` makes them as they are written */
    void (*generate)(ct_file *file, const ct_cells *cells);
} array;

/* A cell's list of points ends where the next one's begins. */
static int64_t end_of_cell(const ct_cells *cells, uint64_t k)
{
    return ct_cells_begin(cells, k + 1);
}

/* `count` numbers as Int64. */
static void write_numbers(ct_file *file, const ct_cells *cells, uint64_t count,
                          int64_t (*number)(const ct_cells *cells, uint64_t k))
{
    enum { BATCH = 1024 };
    int64_t numbers[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? (size_t)(count - done) : BATCH;
        for (size_t i = 0; i < n; i++) numbers[i] = number(cells, done + i);
        ct_file_write(file, numbers, n * sizeof numbers[0]);
    }
}

static void write_connectivity(ct_file *file, const ct_cells *cells)
{
    write_numbers(file, cells, ct_cells_corner_count(cells), ct_cells_corner);
}

static void write_offsets(ct_file *file, const ct_cells *cells)
{
    write_numbers(file, cells, ct_cells_count(cells), end_of_cell);
}

static void write_types(ct_file *file, const ct_cells *cells)
{
    for (uint64_t i = 0; i < ct_cells_count(cells); i++) {
        const unsigned char type = (unsigned char)ct_cells_vtk_type(cells, i);
        ct_file_write(file, &type, 1);
    }
}

enum { FIXED_ARRAYS = 8 };

/* Fills `arrays` [FIXED_ARRAYS + field_count] and returns their number. */
static int list_arrays(array *arrays, const ct_cells *cells, const int64_t *step, const ct_text *body_names)
{
    const ct_frame *frame = cells->frame;
    uint64_t n = frame->count, cell_count = ct_cells_count(cells), corners = ct_cells_corner_count(cells);
    int count = 0;
    if (isfinite(frame->time))
        arrays[count++] = (array){FIELD_DATA, "TimeValue", "Float64", NULL, 1, 1, 8, &frame->time, NULL};
    arrays[count++] = (array){FIELD_DATA, "step", "Int64", NULL, 1, 1, 8, step, NULL};
    if (body_names->length)
        arrays[count++] = (array){FIELD_DATA, "body_names",     "UInt8", NULL, 1, body_names->length,
                                  1,          body_names->data, NULL};
    if (frame->uv)
        arrays[count++] =
            (array){FIELD_DATA, "uv", "Float32", NULL, 6, frame->triangle_count, 24, frame->uv, NULL};
    arrays[count++] = (array){POINTS, "Points", "Float64", "m", 3, n, 24, frame->position, NULL};
    arrays[count++] = (array){CELLS, "connectivity", "Int64", NULL, 1, corners, 8, NULL, write_connectivity};
    arrays[count++] = (array){CELLS, "offsets", "Int64", NULL, 1, cell_count, 8, NULL, write_offsets};
    arrays[count++] = (array){CELLS, "types", "UInt8", NULL, 1, cell_count, 1, NULL, write_types};
    for (int i = 0; i < frame->field_count; i++) {
        const ct_quantity_info *info = &frame->fields[i].info;
        const ct_number_type *type = ct_number_type_of(info->type);
        arrays[count++] = (array){POINT_DATA,
                                  info->name,
                                  type->vtk,
                                  info->unit,
                                  info->components,
                                  n,
                                  type->bytes * (size_t)info->components,
                                  frame->fields[i].values,
                                  NULL};
    }
    return count;
}

static void print_array(ct_file *file, const array *a, uint64_t offset)
{
    ct_file_print(file, "<DataArray type=\"%s\" Name=\"", a->type);
    ct_write_xml_text(file, a->name);
    ct_file_print(file, "\"");
    if (a->components > 1) ct_file_print(file, " NumberOfComponents=\"%d\"", a->components);
    if (a->place == FIELD_DATA) ct_file_print(file, " NumberOfTuples=\"%" PRIu64 "\"", a->tuples);
    ct_file_print(file, " format=\"appended\" offset=\"%" PRIu64 "\"", offset);
    if (a->unit && a->unit[0]) {
        ct_file_print(file, "><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">");
        ct_write_xml_text(file, a->unit);
        ct_file_print(file, "</InformationKey></DataArray>\n");
    } else {
        ct_file_print(file, "/>\n");
    }
}

/* The arrays of one place between its tags. */
static void print_place(ct_file *file, const char *tag, place where, const array *arrays, int count)
{
    uint64_t offset = 0;
    ct_file_print(file, "<%s>\n", tag);
    for (int i = 0; i < count; i++) {
        if (arrays[i].place == where) print_array(file, &arrays[i], offset);
        offset += sizeof(uint64_t) + arrays[i].tuples * arrays[i].bytes;
    }
    ct_file_print(file, "</%s>\n", tag);
}

static void print_xml(ct_file *file, const ct_cells *cells, const array *arrays, int count)
{
    ct_file_print(file, "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                        "header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    print_place(file, "FieldData", FIELD_DATA, arrays, count);
    ct_file_print(file, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n",
                  cells->frame->count, ct_cells_count(cells));
    print_place(file, "Points", POINTS, arrays, count);
    print_place(file, "Cells", CELLS, arrays, count);
    print_place(file, "PointData", POINT_DATA, arrays, count);
    ct_file_print(file, "</Piece>\n</UnstructuredGrid>\n");
}

static void write_array(ct_file *file, const ct_cells *cells, const array *a)
{
    uint64_t size = a->tuples * a->bytes;
    ct_file_write(file, &size, sizeof size);
    if (a->generate) a->generate(file, cells);
    else if (size) ct_file_write(file, a->values, (size_t)size);
}

static ct_status write_file(ct_heap *heap, ct_target target, const ct_cells *cells, const array *arrays,
                            int count, ct_error *error)
{
    ct_file file;
    ct_status status = ct_file_create(&file, heap, target, error);
    if (status) return status;
    print_xml(&file, cells, arrays, count);
    ct_file_print(&file, "<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < count && !file.failure; i++) write_array(&file, cells, &arrays[i]);
    ct_file_print(&file, "\n</AppendedData>\n</VTKFile>\n");
    return ct_file_commit(&file, error);
}

ct_status ct_write_vtu(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_cells cells;
    status = ct_cells_create(heap, frame, &cells, error);
    if (status) return status;
    ct_text names = {.heap = heap};
    ct_frame_list_bodies(frame, &names);
    size_t room = (FIXED_ARRAYS + (size_t)frame->field_count) * sizeof(array);
    array *arrays = ct_allocate(heap, room);
    int64_t step = (int64_t)frame->step;
    if (names.failed || !arrays) status = ct_fail_memory(error, room);
    else status = write_file(heap, target, &cells, arrays, list_arrays(arrays, &cells, &step, &names), error);
    ct_release(heap, arrays);
    ct_text_release(&names);
    ct_cells_release(&cells);
    return status;
}
