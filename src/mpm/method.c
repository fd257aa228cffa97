#include "method.h"

#include "boundary/colliders.h"
#include "boundary/flow.h"
#include "boundary/walls.h"
#include "grid/update.h"
#include "material/material.h"
#include "mpm/exchange.h"
#include "mpm/flight.h"
#include "mpm/heat.h"
#include "mpm/integration.h"
#include "mpm/meet.h"
#include "mpm/split.h"
#include "particles/invariants.h"
#include "particles/read.h"
#include "particles/sort.h"
#include "timestep/courant.h"
#include "timestep/criteria.h"
#include "timestep/extremes.h"
#include "timestep/limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const ct_method_table CT_FN(ct_mpm_method);

/* ---- Life --------------------------------------------------------------------------------------------- */

static void destroy(void *self)
{
    ct_mpm *mpm = self;
    ct_heap *heap = &mpm->cloud.common->heap;
    if (mpm->host.guest) mpm->host.guest->destroy(mpm->host.self);
    CT_FN(ct_implicit_release)(&mpm->implicit);
    ct_border_release(&mpm->border);
    ct_nodes_release(heap, &mpm->nodes);
    ct_release(heap, mpm->transfers.schemes);
    ct_release(heap, mpm->transfers.sums);
    ct_release(heap, mpm->limits.extremes);
    ct_release(heap, mpm->wholes);
    ct_release(heap, mpm->copies);
    ct_immersed_release(&mpm->immersed, heap);
    ct_cloud_release(&mpm->cloud);
    ct_release(heap, mpm);
}

/* Where particles may be before they are sorted: as far as the tile goes (transfer/tile.h). */
static void set_reach(ct_grid *grid, ct_kernel kernel)
{
    grid->reach[0] = 2;
    grid->reach[1] = kernel == CT_KERNEL_CUBIC ? 1 : 2;
}

static ct_status create(const ct_surroundings *around, bool is_first, void **self, ct_error *error)
{
    (void)is_first;
    ct_common *common = around->common;
    const ct_world_def *def = &common->def;
    ct_mpm *mpm = ct_allocate_zero(&common->heap, sizeof *mpm);
    if (!mpm) return ct_fail_memory(error, sizeof *mpm);
    ct_status status = ct_cloud_init(&mpm->cloud, common, CT_FN(ct_mpm_method).number, def->spacing, error);
    if (!status)
        status = ct_scheme_make(&mpm->transfers.scheme, &def->scheme, CT_DIM, def->kernel, "scheme", error);
    int modes = status ? 0 : ct_scheme_higher_modes(&mpm->transfers.scheme, CT_DIM);
    if (!status && modes) status = ct_particles_keep(&mpm->cloud.particles, CT_FIELD_MODES, modes, error);
    set_reach(&mpm->cloud.grid, def->kernel);
    memcpy(mpm->ground, mpm->cloud.grid.origin, sizeof mpm->ground);
    mpm->cloud.owner = mpm;
    mpm->cloud.reads = &CT_FN(ct_mpm_reads);
    mpm->border = (ct_border){.cloud = &mpm->cloud, .nodes = &mpm->nodes, .all = around->boundary};
    mpm->transfers.cloud = &mpm->cloud;
    mpm->transfers.nodes = &mpm->nodes;
    mpm->transfers.border = &mpm->border;
    mpm->implicit.transfers = &mpm->transfers;
    mpm->limits = (ct_limits){.cloud = &mpm->cloud,
                              .border = &mpm->border,
                              .pace = around->pace,
                              .criteria = def->step.criteria,
                              .sound_cfl = def->step.sound_cfl > 0 ? def->step.sound_cfl : INFINITY};
    mpm->host = (ct_host){
        .cloud = &mpm->cloud, .transfers = &mpm->transfers, .border = &mpm->border, .pace = around->pace};
    if (status) destroy(mpm);
    else *self = mpm;
    return status;
}

static ct_cloud *cloud_of(void *self)
{
    return &((ct_mpm *)self)->cloud;
}

static ct_host *host_of(void *self)
{
    return &((ct_mpm *)self)->host;
}

static ct_limits *limits_of(void *self)
{
    return &((ct_mpm *)self)->limits;
}

/* ---- Filling ------------------------------------------------------------------------------------------ */

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
    material->info = &m->info;
    return status;
}

