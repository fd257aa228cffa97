/* A world of several ranks (core/ranks.h, particles/segment.h). */
#include "world.h"

/* What of the world no two ranks can share, in the words of a scene; NULL: they can. */
static const char *unshared(const ct_world *world)
{
    const ct_boundary *boundary = &world->boundary;
    if (world->kind_count != 1) return "bodies of several methods or contact groups";
    const ct_kind *kind = &world->kinds[0];
    if (!kind->method->unshared) return "bodies of this method";
    for (size_t c = 0; c < boundary->collider_count; c++)
        if (boundary->colliders[c].is_sharp) return "a collider with 'sharp: true'";
    if (boundary->force_count || world->force_function) return "forces";
    if (world->common.change_count) return "changes";
    return kind->method->unshared(kind->self);
}

ct_status ct_world_distribute(ct_world *world, ct_ranks *ranks, ct_error *error)
{
    const char *what = unshared(world);
    if (what)
        return ct_fail(
            error, CT_BAD_SCENE,
            "several ranks cannot share %s%s%s yet; run this scene without mpirun (docs/theory/ranks.md says "
            "what they can)",
            what, world->kind_count == 1 && !world->kinds[0].method->unshared ? ", " : "",
            world->kind_count == 1 && !world->kinds[0].method->unshared
                ? ct_method_info_at(world->kinds[0].method->number)->name
                : "");
    ct_cloud *cloud = ct_kind_cloud(&world->kinds[0]);
    ct_status status = ct_segment_create(cloud, ranks, &cloud->part, error);
    if (!status) status = ct_segment_take(cloud, error);
    if (status) ranks->end_all(ranks, error);
    return status;
}

ct_status ct_world_gather(ct_world *world, ct_error *error)
{
    return ct_world_ranks(world) ? ct_segment_gather(ct_kind_cloud(&world->kinds[0]), error) : CT_OK;
}

void ct_world_give_back(ct_world *world)
{
    if (world->kind_count) ct_segment_give_back(ct_kind_cloud(&world->kinds[0]));
}
