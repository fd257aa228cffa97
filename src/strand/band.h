/* Symmetric positive definite matrices with a narrow band, as strands have: A = L D L^T in place, without
 * pivots and without square roots. Row i stores its lower part from the diagonal backwards,
 *
 *     band[i][k] = A(i, i - k),   k = 0 .. CT_BAND
 *
 * so a strand of n edges costs about 4 n (CT_BAND + 1)^2 multiply-adds to factor, and nothing outside the
 * band is ever stored. Packaged solvers are made for one large system, not for thousands of tiny ones.
 */
#ifndef CT_STRAND_BAND_H
#define CT_STRAND_BAND_H

#include <stdbool.h>
#include <stddef.h>

enum { CT_BAND = 10, CT_BAND_ROW = CT_BAND + 1 };

/* False where the matrix is not positive definite. */
bool ct_band_factor(size_t count, double (*band)[CT_BAND_ROW]);

/* Of a factored matrix: replaces the right side by the solution. */
void ct_band_solve(size_t count, const double (*band)[CT_BAND_ROW], double *side);

#endif