static ct_status keep(void *self, const ct_material *material, ct_error *error)
{
    ct_mpm *mpm = self;
    ct_status status = CT_FN(ct_keep_fields)(&mpm->cloud, material, error);
    if (!status) status = CT_FN(ct_extremes_reserve)(&mpm->limits, error);
    if (!status) mpm->has_heat |= material->heat_capacity > 0;
    return status;
}

/* What follows from the schemes of the bodies that there are. */
static void look_at_schemes(ct_mpm *mpm)
{
    ct_transfers *t = &mpm->transfers;
    const ct_common *common = mpm->cloud.common;
    const ct_world_def *def = &common->def;
    bool is_only = true;
    t->only = NULL;
    t->needs_before = false;
    mpm->limits.sound_cfl = def->step.sound_cfl > 0 ? def->step.sound_cfl : INFINITY;
    for (size_t b = 0; b < common->body_count; b++) {
        const ct_scheme *scheme = &t->schemes[b];
        if (!ct_cloud_has(&mpm->cloud, b)) continue;
        is_only &= !t->only || !memcmp(scheme, t->only, sizeof *scheme);
        if (!t->only) t->only = scheme;
        t->needs_before |= ct_scheme_needs_before(scheme);
        if (!(def->step.sound_cfl > 0))
            mpm->limits.sound_cfl = fmin(
                mpm->limits.sound_cfl, ct_courant_default(scheme->info->name, def->kernel, def->force_form));
    }
    if (!is_only) t->only = NULL;
}

/* A body's transfer scheme: its own, or the world's. */
static ct_status choose_scheme(const ct_mpm *mpm, const ct_body_def *def, ct_scheme *scheme, ct_error *error)
{
    char owner[96];
    *scheme = mpm->transfers.scheme;
    if (!def->has_scheme) return CT_OK;
    snprintf(owner, sizeof owner, "body '%.64s': scheme", def->name);
    ct_status status =
        ct_scheme_make(scheme, &def->scheme, CT_DIM, mpm->cloud.common->def.kernel, owner, error);
    if (!status && (scheme->info->is_polynomial || mpm->transfers.scheme.info->is_polynomial))
        status =
            ct_fail(error, CT_BAD_USAGE, "%s: 'polypic' can only be the scheme of the whole world", owner);
    return status;
}

/* What a particle of a body begins with: its part of a cell. */
static ct_status note_whole(ct_mpm *mpm, const ct_body_def *def, int body, ct_error *error)
{
    const ct_common *common = mpm->cloud.common;
    double volume = def->shape.point_volume > 0 ? def->shape.point_volume : 1;
    if (def->split && !common->materials[def->material].info->keeps_F)
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': 'split' follows the deformation gradient, which its material does not "
                       "keep; only solids split",
                       def->name);
    if (def->elements.integration == CT_INTEGRATION_IMPLICIT && ct_has_periodic(&common->def))
        return ct_fail(error, CT_BAD_USAGE,
                       "body '%s': implicit steps know no periodic sides yet; leave it explicit", def->name);
    if (!(def->shape.point_volume > 0)) {
        CT_FOR(a, CT_DIM) volume *= mpm->cloud.grid.spacing[a];
        volume /= def->per_cell ? def->per_cell : 1 << CT_DIM;
    }
    ct_status status = ct_array_grow(&mpm->cloud.common->heap, &mpm->wholes, mpm->whole_room,
                                     &mpm->whole_room, (size_t)body + 1, sizeof *mpm->wholes, error);
    if (!status)
        mpm->wholes[body] = (ct_whole){.volume = volume,
                                       .length = pow(volume, 1.0 / CT_DIM),
                                       .splits = def->split,
                                       .integration = def->elements.integration};
    return status;
}

static ct_status register_body(void *self, const ct_body_def *def, int body, ct_error *error)
{
    ct_mpm *mpm = self;
    ct_transfers *t = &mpm->transfers;
    ct_scheme scheme;
    ct_status status = choose_scheme(mpm, def, &scheme, error);
    if (!status) status = note_whole(mpm, def, body, error);
    if (!status)
        status = ct_array_grow(&mpm->cloud.common->heap, &t->schemes, t->scheme_room, &t->scheme_room,
                               (size_t)body + 1, sizeof *t->schemes, error);
    if (!status && def->elements.coupling == CT_COUPLING_GRID && mpm->host.guest)
        status = mpm->host.guest->register_body(mpm->host.self, def, body, error);
    if (status) return status;
    t->schemes[body] = scheme;
    look_at_schemes(mpm);
    CT_FN(ct_mpm_look_at_integration)(mpm);
    return CT_OK;
}

