#include "transfer/batch.h"

#include "core/pack.h"

_Static_assert((int)CT_BATCH == (int)CT_MOST_PACKED, "a batch is packed as a whole");

enum { MOST_PLANES = 2 * CT_MATRIX + 2 + CT_MOST_STATES };

/* What is asked of the particles of a batch. A call on a model has `output` with the rows that the model's
 * function fills, a number a particle; or, with no rows, one number for all. */
typedef struct batch_job batch_job;
struct batch_job {
    const ct_material *materials;
    const ct_planes *planes;
    size_t first;
    ct_real dt;
    int rows;
    ct_real (*output)[CT_BATCH];
    void (*call)(const ct_material *material, int count, const ct_matter *matter,
                 ct_real (*output)[CT_BATCH]);
    int writes; /* F, J and state */
};

static const ct_material_model *model_of(const ct_material *material)
{
    return CT_FN(ct_material_model_at)(material->model);
}

/* ---- one function a question -------------------------------------------------------------------------- */

static void call_stress(const ct_material *material, int count, const ct_matter *matter,
                        ct_real (*output)[CT_BATCH])
{
    model_of(material)->stress(ct_coefficients(material), count, matter, output);
}

static void call_energy(const ct_material *material, int count, const ct_matter *matter,
                        ct_real (*output)[CT_BATCH])
{
    model_of(material)->energy(ct_coefficients(material), count, matter, output[0]);
}

static void call_critical_J(const ct_material *material, int count, const ct_matter *matter,
                            ct_real (*output)[CT_BATCH])
{
    const ct_material_model *model = model_of(material);
    if (model->critical_J) model->critical_J(ct_coefficients(material), count, matter, output[0]);
    else
        CT_FOR(i, count) output[0][i] = 1;
}

/* output[0][0] is the largest so far, before and after. A model is asked for a little less than that, so that
 * rounding never hides a particle that exceeds it: the result is the same in whatever order batches are
 * asked. */
typedef ct_real measure(const ct_real *coefficients, int count, const ct_matter *matter, ct_real enough);

static void call_measure(const ct_material *material, int count, const ct_matter *matter,
                         ct_real (*output)[CT_BATCH], measure *function)
{
    const double margin = 1e-5;
    ct_real enough = (ct_real)((double)output[0][0] * material->density * (1 - margin));
    ct_real modulus = function(ct_coefficients(material), count, matter, enough);
    ct_real squared = (ct_real)((double)modulus / material->density);
    if (squared > output[0][0]) output[0][0] = squared;
}

static void call_sound(const ct_material *material, int count, const ct_matter *matter,
                       ct_real (*output)[CT_BATCH])
{
    call_measure(material, count, matter, output, model_of(material)->sound);
}

static void call_update(const ct_material *material, int count, const ct_matter *matter,
                        ct_real (*output)[CT_BATCH])
{
    const ct_material_model *model = model_of(material);
    call_measure(material, count, matter, output, model->update ? model->update : model->sound);
}

/* ---- batches ------------------------------------------------------------------------------------------ */

/* The planes that the material needs; others are left alone: clearing them, and handing them over by value,
 * would cost a nanosecond a particle. */
static void find_matter(const batch_job *job, const ct_material_info *info, size_t first, ct_matter *matter)
{
    const ct_planes *planes = job->planes;
    matter->dt = job->dt;
    CT_FOR(k, info->keeps_F ? CT_MATRIX : 0) matter->F[k] = planes->deformation[k] + first;
    CT_FOR(k, info->needs_gradient ? CT_MATRIX : 0) matter->C[k] = planes->affine[k] + first;
    CT_FOR(k, info->state_count) matter->state[k] = planes->state[k] + first;
    matter->J = info->keeps_J ? planes->J + first : NULL;
    matter->temperature = planes->temperature ? planes->temperature + first : NULL;
}

/* Lets `matter` have the planes that the material needs in `local`, and lists where they come from: first
 * those that an update writes. */
static int use_local(const ct_material_info *info, ct_matter *matter, ct_real (*local)[CT_BATCH],
                     ct_real *from[MOST_PLANES], int *written)
{
    int count = 0;
    CT_FOR(k, info->keeps_F ? CT_MATRIX : 0) from[count] = matter->F[k], matter->F[k] = local[count++];
    if (info->keeps_J) from[count] = matter->J, matter->J = local[count++];
    CT_FOR(k, info->state_count) from[count] = matter->state[k], matter->state[k] = local[count++];
    *written = count;
    CT_FOR(k, info->needs_gradient ? CT_MATRIX : 0) {
        from[count] = (ct_real *)(uintptr_t)matter->C[k];
        matter->C[k] = local[count++];
    }
    if (info->reads_temperature && matter->temperature) {
        from[count] = (ct_real *)(uintptr_t)matter->temperature;
        matter->temperature = local[count++];
    }
    return count;
}

