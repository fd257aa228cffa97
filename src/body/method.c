#include "method.h"

#include "body/elements.h"
#include "body/fabric.h"
#include "body/follow.h"
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

static void gather_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_bodies *self = context;
    const ct_grid *grid = &self->cloud.grid;
    const ct_planes planes = ct_planes_of(&self->cloud.particles);
    for (size_t b = begin; b < end; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            uint32_t row = self->rank[p];
            CT_FOR(a, 3) self->x[row][a] = self->v[row][a] = 0;
            CT_FOR(a, CT_DIM) {
                self->x[row][a] =
                    ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
                self->v[row][a] = (double)planes.velocity[a][p];
            }
        }
}

/* Back, after the step; a position is rounded as all are. Afterwards x is what the cloud has. */
static void scatter_blocks(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    ct_bodies *self = context;
    const ct_grid *grid = &self->cloud.grid;
    const ct_planes planes = ct_planes_of(&self->cloud.particles);
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

enum { BLOCK_GRAIN = 8 };

static void gather(ct_bodies *self)
{
    ct_pool_for(self->common->pool, self->cloud.grid.blocks.occupied, BLOCK_GRAIN, gather_blocks, self);
}

static ct_status fit(ct_bodies *self, ct_error *error)
{
    bool was_stale = self->is_stale;
    ct_status status = ct_bodies_fit(self, error);
    for (size_t b = 0; b < self->common->body_count && !status && was_stale; b++)
        if (self->body[b].is_own && self->body[b].rows)
            status = self->body[b].kernels->rest(self, &self->body[b], error);
    if (!status && was_stale) status = ct_bodies_make_samples(self, error);
    if (was_stale) self->inner.is_made = false;
    if (!status) self->is_stale = false;
    return status;
}

/* ---- Life --------------------------------------------------------------------------------------------- */

static void settle(void *owner)
{
    ct_bodies *self = owner;
    if (self->is_settled && self->generation == self->cloud.particles.generation) return;
    if (fit(self, NULL)) return;
    gather(self);
    for (size_t b = 0; b < self->common->body_count; b++)
        if (self->body[b].is_own && self->body[b].rows) self->body[b].kernels->read(self, &self->body[b]);
    self->is_settled = true;
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
    ct_status status =
        ct_cloud_init(&self->cloud, common, CT_FN(ct_elements_method).number, common->def.spacing, error);
    if (!status) status = ct_particles_keep(&self->cloud.particles, CT_FIELD_HOLD, 1, error);
    self->cloud.grid.reach[0] = self->cloud.grid.reach[1] = 1;
    self->cloud.owner = self;
    self->cloud.reads = &reads;
    self->cloud.changed = changed;
    self->border = (ct_border){.cloud = &self->cloud, .all = around->boundary};
    self->limits =
        (ct_limits){.cloud = &self->cloud,
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
    return &((ct_bodies *)self)->cloud;
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

/* Sheets are shells or springs, and have a thickness; solids are anything but shells. */
static ct_status check_kind(const ct_body_def *def, ct_elements_kind kind, bool is_sheet, const char *type,
                            ct_error *error)
{
    if (is_sheet && kind == CT_ELEMENTS_OF_SOLIDS)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s' is a sheet, but its material is '%s', of solids; choose the type shell or "
                       "springs",
                       def->name, type);
    if (!is_sheet && kind == CT_ELEMENTS_OF_SHELLS)
        return ct_fail(
            error, CT_BAD_USAGE,
            "body '%s' is of the material type shell, but its shape is no sheet; choose a sheet or "
            "surface, or a material of solids",
            def->name);
    if (is_sheet && !(def->shape.thickness > 0 && isfinite(def->shape.thickness)))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': its sheet needs a thickness above 0", def->name);
    return CT_OK;
}

static ct_status check_def(const ct_body_def *def, ct_error *error)
{
    const ct_elements_def *elements = &def->elements;
    if (!(elements->edge >= 0) || !isfinite(elements->edge))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': edge is %g m; it must not be negative", def->name,
                       elements->edge);
    if ((unsigned)elements->integration > CT_INTEGRATION_IMPLICIT)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': there is no integration %d", def->name,
                       (int)elements->integration);
    if (!(elements->mass_damping >= 0 && elements->stiffness_damping >= 0) ||
        !isfinite(elements->mass_damping + elements->stiffness_damping))
        return ct_fail(error, CT_BAD_USAGE, "body '%s': damping must not be negative", def->name);
    return CT_OK;
}

