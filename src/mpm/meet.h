/* The material point method as a field of contact. */
#ifndef CT_MPM_MEET_H
#define CT_MPM_MEET_H

#include "contact/contact.h"
#include "mpm/mpm.h"

ct_status CT_FN(ct_mpm_show)(ct_mpm *mpm, ct_contacts *contact, ct_error *error);
ct_status CT_FN(ct_mpm_immerse)(ct_mpm *mpm, ct_immersed **immersed, ct_error *error); /* immerse.c */

#endif
