/* Numbers and units: what is read, exactly, and what is refused, in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/number.h"
#include "scene/units.h"
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Metric units are powers of ten and must come out as the nearest double, so equality is exact. */
static void reads_metric_units_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ct_dimension dimension;
        double value;
    } cases[] = {
        {"2.5 cm", CT_LENGTH, 0.025},
        {"2.5cm", CT_LENGTH, 0.025},
        {"-3 mm", CT_LENGTH, -0.003},
        {"+7um", CT_LENGTH, 7e-6},
        {"7 µm", CT_LENGTH, 7e-6},
        {"0.1", CT_LENGTH, 0.1},
        {"  5  km ", CT_LENGTH, 5000},
        {".5 m", CT_LENGTH, 0.5},
        {"5. m", CT_LENGTH, 5},
        {"1e7 dyn/cm^2", CT_PRESSURE, 1e6},
        {"0.3 MPa", CT_PRESSURE, 0.3e6},
        {"500 kPa", CT_PRESSURE, 5e5},
        {"2 GPa", CT_PRESSURE, 2e9},
        {"1 bar", CT_PRESSURE, 1e5},
        {"3 mbar", CT_PRESSURE, 300},
        {"4 N/mm^2", CT_PRESSURE, 4e6},
        {"4 N/mm2", CT_PRESSURE, 4e6},
        {"4 N mm**-2", CT_PRESSURE, 4e6},
        {"4 N/mm²", CT_PRESSURE, 4e6},
        {"1.4 g/cm^3", CT_DENSITY, 1400},
        {"1 kg/L", CT_DENSITY, 1000},
        {"1 t/m^3", CT_DENSITY, 1000},
        {"9.81 m/s^2", CT_ACCELERATION, 9.81},
        {"981 cm/s/s", CT_ACCELERATION, 9.81},
        {"36 m/(s)", CT_VELOCITY, 36},
        {"1 kg/(m s)", CT_VISCOSITY, 1},
        {"1 kg/(m*s)", CT_VISCOSITY, 1},
        {"1 Pa s", CT_VISCOSITY, 1},
        {"1 Pa·s", CT_VISCOSITY, 1},
        {"1 mPa*s", CT_VISCOSITY, 1e-3},
        {"1 cP", CT_VISCOSITY, 1e-3},
        {"5 1/s", CT_RATE, 5},
        {"5 /s", CT_RATE, 5},
        {"5/s", CT_RATE, 5},
        {"5 Hz", CT_RATE, 5},
        {"2 kHz", CT_RATE, 2000},
        {"3 cm^3", CT_VOLUME, 3e-6},
        {"3 L", CT_VOLUME, 3e-3},
        {"3 ml", CT_VOLUME, 3e-6},
        {"3 g", CT_MASS, 3e-3},
        {"3 kg", CT_MASS, 3},
        {"1 ms", CT_TIME, 1e-3},
        {"5 min", CT_TIME, 300},
        {"2 h", CT_TIME, 7200},
        {"300 K", CT_TEMPERATURE, 300},
        {"1.5 rad", CT_ANGLE, 1.5},
        {"0.97", CT_NUMBER, 0.97},
        {"3 m/m", CT_NUMBER, 3},
        {"1e-320", CT_NUMBER, 1e-320},
        {"1/24 s", CT_TIME, 1.0 / 24},
        {"1/24", CT_TIME, 1.0 / 24},
        {"3/4 cm", CT_LENGTH, 0.03 / 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[CT_REASON_SIZE] = "";
        double value = NAN;
        if (!ct_quantity_read(cases[i].text, NULL, cases[i].dimension, &value, reason) ||
            value != cases[i].value)
            fail_msg("'%s' gave %.17g, not %.17g: %s", cases[i].text, value, cases[i].value, reason);
    }
}

