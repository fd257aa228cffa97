#include "step.h"

#include "timestep/criteria.h"
#include "timestep/ledger.h"
#include "world_forces.h"

#include <math.h>

#define EACH(kind) for (ct_kind *kind = world->kinds; kind < world->kinds + world->kind_count; kind++)

/* What is rooted in bodies of others comes after them (boundary/carrier.h). */
#define EACH_CARRIED_LAST(kind) \
    for (int last = 0; last < 2; last++) EACH(kind) if (kind->method->is_carried == (last == 1))

/* Stages charge their time to their names; what is done again because a step was too long, to the time step.
 * */
static void mark(ct_world *world, int stage)
{
    ct_stopwatch_mark(&world->clock, world->pace.is_again ? CT_STAGE_time_step : stage);
}

static bool is_empty(const ct_kind *kind)
{
    return !ct_cloud_count(ct_kind_cloud(kind));
}

static ct_status run(ct_world *world, const ct_kind *kind, const ct_stage *stage, double dt, ct_error *error)
{
    ct_status status = CT_OK;
    for (; stage && stage->run && !status && !is_empty(kind); stage++) {
        status = stage->run(kind->self, dt, error);
        mark(world, stage->stage);
    }
    return status;
}

/* Kinds meet at the nodes of the grid: every one shows what it has there after its own forces, and takes
 * impulses. */
static ct_status meet(ct_world *world, double dt, ct_error *error)
{
    const ct_contact_def *def = &world->common.def.contact;
    ct_contact_pair_law pairs[CT_MOST_CONTACT_PAIRS];
    const ct_contact_law law = ct_contact_law_of(def, pairs);
    ct_status status = CT_OK;
    if (!world->contacts) return CT_OK;
    ct_contact_begin(world->contacts, world->space, dt);
    EACH(kind)
    if (!status && !is_empty(kind) && kind->method->show)
        status = kind->method->show(kind->self, world->contacts, dt, error);
    if (!status) status = ct_contact_solve(world->contacts, world->common.pool, &law, error);
    mark(world, CT_STAGE_contact);
    return status;
}

/* Where something flows around others, they show it what they have in it. */
static ct_status immerse(ct_world *world, double dt, ct_error *error)
{
    ct_boundary *boundary = &world->boundary;
    ct_status status = CT_OK;
    bool flows = false;
    boundary->immersed_count = 0;
    EACH(kind) flows |= kind->method->late_kick && !is_empty(kind);
    EACH(kind)
    {
        if (!flows || status || !kind->method->immerse || is_empty(kind)) continue;
        ct_immersed **immersed = &boundary->immersed[boundary->immersed_count];
        status = kind->method->immerse(kind->self, dt, immersed, error);
        if (status) continue;
        (*immersed)->party = ct_world_party_of(world, kind);
        boundary->immersed_count++;
    }
    if (flows) mark(world, CT_STAGE_contact);
    return status;
}

/* Velocities after forces, contact and boundaries. */
static ct_status kick(ct_world *world, double fraction, double dt, ct_error *error)
{
    ct_status status = CT_OK;
    EACH_CARRIED_LAST(kind)
    {
        bool is_done = fraction < 1 && kind->method->shorten && kind->method->shorten(kind->self, fraction);
        if (!status && !is_done) status = run(world, kind, kind->method->kick, dt, error);
    }
    if (!status) status = immerse(world, dt, error);
    EACH(kind) if (!status) status = run(world, kind, kind->method->late_kick, dt, error);
    if (!status) status = meet(world, dt, error);
    EACH_CARRIED_LAST(kind) if (!status) status = run(world, kind, kind->method->constrain, dt, error);
    return status;
}

/* Of dt that the motion itself allows. */
static double share_of(ct_world *world, double dt)
{
    double least = 1;
    EACH(kind)
    if (kind->method->share && !is_empty(kind)) least = fmin(least, kind->method->share(kind->self, dt));
    mark(world, CT_STAGE_time_step);
    return least;
}

/* Numbers that are none limit no step, as rest does not: the two are told apart here. */
static ct_status check_finite(const ct_world *world, ct_error *error)
{
    char where[160];
    const bool is_found = ct_world_find_not_finite(world, where, sizeof where);
    ct_ranks *ranks = ct_world_ranks(world);
    if (!ct_ranks_any(ranks, is_found)) return CT_BAD_USAGE;
    ct_status status = CT_OK;
    if (is_found)
        status = ct_fail(error, CT_DIVERGED, "step %llu, time %.9g s: %s is not finite",
                         (unsigned long long)world->common.step + 1, world->common.time, where);
    return ct_ranks_agree(ranks, status, error);
}

