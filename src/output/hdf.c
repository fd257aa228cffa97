/* VTKHDF 1.0: what a VTU holds, in HDF5 (output/hdf5.h). The group VTKHDF has the attributes Version and Type
 * (a string of fixed length: ParaView 5.10 reads no other) and an unstructured grid of one piece:
 *
 *     NumberOfPoints NumberOfCells NumberOfConnectivityIds   [1]
 *     Points [n x 3]   Connectivity   Offsets [cells + 1]   Types
 *     PointData/NAME   FieldData/TimeValue   FieldData/step   FieldData/body_names
 *
 * One list of datasets is walked twice, for the headers and for the values, so that the two cannot disagree.
 */
#include "output/cells.h"
#include "output/hdf5.h"

#include <math.h>
#include <string.h>

typedef enum group { GRID, POINT_DATA, FIELD_DATA, GROUPS } group;

enum { FIXED_SETS = 11, NAME_BYTES = 256, ALIGNMENT = 8 };

typedef struct set {
    group group;
    char name[NAME_BYTES];
    ct_hdf5_type type;
    ct_hdf5_space space;
    const void *values; /* NULL where `number` makes them as they are written */
    int64_t (*number)(const ct_cells *cells, uint64_t k);
    uint64_t address, object; /* of the values, of the header */
} set;

typedef struct book {
    const ct_cells *cells;
    int64_t counts[3], step;
    ct_text body_names;
    set *sets; /* [set_count] */
    int set_count;
} book;

static const ct_hdf5_type INT64 = {CT_HDF5_SIGNED, 8}, UINT8 = {CT_HDF5_UNSIGNED, 1},
                          DOUBLE = {CT_HDF5_FLOAT, 8};

/* ---- the list ---- */

/* `columns` 0: a list, not a table. */
static set *add(book *self, group which, const char *name, ct_hdf5_type type, uint64_t rows, int columns,
                const void *values)
{
    set *added = &self->sets[self->set_count++];
    *added = (set){.group = which, .type = type, .values = values};
    added->space = (ct_hdf5_space){columns > 1 ? 2 : 1, {rows, (uint64_t)columns}};
    size_t length = strlen(name) < NAME_BYTES ? strlen(name) : NAME_BYTES - 1;
    for (size_t k = 0; k < length; k++) /* slashes part groups in HDF5's names, stops in VTK's */
        added->name[k] = name[k] == '/' || name[k] == '.' ? '_' : name[k];
    return added;
}

static ct_hdf5_type type_of(ct_type type)
{
    bool is_real = type == CT_TYPE_FLOAT32 || type == CT_TYPE_FLOAT64;
    return (ct_hdf5_type){is_real ? CT_HDF5_FLOAT : CT_HDF5_UNSIGNED,
                          (uint32_t)ct_number_type_of(type)->bytes};
}

static void list_sets(book *self)
{
    static const char *const names[3] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
    const ct_cells *cells = self->cells;
    const ct_frame *frame = cells->frame;
    uint64_t count = ct_cells_count(cells), corners = ct_cells_corner_count(cells);
    const uint64_t counts[3] = {frame->count, count, corners};
    for (int k = 0; k < 3; k++) {
        self->counts[k] = (int64_t)counts[k];
        add(self, GRID, names[k], INT64, 1, 0, &self->counts[k]);
    }
    add(self, GRID, "Points", DOUBLE, frame->count, 3, frame->position);
    add(self, GRID, "Connectivity", INT64, corners, 0, NULL)->number = ct_cells_corner;
    add(self, GRID, "Offsets", INT64, count + 1, 0, NULL)->number = ct_cells_begin;
    add(self, GRID, "Types", UINT8, count, 0, NULL)->number = ct_cells_vtk_type;
    for (int k = 0; k < frame->field_count; k++) {
        const ct_quantity_info *info = &frame->fields[k].info;
        add(self, POINT_DATA, info->name, type_of(info->type), frame->count, info->components,
            frame->fields[k].values);
    }
    if (isfinite(frame->time)) add(self, FIELD_DATA, "TimeValue", DOUBLE, 1, 0, &frame->time);
    self->step = (int64_t)frame->step;
    add(self, FIELD_DATA, "step", INT64, 1, 0, &self->step);
    if (frame->uv)
        add(self, FIELD_DATA, "uv", (ct_hdf5_type){CT_HDF5_FLOAT, 4}, frame->triangle_count, 6, frame->uv);
    if (self->body_names.length)
        add(self, FIELD_DATA, "body_names", UINT8, self->body_names.length, 0, self->body_names.data);
}

/* A group has no name twice, also after names were mended. */
static ct_status check_names(const book *self, const char *path, ct_error *error)
{
    for (int k = 0; k < self->set_count; k++)
        for (int other = 0; other < k; other++)
            if (self->sets[k].group == self->sets[other].group &&
                !strcmp(self->sets[k].name, self->sets[other].name))
                return ct_fail(error, CT_BAD_USAGE, "'%s': two fields would both be called '%s'", path,
                               self->sets[k].name);
    return CT_OK;
}