static void forget_body(void *self)
{
    ct_mpm *mpm = self;
    if (ct_host_is_left_to_guest(&mpm->host, (int)mpm->cloud.common->body_count))
        mpm->host.guest->forget_body(mpm->host.self);
    look_at_schemes(mpm);
    CT_FN(ct_mpm_look_at_integration)(mpm);
}

/* The body is the last of the list. */
static ct_status seed(void *self, const ct_lattice *lattice, const ct_body_def *def, ct_seeds *seeds,
                      double gradient[9], ct_error *error)
{
    ct_mpm *mpm = self;
    ct_common *common = mpm->cloud.common;
    if (ct_host_is_left_to_guest(&mpm->host, (int)common->body_count - 1))
        return mpm->host.guest->seed(mpm->host.self, lattice, def, seeds, gradient, error);
    return ct_seed_body(&common->heap, lattice, def, common->def.seed, seeds, gradient, error);
}

static void take_grips(void *self, size_t first_collider, size_t first_id)
{
    ct_mpm *mpm = self;
    if (mpm->host.guest) mpm->host.guest->take_grips(mpm->host.self, first_collider, first_id);
}

static ct_status add(void *self, const ct_seeds *seeds, int body, const double gradient[9], ct_error *error)
{
    ct_mpm *mpm = self;
    if (ct_host_is_left_to_guest(&mpm->host, body))
        return mpm->host.guest->add(mpm->host.self, seeds, body, gradient, error);
    return CT_FN(ct_add_particles)(cloud_of(self), seeds, body, gradient, error);
}

static ct_status start_sources(void *self, ct_error *error)
{
    return CT_FN(ct_flow_start)(&((ct_mpm *)self)->border, error);
}

