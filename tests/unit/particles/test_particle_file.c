#include "helpers.h"

#include "core/text.h"
#include "particles/particle_file.h"

static ct_particle_file parse(ct_heap *heap, const char *name, const void *bytes, size_t count)
{
    ct_particle_file file;
    ct_error error;
    if (ct_particle_file_parse(heap, name, bytes, count, &file, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    return file;
}

static void expect_broken(const char *name, const void *bytes, size_t count, const char *text)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_particle_file file;
    ct_error error = {0};
    expect_failure(ct_particle_file_parse(&heap, name, bytes, count, &file, &error), &error, CT_BAD_SCENE,
                   text);
    assert_int_equal(heap.bytes, 0);
}

static void expect_attribute(const ct_particle_file *file, const char *name, int components,
                             const double *values)
{
    const ct_attribute *attribute = ct_particle_file_find(file, name);
    if (!attribute) print_error("there is no '%s'\n", name);
    assert_non_null(attribute);
    assert_int_equal(attribute->components, components);
    for (size_t i = 0; i < file->count * (size_t)components; i++)
        assert_true(attribute->values[i] == values[i]);
}

static const double positions[3][3] = {{0.5, 1, -2}, {1e-3, 0, 4}, {7, 8.25, 9}};
static const double velocities[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9.5};
static const double masses[3] = {0.25, 0.5, 1};

/* Three particles with velocity and mass, whatever the format. */
static void expect_three(const char *name, const void *bytes, size_t count, double time)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_particle_file file = parse(&heap, name, bytes, count);
    assert_int_equal(file.count, 3);
    assert_memory_equal(file.position, positions, sizeof positions);
    expect_attribute(&file, "velocity", 3, velocities);
    expect_attribute(&file, "mass", 1, masses);
    assert_true(isnan(time) ? isnan(file.time) : file.time == time);
    ct_particle_file_release(&file);
    assert_int_equal(heap.bytes, 0);
}

/* ---- CSV ---------------------------------------------------------------------------------------------- */

static void csv_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x,y,z,velocity_x,velocity_y,velocity_z,mass\n0.5,1,-2,1,2,3,0.25\n1e-3,0,4,4,5,6,0.5\n7,8.25,9,7,8,"
        "9.5,1\n",
        "mass;vx;vy;vz;x;y;z\r\n.25;1;2;3;.5;1;-2\r\n0.5;4;5;6;1e-3;0;4\r\n\r\n1;7;8;9.5;7;8.25;9",
        "# x y z vx vy vz mass\n# a comment\n0.5 1 -2  1 2 3  0.25\n  1e-3 0 4 4 5 6 0.5\n7 8.25 9 7 8 9.5 "
        "1\n",
        "\"velocity:0\",\"velocity:1\",\"velocity:2\",\"name, or "
        "so\",\"Points:0\",\"Points:1\",\"Points:2\",mass\n"
        "1,2,3,\"a,b\",0.5,1,-2,0.25\n4,5,6,,1e-3,0,4,0.5\n\"7\", 8 ,9.5,c,7,8.25,9,1\n",
        "\xef\xbb\xbfposition.x\tposition.y\tposition.z\tvelocity.x\tvelocity.y\tvelocity.z\tmass\n"
        "0.5\t1\t-2\t1\t2\t3\t0.25\n1e-3\t0\t4\t4\t5\t6\t0.5\n7\t8.25\t9\t7\t8\t9.5\t1\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) expect_three("a.csv", texts[i], strlen(texts[i]), NAN);
}

static void csv_columns_are_grouped(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char text[] =
        "id,x,y,F_xx,F_xy,F_yx,F_yy,stress_0,stress_1,stress_2,tag_x,other_2,J,empty,b_0,b_1,b_0\n"
        "5,1,2,1,2,3,4,10,11,12,6,7,nan,,20,21,22\n";
    ct_particle_file file = parse(&heap, "a.csv", text, strlen(text));
    assert_int_equal(file.count, 1);
    assert_true(file.position[0][0] == 1 && file.position[0][1] == 2 && file.position[0][2] == 0);
    expect_attribute(&file, "F", 4, (double[]){1, 2, 3, 4});
    expect_attribute(&file, "stress", 3, (double[]){10, 11, 12});
    expect_attribute(&file, "tag_x", 1, (double[]){6});  /* a component alone is no vector */
    expect_attribute(&file, "b", 2, (double[]){20, 21}); /* counting anew begins another */
    expect_attribute(&file, "b_0", 1, (double[]){22});
    expect_attribute(&file, "other_2", 1, (double[]){7});
    expect_attribute(&file, "id", 1, (double[]){5});
    assert_true(isnan(ct_particle_file_find(&file, "J")->values[0]));
    assert_true(isnan(ct_particle_file_find(&file, "empty")->values[0]));
    assert_null(ct_particle_file_find(&file, "position"));
    ct_particle_file_release(&file);
    static const char mixed[] = "vy,z,mass,x,vx,y\n5,3,7,1,4,2\n"; /* by name, not by place */
    file = parse(&heap, "a.csv", mixed, strlen(mixed));
    assert_true(file.position[0][0] == 1 && file.position[0][1] == 2 && file.position[0][2] == 3);
    expect_attribute(&file, "velocity", 2, (double[]){4, 5});
    expect_attribute(&file, "mass", 1, (double[]){7});
    ct_particle_file_release(&file);
    file = parse(&heap, "a.csv", "x,y,z\n", 6);
    assert_int_equal(file.count, 0);
    ct_particle_file_release(&file);
}

