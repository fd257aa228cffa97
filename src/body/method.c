#include "method.h"

#include "body/elements.h"
#include "body/fabric.h"
#include "body/steps.h"
#include "core/reduce.h"
#include "core/track.h"
#include "material/material.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "timestep/criteria.h"
#include "timestep/ledger.h"

#include <math.h>
#include <string.h>

extern const ct_method_table CT_FN(ct_elements_method);

/* ---- Between the cloud and rows ----------------------------------------------------------------------- */

enum { BLOCK_GRAIN = 8 };

/* Back, after the step; a position is rounded as all are. Afterwards x is what the cloud has. */
static void scatter_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    ct_bodies *self = context;
    const ct_grid *grid = &self->cloud->grid;
    const ct_planes planes = ct_planes_of(&self->cloud->particles);
    for (size_t b = begin; b < end; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            uint32_t row = self->rank[p];
            const int32_t *block = grid->blocks.coordinate[b];
            CT_FOR(a, CT_DIM) {
                double cells = (self->x[row][a] - grid->origin[a]) / grid->spacing[a] - grid->shift;
                planes.position[a][p] = (ct_real)(cells - (double)block[a] * CT_BLOCK);
                planes.velocity[a][p] = (ct_real)self->next[row][a];
                self->x[row][a] = ct_world_coordinate(grid, block, a, planes.position[a][p]);
            }
            *(bool *)result |= !ct_is_in_reach(grid, &planes, p);
        }
}

/* ---- Life --------------------------------------------------------------------------------------------- */

static void settle(void *owner)
{
    CT_FN(ct_bodies_settle)(owner);
}

static const double *read_of(const void *owner, size_t p)
{
    static const double at_rest[19] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const ct_bodies *self = owner;
    return self->is_settled && p < self->rows ? self->read[self->rank[p]] : at_rest;
}

static void read_F(const void *owner, const ct_planes *planes, size_t p, double F[9])
{
    (void)planes;
    memcpy(F, read_of(owner, p), 9 * sizeof *F);
}

static void read_stress(const void *owner, const ct_planes *planes, size_t p, double stress[9])
{
    (void)planes;
    memcpy(stress, read_of(owner, p) + 9, 9 * sizeof *stress);
}

static double read_energy(const void *owner, const ct_planes *planes, size_t p)
{
    (void)planes;
    return read_of(owner, p)[18];
}

static const ct_reads reads = {.settle = settle, .F = read_F, .stress = read_stress, .energy = read_energy};

static void changed(void *owner)
{
    ((ct_bodies *)owner)->is_settled = false;
    ((ct_bodies *)owner)->is_stale = true;
}

static void destroy(void *self)
{
    ct_bodies_release(self);
}

