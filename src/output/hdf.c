/* VTKHDF 1.0: what a VTU holds, in HDF5. The group VTKHDF has the attributes Version and Type (a string of
 * fixed length: ParaView 5.10 reads no other) and an unstructured grid of one piece:
 *
 *     NumberOfPoints NumberOfCells NumberOfConnectivityIds   [1]
 *     Points [n x 3]   Connectivity   Offsets [cells + 1]   Types   PointData/NAME   FieldData/TimeValue
 *
 * HDF5 writes the file itself, so it is written under a temporary name and renamed when it is whole.
 */
#include "output/writer.h"

#if CT_HAS_HDF5
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VTK_VERTEX = 1, VTK_TRIANGLE = 5, BATCH = 1024 };

typedef struct book {
    const ct_frame *frame;
    hid_t group;
    bool is_well;
} book;

static hid_t hdf_type(ct_type type)
{
    switch (type) {
    case CT_TYPE_FLOAT32:
        return H5T_IEEE_F32LE;
    case CT_TYPE_FLOAT64:
        return H5T_IEEE_F64LE;
    case CT_TYPE_UINT16:
        return H5T_STD_U16LE;
    case CT_TYPE_UINT32:
        return H5T_STD_U32LE;
    }
    return -1;
}

/* A dataset of `rows`, or `rows` x `columns`. */
static hid_t create(book *self, hid_t where, const char *name, hid_t type, hsize_t rows, hsize_t columns)
{
    hsize_t size[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    self->is_well = self->is_well && set >= 0;
    return set;
}

static void put(book *self, hid_t where, const char *name, hid_t type, hsize_t rows, hsize_t columns,
                const void *values)
{
    hid_t set = create(self, where, name, type, rows, columns);
    if (set < 0) return;
    if (rows && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) self->is_well = false;
    H5Dclose(set);
}

static void put_number(book *self, const char *name, int64_t number)
{
    put(self, self->group, name, H5T_STD_I64LE, 1, 1, &number);
}

static int64_t corner_at(const ct_frame *frame, uint64_t k)
{
    return frame->triangle_count ? (int64_t)frame->triangles[k / 3][k % 3] : (int64_t)k;
}

static int64_t begin_of_cell(const ct_frame *frame, uint64_t k)
{
    return (int64_t)k * (frame->triangle_count ? 3 : 1);
}

static int64_t type_of_cell(const ct_frame *frame, uint64_t k)
{
    (void)k;
    return frame->triangle_count ? VTK_TRIANGLE : VTK_VERTEX;
}

/* Numbers made as they are written, a batch at a time; kept in the file as `type`. */
static void put_sequence(book *self, const char *name, hid_t type, hsize_t count,
                         int64_t (*number)(const ct_frame *frame, uint64_t k))
{
    int64_t numbers[BATCH];
    hid_t set = create(self, self->group, name, type, count, 1);
    hid_t space = set < 0 ? -1 : H5Dget_space(set);
    for (hsize_t done = 0; done < count && self->is_well; done += BATCH) {
        hsize_t n = count - done < BATCH ? count - done : BATCH;
        for (hsize_t k = 0; k < n; k++) numbers[k] = number(self->frame, done + k);
        hid_t memory = H5Screate_simple(1, &n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &done, NULL, &n, NULL);
        if (H5Dwrite(set, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, numbers) < 0) self->is_well = false;
        H5Sclose(memory);
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
}

static void put_attributes(book *self)
{
    static const char type_name[] = "UnstructuredGrid";
    const int64_t version[2] = {1, 0};
    hsize_t two = 2;
    hid_t pair = H5Screate_simple(1, &two, NULL), one = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof type_name - 1);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    hid_t first = H5Acreate2(self->group, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT);
    hid_t second = H5Acreate2(self->group, "Type", text, one, H5P_DEFAULT, H5P_DEFAULT);
    if (first < 0 || second < 0 || H5Awrite(first, H5T_NATIVE_INT64, version) < 0 ||
        H5Awrite(second, text, type_name) < 0)
        self->is_well = false;
    if (first >= 0) H5Aclose(first);
    if (second >= 0) H5Aclose(second);
    H5Tclose(text);
    H5Sclose(one);
    H5Sclose(pair);
}

/* Slashes part groups in HDF5's names. */
static void put_field(book *self, hid_t where, const ct_frame_field *field)
{
    char name[256];
    snprintf(name, sizeof name, "%s", field->info.name);
    for (char *c = name; *c; c++)
        if (*c == '/' || *c == '.') *c = '_';
    put(self, where, name, hdf_type(field->info.type), self->frame->count, (hsize_t)field->info.components,
        field->values);
}

static void put_frame(book *self)
{
    const ct_frame *frame = self->frame;
    uint64_t cells = frame->triangle_count ? frame->triangle_count : frame->count;
    uint64_t corners = frame->triangle_count ? 3 * frame->triangle_count : frame->count;
    put_attributes(self);
    put_number(self, "NumberOfPoints", (int64_t)frame->count);
    put_number(self, "NumberOfCells", (int64_t)cells);
    put_number(self, "NumberOfConnectivityIds", (int64_t)corners);
    put(self, self->group, "Points", H5T_IEEE_F64LE, frame->count, 3, frame->position);
    put_sequence(self, "Connectivity", H5T_STD_I64LE, corners, corner_at);
    put_sequence(self, "Offsets", H5T_STD_I64LE, cells + 1, begin_of_cell);
    put_sequence(self, "Types", H5T_STD_U8LE, cells, type_of_cell);
    hid_t data = H5Gcreate2(self->group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int k = 0; k < frame->field_count && data >= 0; k++) put_field(self, data, &frame->fields[k]);
    hid_t facts = H5Gcreate2(self->group, "FieldData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int64_t step = (int64_t)frame->step;
    if (facts >= 0 && isfinite(frame->time))
        put(self, facts, "TimeValue", H5T_IEEE_F64LE, 1, 1, &frame->time);
    if (facts >= 0) put(self, facts, "step", H5T_STD_I64LE, 1, 1, &step);
    self->is_well = self->is_well && data >= 0 && facts >= 0;
    if (data >= 0) H5Gclose(data);
    if (facts >= 0) H5Gclose(facts);
}

static bool write_file(const char *path, const ct_frame *frame)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* we say what failed, HDF5 does not print */
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return false;
    book self = {.frame = frame, .is_well = true};
    self.group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (self.group >= 0) put_frame(&self);
    bool is_well = self.is_well && self.group >= 0;
    if (self.group >= 0) H5Gclose(self.group);
    return H5Fclose(file) >= 0 && is_well;
}

static bool flush(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool is_well = !fsync(descriptor);
    close(descriptor);
    return is_well;
}

ct_status ct_write_hdf(ct_heap *heap, const char *path, const ct_frame *frame, ct_error *error)
{
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    ct_text temporary = {.heap = heap};
    ct_text_print(&temporary, "%s.part", path);
    if (temporary.failed) return ct_fail_memory(error, strlen(path) + 6);
    errno = 0;
    if (!write_file(temporary.data, frame) || !flush(temporary.data) || rename(temporary.data, path)) {
        const char *reason = errno ? strerror(errno) : "HDF5 failed";
        status = ct_fail(error, CT_BAD_IO, "cannot write '%s': %s", path, reason);
        unlink(temporary.data);
    }
    ct_text_release(&temporary);
    return status;
}

#else

ct_status ct_write_hdf(ct_heap *heap, const char *path, const ct_frame *frame, ct_error *error)
{
    (void)heap;
    ct_status status = ct_frame_check(frame, error);
    if (status) return status;
    return ct_fail(error, CT_BAD_USAGE,
                   "cannot write '%s': this continua was built without HDF5 (libhdf5-dev)", path);
}

#endif
