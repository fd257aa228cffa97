/* The ledger of the time step: how often each criterion limited it, by which material, and which particle
 * asked for the smallest step of all. It is part of the state: saved, restored, and the same for any number
 * of threads.
 */
#ifndef CT_TIMESTEP_LEDGER_H
#define CT_TIMESTEP_LEDGER_H

#include "timestep/limits.h"

/* Room for as many materials as the world has room for. */
ct_status ct_ledger_reserve(ct_pace *pace, ct_error *error);

/* Notes what a criterion asks for, whether it limits the step or not. */
void ct_ledger_note(ct_pace *pace, int criterion, double dt, const ct_limit *asker);

/* Counts a step for what limited it. */
void ct_ledger_count(ct_pace *pace);

#endif
