#include "helpers.h"

#include "particles/animation.h"

static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\nf 1 2 5\n";

static void save(const char *path, const void *bytes, size_t count)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_file_save(&heap, path, bytes, count, NULL), CT_OK);
}

/* A cache of 5 points: sample s is the square, `s` higher. */
static size_t write_cache(char *bytes, int points, float first, float step, int samples)
{
    memcpy(bytes, "POINTCACHE2", 12);
    memcpy(bytes + 12, &(int){1}, 4), memcpy(bytes + 16, &points, 4), memcpy(bytes + 20, &first, 4);
    memcpy(bytes + 24, &step, 4), memcpy(bytes + 28, &samples, 4);
    float *places = (float *)(void *)(bytes + 32);
    for (int s = 0; s < samples; s++)
        for (int v = 0; v < points; v++) {
            *places++ = v == 1 || v == 2 || v == 4, *places++ = v >= 2, *places++ = (float)s;
        }
    return 32 + (size_t)(12 * points * samples);
}

static ct_status load(ct_heap *heap, const ct_animation_def *def, ct_animation *animation, ct_error *error)
{
    ct_heap_init(heap, (ct_allocator){0});
    *error = (ct_error){0};
    ct_status status = ct_animation_load(heap, def, animation, error);
    if (status) assert_int_equal(heap->bytes, 0);
    return status;
}

/* At `time`, vertex 4 is at height `z` and rises with `speed`. */
static void expect_at(const ct_animation *animation, double time, double z, double speed)
{
    double x[5][3], v[5][3];
    ct_animation_at(animation, time, x, v);
    for (int i = 0; i < 5; i++) {
        expect_near(x[i][2], z, 1e-12);
        expect_near(v[i][2], speed, 1e-12);
        assert_true(v[i][0] == 0 && v[i][1] == 0);
    }
    assert_true(x[4][0] == 1 && x[4][1] == 1);
}

/* Every second frame from frame 10 on at 20 frames per second: samples at 0.5, 0.6, 0.7 s. Two vertices at one
 * place stay two. */
static void caches_are_played(void **state)
{
    (void)state;
    static _Alignas(4) char bytes[4096];
    save("square.obj", square, strlen(square));
    save("square.pc2", bytes, write_cache(bytes, 5, 10, 2, 3));
    ct_heap heap;
    ct_error error;
    ct_animation animation;
    ct_animation_def def = {.path = "square.obj", .cache = "square.pc2", .rate = 20, .start = 0.5};
    assert_int_equal(load(&heap, &def, &animation, &error), CT_OK);
    assert_int_equal(animation.mesh.vertex_count, 5);
    assert_int_equal(animation.mesh.triangle_count, 3);
    assert_int_equal(animation.sample_count, 3);
    expect_at(&animation, 0, 0, 0);
    expect_at(&animation, 0.5, 0, 10);
    expect_at(&animation, 0.525, 0.25, 10);
    expect_at(&animation, 0.65, 1.5, 10);
    expect_at(&animation, 0.7 + 1e-9, 2, 0);
    expect_at(&animation, 99, 2, 0);
    ct_animation_release(&animation);
    assert_int_equal(heap.bytes, 0);

    save("square.pc2", bytes, write_cache(bytes, 4, 0, 1, 3));
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE,
                   "square.pc2: byte 0: it has 4 points, and the mesh 5 vertices");
    save("square.pc2", bytes, write_cache(bytes, 5, 0, 1, 3) - 1);
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "too short for 3 samples");
    save("square.pc2", bytes, write_cache(bytes, 5, 0, 0, 3));
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "make no sense");
    write_cache(bytes, 5, 0, 1, 3);
    memcpy(bytes + 40, &(float){NAN}, 4);
    save("square.pc2", bytes, 32 + 180);
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE,
                   "square.pc2: byte 40: a place that is not finite");
    save("square.pc2", "hello", 5);
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "POINTCACHE2");
    def.cache = "nowhere.pc2";
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "nowhere.pc2");
    def.cache = NULL;
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "one OBJ file does not move");
    def.path = "square.fbx";
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "must be an .obj or a .usda");
}

static void sequences_are_played(void **state)
{
    (void)state;
    for (int frame = 3; frame < 6; frame++) {
        char path[32], text[512] = "";
        size_t length = 0;
        snprintf(path, sizeof path, "walk_%04d.obj", frame);
        for (int v = 0; v < 5; v++)
            length += (size_t)snprintf(text + length, sizeof text - length, "v %d %d %d\n",
                                       v == 1 || v == 2 || v == 4, v >= 2, (frame - 3) * (frame - 3));
        length += (size_t)snprintf(text + length, sizeof text - length, "f 1 2 3 4\nf 1 2 5\n");
        save(path, text, length);
    }
    ct_heap heap;
    ct_error error;
    ct_animation animation;
    ct_animation_def def = {.path = "walk_####.obj"};
    assert_int_equal(load(&heap, &def, &animation, &error), CT_OK);
    assert_int_equal(animation.sample_count, 3);
    expect_at(&animation, 0.5 / 24, 0.5, 24);
    expect_at(&animation, 1.5 / 24, 2.5, 72); /* 1 to 4 */
    ct_animation_release(&animation);
    save("walk_0005.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32);
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE,
                   "walk_0005.obj: its faces are not those of the first file");
    save("walk_0004.obj", "v 0 0\n", 6);
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE,
                   "walk_0004.obj:1: a vertex needs");
    def.path = "nobody_##.obj";
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE,
                   "there is no file with a number");
    def.path = "a##b#.obj";
    expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, "one run of at most 9 '#'");
}

