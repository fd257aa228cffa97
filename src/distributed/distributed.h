/* Several processes on one world: the only folder that knows MPI and PETSc (docs/theory/ranks.md). */
#ifndef CT_DISTRIBUTED_DISTRIBUTED_H
#define CT_DISTRIBUTED_DISTRIBUTED_H

#include "core/ranks.h"

/* Whether this build can. */
bool ct_ranks_are_built(void);

/* Joins the processes that mpirun has started. *ranks is NULL where there is one alone. CT_BAD_USAGE where mpirun
 * has started several, and this build has no MPI. Ranks but the first say nothing from then on: what all of them have to
 * tell is told once. */
ct_status ct_ranks_begin(ct_ranks **ranks, ct_error *error);

/* At the end of the process, whether it has begun or not. */
void ct_ranks_end(void);

#endif
