#include "helpers.h"

#include "particles/strands.h"

#include <math.h>

static ct_status parse(ct_heap *heap, const char *text, ct_strands *strands, ct_error *error)
{
    return ct_strands_parse(heap, "hair.obj", text, strlen(text), strands, error);
}

/* Lines as a whole and edge by edge, vertices from the front and from the back, what else is in such files.
 */
static void lines_are_read(void **state)
{
    (void)state;
    ct_heap heap;
    ct_strands strands;
    ct_error error;
    ct_heap_init(&heap, (ct_allocator){0});
    static const char text[] = "# hair\no strands\nv 0 0 0\nv 0 1 0\nv 0 2 0 1\nl 1 2 3\n"
                               "v 1 0 0\r\nv 1 1 0\r\nv 1 2 0\r\nl 4 5\r\nl 5 6 # the same strand\n"
                               "vn 0 0 1\nv 2 0 0\nv 2 1 0\nl -2/1 \\\n -1/2\nf 1 2 3\n";
    assert_int_equal(parse(&heap, text, &strands, &error), CT_OK);
    assert_int_equal(strands.count, 3);
    static const size_t first[] = {0, 3, 6, 8};
    for (int i = 0; i < 4; i++) assert_int_equal(strands.first[i], first[i]);
    for (int k = 0; k < 8; k++) {
        assert_true(strands.points[k][0] == k / 3);
        assert_true(strands.points[k][1] == k % 3);
    }
    ct_strands_release(&strands);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"v 0 0 0\n", "there are no lines"},
        {"v 0 0\n", "hair.obj:1: a vertex needs three"},
        {"v 0 0 x\n", "hair.obj:1: 'x' is no coordinate"},
        {"v 0 0 nan\n", "hair.obj:1: 'nan' is no coordinate"},
        {"v 0 0 0\nl 1\n", "hair.obj:2: a line needs at least two"},
        {"v 0 0 0\nl 1 2\n", "hair.obj:2: a line uses a vertex that is not there"},
        {"v 0 0 0\nl 0 1\n", "hair.obj:2: '0' is no number"},
        {"v 0 0 0\nl -2 1\n", "hair.obj:2: a line uses a vertex"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ct_heap heap;
        ct_strands strands;
        ct_error error;
        ct_heap_init(&heap, (ct_allocator){0});
        assert_int_equal(parse(&heap, cases[i].text, &strands, &error), CT_BAD_SCENE);
        assert_non_null(strstr(error.message, cases[i].says));
    }
}

static const char linear[] =
    "#usda 1.0\n( upAxis = \"Y\" )\n# hair\ndef Xform \"head\" ( customData = { string a = \"{\" } )\n{\n"
    "  double3 xformOp:translate = (0, 0, 0)\n"
    "  def BasisCurves \"hair\" ( kind = \"x\" customData = { int b = 1 } )\n  {\n"
    "    uniform token type = \"linear\"\n    int[] curveVertexCounts = [3, 2]\n"
    "    float[] widths = [0.1] ( interpolation = \"constant\" )\n"
    "    point3f[] points = [(9, 9, 9)]\n"
    "    point3f[] points.timeSamples = {\n      0: [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, "
    "0)],\n"
    "      1: [(5, 0, 0)],\n    }\n    def Scope \"in\" { int[] curveVertexCounts = [1] }\n  }\n}\n"
    "def BasisCurves \"more\" {\n  uniform token type = \"linear\"\n  int[] curveVertexCounts = [2]\n"
    "  point3f[] points = [(2, 0, 0), (2, 1, 0)]\n}\n";

static void curves_of_stages_are_read(void **state)
{
    (void)state;
    ct_heap heap;
    ct_strands strands;
    ct_error error = {0};
    ct_heap_init(&heap, (ct_allocator){0});
    if (parse(&heap, linear, &strands, &error)) fail_msg("%s", error.message);
    assert_int_equal(strands.count, 3);
    static const size_t first[] = {0, 3, 5, 7};
    for (int i = 0; i < 4; i++) assert_int_equal(strands.first[i], first[i]);
    for (int k = 0; k < 7; k++) {
        assert_true(strands.points[k][0] == (k > 2) + (k > 4));
        assert_true(strands.points[k][1] == (k > 4 ? k - 5 : k > 2 ? k - 3 : k));
    }
    ct_strands_release(&strands);
}

