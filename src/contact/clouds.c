/* Blocks in which clouds meet each other: those of the material point method whose bodies must not stick. Only
 * clouds that have normals do. */
#include "contact/parts.h"

#include <string.h>

static bool can_meet(const ct_contact_member *a, const ct_contact_member *b)
{
    return a->is_cloud && b->is_cloud && a->cloud.has_normals && b->cloud.has_normals && a->group != b->group;
}

static bool overlap(const ct_contact_box *a, const ct_contact_box *b)
{
    for (int axis = 0; axis < 3; axis++)
        if (a->low[axis] > b->high[axis] || b->low[axis] > a->high[axis]) return false;
    return true;
}

bool ct_contact_clouds_overlap(const ct_contacts *contact)
{
    for (size_t a = 0; a < contact->member_count; a++)
        for (size_t b = a + 1; b < contact->member_count; b++)
            if (can_meet(&contact->members[a], &contact->members[b]) &&
                overlap(&contact->members[a].bins, &contact->members[b].bins))
                return true;
    return false;
}

static bool is_in(const ct_contact_member *cloud, const int32_t at[3])
{
    return ct_contact_holds(&cloud->bins, at) && cloud->cloud.has_block(cloud->cloud.owner, at);
}

bool ct_contact_cloud_meets(const ct_contacts *contact, const ct_contact_member *cloud, const int32_t at[3])
{
    for (size_t m = 0; m < contact->member_count && cloud->cloud.has_normals; m++)
        if (can_meet(cloud, &contact->members[m]) && is_in(&contact->members[m], at)) return true;
    return false;
}

/* Whether a cloud before number `m` has listed the block. */
static bool is_listed(const ct_contacts *contact, size_t m, const int32_t at[3])
{
    for (size_t k = 0; k < m; k++)
        if (contact->members[k].is_cloud && contact->members[k].cloud.has_normals &&
            is_in(&contact->members[k], at) && ct_contact_cloud_meets(contact, &contact->members[k], at))
            return true;
    return false;
}

ct_status ct_contact_find_cloud_blocks(ct_contacts *contact, ct_error *error)
{
    size_t *count = &contact->cloud_block_count;
    ct_status status = CT_OK;
    *count = 0;
    if (!ct_contact_clouds_overlap(contact)) return CT_OK;
    for (size_t m = 0; m < contact->member_count; m++) {
        const ct_contact_member *member = &contact->members[m];
        for (size_t b = 0; member->is_cloud && b < member->cloud.block_count && !status; b++) {
            const int32_t *at = member->cloud.blocks[b];
            if (!ct_contact_cloud_meets(contact, member, at) || is_listed(contact, m, at)) continue;
            status = ct_array_grow(contact->heap, &contact->cloud_blocks, *count, &contact->cloud_block_room,
                                   *count + 1, sizeof *contact->cloud_blocks, error);
            if (!status) memcpy(contact->cloud_blocks[(*count)++], at, sizeof *contact->cloud_blocks);
        }
    }
    return status;
}