static void meets_others(void *self)
{
    ct_mpm *mpm = self;
    mpm->meets = true;
    mpm->border.feels_walls = true;
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static void want_layers(ct_mpm *mpm)
{
    const size_t nodes = CT_BLOCK_NODES * CT_NODE * sizeof(ct_real);
    bool has_budget = mpm->cloud.common->def.energy_budget;
    mpm->nodes.velocity.size = nodes;
    mpm->nodes.before.size = has_budget || mpm->transfers.needs_before ? nodes : 0;
    mpm->nodes.heat.size = mpm->has_heat ? nodes : 0;
    mpm->nodes.received.size = mpm->has_heat ? sizeof(double) : 0;
    mpm->nodes.span.size = 2 * CT_NODE * sizeof(ct_real);
    mpm->nodes.range.size = 2 * 3 * sizeof(int8_t);
    mpm->nodes.suspect.size = sizeof(uint64_t);
    mpm->nodes.energy.size = has_budget ? 2 * sizeof(double) : 0;
}

static ct_status sort(void *self, ct_error *error)
{
    ct_mpm *mpm = self;
    return mpm->cloud.must_sort ? CT_FN(ct_sort)(&mpm->cloud, error) : CT_OK;
}

static ct_status prepare(void *self, double dt, ct_error *error)
{
    (void)dt;
    ct_mpm *mpm = self;
    ct_status status = CT_FN(ct_mpm_split)(mpm, error);
    if (!status) status = sort(mpm, error);
    if (!status && mpm->limits.pace->is_last)
        status = CT_FN(ct_mpm_check_volumes)(mpm, error); /* frame by frame */
    want_layers(mpm);
    if (!status)
        status = ct_nodes_reserve(&mpm->cloud.common->heap, &mpm->nodes, mpm->cloud.grid.blocks.count, error);
    if (!status) status = CT_FN(ct_transfers_reserve)(&mpm->transfers, error);
    if (!status && mpm->host.guest) status = mpm->host.guest->prepare(mpm->host.self, error);
    return status;
}

static ct_status find_walls(void *self, double dt, ct_error *error)
{
    (void)dt;
    return CT_FN(ct_walls_find)(&((ct_mpm *)self)->border, error);
}

static ct_status limit(void *self, ct_error *error)
{
    (void)error;
    ct_mpm *mpm = self;
    double *speed = &mpm->limits.of[CT_MEASURE_SPEED].value;
    bool is_new = mpm->cloud.must_measure;
    if (is_new) CT_FN(ct_mpm_measure)(mpm);
    CT_FN(ct_mpm_choose_integration)(mpm);
    CT_FN(ct_flight_plan)(mpm);
    if (is_new) CT_FN(ct_note_limits)(&mpm->limits, &mpm->transfers);
    *speed = CT_FN(ct_flow_speed)(&mpm->border, *speed);
    ct_limits_ask(&mpm->limits);
    if (mpm->host.guest) mpm->host.guest->limit(mpm->host.self);
    if (mpm->implicit.is_wanted) CT_FN(ct_mpm_bound_by_fall)(mpm);
    return CT_OK;
}

static ct_status hold(void *self, double dt, ct_error *error)
{
    return CT_FN(ct_flow_hold)(&((ct_mpm *)self)->border, dt, error);
}

static ct_status find_colliders(void *self, double dt, ct_error *error)
{
    return CT_FN(ct_colliders_find)(&((ct_mpm *)self)->border, dt, error);
}

static ct_status to_grid(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_mpm *mpm = self;
    CT_FN(ct_particles_to_grid)
    (&mpm->transfers, mpm->implicit.is_wanted ? 0 : dt); /* mass, momentum, stress */
    return CT_OK;
}

static ct_status push_guest(void *self, double dt, ct_error *error)
{
    ct_mpm *mpm = self;
    return mpm->host.guest ? mpm->host.guest->push(mpm->host.self, dt, error) : CT_OK;
}

static ct_status update_grid(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_mpm *mpm = self;
    CT_FN(ct_grid_update)(&mpm->cloud, &mpm->nodes, dt); /* velocity, gravity */
    return CT_OK;
}

static ct_status immerse(void *self, double dt, ct_immersed **immersed, ct_error *error)
{
    (void)dt;
    return CT_FN(ct_mpm_immerse)(self, immersed, error);
}

static ct_status solve(void *self, double dt, ct_error *error)
{
    ct_mpm *mpm = self;
    return mpm->implicit.is_wanted ? CT_FN(ct_implicit_solve)(&mpm->implicit, &mpm->border, dt, error)
                                   : CT_OK;
}

static ct_status settle(void *self, double dt, ct_error *error)
{
    (void)dt;
    ct_mpm *mpm = self;
    return mpm->implicit.is_wanted ? CT_FN(ct_implicit_settle)(&mpm->implicit, error) : CT_OK;
}

static ct_status show(void *self, ct_contacts *contact, double dt, ct_error *error)
{
    (void)dt;
    return CT_FN(ct_mpm_show)(self, contact, error);
}

static ct_status meet_colliders(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_colliders_apply)(&((ct_mpm *)self)->border);
    return CT_OK;
}

static ct_status meet_walls(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_mpm *mpm = self;
    CT_FN(ct_walls_apply)(&mpm->border);
    if (mpm->implicit.is_wanted) CT_FN(ct_implicit_take_back)(&mpm->implicit);
    return CT_OK;
}

static ct_status impose(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    CT_FN(ct_flow_impose)(&((ct_mpm *)self)->border);
    return CT_OK;
}

static ct_status check(void *self, double dt, ct_error *error)
{
    ct_mpm *mpm = self;
    return CT_FN(ct_grid_check)(&mpm->cloud, &mpm->nodes, dt, error);
}

static double share(void *self, double dt) /* displacement, deformation */
{
    ct_mpm *mpm = self;
    if (mpm->implicit.has_failed) { /* too long for Newton's method to find its way */
        ct_set_limited(mpm->limits.pace, "solver", CT_LIMITED_BY_DEFORMATION, CT_NOBODY, CT_NOBODY);
        return 0.5;
    }
    if (mpm->is_flying) CT_FN(ct_grid_enter_frame)(&mpm->cloud, &mpm->nodes, mpm->limits.frame);
    return CT_FN(ct_share_of_dt)(&mpm->limits, &mpm->transfers, dt);
}