static void broken_csv(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "a.csv:1: the file is empty"},
        {"a,b\n1,2\n", "there are no columns x, y, z"},
        {"x,y,z\n1,2\n", "a.csv:2: 2 cells, but there are 3 names"},
        {"x,y,z\n1,2,3\n\n1,2,3,4\n", "a.csv:4: more cells than the 3 names"},
        {"x,y,z\n1,2,3\n1,2,three\n", "a.csv:3: 'three' in column 'z' is not a number"},
        {"x,y,z\n1,nan,3\n", "particle 0 (counted from 0) is not at a finite place"},
        {"x,y,z\n1,,3\n", "is not at a finite place"},
        {"x;y;z\n1,5;2,5;3,5\n", "there are no columns x, y, z"}, /* decimal commas are text */
        {"x,y,z\n\"1,2,3\n", "1 cells, but there are 3 names"},   /* a quote that never ends */
        {"x,z\n1,3\n", "a.csv:1:3: the column 'z' stands without others of 'position'"},
        {"x\n1\n", "a.csv:1:1: the column 'x' stands without others of 'position'"},
        {"x,y,z\n1,two,3\n", "a.csv:1:5: the column 'z' stands without"}, /* y is text */
        {"x,y,z,velocity_x\n1,2,3,4\n", "a.csv:1:7: the column 'velocity_x' stands without"},
        {"# a file\n", "there are no columns x, y, z"},
        {"x, y, z, vx, vz\n1,2,3,4,5\n", "a.csv:1:14: the column 'vz' stands without others of 'velocity'"},
        {"x,y,z,F_xx,F_xy,F_yx\n1,2,3,4,5,6\n", "a.csv:1:17: the column 'F_yx' stands without"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_broken("a.csv", cases[i].text, strlen(cases[i].text), cases[i].reason);
    expect_broken("a.xyz", "", 0, "a particle file must be a .csv, .ply or .vtu file");
    char wide[2000];
    memset(wide, ',', sizeof wide);
    expect_broken("a.csv", wide, sizeof wide, "more than 256 columns");
}

/* ---- PLY ---------------------------------------------------------------------------------------------- */