/* Factors that are no power of ten: two roundings, 4 units in the last place at the most. */
static void reads_other_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ct_dimension dimension;
        double value;
    } cases[] = {
        {"30 deg", CT_ANGLE, PI / 6},
        {"180°", CT_ANGLE, PI},
        {"2 rev", CT_ANGLE, 4 * PI},
        {"120 rpm", CT_ANGULAR_RATE, 4 * PI},
        {"90 deg/s", CT_ANGULAR_RATE, PI / 2},
        {"1 in", CT_LENGTH, 0.0254},
        {"10 ft", CT_LENGTH, 3.048},
        {"1 atm", CT_PRESSURE, 101325},
        {"1 psi", CT_PRESSURE, 6894.757293168361},
        {"36 km/h", CT_VELOCITY, 10},
        {"20 degC", CT_TEMPERATURE, 293.15},
        {"20 °C", CT_TEMPERATURE, 293.15},
        {"-273.15 degC", CT_TEMPERATURE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[CT_REASON_SIZE] = "";
        double value = NAN;
        if (!ct_quantity_read(cases[i].text, NULL, cases[i].dimension, &value, reason) ||
            !(fabs(value - cases[i].value) <= 4 * DBL_EPSILON * fabs(cases[i].value)))
            fail_msg("'%s' gave %.17g, not %.17g: %s", cases[i].text, value, cases[i].value, reason);
    }
}

static void refuses_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ct_dimension dimension;
        const char *words;
    } cases[] = {
        {"2 s", CT_LENGTH, "expects a length (m), got a time (s)"},
        {"2 m", CT_TIME, "expects a time (s), got a length (m)"},
        {"2 m", CT_NUMBER, "expects a plain number, got a length (m)"},
        {"2 m^2", CT_LENGTH, "got the unit m^2"},
        {"2 Hz", CT_ANGULAR_RATE, "expects an angular rate (rad/s), got a rate (1/s)"},
        {"2 rad", CT_NUMBER, "got an angle (rad)"},
        {"3 kPa", CT_DENSITY, "got a pressure or modulus (Pa)"},
        {"5 furlong", CT_LENGTH, "unknown unit 'furlong'"},
        {"5 m/furlong", CT_VELOCITY, "unknown unit 'furlong'"},
        {"5 m/", CT_VELOCITY, "unknown unit ''"},
        {"5 kmin", CT_TIME, "unknown unit"},
        {"5 m^", CT_LENGTH, "power"},
        {"5 m^0", CT_LENGTH, "power"},
        {"5 m^10", CT_LENGTH, "power"},
        {"5 kg/(m s", CT_VISCOSITY, "bracket"},
        {"20 degC", CT_LENGTH, "unknown unit 'degC'"},
        {"20 degC/m", CT_TEMPERATURE, "unknown unit"},
        {"nan", CT_LENGTH, "finite"},
        {".nan", CT_LENGTH, "finite"},
        {"-inf", CT_LENGTH, "finite"},
        {".inf", CT_TIME, "finite"},
        {"Infinity m", CT_LENGTH, "finite"},
        {"1e999", CT_LENGTH, "beyond the range"},
        {"1e-999", CT_LENGTH, "beyond the range"},
        {"1e308 km", CT_LENGTH, "beyond the range"},
        {"1e99999999999999999999", CT_NUMBER, "beyond the range"},
        {"1/0 s", CT_TIME, "divides by zero"},
        {"", CT_LENGTH, "write it like '2.5 cm'"},
        {"abc", CT_LENGTH, "expects a length, got 'abc'; write it like '2.5 cm'"},
        {"-", CT_LENGTH, "got '-'"},
        {"1,5 cm", CT_LENGTH, "unknown unit ',5 cm'"},
        {"1.2.3 m", CT_LENGTH, "unknown unit"},
        {"0x10 m", CT_LENGTH, "unknown unit"},
        {"1_000 m", CT_LENGTH, "unknown unit"},
        {"5 m)", CT_LENGTH, "unknown unit ')'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char reason[CT_REASON_SIZE] = "";
        double value = 42;
        bool is_read = ct_quantity_read(cases[i].text, NULL, cases[i].dimension, &value, reason);
        if (is_read || !strstr(reason, cases[i].words))
            fail_msg("'%s': %g, '%s'", cases[i].text, value, reason);
    }
}

