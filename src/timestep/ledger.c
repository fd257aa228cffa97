#include "timestep/ledger.h"

#include "timestep/criteria.h"

#include <string.h>

ct_status ct_ledger_reserve(ct_world *world, ct_error *error)
{
    ct_ledger *ledger = &world->ledger;
    if (world->material_capacity <= ledger->materials) return CT_OK;
    size_t materials = world->material_capacity, bytes = CT_CRITERIA * materials * sizeof *ledger->steps;
    size_t extreme_bytes = (size_t)ct_pool_size(world->pool) * materials * sizeof *world->extremes;
    uint64_t *steps = ct_allocate_zero(&world->heap, bytes);
    ct_extreme *extremes = ct_allocate_zero(&world->heap, extreme_bytes);
    if (!steps || !extremes) {
        ct_release(&world->heap, steps);
        ct_release(&world->heap, extremes);
        return ct_fail_memory(error, bytes + extreme_bytes);
    }
    ct_release(&world->heap, world->extremes);
    world->extremes = extremes;
    for (int i = 0; i < CT_CRITERIA && ledger->steps; i++)
        memcpy(steps + (size_t)i * materials, ledger->steps + (size_t)i * ledger->materials,
               ledger->materials * sizeof *steps);
    ct_release(&world->heap, ledger->steps);
    ledger->steps = steps;
    ledger->materials = materials;
    return CT_OK;
}

void ct_ledger_note(ct_world *world, int criterion, double dt, const ct_limit *asker)
{
    ct_ledger_row *row = &world->ledger.rows[criterion];
    if (!(dt < row->tightest || row->tightest == 0)) return;
    row->tightest = dt;
    row->step = world->step + 1;
    row->particle = asker->particle;
    row->material = asker->material;
}

void ct_ledger_count(ct_world *world)
{
    ct_ledger *ledger = &world->ledger;
    if (world->limited_criterion < 0) return;
    size_t criterion = (size_t)world->limited_criterion;
    ledger->rows[criterion].steps++;
    if (world->limited_material < ledger->materials)
        ledger->steps[criterion * ledger->materials + world->limited_material]++;
}

bool ct_world_criterion(const ct_world *world, int index, ct_criterion_info *info)
{
    const ct_criterion *criterion = ct_criterion_at(index);
    if (!criterion) return false;
    const ct_ledger_row *row = &world->ledger.rows[index];
    bool has_asker = row->tightest > 0 && row->material < world->material_count;
    *info = (ct_criterion_info){.name = criterion->name,
                                .steps = row->steps,
                                .tightest = row->tightest,
                                .tightest_step = row->step,
                                .particle = has_asker ? (int64_t)row->particle : -1,
                                .material = has_asker ? (int)row->material : -1};
    return true;
}

uint64_t ct_world_limited_steps(const ct_world *world, int index, int material)
{
    if (!ct_criterion_at(index) || material < 0 || (size_t)material >= world->material_count) return 0;
    return world->ledger.steps[(size_t)index * world->ledger.materials + (size_t)material];
}
