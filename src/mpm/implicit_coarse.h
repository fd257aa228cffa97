/* Multigrid for the matrix A of an implicit step, as a preconditioner of conjugate gradients
 * (docs/theory/implicit.md).
 *
 *     level 0    nodes that have mass         products without a matrix; inverted blocks of the diagonal
 *     level 1    twice the spacing            assembled from the particles' tangents
 *     ...                                     P^T A P of the level before
 *     the last   a few dozen nodes            Cholesky factors
 *
 * A node of a level lies in the middle of the 2^d that are its own of the level before, and gives along each
 * axis so much to four of them (P, linear interpolation, between B-splines of two spacings):
 *
 *     1/4   3/4   3/4   1/4         2c-1   2c   2c+1   2c+2
 *
 * so rigid motion and even strain are seen by every level. Nodes that walls and colliders hold follow what they
 * may (ct_implicit_list_followers), so that each level knows what is held. Then
 *
 *     z = B^-1 r + P V P^T r
 *
 * B the blocks of the diagonal, V a cycle over levels 1 to the last with one sweep of Gauss-Seidel before and
 * one, backwards, after each correction. Sweeps go colour by colour; nodes of a colour do not know each
 * other. All sums have one order. Nothing is kept from step to step.
 */
#ifndef CT_MPM_IMPLICIT_COARSE_H
#define CT_MPM_IMPLICIT_COARSE_H

#include "core/memory.h"
#include "core/threads.h"

typedef double ct_four __attribute__((vector_size(4 * sizeof(double))));

/* Functions that pass it are static, as in core/transpose.h. */
#pragma GCC diagnostic ignored "-Wpsabi"

enum {
    CT_COARSE_LEVELS = 20,
    CT_COARSE_PARENTS = 1 << CT_DIM,
    CT_COARSE_CHILDREN = 1 << 2 * CT_DIM, /* those that a node gives something to */
    CT_COARSE_COLOURS = 1 << 2 * CT_DIM,
    CT_COARSE_BLOCK = CT_DIM * (CT_DIM + 1) / 2
};

typedef struct ct_coarse_level {
    size_t count, room;
    int32_t (*at)[3];                      /* [count] in units of the level's spacing */
    uint32_t (*parent)[CT_COARSE_PARENTS]; /* [count] on the next level; CT_NO_NODE: it has none */
    uint32_t (*child)[CT_COARSE_CHILDREN]; /* [count] on the level before; CT_NO_NODE */
    uint32_t *next;                        /* [count x slots] neighbours; CT_NO_NODE */
    ct_four *matrix;                       /* [count x slots x CT_DIM] columns of the blocks of A */
    double (*inverse)[CT_COARSE_BLOCK];    /* [count] of the diagonal's blocks */
    ct_four *x, *b, *r;                    /* [count] */
    uint32_t *order;                       /* [count] colour by colour */
    size_t colour_first[CT_COARSE_COLOURS + 1];
} ct_coarse_level;

typedef struct ct_coarse {
    ct_heap *heap;
    ct_pool *pool;
    ct_coarse_level *level;   /* [CT_COARSE_LEVELS] or NULL; the first: `at`, `parent` and `r` alone */
    int levels, reach, slots; /* neighbours up to `reach` away, (2 reach + 1)^d */
    uint32_t *table;          /* [slot_count] of the level being made: number + 1; 0 is empty */
    size_t slot_count;
    double *factor; /* of the last level, row by row */
    size_t factor_room, factor_size;
} ct_coarse;

/* Of node `at` on the level before: how much node `parent` number k, in the order of bits, gives to it, and
 * where that lies. */
static inline double ct_coarse_parent(const int32_t at[3], int k, int32_t where[3])
{
    double weight = 1;
    where[2] = 0;
    for (int a = 0; a < CT_DIM; a++) {
        const bool is_far = k >> a & 1;
        where[a] = (at[a] >> 1) + (is_far ? (at[a] & 1 ? 1 : -1) : 0);
        weight *= is_far ? 0.25 : 0.75;
    }
    return weight;
}

/* The number of a node of the level; CT_NO_NODE. Only of the last level that was made. */
uint32_t CT_FN(ct_coarse_find)(const ct_coarse *coarse, const ct_coarse_level *level, const int32_t at[3]);

/* Room for `count` nodes on level 0, whose `at` and whether it has parents (`parent[0]` not CT_NO_NODE) the
 * caller then fills in. */
ct_status CT_FN(ct_coarse_reserve)(ct_coarse *coarse, int level, size_t count, ct_error *error);
/* Makes level l + 1 with an empty matrix from the nodes of level l. */
ct_status CT_FN(ct_coarse_add_level)(ct_coarse *coarse, int level, ct_error *error);
/* From level 1, whose matrix has been added up on and after the diagonal slot, on. */
ct_status CT_FN(ct_coarse_finish)(ct_coarse *coarse, ct_error *error);
/* level[1].x = V level[1].b */
void CT_FN(ct_coarse_cycle)(ct_coarse *coarse);
/* b of level l + 1 from r of level l; and r of level l as level l + 1 has it in x. */
void CT_FN(ct_coarse_restrict)(ct_coarse *coarse, int level);
void CT_FN(ct_coarse_interpolate)(ct_coarse *coarse, int level);
void CT_FN(ct_coarse_release)(ct_coarse *coarse);

#endif
