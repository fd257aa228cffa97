/* Elastic constants in the ways people have them, and a material's parameters by name. */
#ifndef CT_MATERIAL_ELASTIC_H
#define CT_MATERIAL_ELASTIC_H

#include "core/error.h"
#include "material/info.h"

/* mu and lambda from exactly one of the pairs (young, poisson), (mu or shear, lambda), (bulk, poisson),
 * (bulk, mu or shear) among `parameters`; names that are not elastic are passed over. Refused, with the
 * reason: too few or too many, mu < 0, a bulk modulus <= 0, both zero. */
ct_status ct_elastic_constants(const ct_parameter *parameters, int count, const char *material, double *mu,
                               double *lambda, ct_error *error);

#endif
