/* A discrete elastic rod (Bergou et al. 2008, 2010): a chain of vertices that resists stretch, bending and
 * twist.
 *
 *          x_1 ---e^1--- x_2          edge j has a length l_j, a tangent t^j and a material frame m1, m2
 *         /                 \         that turns with the section;
 *       e^0                 e^2       vertex i has a curvature (k1, k2), seen in the frames beside it,
 *       /                     \       and a twist, the angle from one frame to the next
 *     x_0                     x_3
 *
 *     E = sum_j  S/2 (l_j/lb_j - 1)^2 lb_j                        stretch, S = E A
 *       + sum_i  [ B1 (k1 - kb1)^2 + B2 (k2 - kb2)^2 ] / (2 L_i)  bending, B = E I
 *       + sum_i  T (twist_i)^2 / (2 L_i)                          twist, T = G J
 *
 * with the lengths at rest lb, L_i = (lb_{i-1} + lb_i)/2 and the curvature at rest kb, which makes curls. The
 * frame is kept as one director m1 per edge. When vertices move, it is carried along without spinning about
 * the tangent (time-parallel transport); what spins it is the unknown theta. The twist follows from the two
 * frames up to whole turns, so it is stored to know how many there are.
 *
 *     unknowns   x_0 theta^0 x_1 theta^1 ... theta^{n-1} x_n      4 n + 3 of them
 *
 * A vertex couples 11 consecutive ones, so the stiffness has a half bandwidth of 10 (band.h). It is the
 * Gauss-Newton part of the second derivative, with what pulls across an edge only where it is in tension:
 * never indefinite, and exact where nothing is strained. In two dimensions the third coordinate and theta
 * are pinned: the same formulas give a plane rod.
 */
#ifndef CT_STRAND_ROD_H
#define CT_STRAND_ROD_H

#include "strand/band.h"

/* One strand: what it is made of, and where it is. Arrays are the caller's. */
typedef struct ct_rod {
    size_t edges;             /* n >= 1; vertices are n + 1 */
    double stretch;           /* N, E A */
    double bend[2], twist;    /* N m^2, E I against k1 and k2, G J */
    const double *length;     /* [n] m, at rest */
    const double *span;       /* [n + 1] m, L_i of interior vertices */
    const double (*curve)[2]; /* [n + 1] kb1, kb2 of interior vertices */
} ct_rod;

typedef struct ct_rod_state {
    double (*x)[3];        /* [n + 1] m */
    double (*director)[3]; /* [n] m1, of length 1 and across the edge */
    double *twist;         /* [n + 1] rad, of interior vertices */
} ct_rod_state;

static inline size_t ct_rod_unknowns(const ct_rod *rod)
{
    return 4 * rod->edges + 3;
}

/* The energy, J. */
double ct_rod_energy(const ct_rod *rod, const ct_rod_state *at);

/* The same, and adds its gradient and, unless NULL, the stiffness. */
double ct_rod_gradient(const ct_rod *rod, const ct_rod_state *at, double *gradient,
                       double (*band)[CT_BAND_ROW]);

/* `to` = `from` after vertices moved by `step` of the unknowns times `factor` and frames turned: carried
 * along without spin, then by theta. All arrays of `to` are written. */
void ct_rod_move(const ct_rod *rod, const ct_rod_state *from, const double *step, double factor,
                 ct_rod_state *to);

/* What vertices store: their own part and half of the edges beside them; energy[edges + 1], J. */
void ct_rod_energies(const ct_rod *rod, const ct_rod_state *at, double *energy);

/* Makes frames that follow the chain without twist, from a director that is across the first edge or, where
 * that is 0, from the axis that is most across. */
void ct_rod_untwist(size_t edges, const double (*x)[3], double (*director)[3]);

/* Curvatures of interior vertices; where `director` is without twist they are those of a shape at rest. */
void ct_rod_curvature(size_t edges, const double (*x)[3], const double (*director)[3], double (*curve)[2]);

/* u carried from one tangent to another by the smallest rotation. */
void ct_transport(const double from[3], const double to[3], const double u[3], double out[3]);

#endif
