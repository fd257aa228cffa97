/* A weakly compressible fluid with the equation of Tait and Murnaghan, as water:
 *
 *     p = kappa/gamma (J^-gamma - 1)
 *     psi = kappa/gamma (J^(1 - gamma) / (gamma - 1) + J - gamma / (gamma - 1))
 *     c^2 = kappa J^(1 - gamma) / rho0
 */
#include "material/fluid.h"

enum { EXPONENT = FLUID_COEFFICIENTS }; /* gamma */
enum { GAMMA = FLUID_PARAMETERS, PARAMETERS };

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    ct_prepare_fluid(parameters, made);
    made->coefficients[EXPONENT] = parameters[GAMMA];
    return CT_OK;
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
    ct_lane power = ct_lane_exp((1 - gamma) * ct_lane_log(J)), x = J - 1;
    ct_lane far = share * (power * inverse + J - gamma * inverse);
    return (ct_volumetric){.psi =
                               ct_lane_select(ct_lane_abs(x) < NEAR, k[BULK] * small_energy(gamma, x), far),
                           .first = share * (J - power),
                           .second = k[BULK] * power};
}

static const ct_parameter_info parameters[PARAMETERS] = {
    CT_FLUID_PARAMETERS,
    [GAMMA] = {"gamma", CT_NUMBER, 7, 1.1, 20, "how it stiffens under pressure: 7 for water"},
};

const ct_material_model CT_FN(ct_fluid) = {
    .info = {.name = "fluid",
             .title = "Weakly compressible fluid",
             .doc =
                 "Water and other liquids, with or without viscosity: pressure by the equation of Tait and "
                 "Murnaghan, which stiffens under compression.",
             .paper = "Murnaghan 1944; asflip-2021; time-step-2020",
             .parameters = parameters,
             .parameter_count = PARAMETERS,
             CT_FLUID_NEEDS},
    .prepare = prepare,
    CT_FLUID_FUNCTIONS,
};
