#include "peri/peri.h"

#include <string.h>

static const char paper[] = "projective-peridynamics-2017";

static const ct_parameter_info elastic_parameters[] = {
    {"bending", CT_NUMBER, -1, -1, 1,
     "share of the bonds' stiffness that resists bending: 2 mu of 2 mu + lambda; below 0: as the two "
     "constants "
     "have it"},
};

static const ct_material_info models[] = {
    {.name = "elastic",
     .title = "Elastic bonds",
     .doc =
         "Solids, cloth and rods of peridynamics, at any time step. A bar stretched along the lattice has "
         "the "
         "Young's modulus of the two constants. It gets thinner by 0.21 to 0.25 of the stretch (in 2D 0.29 "
         "to 0.33), whatever Poisson's ratio they give: their ratio decides how bending is resisted, unless "
         "`bending` does.",
     .paper = paper,
     .is_elastic = true,
     .parameters = elastic_parameters,
     .parameter_count = sizeof elastic_parameters / sizeof *elastic_parameters},
};

const ct_material_info *ct_peri_material_at(int index)
{
    return index >= 0 && index < (int)(sizeof models / sizeof *models) ? &models[index] : NULL;
}

const ct_material_info *ct_peri_material_find(const char *name)
{
    for (int i = 0; ct_peri_material_at(i); i++)
        if (!strcmp(models[i].name, name)) return &models[i];
    return NULL;
}

void ct_peri_prepare_material(int model, int dimension, double mu, double lambda, const double *parameters,
                              double *coefficients)
{
    double scale = ct_peri_bond_scale(dimension, mu, lambda), bonds = scale * (2 * mu + lambda);
    double bending = models[model].parameters ? parameters[0] : -1;
    coefficients[CT_PERI_MU] = bending < 0 ? scale * mu : 0.5 * bending * bonds;
    coefficients[CT_PERI_LAMBDA] = bending < 0 ? scale * lambda : (1 - bending) * bonds;
}
