/* Fields of definitions that mean nothing for the method that a body is of: said, not passed over. */
#include "method_info.h"
#include "world.h"

#include <math.h>

#define ONLY(method) (1U << CT_METHOD_##method)

/* Methods whose bodies may go through the grid of another, and those that may have a transfer scheme of their own. */
static unsigned guests(void)
{
    unsigned methods = 0;
    for (int m = 0; ct_method_info_at(m); m++)
        if (ct_method_info_at(m)->may_be_guest) methods |= 1U << m;
    return methods;
}

static unsigned with_schemes(void)
{
    unsigned methods = guests();
    for (int m = 0; ct_method_info_at(m); m++)
        if (ct_method_info_at(m)->has_schemes) methods |= 1U << m;
    return methods;
}

ct_status ct_world_check_fields(const ct_body_def *def, int method, const char *what, ct_error *error)
{
    const ct_elements_def *elements = &def->elements;
    const struct {
        const char *name;
        bool is_given;
        unsigned methods;
    } fields[] = {
        {"hold", def->has_hold, ONLY(PERIDYNAMICS) | ONLY(ELEMENTS) | ONLY(STRANDS)},
        {"roots", def->roots, ONLY(STRANDS)},
        {"is_pinned", def->is_pinned, ONLY(RIGID)},
        {"mass", def->mass != 0, ONLY(RIGID)},
        {"inertia", def->has_inertia, ONLY(RIGID)},
        {"split", def->split, ONLY(MPM)},
        {"scheme", def->has_scheme, with_schemes()},
        {"elements.edge", elements->edge != 0, ONLY(ELEMENTS)},
        {"elements.hold_group", elements->hold_group, ONLY(ELEMENTS)},
        {"elements.mass_damping", elements->mass_damping != 0, ONLY(ELEMENTS)},
        {"elements.stiffness_damping", elements->stiffness_damping != 0, ONLY(ELEMENTS)},
        {"elements.jitter", elements->jitter != 0, ONLY(ELEMENTS)},
        {"elements.follow", elements->has_follow, ONLY(ELEMENTS)},
        {"elements.coupling", elements->coupling != CT_COUPLING_CONTACT, guests()},
        {"elements.self_contact", elements->self_contact, ONLY(ELEMENTS)},
        {"elements.self_distance", elements->self_distance != 0, ONLY(ELEMENTS)},
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (fields[k].is_given && !(fields[k].methods >> method & 1))
            return ct_fail(error, CT_BAD_USAGE, "%s '%s' is of method %s, where '%s' means nothing", what,
                           def->name, ct_method_info_at(method)->name, fields[k].name);
    if (!(def->mass >= 0) || !isfinite(def->mass))
        return ct_fail(error, CT_BAD_USAGE, "%s '%s' has a mass of %g kg", what, def->name, def->mass);
    return CT_OK;
}
