#include "scene/units.h"

#include "scene/number.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { METRE, KILOGRAM, SECOND, RADIAN, KELVIN, BASES };
enum { LONGEST_TEXT = 250 };

#define PI 3.14159265358979323846

/* What a ct_dimension is called, its SI unit and its exponents. */
typedef struct measure {
    const char *name, *unit, *example;
    signed char exponents[BASES];
} measure;

static const measure measures[] = {
    [CT_NUMBER] = {"a plain number", "", "0.3", {0}},
    [CT_SWITCH] = {"true or false", "", "true", {0}},
    [CT_LENGTH] = {"a length", "m", "2.5 cm", {1}},
    [CT_TIME] = {"a time", "s", "1/24 s", {0, 0, 1}},
    [CT_MASS] = {"a mass", "kg", "3 kg", {0, 1}},
    [CT_VELOCITY] = {"a velocity", "m/s", "2 m/s", {1, 0, -1}},
    [CT_ACCELERATION] = {"an acceleration", "m/s^2", "9.81 m/s^2", {1, 0, -2}},
    [CT_DENSITY] = {"a density", "kg/m^3", "1.4 g/cm^3", {-3, 1}},
    [CT_PRESSURE] = {"a pressure or modulus", "Pa", "0.3 MPa", {-1, 1, -2}},
    [CT_ANGLE] = {"an angle", "rad", "30 deg", {0, 0, 0, 1}},
    [CT_ANGULAR_RATE] = {"an angular rate", "rad/s", "120 rpm", {0, 0, -1, 1}},
    [CT_RATE] = {"a rate", "1/s", "5 1/s", {0, 0, -1}},
    [CT_VOLUME] = {"a volume", "m^3", "1 cm^3", {3}},
    [CT_VISCOSITY] = {"a viscosity", "Pa s", "1 Pa s", {-1, 1, -1}},
    [CT_TENSION] = {"a surface tension", "N/m", "72 mN/m", {0, 1, -2}},
    [CT_TEMPERATURE] = {"a temperature", "K", "300 K", {0, 0, 0, 0, 1}},
    [CT_PER_KELVIN] = {"a change with temperature", "1/K", "0.04 1/K", {0, 0, 0, 0, -1}},
    [CT_HEAT_CAPACITY] = {"a heat capacity", "J/(kg K)", "1.1 kJ/(kg K)", {2, 0, -2, 0, -1}},
    [CT_CONDUCTIVITY] = {"a conductivity of heat", "W/(m K)", "1.5 W/(m K)", {1, 1, -3, 0, -1}},
    [CT_HEAT_TRANSFER] = {"a heat transfer coefficient", "W/(m^2 K)", "20 W/(m^2 K)", {0, 1, -3, 0, -1}},
    [CT_THERMAL_RESISTANCE] = {"a thermal resistance", "m^2 K/W", "0.01 m^2 K/W", {0, -1, 3, 0, 1}},
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* One unit is factor * 10^power of the SI unit with these exponents. */
typedef struct unit {
    const char *name;
    double factor;
    int power;
    bool takes_prefix;
    signed char exponents[BASES];
} unit;

static const unit units[] = {
    {"m", 1, 0, true, {1}},
    {"g", 1, -3, true, {0, 1}},
    {"s", 1, 0, true, {0, 0, 1}},
    {"K", 1, 0, true, {0, 0, 0, 0, 1}},
    {"rad", 1, 0, true, {0, 0, 0, 1}},
    {"deg", PI / 180, 0, false, {0, 0, 0, 1}},
    {"°", PI / 180, 0, false, {0, 0, 0, 1}},
    {"rev", 2 * PI, 0, false, {0, 0, 0, 1}},
    {"rpm", 2 * PI / 60, 0, false, {0, 0, -1, 1}},
    {"Hz", 1, 0, true, {0, 0, -1}},
    {"min", 60, 0, false, {0, 0, 1}},
    {"h", 3600, 0, false, {0, 0, 1}},
    {"day", 86400, 0, false, {0, 0, 1}},
    {"N", 1, 0, true, {1, 1, -2}},
    {"Pa", 1, 0, true, {-1, 1, -2}},
    {"J", 1, 0, true, {2, 1, -2}},
    {"W", 1, 0, true, {2, 1, -3}},
    {"L", 1, -3, true, {3}},
    {"l", 1, -3, true, {3}},
    {"t", 1, 3, false, {0, 1}},
    {"bar", 1, 5, true, {-1, 1, -2}},
    {"atm", 101325, 0, false, {-1, 1, -2}},
    {"psi", 6894.757293168361, 0, false, {-1, 1, -2}},
    {"dyn", 1, -5, false, {1, 1, -2}},
    {"erg", 1, -7, false, {2, 1, -2}},
    {"P", 1, -1, true, {-1, 1, -1}},
    {"in", 2.54, -2, false, {1}},
    {"ft", 0.3048, 0, false, {1}},
    {"lb", 0.45359237, 0, false, {0, 1}},
};

static const struct {
    const char *name;
    int power;
} prefixes[] = {
    {"da", 1},  {"d", -1},  {"c", -2}, {"m", -3}, {"u", -6}, {"µ", -6}, {"μ", -6}, {"n", -9},
    {"p", -12}, {"f", -15}, {"h", 2},  {"k", 3},  {"M", 6},  {"G", 9},  {"T", 12},
};

/* A product of units. */
typedef struct product {
    double factor;
    int power;
    int exponents[BASES];
} product;

/* What is being read, for messages. */
typedef struct reader {
    const char *at;
    ct_dimension expected;
    char *reason;
} reader;

const char *ct_dimension_name(ct_dimension dimension)
{
    return measures[dimension].name;
}

const char *ct_dimension_unit(ct_dimension dimension)
{
    return measures[dimension].unit;
}

const char *ct_dimension_example(ct_dimension dimension)
{
    return measures[dimension].example;
}

static void skip_spaces(reader *in)
{
    while (*in->at == ' ' || *in->at == '\t') in->at++;
}

/* Moves past `token` if it comes next. */
static bool take(reader *in, const char *token)
{
    size_t length = strlen(token);
    if (strncmp(in->at, token, length)) return false;
    in->at += length;
    return true;
}

/* Bytes of the name that comes next: letters, and what is not ASCII except for the signs of multiplication
 * and power. */
static size_t name_length(const char *at)
{
    static const char *const signs[] = {"·", "²", "³"};
    size_t length = 0;
    for (; isalpha((unsigned char)at[length]) || (unsigned char)at[length] >= 0x80; length++)
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (!strncmp(at + length, signs[i], strlen(signs[i]))) return length;
    return length;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !strncmp(name, text, length);
}

/* The unit of that name: as it stands (`min` is no milli-inch), then with a prefix taken off. */
static const unit *find_unit(const char *text, size_t length, int *prefix)
{
    *prefix = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_name(units[i].name, text, length)) return &units[i];
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t skip = strlen(prefixes[p].name);
        if (skip >= length || strncmp(prefixes[p].name, text, skip)) continue;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            *prefix = prefixes[p].power;
            if (units[i].takes_prefix && is_name(units[i].name, text + skip, length - skip)) return &units[i];
        }
    }
    return NULL;
}

