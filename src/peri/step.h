/* The peridynamic step in parts, and what can be read off the bonds between two steps. */
#ifndef CT_PERI_STEP_H
#define CT_PERI_STEP_H

#include "contact/contact.h"
#include "core/real.h"
#include "peri/peri.h"

/* A step of dt: neighbours and inertial prediction; the iterations; what follows from them, and back to the
 * particles. The first two may be repeated. */
ct_status CT_FN(ct_peri_begin)(ct_peri *peri, double dt, ct_error *error);
ct_status CT_FN(ct_peri_solve)(ct_peri *peri, ct_error *error);
void CT_FN(ct_peri_end)(ct_peri *peri);
void CT_FN(ct_peri_move)(ct_peri *peri);
ct_status CT_FN(ct_peri_sort)(ct_peri *peri, ct_error *error);

/* Makes bonds and frames fit the state as it is: what the three below need. */
ct_status CT_FN(ct_peri_settle)(ct_peri *peri, ct_error *error);
void CT_FN(ct_peri_read_F)(const ct_peri *peri, size_t p, double F[9]);
void CT_FN(ct_peri_read_stress)(const ct_peri *peri, size_t p, double stress[9]); /* Cauchy, Pa */
double CT_FN(ct_peri_read_energy)(const ct_peri *peri, size_t p);                 /* J/m^d, undeformed */

/* Contact samples for users, and the impulses they give back (samples.c). */
ct_status CT_FN(ct_peri_samples)(ct_peri *peri, ct_samples *samples, ct_error *error);
ct_status CT_FN(ct_peri_push)(ct_peri *peri, const ct_push_def *def, ct_error *error);

/* The surface as fields of contact, within a step (meet.c). */
ct_status CT_FN(ct_peri_show)(ct_peri *peri, ct_contacts *contact, double dt, ct_error *error);

/* Its particles as points that a flow meets, within a step (immerse.c). */
ct_status CT_FN(ct_peri_immerse)(ct_peri *peri, double dt, ct_immersed **immersed, ct_error *error);

#endif
