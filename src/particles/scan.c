#include "particles/scan.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ct_scan ct_scan_begin(const char *name, const char *bytes, size_t count)
{
    return (ct_scan){.name = name, .begin = bytes, .at = bytes, .end = bytes + count, .line = 1};
}

ct_status ct_scan_fail(const ct_scan *scan, ct_error *error, const char *format, ...)
{
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (char *c = reason; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?'; /* words of a file may hold anything; a terminal should not see it */
    if (scan->is_binary)
        return ct_fail(error, CT_BAD_SCENE, "%s: byte %zu: %s", scan->name, (size_t)(scan->at - scan->begin),
                       reason);
    return ct_fail(error, CT_BAD_SCENE, "%s:%zu: %s", scan->name, scan->line, reason);
}

/* The C library's isspace, isdigit and tolower depend on the locale; these do not. */
static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ct_scan_line(ct_scan *scan, ct_slice *line)
{
    if (scan->at > scan->begin && scan->at[-1] == '\n') scan->line++;
    if (scan->at == scan->end) return false;
    const char *end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    const char *stop = end ? end : scan->end;
    *line = (ct_slice){scan->at, (size_t)(stop - scan->at)};
    if (line->length && line->at[line->length - 1] == '\r') line->length--;
    scan->at = end ? end + 1 : scan->end;
    return true;
}

bool ct_scan_word(ct_scan *scan, ct_slice *word)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        if (*scan->at == '\n') scan->line++;
        scan->at++;
    }
    *word = (ct_slice){scan->at, 0};
    while (scan->at < scan->end && !is_blank(*scan->at)) scan->at++;
    word->length = (size_t)(scan->at - word->at);
    return word->length > 0;
}

bool ct_slice_word(ct_slice *slice, ct_slice *word)
{
    size_t begin = 0;
    while (begin < slice->length && is_blank(slice->at[begin])) begin++;
    size_t end = begin;
    while (end < slice->length && !is_blank(slice->at[end])) end++;
    *word = (ct_slice){slice->at + begin, end - begin};
    *slice = (ct_slice){slice->at + end, slice->length - end};
    return word->length > 0;
}

bool ct_slice_is(ct_slice slice, const char *text)
{
    return strlen(text) == slice.length && memcmp(slice.at, text, slice.length) == 0;
}

bool ct_slice_is_nocase(ct_slice slice, const char *text)
{
    if (strlen(text) != slice.length) return false;
    for (size_t i = 0; i < slice.length; i++)
        if (lower(slice.at[i]) != lower(text[i])) return false;
    return true;
}

bool ct_slice_starts(ct_slice slice, const char *text)
{
    size_t length = strlen(text);
    return length <= slice.length && memcmp(slice.at, text, length) == 0;
}

void ct_slice_copy(ct_slice slice, char *text, size_t size)
{
    size_t length = slice.length < size ? slice.length : size - 1;
    memcpy(text, slice.at, length);
    text[length] = '\0';
}

bool ct_slice_integer(ct_slice slice, int64_t *integer)
{
    bool is_negative = slice.length && slice.at[0] == '-';
    size_t first = is_negative || (slice.length && slice.at[0] == '+');
    if (slice.length == first || slice.length - first > 18) return false; /* 18 digits always fit */
    int64_t value = 0;
    for (size_t i = first; i < slice.length; i++) {
        if (!is_digit(slice.at[i])) return false;
        value = value * 10 + (slice.at[i] - '0');
    }
    *integer = is_negative ? -value : value;
    return true;
}

enum { LONGEST_NUMBER = 1100 }; /* characters; no double needs more than 1077 */

/* The C library's conversion in the C locale, on a copy that ends with '\0'. */
static bool convert_slowly(ct_slice slice, double *number)
{
    char text[LONGEST_NUMBER + 1], *end;
    if (slice.length > LONGEST_NUMBER) return false;
    ct_slice_copy(slice, text, sizeof text);
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale) return false;
    *number = strtod_l(text, &end, locale);
    freelocale(locale);
    return end == text + slice.length;
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWERS = sizeof powers_of_ten / sizeof powers_of_ten[0] };