/* The particles of one material, collected from a mixed batch. */
static void work_on_members(const batch_job *job, const ct_material *material, const ct_packing *packing)
{
    _Alignas(CT_ALIGNMENT) ct_real local[MOST_PLANES][CT_BATCH], result[CT_SYMMETRIC][CT_BATCH];
    ct_real *from[MOST_PLANES];
    ct_matter matter;
    find_matter(job, material->info, job->first, &matter);
    int written, count = use_local(material->info, &matter, local, from, &written);
    int members = packing->members, padded = (members + CT_LANES - 1) / CT_LANES * CT_LANES;
    CT_FOR(k, count) {
        ct_pack(packing, from[k], local[k]);
        for (int i = members; i < padded; i++) local[k][i] = local[k][0];
    }
    job->call(material, members, &matter, job->rows ? result : job->output);
    CT_FOR(k, job->rows) ct_unpack(packing, result[k], job->output[k]);
    CT_FOR(k, job->writes && model_of(material)->update ? written : 0) ct_unpack(packing, local[k], from[k]);
}

static void work_on_mixed(const batch_job *job, int count)
{
    const uint16_t *materials = job->planes->material + job->first;
    unsigned char is_done[CT_BATCH] = {0}, is_chosen[CT_BATCH];
    CT_FOR(start, count) {
        if (is_done[start]) continue;
        ct_packing packing;
        uint16_t material = materials[start];
        CT_FOR(i, count) is_chosen[i] = materials[i] == material, is_done[i] |= is_chosen[i];
        ct_packing_make(&packing, is_chosen, count);
        work_on_members(job, &job->materials[material], &packing);
    }
}

/* Fewer particles than a lane has, of one material. They are worked on in a copy: planes are not touched past
 * the batch, since what follows may be another thread's. */
static void work_on_end(const batch_job *job, const ct_material *material, size_t first, int base, int count)
{
    _Alignas(CT_ALIGNMENT) ct_real local[MOST_PLANES][CT_BATCH], result[CT_SYMMETRIC][CT_BATCH];
    ct_real *from[MOST_PLANES];
    ct_matter matter;
    find_matter(job, material->info, first, &matter);
    int written, planes = use_local(material->info, &matter, local, from, &written);
    CT_FOR(k, planes) {
        ct_lane_store(local[k], ct_lane_all(from[k][0]));
        ct_copy_some(count, from[k], local[k]);
    }
    job->call(material, count, &matter, job->rows ? result : job->output);
    CT_FOR(k, job->rows) ct_copy_some(count, result[k], job->output[k] + base);
    CT_FOR(k, job->writes && model_of(material)->update ? written : 0) ct_copy_some(count, local[k], from[k]);
}

static void work_on_batch(const batch_job *job, int count)
{
    const uint16_t *materials = job->planes->material + job->first;
    const ct_material *material = &job->materials[materials[0]];
    int is_mixed = 0, full = count / CT_LANES * CT_LANES;
    CT_FOR(i, count) is_mixed |= materials[i] ^ materials[0];
    if (is_mixed) {
        work_on_mixed(job, count);
        return;
    }
    if (full) {
        ct_matter matter;
        find_matter(job, material->info, job->first, &matter);
        job->call(material, full, &matter, job->output);
    }
    if (full < count) work_on_end(job, material, job->first + (size_t)full, full, count - full);
}

/* What the materials do not keep must not go astray while it follows the velocity. */
static void reset_unkept(const batch_job *job, int count)
{
    const ct_planes *planes = job->planes;
    if (!planes->J || !planes->deformation[0]) return; /* one of the two is kept by all */
    CT_FOR(i, count) {
        size_t p = job->first + (size_t)i;
        const ct_material_info *info = job->materials[planes->material[p]].info;
        if (!info->keeps_J) planes->J[p] = 1;
        if (!info->keeps_F)
            CT_FOR(k, CT_MATRIX) planes->deformation[k][p] = k % (CT_DIM + 1) == 0;
    }
}

void CT_FN(ct_batch_stress)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                            ct_real (*tau)[CT_BATCH])
{
    work_on_batch(&(batch_job){materials, planes, first, 0, CT_SYMMETRIC, tau, call_stress, 0}, count);
}

void CT_FN(ct_batch_energy)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                            ct_real *psi)
{
    ct_real(*output)[CT_BATCH] = (ct_real(*)[CT_BATCH])psi;
    work_on_batch(&(batch_job){materials, planes, first, 0, 1, output, call_energy, 0}, count);
}

void CT_FN(ct_batch_critical_J)(const ct_material *materials, const ct_planes *planes, size_t first,
                                int count, ct_real *J)
{
    ct_real(*output)[CT_BATCH] = (ct_real(*)[CT_BATCH])J;
    work_on_batch(&(batch_job){materials, planes, first, 0, 1, output, call_critical_J, 0}, count);
}

ct_real CT_FN(ct_batch_sound_squared)(const ct_material *materials, const ct_planes *planes, size_t first,
                                      int count, ct_real enough)
{
    ct_real largest[1][CT_BATCH];
    largest[0][0] = enough;
    work_on_batch(&(batch_job){materials, planes, first, 0, 0, largest, call_sound, 0}, count);
    return largest[0][0];
}

ct_real CT_FN(ct_batch_update)(const ct_material *materials, const ct_planes *planes, size_t first, int count,
                               ct_real dt, ct_real enough)
{
    ct_real largest[1][CT_BATCH];
    largest[0][0] = enough;
    batch_job job = {materials, planes, first, dt, 0, largest, call_update, 1};
    work_on_batch(&job, count);
    reset_unkept(&job, count);
    return largest[0][0];
}
