#include "peri/peri.h"

#include "core/error.h"
#include "material/friction.h"

#include <float.h>
#include <string.h>

static const char paper[] = "projective-peridynamics-2017";

/* Of a network of bonds with the modulus M = 2 mu + lambda: shear modulus M / SHEAR, in 3D and 2D. */
static double shear_share(int dimension)
{
    return dimension == 3 ? 15 : 8;
}

/* ---- Elastic ------------------------------------------------------------------------------------------ */

enum { BENDING, ELASTIC_PARAMETERS };

static const ct_parameter_info elastic_parameters[ELASTIC_PARAMETERS] = {
    [BENDING] = {"bending", CT_NUMBER, -1, -1, 1,
                 "fraction of the bonds' stiffness that resists bending: 2 mu of 2 mu + lambda; below 0: for "
                 "lines and sheets from their radius or thickness, for solids and rods with `twist` from the "
                 "two constants; 0: a line is a chain"},
};

static ct_status prepare_elastic(int dimension, double mu, double lambda, const double *parameters, double *k,
                                 ct_error *error)
{
    (void)error;
    double scale = ct_peri_bond_scale(dimension, mu, lambda), bonds = scale * (2 * mu + lambda);
    double bending = parameters[BENDING];
    k[CT_PERI_MU] = bending < 0 ? scale * mu : 0.5 * bending * bonds;
    k[CT_PERI_LAMBDA] = bending < 0 ? scale * lambda : (1 - bending) * bonds;
    k[CT_PERI_BY_SECTION] = bending < 0;
    return CT_OK;
}

/* ---- Granular ----------------------------------------------------------------------------------------- */

enum {
    BULK,
    STIFFNESS,
    HARDENING,
    FRICTION_ANGLE,
    COHESION,
    COHESION_STIFFNESS,
    FALLOFF,
    SATURATION,
    STATIC_FRICTION,
    GRANULAR_PARAMETERS
};

static const ct_parameter_info granular_parameters[GRANULAR_PARAMETERS] = {
    [BULK] = {"bulk", CT_PRESSURE, 3e5, DBL_MIN, INFINITY, "bulk modulus"},
    [STIFFNESS] = {"stiffness", CT_PRESSURE, 2e5, 0, INFINITY,
                   "K_f: both Lame constants of the bonds between grains that touch, at rest density"},
    [HARDENING] = {"hardening", CT_NUMBER, 5, 0, 100,
                   "H_f: exponent of the growth of K_f with excess density"},
    [FRICTION_ANGLE] = CT_PARAMETER_FRICTION_ANGLE,
    [COHESION] = {"cohesion", CT_PRESSURE, 0, 0, INFINITY,
                  "shear strength of wet grains at zero pressure; needs saturation"},
    [COHESION_STIFFNESS] = {"cohesion_stiffness", CT_PRESSURE, 2e5, 0, INFINITY,
                            "K_c: additional Lame constants due to water between grains"},
    [FALLOFF] = {"falloff", CT_NUMBER, 1, 0, 100,
                 "H_0: divided by the root of the saturation, the rate at which K_c decreases with density"},
    [SATURATION] = {"saturation", CT_NUMBER, 0, 0, 1,
                    "fraction of the pores filled with water: 0 is dry; grains separate where the density "
                    "has decreased by this fraction"},
    [STATIC_FRICTION] =
        {"static_friction", CT_NUMBER, 0.8, 0, 1,
         "fraction of its free motion that contact must remove for a grain to stay in place; 0: never"},
};

static ct_status prepare_granular(int dimension, double mu, double lambda, const double *parameters,
                                  double *k, ct_error *error)
{
    (void)mu, (void)lambda;
    double wet = parameters[SATURATION], angle = parameters[FRICTION_ANGLE], tension;
    double cohesion = wet > 0 ? parameters[COHESION] : 0;
    if (parameters[COHESION] > 0 && !(wet > 0))
        return ct_fail(error, CT_BAD_USAGE, "cohesion of grains needs water between them: give 'saturation'");
    ct_status status = ct_cone_tension(angle, cohesion, &tension, error);
    double both = parameters[STIFFNESS] + (wet > 0 ? parameters[COHESION_STIFFNESS] : 0);
    k[CT_PERI_BULK] = parameters[BULK];
    k[CT_PERI_FRICTION] = 3 * parameters[STIFFNESS]; /* 2 mu + lambda, both the same */
    k[CT_PERI_HARDENING] = parameters[HARDENING];
    k[CT_PERI_WATER] = wet > 0 ? 3 * parameters[COHESION_STIFFNESS] : 0;
    k[CT_PERI_FALLOFF] = wet > 0 ? parameters[FALLOFF] / sqrt(wet) : 0;
    k[CT_PERI_LETS_GO] = 1 - wet;
    k[CT_PERI_SLOPE] = dimension * ct_cone_slope(angle);
    k[CT_PERI_TENSION] = tension;
    k[CT_PERI_STAYS] = parameters[STATIC_FRICTION];
    k[CT_PERI_SHEAR] = 1 / shear_share(dimension);
    k[CT_PERI_REFERENCE] = 3 * both;
    return status;
}