/* ---- headers ---- */

static uint64_t bytes_of(const set *it)
{
    return it->type.bytes * it->space.size[0] * (it->space.rank > 1 ? it->space.size[1] : 1);
}

static uint64_t aligned(uint64_t address)
{
    return (address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void link_sets(const book *self, ct_hdf5 *file, group which)
{
    for (int k = 0; k < self->set_count; k++)
        if (self->sets[k].group == which) ct_hdf5_put_link(file, self->sets[k].name, self->sets[k].object);
}

static uint64_t put_group(const book *self, ct_hdf5 *file, group which)
{
    uint64_t object = ct_hdf5_begin(file);
    ct_hdf5_put_group(file);
    link_sets(self, file, which);
    ct_hdf5_end(file);
    return object;
}

/* Fills `file` and returns the address of the root group. */
static uint64_t put_headers(book *self, ct_hdf5 *file)
{
    static const char type_name[] = "UnstructuredGrid";
    static const int64_t version[2] = {1, 0};
    for (int k = 0; k < self->set_count; k++) {
        set *it = &self->sets[k];
        it->object = ct_hdf5_begin(file);
        ct_hdf5_put_dataset(file, it->type, it->space, it->address);
        ct_hdf5_end(file);
    }
    uint64_t points = put_group(self, file, POINT_DATA), facts = put_group(self, file, FIELD_DATA);
    uint64_t grid = ct_hdf5_begin(file);
    ct_hdf5_put_group(file);
    link_sets(self, file, GRID);
    ct_hdf5_put_link(file, "PointData", points);
    ct_hdf5_put_link(file, "FieldData", facts);
    ct_hdf5_put_attribute(file, "Version", INT64, (ct_hdf5_space){1, {2, 0}}, version, sizeof version);
    ct_hdf5_put_attribute(file, "Type", (ct_hdf5_type){CT_HDF5_TEXT, sizeof type_name - 1},
                          (ct_hdf5_space){0, {0, 0}}, type_name, sizeof type_name - 1);
    ct_hdf5_end(file);
    uint64_t root = ct_hdf5_begin(file);
    ct_hdf5_put_group(file);
    ct_hdf5_put_link(file, "VTKHDF", grid);
    ct_hdf5_end(file);
    return root;
}

/* ---- values ---- */

static void write_numbers(ct_file *file, const ct_cells *cells, const set *it)
{
    for (uint64_t k = 0; k < it->space.size[0] && !file->failure; k++) {
        int64_t number = it->number(cells, k); /* little endian: its first bytes are its lowest */
        ct_file_write(file, &number, it->type.bytes);
    }
}

static void write_sets(ct_file *file, const book *self)
{
    static const char nothing[ALIGNMENT];
    for (int k = 0; k < self->set_count && !file->failure; k++) {
        const set *it = &self->sets[k];
        uint64_t bytes = bytes_of(it);
        if (it->number) write_numbers(file, self->cells, it);
        else if (bytes) ct_file_write(file, it->values, (size_t)bytes);
        ct_file_write(file, nothing, (size_t)(aligned(bytes) - bytes));
    }
}

static ct_status write_file(book *self, ct_heap *heap, ct_target target, ct_error *error)
{
    ct_hdf5 headers = {.text = {.heap = heap}, .address = CT_HDF5_SUPERBLOCK};
    for (int k = 0; k < self->set_count; k++) {
        self->sets[k].address = headers.address;
        headers.address += aligned(bytes_of(&self->sets[k]));
    }
    uint64_t root = put_headers(self, &headers);
    ct_file file = {.descriptor = -1};
    ct_status status = headers.text.failed ? ct_fail_memory(error, headers.text.length)
                                           : ct_file_create(&file, heap, target, error);
    if (!status) {
        unsigned char superblock[CT_HDF5_SUPERBLOCK];
        ct_hdf5_superblock(headers.address + headers.text.length, root, superblock);
        ct_file_write(&file, superblock, sizeof superblock);
        write_sets(&file, self);
        ct_file_write(&file, headers.text.data, headers.text.length);
        status = ct_file_commit(&file, error);
    }
    ct_text_release(&headers.text);
    return status;
}

ct_status ct_write_hdf(ct_heap *heap, ct_target target, const ct_frame *frame, ct_error *error)
{
    ct_cells cells;
    ct_status status = ct_frame_check(frame, error);
    if (!status) status = ct_cells_create(heap, frame, &cells, error);
    if (status) return status;
    book self = {.cells = &cells, .body_names = {.heap = heap}};
    ct_frame_list_bodies(frame, &self.body_names);
    size_t room = (FIXED_SETS + (size_t)frame->field_count) * sizeof *self.sets;
    self.sets = ct_allocate(heap, room);
    if (!self.sets || self.body_names.failed) {
        status = ct_fail_memory(error, room);
    } else {
        list_sets(&self);
        status = check_names(&self, target.shown, error);
        if (!status) status = write_file(&self, heap, target, error);
    }
    ct_release(heap, self.sets);
    ct_text_release(&self.body_names);
    ct_cells_release(&cells);
    return status;
}