static ct_status choose_dt(ct_world *world, double until, double *dt, ct_error *error)
{
    ct_status status = CT_OK;
    ct_pace_begin(&world->pace);
    EACH(kind) if (!status && !is_empty(kind)) status = kind->method->limit(kind->self, error);
    if (!status) status = ct_choose_dt(&world->pace, until, dt, &world->pace.is_last, error);
    if (status == CT_BAD_USAGE) status = check_finite(world, error);
    mark(world, CT_STAGE_time_step);
    return status;
}

/* The world is at `time`, after a step of dt. */
static void advance(ct_world *world, double time, double dt)
{
    world->common.time = time;
    world->common.dt = dt;
    world->common.step++;
}

/* Positions and state; what colliders feel of a kind that does not tell is what comes with it. */
static void drift(ct_world *world, double dt)
{
    const ct_boundary *boundary = &world->boundary;
    bool is_told = ct_world_keeps_book(world);
    ct_boundary_begin(&world->boundary);
    world->common.budget.is_closing = false;
    EACH(kind)
    {
        for (size_t c = 0; c < boundary->collider_count && is_told; c++)
            world->feelings[c] = ct_collider_feeling(&boundary->colliders[c]);
        run(world, kind, kind->method->drift, dt, NULL);
        if (is_told && !kind->method->reports_colliders) ct_world_charge(world, kind, dt);
    }
    if (is_told) ct_book_close(&world->book);
}

static void pass(ct_world *world, double before)
{
    EACH(kind) kind->method->pass(kind->self, before); /* sinks take, sources give */
    mark(world, CT_STAGE_flow);
}

/* No particle is there yet, or no more: time goes on to where one may come. */
static ct_status wait(ct_world *world, double until, ct_error *error)
{
    const double before = world->common.time, most = world->common.def.step.max;
    double next = until;
    ct_status status = CT_OK;
    ct_set_limited(&world->pace, "frame", -1, CT_NOBODY, CT_NOBODY);
    for (size_t s = 0; s < world->boundary.source_count; s++) {
        double first = ct_source_next(&world->boundary.sources[s], before);
        if (first < next) next = first, world->common.limited_by = "source";
    }
    if (most > 0 && before + most < next) next = before + most, world->common.limited_by = "max";
    if (isinf(next))
        return ct_fail(error, CT_BAD_USAGE, "the world is empty, and no source will change that");
    EACH(kind) if (!status) status = kind->method->reserve(kind->self, next, error);
    if (status) return status;
    advance(world, next, next - before);
    world->pace.is_last = true;
    pass(world, before);
    return CT_OK;
}

/* Sorting belongs to the step that made it necessary, so that a step that fails changes nothing. Where
 * memory is short the next step tries again, and fails if it has to. */
static void sort(ct_world *world)
{
    EACH(kind)
    if (kind->method->sort(kind->self, NULL))
        ct_log(&world->common, CT_LOG_WARNING,
               "step %llu: no memory to sort the particles now; the next step tries again",
               (unsigned long long)world->common.step);
    mark(world, CT_STAGE_sort);
}

/* One step that does not go past `until`. Up to drift nothing changes state: a step that fails leaves the
 * matter as it was. */
ct_status ct_step(ct_world *world, double until, ct_error *error)
{
    const double before = world->common.time;
    double dt = 0, share;
    ct_status status = CT_OK;
    world->clock.last = ct_now();
    bool is_any = false;
    EACH(kind) is_any |= !is_empty(kind);
    if (!is_any) return wait(world, until, error);

    EACH(kind) if (!status && kind->method->change) status = kind->method->change(kind->self, error);
    EACH(kind) if (!status) status = run(world, kind, kind->method->prepare, 0, error);
    if (!status) status = choose_dt(world, until, &dt, error);
    if (!status) status = kick(world, 1, dt, error);
    while (!status && (share = share_of(world, dt)) < 1) { /* displacement, deformation */
        world->pace.is_again = true;
        status = ct_shorten_dt(&world->pace, until, &share, &dt, &world->pace.is_last, error);
        if (!status) status = kick(world, share, dt, error);
    }
    world->pace.is_again = false;
    const double after = !status && world->pace.is_last ? until : before + dt;
    EACH(kind)
    if (!status) status = kind->method->reserve(kind->self, after, error); /* particles that come */
    if (!status) status = ct_world_open_book(world, error);                /* who gave whom how much */
    if (!status && ct_world_has_forces(world)) status = ct_world_reserve_forces(world, error);
    if (status) return status;
    mark(world, CT_STAGE_flow);

    drift(world, dt);
    ct_ledger_count(&world->pace);
    advance(world, after, dt);
    if (ct_world_has_forces(world)) ct_world_exert(world, before);
    EACH(kind) if (!is_empty(kind)) kind->method->note(kind->self);
    mark(world, CT_STAGE_time_step);
    pass(world, before);
    sort(world);
    return CT_OK;
}
