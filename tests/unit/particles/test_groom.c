/* Grooms and braids: where roots and points are, and what is refused. */
#include "helpers.h"

#include "particles/groom.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static ct_strands made(ct_heap *heap, const ct_groom_def *def)
{
    ct_strands strands;
    ct_error error;
    assert_int_equal(ct_groom_make(heap, def, &strands, &error), CT_OK);
    return strands;
}

/* Straight hair on a cap: radial lines from 9 to 12 cm, 1 cm apart, no root beyond 60 degrees; and as many on either
 * half of the cap, which random roots would miss by some ten. */
static void hair_is_radial(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_groom_def def = ct_default_groom_def();
    def.count = 400, def.length = 0.02, def.depth = 0.01, def.center[1] = 1, def.cap = PI / 3;
    ct_strands strands = made(&heap, &def);
    assert_int_equal(strands.count, 400);
    assert_int_equal(strands.point_count, 1600);
    int right = 0;
    for (size_t k = 0; k < strands.point_count; k++) {
        const double *x = strands.points[k];
        double r = sqrt(x[0] * x[0] + (x[1] - 1) * (x[1] - 1) + x[2] * x[2]);
        assert_true(fabs(r - 0.09 - 0.01 * (double)(k % 4)) < 1e-12);
        assert_true((x[1] - 1) / r >= 0.5 - 1e-9);
        right += k % 4 == 0 && x[0] > 0;
    }
    assert_true(abs(right - 200) <= 4);
    ct_strands_release(&strands);
}

/* Tips of a clump come together by the share that is asked for; curls are off the line by their radius. */
static void clumps_and_curls(void **state)
{
    (void)state;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_groom_def def = ct_default_groom_def();
    def.count = 60, def.clumps = 6;
    double spread[2];
    for (int is_clumped = 0; is_clumped < 2; is_clumped++) {
        def.clump = is_clumped;
        ct_strands strands = made(&heap, &def);
        spread[is_clumped] = 0;
        for (size_t k = 0; k < 60; k++) {
            double nearest = INFINITY;
            for (size_t c = 0; c < 60; c += 10) {
                const double *a = strands.points[strands.first[k + 1] - 1],
                             *b = strands.points[strands.first[c + 1] - 1];
                nearest = fmin(nearest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
            }
            spread[is_clumped] = fmax(spread[is_clumped], nearest);
        }
        ct_strands_release(&strands);
    }
    assert_true(spread[1] < 1e-12 && spread[0] > 0.1);
    ct_groom_def curly = ct_default_groom_def(), straight = curly;
    curly.count = straight.count = 10;
    curly.curl = 0.013;
    ct_strands a = made(&heap, &curly), b = made(&heap, &straight);
    for (size_t k = 0; k < 10; k++) {
        const double *x = a.points[a.first[k + 1] - 1], *y = b.points[b.first[k + 1] - 1];
        assert_true(fabs(hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) - 0.013) < 1e-12);
    }
    ct_strands_release(&a), ct_strands_release(&b);
}

/* Locks of a braid are where the middle says, and never nearer to each other than half of its width. */
static void braids(void **state)
{
    (void)state;
    ct_heap heap;
    ct_error error;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_braid_def def = ct_default_braid_def();
    ct_strands strands;
    def.count = 1, def.lock = 0;
    assert_int_equal(ct_braid_make(&heap, &def, &strands, &error), CT_OK);
    assert_int_equal(strands.count, 3);
    size_t points = strands.first[1];
    double least = INFINITY;
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j < points; j++) {
            const double *a = strands.points[i], *b = strands.points[points + j];
            least = fmin(least, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    assert_true(least > 0.5 * def.width);
    ct_strands_release(&strands);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    ct_heap heap;
    ct_error error;
    ct_strands strands;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_groom_def def = ct_default_groom_def();
    def.clumps = 2000;
    assert_int_equal(ct_groom_make(&heap, &def, &strands, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "more clumps than strands"));
    def.clumps = 0, def.cap = 1e-9;
    assert_int_equal(ct_groom_make(&heap, &def, &strands, &error), CT_BAD_USAGE);
    assert_non_null(strstr(error.message, "make it wider"));
    def.cap = PI, def.file = "no_such.obj";
    assert_int_equal(ct_groom_make(&heap, &def, &strands, &error), CT_BAD_SCENE);
}

/* A hair model of two strands, three points and two. */
static size_t hair_model(char *bytes)
{
    static const uint32_t header[] = {2, 5, 3, 0};
    static const uint16_t segments[] = {2, 1};
    memset(bytes, 0, 128);
    memcpy(bytes, "HAIR", 4), memcpy(bytes + 4, header, sizeof header), memcpy(bytes + 128, segments, 4);
    for (int k = 0; k < 15; k++) {
        float x = (float)k;
        memcpy(bytes + 132 + 4 * k, &x, sizeof x);
    }
    return 132 + 60;
}

static void hair_models_are_read(void **state)
{
    (void)state;
    char bytes[256];
    size_t size = hair_model(bytes);
    ct_heap heap;
    ct_error error;
    ct_strands strands;
    ct_heap_init(&heap, (ct_allocator){0});
    assert_int_equal(ct_strands_parse(&heap, "x.hair", bytes, size, &strands, &error), CT_OK);
    assert_int_equal(strands.count, 2);
    assert_int_equal(strands.first[1], 3);
    assert_int_equal(strands.first[2], 5);
    assert_true(strands.points[4][2] == 14);
    ct_strands_release(&strands);
    assert_int_equal(ct_strands_parse(&heap, "x.hair", bytes, size - 1, &strands, &error), CT_BAD_SCENE);
    assert_non_null(strstr(error.message, "ends before"));
    bytes[130] = 3; /* the second strand */
    assert_int_equal(ct_strands_parse(&heap, "x.hair", bytes, size, &strands, &error), CT_BAD_SCENE);
    assert_non_null(strstr(error.message, "strand 2 has 3 segments"));
    assert_int_equal(ct_strands_parse(&heap, "x.hair", bytes, 100, &strands, &error), CT_BAD_SCENE);
    assert_non_null(strstr(error.message, "header"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hair_is_radial),
        cmocka_unit_test(clumps_and_curls),
        cmocka_unit_test(braids),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(hair_models_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