/* "^3", "^-2", "**2", "2", "²"; 1 when there is none; 0 when it is not a whole number from -9 to 9. */
static int read_exponent(reader *in)
{
    if (take(in, "²")) return 2;
    if (take(in, "³")) return 3;
    bool is_marked = take(in, "^") || take(in, "**");
    int sign = is_marked && take(in, "-") ? -1 : 1;
    if (!isdigit((unsigned char)*in->at)) return is_marked ? 0 : 1;
    int exponent = *in->at++ - '0';
    return isdigit((unsigned char)*in->at) ? 0 : sign * exponent;
}

static void multiply(product *total, const unit *by, int prefix, int exponent)
{
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++)
        total->factor = exponent < 0 ? total->factor / by->factor : total->factor * by->factor;
    total->power += (by->power + prefix) * exponent;
    for (int b = 0; b < BASES; b++) total->exponents[b] += by->exponents[b] * exponent;
}

static bool read_unit(reader *in, product *total, int sign)
{
    if (!strncmp(in->at, "1/", 2)) { /* of `1/s` */
        in->at++;
        return true;
    }
    size_t length = name_length(in->at);
    int prefix;
    const unit *found = find_unit(in->at, length, &prefix);
    if (!found) {
        snprintf(in->reason, CT_REASON_SIZE, "has the unknown unit '%.20s'; %s is written like '%s'", in->at,
                 ct_dimension_name(in->expected), ct_dimension_example(in->expected));
        return false;
    }
    in->at += length;
    int exponent = read_exponent(in);
    if (!exponent) {
        snprintf(in->reason, CT_REASON_SIZE,
                 "has a unit with a power that is no whole number from 1 to 9; write 'm/s^2'");
        return false;
    }
    multiply(total, found, prefix, sign * exponent);
    return true;
}

