#include "step.h"

#include "boundary/colliders.h"
#include "boundary/exchange.h"
#include "boundary/flow.h"
#include "boundary/walls.h"
#include "grid/update.h"
#include "particles/sort.h"
#include "timestep/criteria.h"
#include "timestep/ledger.h"
#include "timestep/limit.h"
#include "transfer/heat.h"
#include "transfer/transfer.h"

#include <math.h>

/* What happens on the grid in a step of dt, up to the velocities that go back to the particles. */
static ct_status move_grid(ct_world *world, double dt, ct_error *error)
{
    ct_status status = CT_FN(ct_flow_hold)(world, dt, error); /* particles inside sources */
    ct_mark(world, CT_STAGE_flow);
    if (!status) status = CT_FN(ct_colliders_find)(world, dt, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_colliders);
    CT_FN(ct_particles_to_grid)(world, dt); /* mass, momentum, stress */
    ct_mark(world, CT_STAGE_to_grid);
    CT_FN(ct_grid_update)(world, dt); /* velocity, gravity */
    ct_mark(world, CT_STAGE_grid);
    CT_FN(ct_colliders_apply)(world);
    ct_mark(world, CT_STAGE_colliders);
    CT_FN(ct_walls_apply)(world);
    ct_mark(world, CT_STAGE_walls);
    CT_FN(ct_flow_impose)(world);
    ct_mark(world, CT_STAGE_flow);
    status = CT_FN(ct_grid_check)(world, dt, error);
    ct_mark(world, CT_STAGE_check);
    return status;
}

/* Heat is slow: it moves when there is something to move, and at the instant that is asked for. */
static void move_heat(ct_world *world, double dt, bool is_last)
{
    world->heat_due += dt;
    if (!is_last && world->heat_due + dt <= ct_heat_interval(world)) return;
    CT_FN(ct_heat_conduct)(world, world->heat_due);
    CT_FN(ct_heat_exchange)(world, world->heat_due); /* with walls, colliders and the air */
    world->heat_due = 0;
}

/* The same for a step that turned out too long: from velocities before forces where they are kept, unless
 * colliders and sources must be found anew for the shorter step. */
static ct_status shorten_grid(ct_world *world, double share, double dt, ct_error *error)
{
    if (!world->grid.before || world->collider_count || world->source_count)
        return move_grid(world, dt, error);
    CT_FN(ct_patch_velocity)(world, share);
    CT_FN(ct_walls_apply)(world);
    ct_status status = CT_FN(ct_grid_check)(world, dt, error);
    ct_mark(world, CT_STAGE_time_step);
    return status;
}

/* One step that does not go past `until`. Up to the check everything happens on the grid: a step that fails
 * leaves the particles as they were. */
ct_status CT_FN(ct_step)(ct_world *world, double until, ct_error *error)
{
    double dt, share, before = world->time;
    bool is_last;
    ct_status status = CT_OK;
    world->last_mark = ct_now();

    if (!world->particles.count) return CT_FN(ct_wait)(world, until, error);
    if (world->must_sort) status = CT_FN(ct_sort)(world, error);
    if (!status) status = CT_FN(ct_grid_reserve)(world, error);
    if (!status) status = CT_FN(ct_transfer_reserve)(world, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_sort);
    status = CT_FN(ct_walls_find)(world, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_walls);

    if (world->must_measure) CT_FN(ct_measure_limits)(world), CT_FN(ct_note_limits)(world);
    CT_FN(ct_flow_limit)(world);
    status = ct_choose_dt(world, until, &dt, &is_last, error);
    if (status) return status;
    ct_mark(world, CT_STAGE_time_step);

    status = move_grid(world, dt, error);
    while (!status && (share = CT_FN(ct_share_of_dt)(world, dt)) < 1) { /* displacement, deformation */
        ct_mark(world, CT_STAGE_time_step);
        world->is_again = true;
        status = ct_shorten_dt(world, until, &share, &dt, &is_last, error);
        if (!status) status = shorten_grid(world, share, dt, error);
    }
    ct_mark(world, CT_STAGE_time_step);
    world->is_again = false;
    double after = !status && is_last ? until : before + dt;
    if (!status) status = CT_FN(ct_flow_prepare)(world, after, error); /* particles that come */
    if (status) return status;
    ct_mark(world, CT_STAGE_flow);
    CT_FN(ct_grid_close_budget)(world);
    ct_mark(world, CT_STAGE_check);
    if (world->has_heat) move_heat(world, dt, is_last);
    ct_mark(world, CT_STAGE_heat);
    CT_FN(ct_grid_to_particles)
    (world, dt); /* velocity, affine state, position, deformation; limits of the next dt */
    ct_mark(world, CT_STAGE_to_particles);
    CT_FN(ct_colliders_hold)(world, dt); /* particles stay on their side; forces on the colliders */
    ct_mark(world, CT_STAGE_colliders);

    ct_ledger_count(world);
    CT_FN(ct_flow_carry)(world);
    world->time = after;
    world->dt = dt;
    world->guess = world->next_guess;
    world->step++;
    CT_FN(ct_note_limits)(world);
    ct_mark(world, CT_STAGE_time_step);
    CT_FN(ct_flow_pass)(world, before, is_last); /* sinks take, sources give */
    ct_mark(world, CT_STAGE_flow);

    /* Sorting belongs to the step that made it necessary, so that a step that fails changes nothing. Where
     * memory is short the next step tries again, and fails if it has to. */
    if (world->must_sort && CT_FN(ct_sort)(world, NULL))
        ct_world_log(world, CT_LOG_WARNING,
                     "step %llu: no memory to sort the particles now; the next step tries again",
                     (unsigned long long)world->step);
    ct_mark(world, CT_STAGE_sort);
    return CT_OK;
}
