/* Taking bodies and colliders out of a world. */
#include "world.h"
#include "world_record.h"

#include "particles/remove.h"

#include <string.h>

/* ---- Bodies ------------------------------------------------------------------------------------------- */

/* Links between particles that stay get their new numbers. */
static ct_status renumber_links(ct_cloud *cloud, const uint16_t *mark, ct_error *error)
{
    ct_heap *heap = &cloud->common->heap;
    uint32_t *order, kept = 0;
    if (!cloud->links.triangle_count && !cloud->links.line_count) return CT_OK;
    ct_status status = ct_particles_order_by_id(&cloud->particles, heap, &order, error);
    if (status) return status;
    for (size_t k = 0; k < cloud->particles.count; k++) order[k] = mark[order[k]] ? CT_LINK_GONE : kept++;
    ct_links_renumber(&cloud->links, order);
    ct_release(heap, order);
    return CT_OK;
}

static ct_status remove_particles(ct_cloud *cloud, int body, ct_error *error)
{
    ct_particles *particles = &cloud->particles;
    const uint16_t *of = ct_particles_plane(particles, CT_FIELD_BODY, 0);
    uint16_t *mark = ct_allocate(&cloud->common->heap, particles->count * sizeof *mark);
    if (!mark) return ct_fail_memory(error, particles->count * sizeof *mark);
    for (size_t p = 0; p < particles->count; p++) mark[p] = of[p] == body;
    ct_status status = renumber_links(cloud, mark, error);
    if (!status) {
        if (cloud->changed) cloud->changed(cloud->owner);
        cloud->must_sort |= ct_particles_remove(particles, &cloud->grid.blocks, mark, cloud->common->pool);
        if (!particles->count) cloud->must_sort = false;
        cloud->must_measure = true;
        cloud->common->bodies[body].particles = 0;
    }
    ct_release(&cloud->common->heap, mark);
    return status;
}

ct_status ct_world_remove_body(ct_world *world, int body, ct_error *error)
{
    CT_REQUIRE(world, error);
    if (body < 0 || (size_t)body >= world->common.body_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no body %d", body);
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (status) return status;
    const bool has_budget = world->common.def.energy_budget;
    const ct_world_sums before = has_budget ? ct_world_get_sums(world) : (ct_world_sums){0};
    ct_cloud *cloud = ct_kind_cloud(ct_world_kind_of(world, body));
    if (cloud->particles.count) status = remove_particles(cloud, body, error);
    if (status) return status;
    for (size_t s = 0; s < world->boundary.source_count; s++)
        if (world->boundary.sources[s].body == body) world->boundary.sources[s].state.is_over = true;
    if (has_budget) ct_world_book_change(world, &before);
    return CT_OK;
}

/* ---- Colliders ---------------------------------------------------------------------------------------- */

/* What the collider gripped is free; grips of those after it have another number. */
static void renumber_grips(ct_cloud *cloud, int collider)
{
    uint16_t *hold = ct_particles_plane(&cloud->particles, CT_FIELD_HOLD, 0);
    for (size_t p = 0; p < cloud->particles.count && hold; p++) {
        const int bits = hold[p] & ((1 << CT_HOLD_GRIP_SHIFT) - 1),
                  grip = (hold[p] >> CT_HOLD_GRIP_SHIFT) - 1;
        if (grip < collider) continue;
        const bool is_free = grip == collider;
        const int left = is_free ? bits & ~CT_HOLD_HELD : bits | grip << CT_HOLD_GRIP_SHIFT;
        hold[p] = (uint16_t)left;
    }
}

ct_status ct_world_remove_collider(ct_world *world, int index, ct_error *error)
{
    CT_REQUIRE(world, error);
    ct_boundary *boundary = &world->boundary;
    if (index < 0 || (size_t)index >= boundary->collider_count)
        return ct_fail(error, CT_BAD_USAGE, "there is no collider %d", index);
    ct_status status = ct_world_check_unpinned(world, __func__, error);
    if (status) return status;
    ct_collider *gone = &boundary->colliders[index];
    ct_collider_release(gone);
    memmove(gone, gone + 1, (boundary->collider_count - (size_t)index - 1) * sizeof *gone);
    boundary->collider_count--;
    ct_book_forget_collider(&world->book, index);
    for (int k = 0; k < world->kind_count; k++) {
        ct_cloud *cloud = ct_kind_cloud(&world->kinds[k]);
        renumber_grips(cloud, index);
        if (cloud->changed) cloud->changed(cloud->owner);
    }
    ct_record_forget_collider(world->record, index);
    return CT_OK;
}
