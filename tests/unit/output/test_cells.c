/* Frames whose points are connected: a triangle, two strands and a loose particle, in every format that can
 * hold them; and the HDF5 of our own, taken apart by the rules of its format. */
#include "support.h"

#include "output/cells.h"
#include "output/hdf5.h"

#include <math.h>

/* Points 1 2 3 are a triangle; 4 5 6 and 7 8 strands; 0 is loose. */
static const double places[9][3] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0},
                                    {2, 1, 0}, {2, 2, 0}, {3, 0, 0}, {3, 1, 0}};
static const uint32_t triangles[1][3] = {{1, 2, 3}}, lines[3][2] = {{4, 5}, {5, 6}, {7, 8}};
static const uint32_t ids[9] = {10, 11, 12, 13, 14, 15, 16, 17, 18};
static const ct_frame_field id = {{"id", "", CT_TYPE_UINT32, 1, ""}, ids};
static const ct_frame mixed = {.time = 0.5,
                               .step = 3,
                               .count = 9,
                               .dimension = 3,
                               .position = places,
                               .fields = &id,
                               .field_count = 1,
                               .triangles = triangles,
                               .triangle_count = 1,
                               .lines = lines,
                               .line_count = 3};

/* Cells in the order triangles, lines, loose: corners 1 2 3 | 4 5 | 5 6 | 7 8 | 0. */
static void cells_are_triangles_then_lines_then_particles(void **state)
{
    (void)state;
    static const int64_t corners[10] = {1, 2, 3, 4, 5, 5, 6, 7, 8, 0}, begins[6] = {0, 3, 5, 7, 9, 10};
    static const int types[5] = {5, 3, 3, 3, 1};
    ct_heap heap = plain_heap();
    ct_cells cells;
    assert_int_equal(ct_cells_create(&heap, &mixed, &cells, NULL), CT_OK);
    assert_int_equal(ct_cells_count(&cells), 5);
    assert_int_equal(ct_cells_corner_count(&cells), 10);
    for (uint64_t k = 0; k < 10; k++) assert_int_equal(ct_cells_corner(&cells, k), corners[k]);
    for (uint64_t k = 0; k < 6; k++) assert_int_equal(ct_cells_begin(&cells, k), begins[k]);
    for (uint64_t k = 0; k < 5; k++) assert_int_equal(ct_cells_vtk_type(&cells, k), types[k]);
    assert_int_equal(ct_strand_length(&mixed, 0), 2);
    assert_int_equal(ct_strand_length(&mixed, 2), 1);
    ct_cells_release(&cells);
    assert_int_equal(heap.bytes, 0);
}

static void formats_hold_all_kinds(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "vtu", &mixed, &size);
    assert_non_null(strstr((const char *)bytes, "NumberOfPoints=\"9\" NumberOfCells=\"5\""));
    free(bytes);
    bytes = write_frame(state, "obj", &mixed, &size);
    assert_non_null(strstr((const char *)bytes, "v 3 1 0\nf 2 3 4\nl 5 6 7\nl 8 9\n"));
    free(bytes);
    bytes = write_frame(state, "ply", &mixed, &size);
    assert_non_null(strstr((const char *)bytes, "element face 1\nproperty list uchar uint vertex_indices\n"
                                                "element edge 3\nproperty uint vertex1\nproperty uint "
                                                "vertex2\nend_header\n"));
    assert_memory_equal(bytes + size - sizeof lines, lines, sizeof lines);
    free(bytes);
}

static void usda_has_a_prim_a_kind(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "usda", &mixed, &size);
    const char *text = (const char *)bytes;
    const char *wanted[] = {
        "defaultPrim = \"frame\"",
        "def Xform \"frame\"",
        "def Points \"particles\"",
        "point3f[] points = [(9, 9, 9)]\n    int64[] ids = [10]",
        "def Mesh \"surface\"",
        "faceVertexIndices = [0, 1, 2]\n    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n"
        "    int[] primvars:id = [11, 12, 13]",
        "def BasisCurves \"strands\"",
        "float[] widths = [0.5] (",
        "uniform token type = \"linear\"\n    int[] curveVertexCounts = [3, 2]\n"
        "    point3f[] points = [(2, 0, 0), (2, 1, 0), (2, 2, 0), (3, 0, 0), (3, 1, 0)]\n"
        "    int[] primvars:id = [14, 15, 16, 17, 18]"};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const char *found = strstr(text, wanted[k]);
        if (!found) fail_msg("'%s' is not in\n%s", wanted[k], (const char *)bytes);
        text = found;
    }
    free(bytes);
}

