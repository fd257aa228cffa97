/* What the writers put on disk: to the byte for a tiny frame, and read back by a reader of its own for a
 * larger one. */
#include "support.h"

#include <locale.h>
#include <math.h>

/* ---- A tiny frame: two particles, a vector, a scalar, two bodies ---- */

static const double tiny_position[2][3] = {{0, 0.5, -1}, {0.1, 2, 3}};
static const float tiny_velocity[2][3] = {{1, -2, 0.1f}, {0, 0.25f, 1e-8f}};
static const uint16_t tiny_body[2] = {0, 1};
static const char *const tiny_names[2] = {"ball", "a <b> & \n\"c\""};

static const ct_frame_field tiny_fields[2] = {
    {{"velocity", "m/s", CT_TYPE_FLOAT32, 3, ""}, tiny_velocity},
    {{"body", "", CT_TYPE_UINT16, 1, ""}, tiny_body},
};

static const ct_frame tiny = {.time = 0.1,
                              .step = 7,
                              .count = 2,
                              .dimension = 3,
                              .position = tiny_position,
                              .fields = tiny_fields,
                              .field_count = 2,
                              .body_names = tiny_names,
                              .body_count = 2};

static void writers_are_listed(void **state)
{
    (void)state;
    static const char *const names[] = {"vtu", "ply", "csv", "xyz", "obj", "usda", "bgeo", "hdf"};
    for (int i = 0; i < 8; i++) {
        assert_string_equal(ct_writer_at(i)->name, names[i]);
        assert_string_equal(ct_writer_at(i)->extension, names[i]);
        assert_true(strlen(ct_writer_at(i)->doc) > 0);
        assert_ptr_equal(ct_writer_find(names[i]), ct_writer_at(i));
    }
    assert_null(ct_writer_at(8));
    assert_null(ct_writer_at(-1));
    assert_null(ct_writer_find("vtk"));
}

/* Expected bytes, put together piece by piece. */
typedef struct expected {
    unsigned char bytes[4096];
    size_t size;
} expected;

static void expect(expected *e, const void *bytes, size_t count)
{
    assert_true(count <= sizeof e->bytes - e->size);
    memcpy(e->bytes + e->size, bytes, count);
    e->size += count;
}

static void expect_text(expected *e, const char *text)
{
    expect(e, text, strlen(text));
}

static void expect_block(expected *e, const void *bytes, uint64_t count)
{
    expect(e, &count, sizeof count);
    expect(e, bytes, count);
}

static void assert_file(const unsigned char *bytes, size_t size, const expected *e)
{
    assert_int_equal(size, e->size);
    assert_memory_equal(bytes, e->bytes, size);
}

/* Each block is 8 bytes of size and its data, so the offsets are: step 8 + 8 = 16, body_names + 16 = 32,
 * Points + 8 + 18 = 58, connectivity + 8 + 48 = 114, offsets + 24 = 138, types + 24 = 162, velocity + 8 + 2 =
 * 172, body + 8 + 24 = 204. */
static void vtu_has_these_bytes(void **state)
{
    static const char names[] = "ball\na <b> &  \"c\"\n";
    expected e = {.size = 0};
    expect_text(&e,
                "<?xml version=\"1.0\"?>\n"
                "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                "header_type=\"UInt64\">\n"
                "<UnstructuredGrid>\n"
                "<FieldData>\n"
                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"appended\" "
                "offset=\"0\"/>\n"
                "<DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"appended\" "
                "offset=\"16\"/>\n"
                "<DataArray type=\"UInt8\" Name=\"body_names\" NumberOfTuples=\"18\" format=\"appended\" "
                "offset=\"32\"/>\n"
                "</FieldData>\n"
                "<Piece NumberOfPoints=\"2\" NumberOfCells=\"2\">\n"
                "<Points>\n"
                "<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
                "offset=\"58\"><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">m"
                "</InformationKey></DataArray>\n"
                "</Points>\n"
                "<Cells>\n"
                "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"appended\" offset=\"114\"/>\n"
                "<DataArray type=\"Int64\" Name=\"offsets\" format=\"appended\" offset=\"138\"/>\n"
                "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"162\"/>\n"
                "</Cells>\n"
                "<PointData>\n"
                "<DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" "
                "offset=\"172\"><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">m/s"
                "</InformationKey></DataArray>\n"
                "<DataArray type=\"UInt16\" Name=\"body\" format=\"appended\" offset=\"204\"/>\n"
                "</PointData>\n"
                "</Piece>\n"
                "</UnstructuredGrid>\n"
                "<AppendedData encoding=\"raw\">\n_");
    static const int64_t step = 7, connectivity[2] = {0, 1}, offsets[2] = {1, 2};
    static const unsigned char types[2] = {1, 1};
    expect_block(&e, &tiny.time, 8);
    expect_block(&e, &step, 8);
    expect_block(&e, names, sizeof names - 1);
    expect_block(&e, tiny_position, 48);
    expect_block(&e, connectivity, 16);
    expect_block(&e, offsets, 16);
    expect_block(&e, types, 2);
    expect_block(&e, tiny_velocity, 24);
    expect_block(&e, tiny_body, 4);
    expect_text(&e, "\n</AppendedData>\n</VTKFile>\n");

    size_t size;
    unsigned char *bytes = write_frame(state, "vtu", &tiny, &size);
    assert_file(bytes, size, &e);
    free(bytes);
}