/* What a decimal number is made of: digits * 10^exponent. */
typedef struct decimal {
    bool is_negative;
    bool is_short; /* all digits fit into 53 bits */
    uint64_t digits;
    int64_t exponent;
} decimal;

/* [sign] digits [. digits] [e [sign] digits] and nothing else. */
static bool read_decimal(ct_slice slice, decimal *result)
{
    const char *at = slice.at, *end = slice.at + slice.length;
    *result = (decimal){.is_short = true};
    if (at < end && (*at == '-' || *at == '+')) result->is_negative = *at++ == '-';
    bool has_digits = false;
    for (bool after_point = false; at < end; at++) {
        if (*at == '.' && !after_point) {
            after_point = true;
        } else if (is_digit(*at)) {
            has_digits = true;
            if (result->digits < (UINT64_C(1) << 53) / 10 - 1)
                result->digits = result->digits * 10 + (uint64_t)(*at - '0');
            else result->is_short = false;
            result->exponent -= after_point;
        } else {
            break;
        }
    }
    if (!has_digits) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        int64_t exponent;
        ct_slice rest = {at + 1, (size_t)(end - at - 1)};
        if (!ct_slice_integer(rest, &exponent)) return false;
        result->exponent += exponent;
        at = end;
    }
    return at == end;
}

bool ct_slice_number(ct_slice slice, double *number)
{
    if (ct_slice_is_nocase(slice, "nan") || ct_slice_is_nocase(slice, "-nan")) return *number = NAN, true;
    if (ct_slice_is_nocase(slice, "inf") || ct_slice_is_nocase(slice, "infinity"))
        return *number = INFINITY, true;
    if (ct_slice_is_nocase(slice, "-inf") || ct_slice_is_nocase(slice, "-infinity"))
        return *number = -INFINITY, true;
    decimal value;
    if (!read_decimal(slice, &value)) return false;
    /* Digits below 2^53 and powers of ten up to 1e22 are exact in double, so one rounding is all there is. */
    if (!value.is_short || value.exponent <= -EXACT_POWERS || value.exponent >= EXACT_POWERS)
        return convert_slowly(slice, number);
    double magnitude = (double)value.digits;
    if (value.exponent < 0) magnitude /= powers_of_ten[-value.exponent];
    else magnitude *= powers_of_ten[value.exponent];
    *number = value.is_negative ? -magnitude : magnitude;
    return true;
}

static const struct {
    size_t size;
    ct_type attribute;
} number_types[CT_BINARY_TYPES] = {
    [CT_INT8] = {1, CT_TYPE_FLOAT64},    [CT_UINT8] = {1, CT_TYPE_UINT16},
    [CT_INT16] = {2, CT_TYPE_FLOAT64},   [CT_UINT16] = {2, CT_TYPE_UINT16},
    [CT_INT32] = {4, CT_TYPE_FLOAT64},   [CT_UINT32] = {4, CT_TYPE_UINT32},
    [CT_INT64] = {8, CT_TYPE_FLOAT64},   [CT_UINT64] = {8, CT_TYPE_FLOAT64},
    [CT_FLOAT32] = {4, CT_TYPE_FLOAT32}, [CT_FLOAT64] = {8, CT_TYPE_FLOAT64},
};

size_t ct_binary_size(ct_binary_type type)
{
    return number_types[type].size;
}

ct_type ct_binary_attribute_type(ct_binary_type type)
{
    return number_types[type].attribute;
}

double ct_binary_decode(ct_binary_type type, const void *bytes, bool is_big_endian)
{
    const unsigned char *byte = bytes;
    size_t size = number_types[type].size;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits = bits << 8 | byte[is_big_endian ? i : size - 1 - i];
    if (type == CT_FLOAT64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == CT_FLOAT32) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    bool is_signed = type == CT_INT8 || type == CT_INT16 || type == CT_INT32 || type == CT_INT64;
    if (!is_signed) return (double)bits;
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (double)(int64_t)((bits ^ sign) - sign); /* the sign bit spread to the left */
}
