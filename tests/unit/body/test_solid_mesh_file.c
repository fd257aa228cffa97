#include "helpers.h"

#include "body/solid_mesh_file.h"

/* ---- Writing ------------------------------------------------------------------------------------------ */

/* A file in memory: text and binary numbers. */
typedef struct file {
    char bytes[1 << 16];
    size_t count;
    bool is_binary, is_big_endian;
} file;

__attribute__((format(printf, 2, 3))) static void text(file *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    f->count += (size_t)vsnprintf(f->bytes + f->count, sizeof f->bytes - f->count, format, arguments);
    va_end(arguments);
}

static void raw(file *f, const void *value, size_t size)
{
    const char *bytes = value;
    for (size_t i = 0; i < size; i++)
        f->bytes[f->count++] = bytes[f->is_big_endian ? size - 1 - i : i]; /* this machine is little-endian */
}

/* A number of the file: an int, a size_t or a double. */
static void put_int(file *f, int value)
{
    if (f->is_binary) raw(f, &value, sizeof value);
    else text(f, "%d ", value);
}

static void put_size(file *f, uint64_t value)
{
    if (f->is_binary) raw(f, &value, sizeof value);
    else text(f, "%llu ", (unsigned long long)value);
}

static void put_real(file *f, double value)
{
    if (f->is_binary) raw(f, &value, sizeof value);
    else text(f, "%.17g ", value);
}

static void end_line(file *f)
{
    if (!f->is_binary) text(f, "\n");
}

/* Tags of vertices: sparse, and not in order. */
static int tag_of(uint32_t vertex)
{
    return (int)(1000 - 3 * vertex);
}

static void put_tags(file *f, const uint32_t *corners, int count, bool is_size)
{
    for (int c = 0; c < count; c++) {
        if (is_size) put_size(f, (uint64_t)tag_of(corners[c]));
        else put_int(f, tag_of(corners[c]));
    }
    end_line(f);
}

static void put_place(file *f, const double x[3])
{
    for (int a = 0; a < 3; a++) put_real(f, x[a]);
    end_line(f);
}

/* The last vertex is loose: the point of a geometry. */
static const double loose[3] = {9, 9, 0};
static const uint32_t loose_vertex = 300;

static void head_of_msh(file *f, const char *version)
{
    text(f, "$MeshFormat\n%s %d 8\n", version, f->is_binary);
    if (f->is_binary) raw(f, &(int){1}, 4), text(f, "\n");
    text(f, "$EndMeshFormat\n$Comments\nany $words\n$EndComments\n");
}

/* Faces are in the groups "skin" (3D: surface, 2D: curve), elements in the unnamed group 7. */
static void write_msh_2(const ct_solid_mesh *mesh, file *f)
{
    int d = mesh->dimension;
    head_of_msh(f, "2.2");
    text(f, "$PhysicalNames\n1\n%d 5 \"the skin\"\n$EndPhysicalNames\n$Nodes\n%zu\n", d - 1,
         mesh->vertex_count + 1);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) put_int(f, tag_of(v)), put_place(f, mesh->position[v]);
    put_int(f, tag_of(loose_vertex)), put_place(f, loose);
    text(f, "\n$EndNodes\n$Elements\n%zu\n", mesh->face_count + mesh->element_count + 1);
    const struct {
        int type, corners, physical;
        size_t count;
    } blocks[] = {
        {15, 1, 0, 1}, {d - 1, d, 5, mesh->face_count}, {d == 3 ? 4 : 2, d + 1, 7, mesh->element_count}};
    int number = 0;
    for (int b = 0; b < 3; b++) {
        if (f->is_binary) put_int(f, blocks[b].type), put_int(f, (int)blocks[b].count), put_int(f, 2);
        for (size_t e = 0; e < blocks[b].count; e++) {
            put_int(f, ++number);
            if (!f->is_binary) put_int(f, blocks[b].type), put_int(f, 2);
            put_int(f, blocks[b].physical), put_int(f, 1);
            const uint32_t *corners = b == 0 ? &loose_vertex : b == 1 ? mesh->face[e] : mesh->element[e];
            put_tags(f, corners, blocks[b].corners, false);
        }
    }
    text(f, "\n$EndElements\n");
}

