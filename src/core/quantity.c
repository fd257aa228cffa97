#include "core/quantity.h"

ct_status ct_check_parameters(const ct_parameter *parameters, int count, const char *owner, ct_error *error)
{
    if (count < 0 || (count && !parameters))
        return ct_fail(error, CT_BAD_USAGE, "%s: %d parameters, but no list of them", owner, count);
    for (int i = 0; i < count; i++)
        if (!parameters[i].name)
            return ct_fail(error, CT_BAD_USAGE, "%s: parameter %d has no name", owner, i);
    return CT_OK;
}

ct_status ct_check_temperature(double kelvin, const char *owner, ct_error *error)
{
    if (kelvin >= 0 && kelvin <= 1e6) return CT_OK;
    return ct_fail(error, CT_BAD_USAGE, "%s: a temperature of %g K; it must be from 0 to 1e6", owner, kelvin);
}

ct_status ct_check_thermal(const ct_thermal_def *thermal, const char *owner, ct_error *error)
{
    if (!(thermal->resistance >= 0))
        return ct_fail(error, CT_BAD_USAGE, "%s: its thermal resistance must not be negative", owner);
    return thermal->has_temperature ? ct_check_temperature(thermal->temperature, owner, error) : CT_OK;
}