/* ---- Viscous ------------------------------------------------------------------------------------------ */

enum { FLUID_BULK, VISCOSITY, SHEAR, YIELD_STRESS, DELTA, TURNS, VISCOUS_PARAMETERS };

static const ct_parameter_info viscous_parameters[VISCOUS_PARAMETERS] = {
    [FLUID_BULK] = {"bulk", CT_PRESSURE, 1e5, DBL_MIN, INFINITY, "bulk modulus"},
    [VISCOSITY] = {"viscosity", CT_VISCOSITY, NAN, 0, INFINITY,
                   "shear viscosity; implicit, so any value is possible"},
    [SHEAR] = {"shear", CT_PRESSURE, 0, 0, INFINITY,
               "shear modulus below the yield stress; 0: a plain fluid"},
    [YIELD_STRESS] = {"yield_stress", CT_PRESSURE, 0, 0, INFINITY, "maximum elastic shear stress"},
    [DELTA] =
        {"redistribution", CT_NUMBER, 0.3, 0, 1,
         "delta: strength of the redistribution of particles; larger values keep thin threads together"},
    [TURNS] = {"redistribution_iterations", CT_NUMBER, 3, 1, 10, "iterations of redistribution per step"},
};

static ct_status prepare_viscous(int dimension, double mu, double lambda, const double *parameters, double *k,
                                 ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    double share = shear_share(dimension);
    k[CT_PERI_BULK] = parameters[FLUID_BULK];
    k[CT_PERI_WATER] = share * parameters[SHEAR];
    k[CT_PERI_LETS_GO] = 0;
    k[CT_PERI_TENSION] = 0;
    k[CT_PERI_YIELD] = sqrt(2) * parameters[YIELD_STRESS];
    k[CT_PERI_SHEAR] = 1 / share;
    k[CT_PERI_REFERENCE] = share * parameters[SHEAR];
    k[CT_PERI_DASHPOT] = share * parameters[VISCOSITY];
    k[CT_PERI_DELTA] = parameters[DELTA];
    k[CT_PERI_TURNS] = floor(parameters[TURNS] + 0.5);
    return CT_OK;
}

/* ---- Plastic ------------------------------------------------------------------------------------------ */

enum { SOLID_BULK, SOLID_SHEAR, SOLID_ANGLE, SOLID_COHESION, BREAKS_AT, PLASTIC_PARAMETERS };

static const ct_parameter_info plastic_parameters[PLASTIC_PARAMETERS] = {
    [SOLID_BULK] = {"bulk", CT_PRESSURE, NAN, DBL_MIN, INFINITY, "bulk modulus"},
    [SOLID_SHEAR] = {"shear", CT_PRESSURE, NAN, DBL_MIN, INFINITY, "shear modulus"},
    [SOLID_ANGLE] = {"friction_angle", CT_ANGLE, 0, 0, 1.4,
                     "increase of strength with pressure; 0 for metals and wet clay"},
    [SOLID_COHESION] = {"cohesion", CT_PRESSURE, NAN, 0, INFINITY, "yield stress in shear at zero pressure"},
    [BREAKS_AT] = {"breaks_at", CT_NUMBER, 0.5, 0, 1,
                   "fraction of the rest density below which it has no strength; 0: it never breaks"},
};

/* Without friction, tension has no limit but that of the density. */
static ct_status prepare_plastic(int dimension, double mu, double lambda, const double *parameters, double *k,
                                 ct_error *error)
{
    (void)mu, (void)lambda, (void)error;
    const double no_limit = 1e30; /* Pa */
    double angle = parameters[SOLID_ANGLE], cohesion = parameters[SOLID_COHESION];
    bool rubs = sin(angle) > 0.01;
    k[CT_PERI_BULK] = parameters[SOLID_BULK];
    k[CT_PERI_WATER] = k[CT_PERI_REFERENCE] = shear_share(dimension) * parameters[SOLID_SHEAR];
    k[CT_PERI_LETS_GO] = parameters[BREAKS_AT];
    k[CT_PERI_SLOPE] = rubs ? dimension * ct_cone_slope(angle) : 0;
    k[CT_PERI_TENSION] = rubs ? cohesion / tan(angle) : no_limit;
    k[CT_PERI_YIELD] = rubs ? 0 : fmin(sqrt(2) * cohesion, no_limit);
    k[CT_PERI_SHEAR] = 1 / shear_share(dimension);
    return CT_OK;
}

