#include "scene/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_EXPONENT = 99999 }; /* beyond every double, and far from overflow */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends a digit; zeros in front are not kept. */
static bool add_digit(ct_decimal *decimal, char digit)
{
    if (decimal->count == 0 && digit == '0') return true;
    if (decimal->count == CT_MOST_DIGITS) return false;
    decimal->digits[decimal->count++] = digit;
    return true;
}

/* Reads "e-12", if that is what follows: `1 erg` has no exponent. */
static void scan_exponent(const char **text, ct_decimal *decimal)
{
    const char *at = *text;
    if (*at != 'e' && *at != 'E') return;
    at++;
    int sign = *at == '-' ? -1 : 1;
    if (*at == '-' || *at == '+') at++;
    if (!is_digit(*at)) return;
    int exponent = 0;
    for (; is_digit(*at); at++)
        if (exponent < LARGEST_EXPONENT) exponent = 10 * exponent + (*at - '0');
    decimal->exponent += sign * exponent;
    *text = at;
}

bool ct_decimal_scan(const char **text, ct_decimal *decimal)
{
    *decimal = (ct_decimal){0};
    const char *at = *text;
    decimal->is_negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    bool has_digits = false;
    for (; is_digit(*at); at++, has_digits = true)
        if (!add_digit(decimal, *at)) return false;
    if (*at == '.') {
        at++;
        for (; is_digit(*at); at++, has_digits = true, decimal->exponent--)
            if (decimal->exponent < -CT_MOST_DIGITS || !add_digit(decimal, *at)) return false;
    }
    if (!has_digits) return false;
    scan_exponent(&at, decimal);
    *text = at;
    return true;
}

bool ct_decimal_value(const ct_decimal *decimal, int power, double *value)
{
    char text[CT_MOST_DIGITS + 32];
    snprintf(text, sizeof text, "%s%se%d", decimal->is_negative ? "-" : "",
             decimal->count ? decimal->digits : "0", decimal->exponent + power);
    *value = strtod(text, NULL);
    return isfinite(*value) && (*value != 0 || decimal->count == 0);
}

/* Takes printf's "-1<point>234e-05" apart, whatever the locale's point is. */
static ct_decimal rounded_to(double value, int digits, int *exponent)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const char *e = strchr(text, 'e');
    ct_decimal decimal = {.is_negative = text[0] == '-'};
    for (const char *at = text; at < e; at++)
        if (is_digit(*at)) decimal.digits[decimal.count++] = *at;
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.digits[--decimal.count] = '\0';
    *exponent = atoi(e + 1);
    decimal.exponent = *exponent - (decimal.count - 1);
    return decimal;
}

/* Digits with a point after the first `whole` of them, zeros where there are no digits. */
static void print_fixed(const ct_decimal *decimal, int whole, char *text)
{
    if (whole <= 0) *text++ = '0', *text++ = '.';
    for (int zero = whole; zero < 0; zero++) *text++ = '0';
    for (int i = 0; i < decimal->count || i < whole; i++) {
        if (i == whole && i > 0) *text++ = '.';
        *text++ = i < decimal->count ? decimal->digits[i] : '0';
    }
    *text = '\0';
}

void ct_number_print(double value, char text[CT_NUMBER_SIZE])
{
    ct_decimal decimal;
    int exponent;
    double back;
    int digits = 15; /* always survive a round trip through text; 17 identify every double */
    do {
        decimal = rounded_to(value, digits, &exponent);
    } while ((!ct_decimal_value(&decimal, 0, &back) || back != value) && digits++ < 17);
    if (decimal.is_negative) *text++ = '-';
    if (value == 0) {
        memcpy(text, "0", 2);
    } else if (exponent >= -5 && exponent <= 15) {
        print_fixed(&decimal, exponent + 1, text);
    } else {
        *text++ = decimal.digits[0];
        *text++ = '.';
        snprintf(text, 28, "%.16se%+03d", decimal.count > 1 ? decimal.digits + 1 : "0", exponent);
    }
}