static ct_status register_body(void *owner, const ct_body_def *def, int number, ct_error *error)
{
    ct_bodies *self = owner;
    const ct_material *material = &self->common->materials[def->material];
    ct_elements_kind kind = ct_elements_kind_of(material->model);
    bool is_solid = kind == CT_ELEMENTS_OF_SOLIDS, is_sheet = self->common->bodies[number].rank < CT_DIM;
    bool yields = is_solid && CT_FN(ct_material_model_at)(ct_elements_model(material->model))->update;
    size_t had = self->body_room;
    ct_status status = check_def(def, error);
    if (!status) status = check_kind(def, kind, is_sheet, material->info->name, error);
    if (!status)
        status = ct_array_grow(&self->common->heap, &self->body, had, &self->body_room, (size_t)number + 1,
                               sizeof *self->body, error);
    if (status) return status;
    memset(self->body + had, 0, (self->body_room - had) * sizeof *self->body);
    ct_follow *follow = NULL;
    if (def->elements.has_follow && CT_DIM == 2)
        return ct_fail(error, CT_BAD_USAGE, "body '%s': animated surfaces are for 3D", def->name);
    if (def->elements.has_follow)
        status = ct_follow_create(&self->common->heap, &def->elements.follow, def->name, &follow, error);
    if (status) return status;
    self->body[number] =
        (ct_mesh_body){.is_own = true,
                       .def = def->elements,
                       .kind = kind,
                       .kernels = is_solid ? &CT_FN(ct_element_kernels) : &ct_fabric_kernels,
                       .is_sheet = is_sheet,
                       .follow = follow,
                       .thickness = is_sheet ? def->shape.thickness : 0,
                       .per_element = yields ? CT_MATRIX + (size_t)material->info->state_count : 0};
    return CT_OK;
}

static void forget_body(void *owner)
{
    ct_bodies *self = owner;
    ct_fabric_release(self->body[self->common->body_count].fabric);
    ct_follow_release(self->body[self->common->body_count].follow);
    self->body[self->common->body_count] = (ct_mesh_body){.is_own = false};
}

static ct_status seed(void *owner, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    return ct_bodies_seed(owner, lattice, def, seeds, gradient, error);
}

/* Places in the undeformed body, F^-1 (x - x_0): the seeds were moved by F. */
static void keep_rest(ct_bodies *self, const ct_seeds *seeds)
{
    const double *F = seeds->motion.deformation;
    double inverse[9], first[3], J = 0;
    CT_FOR(i, 3)
        CT_FOR(j, 3) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
        }
    CT_FOR(i, 3) J += F[i] * inverse[3 * i];
    ct_seed_position(seeds, 0, first);
    for (size_t k = 0; k < seeds->count; k++) {
        double x[3], *to = self->cloud.kept + self->cloud.kept_count;
        ct_seed_position(seeds, k, x);
        CT_FOR(i, 3) x[i] = i < CT_DIM ? x[i] - first[i] : 0;
        CT_FOR(i, 3)
            to[i] = (inverse[3 * i] * x[0] + inverse[3 * i + 1] * x[1] + inverse[3 * i + 2] * x[2]) / J;
        self->cloud.kept_count += 3;
    }
}

/* Vertices that are held, to the surface that they follow. */
static void keep_attachments(ct_bodies *self, ct_follow *follow, const ct_seeds *seeds)
{
    ct_follow_play(follow, self->common->time);
    for (size_t k = 0; k < seeds->count; k++) {
        double x[3], *to = self->cloud.kept + self->cloud.kept_count;
        memset(to, 0, CT_ATTACHMENT * sizeof *to);
        ct_seed_position(seeds, k, x);
        if (seeds->is_held && seeds->is_held[k]) ct_follow_attach(follow, x, to);
        self->cloud.kept_count += CT_ATTACHMENT;
    }
}

