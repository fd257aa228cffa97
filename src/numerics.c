/* The table of functions of one variant. */
#include "boundary/flow.h"
#include "invariants.h"
#include "material/material.h"
#include "particles/sort.h"
#include "peri/step.h"
#include "read.h"
#include "step.h"

extern const ct_numerics CT_FN(ct_numerics);

static const ct_material_info *material_info(int index)
{
    const ct_material_model *model = CT_FN(ct_material_model_at)(index);
    return model ? &model->info : NULL;
}

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    ct_prepared made = {.viscosity = 0};
    const ct_material_model *m = CT_FN(ct_material_model_at)(model);
    ct_status status = m->prepare(mu, lambda, parameters, &made, error);
    memcpy(material->coefficients, made.coefficients, sizeof made.coefficients);
    memcpy(material->initial, made.initial, sizeof made.initial);
    material->viscosity = made.viscosity;
    material->bears_no_tension = made.bears_no_tension;
    material->feels_temperature = made.feels_temperature;
    CT_FOR(k, CT_COEFFICIENTS) material->coefficients_float[k] = (float)made.coefficients[k];
    material->model = model;
    material->info = &m->info;
    return status;
}

/* Twelve independent chains keep two multiply-add units busy. */
static double measure_peak(void)
{
    enum { CHAINS = 12, TURNS = 2000000 };
    ct_lane a[CHAINS], b = ct_lane_all((ct_real)0.999), c = ct_lane_all((ct_real)1e-3);
    CT_FOR(k, CHAINS) a[k] = ct_lane_all((ct_real)k);
    double begin = ct_now();
    for (int turn = 0; turn < TURNS; turn++)
        CT_FOR(k, CHAINS) a[k] = a[k] * b + c;
    double seconds = ct_now() - begin;
    ct_real sum = 0;
    CT_FOR(k, CHAINS) sum += a[k][0];
    return sum == sum ? 2.0 * CHAINS * TURNS * CT_LANES / seconds : 0;
}

const ct_numerics CT_FN(ct_numerics) = {
    .dimension = CT_DIM,
    .precision = CT_IS_DOUBLE ? CT_DOUBLE : CT_FLOAT,
    .isa = CT_ISA,
    .material_info = material_info,
    .prepare_material = prepare_material,
    .keep_fields = CT_FN(ct_keep_fields),
    .add_particles = CT_FN(ct_add_particles),
    .sort = CT_FN(ct_sort),
    .start_sources = CT_FN(ct_flow_start),
    .step = CT_FN(ct_step),
    .add_sums = CT_FN(ct_add_sums),
    .read_quantity = CT_FN(ct_read_quantity),
    .write_quantity = CT_FN(ct_write_quantity),
    .check_invariants = CT_FN(ct_check_invariants),
    .measure_peak = measure_peak,
    .peridynamics = &CT_FN(ct_peri_numerics),
};
