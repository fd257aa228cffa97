/* The ledger of the time step, for users. */
#include "world.h"

#include "timestep/criteria.h"

bool ct_world_criterion(const ct_world *world, int index, ct_criterion_info *info)
{
    const ct_criterion *criterion = ct_criterion_at(index);
    if (!world || !info || !criterion) return false;
    const ct_ledger_row *row = &world->pace.ledger.rows[index];
    bool has_asker = row->tightest > 0 && row->material < world->common.material_count;
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
    if (!world || !ct_criterion_at(index) || material < 0 || (size_t)material >= world->common.material_count)
        return 0;
    return world->pace.ledger.steps[(size_t)index * world->pace.ledger.materials + (size_t)material];
}
