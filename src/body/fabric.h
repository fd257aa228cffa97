/* Bodies of shells and of springs. Both are sums over *stencils* of few corners, whose kernels are known:
 *
 *     o          o            triangle   3 corners   membrane            shells.h
 *    / \        /|\           hinge      4 corners   bending             shells.h
 *   o---o      o | o   o--o   spring     2 corners   along an edge       springs.h
 *               \|/
 *                o
 *
 * A body has one run of stencils of each sort that it has. What one sort must know is a row of a list
 * (fabric_sorts.c); how energy, forces, products and diagonal blocks are summed is the same for all
 * (fabric.c): every stencil leaves its part at a place of its own, and every row adds the parts in the order
 * of sorts and stencils. So threads share the work, and the number of them changes no bit.
 *
 * The step of symplectic Euler: u.K u <= sum_e lambda_e |u_e|^2, so no frequency is above
 *
 *     omega^2 <= max over rows (sum over its stencils lambda_e) / m
 *
 * with a bound lambda_e of the largest eigenvalue of a stencil's stiffness as it is deformed now.
 */
#ifndef CT_BODY_FABRIC_H
#define CT_BODY_FABRIC_H

#include "body/bodies.h"
#include "body/shells.h"
#include "body/springs.h"

typedef struct ct_fabric ct_fabric;

/* A sort of stencils. Corners are rows of the body, positions those of its rows. */
typedef struct ct_stencil_sort {
    int corners;
    int numbers; /* of a linearised stencil */
    size_t (*count)(const ct_fabric *fabric);
    const uint32_t *(*corner)(const ct_fabric *fabric, size_t stencil); /* [corners] */
    /* Energy (J), and its gradient at the corners unless NULL (N). */
    double (*energy)(const ct_fabric *fabric, size_t stencil, const double (*x)[3], double gradient[4][3]);
    double (*bound)(const ct_fabric *fabric, size_t stencil, const double (*x)[3]); /* N/m: lambda_e */
    /* K without its negative part, as numbers; K u; the block of K at a corner. */
    void (*linearize)(const ct_fabric *fabric, size_t stencil, const double (*x)[3], double *numbers);
    void (*multiply)(const double *numbers, const double u[4][3], double out[4][3]);
    void (*block)(const double *numbers, int corner, double block[9]); /* adds */
} ct_stencil_sort;

enum { CT_STENCIL_SORTS = 3 };
extern const ct_stencil_sort ct_stencil_sorts[CT_STENCIL_SORTS];

struct ct_fabric {
    ct_heap *heap;
    bool has_shell, has_springs;
    double thickness; /* m, of a shell */
    double (
        *axes)[2][3]; /* [triangles] in the rest state: along the first edge of a triangle and across it */
    ct_shell shell;
    ct_springs springs;
    size_t first_part[CT_STENCIL_SORTS + 1]; /* where the parts of a sort begin */
    size_t first_number[CT_STENCIL_SORTS + 1];
    double (*part)[3];    /* [parts] what a stencil gives to a corner */
    double *share;        /* [parts] J or N/m, of a corner */
    double *number;       /* linearised stencils */
    uint32_t *first_slot; /* [rows + 1] of a row in `slot` */
    uint32_t *slot;       /* [parts] parts of a row, ascending */
};

void ct_fabric_release(ct_fabric *fabric); /* NULL is fine */

/* What the models make of their parameters: coefficients of the material. */
ct_status ct_fabric_prepare_material(int kind, double mu, double lambda, const double *parameters,
                                     double *coefficients, ct_error *error);
extern const ct_material_info ct_shell_material, ct_springs_material;

extern const ct_element_kernels ct_fabric_kernels;

#endif
