/* How stiff a lattice of bonds is. Under an even small strain eps a bond in the direction n is stretched by
 * n.eps n, and the energy is (2 mu + lambda)/2 times the weighted mean of its square: the stiffness is that
 * mean of n n n n. Of a cubic lattice that is two numbers, c11 = <n_x^4> and c12 = c44 = <n_x^2 n_y^2>. */
#include "peri/peri.h"

#include <math.h>

typedef struct moments {
    double weight, c11, c12;
} moments;

static void add_bond(moments *m, const int n[3], double horizon)
{
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(square > 0) || square > horizon * horizon * (1 + 2e-6)) return;
    double w = fmax(1 - square / (horizon * horizon), 0) / (square * square);
    m->weight += w * square * square;
    m->c11 += w * n[0] * n[0] * n[0] * n[0];
    m->c12 += w * n[0] * n[0] * n[1] * n[1];
}

double ct_peri_modulus(int rank, double horizon)
{
    int reach = (int)horizon, height = rank > 1 ? reach : 0, depth = rank > 2 ? reach : 0;
    moments m = {0};
    for (int i = -reach; i <= reach; i++)
        for (int j = -height; j <= height; j++)
            for (int k = -depth; k <= depth; k++) add_bond(&m, (const int[]){i, j, k}, horizon);
    double c11 = m.c11 / m.weight, c12 = m.c12 / m.weight;
    /* sides without stress contract by c12 / (c11 + (rank - 2) c12) of the stretch each */
    return rank == 1 ? c11 : c11 - (rank - 1) * c12 * c12 / (c11 + (rank - 2) * c12);
}

/* Young's modulus of a solid with these Lame constants; in 2D that of a slice that cannot get thicker. */
static double young_of(int dimension, double mu, double lambda)
{
    if (!(mu + lambda > 0)) return 0;
    return dimension == 3 ? mu * (3 * lambda + 2 * mu) / (lambda + mu)
                          : 4 * mu * (lambda + mu) / (lambda + 2 * mu);
}

double ct_peri_bond_scale(int dimension, double mu, double lambda)
{
    double bonds = 2 * mu + lambda;
    return bonds > 0 ? young_of(dimension, mu, lambda) / bonds : 0;
}
