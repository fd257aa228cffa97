/* The table of functions of one variant, and its list of methods: by number, as enum ct_method has them. */
#include "boundary/exert.h"
#include "core/lanes.h"
#include "material/material.h"
#include "particles/read.h"
#include "world.h"

#define CT_METHOD_LIST(X) \
    X(ct_mpm_method)      \
    X(ct_peri_method)     \
    X(ct_elements_method) \
    X(ct_rigid_method)    \
    X(ct_fluid_method)    \
    X(ct_strand_method)

#define X(method) extern const ct_method_table CT_FN(method);
CT_METHOD_LIST(X)
#undef X

extern const ct_numerics CT_FN(ct_numerics);

ct_status CT_FN(ct_meshes_move_in)(ct_host *host, ct_error *error);  /* body/guest.c */
ct_status CT_FN(ct_strands_move_in)(ct_host *host, ct_error *error); /* strand/guest.c */

static ct_status (*const let_in[])(ct_host *host, ct_error *error) = {
    [CT_METHOD_ELEMENTS] = CT_FN(ct_meshes_move_in),
    [CT_METHOD_STRANDS] = CT_FN(ct_strands_move_in),
};

static const ct_method_table *const methods[] = {
#define X(method) &CT_FN(method),
    CT_METHOD_LIST(X)
#undef X
        NULL,
};

static const ct_material_info *material_info(int index)
{
    const ct_material_model *model = CT_FN(ct_material_model_at)(index);
    return model ? &model->info : NULL;
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
    .methods = methods,
    .material_info = material_info,
    .measure_peak = measure_peak,
    .add_body_sums = CT_FN(ct_add_body_sums),
    .let_in = let_in,
    .exert = CT_FN(ct_exert),
};