static ct_status create(const ct_surroundings *around, bool is_first, void **result, ct_error *error)
{
    ct_common *common = around->common;
    ct_bodies *self = ct_allocate_zero(&common->heap, sizeof *self);
    if (!self) return ct_fail_memory(error, sizeof *self);
    self->common = common;
    self->cloud = &self->own;
    ct_status status =
        ct_cloud_init(&self->own, common, CT_FN(ct_elements_method).number, common->def.spacing, error);
    if (!status) status = ct_particles_keep(&self->cloud->particles, CT_FIELD_HOLD, 1, error);
    self->cloud->grid.reach[0] = self->cloud->grid.reach[1] = 1;
    self->cloud->owner = self;
    self->cloud->reads = &reads;
    self->cloud->changed = changed;
    self->border = (ct_border){.cloud = self->cloud, .all = around->boundary};
    self->limits =
        (ct_limits){.cloud = self->cloud,
                    .border = &self->border,
                    .pace = around->pace,
                    .criteria = common->def.step.criteria & (CT_CRITERION_VELOCITY | CT_CRITERION_SOUND),
                    .sound_cfl = common->def.step.sound_cfl > 0 ? fmin(common->def.step.sound_cfl, 1) : 0.8};
    self->is_stale = true;
    if (is_first) common->def.energy_budget = false; /* there is no grid to lose energy on */
    if (status) destroy(self);
    else *result = self;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return ((ct_bodies *)self)->cloud;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_bodies *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

static ct_status prepare_material(int model, double mu, double lambda, const double *parameters,
                                  ct_material *material, ct_error *error)
{
    ct_prepared made = {.viscosity = 0};
    material->info = ct_elements_material_at(model);
    if (ct_elements_kind_of(model) != CT_ELEMENTS_OF_SOLIDS)
        return ct_fabric_prepare_material((int)ct_elements_kind_of(model), mu, lambda, parameters,
                                          material->coefficients, error);
    const ct_material_model *m = CT_FN(ct_material_model_at)(ct_elements_model(model));
    ct_status status = m->prepare(mu, lambda, parameters, &made, error);
    memcpy(material->coefficients, made.coefficients, sizeof made.coefficients);
    memcpy(material->initial, made.initial, sizeof made.initial);
    return status;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    (void)self, (void)material, (void)error;
    return CT_OK;
}

static ct_status register_body(void *self, const ct_body_def *def, int number, ct_error *error)
{
    return CT_FN(ct_bodies_register)(self, def, number, error);
}

static void forget_body(void *self)
{
    CT_FN(ct_bodies_forget)(self);
}

static ct_status seed(void *owner, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    return ct_bodies_seed(owner, lattice, def, seeds, gradient, error);
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    return CT_FN(ct_bodies_add)(self, seeds, body, gradient, error);
}

static ct_status start_sources(void *self, ct_error *error)
{
    (void)self, (void)error; /* none is of elements: they make what flows */
    return CT_OK;
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    CT_FN(ct_bodies_take_grips)(self, first_collider, first_id);
}

static void meets_others(void *self)
{
    ((ct_bodies *)self)->meets = true;
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status sort(void *owner, ct_error *error)
{
    ct_bodies *self = owner;
    return self->cloud->must_sort ? CT_FN(ct_sort)(self->cloud, error) : CT_OK;
}

static ct_status prepare(void *owner, double dt, ct_error *error)
{
    (void)dt;
    ct_bodies *self = owner;
    ct_status status = sort(self, error);
    if (!status) status = CT_FN(ct_bodies_prepare)(self, error);
    if (!status) CT_FN(ct_bodies_gather)(self);
    return status;
}

static ct_status push(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_bodies_push)(self);
    return CT_OK;
}

static ct_status limit(void *self, ct_error *error)
{
    (void)error;
    CT_FN(ct_bodies_limit)(self);
    return CT_OK;
}

typedef struct kicking {
    ct_bodies *self;
    double dt, gravity[3];
} kicking;

static void kick_rows(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const kicking *k = context;
    ct_bodies *self = k->self;
    for (size_t row = begin; row < end; row++) {
        const ct_mesh_body *body = &self->body[self->body_of[row]];
        double *next = self->next[row], slowing = 1 + k->dt * body->def.mass_damping;
        if (ct_bodies_step_by(body, CT_INTEGRATION_IMPLICIT)) continue;
        next[2] = 0;
        CT_FOR(a, CT_DIM)
            next[a] =
                (self->v[row][a] + k->dt * (self->force[row][a] / self->mass[row] + k->gravity[a])) / slowing;
        double pinned[3];
        if (ct_bodies_pinned(self, row, k->dt, pinned)) memcpy(next, pinned, sizeof pinned);
    }
}

static ct_status kick(void *owner, double dt, ct_error *error)
{
    kicking k = {.self = owner, .dt = dt};
    ct_bodies *self = owner;
    ct_status status = ct_bodies_begin_holds(self, dt, error);
    if (status) return status;
    ct_track_at(&self->common->def.gravity, self->common->time, k.gravity);
    ct_pool_for(self->common->pool, self->rows, CT_ROW_GRAIN, kick_rows, &k);
    return CT_OK;
}

static ct_status solve(void *owner, double dt, ct_error *error)
{
    ct_bodies *self = owner;
    ct_status status = CT_OK;
    self->iterations = self->products = 0;
    self->residual = 0;
    for (size_t b = 0; b < self->body_end && !status; b++)
        if (ct_bodies_step_by(&self->body[b], CT_INTEGRATION_IMPLICIT))
            status = ct_bodies_solve(self, &self->body[b], dt, error);
    return status;
}

static ct_status show(void *self, ct_contacts *contacts, double dt, ct_error *error)
{
    return ct_bodies_show(self, contacts, dt, error);
}

static ct_status immerse(void *self, double dt, ct_immersed **immersed, ct_error *error)
{
    (void)dt;
    return ct_bodies_immerse(self, immersed, error);
}

static ct_status carry(void *owner, int number, ct_carrier *carrier, ct_error *error)
{
    ct_bodies *self = owner;
    if (!ct_bodies_own(self, (size_t)number)) return CT_OK;
    ct_status status = CT_FN(ct_bodies_prepare)(self, error);
    if (status) return status;
    CT_FN(ct_bodies_gather)(self); /* between steps it may be that nobody has */
    const ct_mesh_body *body = &self->body[number];
    *carrier = (ct_carrier){.triangle_count = body->faces,
                            .triangles = (const uint32_t(*)[3])self->face + body->first_face,
                            .x = (const double(*)[3])self->x,
                            .v = (const double(*)[3])self->next};
    return CT_OK;
}

static ct_status take(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_bodies_take(self);
    return CT_OK;
}

static ct_status touch_itself(void *self, double dt, ct_error *error)
{
    return ct_bodies_touch_themselves(self, dt, error);
}

static ct_status hold(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_bodies_hold(self, dt);
    return CT_OK;
}

static ct_status check(void *owner, double dt, ct_error *error)
{
    ct_bodies *self = owner;
    for (size_t row = 0; row < self->rows; row++) {
        double far = 0;
        CT_FOR(a, CT_DIM) far = fmax(far, fabs(self->x[row][a] + dt * self->next[row][a]));
        double sum = self->next[row][0] + self->next[row][1] + self->next[row][2];
        const char *name = self->common->bodies[self->body_of[row]].name;
        if (!isfinite(sum))
            return ct_fail(error, CT_DIVERGED,
                           "step %llu, time %.9g s: the velocity of a vertex of body '%s' is not finite",
                           (unsigned long long)self->common->step + 1, self->common->time, name);
        if (!(far < self->common->def.far_limit))
            return ct_fail(error, CT_DIVERGED,
                           "step %llu, time %.9g s: a vertex of body '%s' is more than far_limit = %g m away",
                           (unsigned long long)self->common->step + 1, self->common->time, name,
                           self->common->def.far_limit);
    }
    return CT_OK;
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    (void)self, (void)end, (void)error;
    return CT_OK;
}

static ct_status drift(void *owner, double dt, ct_error *error)
{
    (void)error;
    ct_bodies *self = owner;
    bool must_sort = false;
    for (size_t row = 0; row < self->rows; row++)
        CT_FOR(a, CT_DIM) self->x[row][a] += dt * self->next[row][a];
    ct_reduce(self->common->pool, self->cloud->grid.blocks.occupied, BLOCK_GRAIN, scatter_blocks, self,
              ct_fold_or, &must_sort, sizeof must_sort);
    self->cloud->must_sort |= must_sort;
    self->is_settled = false;
    CT_FN(ct_elements_yield)(self, dt);
    ct_bodies_pass_forces(self, dt);
    return CT_OK;
}

static void note(void *self)
{
    (void)self;
}

static void pass(void *self, double before)
{
    (void)self, (void)before; /* bodies of elements leave through no sink */
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *owner, size_t first_block, ct_world_sums *sums)
{
    const ct_bodies *self = owner;
    CT_FN(ct_add_sums)(self->cloud, first_block, sums);
    sums->iterations = self->iterations;
    sums->residual = self->residual;
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(((const ct_bodies *)self)->cloud, quantity, rank, values);
}

static void write(void *owner, ct_field field, const uint32_t *rank, const void *values)
{
    ct_bodies *self = owner;
    self->is_settled = false;
    CT_FN(ct_write_quantity)(self->cloud, field, rank, values);
}

static void restored(void *self)
{
    CT_FN(ct_bodies_restored)(self);
}

static int definition(const void *self, int number, double numbers[CT_DEFINITION])
{
    return number < 0 ? 0 : CT_FN(ct_bodies_definition)(self, number, numbers);
}

static size_t block_bytes(const void *self)
{
    (void)self;
    return 0; /* it has no grid */
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(((const ct_bodies *)self)->cloud, error);
}

static void solver(const void *owner, ct_solver_info *info)
{
    const ct_bodies *self = owner;
    *info = (ct_solver_info){.iterations = self->iterations, .residual = self->residual};
}

const ct_method_table CT_FN(ct_elements_method) = {
    .number = CT_METHOD_ELEMENTS,
    .create = create,
    .destroy = destroy,
    .cloud = cloud_of,
    .limits = limits_of,
    .prepare_material = prepare_material,
    .keep = keep,
    .register_body = register_body,
    .forget_body = forget_body,
    .seed = seed,
    .add = add,
    .start_sources = start_sources,
    .take_grips = take_grips,
    .meets_others = meets_others,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {CT_STAGE_solve, push}, {0, NULL}},
    .limit = limit,
    .kick = (const ct_stage[]){{CT_STAGE_solve, kick}, {CT_STAGE_solve, solve}, {0, NULL}},
    .immerse = immerse,
    .carry = carry,
    .show = show,
    .constrain = (const ct_stage[]){{CT_STAGE_contact, take},
                                    {CT_STAGE_contact, touch_itself},
                                    {CT_STAGE_walls, hold},
                                    {CT_STAGE_check, check},
                                    {0, NULL}},
    .reserve = reserve,
    .drift = (const ct_stage[]){{CT_STAGE_to_particles, drift}, {0, NULL}},
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .read = read,
    .write = write,
    .can_move_particles = true,
    .restored = restored,
    .definition = definition,
    .block_bytes = block_bytes,
    .check_invariants = check_invariants,
    .solver = solver,
};
