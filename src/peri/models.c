#include "peri/peri.h"

#include <string.h>

static const char paper[] = "projective-peridynamics-2017";

static const ct_material_info models[] = {
    {.name = "elastic",
     .title = "Elastic bonds",
     .doc =
         "Solids, cloth and rods of peridynamics, at any time step. Small strains see Young's modulus (2 mu "
         "+ "
         "lambda)/6 and Poisson's ratio 1/4, in 2D (2 mu + lambda)/3 and 1/3, whatever the ratio of the two; "
         "mu decides how bending is resisted.",
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

void ct_peri_prepare_material(int model, double mu, double lambda, const double *parameters,
                              double *coefficients)
{
    (void)model, (void)parameters;
    coefficients[CT_PERI_MU] = mu;
    coefficients[CT_PERI_LAMBDA] = lambda;
}