static void ply_forms(void **state)
{
    (void)state;
    static const char text[] =
        "ply\nformat ascii 1.0\ncomment time 0.125\nelement vertex 3\nproperty double x\n"
        "property double y\nproperty double z\nproperty list uchar int skipped\n"
        "property float vx\nproperty float vy\nproperty float vz\nproperty double mass\nend_header\n"
        "0.5 1 -2 2 0 0 1 2 3 0.25\n1e-3 0 4 0 4 5 6 0.5\n7 8.25 9 1 5 7 8 9.5 1\n";
    expect_three("a.ply", text, strlen(text), 0.125);
    expect_broken("a.ply", text, strlen(text) - 3, "the file ends before all the numbers");

    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text binary = {.heap = &heap};
    ct_text_print(
        &binary,
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
        "property double z\nproperty float velocity_x\nproperty float velocity_y\n"
        "property float velocity_z\nproperty double mass\nproperty uint id\nend_header\n");
    for (uint32_t p = 0; p < 3; p++) {
        ct_text_append(&binary, positions[p], sizeof positions[p]);
        for (uint32_t a = 0; a < 3; a++) {
            float v = (float)velocities[3 * p + a];
            ct_text_append(&binary, &v, sizeof v);
        }
        ct_text_append(&binary, &masses[p], sizeof masses[p]);
        ct_text_append(&binary, &p, sizeof p);
    }
    expect_three("a.ply", binary.data, binary.length, NAN);
    ct_particle_file file = parse(&heap, "a.ply", binary.data, binary.length);
    assert_int_equal(ct_particle_file_find(&file, "velocity")->type, CT_TYPE_FLOAT32);
    assert_int_equal(ct_particle_file_find(&file, "id")->type, CT_TYPE_UINT32);
    ct_particle_file_release(&file);
    for (size_t length = 0; length < binary.length; length++)
        expect_broken("a.ply", binary.data, length, "a.ply");
    ct_text_release(&binary);
    /* A face of four corners is two triangles; what is no corner is passed over; a corner must be a vertex.
     */
    static const char woven[] =
        "ply\nformat ascii 1.0\ncomment step 12\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\n"
        "element face 1\nproperty uchar red\nproperty list uchar int vertex_index\nend_header\n"
        "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 9\n7 4 0 1 2 3\n";
    file = parse(&heap, "a.ply", woven, strlen(woven));
    assert_int_equal(file.step, 12);
    assert_int_equal(file.links.triangle_count, 2);
    assert_memory_equal(file.links.triangles, ((const uint32_t[2][3]){{0, 1, 2}, {0, 2, 3}}), 24);
    assert_int_equal(file.links.line_count, 1);
    assert_memory_equal(file.links.lines, ((const uint32_t[1][2]){{3, 0}}), 8);
    ct_particle_file_release(&file);
    char broken[sizeof woven];
    memcpy(broken, woven, sizeof woven);
    broken[sizeof woven - 3] = '4';
    expect_broken("a.ply", broken, strlen(broken), "a corner that is no vertex");
    static const char none[] = "ply\nformat ascii 1.0\nelement point 1\nproperty float x\nend_header\n1\n";
    expect_broken("a.ply", none, strlen(none), "there is no element 'vertex'");
}

/* ---- VTU ---------------------------------------------------------------------------------------------- */

/* As ParaView writes it as text. */
static const char text_vtu[] =
    "<?xml version=\"1.0\"?>\n<!-- a <comment> -->\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
    " <UnstructuredGrid>\n  <FieldData>\n   <DataArray type=\"Float64\" Name=\"TimeValue\" "
    "NumberOfTuples=\"1\" "
    "format=\"ascii\">0.75</DataArray>\n  </FieldData>\n  <Piece NumberOfPoints=\"3\" NumberOfCells='0'>\n   "
    "<PointData>\n"
    "    <DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"ascii\" "
    "RangeMin=\"1>2\">\n"
    "     1 2 3 4 5 6\n7 8 9.5\n</DataArray>\n    <DataArray type=\"Float64\" Name=\"mass\" "
    "format=\"ascii\">0.25 0.5 1"
    "</DataArray>\n    <DataArray type=\"String\" Name=\"words\" format=\"ascii\">65 66 67</DataArray>\n   "
    "</PointData>\n"
    "   <CellData/>\n   <Points>\n    <DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
    "format=\"ascii\">\n"
    "0.5 1 -2 1e-3 0 4 7 8.25 9 </DataArray>\n   </Points>\n   <Cells><DataArray type=\"Int64\" "
    "Name=\"connectivity\" "
    "format=\"ascii\"/></Cells>\n  </Piece>\n </UnstructuredGrid>\n</VTKFile>\n";

static void encode_base64(ct_text *text, const void *bytes, size_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i += 3) {
        uint32_t bits = (uint32_t)byte[i] << 16;
        if (i + 1 < count) bits |= (uint32_t)byte[i + 1] << 8;
        if (i + 2 < count) bits |= byte[i + 2];
        char group[4] = {letters[bits >> 18], letters[bits >> 12 & 63],
                         i + 1 < count ? letters[bits >> 6 & 63] : '=',
                         i + 2 < count ? letters[bits & 63] : '='};
        ct_text_append(text, group, 4);
    }
}

typedef enum style { RAW, RAW_32, INLINE_TOGETHER, INLINE_APART, APPENDED_BASE64 } style;

/* The bytes of an array with their length in front; appended in `data`, or right here. */
static void write_array(ct_text *text, ct_text *data, style how, const void *bytes, size_t count)
{
    unsigned char all[256];
    uint64_t long_length = count;
    uint32_t short_length = (uint32_t)count;
    size_t head = how == RAW ? 8 : 4;
    assert_true(head + count <= sizeof all);
    memcpy(all, head == 8 ? (void *)&long_length : (void *)&short_length, head);
    memcpy(all + head, bytes, count);
    if (how == RAW || how == RAW_32 || how == APPENDED_BASE64) {
        ct_text_print(text, " format=\"appended\" offset=\"%zu\"/>\n", data->length);
        if (how == APPENDED_BASE64) encode_base64(data, all, head + count);
        else ct_text_append(data, all, head + count);
        return;
    }
    ct_text_print(text, " format=\"binary\">\n      ");
    if (how == INLINE_TOGETHER) encode_base64(text, all, head + count);
    if (how == INLINE_APART) encode_base64(text, all, head), encode_base64(text, bytes, count);
    ct_text_print(text, "\n    </DataArray>\n");
}