/* From velocities before forces where they are kept, unless colliders and sources must be found anew for the
 * shorter step, contact has changed velocities on one side of a pair, the nodes have entered a frame, or
 * velocities were solved for. */
static bool shorten(void *self, double fraction)
{
    ct_mpm *mpm = self;
    const ct_boundary *boundary = mpm->border.all;
    if (!mpm->nodes.before.data || boundary->collider_count || boundary->source_count || mpm->meets ||
        mpm->is_flying || mpm->implicit.is_wanted)
        return false;
    CT_FN(ct_patch_velocity)(&mpm->transfers, fraction);
    return true;
}

static ct_status report(void *self, int party, ct_book *book, ct_error *error)
{
    const ct_mpm *mpm = self;
    ct_status status = CT_OK;
    for (int side = 0; side < 2 * CT_DIM && mpm->border.feels_walls && !status; side++) {
        const double *felt = mpm->border.felt[side];
        bool is_any = false;
        CT_FOR(k, 6) is_any |= felt[k] != 0;
        if (is_any)
            status = ct_book_enter(book, &mpm->cloud.common->heap, party, CT_PARTY_WALL + side, felt,
                                   felt + 3, felt[6], error);
    }
    return status;
}

static ct_status reserve(void *self, double end, ct_error *error)
{
    return CT_FN(ct_flow_prepare)(&((ct_mpm *)self)->border, end, error);
}

static ct_status close_budget(void *self, double dt, ct_error *error)
{
    (void)dt, (void)error;
    ct_mpm *mpm = self;
    CT_FN(ct_grid_close_budget)(&mpm->cloud, &mpm->nodes);
    mpm->cloud.common->budget.contact += mpm->met + mpm->soaked;
    mpm->soaked = 0;
    return CT_OK;
}

/* Heat is slow: it moves when there is something to move, and at the instant that is asked for. */
static ct_status move_heat(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_mpm *mpm = self;
    if (!mpm->has_heat) return CT_OK;
    mpm->limits.heat_due += dt;
    if (!mpm->limits.pace->is_last && mpm->limits.heat_due + dt <= ct_heat_interval(&mpm->limits))
        return CT_OK;
    CT_FN(ct_heat_conduct)(&mpm->transfers, mpm->limits.heat_due);
    CT_FN(ct_heat_exchange)(&mpm->transfers, mpm->limits.heat_due); /* with walls, colliders and the air */
    mpm->limits.heat_due = 0;
    return CT_OK;
}

static ct_status to_particles(void *self, double dt, ct_error *error)
{
    (void)error;
    CT_FN(ct_flight_enter)(self);
    CT_FN(ct_mpm_move)(self, dt); /* velocity, affine state, position, deformation; limits of the next dt */
    CT_FN(ct_flight_land)(self, dt);
    return CT_OK;
}

static ct_status let_guest_follow(void *self, double dt, ct_error *error)
{
    (void)error;
    ct_mpm *mpm = self;
    if (mpm->host.guest) mpm->host.guest->follow(mpm->host.self, dt);
    return CT_OK;
}

static ct_status hold_sides(void *self, double dt, ct_error *error)
{
    (void)error;
    CT_FN(ct_colliders_hold)
    (&((ct_mpm *)self)->border, dt); /* particles stay on their side; forces on colliders */
    return CT_OK;
}

static void note(void *self)
{
    ct_mpm *mpm = self;
    CT_FN(ct_flow_carry)(&mpm->border);
    mpm->implicit.failures = 0;
    mpm->limits.guess = mpm->limits.next_guess;
    CT_FN(ct_note_limits)(&mpm->limits, &mpm->transfers);
}

static void pass(void *self, double before)
{
    ct_mpm *mpm = self;
    CT_FN(ct_flow_pass)(&mpm->border, before, mpm->limits.pace->is_last);
}

/* ---- Between steps ------------------------------------------------------------------------------------ */

static void add_sums(const void *self, size_t first_block, ct_world_sums *sums)
{
    const ct_mpm *mpm = self;
    CT_FN(ct_add_sums)(&mpm->cloud, first_block, sums);
    sums->stretched += (double)CT_FN(ct_mpm_stretched)(mpm, first_block);
    if (!mpm->implicit.is_wanted) return;
    sums->iterations += mpm->implicit.iterations;
    sums->residual = fmax(sums->residual, mpm->implicit.residual);
    const double dt = mpm->implicit.explicit_dt;
    if (dt < INFINITY) sums->explicit_dt = sums->explicit_dt > 0 ? fmin(sums->explicit_dt, dt) : dt;
}

