#include "core/error.h"
#include "fluid/fluid.h"

#include <float.h>
#include <math.h>

static const ct_parameter_info liquid_parameters[] = {
    {"viscosity", CT_VISCOSITY, 0, 0, INFINITY,
     "shear viscosity; 0: none. The liquid slides along walls and colliders, except no_slip and sticky ones"},
    {"surface_tension", CT_TENSION, 0, 0, INFINITY,
     "surface tension; 0: none. The contact angle at walls is 90 degrees"},
};

static const ct_material_info liquid = {
    .name = "liquid",
    .title = "Incompressible liquid",
    .doc = "Incompressible water and other thin liquids, with steps in which particles cross about one cell. "
           "Viscosity is implicit, so any value is possible; without it the only dissipation is that of the "
           "transfer scheme.",
    .paper = "apic-2015",
    .parameters = liquid_parameters,
    .parameter_count = 2,
    .flows = true,
};

const ct_material_info *ct_fluid_material_at(int index)
{
    return index == 0 ? &liquid : NULL;
}

ct_status ct_fluid_check(const ct_world_def *def, ct_error *error)
{
    const ct_fluid_def *fluid = &def->fluid;
    if (!(fluid->tolerance > 0 && fluid->tolerance < 1))
        return ct_fail(error, CT_BAD_USAGE, "fluid: the tolerance is %g; it must be above 0 and below 1",
                       fluid->tolerance);
    if (fluid->iterations < 1)
        return ct_fail(error, CT_BAD_USAGE, "fluid: %d iterations; there must be at least 1",
                       fluid->iterations);
    if (!(fluid->correction >= 0 && fluid->correction <= 1))
        return ct_fail(error, CT_BAD_USAGE, "fluid: the density correction is %g; it must be 0 to 1",
                       fluid->correction);
    return CT_OK;
}
