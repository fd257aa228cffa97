/* Fluid with a quadratic energy:
 *
 *     psi = kappa/2 (J - 1)^2,      p = -kappa (J - 1),      c^2 = kappa J^2 / rho0
 */
#include "material/fluid.h"

static ct_status prepare(double mu, double lambda, const double *parameters, ct_prepared *made,
                         ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    ct_prepare_fluid(parameters, made);
    return CT_OK;
}

static inline ct_volumetric volumetric(const ct_real *k, ct_lane J)
{
    ct_lane x = J - 1;
    return (ct_volumetric){
        .psi = (ct_real)0.5 * k[BULK] * x * x, .first = k[BULK] * x * J, .second = k[BULK] * J * J};
}

static const ct_parameter_info parameters[FLUID_PARAMETERS] = {CT_FLUID_PARAMETERS};

const ct_material_model CT_FN(ct_fluid_linear) = {
    .info = {.name = "fluid_linear",
             .title = "Fluid with a quadratic energy",
             .doc = "A liquid with pressure linear in the volume ratio: cheap, with constant stiffness.",
             .paper = "time-step-2020",
             .parameters = parameters,
             .parameter_count = FLUID_PARAMETERS,
             CT_FLUID_NEEDS},
    .prepare = prepare,
    CT_FLUID_FUNCTIONS,
};
