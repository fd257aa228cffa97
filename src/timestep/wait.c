#include "timestep/limit.h"

#include "boundary/flow.h"
#include "timestep/criteria.h"

#include <math.h>

ct_status CT_FN(ct_wait)(ct_world *world, double until, ct_error *error)
{
    double before = world->time, next = until;
    ct_set_limited(world, "frame", -1, CT_NOBODY, CT_NOBODY);
    for (size_t s = 0; s < world->source_count; s++) {
        const ct_source *source = &world->sources[s];
        double first = ct_source_next(source, before);
        if (!(first < next)) continue;
        next = first;
        world->limited_by = "source";
    }
    if (world->def.step.max > 0 && before + world->def.step.max < next) {
        next = before + world->def.step.max;
        world->limited_by = "max";
    }
    if (isinf(next))
        return ct_fail(error, CT_BAD_USAGE, "the world is empty, and no source will change that");
    ct_status status = CT_FN(ct_flow_prepare)(world, next, error);
    if (status) return status;
    world->time = next;
    world->dt = next - before;
    world->step++;
    CT_FN(ct_flow_pass)(world, before, true);
    return CT_OK;
}
