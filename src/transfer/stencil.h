/* B-spline weights. A particle at position s (in cells, see ct_grid) reaches the nodes from floor(s) on: 2
 * along each axis for the linear kernel, 3 for the quadratic, 4 for the cubic. f is its distance, in cells,
 * from the first of them.
 *
 *     linear      w = 1-f, f                                             f in [0, 1)
 *     quadratic   w = (1.5-f)^2/2, 0.75-(f-1)^2, (f-0.5)^2/2           f in [0.5, 1.5)
 *     cubic       w = (2-f)^3/6, ..., (f-1)^3/6                         f in [1, 2)
 *
 * D = sum w r r^T = dx^2 / inverse_inertia: 4 and 3 (docs/theory/kernels.md).
 */
#ifndef CT_TRANSFER_STENCIL_H
#define CT_TRANSFER_STENCIL_H

#include "core/real.h"

#include <continua/continua.h>

enum { CT_WIDEST = 4 };

typedef struct ct_stencil {
    int base[CT_DIM];  /* first node, in nodes from the corner of the block */
    ct_real f[CT_DIM]; /* cells from that node */
    ct_real w[CT_DIM][CT_WIDEST];
    ct_real dw[CT_DIM][CT_WIDEST]; /* derivative by the particle's position, 1/cell */
} ct_stencil;

static inline int ct_kernel_width(ct_kernel kernel)
{
    return kernel == CT_KERNEL_CUBIC ? 4 : kernel == CT_KERNEL_QUADRATIC ? 3 : 2;
}

/* Of the quadratic and cubic kernel; the linear one's depends on the place: 1 / (f (1 - f)). */
static inline ct_real ct_kernel_inverse_inertia(ct_kernel kernel)
{
    return kernel == CT_KERNEL_CUBIC ? 3 : 4;
}

static inline void ct_stencil_linear(ct_real f, ct_real w[2], ct_real dw[2])
{
    w[0] = 1 - f, w[1] = f;
    dw[0] = -1, dw[1] = 1;
}

static inline void ct_stencil_quadratic(ct_real f, ct_real w[3], ct_real dw[3])
{
    ct_real a = (ct_real)1.5 - f, b = f - 1, c = f - (ct_real)0.5;
    w[0] = (ct_real)0.5 * a * a, w[1] = (ct_real)0.75 - b * b, w[2] = (ct_real)0.5 * c * c;
    dw[0] = -a, dw[1] = -2 * b, dw[2] = c;
}

static inline void ct_stencil_cubic(ct_real f, ct_real w[4], ct_real dw[4])
{
    const ct_real sixth = (ct_real)(1.0 / 6.0);
    ct_real t = f - 1, u = 1 - t;
    w[0] = sixth * u * u * u, w[3] = sixth * t * t * t;
    w[1] = sixth * ((3 * t - 6) * t * t + 4), w[2] = sixth * ((3 * u - 6) * u * u + 4);
    dw[0] = (ct_real)-0.5 * u * u, dw[3] = (ct_real)0.5 * t * t;
    dw[1] = ((ct_real)1.5 * t - 2) * t, dw[2] = -((ct_real)1.5 * u - 2) * u;
}

/* Of the kernel that reaches `width` nodes: where that is known in advance, only what is used is computed. */
CT_INLINE void ct_stencil_make_wide(ct_stencil *s, int width, const ct_real position[CT_DIM])
{
    CT_FOR(a, CT_DIM) {
        s->base[a] = ct_floor(position[a]);
        s->f[a] = position[a] - (ct_real)s->base[a] + (ct_real)0.5 * (ct_real)(width - 2);
        if (width == 3) ct_stencil_quadratic(s->f[a], s->w[a], s->dw[a]);
        else if (width == 4) ct_stencil_cubic(s->f[a], s->w[a], s->dw[a]);
        else ct_stencil_linear(s->f[a], s->w[a], s->dw[a]);
    }
}

static inline void ct_stencil_make(ct_stencil *s, ct_kernel kernel, const ct_real position[CT_DIM])
{
    ct_stencil_make_wide(s, ct_kernel_width(kernel), position);
}

#endif