/* kg/m^3, kg/(m s), Pa s, 1/s, /s. A slash divides by the next unit only, or by what is in the brackets. */
static bool read_product(reader *in, product *total)
{
    bool is_inside = false;
    int sign = 1;
    for (skip_spaces(in); *in->at; skip_spaces(in)) {
        bool divides = take(in, "/");
        if (!divides && !take(in, "*")) take(in, "·");
        skip_spaces(in);
        bool opens = !is_inside && take(in, "(");
        if (opens) is_inside = true, skip_spaces(in), sign = divides ? -1 : 1;
        bool turns = divides && !opens;
        if (!read_unit(in, total, turns ? (is_inside ? -sign : -1) : (is_inside ? sign : 1))) return false;
        skip_spaces(in);
        if (is_inside && take(in, ")")) is_inside = false;
    }
    if (is_inside)
        snprintf(in->reason, CT_REASON_SIZE, "has a unit with a bracket that is not closed; add ')'");
    return !is_inside;
}

/* "a time (s)", or the bare exponents of what has no name here. */
static void describe(const int exponents[BASES], char *text, size_t size)
{
    static const char *const bases[BASES] = {"m", "kg", "s", "rad", "K"};
    for (int i = 0; i < MEASURES; i++) {
        bool is_same = true;
        for (int b = 0; b < BASES; b++) is_same = is_same && measures[i].exponents[b] == exponents[b];
        if (!is_same) continue;
        snprintf(text, size, i == CT_NUMBER ? "%s" : "%s (%s)", measures[i].name, measures[i].unit);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "the unit");
    for (int b = 0; b < BASES && used < size; b++)
        if (exponents[b])
            used += (size_t)snprintf(text + used, size - used, " %s^%d", bases[b], exponents[b]);
}

static bool check_dimension(const reader *in, const product *total)
{
    const measure *wanted = &measures[in->expected];
    bool is_right = true;
    for (int b = 0; b < BASES; b++) is_right = is_right && wanted->exponents[b] == total->exponents[b];
    if (is_right) return true;
    char got[64];
    describe(total->exponents, got, sizeof got);
    if (in->expected == CT_NUMBER) {
        snprintf(in->reason, CT_REASON_SIZE, "expects a plain number, got %s; leave the unit out", got);
    } else {
        snprintf(in->reason, CT_REASON_SIZE, "expects %s (%s), got %s; write it like '%s'", wanted->name,
                 wanted->unit, got, wanted->example);
    }
    return false;
}

static bool fail_number(reader *in)
{
    const char *word = in->at + strspn(in->at, "+-.");
    if (!strncasecmp(word, "nan", 3) || !strncasecmp(word, "inf", 3)) {
        snprintf(in->reason, CT_REASON_SIZE, "must be a finite number; write it like '%s'",
                 ct_dimension_example(in->expected));
    } else {
        snprintf(in->reason, CT_REASON_SIZE, "expects %s, got '%.30s'; write it like '%s'",
                 ct_dimension_name(in->expected), in->at, ct_dimension_example(in->expected));
    }
    return false;
}