static void ply_has_these_bytes(void **state)
{
    expected e = {.size = 0};
    expect_text(&e, "ply\n"
                    "format binary_little_endian 1.0\n"
                    "comment time 0.10000000000000001\n"
                    "comment step 7\n"
                    "comment unit velocity m/s\n"
                    "comment body 0 ball\n"
                    "comment body 1 a <b> &  \"c\"\n"
                    "element vertex 2\n"
                    "property double x\nproperty double y\nproperty double z\n"
                    "property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\n"
                    "property ushort body\n"
                    "end_header\n");
    for (int p = 0; p < 2; p++) {
        expect(&e, tiny_position[p], 24);
        expect(&e, tiny_velocity[p], 12);
        expect(&e, &tiny_body[p], 2);
    }
    size_t size;
    unsigned char *bytes = write_frame(state, "ply", &tiny, &size);
    assert_file(bytes, size, &e);
    free(bytes);
}

/* 0.1f is 0.100000001490116..., 0.1 is 0.10000000000000000555...: 9 and 17 digits give them back to the bit.
 */
static const char tiny_csv[] = "x,y,z,velocity_x,velocity_y,velocity_z,body\n"
                               "0,0.5,-1,1,-2,0.100000001,0\n"
                               "0.10000000000000001,2,3,0,0.25,9.99999994e-09,1\n";

static void csv_has_these_bytes(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "csv", &tiny, &size);
    assert_string_equal((const char *)bytes, tiny_csv);
    assert_int_equal(size, sizeof tiny_csv - 1);
    free(bytes);
}

static void csv_has_a_stop_in_every_locale(void **state)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof commas / sizeof commas[0] && !found; i++)
        found = setlocale(LC_NUMERIC, commas[i]) != NULL;
    if (!found) skip();
    char number[16];
    snprintf(number, sizeof number, "%.1f", 0.5);
    assert_string_not_equal(number, "0.5"); /* the locale does what it is here for */
    size_t size;
    unsigned char *bytes = write_frame(state, "csv", &tiny, &size);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal((const char *)bytes, tiny_csv);
    free(bytes);
}

static void columns_are_named_by_component(void **state)
{
    static const float zeros[9] = {0};
    static const float special[3] = {NAN, INFINITY, -INFINITY};
    static const double position[1][3] = {{0}};
    ct_frame_field fields[4] = {
        {{"F", "", CT_TYPE_FLOAT32, 9, ""}, zeros},
        {{"odd name,\n\"", "", CT_TYPE_FLOAT32, 1, ""}, zeros},
        {{"four", NULL, CT_TYPE_FLOAT32, 4, ""}, zeros},
        {{"s", NULL, CT_TYPE_FLOAT32, 3, ""}, special},
    };
    ct_frame frame = {.time = NAN, .count = 1, .position = position, .fields = fields, .field_count = 4};
    size_t size;
    unsigned char *bytes = write_frame(state, "csv", &frame, &size);
    assert_string_equal((const char *)bytes, "x,y,z,F_xx,F_xy,F_xz,F_yx,F_yy,F_yz,F_zx,F_zy,F_zz,odd_name___,"
                                             "four_0,four_1,four_2,four_3,s_x,s_y,s_z\n"
                                             "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,nan,inf,-inf\n");
    free(bytes);
}

