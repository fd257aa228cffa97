/* Formulas: arithmetic with names, as checks are written in. `apic.turn / apic.turn_at_start - 1`
 *
 *     + - * / ^ ( )   < > <= >= = (1 or 0)   and or not   abs sqrt log exp sin cos tan atan min max   pi
 *
 * A name has letters, digits and _, perhaps one point within. What names mean is up to who asks.
 *
 * Where a run was repeated with several seeds, a formula has a value per seed; mean(), spread() (the standard
 * deviation) and error() (half the width of the 95% confidence interval of the mean) of a formula are over
 * all of them.
 */
#ifndef CT_TRIAL_FORMULA_H
#define CT_TRIAL_FORMULA_H

#include <stdbool.h>

/* False: there is no such name. */
typedef bool (*ct_formula_lookup)(void *user, const char *name, double *value);

enum { CT_FORMULA_REASON = 120, CT_MOST_SEEDS = 64 };

/* What the names of a formula mean, seed by seed. */
typedef struct ct_formula_names {
    ct_formula_lookup lookup;
    void *user;
    int *seed; /* the one that `lookup` answers for; NULL: there is one only */
    int seeds; /* 1 to CT_MOST_SEEDS */
} ct_formula_names;

/* False: `reason` says what is wrong with the formula. */
bool ct_formula_value(const char *formula, ct_formula_lookup lookup, void *user, double *value,
                      char reason[CT_FORMULA_REASON]);
bool ct_formula_value_of(const char *formula, const ct_formula_names *names, double *value,
                         char reason[CT_FORMULA_REASON]);

#endif