static bool fail_range(reader *in)
{
    snprintf(in->reason, CT_REASON_SIZE,
             "is beyond the range of numbers; they reach from about 1e-308 to 1e308");
    return false;
}

/* numerator[/denominator] * unit. */
static bool evaluate(reader *in, const ct_decimal *above, const ct_decimal *below, const product *total,
                     double *value)
{
    double divisor = 1;
    if (!ct_decimal_value(above, total->power, value)) return fail_range(in);
    if (below && !ct_decimal_value(below, 0, &divisor)) return fail_range(in);
    if (divisor == 0) {
        snprintf(in->reason, CT_REASON_SIZE, "divides by zero; write a fraction like '1/24 s'");
        return false;
    }
    *value = *value / divisor * total->factor;
    return isfinite(*value) ? true : fail_range(in);
}

bool ct_quantity_read(const char *text, const char *unit_text, ct_dimension expected, double *value,
                      char reason[CT_REASON_SIZE])
{
    reader in = {text, expected, reason};
    ct_decimal above, below;
    skip_spaces(&in);
    if (strlen(in.at) > LONGEST_TEXT) return fail_number(&in);
    if (!ct_decimal_scan(&in.at, &above)) return fail_number(&in);
    const char *slash = in.at;
    bool is_fraction = take(&in, "/") && isdigit((unsigned char)*in.at) && ct_decimal_scan(&in.at, &below);
    if (!is_fraction) in.at = slash;
    skip_spaces(&in);
    if (!*in.at && unit_text) in.at = unit_text;
    product total = {.factor = 1};
    skip_spaces(&in);
    if (!*in.at) return evaluate(&in, &above, is_fraction ? &below : NULL, &total, value);

    /* Celsius has its zero elsewhere: it is a unit of a temperature alone, never part of a product. */
    bool is_celsius = expected == CT_TEMPERATURE && (!strcmp(in.at, "degC") || !strcmp(in.at, "°C"));
    if (!is_celsius && (!read_product(&in, &total) || !check_dimension(&in, &total))) return false;
    if (!evaluate(&in, &above, is_fraction ? &below : NULL, &total, value)) return false;
    if (is_celsius) *value += 273.15;
    return true;
}

/* Units that people use beside that of SI, the largest first. */
static const struct {
    ct_dimension dimension;
    const char *unit;
    double factor;
} usual[] = {
    {CT_ANGLE, "deg", PI / 180}, {CT_PRESSURE, "GPa", 1e9}, {CT_PRESSURE, "MPa", 1e6},
    {CT_PRESSURE, "kPa", 1e3},   {CT_TIME, "min", 60},
};

void ct_quantity_print(double value, ct_dimension dimension, char text[CT_QUANTITY_SIZE])
{
    char number[CT_NUMBER_SIZE], reason[CT_REASON_SIZE];
    const char *si = ct_dimension_unit(dimension);
    double back;
    if (dimension == CT_SWITCH && (value == 0 || value == 1)) {
        snprintf(text, CT_QUANTITY_SIZE, "%s", value == 1 ? "true" : "false");
        return;
    }
    for (size_t k = 0; k < sizeof usual / sizeof *usual && value != 0; k++) {
        bool is_large = dimension == CT_ANGLE || fabs(value) >= usual[k].factor;
        if (usual[k].dimension != dimension || !is_large) continue;
        snprintf(text, CT_QUANTITY_SIZE, "%.4g %s", value / usual[k].factor, usual[k].unit);
        if (ct_quantity_read(text, NULL, dimension, &back, reason) && back == value) return;
    }
    ct_number_print(value, number);
    snprintf(text, CT_QUANTITY_SIZE, "%s%s%s", number, *si ? " " : "", si);
}