/* ---- A larger frame, read back from the VTU ---- */

enum { MANY = 5000 }; /* more than the writer's batch, and no multiple of it */

/* The value of an attribute within one tag; an empty text where there is none. */
static void attribute(const char *tag, const char *name, char value[64])
{
    char key[40];
    const char *end = strchr(tag, '>');
    assert_non_null(end);
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(tag, key);
    value[0] = '\0';
    if (!found || found > end) return;
    found += strlen(key);
    size_t length = strcspn(found, "\"");
    assert_true(length < 64);
    memcpy(value, found, length);
    value[length] = '\0';
}

/* The bytes of an array, found by its name; checks its type, components and size. */
static const void *vtu_array(const unsigned char *file, size_t size, const char *name, const char *type,
                             int components, uint64_t bytes)
{
    const char *text = (const char *)file;
    const char *data = strstr(text, "<AppendedData encoding=\"raw\">");
    assert_non_null(data);
    data = strchr(data, '_') + 1;
    char value[64];
    for (const char *tag = text; (tag = strstr(tag, "<DataArray ")) && tag < data; tag++) {
        attribute(tag, "Name", value);
        if (strcmp(value, name)) continue;
        attribute(tag, "type", value);
        assert_string_equal(value, type);
        attribute(tag, "NumberOfComponents", value);
        assert_int_equal(value[0] ? atoi(value) : 1, components);
        attribute(tag, "offset", value);
        uint64_t offset = strtoull(value, NULL, 10), stated;
        memcpy(&stated, data + offset, sizeof stated);
        assert_int_equal(stated, bytes);
        assert_true((size_t)(data - text) + offset + sizeof stated + bytes <= size);
        return data + offset + sizeof stated;
    }
    fail_msg("no array '%s'", name);
    return NULL;
}

static void vtu_reads_back(void **state)
{
    static double position[MANY][3], energy[MANY];
    static float stress[MANY][9];
    static uint16_t material[MANY];
    static uint32_t id[MANY];
    for (int p = 0; p < MANY; p++) {
        for (int a = 0; a < 3; a++) position[p][a] = sin(p + 0.1 * a);
        for (int c = 0; c < 9; c++) stress[p][c] = (float)(p * 9 + c);
        energy[p] = 1.0 / (p + 1);
        material[p] = (uint16_t)(p % 3);
        id[p] = (uint32_t)p;
    }
    ct_frame_field fields[4] = {
        {{"stress", "Pa", CT_TYPE_FLOAT32, 9, ""}, stress},
        {{"energy", "J", CT_TYPE_FLOAT64, 1, ""}, energy},
        {{"material", "", CT_TYPE_UINT16, 1, ""}, material},
        {{"id", "", CT_TYPE_UINT32, 1, ""}, id},
    };
    ct_frame frame = {
        .time = 2.5, .step = 41, .count = MANY, .position = position, .fields = fields, .field_count = 4};
    size_t size;
    unsigned char *file = write_frame(state, "vtu", &frame, &size);
    assert_memory_equal(vtu_array(file, size, "TimeValue", "Float64", 1, 8), &frame.time, 8);
    assert_memory_equal(vtu_array(file, size, "step", "Int64", 1, 8), &frame.step, 8);
    assert_memory_equal(vtu_array(file, size, "Points", "Float64", 3, sizeof position), position,
                        sizeof position);
    assert_memory_equal(vtu_array(file, size, "stress", "Float32", 9, sizeof stress), stress, sizeof stress);
    assert_memory_equal(vtu_array(file, size, "energy", "Float64", 1, sizeof energy), energy, sizeof energy);
    assert_memory_equal(vtu_array(file, size, "material", "UInt16", 1, sizeof material), material,
                        sizeof material);
    assert_memory_equal(vtu_array(file, size, "id", "UInt32", 1, sizeof id), id, sizeof id);
    const char *connectivity = vtu_array(file, size, "connectivity", "Int64", 1, MANY * 8);
    const char *offsets = vtu_array(file, size, "offsets", "Int64", 1, MANY * 8);
    const unsigned char *types = vtu_array(file, size, "types", "UInt8", 1, MANY);
    for (int64_t p = 0; p < MANY; p++) {
        int64_t next = p + 1;
        assert_memory_equal(connectivity + p * 8, &p, 8);
        assert_memory_equal(offsets + p * 8, &next, 8);
        assert_int_equal(types[p], 1);
    }
    free(file);
}

