#include "helpers.h"

#include "particles/scan.h"

#include <locale.h>

static ct_slice slice_of(const char *text)
{
    return (ct_slice){text, strlen(text)};
}

/* Every spelling gives exactly the double that the compiler gives for it. */
static void numbers_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-0.5", -0.5},
        {"+2.", 2},
        {".25", 0.25},
        {"1e3", 1e3},
        {"1E-7", 1e-7},
        {"0.1", 0.1},
        {"3.141592653589793", 3.141592653589793},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"123456789012345678", 123456789012345678.0},
        {"5e-324", 5e-324},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.30000000000000004", 0.30000000000000004},
        {"9007199254740993", 9007199254740993.0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value;
        assert_true(ct_slice_number(slice_of(cases[i].text), &value));
        assert_true(value == cases[i].value);
    }
}

static void random_numbers_survive_a_round_trip(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[64];
        double value, scale = ldexp(1, (int)(ct_random_key(2, i) % 200) - 100);
        double number = draw(1, i, -1, 1) * scale;
        snprintf(text, sizeof text, "%.*g", i % 2 ? 17 : 7, number);
        assert_true(ct_slice_number(slice_of(text), &value));
        assert_true(value == strtod(text, NULL));
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",    ".",   "-",  "e5",   "1e",    "1e+",   "1,5", "0x10", "1.2.3",
                                        "1 2", "--1", "1f", "nano", "infin", "1e1.5", "１",  "\x00"};
    double value;
    for (size_t i = 0; i < COUNT_OF(cases); i++) assert_false(ct_slice_number(slice_of(cases[i]), &value));
    assert_true(ct_slice_number(slice_of("NaN"), &value) && isnan(value));
    assert_true(ct_slice_number(slice_of("-inf"), &value) && value == -INFINITY);
    assert_true(ct_slice_number(slice_of("1e999999999999"), &value) && value == INFINITY);
}

/* A locale with a decimal comma changes nothing. Skipped where none is installed. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) skip();
    double value;
    bool is_number = ct_slice_number(slice_of("0.30000000000000004"), &value);
    setlocale(LC_ALL, "C");
    assert_true(is_number && value == 0.30000000000000004);
}

static void integers(void **state)
{
    (void)state;
    int64_t value;
    assert_true(ct_slice_integer(slice_of("-42"), &value) && value == -42);
    assert_true(ct_slice_integer(slice_of("999999999999999999"), &value) && value == 999999999999999999);
    static const char *const cases[] = {"", "-", "1.0", "9999999999999999999", "1a"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) assert_false(ct_slice_integer(slice_of(cases[i]), &value));
}

static void binary_numbers(void **state)
{
    (void)state;
    const unsigned char bytes[8] = {0xff, 0xfe, 0, 0, 0, 0, 0, 0x80};
    assert_true(ct_binary_decode(CT_INT8, bytes, false) == -1);
    assert_true(ct_binary_decode(CT_UINT8, bytes, true) == 255);
    assert_true(ct_binary_decode(CT_INT16, bytes, true) == -2);
    assert_true(ct_binary_decode(CT_UINT16, bytes, false) == 65279);
    assert_true(ct_binary_decode(CT_INT32, bytes, false) == 65279);
    assert_true(ct_binary_decode(CT_INT64, bytes, false) == -9223372036854710528.0);
    assert_true(ct_binary_decode(CT_UINT64, bytes, false) == 9223372036854841088.0);
    const unsigned char one_and_a_half[4] = {0x3f, 0xc0, 0, 0};
    assert_true(ct_binary_decode(CT_FLOAT32, one_and_a_half, true) == 1.5);
    const double third = 1.0 / 3;
    assert_true(ct_binary_decode(CT_FLOAT64, &third, false) == third);
}

static void lines_are_counted(void **state)
{
    (void)state;
    const char *text = "one two\r\n\nthree";
    ct_scan scan = ct_scan_begin("file", text, strlen(text));
    ct_slice line;
    ct_error error;
    assert_true(ct_scan_line(&scan, &line) && ct_slice_is(line, "one two") && scan.line == 1);
    assert_true(ct_scan_line(&scan, &line) && line.length == 0 && scan.line == 2);
    assert_true(ct_scan_line(&scan, &line) && ct_slice_is(line, "three") && scan.line == 3);
    ct_status status = ct_scan_fail(&scan, &error, "bad \x1b[31m word");
    expect_failure(status, &error, CT_BAD_SCENE, "file:3: bad ?[31m word");
    assert_false(ct_scan_line(&scan, &line));
}

/* A single changed bit of the input changes about half of the output bits, and 10^5 draws are uniform. */
static void random_numbers_are_random(void **state)
{
    (void)state;
    double flips = 0, mean = 0, square = 0;
    const int count = 100000;
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        uint64_t a = ct_random_key(i, 5), b = ct_random_key(i ^ (UINT64_C(1) << (i % 64)), 5);
        flips += __builtin_popcountll(a ^ b);
        double u = ct_random_unit(a);
        assert_true(u >= 0 && u < 1);
        mean += u, square += u * u;
    }
    expect_near(flips / count, 32, 0.1);   /* standard deviation of the mean 4 / sqrt(1e5) = 0.013 */
    expect_near(mean / count, 0.5, 0.005); /* 0.0009 */
    expect_near(square / count, 1.0 / 3, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(random_numbers_survive_a_round_trip),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(integers),
        cmocka_unit_test(binary_numbers),
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(random_numbers_are_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
