/* Fluid with a logarithmic energy:
 *
 *     psi = kappa/2 ln^2 J,      p = -kappa ln J / J,      c^2 = kappa (1 - ln J) / rho0
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
    ct_lane t = ct_lane_log(J);
    return (ct_volumetric){
        .psi = (ct_real)0.5 * k[BULK] * t * t, .first = k[BULK] * t, .second = k[BULK] * (1 - t)};
}

static const ct_parameter_info parameters[FLUID_PARAMETERS] = {CT_FLUID_PARAMETERS};

const ct_material_model CT_FN(ct_fluid_log) = {
    .info = {.name = "fluid_log",
             .title = "Fluid with a logarithmic energy",
             .doc =
                 "A liquid whose energy is unbounded as its volume vanishes, and which softens in tension.",
             .paper = "time-step-2020",
             .parameters = parameters,
             .parameter_count = FLUID_PARAMETERS,
             CT_FLUID_NEEDS},
    .prepare = prepare,
    CT_FLUID_FUNCTIONS,
};
