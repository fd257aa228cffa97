#include "material/batch.h"

/* A call of one model on planes of F; `output` is what the model's function fills. */
typedef void batch_call(const ct_material_model *model, const ct_material *material, int count,
                        const ct_real *const F[CT_MATRIX], ct_real (*output)[CT_BATCH]);

static void call_stress(const ct_material_model *model, const ct_material *material, int count,
                        const ct_real *const F[CT_MATRIX], ct_real (*output)[CT_BATCH])
{
    model->stress(ct_coefficients(material), count, F, output);
}

static void call_energy(const ct_material_model *model, const ct_material *material, int count,
                        const ct_real *const F[CT_MATRIX], ct_real (*output)[CT_BATCH])
{
    model->energy(ct_coefficients(material), count, F, output[0]);
}

static void call_sound(const ct_material_model *model, const ct_material *material, int count,
                       const ct_real *const F[CT_MATRIX], ct_real (*output)[CT_BATCH])
{
    model->sound(ct_coefficients(material), count, F, output[0]);
    ct_real per_density = (ct_real)(1 / material->density);
    CT_FOR(i, count) output[0][i] *= per_density;
}

/* The particles of one material, gathered from a mixed batch. */
static void work_on_mixed(const ct_world *world, const ct_planes *planes, size_t first, int count, int rows,
                          ct_real (*output)[CT_BATCH], batch_call *call)
{
    const uint16_t *materials = planes->material + first;
    unsigned char done[CT_BATCH] = {0};
    CT_FOR(start, count)
    {
        if (done[start]) continue;
        int member[CT_BATCH], members = 0;
        _Alignas(CT_ALIGNMENT) ct_real F[CT_MATRIX][CT_BATCH], result[CT_SYMMETRIC][CT_BATCH];
        const ct_real *rows_of_F[CT_MATRIX];
        for (int i = start; i < count; i++)
            if (materials[i] == materials[start]) member[members++] = i, done[i] = 1;
        CT_FOR(k, CT_MATRIX)
        {
            rows_of_F[k] = F[k];
            CT_FOR(i, members) F[k][i] = planes->deformation[k][first + (size_t)member[i]];
            for (int i = members; i < CT_BATCH; i++) F[k][i] = k % (CT_DIM + 1) == 0; /* idle lanes at rest */
        }
        const ct_material *material = &world->materials[materials[start]];
        call(CT_FN(ct_material_model_at)(material->model), material, members, rows_of_F, result);
        CT_FOR(k, rows)
        CT_FOR(i, members) output[k][member[i]] = result[k][i];
    }
}

static void work_on_batch(const ct_world *world, const ct_planes *planes, size_t first, int count, int rows,
                          ct_real (*output)[CT_BATCH], batch_call *call)
{
    const uint16_t *materials = planes->material + first;
    int is_mixed = 0;
    CT_FOR(i, count) is_mixed |= materials[i] ^ materials[0];
    if (is_mixed) {
        work_on_mixed(world, planes, first, count, rows, output, call);
        return;
    }
    const ct_real *F[CT_MATRIX];
    CT_FOR(k, CT_MATRIX) F[k] = planes->deformation[k] + first;
    const ct_material *material = &world->materials[materials[0]];
    call(CT_FN(ct_material_model_at)(material->model), material, count, F, output);
}

void CT_FN(ct_batch_stress)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                            ct_real (*tau)[CT_BATCH])
{
    work_on_batch(world, planes, first, count, CT_SYMMETRIC, tau, call_stress);
}

void CT_FN(ct_batch_energy)(const ct_world *world, const ct_planes *planes, size_t first, int count, ct_real *psi)
{
    work_on_batch(world, planes, first, count, 1, (ct_real(*)[CT_BATCH])psi, call_energy);
}

void CT_FN(ct_batch_sound_squared)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                                   ct_real *speed_squared)
{
    work_on_batch(world, planes, first, count, 1, (ct_real(*)[CT_BATCH])speed_squared, call_sound);
}