/* Behind the points, of 16 bytes and an id each: a closed polygon of three, an open one of three, one of two;
 * corners of two bytes. */
static void bgeo_has_polygons(void **state)
{
    static const unsigned char tail[] = {0, 0, 0, 1, 0, 0, 0, 3, '<', 0, 1, 0, 2, 0,    3,
                                         0, 0, 0, 1, 0, 0, 0, 3, ':', 0, 4, 0, 5, 0,    6,
                                         0, 0, 0, 1, 0, 0, 0, 2, ':', 0, 7, 0, 8, 0x00, 0xff};
    size_t size;
    unsigned char *bytes = write_frame(state, "bgeo", &mixed, &size);
    static const unsigned char counts[8] = {0, 0, 0, 9, 0, 0, 0, 3};
    assert_memory_equal(bytes + 9, counts, sizeof counts);
    assert_memory_equal(bytes + size - sizeof tail, tail, sizeof tail);
    free(bytes);
}

static void broken_cells_are_refused(void **state)
{
    static const uint32_t beyond[1][2] = {{0, 9}};
    ct_heap heap = plain_heap();
    for (int w = 0; ct_writer_at(w); w++)
        for (int fault = 0; fault < 3; fault++) {
            ct_error error = {0};
            ct_frame frame = mixed;
            if (fault == 0) frame.lines = beyond, frame.line_count = 1;
            if (fault == 1) frame.lines = NULL;
            if (fault == 2) frame.triangle_count = UINT64_MAX / 2;
            assert_int_equal(ct_writer_at(w)->write(&heap, ct_to(path_in(state, "f")), &frame, &error),
                             CT_BAD_USAGE);
            assert_mentions(&error, fault < 2 ? "line" : "triangle");
            assert_int_equal(empty_folder(state), 0);
        }
}

static void memory_may_run_out_anywhere(void **state)
{
    for (int w = 0; ct_writer_at(w); w++) {
        ct_status status = CT_NO_MEMORY;
        for (long allowed = 0; status == CT_NO_MEMORY; allowed++) {
            faulty_allocator faulty = {.left = allowed};
            ct_heap heap = faulty_heap(&faulty);
            status = ct_writer_at(w)->write(&heap, ct_to(path_in(state, "f")), &mixed, NULL);
            assert_true(status == CT_OK || status == CT_NO_MEMORY);
            assert_int_equal(faulty.held, 0);
            assert_int_equal(empty_folder(state), status == CT_OK);
        }
    }
}

/* ---- HDF5 ---- */

/* Values of Jenkins's lookup3 that its author gives: of nothing and of a text, both started at 0. */
static void the_checksum_is_lookup3(void **state)
{
    (void)state;
    static const char text[] = "Four score and seven years ago";
    assert_int_equal(ct_hdf5_checksum("", 0), 0xdeadbeef);
    assert_int_equal(ct_hdf5_checksum(text, strlen(text)), 0x17770551);
}

static uint64_t number_at(const unsigned char *bytes, int count)
{
    uint64_t number = 0;
    for (int k = count; k-- > 0;) number = number << 8 | bytes[k];
    return number;
}

/* The object at `address`, whose checksum is right; its messages begin at *begin and end at *end. */
static void open_object(const unsigned char *file, size_t size, uint64_t address, size_t *begin, size_t *end)
{
    assert_true(address + 14 <= size && address % 8 == 0);
    assert_memory_equal(file + address, "OHDR\2\2", 6);
    *begin = address + 10;
    *end = *begin + number_at(file + address + 6, 4);
    assert_true(*end + 4 <= size);
    assert_int_equal(number_at(file + *end, 4), ct_hdf5_checksum(file + address, *end - address));
}

