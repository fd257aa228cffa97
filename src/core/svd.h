/* The singular value decomposition F = U diag(sigma) V^T of small matrices in the polar convention of Irving
 * et al. 2004: U and V are rotations, |sigma| falls, and only the last sigma may be negative, exactly when
 * det F is. Then U V^T is a rotation even where F is inverted.
 */
#ifndef CT_CORE_SVD_H
#define CT_CORE_SVD_H

#include "core/real.h"

void CT_FN(ct_svd)(const ct_real F[CT_MATRIX], ct_real U[CT_MATRIX], ct_real sigma[CT_DIM],
                   ct_real V[CT_MATRIX]);

#endif
