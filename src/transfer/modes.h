/* The velocity modes of PolyPIC (docs/theory/transfers.md), for the quadratic kernel. Along each axis there
 * are three functions of the offset z from the particle, in cells,
 *
 *     e0 = 1     e1 = z     e2 = z^2 - (m3 / m2) z - m2          m2 = 1/4, m3 = c (1 - 4 c^2) / 4
 *
 * with c the particle's distance from the middle node: orthogonal to each other under the kernel's weights. A
 * mode is a product of one function an axis. Its coefficient is read from the grid by functionals l0, l1, l2
 * that do not divide by the norm of e2, which vanishes between two nodes. Modes 1 to d + 1 are the velocity
 * and the affine matrix; the others are kept in the field MODES.
 */
#ifndef CT_TRANSFER_MODES_H
#define CT_TRANSFER_MODES_H

#include "particles/place.h"
#include "transfer/stencil.h"

enum { CT_ALL_MODES = CT_DIM == 2 ? 9 : 27 };

/* Which function along each axis; the order is that of asflip-2021: constant, linear, multilinear, quadratic,
 * mixed. */
static const unsigned char ct_mode_list[CT_ALL_MODES][CT_DIM] = {
#if CT_DIM == 2
    {0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {2, 1}, {1, 2}, {2, 2},
#else
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {2, 0, 0},
    {0, 2, 0}, {0, 0, 2}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}, {2, 1, 1},
    {1, 2, 1}, {1, 1, 2}, {2, 2, 0}, {2, 0, 2}, {0, 2, 2}, {2, 2, 1}, {2, 1, 2}, {1, 2, 2}, {2, 2, 2},
#endif
};

/* The share of a higher mode that goes to the grid. */
static inline double ct_mode_share(const ct_scheme *scheme, int mode)
{
    int quadratic = 0, linear = 0;
    CT_FOR(a, CT_DIM) quadratic += ct_mode_list[mode][a] == 2, linear += ct_mode_list[mode][a] == 1;
    return scheme->mode_share[!quadratic ? 0 : quadratic == 1 && !linear ? 1 : 2];
}

/* e2 along one axis at node n (0, 1, 2) for a particle at distance f from the first node. */
static inline ct_real ct_mode_quadratic(ct_real f, int n)
{
    ct_real c = f - 1, z = (ct_real)n - f;
    return z * z - c * (1 - 4 * c * c) * z - (ct_real)0.25;
}

/* A mode at a node. */
static inline ct_real ct_mode_at(const ct_stencil *s, int mode, const int node[CT_DIM])
{
    ct_real value = 1;
    CT_FOR(a, CT_DIM) {
        int function = ct_mode_list[mode][a];
        if (function == 1) value *= (ct_real)node[a] - s->f[a];
        if (function == 2) value *= ct_mode_quadratic(s->f[a], node[a]);
    }
    return value;
}

/* The weight of a node's velocity in the coefficient of a mode. */
static inline ct_real ct_mode_functional(const ct_stencil *s, int mode, const int node[CT_DIM])
{
    ct_real weight = 1;
    CT_FOR(a, CT_DIM) {
        int function = ct_mode_list[mode][a];
        if (function == 2) weight *= node[a] == 1 ? (ct_real)-1 : (ct_real)0.5;
        else weight *= s->w[a][node[a]];
        if (function == 1) weight *= 4 * ((ct_real)node[a] - s->f[a]);
    }
    return weight;
}

/* sum w e^2 of a mode. */
static inline double ct_mode_norm(const ct_stencil *s, int mode)
{
    double norm = 1;
    CT_FOR(a, CT_DIM) {
        double c = (double)s->f[a] - 1, narrow = 1 - 4 * c * c;
        int function = ct_mode_list[mode][a];
        if (function == 1) norm *= 0.25;
        if (function == 2) norm *= (3 - 4 * c * c) * narrow * narrow / 16;
    }
    return norm;
}

#endif
