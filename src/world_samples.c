/* Contact samples: what others may touch of the world's bodies, and the impulses that they give back. */
#include "world.h"

#include "cookies.h"

#include <math.h>

ct_status ct_world_samples(ct_world *world, ct_samples *samples, ct_error *error)
{
    size_t count;
    *samples = (ct_samples){.count = 0};
    if (!world->numerics->samples) return CT_OK;
    ct_status status = world->numerics->samples(world, &count, error);
    if (status) return status;
    ct_surface *surface = &world->peri->surface;
    surface->generation++;
    surface->step = world->step;
    surface->particles = world->particles.generation;
    double contact = world->def.peri.contact > 0 ? world->def.peri.contact : 1;
    *samples = (ct_samples){.count = count,
                            .position = (const double(*)[3])surface->position,
                            .velocity = (const double(*)[3])surface->velocity,
                            .normal = (const double(*)[3])surface->normal,
                            .mass = surface->mass,
                            .row = surface->row,
                            .body = surface->body,
                            .radius = 0.5 * contact * world->grid.least_spacing,
                            .generation = surface->generation};
    return CT_OK;
}

static ct_status check_push(const ct_world *world, const ct_push_def *def, ct_error *error)
{
    if (!def || def->cookie != CT_PUSH_COOKIE || !def->samples || (!def->impulse && def->samples->count))
        return ct_fail(error, CT_BAD_USAGE,
                       "the push's definition was not made by ct_default_push_def(), or has no samples or "
                       "impulses");
    if (!def->samples->count) return CT_OK;
    const ct_surface *surface = world->peri ? &world->peri->surface : NULL;
    if (!surface || def->samples->generation != surface->generation || surface->step != world->step ||
        surface->particles != world->particles.generation)
        return ct_fail(error, CT_BAD_USAGE,
                       "the samples are not those of the world as it is: ask for them after every step");
    for (uint64_t k = 0; k < def->samples->count; k++)
        for (int a = 0; a < world->def.dimension; a++)
            if (!isfinite(def->impulse[k][a]))
                return ct_fail(error, CT_BAD_USAGE, "the impulse on sample %llu is not finite",
                               (unsigned long long)k);
    return CT_OK;
}

ct_status ct_world_push(ct_world *world, const ct_push_def *def, ct_error *error)
{
    ct_status status = check_push(world, def, error);
    if (status || !def->samples->count) return status;
    status = world->numerics->push(world, def->samples->count, def->impulse, error);
    world->must_measure = true;
    return status;
}
