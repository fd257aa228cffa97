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