static void put_entity(file *f, int tag, int dimension, int physical)
{
    put_int(f, tag);
    for (int i = 0; i < (dimension ? 6 : 3); i++) put_real(f, 0.5);
    put_size(f, physical != 0);
    if (physical) put_int(f, physical);
    if (dimension) put_size(f, 1), put_int(f, 1);
    end_line(f);
}

static void write_msh_4(const ct_solid_mesh *mesh, file *f)
{
    int d = mesh->dimension;
    head_of_msh(f, "4.1");
    text(f, "$PhysicalNames\n1\n%d 5 \"the skin\"\n$EndPhysicalNames\n$Entities\n", d - 1);
    const int entities[4] = {1, d == 2, 1,
                             d == 3}; /* in 2D a curve and a surface, in 3D a surface and a volume */
    for (int i = 0; i < 4; i++) put_size(f, (uint64_t)entities[i]);
    end_line(f);
    for (int i = 0; i < 4; i++)
        if (entities[i]) put_entity(f, 1, i, i == d ? 7 : i == d - 1 ? 5 : 0);
    text(f, "\n$EndEntities\n$Nodes\n");
    put_size(f, 2), put_size(f, mesh->vertex_count + 1), put_size(f, 1), put_size(f, 1000), end_line(f);
    put_int(f, d), put_int(f, 1), put_int(f, 0), put_size(f, mesh->vertex_count), end_line(f);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) put_size(f, (uint64_t)tag_of(v)), end_line(f);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) put_place(f, mesh->position[v]);
    put_int(f, 1), put_int(f, 1), put_int(f, 1), put_size(f, 1), end_line(f); /* with a parameter */
    put_size(f, (uint64_t)tag_of(loose_vertex)), put_place(f, loose), put_real(f, 0.5), end_line(f);
    text(f, "\n$EndNodes\n$Elements\n");
    put_size(f, 3), put_size(f, mesh->element_count + mesh->face_count + 1), put_size(f, 1),
        put_size(f, 9999);
    end_line(f);
    put_int(f, 0), put_int(f, 1), put_int(f, 15), put_size(f, 1), put_size(f, 1);
    put_tags(f, &loose_vertex, 1, true);
    put_int(f, d - 1), put_int(f, 1), put_int(f, d - 1), put_size(f, mesh->face_count), end_line(f);
    for (size_t e = 0; e < mesh->face_count; e++) put_size(f, e + 2), put_tags(f, mesh->face[e], d, true);
    put_int(f, d), put_int(f, 1), put_int(f, d == 3 ? 4 : 2), put_size(f, mesh->element_count), end_line(f);
    for (size_t e = 0; e < mesh->element_count; e++)
        put_size(f, e + 5000), put_tags(f, mesh->element[e], d + 1, true);
    text(f, "\n$EndElements\n");
}

static void write_vtk_types(const ct_solid_mesh *mesh, file *f)
{
    text(f, "\nCELL_TYPES %zu\n", mesh->element_count);
    for (size_t e = 0; e < mesh->element_count; e++) put_int(f, mesh->dimension == 3 ? 10 : 5);
    text(f, "\nPOINT_DATA %zu\nSCALARS unread double\n", mesh->vertex_count);
}

static void head_of_vtk(const ct_solid_mesh *mesh, const char *version, file *f)
{
    text(f, "# vtk DataFile Version %s\na title\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %zu double\n", version,
         f->is_binary ? "BINARY" : "ASCII", mesh->vertex_count);
    f->is_big_endian = true;
    for (size_t v = 0; v < mesh->vertex_count; v++) put_place(f, mesh->position[v]);
}