static void write_vtu(ct_text *text, style how)
{
    ct_text data = {.heap = text->heap};
    const double time = 0.75;
    ct_text_print(
        text,
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"%s>\n<UnstructuredGrid>\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\"",
        how == RAW ? " header_type=\"UInt64\"" : "");
    write_array(text, &data, how, &time, sizeof time);
    ct_text_print(text, "</FieldData>\n<Piece NumberOfPoints=\"3\" NumberOfCells=\"0\">\n<Points>\n"
                        "<DataArray type=\"Float64\" NumberOfComponents=\"3\"");
    write_array(text, &data, how, positions, sizeof positions);
    ct_text_print(
        text,
        "</Points>\n<PointData>\n<DataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"");
    write_array(text, &data, how, velocities, sizeof velocities);
    ct_text_print(text, "<DataArray type=\"Float64\" Name=\"mass\"");
    write_array(text, &data, how, masses, sizeof masses);
    ct_text_print(text, "</PointData>\n</Piece>\n</UnstructuredGrid>\n");
    if (data.length) {
        ct_text_print(text, "<AppendedData encoding=\"%s\">\n  _", how == APPENDED_BASE64 ? "base64" : "raw");
        ct_text_append(text, data.data, data.length);
        ct_text_print(text, "\n</AppendedData>\n");
    }
    ct_text_print(text, "</VTKFile>\n");
    ct_text_release(&data);
}

static void vtu_forms(void **state)
{
    (void)state;
    expect_three("a.vtu", text_vtu, strlen(text_vtu), 0.75);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (int how = RAW; how <= APPENDED_BASE64; how++) {
        ct_text text = {.heap = &heap};
        write_vtu(&text, (style)how);
        expect_three("a.vtu", text.data, text.length, 0.75);
        size_t tail = strlen("\n</AppendedData>\n</VTKFile>\n");
        for (size_t length = 0; length < text.length - tail; length += how == RAW ? 1 : 13)
            expect_broken("a.vtu", text.data, length, "a.vtu");
        ct_text_release(&text);
    }
    assert_int_equal(heap.bytes, 0);
}

static void big_endian_vtu(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    const unsigned char data[] = {0,    0, 0, 12, 0x3f, 0x80, 0, 0,
                                  0xc0, 0, 0, 0,  0x40, 0x40, 0, 0}; /* 1, -2, 3 */
    ct_text_print(
        &text,
        "<VTKFile type='PolyData' byte_order='BigEndian'><PolyData><Piece NumberOfPoints='1'><Points>"
        "<DataArray type='Float32' NumberOfComponents='3' format='appended' offset='0'/></Points></Piece>"
        "</PolyData><AppendedData encoding='raw'>_");
    ct_text_append(&text, data, sizeof data);
    ct_particle_file file = parse(&heap, "a.vtp", text.data, text.length);
    assert_true(file.position[0][0] == 1 && file.position[0][1] == -2 && file.position[0][2] == 3);
    ct_particle_file_release(&file);
    ct_text_release(&text);
}

static void broken_vtu(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"<VTKFile", "<Other", "there is no tag <VTKFile>"},
        {"</VTKFile>", "", "the file ends before </VTKFile>"},
        {"UnstructuredGrid\" version", "ImageData\" version",
         "must be of the type UnstructuredGrid or PolyData"},
        {"NumberOfPoints=\"3\"", "NumberOfPoints=\"4\"", "the array 'velocity' has too few numbers"},
        {"NumberOfPoints=\"3\"", "NumberOfPoints=\"999999999999999999\"",
         "do not fit into a file of this size"},
        {"NumberOfPoints=\"3\"", "NumberOfPoints=\"-3\"", "a.vtu:8: the piece says no NumberOfPoints"},
        {"NumberOfPoints=\"3\"", "", "the piece says no NumberOfPoints"},
        {"Float32\" Name=\"Points\"", "Float16\" Name=\"Points\"", "the points are of no type of numbers"},
        {"Name=\"Points\" NumberOfComponents=\"3\"", "Name=\"Points\" NumberOfComponents=\"2\"",
         "must have three components"},
        {"Name=\"velocity\" NumberOfComponents=\"3\"", "Name=\"velocity\" NumberOfComponents=\"1000\"",
         "must have 1 to 64 components"},
        {"1 2 3 4", "1 2 x 4", "the array 'velocity' has something in it that is no number"},
        {"0.5 1 -2", "0.5 inf -2", "particle 0 (counted from 0) is not at a finite place"},
        {"ascii\">0.25", "brainwave\">0.25", "'mass' has the unknown format 'brainwave'"},
        {"ascii\">0.25", "appended\">0.25", "the array 'mass' has no offset"},
        {"ascii\">0.25", "appended\" offset=\"9\">0.25", "the array 'mass' lies beyond the end of the file"},
        {"ascii\">0.25", "binary\">0.25", "the array 'mass'"},
        {"<Points>", "<Pints>", "there is no array of points"},
        {"</Piece>", "</Piece><Piece NumberOfPoints=\"3\">", "files of more than one piece are not read"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        const char *place = strstr(text_vtu, cases[i].from);
        assert_non_null(place);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - text_vtu), text_vtu, cases[i].to,
                 place + strlen(cases[i].from));
        expect_broken("a.vtu", text, strlen(text), cases[i].reason);
    }
}

