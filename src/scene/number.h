/* Numbers between text and double, the same in every locale: strtod and printf follow the locale's decimal
 * point, so a number is taken apart into digits and a power of ten here and put together without any point.
 *
 * That has a second use. A metric unit is a power of ten, so `2.5 cm` is read as 25e-3 in one exact rounding
 * instead of 2.5 * 0.01 in two.
 */
#ifndef CT_SCENE_NUMBER_H
#define CT_SCENE_NUMBER_H

#include <stdbool.h>

enum { CT_MOST_DIGITS = 200, CT_NUMBER_SIZE = 40 };

/* (-1)^is_negative * digits * 10^exponent */
typedef struct ct_decimal {
    bool is_negative;
    char digits[CT_MOST_DIGITS + 1];
    int count;
    int exponent;
} ct_decimal;

/* Reads the number that *text begins with and moves *text behind it. False, and *text where it was, when
 * there is none or it has too many digits. */
bool ct_decimal_scan(const char **text, ct_decimal *decimal);

/* The nearest double to decimal * 10^power; false when it is too large, or too small and not zero. */
bool ct_decimal_value(const ct_decimal *decimal, int power, double *value);

/* The shortest usual text that reads back as exactly `value`, which must be finite: "0.1", "-9.81",
 * "1.0e+30". */
void ct_number_print(double value, char text[CT_NUMBER_SIZE]);

#endif
