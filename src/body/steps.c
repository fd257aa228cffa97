/* Between the cloud and rows; what explicit forces are, and the step that they stand. */
#include "body/steps.h"

#include "core/reduce.h"
#include "particles/sort.h"
#include "timestep/criteria.h"
#include "timestep/ledger.h"

#include <math.h>
#include <string.h>

enum { BLOCK_GRAIN = 8 };

static void gather_blocks(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    ct_bodies *self = context;
    const ct_grid *grid = &self->cloud->grid;
    const ct_planes planes = ct_planes_of(&self->cloud->particles);
    for (size_t b = begin; b < end; b++)
        for (size_t p = grid->blocks.first[b]; p < grid->blocks.first[b + 1]; p++) {
            uint32_t row = self->rank[p];
            if (row == CT_NO_ROW) continue;
            CT_FOR(a, 3) self->x[row][a] = self->v[row][a] = 0;
            CT_FOR(a, CT_DIM) {
                self->x[row][a] =
                    ct_world_coordinate(grid, grid->blocks.coordinate[b], a, planes.position[a][p]);
                self->v[row][a] = (double)planes.velocity[a][p];
            }
        }
}

void CT_FN(ct_bodies_gather)(ct_bodies *self)
{
    ct_pool_for(self->common->pool, self->cloud->grid.blocks.occupied, BLOCK_GRAIN, gather_blocks, self);
}

ct_status CT_FN(ct_bodies_prepare)(ct_bodies *self, ct_error *error)
{
    ct_bodies_count(self);
    bool was_stale = self->is_stale;
    ct_status status = ct_bodies_fit(self, error);
    for (size_t b = 0; b < self->body_end && !status && was_stale; b++)
        if (self->body[b].is_own && self->body[b].rows)
            status = self->body[b].kernels->rest(self, &self->body[b], error);
    if (!status && was_stale && !self->has_host) status = ct_bodies_make_samples(self, error);
    if (was_stale) self->inner.is_made = self->self_contact.is_made = false;
    if (!status) self->is_stale = false;
    return status;
}

void CT_FN(ct_bodies_settle)(ct_bodies *self)
{
    if (self->is_settled && self->generation == self->cloud->particles.generation) return;
    if (CT_FN(ct_bodies_prepare)(self, NULL)) return;
    CT_FN(ct_bodies_gather)(self);
    for (size_t b = 0; b < self->body_end; b++)
        if (self->body[b].is_own && self->body[b].rows) self->body[b].kernels->read(self, &self->body[b]);
    self->is_settled = true;
}

/* Forces of explicit bodies do not depend on the step's length: its limit falls out of them. */

void CT_FN(ct_bodies_push)(ct_bodies *self)
{
    for (size_t b = 0; b < self->body_end; b++)
        if (ct_bodies_step_by(&self->body[b], CT_INTEGRATION_EXPLICIT))
            self->body[b].kernels->push(self, &self->body[b]);
        else if (self->body[b].is_kinematic)
            memset(self->force + self->body[b].first_row, 0, self->body[b].rows * sizeof *self->force);
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
    return 0.5 * omega * self->cloud->grid.least_spacing * (sqrt(1 + damped * damped) + damped);
}

void CT_FN(ct_bodies_limit)(ct_bodies *self)
{
    /* s, of implicit bodies; a light sheet gives way to what lies on it by some of what it jumps back in a step,
     * so it takes shorter ones where there is anything else. */
    static const double usual_step = 1.0 / 100, usual_step_of_sheets = 1.0 / 500;
    ct_limit *speed = &self->limits.of[CT_MEASURE_SPEED], *sound = &self->limits.of[CT_MEASURE_SOUND];
    const ct_planes planes = ct_planes_of(&self->cloud->particles);
    double square = 0;
    bool is_implicit = false, has_sheet = false, is_alone = !self->meets;
    ct_reduce(self->common->pool, self->rows, CT_ROW_GRAIN, find_fastest, self, ct_fold_max, &square,
              sizeof square);
    *speed = (ct_limit){.value = sqrt(square), .material = CT_NOBODY, .particle = CT_NOBODY};
    *sound = (ct_limit){.material = CT_NOBODY, .particle = CT_NOBODY};
    for (size_t b = 0; b < self->body_end; b++) {
        const ct_mesh_body *body = &self->body[b];
        is_implicit |= ct_bodies_step_by(body, CT_INTEGRATION_IMPLICIT);
        has_sheet |= body->is_sheet && ct_bodies_step_by(body, CT_INTEGRATION_IMPLICIT);
        is_alone &= !body->is_own || b == 0;
        if (!ct_bodies_step_by(body, CT_INTEGRATION_EXPLICIT) || crossing(self, body) <= sound->value)
            continue;
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
}