/* The object of that name in the group at `group`; fails where there is none. */
static uint64_t follow(const unsigned char *file, size_t size, uint64_t group, const char *name)
{
    size_t at, end, length = strlen(name);
    open_object(file, size, group, &at, &end);
    for (; at < end; at += 4 + number_at(file + at + 1, 2)) {
        const unsigned char *link = file + at + 4;
        if (file[at] != 6 || number_at(link + 3, 2) != length || memcmp(link + 5, name, length)) continue;
        return number_at(link + 5 + length, 8);
    }
    fail_msg("no object '%s'", name);
    return 0;
}

/* The values of a dataset of so many bytes. */
static const unsigned char *values_of(const unsigned char *file, size_t size, uint64_t object, size_t bytes)
{
    size_t at, end;
    open_object(file, size, object, &at, &end);
    for (; at < end; at += 4 + number_at(file + at + 1, 2)) {
        if (file[at] != 8) continue;
        assert_int_equal(number_at(file + at + 14, 8), bytes);
        uint64_t address = number_at(file + at + 6, 8);
        assert_true(address >= 48 && address + bytes <= size);
        return file + address;
    }
    fail_msg("the dataset has no values");
    return NULL;
}

static void hdf_can_be_followed_from_its_root(void **state)
{
    static const int64_t corners[10] = {1, 2, 3, 4, 5, 5, 6, 7, 8, 0}, offsets[6] = {0, 3, 5, 7, 9, 10};
    static const unsigned char types[5] = {5, 3, 3, 3, 1};
    size_t size;
    unsigned char *file = write_frame(state, "hdf", &mixed, &size);
    assert_memory_equal(file, "\x89HDF\r\n\x1a\n\2\10\10\0", 12);
    assert_int_equal(number_at(file + 28, 8), size);
    assert_int_equal(number_at(file + 44, 4), ct_hdf5_checksum(file, 44));
    uint64_t grid = follow(file, size, number_at(file + 36, 8), "VTKHDF");
    uint64_t points = follow(file, size, grid, "PointData"), facts = follow(file, size, grid, "FieldData");
    assert_memory_equal(values_of(file, size, follow(file, size, grid, "Points"), sizeof places), places,
                        sizeof places);
    assert_memory_equal(values_of(file, size, follow(file, size, grid, "Connectivity"), 80), corners, 80);
    assert_memory_equal(values_of(file, size, follow(file, size, grid, "Offsets"), 48), offsets, 48);
    assert_memory_equal(values_of(file, size, follow(file, size, grid, "Types"), 5), types, 5);
    assert_memory_equal(values_of(file, size, follow(file, size, points, "id"), 36), ids, 36);
    assert_memory_equal(values_of(file, size, follow(file, size, facts, "TimeValue"), 8), &mixed.time, 8);
    free(file);
}

static void hdf_names_no_field_twice(void **state)
{
    const ct_frame_field both[2] = {{{"a/b", "", CT_TYPE_UINT32, 1, ""}, ids},
                                    {{"a.b", "", CT_TYPE_UINT32, 1, ""}, ids}};
    ct_frame frame = mixed;
    frame.fields = both;
    frame.field_count = 2;
    ct_heap heap = plain_heap();
    ct_error error = {0};
    assert_int_equal(ct_write_hdf(&heap, ct_to(path_in(state, "f")), &frame, &error), CT_BAD_USAGE);
    assert_mentions(&error, "a_b");
    assert_int_equal(empty_folder(state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_triangles_then_lines_then_particles),
        cmocka_unit_test(formats_hold_all_kinds),
        cmocka_unit_test(usda_has_a_prim_a_kind),
        cmocka_unit_test(bgeo_has_polygons),
        cmocka_unit_test(broken_cells_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(the_checksum_is_lookup3),
        cmocka_unit_test(hdf_can_be_followed_from_its_root),
        cmocka_unit_test(hdf_names_no_field_twice),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
