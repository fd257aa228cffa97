/* The peridynamic step, and what can be read off the bonds between two steps. */
#ifndef CT_PERI_STEP_H
#define CT_PERI_STEP_H

#include "core/real.h"
#include "world.h"

ct_status CT_FN(ct_peri_step)(ct_world *world, double until, ct_error *error);
ct_status CT_FN(ct_peri_sort)(ct_world *world, ct_error *error);

/* Makes bonds and frames fit the state as it is: what the three below need. */
ct_status CT_FN(ct_peri_settle)(ct_world *world, ct_error *error);
void CT_FN(ct_peri_read_F)(const ct_world *world, size_t p, double F[9]);
void CT_FN(ct_peri_read_stress)(const ct_world *world, size_t p, double stress[9]); /* Cauchy, Pa */
double CT_FN(ct_peri_read_energy)(const ct_world *world, size_t p);                 /* J/m^d, undeformed */

/* The contact samples of the world as it is, into its `surface`: how many there are; and impulses on them. */
ct_status CT_FN(ct_peri_samples)(ct_world *world, size_t *count, ct_error *error);
ct_status CT_FN(ct_peri_push)(ct_world *world, size_t count, const double (*impulse)[3], ct_error *error);

extern const ct_numerics CT_FN(ct_peri_numerics);

#endif
