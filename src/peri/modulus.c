/* How stiff a lattice of bonds is. Under an even small strain eps a bond in the direction n is stretched by
 * n.eps n, and the energy is (2 mu + lambda)/2 times the weighted mean of its square: the stiffness is that
 * mean of n n n n. Of a cubic lattice that is two numbers, c11 = <n_x^4> and c12 = c44 = <n_x^2 n_y^2>. */
#include "peri/peri.h"

#include <math.h>

typedef struct moments {
    double weight, c11, c12, x4; /* x4: of x^4/L^2, spacings^2 */
} moments;

static void add_bond(moments *m, const int n[3], double horizon)
{
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(square > 0) || square > horizon * horizon * (1 + 2e-6)) return;
    double w = fmax(1 - square / (horizon * horizon), 0) / (square * square);
    m->weight += w * square * square;
    m->c11 += w * n[0] * n[0] * n[0] * n[0];
    m->c12 += w * n[0] * n[0] * n[1] * n[1];
    m->x4 += w * square * n[0] * n[0] * n[0] * n[0];
}

/* A line with three ghosts around each particle (seed_polyline.c), stretched along it by e while the ring of
 * ghosts widens by r: a bond (x, o), o between the ends' places across the line, is strained by (e x^2 + r
 * o^2)/L^2. The weighted mean of its square is a e^2 + 2 b e r + c r^2, and the least of it over r a - b^2/c.
 */
static double rod_modulus(double horizon)
{
    static const double volume[2] = {0.9, 0.1 / 3}; /* of a particle of the line, of a ghost */
    double a = 0, b = 0, c = 0;
    for (int is_ghost = 0; is_ghost < 2; is_ghost++) {
        double weight = 0, sum[3] = {0};
        for (int x = -(int)horizon; x <= (int)horizon; x++)
            for (int j = 0; j < 4; j++) { /* the line's own, and three ghosts; the first is this one */
                double across = !is_ghost ? (j ? 1 : 0) : j == 0 ? 1 : j == 1 ? 0 : 3; /* o^2 */
                double square = x * x + across, w = 1 - square / (horizon * horizon);
                if (!(square > 0) || !(w > 0)) continue;
                w *= volume[j > 0];
                weight += w;
                sum[0] += w * x * x * x * x / (square * square);
                sum[1] += w * x * x * across / (square * square);
                sum[2] += w * across * across / (square * square);
            }
        double share = (is_ghost ? 3 : 1) * volume[is_ghost] / weight;
        a += share * sum[0], b += share * sum[1], c += share * sum[2];
    }
    return c > 0 ? a - b * b / c : a;
}

static moments moments_of(int rank, double horizon)
{
    int reach = (int)horizon, height = rank > 1 ? reach : 0, depth = rank > 2 ? reach : 0;
    moments m = {0};
    for (int i = -reach; i <= reach; i++)
        for (int j = -height; j <= height; j++)
            for (int k = -depth; k <= depth; k++) add_bond(&m, (const int[]){i, j, k}, horizon);
    return m;
}

double ct_peri_modulus(int rank, double horizon)
{
    if (rank == 0) return rod_modulus(horizon);
    const moments m = moments_of(rank, horizon);
    double c11 = m.c11 / m.weight, c12 = m.c12 / m.weight;
    /* sides without stress contract by c12 / (c11 + (rank - 2) c12) of the stretch each */
    return rank == 1 ? c11 : c11 - (rank - 1) * c12 * c12 / (c11 + (rank - 2) * c12);
}

/* A bond (x, y) of a line or sheet that is bent to the curvature k is off the direction that F gives it by
 * k x^2/2 across: over L the strain of the part with mu, whose energy is (2 mu)/2 <(k x^2 / (2 L))^2> =
 * 2 mu k^2 <x^4/L^2>/8, to be E I k^2/2 with I of the slab, E t^3/12 over t (1 - nu^2) of a sheet. */
double ct_peri_bending_share(int rank, double horizon, double thickness, double poisson)
{
    const moments m = moments_of(rank, horizon);
    double own = rank == 1 ? 1 : 1 - poisson * poisson;
    return ct_peri_modulus(rank, horizon) * thickness * thickness / (3 * own * m.x4 / m.weight);
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