static void write_vtk_3(const ct_solid_mesh *mesh, file *f)
{
    int corners = mesh->dimension + 1;
    head_of_vtk(mesh, "3.0", f);
    text(f, "\nCELLS %zu %zu\n", mesh->element_count, mesh->element_count * (size_t)(corners + 1));
    for (size_t e = 0; e < mesh->element_count; e++) {
        put_int(f, corners);
        for (int c = 0; c < corners; c++) put_int(f, (int)mesh->element[e][c]);
    }
    write_vtk_types(mesh, f);
}

static void write_vtk_5(const ct_solid_mesh *mesh, file *f)
{
    size_t corners = (size_t)mesh->dimension + 1;
    head_of_vtk(mesh, "5.1", f);
    text(f, "\nCELLS %zu %zu\nOFFSETS vtktypeint64\n", mesh->element_count + 1,
         mesh->element_count * corners);
    for (size_t e = 0; e <= mesh->element_count; e++) put_size(f, e * corners);
    text(f, "\nCONNECTIVITY vtktypeint64\n");
    for (size_t e = 0; e < mesh->element_count; e++)
        for (size_t c = 0; c < corners; c++) put_size(f, mesh->element[e][c]);
    write_vtk_types(mesh, f);
}

/* Text, or appended raw as our own writer does it. */
static void write_vtu(const ct_solid_mesh *mesh, file *f)
{
    size_t n = mesh->vertex_count, m = mesh->element_count, corners = (size_t)mesh->dimension + 1;
    const struct {
        const char *section, *name, *type;
        int components;
        size_t count, size;
    } arrays[] = {{"Points", "Points", "Float64", 3, 3 * n, 8},
                  {"PointData", "uv", "Float64", 2, 2 * n, 8},
                  {"Cells", "connectivity", "UInt64", 1, m * corners, 8},
                  {"Cells", "offsets", "UInt64", 1, m, 8},
                  {"Cells", "types", "Int32", 1, m, 4}};
    text(f,
         "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
         "<UnstructuredGrid><Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
         n, m);
    size_t offset = 0;
    for (int pass = 0; pass < 1 + f->is_binary; pass++) { /* binary: first the tags, then the numbers */
        for (int a = 0; a < 5; a++) {
            if (pass == 0) {
                text(f,
                     "<%s><DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"%s\" "
                     "offset=\"%zu\">",
                     arrays[a].section, arrays[a].type, arrays[a].name, arrays[a].components,
                     f->is_binary ? "appended" : "ascii", offset);
                offset += 8 + arrays[a].count * arrays[a].size;
            }
            if (pass == 1) put_size(f, arrays[a].count * arrays[a].size);
            for (size_t i = 0; i < arrays[a].count && pass == f->is_binary; i++) {
                if (a == 0) put_real(f, mesh->position[i / 3][i % 3]);
                if (a == 1) put_real(f, (double)i);
                if (a == 2) put_size(f, mesh->element[i / corners][i % corners]);
                if (a == 3) put_size(f, (i + 1) * corners);
                if (a == 4) put_int(f, mesh->dimension == 3 ? 10 : 5);
            }
            if (pass == 0) text(f, "</DataArray></%s>\n", arrays[a].section);
        }
        if (pass == 0) text(f, "</Piece></UnstructuredGrid>\n");
        if (pass == 0 && f->is_binary) text(f, "<AppendedData encoding=\"raw\">_");
    }
    text(f, "%s\n</VTKFile>\n", f->is_binary ? "</AppendedData>" : "");
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

static ct_solid_mesh box_of(ct_heap *heap, int dimension)
{
    ct_solid_mesh mesh;
    const double min[3] = {0, 0, 0}, max[3] = {1.1, 0.7, 0.3};
    const size_t cells[3] = {4, 3, 2};
    assert_int_equal(ct_solid_mesh_box(heap, dimension, min, max, cells, &mesh, NULL), CT_OK);
    return mesh;
}

static void expect_same(const ct_solid_mesh *a, const ct_solid_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->element_count, b->element_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_memory_equal(a->position, b->position, a->vertex_count * sizeof *a->position);
    assert_memory_equal(a->element, b->element, a->element_count * sizeof *a->element);
    assert_memory_equal(a->face, b->face, a->face_count * sizeof *a->face);
}

static const struct {
    const char *name;
    void (*write)(const ct_solid_mesh *mesh, file *f);
    bool has_groups, has_uv;
} formats[] = {{"2.msh", write_msh_2, true, false},
               {"4.msh", write_msh_4, true, false},
               {"3.vtk", write_vtk_3, false, false},
               {"5.vtk", write_vtk_5, false, false},
               {"a.vtu", write_vtu, false, true}};

/* What was written comes back: text and binary, 2D and 3D. */
static void meshes_come_back(void **state)
{
    (void)state;
    static file f;
    for (size_t k = 0; k < COUNT_OF(formats); k++)
        for (int d = 2; d <= 3; d++)
            for (int binary = 0; binary < 2; binary++) {
                ct_heap heap;
                ct_heap_init(&heap, (ct_allocator){0});
                ct_solid_mesh mesh = box_of(&heap, d), read;
                ct_error error = {0};
                f = (file){.is_binary = binary};
                formats[k].write(&mesh, &f);
                if (ct_solid_mesh_parse(&heap, formats[k].name, f.bytes, f.count, d, &read, &error))
                    print_error("%dD %s: %s\n", d, binary ? "binary" : "text", error.message);
                assert_int_equal(error.status, CT_OK);
                expect_same(&mesh, &read);
                assert_int_equal(read.group_count, formats[k].has_groups ? 2 : 0);
                if (formats[k].has_groups) {
                    bool is_first = strcmp(read.groups[0].name, "the skin") == 0;
                    const ct_vertex_group *skin = &read.groups[is_first ? 0 : 1],
                                          *all = &read.groups[is_first];
                    assert_string_equal(skin->name, "the skin");
                    assert_string_equal(all->name, "7");
                    assert_int_equal(skin->count, d == 2 ? 20 - 6 : 60 - 6); /* without those inside */
                    assert_int_equal(all->count, mesh.vertex_count);
                    for (uint32_t v = 0; v < all->count; v++) assert_int_equal(all->vertices[v], v);
                }
                assert_int_equal(read.uv != NULL, formats[k].has_uv);
                if (read.uv) assert_true(read.uv[3][1] == 7);
                ct_solid_mesh_release(&read);
                ct_solid_mesh_release(&mesh);
                assert_int_equal(heap.bytes, 0);
            }
}

/* Every file that was cut off is refused, with its name. */
static void cut_files_are_refused(void **state)
{
    (void)state;
    static file f;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_solid_mesh mesh = box_of(&heap, 2), read;
    for (size_t k = 0; k < COUNT_OF(formats); k++)
        for (int binary = 0; binary < 2; binary++) {
            f = (file){.is_binary = binary};
            formats[k].write(&mesh, &f);
            for (size_t count = 0; count < f.count * 9 / 10; count += 7) {
                ct_error error = {0};
                ct_status status =
                    ct_solid_mesh_parse(&heap, formats[k].name, f.bytes, count, 2, &read, &error);
                if (!status) { /* whole without the data behind the cells */
                    ct_solid_mesh_release(&read);
                    continue;
                }
                expect_failure(status, &error, CT_BAD_SCENE, formats[k].name);
            }
        }
    ct_solid_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

static ct_status read_a_mesh(ct_heap *heap, ct_error *error)
{
    static file f;
    ct_heap own;
    ct_heap_init(&own, (ct_allocator){0});
    ct_solid_mesh mesh = box_of(&own, 2), read;
    f = (file){.is_binary = true};
    write_msh_4(&mesh, &f);
    ct_solid_mesh_release(&mesh);
    ct_status status = ct_solid_mesh_parse(heap, "a.msh", f.bytes, f.count, 2, &read, error);
    if (!status) ct_solid_mesh_release(&read);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    expect_survives_no_memory(read_a_mesh);
}

/* ---- TetGen ------------------------------------------------------------------------------------------- */

static ct_status parse_pair(ct_heap *heap, const char *nodes, const char *elements, int dimension,
                            ct_solid_mesh *mesh, ct_error *error)
{
    return ct_solid_mesh_parse_pair(
        heap, (const char *const[2]){"a.node", "a.ele"}, (const char *const[2]){nodes, elements},
        (const size_t[2]){strlen(nodes), strlen(elements)}, dimension, mesh, error);
}

/* Numbers from 1, comments, an attribute, markers, regions; all elements the other way round. */
static void pairs_are_read(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_solid_mesh mesh;
    ct_error error = {0};
    static const char nodes[] = "# TetGen\n5 3 1 1\n1 0 0 0 0.5 3\n2 1 0 0 0.5 0\n3 0 1 0 0.5 3 # three\n\n"
                                "4 0 0 1 0.5 0\n5 1 1 1 0.5 3\n";
    static const char elements[] = "2 4 1\n1 2 1 3 4 10\n2 3 2 4 5 11\n";
    ct_status status = parse_pair(&heap, nodes, elements, 3, &mesh, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, CT_OK);
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.face_count, 6);
    expect_near(ct_solid_mesh_quality(&mesh).volume, 0.5, 1e-15);
    assert_int_equal(mesh.group_count, 3);
    assert_string_equal(mesh.groups[0].name, "3");
    assert_int_equal(mesh.groups[0].count, 3);
    assert_int_equal(mesh.groups[0].vertices[1], 2);
    assert_string_equal(mesh.groups[2].name, "region 11");
    assert_int_equal(mesh.groups[2].count, 4);
    ct_solid_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

static void broken_pairs_are_refused(void **state)
{
    (void)state;
    static const char good_nodes[] = "4 2 0 0\n0 0 0\n1 1 0\n2 1 1\n3 0 1\n";
    static const struct {
        const char *nodes, *elements, *says;
    } cases[] = {
        {"", "", "a.node:1: the file ends early"},
        {"4 3 0 0\n", "", "a.node:1: the vertices have 3 coordinates, and the world has 2"},
        {"1 2 0 0\n0 0 x\n", "", "a.node:2: 'x' is not a number"},
        {"1 2 0 0\n0 0\n", "", "a.node:2: a line needs 3 numbers here and has 2"},
        {"1 2 0 0\n0 0 nan\n", "", "a.node:2: vertex 0 is at (0, nan, 0), which is nowhere"},
        {"2 2 0 0\n0 0 0\n0 1 0\n", "", "a.node:3: vertex 0 is there twice"},
        {"9999999 2 0 0\n", "", "a.node:1: 9999999 vertices do not fit into a file of this size"},
        {good_nodes, "1 6 0\n", "a.ele:1: elements have 6 corners; only those of 3 are read"},
        {good_nodes, "1 3 0\n0 0 1 4\n", "a.ele:2: an element uses vertex 4, which is not there"},
        {good_nodes, "1 3 0\n0 0 1 1.5\n", "a.ele:2: 1.5 is no whole number"},
        {good_nodes, "2 3 0\n0 0 1 2\n", "a.ele:3: the file ends early"},
        {good_nodes, "0 3 0\n", "a.ele: there are no triangles in it"},
        {good_nodes, "2 3 0\n0 0 1 2\n1 0 3 2\n", "a.ele:3: element 1 (counted from 0) is inverted"},
        {good_nodes, "2 3 0\n0 0 1 2\n1 0 2 2\n", "a.ele:3: element 1 (counted from 0) is flat"},
        {good_nodes, "3 3 0\n0 0 1 2\n1 0 2 3\n2 2 3 0\n",
         "a.ele:4: element 2 (counted from 0) is there twice"},
        {good_nodes, "1 3 0\n0 0 1 2\n", "a.ele: vertex 3 (counted from 0) dangles"},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        ct_solid_mesh mesh;
        ct_error error = {0};
        expect_failure(parse_pair(&heap, cases[c].nodes, cases[c].elements, 2, &mesh, &error), &error,
                       CT_BAD_SCENE, cases[c].says);
    }
    assert_int_equal(heap.bytes, 0);
}

/* ---- Broken files ------------------------------------------------------------------------------------- */

#define MSH      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define TRIANGLE MSH "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"

static void broken_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"a.msh", "", "a.msh:1: there is no $MeshFormat"},
        {"a.msh", "hello", "a.msh:1: 'hello' is no beginning of a section"},
        {"a.msh", "$Nodes\n", "a.msh:1: the file must begin with $MeshFormat"},
        {"a.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", "a.msh:2: version 4 of the format is not read"},
        {"a.msh", MSH "$Nodes\n3\n1 0 0 0\n", "a.msh:7: the file ends early"},
        {"a.msh", MSH "$Nodes\n1\n1 0 0 inf\n", "a.msh:6: vertex 1 is at (0, 0, inf), which is nowhere"},
        {"a.msh", MSH "$Nodes\n1\n1 0 0 1\n",
         "a.msh:6: vertex 1 is at z = 1; a mesh for 2D must lie at z = 0"},
        {"a.msh", TRIANGLE "$Elements\n1\n1 3 0 1 2 3 1\n",
         "a.msh:12: a quadrilateral is no element of a mesh in 2D"},
        {"a.msh", TRIANGLE "$Elements\n1\n1 4 0 1 2 3 1\n",
         "a.msh:12: a tetrahedron is no element of a mesh in 2D"},
        {"a.msh", TRIANGLE "$Elements\n1\n1 2 0 1 2 4\n",
         "a.msh:12: an element uses vertex 4, which is not there"},
        {"a.msh", TRIANGLE "$Elements\n1\n1 77 0 1 2 4\n", "a.msh:12: elements of the type 77 are not read"},
        {"a.msh", TRIANGLE "$Elements\n1\n1 2 0 1 2 3\n", "a.msh:12: there is no $EndElements"},
        {"a.msh", TRIANGLE "$Elements\n2\n1 2 0 1 2 3\n2 2 0 1 3 2\n$EndElements",
         "a.msh:13: element 1 (counted from 0) is inverted"},
        {"a.msh", TRIANGLE "$Elements\n2\n1 2 0 1 2 3\n2 2 0 2 3 1\n$EndElements",
         "a.msh:13: element 1 (counted from 0) is there twice"},
        {"a.vtk", "hello", "a.vtk:1: the file must begin with"},
        {"a.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\n", "a.vtk:4: the data set must be"},
        {"a.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 text\n",
         "a.vtk:5: 'text' is no type"},
        {"a.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 0 float\n",
         "it needs CELLS"},
        {"a.vtu", "<VTKFile type=\"PolyData\">", "a.vtu:1: the file ends before </VTKFile>"},
        {"a.obj", "", "must be a .msh, .vtk or .vtu file, or a pair of .node and .ele"},
    };
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        ct_solid_mesh mesh;
        ct_error error = {0};
        expect_failure(
            ct_solid_mesh_parse(&heap, cases[c].name, cases[c].text, strlen(cases[c].text), 2, &mesh, &error),
            &error, CT_BAD_SCENE, cases[c].says);
    }
    ct_solid_mesh mesh;
    ct_error error = {0};
    expect_failure(ct_solid_mesh_load(&heap, "nowhere/a.ele", 3, &mesh, &error), &error, CT_BAD_SCENE,
                   "nowhere/a.node");
    assert_true(ct_solid_mesh_is_file("A.MSH") && !ct_solid_mesh_is_file("a.obj"));
    assert_int_equal(heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_come_back),         cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(memory_may_run_out),       cmocka_unit_test(pairs_are_read),
        cmocka_unit_test(broken_pairs_are_refused), cmocka_unit_test(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
