/* Newton's method for stiff bodies. Where bonds are stiff, D = A_ii/m_i >> 1, the iterations of sweep.c move
 * a body by waves, a neighbourhood an iteration, and what a step needs to bend, turn or fall they cannot
 * reach: it freezes. Here a step of a body is the minimum of
 *
 *     G(u) = sum m/2 |u - u*|^2 + h^2 E(y + u) - q.u
 *     E    = sum_ij s_ij [ mu |Y/L - dir(F_i X)|^2 + lambda/2 (|Y|/L - 1)^2 ],    s_ij = V_i V_j w / W_i
 *
 * with the impulses q of friction. The force of mu is the whole gradient: the derivative of F, which the
 * paper leaves out, is in it, so a body turns by nothing but what acts on it. The matrix is
 *
 *     H = m + h^2 [ sum 2 mu s J^T J + lambda s/L^2 (n n^T + max(0, 1 - L/|Y|) (1 - n n^T)) ]
 *
 * J the derivative of Y/L - dir(F X) (Gauss-Newton), and the springs made definite. What solves it:
 *
 *     envelope.c   factors, where they cost less than MOST_OF_FACTORS: lines, strands, small bodies
 *     coarse.c     conjugate gradients with the inverses of the diagonal blocks and a coarse space, the rigid
 *                  motions of cells of four particles across
 *
 * All of it is in double: in float the forces of a chain of steel are off by 30 times its weight. Sums over
 * bonds are gathered by the particle that they are for, dot products are added in order: bits depend neither
 * on threads nor on how a run was cut.
 */
#ifndef CT_PERI_NEWTON_H
#define CT_PERI_NEWTON_H

#include "core/threads.h"
#include "peri/envelope.h"

enum { CT_MOST_AXES = 3, CT_MOST_SQUARE = 9 };

/* One body. Vectors have `dim` numbers per particle. */
typedef struct ct_newton {
    ct_heap *heap;
    ct_pool *pool;
    int dim;
    bool is_solid, untangles; /* it has an inside; it is turned back where that is outside */
    size_t count, bonds;
    double two_mu, lambda; /* Pa */
    double h, spacing;     /* s, m */
    double gravity;        /* m/s^2 */
    double slack;          /* strain that places as they are stored may be off by */

    void *block;                      /* all of the following */
    uint32_t *member;                 /* [count] place in the world */
    uint32_t *first;                  /* [count + 1] bonds of a particle; */
    uint32_t *other;                  /* [bonds] number of the other end, */
    uint32_t *back;                   /* [bonds] and the bond there */
    uint32_t *number;                 /* [count] along the body */
    uint32_t *at;                     /* [count] and which has that number */
    uint32_t *low;                    /* [count] of the matrix: the first number that a row of blocks has */
    double *rest;                     /* [bonds x dim] X */
    double *length;                   /* [bonds] L */
    double *strength;                 /* [bonds] s */
    double *fit;                      /* [bonds] V_j w */
    double *inverse;                  /* [count x dim^2] K^-1 */
    bool *is_full;                    /* [count] K has full rank */
    double *mass;                     /* kg, negative where it is held */
    double *start, *glide, *goal, *u; /* m: where the step begins, h v, u*, u */
    double *friction;                 /* q, kg m */
    double *force;                    /* N, of the bonds */
    double *along;                    /* [count x dim^2] what a particle may do: 1 all, 0 nothing */
    double *residual, *step, *trial, *keep; /* m (u* - u) + h^2 f + q, what is free of it; and work */
    double *direction, *product;
    double *D, *inverse_Z; /* [bonds x dim] dir(F X); [bonds] 1/|F X| */
    double *mirror;        /* [count x dim] the direction that is turned back, or 0 */
    double *transfer;      /* [bonds x dim] derivative by Y of what i's energy is */
    double *diagonal;      /* [count x dim^2] */
    double *bond_diagonal; /* [bonds x dim^2] */
    uint32_t *cell;        /* [count] of the coarse space */
    size_t cells;
    double *centre; /* [cells x 3] */
    uint32_t *cell_low;

    bool is_factored; /* the matrix is factored, not iterated on */
    ct_envelope matrix;
    ct_envelope coarse;
    double *side;                 /* [rows of either] */
    double left, inertia, weight; /* kg^2 m^2, sums of |residual|^2, m^2 |u - h v|^2 and m^2 |h^2 g|^2 */
    int steps, inner;             /* of the step so far: iterations, and solutions or products in them */
} ct_newton;

/* What a body is made of, as the world has it. */
typedef struct ct_newton_def {
    ct_heap *heap;
    ct_pool *pool;
    int dim;
    bool is_solid, untangles;
    double spacing;        /* m */
    double inverse_square; /* 1/m^2, of the horizon */
    double least;          /* m, shorter bonds are none */
    size_t count;
    const double *rest;            /* [count x dim] m */
    const double *volume;          /* [count] */
    const double *stiffness;       /* [count] over 2 mu + lambda and V_i V_j w */
    const uint32_t *first, *other; /* rows of neighbours; all have each other */
} ct_newton_def;

ct_status ct_newton_create(ct_newton *newton, const ct_newton_def *def, ct_error *error);
void ct_newton_release(ct_newton *newton);

/* Forces and the residual at u; whether that is less than 3% of the body's change of motion. A body at rest has
 * none: a thousandth of its weight counts at the least, so that it does not creep. */
bool ct_newton_evaluate(ct_newton *newton);
/* An iteration from there: u goes on. */
ct_status ct_newton_iterate(ct_newton *newton, ct_error *error);

/* Its parts (newton.c), for coarse.c and tests. */
void ct_newton_product(ct_newton *newton, const double *vector, double *product); /* H vector */
ct_status ct_newton_conjugate(ct_newton *newton, ct_error *error); /* step = H^-1 residual, to a tenth */
ct_status ct_newton_number_cells(ct_newton *newton, const ct_newton_def *def, ct_error *error);
void ct_newton_project(const ct_newton *newton, double *vector); /* to what particles may do */
double ct_newton_objective(ct_newton *newton, const double *u);

#endif
