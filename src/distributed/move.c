/* Columns of particles between ranks, as PETSc's star forests move them: a root for each particle that is here, a leaf for
 * each that comes, and one broadcast from roots to leaves per column. The forest is made once for all columns. */
#include "distributed/parts.h"

#include <limits.h>

static ct_status check(PetscErrorCode code, const char *what, ct_error *error)
{
    const char *text = NULL;
    if (!code) return CT_OK;
    PetscErrorMessage(code, &text, NULL);
    return ct_fail(error, CT_FAILED, "PETSc failed to %s: %s", what, text ? text : "no reason given");
}

ct_status ct_mpi_begin_move(ct_ranks *ranks, size_t elements, const ct_origin *origin, size_t count,
                            ct_error *error)
{
    ct_mpi *mpi = ranks->own;
    if (elements > PETSC_MAX_INT || count > PETSC_MAX_INT)
        return ct_fail(error, CT_NO_MEMORY, "%zu particles on one rank are more than PETSc can number",
                       elements > count ? elements : count);
    PetscSFNode *nodes = ct_allocate(&mpi->heap, (count + 1) * sizeof *nodes);
    if (!nodes) return ct_fail_memory(error, count * sizeof *nodes);
    for (size_t k = 0; k < count; k++)
        nodes[k] = (PetscSFNode){.rank = origin[k].rank, .index = (PetscInt)origin[k].index};
    ct_status status = check(PetscSFCreate(mpi->comm, &mpi->forest), "make a star forest", error);
    if (!status)
        status = check(PetscSFSetGraph(mpi->forest, (PetscInt)elements, (PetscInt)count, NULL,
                                       PETSC_COPY_VALUES, nodes, PETSC_COPY_VALUES),
                       "set the graph of a star forest", error);
    if (!status) status = check(PetscSFSetUp(mpi->forest), "set up a star forest", error);
    ct_release(&mpi->heap, nodes);
    return status;
}

ct_status ct_mpi_move(ct_ranks *ranks, const void *from, void *to, size_t size, ct_error *error)
{
    ct_mpi *mpi = ranks->own;
    const MPI_Datatype unit = size == 2   ? MPI_UINT16_T
                              : size == 4 ? MPI_INT32_T
                              : size == 8 ? MPI_INT64_T
                                          : MPI_DATATYPE_NULL; /* bits, whatever they mean */
    PetscErrorCode code = PetscSFBcastBegin(mpi->forest, unit, from, to, MPI_REPLACE);
    if (!code) code = PetscSFBcastEnd(mpi->forest, unit, from, to, MPI_REPLACE);
    return check(code, "move particles between ranks", error);
}

void ct_mpi_end_move(ct_ranks *ranks)
{
    ct_mpi *mpi = ranks->own;
    PetscSFDestroy(&mpi->forest);
}