static void refuses_endless_numbers(void **state)
{
    (void)state;
    static char text[100000];
    char reason[CT_REASON_SIZE];
    double value;
    memset(text, '7', sizeof text - 1);
    assert_false(ct_quantity_read(text, NULL, CT_LENGTH, &value, reason));
    for (size_t i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, i ? " m" : "1 ", 2);
    assert_false(ct_quantity_read(text, NULL, CT_LENGTH, &value, reason));
}

static void takes_the_unit_of_a_vector(void **state)
{
    (void)state;
    char reason[CT_REASON_SIZE];
    double value;
    assert_true(ct_quantity_read("2", "cm", CT_LENGTH, &value, reason));
    assert_true(value == 0.02);
    assert_true(ct_quantity_read("2 m", "cm", CT_LENGTH, &value, reason)); /* its own unit wins */
    assert_true(value == 2);
    assert_false(ct_quantity_read("2", "s", CT_LENGTH, &value, reason));
}

/* Shortest texts, and every double reads back as itself. */
static void prints_exactly(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "1"},
        {-9.81, "-9.81"},
        {0.1, "0.1"},
        {1e-5, "0.00001"},
        {123456, "123456"},
        {1e15, "1000000000000000"},
        {1e16, "1.0e+16"},
        {1.5e-7, "1.5e-07"},
        {1.0 / 3, "0.3333333333333333"},
        {100.25, "100.25"},
        {-1e300, "-1.0e+300"},
    };
    char text[CT_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_number_print(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        ct_number_print(value, text);
        const char *at = text;
        ct_decimal decimal;
        assert_true(ct_decimal_scan(&at, &decimal) && !*at && ct_decimal_value(&decimal, 0, &back));
        assert_memory_equal(&value, &back, sizeof value);
    }
}

/* A comma for the decimal point changes nothing. Without such a locale on the machine nothing can be tested.
 */
static void does_not_follow_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found) skip();
    char reason[CT_REASON_SIZE], text[CT_NUMBER_SIZE];
    double value = 0;
    bool is_read = ct_quantity_read("2.5 m", NULL, CT_LENGTH, &value, reason);
    ct_number_print(0.25, text);
    setlocale(LC_NUMERIC, "C");
    assert_true(is_read && value == 2.5);
    assert_string_equal(text, "0.25");
}

static void prints_usual_units(void **state)
{
    (void)state;
    static const struct {
        double value;
        ct_dimension dimension;
        const char *text;
    } cases[] = {
        {0.5235987755982988, CT_ANGLE, "30 deg"},
        {1, CT_ANGLE, "1 rad"}, /* 57.3 deg would be another angle */
        {200000, CT_PRESSURE, "200 kPa"},
        {2.1e9, CT_PRESSURE, "2.1 GPa"},
        {123456.75, CT_PRESSURE, "123456.75 Pa"},
        {999, CT_PRESSURE, "999 Pa"},
        {0, CT_PRESSURE, "0 Pa"},
        {300, CT_TIME, "5 min"},
        {1, CT_SWITCH, "true"},
        {0, CT_SWITCH, "false"},
        {0.3, CT_NUMBER, "0.3"},
    };
    char text[CT_QUANTITY_SIZE];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_quantity_print(cases[k].value, cases[k].dimension, text);
        assert_string_equal(text, cases[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_metric_units_exactly), cmocka_unit_test(reads_other_units),
        cmocka_unit_test(refuses_with_a_reason),      cmocka_unit_test(refuses_endless_numbers),
        cmocka_unit_test(takes_the_unit_of_a_vector), cmocka_unit_test(prints_exactly),
        cmocka_unit_test(does_not_follow_the_locale), cmocka_unit_test(prints_usual_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