static ct_status add(void *owner, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_bodies *self = owner;
    const ct_material *material = &self->common->materials[self->common->bodies[body].material];
    size_t per_element = self->body[body].per_element,
           elements = CT_DIM == 3 ? seeds->links.tetrahedron_count : seeds->links.triangle_count;
    ct_follow *follow = self->body[body].follow;
    ct_status status = ct_bodies_reserve_kept(
        self, (follow ? 3 + CT_ATTACHMENT : 3) * seeds->count + elements * per_element, error);
    if (!status) status = CT_FN(ct_add_particles)(&self->cloud, seeds, body, gradient, error);
    if (status) return status;
    keep_rest(self, seeds);
    for (size_t e = 0; e < elements && per_element; e++) {
        double *to = self->cloud.kept + self->cloud.kept_count;
        memset(to, 0, per_element * sizeof *to);
        CT_FOR(a, CT_DIM) to[a * (CT_DIM + 1)] = 1;
        CT_FOR(s, (int)per_element - CT_MATRIX) to[CT_MATRIX + s] = material->initial[s];
        self->cloud.kept_count += per_element;
    }
    if (follow) keep_attachments(self, follow, seeds);
    self->is_stale = true;
    self->is_settled = false;
    return CT_OK;
}

static ct_status start_sources(void *self, ct_error *error)
{
    (void)self, (void)error; /* none is of elements: they make what flows */
    return CT_OK;
}

static void take_grips(void *owner, size_t first_collider, size_t first_id)
{
    ct_bodies *self = owner;
    const ct_grid *grid = &self->cloud.grid;
    const ct_boundary *all = self->border.all;
    ct_planes planes = ct_planes_of(&self->cloud.particles);
    for (size_t b = 0; b < grid->blocks.occupied; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++)
            for (size_t c = first_collider; c < all->collider_count && planes.id[p] >= first_id; c++) {
                double x[3] = {0};
                CT_FOR(a, CT_DIM)
                    x[a] = ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
                if (all->colliders[c].is_grip && ct_collider_distance(&all->colliders[c], x, NULL) <= 0)
                    planes.hold[p] = (uint16_t)(CT_HOLD_HELD | (c + 1) << CT_HOLD_GRIP_SHIFT);
            }
    self->is_stale = true;
}