static void a_frame_may_be_empty(void **state)
{
    ct_frame frame = {.time = NAN};
    size_t size;
    unsigned char *bytes = write_frame(state, "csv", &frame, &size);
    assert_string_equal((const char *)bytes, "x,y,z\n");
    free(bytes);
    bytes = write_frame(state, "ply", &frame, &size);
    assert_string_equal((const char *)bytes, "ply\nformat binary_little_endian 1.0\ncomment step 0\n"
                                             "element vertex 0\n"
                                             "property double x\nproperty double y\nproperty double z\n"
                                             "end_header\n");
    free(bytes);
    bytes = write_frame(state, "vtu", &frame, &size);
    assert_null(strstr((const char *)bytes, "TimeValue"));
    vtu_array(bytes, size, "Points", "Float64", 3, 0);
    vtu_array(bytes, size, "types", "UInt8", 1, 0);
    free(bytes);
}

static const uint32_t tiny_triangles[1][3] = {{0, 1, 2}};
static const double tiny_corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0.5, 0}};
static const float tiny_normals[3][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
static const ct_frame_field tiny_normal = {{"normal", "", CT_TYPE_FLOAT32, 3, ""}, tiny_normals};
static const ct_frame tiny_surface = {.time = 0.1,
                                      .step = 7,
                                      .count = 3,
                                      .dimension = 3,
                                      .position = tiny_corners,
                                      .fields = &tiny_normal,
                                      .field_count = 1,
                                      .triangles = tiny_triangles,
                                      .triangle_count = 1};

static void assert_text(void **state, const char *writer, const ct_frame *frame, const char *wanted)
{
    size_t size;
    unsigned char *bytes = write_frame(state, writer, frame, &size);
    assert_string_equal((const char *)bytes, wanted);
    assert_int_equal(size, strlen(wanted));
    free(bytes);
}

static void texts_have_these_bytes(void **state)
{
    assert_text(
        state, "xyz", &tiny,
        "2\n"
        "Time=0.10000000000000001 Step=7 pbc=\"F F F\" Properties=species:S:1:pos:R:3:velo:R:3:body:I:1\n"
        "ball 0 0.5 -1 1 -2 0.100000001 0\n"
        "a_<b>_&___c_ 0.10000000000000001 2 3 0 0.25 9.99999994e-09 1\n");
    assert_text(state, "obj", &tiny, "# continua, step 7; metres, y up\nv 0 0.5 -1\nv 0.1 2 3\n");
    assert_text(state, "obj", &tiny_surface,
                "# continua, step 7; metres, y up\nv 0 0 0\nv 1 0 0\nv 0 0.5 0\n"
                "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//2 3//3\n");
    assert_text(
        state, "usda", &tiny_surface,
        "#usda 1.0\n(\n    defaultPrim = \"surface\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n"
        "def Mesh \"surface\"\n{\n    custom double time = 0.10000000000000001\n"
        "    float3[] extent = [(0, 0, 0), (1, 0.5, 0)]\n"
        "    uniform token subdivisionScheme = \"none\"\n    int[] faceVertexCounts = [3]\n"
        "    int[] faceVertexIndices = [0, 1, 2]\n"
        "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0.5, 0)]\n"
        "    normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1)]\n}\n");
}

/* Two triangles whose shared corner 0 has two coordinates, and corner 2 one: with and without normals. */
static void corners_have_texture_coordinates(void **state)
{
    static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const float uv[2][6] = {{0, 0, 0.5F, 0, 0.5F, 1}, {0.75F, 0, 0.5F, 1, 0.75F, 1}};
    static const float normals[4][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    const ct_frame_field normal = {{"normal", "", CT_TYPE_FLOAT32, 3, ""}, normals};
    ct_frame frame = {
        .count = 4, .dimension = 3, .position = square, .triangles = triangles, .triangle_count = 2};
    frame.uv = uv;
    const char *head = "# continua, step 0; metres, y up\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    const char *coordinates = "vt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0.75 0\nvt 0.75 1\n";
    char wanted[400];
    snprintf(wanted, sizeof wanted, "%s%sf 1/1 2/2 3/3\nf 1/4 3/3 4/5\n", head, coordinates);
    assert_text(state, "obj", &frame, wanted);
    size_t size;
    unsigned char *bytes = write_frame(state, "usda", &frame, &size);
    assert_non_null(strstr((const char *)bytes,
                           "    texCoord2f[] primvars:st = [(0, 0), (0.5, 0), (0.5, 1), (0.75, 0), (0.5, 1), "
                           "(0.75, 1)] (\n        interpolation = \"faceVarying\"\n    )\n"));
    free(bytes);
    bytes = write_frame(state, "vtu", &frame, &size);
    assert_memory_equal(vtu_array(bytes, size, "uv", "Float32", 6, sizeof uv), uv, sizeof uv);
    free(bytes);
    bytes = write_frame(state, "hdf", &frame, &size);
    assert_non_null(memmem(bytes, size, uv, sizeof uv));
    free(bytes);
    frame.fields = &normal, frame.field_count = 1;
    snprintf(wanted, sizeof wanted,
             "%svn 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\n%sf 1/1/1 2/2/2 3/3/3\nf 1/4/1 3/3/3 4/5/4\n", head,
             coordinates);
    assert_text(state, "obj", &frame, wanted);
}

static void usda_names_what_the_schema_knows(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "usda", &tiny, &size);
    const char *text = (const char *)bytes;
    assert_non_null(strstr(text, "def Points \"particles\""));
    assert_non_null(strstr(text, "point3f[] points = [(0, 0.5, -1), (0.1, 2, 3)]"));
    assert_non_null(
        strstr(text, "vector3f[] velocities = [(1, -2, 0.100000001), (0, 0.25, 9.99999994e-09)]"));
    assert_non_null(
        strstr(text, "int[] primvars:body = [0, 1] (\n        interpolation = \"vertex\"\n    )"));
    free(bytes);
}

static void bgeo_has_these_bytes(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "bgeo", &tiny, &size);
    static const unsigned char head[] = {'B', 'g', 'e', 'o', 'V', 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
                                         0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                         /* v, three numbers, a vector; defaults */
                                         0, 1, 'v', 0, 3, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                         /* body, one number, an integer */
                                         0, 4, 'b', 'o', 'd', 'y', 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,
                                         /* 0, 0.5, -1, 1 */
                                         0, 0, 0, 0, 0x3f, 0, 0, 0, 0xbf, 0x80, 0, 0, 0x3f, 0x80, 0, 0};
    assert_memory_equal(bytes, head, sizeof head);
    assert_int_equal(size, sizeof head + 16 + (16 + 16) + 2);
    assert_int_equal(bytes[size - 2], 0x00);
    assert_int_equal(bytes[size - 1], 0xff);
    free(bytes);
}

