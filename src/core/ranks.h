/* Ranks: processes that work on one world together, each on its part of the matter. This is what the rest of the
 * library knows of them: a table of functions that src/distributed/ fills. Where there is one process there is no
 * table, and nothing of this costs anything.
 *
 * Everything here is collective: all ranks call it, in the same order. What they hand over is put together in the
 * order of the ranks, on every rank alike, so that all of them go on with the same bits.
 *
 * A rank that is alone with its failure (no memory, a disk) cannot go on with the others, who wait for it: it ends
 * all of them (`end_all`). Failures that all ranks see, or agree on (ct_ranks_agree), end like those of one process.
 */
#ifndef CT_CORE_RANKS_H
#define CT_CORE_RANKS_H

#include "core/error.h"
#include "core/memory.h"
#include "core/reduce.h"

/* A message, or none. */
typedef struct ct_parcel {
    const void *data;
    size_t bytes;
    bool is_there;
} ct_parcel;

/* Where an element comes from. */
typedef struct ct_origin {
    int rank;
    uint32_t index;
} ct_origin;

typedef struct ct_ranks ct_ranks;
struct ct_ranks {
    int rank, count;
    /* `size` bytes of every rank, in their order, to all. */
    void (*gather)(ct_ranks *ranks, const void *own, size_t size, void *all);
    /* The same of lengths that differ: sizes[rank] bytes. */
    void (*gather_varied)(ct_ranks *ranks, const void *own, void *all, const size_t *sizes);
    /* Messages to and from other ranks, [count] each: got[r].is_there tells that one of rank r is to come. What has
     * come is good until the next exchange. */
    ct_status (*exchange)(ct_ranks *ranks, const ct_parcel *sent, ct_parcel *got, ct_error *error);
    /* Columns that go between ranks alike: element k of what comes is element origin[k].index, of `elements`, of
     * that rank; then column by column, of elements of `size` bytes. */
    ct_status (*begin_move)(ct_ranks *ranks, size_t elements, const ct_origin *origin, size_t count,
                            ct_error *error);
    ct_status (*move)(ct_ranks *ranks, const void *from, void *to, size_t size, ct_error *error);
    void (*end_move)(ct_ranks *ranks);
    /* Says why, and ends all ranks. */
    void (*end_all)(ct_ranks *ranks, const ct_error *error);
    void *own; /* of the implementation */
};

/* Folds what the ranks have found, in their order; NULL: there is one process, and nothing to do. */
void ct_ranks_fold(ct_ranks *ranks, void *result, size_t size, ct_fold fold);

/* Whether any has it. */
bool ct_ranks_any(ct_ranks *ranks, bool own);

/* The value of rank 0. */
void ct_ranks_share(ct_ranks *ranks, void *value, size_t size);

/* A list of everybody's elements, in the order of the ranks, which the caller releases; *count is the number of
 * one's own before, of all after. */
ct_status ct_ranks_list(ct_ranks *ranks, ct_heap *heap, const void *own, size_t size, size_t *count,
                        void *list, ct_error *error);

/* The first failure of any rank, with its message, for all; a message that is empty waits for one that is not. */
ct_status ct_ranks_agree(ct_ranks *ranks, ct_status status, ct_error *error);

#endif
