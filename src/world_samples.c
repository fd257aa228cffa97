/* Contact samples: what others may touch of the world's bodies, and the impulses that they give back. */
#include "world.h"

#include "core/cookies.h"

#include <math.h>

static ct_kind *find_kind(ct_world *world)
{
    for (int k = 0; k < world->kind_count; k++)
        if (world->kinds[k].method->samples) return &world->kinds[k];
    return NULL;
}

/* Rows of the whole world instead of the kind's own. */
static ct_status number_rows(ct_world *world, const ct_kind *kind, ct_samples *samples, ct_error *error)
{
    ct_heap *heap = &world->common.heap;
    uint32_t *order = NULL, *rank = NULL;
    ct_status status = ct_array_grow(heap, &world->rows, 0, &world->row_room, (size_t)samples->count,
                                     sizeof *world->rows, error);
    if (!status) status = ct_particles_order_by_id(&ct_kind_cloud(kind)->particles, heap, &order, error);
    if (!status) status = ct_world_rank(world, kind, &rank, error);
    for (size_t k = 0; k < samples->count && !status; k++) world->rows[k] = rank[order[samples->row[k]]];
    if (!status) samples->row = world->rows;
    ct_release(heap, order);
    ct_release(heap, rank);
    return status;
}

ct_status ct_world_samples(ct_world *world, ct_samples *samples, ct_error *error)
{
    CT_REQUIRE(world, error);
    CT_REQUIRE(samples, error);
    ct_kind *kind = find_kind(world);
    *samples = (ct_samples){.count = 0};
    world->sample_count = 0;
    if (!kind) return CT_OK;
    ct_status status = kind->method->samples(kind->self, samples, error);
    if (!status && world->kind_count > 1) status = number_rows(world, kind, samples, error);
    if (!status) world->sample_count = samples->count, world->sample_generation = samples->generation;
    return status;
}

static ct_status check_push(const ct_world *world, const ct_push_def *def, ct_error *error)
{
    ct_status status = ct_check_cookie(def ? &def->cookie : NULL, CT_PUSH_COOKIE, "push", error);
    if (!status) status = ct_world_check_unpinned(world, "ct_world_push", error);
    if (status) return status;
    if (!def->samples) return ct_fail(error, CT_BAD_USAGE, "the push has no samples");
    /* before a single impulse is looked at */
    if (def->samples->count &&
        (def->samples->count != world->sample_count || def->samples->generation != world->sample_generation))
        return ct_fail(error, CT_BAD_USAGE,
                       "the samples are not those of the world as it is: ask for them after every step");
    if (!def->impulse && def->samples->count) return ct_fail(error, CT_BAD_USAGE, "the push has no impulses");
    for (uint64_t k = 0; k < def->samples->count; k++)
        for (int a = 0; a < world->common.def.dimension; a++)
            if (!isfinite(def->impulse[k][a]))
                return ct_fail(error, CT_BAD_USAGE, "the impulse on sample %llu is not finite",
                               (unsigned long long)k);
    return CT_OK;
}

ct_status ct_world_push(ct_world *world, const ct_push_def *def, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_kind *kind = find_kind(world);
    ct_status status = check_push(world, def, error);
    return status || !def->samples->count ? status : kind->method->push(kind->self, def, error);
}