/* Every basis goes through points of x = y^3 exactly; the ends of pinned curves are their first and last points. */
static void cubic_curves_are_evaluated(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *points;
        int count;
        double from, to; /* in y */
        bool is_cube;
    } cases[] = {
        {"", "(0,0,0), (0,1,0), (0,2,0), (27,3,0)", 9, 0, 3, true},
        {"uniform token basis = \"bezier\" uniform token wrap = \"pinned\"",
         "(0,0,0), (0,1,0), (0,2,0), (27,3,0), (54,4,0), (108,5,0), (216,6,0)", 17, 0, 6, true},
        {"uniform token basis = \"bspline\"", "(0,-1,0), (0,0,0), (0,1,0), (6,2,0), (24,3,0)", 17, 0, 2,
         true},
        {"uniform token basis = \"catmullRom\"", "(1,0,0), (1,1,0), (1,2,0), (1,3,0)", 9, 1, 2, false},
        {"uniform token basis = \"catmullRom\" uniform token wrap = \"pinned\"", "(1,0,0), (1,1,0), (1,2,0)",
         17, 0, 2, false},
        {"uniform token basis = \"bspline\" uniform token wrap = \"pinned\"", "(1,0,0), (1,1,0)", 9, 0, 1,
         false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ct_heap heap;
        ct_strands strands;
        ct_error error = {0};
        char text[1000];
        int given = 0;
        for (const char *c = cases[i].points; *c; c++) given += *c == '(';
        snprintf(text, sizeof text,
                 "#usda 1.0\ndef BasisCurves \"c\" {\n%s\nint[] curveVertexCounts = [%d]\npoint3f[] points = "
                 "[%s]\n}\n",
                 cases[i].attributes, given, cases[i].points);
        ct_heap_init(&heap, (ct_allocator){0});
        if (parse(&heap, text, &strands, &error)) fail_msg("%zu: %s", i, error.message);
        assert_int_equal(strands.point_count, cases[i].count);
        const double(*x)[3] = (const double(*)[3])strands.points;
        for (int k = 0; k < cases[i].count; k++) {
            double y = cases[i].from + (cases[i].to - cases[i].from) * k / (cases[i].count - 1);
            assert_true(fabs(x[k][1] - y) < 1e-12);
            assert_true(fabs(x[k][0] - (cases[i].is_cube ? y * y * y : 1)) < 1e-12);
        }
        ct_strands_release(&strands);
    }
}

static void broken_stages_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "there are no BasisCurves"},
        {"def Mesh \"m\" {}", "there are no BasisCurves"},
        {"def BasisCurves \"c\"", "the file ends before"},
        {"def BasisCurves \"c\" {", "the file ends in the curves"},
        {"def BasisCurves \"c\" { int[] curveVertexCounts = [4] }", "curve 0"},
        {"def BasisCurves \"c\" { int[] curveVertexCounts = [2.5] point3f[] points = "
         "[(0,0,0),(1,0,0),(2,0,0)] }",
         "curve 0"},
        {"def BasisCurves \"c\" { point3f[] points = [(0,0,0)] }",
         "the curves have 0 points, and there are 1"},
        {"def BasisCurves \"c\" { int[] curveVertexCounts = [3] point3f[] points = [(0,0,0),(1,0,0),(2,0,0)] "
         "}",
         "3 points do not make a cubic"},
        {"def BasisCurves \"c\" { point3f[] points = [(0,0)] }", "2 numbers do not make points"},
        {"def BasisCurves \"c\" { point3f[] points = [(0,0,1e31)] }", "no coordinate"},
        {"def BasisCurves \"c\" { uniform token basis = \"hermite\" }", "'hermite' are not read"},
        {"def BasisCurves \"c\" { uniform token wrap = \"periodic\" }", "'periodic' are not read"},
        {"def BasisCurves \"c\" { point3f[] points.timeSamples = { } }", "there are no samples"},
        {"def BasisCurves \"c\" { point3f[] points.timeSamples = { 1: [(0,0,0)]",
         "the file ends in the samples"},
        {"def Xform \"x\" { double3 xformOp:translate = (1, 0, 0) }", "moves the curves"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ct_heap heap;
        ct_strands strands;
        ct_error error = {0};
        char text[400];
        snprintf(text, sizeof text, "#usda 1.0\n%s", cases[i].text);
        ct_heap_init(&heap, (ct_allocator){0});
        assert_int_equal(parse(&heap, text, &strands, &error), CT_BAD_SCENE);
        if (!strstr(error.message, cases[i].says)) fail_msg("%zu: %s", i, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(curves_of_stages_are_read),
        cmocka_unit_test(cubic_curves_are_evaluated),
        cmocka_unit_test(broken_stages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
