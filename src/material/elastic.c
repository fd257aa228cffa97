#include "material/elastic.h"

#include <math.h>
#include <string.h>

enum { YOUNG, POISSON, MU, LAMBDA, BULK, SHEAR };

const ct_parameter_info ct_elastic_parameters[CT_ELASTIC_PARAMETERS] = {
    [YOUNG] = {"young", CT_PRESSURE, NAN, 0, INFINITY, "Young's modulus; with poisson"},
    [POISSON] = {"poisson", CT_NUMBER, NAN, -0.99, 0.499999, "Poisson's ratio; with young or bulk"},
    [MU] = {"mu", CT_PRESSURE, NAN, 0, INFINITY,
            "second Lame parameter, the shear modulus; with lambda or bulk"},
    [LAMBDA] = {"lambda", CT_PRESSURE, NAN, -INFINITY, INFINITY, "first Lame parameter; with mu"},
    [BULK] = {"bulk", CT_PRESSURE, NAN, 0, INFINITY, "bulk modulus (3D); with poisson or shear"},
    [SHEAR] = {"shear", CT_PRESSURE, NAN, 0, INFINITY,
               "shear modulus, another name of mu; with lambda or bulk"},
};

const ct_material_info *ct_material_info_find(const char *name)
{
    for (int i = 0; ct_material_info_at(i); i++)
        if (!strcmp(ct_material_info_at(i)->name, name)) return ct_material_info_at(i);
    return NULL;
}

int ct_material_state_find(const ct_material_info *info, const char *name)
{
    for (int s = 0; s < info->state_count; s++)
        if (!strcmp(info->states[s].name, name)) return s;
    return -1;
}

ct_status ct_elastic_constants(const ct_parameter *parameters, int count, const char *material, double *mu,
                               double *lambda, ct_error *error)
{
    static const char *const pairs =
        "give exactly one of the pairs young and poisson, mu and lambda, bulk and poisson, "
        "bulk and shear";
    double value[CT_ELASTIC_PARAMETERS] = {0};
    unsigned given = 0;
    for (int i = 0; i < count; i++)
        for (unsigned k = 0; k < CT_ELASTIC_PARAMETERS; k++) {
            if (strcmp(parameters[i].name, ct_elastic_parameters[k].name)) continue;
            unsigned slot = k == SHEAR ? MU : k;
            if (given >> slot & 1)
                return ct_fail(error, CT_BAD_USAGE, "material '%s': '%s' is given twice", material,
                               parameters[i].name);
            given |= 1u << slot;
            value[slot] = parameters[i].value;
        }
    if (given == (1u << YOUNG | 1u << POISSON)) {
        double E = value[YOUNG], nu = value[POISSON];
        *mu = E / (2 * (1 + nu));
        *lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    } else if (given == (1u << MU | 1u << LAMBDA)) {
        *mu = value[MU];
        *lambda = value[LAMBDA];
    } else if (given == (1u << BULK | 1u << POISSON)) {
        double kappa = value[BULK], nu = value[POISSON];
        *mu = 3 * kappa * (1 - 2 * nu) / (2 * (1 + nu));
        *lambda = 3 * kappa * nu / (1 + nu);
    } else if (given == (1u << BULK | 1u << MU)) {
        *mu = value[MU];
        *lambda = value[BULK] - 2 * value[MU] / 3;
    } else {
        return ct_fail(error, CT_BAD_USAGE, "material '%s': %s", material, pairs);
    }
    if (!(*mu >= 0) || !(*lambda + 2 * *mu / 3 > 0) || !isfinite(*mu) || !isfinite(*lambda))
        return ct_fail(
            error, CT_BAD_USAGE,
            "material '%s': mu = %g Pa and lambda = %g Pa are no elastic solid: mu must not be negative and "
            "lambda + 2/3 mu must be positive",
            material, *mu, *lambda);
    return CT_OK;
}
