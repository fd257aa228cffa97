/* Questions about particles of the medium, from the density and the strain where the last step ended. */
#include "peri/numbers.h"

#include "core/symmetric.h"

#include <math.h>

static const ct_real *matter_of(const ct_peri *peri, size_t p)
{
    return (const ct_real *)peri->medium.matter + CT_TRIPLE * p;
}

static const double *constants_of(const ct_peri *peri, size_t p)
{
    return peri->common->materials[(size_t)matter_of(peri, p)[CT_MATTER_KIND]].coefficients;
}

static double entry(const ct_real *matter, int a, int b)
{
    return (double)matter[ct_symmetric_index(a, b)];
}

/* Compressed: K (rho - 1)^2 / 2; bonds: M/2 <(n E n)^2> = M (2 |E|^2 + tr(E)^2) / 30, in 2D / 16. */
double CT_FN(ct_medium_read_energy)(const ct_peri *peri, size_t p)
{
    const ct_real *matter = matter_of(peri, p);
    const double *k = constants_of(peri, p);
    double beyond = fmax((double)matter[CT_MATTER_DENSITY] - 1, 0), trace = 0, square = 0;
    CT_FOR(a, CT_DIM) {
        trace += entry(matter, a, a);
        CT_FOR(b, CT_DIM) square += entry(matter, a, b) * entry(matter, a, b);
    }
    double bonds = (double)matter[CT_MATTER_MODULUS] * k[CT_PERI_SHEAR] * (square + 0.5 * trace * trace);
    return 0.5 * k[CT_PERI_BULK] * beyond * beyond + bonds;
}

/* The change of volume, even in all directions: what flows has no shape to be deformed from. At a surface
 * neighbours are missing, not volume. */
void CT_FN(ct_medium_read_F)(const ct_peri *peri, size_t p, double F[9])
{
    double density = fmax((double)matter_of(peri, p)[CT_MATTER_DENSITY], 1);
    for (int i = 0; i < 9; i++) F[i] = i % 4 == 0;
    CT_FOR(a, CT_DIM) F[4 * a] = pow(density, -1.0 / CT_DIM);
}

/* sigma = -p I + M/15 (2 E + tr(E) I), in 2D M/8. */
void CT_FN(ct_medium_read_stress)(const ct_peri *peri, size_t p, double stress[9])
{
    const ct_real *matter = matter_of(peri, p);
    const double *k = constants_of(peri, p);
    double shear = (double)matter[CT_MATTER_MODULUS] * k[CT_PERI_SHEAR], trace = 0;
    double pressure = k[CT_PERI_BULK] * fmax((double)matter[CT_MATTER_DENSITY] - 1, 0);
    CT_FOR(a, CT_DIM) trace += entry(matter, a, a);
    CT_FOR(a, CT_DIM)
        CT_FOR(b, CT_DIM)
            stress[3 * a + b] =
                shear * (2 * entry(matter, a, b) + (a == b ? trace : 0)) - (a == b ? pressure : 0);
}
