/* What a number measures, so that the scene language can check and convert units, and one parameter
 * description for materials, schemes and criteria: the scene reader, the reference page and the schema all
 * walk these.
 */
#ifndef CT_CORE_QUANTITY_H
#define CT_CORE_QUANTITY_H

#include "core/error.h"

typedef enum ct_dimension {
    CT_NUMBER, /* dimensionless */
    CT_SWITCH, /* 0 or 1; in scenes also false or true */
    CT_LENGTH,
    CT_TIME,
    CT_MASS,
    CT_VELOCITY,
    CT_ACCELERATION,
    CT_DENSITY,
    CT_PRESSURE, /* and moduli */
    CT_ANGLE,
    CT_ANGULAR_RATE,
    CT_RATE, /* 1/s */
    CT_VOLUME,
    CT_VISCOSITY,
    CT_TENSION, /* of a surface */
    CT_TEMPERATURE,
    CT_PER_KELVIN,
    CT_HEAT_CAPACITY,
    CT_CONDUCTIVITY,
    CT_HEAT_TRANSFER,
    CT_THERMAL_RESISTANCE
} ct_dimension;

/* One parameter of a material, scheme or criterion. `fallback` is NaN where there is no default; the range is
 * inclusive. */
typedef struct ct_parameter_info {
    const char *name;
    ct_dimension dimension;
    double fallback;
    double least, most;
    const char *doc;
} ct_parameter_info;

/* Whether a list of named numbers is one, as a caller gives it. `owner` begins messages. */
ct_status ct_check_parameters(const ct_parameter *parameters, int count, const char *owner, ct_error *error);

/* Whether it is a temperature in K that matter can have, and a boundary is one that heat can pass. */
ct_status ct_check_temperature(double kelvin, const char *owner, ct_error *error);
ct_status ct_check_thermal(const ct_thermal_def *thermal, const char *owner, ct_error *error);

#endif