static void compressed_vtu_is_refused_with_the_reason(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    write_vtu(&text, INLINE_TOGETHER);
    ct_text changed = {.heap = &heap};
    ct_text_print(&changed, "<VTKFile compressor=\"vtkZLibDataCompressor\"%s",
                  text.data + strlen("<VTKFile"));
    expect_broken("a.vtu", changed.data, changed.length, "is compressed; write the file without compression");
    ct_text_release(&text);
    ct_text_release(&changed);
}

/* ---- Anything ----------------------------------------------------------------------------------------- */

static void mangled_files_do_no_harm(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char csv[] = "x,y,z,\"vx\",vy,vz\n1,2,3,4,5,6\n1,2,3,4,5,6\n";
    ct_text raw = {.heap = &heap}, letters = {.heap = &heap};
    write_vtu(&raw, RAW);
    write_vtu(&letters, INLINE_TOGETHER);
    const struct {
        const char *name, *bytes;
        size_t count;
    } files[] = {{"a.csv", csv, sizeof csv - 1},
                 {"a.vtu", text_vtu, sizeof text_vtu - 1},
                 {"a.vtu", raw.data, raw.length},
                 {"a.vtu", letters.data, letters.length}};
    int good = 0, bad = 0;
    for (uint64_t i = 0; i < 8000; i++) {
        size_t f = i % COUNT_OF(files), count = files[f].count;
        char copy[2048];
        assert_true(count <= sizeof copy);
        memcpy(copy, files[f].bytes, count);
        for (uint64_t k = 0; k < 1 + i % 3; k++)
            copy[ct_random_key(i, k) % count] = (char)ct_random_key(i, 100 + k);
        ct_particle_file file;
        ct_status status = ct_particle_file_parse(&heap, files[f].name, copy, count, &file, NULL);
        good += !status, bad += status == CT_BAD_SCENE;
        ct_particle_file_release(&file);
    }
    assert_int_equal(good + bad, 8000);
    assert_true(good > 100 && bad > 100);
    ct_text_release(&raw);
    ct_text_release(&letters);
    assert_int_equal(heap.bytes, 0);
}

static ct_status read_text_vtu(ct_heap *heap, ct_error *error)
{
    ct_particle_file file;
    ct_status status = ct_particle_file_parse(heap, "a.vtu", text_vtu, strlen(text_vtu), &file, error);
    ct_particle_file_release(&file);
    return status;
}

static ct_status read_csv(ct_heap *heap, ct_error *error)
{
    ct_particle_file file;
    ct_status status = ct_particle_file_parse(heap, "a.csv", "x,y,z,m\n1,2,3,4\n", 16, &file, error);
    ct_particle_file_release(&file);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    expect_survives_no_memory(read_text_vtu);
    expect_survives_no_memory(read_csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_forms),
        cmocka_unit_test(csv_columns_are_grouped),
        cmocka_unit_test(broken_csv),
        cmocka_unit_test(ply_forms),
        cmocka_unit_test(vtu_forms),
        cmocka_unit_test(big_endian_vtu),
        cmocka_unit_test(broken_vtu),
        cmocka_unit_test(compressed_vtu_is_refused_with_the_reason),
        cmocka_unit_test(mangled_files_do_no_harm),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
