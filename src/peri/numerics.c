/* The table of functions of a peridynamic world of one variant: what MPM shares, and what it has of its own.
 */
#include "boundary/flow.h"
#include "core/symmetric.h"
#include "invariants.h"
#include "particles/sort.h"
#include "peri/numbers.h"
#include "peri/step.h"
#include "read.h"

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    ct_status status =
        ct_peri_prepare_material(model, CT_DIM, mu, lambda, parameters, material->coefficients, error);
    CT_FOR(k, CT_COEFFICIENTS) material->coefficients_float[k] = (float)material->coefficients[k];
    material->model = model;
    material->info = ct_peri_material_at(model);
    return status;
}

static ct_status keep_fields(ct_world *world, const ct_material *material, ct_error *error)
{
    static const ct_field fields[] = {CT_FIELD_REST, CT_FIELD_HOLD, CT_FIELD_FALL};
    bool flows = ct_peri_flows(material->model);
    ct_status status = flows ? CT_FN(ct_medium_allow)(world, error) : CT_OK;
    if (!status && flows) status = ct_particles_keep(&world->particles, CT_FIELD_STRAIN, CT_SYMMETRIC, error);
    for (size_t k = 0; k < sizeof fields / sizeof *fields && !status; k++)
        status = ct_particles_keep(&world->particles, fields[k], 1, error);
    return status;
}

static ct_status add_particles(ct_world *world, const ct_seeds *seeds, int body, const double gradient[9],
                               ct_error *error)
{
    ct_peri_forget_bonds(world->peri);
    return CT_FN(ct_add_particles)(world, seeds, body, gradient, error);
}

const ct_numerics CT_FN(ct_peri_numerics) = {
    .dimension = CT_DIM,
    .precision = CT_IS_DOUBLE ? CT_DOUBLE : CT_FLOAT,
    .isa = CT_ISA,
    .material_info = ct_peri_material_at,
    .prepare_material = prepare_material,
    .keep_fields = keep_fields,
    .add_particles = add_particles,
    .take_grips = CT_FN(ct_peri_take_grips),
    .samples = CT_FN(ct_peri_samples),
    .push = CT_FN(ct_peri_push),
    .sort = CT_FN(ct_peri_sort),
    .start_sources = CT_FN(ct_flow_start),
    .step = CT_FN(ct_peri_step),
    .add_sums = CT_FN(ct_add_sums),
    .read_quantity = CT_FN(ct_read_quantity),
    .write_quantity = CT_FN(ct_write_quantity),
    .check_invariants = CT_FN(ct_check_invariants),
};
