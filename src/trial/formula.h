/* Formulas: arithmetic with names, as checks are written in. `apic.turn / apic.turn_at_start - 1`
 *
 *     + - * / ^ ( )   < > <= >= = (1 or 0)   and or not   abs sqrt log exp sin cos tan atan min max   pi
 *
 * A name has letters, digits and _, perhaps one point within. What names mean is up to who asks.
 */
#ifndef CT_TRIAL_FORMULA_H
#define CT_TRIAL_FORMULA_H

#include <stdbool.h>

/* False: there is no such name. */
typedef bool (*ct_formula_lookup)(void *user, const char *name, double *value);

enum { CT_FORMULA_REASON = 120 };

/* False: `reason` says what is wrong with the formula. */
bool ct_formula_value(const char *formula, ct_formula_lookup lookup, void *user, double *value,
                      char reason[CT_FORMULA_REASON]);

#endif
