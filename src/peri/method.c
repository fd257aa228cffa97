#include "method.h"

#include "boundary/flow.h"
#include "core/symmetric.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "peri/numbers.h"
#include "peri/step.h"
#include "timestep/criteria.h"
#include "transfer/info.h"

#include <math.h>

extern const ct_method_table CT_FN(ct_peri_method);

/* ---- Life --------------------------------------------------------------------------------------------- */

static void settle(void *owner)
{
    CT_FN(ct_peri_settle)(owner, NULL);
}

static void read_F(const void *owner, const ct_planes *planes, size_t p, double F[9])
{
    (void)planes;
    CT_FN(ct_peri_read_F)(owner, p, F);
}

static void read_stress(const void *owner, const ct_planes *planes, size_t p, double stress[9])
{
    (void)planes;
    CT_FN(ct_peri_read_stress)(owner, p, stress);
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    (void)planes;
    return CT_FN(ct_peri_read_energy)(owner, p);
}

/* Bonds fit new particles from the next step on. */
static const ct_reads reads = {
    .settle = settle, .F = read_F, .stress = read_stress, .energy = read_energy, .energy_lags = true};

static void forget_bonds(void *owner)
{
    ct_peri_forget_bonds(owner);
}

static void destroy(void *self)
{
    ct_peri_release(self);
}

/* Spacings: the grid's where the world is peridynamic; half of it where others are there, so that surfaces
 * are dense enough for contact at its nodes. */
static double spacing_of(const ct_world_def *def, bool is_first)
{
    return def->peri.spacing > 0 ? def->peri.spacing : is_first ? def->spacing : 0.5 * def->spacing;
}

static const double usual_step = 1.0 / 250; /* s */

static ct_status create(const ct_surroundings *around, bool is_first, void **self, ct_error *error)
{
    ct_common *common = around->common;
    ct_world_def *def = &common->def;
    ct_status status = ct_peri_check(def, error);
    if (status) return status;
    ct_peri *peri = ct_allocate_zero(&common->heap, sizeof *peri);
    if (!peri) return ct_fail_memory(error, sizeof *peri);
    peri->common = common;
    peri->spacing = spacing_of(def, is_first);
    status = ct_cloud_init(&peri->cloud, common, CT_FN(ct_peri_method).number, peri->spacing, error);
    peri->cloud.grid.reach[0] = peri->cloud.grid.reach[1] = 1; /* what is near is to be near in memory */
    peri->cloud.owner = peri;
    peri->cloud.reads = &reads;
    peri->cloud.changed = forget_bonds;
    peri->border = (ct_border){.cloud = &peri->cloud, .all = around->boundary};
    /* An implicit step needs no criterion but that of the velocity, and a bound where a body is at rest. */
    peri->limits = (ct_limits){.cloud = &peri->cloud,
                               .border = &peri->border,
                               .pace = around->pace,
                               .criteria = def->step.criteria & CT_CRITERION_VELOCITY};
    peri->longest = def->step.max > 0 ? def->step.max : usual_step;
    if (is_first) def->step.max = peri->longest;
    double horizon = def->peri.horizon > 0 ? def->peri.horizon : CT_DIM == 3 ? 2.1 : 3.05;
    peri->horizon = horizon * peri->spacing;
    for (int rank = 0; rank <= 3; rank++) peri->stiffening[rank] = 1 / ct_peri_modulus(rank, horizon);
    peri->must_find = true;
    if (is_first) def->energy_budget = false; /* there is no grid to lose energy on */
    if (status) destroy(peri);
    else *self = peri;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return &((ct_peri *)self)->cloud;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_peri *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    ct_status status =
        ct_peri_prepare_material(model, CT_DIM, mu, lambda, parameters, material->coefficients, error);
    material->info = ct_peri_material_at(model);
    return status;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    static const ct_field fields[] = {CT_FIELD_REST, CT_FIELD_HOLD, CT_FIELD_FALL};
    ct_peri *peri = self;
    ct_particles *particles = &peri->cloud.particles;
    bool flows = material->info->flows;
    ct_status status = flows ? CT_FN(ct_medium_allow)(peri, error) : CT_OK;
    if (!status && flows) status = ct_particles_keep(particles, CT_FIELD_STRAIN, CT_SYMMETRIC, error);
    for (size_t k = 0; k < sizeof fields / sizeof *fields && !status; k++)
        status = ct_particles_keep(particles, fields[k], 1, error);
    return status;
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    return ct_peri_note_section(self, def, (size_t)body, error);
}

static void forget_body(void *self)
{
    (void)self;
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_status status = CT_FN(ct_add_particles)(cloud_of(self), seeds, body, gradient, error);
    if (!status) ct_peri_forget_bonds(self);
    return status;
}

