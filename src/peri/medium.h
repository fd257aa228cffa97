/* The medium: all particles that flow, grains and viscous fluids. Their neighbours change, so they are found
 * anew at the beginning of every step, whatever body the particles belong to.
 *
 * What a particle remembers of its bonds is one tensor, its elastic strain E (field `strain`): the reference
 * length of the bond Y = y_j - y_i at the beginning of a step is
 *
 *     L^2 = Y (I - E_i - E_j) Y
 *
 * which is the clamped inverse deformation of the paper (Eq. 20), for every neighbour, old and new. E is
 * carried along with the deformation f of a step, I - 2E -> f^-T (I - 2E) f^-1, and brought back to the yield
 * surface when the next one begins. The density of a particle counts its neighbours,
 *
 *     rho = 1 + (V_i/V_0 n_0 (1 + sum_j (1 - q/r)^2) - 1) / f
 *
 * and walls as the lattice that would go on behind them. In the lattice at rest it is 1, and f, the share by
 * which the count follows a small change of volume, makes it follow all of it: then p and K are those of the
 * material. Forces between i and j, all along the bond:
 *
 *     pressure   p = K max(rho - 1, 0)         the gradient of sum V K (rho - 1)^2 / 2
 *     springs    a (q - L)                     modulus M(rho), slipping where friction or cohesion end
 *     dashpots   (q - q_t) / h                 viscosity, joined with the springs
 *     contact    k (q - 0.85 spacings) where it is negative: no two particles become one
 *
 * The stages of a step:
 *
 *     medium.c         constants of kernel and lattice, memory, rows, E from the state
 *     medium_bonds.c   densities, yield, lengths and stiffness of bonds, the bound of the matrix
 *     medium_force.c   pressures and forces in an iteration
 *     medium_carry.c   static friction, and E carried along
 *     redistribute.c   fluids spread evenly
 *     medium_read.c    energy, stress and volume of a particle, for output
 */
#ifndef CT_PERI_MEDIUM_H
#define CT_PERI_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The neighbours of every particle: a row each, all of the same length, longer when one is full. Rows of a
 * pack, particles that are worked on at once, lie together, neighbour by neighbour; from `count` on, as far
 * as the longest of them, a row has the particle itself, which is no bond. */
typedef struct ct_bonds {
    size_t rows;     /* particles there is room for */
    uint32_t stride; /* entries a row */
    uint32_t lanes;  /* rows of a pack */
    uint32_t *count; /* [rows] */
    uint32_t *index; /* [packs x stride x lanes] places of the neighbours, of packs twice that (quads.h) */
} ct_bonds;

/* The k-th neighbour of a particle, rows being packs. */
static inline uint32_t ct_neighbour(const ct_bonds *bonds, size_t p, uint32_t k)
{
    size_t slot = p % bonds->lanes;
    return bonds->index[(p - slot) * bonds->stride + (size_t)k * bonds->lanes + slot] / 2;
}

enum { CT_WALL_TABLE = 64 }; /* pieces of the horizon */

/* Follows from the horizon and the spacing. */
typedef struct ct_lattice_sums {
    double kernel;  /* n_0 */
    double follow;  /* f */
    double weight;  /* sum of w = 1 - (q/r)^2 */
    double softest; /* 1/m^2, the largest |grad rho|^2 that a wave of displacements 1 m high has */
    double dashpot; /* 1/m^2, mean of 1/q^2 by that weight */
    double
        wall[CT_WALL_TABLE + 2]; /* sum of (1 - q/r)^2 behind a wall that is k/CT_WALL_TABLE horizons off */
} ct_lattice_sums;

typedef struct ct_medium {
    bool is_there;
    ct_lattice_sums sums;
    ct_bonds rows;            /* within the horizon where the step begins */
    size_t bonds;             /* room in the next three, numbers */
    void *length, *stiffness; /* [packs x stride x CT_LANES] m, N/m; */
    void *slip;               /* and the stretch at which a bond slips, m, where there are grains */
    size_t particles;         /* room in these: */
    uint8_t *flows;           /* whether it belongs to the medium */
    void *matter;             /* [x 3 quads] CT_MATTER_* */
    void *press;              /* [x quad] y; pressure's share of the force. Before the iterations: y; density
                                 beyond that at rest; after them: shift, m */
    double bound;             /* 1/s^2, of (A_ii / m_i - 1) / h^2 */
} ct_medium;

#endif