static void meets_others(void *self)
{
    ((ct_bodies *)self)->meets = true;
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static ct_status sort(void *owner, ct_error *error)
{
    ct_bodies *self = owner;
    return self->cloud.must_sort ? CT_FN(ct_sort)(&self->cloud, error) : CT_OK;
}

static ct_status prepare(void *owner, double dt, ct_error *error)
{
    (void)dt;
    ct_bodies *self = owner;
    ct_status status = sort(self, error);
    if (!status) status = fit(self, error);
    if (!status) gather(self);
    return status;
}

/* Bodies that are pinned all over do neither. */
static bool steps_by(const ct_mesh_body *body, ct_integration integration)
{
    return body->is_own && body->rows && !body->is_kinematic && body->def.integration == integration;
}

/* Forces of explicit bodies do not depend on the step's length: its limit falls out of them. */

static ct_status push(void *owner, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_bodies *self = owner;
    for (size_t b = 0; b < self->common->body_count; b++)
        if (steps_by(&self->body[b], CT_INTEGRATION_EXPLICIT))
            self->body[b].kernels->push(self, &self->body[b]);
        else if (self->body[b].is_kinematic)
            memset(self->force + self->body[b].first_row, 0, self->body[b].rows * sizeof *self->force);
    return CT_OK;
}

static void find_fastest(void *context, size_t begin, size_t end, int worker, void *result)
{
    (void)worker;
    const ct_bodies *self = context;
    for (size_t row = begin; row < end; row++) {
        double square = 0;
        CT_FOR(a, CT_DIM) square += self->v[row][a] * self->v[row][a];
        *(double *)result = fmax(*(double *)result, square);
    }
}

/* The step that a body stands, as the speed with which a cell would be crossed in it: 2/omega, less where it
 * is damped. */
static double crossing(const ct_bodies *self, const ct_mesh_body *body)
{
    double omega = body->fastest, damped = 0.5 * body->def.stiffness_damping * omega;
    return 0.5 * omega * self->cloud.grid.least_spacing * (sqrt(1 + damped * damped) + damped);
}

static ct_status limit(void *owner, ct_error *error)
{
    (void)error;
    /* s, of implicit bodies; a light sheet gives way to what lies on it by some of what it jumps back in a step,
     * so it takes shorter ones where there is anything else. */
    static const double usual_step = 1.0 / 100, usual_step_of_sheets = 1.0 / 500;
    ct_bodies *self = owner;
    ct_limit *speed = &self->limits.of[CT_MEASURE_SPEED], *sound = &self->limits.of[CT_MEASURE_SOUND];
    const ct_planes planes = ct_planes_of(&self->cloud.particles);
    double square = 0;
    bool is_implicit = false, has_sheet = false, is_alone = !self->meets;
    ct_reduce(self->common->pool, self->rows, CT_ROW_GRAIN, find_fastest, self, ct_fold_max, &square,
              sizeof square);
    *speed = (ct_limit){.value = sqrt(square), .material = CT_NOBODY, .particle = CT_NOBODY};
    *sound = (ct_limit){.material = CT_NOBODY, .particle = CT_NOBODY};
    for (size_t b = 0; b < self->common->body_count; b++) {
        const ct_mesh_body *body = &self->body[b];
        is_implicit |= steps_by(body, CT_INTEGRATION_IMPLICIT);
        has_sheet |= body->is_sheet && steps_by(body, CT_INTEGRATION_IMPLICIT);
        is_alone &= !body->is_own || b == 0;
        if (!steps_by(body, CT_INTEGRATION_EXPLICIT) || crossing(self, body) <= sound->value) continue;
        size_t row = body->fastest_row;
        *sound = (ct_limit){.value = crossing(self, body),
                            .material = (uint64_t)self->common->bodies[b].material,
                            .particle = planes.id[self->order[row]]};
    }
    ct_limits_ask(&self->limits);
    if (sound->value > 0)
        ct_ledger_note(self->limits.pace, CT_LIMITED_BY_SOUND,
                       ct_criterion_at(CT_LIMITED_BY_SOUND)->limit(&self->limits), sound);
    if (is_implicit && !(self->common->def.step.max > 0))
        ct_pace_bound(self->limits.pace, "max", has_sheet && !is_alone ? usual_step_of_sheets : usual_step);
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
        if (steps_by(body, CT_INTEGRATION_IMPLICIT)) continue;
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
    for (size_t b = 0; b < self->common->body_count && !status; b++)
        if (steps_by(&self->body[b], CT_INTEGRATION_IMPLICIT))
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

static ct_status take(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_bodies_take(self);
    return CT_OK;
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
    ct_reduce(self->common->pool, self->cloud.grid.blocks.occupied, BLOCK_GRAIN, scatter_blocks, self,
              ct_fold_or, &must_sort, sizeof must_sort);
    self->cloud.must_sort |= must_sort;
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
    CT_FN(ct_add_sums)(&self->cloud, first_block, sums);
    sums->iterations = self->iterations;
    sums->residual = self->residual;
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_bodies *)self)->cloud, quantity, rank, values);
}

static void write(void *owner, ct_field field, const uint32_t *rank, const void *values)
{
    ct_bodies *self = owner;
    self->is_settled = false;
    CT_FN(ct_write_quantity)(&self->cloud, field, rank, values);
}

static void restored(void *owner)
{
    ct_bodies *self = owner;
    for (size_t b = 0; b < self->common->body_count; b++) self->body[b].kept = 0;
    self->is_stale = true;
    self->is_settled = false;
}

static int definition(const void *owner, int number, double numbers[CT_DEFINITION])
{
    const ct_bodies *self = owner;
    if (number < 0) return 0;
    const ct_elements_def *def = &self->body[number].def;
    numbers[0] = def->edge;
    numbers[1] = def->integration;
    numbers[2] = def->mass_damping;
    numbers[3] = def->stiffness_damping;
    numbers[4] = self->body[number].thickness;
    numbers[5] = def->jitter;
    return 6;
}

static size_t block_bytes(const void *self)
{
    (void)self;
    return 0; /* it has no grid */
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_bodies *)self)->cloud, error);
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
    .show = show,
    .constrain = (const ct_stage[]){{CT_STAGE_contact, take},
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