static ct_status start_sources(void *self, ct_error *error)
{
    return CT_FN(ct_flow_start)(&((ct_peri *)self)->border, error);
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    CT_FN(ct_peri_take_grips)(self, first_collider, first_id);
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status change(void *self, ct_error *error)
{
    return CT_FN(ct_peri_change)(self, error);
}

static ct_status sort(void *self, ct_error *error)
{
    ct_peri *peri = self;
    return peri->cloud.must_sort ? CT_FN(ct_peri_sort)(peri, error) : CT_OK;
}

static ct_status prepare(void *self, double dt, ct_error *error)
{
    (void)dt;
    return sort(self, error);
}

static ct_status limit(void *self, ct_error *error)
{
    (void)error;
    ct_peri *peri = self;
    double *speed = &peri->limits.of[CT_MEASURE_SPEED].value;
    if (peri->cloud.must_measure) CT_FN(ct_peri_measure)(peri);
    *speed = CT_FN(ct_flow_speed)(&peri->border, *speed);
    ct_limits_ask(&peri->limits);
    ct_pace_bound(peri->limits.pace, "max", peri->longest);
    if (peri->longest == usual_step)
        ct_pace_bound(peri->limits.pace, "grains", CT_FN(ct_medium_longest)(peri));
    return CT_OK;
}

static ct_status begin(void *self, double dt, ct_error *error)
{
    return CT_FN(ct_peri_begin)(self, dt, error);
}

static ct_status solve(void *self, double dt, ct_error *error)
{
    (void)dt;
    return CT_FN(ct_peri_solve)(self, error);
}

static ct_status immerse(void *self, double dt, ct_immersed **immersed, ct_error *error)
{
    return CT_FN(ct_peri_immerse)(self, dt, immersed, error);
}

static ct_status show(void *self, ct_contacts *contact, double dt, ct_error *error)
{
    return CT_FN(ct_peri_show)(self, contact, dt, error);
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    return CT_FN(ct_flow_prepare)(&((ct_peri *)self)->border, end, error);
}

static ct_status end(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_peri_end)(self);
    return CT_OK;
}

static ct_status move(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_peri_move)(self);
    return CT_OK;
}

static void note(void *self)
{
    CT_FN(ct_flow_carry)(&((ct_peri *)self)->border);
}

static void pass(void *self, double before)
{
    ct_peri *peri = self;
    CT_FN(ct_flow_pass)(&peri->border, before, peri->limits.pace->is_last);
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *self, size_t first_block, ct_world_sums *sums)
{
    const ct_peri *peri = self;
    CT_FN(ct_add_sums)(&peri->cloud, first_block, sums);
    sums->iterations = peri->iterations;
    sums->residual = peri->residual;
    sums->imbalance = peri->imbalance;
}

static ct_status settle_bonds(void *self, ct_error *error)
{
    return CT_FN(ct_peri_settle)(self, error);
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_peri *)self)->cloud, quantity, rank, values);
}

static void written(void *self)
{
    ((ct_peri *)self)->is_settled = false;
}

static void write(void *self, ct_field field, const uint32_t *rank, const void *values)
{
    ct_peri *peri = self;
    peri->is_settled = false;
    CT_FN(ct_write_quantity)(&peri->cloud, field, rank, values);
}

/* Of the method the horizon; bodies have none, but count as if they had the world's scheme. */
static int definition(const void *self, int body, double numbers[CT_DEFINITION])
{
    const ct_peri *peri = self;
    const ct_world_def *def = &peri->common->def;
    ct_scheme scheme;
    numbers[0] = peri->horizon;
    if (body < 0 || ct_scheme_make(&scheme, &def->scheme, CT_DIM, def->kernel, "scheme", NULL)) return 1;
    return ct_scheme_numbers(&scheme, numbers);
}

static size_t block_bytes(const void *self)
{
    (void)self;
    return 0; /* it has no grid */
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_peri *)self)->cloud, error);
}

static void solver(const void *self, ct_solver_info *info)
{
    const ct_peri *peri = self;
    *info = (ct_solver_info){.iterations = peri->iterations,
                             .residual = peri->residual,
                             .imbalance = peri->imbalance,
                             .stiffness = peri->stiffest,
                             .by_newton = peri->has_stiff};
}

static double neighbours(const void *self)
{
    const ct_peri *peri = self;
    const ct_bonds *bonds = peri->medium.is_there ? &peri->medium.rows : &peri->bonds;
    size_t count = peri->cloud.particles.count;
    double sum = 0;
    for (size_t p = 0; p < count && bonds->rows >= count; p++) sum += bonds->count[p];
    return count ? sum / (double)count : 0;
}

static ct_status samples(void *self, ct_samples *samples, ct_error *error)
{
    return CT_FN(ct_peri_samples)(self, samples, error);
}

static ct_status push(void *self, const ct_push_def *def, ct_error *error)
{
    return CT_FN(ct_peri_push)(self, def, error);
}

static void meets_others(void *self)
{
    ((ct_peri *)self)->meets = true;
}

const ct_method_table CT_FN(ct_peri_method) = {
    .number = CT_METHOD_PERIDYNAMICS,
    .create = create,
    .destroy = destroy,
    .cloud = cloud_of,
    .limits = limits_of,
    .prepare_material = prepare_material,
    .keep = keep,
    .register_body = register_body,
    .forget_body = forget_body,
    .add = add,
    .start_sources = start_sources,
    .take_grips = take_grips,
    .meets_others = meets_others,
    .change = change,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {0, NULL}},
    .limit = limit,
    .kick = (const ct_stage[]){{CT_STAGE_neighbours, begin}, {CT_STAGE_solve, solve}, {0, NULL}},
    .immerse = immerse,
    .show = show,
    .reserve = reserve,
    .drift = (const ct_stage[]){{CT_STAGE_solve, end}, {CT_STAGE_to_particles, move}, {0, NULL}},
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .settle = settle_bonds,
    .read = read,
    .write = write,
    .written = written,
    .can_move_particles = true,
    .restored = forget_bonds,
    .definition = definition,
    .block_bytes = block_bytes,
    .check_invariants = check_invariants,
    .solver = solver,
    .neighbours = neighbours,
    .samples = samples,
    .push = push,
};
