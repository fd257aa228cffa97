/* In place of mpi.c in a build without MPI. */
#include "distributed/distributed.h"

#include <stdlib.h>

bool ct_ranks_are_built(void)
{
    return false;
}

/* Processes that know nothing of each other would write one folder. */
ct_status ct_ranks_begin(ct_ranks **ranks, ct_error *error)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    *ranks = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *size = getenv(names[k]);
        if (size && atoi(size) > 1)
            return ct_fail(
                error, CT_BAD_USAGE,
                "mpirun has started %s processes, and this build is for one; 'make mpi' builds the command "
                "for several (build-mpi/continua)",
                size);
    }
    return CT_OK;
}

void ct_ranks_end(void)
{
}
