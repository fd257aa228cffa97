#include "particles/invariants.h"

#include "particles/place.h"

#include <math.h>

static ct_status check_particle(const ct_cloud *cloud, const ct_planes *planes, size_t p, ct_error *error)
{
    double sum = 0;
    if (!cloud->must_sort && !ct_is_in_reach(&cloud->grid, planes, p))
        return ct_fail(error, CT_FAILED,
                       "invariant: particle %u is out of its block's reach and no sort is due",
                       planes->id[p]);
    CT_FOR(a, CT_DIM) sum += (double)planes->position[a][p] + (double)planes->velocity[a][p];
    CT_FOR(k, CT_MATRIX) {
        sum += (double)planes->affine[k][p];
        if (planes->deformation[k]) sum += (double)planes->deformation[k][p];
    }
    CT_FOR(k, CT_MOST_STATES)
        if (planes->state[k]) sum += (double)planes->state[k][p];
    if (planes->J) sum += (double)planes->J[p];
    if (planes->temperature) sum += (double)planes->temperature[p];
    if (!isfinite(sum))
        return ct_fail(error, CT_FAILED, "invariant: particle %u is not finite", planes->id[p]);
    if (!(planes->mass[p] > 0) || !(planes->volume[p] > 0) ||
        planes->material[p] >= cloud->common->material_count ||
        planes->body[p] >= cloud->common->body_count || planes->id[p] >= cloud->common->next_id)
        return ct_fail(error, CT_FAILED,
                       "invariant: particle %u has a mass, volume, material or body that cannot be",
                       planes->id[p]);
    return CT_OK;
}

ct_status CT_FN(ct_check_invariants)(const ct_cloud *cloud, ct_error *error)
{
    const ct_blocks *blocks = &cloud->grid.blocks;
    ct_planes planes = ct_planes_of(&cloud->particles);
    if (blocks->first[0] != 0 || blocks->first[blocks->occupied] != cloud->particles.count)
        return ct_fail(error, CT_FAILED, "invariant: the blocks do not hold all particles");
    uint64_t ids = 0;
    for (size_t b = 0; b < blocks->occupied; b++) {
        if (blocks->first[b] >= blocks->first[b + 1])
            return ct_fail(error, CT_FAILED, "invariant: block %zu holds no particle", b);
        if (!cloud->must_sort && ct_blocks_find(blocks, blocks->coordinate[b]) != (int32_t)b)
            return ct_fail(error, CT_FAILED, "invariant: block %zu is not in the table", b);
    }
    for (size_t p = 0; p < cloud->particles.count; p++) {
        ct_status status = check_particle(cloud, &planes, p, error);
        if (status) return status;
        ids += planes.id[p];
    }
    /* Ids are 0 to n - 1, each once: their sum is known. */
    uint64_t n = cloud->common->next_id;
    if (cloud->particles.count == n && ids != n * (n - 1) / 2)
        return ct_fail(error, CT_FAILED, "invariant: ids are lost or doubled");
    return CT_OK;
}
