#include "helpers.h"

#include "particles/strands.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
