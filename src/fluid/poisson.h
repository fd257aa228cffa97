/* The pressure equation: a symmetric, positive system with one unknown per fluid cell,
 *
 *     (air_i + sum_k link_ik) x_i - sum_k link_ik x_next(i,k) = b_i,        k over the 2d faces of a cell
 *
 * solved by conjugate gradients with a multigrid V-cycle as preconditioner (aggregation with an
 * overcorrection, as Braess 1995 has it).
 *
 *     level 0   cells                        red cells (even sum of coordinates) first, then black ones: all
 *     level 1   2^d cells in one             neighbours of a red cell are black, so a half sweep of
 *     ...                                    Gauss-Seidel is a loop without order, the same for any number
 *     the last  a few                        of threads
 *
 * A coarse cell is there if one of its children is; P is constant on children. A_c = P^T A P / 2 is a system
 * of the same form: its links are half the sum of the links between the children of two cells, its air half
 * the sum of theirs. Without the half the correction of a constant P falls short by a factor of two, and
 * iterations grow with the grid (25, 36, 52, 73 instead of 10, 10, 11, 13 for 32^2 to 256^2).
 *
 * Water is sparse, splashes more so: cells are a list, neighbours are numbers in it. A missing neighbour is
 * the cell itself with a link of 0, so that loops have no branches. Along the surface, where air makes links
 * uneven, extra half sweeps over a band of cells (Zhu 2010, McAdams 2010) keep the iterations few.
 *
 * Rigid bodies are in it, too: each adds a matrix of rank 6 that the V-cycle does not know.
 *
 * Components without air are singular: b loses its mean there, and x has none.
 */
#ifndef CT_FLUID_POISSON_H
#define CT_FLUID_POISSON_H

#include "core/threads.h"

enum { CT_POISSON_LEVELS = 24 };

typedef struct ct_poisson_level {
    size_t count, red; /* unknowns, and how many of them are red */
    size_t room;
    int32_t (*at)[3]; /* [count] coordinates of the cell */
    uint32_t *next;  /* [count x 2d] face neighbours: low and high of each axis; itself where there is none */
    double *link;    /* [count x 2d] 1/m^2 */
    double *air;     /* [count] 1/m^2 */
    double *inverse; /* [count] of the diagonal, m^2; 0 where nothing is linked */
    double *x, *b, *r;              /* [count] */
    double plain[6], plain_inverse; /* links and inverse of cells deep in the water, */
    bool *is_plain;                 /* [count] and which have just these */
    uint32_t *parent;               /* [count] on the next level */
    uint32_t *child;                /* [count x 2^d] on the level before; CT_NO_CHILD */
    uint32_t *band;                 /* [band_count] near the surface, red ones first */
    size_t band_count, band_red;
    size_t rim_count; /* black cells that are not in it but beside its red ones; they follow it in `band` */
} ct_poisson_level;

#define CT_NO_CHILD UINT32_MAX

/* A rigid body adds R M R^T, where R has six numbers per cell that it touches, and M is its mobility:
 * `lightness` for the first three, `turn` for the others. */
typedef struct ct_poisson_row {
    uint32_t cell;
    double reach[6];
} ct_poisson_row;

typedef struct ct_poisson_body {
    size_t first, count; /* of its rows */
    double lightness, turn[9];
} ct_poisson_body;

typedef struct ct_poisson {
    ct_heap *heap;
    ct_pool *pool;
    int dimension;
    ct_poisson_level level[CT_POISSON_LEVELS];
    int levels;
    double *solution, *direction, *image; /* [count] of conjugate gradients */
    size_t room;
    uint64_t *key; /* [slots] a table of patches of coarse cells, */
    uint32_t *id;  /* and their numbers */
    size_t slots;
    uint32_t *patch; /* [patches] numbers of their cells */
    size_t patches, patch_room;
    uint32_t *label, *tree; /* [count] components: 0, or from 1 on those without air; their first cells */
    uint8_t *mark;          /* [count] the caller's */
    size_t closed;          /* components without air */
    ct_poisson_body *bodies;
    ct_poisson_row *rows; /* body by body */
    size_t body_count, body_room, row_count, row_room;
} ct_poisson;

typedef struct ct_poisson_result {
    int iterations;
    double residual; /* max |r| over max |b| */
} ct_poisson_result;

void ct_poisson_init(ct_poisson *poisson, ct_heap *heap, ct_pool *pool, int dimension);
void ct_poisson_release(ct_poisson *poisson);

/* Room for `count` cells on level 0. The caller then fills at, next, link, air and b there,
 * and mark where it has a use for it. */
ct_status ct_poisson_reserve(ct_poisson *poisson, size_t count, ct_error *error);

/* Makes the other levels, and finds components. */
ct_status ct_poisson_coarsen(ct_poisson *poisson, ct_error *error);
void ct_poisson_find_components(ct_poisson *poisson);
void ct_poisson_label_closed(ct_poisson *poisson);

/* Spreads marks over the components of marked cells. */
void ct_poisson_spread_marks(ct_poisson *poisson);

/* Solves until max |r| <= tolerance max |b|; the result is poisson->solution. b is overwritten. */
ct_poisson_result ct_poisson_solve(ct_poisson *poisson, double tolerance, int iterations);

/* One V-cycle: level[0].x = M^-1 level[0].b. For conjugate gradients, and tests. */
void ct_poisson_cycle(ct_poisson *poisson);

/* image = A direction; returns direction . image, added in a fixed order. */
double ct_poisson_apply(ct_poisson *poisson);

/* sum = R^T values. */
void ct_poisson_gather(const ct_poisson *poisson, const ct_poisson_body *body, const double *values,
                       double sum[6]);

#endif
