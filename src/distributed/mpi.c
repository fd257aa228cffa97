#include "distributed/parts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ct_ranks all;
static ct_mpi one = {.errors = STDERR_FILENO};
static bool has_begun;

bool ct_ranks_are_built(void)
{
    return true;
}

/* ---- Failures -------------------------------------------------------------------------------------------- */

static void end_all(ct_ranks *ranks, const ct_error *error)
{
    char text[CT_MESSAGE_SIZE + 64];
    const int length = snprintf(text, sizeof text, "continua: rank %d of %d: %s\n", ranks->rank, ranks->count,
                                error->message);
    if (length > 0 && write(one.errors, text, (size_t)length) < 0) {} /* nobody is left to tell */
    MPI_Abort(one.comm, (int)error->status);
}

static void end_too_large(ct_ranks *ranks, size_t bytes)
{
    ct_error error;
    ct_fail(&error, CT_NO_MEMORY, "%zu bytes are more than one message holds", bytes);
    end_all(ranks, &error);
}

/* ---- Everybody's ----------------------------------------------------------------------------------------- */

static void gather(ct_ranks *ranks, const void *own, size_t size, void *to)
{
    if (size > INT_MAX) end_too_large(ranks, size);
    MPI_Allgather(own, (int)size, MPI_BYTE, to, (int)size, MPI_BYTE, one.comm);
}

static void gather_varied(ct_ranks *ranks, const void *own, void *to, const size_t *sizes)
{
    int *counts = one.counts, *places = counts + ranks->count;
    size_t total = 0;
    for (int r = 0; r < ranks->count; r++) {
        places[r] = (int)total, counts[r] = (int)sizes[r];
        total += sizes[r];
        if (total > INT_MAX) end_too_large(ranks, total);
    }
    MPI_Allgatherv(own, counts[ranks->rank], MPI_BYTE, to, counts, places, MPI_BYTE, one.comm);
}

/* ---- Messages -------------------------------------------------------------------------------------------- */

enum { TAG = 1 };

static ct_status take_in(ct_ranks *ranks, int from, ct_parcel *got, ct_error *error)
{
    MPI_Message message;
    MPI_Status status;
    int bytes;
    (void)ranks;
    MPI_Mprobe(from, TAG, one.comm, &message, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if ((size_t)bytes > one.rooms[from]) {
        ct_release(&one.heap, one.buffers[from]);
        one.rooms[from] = (size_t)bytes + (size_t)bytes / 4;
        one.buffers[from] = ct_allocate(&one.heap, one.rooms[from]);
        if (!one.buffers[from]) {
            one.rooms[from] = 0;
            return ct_fail_memory(error, (size_t)bytes);
        }
    }
    MPI_Mrecv(one.buffers[from], bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    got->data = one.buffers[from], got->bytes = (size_t)bytes;
    return CT_OK;
}

static ct_status exchange(ct_ranks *ranks, const ct_parcel *sent, ct_parcel *got, ct_error *error)
{
    int requests = 0;
    ct_status status = CT_OK;
    for (int r = 0; r < ranks->count; r++) {
        if (!sent[r].is_there) continue;
        if (sent[r].bytes > INT_MAX) end_too_large(ranks, sent[r].bytes);
        MPI_Isend(sent[r].data, (int)sent[r].bytes, MPI_BYTE, r, TAG, one.comm, &one.requests[requests++]);
    }
    for (int r = 0; r < ranks->count && !status; r++)
        if (got[r].is_there) status = take_in(ranks, r, &got[r], error);
    if (status) end_all(ranks, error); /* the others wait for what this rank has not taken */
    MPI_Waitall(requests, one.requests, MPI_STATUSES_IGNORE);
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------------------ */

/* PETSc returns its errors, prints nothing, reads no options of others, and leaves signals alone. */
static ct_status begin_petsc(ct_error *error)
{
    char name[] = "continua", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
    char *words[] = {name, no_file, no_signals, NULL}, **arguments = words;
    int count = 3;
    unsetenv("PETSC_OPTIONS");
    PETSC_COMM_WORLD = one.comm;
    if (PetscInitialize(&count, &arguments, NULL, NULL))
        return ct_fail(error, CT_FAILED, "PETSc does not begin");
    PetscPopSignalHandler();
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    return CT_OK;
}

/* Only rank 0 talks. Errors go on to where they went for one that fails alone. */
static void fall_silent(void)
{
    fflush(NULL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), errors = dup(STDERR_FILENO);
    if (errors >= 0) one.errors = errors;
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

ct_status ct_ranks_begin(ct_ranks **ranks, ct_error *error)
{
    int given, rank, count;
    *ranks = NULL;
    ct_heap_init(&one.heap, (ct_allocator){0});
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    has_begun = true;
    MPI_Comm_dup(MPI_COMM_WORLD, &one.comm);
    MPI_Comm_rank(one.comm, &rank);
    MPI_Comm_size(one.comm, &count);
    if (count == 1) return CT_OK;
    if (rank) fall_silent();
    all = (ct_ranks){.rank = rank,
                     .count = count,
                     .gather = gather,
                     .gather_varied = gather_varied,
                     .exchange = exchange,
                     .begin_move = ct_mpi_begin_move,
                     .move = ct_mpi_move,
                     .end_move = ct_mpi_end_move,
                     .end_all = end_all,
                     .own = &one};
    one.requests = ct_allocate(&one.heap, (size_t)count * sizeof *one.requests);
    one.buffers = ct_allocate_zero(&one.heap, (size_t)count * sizeof *one.buffers);
    one.counts = ct_allocate(&one.heap, 2 * (size_t)count * sizeof *one.counts);
    one.rooms = ct_allocate_zero(&one.heap, (size_t)count * sizeof *one.rooms);
    ct_status status = one.requests && one.buffers && one.counts && one.rooms
                           ? begin_petsc(error)
                           : ct_fail_memory(error, (size_t)count * 16);
    if (status) end_all(&all, error);
    *ranks = &all;
    return CT_OK;
}

void ct_ranks_end(void)
{
    if (!has_begun) return;
    PetscBool is_there = PETSC_FALSE;
    PetscInitialized(&is_there);
    if (is_there) PetscFinalize();
    for (int r = 0; r < all.count; r++) ct_release(&one.heap, one.buffers[r]);
    ct_release(&one.heap, one.buffers);
    ct_release(&one.heap, one.rooms);
    ct_release(&one.heap, one.counts);
    ct_release(&one.heap, one.requests);
    MPI_Comm_free(&one.comm);
    MPI_Finalize();
    has_begun = false;
}
