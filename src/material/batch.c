#include "material/batch.h"

/* A call of one model on planes of F; `output` has the rows that the model's function fills, a number a
 * particle; or, with no rows, one number for all. */
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

/* output[0][0] is the largest so far, before and after. A model is asked for a little less than that, so that
 * rounding never hides a particle that exceeds it: the result is the same in whatever order batches are
 * asked. */
static void call_sound(const ct_material_model *model, const ct_material *material, int count,
                       const ct_real *const F[CT_MATRIX], ct_real (*output)[CT_BATCH])
{
    const double margin = 1e-5;
    ct_real enough = (ct_real)((double)output[0][0] * material->density * (1 - margin));
    ct_real modulus = model->sound(ct_coefficients(material), count, F, enough);
    ct_real squared = (ct_real)((double)modulus / material->density);
    if (squared > output[0][0]) output[0][0] = squared;
}

/* The particles of one material, gathered from a mixed batch. */
static void work_on_mixed(const ct_world *world, const ct_planes *planes, size_t first, int count, int rows,
                          ct_real (*output)[CT_BATCH], batch_call *call)
{
    const uint16_t *materials = planes->material + first;
    unsigned char done[CT_BATCH] = {0};
    CT_FOR(start, count) {
        if (done[start]) continue;
        int member[CT_BATCH], members = 0;
        _Alignas(CT_ALIGNMENT) ct_real F[CT_MATRIX][CT_BATCH], result[CT_SYMMETRIC][CT_BATCH];
        const ct_real *rows_of_F[CT_MATRIX];
        for (int i = start; i < count; i++)
            if (materials[i] == materials[start]) member[members++] = i, done[i] = 1;
        CT_FOR(k, CT_MATRIX) {
            rows_of_F[k] = F[k];
            CT_FOR(i, members) F[k][i] = planes->deformation[k][first + (size_t)member[i]];
            for (int i = members; i < CT_BATCH; i++) F[k][i] = k % (CT_DIM + 1) == 0; /* idle lanes at rest */
        }
        const ct_material *material = &world->materials[materials[start]];
        call(CT_FN(ct_material_model_at)(material->model), material, members, rows_of_F,
             rows ? result : output);
        CT_FOR(k, rows)
            CT_FOR(i, members) output[k][member[i]] = result[k][i];
    }
}

static void work_on_batch(const ct_world *world, const ct_planes *planes, size_t first, int count, int rows,
                          ct_real (*output)[CT_BATCH], batch_call *call)
{
    const uint16_t *materials = planes->material + first;
    int is_mixed =
        count % CT_LANES; /* planes are not read past the batch: what follows may be another thread's */
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

void CT_FN(ct_batch_energy)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                            ct_real *psi)
{
    work_on_batch(world, planes, first, count, 1, (ct_real(*)[CT_BATCH])psi, call_energy);
}

ct_real CT_FN(ct_batch_sound_squared)(const ct_world *world, const ct_planes *planes, size_t first, int count,
                                      ct_real enough)
{
    ct_real largest[1][CT_BATCH];
    largest[0][0] = enough;
    work_on_batch(world, planes, first, count, 0, largest, call_sound);
    return largest[0][0];
}
