#include "peri/peri.h"

#include <string.h>

static const char paper[] = "projective-peridynamics-2017";

static const ct_material_info models[] = {
    {.name = "elastic",
     .title = "Elastic bonds",
     .doc =
         "Solids, cloth and rods of peridynamics, at any time step. A bar stretched along the lattice has "
         "the "
         "Young's modulus of the two constants. It gets thinner by 0.21 to 0.25 of the stretch (in 2D 0.29 "
         "to 0.33), whatever Poisson's ratio they give: their ratio decides how bending is resisted.",
     .paper = paper,
     .is_elastic = true},
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
    (void)model, (void)parameters;
    double scale = ct_peri_bond_scale(dimension, mu, lambda);
    coefficients[CT_PERI_MU] = scale * mu;
    coefficients[CT_PERI_LAMBDA] = scale * lambda;
}