#define POINTS(z) "[(0, 0, " z "), (1, 0, " z "), (1, 1, " z "), (0, 1, " z "), (1, 1, " z ")]"
#define FACES     "int[] faceVertexCounts = [4, 3]\nint[] faceVertexIndices = [0, 1, 2, 3, 0, 1, 4]\n"

/* As Blender writes it: an Xform around, other attributes, a default beside the samples. */
static void usd_is_played(void **state)
{
    (void)state;
    static const char text[] =
        "#usda 1.0\n(\n    doc = \"Blender v4\"\n    timeCodesPerSecond = 50\n    upAxis = \"Z\"\n)\n"
        "def Xform \"root\"\n{\n    double3 xformOp:translate = (0, 0, 0)\n    float3 xformOp:scale = (1, 1, "
        "1)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    def Mesh \"other\" { point3f[] "
        "points = [] }\n"
        "    def Mesh \"body\" (\n        active = true\n    )\n    {\n        " FACES
        "        point3f[] points = " POINTS(
            "7") "\n        texCoord2f[] primvars:st = [(0, 0)] (\n"
                 "            interpolation = \"faceVarying\"\n        )\n        # a comment\n    }\n}\n";
    ct_heap heap;
    ct_error error;
    ct_animation animation;
    ct_animation_def def = {.path = "still.usda", .prim = "body"};
    save("still.usda", text, strlen(text));
    assert_int_equal(load(&heap, &def, &animation, &error), CT_OK);
    expect_at(&animation, 0, 7, 0);
    ct_animation_release(&animation);

    static const char moving[] = "#usda 1.0\n(\n    timeCodesPerSecond = 50\n)\ndef Mesh \"body\"\n{\n" FACES
                                 "point3f[] points.timeSamples = {\n  10: " POINTS("0") ",\n  15: " POINTS(
                                     "2") ",\n"
                                          "  16.5: " POINTS("2") ",\n}\n}\n";
    save("moving.usda", moving, strlen(moving));
    def = (ct_animation_def){.path = "moving.usda", .start = 1};
    assert_int_equal(load(&heap, &def, &animation, &error), CT_OK);
    assert_int_equal(animation.mesh.triangle_count, 3);
    expect_at(&animation, 1.05, 1, 20);
    expect_at(&animation, 1.11, 2, 0);
    ct_animation_release(&animation);
    assert_int_equal(heap.bytes, 0);
}

static void broken_usd_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "bad.usda:1: the file must begin with '#usda'"},
        {"#usda 1.0\ndef Xform \"a\" {}", "there is no Mesh in it"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\n" FACES, "bad.usda:6: the file ends in the mesh"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\n" FACES "}", "the mesh has no points"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\npoint3f[] points = [(0, 0, 0)]\n}", "the mesh has no faces"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\npoint3f[] points = [(0, 0, x)]\n}", "bad.usda:4: 'x' is no number"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\npoint3f[] points = [(0, 0)]\n}",
         "bad.usda:4: 2 numbers do not make points"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\n" FACES "point3f[] points = [(0, 0, 0)]\n}",
         "uses a vertex that is not there"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\npoint3f[] points.timeSamples = { 1: [(0, 0, 0)], 2: [] }\n}",
         "bad.usda:4: 0 numbers do not make points"},
        {"#usda 1.0\ndef Mesh \"a\"\n{\n" FACES
         "point3f[] points.timeSamples = { 2: " POINTS("0") ", 1: " POINTS("0") "}\n}",
         "bad.usda: the time of sample 1 (counted from 0) is not after the last"},
        {"#usda 1.0\ndef Xform \"a\"\n{\ndouble3 xformOp:translate = (0, 1, 0)\n",
         "bad.usda:4: 'xformOp:translate' moves the mesh"},
        {"#usda 1.0\ndef Xform \"a\"\n{\nfloat3 xformOp:rotateXYZ.timeSamples = {}\n", "moves the mesh"},
        {"#usda 1.0\n(timeCodesPerSecond = 0)", "must be a positive number"},
    };
    ct_animation_def def = {.path = "bad.usda"};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        ct_heap heap;
        ct_error error;
        ct_animation animation;
        save("bad.usda", cases[c].text, strlen(cases[c].text));
        expect_failure(load(&heap, &def, &animation, &error), &error, CT_BAD_SCENE, cases[c].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_played),
        cmocka_unit_test(sequences_are_played),
        cmocka_unit_test(usd_is_played),
        cmocka_unit_test(broken_usd_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
