/* What the files of this folder share. */
#ifndef CT_DISTRIBUTED_PARTS_H
#define CT_DISTRIBUTED_PARTS_H

#include "distributed/distributed.h"

#include <mpi.h>
#include <petscsf.h>

/* The implementation behind ct_ranks. */
typedef struct ct_mpi {
    ct_heap heap;
    MPI_Comm comm; /* of our own */
    int errors; /* descriptor of what stderr was: rank-0 speaks for all, but a failure of one rank is heard */
    PetscSF forest; /* of the move under way */
    MPI_Request *requests;
    char **buffers; /* [count] what has come from each rank */
    size_t *rooms;
    int *counts; /* [2 x count] bytes of each rank, and where they go */
} ct_mpi;

/* move.c */
ct_status ct_mpi_begin_move(ct_ranks *ranks, size_t elements, const ct_origin *origin, size_t count,
                            ct_error *error);
ct_status ct_mpi_move(ct_ranks *ranks, const void *from, void *to, size_t size, ct_error *error);
void ct_mpi_end_move(ct_ranks *ranks);

#endif
