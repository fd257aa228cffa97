#include "helpers.h"

#include "mesh_samples.h"

/* Volume by the divergence theorem: the sum of a . (b x c) / 6 over the triangles. */
static double volume_of(const ct_mesh *mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const double *a = mesh->vertices[mesh->triangles[t][0]], *b = mesh->vertices[mesh->triangles[t][1]],
                     *c = mesh->vertices[mesh->triangles[t][2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* Parses, and checks that it is a closed unit cube of 8 vertices and 12 triangles that faces out. */
static void expect_cube(const char *name, const void *bytes, size_t count)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = parse_mesh(&heap, name, bytes, count);
    ct_error error = {0};
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.triangle_count, 12);
    if (ct_mesh_check_closed(&mesh, name, &error)) print_error("%s\n", error.message);
    assert_int_equal(error.status, CT_OK);
    expect_near(volume_of(&mesh), 1, 1e-15);
    ct_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

static void expect_broken(const char *name, const void *bytes, size_t count, const char *text)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh;
    ct_error error = {0};
    expect_failure(ct_mesh_parse(&heap, name, bytes, count, &mesh, &error), &error, CT_BAD_SCENE, text);
    assert_int_equal(heap.bytes, 0);
}

/* ---- OBJ ---------------------------------------------------------------------------------------------- */

static void obj_forms(void **state)
{
    (void)state;
    expect_cube("cube.obj", cube_obj, strlen(cube_obj));
    static const char fancy[] =
        "mtllib x.mtl\r\no cube\r\nv 0 0 0 1\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 0\r\nv 0 1 0\r\n"
        "v 0 0 1\r\nv 1 0 1\r\nv 1 1 1\r\nv 0 1 1\r\nvn 0 0 1\r\nvt 0 0\r\n"
        "f 1/1 4/1 3/1 2/1 # a comment\r\nf 5/1/1 6/1/1 7/1/1 8/1/1\r\nf 1//1 2//1 6//1 5//1\r\n"
        "f -6 -5 \\\r\n -1 -2\r\ns off\r\nf 2 3 7 6\r\nf 4 1 5 8\r\n";
    expect_cube("CUBE.OBJ", fancy, strlen(fancy));
}

/* Two squares that share an edge, whose corners have their own coordinates on either side: a seam. */
static void expect_seam(const char *name, const char *text)
{
    static const float wanted[4][6] = {
        {0, 0, 0.5F, 0, 0.5F, 1}, {0, 0, 0.5F, 1, 0, 1}, {0.6F, 0, 1, 0, 1, 1}, {0.6F, 0, 1, 1, 0.6F, 1}};
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh = parse_mesh(&heap, name, text, strlen(text));
    assert_int_equal(mesh.vertex_count, 6);
    assert_int_equal(mesh.triangle_count, 4);
    assert_memory_equal(mesh.uv, wanted, sizeof wanted);
    ct_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

#define SEAM_PLY "ply\nformat ascii 1.0\n"
#define SEAM_PLACES(number) \
    "element vertex " number "\nproperty float x\nproperty float y\nproperty float z\n"

static void corners_have_coordinates(void **state)
{
    (void)state;
    /* the third face has collapsed: its coordinates go with it */
    expect_seam("seam.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n"
                            "vt 0 0\nvt 0.5 0 0\nvt 0.5 1\nvt 0 1\nvt 0.6\nvt 1 0\nvt 1 1\nvt 0.6 1\n"
                            "f 1/1 2/2/7 5/3 4/4\nf 1/8 2/8 2/8\nf 2/-4 3/-3 6/-2 5/-1\n");
    expect_seam("seam.ply",
                SEAM_PLY SEAM_PLACES("6") "element face 2\nproperty list uchar int vertex_indices\n"
                                          "property list uchar float texcoord\nend_header\n"
                                          "0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n"
                                          "4 0 1 4 3 8 0 0 0.5 0 0.5 1 0 1\n"
                                          "4 1 2 5 4 8 0.6 0 1 0 1 1 0.6 1\n");
    /* vertices that are doubled at the seam, as Blender writes them, are merged; their coordinates are not */
    expect_seam("seam.ply", SEAM_PLY SEAM_PLACES("8") "property float s\nproperty float t\nelement face 2\n"
                                                      "property list uchar int vertex_indices\nend_header\n"
                                                      "0 0 0 0 0\n1 0 0 0.5 0\n1 1 0 0.5 1\n0 1 0 0 1\n"
                                                      "1 0 0 0.6 0\n2 0 0 1 0\n2 1 0 1 1\n1 1 0 0.6 1\n"
                                                      "4 0 1 2 3\n4 4 5 6 7\n");
    /* faces without have 0 where others have some; where none has, there are none */
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char some[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0.5 0.25\n"
                               "f 1 2 3\nf 2/1 4/1 3/1\nf 3 2 1\n";
    ct_mesh mesh = parse_mesh(&heap, "some.obj", some, strlen(some));
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < 6; i++) assert_true(mesh.uv[t][i] == (t != 1 ? 0 : i % 2 ? 0.25F : 0.5F));
    ct_mesh_release(&mesh);
    mesh = parse_mesh(&heap, "cube.obj", cube_obj, strlen(cube_obj));
    assert_null(mesh.uv);
    ct_mesh_release(&mesh);
    static const char broken[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
        "3 0 1 2 4 0 0 1 0\n";
    expect_broken("a.ply", broken, strlen(broken), "a face of 3 corners has 4 texture coordinates");
}

static void broken_obj(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "a.obj: there are no triangles"},
        {"v 1 2\n", "a.obj:1: a vertex needs three coordinates"},
        {"\n\nv 1 two 3\n", "a.obj:3: 'two' is not a number"},
        {"v 0 0 nan\n", "a vertex at (0, 0, nan) is nowhere"},
        {"v 0 0 1e300\n", "is nowhere"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
         "a.obj:4: a face uses a vertex that is not there (there are 3 so far)"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "not there"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "'0' is no number of a vertex"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "a face needs at least three corners"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", "'3x' is no number of a vertex"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "is no number of a vertex"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2 3\n",
         "a.obj:4: a face uses a texture coordinate that is not there (there are 0 so far)"},
        {"v 0 0 0\nvt 0 0\nf 1/0 1 1\n", "'0' is no number of a texture coordinate"},
        {"vt\n", "a.obj:1: a texture coordinate needs a number"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt nan 0\nf 1/1 2 3\n", "a texture coordinate of nan is nowhere"},
        {"v 0 0 0\nf 1 1 \\", "a.obj:2: a face needs at least three corners"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_broken("a.obj", cases[i].text, strlen(cases[i].text), cases[i].reason);
    expect_broken("a.fbx", "", 0, "must be an .obj, .stl or .ply file");
}

/* ---- STL ---------------------------------------------------------------------------------------------- */

static void cube_triangle(const ct_mesh *cube, size_t t, int corner, double position[3])
{
    memcpy(position, cube->vertices[cube->triangles[t][corner]], 3 * sizeof *position);
}

/* The cube again, as 12 triangles that share nothing. Its header begins with "solid", as some programs write
 * it. */
static void write_binary_stl(unsigned char bytes[84 + 50 * 12])
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh cube = parse_mesh(&heap, "cube.obj", cube_obj, strlen(cube_obj));
    memset(bytes, 0, 84 + 50 * 12);
    memcpy(bytes, "solid cube", 10);
    bytes[80] = 12;
    for (size_t t = 0; t < 12; t++)
        for (int c = 0; c < 3; c++) {
            double position[3];
            cube_triangle(&cube, t, c, position);
            for (int a = 0; a < 3; a++) {
                float number = (float)position[a];
                memcpy(bytes + 84 + 50 * t + 12 + 12 * (size_t)c + 4 * (size_t)a, &number, 4);
            }
        }
    ct_mesh_release(&cube);
}

static void binary_stl(void **state)
{
    (void)state;
    unsigned char bytes[84 + 50 * 12];
    write_binary_stl(bytes);
    expect_cube("cube.stl", bytes, sizeof bytes);
    expect_broken("cube.stl", bytes, sizeof bytes - 1,
                  "cube.stl:1: the file ends before 'endsolid'"); /* reads as text */
    bytes[0] = 0;
    expect_cube("cube.stl", bytes, sizeof bytes);
    expect_broken("cube.stl", bytes, sizeof bytes - 1, "which would have 684 bytes instead of 683");
    expect_broken("cube.stl", bytes, 83, "a whole binary STL file");
    expect_broken("cube.stl", bytes, 0, "a whole binary STL file");
    bytes[83] = 0xff;
    expect_broken("cube.stl", bytes, sizeof bytes, "bytes instead of 684");
    bytes[83] = 0;
    memset(bytes + 84 + 12, 0xff, 4); /* NaN */
    expect_broken("cube.stl", bytes, sizeof bytes, "byte 84: a vertex at (");
}

static void text_stl(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh cube = parse_mesh(&heap, "cube.obj", cube_obj, strlen(cube_obj));
    ct_text text = {.heap = &heap};
    ct_text_print(&text, "solid my cube\n");
    for (size_t t = 0; t < 12; t++) {
        ct_text_print(&text, "  facet normal 0 0 0\n    OUTER loop\n");
        for (int c = 0; c < 3; c++) {
            double p[3];
            cube_triangle(&cube, t, c, p);
            ct_text_print(&text, "      vertex %e %e %e\n", p[0], p[1], p[2]);
        }
        ct_text_print(&text, "    endloop\n  endfacet\n");
    }
    ct_text_print(&text, "endsolid my cube\n");
    expect_cube("cube.stl", text.data, text.length);
    for (size_t length = 0; length + 15 < text.length; length += 7) /* cut anywhere: refused */
        expect_broken("cube.stl", text.data, length, "cube.stl");
    ct_text_release(&text);
    ct_mesh_release(&cube);
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"solid\nvertex 0 0 0\nendsolid", "a.stl:2: a vertex outside of any facet"},
        {"solid\nfacet\nfacet\n", "a facet within a facet"},
        {"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid\n",
         "a.stl:5: a facet needs three vertices; this one has 2"},
        {"solid\nfacet\nvertex 0 0\n", "a vertex needs three numbers"},
        {"solid\nwhat\n", "'what' is no line of an STL file"},
        {"solid\nendsolid\n", "there are no triangles"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_broken("a.stl", cases[i].text, strlen(cases[i].text), cases[i].reason);
}

/* ---- PLY ---------------------------------------------------------------------------------------------- */

static const char ply_body[] =
    "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n0 0 1 9\n1 0 1 9\n1 1 1 9\n0 1 1 9\n7 7\n"
    "1 4 0 3 2 1\n1 4 4 5 6 7\n1 4 0 1 5 4\n1 4 2 3 7 6\n1 4 1 2 6 5\n1 4 3 0 4 7\n";

static void write_ply_header(ct_text *text, const char *format)
{
    ct_text_print(
        text,
        "ply\nformat %s 1.0\ncomment made by hand\nelement vertex 8\nproperty double x\nproperty float32 y\n"
        "property float z\nproperty uchar quality\nelement other 1\nproperty list int ushort things\n"
        "element face 6\nproperty uchar flags\nproperty list uint8 int vertex_indices\nend_header\n",
        format);
}

static void append_number(ct_text *text, const void *number, size_t size, bool is_big_endian)
{
    unsigned char bytes[8];
    memcpy(bytes, number, size);
    for (size_t i = 0; i < size / 2 && is_big_endian; i++) {
        unsigned char swap = bytes[i];
        bytes[i] = bytes[size - 1 - i], bytes[size - 1 - i] = swap;
    }
    ct_text_append(text, bytes, size);
}

static void write_ply_binary(ct_text *text, bool is_big_endian)
{
    static const int corners[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                      {2, 3, 7, 6}, {1, 2, 6, 5}, {3, 0, 4, 7}};
    static const float places[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    write_ply_header(text, is_big_endian ? "binary_big_endian" : "binary_little_endian");
    for (int v = 0; v < 8; v++) {
        double x = places[v][0];
        append_number(text, &x, 8, is_big_endian);
        append_number(text, &places[v][1], 4, is_big_endian);
        append_number(text, &places[v][2], 4, is_big_endian);
        append_number(text, "q", 1, is_big_endian);
    }
    int32_t length = 2;
    append_number(text, &length, 4, is_big_endian);
    append_number(text, "abcd", 4, false);
    for (int f = 0; f < 6; f++) {
        append_number(text, "\1\4", 2, false);
        for (int c = 0; c < 4; c++) append_number(text, &corners[f][c], 4, is_big_endian);
    }
}

static void ply_forms(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text text = {.heap = &heap};
    write_ply_header(&text, "ascii");
    ct_text_print(&text, "%s", ply_body);
    /* the element "other" has one list of 7 things in the text */
    char *list = strstr(text.data, "\n7 7\n");
    assert_non_null(list);
    list[1] = '1';
    expect_cube("cube.ply", text.data, text.length);
    ct_text_release(&text);
    for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++) {
        write_ply_binary(&text, is_big_endian);
        expect_cube("cube.ply", text.data, text.length);
        for (size_t length = 0; length < text.length; length++)
            expect_broken("cube.ply", text.data, length, "cube.ply");
        ct_text_release(&text);
    }
}

static void broken_ply(void **state)
{
    (void)state;
    static const char good[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    static const struct {
        const char *from, *to, *reason;
    } cases[] = {
        {"ply", "plx", "begins with a line 'ply'"},
        {"ascii", "ansi", "a.ply:2: the format must be ascii"},
        {"format ascii 1.0", "comment", "the header names no format"},
        {"vertex 3", "vertex -3", "element 'vertex' needs a count"},
        {"vertex 3", "vertex", "needs a count"},
        {"vertex 3", "vertex 999999999999999999", "'end_header'"},
        {"float x", "float", "a name is missing"},
        {"float x", "quad x", "'quad' is not a type of numbers"},
        {"float x", "float u", "the vertices have no number 'x'"},
        {"uchar int", "float int", "must be of an integer type"},
        {"vertex_index", "corners", "no list 'vertex_indices'"},
        {"end_header", "end", "'end' is no line of a PLY header"},
        {"3 0 1 2", "3 0 1 3", "a.ply:13: a face uses a vertex that is not there"},
        {"3 0 1 2", "3 0 1 -1", "not there"},
        {"3 0 1 2", "3 0 1 1.5", "1.5 is no number of a vertex"},
        {"3 0 1 2", "2 0 1", "at least three corners"},
        {"3 0 1 2", "-3 0 1 2", "-3 is no length of a list"},
        {"3 0 1 2", "1e300 0 1 2", "is no length of a list"},
        {"3 0 1 2", "99999 0 1 2", "the file ends before all the numbers"},
        {"1 0 0", "1 zero 0", "a.ply:11: 'zero' is not a number"},
        {"1 0 0", "1 inf 0", "is nowhere"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[512];
        const char *place = strstr(good, cases[i].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - good), good, cases[i].to,
                 place + strlen(cases[i].from));
        /* a promise of too many vertices makes the reader run into whatever follows */
        if (strstr(cases[i].to, "999999999999999999"))
            expect_broken("a.ply", text, strlen(text), "ends before all the numbers");
        else expect_broken("a.ply", text, strlen(text), cases[i].reason);
    }
    static const char endless[] = "ply\nformat ascii 1.0\nelement nothing 999999999999999999\nend_header\n";
    expect_broken("a.ply", endless, strlen(endless), "there are no triangles"); /* and at once */
}

/* ---- Merging and closedness --------------------------------------------------------------------------- */

static void equal_vertices_are_merged_and_collapsed_triangles_dropped(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char text[] = "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1 0 0\nv 0 0 1\n"
                               "f 2 3 4\nf 5 6 7\nf 2 5 3\nf 2 3 3\n";
    ct_mesh mesh = parse_mesh(&heap, "a.obj", text, strlen(text));
    assert_int_equal(mesh.vertex_count, 4); /* neither the copies nor the one nobody uses */
    assert_int_equal(mesh.triangle_count, 2);
    ct_mesh_release(&mesh);
}

static void holes_are_named(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_error error = {0};
    ct_mesh mesh =
        parse_mesh(&heap, "cube.obj", cube_obj, strlen(cube_obj) - strlen("f 4 1 5 8\n")); /* no face x = 0 */
    expect_failure(ct_mesh_check_closed(&mesh, "cube.obj", &error), &error, CT_BAD_SCENE,
                   "cube.obj: the mesh is not closed: it has a hole");
    assert_non_null(strstr(error.message, "from (0, 0, 0) to (0,"));
    assert_non_null(strstr(error.message, "4 edges are like it"));
    ct_mesh_release(&mesh);
    static const char flipped[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 4 1\n"; /* the last */
    mesh = parse_mesh(&heap, "a.obj", flipped, strlen(flipped));
    expect_failure(ct_mesh_check_closed(&mesh, "a.obj", &error), &error, CT_BAD_SCENE,
                   "disagree about outside");
    assert_non_null(strstr(error.message, "3 edges"));
    ct_mesh_release(&mesh);
    assert_int_equal(heap.bytes, 0);
}

/* Two tetrahedra that share an edge: every edge has its partner, though four triangles meet at one. */
static void bodies_may_touch_at_an_edge(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char text[] = "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 5 2\nf 1 2 6\nf 1 6 5\nf 2 5 6\n";
    ct_mesh mesh = parse_mesh(&heap, "a.obj", text, strlen(text));
    assert_int_equal(ct_mesh_check_closed(&mesh, "a.obj", NULL), CT_OK);
    ct_mesh_release(&mesh);
}

static void a_missing_file_is_a_mistake_of_the_scene(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_mesh mesh;
    ct_error error = {0};
    expect_failure(ct_mesh_load(&heap, "nowhere/at_all.obj", &mesh, &error), &error, CT_BAD_SCENE,
                   "nowhere/at_all.obj");
    assert_int_equal(heap.bytes, 0);
}

/* Bytes changed at random: any answer will do, but there has to be one (run with the sanitizers). */
static void mangled_files_do_no_harm(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_text ply = {.heap = &heap};
    write_ply_binary(&ply, true);
    unsigned char stl[84 + 50 * 12];
    write_binary_stl(stl);
    const struct {
        const char *name;
        const void *bytes;
        size_t count;
    } files[] = {{"a.obj", cube_obj, sizeof cube_obj - 1},
                 {"a.stl", stl, sizeof stl},
                 {"a.ply", ply.data, ply.length}};
    int good = 0, bad = 0;
    for (uint64_t i = 0; i < 6000; i++) {
        size_t f = i % 3, count = files[f].count;
        unsigned char copy[1024];
        assert_true(count <= sizeof copy);
        memcpy(copy, files[f].bytes, count);
        for (uint64_t k = 0; k < 1 + i % 5; k++)
            copy[ct_random_key(i, k) % count] = (unsigned char)ct_random_key(i, 100 + k);
        ct_mesh mesh;
        ct_status status = ct_mesh_parse(&heap, files[f].name, (char *)copy, count, &mesh, NULL);
        if (!status) ct_mesh_check_closed(&mesh, "a", NULL);
        good += !status, bad += status == CT_BAD_SCENE;
        ct_mesh_release(&mesh);
    }
    assert_int_equal(good + bad, 6000);
    assert_true(good > 100 && bad > 100);
    ct_text_release(&ply);
    assert_int_equal(heap.bytes, 0);
}

static ct_status parse_and_check(ct_heap *heap, ct_error *error)
{
    ct_mesh mesh;
    ct_status status = ct_mesh_parse(heap, "cube.obj", cube_obj, strlen(cube_obj), &mesh, error);
    if (!status) status = ct_mesh_check_closed(&mesh, "cube.obj", error);
    ct_mesh_release(&mesh);
    return status;
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    expect_survives_no_memory(parse_and_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_forms),
        cmocka_unit_test(corners_have_coordinates),
        cmocka_unit_test(broken_obj),
        cmocka_unit_test(binary_stl),
        cmocka_unit_test(text_stl),
        cmocka_unit_test(ply_forms),
        cmocka_unit_test(broken_ply),
        cmocka_unit_test(equal_vertices_are_merged_and_collapsed_triangles_dropped),
        cmocka_unit_test(holes_are_named),
        cmocka_unit_test(bodies_may_touch_at_an_edge),
        cmocka_unit_test(a_missing_file_is_a_mistake_of_the_scene),
        cmocka_unit_test(mangled_files_do_no_harm),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
