/* VTU: VTK's XML unstructured grid. An XML part names the arrays; their bytes follow behind it, raw, each
 * preceded by its size in a UInt64:
 *
 *     <VTKFile ...> ... <DataArray ... offset="16"/> ... <AppendedData encoding="raw">_ size bytes size bytes
 * ...
 *
 * Every particle is a point and also a cell of its own (a VTK vertex), since ParaView's filters, Threshold
 * for one, work on cells and would show nothing of points that belong to none.
 *
 * One list of arrays is walked twice, for the XML and for the bytes, so that the two cannot disagree.
 */
#include "output/writer.h"

#include <inttypes.h>
#include <math.h>

enum { VTK_VERTEX = 1 };

typedef enum place { FIELD_DATA, POINTS, CELLS, POINT_DATA } place;

typedef struct array {
    place place;
    const char *name, *type, *unit; /* type: as VTK calls it; unit: NULL for none */
    int components;
    uint64_t tuples;
    size_t bytes;       /* of one tuple */
    const void *values; /* [tuples], or NULL where `generate` makes them as they are written */
    void (*generate)(ct_file *file, uint64_t count);
} array;

/* first, first + 1, ... as Int64: `count` numbers. */
static void write_sequence(ct_file *file, int64_t first, uint64_t count)
{
    enum { BATCH = 1024 };
    int64_t numbers[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        size_t n = count - done < BATCH ? (size_t)(count - done) : BATCH;
        for (size_t i = 0; i < n; i++) numbers[i] = first + (int64_t)(done + i);
        ct_file_write(file, numbers, n * sizeof numbers[0]);
    }
}

/* Cell k is made of point k alone, ... */
static void write_connectivity(ct_file *file, uint64_t count)
{
    write_sequence(file, 0, count);
}

/* ... so that its list of points ends at k + 1. */
static void write_offsets(ct_file *file, uint64_t count)
{
    write_sequence(file, 1, count);
}

static void write_types(ct_file *file, uint64_t count)
{
    static const unsigned char vertex = VTK_VERTEX;
    for (uint64_t i = 0; i < count; i++) ct_file_write(file, &vertex, 1);
}

enum { FIXED_ARRAYS = 7 };

/* Fills `arrays` [FIXED_ARRAYS + field_count] and returns their number. */
static int list_arrays(array *arrays, const ct_frame *frame, const int64_t *step, const ct_text *body_names)
{
    uint64_t n = frame->count;
    int count = 0;
    if (isfinite(frame->time))
        arrays[count++] = (array){FIELD_DATA, "TimeValue", "Float64", NULL, 1, 1, 8, &frame->time, NULL};
    arrays[count++] = (array){FIELD_DATA, "step", "Int64", NULL, 1, 1, 8, step, NULL};
    if (body_names->length)
        arrays[count++] = (array){FIELD_DATA, "body_names",     "UInt8", NULL, 1, body_names->length,
                                  1,          body_names->data, NULL};
    arrays[count++] = (array){POINTS, "Points", "Float64", "m", 3, n, 24, frame->position, NULL};
    arrays[count++] = (array){CELLS, "connectivity", "Int64", NULL, 1, n, 8, NULL, write_connectivity};
    arrays[count++] = (array){CELLS, "offsets", "Int64", NULL, 1, n, 8, NULL, write_offsets};
    arrays[count++] = (array){CELLS, "types", "UInt8", NULL, 1, n, 1, NULL, write_types};
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

static void print_xml(ct_file *file, uint64_t points, const array *arrays, int count)
{
    ct_file_print(file, "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                        "header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    print_place(file, "FieldData", FIELD_DATA, arrays, count);
    ct_file_print(file, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n", points,
                  points);
    print_place(file, "Points", POINTS, arrays, count);
    print_place(file, "Cells", CELLS, arrays, count);
    print_place(file, "PointData", POINT_DATA, arrays, count);
    ct_file_print(file, "</Piece>\n</UnstructuredGrid>\n");
}

static void write_array(ct_file *file, const array *a)
{
    uint64_t size = a->tuples * a->bytes;
    ct_file_write(file, &size, sizeof size);
    if (a->generate) a->generate(file, a->tuples);
    else if (size) ct_file_write(file, a->values, (size_t)size);
}

static ct_status write_file(ct_heap *heap, const char *path, uint64_t points, const array *arrays, int count,
                            ct_error *error)
{
    ct_file file;
    ct_status status = ct_file_create(&file, heap, path, error);
    if (status) return status;
    print_xml(&file, points, arrays, count);
    ct_file_print(&file, "<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < count && !file.failure; i++) write_array(&file, &arrays[i]);
    ct_file_print(&file, "\n</AppendedData>\n</VTKFile>\n");
    return ct_file_commit(&file, error);
}

/* The names of the bodies, a line each: an array of bytes is all the text that every reader copes with. */
static void list_body_names(ct_text *names, const ct_frame *frame)
{
    for (int i = 0; i < frame->body_count; i++) {
        for (const char *c = frame->body_names[i]; *c; c++) ct_text_append(names, *c == '\n' ? " " : c, 1);
        ct_text_append(names, "\n", 1);
    }
}

ct_status ct_write_vtu(ct_heap *heap, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_text names = {.heap = heap};
    list_body_names(&names, frame);
    size_t room = (FIXED_ARRAYS + (size_t)frame->field_count) * sizeof(array);
    array *arrays = ct_allocate(heap, room);
    int64_t step = (int64_t)frame->step;
    if (names.failed || !arrays) status = ct_fail_memory(error, room);
    else
        status =
            write_file(heap, path, frame->count, arrays, list_arrays(arrays, frame, &step, &names), error);
    ct_release(heap, arrays);
    ct_text_release(&names);
    return status;
}