static void surfaces_have_triangles(void **state)
{
    size_t size;
    unsigned char *bytes = write_frame(state, "vtu", &tiny_surface, &size);
    const int64_t *corners = (const int64_t *)vtu_array(bytes, size, "connectivity", "Int64", 1, 24);
    int64_t found[3];
    memcpy(found, corners, sizeof found);
    assert_true(found[0] == 0 && found[1] == 1 && found[2] == 2);
    assert_int_equal(*(const unsigned char *)vtu_array(bytes, size, "types", "UInt8", 1, 1), 5);
    free(bytes);
    bytes = write_frame(state, "ply", &tiny_surface, &size);
    assert_non_null(strstr((const char *)bytes, "element face 1\nproperty list uchar uint vertex_indices\n"));
    static const unsigned char face[13] = {3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    assert_memory_equal(bytes + size - sizeof face, face, sizeof face);
    free(bytes);
    ct_frame broken = tiny_surface;
    static const uint32_t nowhere[1][3] = {{0, 1, 3}};
    broken.triangles = nowhere;
    ct_heap heap = plain_heap();
    ct_error error = {0};
    for (int w = 0; ct_writer_at(w); w++)
        assert_int_equal(ct_writer_at(w)->write(&heap, ct_to(path_in(state, "f")), &broken, &error),
                         CT_BAD_USAGE);
}

static void broken_frames_are_refused(void **state)
{
    static const double position[1][3] = {{0}};
    static const float value[1] = {0};
    ct_heap heap = plain_heap();
    ct_frame_field field = {{"speed", "m/s", CT_TYPE_FLOAT32, 1, ""}, value};
    const ct_frame good = {.count = 1, .position = position, .fields = &field, .field_count = 1};
    for (int w = 0; ct_writer_at(w); w++)
        for (int fault = 0; fault < 8; fault++) {
            ct_error error = {0};
            ct_frame frame = good;
            ct_frame_field broken = field;
            frame.fields = &broken;
            if (fault == 0) frame.position = NULL;
            if (fault == 1) frame.count = UINT64_MAX;
            if (fault == 2) broken.info.name = NULL;
            if (fault == 3) broken.info.name = "";
            if (fault == 4) broken.info.type = (ct_type)99;
            if (fault == 5) broken.info.components = 0;
            if (fault == 6) broken.values = NULL;
            if (fault == 7) frame.count = UINT64_MAX / 24, broken.info.components = 100;
            assert_int_equal(ct_writer_at(w)->write(&heap, ct_to(path_in(state, "f")), &frame, &error),
                             CT_BAD_USAGE);
            assert_true(strlen(error.message) > 0);
            assert_int_equal(empty_folder(state), 0);
        }
}

static void pvd_has_these_bytes(void **state)
{
    static const char *const paths[2] = {"frames/0000.vtu", "frames/<1> & 'x'.vtu"};
    static const double times[2] = {0, 1.0 / 24};
    ct_heap heap = plain_heap();
    const char *path = path_in(state, "run.pvd");
    assert_int_equal(ct_write_pvd(&heap, ct_to(path), paths, times, 2, NULL), CT_OK);
    size_t size;
    unsigned char *bytes = load_file(path, &size);
    assert_string_equal((const char *)bytes,
                        "<?xml version=\"1.0\"?>\n"
                        "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                        "  <Collection>\n"
                        "    <DataSet timestep=\"0\" part=\"0\" file=\"frames/0000.vtu\"/>\n"
                        "    <DataSet timestep=\"0.041666666666666664\" part=\"0\" "
                        "file=\"frames/&lt;1&gt; &amp; &apos;x&apos;.vtu\"/>\n"
                        "  </Collection>\n"
                        "</VTKFile>\n");
    free(bytes);
    assert_int_equal(empty_folder(state), 1);
}

static void pvd_refuses_what_it_cannot_say(void **state)
{
    static const char *const good[1] = {"a.vtu"}, *const bad[1] = {"a\n.vtu"};
    static const double zero[1] = {0}, not_finite[1] = {NAN};
    ct_heap heap = plain_heap();
    ct_error error = {0};
    const char *path = path_in(state, "run.pvd");
    assert_int_equal(ct_write_pvd(&heap, ct_to(path), good, not_finite, 1, &error), CT_BAD_USAGE);
    assert_mentions(&error, "a.vtu");
    assert_int_equal(ct_write_pvd(&heap, ct_to(path), bad, zero, 1, &error), CT_BAD_USAGE);
    assert_int_equal(empty_folder(state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_are_listed),
        cmocka_unit_test(vtu_has_these_bytes),
        cmocka_unit_test(ply_has_these_bytes),
        cmocka_unit_test(csv_has_these_bytes),
        cmocka_unit_test(csv_has_a_stop_in_every_locale),
        cmocka_unit_test(columns_are_named_by_component),
        cmocka_unit_test(vtu_reads_back),
        cmocka_unit_test(a_frame_may_be_empty),
        cmocka_unit_test(texts_have_these_bytes),
        cmocka_unit_test(usda_names_what_the_schema_knows),
        cmocka_unit_test(bgeo_has_these_bytes),
        cmocka_unit_test(surfaces_have_triangles),
        cmocka_unit_test(corners_have_texture_coordinates),
        cmocka_unit_test(broken_frames_are_refused),
        cmocka_unit_test(pvd_has_these_bytes),
        cmocka_unit_test(pvd_refuses_what_it_cannot_say),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