/* ---- The list, in the order of ct_peri_model ---------------------------------------------------------- */

static const struct model {
    ct_material_info info;
    ct_status (*prepare)(int dimension, double mu, double lambda, const double *parameters, double *k,
                         ct_error *error);
} models[] = {
    [CT_PERI_ELASTIC] =
        {.info = {.name = "elastic",
                  .title = "Elastic bonds",
                  .doc = "Peridynamic solids, cloth and rods, at any time step. A bar stretched along the "
                         "lattice has the given Young's modulus. Its lateral contraction is 0.21 to 0.25 of "
                         "the stretch (in 2D 0.29 to 0.33) whatever the given Poisson's ratio, which only "
                         "determines the bending stiffness, unless `bending` is given.",
                  .paper = paper,
                  .is_elastic = true,
                  .parameters = elastic_parameters,
                  .parameter_count = ELASTIC_PARAMETERS},
         .prepare = prepare_elastic},
    [CT_PERI_GRANULAR] = {.info = {.name = "granular",
                                   .title = "Grains: dry and wet sand of peridynamics",
                                   .doc = "Granular matter with friction that separates freely: sand, "
                                          "gravel; with water between the grains it stands and clumps.",
                                   .paper = paper,
                                   .parameters = granular_parameters,
                                   .parameter_count = GRANULAR_PARAMETERS,
                                   .flows = true},
                          .prepare = prepare_granular},
    [CT_PERI_PLASTIC] = {.info = {.name = "plastic",
                                  .title = "Plastic solid of peridynamics",
                                  .doc = "Clay, dough, soft metal: elastic up to its strength, then plastic. "
                                         "Bodies of the same clay stick together.",
                                  .paper = paper,
                                  .parameters = plastic_parameters,
                                  .parameter_count = PLASTIC_PARAMETERS,
                                  .flows = true},
                         .prepare = prepare_plastic},
    [CT_PERI_VISCOUS] = {.info = {.name = "viscous",
                                  .title = "Viscoelastic fluid of peridynamics",
                                  .doc = "Honey, batter, cream: nearly incompressible, resists shear by "
                                         "viscosity and, up to a yield stress, by elasticity; particles are "
                                         "redistributed evenly, so that thin threads do not break up.",
                                  .paper = paper,
                                  .parameters = viscous_parameters,
                                  .parameter_count = VISCOUS_PARAMETERS,
                                  .flows = true},
                         .prepare = prepare_viscous},
};

const ct_material_info *ct_peri_material_at(int index)
{
    return index >= 0 && index < (int)(sizeof models / sizeof *models) ? &models[index].info : NULL;
}

const ct_material_info *ct_peri_material_find(const char *name)
{
    for (int i = 0; ct_peri_material_at(i); i++)
        if (!strcmp(models[i].info.name, name)) return &models[i].info;
    return NULL;
}

/* A bond of grains slips where it is strained more than what shear at the yield stress |dev| does to the
 * bonds that it strains most, |dev| / (2 sqrt(2) G). */
static void set_slip(int dimension, double *k)
{
    double shear = 2 * sqrt(2) * k[CT_PERI_SHEAR] * k[CT_PERI_REFERENCE];
    if (!(shear > 0)) return;
    double bonds = k[CT_PERI_REFERENCE] / (dimension * dimension * k[CT_PERI_BULK]); /* they press, too */
    k[CT_PERI_SLIP] = (k[CT_PERI_SLOPE] * k[CT_PERI_TENSION] + k[CT_PERI_YIELD]) / shear;
    k[CT_PERI_SLIP_RISE] = k[CT_PERI_SLOPE] * (1 + bonds) / shear;
}

ct_status ct_peri_prepare_material(int model, int dimension, double mu, double lambda,
                                   const double *parameters, double *coefficients, ct_error *error)
{
    ct_status status = models[model].prepare(dimension, mu, lambda, parameters, coefficients, error);
    if (models[model].info.flows) set_slip(dimension, coefficients);
    return status;
}
