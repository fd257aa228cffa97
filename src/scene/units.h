/* Quantities: a number or a fraction, and perhaps a unit. `2.5 cm`, `1/24 s`, `1e7 dyn/cm^2`, `30 deg`, `120
 * rpm`.
 *
 * A unit is a product of known units, with SI prefixes and whole powers. It comes to a factor and to five
 * exponents, of metre, kilogram, second, radian and kelvin, and these must be the ones expected: a time where
 * a length belongs is an error. A number without a unit is in SI.
 *
 * The radian counts as a dimension of its own, so that `2 Hz` cannot be taken for an angular rate by a factor
 * 2 pi.
 */
#ifndef CT_SCENE_UNITS_H
#define CT_SCENE_UNITS_H

#include "core/quantity.h"
#include <stdbool.h>

enum { CT_REASON_SIZE = 160, CT_QUANTITY_SIZE = 48 };

const char *ct_dimension_name(ct_dimension dimension);    /* "a length" */
const char *ct_dimension_unit(ct_dimension dimension);    /* "m"; "" for plain numbers */
const char *ct_dimension_example(ct_dimension dimension); /* "2.5 cm" */

/* Reads `text` as a quantity of that dimension, in SI. A number without a unit of its own gets `unit`, unless
 * that is NULL. On failure `reason` says why, to follow the name of the thing: "expects a length (m), got a
 * time (s)". */
bool ct_quantity_read(const char *text, const char *unit, ct_dimension expected, double *value,
                      char reason[CT_REASON_SIZE]);

/* The value as people write it, "30 deg", "200 kPa", "true"; in SI where no such text reads back as exactly that. */
void ct_quantity_print(double value, ct_dimension dimension, char text[CT_QUANTITY_SIZE]);

#endif
