/* Keyframes: values between, before, after and at them; copies; and every way to get one wrong. */
#include "core/track.h"
#include "harness.h"

#include <math.h>

static const double times[] = {1, 2, 4};
static const double values[][3] = {{0, 10, -1}, {1, 20, -1}, {-3, 0, -1}};

static double at(ct_interpolation interpolation, double time, int axis)
{
    ct_track track = {.count = 3, .times = times, .values = values, .interpolation = interpolation};
    double value[3];
    ct_track_at(&track, time, value);
    assert_true(value[2] == -1); /* a component that never changes is exact */
    return value[axis];
}

static void between_keyframes(void **state)
{
    (void)state;
    assert_true(at(CT_INTERPOLATE_LINEAR, 1.5, 0) == 0.5);
    assert_true(at(CT_INTERPOLATE_LINEAR, 3, 0) == -1);
    assert_true(at(CT_INTERPOLATE_LINEAR, 3.5, 1) == 5);
    /* 3 s^2 - 2 s^3 at s = 1/4 is 5/32. */
    assert_true(at(CT_INTERPOLATE_SMOOTH, 1.25, 1) == 10 + 10 * 5.0 / 32);
    assert_true(at(CT_INTERPOLATE_SMOOTH, 1.5, 0) == 0.5);
    assert_true(at(CT_INTERPOLATE_STEP, 1.999, 0) == 0);
    assert_true(at(CT_INTERPOLATE_STEP, 3.999, 1) == 20);
}

static void at_and_beyond_keyframes(void **state)
{
    (void)state;
    for (int i = CT_INTERPOLATE_LINEAR; i <= CT_INTERPOLATE_STEP; i++) {
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 2; a++) assert_true(at(i, times[k], a) == values[k][a]);
        assert_true(at(i, -1e300, 1) == 10 && at(i, 0.999, 1) == 10);
        assert_true(at(i, 4.001, 0) == -3 && at(i, INFINITY, 0) == -3);
    }
}

static void smooth_is_at_rest_at_keyframes(void **state)
{
    (void)state;
    const double e = 1e-6;
    for (int k = 0; k < 3; k++) {
        double slope =
            (at(CT_INTERPOLATE_SMOOTH, times[k] + e, 1) - at(CT_INTERPOLATE_SMOOTH, times[k] - e, 1)) /
            (2 * e);
        assert_true(fabs(slope) < 1e-4); /* second order in e times a curvature of 60 */
    }
    double moving = (at(CT_INTERPOLATE_LINEAR, 1 + e, 1) - at(CT_INTERPOLATE_LINEAR, 1 - e, 1)) / (2 * e);
    assert_true(fabs(moving) > 1); /* the control: linear is not */
}

static void without_keyframes_it_is_constant(void **state)
{
    (void)state;
    ct_track track = {.constant = {1, 2, 3}, .interpolation = CT_INTERPOLATE_SMOOTH};
    double value[3];
    ct_track_at(&track, 17, value);
    assert_true(value[0] == 1 && value[1] == 2 && value[2] == 3);
}

static void one_keyframe_is_constant_too(void **state)
{
    (void)state;
    ct_track track = {.constant = {9, 9, 9}, .count = 1, .times = times, .values = values};
    double value[3];
    for (double t = -1; t < 3; t += 0.5) {
        ct_track_at(&track, t, value);
        assert_true(value[0] == 0 && value[1] == 10 && value[2] == -1);
    }
}

static void a_copy_is_its_own(void **state)
{
    (void)state;
    counting count = {.fail_at = -1};
    ct_heap heap = counting_heap(&count);
    ct_arena arena = {.heap = &heap};
    double my_times[] = {0, 1}, my_values[][3] = {{1, 2, 3}, {4, 5, 6}}, value[3];
    ct_track mine = {.count = 2, .times = my_times, .values = (const double(*)[3])my_values}, copy;
    assert_int_equal(ct_track_copy(&arena, &mine, &copy, NULL), CT_OK);
    memset(my_times, 0x7f, sizeof my_times);
    memset(my_values, 0x7f, sizeof my_values);
    ct_track_at(&copy, 0.5, value);
    assert_true(value[0] == 2.5 && value[1] == 3.5 && value[2] == 4.5);
    ct_arena_release(&arena);
    count.fail_at = count.calls;
    assert_int_equal(ct_track_copy(&arena, &mine, &copy, NULL), CT_NO_MEMORY);
    ct_arena_release(&arena);
    assert_int_equal(count.held, 0);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const double falling[] = {1, 0.5, 4}, equal[] = {1, 1, 4}, nan_time[] = {1, NAN, 4};
    static const double endless[][3] = {{0, 0, 0}, {0, INFINITY, 0}, {0, 0, 0}};
    const struct {
        ct_track track;
        const char *reason;
    } rows[] = {
        {{.count = 3, .times = falling, .values = values}, "increase"},
        {{.count = 3, .times = equal, .values = values}, "increase"},
        {{.count = 3, .times = nan_time, .values = values}, "finite"},
        {{.count = 3, .times = times, .values = endless}, "not finite"},
        {{.count = 3, .times = times}, "without"},
        {{.count = 3, .values = values}, "without"},
        {{.count = -1, .times = times, .values = values}, "without"},
        {{.constant = {0, NAN, 0}}, "not finite"},
    };
    ct_error error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ct_track_check(&rows[i].track, "the belt", &error), CT_BAD_USAGE);
        assert_non_null(strstr(error.message, "the belt"));
        assert_non_null(strstr(error.message, rows[i].reason));
    }
    ct_track good = {.count = 3, .times = times, .values = values};
    assert_int_equal(ct_track_check(&good, "the belt", &error), CT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_keyframes),
        cmocka_unit_test(at_and_beyond_keyframes),
        cmocka_unit_test(smooth_is_at_rest_at_keyframes),
        cmocka_unit_test(without_keyframes_it_is_constant),
        cmocka_unit_test(one_keyframe_is_constant_too),
        cmocka_unit_test(a_copy_is_its_own),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