static void read(const void *self, int quantity, const uint32_t *rank, void *values)
{
    CT_FN(ct_read_quantity)(&((const ct_mpm *)self)->cloud, quantity, rank, values);
}

static void write(void *self, ct_field field, const uint32_t *rank, const void *values)
{
    CT_FN(ct_write_quantity)(&((ct_mpm *)self)->cloud, field, rank, values);
}

/* Of the method itself nothing; of a body its scheme, that it asks for implicit steps, and what a guest knows of
 * it. */
static int definition(const void *self, int body, double numbers[CT_DEFINITION])
{
    const ct_mpm *mpm = self;
    if (body < 0) return 0;
    int count = ct_scheme_numbers(&mpm->transfers.schemes[body], numbers);
    if (mpm->wholes[body].integration != CT_INTEGRATION_EXPLICIT)
        numbers[count++] = mpm->wholes[body].integration;
    if (ct_host_is_left_to_guest(&mpm->host, body))
        count += mpm->host.guest->definition(mpm->host.self, body, numbers + count);
    return count;
}

static void restored(void *self)
{
    ct_mpm *mpm = self;
    CT_FN(ct_flight_restored)(mpm);
    if (mpm->host.guest) mpm->host.guest->restored(mpm->host.self);
}

static size_t block_bytes(const void *self)
{
    const ct_mpm *mpm = self;
    return mpm->nodes.velocity.size + mpm->nodes.before.size;
}

static void solver(const void *self, ct_solver_info *info)
{
    const ct_implicit *s = &((const ct_mpm *)self)->implicit;
    if (!s->is_wanted) return;
    info->iterations += s->iterations;
    info->residual = fmax(info->residual, s->residual);
}

static ct_status check_invariants(const void *self, ct_error *error)
{
    return CT_FN(ct_check_invariants)(&((const ct_mpm *)self)->cloud, error);
}

const ct_method_table CT_FN(ct_mpm_method) = {
    .number = CT_METHOD_MPM,
    .create = create,
    .destroy = destroy,
    .cloud = cloud_of,
    .limits = limits_of,
    .host = host_of,
    .prepare_material = prepare_material,
    .keep = keep,
    .register_body = register_body,
    .forget_body = forget_body,
    .seed = seed,
    .add = add,
    .start_sources = start_sources,
    .take_grips = take_grips,
    .meets_others = meets_others,
    .prepare = (const ct_stage[]){{CT_STAGE_sort, prepare}, {CT_STAGE_walls, find_walls}, {0, NULL}},
    .limit = limit,
    .kick = (const ct_stage[]){{CT_STAGE_flow, hold},
                               {CT_STAGE_colliders, find_colliders},
                               {CT_STAGE_to_grid, to_grid},
                               {CT_STAGE_solve, push_guest},
                               {CT_STAGE_grid, update_grid},
                               {CT_STAGE_solve, solve},
                               {0, NULL}},
    .immerse = immerse,
    .show = show,
    .constrain = (const ct_stage[]){{CT_STAGE_solve, settle},
                                    {CT_STAGE_colliders, meet_colliders},
                                    {CT_STAGE_walls, meet_walls},
                                    {CT_STAGE_flow, impose},
                                    {CT_STAGE_check, check},
                                    {0, NULL}},
    .share = share,
    .shorten = shorten,
    .report = report,
    .reserve = reserve,
    .drift = (const ct_stage[]){{CT_STAGE_check, close_budget},
                                {CT_STAGE_heat, move_heat},
                                {CT_STAGE_to_particles, to_particles},
                                {CT_STAGE_colliders, hold_sides},
                                {CT_STAGE_solve, let_guest_follow},
                                {0, NULL}},
    .note = note,
    .pass = pass,
    .sort = sort,
    .add_sums = add_sums,
    .read = read,
    .write = write,
    .restored = restored,
    .definition = definition,
    .block_bytes = block_bytes,
    .solver = solver,
    .check_invariants = check_invariants,
};
