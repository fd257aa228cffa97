/* A weakly compressible fluid with the equation of Tait and Murnaghan, as water:
 *
 *     p = kappa/gamma (J^-gamma - 1)
 *     psi = kappa/gamma (J^(1 - gamma) / (gamma - 1) + J - gamma / (gamma - 1))
 *     c^2 = kappa J^(1 - gamma) / rho0
 */
#include "material/fluid.h"

enum { EXPONENT = FLUID_COEFFICIENTS, WHOLE }; /* gamma; gamma - 1 where that is a whole number, or 0 */
enum { GAMMA = FLUID_PARAMETERS, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    ct_prepare_fluid(parameters, made);
    double *k = made->coefficients, less = parameters[GAMMA] - 1;
    k[EXPONENT] = parameters[GAMMA];
    k[WHOLE] = less == floor(less) ? less : 0;
    return CT_OK;
}

/* J^(1 - gamma): by products where they will do, as for water's 7. */
static inline ct_lane power_of(const ct_real *k, ct_lane J)
{
    int n = (int)k[WHOLE];
    if (!n) return ct_lane_exp((1 - k[EXPONENT]) * ct_lane_log(J));
    ct_lane power = ct_lane_all(1);
    for (ct_lane base = 1 / J; n; n /= 2, base *= base)
        if (n % 2) power *= base;
    return power;
}

/* psi / kappa for small x = J - 1, where the terms above cancel: psi'' = kappa J^(-gamma - 1), integrated
 * twice term by term. At |x| = NEAR the first term left out is 1e-6 of the sum for gamma = 7. */
static const ct_real NEAR = (ct_real)0.03;

static inline ct_lane small_energy(ct_real gamma, ct_lane x)
{
    enum { TERMS = 8 };
    ct_lane sum = ct_lane_all(0), power = (ct_real)0.5 * x * x;
    CT_FOR(n, TERMS) {
        sum += power;
        power *= x * (-(gamma + 1 + (ct_real)n) / (ct_real)(n + 3));
    }
    return sum;
}

static inline ct_volumetric volumetric(const ct_real *k, ct_lane J)
{
    ct_real gamma = k[EXPONENT], share = k[BULK] / gamma, inverse = 1 / (gamma - 1);
    ct_lane power = power_of(k, J), x = J - 1;
    ct_lane far = share * (power * inverse + J - gamma * inverse);
    return (ct_volumetric){.psi =
                               ct_lane_select(ct_lane_abs(x) < NEAR, k[BULK] * small_energy(gamma, x), far),
                           .first = share * (J - power),
                           .second = k[BULK] * power};
}

static const ct_parameter_info parameters[PARAMETERS] = {
    CT_FLUID_PARAMETERS,
    [GAMMA] = {"gamma", CT_NUMBER, 7, 1.1, 20, "exponent of the stiffening under pressure: 7 for water"},
};

const ct_material_model CT_FN(ct_fluid) = {
    .info = {.name = "fluid",
             .title = "Weakly compressible fluid",
             .doc = "Water and other liquids, with or without viscosity: pressure by the Tait-Murnaghan "
                    "equation, which stiffens under compression.",
             .paper = "Murnaghan 1944; asflip-2021; time-step-2020",
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             CT_FLUID_NEEDS},
    .prepare = prepare,
    CT_FLUID_FUNCTIONS,
};
