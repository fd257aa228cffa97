/* The kernels of elements, in lanes: CT_LANES elements of one body at a time.
 *
 *     load      D_s from rows, in double; F = D_s B with B = D_m^-1 (F_p^-1 of what yields)
 *     evaluate  F = U diag(sigma) V^T; psi_a, psi_ab and the pairs' q, r (PHYSICS 3.2)
 *     push      f_1 ... f_d = -V_0 P B^T
 *
 * Models with logarithms have no meaning at sigma <= 0. Below s = CT_LEAST_SIGMA they are continued by a
 * parabola,
 *
 *     psi~ = psi(s) + sum_a psi_a(s) d_a + k/2 sum_a d_a^2,     d_a = sigma_a - s_a,  s_a = max(sigma_a, s)
 *
 * whose gradient is psi_a(s) + k d_a where sigma_a is below, and psi_c(s) + sum_a psi_ac(s) d_a elsewhere:
 * forces stay those of an energy, and an element that is inside out is pushed back.
 *
 * The linearisation is made definite in principal space: psi_ab loses its negative eigenvalues, q and r of
 * every pair are at least 0 (Teran et al. 2005). So K is positive semidefinite always.
 *
 * The bound of the time step: with lumped masses V_0 rho / (d + 1) at every corner, no frequency of the mesh
 * is above the largest of its elements (Irons), and one of those is at most
 *
 *     omega^2 <= (d + 1) / rho  C  lambda_max(G G^T)
 *
 * with the gradients G of the shape functions at rest and the largest eigenvalue C of dP/dF. Symplectic Euler
 * is stable for dt < 2 / omega.
 */
#ifndef CT_BODY_ELEMENTS_H
#define CT_BODY_ELEMENTS_H

#include "body/bodies.h"
#include "core/real.h"

extern const ct_element_kernels CT_FN(ct_element_kernels);

/* The return mapping of elements that yield, at x. */
void CT_FN(ct_elements_yield)(ct_bodies *self, double dt);

#endif
